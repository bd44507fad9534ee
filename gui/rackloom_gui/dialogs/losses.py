# SPDX-License-Identifier: Apache-2.0
"""All that a change of part could not keep, one line each; a click shows where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.design.kept import Lost
from rackloom_gui.editing import sentence
from rackloom_gui.panels.whole_sentences import WholeSentences

_Close = QDialogButtonBox.StandardButton.Close
_IDS = Qt.ItemDataRole.UserRole


class LossesDialog(QDialog):
    """Stays open beside the drawing while one mends what was lost."""

    show_requested = Signal(list)
    """Ids of what a line is about."""

    def __init__(
        self,
        label: str,
        losses: Sequence[Lost],
        notes: Sequence[Lost],
        until: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._until = until
        self.setWindowTitle(self.tr("What Could Not Be Kept"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        head = QLabel(self.tr("{0}: {1}").format(label, counted_losses(losses)), self)
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setWordWrap(True)
        self.list = QTreeWidget(self)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setIndentation(0)
        self.list.setWordWrap(True)
        self.list.setAlternatingRowColors(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setItemDelegate(WholeSentences(self.list))
        self.list.setAccessibleName(self.windowTitle())
        for loss in (*losses, *notes):
            item = QTreeWidgetItem([sentence(loss.message)])
            item.setData(0, _IDS, list(loss.where))
            self.list.addTopLevelItem(item)
        self.list.clicked.connect(self._show)
        self.list.activated.connect(self._show)
        buttons = QDialogButtonBox(_Close, self)
        copy = buttons.addButton(self.tr("Copy All"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.setAutoDefault(False)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(head)
        layout.addWidget(self.list, 1)
        layout.addWidget(buttons)
        self.resize(560, 360)

    def lines(self) -> list[str]:
        """What it says, line by line."""
        rows = range(self.list.topLevelItemCount())
        items = (self.list.topLevelItem(row) for row in rows)
        return [item.text(0) for item in items if item is not None]

    def look_again(self) -> None:
        """Close if what it lists is over: the step was undone."""
        if self._until():
            self.close()

    def _show(self, index: QModelIndex) -> None:
        item = self.list.topLevelItem(index.row())
        if item is not None and item.data(0, _IDS):
            self.show_requested.emit(item.data(0, _IDS))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self.lines()))


def counted_losses(losses: Sequence[Lost]) -> str:
    """How many things were lost, in words."""
    if not losses:
        return QCoreApplication.translate(
            "LossesDialog", "everything was kept, but not all as it was."
        )
    if len(losses) == 1:
        return QCoreApplication.translate("LossesDialog", "one thing could not be kept.")
    return QCoreApplication.translate("LossesDialog", "{0} things could not be kept.").format(
        len(losses)
    )
