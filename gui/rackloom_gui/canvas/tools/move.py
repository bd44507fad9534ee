# SPDX-License-Identifier: Apache-2.0
"""Dragging devices between slots and racks along rows; Alt makes copies instead.

Nothing changes until the button is released; then all of it happens in one step, or nothing does
and the ghosts fly back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPainter

from rackloom.catalog.parts import U_MM, DevicePart, RackPart
from rackloom.design import Design, Draft, EditError, edits
from rackloom.design.copying import duplicate, snippet
from rackloom.design.ids import by_age
from rackloom.design.names import device_names, name_after
from rackloom.design.slots import height_u, refusal
from rackloom_gui.canvas.gestures import CancelReason, PointerEvent
from rackloom_gui.canvas.tools import places
from rackloom_gui.canvas.tools.ghosts import Ghost, Hand

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane


def tr(text: str) -> str:
    """A text in the user's language."""
    return QCoreApplication.translate("Canvas", text)


class _Drag:
    """What dragging devices and dragging racks have in common."""

    def __init__(self, pane: Pane, event: PointerEvent, pressed: str) -> None:
        self.pane = pane
        self.pressed = pressed
        self.hand: Hand | None = None
        self._press = event.scene
        self._copying = False

    def move(self, event: PointerEvent) -> None:
        if self.hand is None:
            if not event.dragged:
                return
            self._take(event)
        self._copying = self._wants_copy(event)
        self.pane.viewport().setCursor(
            Qt.CursorShape.DragCopyCursor if self._copying else Qt.CursorShape.ClosedHandCursor
        )
        self._follow(event)
        self.pane.refresh()

    def end(self, event: PointerEvent) -> None:
        if self.hand is None:
            self.pane.click(self.pressed, event)
            return
        self.move(event)
        hand, self.hand = self.hand, None
        self.pane.take_in_hand(())
        self.pane.show_hand(None)
        if self._stays():
            return
        reason = hand.reason
        if reason is None:
            try:
                self._drop()
            except EditError as error:
                reason = str(error)
        if reason is not None:
            self.pane.say(reason)
            self.pane.fly_back(hand.ghosts, self._home())
        self.pane.update_cursor()

    def cancel(self, reason: CancelReason) -> None:
        if self.hand is not None:
            hand, self.hand = self.hand, None
            self.pane.take_in_hand(())
            self.pane.show_hand(None)
            if reason is CancelReason.ESCAPE:
                self.pane.fly_back(hand.ghosts, self._home())
        self.pane.update_cursor()

    def paint(self, _painter: QPainter, _scale: float) -> None:
        return None  # the overlay draws the hand

    def _take(self, event: PointerEvent) -> None:
        document = self.pane.document
        if self.pressed not in document.selection:
            if event.ctrl or event.shift:
                document.select_more([self.pressed])
            else:
                document.select([self.pressed])
        self.hand = Hand()
        self.pane.show_hand(self.hand)

    def _wants_copy(self, event: PointerEvent) -> bool:
        return event.ctrl or event.alt

    def _follow(self, event: PointerEvent) -> None:
        raise NotImplementedError

    def _drop(self) -> None:
        raise NotImplementedError

    def _stays(self) -> bool:
        raise NotImplementedError

    def _home(self) -> list[tuple[float, float, float, float]]:
        raise NotImplementedError


