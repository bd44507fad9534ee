# SPDX-License-Identifier: Apache-2.0
"""Bus bandwidth against message size: what to expect, what no schedule can beat, and why."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QMimeData, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.sizes import bandwidth_text, collective_text
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import ElidedLabel, EmptyState

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom_gui.charts.plot import ThroughputPlot


class ThroughputPanel(QWidget):
    """The chart, its headline, and the sentence that says what limits it."""

    show_ids = Signal(list)
    """(ids): what limits the fabric; select it and show it."""
    cut_toggled = Signal(bool)
    """Whether the binding cut is to be painted on the drawing."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._estimate: Estimate | None = None
        self._baseline: Estimate | None = None
        self._plot: ThroughputPlot | None = None
        self._head = QLabel(self)
        self._busy = QLabel(self.tr("calculating…"), self)
        self._reason = QLabel(self)
        self._small = ElidedLabel(parent=self)
        self._stack = QStackedWidget(self)
        self._chart_room = QWidget(self)
        self._empty = EmptyState("chart", "", "", theme, icons, self)
        self._where = self._button("goto", self.tr("Show what limits it"), self._show_where)
        self._cut = self._button(
            "eye", self.tr("Paint the binding cut on the drawing"), self._cut_on
        )
        self._cut.setCheckable(True)
        self._copy_picture = self._button("image", self.tr("Copy as picture"), self.copy_picture)
        self._copy_csv = self._button("table", self.tr("Copy as CSV"), self.copy_csv)
        self._build()
        icons.changed.connect(self._load_icons)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.show_failure(self.tr("Nothing to estimate yet."))

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def _button(self, icon: str, tip: str, run: Any) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("iconName", icon)
        button.setIcon(self._icons.icon(icon))
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda _checked=False: run())
        return button

    def _build(self) -> None:
        font = self._head.font()
        font.setBold(True)
        self._head.setFont(font)
        self._busy.hide()
        self._reason.setWordWrap(True)
        self._reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self._head)
        top.addWidget(self._busy)
        top.addStretch()
        for button in (self._where, self._cut, self._copy_picture, self._copy_csv):
            top.addWidget(button)
        room = QVBoxLayout(self._chart_room)
        room.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._chart_room)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 6, 6)
        layout.setSpacing(3)
        layout.addLayout(top)
        layout.addWidget(self._reason)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._small)

    def _load_icons(self) -> None:
        for button in (self._where, self._cut, self._copy_picture, self._copy_csv):
            button.setIcon(self._icons.icon(str(button.property("iconName"))))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        for label in (self._small, self._busy):
            palette = label.palette()
            palette.setColor(label.foregroundRole(), tokens.text_muted)
            label.setPalette(palette)
        if self._plot is not None:
            self._plot.dress(tokens)

    # -- what is shown ----------------------------------------------------------------------------

    @property
    def estimate(self) -> Estimate | None:
        """What the chart shows."""
        return self._estimate

    @property
    def plot(self) -> ThroughputPlot | None:
        """The chart itself, once there was something to draw."""
        return self._plot

    @property
    def reason(self) -> str:
        """The sentence that says what limits the fabric."""
        return self._reason.text()

    def show_estimate(self, estimate: Estimate, baseline: Estimate | None = None) -> None:
        """Draw an estimate; ``baseline``: that of the whole fabric while something is unplugged."""
        self._estimate, self._baseline = estimate, baseline
        plot = self._need_plot()
        plot.show_estimate(estimate, baseline)
        self._stack.setCurrentWidget(self._chart_room)
        peak = estimate.peak.busbw_gb_per_s
        head = self.tr("{0} of {1} GPUs: {2}").format(
            collective_text(estimate.collective.value), f"{estimate.gpus:,}", bandwidth_text(peak)
        )
        if baseline is not None:
            before = baseline.peak.busbw_gb_per_s
            head += self.tr(" (as drawn {0})").format(bandwidth_text(before))
        self._head.setText(head)
        self._reason.setText(limit_sentence(estimate))
        self._small.setText(
            self.tr("No schedule beats {0}: {1}. Expect ±{2} %: {3}.").format(
                bandwidth_text(estimate.limit.busbw_gb_per_s),
                estimate.limit.text,
                f"{estimate.band.fraction * 100:.0f}",
                estimate.band.rests_on,
            )
        )
        self._enable(True)

    def show_failure(self, sentence: str) -> None:
        """Say why there is no estimate."""
        self._estimate = self._baseline = None
        self._head.setText(self.tr("All-reduce"))
        self._reason.setText("")
        self._small.setText("")
        self._empty.set_text(self.tr("No estimate"), sentence)
        self._stack.setCurrentWidget(self._empty)
        self._enable(False)

    def set_stale(self) -> None:
        """The design changed: grey until the next estimate comes."""
        if self._plot is not None and self._estimate is not None:
            self._plot.set_stale(True)

    def set_busy(self, busy: bool) -> None:
        """Say that an answer is being worked on."""
        self._busy.setVisible(busy)

    def _enable(self, on: bool) -> None:
        for button in (self._where, self._cut, self._copy_picture, self._copy_csv):
            button.setEnabled(on)

    def _need_plot(self) -> ThroughputPlot:
        if self._plot is None:
            from rackloom_gui.charts.plot import ThroughputPlot  # pyqtgraph costs the start 0.2 s

            self._plot = ThroughputPlot(self._theme.tokens, self._chart_room)
            room = self._chart_room.layout()
            assert room is not None
            room.addWidget(self._plot)
        return self._plot

    # -- what can be done -------------------------------------------------------------------------

    def _show_where(self) -> None:
        if self._estimate is not None:
            self.show_ids.emit(list(self._estimate.bottleneck.where))

    def _cut_on(self) -> None:
        self.cut_toggled.emit(self._cut.isChecked())

    @property
    def cut_shown(self) -> bool:
        """Whether the binding cut is painted on the drawing."""
        return self._cut.isChecked()

    def csv(self) -> str:
        """The points as CSV, one size a line."""
        if self._estimate is None:
            return ""
        return estimate_csv(self._estimate)

    def copy_csv(self) -> None:
        """Put the points on the clipboard."""
        mime = QMimeData()
        mime.setText(self.csv())
        mime.setData("text/csv", QByteArray(self.csv().encode()))
        QGuiApplication.clipboard().setMimeData(mime)

    def copy_picture(self) -> None:
        """Put the chart on the clipboard at twice its size."""
        if self._plot is not None:
            QGuiApplication.clipboard().setImage(self.picture(2.0))

    def picture(self, ratio: float) -> QImage:
        """The chart with its headline as an image."""
        size = self.size()
        image = QImage(size * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(self._theme.tokens.surface))
        painter = QPainter(image)
        self.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)
        painter.end()
        return image


def limit_sentence(estimate: Estimate) -> str:
    """What limits the collective at large sizes, as a sentence."""
    text = estimate.bottleneck.text.strip().rstrip(".")
    return QGuiApplication.translate("Throughput", "Limited by: {0}.").format(text)


def estimate_csv(estimate: Estimate) -> str:
    """The points of an estimate as CSV."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(
        (
            "size_bytes", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "limit_busbw_gb_per_s",
            "algorithm", "protocol",
        )
    )  # fmt: skip
    for p in estimate.points:
        numbers = (p.time_us, p.algbw_gb_per_s, p.busbw_gb_per_s, p.limit_busbw_gb_per_s)
        writer.writerow((p.size_bytes, *(f"{n:.6g}" for n in numbers), p.algorithm, p.protocol))
    return buffer.getvalue()


__all__ = ["ThroughputPanel", "estimate_csv", "limit_sentence"]
