# SPDX-License-Identifier: Apache-2.0
"""All steps since the design was opened; a click goes there."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QListView, QVBoxLayout, QWidget

from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, Tokens

_Index = QModelIndex | QPersistentModelIndex


class HistoryPanel(QWidget):
    """The undo history as a list: done steps in ink, undone ones in grey."""

    def __init__(
        self, document: Document, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.view = QListView(self)
        self._model = _Steps(document, theme, icons, self)
        self.view.setModel(self._model)
        self.view.setFrameShape(QListView.Shape.NoFrame)
        self.view.setUniformItemSizes(True)
        self.view.setAccessibleName(self.tr("History"))
        self.view.clicked.connect(self._go)
        self.view.activated.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.setFocusProxy(self.view)
        document.state_changed.connect(self._refresh)
        document.replaced.connect(lambda _design: self._refresh())
        theme.changed.connect(self._on_theme_changed)
        self._refresh()

    def labels(self) -> list[str]:
        """What is listed, the opened state first."""
        rows = range(self._model.rowCount())
        return [str(self._model.index(row).data()) for row in rows]

    def _go(self, index: QModelIndex) -> None:
        if index.row() != self._document.history.position:
            self._document.go_to(index.row())

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._refresh()

    def _refresh(self) -> None:
        self._model.refresh()
        current = self._model.index(self._document.history.position)
        self.view.setCurrentIndex(current)
        self.view.scrollTo(current)


class _Steps(QAbstractListModel):
    def __init__(self, document: Document, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._theme = theme
        self._icons = icons
        self._labels: list[str] = []
        self._position = 0

    def refresh(self) -> None:
        labels = [step.label for step in self._document.history.steps]
        if labels != self._labels:
            self.beginResetModel()
            self._labels = labels
            self._position = self._document.history.position
            self.endResetModel()
        else:
            self._position = self._document.history.position
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._labels) + 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._labels[row - 1] if row else self._opened()
        if role == Qt.ItemDataRole.ForegroundRole and row > self._position:
            return self._theme.tokens.text_disabled
        if role == Qt.ItemDataRole.FontRole and row == self._position:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.DecorationRole:
            name = "chevron-right" if row == self._position else "ok" if row == 0 else "history"
            return self._icons.icon("open" if row == 0 else name, "text_muted")
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(80, 24)
        if role == Qt.ItemDataRole.AccessibleTextRole and row > self._position:
            return self.tr("{0}, undone").format(self._labels[row - 1])
        return None

    def _opened(self) -> str:
        path = self._document.path
        return self.tr("Opened {0}").format(path.name) if path else self.tr("New design")
