# SPDX-License-Identifier: Apache-2.0
"""What an edit may make, a file may hold: numbers of the same magnitude in both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import small_design

from rackloom.catalog.load import parse_part
from rackloom.catalog.user_parts import part_entry
from rackloom.design import Draft, EditError, edits
from rackloom.design.bounds import MAX_PLACE, wrong_number
from rackloom.files import load, save


def _edited(table: str, **fields: Any) -> Draft:
    draft = Draft(small_design())
    entity = next(iter(draft.table(table).values()))
    draft.put(replace(entity, **fields))
    return draft


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("rows", "x_m", 2 * MAX_PLACE),
        ("rows", "y_m", float("nan")),
        ("racks", "position_m", -1e300),
        ("cables", "length_m", 1e13),
        ("cables", "length_m", float("inf")),
        ("settings", "slack_m", 1e18),
        ("settings", "cross_trays_x_m", (0.0, 1e6)),
    ],
)
def test_a_number_no_file_may_hold_is_refused_by_the_edit(
    table: str, field: str, value: Any
) -> None:
    draft = _edited(table, **{field: value})
    assert wrong_number(table, next(iter(draft.table(table).values()))) == field
    with pytest.raises(EditError, match="is not one a design can hold"):
        draft.close("Far away")


def test_the_greatest_place_can_be_saved_and_opened(tmp_path: Path) -> None:
    design, _ = _edited("rows", x_m=MAX_PLACE, y_m=-MAX_PLACE).close("Far")
    save(tmp_path / "far.rackloom", design)
    assert load(tmp_path / "far.rackloom").design == design


def test_a_note_far_away_is_refused_too() -> None:
    draft = Draft(small_design())
    edits.add_note(draft, "over there", x_m=1e6)
    with pytest.raises(EditError, match="x is not one a design can hold"):
        draft.close("Note")


def test_a_part_cannot_lose_ports_that_are_in_use() -> None:
    """A file with a cable in a port that is not there would not open."""
    draft = Draft(small_design())
    device = next(d for d in draft.devices.values() if draft.touching("cables_of_device", {d.id}))
    entry = part_entry(draft.device_part(device.id))
    draft.replace_part(parse_part({**entry, "cage_groups": []}, "new version"))
    with pytest.raises(EditError, match=r"which .* does not have"):
        draft.close("Correct the part")


def test_a_part_in_use_cannot_be_taken_out() -> None:
    draft = Draft(small_design())
    draft.remove("parts", next(iter(draft.devices.values())).part)
    with pytest.raises(EditError, match="not in the design"):
        draft.close("Forget the part")
