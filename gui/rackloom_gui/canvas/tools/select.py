# SPDX-License-Identifier: Apache-2.0
"""The select tool: click, add, toggle, rubber band, and dragging devices and racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent

from rackloom_gui.canvas.gestures import BaseTool, Gesture, PointerEvent, RubberBand
from rackloom_gui.canvas.tools.move import MoveDevices, MoveRacks
from rackloom_gui.canvas.tools.note import MoveNotes, notes_to_move

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane


class SelectTool(BaseTool):
    """What the left button does unless another tool is chosen."""

    name = "select"

    def __init__(self, pane: Pane) -> None:
        self.pane = pane

    def press(self, event: PointerEvent) -> Gesture | None:
        pane = self.pane
        hit = pane.hit_at(event.scene)
        found = hit.id
        document = pane.document
        if found is None:
            return self._band(event)
        if hit.note is not None:
            drags = pane.can_edit and bool(notes_to_move(pane, [hit.note]))
            return MoveNotes(pane, hit.note) if drags else ClickGesture(pane, hit.note)
        # Devices have their place in the rack view; elsewhere they are drawn where they belong.
        if pane.can_edit and pane.arrays.layout.name == "floor" and hit.rack is not None:
            from rackloom_gui.canvas.tools.move_on_floor import MoveRacksOnFloor

            return MoveRacksOnFloor(pane, event, hit.rack, found)
        movable = pane.can_edit and pane.arrays.layout.name == "racks"
        if found in document.design.devices and movable:
            return MoveDevices(pane, event, found)
        if found in document.design.racks and movable:
            holds = found in document.selection or pane.on_frame(found, event.scene)
            return MoveRacks(pane, event, found) if holds else self._band(event, found)
        return ClickGesture(pane, found)

    def _band(self, event: PointerEvent, under: str | None = None) -> Gesture:
        del event
        tokens = self.pane.look.tokens
        return RubberBand(
            (tokens.band_inside, tokens.band_touching),
            self._banded,
            lambda event: self.pane.click(under, event),
        )

    def _banded(self, rect: QRectF, touching: bool, event: PointerEvent) -> None:
        found = self.pane.hits.inside(
            rect.left(), rect.top(), rect.right(), rect.bottom(), touching, self.pane.scale_px
        )
        document = self.pane.document
        if event.ctrl:
            document.toggle(found)
        elif event.shift:
            document.select_more(found)
        else:
            document.select(found)

    def hover(self, event: PointerEvent) -> None:
        self.pane.hover_at(event.scene)

    def leave(self) -> None:
        self.pane.hover_at(None)

    def double_click(self, event: PointerEvent) -> bool:
        """A double click on a plugged port selects its cable; on a rack, all in it; a note is
        written in.
        """
        pane = self.pane
        hit = pane.hit_at(event.scene)
        if hit.note is not None:
            return pane.notes.edit(hit.note)
        if hit.device is not None and hit.cage is not None:
            cables = pane.cables_in(hit.device, hit.cage)
            if cables:
                pane.document.select(cables)
                return True
        if hit.id is not None and hit.id == hit.rack:
            inside = pane.document.design.index.devices_in_rack.get(hit.id, ())  # type: ignore[call-overload]
            pane.document.select(inside)
            return True
        return False

    def key(self, event: QKeyEvent) -> bool:
        return self.pane.keys.handle(event)

    def deactivate(self) -> None:
        self.pane.hover_at(None)


class ClickGesture:
    """A click on something that cannot be dragged."""

    def __init__(self, pane: Pane, found: str) -> None:
        self.pane, self.found = pane, found

    def move(self, event: PointerEvent) -> None:
        return None

    def end(self, event: PointerEvent) -> None:
        self.pane.click(self.found, event)

    def cancel(self, _reason: object) -> None:
        return None

    def paint(self, _painter: object, _scale: float) -> None:
        return None


class PanTool(BaseTool):
    """The hand: drags the paper."""

    name = "pan"
    cursor = Qt.CursorShape.OpenHandCursor

    def __init__(self, pane: Pane) -> None:
        self.pane = pane

    def press(self, event: PointerEvent) -> Gesture | None:
        return self.pane.pan_gesture(event)

    def hover(self, event: PointerEvent) -> None:
        self.pane.hover_at(event.scene)

    def leave(self) -> None:
        self.pane.hover_at(None)
