# SPDX-License-Identifier: Apache-2.0
"""All keys and mouse gestures in one searchable list, made from the action table."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.actions import ActionTable, Category, translated
from rackloom_gui.icons import Icons
from rackloom_gui.widgets.text import SearchField

GESTURES: tuple[tuple[object, object], ...] = (
    (
        QT_TRANSLATE_NOOP("Gestures", "Drag the view"),
        QT_TRANSLATE_NOOP("Gestures", "Middle button, right button, or Space + left button"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Scroll"),
        QT_TRANSLATE_NOOP("Gestures", "Wheel; two fingers on a touchpad; arrows"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Scroll sideways"),
        QT_TRANSLATE_NOOP("Gestures", "Shift + wheel"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Zoom at the pointer"),
        QT_TRANSLATE_NOOP("Gestures", "Ctrl + wheel; pinch"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Select what is wholly in a frame"),
        QT_TRANSLATE_NOOP("Gestures", "Drag from left to right over empty floor"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Select what a frame touches"),
        QT_TRANSLATE_NOOP("Gestures", "Drag from right to left over empty floor"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Add to the selection"),
        QT_TRANSLATE_NOOP("Gestures", "Shift + click"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Add or take away"),
        QT_TRANSLATE_NOOP("Gestures", "Ctrl + click"),
    ),
    (
        QT_TRANSLATE_NOOP("Gestures", "Give up a drag; clear the selection"),
        QT_TRANSLATE_NOOP("Gestures", "Esc"),
    ),
)
"""What the mouse does on the canvas, and how."""


class ShortcutsDialog(QDialog):
    """A list of what the program can do, with the keys for it."""

    def __init__(self, table: ActionTable, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard and Mouse"))
        self.resize(620, 560)
        self._search = SearchField(icons, self.tr("Search keys and actions"), self)
        self._tree = QTreeWidget(self)
        self._tree.setColumnCount(2)
        self._tree.setHeaderLabels([self.tr("What"), self.tr("Keys")])
        self._tree.setUniformRowHeights(True)
        self._tree.setRootIsDecorated(False)
        self._tree.setIndentation(12)
        self._tree.setAccessibleName(self.tr("Keys"))
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self._fill(table)
        self._tree.expandAll()
        self._tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self._search.searched.connect(self._filter)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._search)
        layout.addWidget(self._tree)
        layout.addWidget(buttons)

    def shown(self) -> list[tuple[str, str]]:
        """The lines that the search leaves, as (what, keys)."""
        return [
            (line.text(0), line.text(1))
            for _group, lines in self._groups
            for line in lines
            if not line.isHidden()
        ]

    def _group(self, title: str, lines: list[tuple[str, str]]) -> None:
        group = QTreeWidgetItem(self._tree, [title])
        group.setFirstColumnSpanned(True)
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = group.font(0)
        font.setBold(True)
        group.setFont(0, font)
        self._groups.append((group, [QTreeWidgetItem(group, list(line)) for line in lines]))

    def _fill(self, table: ActionTable) -> None:
        for category in Category:
            lines = [
                (table.title(spec.id), ", ".join(table.shortcut_texts(spec.id)))
                for spec in table.specs.values()
                if spec.category is category and table.shortcut_texts(spec.id)
            ]
            self._group(translated(str(category)), lines)
        self._group(
            self.tr("Mouse and Touchpad"),
            [(_gesture(what), _gesture(how)) for what, how in GESTURES],
        )

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        for group, lines in self._groups:
            for line in lines:
                words = f"{line.text(0)} {line.text(1)}".casefold()
                line.setHidden(not all(word in words for word in wanted))
            group.setHidden(all(line.isHidden() for line in lines))


def _gesture(text: object) -> str:
    return QCoreApplication.translate("Gestures", str(text))
