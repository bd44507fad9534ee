# SPDX-License-Identifier: Apache-2.0
"""Racks as bars of power: typical within greatest, against what may be drawn for good."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from rackloom.reports.power_report import PowerBar
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.tokens import mix
from rackloom_gui.widgets.quantity import POWER_W, format_quantity

ROW_PX = 24
_HEAD_PX = 26
_NAME_PX = 76
_VALUE_PX = 78
_BAR_PX = 14


def nice_step(span: float, most: int = 6) -> float:
    """The least step of 1, 2 or 5 times a power of ten that divides a span into few enough."""
    from math import floor, log10

    if span <= 0:
        return 1.0
    power = 10.0 ** floor(log10(span / most))
    return next(power * n for n in (1, 2, 5, 10) if span / (power * n) <= most)


class PowerBars(QWidget):
    """One line a rack; click or arrow keys choose one. Grows with the number of racks."""

    chosen = Signal(str)
    """Id of the rack."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self.bars: list[PowerBar] = []
        self._untold: frozenset[str] = frozenset()
        self._selected: frozenset[str] = frozenset()
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(self.tr("Power of the racks"))
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.update()

    def show_bars(self, bars: Sequence[PowerBar], untold: Collection[str] = ()) -> None:
        """Show other racks; the typical power of the ``untold`` is not wholly known, nor drawn."""
        self.bars = list(bars)
        self._untold = frozenset(untold)
        self._current = min(self._current, len(self.bars) - 1)
        self.setMinimumHeight(_HEAD_PX + ROW_PX * len(self.bars) + 6)
        self.updateGeometry()
        self.update()

    def set_selected(self, ids: frozenset[str]) -> None:
        """Mark the racks that are selected."""
        self._selected = ids
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, _HEAD_PX + ROW_PX * max(len(self.bars), 3) + 6)

    # -- reading ----------------------------------------------------------------------------------

    def over(self, bar: PowerBar) -> bool:
        """Whether a rack draws more than it may with a feed lost."""
        return bar.usable_w is not None and (bar.maximum_w or 0.0) > bar.usable_w + 0.5

    def text(self, bar: PowerBar) -> str:
        """All of a bar in words."""
        said = [
            self.tr("{0}: at most {1}").format(bar.name, self._watts(bar.maximum_w)),
        ]
        typical = self._watts(bar.typical_w)
        if bar.typical_w is None:
            said.append(self.tr("typically unknown"))
        elif bar.id in self._untold:
            said.append(self.tr("typically {0} and what nobody published").format(typical))
        else:
            said.append(self.tr("typically {0}").format(typical))
        if bar.unknown:
            said.append(self.tr("and more, for not all figures are published"))
        if bar.usable_w is None:
            said.append(self.tr("nothing supplies it"))
        else:
            said.append(self.tr("may draw {0}").format(self._watts(bar.usable_w)))
        return ", ".join(said)

    def _watts(self, value_w: float | None) -> str:
        return self.tr("unknown") if value_w is None else format_quantity(value_w, POWER_W, 1)

    def row_at(self, at: QPointF) -> int:
        """Number of the bar at a place, or -1."""
        row = int((at.y() - _HEAD_PX) // ROW_PX)
        return row if 0 <= row < len(self.bars) and at.y() >= _HEAD_PX else -1

    # -- drawing ----------------------------------------------------------------------------------

    def _right_w(self) -> float:
        return (
            max((max(b.maximum_w or 0.0, b.usable_w or 0.0) for b in self.bars), default=0.0) * 1.04
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), self._tokens
        painter.fillRect(event.rect(), tokens.surface)
        if not self.bars:
            return
        wide = max(self.width() - _NAME_PX - _VALUE_PX - 12, 60)
        right_w = self._right_w() or 1.0
        self._paint_scale(painter, wide, right_w)
        first = max((event.rect().top() - _HEAD_PX) // ROW_PX, 0)
        last = min((event.rect().bottom() - _HEAD_PX) // ROW_PX + 1, len(self.bars))
        for row in range(first, last):
            self._paint_bar(painter, row, wide / right_w)
        if self.hasFocus() and 0 <= self._current < len(self.bars):
            painter.setPen(QPen(tokens.accent, 1))
            top = _HEAD_PX + self._current * ROW_PX
            painter.drawRect(QRectF(1.5, top + 0.5, self.width() - 3, ROW_PX - 1))

    def _paint_scale(self, painter: QPainter, wide: float, right_w: float) -> None:
        step, value_w = nice_step(right_w, max(int(wide // 52), 1)), 0.0
        bottom = _HEAD_PX + ROW_PX * len(self.bars)
        while value_w <= right_w:
            x = round(_NAME_PX + value_w * wide / right_w) + 0.5
            painter.setPen(self._tokens.chart_grid)
            painter.drawLine(QPointF(x, _HEAD_PX - 4), QPointF(x, bottom))
            painter.setPen(self._tokens.text_muted)
            area = QRectF(x - 40, 4, 80, _HEAD_PX - 8)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, f"{value_w / 1000:g} kW")
            value_w += step

    def _paint_bar(self, painter: QPainter, row: int, scale: float) -> None:
        bar, tokens = self.bars[row], self._tokens
        top = _HEAD_PX + row * ROW_PX
        if bar.id in self._selected:
            painter.fillRect(
                QRectF(0, top, self.width(), ROW_PX), mix(tokens.surface, tokens.selected, 0.28)
            )
        over = self.over(bar)
        colour = tokens.error if over else tokens.series[0]
        y = top + (ROW_PX - _BAR_PX) / 2
        whole = QRectF(_NAME_PX, y, max((bar.maximum_w or 0.0) * scale, 1.0), _BAR_PX)
        painter.fillRect(whole, mix(tokens.surface, colour, 0.42))
        if bar.typical_w is not None and bar.id not in self._untold:
            painter.fillRect(QRectF(_NAME_PX, y, bar.typical_w * scale, _BAR_PX), colour)
        if over and bar.usable_w is not None:
            beyond = QRectF(whole)
            beyond.setLeft(_NAME_PX + bar.usable_w * scale)
            painter.fillRect(beyond, Qt.BrushStyle.BDiagPattern)
        if bar.usable_w is not None:
            x = round(_NAME_PX + bar.usable_w * scale) + 0.5
            painter.setPen(QPen(tokens.text, 2))
            painter.drawLine(QPointF(x, y - 3), QPointF(x, y + _BAR_PX + 3))
        painter.setPen(tokens.text)
        name = self.fontMetrics().elidedText(bar.name, Qt.TextElideMode.ElideMiddle, _NAME_PX - 14)
        centre, left = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(8, top, _NAME_PX - 12, ROW_PX), centre | left, name)
        value = self._watts(bar.maximum_w)
        if bar.unknown and bar.maximum_w is not None:
            value += " + ?"
        painter.setPen(tokens.error_text if over else tokens.text_muted)
        area = QRectF(self.width() - _VALUE_PX - 4, top, _VALUE_PX, ROW_PX)
        painter.drawText(area, centre | Qt.AlignmentFlag.AlignRight, value)

    # -- choosing ---------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and row >= 0:
            self._choose(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if by and self.bars:
            self._choose(min(max(self._current + by, 0), len(self.bars) - 1))
        else:
            super().keyPressEvent(event)

    def _choose(self, row: int) -> None:
        self._current = row
        self.update()
        self.chosen.emit(self.bars[row].id)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = self.row_at(QPointF(event.pos()))
            if row >= 0:
                QToolTip.showText(event.globalPos(), self.text(self.bars[row]), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)
