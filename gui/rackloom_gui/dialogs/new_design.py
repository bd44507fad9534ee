# SPDX-License-Identifier: Apache-2.0
"""A new design: empty, or a whole fabric from a few numbers."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QProgressBar,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog import CatalogError, PartId, RackSystemPart, ServerPart
from rackloom.catalog.load import Catalog
from rackloom.design import Design, EditError, Step
from rackloom.generate import GenerateError, Preset, choices, generate, presets
from rackloom.generate.options import Option
from rackloom_gui.jobs import LatestJob

MAIN_OPTIONS = frozenset(
    {"server", "system", "switch", "oversubscription", "scale_out", "front_end", "out_of_band"}
)
"""Options that are asked for at once; the others wait under "more"."""

SIZES = {"servers": 32, "racks": 8}
"""What a preset's size is said in, and how many at first."""


class NewDialog(QDialog):
    """Choose, say how many servers, and wait for the fabric; `design` is None for an empty one."""

    def __init__(self, catalog: Catalog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("New Design"))
        self._catalog = catalog
        self._presets: list[Preset | None] = [None, *presets()]
        self._fields: dict[str, QWidget] = {}
        self._sizes = dict(SIZES)
        self._counts: str = "servers"
        self.design: Design | None = None
        self.step: Step | None = None
        self.notes: tuple[str, ...] = ()
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Kinds of designs"))
        self.list.setSpacing(2)
        self.list.addItem(self.tr("Empty design"))
        for preset in self._presets[1:]:
            assert preset is not None
            self.list.addItem(preset.name)
        self._title = QLabel(self)
        self.servers = QSpinBox(self)
        self.gpus = QLabel(self)
        self._form_area = QScrollArea(self)
        self._message = QLabel(self)
        self._progress = QProgressBar(self)
        self._job = LatestJob(self)
        self._job.done.connect(self._on_done)
        self._job.failed.connect(self._on_failed)
        self._build()
        self.list.setCurrentRow(1)

    def _build(self) -> None:
        self._title.setWordWrap(True)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self.servers.setRange(1, 100_000)
        self.servers.setValue(self._sizes[self._counts])
        self.servers.valueChanged.connect(self._on_size)
        self._form_area.setWidgetResizable(True)
        self._form_area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._message.setWordWrap(True)
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setFixedHeight(6)
        self._progress.hide()
        right = QWidget(self)
        box = QVBoxLayout(right)
        box.addWidget(self._title)
        box.addWidget(self._form_area, 1)
        box.addWidget(self._message)
        box.addWidget(self._progress)
        split = QSplitter(self)
        split.addWidget(self.list)
        split.addWidget(right)
        split.setSizes([180, 460])
        split.setChildrenCollapsible(False)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self._ok = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._ok.setText(self.tr("Create"))
        self._buttons.accepted.connect(self.make)
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(split, 1)
        layout.addWidget(self._buttons)
        self.resize(700, 520)
        self.list.currentRowChanged.connect(self._show_preset)
        self.list.itemActivated.connect(lambda _item: self.make())

    # -- the form ---------------------------------------------------------------------------------

    def _show_preset(self, row: int) -> None:
        preset = self._presets[row]
        self._fields = {}
        self._message.setText("")
        page = QWidget(self)
        form = QFormLayout(page)
        if preset is None:
            self._title.setText(self.tr("Empty design"))
            text = QLabel(
                self.tr("Drag racks, servers and switches from the catalogue onto the drawing."),
                page,
            )
            text.setWordWrap(True)
            form.addRow(text)
        else:
            self._title.setText(preset.title)
            self._counts = preset.counts
            word = self.tr("Racks") if preset.counts == "racks" else self.tr("Servers")
            self.servers.setAccessibleName(word)
            self.servers.setValue(self._sizes[self._counts])
            self.servers.setParent(page)
            self.gpus.setParent(page)
            form.addRow(word, self.servers)
            form.addRow("", self.gpus)
            self.servers.show()
            self.gpus.show()
            asked = [o for o in preset.options if o.key != preset.counts]
            first = [o for o in asked if o.key in MAIN_OPTIONS]
            rest = [o for o in asked if o.key not in MAIN_OPTIONS]
            for option in first:
                self._add_option(form, option)
            more = QLabel(self.tr("More"), page)
            font = more.font()
            font.setBold(True)
            more.setFont(font)
            form.addRow(more)
            for option in rest:
                self._add_option(form, option)
            self._show_gpus()
        old = self._form_area.takeWidget()
        self._form_area.setWidget(page)
        if old is not None:
            for kept in (self.servers, self.gpus):
                if kept.parent() is old:
                    kept.setParent(self)
                    kept.hide()
            old.deleteLater()

    def _add_option(self, form: QFormLayout, option: Option) -> None:
        field = self._field_for(option)
        field.setToolTip(option.help)
        field.setAccessibleName(option.key)
        field.setAccessibleDescription(option.help)
        words = option.key.replace("_", " ")
        label = QLabel(words[:1].upper() + words[1:], self)
        label.setToolTip(option.help)
        label.setBuddy(field)
        form.addRow(label, field)
        self._fields[option.key] = field

    def _field_for(self, option: Option) -> QWidget:
        if option.kind == "bool":
            box = QCheckBox(self)
            box.setChecked(bool(option.default))
            return box
        if option.kind == "part":
            choice = QComboBox(self)
            if option.default is None:
                choice.addItem(self.tr("worked out"), None)
            for part in choices(option, self._catalog):
                choice.addItem(part.title, part.id)
            choice.setCurrentIndex(max(choice.findData(option.default), 0))
            choice.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            choice.currentIndexChanged.connect(lambda _index: self._show_gpus())
            return choice
        line = QLineEdit(self)
        if option.default is None:
            line.setPlaceholderText(self.tr("worked out"))
        else:
            line.setText(f"{option.default}")
        return line

    def options(self) -> dict[str, str]:
        """What was chosen, as the generator takes it."""
        chosen: dict[str, str] = {}
        for key, field in self._fields.items():
            value: Any = None
            if isinstance(field, QCheckBox):
                value = "yes" if field.isChecked() else "no"
            elif isinstance(field, QComboBox):
                value = field.currentData()
            elif isinstance(field, QLineEdit):
                value = field.text().strip() or None
            if value is not None:
                chosen[key] = str(value)
        return chosen

    def _on_size(self, value: int) -> None:
        self._sizes[self._counts] = value
        self._show_gpus()

    def _show_gpus(self) -> None:
        chosen = self.options()
        part = self._catalog.get(PartId(chosen.get("server") or chosen.get("system") or ""))
        gpu = part.gpu if isinstance(part, ServerPart | RackSystemPart) else None
        if gpu is not None:
            count = gpu.count * self.servers.value()
            self.gpus.setText(self.tr("{0} GPUs").format(self.locale().toString(count)))
        else:
            self.gpus.setText("")

    # -- making it --------------------------------------------------------------------------------

    def make(self) -> None:
        """Make the design, in a thread; the dialog closes when it is there."""
        preset = self._presets[self.list.currentRow()]
        if preset is None:
            self.accept()
            return
        options, catalog = self.options(), self._catalog
        servers = None if preset.counts == "racks" else self.servers.value()
        if servers is None:
            options["racks"] = str(self.servers.value())
        label = self.tr("New {0}").format(preset.name)
        self._set_running(True)

        def work() -> tuple[Design, tuple[str, ...], Step]:
            made = generate(preset.name, catalog, servers=servers, options=options)
            return made.design, made.notes, Step(label, Design().diff(made.design))

        self._job.ask(work)

    def _set_running(self, running: bool) -> None:
        self._progress.setVisible(running)
        self._ok.setEnabled(not running)
        self.list.setEnabled(not running)
        self._form_area.setEnabled(not running)
        self._message.setText(self.tr("Placing and cabling…") if running else "")

    def _on_done(self, result: tuple[Design, tuple[str, ...], Step]) -> None:
        self._set_running(False)
        self.design, self.notes, self.step = result
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._set_running(False)
        text = str(error).strip()
        self._message.setText(text[:1].upper() + text[1:].rstrip(".") + ".")
        if not isinstance(error, GenerateError | CatalogError | EditError):
            raise error

    def done(self, result: int) -> None:
        self._job.wait()
        super().done(result)
