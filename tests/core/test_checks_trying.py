# SPDX-License-Identifier: Apache-2.0
"""What a fix would do, told before it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import small_design
from tests.core.rule_world import CATALOG, QM9700, World, fire
from tests.core.test_checks_engine import edit as any_edit
from tests.core.test_checks_engine import some_world

from rackloom.catalog.parts import CablePart, RackPart, TransceiverPart
from rackloom.checks import run
from rackloom.checks.finding import Fix
from rackloom.checks.trying import try_all, try_all_apart, try_fix
from rackloom.design import CableEnd, Design, Draft, EditError, edits
from rackloom.design.describing import described
from rackloom.design.ids import CableId, DeviceId, ModuleId


def change_of(edit: Callable[[Draft], object], design: Design | None = None) -> str:
    draft = Draft(small_design() if design is None else design)
    edit(draft)
    return described(draft.close("Edit")[1].change)


def part(part_id: str) -> CablePart:
    found = CATALOG.require(part_id)
    assert isinstance(found, CablePart)
    return found


def recable(draft: Draft) -> None:
    """Takes both legs of the 2 m splitter out and puts two cables of 3 m in their places."""
    old = draft.cables[CableId("c9")]
    trunk, *branches = old.ends
    draft.remove("cables", old.id)
    edits.plug_cable(draft, part("mcp7y00-n"), (trunk, branches[0]), 2.5)
    edits.plug_cable(draft, part("mcp7y00-n"), (CableEnd(0, trunk.device, "31"), branches[1]), 2.5)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (recable, "1 cable replaced, 1 cable added; +3 m of cable"),
        (lambda d: edits.set_cable(d, CableId("c9"), length_m=1.5),
         "1 cable replaced; \N{MINUS SIGN}0.5 m of cable"),
        (lambda d: edits.rename(d, "c9", "uplink"), "1 cable relabelled"),
        (lambda d: edits.rename(d, "d6", "other"), "1 device renamed"),
        (lambda d: edits.flip_devices(d, [DeviceId("d6"), DeviceId("d7")]),
         "2 devices turned round"),
        (lambda d: edits.set_mode(d, DeviceId("d6"), "20", None), "1 device split anew"),
        (lambda d: edits.change_settings(d, slack_m=1.0), "the project's settings changed"),
        (lambda d: None, "nothing changes"),
    ],
)  # fmt: skip
def test_a_change_in_words(edit: Callable[[Draft], object], says: str) -> None:
    assert change_of(edit) == says


def test_transceivers_and_devices_in_words() -> None:
    design = small_design()
    module = next(iter(design.modules.values()))
    optic = CATALOG.require("mms4x00-nm")
    assert isinstance(optic, TransceiverPart)
    assert change_of(lambda d: edits.swap_module(d, module.id, optic)) == "1 transceiver replaced"

    def by_hand(draft: Draft) -> None:
        draft.remove("modules", module.id)
        draft.put(replace(module, id=ModuleId("m900"), part=draft.embed(optic)))

    assert change_of(by_hand) == "1 transceiver replaced"
    rack = CATALOG.require("generic-48u-600")
    assert isinstance(rack, RackPart)
    row = next(iter(design.rows))
    assert change_of(lambda d: edits.add_rack(d, rack, row, 9.0)) == "1 rack added"
    said = change_of(lambda d: edits.remove(d, ["d7"]))
    assert said.startswith("1 device removed, ")
    assert "cable" in said


def test_a_fix_is_told_before_it_is_done_and_changes_nothing() -> None:
    world = World()
    a, b = world.device(QM9700, "a", u=1), world.device(QM9700, "b", u=13)
    world.cable("mcp4y10-n", (a, "1"), (b, "1"), length_m=0.5)
    design = world.design
    (finding,) = fire(design, "reach.too-short")
    told = try_fix(design, finding.fixes[0])
    assert (told.done, told.left, told.refusal) == (1, 0, "")
    assert told.sentence.startswith("1 cable replaced; +"), told.sentence
    assert design == world.design
    assert not fire(design.apply(told.change), "reach.too-short")


def test_all_fixes_are_told_as_one_with_their_number() -> None:
    world = World()
    switches = [world.device(QM9700, f"s{n}", u=1 + 12 * n) for n in range(4)]
    for n in range(3):
        world.cable("mcp4y10-n", (switches[n], "1"), (switches[n + 1], "2"), length_m=0.5)
    found = fire(world.design, "reach.too-short")
    assert len(found) == 3
    told = try_all(world.design, found)
    assert (told.done, told.left) == (3, 0)
    assert told.sentence.startswith("3 cables replaced; +")
    after = world.design.apply(told.change)
    assert not fire(after, "reach.too-short")
    # A finding twice, and one whose cable is gone: done once, left twice.
    draft = Draft(world.design)
    edits.remove(draft, [found[0].where[0]])
    later = draft.close("Remove")[0]
    told = try_all(later, found)
    assert (told.done, told.left) == (2, 1)


def test_a_fix_that_cannot_be_made_says_why() -> None:
    def refuse(draft: Draft) -> None:
        raise EditError("the rack is full")

    told = try_fix(small_design(), Fix("Try", refuse))
    assert (told.done, told.left, told.sentence) == (0, 1, "the rack is full")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 19), st.integers(0, 10_000), st.integers(0, 10_000))
def test_what_is_told_of_all_fixes_is_what_taking_it_does(kind: int, a: int, b: int) -> None:
    """Whatever is wrong with a design: the change that was told leads to the same design."""
    design = some_world()
    draft = Draft(design)
    try:
        any_edit(draft, kind, a, b)
        design = draft.close("Edit")[0]
    except (EditError, KeyError):
        pass
    by_rule: dict[str, list[object]] = {}
    for finding in run(design):
        by_rule.setdefault(finding.rule, []).append(finding)
    for findings in by_rule.values():
        told = try_all(design, findings)  # type: ignore[arg-type]
        assert try_all_apart(findings) == told  # type: ignore[arg-type]
        again = Draft(design)
        again.take(told.change)
        after, step = again.close("Fix all")
        assert step.change.records == told.change.records
        assert after == design.apply(told.change)
        assert (told.sentence == "nothing changes") == (not told.change)
