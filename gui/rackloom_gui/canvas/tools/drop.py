# SPDX-License-Identifier: Apache-2.0
"""Dropping a part of the palette: racks into rows, devices into U, cards, optics into devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PartId,
    RackPart,
    ServerPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.design import Design, Draft, EditError, edits
from rackloom.design.hardware import cages_of
from rackloom.design.kits import add_rack_system
from rackloom.design.slots import height_u, refusal
from rackloom.placement.geometry import rack_height_mm
from rackloom_gui.canvas.tools import places
from rackloom_gui.canvas.tools.ghosts import Box, Ghost, Hand
from rackloom_gui.canvas.tools.move import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rackloom.catalog.words import Side
    from rackloom_gui.canvas.faces import Face
    from rackloom_gui.canvas.pane import Pane
    from rackloom_gui.tokens import DeviceColour

PART_MIME = "application/x-rackloom-part"
"""What a drag from the palette carries: the part's id, as UTF-8."""
AISLE_M = 1.2
"""Between the rear of a row and the front of a new one behind it."""


def place_rack(
    draft: Draft,
    part: RackPart | RackSystemPart,
    row: str | None,
    position_m: float,
    parts: Mapping[PartId, Part] | None = None,
) -> str:
    """A rack in a row, or in a new row behind all others.

    A rack system comes with all that stands in it; ``parts`` is where its parts are.
    """
    if row is None:
        depths = [
            draft.rows[r.row].y_m + draft.part(r.part, RackPart).depth_mm / 1000
            for r in draft.racks.values()
        ]
        y_m = max(depths) + AISLE_M if depths else 0.0
        row = edits.add_row(draft, y_m=round(y_m, 3))
    if isinstance(part, RackSystemPart):
        return add_rack_system(draft, part, parts or {}, row, position_m)  # type: ignore[arg-type]
    return edits.add_rack(draft, part, row, position_m)  # type: ignore[arg-type]


def rack_of(part: RackPart | RackSystemPart, parts: Mapping[PartId, Part]) -> RackPart | None:
    """The rack that a rack system stands in; None where it is not published, or not known."""
    if isinstance(part, RackPart):
        return part
    found = parts.get(part.rack) if part.rack is not None else None
    return found if isinstance(found, RackPart) else None


