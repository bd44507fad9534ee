# SPDX-License-Identifier: Apache-2.0
"""Undo, redo, merging of steps, and what an edit may not break."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog import CablePart, DevicePart, RackPart, TransceiverPart, load_bundled
from rackloom.catalog.parts import Part
from rackloom.design import CableEnd, Design, Draft, EditError, History, edits
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.index import DesignIndex
from rackloom.design.links import build_links
from rackloom.design.slots import first_free_u

CATALOG = load_bundled()
P = TypeVar("P", bound=Part)


def part(part_id: str, kind: type[P]) -> P:
    found = CATALOG.require(part_id)
    assert isinstance(found, kind)
    return found


RACK = part("generic-42u-600", RackPart)
SWITCH = part("nvidia-qm9700", DevicePart)
SERVER = part("dgx-h100", DevicePart)
DAC = part("mcp4y10-n", CablePart)
OPTIC = part("mma4z00-ns", TransceiverPart)
FLAT_OPTIC = part("mma4z00-ns-flt", TransceiverPart)
FIBRE = part("mfp7e10", CablePart)


class Clock:
    """A clock the test turns."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def two_switches() -> tuple[History, RackId, DeviceId, DeviceId]:
    history = History()
    row = history.do("Add row", edits.add_row)
    rack = history.do("Add rack", edits.add_rack, RACK, row, 0.0)
    a = history.do("Add switch", edits.add_device, SWITCH, rack, 10)
    b = history.do("Add switch", edits.add_device, SWITCH, rack, 20)
    return history, rack, a, b


def random_edit(draft: Draft, data: st.DataObject) -> None:
    """One edit a user could make, chosen by hypothesis."""
    verbs: list[Callable[[], Any]] = [lambda: edits.add_row(draft)]
    rows, racks, devices = list(draft.rows), list(draft.racks), list(draft.devices)
    cables = list(draft.cables)
    if rows:
        place = data.draw(st.integers(0, 5)) * 0.6
        verbs.append(lambda: edits.add_rack(draft, RACK, data.draw(st.sampled_from(rows)), place))
    if racks:
        rack = data.draw(st.sampled_from(racks))
        u = data.draw(st.integers(1, 42))
        what = data.draw(st.sampled_from([SWITCH, SERVER]))
        verbs.append(lambda: edits.add_device(draft, what, rack, u))
    if devices:
        a = data.draw(st.sampled_from(devices))
        b = data.draw(st.sampled_from(devices))
        port = str(data.draw(st.integers(1, 4)))
        other = str(data.draw(st.integers(5, 8)))
        ends = [CableEnd(0, a, port), CableEnd(1, b, other)]
        verbs += [
            lambda: edits.plug_cable(draft, DAC, ends, 2.0),
            lambda: edits.insert_module(draft, OPTIC, a, port),
            lambda: edits.move_device(draft, a, data.draw(st.sampled_from(racks)), 3),
            lambda: edits.rename(draft, a, "renamed"),
            lambda: edits.flip_devices(draft, {a, b}),
            lambda: edits.remove(draft, {a}),
        ]
    if cables:
        cable = data.draw(st.sampled_from(cables))
        verbs += [
            lambda: edits.remove(draft, {cable}),
            lambda: edits.set_cable(draft, cable, length_m=1.0),
        ]
    data.draw(st.sampled_from(verbs))()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_edits_then_undo_give_back_every_earlier_design(data: st.DataObject) -> None:
    history = History()
    seen = [history.design]
    for number in range(data.draw(st.integers(1, 12))):
        history.design.index  # noqa: B018 - so that edits patch it
        history.design.links  # noqa: B018
        try:
            history.do(f"step {number}", random_edit, data)
        except (EditError, KeyError):
            assert history.design == seen[-1], "a refused edit left a trace"
            continue
        if history.position == len(seen):
            seen.append(history.design)
        # What was patched along is what a fresh build gives.
        assert history.design.index == DesignIndex.build(history.design)
        assert history.design.links == build_links(history.design)
    for earlier in reversed(seen[:-1]):
        history.undo()
        assert history.design == earlier
    for later in seen[1:]:
        history.redo()
        assert history.design == later


