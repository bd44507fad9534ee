# SPDX-License-Identifier: Apache-2.0
"""Devices and cables as tables: the twin of the drawing for keyboards and screen readers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from rackloom.design import Change, Design
from rackloom_gui.document import Document, Selection
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.text import SearchField

_Index = QModelIndex | QPersistentModelIndex
_DIGITS = re.compile(r"(\d+)")
SELECTED_SHOWN = 5000
"""More selected rows than this are not marked one by one in the table."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and the value of an entity; numbers are set to the right."""

    title: str
    value: Callable[[Design, Any], Any]
    text: Callable[[Any], str] = str
    width: int = 110
    right: bool = False


def natural(value: Any) -> tuple[int, Any]:
    """Sort key under which leaf-9 comes before leaf-10, and unknown comes last."""
    if value is None or value == "":
        return (2, 0)
    if isinstance(value, str):
        pieces = _DIGITS.split(value.casefold())
        return (1, [(int(p), "") if p.isdigit() else (-1, p) for p in pieces])
    return (0, value)


class EntityModel(QAbstractTableModel):
    """Rows are ids in the order shown; values are read from the design when painted."""

    def __init__(self, table: str, columns: Sequence[Column], parent: QObject) -> None:
        super().__init__(parent)
        self.table = table
        self._columns = columns
        self._design = Design()
        self.ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._words: list[str] = []
        self._sort: tuple[int, Qt.SortOrder] | None = None

    def show_design(self, design: Design) -> None:
        """Another design, or all of it anew."""
        self.beginResetModel()
        self._design = design
        self._collect()
        self.endResetModel()

    def set_words(self, text: str) -> None:
        """Show only rows that hold every word in a column."""
        self._words = text.casefold().split()
        self.show_design(self._design)

    def _collect(self) -> None:
        rows = self._design.table(self.table)
        ids = list(rows)
        if self._words:
            ids = [i for i in ids if self._matches(rows[i])]
        if self._sort is not None:
            column, order = self._sort
            value = self._columns[column].value
            keys = {i: natural(value(self._design, rows[i])) for i in ids}
            ids.sort(key=keys.__getitem__, reverse=order == Qt.SortOrder.DescendingOrder)
        self._set_ids(ids)

    def _matches(self, entity: Any) -> bool:
        hay = " ".join(
            column.text(value)
            for column in self._columns
            if (value := column.value(self._design, entity)) is not None
        ).casefold()
        return all(word in hay for word in self._words)

    def _set_ids(self, ids: list[str]) -> None:
        self.ids = ids
        self._rows = {i: row for row, i in enumerate(ids)}

    def patch(self, design: Design, change: Change) -> bool:
        """Follow a change without sorting anew; whether rows came or went."""
        self._design = design
        came = [r.id for r in change.of(self.table) if r.before is None]
        went = {r.id for r in change.of(self.table) if r.after is None}
        if came or went:
            rows = design.table(self.table)
            fresh = [i for i in came if not self._words or self._matches(rows[i])]
            self.beginResetModel()
            self._set_ids([i for i in self.ids if i not in went] + fresh)
            self.endResetModel()
            return True
        if self.ids:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self.ids) - 1, len(self._columns) - 1)
            )
        return False

    def row_of(self, entity_id: str) -> int | None:
        """Row of an id; None where the filter hides it."""
        return self._rows.get(entity_id)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.ids)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self._columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            entity = self._design.table(self.table).get(self.ids[index.row()])
            if entity is None:
                return None
            value = column.value(self._design, entity)
            return self.tr("unknown") if value is None else column.text(value)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.right:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort = (column, order) if column >= 0 else None
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(self.ids[i.row()], i.column()) for i in before]
        self._collect()
        after = [
            self.index(row, column_) if (row := self.row_of(i)) is not None else QModelIndex()
            for i, column_ in kept
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


def dress_rows(view: QTableView, title: str, room_px: int = 8) -> None:
    """What tables have in common that are not sorted either; ``room_px`` is beside a row's text."""
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setAccessibleName(title)
    rows = view.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(view.fontMetrics().height() + room_px)
    view.horizontalHeader().setHighlightSections(False)


def dress_table(view: QTableView, title: str, widths_px: Sequence[int]) -> None:
    """What all tables of the panels have in common: rows to select, columns to sort by."""
    dress_rows(view, title)
    view.setFrameShape(QTableView.Shape.NoFrame)
    head = view.horizontalHeader()
    head.setSortIndicatorShown(True)
    head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    view.setSortingEnabled(True)
    for number, width_px in enumerate(widths_px):
        view.setColumnWidth(number, width_px)
    head.setStretchLastSection(True)


class EntityTable(QWidget):
    """A sortable, searchable table of one kind of thing, sharing the document's selection."""

    go_to = Signal(list)
    """(ids): show them on the drawing."""
    context_menu = Signal(list, QPoint)
    """(selected ids, global position)"""

    def __init__(
        self,
        document: Document,
        table: str,
        columns: Sequence[Column],
        title: str,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        del theme
        self._document = document
        self._syncing = False
        self._outdated = True
        self.model = EntityModel(table, columns, self)
        self.view = QTableView(self)
        self.search = SearchField(icons, self.tr("Search {0}").format(title.lower()), self)
        self._count = QLabel(self)
        self._build(title, columns)
        document.changed.connect(self._on_changed)
        document.replaced.connect(lambda _design: self._on_replaced())
        document.selection_changed.connect(self._on_selection)

    def _build(self, title: str, columns: Sequence[Column]) -> None:
        view = self.view
        view.setModel(self.model)
        dress_table(view, title, [column.width for column in columns])
        view.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        view.selectionModel().selectionChanged.connect(lambda _a, _b: self._tell())
        view.doubleClicked.connect(lambda _index: self.go_to.emit(self._selected_ids()))
        view.activated.connect(lambda _index: self.go_to.emit(self._selected_ids()))
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(
            lambda at: self.context_menu.emit(self._selected_ids(), view.viewport().mapToGlobal(at))
        )
        self.search.setMaximumWidth(280)
        self.search.searched.connect(self._filter)
        self.search.down_pressed.connect(view.setFocus)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 4)
        bar.addWidget(self.search, 1)
        bar.addWidget(self._count)
        bar.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(view)
        self.setFocusProxy(view)

    # -- following the document -----------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        """Read the design, but only while somebody looks."""
        if self._outdated and self.isVisible():
            self._outdated = False
            self.model.show_design(self._document.design)
            self._show_count()
            self._on_selection(self._document.selection)

    def _on_replaced(self) -> None:
        self._outdated = True
        self._refresh()

    def _on_changed(self, design: Design, change: Change) -> None:
        if not self.isVisible():
            self._outdated = True
        elif self.model.patch(design, change):
            self._show_count()
            self._on_selection(self._document.selection)

    def _filter(self, text: str) -> None:
        self.model.set_words(text)
        self._show_count()
        self._on_selection(self._document.selection)

    def _show_count(self) -> None:
        shown, there = len(self.model.ids), len(self._document.design.table(self.model.table))
        locale = self.locale()
        text = locale.toString(shown)
        if shown != there:
            text = self.tr("{0} of {1}").format(text, locale.toString(there))
        self._count.setText(text)

    # -- selection --------------------------------------------------------------------------------

    def _selected_ids(self) -> list[str]:
        ids = self.model.ids
        ranges = self.view.selectionModel().selection().toList()
        return [ids[row] for part in ranges for row in range(part.top(), part.bottom() + 1)]

    def _tell(self) -> None:
        if not self._syncing:
            self._syncing = True
            try:
                self._document.select(self._selected_ids())
            finally:
                self._syncing = False

    def _on_selection(self, selection: Selection) -> None:
        if self._syncing or self._outdated or not self.isVisible():
            return
        rows = sorted(row for i in selection if (row := self.model.row_of(i)) is not None)[
            :SELECTED_SHOWN
        ]
        chosen = QItemSelection()
        last = self.model.columnCount() - 1
        for first, end in _runs(rows):
            chosen.select(self.model.index(first, 0), self.model.index(end, last))
        self._syncing = True
        try:
            self.view.selectionModel().select(
                chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
            if rows:
                self.view.scrollTo(self.model.index(rows[0], 0))
                self.view.selectionModel().setCurrentIndex(
                    self.model.index(rows[0], 0), QItemSelectionModel.SelectionFlag.NoUpdate
                )
        finally:
            self._syncing = False


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as runs of neighbours."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and runs[-1][1] == row - 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs
