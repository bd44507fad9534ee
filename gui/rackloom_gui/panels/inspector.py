# SPDX-License-Identifier: Apache-2.0
"""One panel for whatever is selected: what it is, every figure of it, and what can be changed."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import Part
from rackloom.design import Change, Design
from rackloom_gui.document import Document, Selection
from rackloom_gui.editing import Editing
from rackloom_gui.icons import Icons
from rackloom_gui.panels.inspect_cable import CablePage
from rackloom_gui.panels.inspect_device import DevicePage
from rackloom_gui.panels.inspect_note import NotePage
from rackloom_gui.panels.inspect_page import Page, PageTools
from rackloom_gui.panels.inspect_part import PartPage
from rackloom_gui.panels.inspect_place import FeedPage, RackPage, RowPage
from rackloom_gui.panels.inspect_site import SitePage
from rackloom_gui.theme import Theme

KINDS: tuple[tuple[str, type[Page]], ...] = (
    ("devices", DevicePage),
    ("racks", RackPage),
    ("cables", CablePage),
    ("rows", RowPage),
    ("feeds", FeedPage),
    ("notes", NotePage),
)
"""Tables in the order in which a mixed selection is shown, and the page for each."""


class InspectorPanel(QWidget):
    """Shows the selection, or the project where nothing is selected."""

    go_to = Signal(list)
    """(ids): show them on the drawing."""

    def __init__(
        self,
        document: Document,
        editing: Editing,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._kind = ""
        self._page: Page | None = None
        self._part: Part | None = None
        self._tools = PageTools(document, editing, theme, icons, self.show_ids)
        self._tabs = QHBoxLayout()
        self._tab_group = QButtonGroup(self)
        self._area = QScrollArea(self)
        self._build()
        document.selection_changed.connect(self._on_selection)
        document.changed.connect(self._on_changed)
        document.replaced.connect(lambda _design: self._rebuild())
        self._rebuild()

    def _build(self) -> None:
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._area.setAccessibleName(self.tr("Inspector"))
        self._tabs.setContentsMargins(8, 6, 8, 0)
        self._tabs.setSpacing(2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._tabs)
        layout.addWidget(self._area, 1)
        self.setMinimumWidth(280)

    def sizeHint(self) -> QSize:
        return QSize(300, 500)

    def set_catalog(self, catalog: Catalog) -> None:
        """Where sources of figures and other parts are looked up."""
        self._tools.catalog = catalog
        self._rebuild()

    def show_ids(self, ids: list[str]) -> None:
        """Select something that a link names, and show it."""
        self._document.select(ids)
        self.go_to.emit(ids)

    def show_part(self, part: Part | None) -> None:
        """Show a part of the catalogue while nothing is selected."""
        self._part = part
        if not self._document.selection:
            self._rebuild()

    @property
    def page(self) -> Page | None:
        """What is shown."""
        return self._page

    # -- what is shown ----------------------------------------------------------------------------

    def _kinds_selected(self) -> list[str]:
        design, selection = self._document.design, self._document.selection
        return [k for k, _ in KINDS if any(i in design.table(k) for i in selection)]

    def _on_selection(self, selection: Selection) -> None:
        if selection:
            self._part = None
        self._rebuild()

    def _on_changed(self, design: Design, change: Change) -> None:
        page = self._page
        if page is None or page.must_rebuild(design, change):
            self._rebuild()
        else:
            page.refresh()

    def _rebuild(self) -> None:
        kinds = self._kinds_selected()
        if self._kind not in kinds:
            self._kind = kinds[0] if kinds else ""
        self._show_tabs(kinds)
        scroll = self._area.verticalScrollBar().value()
        same = self._page is not None and self._page.kind == (self._kind or "site")
        page = self._make_page()
        self._page = page
        old = self._area.takeWidget()
        if old is not None:
            old.hide()
            old.deleteLater()
        self._area.setWidget(page)
        page.refresh()
        if same:
            self._area.verticalScrollBar().setValue(scroll)

    def _make_page(self) -> Page:
        for table, page_class in KINDS:
            if table == self._kind:
                return page_class(self._tools, self._document.selected(table))
        if self._part is not None:
            return PartPage(self._tools, self._part)
        return SitePage(self._tools, ["site"])

    def _show_tabs(self, kinds: list[str]) -> None:
        while (item := self._tabs.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                self._tab_group.removeButton(widget)  # type: ignore[arg-type]
                widget.deleteLater()
        if len(kinds) < 2:
            return
        titles = {
            "devices": self.tr("Devices"),
            "racks": self.tr("Racks"),
            "cables": self.tr("Cables"),
            "rows": self.tr("Rows"),
            "feeds": self.tr("Feeds"),
            "notes": self.tr("Notes"),
        }
        for kind in kinds:
            button = QToolButton(self)
            count = len(self._document.selected(kind))
            button.setText(f"{titles[kind]} {count}")
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setChecked(kind == self._kind)
            button.clicked.connect(self._tab_chooser(kind))
            self._tab_group.addButton(button)
            self._tabs.addWidget(button)
        self._tabs.addStretch()

    def _tab_chooser(self, kind: str) -> Callable[[], None]:
        def choose(_checked: bool = False) -> None:
            self._kind = kind
            self._rebuild()

        return choose
