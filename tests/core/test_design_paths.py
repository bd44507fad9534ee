# SPDX-License-Identifier: Apache-2.0
"""Structured cabling: links that run through jumpers, panels and trunks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog import CablePart, DevicePart, RackPart, TransceiverPart, load_bundled
from rackloom.catalog.parts import PartId
from rackloom.design import CableEnd, Design, Draft, EditError, History, Link, edits, port_name
from rackloom.design.entities import Cable
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.index import DesignIndex
from rackloom.design.paths import Reach, trace
from rackloom.design.relinking import affected_cables, links_over
from rackloom.design.wiring import wiring
from rackloom.fabric import Fabric

CATALOG = load_bundled()


def device_part(part_id: str) -> DevicePart:
    part = CATALOG.require(part_id)
    assert isinstance(part, DevicePart)
    return part


def cable_part(part_id: str) -> CablePart:
    part = CATALOG.require(part_id)
    assert isinstance(part, CablePart)
    return part


class Bench:
    """Devices in racks, and short words for plugging."""

    def __init__(self, *parts: str) -> None:
        self.history = History()
        rack = CATALOG.require("generic-48u-800")
        assert isinstance(rack, RackPart)
        row = self.history.do("row", edits.add_row)
        self.racks = [self.history.do("rack", edits.add_rack, rack, row, 0.8 * n) for n in range(3)]
        self.ids: list[DeviceId] = []
        self._next_u = 1
        for part in parts:
            self.add(part)

    @property
    def design(self) -> Design:
        return self.history.design

    def add(self, part_id: str) -> DeviceId:
        part = device_part(part_id)
        at = self._next_u
        self._next_u += int(part.rack_units)
        rack = self.racks[(self._next_u - 2) // 48]
        device: DeviceId = self.history.do("add", edits.add_device, part, rack, (at - 1) % 48 + 1)
        self.ids.append(device)
        return device

    def optic(self, part: str, device: DeviceId, cage: str) -> None:
        module = CATALOG.require(part)
        assert isinstance(module, TransceiverPart)
        self.history.do("optic", edits.insert_module, module, device, cage)

    def plug(self, part: str, *ends: CableEnd) -> CableId:
        cable: CableId = self.history.do(
            "plug", edits.plug_cable, cable_part(part), ends, cable_part(part).lengths_m[0]
        )
        return cable

    def jumper(
        self, a: DeviceId, a_cage: str, b: DeviceId, b_cage: str, part: str = "mfp7e30"
    ) -> CableId:
        return self.plug(part, CableEnd(0, a, a_cage), CableEnd(1, b, b_cage))

    def links(self) -> list[Link]:
        return [link for links in self.design.links.values() for link in links]

    def check(self) -> None:
        """What edits carried along is what one would work out from scratch."""
        fresh = rebuilt(self.design)
        assert dict(self.design.links) == dict(fresh.links)
        assert dict(self.design.links_via) == dict(fresh.links_via)
        assert self.design.panels == fresh.panels
        for cable in fresh.cables.values():
            for end in cable.ends:
                if end.device not in fresh.panels:
                    for reach in trace(fresh, cable, end):
                        assert mirrored(fresh, cable, end, reach), "light goes one way only"
        for panel, plugged in self.design.patchings.items():
            assert plugged == {
                e.cage: (c.id, e.end)
                for c in fresh.cables.values()
                for e in c.ends
                if e.device == panel
            }
        for device in fresh.devices:
            if device not in fresh.panels:
                assert wiring(self.design, device) == wiring(fresh, device)


def mirrored(design: Design, cable: Cable, end: CableEnd, reach: Reach) -> bool:
    """Whether the same fibres lead back from the far end."""
    far = design.cables[reach.hops[-1].cable]
    back = [
        r for r in trace(design, far, reach.end) if (r.hops[-1].cable, r.end) == (cable.id, end)
    ]
    return any(
        (r.start, r.far, r.width) == (reach.far, reach.start, reach.width)
        and [(h.cable, h.out, h.into) for h in reversed(r.hops)] == list(reach.hops)
        and [(p.panel, p.out, p.into, p.loss_db) for p in reversed(r.passes)] == list(reach.passes)
        for r in back
    )


def rebuilt(design: Design) -> Design:
    tables = {name: dict(design.table(name)) for name in design._tables}
    return Design(tables)


def named(design: Design, links: Iterable[Link]) -> list[tuple[str, str, float, int]]:
    return [(port_name(design, k.a), port_name(design, k.b), k.rate_gbps, k.lanes) for k in links]


def dr1() -> TransceiverPart:
    """A 100G optic with one lane on one pair of fibres."""
    return next(
        t
        for t in CATALOG.of_kind(TransceiverPart)
        if t.optic_class == "DR1" and t.rate_gbps == 100 and t.connector == "LC duplex"
    )


DR4, SINGLE_DR4 = "mms4x00-nm", "mms4x00-ns400"


def cross_connect() -> tuple[Bench, list[DeviceId], list[CableId]]:
    """Two switches with 2xDR4 optics: jumper, MPO panel, trunk of 12 fibres, MPO panel, jumper."""
    bench = Bench("nvidia-qm9700", "nvidia-qm9700", "generic-mpo-panel-1u", "generic-mpo-panel-1u")
    a, b, p, q = bench.ids
    bench.optic(DR4, a, "1")
    bench.optic(DR4, b, "5")
    cables = [
        bench.jumper(a, "1", p, "F7"),
        bench.plug("trunk-12-os2", CableEnd(0, p, "R7"), CableEnd(1, q, "R9")),
        bench.jumper(b, "5", q, "F9"),
    ]
    return bench, bench.ids, cables


def test_a_link_runs_through_jumper_panel_trunk_panel_jumper() -> None:
    bench, (a, b, p, q), (near, trunk, far) = cross_connect()
    (link,) = bench.links()
    assert named(bench.design, [link]) == [("1/1", "5/1", 400, 4)]
    assert (link.a.device, link.b.device) == (a, b)
    assert link.cable == near
    assert link.via == (near, trunk, far)
    bench.check()
    cable = bench.design.cables[near]
    (reach,) = trace(bench.design, cable, cable.ends[0])
    assert [(s.panel, s.into, s.out) for s in reach.passes] == [(p, "F7", "R7"), (q, "R9", "F9")]
    assert [(hop.into, hop.out) for hop in reach.hops] == [(0, 1), (0, 1), (1, 0)]
    known_db, unknown = reach.pass_loss_db
    assert known_db == pytest.approx(0.7)  # two couplers of 0.35 dB
    assert unknown == 0
    assert reach.length_m(bench.design) == sum(c.length_m for c in bench.design.cables.values())


def test_a_link_through_panels_is_counted_once_and_found_from_all_its_cables() -> None:
    bench, _, cables = cross_connect()
    assert list(bench.design.links) == [cables[0]]
    for cable in cables:
        assert links_over(bench.design, cable) == tuple(bench.links())


@pytest.mark.parametrize("dead", range(5))
def test_a_link_is_down_when_any_cable_or_panel_of_its_path_fails(dead: int) -> None:
    bench, (_, _, p, q), cables = cross_connect()
    a, b, *_ = bench.ids
    for device in (a, b):
        bench.optic(DR4, device, "2")
    bench.jumper(a, "2", b, "2")
    failed = [*cables, p, q][dead]
    fabric = Fabric.of(bench.design)
    assert fabric.network.link_alive.tolist() == [True, True]
    alive = fabric.without([failed]).network.link_alive
    arrays = fabric.arrays
    left = [arrays.cable_ids[c] for c, up in zip(arrays.link_cable, alive, strict=True) if up]
    assert len(left) == 1
    assert left[0] not in cables


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_cutting_any_cable_cuts_the_link_and_undo_restores_it(cut: int) -> None:
    bench, _, cables = cross_connect()
    whole = bench.links()
    bench.history.do("cut", edits.remove, [cables[cut]])
    assert bench.links() == []
    bench.check()
    bench.history.undo()
    assert bench.links() == whole
    bench.check()


def test_an_edit_at_one_end_says_that_all_cables_of_the_path_are_affected() -> None:
    bench, _, cables = cross_connect()
    before = bench.design
    module = next(m.id for m in before.modules.values())
    single = CATALOG.require(SINGLE_DR4)
    assert isinstance(single, TransceiverPart)
    bench.history.do("swap", edits.swap_module, module, single)
    change = before.diff(bench.design)
    assert set(cables) <= set(affected_cables(bench.design, change))


def test_moving_a_jumper_to_another_coupler_moves_the_link() -> None:
    bench, (a, b, p, _q), (_, trunk, far) = cross_connect()
    c = bench.add("nvidia-qm9700")
    bench.optic(DR4, c, "3")
    other = bench.jumper(c, "3", p, "F8")
    bench.history.do("unplug", edits.remove, [bench.design.index.cables_of_device[a][0]])
    assert bench.links() == []
    bench.history.do("move", edits.replug_cable, other, (CableEnd(0, c, "3"), CableEnd(1, p, "F7")))
    (link,) = bench.links()
    assert {link.a.device, link.b.device} == {b, c}
    assert set(link.via) == {trunk, far, other}
    bench.check()


def test_a_trunk_of_many_connectors_carries_a_link_on_each() -> None:
    bench = Bench("nvidia-qm9700", "nvidia-qm9700", "generic-mpo-panel-1u", "generic-mpo-panel-1u")
    a, b, p, q = bench.ids
    part = cable_part("trunk-144-os2")
    n = part.connectors_per_side
    assert n == 12
    trunk = bench.plug(
        part.id,
        *(CableEnd(k, p, f"R{k + 1}") for k in range(n)),
        *(CableEnd(n + k, q, f"R{k + 1}") for k in range(n)),
    )
    for k in range(n):
        cage, socket = str(k // 2 + 1), k % 2
        for device in (a, b):
            if socket == 0:
                bench.optic(DR4, device, cage)
        for device, panel in ((a, p), (b, q)):
            bench.plug(
                "mfp7e30", CableEnd(0, device, cage, socket), CableEnd(1, panel, f"F{k + 1}")
            )
    links = bench.links()
    assert len(links) == n
    assert all(port_name(bench.design, k.a) == port_name(bench.design, k.b) for k in links)
    assert len(links_over(bench.design, trunk)) == n
    bench.check()


def test_a_trunk_stays_while_one_of_its_connectors_joins_two_panels() -> None:
    bench = Bench(*["generic-mpo-panel-1u"] * 4)
    p1, p2, q1, q2 = bench.ids
    trunk = bench.plug(
        "trunk-24-os2",
        *(CableEnd(0, p1, "R1"), CableEnd(1, p2, "R1")),
        *(CableEnd(2, q1, "R1"), CableEnd(3, q2, "R1")),
    )
    bench.history.do("remove", edits.remove, [p1])
    assert [end.end for end in bench.design.cables[trunk].ends] == [1, 2, 3]
    bench.history.do("remove", edits.remove, [q2])
    assert not bench.design.cables
    bench.history.undo()
    bench.history.undo()
    assert len(bench.design.cables[trunk].ends) == 4


def test_a_trunk_straight_into_optics_joins_connector_to_connector() -> None:
    bench = Bench("nvidia-qm9700", "nvidia-qm9700")
    a, b = bench.ids
    for device in (a, b):
        bench.optic(DR4, device, "1")
    bench.plug(
        "trunk-24-os2",
        CableEnd(0, a, "1", 0),
        CableEnd(1, a, "1", 1),
        CableEnd(2, b, "1", 1),
        CableEnd(3, b, "1", 0),
    )
    assert named(bench.design, bench.links()) == [
        ("1/1", "1/2", 400, 4),
        ("1/2", "1/1", 400, 4),
    ]
    assert all(link.via == () for link in bench.links())
    bench.check()


def test_an_end_that_a_trunk_does_not_have_is_refused() -> None:
    bench = Bench("generic-mpo-panel-1u", "generic-mpo-panel-1u")
    p, q = bench.ids
    with pytest.raises(EditError, match="ends 0 to 3"):
        bench.plug("trunk-24-os2", CableEnd(0, p, "R1"), CableEnd(4, q, "R1"))


def test_duplex_links_run_from_cassette_to_cassette() -> None:
    """Six LC links share one MPO-12 trunk: LC port k is pair k of the connector behind it."""
    bench = Bench("nvidia-sn2201", "nvidia-sn2201", "fs-fhd-1ufce", "fs-fhd-1ufce")
    a, b, p, q = bench.ids
    bench.plug("trunk-12-os2", CableEnd(0, p, "R1"), CableEnd(1, q, "R2"))
    optic = next(
        t.id
        for t in CATALOG.of_kind(TransceiverPart)
        if t.form_factor == "QSFP28" and t.connector == "LC duplex" and t.rate_gbps == 100
    )
    cages = [c.name for c in device_part("nvidia-sn2201").cages if c.form_factor == "QSFP28"]
    for k, cage in enumerate(cages[:4]):
        bench.optic(optic, a, cage)
        bench.optic(optic, b, cage)
        bench.jumper(a, cage, p, f"F{k + 1}", "lc-duplex-os2")
        bench.jumper(b, cage, q, f"F{6 + k + 1}", "lc-duplex-os2")
    links = bench.links()
    assert len(links) == 4
    assert all(link.a.cage == link.b.cage for link in links)
    assert {link.rate_gbps for link in links} == {100}
    assert len({link.via[1] for link in links}) == 1
    bench.check()


def test_a_cassette_splits_a_parallel_optic_as_a_harness_does() -> None:
    """400G DR4 through a base-8 cassette to four 100G DR1: the cage falls into four ports."""
    big = next(
        p for p in CATALOG.values() if p.id == "arista-7060x6-64pe" and isinstance(p, DevicePart)
    )
    bench = Bench(big.id, "fs-fhu-96", "nvidia-sn2201")
    a, p, b = bench.ids
    cage = next(c.name for c in big.cages if c.form_factor == "OSFP")
    bench.optic(SINGLE_DR4, a, cage)
    small = [c.name for c in device_part("nvidia-sn2201").cages if c.form_factor == "QSFP28"][:4]
    for k, name in enumerate(small):
        bench.optic(dr1().id, b, name)
        bench.jumper(b, name, p, f"F{k + 1}", "lc-duplex-os2")
    assert bench.links() == []
    bench.jumper(a, cage, p, "R1")
    links = bench.links()
    assert sorted((k.a.cage, k.b.index, k.rate_gbps, k.lanes) for k in links) == sorted(
        (name, k, 100, 1) for k, name in enumerate(small)
    )
    bench.check()


def test_a_splitter_before_the_panel_splits_the_link() -> None:
    """A 1:2 splitter whose branches go into two couplers: two links of two lanes."""
    bench = Bench(
        "nvidia-qm9700",
        "supermicro-as-8125gs-tnmr2",
        "supermicro-as-8125gs-tnmr2",
        "generic-mpo-panel-1u",
    )
    leaf, a, b, p = bench.ids
    cage = next(c.name for c in bench.design.device_part(a).cages if c.role == "compute")
    bench.optic(DR4, leaf, "1")
    for device in (a, b):
        bench.optic("mms1x00-ns400", device, cage)
    bench.plug("mfp7e40", CableEnd(0, leaf, "1"), CableEnd(1, p, "F1"), CableEnd(2, p, "F2"))
    bench.plug("trunk-8-os2", CableEnd(0, a, cage), CableEnd(1, p, "R1"))
    bench.plug("trunk-8-os2", CableEnd(0, b, cage), CableEnd(1, p, "R2"))
    links = bench.links()
    assert [(k.a.index, k.b.device, k.rate_gbps, k.lanes) for k in links] == [
        (0, a, 200, 2),
        (1, b, 200, 2),
    ]
    bench.check()


def test_fibres_in_a_circle_come_out_nowhere_and_end() -> None:
    bench = Bench("nvidia-qm9700", *["generic-mpo-panel-1u"] * 2)
    a, p, q = bench.ids
    bench.optic(DR4, a, "1")
    bench.plug("trunk-12-os2", CableEnd(0, p, "R1"), CableEnd(1, q, "R1"))
    bench.jumper(p, "F1", q, "F1")
    assert bench.links() == []
    bench.jumper(a, "1", p, "F2")
    bench.plug("trunk-12-os2", CableEnd(0, p, "R2"), CableEnd(1, p, "R3"))
    bench.jumper(p, "F3", q, "F2")
    assert bench.links() == []
    bench.check()


def test_a_run_longer_than_any_budget_is_not_followed_for_ever() -> None:
    bench = Bench("nvidia-qm9700", "nvidia-qm9700", "generic-mpo-panel-1u")
    a, b, p = bench.ids
    bench.optic(DR4, a, "1")
    bench.optic(DR4, b, "1")
    bench.jumper(a, "1", p, "F1")
    bench.jumper(b, "1", p, "F2")
    for n in range(1, 18):  # forwards and backwards through one coupler after the other
        side = "R" if n % 2 else "F"
        bench.jumper(p, f"{side}{n if n == 1 else n + 1}", p, f"{side}{n + 2}")
    assert bench.links() == []


def test_copper_panels_pass_copper_on() -> None:
    bench = Bench("nvidia-sn2201", "nvidia-sn2201", "generic-patch-24-rj45")
    a, b, p = bench.ids
    jack = next(c.name for c in device_part("nvidia-sn2201").cages if c.form_factor == "RJ45")
    bench.jumper(a, jack, p, "F3", "cat6a-rj45")
    bench.jumper(b, jack, p, "R3", "cat6a-rj45")
    (link,) = bench.links()
    assert (link.a.cage, link.b.cage, link.rate_gbps) == (jack, jack, 1)
    assert len(link.via) == 2
    bench.check()


def test_switches_with_the_optics_inside_take_fibre_straight() -> None:
    bench = Bench("nvidia-q3450-ld", "nvidia-q3450-ld")
    a, b = bench.ids
    bench.jumper(a, "1", b, "2")
    assert named(bench.design, bench.links()) == [("1", "2", 800, 4)]
    c = bench.add("nvidia-q3450-ld")
    bench.plug("mfp7e40", CableEnd(0, a, "3"), CableEnd(1, c, "1"), CableEnd(2, c, "2"))
    split = bench.design.links[max(bench.design.links, key=lambda i: int(i[1:]))]
    assert [(k.a.index, k.b.cage, k.rate_gbps, k.lanes) for k in split] == [
        (0, "1", 400, 2),
        (1, "2", 400, 2),
    ]
    bench.check()


def test_a_split_behind_a_panel_changes_what_the_other_fibre_of_the_optic_carries() -> None:
    """Both fibres of a twin optic share the cage's mode: 8x100 leaves no 400G port to the other."""
    bench = Bench(
        *("arista-7060x6-64pe", "nvidia-qm9700", "generic-mpo-panel-1u", "fs-fhu-96"),
        "nvidia-sn2201",
    )
    a, b, p, cassette, c = bench.ids
    bench.optic(DR4, b, "1")
    bench.optic(DR4, a, "1")
    bench.optic(dr1().id, c, uplinks()[0])
    far = bench.plug("trunk-12-os2", CableEnd(0, b, "1"), CableEnd(1, p, "R1"))
    bench.plug("mfp7e30", CableEnd(0, a, "1", 1), CableEnd(1, p, "F1"))
    (link,) = bench.links()
    assert (link.cable, link.rate_gbps) == (far, 400)
    bench.plug("mfp7e30", CableEnd(0, a, "1", 0), CableEnd(1, cassette, "R1"))
    assert [link.rate_gbps for link in bench.links()] == [400]
    bench.jumper(c, uplinks()[0], cassette, "F1", "lc-duplex-os2")
    assert [link.rate_gbps for link in bench.links()] == [100]
    bench.check()


