# SPDX-License-Identifier: Apache-2.0
"""Another part in the place of devices or cables: see what would stay and what could not."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import CablePart, DevicePart
from rackloom.design import Design, EditError
from rackloom.design.exchanging import fits_everywhere, try_exchange
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.kept import Kept
from rackloom_gui.editing import sentence
from rackloom_gui.icons import Icons
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.widgets.text import SearchField

_PART = Qt.ItemDataRole.UserRole
_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel


class SwapDialog(QDialog):
    """Parts of the same kind; the report follows the choice. `part` is what was agreed to."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog,
        ids: Sequence[str],
        icons: Icons,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._design, self._ids = design, list(ids)
        self._of_cables = self._ids[0] in design.cables
        tables = design.cables if self._of_cables else design.devices
        old = {tables[i].part for i in self._ids}  # type: ignore[index]
        kind = CablePart if self._of_cables else type(design.device_part(DeviceId(self._ids[0])))
        self._parts: list[DevicePart | CablePart] = [
            part
            for part in catalog.of_kind(kind)
            if isinstance(part, DevicePart | CablePart) and {part.id} != old
        ]
        self.part: DevicePart | CablePart | None = None
        self.kept: list[Kept] = []
        name = what_words(design, self._ids)
        self.setWindowTitle(self.tr("Swap Part of {0}").format(name))
        self.search = SearchField(icons, self.tr("Search"), self)
        alike = self.tr("Only of the same height")
        if self._of_cables:
            alike = self.tr("Only what fits at every end")
        self.alike = QCheckBox(alike, self)
        self._alike = self._of_the_kind()
        self.list = QListWidget(self)
        self.summary = QLabel(self)
        self.report = QPlainTextEdit(self)
        self._build()
        self._fill()

    def _of_the_kind(self) -> set[str]:
        """Parts of the same height; of cables those that fit at every end."""
        design = self._design
        if self._of_cables:
            cables = [p for p in self._parts if isinstance(p, CablePart)]
            return {p.id for p in cables if fits_everywhere(design, self._ids, p)}
        heights = {design.device_part(DeviceId(d)).rack_units for d in self._ids}
        return {p.id for p in self._parts if getattr(p, "rack_units", None) in heights}

    def _build(self) -> None:
        self.list.setAccessibleName(self.tr("Parts"))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.currentItemChanged.connect(lambda _new, _old: self._choose())
        self.search.searched.connect(lambda _text: self._fill())
        self.search.down_pressed.connect(self.list.setFocus)
        self.alike.setChecked(True)
        self.alike.toggled.connect(lambda _on: self._fill())
        self.summary.setWordWrap(True)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(self.tr("What could not be kept"))
        below = QWidget(self)
        side = QVBoxLayout(below)
        side.setContentsMargins(8, 0, 0, 0)
        side.addWidget(self.summary)
        side.addWidget(self.report, 1)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self.list)
        split.addWidget(below)
        split.setSizes([380, 360])
        split.setChildrenCollapsible(False)
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        self._ok = buttons.button(_Ok)
        self._ok.setText(self.tr("Swap"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addWidget(self.alike)
        layout.addWidget(split, 1)
        layout.addWidget(buttons)
        self.resize(780, 480)

    def _fill(self) -> None:
        words = self.search.text().casefold().split()
        self.list.clear()
        for part in self._parts:
            figures = key_figures(part)
            hay = f"{part.title} {part.id} {part.part_number or ''} {figures}".casefold()
            if self.alike.isChecked() and part.id not in self._alike:
                continue
            if all(word in hay for word in words):
                item = QListWidgetItem(f"{part.title}\n{figures}")
                item.setData(_PART, part.id)
                self.list.addItem(item)
        self._choose()

    def choose(self, part_id: str) -> bool:
        """Put the choice on a part; False where it is not listed."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_PART) == part_id:
                self.list.setCurrentRow(row)
                return True
        return False

    def _choose(self) -> None:
        item = self.list.currentItem()
        found = [p for p in self._parts if item is not None and p.id == item.data(_PART)]
        self.part, self.kept = (found[0] if found else None), []
        self.report.clear()
        self._ok.setEnabled(False)
        if self.part is None:
            text = self.tr("Choose the part to put in their place.")
            if not self.list.count():
                text = self.tr("No other part is like that.")
                if self.alike.isChecked():
                    text += " " + self.tr("Take the tick away to see all parts of this kind.")
            self.summary.setText(text)
            return
        try:
            self.kept = try_exchange(self._design, self._ids, self.part)
        except EditError as error:
            self.summary.setText(sentence(str(error)))
            return
        self._ok.setEnabled(True)
        self._say()

    def _say(self) -> None:
        counts = (
            (sum(k.cables for k in self.kept), self.tr("cables")),
            (sum(k.modules for k in self.kept), self.tr("transceivers")),
            (sum(k.cords for k in self.kept), self.tr("power cords")),
        )
        stays = ", ".join(f"{number} {word}" for number, word in counts if number)
        moved = sum(len(k.moved) for k in self.kept)
        lost = [loss.message for k in self.kept for loss in k.lost]
        notes = [note for k in self.kept for note in k.notes]
        dark = sum(k.links_lost for k in self.kept)
        if not stays:
            stays = self.tr("no plug") if lost else self.tr("nothing was plugged")
        lines = [self.tr("Stays: {0}.").format(stays)]
        if moved:
            lines.append(self.tr("{0} ports were found by their place, not name.").format(moved))
        if dark:
            text = self.tr("{0} links go dark.") if dark > 1 else self.tr("{0} link goes dark.")
            lines.append(text.format(dark))
        if len(lost) == 1:
            lines.append(self.tr("One thing cannot be kept:"))
        elif lost:
            lines.append(self.tr("{0} things cannot be kept:").format(len(lost)))
        else:
            lines.append(self.tr("Everything can be kept."))
        self.summary.setText("\n".join(lines))
        self.report.setPlainText("\n\n".join(sentence(text) for text in (*lost, *notes)))


def what_words(design: Design, ids: Sequence[str]) -> str:
    """What some devices or cables are called: a name, or how many of what."""
    if len(ids) > 1:
        count = str(len(ids))
        if ids[0] in design.cables:
            return QCoreApplication.translate("SwapDialog", "{0} cables").format(count)
        return QCoreApplication.translate("SwapDialog", "{0} devices").format(count)
    cable = design.cables.get(CableId(ids[0]))
    if cable is not None and not cable.label:
        joined = dict.fromkeys(design.name_of(end.device) for end in cable.ends)
        return " – ".join(joined) or cable.id
    return design.name_of(ids[0])
