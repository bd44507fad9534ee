# SPDX-License-Identifier: Apache-2.0
"""Parts of the user's own: from files, with all doubts shown, or described in a form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.errors import CatalogError
from rackloom.catalog.load import Catalog, parse_part
from rackloom.catalog.parts import Part
from rackloom.catalog.user_parts import part_entry, store_parts
from rackloom.interop.add_parts import AddReport, add_parts
from rackloom.interop.netbox_types import Kind
from rackloom_gui.dialogs.own_part_checks import MOST_ID_LETTERS, Nonsense, check_id
from rackloom_gui.dialogs.own_part_entry import entry_of, slug
from rackloom_gui.dialogs.own_part_fields import KINDS, FieldSpec, fields_of, values_of
from rackloom_gui.editing import sentence
from rackloom_gui.icons import Icons
from rackloom_gui.panels.sheet_lines import QT_TRANSLATE_NOOP
from rackloom_gui.widgets.quantity import QuantityEdit

_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel
_Close = QDialogButtonBox.StandardButton.Close
OWN_SOURCE = "OWN"
"""Key under which a form's source is written."""
KIND_HELP = QT_TRANSLATE_NOOP(
    "OwnPartDialog",
    "What it is: decides which figures are asked for. Cards, panels and power shelves are made "
    "from one that is in the catalogue (Duplicate), or come in a file.",
)
ID_HELP = QT_TRANSLATE_NOOP(
    "OwnPartDialog",
    "The name by which projects, files and the command line know it; made from maker and model. "
    "Lower-case letters, digits, dots, plus signs and hyphens. It cannot be changed later.",
)
FIXED_ID_HELP = QT_TRANSLATE_NOOP(
    "OwnPartDialog",
    "The name by which projects, files and the command line know it. It stays: a project would "
    "not find the part under another one.",
)
NETBOX_KINDS: tuple[Kind, ...] = ("switch", "server", "panel", "accessory")


class AddDialog(QDialog):
    """Adds at once, and shows what came of it: parts, every doubtful thing, what was refused."""

    def __init__(self, paths: Sequence[Path], icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add Parts from Files"))
        self._paths = list(paths)
        self.report: AddReport = add_parts(())
        self.summary = QLabel(self)
        self.text = QPlainTextEdit(self)
        self.kind = QComboBox(self)
        self.replace = QCheckBox(self.tr("Replace parts of the same id"), self)
        self.again = QPushButton(icons.icon("import"), self.tr("Try Again"), self)
        self._build()
        self._add(self._paths)

    def _build(self) -> None:
        self.summary.setWordWrap(True)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("What came of it"))
        self.kind.addItem(self.tr("worked out"), None)
        for kind in NETBOX_KINDS:
            self.kind.addItem(kind, kind)
        self.kind.setToolTip(self.tr("What a NetBox device type is, where it does not say"))
        self.again.clicked.connect(self._try_again)
        self.again.setAutoDefault(False)
        form = QFormLayout()
        form.addRow(self.tr("NetBox device types are"), self.kind)
        form.addRow("", self.replace)
        row = QHBoxLayout()
        row.addLayout(form, 1)
        row.addWidget(self.again)
        buttons = QDialogButtonBox(_Close, self)
        buttons.rejected.connect(self.accept)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(self.text, 1)
        layout.addLayout(row)
        layout.addWidget(buttons)
        self.resize(680, 460)

    def _try_again(self) -> None:
        """Those that were refused; with parts replaced or another kind, all of them."""
        done = {added.source for added in self.report.added}
        whole = self.replace.isChecked()
        self._add([p for p in self._paths if whole or p.name not in done])

    def _add(self, paths: Sequence[Path]) -> None:
        replace = self.replace.isChecked()
        earlier = [a for a in self.report.added if a.source not in {p.name for p in paths}]
        try:
            fresh = add_parts(paths, replace=replace, kind=self.kind.currentData())
        except OSError as error:
            fresh = AddReport((), (str(error),), self.report.folder)
        self.report = AddReport((*earlier, *fresh.added), fresh.refused, fresh.folder)
        self._say()

    def _say(self) -> None:
        report = self.report
        doubts = sum(len(added.doubts) for added in report.added)
        said = [self.tr("{0} parts added.").format(len(report.added))]
        if doubts:
            said.append(self.tr("{0} things to check: they are listed below.").format(doubts))
        if report.refused:
            said.append(self.tr("{0} files refused.").format(len(report.refused)))
        self.summary.setText(" ".join(said))
        self.text.setPlainText(report.text())


