# SPDX-License-Identifier: Apache-2.0
"""The whole catalogue: search by words and facets, and a data sheet of what is chosen."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PartId,
    RackPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.design import Change, Design
from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.panels.data_sheet import DataSheet
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.panels.tables import natural
from rackloom_gui.part_facets import FACETS, PartIndex, value_order, value_text
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.text import SearchField

_PART = Qt.ItemDataRole.UserRole
_SORT = Qt.ItemDataRole.UserRole + 1
_ICONS = {
    "server": "server",
    "switch": "switch",
    "nic": "link",
    "pdu": "pdu",
    "cable": "cable",
    "transceiver": "optic",
    "rack": "rack",
    "rack-system": "racks",
    "panel": "patch-panel",
    "power-shelf": "power",
}


_COUNTED = ("racks", "devices", "modules", "cables")


def use_counts(design: Design) -> Counter[PartId]:
    """How often each part is used."""
    counts: Counter[PartId] = Counter()
    for table in _COUNTED:
        counts.update(entity.part for entity in design.table(table).values())
    for device in design.devices.values():
        counts.update(card for _, card in device.cards)
    return counts


def counted_on(counts: Counter[PartId], change: Change) -> None:
    """Carry the counts through a change: walking all of a great hall takes too long for an edit."""
    for record in change.of(*_COUNTED):
        for entity, by in ((record.before, -1), (record.after, 1)):
            if entity is not None:
                counts[entity.part] += by
                for _, card in getattr(entity, "cards", ()):
                    counts[card] += by


class _Line(QTreeWidgetItem):
    """A part in the list; sorts numbers as numbers."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else 0
        if column == 2:
            return int(self.data(2, _SORT) or 0) < int(other.data(2, _SORT) or 0)
        return natural(self.text(column)) < natural(other.text(column))


