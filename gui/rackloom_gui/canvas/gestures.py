# SPDX-License-Identifier: Apache-2.0
"""What a canvas tool is: the view speaks to it in scene coordinates, one object per gesture.

A tool answers a press with a `Gesture` (or None); the view then sends that object every move and
at last exactly one `end` or `cancel`. So a tool keeps no half-finished state, and Esc, a lost
focus or a change of tool can never leave a drag hanging.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPen,
)


class CancelReason(StrEnum):
    """Why a gesture ended without a result."""

    ESCAPE = "escape"
    FOCUS_LOST = "focus lost"
    TOOL_CHANGED = "tool changed"
    SCENE_CHANGED = "scene changed"


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """Where the pointer is, and what is held down."""

    scene: QPointF
    """Position in scene units."""
    view: QPointF
    """Position in the viewport, logical pixels."""
    button: Qt.MouseButton
    """The button that changed; `NoButton` for moves."""
    buttons: Qt.MouseButton
    modifiers: Qt.KeyboardModifier
    scale: float
    """Logical pixels per scene unit, to turn a pick tolerance into scene units."""
    press_scene: QPointF
    """Where the gesture began; equals `scene` outside a gesture."""
    dragged: bool
    """Whether the pointer has gone `QApplication.startDragDistance()` since the press."""

    @property
    def shift(self) -> bool:
        """Whether Shift is held."""
        return bool(self.modifiers & Qt.KeyboardModifier.ShiftModifier)

    @property
    def ctrl(self) -> bool:
        """Whether Ctrl (Cmd on a Mac) is held."""
        return bool(self.modifiers & Qt.KeyboardModifier.ControlModifier)

    @property
    def alt(self) -> bool:
        """Whether Alt is held: no snapping."""
        return bool(self.modifiers & Qt.KeyboardModifier.AltModifier)


@runtime_checkable
class Gesture(Protocol):
    """One press-move-release, from the press on."""

    def move(self, event: PointerEvent) -> None:
        """The pointer moved, or the view scrolled under it."""

    def end(self, event: PointerEvent) -> None:
        """The button was released: do it."""

    def cancel(self, reason: CancelReason) -> None:
        """Put everything back; nothing happened."""

    def paint(self, painter: QPainter, scale: float) -> None:
        """Draw own feedback over the scene, in scene coordinates with cosmetic pens."""


class Tool(Protocol):
    """What the left button means now."""

    cursor: Qt.CursorShape

    def press(self, event: PointerEvent) -> Gesture | None:
        """The left button went down."""

    def hover(self, event: PointerEvent) -> None:
        """The pointer moved with no button held."""

    def leave(self) -> None:
        """The pointer left the view."""

    def double_click(self, event: PointerEvent) -> bool:
        """The left button was pressed twice quickly; the first was a gesture of its own.

        False: the second press is one like any other.
        """

    def context(self, event: PointerEvent) -> bool:
        """The right button was clicked. True if it meant something to the tool: no menu then."""

    def key(self, event: QKeyEvent) -> bool:
        """A key went down that the view has no use for. True if the tool had."""

    def deactivate(self) -> None:
        """Another tool takes over; forget hover marks."""


class BaseTool:
    """A tool that does nothing, to build others on."""

    cursor = Qt.CursorShape.ArrowCursor

    def press(self, _event: PointerEvent) -> Gesture | None:
        return None

    def hover(self, _event: PointerEvent) -> None:
        return None

    def leave(self) -> None:
        return None

    def double_click(self, _event: PointerEvent) -> bool:
        return False

    def context(self, _event: PointerEvent) -> bool:
        return False

    def key(self, _event: QKeyEvent) -> bool:
        return False

    def deactivate(self) -> None:
        return None


class DropTarget(Protocol):
    """Takes what is dragged onto the canvas from elsewhere."""

    def drag_enter(self, event: QDragEnterEvent, scene: QPointF) -> bool:
        """Whether it could take what is dragged."""

    def drag_move(self, event: QDragMoveEvent, scene: QPointF) -> bool:
        """Show the ghost; whether a drop here would be taken."""

    def drag_scrolled(self, scene: QPointF) -> None:
        """The view scrolled by itself under the resting pointer: move the ghost."""

    def drag_leave(self) -> None:
        """The drag went away or was given up."""

    def drop(self, event: QDropEvent, scene: QPointF) -> bool:
        """Put it here; whether it was taken."""


class PanGesture:
    """Drag the paper under the window."""

    def __init__(self, scroll_by: Callable[[int, int], None], start: QPointF) -> None:
        self._scroll_by = scroll_by
        self._last = start.toPoint()

    def move(self, event: PointerEvent) -> None:
        here = event.view.toPoint()
        step: QPoint = self._last - here
        self._last = here
        self._scroll_by(step.x(), step.y())

    def end(self, event: PointerEvent) -> None:
        self.move(event)

    def cancel(self, _reason: CancelReason) -> None:
        return None  # the view stays where it was dragged to: nothing to put back

    def paint(self, _painter: QPainter, _scale: float) -> None:
        return None


BandResult = Callable[[QRectF, bool, PointerEvent], None]
"""Receives the rectangle, whether touching counts (drawn right to left), and the last event."""


class RubberBand:
    """A frame pulled over the scene: left to right = wholly inside, right to left = touching.

    The two look different (solid blue, dashed green), as in CAD programs. `on_done` is called
    once on release, and not for a mere click; `on_click` is.
    """

    def __init__(
        self,
        colours: tuple[QColor, QColor],
        on_done: BandResult,
        on_click: Callable[[PointerEvent], None] | None = None,
        on_change: BandResult | None = None,
    ) -> None:
        self._inside, self._touching = colours
        self._on_done = on_done
        self._on_click = on_click
        self._on_change = on_change
        self.rect: QRectF | None = None
        self.touching = False

    def move(self, event: PointerEvent) -> None:
        if not event.dragged:
            return
        self.rect = QRectF(event.press_scene, event.scene).normalized()
        self.touching = event.scene.x() < event.press_scene.x()
        if self._on_change is not None:
            self._on_change(self.rect, self.touching, event)

    def end(self, event: PointerEvent) -> None:
        self.move(event)
        rect, self.rect = self.rect, None
        if rect is not None:
            self._on_done(rect, self.touching, event)
        elif self._on_click is not None:
            self._on_click(event)

    def cancel(self, _reason: CancelReason) -> None:
        self.rect = None

    def paint(self, painter: QPainter, _scale: float) -> None:
        if self.rect is None:
            return
        colour = self._touching if self.touching else self._inside
        style = Qt.PenStyle.DashLine if self.touching else Qt.PenStyle.SolidLine
        pen = QPen(colour, 1.0, style)
        pen.setCosmetic(True)
        wash = QColor(colour)
        wash.setAlphaF(0.12)  # one rectangle: the cost of alpha does not matter here
        painter.setPen(pen)
        painter.setBrush(QBrush(wash))
        painter.drawRect(self.rect)
