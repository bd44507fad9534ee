# SPDX-License-Identifier: Apache-2.0
"""Which links cables carry: a cable is not a link."""

import pytest

from rackloom.catalog import CablePart, Catalog, DevicePart, RackPart, TransceiverPart, load_bundled
from rackloom.catalog.parts import PlugSpec
from rackloom.design import CableEnd, Design, EditError, History, Link, edits, port_name
from rackloom.design.ids import DeviceId, by_age

CATALOG: Catalog = load_bundled()


def bench(*parts: str) -> tuple[History, list[DeviceId]]:
    """Devices of these parts above one another in a rack."""
    history = History()
    rack_part = CATALOG.require("generic-48u-800")
    assert isinstance(rack_part, RackPart)
    row = history.do("row", edits.add_row)
    rack = history.do("rack", edits.add_rack, rack_part, row, 0.0)
    ids, u = [], 1
    for part_id in parts:
        part = CATALOG.require(part_id)
        assert isinstance(part, DevicePart)
        ids.append(history.do("device", edits.add_device, part, rack, u))
        u += int(part.rack_units)
    return history, ids


def plug(history: History, part: str, *ends: CableEnd) -> tuple[Link, ...]:
    cable_part = CATALOG.require(part)
    assert isinstance(cable_part, CablePart)
    cable = history.do("plug", edits.plug_cable, cable_part, ends, cable_part.lengths_m[0])
    return history.design.links.get(cable, ())


def optic(history: History, part: str, device: DeviceId, cage: str) -> None:
    module = CATALOG.require(part)
    assert isinstance(module, TransceiverPart)
    history.do("optic", edits.insert_module, module, device, cage)


def named(design: Design, links: tuple[Link, ...]) -> list[tuple[str, str, float, int]]:
    return [(port_name(design, k.a), port_name(design, k.b), k.rate_gbps, k.lanes) for k in links]


def test_a_twin_port_dac_between_switches_carries_two_links() -> None:
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    links = plug(history, "mcp4y10-n", CableEnd(0, a, "1"), CableEnd(1, b, "2"))
    assert named(history.design, links) == [("1/1", "2/1", 400, 4), ("1/2", "2/2", 400, 4)]


def test_each_fibre_of_a_twin_port_optic_carries_one_link() -> None:
    """DGX H100: cage OSFP4 serves GPU 3 on port 1 and GPU 0 on port 2, to two leaves."""
    history, (dgx, leaf0, leaf3) = bench("dgx-h100", "nvidia-qm9700", "nvidia-qm9700")
    optic(history, "mma4z00-ns-flt", dgx, "OSFP4")
    optic(history, "mma4z00-ns", leaf0, "1")
    optic(history, "mma4z00-ns", leaf3, "1")
    gpu3 = plug(history, "mfp7e10", CableEnd(0, dgx, "OSFP4", 0), CableEnd(1, leaf3, "1", 1))
    gpu0 = plug(history, "mfp7e10", CableEnd(0, dgx, "OSFP4", 1), CableEnd(1, leaf0, "1", 0))
    assert named(history.design, gpu3) == [("OSFP4P1", "1/2", 400, 4)]
    assert named(history.design, gpu0) == [("OSFP4P2", "1/1", 400, 4)]


def test_a_fibre_without_a_transceiver_is_dark() -> None:
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    optic(history, "mma4z00-ns", a, "1")
    assert plug(history, "mfp7e10", CableEnd(0, a, "1"), CableEnd(1, b, "1")) == ()
    optic(history, "mma4z00-ns", b, "1")
    assert sum(len(links) for links in history.design.links.values()) == 1


def test_a_one_to_two_breakout_ends_on_two_devices() -> None:
    history, (leaf, a, b) = bench(
        "nvidia-qm9700", "supermicro-as-8125gs-tnmr2", "supermicro-as-8125gs-tnmr2"
    )
    cage = next(c.name for c in history.design.device_part(a).cages if c.role == "compute")
    links = plug(
        history, "mcp7y10-n", CableEnd(0, leaf, "5"), CableEnd(1, a, cage), CableEnd(2, b, cage)
    )
    assert [(k.a.index, k.b.device, k.rate_gbps) for k in links] == [(0, a, 400), (1, b, 400)]


def test_a_loose_branch_carries_nothing_and_the_others_do() -> None:
    history, (leaf, a) = bench("nvidia-qm9700", "supermicro-as-8125gs-tnmr2")
    cage = next(c.name for c in history.design.device_part(a).cages if c.role == "compute")
    links = plug(history, "mcp7y10-n", CableEnd(0, leaf, "5"), CableEnd(2, a, cage))
    assert [(k.a.index, k.b.device) for k in links] == [(1, a)]


