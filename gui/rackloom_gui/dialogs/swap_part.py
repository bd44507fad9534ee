# SPDX-License-Identifier: Apache-2.0
"""Another part in the place of devices: see what would stay and what could not be kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
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
from rackloom.catalog.parts import DevicePart
from rackloom.design import Design, Draft, EditError
from rackloom.design.ids import DeviceId
from rackloom.design.kept import Kept
from rackloom.design.recabling import fewer_links
from rackloom.design.swapping import swap_device
from rackloom_gui.editing import sentence
from rackloom_gui.icons import Icons
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.widgets.text import SearchField

_PART = Qt.ItemDataRole.UserRole
_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel


def swap_all(draft: Draft, devices: Sequence[DeviceId], part: DevicePart) -> list[Kept]:
    """Swap several devices in one step."""
    return [swap_device(draft, device, part) for device in devices]


def try_swap(design: Design, devices: Sequence[DeviceId], part: DevicePart) -> list[Kept]:
    """What a swap would keep, without making it; EditError where it would be refused.

    Cables that would stay plugged but carry fewer links are among the losses.
    """
    draft = Draft(design)
    kept = swap_all(draft, devices, part)
    after, _ = draft.close("swap")
    dimmed = Kept()
    cables = (c for d in devices for c in design.index.cables_of_device.get(d, ()))
    for cable_id in dict.fromkeys(cables):
        message = fewer_links(design, after, cable_id)
        if message is not None:
            dimmed.lose(message, cable_id)
    return [*kept, dimmed]


class SwapDialog(QDialog):
    """Parts of the same kind; the report follows the choice. `part` is what was agreed to."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog,
        devices: Sequence[DeviceId],
        icons: Icons,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._design, self._devices = design, list(devices)
        old = {design.devices[d].part for d in devices}
        kind = type(design.device_part(devices[0]))
        self._parts = [p for p in catalog.of_kind(kind) if {p.id} != old]
        self.part: DevicePart | None = None
        self.kept: list[Kept] = []
        name = design.name_of(devices[0])
        if len(devices) > 1:
            name = self.tr("{0} devices").format(len(devices))
        self.setWindowTitle(self.tr("Swap Part of {0}").format(name))
        self.search = SearchField(icons, self.tr("Search"), self)
        self.same_height = QCheckBox(self.tr("Only of the same height"), self)
        self._heights = {design.device_part(d).rack_units for d in devices}
        self.list = QListWidget(self)
        self.summary = QLabel(self)
        self.report = QPlainTextEdit(self)
        self._build()
        self._fill()

    def _build(self) -> None:
        self.list.setAccessibleName(self.tr("Parts"))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.currentItemChanged.connect(lambda _new, _old: self._choose())
        self.search.searched.connect(lambda _text: self._fill())
        self.search.down_pressed.connect(self.list.setFocus)
        self.same_height.setChecked(True)
        self.same_height.toggled.connect(lambda _on: self._fill())
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
        layout.addWidget(self.same_height)
        layout.addWidget(split, 1)
        layout.addWidget(buttons)
        self.resize(780, 480)

    def _fill(self) -> None:
        words = self.search.text().casefold().split()
        self.list.clear()
        for part in self._parts:
            figures = key_figures(part)
            hay = f"{part.title} {part.id} {part.part_number or ''} {figures}".casefold()
            if self.same_height.isChecked() and part.rack_units not in self._heights:
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
            self.summary.setText(self.tr("Choose the part to put in their place."))
            return
        try:
            self.kept = try_swap(self._design, self._devices, self.part)
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
        lines = [self.tr("Stays: {0}.").format(stays or self.tr("nothing was plugged"))]
        if moved:
            lines.append(self.tr("{0} ports were found by their place, not name.").format(moved))
        if lost:
            lines.append(self.tr("{0} things cannot be kept:").format(len(lost)))
        else:
            lines.append(self.tr("Everything can be kept."))
        self.summary.setText("\n".join(lines))
        self.report.setPlainText("\n".join(sentence(text) for text in (*lost, *notes)))
