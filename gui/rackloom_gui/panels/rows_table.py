# SPDX-License-Identifier: Apache-2.0
"""A table of report rows: sortable, with ids behind each row to select on the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTableView, QWidget

from rackloom_gui.panels.tables import dress_table, natural
from rackloom_gui.theme import Theme, Tokens

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A column: what is written, what it sorts by, and how bad it is."""

    title: str
    text: Callable[[Any], str]
    key: Callable[[Any], Any] | None = None
    width: int = 90
    right: bool = True
    severity: Callable[[Any], str] = lambda _row: ""
    """"warning", "error" or empty."""
    tip: str = ""


class RowsModel(QAbstractTableModel):
    """Rows as they come, or sorted by a column."""

    def __init__(self, columns: Sequence[RowColumn], theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[Any] = []
        self._given: list[Any] = []
        self._sort: tuple[int, Qt.SortOrder] | None = None
        self._tokens = theme.tokens
        theme.changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        if self.rows:
            last = self.index(len(self.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows in the same order of columns."""
        self.beginResetModel()
        self._given = list(rows)
        self._order()
        self.endResetModel()

    def _order(self) -> None:
        self.rows = list(self._given)
        if self._sort is not None:
            column, order = self._sort
            spec = self.columns[column]
            key = spec.key or spec.text
            backwards = order == Qt.SortOrder.DescendingOrder
            self.rows.sort(key=lambda row: natural(key(row)), reverse=backwards)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        return None

    @staticmethod
    def _alignment(column: RowColumn) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = self.columns[index.column()], self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            severity = column.severity(row)
            return QColor(self._tokens.severity_text(severity)) if severity else None
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort = (column, order) if column >= 0 else None
        self.beginResetModel()
        self._order()
        self.endResetModel()


class RowsTable(QTableView):
    """A table whose rows one clicks or walks through."""

    chosen = Signal(list)
    """(rows) that are selected now, by the user."""

    def __init__(
        self, title: str, columns: Sequence[RowColumn], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.rows_model = RowsModel(columns, theme, self)
        self.setModel(self.rows_model)
        dress_table(self, title, [column.width for column in columns])
        self.selectionModel().selectionChanged.connect(lambda _a, _b: self._tell())

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows; a selection goes without being told."""
        blocked = self.selectionModel().blockSignals(True)
        self.rows_model.show_rows(rows)
        self.selectionModel().blockSignals(blocked)

    def _tell(self) -> None:
        rows = [self.rows_model.rows[i.row()] for i in self.selectionModel().selectedRows()]
        if rows:
            self.chosen.emit(rows)
