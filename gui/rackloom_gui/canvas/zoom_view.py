# SPDX-License-Identifier: Apache-2.0
"""Pan, zoom and fit of a graphics view: one zoom function, an anchor that stays, no dead ends."""

from typing import cast

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QNativeGestureEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

WHEEL_STEP_PX = 60
"""Scrolling for one notch (120 units) of a mouse wheel."""
FIT_MARGIN_PX = 16
KEY_ZOOM_DELTA = 120.0
"""Ctrl++ zooms by as much as one notch of the wheel: 2 ** (120 / 480)."""
_LARGEST_SCROLL = 2**30


def new_scene(parent: QWidget | None = None) -> QGraphicsScene:
    """A scene for few large layers: no index, so that changing items costs nothing."""
    scene = QGraphicsScene(parent)
    scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    return scene


def wheel_factor(delta: float) -> float:
    """Zoom factor of a wheel turn in eighths of a degree; smooth for a touchpad's small ones."""
    return float(2.0 ** (delta / 480.0))


class ZoomView(QGraphicsView):
    """A view that pans and zooms as people expect.

    `unit_scale` is how many logical pixels a scene unit takes at 100 %.
    """

    zoom_changed = Signal(float)
    """The new zoom, 1.0 being 100 %."""
    view_changed = Signal()
    """The visible part moved or changed size; for a minimap."""

    def __init__(
        self,
        scene: QGraphicsScene | None = None,
        parent: QWidget | None = None,
        *,
        unit_scale: float = 1.0,
    ) -> None:
        super().__init__(parent)
        self.setScene(scene if scene is not None else new_scene(self))
        self._unit_scale = unit_scale
        self._content = QRectF(0, 0, 1000, 1000)
        self._smallest_feature = 1.0
        self._anchor: tuple[QPointF, QPointF] | None = None
        self._pending_fit: tuple[QRectF | None, float] | None = None
        self.wheel_zooms = False
        """The CAD habit: the plain wheel zooms, Ctrl+wheel scrolls."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        # Always there: a bar that comes and goes would change the viewport while zooming.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._set_scale(self._unit_scale)
        self._apply_scroll_range()

    def after_view_moved(self) -> None:
        """The wheel or a pinch moved the scene under a resting pointer; for subclasses."""

    # -- extent and zoom ----------------------------------------------------------------------

    def set_content_rect(self, rect: QRectF, smallest_feature: float | None = None) -> None:
        """Say where the drawing is, in scene units, and how large its smallest thing is.

        One can scroll one viewport beyond it on all sides, and zoom from "all of it is 100 px"
        to "the smallest thing is 100 px". What is shown stays where it is.
        """
        if smallest_feature is not None:
            self._smallest_feature = smallest_feature
        if rect.width() <= 0 or rect.height() <= 0:
            rect = QRectF(rect.center() - QPointF(500, 500), rect.center() + QPointF(500, 500))
        self._content = QRectF(rect)
        self.scene().setSceneRect(rect)
        self._apply_scroll_range()

    @property
    def content_rect(self) -> QRectF:
        """Where the drawing is, in scene units."""
        return QRectF(self._content)

    @property
    def scale_px(self) -> float:
        """Logical pixels per scene unit."""
        return self.transform().m11()

    @property
    def zoom(self) -> float:
        """1.0 is 100 %."""
        return self.scale_px / self._unit_scale

    @property
    def zoom_limits(self) -> tuple[float, float]:
        """Smallest and largest zoom, 1.0 being 100 %."""
        rect = self._content
        lowest = min(100.0 / max(rect.width(), rect.height()), self._unit_scale)
        # A scroll bar counts in int: stay below what it can hold, in an endless hall too.
        farthest = max(map(abs, (rect.left(), rect.right(), rect.top(), rect.bottom())))
        highest = min(100.0 / self._smallest_feature, _LARGEST_SCROLL / (farthest + 1.0))
        return lowest / self._unit_scale, max(highest, self._unit_scale) / self._unit_scale

    def visible_rect(self) -> QRectF:
        """What is on screen, in scene units."""
        size = self.viewport().size()
        top_left = self.to_scene(QPointF(0, 0))
        return QRectF(top_left, self.to_scene(QPointF(size.width(), size.height())))

    def to_scene(self, view_pos: QPointF) -> QPointF:
        """Scene position of a viewport position, at full precision."""
        scroll = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        return (view_pos + scroll) / self.scale_px

    def to_view(self, scene_pos: QPointF) -> QPointF:
        """Viewport position of a scene position, at full precision."""
        scroll = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        return scene_pos * self.scale_px - scroll

    def zoom_to(self, zoom: float, anchor: QPointF | None = None) -> None:
        """Zoom so that the scene point under `anchor` (viewport; default its centre) stays put."""
        anchor = self._centre() if anchor is None else anchor
        fixed = self._anchored(anchor)
        low, high = self.zoom_limits
        zoom = min(max(zoom, low), high)
        if abs(zoom / self.zoom - 1.0) < 1e-9:
            return
        self._set_scale(zoom * self._unit_scale)
        self._apply_scroll_range()
        self._scroll_to(fixed * self.scale_px - anchor)
        self._anchor = (anchor, fixed)
        self._after_zoom()

    def zoom_by(self, factor: float, anchor: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out around a viewport position, default the centre."""
        self.zoom_to(self.zoom * factor, anchor)

    def zoom_in(self) -> None:
        """One step in, around the centre."""
        self.zoom_by(wheel_factor(KEY_ZOOM_DELTA))

    def zoom_out(self) -> None:
        """One step out, around the centre."""
        self.zoom_by(wheel_factor(-KEY_ZOOM_DELTA))

    def zoom_100(self) -> None:
        """100 %, around the centre."""
        self.zoom_to(1.0)

    def fit_all(self) -> None:
        """Show the whole drawing."""
        self._fit(None, float("inf"))

    def fit_rect(self, rect: QRectF, largest_zoom: float = 4.0) -> None:
        """Show a part of the drawing, not larger than `largest_zoom`, in the middle."""
        self._fit(QRectF(rect), largest_zoom)

    def ensure_seen(self, rect: QRectF) -> None:
        """Scroll just so far that `rect` is on screen; go to its centre if it was far away."""
        if not self.visible_rect().contains(rect):
            self.centre_on(rect.center())

    def centre_on(self, scene_pos: QPointF) -> None:
        """Put a scene position into the middle of the viewport."""
        self._scroll_to(scene_pos * self.scale_px - self._centre())
        self._after_scroll()

    def scroll_by(self, dx_px: int, dy_px: int) -> None:
        """Move the window over the drawing by logical pixels."""
        bar_x, bar_y = self.horizontalScrollBar(), self.verticalScrollBar()
        bar_x.setValue(bar_x.value() + dx_px)
        bar_y.setValue(bar_y.value() + dy_px)
        self._after_scroll()

    def _fit(self, rect: QRectF | None, largest_zoom: float) -> None:
        if not self.isVisible():
            self._pending_fit = (rect, largest_zoom)  # the size is not known before the show
            return
        self._pending_fit = None
        target = self._content if rect is None else rect
        size = self.viewport().size()
        width = max(1.0, size.width() - 2.0 * FIT_MARGIN_PX)
        height = max(1.0, size.height() - 2.0 * FIT_MARGIN_PX)
        scale = min(width / max(target.width(), 1e-9), height / max(target.height(), 1e-9))
        low, high = self.zoom_limits
        zoom = min(max(scale / self._unit_scale, low), high, largest_zoom)
        self._set_scale(zoom * self._unit_scale)
        self._apply_scroll_range()
        self._scroll_to(target.center() * self.scale_px - self._centre())
        self._anchor = None
        self._after_zoom()

    def _set_scale(self, scale: float) -> None:
        transform = self.transform()
        transform.reset()
        transform.scale(scale, scale)
        self.setTransform(transform)

    def _apply_scroll_range(self) -> None:
        """Content plus one viewport on each side, at the zoom in force."""
        size = self.viewport().size()
        margin_x, margin_y = size.width() / self.scale_px, size.height() / self.scale_px
        self.setSceneRect(self._content.adjusted(-margin_x, -margin_y, margin_x, margin_y))

    def _scroll_to(self, offset_px: QPointF) -> None:
        self.horizontalScrollBar().setValue(round(offset_px.x()))
        self.verticalScrollBar().setValue(round(offset_px.y()))

    def _centre(self) -> QPointF:
        size = self.viewport().size()
        return QPointF(size.width() / 2.0, size.height() / 2.0)

    def _anchored(self, anchor: QPointF) -> QPointF:
        """The scene point at `anchor`: the first one of a run, lest rounding adds up."""
        if self._anchor is not None and self._anchor[0] == anchor:
            drift = self.to_view(self._anchor[1]) - anchor
            if abs(drift.x()) < 1.0 and abs(drift.y()) < 1.0:
                return self._anchor[1]
        return self.to_scene(anchor)

    def _after_zoom(self) -> None:
        self.zoom_changed.emit(self.zoom)
        self.view_changed.emit()

    def _after_scroll(self) -> None:
        self._anchor = None

    # -- wheel and touchpad -------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        turn = event.angleDelta()
        is_wheel = event.pixelDelta().isNull()
        if ctrl != (self.wheel_zooms and is_wheel):
            self.zoom_by(wheel_factor(turn.y() or turn.x()), event.position())
            self.after_view_moved()
            return
        notches = QPointF(turn) / 120.0
        step = notches * WHEEL_STEP_PX if is_wheel else QPointF(event.pixelDelta())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and step.x() == 0:
            step = QPointF(step.y(), 0.0)
        self.scroll_by(round(-step.x()), round(-step.y()))
        self.after_view_moved()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.NativeGesture:
            return self._native_gesture(cast("QNativeGestureEvent", event))
        return super().viewportEvent(event)

    def _native_gesture(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.zoom_by(max(0.1, 1.0 + event.value()), event.position())
        self.after_view_moved()
        event.accept()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply_scroll_range()
        if self._pending_fit is not None and self.isVisible():
            self._fit(*self._pending_fit)
        self.view_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._pending_fit is not None:
            self._fit(*self._pending_fit)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.view_changed.emit()
