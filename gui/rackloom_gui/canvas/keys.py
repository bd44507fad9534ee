# SPDX-License-Identifier: Apache-2.0
"""The keyboard on the drawing: nudging, walking through racks and along cables, deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from rackloom.design import Design, EditError, edits
from rackloom.design.copying import duplicate
from rackloom.design.ids import DeviceId
from rackloom_gui.canvas.tools import places
from rackloom_gui.canvas.tools.move import tr
from rackloom_gui.canvas.tools.note import notes_to_move, shift_notes

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane

NOTE_STEP_M = 0.1
_STEPS = {
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
}


class Keys:
    """What the keys do in one view; the actions of the window call the same methods."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self._origin: str | None = None
        """The device whose cables one walks."""

    def handle(self, event: QKeyEvent) -> bool:
        """A key went down; True if it meant something."""
        key = Qt.Key(event.key())
        modifiers = event.modifiers()
        ctrl = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if key in _STEPS and modifiers & Qt.KeyboardModifier.AltModifier:
            return self.walk_cable(*_STEPS[key])
        if key in _STEPS and not ctrl and self.moves_something():
            across, up = _STEPS[key]
            many = 10 if modifiers & Qt.KeyboardModifier.ShiftModifier and up else 1
            self.nudge(across, up * many)
            return True
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete()
            return True
        if key == Qt.Key.Key_D and ctrl:
            self.duplicate()
            return True
        return False

    # Editing

    def moves_something(self) -> bool:
        """Whether arrow keys move something that is selected."""
        document = self.pane.document
        notes = document.selected("notes")
        return bool(document.selected("devices") or notes_to_move(self.pane, notes))

    def nudge(self, across: int, up: int) -> None:
        """Move the selected devices by U, or to the rack beside; one undo step within a second.

        Without devices notes are moved, a decimetre at a time.
        """
        pane, document = self.pane, self.pane.document
        design = document.design
        ids = document.selected("devices")
        if not pane.can_edit:
            return
        if not ids:
            notes = notes_to_move(pane, document.selected("notes"))
            key = f"nudge {' '.join(notes)}"
            shift_notes(pane, notes, across * NOTE_STEP_M, -up * NOTE_STEP_M, key)
            return
        anchor = next((i for i in ids if design.devices[i].bottom_u is not None), ids[0])  # type: ignore[index]
        held = design.devices[anchor]  # type: ignore[index]
        rack: str | None = held.rack
        if across:
            rack = _rack_beside(design, held.rack, across)
            if rack is None:
                pane.say(tr("There is no rack on that side."))
                return
        bottom = (held.bottom_u or 1) + up
        slots = places.shifted_slots(design, pane.drawing, ids, anchor, (rack or held.rack, bottom))
        reasons = places.refusals(design, slots)
        if reasons:
            pane.say(next(iter(reasons.values())))
            return
        merge = f"nudge {' '.join(ids)}"
        try:
            document.do(tr("Move by keys"), edits.move_devices, slots, merge_key=merge)
        except EditError as error:
            pane.say(str(error))
            return
        document.flush()
        pane.show_ids(ids)

    def delete(self) -> None:
        """Delete what is selected."""
        document = self.pane.document
        ids = document.selection
        if not ids or not self.pane.can_edit:
            return
        design = document.design
        name = design.name_of(next(iter(ids)))
        label = tr("Delete {name}").format(name=name)
        if len(ids) > 1:
            label = tr("Delete {count} things").format(count=len(ids))
        try:
            document.do(label, edits.remove, ids)
        except EditError as error:
            self.pane.say(str(error))
        document.flush()

    def duplicate(self) -> None:
        """Copies of devices in the next free U, of racks behind their row, of notes beside them."""
        document = self.pane.document
        chosen = (document.selected(table) for table in ("racks", "devices", "notes"))
        ids = [i for table in chosen for i in table]
        if not ids or not self.pane.can_edit:
            return
        name = document.design.name_of(ids[0])
        label = tr("Duplicate {name}").format(name=name)
        if len(ids) > 1:
            label = tr("Duplicate {count} things").format(count=len(ids))
        try:
            new = document.do(label, duplicate, document.design, ids)
        except EditError as error:
            self.pane.say(str(error))
            return
        document.flush()
        racks = [i for i in new if i in document.design.racks]
        document.select(racks or new)
        self.pane.show_ids(racks or new)

    # Walking

    def walk(self, forward: bool) -> bool:
        """Tab through the devices from the top of each rack, then the notes; False at the end."""
        document = self.pane.document
        order = walking_order(document.design, self.pane)
        if not order:
            return False
        chosen = [i for i in order if i in document.selection]
        if not chosen:
            target = order[0] if forward else order[-1]
        else:
            at = order.index(chosen[-1] if forward else chosen[0]) + (1 if forward else -1)
            if not 0 <= at < len(order):
                return False
            target = order[at]
        self._origin = None
        document.select([target])
        self.pane.show_ids([target])
        return True

    def walk_cable(self, across: int, up: int) -> bool:
        """From a device along a cable to its far end; up and down change the cable."""
        document = self.pane.document
        design = document.design
        cables = document.selected("cables")
        devices = document.selected("devices")
        if devices:
            own = design.index.cables_of_device.get(devices[-1], ())  # type: ignore[call-overload]
            if not own:
                self.pane.say(tr("Nothing is plugged in there."))
                return True
            self._origin = devices[-1]
            forward = across > 0 or up < 0
            self._go(own[0] if forward else own[-1])
            return True
        if not cables:
            return False
        cable = design.cables[cables[-1]]  # type: ignore[index]
        ends = [end.device for end in cable.ends]
        if self._origin not in ends:
            self._origin = ends[0]
        if up:
            own = design.index.cables_of_device.get(self._origin, ())  # type: ignore[call-overload]
            self._go(own[(own.index(cable.id) - up) % len(own)])
        elif across < 0:
            self._go(self._origin)
        else:
            far = [d for d in ends if d != self._origin] or ends
            self._go(far[0])
        return True

    def _go(self, entity_id: str | None) -> None:
        if entity_id is not None:
            self.pane.document.select([entity_id])
            self.pane.show_ids([entity_id])


def walking_order(design: Design, pane: Pane) -> list[str]:
    """Devices rack by rack, from the top U down, 0U devices after them; then notes."""
    drawing = pane.drawing
    racks = sorted(drawing.racks, key=lambda r: (drawing.origins[r][1], drawing.origins[r][0]))
    order: list[DeviceId] = []
    for rack in racks:
        inside = design.index.devices_in_rack.get(rack, ())
        order += sorted(
            inside,
            key=lambda d: (design.devices[d].bottom_u is None, -(design.devices[d].bottom_u or 0)),
        )
    notes = sorted(pane.arrays.notes.spots(), key=lambda spot: (spot.y, spot.x))
    return [*order, *(spot.note.id for spot in notes)]


def _rack_beside(design: Design, rack_id: str, across: int) -> str | None:
    rack = design.racks[rack_id]  # type: ignore[index]
    row = sorted(
        design.index.racks_in_row.get(rack.row, ()), key=lambda r: design.racks[r].position_m
    )
    at = row.index(rack.id) + across
    return row[at] if 0 <= at < len(row) else None
