# SPDX-License-Identifier: Apache-2.0
"""The catalogue as a model: shelves, the parts on them, and what a search leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import (
    QByteArray,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QWidget

from rackloom.catalog.load import Catalog, order_numbers
from rackloom.catalog.parts import (
    CablePart,
    NicPart,
    Part,
    PduPart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import AccessoryPart, PanelPart, PowerShelfPart, RackSystemPart
from rackloom_gui.canvas.tools.drop import PART_MIME
from rackloom_gui.panels.figures import key_figures

PART_ROLE = Qt.ItemDataRole.UserRole
WORDS_ROLE = Qt.ItemDataRole.UserRole + 1
SHELF_ROLE = Qt.ItemDataRole.UserRole + 2
FIGURES_ROLE = Qt.ItemDataRole.UserRole + 3
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Shelf:
    """A heading of the tree."""

    title: str
    icon: str
    colour: str
    """Key of the device colours, or empty for cables and optics."""


def part_of(index: Index) -> Part | None:
    """The part of a row; None for a shelf."""
    part = index.data(PART_ROLE) if index.isValid() else None
    return part if isinstance(part, Part) else None


@lru_cache(maxsize=2048)
def _figures(part_key: int, holder: "_Held") -> str:
    del part_key
    return key_figures(holder.part)


class _Held:
    """A part as a key by identity: its own hash walks all of it."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def __hash__(self) -> int:
        return id(self.part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.part is self.part


class _PartItem(QStandardItem):
    """Texts are worked out when they are shown: counting the ports of 280 parts costs the start."""

    def data(self, role: int = Qt.ItemDataRole.UserRole) -> Any:
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            part = super().data(PART_ROLE)
            figures = _figures(id(part), _Held(part))
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{part.title}, {figures}"
            return _tip(part, figures)
        if role == FIGURES_ROLE:
            part = super().data(PART_ROLE)
            return _figures(id(part), _Held(part))
        if role == WORDS_ROLE:
            part, shelf = super().data(PART_ROLE), super().data(SHELF_ROLE)
            figures = _figures(id(part), _Held(part))
            words = (part.title, part.id, figures, part.description, shelf.title)
            return " ".join((*words, *order_numbers(part))).casefold()
        return super().data(role)


class PartModel(QStandardItemModel):
    """Headings with parts below them."""

    def fill(self, catalog: Catalog) -> None:
        self.clear()
        for shelf, parts in self._shelves(catalog):
            if not parts:
                continue
            heading = QStandardItem(shelf.title)
            heading.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            heading.appendRows([self._item(part, shelf) for part in parts])
            self.appendRow(heading)

    def _item(self, part: Part, shelf: Shelf) -> QStandardItem:
        item = _PartItem(part.title)
        item.setData(part, PART_ROLE)
        item.setData(shelf, SHELF_ROLE)
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        )
        return item

    @staticmethod
    def _whole_racks(catalog: Catalog) -> list[RackSystemPart]:
        """Rack systems whose contents are known: others cannot be placed."""
        return [part for part in catalog.of_kind(RackSystemPart) if part.rack is not None]

    def _shelves(self, catalog: Catalog) -> list[tuple[Shelf, Sequence[Part]]]:
        servers = catalog.of_kind(ServerPart)
        by_purpose = {
            purpose: [s for s in servers if s.purpose == purpose]
            for purpose in ("gpu", "cpu", "storage", "management")
        }
        return [
            (Shelf(self.tr("Racks"), "rack", ""), catalog.of_kind(RackPart)),
            (Shelf(self.tr("Whole racks"), "racks", ""), self._whole_racks(catalog)),
            (Shelf(self.tr("GPU servers"), "gpu", "gpu-server"), by_purpose["gpu"]),
            (Shelf(self.tr("Switches"), "switch", "switch"), catalog.of_kind(SwitchPart)),
            (
                Shelf(self.tr("CPU and management servers"), "server", "cpu-server"),
                by_purpose["cpu"] + by_purpose["management"],
            ),
            (Shelf(self.tr("Storage servers"), "server", "storage-server"), by_purpose["storage"]),
            (
                Shelf(self.tr("Power distribution"), "pdu", "pdu"),
                [*catalog.of_kind(PduPart), *catalog.of_kind(PowerShelfPart)],
            ),
            (Shelf(self.tr("Patch panels"), "patch-panel", "panel"), catalog.of_kind(PanelPart)),
            (Shelf(self.tr("Cables"), "cable", ""), catalog.of_kind(CablePart)),
            (Shelf(self.tr("Transceivers"), "optic", ""), catalog.of_kind(TransceiverPart)),
            (Shelf(self.tr("Network cards"), "link", ""), catalog.of_kind(NicPart)),
            (
                Shelf(self.tr("Blanks, cable managers, cooling"), "panel", ""),
                catalog.of_kind(AccessoryPart),
            ),
        ]

    def mimeTypes(self) -> list[str]:
        return [PART_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        mime = QMimeData()
        for index in indexes:
            part = part_of(index)
            if part is not None:
                mime.setData(PART_MIME, QByteArray(part.id.encode()))
                mime.setText(part.title)
        return mime


def _tip(part: Part, figures: str) -> str:
    lines = [f"<b>{part.title}</b>", figures, part.description, part.notes]
    return "<br>".join(line for line in lines if line)


class PartFilter(QSortFilterProxyModel):
    """Leaves the parts that hold every word, and the shelves that still have any."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setRecursiveFilteringEnabled(False)

    def set_words(self, text: str) -> None:
        self.beginFilterChange()
        self._words = text.casefold().split()
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if not self._words:
            return True
        index = self.sourceModel().index(row, 0, parent)
        if not parent.isValid():
            rows = range(self.sourceModel().rowCount(index))
            return any(self.filterAcceptsRow(r, index) for r in rows)
        words = index.data(WORDS_ROLE)
        return all(word in words for word in self._words)
