# SPDX-License-Identifier: Apache-2.0
"""Another part in the place of one: what stays plugged, what is said of the rest, and undo."""

from __future__ import annotations

import pytest
from tests.builders import catalog, leaf_part, small_design
from tests.core.placement_parts import Room, breakout_dac, pdu, server, straight_dac, switch

from rackloom.catalog.parts import (
    CablePart,
    NicPart,
    OutletGroup,
    PartId,
    Psu,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.words import Inlet, Shell
from rackloom.design import CableEnd, Design, Draft, EditError, History, edits
from rackloom.design.edits import add_feed, plug_cable, plug_cord
from rackloom.design.exchanging import (
    cables_at,
    exchange,
    fits_everywhere,
    try_exchange,
)
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.kept import Kept
from rackloom.design.recabling import change_mode, swap_cable
from rackloom.design.swapping import swap_device

LEAF, SPINE, SERVER_1 = DeviceId("d6"), DeviceId("d7"), DeviceId("d4")


def swapped(design: Design, device: DeviceId, part: object) -> tuple[Design, Kept]:
    """The design after a swap; undoing it must give the old one back."""
    history = History(design)
    report = history.do("Swap", swap_device, device, part)
    after = history.design
    history.undo()
    assert history.design == design
    return after, report


def variant(part: SwitchPart, **figures: object) -> SwitchPart:
    """The part with other figures, and nothing worked out from the old ones."""
    other = part.model_copy(update={"id": PartId("variant"), **figures})
    for name in ("cages", "cage_by_name", "data_cages"):
        other.__dict__.pop(name, None)
    return other


def two_switches(columns: int = 16) -> tuple[Room, DeviceId, DeviceId]:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    return room, room.device(rack_id, switch(columns), 40), room.device(rack_id, switch(), 10)


def test_the_builders_ids_are_as_these_tests_think() -> None:
    names = {d: small_design().devices[d].name for d in (LEAF, SPINE, SERVER_1)}
    assert list(names.values()) == ["leaf-01", "spine-01", "gpu-01"]


# Devices


def test_ports_of_the_same_name_keep_everything() -> None:
    design = small_design()
    twin = leaf_part().model_copy(update={"id": PartId("other-leaf"), "model": "Other"})
    after, report = swapped(design, LEAF, twin)
    assert after.devices[LEAF].part == "other-leaf"
    assert (after.devices[LEAF].name, after.devices[LEAF].bottom_u) == ("leaf-01", 40)
    assert after.devices[LEAF].modes == design.devices[LEAF].modes
    assert after.cables == design.cables
    assert after.modules == design.modules
    # c9 (splitter), c14, c15, c16; the optics in cages 2 and 17
    assert (report.cables, report.modules, report.lost, report.moved) == (4, 2, [], {})
    assert "kept 4 cables, 2 transceivers" in report.summary


def test_ports_of_other_names_are_found_by_their_place() -> None:
    room, a, b = two_switches()
    ends = [CableEnd(0, a, "3"), CableEnd(1, b, "3")]
    cable = plug_cable(room.draft, straight_dac(), ends, 2)
    group = switch().cage_groups[0].model_copy(update={"name": "Eth1/{n}"})
    renamed = switch().model_copy(update={"id": PartId("renamed"), "cage_groups": (group,)})
    after, report = swapped(room.design(), a, renamed)
    assert [e.cage for e in after.cables[cable].ends] == ["Eth1/3", "3"]
    assert report.moved == {"3": "Eth1/3"}
    other = group.model_copy(update={"group": "uplinks"})
    regrouped = renamed.model_copy(update={"id": PartId("re2"), "cage_groups": (other,)})
    _, report = swapped(room.design(), a, regrouped)
    assert report.moved == {"3": "Eth1/3"}  # third of the ports for the same network


def test_what_finds_no_port_is_told_and_hangs_loose() -> None:
    room, a, b = two_switches()
    for port in ("16", "31"):
        plug_cable(room.draft, straight_dac(), [CableEnd(0, a, port), CableEnd(1, b, port)], 2)
    loop = plug_cable(room.draft, straight_dac(), [CableEnd(0, a, "30"), CableEnd(1, a, "32")], 1)
    design = room.design()
    after, report = swapped(design, a, switch(columns=8))  # 16 ports instead of 32
    stays, hangs = (c for c in design.cables if c != loop)
    assert after.cables[stays] == design.cables[stays]
    assert [(e.end, e.device) for e in after.cables[hangs].ends] == [(1, b)]
    assert loop not in after.cables
    assert report.cables == 1
    told = [lost.message for lost in report.lost]
    assert [text.split(":")[0].split(" of ")[0] for text in told[:3]] == [
        "port 30", "port 31", "port 32",
    ]  # fmt: skip
    assert "plugged nowhere else" in told[3]
    assert any(hangs in lost.where for lost in report.lost)


def test_a_transceiver_of_another_shell_is_taken_out_and_its_fibres_hang() -> None:
    design = small_design()
    group = leaf_part().cage_groups[0].model_copy(update={"shell": Shell.RHS})
    flat = variant(leaf_part(), cage_groups=(group, *leaf_part().cage_groups[1:]))
    after, report = swapped(design, LEAF, flat)
    assert not any(m.device == LEAF for m in after.modules.values())
    assert not any(e.device == LEAF for c in after.cables.values() for e in c.ends)
    assert len(after.cables) == 4  # all still hang at their far ends
    assert all("flat-top (RHS)" in lost.message for lost in report.lost)
    assert len(report.lost) == 3
    uplinks = next(m.message for m in report.lost if "port 17 of leaf-01" in m.message)
    for what in ("the MMA4Z00-NS is taken out", "from leaf-01 17 to spine-01 1", "hang loose here"):
        assert what in uplinks, what


def test_what_was_drawn_wrong_stays_as_it_was_drawn() -> None:
    draft = Draft(small_design())
    flat = catalog()[PartId("mma4z00-ns400")]
    assert isinstance(flat, TransceiverPart)
    edits.insert_module(draft, flat, LEAF, "30")  # a flat-top optic in a cage for finned ones
    design = draft.close("Err")[0]
    twin = leaf_part().model_copy(update={"id": PartId("other-leaf")})
    after, report = swapped(design, LEAF, twin)
    assert after.modules == design.modules
    assert report.modules == 3


def test_a_mode_the_new_part_does_not_offer_is_told() -> None:
    group = leaf_part().cage_groups[0]
    only = group.model_copy(update={"modes": group.modes[:1]})
    plain = variant(leaf_part(), cage_groups=(only, *leaf_part().cage_groups[1:]))
    after, report = swapped(small_design(), LEAF, plain)
    assert after.devices[LEAF].modes == ()
    assert [lost.message for lost in report.lost if "4x200" in lost.message]


def test_cards_go_to_the_slot_of_the_same_name_or_place_with_their_cables() -> None:
    design = small_design()
    old = design.device_part(SERVER_1)
    draft = Draft(design)
    nic = catalog()[PartId("cx7-osfp-400")]
    assert isinstance(nic, NicPart)
    assert design.devices[SERVER_1].cards == (("slot1", nic.id),)
    dac = catalog()[PartId("mcp7y00-n")]
    assert isinstance(dac, CablePart)
    ends = [CableEnd(0, SPINE, "9"), CableEnd(1, SERVER_1, "slot1/1")]
    cable = plug_cable(draft, dac, ends, 2.0)
    wired = draft.close("Wire")[0]
    slot = old.slots[0].model_copy(update={"name": "PCIE3"})  # type: ignore[attr-defined]
    other = old.model_copy(update={"id": PartId("srv2"), "slots": (slot,)})
    after, report = swapped(wired, SERVER_1, other)
    assert after.devices[SERVER_1].cards == (("PCIE3", nic.id),)
    assert after.cables[cable].ends[1].cage == "PCIE3/1"
    assert report.lost == []
    bare = old.model_copy(update={"id": PartId("srv3"), "slots": ()})
    after, report = swapped(wired, SERVER_1, bare)
    assert after.devices[SERVER_1].cards == ()
    assert [e.device for e in after.cables[cable].ends] == [SPINE]
    assert any("no slot" in lost.message for lost in report.lost)


def test_a_part_that_cannot_stand_there_is_refused() -> None:
    design = small_design()
    with pytest.raises(EditError, match="beside the rails"):
        History(design).do("Swap", swap_device, LEAF, pdu())
    tall = leaf_part().model_copy(update={"id": PartId("tall"), "rack_units": 14})
    with pytest.raises(EditError, match="would fill U40 to U53"):
        History(design).do("Swap", swap_device, LEAF, tall)


def test_a_swap_to_itself_changes_nothing() -> None:
    design = small_design()
    after, report = swapped(design, LEAF, leaf_part())
    assert after == design
    assert report == Kept()


# Power


def powered() -> tuple[Design, DeviceId, DeviceId]:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    strip = room.device(rack_id, pdu(), None, mount="left-1")
    plug_cord(room.draft, strip, 1, add_feed(room.draft, "F", "A", 400, 32))
    box = room.device(rack_id, server(), 1)
    for inlet in range(1, 7):
        plug_cord(room.draft, box, inlet, strip, f"C19-{inlet}")
    return room.design(), strip, box


def test_cords_stay_at_the_inlets_that_are_there_and_of_that_kind() -> None:
    design, _, box = powered()

    def supplied(count: int, inlet: Inlet | None) -> object:
        psu = Psu(count=count, inlet=inlet)
        return server().model_copy(update={"id": PartId("srv2"), "psu": psu})

    assert swapped(design, box, supplied(6, Inlet.C22))[1].cords == 6  # a hot C20
    assert swapped(design, box, supplied(6, None))[1].cords == 6  # nobody said otherwise
    after, report = swapped(design, box, supplied(4, Inlet.C20))
    assert (report.cords, len(report.lost)) == (4, 2)
    assert sorted(c.inlet for c in after.cords.values() if c.device == box) == [1, 2, 3, 4]
    _, report = swapped(design, box, supplied(6, Inlet.C14))
    assert report.cords == 0
    assert "C14 inlets, not C20" in report.lost[0].message


def test_a_pdus_cords_go_to_outlets_of_the_same_name_or_kind() -> None:
    design, strip, _ = powered()
    combined = pdu().model_copy(
        update={"id": PartId("pdu2"), "outlets": (OutletGroup(kind="C13/C19", count=5),)}
    )
    after, report = swapped(design, strip, combined)
    # One cord to its feed and five of six to the five outlets.
    assert (report.cords, len(report.lost)) == (6, 1)
    outlets = [c.outlet for c in after.cords.values() if c.source == strip]
    assert sorted(outlets) == [f"C13/C19-{n}" for n in range(1, 6)]
    assert len([note for note in report.notes if " goes to C13/C19-" in note]) == 5


# Every switch there is


def test_any_switch_can_take_the_place_of_any_leaf() -> None:
    """Whatever is swapped in: the step closes, undoes, and loses nothing in silence."""
    design = small_design()
    at_leaf = {c.id for c in design.cables.values() if any(e.device == LEAF for e in c.ends)}
    tried = 0
    for part in catalog().of_kind(SwitchPart):
        if part.rack_units > 9 or not part.rack_units:
            continue
        after, report = swapped(design, LEAF, part)
        tried += 1
        told = {where for lost in report.lost for where in lost.where}
        plugged = {c.id for c in after.cables.values() if any(e.device == LEAF for e in c.ends)}
        assert at_leaf - plugged <= told
        assert set(design.modules) - set(after.modules) <= told
        assert after.cables.keys() == design.cables.keys()
        assert after.racks == design.racks
    assert tried > 50


# Cables


def recabled(
    design: Design, cable: str, part: object, length_m: float | None = None
) -> tuple[Design, Kept]:
    history = History(design)
    report = history.do("Recable", swap_cable, CableId(cable), part, length_m)
    after = history.design
    history.undo()
    assert history.design == design
    return after, report


def dacs() -> tuple[Design, CableId]:
    room, a, b = two_switches()
    cable = plug_cable(
        room.draft, straight_dac(), [CableEnd(0, a, "1"), CableEnd(1, b, "1")], 1.5, label="X1"
    )
    return room.design(), cable


def test_a_cable_of_another_part_keeps_its_ends_label_and_length() -> None:
    design, cable = dacs()
    longer = straight_dac((1, 2, 3)).model_copy(update={"id": PartId("dac2")})
    after, report = recabled(design, cable, longer)
    assert after.cables[cable].ends == design.cables[cable].ends
    assert (after.cables[cable].label, after.cables[cable].length_m) == ("X1", 2)  # next to 1.5
    assert (report.cables, report.lost) == (1, [])
    assert recabled(design, cable, longer, length_m=3.0)[0].cables[cable].length_m == 3
    short = straight_dac((0.5, 1)).model_copy(update={"id": PartId("dac3")})
    after, report = recabled(design, cable, short)
    assert after.cables[cable].length_m == 1
    assert "shorter than the 1.5 m" in report.notes[0]


def test_an_end_that_does_not_fit_hangs_loose() -> None:
    design, cable = dacs()
    after, report = recabled(design, cable, breakout_dac())  # branches are flat: no switch's plug
    assert [e.end for e in after.cables[cable].ends] == [0]
    assert report.cables == 0
    name = design.devices[design.cables[cable].ends[1].device].name
    assert report.lost[0].message.startswith("cable X1 (")
    assert f"hangs loose at port 1 of {name}: " in report.lost[0].message


def test_a_cable_that_only_fits_the_other_way_round_is_turned() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    leaf, box = room.device(rack_id, switch(), 40), room.device(rack_id, server(), 1)
    twin, single = breakout_dac().ends[:2]
    straight = breakout_dac().model_copy(update={"id": PartId("to-nic"), "ends": (twin, single)})
    turned = straight.model_copy(update={"id": PartId("from-nic"), "ends": (single, twin)})
    cable = plug_cable(room.draft, straight, [CableEnd(0, leaf, "1"), CableEnd(1, box, "nic0")], 2)
    after, report = recabled(room.design(), cable, turned)
    assert [(e.end, e.device) for e in after.cables[cable].ends] == [(0, box), (1, leaf)]
    assert report.lost == []
    assert "turned round" in report.notes[0]


def test_copper_in_the_place_of_a_fibre_takes_its_transceivers_out() -> None:
    design = small_design()
    draft = Draft(design)
    draft.remove("cables", "c16")
    alone = draft.close("Leave one fibre between leaf and spine")[0]
    after, report = recabled(alone, "c15", catalog()[PartId("mcp4y10-n")])
    assert len(after.modules) == len(design.modules) - 2
    assert [(e.device, e.cage, e.socket) for e in after.cables[CableId("c15")].ends] == [
        (LEAF, "17", 0),
        (SPINE, "1", 0),
    ]
    assert len(report.lost) == 2
    back, report = recabled(after, "c15", catalog()[PartId("mfp7e10")])
    assert back.cables[CableId("c15")].ends == after.cables[CableId("c15")].ends
    assert len([n for n in report.notes if "needs a transceiver now" in n]) == 2


def test_copper_does_not_push_out_an_optic_that_another_fibre_uses() -> None:
    with pytest.raises(EditError, match=r"fits at no end .* another fibre"):
        recabled(small_design(), "c15", catalog()[PartId("mcp4y10-n")])


# Several at once


def test_an_exchange_counts_the_links_that_go_dark_and_makes_nothing() -> None:
    """A QSFP56 cage takes no OSFP plug: every link of the leaf goes dark."""
    design = small_design()
    at_leaf = cables_at(design, [LEAF])
    links = sum(len(design.links.get(c, ())) for c in at_leaf)
    qsfp56 = catalog()[PartId("nvidia-qm8700")]
    assert isinstance(qsfp56, SwitchPart)
    *devices, dark = try_exchange(design, [LEAF], qsfp56)
    assert len(devices) == 1
    assert links
    assert (dark.links_lost, dark.lost) == (links, [])
    same = leaf_part().model_copy(update={"id": PartId("other-leaf")})
    assert sum(len(k.lost) + k.links_lost for k in try_exchange(design, [LEAF], same)) == 0


def test_cables_are_exchanged_together_and_only_what_fits_at_both_ends_is_offered() -> None:
    room, a, b = two_switches()
    for port in ("1", "2"):
        plug_cable(room.draft, straight_dac(), [CableEnd(0, a, port), CableEnd(1, b, port)], 1.5)
    design = room.design()
    longer = straight_dac((1, 2, 3)).model_copy(update={"id": PartId("dac2")})
    history = History(design)
    reports = history.do("Exchange", exchange, list(design.cables), longer)
    assert [report.cables for report in reports] == [1, 1]
    assert {cable.part for cable in history.design.cables.values()} == {"dac2"}
    assert fits_everywhere(design, design.cables, longer)
    assert not fits_everywhere(design, design.cables, breakout_dac())
    assert cables_at(design, [a, b, *design.cables]) == list(design.cables)


# Modes


def test_a_mode_says_which_cables_go_dark_and_unplugs_none() -> None:
    design = small_design()
    history = History(design)
    report = history.do("Mode", change_mode, LEAF, "1", "4x200")
    after = history.design
    assert after.cables == design.cables
    assert dict(after.devices[LEAF].modes)["1"] == "4x200"
    links = {c: len(design.links.get(c, ())) - len(after.links.get(c, ())) for c in design.cables}
    dark = {cable for cable, fewer in links.items() if fewer > 0}
    assert {w for lost in report.lost for w in lost.where} - {LEAF} == dark
    assert dark == {"c9"}
    freed = history.do("Mode", change_mode, LEAF, "1", None)
    assert (freed.cables, freed.lost) == (1, [])
    with pytest.raises(EditError, match="offers"):
        history.do("Mode", change_mode, LEAF, "1", "9x9")
