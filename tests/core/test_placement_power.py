# SPDX-License-Identifier: Apache-2.0
"""Power cords as an electrician would run them: A and B apart, legs even, plugs that fit."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.placement_parts import Room, pdu, server, switch

from rackloom.catalog.load import Catalog, load_bundled
from rackloom.catalog.parts import DevicePart, OutletGroup, PduPart, RackPart, SwitchPart
from rackloom.catalog.words import Inlet
from rackloom.design import Design, Draft, History, edits
from rackloom.design.edits import add_feed, plug_cord
from rackloom.design.ids import DeviceId
from rackloom.generate.builder import Builder
from rackloom.generate.example import example
from rackloom.generate.power import hang_pair, plug_in
from rackloom.placement import power
from rackloom.placement.power import pdu_groups, plan_pdu_feeds, plan_power

CATALOG = load_bundled()


def bundled(part_id: str) -> DevicePart:
    """A device of the bundled catalogue."""
    part = CATALOG.require(part_id)
    assert isinstance(part, DevicePart)
    return part


def corded(design: Design, plan: power.PowerPlan) -> Design:
    """The design with the cords plugged; closing checks inlets and outlets."""
    draft = Draft(design)
    power.apply(draft, plan)
    return draft.close("cord")[0]


def test_six_psus_go_three_to_a_and_three_to_b() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    a, b = room.device(rack_id, pdu(), None), room.device(rack_id, pdu(), None)
    gpu = room.device(rack_id, server(), 1)
    design = room.design()
    assert pdu_groups(design, rack_id) == {a: "A", b: "B"}
    plan = plan_power(design, CATALOG, [gpu])
    after = corded(design, plan)
    assert {c.inlet: c.source for c in after.cords.values()} == {1: a, 2: b, 3: a, 4: b, 5: a, 6: b}
    assert all(cord.outlet.startswith("C19") for cord in after.cords.values())
    assert plan.summary == "6 power cords (3 on A, 3 on B)"
    assert plan_power(after, CATALOG, [gpu]).summary == "every inlet has its cord"


def test_the_three_cords_of_a_side_are_on_three_legs() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    a, _ = room.device(rack_id, pdu(), None), room.device(rack_id, pdu(), None)
    gpu = room.device(rack_id, server(), 1)
    design = room.design()
    plan = plan_power(design, CATALOG, [gpu])
    legs = {name: group.leg for name, group in pdu().outlet_names}
    assert {legs[c.outlet] for c in plan.cords if c.source == a} == {"L1", "L2", "L3"}


def test_a_c14_switch_takes_c13_and_leaves_the_c19_to_the_servers() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    for _ in range(2):
        room.device(rack_id, pdu(), None)
    leaf = room.device(rack_id, switch(), 40)
    plan = plan_power(room.design(), CATALOG, [leaf])
    assert [cord.outlet[:4] for cord in plan.cords] == ["C13-", "C13-"]
    assert {cord.group for cord in plan.cords} == {"A", "B"}


def test_two_dgx_fill_the_c19_outlets_and_the_third_is_left_over() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    for _ in range(2):
        room.device(rack_id, pdu(), None)  # six C19 each
    servers = [room.device(rack_id, server(), 1 + 8 * n) for n in range(3)]
    design = room.design()
    plan = plan_power(design, CATALOG, servers)
    corded(design, plan)
    assert len(plan.cords) == 12
    assert len(plan.problems) == 6
    assert plan.problems[0].message == (
        "inlet 1 of gpu-03 (C20) finds no free C19 outlet on the A PDUs of R01"
    )
    assert "left over" in plan.summary


def test_generated_racks_are_corded_as_connect_power_cords_them() -> None:
    design = example()
    history = History(design)
    drawn = {c.id: c for c in design.cords.values() if c.source in design.devices}
    history.do("Pull the cords", edits.remove, list(drawn))
    servers = sorted(d.id for d in design.devices.values() if d.part == "dgx-h100")
    plan = plan_power(history.design, CATALOG, servers)
    assert len(plan.cords) == 4 * 6
    assert {(c.device, c.inlet, c.source, c.outlet) for c in plan.cords} == {
        (c.device, c.inlet, c.source, c.outlet) for c in drawn.values() if c.device in servers
    }


@pytest.mark.parametrize(("inlet", "kind"), [(Inlet.C16, "C13"), (Inlet.C22, "C19")])
def test_hot_inlets_get_cords_by_hand_and_in_generated_racks(inlet: Inlet, kind: str) -> None:
    """IEC 60320: a C15 cord fits a C16 inlet; its other end is that of any C13 outlet."""
    plain = switch()
    assert plain.psu is not None
    hot = plain.model_copy(update={"psu": plain.psu.model_copy(update={"inlet": inlet})})
    room = Room()
    rack_id = room.rack(room.row(), 0)
    for _ in range(2):
        room.device(rack_id, pdu(), None)
    room.device(rack_id, hot, 1)
    plan = plan_power(room.design(), CATALOG, sorted(room.design().devices))
    assert [c.outlet.partition("-")[0] for c in plan.cords] == [kind, kind]
    builder = Builder()
    cabinet = CATALOG.require("apc-ar3100")
    assert isinstance(cabinet, RackPart)
    rack = builder.rack(cabinet, builder.row("A", 0, 0), 0, "R01")
    pair = hang_pair(builder, pdu(), (rack, "R01"), 0)
    assert plug_in(builder, pair, builder.device(hot, rack, 1, "leaf"), hot) == 0
    outlets = [c.outlet for c in builder.design().cords.values() if c.outlet]
    assert [name.partition("-")[0] for name in outlets] == [kind, kind]


def test_combined_outlets_take_both_kinds() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    outlets = (OutletGroup(kind="C13/C19", count=12),)
    combined = pdu().model_copy(update={"id": "pdu-combined", "outlets": outlets})
    for _ in range(2):
        room.device(rack_id, combined, None)
    ids = [room.device(rack_id, server(), 1), room.device(rack_id, switch(), 20)]
    design = room.design()
    plan = plan_power(design, CATALOG, ids)
    assert len(plan.cords) == 8
    assert plan.problems == ()
    corded(design, plan)


def test_the_feed_says_what_is_a_and_what_is_b() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    left, right = room.device(rack_id, pdu(), None), room.device(rack_id, pdu(), None)
    plug_cord(room.draft, left, 1, add_feed(room.draft, "B1", "B", 400, 32))
    plug_cord(room.draft, right, 1, add_feed(room.draft, "A1", "A", 400, 32))
    assert pdu_groups(room.design(), rack_id) == {left: "B", right: "A"}


def test_a_rack_with_one_group_of_pdus_is_pointed_out() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    room.device(rack_id, pdu(), None)
    leaf = room.device(rack_id, switch(), 1)
    plan = plan_power(room.design(), CATALOG, [leaf])
    assert len(plan.cords) == 2
    assert plan.notes == ("R01 has PDUs on A only: nothing there survives the loss of that feed",)


def test_a_rack_without_pdus_gets_advice() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    leaf = room.device(rack_id, switch(), 1)
    plan = plan_power(room.design(), CATALOG, [leaf])
    assert plan.cords == ()
    assert "finds no PDU in R01: hang one at each side, for example" in plan.problems[0].message
    assert plan_power(room.design(), Catalog([]), [leaf]).problems[0].message.endswith("each side")


def test_unknown_and_busbar_inlets_are_notes_not_cords() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    room.device(rack_id, pdu(), None)
    tray = next(
        p
        for p in CATALOG.values()
        if isinstance(p, DevicePart) and p.psu and p.psu.inlet == "busbar" and p.rack_units <= 2
    )
    unknown = next(
        p
        for p in CATALOG.values()
        if isinstance(p, DevicePart)
        and isinstance(p, SwitchPart)
        and (p.psu is None or p.psu.inlet is None)
        and p.rack_units == 1
    )
    ids = [room.device(rack_id, tray, 1), room.device(rack_id, unknown, 10)]
    plan = plan_power(room.design(), CATALOG, ids)
    assert plan.cords == ()
    assert any("is fed by busbar" in note for note in plan.notes)
    assert any(f"does not know the power inlets of {unknown.title}" in n for n in plan.notes)


def test_a_panel_needs_no_power_and_says_nothing_about_it() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    room.device(rack_id, pdu(), None)
    panel = room.device(rack_id, bundled("generic-mpo-panel-1u"), 1)
    plan = plan_power(room.design(), CATALOG, [panel])
    assert not plan.cords
    assert not plan.problems
    assert not any("panel" in note for note in plan.notes)


def test_pdus_of_other_racks_are_not_used() -> None:
    room = Room()
    row = room.row()
    here, there = room.rack(row, 0), room.rack(row, 0.6)
    room.device(there, pdu(), None)
    leaf = room.device(here, switch(), 1)
    assert plan_power(room.design(), CATALOG, [leaf]).cords == ()


def test_each_pdu_gets_a_feed_of_its_side() -> None:
    room = Room()
    row = room.row()
    pdus: list[DeviceId] = []
    for n in range(2):
        rack_id = room.rack(row, 0.6 * n)
        pdus += [room.device(rack_id, pdu(), None) for _ in range(2)]
    feeds = {
        name: add_feed(room.draft, name, name[0], 400, 32) for name in ("A1", "A2", "B1", "B2")
    }
    design = room.design()
    plan = plan_pdu_feeds(design)
    after = corded(design, plan)
    by_pdu = {cord.device: cord.source for cord in after.cords.values()}
    assert by_pdu == dict(
        zip(pdus, (feeds["A1"], feeds["B1"], feeds["A2"], feeds["B2"]), strict=True)
    )
    assert plan_pdu_feeds(after).summary == "every inlet has its cord"


def test_a_feed_is_shared_only_up_to_its_current() -> None:
    room = Room()
    row = room.row()
    for n in range(3):
        room.device(room.rack(row, 0.6 * n), pdu(), None)
    add_feed(room.draft, "A1", "A", 415, 63)  # 400 V PDUs of 32 A: one fits, two do not
    add_feed(room.draft, "A2", "A", 208, 63)
    plan = plan_pdu_feeds(room.design())
    assert len(plan.cords) == 1
    assert plan.problems[0].message == (
        "pdu-02 in R02 gets no supply: the A feeds have no room for 32 A"
    )


def test_a_pdu_without_a_feed_of_its_kind_says_what_it_needs() -> None:
    room = Room()
    room.device(room.rack(room.row(), 0), pdu(), None)
    add_feed(room.draft, "A1", "A", 208, 60)
    (problem,) = plan_pdu_feeds(room.design()).problems
    assert "there is no A feed of 3-phase 400 V" in problem.message


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["server", "switch"]), min_size=1, max_size=5))
def test_no_outlet_is_used_twice_and_legs_differ_by_one_cord(kinds: list[str]) -> None:
    room = Room()
    rack = CATALOG.require("generic-48u-600")
    assert isinstance(rack, RackPart)
    rack_id = room.rack(room.row(), 0, rack)
    for _ in range(4):
        room.device(rack_id, bundled("apc-ap8888"), None)
    ids = [
        room.device(rack_id, server() if kind == "server" else switch(), 1 + 8 * n)
        for n, kind in enumerate(kinds)
    ]
    design = room.design()
    after = corded(design, plan_power(design, CATALOG, ids))
    assert len({(c.source, c.outlet) for c in after.cords.values()}) == len(after.cords)
    part = bundled("apc-ap8888")
    assert isinstance(part, PduPart)
    legs = {name: outlets.leg for name, outlets in part.outlet_names}
    for group in "AB":
        pdus = [str(p) for p, g in pdu_groups(after, rack_id).items() if g == group]
        loads = Counter({(p, leg): 0 for p in pdus for leg in ("L1", "L2", "L3")})
        for cord in after.cords.values():
            if cord.source in pdus:
                loads[cord.source, str(legs[cord.outlet])] += 1
        assert max(loads.values()) - min(loads.values()) <= 1
