# SPDX-License-Identifier: Apache-2.0
"""One panel for whatever is selected: what it is, every figure of it, and what can be changed."""

from collections.abc import Callable
from enum import IntEnum

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QStackedWidget,
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
from rackloom_gui.panels.inspect_page import Page, PageTools
from rackloom_gui.panels.inspect_site import SitePage
from rackloom_gui.theme import Theme, Tokens

KINDS = ("devices", "racks", "cables", "rows", "feeds", "notes")
"""Tables in the order in which a mixed selection is shown."""


def _page_class(table: str) -> type[Page]:
    """The page for things of a table; imported when the first of them is selected."""
    match table:
        case "devices":
            from rackloom_gui.panels.inspect_device import DevicePage

            return DevicePage
        case "cables":
            from rackloom_gui.panels.inspect_cable import CablePage

            return CablePage
        case "notes":
            from rackloom_gui.panels.inspect_note import NotePage

            return NotePage
    from rackloom_gui.panels.inspect_place import FeedPage, RackPage, RowPage

    return {"racks": RackPage, "rows": RowPage, "feeds": FeedPage}[table]


class _Due(IntEnum):
    """What has to be done before the panel is right again."""

    NOTHING = 0
    VALUES = 1
    FORM = 2


class InspectorPanel(QWidget):
    """Shows the selection, or the project where nothing is selected.

    It catches up once a turn of the event loop, and only while it is seen: deleting a cable
    changes the selection and the design, and a form of forty widgets takes 30 ms to dress. The
    form of the project stays, and forms that fit other things too are used again.
    """

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
        self._site: SitePage | None = None
        self._due = _Due.NOTHING
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_turn)
        self._part: Part | None = None
        self._tools = PageTools(document, editing, theme, icons, self.show_ids)
        self._tabs = QHBoxLayout()
        self._tab_group = QButtonGroup(self)
        self._stack = QStackedWidget(self)
        self._area = self._scrolled(self.tr("Inspector"))
        self._site_area = self._scrolled(self.tr("Inspector of the project"))
        self._build()
        document.selection_changed.connect(self._on_selection)
        document.changed.connect(self._on_changed)
        document.replaced.connect(lambda _design: self._begin_anew())
        theme.changed.connect(self._on_theme_changed)
        self._soon(_Due.FORM)

    def _scrolled(self, name: str) -> QScrollArea:
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        area.setAccessibleName(name)
        self._stack.addWidget(area)
        return area

    def _build(self) -> None:
        self._tabs.setContentsMargins(8, 6, 8, 0)
        self._tabs.setSpacing(2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._tabs)
        layout.addWidget(self._stack, 1)
        self.setMinimumWidth(280)

    def sizeHint(self) -> QSize:
        return QSize(300, 500)

    def set_catalog(self, catalog: Catalog) -> None:
        """Where sources of figures and other parts are looked up."""
        self._tools.catalog = catalog
        self._begin_anew()

    def show_ids(self, ids: list[str]) -> None:
        """Select something that a link names, and show it."""
        self._document.select(ids)
        self.go_to.emit(ids)

    def show_part(self, part: Part | None) -> None:
        """Show a part of the catalogue while nothing is selected."""
        self._part = part
        if not self._document.selection:
            self._soon(_Due.FORM)

    @property
    def page(self) -> Page | None:
        """What is shown of the selection and the design as they are now."""
        self._catch_up()
        return self._page

    # -- when -------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _soon(self, due: _Due) -> None:
        self._due = max(self._due, due)
        self._timer.start()

    def _on_turn(self) -> None:
        if self.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        self._timer.stop()
        due, self._due = self._due, _Due.NOTHING
        if due is _Due.FORM:
            self._rebuild()
        elif due is _Due.VALUES and self._page is not None:
            self._page.refresh()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._begin_anew()

    def _begin_anew(self) -> None:
        """No form that is there fits any more."""
        for area in (self._area, self._site_area):
            _clear(area)
        self._page = self._site = None
        self._soon(_Due.FORM)

    # -- what is shown ----------------------------------------------------------------------------

    def _kinds_selected(self) -> list[str]:
        design, selection = self._document.design, self._document.selection
        return [k for k in KINDS if any(i in design.table(k) for i in selection)]

    def _on_selection(self, selection: Selection) -> None:
        if selection:
            self._part = None
        self._soon(_Due.FORM)

    def _on_changed(self, design: Design, change: Change) -> None:
        page, site = self._page, self._site
        if site is not None and site.must_rebuild(design, change):
            _clear(self._site_area)
            self._site = None
            page = None if page is site else page
        other = page is None or (page is not site and page.must_rebuild(design, change))
        self._soon(_Due.FORM if other else _Due.VALUES)

    def _rebuild(self) -> None:
        kinds = self._kinds_selected()
        if self._kind not in kinds:
            self._kind = kinds[0] if kinds else ""
        self._show_tabs(kinds)
        if not self._kind and self._part is None:
            self._page = page = self._site_page()
            area = self._site_area
        else:
            self._page = page = self._page_of_selection()
            area = self._area
        page.refresh()
        self._stack.setCurrentWidget(area)

    def _site_page(self) -> Page:
        if self._site is None:
            self._site = SitePage(self._tools, ["site"])
            self._site_area.setWidget(self._site)
        return self._site

    def _page_of_selection(self) -> Page:
        """A form for what is selected: the one that is there where it fits."""
        ids = self._document.selected(self._kind) if self._kind else []
        old = self._area.widget()
        if isinstance(old, Page) and old.kind == self._kind and old.adopt(ids):
            return old
        scroll = self._area.verticalScrollBar().value()
        same = isinstance(old, Page) and old.kind == self._kind
        _clear(self._area)
        page = self._make_page(ids)
        self._area.setWidget(page)
        if same:
            page.refresh()
            self._area.verticalScrollBar().setValue(scroll)
        return page

    def _make_page(self, ids: list[str]) -> Page:
        if self._kind:
            return _page_class(self._kind)(self._tools, ids)
        from rackloom_gui.panels.inspect_part import PartPage

        assert self._part is not None
        return PartPage(self._tools, self._part)

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
            self._soon(_Due.FORM)

        return choose


def _clear(area: QScrollArea) -> None:
    """Take the page out, after what may be going on in it."""
    old = area.takeWidget()
    if old is not None:
        old.hide()
        old.deleteLater()