def test_a_splitter_fibre_makes_two_two_lane_ports_of_one() -> None:
    """Rule: a 1:2 splitter cuts the lane count, a 400G port feeds two 200G ports."""
    history, (leaf, a, b) = bench(
        "nvidia-qm9700", "supermicro-as-8125gs-tnmr2", "supermicro-as-8125gs-tnmr2"
    )
    cage = next(c.name for c in history.design.device_part(a).cages if c.role == "compute")
    optic(history, "mma4z00-ns", leaf, "1")
    optic(history, "mma1z00-ns400", a, cage)
    optic(history, "mma1z00-ns400", b, cage)
    links = plug(
        history, "mfp7e20", CableEnd(0, leaf, "1", 0), CableEnd(1, a, cage), CableEnd(2, b, cage)
    )
    assert [(k.rate_gbps, k.lanes) for k in links] == [(200, 2), (200, 2)]


def test_an_ndr_cage_runs_at_hdr_speed_on_the_aoc_made_for_it() -> None:
    history, (ndr, hdr) = bench("nvidia-qm9700", "nvidia-qm8700")
    links = plug(history, "mfa7u10-h", CableEnd(0, ndr, "1"), CableEnd(1, hdr, "1"))
    assert [(k.rate_gbps, k.lanes) for k in links] == [(200, 4)]


def test_a_fixed_mode_with_other_lane_counts_makes_no_link() -> None:
    """100G as 2x50 and as 1x100 do not link; here 2x400 faces 4x200 over one straight cable."""
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    links = plug(history, "mcp4y10-n", CableEnd(0, a, "1"), CableEnd(1, b, "1"))
    assert len(links) == 2
    history.do("mode", edits.set_mode, a, "1", "4x200")
    assert not history.design.links
    history.do("mode", edits.set_mode, b, "1", "4x200")
    assert [k.rate_gbps for k in next(iter(history.design.links.values()))] == [200] * 4


def test_a_gearbox_cable_joins_ports_of_other_lane_counts() -> None:
    """Eight 50G lanes at one end are four 100G lanes at the other: a retimed gearbox."""
    history, (ndr, hdr) = bench("nvidia-qm9700", "nvidia-qm8700")
    gearbox = CablePart(
        id="gearbox",
        manufacturer="Test",
        model="2x100 to 4x50",
        technology="AEC",
        ends=(
            PlugSpec(form_factor="OSFP", lanes=2, rate_gbps=200),
            PlugSpec(form_factor="QSFP56", lanes=4, rate_gbps=200),
        ),
        stock=({"length_m": 1.0},),
    )
    ends = [CableEnd(0, ndr, "1"), CableEnd(1, hdr, "1")]
    cable = history.do("plug", edits.plug_cable, gearbox, ends, 1.0)
    assert [(k.rate_gbps, k.a.index, k.b.index) for k in history.design.links[cable]] == [
        (200, 0, 0)
    ]


@pytest.mark.parametrize("cages", [("1", "1"), ("1", "32")])
def test_links_do_not_depend_on_the_order_of_ends(cages: tuple[str, str]) -> None:
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    ends = [CableEnd(1, b, cages[1]), CableEnd(0, a, cages[0])]
    links = plug(history, "mcp4y10-n", *ends)
    assert {k.a.device for k in links} == {a}
    assert {k.b.device for k in links} == {b}


def test_undo_of_the_first_cable_of_a_kind_takes_its_link_away() -> None:
    """The part goes with it: all links are worked out anew, and none may stay behind."""
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    assert plug(history, "mcp4y10-n", CableEnd(0, a, "1"), CableEnd(1, b, "1"))
    history.undo()
    assert not history.design.cables
    assert not history.design.links


def test_a_cable_into_a_port_that_is_not_there_is_refused_before_links_are_asked() -> None:
    history, (a, b) = bench("nvidia-qm9700", "nvidia-qm9700")
    plug(history, "mcp4y10-n", CableEnd(0, a, "1"), CableEnd(1, b, "1"))
    with pytest.raises(EditError, match="port '99' of"):
        plug(history, "mcp4y10-n", CableEnd(0, a, "99"), CableEnd(1, b, "2"))
    assert len(history.design.links) == 1


@pytest.mark.parametrize(
    "older_first",
    [["c2", "c10"], ["row9", "row10"], ["site", "c1"], ["c007", "c8"], ["a1", "b1"], ["7", "c8"]],
)
def test_entities_are_listed_by_the_number_their_id_ends_in(older_first: list[str]) -> None:
    mixed = older_first[::-1]
    mixed.sort(key=by_age)
    assert mixed == older_first
