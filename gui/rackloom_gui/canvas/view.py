# SPDX-License-Identifier: Apache-2.0
"""The window onto a scene: pan, zoom, fit, auto-scroll; everything else goes to the tool in hand.

Knows nothing of designs. Gestures are written down in `rackloom_gui.dialogs.shortcuts`.
"""

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView, QToolTip, QWidget

from rackloom_gui.canvas.gestures import (
    BaseTool,
    CancelReason,
    DropTarget,
    Gesture,
    PanGesture,
    PointerEvent,
    Tool,
)
from rackloom_gui.canvas.zoom_view import ZoomView
from rackloom_gui.tokens import LIGHT, Tokens

AUTO_SCROLL_MARGIN_PX = 24
"""Dragging within this distance of the edge scrolls the view."""
AUTO_SCROLL_PX_PER_S = 900.0
"""Speed right at the edge; it grows with the depth, and on beyond the edge."""
ARROW_STEP_PX = 60
_AUTO_SCROLL_MS = 16


class CanvasView(ZoomView):
    """A zooming view that forwards mouse, keys and drops to the tool in hand."""

    hovered = Signal(QPointF)
    """The pointer is at this scene position."""
    left = Signal()
    escaped = Signal()
    """Esc with no gesture to cancel and no tool to take it: clear the selection."""
    context_requested = Signal(QPointF, QPoint)
    """Open the context menu: scene position, global position."""

    def __init__(
        self,
        scene: QGraphicsScene | None = None,
        parent: QWidget | None = None,
        *,
        unit_scale: float = 1.0,
    ) -> None:
        super().__init__(scene, parent, unit_scale=unit_scale)
        self._tool: Tool = BaseTool()
        self._gesture: Gesture | None = None
        self._panning = False
        self._button = Qt.MouseButton.NoButton
        self._press = QPointF()
        self._press_scene = QPointF()
        self._dragged = False
        self._space = False
        self._tabbing = False
        self._focus_ring = False
        self._ring_colour = LIGHT.accent
        self.drop_target: DropTarget | None = None
        self.arrows_pan: Callable[[], bool] = lambda: True
        """Whether arrow keys pan now; False while they move a selection."""
        self.walk: Callable[[bool], bool] = lambda _forward: False
        """Tab (True) or Shift+Tab: go to the next thing; False lets the focus move on."""
        self.tip_at: Callable[[QPointF], str] = lambda _scene: ""
        """Rich text of the tooltip at a scene position."""
        self._auto_timer = QTimer(self)
        self._auto_timer.setInterval(_AUTO_SCROLL_MS)
        self._auto_timer.timeout.connect(self._auto_scroll)
        self._last_move: QMouseEvent | None = None
        self._drag_timer = QTimer(self)
        self._drag_timer.setInterval(_AUTO_SCROLL_MS)
        self._drag_timer.timeout.connect(self._drag_scroll)
        self._drag_pos = QPointF()
        self._drag_armed = False
        self._setup()

    def _setup(self) -> None:
        self.setDragMode(QGraphicsView.DragMode.NoDrag)
        self.setInteractive(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setAccessibleName(self.tr("Drawing"))
        self.setAccessibleDescription(
            self.tr("The drawing; the Devices and Cables panels list the same things as tables.")
        )

    # -- tool -----------------------------------------------------------------------------------

    @property
    def tool(self) -> Tool:
        """What the left button means now."""
        return self._tool

    def set_tool(self, tool: Tool) -> None:
        """Take another tool; a gesture under way is cancelled."""
        self.cancel_gesture(CancelReason.TOOL_CHANGED)
        self._tool.deactivate()
        self._tool = tool
        self.update_cursor()

    def update_cursor(self) -> None:
        """Show the pointer of the tool, or the hand while panning."""
        if self._panning:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._space:
            shape = Qt.CursorShape.OpenHandCursor
        else:
            shape = self._tool.cursor
        self.viewport().setCursor(shape)

    @property
    def gesture(self) -> Gesture | None:
        """The gesture under way, if the tool has one."""
        return self._gesture

    def pan_gesture(self, event: PointerEvent) -> Gesture:
        """A gesture that drags the paper: what the hand tool answers a press with."""
        return PanGesture(self.scroll_by, event.view)

    def cancel_gesture(self, reason: CancelReason) -> bool:
        """Give up what is being dragged; True if something was."""
        gesture, self._gesture = self._gesture, None
        self._auto_timer.stop()
        self._panning = False
        self._button = Qt.MouseButton.NoButton
        self.update_cursor()
        if gesture is None:
            return False
        gesture.cancel(reason)
        self.viewport().update()
        return True

    def pointer_event(self, event: QMouseEvent) -> PointerEvent:
        """A mouse event in the words of the tools."""
        view = event.position()
        scene = self.to_scene(view)
        active = self._button != Qt.MouseButton.NoButton
        return PointerEvent(
            scene=scene,
            view=view,
            button=event.button(),
            buttons=event.buttons(),
            modifiers=event.modifiers(),
            scale=self.scale_px,
            press_scene=self._press_scene if active else scene,
            dragged=active and self._dragged,
        )

    def pointer_place(self) -> QPointF | None:
        """Where on the scene the pointer is; None while it is elsewhere."""
        event = self._last_move
        return None if event is None else self.to_scene(event.position())

    # -- mouse --------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        if self._button != Qt.MouseButton.NoButton:
            return  # a second button while the first is held
        self._button = event.button()
        self._press = event.position()
        self._press_scene = self.to_scene(self._press)
        self._dragged = False
        pointer = self.pointer_event(event)
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and self._space
        ):
            self._panning = True
            self._gesture = self.pan_gesture(pointer)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._gesture = self._tool.press(pointer)
            self._panning = isinstance(self._gesture, PanGesture)
        self.update_cursor()
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self._last_move = event.clone()
        self._note_drag(event)
        pointer = self.pointer_event(event)
        if self._button == Qt.MouseButton.RightButton and self._dragged and not self._panning:
            self._panning = True
            self._gesture = PanGesture(self.scroll_by, self._press)
            self.update_cursor()
        if self._gesture is not None:
            self._gesture.move(pointer)
            self._watch_edge(event)
            self.viewport().update()
        elif self._button == Qt.MouseButton.NoButton:
            self._tool.hover(pointer)
        self.hovered.emit(pointer.scene)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        if event.button() != self._button:
            return
        self._note_drag(event)
        pointer = self.pointer_event(event)
        gesture, self._gesture = self._gesture, None
        clicked_right = event.button() == Qt.MouseButton.RightButton and gesture is None
        self._button = Qt.MouseButton.NoButton
        self._panning = False
        self._auto_timer.stop()
        self.update_cursor()
        if gesture is not None:
            gesture.end(pointer)
            self.viewport().update()
        if clicked_right and not self._tool.context(pointer):
            self.context_requested.emit(pointer.scene, event.globalPosition().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()
        left = event.button() == Qt.MouseButton.LeftButton and not self._space
        if not (left and self._tool.double_click(self.pointer_event(event))):
            self.mousePressEvent(event)  # two quick clicks of a tool that knows single ones only

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # The mouse's menu opens on release, so that the right button can pan too.
        event.accept()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            position = self._centre()
            self.context_requested.emit(self.to_scene(position), event.globalPos())

    def _note_drag(self, event: QMouseEvent) -> None:
        if self._button != Qt.MouseButton.NoButton and not self._dragged:
            way = event.position() - self._press
            self._dragged = way.manhattanLength() >= QApplication.startDragDistance()

    # -- auto-scroll --------------------------------------------------------------------------

    def edge_speed(self, view_pos: QPointF) -> QPointF:
        """Auto-scroll speed at a viewport position, px/s: 0 inside, growing from the edge zone."""
        size = self.viewport().size()

        def along(position: float, length: float) -> float:
            low = AUTO_SCROLL_MARGIN_PX - position
            high = position - (length - AUTO_SCROLL_MARGIN_PX)
            depth = -low if low > 0 else max(high, 0.0)
            depth = max(-3.0, min(3.0, depth / AUTO_SCROLL_MARGIN_PX))
            return depth * AUTO_SCROLL_PX_PER_S

        return QPointF(along(view_pos.x(), size.width()), along(view_pos.y(), size.height()))

    def _watch_edge(self, event: QMouseEvent) -> None:
        if self._panning or not self._dragged or self.edge_speed(event.position()).isNull():
            self._auto_timer.stop()
        elif not self._auto_timer.isActive():
            self._auto_timer.start()

    def _auto_scroll(self) -> None:
        event = self._last_move
        if event is None or self._gesture is None:
            self._auto_timer.stop()
            return
        speed = self.edge_speed(event.position()) * (_AUTO_SCROLL_MS / 1000.0)
        self.scroll_by(round(speed.x()), round(speed.y()))
        self.after_view_moved()

    def after_view_moved(self) -> None:
        event = self._last_move
        if event is None:
            return
        pointer = self.pointer_event(event)
        if self._gesture is not None and not self._panning:
            self._gesture.move(pointer)
        elif self._button == Qt.MouseButton.NoButton:
            self._tool.hover(pointer)
        self.hovered.emit(pointer.scene)
        self.viewport().update()

    # -- events of other kinds ------------------------------------------------------------------

    def viewportEvent(self, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Leave:
            self._last_move = None
            self._tool.leave()
            self.left.emit()
        elif kind == QEvent.Type.ToolTip:
            return self._show_tip(cast("QHelpEvent", event))
        return super().viewportEvent(event)

    def _show_tip(self, event: QHelpEvent) -> bool:
        text = "" if self._gesture is not None else self.tip_at(self.to_scene(QPointF(event.pos())))
        if text:
            QToolTip.showText(event.globalPos(), text, self.viewport())
        else:
            QToolTip.hideText()
            event.ignore()
        return True

    # -- keys -----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        event.accept()
        if key == Qt.Key.Key_Escape:
            if not self.cancel_gesture(CancelReason.ESCAPE) and not self._tool.key(event):
                self.escaped.emit()
        elif self._tool.key(event):
            return
        elif key == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space = True
                self.update_cursor()
        elif key in _ARROWS and self.arrows_pan():
            many = 5 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            dx, dy = _ARROWS[Qt.Key(key)]
            self.scroll_by(dx * ARROW_STEP_PX * many, dy * ARROW_STEP_PX * many)
        elif key in _PAGES:
            self.scroll_by(0, _PAGES[Qt.Key(key)] * self.viewport().height() * 9 // 10)
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.update_cursor()
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress:
            return super().event(event)
        key = cast("QKeyEvent", event).key()
        self._tabbing = key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        try:
            return super().event(event)
        finally:
            self._tabbing = False

    def focusNextPrevChild(self, next: bool) -> bool:
        # Qt asks for it too when a view with the focus is hidden: nobody wants to walk then.
        if self._tabbing and self.walk(next):
            return True
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._focus_ring = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        )
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._focus_ring = False
        self._space = False
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.cancel_gesture(CancelReason.FOCUS_LOST)
        self.update_cursor()
        self.viewport().update()

    # -- drops ----------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        target, scene = self.drop_target, self.to_scene(event.position())
        self._drag_armed = False
        if target is not None and target.drag_enter(event, scene):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        target = self.drop_target
        if target is None:
            event.ignore()
            return
        self._watch_drag_edge(event.position())
        if target.drag_move(event, self.to_scene(event.position())):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drag_timer.stop()
        if self.drop_target is not None:
            self.drop_target.drag_leave()
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drag_timer.stop()
        target, scene = self.drop_target, self.to_scene(event.position())
        if target is not None and target.drop(event, scene):
            event.acceptProposedAction()
        else:
            event.ignore()

    def _watch_drag_edge(self, view_pos: QPointF) -> None:
        """Scroll near the edge, but not while the pointer only just comes in over it."""
        self._drag_pos = QPointF(view_pos)
        if self.edge_speed(view_pos).isNull():
            self._drag_armed = True
            self._drag_timer.stop()
        elif self._drag_armed and not self._drag_timer.isActive():
            self._drag_timer.start()

    def _drag_scroll(self) -> None:
        speed = self.edge_speed(self._drag_pos) * (_AUTO_SCROLL_MS / 1000.0)
        self.scroll_by(round(speed.x()), round(speed.y()))
        if self.drop_target is not None:
            self.drop_target.drag_scrolled(self.to_scene(self._drag_pos))

    # -- frame ------------------------------------------------------------------------------------

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of a theme: paper, and the frame that shows the keyboard focus."""
        self.set_focus_ring_colour(tokens.accent)
        self.setBackgroundBrush(tokens.canvas)

    def set_focus_ring_colour(self, colour: QColor) -> None:
        """Colour of the frame that shows the keyboard focus."""
        self._ring_colour = QColor(colour)
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | object) -> None:
        if self._gesture is not None:
            painter.save()
            self._gesture.paint(painter, self.scale_px)
            painter.restore()
        if self._focus_ring:
            painter.save()
            painter.resetTransform()
            painter.setPen(QPen(self._ring_colour, 2))
            size = self.viewport().size()
            painter.drawRect(QRectF(1, 1, size.width() - 2, size.height() - 2))
            painter.restore()


_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
