# SPDX-License-Identifier: Apache-2.0
"""Where dragged things would land on the elevation, and what speaks against it. Knows no Qt."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rackloom.catalog.parts import U_MM, DevicePart, RackPart
from rackloom.design import Design, Draft, EditError
from rackloom.design.edits import MOUNTS, rack_in_the_way
from rackloom.design.ids import RackId
from rackloom.design.slots import free_ranges, height_u, refusal
from rackloom.placement.elevation import Elevation
from rackloom.placement.geometry import rack_opening_mm, u_at_mm, u_bottom_mm

Slot = tuple[str, int | None]
"""A rack and the lowest U; None for a 0U device."""

TILE_MM = 600.0
SNAP_MM = 150.0
"""A rack within this of a neighbour's side moves up to it."""


def rack_under(design: Design, drawing: Elevation, x_mm: float, y_mm: float) -> str | None:
    """The rack whose column of the drawing a place lies in, above and below the cabinet too."""
    rack = drawing.rack_at(x_mm, y_mm)
    if rack is not None:
        return rack
    band = drawing.band_at(y_mm)
    if band is None:
        return None
    for rack_id, (x0, _, x1, _) in zip(drawing.racks, drawing.rack_boxes.tolist(), strict=True):
        if design.racks[rack_id].row == band.row and x0 <= x_mm <= x1:
            return rack_id
    return None


def slot_at(
    design: Design, drawing: Elevation, x_mm: float, y_mm: float, units: int, grab_mm: float
) -> tuple[str, int] | None:
    """Rack and lowest U of a device of ``units`` U that is held ``grab_mm`` below its top edge."""
    rack_id = rack_under(design, drawing, x_mm, y_mm)
    if rack_id is None:
        return None
    part = design.part(design.racks[RackId(rack_id)].part, RackPart)
    floor_mm = drawing.origins[RackId(rack_id)][1]
    bottom_mm = floor_mm - (y_mm - grab_mm + units * U_MM)
    return rack_id, u_at_mm(part, bottom_mm + U_MM / 2)


def span_box(
    design: Design, drawing: Elevation, rack_id: str, low: int, high: int
) -> tuple[float, float, float, float]:
    """The rectangle of a range of U between the posts of a rack on the drawing."""
    rack = RackId(rack_id)
    part = design.part(design.racks[rack].part, RackPart)
    x_mm, floor_mm = drawing.origins[rack]
    top = floor_mm - u_bottom_mm(part, low) - (high - low + 1) * U_MM
    return x_mm + (part.width_mm - 482.6) / 2, top, 482.6, (high - low + 1) * U_MM


def free_boxes(
    design: Design, drawing: Elevation, rack_id: str, units: int, ignore: Iterable[str] = ()
) -> list[tuple[float, float, float, float]]:
    """Ranges of free U of a rack that are high enough for a device."""
    ranges = free_ranges(design, RackId(rack_id), tuple(ignore))  # type: ignore[arg-type]
    return [
        span_box(design, drawing, rack_id, low, high)
        for low, high in ranges
        if high - low + 1 >= units
    ]


def opening_height_mm(design: Design, rack_id: str) -> float:
    """Height of a rack's opening."""
    low, high = rack_opening_mm(design.part(design.racks[RackId(rack_id)].part, RackPart))
    return high - low


def refusals(design: Design, slots: Mapping[str, Slot | None]) -> dict[str, str]:
    """Why devices cannot go to these slots, by device; empty where all fit."""
    found: dict[str, str] = {}
    moving = tuple(slots)
    taken: dict[tuple[str, int, object], str] = {}
    for device_id, slot in slots.items():
        device = design.devices[device_id]  # type: ignore[index]
        if slot is None:
            found[device_id] = f"there is no rack for {device.name} here"
            continue
        rack_id, bottom_u = slot
        part = design.part(device.part, DevicePart)
        if bottom_u is None:
            reason = mount_refusal(design, rack_id, moving)
        else:
            reason = refusal(design, part, RackId(rack_id), bottom_u, device.face, moving)  # type: ignore[arg-type]
            for u in range(bottom_u, bottom_u + height_u(part)):
                key = (rack_id, u, device.face if part.half_depth else None)
                other = taken.setdefault(key, device.name)
                if other != device.name and reason is None:
                    reason = f"{other} goes to U{u} too"
        if reason is not None:
            found[device_id] = reason
    return found


