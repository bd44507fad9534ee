# SPDX-License-Identifier: Apache-2.0
"""Putting a part in without the mouse: Enter or a double click in the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    PartId,
    RackPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.design import Draft, EditError, edits
from rackloom.design.hardware import cages_of
from rackloom.design.slots import first_free_u, height_u
from rackloom_gui.canvas.tips import tr
from rackloom_gui.canvas.tools.drop import free_slot, place_rack, put_module

if TYPE_CHECKING:
    from rackloom_gui.canvas.canvas import Canvas


def insert_part(canvas: Canvas, part_id: str) -> bool:
    """Put a part where it fits: into the selected rack, device or row; says why not otherwise."""
    pane = canvas.pane
    part = pane.part(PartId(part_id))
    if part is None or not pane.can_edit:
        return False
    label = tr("Add {name}").format(name=part.model)
    try:
        match part:
            case CablePart():
                canvas.start_cable(part)
                return True
            case RackPart() | RackSystemPart():
                new = canvas.document.do(label, _behind_row, canvas, part)
            case DevicePart():
                new = canvas.document.do(label, _into_rack, canvas, part)
            case NicPart():
                new = canvas.document.do(label, _into_slot, canvas, part)
            case TransceiverPart():
                new = canvas.document.do(label, _into_cage, canvas, part)
            case _:
                return False
    except EditError as error:
        canvas.status.emit(str(error))
        return False
    canvas.document.flush()
    canvas.document.select([new])
    pane.show_ids([new])
    return True


def _racks_at_hand(canvas: Canvas) -> list[str]:
    """The selected racks, then those of selected devices, then all."""
    document = canvas.document
    design = document.design
    found = [*document.selected("racks")]
    found += [design.devices[d].rack for d in document.selected("devices")]  # type: ignore[index]
    return list(dict.fromkeys(found or design.racks))


def _behind_row(draft: Draft, canvas: Canvas, part: RackPart | RackSystemPart) -> str:
    design = canvas.document.design
    racks = _racks_at_hand(canvas)
    rows = list(design.rows)
    row = design.racks[racks[-1]].row if racks else (rows[-1] if rows else None)  # type: ignore[index]
    ends = [
        rack.position_m + design.part(rack.part, RackPart).width_mm / 1000
        for rack in design.racks.values()
        if rack.row == row
    ]
    return place_rack(draft, part, row, round(max(ends, default=0.0), 4), canvas.pane.catalog)


def _into_rack(draft: Draft, canvas: Canvas, part: DevicePart) -> str:
    design = canvas.document.design
    racks = _racks_at_hand(canvas)
    if not racks:
        raise EditError(tr("There is no rack yet: put one in first."))
    face = canvas.pane.new_face(part)
    for rack in racks:
        if not height_u(part):
            return edits.add_device(draft, part, rack, None)  # type: ignore[arg-type]
        bottom = first_free_u(design, part, rack)  # type: ignore[arg-type]
        if bottom is not None:
            return edits.add_device(draft, part, rack, bottom, face=face)  # type: ignore[arg-type]
    name = design.racks[racks[0]].name  # type: ignore[index]
    raise EditError(
        tr("{rack} has no {units} free U for {part}.").format(
            rack=name, units=height_u(part), part=part.model
        )
    )


def _into_slot(draft: Draft, canvas: Canvas, part: NicPart) -> str:
    chosen = canvas.document.selected("devices")
    if not chosen:
        raise EditError(tr("Select the server that takes {part}.").format(part=part.model))
    slot, reason = free_slot(canvas.document.design, chosen[0])
    if slot is None:
        raise EditError(reason or "")
    edits.set_card(draft, chosen[0], slot, part)  # type: ignore[arg-type]
    return chosen[0]


def _into_cage(draft: Draft, canvas: Canvas, part: TransceiverPart) -> str:
    design = canvas.document.design
    chosen = canvas.document.selected("devices")
    if not chosen:
        raise EditError(tr("Select the device that takes {part}.").format(part=part.model))
    device = design.devices[chosen[0]]  # type: ignore[index]
    taken = {plug.cage for plug in design.index.plugs(design, device.id)}
    for name, cage in cages_of(draft, device).items():
        if name not in taken and part.form_factor in {cage.form_factor, *cage.accepts}:
            put_module(draft, part, device.id, name)
            return device.id
    raise EditError(
        tr("{device} has no free port for {part}.").format(device=device.name, part=part.model)
    )
