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
from PySide6.QtWidgets import QFrame, QWidget

from rackloom_gui.charts.sizes import bandwidth_text, short_size, size_text, time_text
from rackloom_gui.theme import Tokens, mix

if TYPE_CHECKING:
    from rackloom.collectives import Estimate


class SizeAxis(pg.AxisItem):  # type: ignore[misc,unused-ignore]
    """Powers of two as message sizes: every second, fourth or eighth, as there is room."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        """Whole powers only."""
        span = max(maxVal - minVal, 1e-6)
        step = next((s for s in (1, 2, 4, 5, 10) if span / s * 46 <= size), 10)
        first = int(np.ceil(minVal / step)) * step
        ticks = [float(v) for v in range(first, int(np.floor(maxVal)) + 1, step)]
        return [(float(step), ticks)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """The sizes as on the command line of nccl-tests."""
        del scale, spacing
        return [short_size(2.0**v) for v in values]


class ThroughputPlot(pg.PlotWidget):  # type: ignore[misc,unused-ignore]
    """Expected bus bandwidth with its error band, the limit, and a readout under the pointer."""

    def __init__(self, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"bottom": SizeAxis("bottom")})
        self._tokens = tokens
        self._stale = False
        self._estimate: Estimate | None = None
        self._x = np.empty(0)
        self._setup()
        self.dress(tokens)

    def _setup(self) -> None:
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setClipToView(True)
        item.showGrid(x=True, y=True, alpha=0.2)
        item.setLabel("bottom", self.tr("Message size, bytes"))
        item.setLabel("left", self.tr("busbw, GB/s"))
        item.getAxis("left").enableAutoSIPrefix(False)
        item.getViewBox().setMouseEnabled(x=False, y=False)
        item.getViewBox().setDefaultPadding(0.0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Bus bandwidth against message size"))
        options = {"skipFiniteCheck": True}
        self._low = pg.PlotDataItem(**options)
        self._high = pg.PlotDataItem(**options)
        self._band = pg.FillBetweenItem(self._low, self._high)
        self._base = pg.PlotDataItem(**options)
        self._limit = pg.PlotDataItem(**options)
        self._curve = pg.PlotDataItem(**options)
        for entry in (self._band, self._base, self._limit, self._curve):
            item.addItem(entry)
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._dot = pg.ScatterPlotItem(size=8)
        self._text = pg.TextItem(anchor=(0, 0))
        for entry in (self._line, self._dot, self._text):
            entry.setZValue(10)
            entry.hide()
            item.addItem(entry, ignoreBounds=True)
        self._limit_text = pg.TextItem(anchor=(0, 0))
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

    def _colour(self) -> None:
        tokens = self._tokens
        main = tokens.text_disabled if self._stale else tokens.series[0]
        self._curve.setPen(pg.mkPen(main, width=2))
        self._limit.setPen(
            pg.mkPen(
                tokens.text_disabled if self._stale else tokens.chart_limit,
                width=1.5,
                style=Qt.PenStyle.DashLine,
            )
        )
        self._base.setPen(pg.mkPen(tokens.text_muted, width=1.5, style=Qt.PenStyle.DotLine))
        self._band.setBrush(pg.mkBrush(mix(tokens.surface, main, 0.18)))
        for edge in (self._low, self._high):
            edge.setPen(None)
        self._line.setPen(pg.mkPen(tokens.text_muted, width=1))
        self._dot.setBrush(pg.mkBrush(main))
        self._dot.setPen(pg.mkPen(tokens.surface, width=1.5))
        self._text.setColor(tokens.tooltip_text)
        self._text.fill = pg.mkBrush(tokens.tooltip)
        self._text.border = pg.mkPen(tokens.border)
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
        self._estimate = estimate
        self._stale = False
        points = estimate.points
        self._x = np.array([log2(max(p.size_bytes, 1)) for p in points])
        busbw = np.array([p.busbw_gb_per_s for p in points])
        limit = np.array([p.limit_busbw_gb_per_s for p in points])
        share = estimate.band.fraction
        self._curve.setData(self._x, busbw)
        self._limit.setData(self._x, limit)
        self._low.setData(self._x, busbw * (1 - share))
        self._high.setData(self._x, np.minimum(busbw * (1 + share), np.maximum(limit, busbw)))
        base = np.empty(0)
        if baseline is not None:
            base = np.array([p.busbw_gb_per_s for p in baseline.points])
            self._base.setData(
                np.array([log2(max(p.size_bytes, 1)) for p in baseline.points]), base
            )
        else:
            self._base.setData([], [])
        top = float(max(busbw.max(initial=0.0), limit.max(initial=0.0), base.max(initial=0.0)))
        self.setXRange(float(self._x[0]), float(self._x[-1]), padding=0.01)
        self.setYRange(0.0, max(top * 1.14, 1e-6), padding=0.0)
        self._limit_text.setText(self.tr("limit {0}").format(bandwidth_text(float(limit[-1]))))
        self._limit_text.setPos(float(self._x[0]), float(limit[0]))
        self._hide_readout()
        self._colour()

    def curves(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """What is drawn: log2 of the sizes, bus bandwidths, limits."""
        x, busbw = self._curve.getData()
        return x, busbw, self._limit.getData()[1]

    # -- readout ----------------------------------------------------------------------------------

    def readout(self, number: int) -> str:
        """What the readout says of a point."""
        assert self._estimate is not None
        p = self._estimate.points[number]
        text: str = self.tr("{0}: {1} in {2}\n{3}, {4}; limit {5}").format(
            size_text(p.size_bytes),
            bandwidth_text(p.busbw_gb_per_s),
            time_text(p.time_us),
            p.algorithm,
            p.protocol,
            bandwidth_text(p.limit_busbw_gb_per_s),
        )
        return text

    def _on_mouse(self, at: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        if self._estimate is None or not box.sceneBoundingRect().contains(at):
            self._hide_readout()
            return
        place = box.mapSceneToView(at)
        number = int(np.abs(self._x - place.x()).argmin())
        x = float(self._x[number])
        y = self._estimate.points[number].busbw_gb_per_s
        self._line.setPos(x)
        self._dot.setData([x], [y])
        self._text.setText(self.readout(number))
        right = x > (self._x[0] + self._x[-1]) / 2
        self._text.setAnchor(
            (1.05 if right else -0.05, 1.1 if y < box.viewRange()[1][1] / 2 else 0)
        )
        self._text.setPos(x, y)
        for entry in (self._line, self._dot, self._text):
            entry.show()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hide_readout()

    def _hide_readout(self) -> None:
        for entry in (self._line, self._dot, self._text):
            entry.hide()