def test_a_refused_edit_says_why_and_leaves_no_step() -> None:
    history, rack, _, _ = two_switches()
    steps = history.steps
    with pytest.raises(EditError, match="U10 of R01: switch-01 is there"):
        history.do("Add switch", edits.add_device, SWITCH, rack, 10)
    assert history.steps == steps


def test_a_device_does_not_stick_out_of_the_rack() -> None:
    history, rack, _, _ = two_switches()
    with pytest.raises(EditError, match="U36 to U43, but R01 has U1 to U42"):
        history.do("Add server", edits.add_device, SERVER, rack, 36)


def test_a_cage_takes_one_plug() -> None:
    history, _, a, b = two_switches()
    history.do("Plug", edits.plug_cable, DAC, [CableEnd(0, a, "1"), CableEnd(1, b, "1")], 2.0)
    with pytest.raises(EditError, match="port 1 of switch-01 is already taken"):
        history.do("Plug", edits.plug_cable, DAC, [CableEnd(0, a, "1"), CableEnd(1, b, "2")], 2.0)


def test_deleting_a_device_takes_its_cables_and_the_orphaned_optics_at_the_far_end() -> None:
    history, _, a, b = two_switches()
    history.do("Optic", edits.insert_module, OPTIC, a, "1")
    history.do("Optic", edits.insert_module, OPTIC, b, "1")
    for socket in (0, 1):
        ends = [CableEnd(0, a, "1", socket), CableEnd(1, b, "1", socket)]
        history.do("Fibre", edits.plug_cable, FIBRE, ends, 3.0)
    before = history.design
    history.do("Delete", edits.remove, {b})
    assert not history.design.cables
    assert not history.design.modules
    history.undo()
    assert history.design == before


def test_a_twin_optic_stays_while_one_of_its_fibres_does() -> None:
    history, rack, a, b = two_switches()
    c = history.do("Add switch", edits.add_device, SWITCH, rack, 30)
    for device in (a, b, c):
        history.do("Optic", edits.insert_module, OPTIC, device, "1")
    for socket, far in enumerate((b, c)):
        ends = [CableEnd(0, a, "1", socket), CableEnd(1, far, "1", 0)]
        history.do("Fibre", edits.plug_cable, FIBRE, ends, 3.0)
    history.do("Delete", edits.remove, {c})
    assert {m.device for m in history.design.modules.values()} == {a, b}
    assert len(history.design.cables) == 1


def test_nudges_within_a_second_are_one_step_and_nudging_back_leaves_none() -> None:
    clock = Clock()
    history = History(two_switches()[0].design, clock)
    device = next(iter(history.design.devices))
    rack = history.design.devices[device].rack
    for u in (11, 12, 13):
        clock.now_s += 0.5
        history.do("Nudge", edits.move_device, device, rack, u, merge_key=f"nudge {device}")
    assert history.position == 1
    history.undo()
    assert history.design.devices[device].bottom_u == 10
    history.redo()
    clock.now_s += 5
    history.do("Nudge", edits.move_device, device, rack, 14, merge_key=f"nudge {device}")
    assert history.position == 2
    clock.now_s += 0.1
    history.do("Nudge", edits.move_device, device, rack, 13, merge_key=f"nudge {device}")
    assert history.position == 1


def test_clean_means_as_saved_also_after_undo_and_a_new_branch() -> None:
    history, rack, a, _ = two_switches()
    assert not history.is_clean
    history.mark_clean()
    history.do("Rename", edits.rename, a, "leaf")
    assert not history.is_clean
    history.undo()
    assert history.is_clean
    history.undo()
    history.do("Add switch", edits.add_device, SWITCH, rack, 30)
    assert not history.is_clean
    history.undo()
    assert not history.is_clean, "the saved state cannot be reached any more"