class PartDrop:
    """The drop target of one view; also what the rack tool and a double click use."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self._part: Part | None = None
        self._hand: Hand | None = None
        self._edit: Callable[[], object] | None = None
        self._looks: dict[tuple[Side, PartId], tuple[Face | None, DeviceColour]] = {}
        """Face and colours of the part in hand, by the way it looks and the rack's part."""

    # From the drag

    def drag_enter(self, event: QDragEnterEvent, scene: QPointF) -> bool:
        mime = event.mimeData()
        if not mime.hasFormat(PART_MIME) or not self.pane.can_edit:
            return False
        part_id = bytes(mime.data(PART_MIME).data()).decode("utf-8", "replace")
        part = self.pane.part(PartId(part_id))
        if part is None:
            self.pane.say(tr("No part is called {id} in the catalogue.").format(id=part_id))
            return False
        self.begin(part)
        self.follow(scene)
        return True

    def drag_move(self, _event: QDragMoveEvent, scene: QPointF) -> bool:
        return self.follow(scene)

    def drag_scrolled(self, scene: QPointF) -> None:
        self.follow(scene)

    def drag_leave(self) -> None:
        self.give_up()

    def drop(self, _event: QDropEvent, scene: QPointF) -> bool:
        return self.finish(scene)

    # The steps

    def begin(self, part: Part) -> None:
        """Take a part in hand."""
        self._part = part
        self._looks.clear()
        self._hand = Hand()
        self.pane.show_hand(self._hand)

    def give_up(self) -> None:
        """Nothing is dropped."""
        self._part = self._hand = self._edit = None
        self.pane.show_hand(None)
        self.pane.refresh()

    def follow(self, scene: QPointF) -> bool:
        """Show where it would land; whether it may."""
        if self._part is None or self._hand is None:
            return False
        hand, self._edit = self._hand, None
        hand.pointer = (scene.x(), scene.y())
        hand.lit, hand.ghosts, hand.note = [], [], ""
        placed = isinstance(self._part, RackPart | RackSystemPart | DevicePart)
        if placed and self.pane.arrays.layout.name != "racks":
            hand.note = tr("Racks and devices are placed in the rack view.")
            self.pane.refresh()
            return True
        match self._part:
            case RackPart() | RackSystemPart():
                self._rack(self._part, hand, scene)
            case DevicePart():
                self._device(self._part, hand, scene)
            case CablePart() | TransceiverPart() as part:
                self._into_port(part, hand, scene)
            case NicPart():
                self._card(self._part, hand, scene)
        self.pane.refresh()
        # The drag goes on where it cannot land, so that the reason can be read.
        return True

    def finish(self, scene: QPointF) -> bool:
        """Do it where it is; says why not otherwise."""
        self.follow(scene)
        hand, edit = self._hand, self._edit
        reason = hand.reason if hand is not None else None
        note = hand.note if hand is not None else ""
        self._part = self._hand = self._edit = None
        self.pane.show_hand(None)
        self.pane.refresh()
        if edit is not None and reason is None:
            try:
                edit()
            except EditError as error:
                reason = str(error)
            else:
                self.pane.setFocus()
                return True
        self.pane.say(reason or note or tr("Nothing can be dropped here."))
        return False

    # What is dropped

    def _rack(self, part: RackPart | RackSystemPart, hand: Hand, scene: QPointF) -> None:
        design, drawing = self.pane.document.design, self.pane.drawing
        rack = rack_of(part, self.pane.catalog)
        if rack is None:
            hand.note = tr("What stands in {name} is not published: place its trays.").format(
                name=part.model
            )
            return
        band = drawing.band_at(scene.y())
        height, width = rack_height_mm(rack), rack.width_mm
        left = scene.x() - width / 2
        if band is None:
            x = places.snapped_x(design, drawing, "", left, width)
            below = drawing.bands[-1].floor_mm if drawing.bands else 0.0
            top = max(scene.y() - height / 2, below + 60.0) if drawing.bands else scene.y()
            hand.ghosts = [Ghost((x, top, width, height), part.model)]
            hand.note = tr("a new row")
            position = max(round(x / 1000.0, 4), 0.0) if drawing.bands else 0.0
            self._edit = lambda: self._put_rack(part, None, position)
            return
        x = places.snapped_x(design, drawing, band.row, left, width)
        row = design.rows[band.row]
        position = round(x / 1000.0 - row.x_m, 4)
        _, reason = places.tried(design, edits.add_rack, rack, band.row, position)
        box = (x, band.floor_mm - height, width, height)
        hand.ghosts = [Ghost(box, part.model, reason=reason)]
        hand.note = tr("{row}, {x:.2f} m").format(row=row.name, x=position)
        self._edit = lambda: self._put_rack(part, band.row, position)

    def _put_rack(
        self, part: RackPart | RackSystemPart, row: str | None, position_m: float
    ) -> None:
        document = self.pane.document
        first = not document.design.racks
        new = document.do(
            tr("Add {name}").format(name=part.model),
            place_rack, part, row, position_m, self.pane.catalog,
        )  # fmt: skip
        document.flush()
        document.select([new])
        if first:
            self.pane.fit_all()
        else:
            self.pane.show_ids([new])

    def _device(self, part: DevicePart, hand: Hand, scene: QPointF) -> None:
        pane, design, drawing = self.pane, self.pane.document.design, self.pane.drawing
        units = height_u(part)
        grab = units * 44.45 / 2
        target = places.slot_at(design, drawing, scene.x(), scene.y(), units, grab)
        if target is None:
            width, height = 482.6, max(part.rack_units, 1) * 44.45
            box = (scene.x() - width / 2, scene.y() - height / 2, width, height)
            why = tr("Put it into a rack.")
            if not design.racks:
                why = tr("There is no rack yet: drop one first.")
            hand.ghosts = [Ghost(box, part.model, reason=why)]
            return
        rack_id, bottom_u = target
        rack = design.racks[rack_id]  # type: ignore[index]
        face = pane.new_face(part)
        if not units:
            self._strip(part, rack_id, hand, scene)
            return
        hand.lit = places.free_boxes(design, drawing, rack_id, units)
        reason = refusal(design, part, rack.id, bottom_u, face)
        span = places.span_box(design, drawing, rack_id, bottom_u, bottom_u + units - 1)
        looks = self._looks.get((face, rack.part))
        if looks is None:
            looks = self._looks[face, rack.part] = pane.face_of_part(part, face, rack_id)
        ghost_face, colour = looks
        hand.ghosts = [Ghost(span, part.model, ghost_face, colour, reason)]
        hand.note = tr("{rack}, U{u}").format(rack=rack.name, u=bottom_u)
        self._edit = lambda: self._put_device(part, rack_id, bottom_u, face)

    def _strip(self, part: DevicePart, rack_id: str, hand: Hand, scene: QPointF) -> None:
        """A vertical PDU goes to the next free place at the rear posts."""
        design = self.pane.document.design
        after, reason = places.tried(design, edits.add_device, part, rack_id, None)
        box: Box = (scene.x() - 28, scene.y() - 400, 56.0, 800.0)
        face = colour = None
        if after is not None:
            new = max(after.devices.keys() - design.devices.keys())
            found = self.pane.place_in(after, new)
            box, face, colour = found
        hand.ghosts = [Ghost(box, part.model, face, colour, reason)]
        hand.note = tr("{rack}, at the rear posts").format(rack=design.racks[rack_id].name)  # type: ignore[index]
        self._edit = lambda: self._put_device(part, rack_id, None, None)

    def _put_device(
        self, part: DevicePart, rack_id: str, bottom_u: int | None, face: object
    ) -> None:
        document = self.pane.document
        fields: dict[str, Any] = {} if face is None else {"face": face}
        new = document.do(
            tr("Add {name}").format(name=part.model),
            edits.add_device, part, rack_id, bottom_u, **fields,
        )  # fmt: skip
        document.flush()
        document.select([new])

    def _into_port(self, part: CablePart | TransceiverPart, hand: Hand, scene: QPointF) -> None:
        pane = self.pane
        port = pane.hits.port_at(scene.x(), scene.y(), 6.0)
        if port is None:
            hand.note = tr("{name}: drop it on a port").format(name=part.model)
            if isinstance(part, CablePart):
                self._edit = lambda: pane.start_cable(part, None)
            return
        box = pane.arrays.port_place(*port)
        name = pane.document.design.devices[port[0]].name
        hand.note = tr("{device}, port {cage}").format(device=name, cage=port[1])
        if isinstance(part, CablePart):
            if box is not None:
                hand.ghosts = [Ghost(box, "")]
            self._edit = lambda: pane.start_cable(part, port)
            return
        design = pane.document.design
        _, reason = places.tried(design, put_module, part, *port)
        if box is not None:
            hand.ghosts = [Ghost(box, "", reason=reason)]
        label = tr("Add {name}").format(name=part.model)
        self._edit = lambda: pane.document.do(label, put_module, part, *port)

    def _card(self, part: NicPart, hand: Hand, scene: QPointF) -> None:
        pane, design = self.pane, self.pane.document.design
        device_id = pane.hits.device_at(scene.x(), scene.y())
        box = pane.arrays.box_of(device_id) if device_id else None
        if device_id is None or box is None:
            hand.note = tr("{name}: drop it on a server").format(name=part.model)
            return
        device = design.devices[device_id]  # type: ignore[index]
        slot, reason = free_slot(design, device_id)
        hand.ghosts = [Ghost(box, part.model, reason=reason)]
        if slot is not None:
            hand.note = tr("{device}, {slot}").format(device=device.name, slot=slot)
            label = tr("Add {name}").format(name=part.model)
            self._edit = lambda: pane.document.do(label, edits.set_card, device_id, slot, part)


def free_slot(design: Design, device_id: str) -> tuple[str | None, str | None]:
    """The first PCIe slot of a device without a card, or why there is none."""
    device = design.devices[device_id]  # type: ignore[index]
    part = design.part(device.part, DevicePart)
    slots = part.slots if isinstance(part, ServerPart) else ()
    taken = {name for name, _ in device.cards}
    for slot in slots:
        if slot.name not in taken:
            return slot.name, None
    if not slots:
        return None, tr("{name} has no slots for cards").format(name=part.model)
    return None, tr("all slots of {name} are taken").format(name=device.name)


def put_module(draft: Draft, part: TransceiverPart, device_id: str, cage: str) -> str:
    """A transceiver into a cage that takes it; EditError where it does not fit."""
    device = draft.devices[device_id]  # type: ignore[index]
    receptacle = cages_of(draft, device)[cage]
    if part.form_factor not in {receptacle.form_factor, *receptacle.accepts}:
        raise EditError(
            f"{part.model} is {part.form_factor}, port {cage} of {device.name} is "
            f"{receptacle.form_factor}",
            (device_id,),
        )
    return edits.insert_module(draft, part, device.id, cage)
