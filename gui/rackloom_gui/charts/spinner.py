# SPDX-License-Identifier: Apache-2.0
"""A turning arc: something is being worked on."""

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from rackloom_gui.theme import Theme, Tokens

_SIDE = 16
_STEP_MS = 60


class Spinner(QWidget):
    """Turns while it is shown; hidden at first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._angle = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._turn)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Calculating"))
        self.setToolTip(self.tr("Calculating…"))
        self.hide()
        theme.changed.connect(self._on_theme_changed)

    def sizeHint(self) -> QSize:
        return QSize(_SIDE, _SIDE)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    def _turn(self) -> None:
        self._angle = (self._angle - 30) % 360
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5)
        pen = QPen(self._tokens.border, 2.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawEllipse(ring)
        pen.setColor(self._tokens.accent)
        painter.setPen(pen)
        painter.drawArc(ring, self._angle * 16, 100 * 16)
        painter.end()
