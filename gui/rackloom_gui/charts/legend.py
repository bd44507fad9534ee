# SPDX-License-Identifier: Apache-2.0
"""What the lines of the chart are; those that were laid over it can be taken off here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from rackloom_gui.icons import Icons

_GAP = 10
_LINE = 2
_HEIGHT = 18
"""Least height of an entry: the button that takes it off has room."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the chart."""

    key: str
    """What `removed` says; empty: it cannot be taken off."""
    text: str
    colour: QColor
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    width: float = 1.5
    dot: bool = False
    """Measured points instead of a line."""
    tip: str = ""


class ChartLegend(QWidget):
    """The entries in as many rows as they need."""

    removed = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._chips: list[_Chip] = []
        self._entries: tuple[Entry, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def texts(self) -> list[str]:
        """What is listed."""
        return [entry.text for entry in self._entries]

    def chip(self, key: str) -> QToolButton | None:
        """The button that takes an entry off."""
        return next((c.button for c in self._chips if c.entry.key == key), None)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """List these."""
        if tuple(entries) == self._entries:
            return
        self._entries = tuple(entries)
        for old in self._chips:
            old.hide()
            old.deleteLater()
        self._chips = [_Chip(entry, self._icons, self) for entry in entries]
        for chip in self._chips:
            if chip.button is not None:
                key = chip.entry.key
                chip.button.clicked.connect(lambda _on=False, k=key: self.removed.emit(k))
            chip.show()
        self._place(self.width())
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(width, move=False)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._place(self.width()) != self.height():
            self.updateGeometry()

    def _place(self, width: int, *, move: bool = True) -> int:
        x = y = high = 0
        for chip in self._chips:
            size = chip.sizeHint().expandedTo(QSize(0, _HEIGHT))
            wide = min(size.width(), max(width, 40))
            if x and x + wide > width:
                x, y = 0, y + high + _LINE
            if move:
                chip.setGeometry(x, y, wide, size.height())
            x += wide + _GAP
            high = size.height()
        return y + high if self._chips else 0


class _Chip(QWidget):
    def __init__(self, entry: Entry, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self.entry = entry
        self.button: QToolButton | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(_Swatch(entry, self))
        label = QLabel(entry.text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        font = label.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.9, 7.0))
        label.setFont(font)
        layout.addWidget(label)
        self.setToolTip(entry.tip)
        if entry.key:
            self.button = QToolButton(self)
            self.button.setAutoRaise(True)
            self.button.setIcon(icons.icon("close", "text_muted"))
            self.button.setIconSize(QSize(10, 10))
            self.button.setFixedSize(18, 18)
            self.button.setToolTip(self.tr("Take {0} off the chart").format(entry.text))
            self.button.setAccessibleName(self.button.toolTip())
            layout.addWidget(self.button)


class _Swatch(QWidget):
    def __init__(self, entry: Entry, parent: QWidget) -> None:
        super().__init__(parent)
        self._entry = entry
        self.setFixedSize(22, 14)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        if self._entry.dot:
            painter.setPen(QPen(self._entry.colour, 1.5))
            centre = self.width() / 2
            corners = ((0, -4), (4, 0), (0, 4), (-4, 0))
            painter.drawPolygon([QPointF(centre + x, middle + y) for x, y in corners])
        else:
            painter.setPen(QPen(self._entry.colour, self._entry.width, self._entry.style))
            painter.drawLine(QPointF(0, middle), QPointF(self.width(), middle))
        painter.end()
