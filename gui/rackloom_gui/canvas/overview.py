# SPDX-License-Identifier: Apache-2.0
"""A small picture of the whole drawing in a corner, with a frame around what is on screen.

A click or a drag in it moves the view. The picture is painted once for a design and kept; only the
frame is drawn anew while the view moves. It hides while about all of the drawing is on screen.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from rackloom_gui.canvas.backdrops import backdrop_of
from rackloom_gui.canvas.cable_drawing import draw_cables
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.drawing import draw_devices
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.pane import Pane
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme

LONGEST_PX, HIGHEST_PX = 220.0, 150.0
LEAST_PX = 24.0
"""A drawing that is very long or high still leaves something to aim at."""
MARGIN_PX = 10
SCROLL_BAR_PX = 14
SHARE_MOST = 0.45
"""In a canvas so small that it would take more than this of its width or height, it hides."""
ENOUGH = 0.85
"""With more than this share of the drawing on screen there is nothing to look for."""
REPAINT_MS = 200
SEGMENTS = 4000
"""More cable segments than this are drawn as bundles."""


class Overview(QWidget):
    """Follows the lower right corner of the canvas."""

    def __init__(self, document: Document, canvas: Canvas, theme: Theme) -> None:
        super().__init__(canvas)
        self._canvas, self._theme = canvas, theme
        self._picture: QPixmap | None = None
        self._wanted = True
        self._grab: QPointF | None = None
        self._repaint = QTimer(self)
        self._repaint.setSingleShot(True)
        self._repaint.setInterval(REPAINT_MS)
        self._repaint.timeout.connect(self._forget_picture)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Overview of the drawing"))
        self.setToolTip(self.tr("Drag to move over the drawing"))
        self.hide()
        canvas.installEventFilter(self)
        canvas.view_changed.connect(self._follow)
        # Methods, not lambdas: what outlives the widget must not call it.
        canvas.view_switched.connect(self._forget_picture)
        theme.changed.connect(self._forget_picture)
        document.changed.connect(self._repaint_soon)
        document.replaced.connect(self._repaint_soon)

    @property
    def wanted(self) -> bool:
        """Whether the user wants to see it, where there is anything to see in it."""
        return self._wanted

    def set_wanted(self, wanted: bool) -> None:
        """Show it where it is of use, or never."""
        self._wanted = wanted
        self._follow()

    # -- where it is, and what it shows -----------------------------------------------------------

    @property
    def _pane(self) -> Pane:
        return self._canvas.pane

    def _repaint_soon(self, *_what: object) -> None:
        self._repaint.start()

    def _forget_picture(self, *_what: object) -> None:
        self._picture = None
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        """Show or hide, and move the frame."""
        content, pane = self._pane.content_rect, self._pane
        size = QSizeF(content.size())
        size.scale(LONGEST_PX, HIGHEST_PX, Qt.AspectRatioMode.KeepAspectRatio)
        width, height = max(size.width(), LEAST_PX), max(size.height(), LEAST_PX)
        room = self._canvas.size()
        small = width > room.width() * SHARE_MOST or height > room.height() * SHARE_MOST
        empty = not (pane.document.design.racks or pane.document.design.devices)
        if not self._wanted or small or empty or self._shows_nearly_all(content):
            self.hide()
            return
        box = (round(width) + 2, round(height) + 2)
        if (self.width(), self.height()) != box:
            self.setFixedSize(*box)
            self._picture = None
        self.move(
            room.width() - self.width() - MARGIN_PX - SCROLL_BAR_PX,
            room.height() - self.height() - MARGIN_PX - SCROLL_BAR_PX,
        )
        self.show()
        self.raise_()
        self.update()

    def _shows_nearly_all(self, content: QRectF) -> bool:
        seen = self._pane.visible_rect() & content
        return seen.width() * seen.height() >= ENOUGH * content.width() * content.height()

    def _scale(self) -> float:
        """Pixels of the overview for a millimetre of the drawing."""
        content = self._pane.content_rect
        return min((self.width() - 2) / content.width(), (self.height() - 2) / content.height())

    def _origin(self) -> QPointF:
        """Where the drawing's zero is: its middle is in the middle of the overview."""
        return QRectF(self.rect()).center() - self._pane.content_rect.center() * self._scale()

    def frame(self) -> QRectF:
        """The frame around what is on screen, inside the overview."""
        seen, scale = self._pane.visible_rect(), self._scale()
        rect = QRectF(self._origin() + seen.topLeft() * scale, seen.size() * scale)
        if rect.width() < 6.0 or rect.height() < 6.0:  # a speck could not be found or grabbed
            rect = QRectF(rect.center() - QPointF(3.0, 3.0), QSizeF(6.0, 6.0)).united(rect)
        return rect & QRectF(self.rect()).adjusted(1.0, 1.0, -1.0, -1.0)

    # -- painting ---------------------------------------------------------------------------------

    def _painted(self) -> QPixmap:
        """The whole drawing, small."""
        ratio, pane, tokens = self.devicePixelRatioF(), self._pane, self._theme.tokens
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(tokens.canvas)
        scale, origin = self._scale(), self._origin()
        content, look = pane.content_rect, Look(tokens)
        window = Window(content.left(), content.top(), content.right(), content.bottom())
        painter = QPainter(pixmap)
        try:
            pencil = Pencil(painter, scale, (origin.x(), origin.y()), ratio=ratio)
            backdrop_of(pane.arrays.layout)(pencil, pane.arrays, window, look)
            if pane.arrays.layout.draws_devices:
                draw_devices(pencil, pane.arrays, window, look, names=False)
            draw_cables(pencil, pane.arrays, window, look, SEGMENTS)
        finally:
            painter.end()
        return pixmap

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is None:
            self._pane.catch_up()
            self._picture = self._painted()
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        frame, whole = self.frame(), QRectF(self.rect())
        shade = QColor(tokens.canvas)
        shade.setAlphaF(0.55)
        for part in _around(whole, frame):
            painter.fillRect(part, shade)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(tokens.border_strong, 1))
        painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QPen(tokens.accent, 2))
        painter.drawRect(frame)
        painter.end()

    # -- moving the view --------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self.frame().contains(event.position()):  # held where it was taken, it does not jump
            centre = self._pane.visible_rect().center()
            self._grab = event.position() - (self._origin() + centre * self._scale())
        else:
            self._grab = QPointF()
            self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grab is not None:
            self._go(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grab = None

    def _go(self, position: QPointF) -> None:
        """Put the frame's middle, or where it is held, under the pointer."""
        if self._grab is None:
            return
        content = self._pane.content_rect
        target = (position - self._grab - self._origin()) / self._scale()
        x = min(max(target.x(), content.left()), content.right())
        y = min(max(target.y(), content.top()), content.bottom())
        self._pane.centre_on(QPointF(x, y))


def _around(whole: QRectF, hole: QRectF) -> list[QRectF]:
    """What is left of a rectangle around a hole in it: above, below, left and right."""
    return [
        QRectF(whole.left(), whole.top(), whole.width(), hole.top() - whole.top()),
        QRectF(whole.left(), hole.bottom(), whole.width(), whole.bottom() - hole.bottom()),
        QRectF(whole.left(), hole.top(), hole.left() - whole.left(), hole.height()),
        QRectF(hole.right(), hole.top(), whole.right() - hole.right(), hole.height()),
    ]