# Incremental equals from scratch, whatever one does.


def playground() -> Bench:
    """Runs through couplers and a trunk of two, through a cassette, and one direct cable."""
    bench = Bench(
        "nvidia-qm9700",
        "arista-7060x6-64pe",
        "generic-mpo-panel-1u",
        "generic-mpo-panel-1u",
        "fs-fhu-96",
        "nvidia-sn2201",
    )
    a, b, p, q, cassette, c = bench.ids
    for cage in ("1", "2"):
        bench.optic(DR4, a, cage)
        bench.optic(SINGLE_DR4, b, cage)
    small = uplinks()
    for cage in small:
        bench.optic(dr1().id, c, cage)
    bench.plug(
        "trunk-24-os2",
        *(CableEnd(0, p, "R1"), CableEnd(1, p, "R2"), CableEnd(2, q, "R1"), CableEnd(3, q, "R2")),
    )
    for socket, cage in ((0, "1"), (1, "2")):
        bench.plug("mfp7e30", CableEnd(0, a, "1", socket), CableEnd(1, p, f"F{socket + 1}"))
        bench.jumper(b, cage, q, f"F{socket + 1}")
    bench.optic(SINGLE_DR4, b, "3")
    bench.jumper(b, "3", cassette, "R1")
    for number, cage in enumerate(small, start=1):
        bench.jumper(c, cage, cassette, f"F{number}", "lc-duplex-os2")
    return bench


