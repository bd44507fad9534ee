# SPDX-License-Identifier: Apache-2.0
"""The manual: Markdown pages that ship with the program, in a window of their own."""

from functools import cache
from importlib.resources import files

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.icons import Icons
from rackloom_gui.widgets.text import SearchField

_ORDER = ("start", "presets", "canvas", "cabling", "problems", "throughput", "files", "exports")
"""Pages that come first, in this order; the others follow by name."""


@cache
def pages() -> dict[str, tuple[str, str]]:
    """Name of each page, its title and its Markdown."""
    found: dict[str, tuple[str, str]] = {}
    for entry in (files("rackloom_resources") / "help").iterdir():
        if entry.name.endswith(".md"):
            text = entry.read_text("utf-8")
            first = next((line for line in text.splitlines() if line.startswith("# ")), "")
            name = entry.name.removesuffix(".md")
            found[name] = (first.removeprefix("# ").strip() or name, text)

    def place(name: str) -> tuple[int, str]:
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)

    return {name: found[name] for name in sorted(found, key=place)}


class HelpWindow(QWidget):
    """A list of pages and the page; search looks through all of them."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Rackloom Help"))
        self.resize(860, 640)
        self.search = SearchField(icons, self.tr("Search the help"), self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.setSpacing(2)
        self.view = QTextBrowser(self)
        self.view.setOpenLinks(False)
        self.view.setAccessibleName(self.tr("Page"))
        self.view.anchorClicked.connect(self._follow)
        self.view.document().setDocumentMargin(16)
        for name, (title, _text) in pages().items():
            item = QListWidgetItem(title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, name)
        self.list.currentItemChanged.connect(lambda item, _old: self._show_item(item))
        self.search.searched.connect(self._filter)
        self.search.down_pressed.connect(self.list.setFocus)
        left = QWidget(self)
        box = QVBoxLayout(left)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.search)
        box.addWidget(self.list)
        split = QSplitter(self)
        split.addWidget(left)
        split.addWidget(self.view)
        split.setSizes([220, 640])
        outer = QHBoxLayout(self)
        outer.setContentsMargins(6, 6, 6, 6)
        outer.addWidget(split)
        self.list.setCurrentRow(0)

    def show_page(self, name: str) -> bool:
        """Go to a page by name; False where there is none."""
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == name:
                self.list.setCurrentRow(row)
                return True
        return False

    def _show_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            name = str(item.data(Qt.ItemDataRole.UserRole))
            self.view.setMarkdown(pages()[name][1])

    def _follow(self, url: QUrl) -> None:
        if url.isRelative():
            self.show_page(url.path().removesuffix(".md"))
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        first = None
        for row in range(self.list.count()):
            item = self.list.item(row)
            title, body = pages()[str(item.data(Qt.ItemDataRole.UserRole))]
            hay = f"{title} {body}".casefold()
            hidden = not all(word in hay for word in words)
            item.setHidden(hidden)
            if not hidden and first is None:
                first = row
        if first is not None and self.list.currentItem().isHidden():
            self.list.setCurrentRow(first)
        if words and first is not None:
            self.view.find(words[0])