class MoveDevices(_Drag):
    """Devices in the hand; the pressed one leads, the others keep their relation to it."""

    def __init__(self, pane: Pane, event: PointerEvent, pressed: str) -> None:
        super().__init__(pane, event, pressed)
        self._ids: list[str] = []
        self._grab_mm = 0.0
        self._slots: dict[str, places.Slot | None] = {}

    def _take(self, event: PointerEvent) -> None:
        super()._take(event)
        document = self.pane.document
        self._ids = document.selected("devices")
        box = self.pane.arrays.box_of(self.pressed)
        self._grab_mm = self._press.y() - box[1] if box else 0.0

    def _follow(self, event: PointerEvent) -> None:
        assert self.hand is not None
        pane, design = self.pane, self.pane.document.design
        pane.take_in_hand(() if self._copying else self._ids)
        drawing = pane.drawing
        self.hand.pointer = (event.scene.x(), event.scene.y())
        part = design.part(design.devices[self.pressed].part, DevicePart)  # type: ignore[index]
        units = height_u(part)
        target = places.slot_at(
            design, drawing, event.scene.x(), event.scene.y(), units, self._grab_mm
        )
        if target is None:
            self._slots = dict.fromkeys(self._ids)
        else:
            self._slots = places.shifted_slots(design, drawing, self._ids, self.pressed, target)
        ignore = () if self._copying else tuple(self._ids)
        self.hand.lit = []
        if target is not None and units:
            self.hand.lit = places.free_boxes(design, drawing, target[0], units, ignore)
        if self._copying:
            reasons = _copy_refusals(design, self._slots)
        else:
            reasons = places.refusals(design, self._slots)
        self._show(event, reasons, target)

    def _show(
        self, event: PointerEvent, reasons: dict[str, str], target: tuple[str, int] | None
    ) -> None:
        assert self.hand is not None
        pane, design = self.pane, self.pane.document.design
        offset = event.scene - self._press
        ghosts = []
        for device_id in self._ids:
            home = pane.arrays.box_of(device_id) or (0.0, 0.0, 100.0, U_MM)
            slot = self._slots.get(device_id)
            if slot is None or slot[1] is None:
                box = (home[0] + offset.x(), home[1] + offset.y(), home[2], home[3])
            else:
                units = height_u(design.part(design.devices[device_id].part, DevicePart))  # type: ignore[index]
                span = places.span_box(design, pane.drawing, slot[0], slot[1], slot[1] + units - 1)
                box = (span[0] + (span[2] - home[2]) / 2, span[1], home[2], home[3])
            face, colour = pane.face_of(device_id)
            name = design.devices[device_id].name  # type: ignore[index]
            ghosts.append(Ghost(box, name, face, colour, reasons.get(device_id)))
        self.hand.ghosts = ghosts
        slot = self._slots.get(self.pressed)
        note = ""
        if target is not None and slot is not None and slot[1] is not None:
            rack = design.racks[slot[0]].name  # type: ignore[index]
            note = tr("{rack}, U{u}").format(rack=rack, u=slot[1])
        if note and self._copying:
            note = tr("copy to {place}").format(place=note)
        self.hand.note = note

    def _stays(self) -> bool:
        devices = self.pane.document.design.devices
        return not self._copying and all(
            slot == (devices[i].rack, devices[i].bottom_u)  # type: ignore[index]
            for i, slot in self._slots.items()
        )

    def _drop(self) -> None:
        document = self.pane.document
        slots = {i: slot for i, slot in self._slots.items() if slot is not None}
        first = document.design.devices[self.pressed].name  # type: ignore[index]
        count = len(slots)
        if self._copying:
            label = _label(tr("Duplicate"), first, count)
            new = document.do(label, copy_devices, document.design, slots)
            document.flush()
            document.select(new)
        else:
            document.do(_label(tr("Move"), first, count), edits.move_devices, slots)
            document.flush()

    def _home(self) -> list[tuple[float, float, float, float]]:
        return [self.pane.arrays.box_of(i) or (0.0, 0.0, 100.0, U_MM) for i in self._ids]


def _label(verb: str, name: str, count: int) -> str:
    if count == 1:
        return f"{verb} {name}"
    return tr("{verb} {count} devices").format(verb=verb, count=count)


def _copy_refusals(design: Design, slots: dict[str, places.Slot | None]) -> dict[str, str]:
    """Copies have to find room beside the originals."""
    found = {}
    for device_id, slot in slots.items():
        device = design.devices[device_id]  # type: ignore[index]
        part = design.part(device.part, DevicePart)
        if slot is None:
            found[device_id] = tr("there is no rack here")
        elif slot[1] is None:
            reason = places.mount_refusal(design, slot[0])
            if reason:
                found[device_id] = reason
        else:
            reason = refusal(design, part, slot[0], slot[1], device.face)  # type: ignore[arg-type]
            if reason:
                found[device_id] = reason
    return found


def copy_devices(draft: Draft, design: Design, slots: dict[str, places.Slot]) -> list[str]:
    """Copies of devices, with the cables among them, at given slots; returns the new devices."""
    names = set(device_names(draft))
    new: dict[str, str] = {}
    for device_id in sorted(slots, key=by_age):
        rack, bottom_u = slots[device_id]
        device = design.devices[device_id]  # type: ignore[index]
        name = name_after(device.name, names)
        names.add(name)
        copy_id = draft.new_id("devices")
        mount = edits.free_mount(draft, rack) if bottom_u is None else device.mount  # type: ignore[arg-type]
        draft.put(
            replace(device, id=copy_id, name=name, rack=rack, bottom_u=bottom_u, mount=mount)  # type: ignore[arg-type]
        )
        new[device_id] = copy_id
    clip = snippet(design, list(slots)).design
    for module in clip.modules.values():
        draft.put(replace(module, id=draft.new_id("modules"), device=new[module.device]))  # type: ignore[arg-type]
    for cable in clip.cables.values():
        ends = tuple(replace(end, device=new[end.device]) for end in cable.ends)  # type: ignore[arg-type]
        draft.put(replace(cable, id=draft.new_id("cables"), ends=ends, label=""))  # type: ignore[arg-type]
    return list(new.values())


