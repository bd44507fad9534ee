# SPDX-License-Identifier: Apache-2.0
"""The rack tool: a rack follows the pointer and is put down with a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from rackloom.catalog.parts import RackPart
from rackloom_gui.canvas.gestures import BaseTool, CancelReason, Gesture, PointerEvent
from rackloom_gui.canvas.tools.drop import PartDrop
from rackloom_gui.canvas.tools.move import tr

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane


class RackTool(BaseTool):
    """Puts racks of one part: the last one used in the design, else a plain 48U one."""

    name = "rack"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self._drop = PartDrop(pane)

    def _part(self) -> RackPart | None:
        design, catalog = self.pane.document.design, self.pane.catalog
        if design.racks:
            return design.part(list(design.racks.values())[-1].part, RackPart)
        parts = catalog.of_kind(RackPart)
        fitting = [p for p in parts if p.rack_units == 48]
        found = fitting or parts
        return found[0] if found else None

    def hover(self, event: PointerEvent) -> None:
        part = self._part()
        if part is None or not self.pane.can_edit:
            return
        if self.pane.hand is None:
            self._drop.begin(part)
        self._drop.follow(event.scene)

    def press(self, event: PointerEvent) -> Gesture | None:
        self.hover(event)
        return _Put(self)

    def put(self, event: PointerEvent) -> None:
        """Put the rack down."""
        if self.pane.hand is None:
            self.hover(event)
        self._drop.finish(event.scene)

    def leave(self) -> None:
        self._drop.give_up()

    def key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            self.pane.tool_wanted.emit("select")
            return True
        return False

    def deactivate(self) -> None:
        self._drop.give_up()
        self.pane.say(tr(""))


class _Put:
    """One click of the rack tool."""

    def __init__(self, tool: RackTool) -> None:
        self.tool = tool

    def move(self, event: PointerEvent) -> None:
        self.tool.hover(event)

    def end(self, event: PointerEvent) -> None:
        self.tool.put(event)

    def cancel(self, _reason: CancelReason) -> None:
        self.tool.leave()

    def paint(self, _painter: object, _scale: float) -> None:
        return None
