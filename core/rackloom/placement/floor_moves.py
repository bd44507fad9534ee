# SPDX-License-Identifier: Apache-2.0
"""Moving racks about the room: within and between rows, into a new row, or a whole row at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from rackloom.catalog.parts import RackPart
from rackloom.design import Draft, EditError, edits
from rackloom.design.ids import RackId, RowId

TOUCH_M = 1e-6
"""Racks may touch; rounding must not make neighbours overlap."""


@dataclass(frozen=True, slots=True)
class FloorMove:
    """Where racks go. Those of ``spots`` stand at (row, position in m); None is the new row."""

    spots: Mapping[RackId, tuple[RowId | None, float]]
    new_row_m: tuple[float, float] | None = None
    """Left front corner of the row to make."""
    rows_y_m: Mapping[RowId, float] = field(default_factory=dict)
    """Rows that move as a whole, and where their fronts come to stand."""


def move_on_floor(draft: Draft, move: FloorMove) -> None:
    """Move racks at once; EditError, and nothing happens, where one finds another in its place.

    Unlike in a row, whose racks stand side by side, on the floor a rack may also run into one of
    another row: their depths count.
    """
    new_row: RowId | None = None
    if move.new_row_m is not None:
        new_row = edits.add_row(draft, None, *move.new_row_m)
    for row_id, y_m in move.rows_y_m.items():
        draft.put(replace(draft.rows[row_id], y_m=y_m))
    for rack_id, (row, position_m) in move.spots.items():
        wanted = new_row if row is None else row
        if wanted is None:
            raise EditError("there is no row to put the rack into", (rack_id,))
        draft.put(replace(draft.racks[rack_id], row=wanted, position_m=position_m))
    moved = {r.id for r in draft.racks.values() if r.row in move.rows_y_m} | set(move.spots)
    _need_free_floor(draft, moved)


def _need_free_floor(draft: Draft, moved: set[RackId]) -> None:
    racks = list(draft.racks.values())
    x0, y0, x1, y1 = np.array([_footprint(draft, rack.id) for rack in racks]).T.reshape(4, -1)
    for number, rack in enumerate(racks):
        if rack.id not in moved:
            continue
        hit = (x0 < x1[number] - TOUCH_M) & (x1 > x0[number] + TOUCH_M)
        hit &= (y0 < y1[number] - TOUCH_M) & (y1 > y0[number] + TOUCH_M)
        hit[number] = False
        if hit.any():
            other = racks[int(np.flatnonzero(hit)[0])]
            raise EditError(
                f"{rack.name} does not fit there: {other.name} stands there", (rack.id, other.id)
            )


def _footprint(draft: Draft, rack_id: RackId) -> tuple[float, float, float, float]:
    """Left, front, right and rear of a rack in the room, in m."""
    rack = draft.racks[rack_id]
    row, part = draft.rows[rack.row], draft.part(rack.part, RackPart)
    left_m = row.x_m + rack.position_m
    return left_m, row.y_m, left_m + part.width_mm / 1000, row.y_m + part.depth_mm / 1000
