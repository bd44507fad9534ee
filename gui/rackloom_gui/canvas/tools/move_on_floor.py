# SPDX-License-Identifier: Apache-2.0
"""Dragging racks about the room, seen from above: along rows, to other rows, to a new row.

They snap to a row's front and to what stands in it; away from all rows they make a new one on the
floor's tiles, and a row that is in the hand as a whole just moves there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rackloom.catalog.parts import RackPart
from rackloom.design import Design, Row
from rackloom.design.ids import RackId, RowId
from rackloom.placement.floor_moves import FloorMove, move_on_floor
from rackloom.placement.many_routes import needed_lengths_m
from rackloom_gui.canvas.gestures import PointerEvent
from rackloom_gui.canvas.tools import places
from rackloom_gui.canvas.tools.ghosts import Box, Ghost
from rackloom_gui.canvas.tools.move import _Drag, tr

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane

CATCH_M = 0.9
CATCH_FREE_M = 0.3
"""A rack whose front is within this of a row's belongs to the row; the second, with Alt."""
TILE_M = places.TILE_MM / 1000
MOST_CABLES = 1500
"""The lengths of more cables than this are not worked out with every move of the pointer."""


class MoveRacksOnFloor(_Drag):
    """Racks in the hand, with all in them. A click means ``clicked``, a cable over the rack say."""

    def __init__(self, pane: Pane, event: PointerEvent, pressed: str, clicked: str) -> None:
        super().__init__(pane, event, pressed)
        self._clicked = clicked
        self._ids: list[RackId] = []
        self._move: FloorMove | None = None

    def end(self, event: PointerEvent) -> None:
        if self.hand is None:
            self.pane.click(self._clicked, event)
        else:
            super().end(event)

    def _wants_copy(self, _event: PointerEvent) -> bool:
        return False  # copies are made in the rack view, where their names can be read

    def _take(self, event: PointerEvent) -> None:
        super()._take(event)
        self._ids = [RackId(r) for r in self.pane.document.selected("racks")]

    def _follow(self, event: PointerEvent) -> None:
        assert self.hand is not None
        pane, design, hand = self.pane, self.pane.document.design, self.hand
        offset = event.scene - self._press
        hand.pointer = (event.scene.x(), event.scene.y())
        lead = design.racks[RackId(self.pressed)]
        home = design.rows[lead.row]
        row, y_m = self._row_at(home, home.y_m + offset.y() / 1000, snap=not event.alt)
        left_m = home.x_m + lead.position_m
        width_mm = design.part(lead.part, RackPart).width_mm
        x_mm = places.snapped_x(
            design, pane.drawing, row.id if row is not None else "", left_m * 1000 + offset.x(),
            width_mm, self._ids, not event.alt,
        )  # fmt: skip
        shift_m = x_mm / 1000 - left_m
        self._move, reason = self._planned(home, row, y_m, shift_m)
        after = None
        if self._move is not None:
            after, reason = places.tried(design, move_on_floor, self._move)
        hand.lit = [] if row is None else _front_of(design, row)
        hand.ghosts = [
            Ghost(self._box(rack, shift_m, y_m - home.y_m), design.racks[rack].name, reason=reason)
            for rack in self._ids
        ]
        where = row.name if row is not None else tr("new row, {y:.2f} m").format(y=y_m)
        if self._move is not None and self._move.rows_y_m:
            where = tr("{row} to {y:.2f} m").format(row=home.name, y=y_m)
        hand.note = tr("{row}, {x:.2f} m").format(row=where, x=lead.position_m + shift_m)
        if row is not None:
            x_m = lead.position_m + shift_m + home.x_m - row.x_m
            hand.note = tr("{row}, {x:.2f} m").format(row=row.name, x=x_m)
        if after is not None:
            hand.note += cables_note(after, self._ids)

    def _row_at(self, home: Row, y_m: float, *, snap: bool) -> tuple[Row | None, float]:
        """The row at a height on the plan, and its front; None and a place on the tiles without."""
        rows = self.pane.document.design.rows.values()
        near = min(rows, key=lambda row: (abs(row.y_m - y_m), row.id != home.id))
        if abs(near.y_m - y_m) <= (CATCH_M if snap else CATCH_FREE_M):
            return near, near.y_m
        step = TILE_M if snap else 0.01
        return None, round(round(y_m / step) * step, 3)

    def _planned(
        self, home: Row, row: Row | None, y_m: float, shift_m: float
    ) -> tuple[FloorMove | None, str | None]:
        """Where all racks in the hand go, or why they cannot go together."""
        design = self.pane.document.design
        racks = [design.racks[r] for r in self._ids]
        if row is None and any(rack.row != home.id for rack in racks):
            return None, tr("racks of several rows cannot make a new row: drag them row by row")
        if row is None:
            whole = len(racks) == len(design.index.racks_in_row.get(home.id, ()))
            into = home.id if whole else None
            spots: dict[RackId, tuple[RowId | None, float]] = {
                r.id: (into, round(r.position_m + shift_m, 4)) for r in racks
            }
            if whole:
                return FloorMove(spots, rows_y_m={home.id: y_m}), None
            return FloorMove(spots, new_row_m=(home.x_m, y_m)), None
        order = sorted(design.rows.values(), key=lambda r: r.y_m)
        down = order.index(row) - order.index(home)
        spots = {}
        for rack in racks:
            own = design.rows[rack.row]
            n = order.index(own) + down
            if not 0 <= n < len(order):
                return None, tr("there is no row for {name} here").format(name=rack.name)
            left_m = own.x_m + rack.position_m + shift_m
            spots[rack.id] = (order[n].id, round(left_m - order[n].x_m, 4))
        return FloorMove(spots), None

    def _box(self, rack_id: RackId, shift_m: float, down_m: float) -> Box:
        x, y, w, h = self.pane.arrays.box_of(rack_id) or (0.0, 0.0, 600.0, 1200.0)
        design, spot = self.pane.document.design, (self._move.spots if self._move else {})
        row_id = spot[rack_id][0] if rack_id in spot else None
        if row_id is not None and self._move is not None and row_id not in self._move.rows_y_m:
            return x + shift_m * 1000, design.rows[row_id].y_m * 1000, w, h
        return x + shift_m * 1000, y + down_m * 1000, w, h

    def _stays(self) -> bool:
        design, move = self.pane.document.design, self._move
        if move is None or move.new_row_m is not None:
            return False
        return all(design.rows[row].y_m == y_m for row, y_m in move.rows_y_m.items()) and all(
            row == design.racks[r].row and abs(x_m - design.racks[r].position_m) < 1e-4
            for r, (row, x_m) in move.spots.items()
        )

    def _drop(self) -> None:
        document = self.pane.document
        assert self._move is not None
        label = tr("Move {name}").format(name=document.design.racks[RackId(self.pressed)].name)
        if len(self._ids) > 1:
            label = tr("Move {count} racks").format(count=len(self._ids))
        document.do(label, move_on_floor, self._move)
        document.flush()

    def _home(self) -> list[Box]:
        return [self.pane.arrays.box_of(i) or (0.0, 0.0, 1.0, 1.0) for i in self._ids]


