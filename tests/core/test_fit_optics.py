# SPDX-License-Identifier: Apache-2.0
"""Cords onto optics, and optics facing optics."""

import pytest

from rackloom.catalog import CablePart, TransceiverPart, load_bundled
from rackloom.catalog.fit import Misfit, cord_misfit, optic_pair_misfit


def cord(part_id: str) -> CablePart:
    part = load_bundled().require(part_id)
    assert isinstance(part, CablePart)
    return part


def optic(part_id: str) -> TransceiverPart:
    part = load_bundled().require(part_id)
    assert isinstance(part, TransceiverPart)
    return part


def rule(misfit: Misfit | None) -> str | None:
    return misfit.rule if misfit else None


@pytest.mark.parametrize(
    ("module", "jumper"),
    [
        ("mma4z00-ns", "mfp7e10"),
        ("mma4z00-ns", "mfp7e20"),
        ("mma1z00-ns400", "mfp7e10"),
        ("mms4x00-ns", "mfp7e30"),
        ("mms4x00-nm", "mfp7e40"),
        ("mms1x00-ns400", "mfp7e30"),
        ("mma1b00-c100d", "mpo12-mm-upc"),
        ("mms4x50-nm", "lc-duplex-os2"),
        ("mma2p00-as", "lc-duplex-om4"),
        ("800gbase-dr8", "mpo16-sm-apc"),
    ],
)
def test_the_fibre_the_maker_names_goes_on(module: str, jumper: str) -> None:
    assert cord_misfit(optic(module), cord(jumper), 0) is None
    assert cord_misfit(optic(module), cord(jumper), 1) is None


def test_fibre_of_the_other_medium() -> None:
    """Rule 30."""
    misfit = cord_misfit(optic("mms4x00-ns"), cord("mfp7e10"), 0)
    assert misfit is not None
    assert misfit.rule == "reach.medium"
    assert misfit.message == (
        "MFP7E10-Nxxx is multimode fibre (OM4), but MMS4X00-NS is a single-mode module"
    )


def test_angled_and_flat_ferrules() -> None:
    """Rule 36: NVIDIA's 100G-lane multimode is APC, 100G SR4 with 25G lanes is UPC."""
    assert rule(cord_misfit(optic("mma4z00-ns"), cord("mpo12-mm-upc"), 0)) == "port.polish"
    assert rule(cord_misfit(optic("mma1b00-c100d"), cord("mfp7e10"), 0)) == "port.polish"
    # A generic class that is sold with either polish says nothing.
    assert cord_misfit(optic("400gbase-sr4"), cord("mpo12-mm-upc"), 0) is None


def test_mpo_12_and_mpo_16() -> None:
    """Rule 37: offset key, other pins."""
    misfit = cord_misfit(optic("mms4x00-nm16"), cord("mfp7e30"), 0)
    assert misfit is not None
    assert misfit.rule == "port.connector"
    assert "MPO-12" in misfit.message
    assert "MPO-16" in misfit.message
    assert cord_misfit(optic("mms4x00-nm16"), cord("mpo16-sm-apc"), 0) is None


def test_pins_on_both_sides() -> None:
    """Rule 39: receptacles are pinned, trunks too; they meet through unpinned patch cords."""
    misfit = cord_misfit(optic("mms4x00-ns"), cord("trunk-8-os2"), 0)
    assert misfit is not None
    assert misfit.rule == "port.connector"
    assert "pins (male)" in misfit.message


def test_harness_from_mpo_to_lc_is_angled_at_one_end_only() -> None:
    harness = cord("mpo12-4xlc-sm")
    assert cord_misfit(optic("mms1v00-wm"), harness, 0) is None
    assert cord_misfit(optic("mms1v70-cm"), harness, 1) is None
    assert rule(cord_misfit(optic("mms1v00-wm"), harness, 1)) == "port.connector"


def test_copper_is_no_cord() -> None:
    assert rule(cord_misfit(optic("mms4x00-ns"), cord("mcp4y10-n"), 0)) == "port.connector"


def test_multimode_never_faces_single_mode() -> None:
    """Rule 30."""
    misfit = optic_pair_misfit(optic("mma4z00-ns"), optic("mms4x00-ns400"))
    assert misfit is not None
    assert misfit.rule == "reach.medium"
    assert "never pair" in misfit.message


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("mma4z00-ns", "mma4z00-ns"),
        ("mma4z00-ns", "mma4z00-ns400"),
        ("mma4z00-ns", "mma1z00-ns400"),
        ("mms4x00-ns", "mms1x00-ns400"),
        ("mms4x00-nm", "mms4x00-ns"),
        ("mms4a00-ihs", "mms4a20"),
        ("400gbase-sr4", "400gbase-vr4"),
        ("mms1v00-wm", "400gbase-dr4-q112"),  # the line side decides, not the host side (15)
        ("mms4x50-nm", "400gbase-fr4"),
    ],
)
def test_equal_classes_pair(a: str, b: str) -> None:
    """Rules 31 to 33."""
    assert optic_pair_misfit(optic(a), optic(b)) is None
    assert optic_pair_misfit(optic(b), optic(a)) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("400gbase-dr4", "400gbase-fr4"),  # four fibre pairs against one
        ("400gbase-fr4", "400gbase-lr4"),
        ("400gbase-sr8", "400gbase-sr4.2"),
        ("mma4z00-ns-t", "200gbase-sr4"),  # 100G against 50G lanes
        ("mms4a20", "mms4x00-ns400"),  # 200G against 100G lanes
        ("800gbase-dr8", "400gbase-dr4"),  # without a harness
    ],
)
def test_other_classes_do_not(a: str, b: str) -> None:
    """Rules 31, 16, 17."""
    assert rule(optic_pair_misfit(optic(a), optic(b))) == "port.optic-pair"
    assert rule(optic_pair_misfit(optic(b), optic(a))) == "port.optic-pair"


def test_parallel_optics_split() -> None:
    """Rules 34, 35, 43: DR8 to two DR4, DR4 to four DR1, SR4 to two half-used SR4."""
    dr8, dr4, dr1 = optic("800gbase-dr8"), optic("mms1v00-wm"), optic("mms1v70-cm")
    assert optic_pair_misfit(dr8, optic("400gbase-dr4"), branches=2) is None
    assert optic_pair_misfit(dr4, dr1, branches=4) is None
    sr4 = optic("mma4z00-ns")
    assert optic_pair_misfit(sr4, optic("mma4z00-ns400"), branches=2) is None
    two_ways = optic_pair_misfit(dr4, dr1, branches=2)
    assert two_ways is not None
    assert two_ways.rule == "port.optic-pair"
    assert "1:2 splitter" in two_ways.message


def test_wavelength_division_does_not_split() -> None:
    """Rule 35: FR4 and LR4 share one fibre pair."""
    fr4 = optic("400gbase-fr4")
    misfit = optic_pair_misfit(fr4, fr4, branches=2)
    assert misfit is not None
    assert misfit.rule == "port.optic-pair"
    assert "cannot be split" in misfit.message


def test_infiniband_optic_facing_an_ethernet_one() -> None:
    """Rule 24."""
    assert rule(optic_pair_misfit(optic("mms1w50-hm"), optic("200gbase-fr4"))) == "port.protocol"
