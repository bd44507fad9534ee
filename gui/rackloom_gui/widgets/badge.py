# SPDX-License-Identifier: Apache-2.0
"""How bad, and how many: a pill with a shape, a colour and a number."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.tokens import mix

_ICON = 14
_PAD = 7
_GAP = 4


class SeverityBadge(QWidget):
    """An icon and a count in the colour of "error", "warning", "info" or "ok"; can be clicked."""

    clicked = Signal()

    def __init__(
        self,
        severity: str,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        *,
        text: str = "",
    ) -> None:
        super().__init__(parent)
        self._severity = severity
        self._tokens = theme.tokens
        self._icons = icons
        self._text = text
        theme.changed.connect(self._on_theme_changed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._name()

    @property
    def severity(self) -> str:
        """Which of the four it shows."""
        return self._severity

    @property
    def text(self) -> str:
        """What is written in it."""
        return self._text

    def set_count(self, count: int) -> None:
        """Write a number; a badge of zero is drawn quietly."""
        self.set_text(self.locale().toString(count))

    def set_text(self, text: str) -> None:
        """Write a short text."""
        if text != self._text:
            self._text = text
            self._name()
            self.updateGeometry()
            self.update()

    def set_severity(self, severity: str) -> None:
        """Show another severity."""
        self._severity = severity
        self._name()
        self.update()

    def _name(self) -> None:
        names = {
            "error": self.tr("Errors"),
            "warning": self.tr("Warnings"),
            "info": self.tr("Notices"),
            "ok": self.tr("Fine"),
        }
        self.setAccessibleName(f"{names[self._severity]} {self._text}".strip())
        self.setToolTip(self.accessibleName())

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        words = metrics.horizontalAdvance(self._text) + _GAP if self._text else 0
        return QSize(_PAD + _ICON + words + _PAD, max(_ICON, metrics.height()) + 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._tokens
        quiet = self._text == self.locale().toString(0)
        if quiet:
            fill, ink = mix(tokens.surface, tokens.text, 0.06), tokens.text_muted
        else:
            fill, ink = tokens.severity(self._severity), tokens.on_severity(self._severity)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        pixmap = self._icons.pixmap(self._severity, ink, _ICON, self.devicePixelRatioF())
        painter.drawPixmap(_PAD, (self.height() - _ICON) // 2, pixmap)
        painter.setPen(ink)
        words = self.rect().adjusted(_PAD + _ICON + _GAP, 0, -_PAD, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self._text)
        if self.hasFocus():
            painter.setPen(QPen(tokens.text, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = pill.adjusted(0.75, 0.75, -0.75, -0.75)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
        painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()