def test_what_is_being_saved_is_clean_when_it_is_saved_and_not_what_came_since() -> None:
    history, rack, a, _ = two_switches()
    history.hold()
    history.do("Rename", edits.rename, a, "leaf")
    assert not history.is_clean
    history.mark_held_clean()
    assert not history.is_clean
    history.undo()
    assert history.is_clean
    history.hold()
    history.undo()
    history.do("Add switch", edits.add_device, SWITCH, rack, 30)
    history.mark_held_clean()
    assert not history.is_clean
    history.undo()
    assert not history.is_clean, "the saved state cannot be reached any more"


def test_a_step_does_not_merge_into_one_that_is_being_saved() -> None:
    clock = Clock()
    history = History(two_switches()[0].design, clock)
    device = next(iter(history.design.devices))
    rack = history.design.devices[device].rack
    history.do("Nudge", edits.move_device, device, rack, 11, merge_key="nudge")
    history.hold()
    history.do("Nudge", edits.move_device, device, rack, 12, merge_key="nudge")
    history.mark_held_clean()
    assert not history.is_clean
    history.undo()
    assert history.is_clean
    assert history.design.devices[device].bottom_u == 11


def test_listeners_get_the_change_of_every_step_undo_and_redo() -> None:
    history, _, a, _ = two_switches()
    heard: list[tuple[str, Any, Any]] = []
    stop = history.listen(
        lambda _, step: heard.extend((step.label, r.before.name, r.after.name) for r in step.change)
    )
    history.do("Rename", edits.rename, a, "leaf")
    history.undo()
    history.redo()
    stop()
    history.undo()
    assert heard == [
        ("Rename", "switch-01", "leaf"),
        ("Rename", "leaf", "switch-01"),
        ("Rename", "switch-01", "leaf"),
    ]


def test_ids_are_never_given_twice() -> None:
    history, rack, a, b = two_switches()
    history.do("Delete", edits.remove, {b})
    c = history.do("Add switch", edits.add_device, SWITCH, rack, 20)
    assert c not in {a, b}


def test_dangling_references_are_refused() -> None:
    history, _, a, _ = two_switches()
    ends = [CableEnd(0, a, "1"), CableEnd(1, "d999", "1")]  # type: ignore[arg-type]
    with pytest.raises(EditError, match="'d999', which is not in the design"):
        history.do("Plug", edits.plug_cable, DAC, ends, 2.0)
    ends = [CableEnd(0, a, "1"), CableEnd(1, a, "99")]
    with pytest.raises(EditError, match="port '99' of switch-01"):
        history.do("Plug", edits.plug_cable, DAC, ends, 2.0)


def test_half_depth_devices_share_a_u_back_to_back() -> None:
    half = SWITCH.model_copy(update={"id": "half", "half_depth": True})
    history, rack, _, _ = two_switches()
    front = history.do("Add", edits.add_device, half, rack, 30)
    with pytest.raises(EditError, match="is there"):
        history.do("Add", edits.add_device, half, rack, 30)
    back = history.do("Add", edits.add_device, half, rack, 30, face="rear")
    assert history.design.devices[front].bottom_u == history.design.devices[back].bottom_u


def test_first_free_u_steps_over_what_is_there() -> None:
    history, rack, _, _ = two_switches()
    assert first_free_u(history.design, SERVER, rack) == 1
    assert first_free_u(history.design, SERVER, rack, from_u=9) == 11
    assert first_free_u(history.design, SERVER, rack, from_u=20) == 21
    assert first_free_u(history.design, SERVER, rack, from_u=36) is None


def test_an_empty_design_is_falsy_in_nothing_and_equal_to_another() -> None:
    assert Design() == Design()
    assert not Design().diff(Design())


def test_a_new_switch_is_turned_so_that_it_draws_in_cold_air() -> None:
    """A QM9700 blows from its power side to its ports; a DGX from its front to its rear."""
    history, rack, a, _ = two_switches()
    server = history.do("Add server", edits.add_device, SERVER, rack, 30)
    assert history.design.devices[a].face == "rear"
    assert history.design.devices[server].face == "front"
