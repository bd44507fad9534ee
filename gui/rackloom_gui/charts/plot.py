# SPDX-License-Identifier: Apache-2.0
"""The chart widget: pyqtgraph, dressed in our colours, with sizes on the axis instead of powers."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped,unused-ignore]
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from rackloom_gui.charts.axes import SizeAxis, ValueAxis
from rackloom_gui.charts.readout import readout_text
from rackloom_gui.charts.series import Lines, abscissa, gaps_of, lines_of, ordinate
from rackloom_gui.charts.shown import Log, Pin
from rackloom_gui.charts.sizes import bandwidth_text
from rackloom_gui.theme import Tokens, mix

if TYPE_CHECKING:
    from rackloom.collectives import Estimate

STYLES = (
    Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine,
)  # fmt: skip
"""Thin lines of algorithms tell apart by their dashes; colours belong to designs."""
LABEL_FROM_PX = 170
"""Lower plots have no room for the name of the axis."""


class ThroughputPlot(pg.PlotWidget):  # type: ignore[misc,unused-ignore]
    """Expected throughput with its bands, the limit, other curves, and a readout."""

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        axis = ValueAxis("left")
        super().__init__(parent, axisItems={"bottom": SizeAxis("bottom"), "left": axis})
        self._axis = axis
        self._tokens = tokens
        self._stale = False
        self._estimate: Estimate | None = None
        self._baseline: Estimate | None = None
        self._lines: Lines | None = None
        self._quantity = "busbw"
        self._algorithms = True
        self._pins: tuple[Pin, ...] = ()
        self._logs: tuple[Log, ...] = ()
        self._others: list[Any] = []
        self._thin: dict[str, Any] = {}
        """The thin line of each algorithm; kept, since a new one costs more than new values."""
        self._at: int | None = None
        self._setup()
        self.dress(tokens)

    def _setup(self) -> None:
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        # It is made all the same, with no parent: Python's collector would end it, in any thread.
        item.ctrlMenu.setParent(self, item.ctrlMenu.windowFlags())
        item.hideButtons()
        item.setClipToView(True)
        item.showGrid(x=True, y=True, alpha=0.2)
        item.setLabel("bottom", self.tr("Message size, bytes"))
        item.getAxis("left").enableAutoSIPrefix(False)
        item.getViewBox().setMouseEnabled(x=False, y=False)
        item.getViewBox().setDefaultPadding(0.0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        options = {"skipFiniteCheck": True}
        self._low = pg.PlotDataItem(**options)
        self._high = pg.PlotDataItem(**options)
        self._band = pg.FillBetweenItem(self._low, self._high)
        self._hashed = pg.PlotDataItem(**options)
        self._hashed_top = pg.PlotDataItem(**options)
        self._hashed_band = pg.FillBetweenItem(self._hashed, self._hashed_top)
        self._base = pg.PlotDataItem(**options)
        self._limit = pg.PlotDataItem(**options)
        self._curve = pg.PlotDataItem(**options)
        entries = (
            self._band, self._hashed_band, self._hashed, self._base, self._limit, self._curve,
        )  # fmt: skip
        for entry in entries:
            item.addItem(entry)
        self._curve.setZValue(5)
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._dot = pg.ScatterPlotItem(size=8)
        for entry in (self._line, self._dot):
            entry.setZValue(20)
            entry.hide()
            item.addItem(entry, ignoreBounds=True)
        self._text = QLabel(self)  # over the axes too: a plot in a narrow dock has little room
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text.hide()
        self._limit_text = pg.TextItem(anchor=(0, 0))  # below: small messages leave room
        item.addItem(self._limit_text, ignoreBounds=True)
        self.setMouseTracking(True)
        self.scene().sigMouseMoved.connect(self._on_mouse)

    # -- colours ----------------------------------------------------------------------------------

    def dress(self, tokens: Tokens) -> None:
        """Take the colours of a theme."""
        self._tokens = tokens
        self.setBackground(tokens.surface)
        axis_font = QFont(self.font())
        axis_font.setPointSizeF(max(self.font().pointSizeF() * 0.88, 7.0))
        for name in ("bottom", "left"):
            axis = self.getPlotItem().getAxis(name)
            axis.setPen(tokens.chart_grid)
            axis.setTextPen(tokens.text_muted)
            axis.setTickFont(axis_font)
            axis.setStyle(tickLength=-4, tickTextOffset=5)
            axis.label.setFont(axis_font)
        self._colour()
        self._draw_others()

    def _colour(self) -> None:
        tokens = self._tokens
        main = tokens.text_disabled if self._stale else tokens.series[0]
        limit = tokens.text_disabled if self._stale else tokens.chart_limit
        self._curve.setPen(pg.mkPen(main, width=2))
        self._limit.setPen(pg.mkPen(limit, width=1.5, style=Qt.PenStyle.DashLine))
        self._base.setPen(pg.mkPen(tokens.text_muted, width=1.5, style=Qt.PenStyle.DotLine))
        self._band.setBrush(pg.mkBrush(mix(tokens.surface, main, 0.18)))
        self._hashed_band.setBrush(pg.mkBrush(mix(tokens.surface, main, 0.34)))
        self._hashed.setPen(pg.mkPen(main, width=1, style=Qt.PenStyle.DotLine))
        for edge in (self._low, self._high, self._hashed_top):
            edge.setPen(None)
        self._line.setPen(pg.mkPen(tokens.text_muted, width=1))
        self._dot.setBrush(pg.mkBrush(main))
        self._dot.setPen(pg.mkPen(tokens.surface, width=1.5))
        self._text.setStyleSheet(
            f"background: {tokens.tooltip.name()}; color: {tokens.tooltip_text.name()};"
            f" border: 1px solid {tokens.border.name()}; border-radius: 3px; padding: 3px 6px;"
        )
        self._limit_text.setColor(tokens.text_muted if self._stale else tokens.chart_limit)

    def set_stale(self, stale: bool) -> None:
        """Grey while what is shown belongs to an older design."""
        if stale != self._stale:
            self._stale = stale
            self._colour()

    @property
    def is_stale(self) -> bool:
        """Whether what is shown belongs to an older design."""
        return self._stale

    # -- content ----------------------------------------------------------------------------------

    def show_estimate(self, estimate: Estimate, baseline: Estimate | None) -> None:
        """Draw an estimate, and in dots what it was before things were unplugged."""
        self._estimate, self._baseline = estimate, baseline
        self._stale = False
        self._colour()
        self._draw()

    def set_quantity(self, quantity: str) -> None:
        """Show ``busbw``, ``algbw`` or ``time``."""
        self._quantity = quantity
        self._draw()

    def set_algorithms(self, shown: bool) -> None:
        """Whether every algorithm has its thin line."""
        self._algorithms = shown
        self._draw()

    def set_overlays(self, pins: Sequence[Pin], logs: Sequence[Log]) -> None:
        """Curves that were kept, and measured runs."""
        self._pins, self._logs = tuple(pins), tuple(logs)
        self._draw()

    def _draw(self) -> None:
        estimate, quantity = self._estimate, self._quantity
        if estimate is None:
            return
        lines = self._lines = lines_of(estimate, quantity)
        self._curve.setData(lines.x, lines.y)
        self._limit.setData(lines.x, lines.limit)
        self._low.setData(lines.x, lines.low)
        self._high.setData(lines.x, lines.high)
        hashed = lines.hashed_low is not None
        for entry in (self._hashed, self._hashed_band):
            entry.setVisible(hashed)
        if lines.hashed_low is not None:
            self._hashed.setData(lines.x, lines.hashed_low)
            self._hashed_top.setData(lines.x, lines.y)
        base = self._baseline
        self._base.setData(
            *((abscissa(base.points), ordinate(base.points, quantity)) if base else ([], []))
        )
        self._draw_others()
        self._scale(lines)
        self._hide_readout()

    def _draw_others(self) -> None:
        """Algorithms, pinned curves and measured points."""
        item, tokens, quantity = self.getPlotItem(), self._tokens, self._quantity
        for entry in self._others:
            item.removeItem(entry)
        self._others = []
        if self._estimate is None:
            return
        self._draw_algorithms()
        for pin in self._pins:
            points = pin.estimate.points
            pen = pg.mkPen(tokens.series[pin.colour % len(tokens.series)], width=1.5)
            self._add(pg.PlotDataItem(abscissa(points), ordinate(points, quantity), pen=pen), 4)
        for log in self._logs:
            self._add_log(log, tokens.series[log.colour % len(tokens.series)])

    def _draw_algorithms(self) -> None:
        shown = self.algorithms() if self._algorithms else {}
        for name in set(self._thin) - set(shown):
            self.getPlotItem().removeItem(self._thin.pop(name))
        for number, (name, points) in enumerate(shown.items()):
            entry = self._thin.get(name)
            if entry is None:
                entry = self._thin[name] = pg.PlotDataItem()
                entry.setZValue(2)
                self.getPlotItem().addItem(entry)
            style = STYLES[number % len(STYLES)]
            entry.setPen(pg.mkPen(self._tokens.text_muted, width=1, style=style))
            entry.setData(abscissa(points), ordinate(points, self._quantity))

    def _add_log(self, log: Log, colour: Any) -> None:
        assert self._estimate is not None
        points = [p for p in log.run.points if p.size_bytes > 0]
        x, y = abscissa(points), ordinate(points, self._quantity)
        lines = self._lines
        if lines is not None and log.run.collective in (None, self._estimate.collective):
            inside = (x >= lines.x[0]) & (x <= lines.x[-1])
            expected = np.interp(x[inside], lines.x, lines.y)
            ends = np.column_stack([y[inside], expected]).ravel()
            pen = pg.mkPen(mix(self._tokens.surface, colour, 0.6), width=1)
            sticks = pg.PlotDataItem(np.repeat(x[inside], 2), ends, pen=pen, connect="pairs")
            self._add(sticks, 6)
        dots = pg.ScatterPlotItem(
            x, y, size=7, symbol="d", pen=pg.mkPen(colour, width=1.5),
            brush=pg.mkBrush(self._tokens.surface),
        )  # fmt: skip
        self._add(dots, 7)

    def _add(self, entry: Any, z: float) -> None:
        entry.setZValue(z)
        self._others.append(entry)
        self.getPlotItem().addItem(entry)

    def _scale(self, lines: Lines) -> None:
        """Range of the axes, their words, and where the limit is named."""
        quantity, estimate = self._quantity, self._estimate
        assert estimate is not None
        words = {
            "busbw": (self.tr("busbw, GB/s"), self.tr("Bus bandwidth against message size")),
            "algbw": (self.tr("algbw, GB/s"), self.tr("Algorithm bandwidth against message size")),
            "time": (self.tr("time"), self.tr("Time against message size")),
        }
        label, name = words[quantity]
        self.getPlotItem().setLabel("left", label)
        self.setAccessibleName(name)
        self._axis.set_powers(quantity == "time")
        self.setXRange(float(lines.x[0]), float(lines.x[-1]), padding=0.01)
        others = [lines.y, *(ordinate(p.estimate.points, quantity) for p in self._pins)]
        others += [ordinate(log.run.points, quantity) for log in self._logs]
        if self._baseline is not None:
            others.append(ordinate(self._baseline.points, quantity))
        if quantity == "time":
            low = min(float(y.min()) for y in others if len(y))
            high = max(float(y.max()) for y in others if len(y))
            self.setYRange(np.floor(low), max(high + 0.1, np.floor(low) + 1), padding=0.0)
        else:
            tops = [float(y.max(initial=0.0)) for y in (*others, lines.limit)]
            self.setYRange(0.0, max(max(tops) * 1.14, 1e-6), padding=0.0)
        text = self.tr("limit {0}").format(bandwidth_text(estimate.limit.busbw_gb_per_s))
        self._limit_text.setText(text)
        self._limit_text.setVisible(quantity != "time")
        self._limit_text.setPos(float(lines.x[0]), float(lines.limit[0]))

    def algorithms(self) -> dict[str, Any]:
        """Curves of the algorithms that were looked at, where there is more than one."""
        found = dict(self._estimate.by_algorithm) if self._estimate is not None else {}
        return found if len(found) > 1 else {}

    def curves(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """What is drawn: log2 of the sizes, values, limits."""
        x, y = self._curve.getData()
        return x, y, self._limit.getData()[1]

    # -- readout ----------------------------------------------------------------------------------

    def readout(self, number: int) -> str:
        """What the readout says of a point."""
        assert self._estimate is not None
        size = self._estimate.points[number].size_bytes
        gaps = [
            (log.name, gap)
            for log in self._logs
            if log.run.collective in (None, self._estimate.collective)
            for gap in gaps_of(self._estimate, log.run)
            if abs(log2(max(gap.size_bytes, 1)) - log2(max(size, 1))) < 0.5
        ]
        return readout_text(self._estimate, number, self._baseline, self._pins, gaps)

    def _on_mouse(self, at: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        if self._lines is None or not box.sceneBoundingRect().contains(at):
            self._hide_readout()
            return
        place = box.mapSceneToView(at)
        self.show_readout(int(np.abs(self._lines.x - place.x()).argmin()))

    def show_readout(self, number: int) -> None:
        """Read out a point, by its number along the curve."""
        assert self._lines is not None
        x, y = float(self._lines.x[number]), float(self._lines.y[number])
        if number != self._at:
            self._at = number
            self._line.setPos(x)
            self._dot.setData([x], [y])
            self._text.setText(self.readout(number))
        self._place_text(x, y)
        for entry in (self._line, self._dot, self._text):
            entry.show()

    def _place_text(self, x: float, y: float) -> None:
        """Beside the line where there is room, and within the widget."""
        self._text.setWordWrap(False)
        self._text.adjustSize()
        if self._text.width() > self.width() - 8:
            self._text.setWordWrap(True)
            self._text.resize(self.width() - 8, 0)
            self._text.resize(self.width() - 8, self._text.heightForWidth(self.width() - 8))
        at = self.mapFromScene(self.getPlotItem().getViewBox().mapViewToScene(QPointF(x, y)))
        left = at.x() + 10
        if left + self._text.width() > self.width() - 4:
            left = at.x() - 10 - self._text.width()
        self._text.move(min(max(left, 4), max(self.width() - self._text.width() - 4, 4)), 4)

    @property
    def readout_shown(self) -> str:
        """What the readout says; empty while there is none."""
        return "" if self._text.isHidden() else self._text.text()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        item = self.getPlotItem()
        if item is not None:  # there is none yet while pyqtgraph makes the widget
            item.showLabel("bottom", self.height() >= LABEL_FROM_PX)

    def keyPressEvent(self, event: Any) -> None:
        """Left and right walk the readout along the curve."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if self._lines is None or event.key() not in steps:
            super().keyPressEvent(event)
            return
        last = len(self._lines.x) - 1
        at = last if self._at is None else self._at + steps[event.key()]
        self.show_readout(min(max(at, 0), last))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hide_readout()

    def _hide_readout(self) -> None:
        self._at = None
        for entry in (self._line, self._dot, self._text):
            entry.hide()
