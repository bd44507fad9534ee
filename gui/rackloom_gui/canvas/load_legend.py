# SPDX-License-Identifier: Apache-2.0
"""What the colours of loaded cables mean, in a corner of the drawing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from rackloom_gui.canvas.cable_drawing import LOAD_EXTRA_PX, load_colours
from rackloom_gui.theme import Theme, Tokens

_MARGIN = 12
_PAD = 8


class LoadLegend(QWidget):
    """Follows the lower left corner of the widget it lies on; lets the mouse through."""

    def __init__(self, theme: Theme, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._tokens = theme.tokens
        self._title = ""
        self._over = 0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        canvas.installEventFilter(self)
        theme.changed.connect(self._on_theme_changed)

    def show_for(self, title: str, oversubscribed: int) -> None:
        """Show what the loads are of, and how many switches are oversubscribed."""
        self._title, self._over = title, oversubscribed
        self.setAccessibleName(self.tr("Load of the links: {0}").format(title))
        self.resize(self.sizeHint())
        self._place()
        self.show()
        self.raise_()
        self.update()

    @property
    def title(self) -> str:
        """What the loads are of."""
        return self._title

    def texts(self) -> list[str]:
        """The words beside the colours, idle links first."""
        return [
            self.tr("idle"),
            self.tr("to 25 %"),
            self.tr("to 50 %"),
            self.tr("to 75 %"),
            self.tr("to 100 %"),
            self.tr("over 100 %"),
        ]

    def _over_text(self) -> str:
        if not self._over:
            return ""
        return self.tr("{0} oversubscribed switches: the plates say how much").format(self._over)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        wide = sum(metrics.horizontalAdvance(t) + 34 for t in self.texts())
        wide = max(wide, metrics.horizontalAdvance(self._head()),
                   metrics.horizontalAdvance(self._over_text()))  # fmt: skip
        lines = 3 if self._over else 2
        return QSize(wide + 2 * _PAD, lines * (metrics.height() + 3) + 2 * _PAD - 3)

    def _head(self) -> str:
        return self.tr("Load of the links: {0}").format(self._title)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.move(_MARGIN, max(self._canvas.height() - self.height() - _MARGIN - 14, 0))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens, metrics = self._tokens, self.fontMetrics()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens.border_strong, 1))
        painter.setBrush(tokens.raised)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        line = metrics.height() + 3
        painter.setPen(tokens.text)
        painter.drawText(QPointF(_PAD, _PAD + metrics.ascent()), self._head())
        x, y = float(_PAD), _PAD + line
        for colour, extra, text in zip(
            load_colours(tokens), LOAD_EXTRA_PX, self.texts(), strict=True
        ):
            painter.setPen(QPen(colour, 2.0 + extra))
            middle = y + metrics.height() / 2
            painter.drawLine(QPointF(x, middle), QPointF(x + 18, middle))
            painter.setPen(tokens.text_muted)
            painter.drawText(QPointF(x + 22, y + metrics.ascent()), text)
            x += metrics.horizontalAdvance(text) + 34
        if self._over:
            painter.setPen(tokens.warning_text)
            at = QPointF(_PAD, _PAD + 2 * line + metrics.ascent())
            painter.drawText(at, self._over_text())
        painter.end()
