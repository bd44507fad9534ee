# SPDX-License-Identifier: Apache-2.0
"""What a workload takes for granted, as fields: rates of the GPU, what hides behind computing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QToolButton, QVBoxLayout, QWidget

from rackloom_gui.widgets.count import Count

if TYPE_CHECKING:
    from rackloom.workload import Given

OVERLAPS = ("tp", "cp", "ep", "dp", "pp")
"""Kinds of communication, as the core names them; a test holds them equal."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Figures that the user knows better. 0 (of a share that hides: absence) is what is usual."""

    efficiency_percent: int = 0
    peak_tflops: int = 0
    memory_gb: int = 0
    memory_gb_per_s: int = 0
    sequence_parallel: bool = True
    hidden_percent: tuple[tuple[str, int], ...] = ()

    def given(self) -> Given:
        """As the core takes it."""
        from rackloom.workload import Given

        return Given(
            efficiency=self.efficiency_percent / 100 or None,
            peak_tflops=self.peak_tflops or None,
            memory_gb=self.memory_gb or None,
            memory_gb_per_s=self.memory_gb_per_s or None,
        )

    def overlap(self) -> dict[str, float]:
        """Shares that hide behind computing, by kind, as the core takes them."""
        return {kind: percent / 100 for kind, percent in self.hidden_percent}


AS_KNOWN = Taken()


class TakenFields(QWidget):
    """A fold with a field for each assumption."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fold = QToolButton(self)
        self._room = QWidget(self)
        self.figures: dict[str, Count] = {}
        self.hidden: dict[str, Count] = {}
        self.sequence_parallel = QCheckBox(self.tr("Sequence parallel"), self)
        self._build()

    def _build(self) -> None:
        self.fold.setText(self.tr("Assumptions"))
        self.fold.setCheckable(True)
        self.fold.setAutoRaise(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.toggled.connect(self._show)
        form = QFormLayout(self._room)
        form.setContentsMargins(12, 0, 0, 4)
        form.setVerticalSpacing(4)
        figures = (
            ("efficiency_percent", self.tr("Efficiency"), " %", 100,
             self.tr("Part of the peak that whole layers reach")),
            ("peak_tflops", self.tr("Peak"), " TFLOP/s", 10**6,
             self.tr("Of one GPU in this precision, dense")),
            ("memory_gb", self.tr("Memory"), " GB", 10**6, self.tr("Of one GPU")),
            ("memory_gb_per_s", self.tr("Memory rate"), " GB/s", 10**6,
             self.tr("Peak of one GPU's memory")),
        )  # fmt: skip
        for key, label, unit, high, tip in figures:
            field = Count(label, self, high=high, zero=self.tr("as known"))
            field.setSuffix(unit)
            field.setToolTip(tip)
            field.valueChanged.connect(lambda _n: self.changed.emit())
            self.figures[key] = field
            form.addRow(label, field)
        kinds = {"tp": self.tr("TP hides"), "cp": self.tr("CP hides"), "ep": self.tr("EP hides"),
                 "dp": self.tr("DP hides"), "pp": self.tr("PP hides")}  # fmt: skip
        for key, label in kinds.items():
            field = Count(label, self, low=-1, high=100)
            field.setSpecialValueText(self.tr("as is usual"))
            field.setValue(-1)
            field.setSuffix(" %")
            field.setToolTip(self.tr("Share of this communication that hides behind computing"))
            field.valueChanged.connect(lambda _n: self.changed.emit())
            self.hidden[key] = field
            form.addRow(label, field)
        self.sequence_parallel.setChecked(True)
        self.sequence_parallel.setToolTip(
            self.tr("Norms and dropout split over tensor parallel ranks; else all-reduce")
        )
        self.sequence_parallel.toggled.connect(lambda _on: self.changed.emit())
        form.addRow(self.sequence_parallel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.fold)
        layout.addWidget(self._room)
        self._room.hide()

    def _show(self, on: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._room.setVisible(on)

    def taken(self) -> Taken:
        """The assumptions as the fields have them."""
        return Taken(
            **{key: field.value() for key, field in self.figures.items()},
            sequence_parallel=self.sequence_parallel.isChecked(),
            hidden_percent=tuple(
                (kind, field.value()) for kind, field in self.hidden.items() if field.value() >= 0
            ),
        )
