# SPDX-License-Identifier: Apache-2.0
"""The room: where racks, their cable managers and the trays above them are.

Room coordinates in metres: x along the rows, to the right as one faces the racks' fronts; y from
the fronts towards the rears; z upwards from the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.parts import RackPart
from rackloom.design.ids import RackId, RowId
from rackloom.design.value import Design
from rackloom.placement.geometry import manager_inset_mm
from rackloom.placement.memo import per_tables

Floats: TypeAlias = NDArray[np.float64]

NEIGHBOUR_GAP_M = 0.05
"""Racks of a row no further apart than this stand side panel to side panel."""


class Frame(NamedTuple):
    """A rack in the room; x and y of its left front corner, its managers, its row's ends."""

    number: int
    x_m: float
    y_m: float
    width_m: float
    depth_m: float
    left_manager_m: float
    right_manager_m: float
    row: int
    row_left_m: float
    row_right_m: float
    right_neighbour: int


class Frames(NamedTuple):
    """The fields of many :class:`Frame`, one array each."""

    number: Floats
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats
    left_manager_m: Floats
    right_manager_m: Floats
    row: Floats
    row_left_m: Floats
    row_right_m: Floats
    right_neighbour: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """All racks, one by one and as columns (in the order of ``Frame``)."""

    frames: dict[RackId, Frame]
    columns: Floats


@per_tables("rows", "racks", "parts")
def floor_of(design: Design) -> Floor:
    """Where all racks stand."""
    frames: dict[RackId, Frame] = {}
    for row_number, row in enumerate(design.rows.values()):
        racks = [design.racks[r] for r in design.index.racks_in_row.get(row.id, ())]
        racks.sort(key=lambda rack: rack.position_m)
        parts = [design.part(rack.part, RackPart) for rack in racks]
        lefts = [row.x_m + rack.position_m for rack in racks]
        rights = [left + part.width_mm / 1000 for left, part in zip(lefts, parts, strict=True)]
        first = len(frames)
        for n, (rack, part) in enumerate(zip(racks, parts, strict=True)):
            touching = n + 1 < len(racks) and lefts[n + 1] - rights[n] <= NEIGHBOUR_GAP_M
            inset_m = manager_inset_mm(part) / 1000
            frames[rack.id] = Frame(
                first + n,
                lefts[n],
                row.y_m,
                part.width_mm / 1000,
                part.depth_mm / 1000,
                lefts[n] + inset_m,
                rights[n] - inset_m,
                row_number,
                lefts[0],
                max(rights),
                first + n + 1 if touching else -1,
            )
    columns = np.array(list(frames.values()), dtype=np.float64).reshape(-1, len(Frame._fields)).T
    return Floor(frames, columns)


class Standing(NamedTuple):
    """All that the room says of a rack to the cables of its devices; metres."""

    row: RowId
    x_m: float
    y_m: float
    width_m: float
    depth_m: float
    left_manager_m: float
    right_manager_m: float
    row_left_m: float
    row_right_m: float
    last_middle_m: float
    """The middle of the row's last rack: where its cables cross to other rows, if nobody says."""
    neighbour: RackId | None
    """The rack that touches it on the right."""


@per_tables("rows", "racks", "parts")
def standings(design: Design) -> dict[RackId, Standing]:
    """How every rack stands. While that of two racks is the same, so is every route between them,
    as long as the settings are.
    """
    frames = floor_of(design).frames
    at = {frame.number: rack_id for rack_id, frame in frames.items()}
    last_m: dict[int, float] = {}
    for frame in frames.values():
        middle_m = frame.x_m + frame.width_m / 2
        last_m[frame.row] = max(last_m.get(frame.row, middle_m), middle_m)
    return {
        rack_id: Standing(
            design.racks[rack_id].row,
            *frame[1:7],
            frame.row_left_m,
            frame.row_right_m,
            last_m[frame.row],
            at.get(frame.right_neighbour),
        )
        for rack_id, frame in frames.items()
    }


class Footprint(NamedTuple):
    """A rack on the floor plan: its left front corner, width along x and depth along y, in m."""

    x_m: float
    y_m: float
    width_m: float
    depth_m: float


def footprints(design: Design) -> dict[RackId, Footprint]:
    """Where every rack stands in the room."""
    return {
        rack_id: Footprint(frame.x_m, frame.y_m, frame.width_m, frame.depth_m)
        for rack_id, frame in floor_of(design).frames.items()
    }


class Tray(NamedTuple):
    """The middle line of a cable tray on the floor plan, in metres; a row's or a cross tray."""

    kind: str
    x0_m: float
    y0_m: float
    x1_m: float
    y1_m: float


def trays(design: Design) -> list[Tray]:
    """The trays of the room: one above each row with racks, and those that join the rows."""
    rows: dict[int, list[Frame]] = {}
    for frame in floor_of(design).frames.values():
        rows.setdefault(frame.row, []).append(frame)
    if not rows:
        return []
    middles = {n: frames[0].y_m + max(f.depth_m for f in frames) / 2 for n, frames in rows.items()}
    crossings: list[float] = []
    if len(rows) > 1:
        crossings = sorted(
            set(design.settings.cross_trays_x_m)
            or {
                x for frames in rows.values() for x in (frames[0].row_left_m, frames[0].row_right_m)
            }
        )
    found = [
        Tray(
            "row",
            min([frames[0].row_left_m, *crossings]),
            middles[n],
            max([frames[0].row_right_m, *crossings]),
            middles[n],
        )
        for n, frames in rows.items()
    ]
    low, high = min(middles.values()), max(middles.values())
    return found + [Tray("cross", x, low, x, high) for x in crossings]