class PartsBrowser(QDialog):
    """Stays open beside the drawing; what is placed or selected happens in the window behind."""

    place_requested = Signal(object)
    """(Part)"""
    select_requested = Signal(list)
    """(ids)"""
    own_requested = Signal(str, object)
    """("add", "new", "copy", "edit" or "remove"; Part or None): for the user's own parts."""

    def __init__(
        self, document: Document, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Parts"))
        self._document = document
        self._icons = icons
        self._catalog = Catalog(())
        self._index = PartIndex()
        self._filling = False
        self.search = SearchField(icons, self.tr("Search the catalogue"), self)
        self.facets = QTreeWidget(self)
        self.list = QTreeWidget(self)
        self.sheet = DataSheet(theme, icons, self)
        self.count = QLabel(self)
        self.clear = QPushButton(self.tr("Clear filters"), self)
        self._buttons: dict[str, QPushButton] = {}
        self._counts: Counter[PartId] | None = None
        self._uses_timer = QTimer(self)
        self._uses_timer.setSingleShot(True)
        self._uses_timer.setInterval(150)
        self._uses_timer.timeout.connect(self._show_uses)
        self._build()
        document.changed.connect(self._on_changed)
        document.replaced.connect(self._on_replaced)

    def sizeHint(self) -> QSize:
        return QSize(1240, 780)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        facets, parts = self.facets, self.list
        facets.setHeaderHidden(True)
        facets.setAccessibleName(self.tr("Filters"))
        facets.setFrameShape(QFrame.Shape.NoFrame)
        facets.setIndentation(12)
        facets.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        facets.itemChanged.connect(self._on_facet)
        parts.setHeaderLabels([self.tr("Part"), self.tr("Key figures"), self.tr("Used")])
        parts.setRootIsDecorated(False)
        parts.setUniformRowHeights(True)
        parts.setAlternatingRowColors(True)
        parts.setFrameShape(QFrame.Shape.NoFrame)
        parts.setSortingEnabled(True)
        parts.setAccessibleName(self.tr("Parts"))
        parts.setTextElideMode(Qt.TextElideMode.ElideRight)
        head = parts.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.resizeSection(0, 230)
        parts.currentItemChanged.connect(lambda _new, _old: self._choose())
        parts.itemActivated.connect(lambda _item, _column: self._place())
        self.search.searched.connect(lambda _text: self._refill())
        self.search.down_pressed.connect(self._into_list)
        self.clear.clicked.connect(self.clear_filters)
        self.sheet.place_requested.connect(self.place_requested)
        self.sheet.select_requested.connect(self.select_requested)
        self._lay_out()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.search, 1)
        top.addWidget(self.count)
        top.addWidget(self.clear)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        for widget, stretch in ((self.facets, 0), (self.list, 3), (self.sheet, 4)):
            split.addWidget(widget)
            split.setStretchFactor(split.count() - 1, stretch)
        split.setSizes([180, 540, 520])
        own = QHBoxLayout()
        for name, icon, text, tip in (
            ("add", "import", self.tr("Add from files…"),
             self.tr("Catalogue files (YAML) or NetBox device types")),
            ("new", "new", self.tr("New part…"), self.tr("Describe a part of your own")),
            ("copy", "duplicate", self.tr("Duplicate…"), self.tr("A part of your own from this")),
            ("edit", "rename", self.tr("Edit…"), self.tr("Change this part of your own")),
            ("remove", "delete", self.tr("Remove"), self.tr("Take it out of your catalogue")),
        ):  # fmt: skip
            button = QPushButton(self._icons.icon(icon), text, self)
            button.setAutoDefault(False)
            button.setToolTip(tip)
            button.clicked.connect(self._own_asker(name))
            self._buttons[name] = button
            own.addWidget(button)
        own.addStretch()
        close = QPushButton(self.tr("Close"), self)
        close.setAutoDefault(False)
        close.clicked.connect(self.close)
        own.addWidget(close)
        for button in (self.clear, self.sheet.place, self.sheet.uses):
            button.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(split, 1)
        layout.addLayout(own)
        self._allow_buttons()

    def _own_asker(self, name: str) -> object:
        return lambda: self.own_requested.emit(name, self.current_part())

    # -- catalogue --------------------------------------------------------------------------------

    def set_catalog(self, catalog: Catalog) -> None:
        """Show the parts of a catalogue; filters and the chosen part stay where they can."""
        self._catalog = catalog
        self._index = PartIndex.of(catalog)
        self.sheet.set_catalog(catalog)
        self._refill()

    def show_part(self, part_id: str) -> bool:
        """Choose a part, without filters where they hide it; False where there is none."""
        if part_id not in self._catalog:
            return False
        if self._item_of(part_id) is None:
            self.clear_filters()
        item = self._item_of(part_id)
        if item is None:
            return False
        self.list.setCurrentItem(item)
        self.list.scrollToItem(item)
        return True

    def current_part(self) -> Part | None:
        """The chosen part."""
        item = self.list.currentItem()
        return self._catalog.get(PartId(item.data(0, _PART))) if item is not None else None

    def shown(self) -> list[str]:
        """Ids of the parts listed, in their order."""
        items = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return [item.data(0, _PART) for item in items if item is not None]

    def facet_item(self, facet: str, value: str) -> QTreeWidgetItem | None:
        """The line of a facet's value, or None where no part has it."""
        for row in range(self.facets.topLevelItemCount()):
            head = self.facets.topLevelItem(row)
            if head is None or head.data(0, _PART) != facet:
                continue
            for number in range(head.childCount()):
                item = head.child(number)
                if item is not None and item.data(0, _PART) == value:
                    return item
        return None

    def _item_of(self, part_id: str) -> QTreeWidgetItem | None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None and item.data(0, _PART) == part_id:
                return item
        return None

    # -- filters ----------------------------------------------------------------------------------

    def chosen(self) -> dict[str, set[str]]:
        """The ticked values of each facet."""
        found: dict[str, set[str]] = {}
        for row in range(self.facets.topLevelItemCount()):
            head = self.facets.topLevelItem(row)
            if head is None:
                continue
            for number in range(head.childCount()):
                item = head.child(number)
                if item is not None and item.checkState(0) is Qt.CheckState.Checked:
                    found.setdefault(head.data(0, _PART), set()).add(item.data(0, _PART))
        return found

    def clear_filters(self) -> None:
        """Show everything again."""
        self.search.clear()
        self._refill(chosen={})

    def _on_facet(self, _item: QTreeWidgetItem, _column: int) -> None:
        if not self._filling:
            # Later: the tree is in the middle of changing the item that the refill takes away.
            QTimer.singleShot(0, self, self._refill)

    def _refill(self, chosen: dict[str, set[str]] | None = None) -> None:
        chosen = self.chosen() if chosen is None else chosen
        kept = self.current_part()
        parts, counts = self._index.narrowed(self.search.text(), chosen)
        self._fill_facets(counts, chosen)
        uses = self._uses()
        self.list.setSortingEnabled(False)
        self.list.clear()
        self.list.addTopLevelItems([self._line(part, uses[part.id]) for part in parts])
        self.list.setSortingEnabled(True)
        total = len(self._index.parts)
        shown = self.locale().toString(len(parts))
        text = self.tr("{0} of {1} parts").format(shown, self.locale().toString(total))
        self.count.setText(text)
        self.clear.setEnabled(bool(chosen or self.search.text()))
        item = self._item_of(kept.id) if kept is not None else None
        item = item or self.list.topLevelItem(0)
        if item is not None:
            self.list.setCurrentItem(item)
        self._choose()

    def _line(self, part: Part, uses: int) -> QTreeWidgetItem:
        marks = [self.tr("illustrative")] if part.illustrative else []
        marks += [self.tr("my own")] if part.id in self._catalog.own else []
        title = f"{part.title} ({', '.join(marks)})" if marks else part.title
        figures = key_figures(part)
        line = _Line([title, figures, self.locale().toString(uses) if uses else ""])
        line.setData(0, _PART, part.id)
        line.setData(2, _SORT, uses)
        line.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line.setIcon(0, self._icons.icon(_ICONS.get(getattr(part, "kind", ""), "info")))
        line.setToolTip(0, part.title)
        line.setToolTip(1, figures)
        return line

    def _fill_facets(self, counts: dict[str, Counter[str]], chosen: dict[str, set[str]]) -> None:
        titles = {
            "kind": self.tr("Kind"),
            "maker": self.tr("Maker"),
            "speed": self.tr("Port speed"),
            "form factor": self.tr("Form factor"),
            "protocol": self.tr("Protocol"),
            "height": self.tr("Height"),
            "power": self.tr("Greatest power"),
            "origin": self.tr("Origin"),
        }
        first = not self.facets.topLevelItemCount()
        closed = {
            head.data(0, _PART)
            for row in range(self.facets.topLevelItemCount())
            if (head := self.facets.topLevelItem(row)) is not None and not head.isExpanded()
        }
        scroll = self.facets.verticalScrollBar().value()
        self._filling = True
        self.facets.clear()
        for name in FACETS:
            ticked = chosen.get(name, set())
            values = sorted({*counts[name], *ticked}, key=lambda v: value_order(name, v))
            if not values:
                continue
            head = QTreeWidgetItem([titles[name]])
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            head.setData(0, _PART, name)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for value in values:
                text = f"{value_text(name, value)} ({counts[name][value]})"
                item = QTreeWidgetItem([text])
                item.setData(0, _PART, value)
                item.setFlags(
                    Qt.ItemFlag.ItemIsEnabled
                    | Qt.ItemFlag.ItemIsSelectable
                    | Qt.ItemFlag.ItemIsUserCheckable
                )
                on = value in ticked
                item.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
                head.addChild(item)
            self.facets.addTopLevelItem(head)
            head.setExpanded(name in {"kind", "speed"} if first else name not in closed)
        self._filling = False
        self.facets.verticalScrollBar().setValue(scroll)

    # -- the chosen part --------------------------------------------------------------------------

    def _into_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _choose(self) -> None:
        part = self.current_part()
        uses = self._uses()[part.id] if part is not None else 0
        self.sheet.show_part(part, self._document.design, uses, placeable=self._why_not(part))
        self._allow_buttons()

    def _why_not(self, part: Part | None) -> str:
        """Why a part cannot be placed by itself."""
        placeable = DevicePart | RackPart | CablePart | TransceiverPart | NicPart | RackSystemPart
        if part is None or not isinstance(part, placeable):
            return self.tr("Parts of this kind are ordered or looked up, not drawn.")
        if isinstance(part, RackSystemPart) and part.rack is None:
            return self.tr("What stands in it is not published: place its trays by themselves.")
        return ""

    def _allow_buttons(self) -> None:
        part = self.current_part()
        own = part is not None and part.id in self._catalog.own
        self._buttons["copy"].setEnabled(part is not None)
        self._buttons["edit"].setEnabled(own)
        self._buttons["remove"].setEnabled(own)

    def _place(self) -> None:
        part = self.current_part()
        if part is not None and not self._why_not(part):
            self.place_requested.emit(part)

    # -- following the design ---------------------------------------------------------------------

    def _on_changed(self, _design: Design, change: Change) -> None:
        if change.tables & {*_COUNTED}:
            if self._counts is not None:
                counted_on(self._counts, change)
            self._uses_timer.start()

    def _on_replaced(self, _design: Design) -> None:
        self._counts = None
        self._uses_timer.start()

    def _uses(self) -> Counter[PartId]:
        """How often each part is used: counted once, then kept up with the edits."""
        if self._counts is None:
            self._document.flush()  # a change that is still on its way must not count twice
            self._counts = use_counts(self._document.design)
        return self._counts

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_uses()

    def _show_uses(self) -> None:
        if not self.isVisible():
            return
        uses = self._uses()
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None:
                count = uses[PartId(item.data(0, _PART))]
                item.setData(2, _SORT, count)
                item.setText(2, self.locale().toString(count) if count else "")
        if self.sheet.part is not None:
            self.sheet.show_uses(self._document.design, uses[self.sheet.part.id])
