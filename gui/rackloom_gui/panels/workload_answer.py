# SPDX-License-Identifier: Apache-2.0
"""The answer to what a job gets: step time and what it is spent on, figures, memory, notes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.bars import Part, StackedBar
from rackloom_gui.charts.spinner import Spinner
from rackloom_gui.icons import Icons
from rackloom_gui.panels.figures import number
from rackloom_gui.panels.workload_words import difference_text, gb_text, seconds_text
from rackloom_gui.theme import Theme, Tokens

if TYPE_CHECKING:
    from rackloom.workload import Workload


class WorkloadAnswer(QWidget):
    """One answer, with the difference to one that was kept."""

    show_ids = Signal(list)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._result: Workload | None = None
        self._pinned: Workload | None = None
        self.head = QLabel(self)
        self.problem = QLabel(self)
        self.spinner = Spinner(theme, self)
        self.pin_button = QToolButton(self)
        self.pin_button.setAutoRaise(True)
        self.pin_button.setToolTip(self.tr("Keep this answer to compare with"))
        self.pin_button.setAccessibleName(self.pin_button.toolTip())
        self.pin_button.clicked.connect(lambda _on=False: self.pin())
        self.split = StackedBar(theme, self)
        self.memory = StackedBar(theme, self)
        self.figures: dict[str, QLabel] = {}
        self._notes = QVBoxLayout()
        self._assumed = QLabel(self)
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

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
            value = QLabel(self)
            value.setAccessibleName(name)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(QLabel(name, self), row, 0)
            grid.addWidget(value, row, 1)
            self.figures[key] = value
        grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
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

    def _on_theme_changed(self, tokens: Tokens) -> None:
        # A style sheet, for a palette is lost when the label moves into its scroll area.
        self.problem.setStyleSheet(f"color: {tokens.error_text.name()};")
        self._assumed.setStyleSheet(f"color: {tokens.text_muted.name()};")
        if self._result is not None:
            self.show_result(self._result)

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
            self.show_result(self._result)

    def show_problem(self, sentence: str) -> None:
        """Say why there is no answer; the old one stays, greyed."""
        self.problem.setText(sentence)
        self.problem.show()
        self.set_stale(True)

    def set_stale(self, stale: bool) -> None:
        """Grey what belongs to an older design or question."""
        self.head.setEnabled(not stale)
        for value in self.figures.values():
            value.setEnabled(not stale)
        self.split.set_stale(stale)
        self.memory.set_stale(stale)

    def show_nothing(self, sentence: str) -> None:
        """There is nothing to run a job on."""
        self._result = None
        self.head.setText(sentence)
        self.problem.hide()
        for value in self.figures.values():
            value.setText("–")
        self.split.show_parts(())
        self.memory.show_parts(())
        self._assumed.setText("")
        self._clear_notes()
        self.pin_button.setEnabled(False)
        self.set_stale(False)

    def show_result(self, result: Workload) -> None:
        """Show an answer."""
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
            head += difference_text(result.step_s, kept.step_s)
        self.head.setText(head)
        self._show_figures(result, kept)
        names = self._words()
        self.split.show_parts(
            [Part(names[k], s, seconds_text(s)) for k, s in result.split.parts().items()]
        )
        self._show_memory(result)
        self._show_notes(result)
        self.pin_button.setEnabled(True)
        self.set_stale(False)

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
            texts = {k: text + difference_text(*pairs[k]) for k, text in texts.items()}
        for key, text in texts.items():
            self.figures[key].setText(text)

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
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        line.addWidget(sign)
        line.addWidget(label, 1)
        if where:
            go = QPushButton(self.tr("Show"), room)
            go.clicked.connect(partial(self._go, list(where)))
            line.addWidget(go, 0, Qt.AlignmentFlag.AlignTop)
        return room

    def _go(self, where: list[str], _checked: bool = False) -> None:
        self.show_ids.emit(where)
