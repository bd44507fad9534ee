# SPDX-License-Identifier: Apache-2.0
"""Horizontal bars: a whole split into coloured parts, with what they are below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from rackloom_gui.theme import Theme, Tokens, mix

_BAR = 22
_GAP = 12
_SWATCH = 12
_HATCHES = (
    Qt.BrushStyle.SolidPattern, Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.DiagCrossPattern,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar."""

    name: str
    value: float
    text: str
    """The value with its unit."""


class StackedBar(QWidget):
    """Parts of a whole to scale; colours repeat with a hatch, so none stands for two things."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._parts: tuple[Part, ...] = ()
        self._mark: float | None = None
        self._mark_text = ""
        self._stale = False
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._on_theme_changed)

    def show_parts(
        self, parts: Sequence[Part], mark: float | None = None, mark_text: str = ""
    ) -> None:
        """Draw these; ``mark``: a value to draw a line at, the end of what there is room for."""
        self._parts = tuple(p for p in parts if p.value > 0)
        self._mark, self._mark_text = mark, mark_text
        self.setAccessibleDescription(", ".join(f"{p.name} {p.text}" for p in self._parts))
        self.updateGeometry()
        self.update()

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is drawn."""
        return self._parts

    def set_stale(self, stale: bool) -> None:
        """Grey while it belongs to an older design."""
        if stale != self._stale:
            self._stale = stale
            self.update()

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    # -- size -------------------------------------------------------------------------------------

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows = self._rows(width)
        line = self.fontMetrics().height() + 3
        return _BAR + 6 + len(rows) * line + (line if self._mark is not None else 0)

    def sizeHint(self) -> QSize:
        return QSize(260, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(self.width(), 120)))

    def _rows(self, width: int) -> list[list[tuple[int, str, int]]]:
        """The legend broken into lines: number of the part, text, width."""
        rows: list[list[tuple[int, str, int]]] = [[]]
        x = 0
        for number, part in enumerate(self._parts):
            text = f"{part.name} {part.text}"
            wide = _SWATCH + 5 + self.fontMetrics().horizontalAdvance(text)
            if rows[-1] and x + wide > width:
                rows.append([])
                x = 0
            rows[-1].append((number, text, wide))
            x += wide + _GAP
        return rows

    # -- drawing ----------------------------------------------------------------------------------

    def _brushes(self, number: int) -> tuple[QColor, QBrush]:
        tokens = self._tokens
        colour = tokens.series[number % len(tokens.series)]
        if self._stale:
            colour = mix(tokens.surface, tokens.text_disabled, 0.4 + 0.1 * (number % 6))
        hatch = _HATCHES[number // len(tokens.series) % len(_HATCHES)]
        return colour, QBrush(colour, hatch)

    def _scale(self) -> float:
        total = sum(p.value for p in self._parts)
        return max(total, self._mark or 0.0)

    def _spans(self) -> list[tuple[float, float]]:
        scale = self._scale()
        found, x = [], 0.0
        for part in self._parts:
            wide = part.value / scale * self.width() if scale > 0 else 0.0
            found.append((x, wide))
            x += wide
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._tokens
        painter = QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), _BAR), mix(tokens.surface, tokens.text, 0.07))
        for number, (x, wide) in enumerate(self._spans()):
            colour, brush = self._brushes(number)
            box = QRectF(x, 0, max(wide, 1.0), _BAR)
            painter.fillRect(box, mix(tokens.surface, colour, 0.25))
            painter.fillRect(box, brush)
            if wide > 3:
                painter.fillRect(QRectF(x + wide - 1, 0, 1, _BAR), tokens.surface)
            self._share(painter, box, number)
        y = float(_BAR + 6)
        y = self._draw_mark(painter, y)
        self._legend(painter, y)
        painter.end()

    def _share(self, painter: QPainter, box: QRectF, number: int) -> None:
        """How much of the whole a part is, where that can be read."""
        total = sum(p.value for p in self._parts)
        text = f"{self._parts[number].value / total * 100:.0f} %" if total > 0 else ""
        solid = number < len(self._tokens.series)
        wide = painter.fontMetrics().horizontalAdvance(text)
        box = self._clear_of_mark(box, wide)
        if not solid or wide + 6 > box.width():
            return
        colour = self._brushes(number)[0]
        dark = colour.lightnessF() < 0.55
        painter.setPen(QColor("white") if dark else QColor("black"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _clear_of_mark(self, box: QRectF, wide: float) -> QRectF:
        """The part of a box beside the mark, where the mark would strike a centred text through."""
        scale = self._scale()
        if self._mark is None or scale <= 0:
            return box
        x = self._mark / scale * self.width()
        if abs(x - box.center().x()) > wide / 2 + 4:
            return box
        left, right = x - box.left(), box.right() - x
        return box.adjusted(0, 0, -right, 0) if left >= right else box.adjusted(left, 0, 0, 0)

    def _draw_mark(self, painter: QPainter, y: float) -> float:
        scale = self._scale()
        if self._mark is None or scale <= 0:
            return y
        tokens, metrics = self._tokens, self.fontMetrics()
        x = self._mark / scale * self.width()
        over = sum(p.value for p in self._parts) > self._mark
        ink = tokens.error if over else tokens.text
        painter.setPen(QPen(ink, 2))
        at = min(max(x, 1.0), self.width() - 1.0)
        painter.drawLine(QPointF(at, 0), QPointF(at, _BAR + 4))
        painter.setPen(tokens.error_text if over else tokens.text_muted)
        wide = metrics.horizontalAdvance(self._mark_text)
        left = min(max(x - wide / 2, 0), max(self.width() - wide, 0))
        painter.drawText(QPointF(left, y + metrics.ascent()), self._mark_text)
        return y + metrics.height() + 3

    def _legend(self, painter: QPainter, y: float) -> None:
        tokens, metrics = self._tokens, self.fontMetrics()
        for row in self._rows(self.width()):
            x = 0.0
            for number, text, wide in row:
                colour, brush = self._brushes(number)
                box = QRectF(x, y + (metrics.height() - _SWATCH) / 2, _SWATCH, _SWATCH)
                painter.fillRect(box, mix(tokens.surface, colour, 0.25))
                painter.fillRect(box, brush)
                painter.setPen(tokens.text_disabled if self._stale else tokens.text)
                painter.drawText(QPointF(x + _SWATCH + 5, y + metrics.ascent()), text)
                x += wide + _GAP
            y += metrics.height() + 3

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            spans = zip(self._parts, self._spans(), strict=True)
            inside = [p for p, (x, w) in spans if x <= event.x() < x + w and event.y() < _BAR]
            text = f"{inside[0].name}: {inside[0].text}" if inside else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