def uplinks() -> list[str]:
    return [c.name for c in device_part("nvidia-sn2201").cages if c.form_factor == "QSFP28"][:2]


SPOTS = [
    *((0, cage, socket) for cage in ("1", "2") for socket in (0, 1)),
    *((1, cage, 0) for cage in ("1", "2", "3")),
    *((device, f"{side}{n}", 0) for device in (2, 3) for side in "FR" for n in (1, 2, 3)),
    *((4, port, 0) for port in ("F1", "F2", "F3", "R1", "R2")),
    *((5, cage, 0) for cage in uplinks()),
]
CORDS = ["mfp7e30", "mfp7e40", "trunk-24-os2", "mpo12-4xlc-sm", "lc-duplex-os2"]
SPOT = st.integers(0, len(SPOTS) - 1)
ANY = st.integers(0, 40)
ACTION = st.one_of(
    st.tuples(st.just("move"), ANY, ANY, SPOT),
    st.tuples(st.just("cut"), ANY),
    st.tuples(st.just("plug"), st.sampled_from(CORDS), st.lists(SPOT, min_size=4, unique=True)),
    st.tuples(st.just("optic"), ANY, st.sampled_from([DR4, SINGLE_DR4, "mms4x00-ns"])),
    st.tuples(st.just("mode"), st.sampled_from(["1x800", "2x400", "4x200", "8x100", None])),
    st.tuples(st.just("undo")),
    st.tuples(st.just("cut two"), ANY, ANY),
    st.tuples(st.just("panel"), st.sampled_from([2, 3, 4])),
    st.tuples(st.just("other panel"), st.sampled_from([2, 3, 4])),
)