class MoveRacks(_Drag):
    """Racks in the hand, with all in them."""

    def __init__(self, pane: Pane, event: PointerEvent, pressed: str) -> None:
        super().__init__(pane, event, pressed)
        self._ids: list[str] = []
        self._places: dict[str, tuple[str, float]] = {}

    def _wants_copy(self, event: PointerEvent) -> bool:
        return event.ctrl  # Alt lets a rack stand off the grid

    def _take(self, event: PointerEvent) -> None:
        super()._take(event)
        self._ids = self.pane.document.selected("racks")

    def _follow(self, event: PointerEvent) -> None:
        assert self.hand is not None
        pane, design = self.pane, self.pane.document.design
        drawing = pane.drawing
        held = [d for r in self._ids for d in design.index.devices_in_rack.get(r, ())]  # type: ignore[call-overload]
        pane.take_in_hand(() if self._copying else held)
        offset = event.scene - self._press
        self.hand.pointer = (event.scene.x(), event.scene.y())
        home = drawing.origins[self.pressed]  # type: ignore[index]
        lead = design.racks[self.pressed]  # type: ignore[index]
        width = design.part(lead.part, RackPart).width_mm
        band = drawing.band_at(event.scene.y()) or drawing.band_at(home[1] - 10.0)
        assert band is not None
        x = places.snapped_x(
            design, drawing, band.row, home[0] + offset.x(), width, self._ids, not event.alt
        )
        shift = x - home[0]
        rows = [b.row for b in drawing.bands]
        down = rows.index(band.row) - rows.index(lead.row)
        self._places = {}
        reason: str | None = None
        for rack_id in self._ids:
            rack = design.racks[rack_id]  # type: ignore[index]
            n = rows.index(rack.row) + down
            if not 0 <= n < len(rows):
                reason = tr("there is no row for {name} here").format(name=rack.name)
                continue
            row = design.rows[rows[n]]
            left = drawing.origins[rack.id][0] + shift
            self._places[rack_id] = (row.id, round(left / 1000.0 - row.x_m, 4))
        if reason is None and self._copying:
            _, reason = places.tried(design, copy_racks, design, self._places)
        elif reason is None:
            _, reason = places.tried(design, places.move_racks, self._places)
        self.hand.ghosts = []
        for rack_id in self._ids:
            box = pane.arrays.box_of(rack_id)
            if box is None or rack_id not in self._places:
                continue
            floor = drawing.bands[rows.index(self._places[rack_id][0])].floor_mm  # type: ignore[arg-type]
            ghost = (box[0] + shift, floor - box[3], box[2], box[3])
            self.hand.ghosts.append(Ghost(ghost, design.racks[rack_id].name, reason=reason))  # type: ignore[index]
        row = design.rows[band.row]
        self.hand.note = tr("{row}, {x:.2f} m").format(row=row.name, x=x / 1000.0 - row.x_m)

    def _stays(self) -> bool:
        racks = self.pane.document.design.racks
        return not self._copying and all(
            row == racks[i].row and abs(x_m - racks[i].position_m) < 1e-4  # type: ignore[index]
            for i, (row, x_m) in self._places.items()
        )

    def _drop(self) -> None:
        document = self.pane.document
        name = document.design.racks[self.pressed].name  # type: ignore[index]
        if self._copying:
            new = document.do(
                tr("Duplicate {name}").format(name=name),
                copy_racks,
                document.design,
                self._places,
            )
            document.flush()
            document.select(new)
            return
        label = tr("Move {name}").format(name=name)
        if len(self._places) > 1:
            label = tr("Move {count} racks").format(count=len(self._places))
        document.do(label, places.move_racks, self._places)
        document.flush()

    def _home(self) -> list[tuple[float, float, float, float]]:
        kept = [i for i in self._ids if i in self._places]
        return [self.pane.arrays.box_of(i) or (0.0, 0.0, 1.0, 1.0) for i in kept]


def copy_racks(draft: Draft, design: Design, spots: dict[str, tuple[str, float]]) -> list[str]:
    """Copies of racks with all in them at given (row, position in m); returns the new racks."""
    racks = []
    for rack_id in sorted(spots, key=by_age):
        new = duplicate(draft, design, [rack_id])
        copied = next(i for i in new if i in draft.racks)
        places.move_racks(draft, {copied: spots[rack_id]})
        racks.append(copied)
    return racks