def mount_refusal(design: Design, rack_id: str, ignore: Iterable[str] = ()) -> str | None:
    """Why a 0U device finds no place at a rack; None where it does."""
    left = set(ignore)
    taken = {
        design.devices[d].mount
        for d in design.index.devices_in_rack.get(RackId(rack_id), ())
        if d not in left and design.devices[d].bottom_u is None
    }
    if len(taken & set(MOUNTS)) < len(MOUNTS):
        return None
    name = design.racks[RackId(rack_id)].name
    return f"{name} has no place left for a 0U device ({len(MOUNTS)} hang there)"


def shifted_slots(
    design: Design, drawing: Elevation, ids: Iterable[str], anchor: str, target: tuple[str, int]
) -> dict[str, Slot | None]:
    """Where devices go when one of them, the anchor, goes to ``target``: all keep their relation.

    Devices of other racks go as many racks further along their row as the anchor does.
    """
    held = design.devices[anchor]  # type: ignore[index]
    by_row = _racks_along(design, drawing)
    place = {rack: (row, n) for row, racks in by_row.items() for n, rack in enumerate(racks)}
    from_row, from_n = place[held.rack]
    to_row, to_n = place[target[0]]
    rows = list(by_row)
    row_shift, shift = rows.index(to_row) - rows.index(from_row), to_n - from_n
    up = target[1] - (held.bottom_u if held.bottom_u is not None else target[1])
    slots: dict[str, Slot | None] = {}
    for device_id in ids:
        device = design.devices[device_id]  # type: ignore[index]
        row, n = place[device.rack]
        row_n = rows.index(row) + row_shift
        column = by_row[rows[row_n]] if 0 <= row_n < len(rows) else []
        if not 0 <= n + shift < len(column):
            slots[device_id] = None
            continue
        bottom = None if device.bottom_u is None else device.bottom_u + up
        slots[device_id] = (column[n + shift], bottom)
    return slots


def _racks_along(design: Design, drawing: Elevation) -> dict[str, list[str]]:
    """Racks by row, from left to right, rows from the top."""
    found: dict[str, list[str]] = {band.row: [] for band in drawing.bands}
    for rack in sorted(drawing.racks, key=lambda r: drawing.origins[r][0]):
        found[design.racks[rack].row].append(rack)
    return found


def snapped_x(
    design: Design,
    drawing: Elevation,
    row_id: str,
    x_mm: float,
    width_mm: float,
    ignore: Iterable[str] = (),
    snap: bool = True,
) -> float:
    """The left edge of a rack dropped at ``x_mm`` on the drawing: at a neighbour or on the grid."""
    if not snap:
        return round(x_mm / 10.0) * 10.0
    skip = set(ignore)
    edges: list[float] = []
    for rack_id, (x0, _, x1, _) in zip(drawing.racks, drawing.rack_boxes.tolist(), strict=True):
        if rack_id not in skip and design.racks[rack_id].row == row_id:
            edges += [x1, x0 - width_mm]
    near = min(edges, key=lambda edge: abs(edge - x_mm), default=None)
    if near is not None and abs(near - x_mm) <= SNAP_MM:
        return near
    origin = design.rows[row_id].x_m * 1000.0 if row_id in design.rows else 0.0  # type: ignore[index]
    step = TILE_MM / 6
    return float(origin + round((x_mm - origin) / step) * step)


def move_racks(draft: Draft, places: Mapping[str, tuple[str, float]]) -> None:
    """Move racks at once to (row, position in m); either all find free floor or nothing happens."""
    for rack_id, (row, position_m) in places.items():
        draft.put(replace(draft.racks[rack_id], row=row, position_m=position_m))  # type: ignore[index, arg-type]
    for rack_id in places:
        other = rack_in_the_way(draft, draft.racks[rack_id])  # type: ignore[index]
        if other is not None:
            name = draft.racks[rack_id].name  # type: ignore[index]
            raise EditError(f"{name} does not fit there: {other.name} stands there", (rack_id,))


def tried(design: Design, edit: Callable[..., Any], *args: Any) -> tuple[Design | None, str | None]:
    """The design after an edit without making it, and why it cannot be made."""
    draft = Draft(design)
    try:
        edit(draft, *args)
        after, _ = draft.close("try")
    except EditError as error:
        return None, str(error)
    return after, None