def act(bench: Bench, action: tuple[object, ...]) -> None:
    history, design = bench.history, bench.design
    cables = list(design.cables.values())
    modules = list(design.modules.values())
    match action:
        case ("move", int(n), int(k), int(spot)) if cables:
            cable = cables[n % len(cables)]
            ends = list(cable.ends)
            index, cage, socket = SPOTS[spot]
            moved = CableEnd(ends[k % len(ends)].end, bench.ids[index], cage, socket)
            ends[k % len(ends)] = moved
            history.do("move", edits.replug_cable, cable.id, tuple(ends))
        case ("cut", *numbers) | ("cut two", *numbers) if cables:
            doomed = {cables[int(str(n)) % len(cables)] for n in numbers}
            history.do("cut", edits.remove, [c.id for c in doomed])
        case ("plug", str(part), list(spots)):
            ends = [
                CableEnd(end, bench.ids[SPOTS[s][0]], SPOTS[s][1], SPOTS[s][2])
                for end, s in zip(range(len(cable_part(part).ends)), spots, strict=False)
            ]
            bench.plug(part, *ends)
        case ("optic", int(n), str(part)) if modules:
            new = CATALOG[PartId(part)]
            assert isinstance(new, TransceiverPart)
            history.do("swap", edits.swap_module, modules[n % len(modules)].id, new)
        case ("mode", mode):
            history.do("mode", edits.set_mode, bench.ids[1], "3", mode)
        case ("undo",):
            history.undo()
        case ("panel", int(n)):
            history.do("remove", edits.remove, [bench.ids[n]])
        case ("other panel", int(n)):
            history.do("swap", become, bench.ids[n], device_part("panduit-flex1u06-mpo"))


def become(draft: Draft, device_id: DeviceId, part: DevicePart) -> None:
    """Another panel in the place of one; ports keep their names, and may lead elsewhere."""
    draft.put(replace(draft.devices[device_id], part=draft.embed(part)))


def test_the_playground_has_links_of_every_sort() -> None:
    bench = playground()
    links = bench.links()
    assert sorted((link.rate_gbps, len(link.via)) for link in links) == [
        *[(100, 2)] * 2,
        *[(400, 3)] * 2,
    ]
    bench.check()


@settings(max_examples=80, deadline=None)
@given(st.lists(ACTION, min_size=1, max_size=12))
def test_patched_links_are_those_worked_out_from_scratch(actions: list[tuple[object, ...]]) -> None:
    bench = playground()
    assert bench.design.links
    made = len(bench.design.devices)
    for action in actions:
        before = bench.design
        try:
            act(bench, action)
        except (EditError, KeyError):  # refused, or its device is gone
            assert bench.design is before
        if len(bench.design.devices) < made - 3:
            break
        bench.check()
        assert bench.design.index == DesignIndex.build(bench.design)
        seen = [frozenset({k.a, k.b}) for k in bench.links()]
        assert len(set(seen)) == len(seen), "a link was found twice"
