# SPDX-License-Identifier: Apache-2.0
"""The scene's items: two layers that draw all of the design, and one overlay for what is touched.

Never an item per device, port or cable: that is what makes Qt canvases slow.
"""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.cable_drawing import draw_cables
from rackloom_gui.canvas.drawing import draw_devices
from rackloom_gui.canvas.labels import draw_labels
from rackloom_gui.canvas.look import SEGMENT_BUDGET, Look, Window
from rackloom_gui.canvas.notes import draw_notes
from rackloom_gui.canvas.pencil import Pencil

FAR = 1e7
"""Layers say they are everywhere: they cull by arrays."""


class Layer(QGraphicsItem):
    """An item that covers the scene and draws in device pixels with a pencil."""

    paints = 0
    """Python-level paint calls of all layers, for the test that counts them."""

    def __init__(self, z: float) -> None:
        super().__init__()
        self.setZValue(z)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def boundingRect(self) -> QRectF:
        return QRectF(-FAR, -FAR, 2 * FAR, 2 * FAR)

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        Layer.paints += 1
        transform = painter.worldTransform()
        scale = transform.m11()
        ratio = painter.device().devicePixelRatio()
        origin = transform.map(QPointF(0, 0))
        exposed: QRectF = option.exposedRect
        margin = 4.0 / scale
        window = Window(
            exposed.left() - margin,
            exposed.top() - margin,
            exposed.right() + margin,
            exposed.bottom() + margin,
        )
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, True)
        try:
            self.draw(Pencil(painter, scale, (origin.x(), origin.y()), ratio=ratio), window)
        finally:  # an unbalanced painter would take the program down with the error
            painter.restore()

    def draw(self, pencil: Pencil, window: Window) -> None:
        """Draw what is in the window."""
        raise NotImplementedError


class FloorLayer(Layer):
    """Racks, trays, devices with their faceplates, ports and names."""

    def __init__(
        self,
        scene: SceneArrays,
        look: Look,
        backdrop: Callable[[Pencil, SceneArrays, Window, Look], None],
        redraw_soon: Callable[[], None],
    ) -> None:
        super().__init__(0)
        self._scene, self.look = scene, look
        self._backdrop = backdrop
        self._redraw_soon = redraw_soon

    def draw(self, pencil: Pencil, window: Window) -> None:
        sprites = self.look.sprites
        if sprites is not None:
            sprites.begin_frame()
        self._backdrop(pencil, self._scene, window, self.look)
        if self._scene.layout.draws_devices:
            draw_devices(pencil, self._scene, window, self.look, names=False)
        if sprites is not None and sprites.incomplete:
            self._redraw_soon()


class CableLayer(Layer):
    """Cables, or their bundles where they would be too many."""

    def __init__(self, scene: SceneArrays, look: Look, bundled: Callable[[bool], None]) -> None:
        super().__init__(1)
        self._scene, self.look = scene, look
        self._bundled = bundled
        self.budget = SEGMENT_BUDGET

    def draw(self, pencil: Pencil, window: Window) -> None:
        self._bundled(draw_cables(pencil, self._scene, window, self.look, self.budget))


class NameLayer(Layer):
    """Names of devices and notes, over the cables."""

    def __init__(self, scene: SceneArrays, look: Look) -> None:
        super().__init__(1.5)
        self._scene, self.look = scene, look

    def draw(self, pencil: Pencil, window: Window) -> None:
        if self._scene.layout.draws_devices:
            draw_labels(pencil, self._scene, window, self.look)
        draw_notes(pencil, self._scene, window, self.look)


class OverlayLayer(Layer):
    """What the user touches: selection, hover, ghosts, marks. Drawn by whoever is asked."""

    def __init__(self, draw: Callable[[Pencil, Window], None]) -> None:
        super().__init__(2)
        self._draw = draw

    def draw(self, pencil: Pencil, window: Window) -> None:
        self._draw(pencil, window)