def _front_of(design: Design, row: Row) -> list[Box]:
    """A strip along the front of a row's racks: the line a rack is lined up with."""
    racks = [design.racks[r] for r in design.index.racks_in_row.get(row.id, ())]
    if not racks:
        return []
    rights = [r.position_m * 1000 + design.part(r.part, RackPart).width_mm for r in racks]
    left = min(rack.position_m for rack in racks) * 1000
    return [(row.x_m * 1000 + left, row.y_m * 1000 - 90.0, max(rights) - left, 70.0)]


def cables_note(design: Design, racks: list[RackId]) -> str:
    """What the cables from these racks to others would need, as an end of a sentence."""
    inside = {d for r in racks for d in design.index.devices_in_rack.get(r, ())}
    cables = {
        cable: None
        for device in inside
        for cable in design.index.cables_of_device.get(device, ())
        if any(end.device not in inside for end in design.cables[cable].ends)
    }
    if not cables or len(cables) > MOST_CABLES:
        return ""
    ids, needed_m = needed_lengths_m(design, [design.cables[c] for c in cables])
    if np.isnan(needed_m).all():
        return ""
    note = tr("; cables need up to {length:.1f} m").format(length=float(np.nanmax(needed_m)))
    ordered_m = np.array([design.cables[c].length_m for c in ids])
    short = int((needed_m > ordered_m + 1e-9).sum())
    if short:
        note += tr(", {short} of {all} are too short").format(short=short, all=len(ids))
    return note
