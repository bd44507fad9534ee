# SPDX-License-Identifier: Apache-2.0
"""Unknown is said of figures that somebody could publish, and of no others."""

from __future__ import annotations

import pytest

from rackloom.catalog import PartId, load_bundled
from rackloom.catalog.applies import applies
from rackloom.catalog.parts import CablePart, DevicePart, ServerPart, SwitchPart, TransceiverPart
from rackloom.catalog.site_parts import PanelPart
from rackloom.cli import main

CATALOG = load_bundled()


@pytest.mark.parametrize(
    ("part", "field", "there"),
    [
        ("panduit-flex1u06", "power_max_w", False),
        ("panduit-flex1u06", "psu", False),
        ("panduit-flex1u06", "weight_kg", True),
        ("generic-415-60", "airflow", False),
        ("blank-1u", "power_max_w", False),
        ("cdu-4u-250", "power_typical_w", True),
        ("mcp7y00-n", "fibre", False),
        ("mcp7y00-n", "part_number", False),
        ("mcp1650-h", "part_number", True),
        ("trunk-96-os2", "lane_gbps", False),
        ("trunk-96-os2", "kg_per_m", True),
        ("cpu-node-1u", "gpu", False),
        ("dgx-h100", "gpu_direct_rdma", True),
        ("nvidia-qm9700", "latency_ns", True),
        ("dgx-h100", "liquid_share", False),
        ("gb200-compute-tray", "liquid_share", True),
        ("mms4x50-nm", "pinned", False),
        ("mma4z00-ns", "pinned", True),
    ],
)
def test_what_a_sort_of_part_has(part: str, field: str, there: bool) -> None:
    assert applies(CATALOG[PartId(part)], field) is there


def test_no_figure_that_is_published_is_called_inapplicable() -> None:
    """The other way round: what an entry states, its sort of part has; else entry or rule is wrong.

    Limits are the exception: they apply only where there is one.
    """
    limits = {"pipeline_limit", "busbar_v", "backplane", "bays"}
    for part in CATALOG.values():
        for field in type(part).model_fields:
            value = getattr(part, field)
            if value in (None, "none") or field in limits or field == "part_number":
                continue
            if isinstance(part, DevicePart | CablePart | TransceiverPart):
                assert applies(part, field), (part.id, field, value)


def test_servers_and_switches_keep_every_power_figure() -> None:
    for part in CATALOG.values():
        if isinstance(part, ServerPart | SwitchPart):
            assert applies(part, "power_max_w")
            assert applies(part, "psu")


def shown(capfd: pytest.CaptureFixture[str], part: str) -> str:
    assert main(["catalog", "show", part]) == 0
    return capfd.readouterr().out


def test_the_ends_of_a_trunk_are_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(capfd, "trunk-96-os2")
    assert text.count("form_factor: MPO-12") == 1
    assert "form_factor: MPO-12   (16 times)" in text
    assert "kg_per_m: unknown" in text


def test_a_splitter_keeps_the_lanes_of_its_ends(capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(capfd, "mfp7e20")
    assert "lanes: 4" in text
    assert "lanes: 2" in text
    assert "rate_gbps" not in text


def test_a_panel_shows_no_rates_and_no_power(capfd: pytest.CaptureFixture[str]) -> None:
    for part in CATALOG.of_kind(PanelPart):
        text = shown(capfd, part.id)
        assert "0.0\n" not in "".join(x for x in text.splitlines(True) if "rate" in x), part.id
        assert "power" not in text, part.id
        assert "weight_kg: unknown" in text or part.weight_kg is not None


def test_two_ends_that_differ_stay_two(capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(capfd, "mcp7y10-n")
    assert "form_factor: OSFP\n" in text
    assert "form_factor: QSFP112   (2 times)" in text
