# SPDX-License-Identifier: Apache-2.0
"""What a job gets out of the fabric: step time and what it is spent on, tokens, MFU, memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.bars import Part, StackedBar
from rackloom_gui.charts.spinner import Spinner
from rackloom_gui.engine import load_engines
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.panels.figures import number
from rackloom_gui.panels.workload_form import Wanted, WorkloadForm
from rackloom_gui.theme import Theme, Tokens

if TYPE_CHECKING:
    from rackloom.workload import Workload

DELAY_MS = 120
_GB = 1e9


class WorkloadPanel(QWidget):
    """Fields to the left, the answer to the right; worked out anew whenever either end changes."""

    show_ids = Signal(list)
    fault = Signal(object)
    """(Exception) that nobody expected."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._source: Callable[[], Callable[[Wanted], Workload] | None] = lambda: None
        self._due = True
        self._result: Workload | None = None
        self._pinned: Workload | None = None
        self._job = LatestJob(self, delay_ms=DELAY_MS)
        self._job.done.connect(self._on_done)
        self._job.failed.connect(self._on_failed)
        self._models = LatestJob(self)
        self._models.done.connect(self._on_models)
        self._models.failed.connect(self.fault)
        self.form = WorkloadForm(self)
        self.form.changed.connect(lambda _wanted: self.ask())
        self.head = QLabel(self)
        self.problem = QLabel(self)
        self.spinner = Spinner(theme, self)
        self._job.busy_changed.connect(self.spinner.setVisible)
        self.pin_button = QToolButton(self)
        self.pin_button.setAutoRaise(True)
        self.pin_button.setToolTip(self.tr("Keep this answer to compare with"))
        self.pin_button.setAccessibleName(self.pin_button.toolTip())
        self.pin_button.clicked.connect(lambda _on=False: self.pin())
        self.split = StackedBar(theme, self)
        self.memory = StackedBar(theme, self)
        self._figures: dict[str, QLabel] = {}
        self._notes = QVBoxLayout()
        self._assumed = QLabel(self)
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self._show_nothing(self.tr("Put GPU servers in to see what a job gets."))

    def sizeHint(self) -> QSize:
        return QSize(560, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 140)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        font = self.head.font()
        font.setBold(True)
        self.head.setFont(font)
        for label in (self.head, self.problem, self._assumed):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.split.setAccessibleName(self.tr("What a step is spent on"))
        self.memory.setAccessibleName(self.tr("Memory of a GPU"))
        self.pin_button.setIcon(self._icons.icon("pin"))
        self._icons.changed.connect(lambda: self.pin_button.setIcon(self._icons.icon("pin")))
        panes = QSplitter(Qt.Orientation.Horizontal, self)
        panes.addWidget(_scrolled(self.form, self, 210))
        panes.addWidget(_scrolled(self._answer(), self, 220))
        panes.setStretchFactor(1, 1)
        panes.setSizes([240, 400])
        panes.setChildrenCollapsible(False)
        panes.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panes)
        self.setFocusProxy(self.form.model)

    def _answer(self) -> QWidget:
        room = QWidget(self)
        top = QHBoxLayout()
        top.addWidget(self.head, 1)
        top.addWidget(self.spinner)
        top.addWidget(self.pin_button)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        names = {
            "tokens": self.tr("Tokens a second"), "mfu": self.tr("MFU"),
            "tflops": self.tr("TFLOP/s a GPU"), "busy": self.tr("GPU busy"),
        }  # fmt: skip
        for row, (key, name) in enumerate(names.items()):
            value = QLabel(room)
            value.setAccessibleName(name)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(QLabel(name, room), row, 0)
            grid.addWidget(value, row, 1)
            self._figures[key] = value
        grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(room)
        layout.setContentsMargins(10, 6, 10, 8)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.problem)
        layout.addWidget(self.split)
        layout.addLayout(grid)
        layout.addWidget(self.memory)
        self._notes.setSpacing(3)
        layout.addLayout(self._notes)
        layout.addWidget(self._assumed)
        layout.addStretch()
        return room

    def _on_theme_changed(self, tokens: Tokens) -> None:
        # A style sheet, for a palette is lost when the label moves into its scroll area.
        self.problem.setStyleSheet(f"color: {tokens.error_text.name()};")
        self._assumed.setStyleSheet(f"color: {tokens.text_muted.name()};")
        if self._result is not None:
            self._show(self._result)

    # -- asking -----------------------------------------------------------------------------------

    def set_source(self, source: Callable[[], Callable[[Wanted], Workload] | None]) -> None:
        """Where answers come from: ``source()`` gives a function for a worker over the design as
        it is now, or None where there is nothing to run a job on.
        """
        self._source = source

    def refresh(self) -> None:
        """The fabric changed: work the answer out anew, now or when the panel is seen again."""
        self._set_stale(True)
        self._due = True
        if self.isVisible():
            self.ask()

    def ask(self) -> None:
        """Work out what the fields ask."""
        if not self.form.models:
            if not self._models.pending:
                self._models.ask(_load_models)
            return
        run = self._source()
        self._due = False
        if run is None:
            self._job.cancel()
            self._show_nothing(self.tr("Put GPU servers in to see what a job gets."))
            return
        wanted = self.form.wanted()
        self._set_stale(True)
        self._job.ask(lambda: run(wanted))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._due:
            self.ask()

    @property
    def pending(self) -> bool:
        """Whether an answer is to come."""
        return self._job.pending or self._models.pending

    def shut_down(self) -> None:
        """Wait for the threads; call before the window goes."""
        self._models.wait()
        self._job.wait()

    def _on_models(self, models: object) -> None:
        self.form.set_models(models)  # type: ignore[arg-type]
        self.ask()

    def _on_failed(self, error: Exception) -> None:
        from rackloom.workload import WorkloadError

        if not isinstance(error, WorkloadError):
            self.fault.emit(error)
            return
        self.problem.setText(in_fields(str(error)))
        self.problem.show()
        self._set_stale(True)

    def _on_done(self, result: Workload) -> None:
        self._show(result)

    # -- showing ----------------------------------------------------------------------------------

    @property
    def result(self) -> Workload | None:
        """The latest answer."""
        return self._result

    @property
    def is_stale(self) -> bool:
        """Whether what is shown belongs to an older design or question."""
        return not self.head.isEnabled()

    def pin(self) -> None:
        """Keep the answer: from now on the difference to it is shown."""
        self._pinned = self._result
        if self._result is not None:
            self._show(self._result)

    def _set_stale(self, stale: bool) -> None:
        self.head.setEnabled(not stale)
        for value in self._figures.values():
            value.setEnabled(not stale)
        self.split.set_stale(stale)
        self.memory.set_stale(stale)

    def _show_nothing(self, sentence: str) -> None:
        self._result = None
        self.head.setText(sentence)
        self.problem.hide()
        for value in self._figures.values():
            value.setText("–")
        self.split.show_parts(())
        self.memory.show_parts(())
        self._assumed.setText("")
        self._clear_notes()
        self.pin_button.setEnabled(False)
        self._set_stale(False)

    def _show(self, result: Workload) -> None:
        self._result = result
        self.problem.hide()
        kept = self._pinned
        step = seconds_text(result.step_s)
        words = {
            "train": self.tr("{0} a step"),
            "prefill": self.tr("{0} to the first token"),
            "decode": self.tr("{0} a token"),
        }
        head = self.tr("{0} on {1} × {2}: ").format(
            result.model.title, f"{result.gpus:,}", result.gpu
        )
        head += words[result.mode].format(step)
        if kept is not None:
            head += _difference(result.step_s, kept.step_s)
        self.head.setText(head)
        self._show_figures(result, kept)
        names = self._words()
        self.split.show_parts(
            [Part(names[k], s, seconds_text(s)) for k, s in result.split.parts().items()]
        )
        self._show_memory(result)
        self._show_notes(result)
        self.pin_button.setEnabled(True)
        self._set_stale(False)

    def _words(self) -> dict[str, str]:
        return {
            "compute": self.tr("Compute"), "memory": self.tr("Memory reads"),
            "tp": self.tr("Tensor"), "cp": self.tr("Context"), "ep": self.tr("Experts"),
            "pp": self.tr("Pipeline"), "dp": self.tr("Data"), "optimizer": self.tr("Optimizer"),
            "bubble": self.tr("Bubble"),
        }  # fmt: skip

    def _show_figures(self, result: Workload, kept: Workload | None) -> None:
        tokens = f"{number(float(f'{result.tokens_per_s:.4g}'))}"
        texts = {
            "tokens": tokens,
            "mfu": f"{result.mfu * 100:.1f} %",
            "tflops": f"{result.tflops_per_gpu:.0f}",
            "busy": f"{result.utilisation * 100:.0f} %",
        }
        if kept is not None:
            pairs = {
                "tokens": (result.tokens_per_s, kept.tokens_per_s),
                "mfu": (result.mfu, kept.mfu),
                "tflops": (result.tflops_per_gpu, kept.tflops_per_gpu),
                "busy": (result.utilisation, kept.utilisation),
            }
            texts = {k: text + _difference(*pairs[k]) for k, text in texts.items()}
        for key, text in texts.items():
            self._figures[key].setText(text)

    def _show_memory(self, result: Workload) -> None:
        memory = result.memory
        parts = [
            Part(self.tr("Weights"), memory.weights_bytes, gb_text(memory.weights_bytes)),
            Part(self.tr("Gradients"), memory.gradients_bytes, gb_text(memory.gradients_bytes)),
            Part(self.tr("Optimizer"), memory.optimizer_bytes, gb_text(memory.optimizer_bytes)),
            Part(self.tr("Activations"), memory.activations_bytes,
                 gb_text(memory.activations_bytes)),
            Part(self.tr("Cache"), memory.cache_bytes, gb_text(memory.cache_bytes)),
        ]  # fmt: skip
        there = memory.available_bytes
        text = self.tr("memory of the GPU unknown") if there is None else ""
        if there is not None:
            text = self.tr("{0} of {1} a GPU").format(gb_text(memory.total_bytes), gb_text(there))
        self.memory.show_parts(parts, there, text)

    def _clear_notes(self) -> None:
        while (item := self._notes.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _show_notes(self, result: Workload) -> None:
        self._clear_notes()
        for warned in result.warnings:
            self._notes.addWidget(self._note("warning", warned.text, warned.where))
        slow = max(
            (c for c in result.channels), key=lambda c: result.split.parts().get(c.kind, 0.0),
            default=None,
        )  # fmt: skip
        if slow is not None and result.split.parts().get(slow.kind, 0.0) > 0:
            text = self.tr("{0} ({1} ranks): limited by {2}").format(
                self._words()[slow.kind], slow.ranks, slow.limited_by
            )
            self._notes.addWidget(self._note("info", text, slow.where))
        assumed = "; ".join(result.assumptions)
        self._assumed.setText(self.tr("Taken: {0}.").format(assumed) if assumed else "")

    def _note(self, severity: str, text: str, where: tuple[str, ...]) -> QWidget:
        """A sentence with its sign; a button goes to where it is."""
        room = QWidget(self)
        line = QHBoxLayout(room)
        line.setContentsMargins(0, 0, 0, 0)
        sign = QLabel(room)
        ink = self._theme.tokens.severity(severity)
        sign.setPixmap(self._icons.pixmap(severity, ink, 16, self.devicePixelRatioF()))
        sign.setAlignment(Qt.AlignmentFlag.AlignTop)
        label = QLabel(text[:1].upper() + text[1:].rstrip(".") + ".", room)
        label.setObjectName(f"note.{severity}")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        line.addWidget(sign)
        line.addWidget(label, 1)
        if where:
            go = QPushButton(self.tr("Show"), room)
            go.clicked.connect(partial(self._go, list(where)))
            line.addWidget(go, 0, Qt.AlignmentFlag.AlignTop)
        return room

    def _go(self, where: list[str], _checked: bool = False) -> None:
        self.show_ids.emit(where)


def _scrolled(widget: QWidget, parent: QWidget, least: int) -> QScrollArea:
    if widget.layout() is not None and isinstance(widget, WorkloadForm):
        widget.layout().setContentsMargins(10, 6, 8, 8)  # type: ignore[union-attr]
    area = QScrollArea(parent)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setMinimumWidth(least)
    area.setWidget(widget)
    return area


def _load_models() -> object:
    load_engines()
    from rackloom.workload import models

    return models()


_FIELDS = {
    "efficiency": "Efficiency",
    "peak-tflops": "Peak",
    "memory-gb-per-s": "Memory rate",
    "memory-gb": "Memory",
}
"""Options of the command line for what is taken, and the fields that stand for them."""


def in_fields(sentence: str) -> str:
    """A sentence of the command line in the words of the fields, as a sentence."""
    text = re.sub(r", or take fewer GPUs with --gpus|, or say --gpus \d+", "", sentence)
    text = re.sub(r"give --(\w+) (\d+)", r"give \1 \2", text)
    for option, field in _FIELDS.items():
        text = re.sub(
            rf"--{option}\b(, as a fraction of the peak)?", f"{field} under Assumptions", text
        )
    text = text.replace("--", "")
    return text[:1].upper() + text[1:].rstrip(".") + "."


def seconds_text(seconds: float) -> str:
    """A time: ``2.31 s``, ``48 ms``, ``910 µs``."""
    if seconds >= 1:
        return f"{seconds:,.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def gb_text(size_bytes: float) -> str:
    """Bytes in GB of 1e9, as memory of GPUs is sold."""
    return f"{size_bytes / _GB:,.3g} GB" if size_bytes < 1e12 else f"{size_bytes / _GB:,.0f} GB"


def _difference(now: float, before: float) -> str:
    if before <= 0:
        return ""
    change = (now / before - 1) * 100
    return " (±0 %)" if abs(change) < 0.05 else f" ({change:+.1f} %)"
