# SPDX-License-Identifier: Apache-2.0
"""What job is asked about: model, groups, mode and batch, as fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from rackloom_gui.panels.workload_taken import AS_KNOWN, Taken, TakenFields
from rackloom_gui.widgets.count import Count

if TYPE_CHECKING:
    from rackloom.fabric import Fabric
    from rackloom.workload import Model, Workload

MODEL = "llama-3-8b"
"""The preset that is chosen at first."""
SHAPE = (
    "layers", "hidden", "heads", "kv_heads", "head_width", "ffn", "experts", "top_k", "vocabulary",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """One question to the workload model. 0 stands for what is usual or left over."""

    model: str = MODEL
    shape: tuple[tuple[str, int], ...] = ()
    """What differs from the preset."""
    tp: int = 1
    pp: int = 1
    dp: int = 0
    cp: int = 1
    ep: int = 1
    virtual: int = 1
    zero: int = 1
    gpus: int = 0
    mode: str = "train"
    micro_batch: int = 1
    global_batch: int = 0
    sequence: int = 0
    precision: str = "bf16"
    recompute: str = "none"
    taken: Taken = AS_KNOWN

    def work_out(self, fabric: Fabric, failed: frozenset[str]) -> Workload:
        """For a worker. WorkloadError with one sentence where there is no answer."""
        from rackloom.workload import Parallel, Settings, find_model, own_model, workload

        model = find_model(self.model)
        if self.shape:
            model = own_model(model, **dict(self.shape))
        parallel = Parallel(
            tp=self.tp, pp=self.pp, dp=self.dp or None, cp=self.cp, ep=self.ep,
            virtual=self.virtual, zero=self.zero,
        )  # fmt: skip
        settings = Settings(
            mode=self.mode,  # type: ignore[arg-type]  # checked by the settings themselves
            micro_batch=self.micro_batch,
            global_batch=self.global_batch or None,
            sequence=self.sequence or None,
            precision=self.precision,
            recompute=self.recompute,  # type: ignore[arg-type]
            sequence_parallel=self.taken.sequence_parallel,
            overlap=self.taken.overlap(),
            given=self.taken.given(),
        )
        return workload(fabric, model, parallel, settings, self.gpus or None, failed)


class WorkloadForm(QWidget):
    """All fields; `changed` carries the question after each of them."""

    changed = Signal(object)
    """(Wanted)"""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: Mapping[str, Model] = {}
        self._filling = False
        self.model = self._combo(self.tr("Model"), [(MODEL, MODEL)])
        self.mode = self._combo(
            self.tr("Mode"),
            [("train", self.tr("Training step")), ("prefill", self.tr("Inference: prefill")),
             ("decode", self.tr("Inference: decode"))],
        )  # fmt: skip
        self.precision = self._combo(
            self.tr("Precision"), [("bf16", "BF16"), ("fp16", "FP16"), ("fp8", "FP8")]
        )
        self.recompute = self._combo(
            self.tr("Recompute"),
            [("none", self.tr("Nothing")), ("selective", self.tr("Selective")),
             ("full", self.tr("Everything"))],
        )  # fmt: skip
        self.counts: dict[str, Count] = {}
        self.shape: dict[str, Count] = {}
        self._shape_room = QWidget(self)
        self._more = QToolButton(self)
        self.taken = TakenFields(self)
        self._build()

    def _combo(self, name: str, choices: list[tuple[str, str]]) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(8)
        for value, text in choices:
            box.addItem(text, value)
        return box

    def _count(self, key: str, name: str, zero: str = "", low: int = 1, value: int = 1) -> Count:
        field = Count(name, self, zero=zero, low=low)
        field.setValue(0 if zero else value)
        field.valueChanged.connect(lambda _n: self._say())
        self.counts[key] = field
        return field

    def _build(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.addRow(self.tr("Model"), self.model)
        form.addRow("", self._more)
        form.addRow(self._shape_room)
        form.addRow(self.tr("Mode"), self.mode)
        form.addRow(self.tr("GPUs"), self._count("gpus", self.tr("GPUs"), self.tr("all")))
        form.addRow(self._groups())
        form.addRow(
            self.tr("Global batch"),
            self._count("global_batch", self.tr("Global batch"), self.tr("as is usual")),
        )
        form.addRow(self.tr("Micro-batch"), self._count("micro_batch", self.tr("Micro-batch")))
        form.addRow(
            self.tr("Sequence"),
            self._count("sequence", self.tr("Sequence, tokens"), self.tr("as the model")),
        )
        form.addRow(self.tr("Precision"), self.precision)
        form.addRow(self.tr("Recompute"), self.recompute)
        form.addRow(self.taken)
        self.taken.changed.connect(self._say)
        self._build_shape()
        for box in (self.mode, self.precision, self.recompute):
            box.activated.connect(lambda _n: self._say())
        self.model.activated.connect(lambda _n: self._on_model())

    def _groups(self) -> QWidget:
        """Sizes of the parallel groups, two a line."""
        room = QWidget(self)
        grid = QGridLayout(room)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setVerticalSpacing(4)
        left = self.tr("auto")
        fields = [
            ("tp", "TP", self.tr("Tensor parallel"), "", 1),
            ("pp", "PP", self.tr("Pipeline parallel"), "", 1),
            ("dp", "DP", self.tr("Data parallel (auto: what the others leave)"), left, 1),
            ("cp", "CP", self.tr("Context parallel"), "", 1),
            ("ep", "EP", self.tr("Expert parallel"), "", 1),
            ("virtual", self.tr("Virtual"), self.tr("Virtual pipeline stages a GPU"), "", 1),
            ("zero", "ZeRO", self.tr("What data parallel ranks share (0 to 3)"), "", 0),
        ]
        for n, (key, short, name, zero, low) in enumerate(fields):
            field = self._count(key, name, zero, low, value=1)
            field.setToolTip(name)
            label = QLabel(short, room)
            label.setToolTip(name)
            label.setBuddy(field)
            grid.addWidget(label, n // 2, n % 2 * 2)
            grid.addWidget(field, n // 2, n % 2 * 2 + 1)
        self.counts["zero"].setMaximum(3)
        return room

    def _build_shape(self) -> None:
        words = {
            "layers": self.tr("Layers"), "hidden": self.tr("Hidden width"),
            "heads": self.tr("Heads"), "kv_heads": self.tr("Key-value heads"),
            "head_width": self.tr("Head width"), "ffn": self.tr("Inner width"),
            "experts": self.tr("Experts"), "top_k": self.tr("Experts a token"),
            "vocabulary": self.tr("Vocabulary"),
        }  # fmt: skip
        form = QFormLayout(self._shape_room)
        form.setContentsMargins(12, 0, 0, 4)
        form.setVerticalSpacing(4)
        for key in SHAPE:
            low = 0 if key in {"experts", "top_k"} else 1
            field = Count(words[key], self, low=low)
            field.valueChanged.connect(lambda _n: self._say())
            self.shape[key] = field
            form.addRow(words[key], field)
        self._more.setText(self.tr("Own shape"))
        self._more.setCheckable(True)
        self._more.setAutoRaise(True)
        self._more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._more.setArrowType(Qt.ArrowType.RightArrow)
        self._more.toggled.connect(self._show_shape)
        self._shape_room.hide()

    def _show_shape(self, on: bool) -> None:
        self._more.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._shape_room.setVisible(on)

    # -- models -----------------------------------------------------------------------------------

    @property
    def models(self) -> Mapping[str, Model]:
        """The presets, once they are known."""
        return self._models

    def set_models(self, models: Mapping[str, Model]) -> None:
        """Offer these presets."""
        chosen = self.model.currentData()
        self._models = models
        self.model.clear()
        for name, model in models.items():
            self.model.addItem(model.title, name)
        self.model.setCurrentIndex(max(self.model.findData(chosen), 0))
        self._fill_shape()

    def _on_model(self) -> None:
        self._fill_shape()
        self._say()

    def _fill_shape(self) -> None:
        model = self._models.get(str(self.model.currentData()))
        if model is None:
            return
        self._filling = True
        for key, field in self.shape.items():
            field.setValue(int(getattr(model, key)))
        self._filling = False

    # -- the question -----------------------------------------------------------------------------

    def wanted(self) -> Wanted:
        """The question as the fields have it."""
        counts: dict[str, Any] = {key: field.value() for key, field in self.counts.items()}
        name = str(self.model.currentData())
        model = self._models.get(name)
        shape: tuple[tuple[str, int], ...] = ()
        if model is not None:
            shape = tuple(
                (key, field.value())
                for key, field in self.shape.items()
                if field.value() != getattr(model, key)
            )
        return Wanted(
            model=name,
            shape=shape,
            mode=str(self.mode.currentData()),
            precision=str(self.precision.currentData()),
            recompute=str(self.recompute.currentData()),
            taken=self.taken.taken(),
            **counts,
        )

    def _say(self) -> None:
        if not self._filling:
            self.changed.emit(self.wanted())