class OwnPartDialog(QDialog):
    """A form that explains each field and refuses nonsense with a sentence.

    From nothing (`base` None), as a copy of a part, or, with ``edit``, an own part itself.
    `part` is what was stored.
    """

    def __init__(
        self,
        catalog: Catalog,
        base: Part | None = None,
        parent: QWidget | None = None,
        *,
        edit: bool = False,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._catalog, self._base, self._edit, self._folder = catalog, base, edit, folder
        self.part: Part | None = None
        self.kind = QComboBox(self)
        self.part_id = QLineEdit(self)
        self._id_typed = edit
        self.fields: dict[str, QWidget] = {}
        self._specs: tuple[FieldSpec, ...] = ()
        self._helps: dict[str, QLabel] = {}
        self.explanations: dict[str, QLabel] = {}
        """What is said of the fields above the form, by their title."""
        self.message = QLabel(self)
        self._area = QScrollArea(self)
        self._build()
        self._fill_form()

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        base = self._base
        if self._edit:
            self.setWindowTitle(self.tr("Edit Part"))
        elif base is not None:
            self.setWindowTitle(self.tr("Duplicate {0}").format(base.title))
        else:
            self.setWindowTitle(self.tr("New Part"))
        kinds = KINDS if base is None else (str(getattr(base, "kind", "")),)
        for kind in kinds:
            self.kind.addItem(kind, kind)
        self.kind.setEnabled(base is None)
        self.kind.currentIndexChanged.connect(lambda _n: self._fill_form())
        self.part_id.setReadOnly(self._edit)
        self.part_id.textEdited.connect(lambda _text: self._mark_id())
        self.part_id.setMaxLength(MOST_ID_LETTERS)
        top = QFormLayout()
        top.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        stays = self._edit or base is not None
        kind = self.tr("It stays what it is.") if stays else self.tr(KIND_HELP)
        name = self.tr(FIXED_ID_HELP if self._edit else ID_HELP)
        for title, field, text in (
            (self.tr("Kind"), self.kind, kind),
            (self.tr("Id"), self.part_id, name),
        ):
            self.explanations[title] = self._add_row(top, title, field, text, self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self.message.setWordWrap(True)
        self.message.setAccessibleName(self.tr("What is wrong"))
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        self.ok = buttons.button(_Ok)
        self.ok.setText(self.tr("Save"))
        buttons.accepted.connect(self.save)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        if base is not None and not self._edit:
            note = QLabel(
                self.tr("Ports, ends, outlets and lengths stay as in {0}.").format(base.title), self
            )
            note.setWordWrap(True)
            layout.addWidget(note)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.message)
        layout.addWidget(buttons)
        self.resize(640, 680)

    def _fill_form(self) -> None:
        kind = str(self.kind.currentData())
        kept = self.values() if self.fields else {}
        self._specs = fields_of(kind, copied=self._base is not None)
        if self._base is not None:
            kept = values_of(self._base, self._specs)
            sources = [self._catalog.sources.get(key, key) for key in self._base.sources]
            kept["source"] = "; ".join(sources)
            if not self._edit:
                kept["model"] = self.tr("{0} (mine)").format(kept.get("model") or "")
                kept["part_number"] = None
        page = QWidget(self)
        form = QFormLayout(page)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.fields, self._helps = {}, {}
        for spec in self._specs:
            field = self._field(spec, page)
            self._set(field, spec, kept.get(spec.key))
            title = spec.title + (" *" if spec.needed else "")
            help_line = self._add_row(form, title, field, self.tr(spec.help), page)
            self.fields[spec.key], self._helps[spec.key] = field, help_line
        self._area.setWidget(page)
        for key in ("manufacturer", "model"):
            line = self.fields[key]
            if isinstance(line, QLineEdit):
                line.textChanged.connect(lambda _text: self._suggest_id())
        self.message.clear()
        if self._edit and self._base is not None:
            self.part_id.setText(self._base.id)
        else:
            self._suggest_id()

    @staticmethod
    def _add_row(
        form: QFormLayout, title: str, field: QWidget, text: str, parent: QWidget
    ) -> QLabel:
        """A field with its explanation below it; the explanation."""
        help_line = QLabel(text, parent)
        help_line.setWordWrap(True)
        help_line.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        cell = QVBoxLayout()
        cell.setSpacing(1)
        cell.addWidget(field)
        cell.addWidget(help_line)
        label = QLabel(title, parent)
        label.setBuddy(field)
        form.addRow(label, cell)
        field.setAccessibleName(title.removesuffix(" *"))
        field.setAccessibleDescription(text)
        field.setToolTip(text)
        return help_line

    def _field(self, spec: FieldSpec, page: QWidget) -> QWidget:
        field: QWidget
        match spec.type:
            case "number":
                field = QuantityEdit(spec.family, page, decimals=3, optional=True)
            case "choice":
                field = QComboBox(page)
                if not spec.needed:
                    field.addItem(self.tr("unknown"), None)
                for choice in spec.choices:
                    field.addItem(choice, choice)
            case "yes":
                field = QCheckBox(page)
            case _:
                field = QLineEdit(page)
        return field

    def _set(self, field: QWidget, spec: FieldSpec, value: Any) -> None:
        match field:
            case QuantityEdit():
                field.set_value(value if isinstance(value, int | float) else None)
            case QComboBox():
                place = field.findData(value)
                if place < 0 and value is not None:
                    field.addItem(str(value), value)
                    place = field.count() - 1
                field.setCurrentIndex(max(place, 0))
            case QCheckBox():
                field.setChecked(bool(value))
            case QLineEdit():
                field.setText(str(value or ""))
        if spec.key == "trust" and value is None and isinstance(field, QComboBox):
            field.setCurrentIndex(field.findData("estimate"))

    # -- reading ----------------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """What is written in the fields."""
        found: dict[str, Any] = {}
        for key, field in self.fields.items():
            match field:
                case QuantityEdit():
                    found[key] = field.value
                case QComboBox():
                    found[key] = field.currentData()
                case QCheckBox():
                    found[key] = field.isChecked()
                case QLineEdit():
                    found[key] = field.text().strip() or None
        return found

    def _mark_id(self) -> None:
        self._id_typed = bool(self.part_id.text())

    def _suggest_id(self) -> None:
        if self._id_typed:
            return
        values = self.values()
        words = [str(values.get(key) or "") for key in ("manufacturer", "model")]
        self.part_id.setText(slug(*words))

    # -- saving -----------------------------------------------------------------------------------

    def save(self) -> None:
        """Check everything, store the part and close; else say what is wrong, and where."""
        for spec in self._specs:
            field = self.fields[spec.key]
            if isinstance(field, QuantityEdit) and field.problem:
                text = self.tr("{0}: {1}").format(spec.title, field.problem)
                self._refuse(Nonsense(spec.key, text))
                return
        try:
            part, sources = self._make()
            store_parts([part], sources, self._folder)
        except Nonsense as error:
            self._refuse(error)
            return
        except CatalogError as error:
            self.message.setText(sentence(str(error).removeprefix(f"{self._name}: ")))
            return
        self.part = part
        self.accept()

    @property
    def _name(self) -> str:
        return self.tr("this form")

    def _make(self) -> tuple[Part, dict[str, str]]:
        values = self.values()
        part_id = self.part_id.text().strip()
        if not part_id:
            raise Nonsense("model", self.tr("Give the maker and the model, or an id."))
        if not self._edit:
            check_id(part_id)
        if not self._edit and part_id in self._catalog:
            raise Nonsense("id", self.tr("There is a part {0} already.").format(part_id))
        base = part_entry(self._base) if self._base is not None else None
        entry = entry_of(str(self.kind.currentData()), part_id, values, base)
        sources = self._sources(entry, values.get("source"))
        return parse_part(entry, self._name), sources

    def _sources(self, entry: dict[str, Any], text: str | None) -> dict[str, str]:
        """Sources of a copy stay while nobody writes another one."""
        if self._base is not None:
            known = {key: self._catalog.sources.get(key, key) for key in self._base.sources}
            if text == ("; ".join(known.values()) or None):
                return known
        if not text:
            entry.pop("sources", None)
            return {}
        key = f"{OWN_SOURCE}-{entry['id']}"
        entry["sources"] = [key]
        return {key: text}

    def _refuse(self, error: Nonsense) -> None:
        self.message.setText(sentence(str(error)))
        field = self.part_id if error.key == "id" else self.fields.get(error.key)
        if field is not None:
            field.setFocus()
            self._area.ensureWidgetVisible(field)
