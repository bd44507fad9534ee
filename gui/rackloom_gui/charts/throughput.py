# SPDX-License-Identifier: Apache-2.0
"""Throughput against message size: what to expect, what no schedule can beat, and why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.controls import ChartControls
from rackloom_gui.charts.copying import Line, estimate_csv, picture_of
from rackloom_gui.charts.kept import KeptCurves
from rackloom_gui.charts.legend import ChartLegend, Entry
from rackloom_gui.charts.overlays import dropped_log, is_big_log, log_text, read_log
from rackloom_gui.charts.shown import Log, Pin
from rackloom_gui.charts.sizes import bandwidth_text, collective_text
from rackloom_gui.charts.spinner import Spinner
from rackloom_gui.charts.tools import ChartTools
from rackloom_gui.engine import load_engines
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import Errands
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import ElidedLabel, EmptyState

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.interop.nccl_log import MeasuredRun
    from rackloom_gui.charts.plot import ThroughputPlot


class ThroughputPanel(QWidget):
    """The chart, its headline, and the sentence that says what limits it."""

    show_ids = Signal(list)
    """(ids): what limits the fabric; select it and show it."""
    cut_toggled = Signal(bool)
    """Whether the binding cut is to be painted on the drawing."""
    open_log_requested = Signal()
    told = Signal(str)
    """A sentence for the status bar."""
    reading = Signal(str)
    """What is being read in a thread; empty when it is done."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._estimate: Estimate | None = None
        self._baseline: Estimate | None = None
        self._plot: ThroughputPlot | None = None
        self.kept = KeptCurves(len(theme.tokens.series), self)
        self._logs_read = Errands(self)
        self._asked_name = "all-reduce"
        self.controls = ChartControls(icons, self)
        self.legend = ChartLegend(icons, self)
        self._head = ElidedLabel(parent=self)
        self.spinner = Spinner(theme, self)
        self._reason = QLabel(self)
        self._note = QLabel(self)
        self._small = ElidedLabel(parent=self)
        self._stack = QStackedWidget(self)
        self._chart_room = QWidget(self)
        self._empty = EmptyState("chart", "", "", theme, icons, self)
        self.tools = ChartTools(icons, self)
        for button, run in (
            (self.tools.where, self._show_where), (self.tools.cut, self._cut_on),
            (self.tools.pin, self.ask_pin), (self.tools.log, self.open_log_requested.emit),
            (self.tools.copy_picture, self.copy_picture), (self.tools.copy_csv, self.copy_csv),
        ):  # fmt: skip
            button.clicked.connect(lambda _on=False, run=run: run())
        self._build()
        self.setAcceptDrops(True)
        self.legend.removed.connect(self._remove)
        self.kept.changed.connect(self._overlay)
        self.kept.told.connect(self.told)
        self.controls.quantity_changed.connect(self._on_quantity)
        self.controls.algorithms_shown.connect(self._on_algorithms)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.show_failure(self.tr("Nothing to estimate yet."))

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 160)

    def _build(self) -> None:
        font = self._head.font()
        font.setBold(True)
        self._head.setFont(font)
        for label in (self._reason, self._note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note.hide()
        line = QHBoxLayout()
        line.setSpacing(2)
        line.addWidget(self._head, 1)
        line.addWidget(self.spinner)
        line.addWidget(self.tools)
        room = QVBoxLayout(self._chart_room)
        room.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._chart_room)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 6, 6)
        layout.setSpacing(3)
        layout.addWidget(self.controls)
        layout.addLayout(line)
        layout.addWidget(self._reason)
        layout.addWidget(self._note)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self._small)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        palette = self._small.palette()
        palette.setColor(self._small.foregroundRole(), tokens.text_muted)
        self._small.setPalette(palette)
        palette = self._note.palette()
        palette.setColor(self._note.foregroundRole(), tokens.info_text)
        self._note.setPalette(palette)
        if self._plot is not None:
            self._plot.dress(tokens)
        self._show_legend()

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

    @property
    def note(self) -> str:
        """The sentence on what unplugging changes, or how a log compares."""
        return self._note.text()

    def show_also(self, estimates: Sequence[Estimate]) -> None:
        """Other collectives that `show_estimate` lays beside the one it is given."""
        self.kept.show_also(estimates)

    def show_estimate(
        self, estimate: Estimate, baseline: Estimate | None = None, note: str = ""
    ) -> None:
        """Draw an estimate; ``baseline``: that of the whole fabric while something is unplugged,
        ``note``: what that changes, in words.
        """
        self._estimate, self._baseline = estimate, baseline
        self._what_if = note
        plot = self._need_plot()
        plot.set_overlays(self.kept.curves, self.kept.logs)
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
            self.tr(
                "Expect ±{0} % from 256 MiB on, ±{1} % below: {2}. No schedule beats {3}: {4}."
            ).format(
                f"{estimate.band.fraction * 100:.0f}",
                f"{estimate.band.small_fraction * 100:.0f}",
                estimate.band.rests_on,
                bandwidth_text(estimate.limit.busbw_gb_per_s),
                estimate.limit.text.rstrip("."),
            )
        )
        self._show_note()
        self._show_legend()
        self.tools.enable(True)

    _what_if = ""

    def _show_note(self) -> None:
        notes = self._estimate.notes if self._estimate is not None else ()
        said = [f"{note[:1].upper()}{note[1:]}." for note in notes]
        texts = [self._what_if, *said, *(log_text(log, self._estimate) for log in self.kept.logs)]
        self._note.setText("\n".join(t for t in texts if t))
        self._note.setVisible(bool(self._note.text()))

    def show_failure(self, sentence: str) -> None:
        """Say why there is no estimate."""
        self._estimate = self._baseline = None
        self._what_if = ""
        self._head.setText(collective_text(self.controls.asked.collective))
        self._reason.setText("")
        self._small.setText("")
        self._show_note()
        self._empty.set_text(self.tr("No estimate"), sentence)
        self._stack.setCurrentWidget(self._empty)
        self._show_legend()
        self.tools.enable(False)

    def set_stale(self) -> None:
        """The design changed: grey until the next estimate comes."""
        if self._plot is not None and self._estimate is not None:
            self._plot.set_stale(True)

    def set_busy(self, busy: bool) -> None:
        """Say that an answer is being worked on."""
        self.spinner.setVisible(busy)

    def _need_plot(self) -> ThroughputPlot:
        if self._plot is None:
            from rackloom_gui.charts.plot import ThroughputPlot  # the worker loaded it: load_chart

            self._plot = ThroughputPlot(self._theme.tokens, self._chart_room)
            self._plot.set_quantity(str(self.controls.quantity.currentData()))
            self._plot.set_algorithms(self.controls.show_algorithms.isChecked())
            self._plot.setAcceptDrops(False)  # what is dropped is for the panel
            room = self._chart_room.layout()
            assert room is not None
            room.addWidget(self._plot)
            self.setFocusProxy(self._plot)
        return self._plot

    def _on_quantity(self, quantity: str) -> None:
        if self._plot is not None:
            self._plot.set_quantity(quantity)

    def _on_algorithms(self, shown: bool) -> None:
        if self._plot is not None:
            self._plot.set_algorithms(shown)
        self._show_legend()

    def _show_legend(self) -> None:
        if self._plot is None or self._estimate is None:
            self.legend.show_entries(())
            return
        from rackloom_gui.charts.plot import STYLES

        tokens = self._theme.tokens
        entries = [Entry("", self.tr("expected"), tokens.series[0], width=2)]
        if self._baseline is not None:
            dots = Qt.PenStyle.DotLine
            entries.append(Entry("", self.tr("as drawn"), tokens.text_muted, dots))
        entries += self.kept.entries(tokens)
        if self.controls.show_algorithms.isChecked():
            for n, name in enumerate(self._plot.algorithms()):
                entries.append(Entry("", name, tokens.text_muted, STYLES[n % len(STYLES)], 1))
        self.legend.show_entries(entries)

    # -- curves to compare with -------------------------------------------------------------------

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Curves that were kept."""
        return self.kept.pins

    @property
    def logs(self) -> tuple[Log, ...]:
        """Measured runs that lie over the chart."""
        return self.kept.logs

    def ask_pin(self) -> None:
        """Ask for a name and keep the present curve."""
        if self._estimate is None:
            return
        dialog = QInputDialog(self)
        dialog.setWindowTitle(self.tr("Keep This Curve"))
        dialog.setLabelText(self.tr("Name of the curve:"))
        dialog.setTextValue(self.kept.free_name(self._estimate))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(self.pin)
        dialog.open()

    def pin(self, name: str) -> None:
        """Keep the present curve under a name."""
        if self._estimate is not None:
            self.kept.pin(name, self._estimate)

    def load_log(self, path: Path) -> bool:
        """Lay the runs of a log over the chart; False (and a sentence) where it holds none.

        A big log is read in a thread: True then, and the sentence comes later.
        """
        if is_big_log(path):
            self.reading.emit(self.tr("{0} is being read.").format(path.name))
            self._logs_read.run(partial(_read_big, path), partial(self._on_log, path.name))
            return True
        try:
            runs = read_log(path)
        except ValueError as error:
            self.told.emit(str(error))
            return False
        self._show_log(path.name, runs)
        return True

    def _on_log(self, name: str, result: Sequence[MeasuredRun] | Exception) -> None:
        self.reading.emit("")
        if isinstance(result, ValueError):
            self.told.emit(str(result))
        elif isinstance(result, Exception):
            raise result
        else:
            self._show_log(name, result)

    def _show_log(self, name: str, runs: Sequence[MeasuredRun]) -> None:
        self.kept.add_log(name, runs)
        first = runs[0]
        collective = first.collective.value if first.collective is not None else None
        self.controls.ask_for(collective, first.ranks, self.total_gpus)
        self._overlay()

    def shut_down(self) -> None:
        """Wait for the thread; call before the window goes."""
        self._logs_read.wait()

    total_gpus: int | None = None
    """GPUs of the whole design, where somebody knows."""

    def _remove(self, key: str) -> None:
        collective = self.kept.remove(key)
        if collective:
            self.controls.also[collective].setChecked(False)

    def _overlay(self) -> None:
        if self._plot is not None:
            self._plot.set_overlays(self.kept.curves, self.kept.logs)
        self._show_note()
        self._show_legend()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_log(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_log(event)
        if path is not None:
            event.acceptProposedAction()
            self.load_log(path)

    # -- what can be done -------------------------------------------------------------------------

    def _show_where(self) -> None:
        if self._estimate is not None:
            self.show_ids.emit(list(self._estimate.bottleneck.where))

    def _cut_on(self) -> None:
        self.cut_toggled.emit(self.tools.cut.isChecked())

    @property
    def cut_shown(self) -> bool:
        """Whether the binding cut is painted on the drawing."""
        return self.tools.cut.isChecked()

    def csv(self) -> str:
        """The points as CSV, one size a line."""
        if self._estimate is None:
            return ""
        logs = [g for g in self.kept.logs if g.run.collective in (None, self._estimate.collective)]
        return estimate_csv(self._estimate, self.kept.curves, logs)

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
        """The chart with all that is said of it as an image."""
        tokens = self._theme.tokens
        quantity = self.controls.quantity.currentText()
        group = self.controls.group.currentText()
        lines = [
            Line(
                f"{self._head.text()} ({group}, {quantity.lower()})", self._head.font(), tokens.text
            ),
            Line(self._reason.text(), self._reason.font(), tokens.text),
            Line(self.note, self._note.font(), tokens.info_text),
        ]
        small = Line(self._small.text(), self._small.font(), tokens.text_muted)
        pieces = [line for line in lines if line.text]
        return picture_of(
            [*pieces, self._chart_room, self.legend, small], self.width(), tokens.surface, ratio
        )


def _read_big(path: Path) -> tuple[MeasuredRun, ...]:
    load_engines()  # what reads logs knows collectives, which another worker may be importing
    return read_log(path)


def limit_sentence(estimate: Estimate) -> str:
    """What limits the collective at large sizes, as a sentence."""
    text = estimate.bottleneck.text.strip().rstrip(".")
    return QGuiApplication.translate("Throughput", "Limited by: {0}.").format(text)


__all__ = ["ThroughputPanel", "dropped_log", "estimate_csv", "limit_sentence"]
