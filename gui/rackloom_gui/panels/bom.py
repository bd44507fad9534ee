# SPDX-License-Identifier: Apache-2.0
"""The bill of materials by category, with spares and prices; every line leads to the drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStackedWidget,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.design import Change, Design
from rackloom.reports.bom import BomRow, bom
from rackloom.reports.buying import (
    Bill,
    BomTotal,
    Price,
    bill_of,
    prices_of_project,
    spares_of_project,
)
from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import ElidedLabel, EmptyState, SearchField

_ROW = Qt.ItemDataRole.UserRole
_LEAST_SEARCH_PX = 170
_TABLES_THAT_MATTER = frozenset({"racks", "devices", "modules", "cables", "cords", "parts"})
_TABLES_OF_ORDERING = frozenset({"spares", "prices", "settings"})
"""Changes here only dress the same lines."""


class BomPanel(QWidget):
    """What has to be ordered, kept up to date while somebody looks."""

    select_requested = Signal(list)
    """(ids)"""
    export_requested = Signal()
    spares_requested = Signal()
    prices_requested = Signal()
    labels_requested = Signal()
    fault = Signal(object)
    """An error of ours."""

    def __init__(
        self, document: Document, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._tokens = theme.tokens
        self._outdated = True
        self._plain: list[BomRow] = []
        self._bill = Bill([], [], ())
        self.spares: dict[str, Fraction] = {}
        """Spares of the project, by category."""
        self.prices: Mapping[str, Price] | None = None
        """The project's price list, or None."""
        self._kept: tuple[object, object, str] = (None, None, "")
        """The tables and the name that spares and prices were read from."""
        self._job = LatestJob(self, delay_ms=200)
        self.search = SearchField(icons, self.tr("Search the bill"), self)
        self._buttons: list[QToolButton] = []
        self.more = QToolButton(self)
        """The buttons as a menu, where they would leave the search no room."""
        self.tree = QTreeWidget(self)
        self.summary = ElidedLabel("", self)
        self._empty = EmptyState(
            "bom",
            self.tr("Nothing to order"),
            self.tr("What you put into the design is listed here."),
            theme,
            icons,
            self,
        )
        self._stack = QStackedWidget(self)
        self._build(icons)
        self._job.done.connect(self._take)
        self._job.failed.connect(self.fault)
        document.changed.connect(self._on_changed)
        document.replaced.connect(lambda _design: self._outdate())
        self._read_kept()
        theme.changed.connect(self._on_theme_changed)

    def _build(self, icons: Icons) -> None:
        tree = self.tree
        tree.setAccessibleName(self.tr("Bill of materials"))
        tree.setUniformRowHeights(True)
        tree.setAlternatingRowColors(True)
        tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        tree.setIndentation(14)
        tree.itemSelectionChanged.connect(self._on_selected)
        self.search.setMaximumWidth(240)
        self.search.searched.connect(lambda _text: self._fill())
        self.search.down_pressed.connect(tree.setFocus)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 4)
        bar.addWidget(self.search, 1)
        bar.addStretch()
        menu = QMenu(self.more)
        menu.setToolTipsVisible(True)
        for icon, text, tip, signal in (
            ("add", self.tr("Spares…"), self.tr("A percentage for each category"),
             self.spares_requested),
            ("open", self.tr("Prices…"),
             self.tr("A price list: CSV with part_number, price and currency"),
             self.prices_requested),
            ("note", self.tr("Labels…"), self.tr("Cable labels, to be printed"),
             self.labels_requested),
            ("export", self.tr("Export…"), self.tr("As CSV or Excel workbook"),
             self.export_requested),
        ):  # fmt: skip
            button = QToolButton(self)
            button.setIcon(icons.icon(icon))
            button.setText(text)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setAutoRaise(True)
            button.setToolTip(tip)
            button.clicked.connect(signal)
            bar.addWidget(button)
            self._buttons.append(button)
            line = menu.addAction(icons.icon(icon), text)
            line.setToolTip(tip)
            line.triggered.connect(lambda _checked=False, ask=signal: ask.emit())
        self.more.setText(self.tr("Order"))
        self.more.setToolTip(self.tr("Spares, prices, labels, and the bill as a file"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setAutoRaise(True)
        self.more.setMenu(menu)
        self.more.hide()
        bar.addWidget(self.more)
        self._stack.addWidget(tree)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 3, 8, 4)
        foot.addWidget(self.summary)
        layout.addLayout(foot)
        self.setFocusProxy(tree)
        self._stack.setCurrentWidget(self._empty)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = sum(button.sizeHint().width() + 6 for button in self._buttons)
        narrow = self.width() < wide + _LEAST_SEARCH_PX
        for button in self._buttons:
            button.setVisible(not narrow)
        self.more.setVisible(narrow)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._fill()

    # -- what is ordered --------------------------------------------------------------------------

    @property
    def categories(self) -> list[str]:
        """The categories of the design's lines, in order."""
        return list(dict.fromkeys(row.category for row in self._plain))

    @property
    def rows(self) -> list[BomRow]:
        """The lines, with the project's spares and prices."""
        return self._bill.rows

    @property
    def totals(self) -> list[BomTotal]:
        """What is known to be paid, by currency."""
        return self._bill.totals

    def columns(self) -> tuple[str, ...]:
        """Columns of a file of this bill."""
        return self._bill.columns

    def lines(self) -> list[BomRow | BomTotal]:
        """Rows of a file of this bill: its lines, then the totals where there are prices."""
        return self._bill.lines

    def refresh_now(self) -> None:
        """Work the bill out at once: for a file that must not wait for somebody to look."""
        self._job.cancel()
        self._outdated = False
        self._take(bom(self._document.design))

    # -- following the document -------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _on_changed(self, _design: Design, change: Change) -> None:
        if change.tables & _TABLES_THAT_MATTER:
            self._outdate()
        elif change.tables & _TABLES_OF_ORDERING and not self._outdated:
            self._reckon()

    def _outdate(self) -> None:
        self._outdated = True
        self._refresh()

    def _refresh(self) -> None:
        if self._outdated and self.isVisible():
            self._outdated = False
            self._job.ask(_work(self._document.design))

    @property
    def up_to_date(self) -> bool:
        """Whether what is shown belongs to the design as it is."""
        return not self._outdated and not self._job.pending

    def stop(self) -> None:
        """The window goes: no more results."""
        self._job.wait()

    def _take(self, rows: list[BomRow]) -> None:
        self._plain = rows
        self._reckon()

    def _read_kept(self) -> None:
        """Spares and prices as the project has them now; a long list is not read twice."""
        design = self._document.design
        name = design.settings.price_list
        spares, prices, known = self._kept
        if spares is design.spares and prices is design.prices and name == known:
            return
        self._kept = (design.spares, design.prices, name)
        self.spares = spares_of_project(design)
        self.prices = prices_of_project(design)

    def _reckon(self) -> None:
        self._read_kept()
        self._bill = bill_of(self._plain, self._document.design, None, self.prices)
        self._fill()

    # -- showing ----------------------------------------------------------------------------------

    def _fill(self) -> None:
        closed = {
            item.data(0, _ROW)
            for n in range(self.tree.topLevelItemCount())
            if (item := self.tree.topLevelItem(n)) is not None and not item.isExpanded()
        }
        words = self.search.text().casefold().split()
        blocked = self.tree.blockSignals(True)
        self.tree.clear()
        self._set_head()
        by_category: dict[str, list[BomRow]] = {}
        for row in self.rows:
            hay = f"{row.part_number} {row.manufacturer} {row.model} {row.category} {row.notes}"
            if all(word in hay.casefold() for word in words):
                by_category.setdefault(row.category, []).append(row)
        for category, rows in by_category.items():
            head = self._heading(category, rows)
            head.addChildren([self._line(row) for row in rows])
            self.tree.addTopLevelItem(head)
            head.setExpanded(category not in closed)
        self.tree.blockSignals(blocked)
        self._stack.setCurrentWidget(self.tree if self.rows else self._empty)
        self._summarise()

    @property
    def _has_spares(self) -> bool:
        return "spares" in self.columns()

    def _set_head(self) -> None:
        head = [self.tr("Part"), self.tr("Quantity")]
        head += [self.tr("Spares")] if self._has_spares else []
        head += [self.tr("Length"), self.tr("Part number")]
        head += [self.tr("Unit price"), self.tr("Total")] if self.prices is not None else []
        head.append(self.tr("Notes"))
        if self.tree.columnCount() == len(head) and self.tree.headerItem().text(0) == head[0]:
            return
        self.tree.setColumnCount(len(head))
        self.tree.setHeaderLabels(head)
        sizes = self.tree.header()
        sizes.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        widths = [200, 66, *([56] if self._has_spares else []), 60, 150, 110, 120]
        for number, width in enumerate(widths[: len(head) - 1]):
            sizes.resizeSection(number, width)
        sizes.setStretchLastSection(True)

    def _heading(self, category: str, rows: Sequence[BomRow]) -> QTreeWidgetItem:
        pieces = sum(row.quantity for row in rows)
        cells = [category_title(category), self._count(pieces)]
        if self._has_spares:
            cells.append(self._count(sum(row.spares for row in rows)))
        cells += ["", ""]
        if self.prices is not None:
            cells += ["", self._sums(rows)]
        item = self._item(cells)
        item.setData(0, _ROW, category)
        for column in range(len(cells)):
            font = item.font(column)
            font.setBold(True)
            item.setFont(column, font)
        return item

    def _line(self, row: BomRow) -> QTreeWidgetItem:
        name = f"{row.manufacturer} {row.model}".strip()
        length = "" if row.length_m is None else f"{row.length_m:g} m"
        cells = [name, self._count(row.quantity)]
        if self._has_spares:
            cells.append(self._count(row.spares) if row.spares else "")
        cells += [length, row.part_number or self.tr("unknown")]
        number = len(cells) - 1
        if self.prices is not None:
            cells += [
                self._money(row.unit_price, row.currency),
                self._money(row.total_price, row.currency),
            ]
        cells.append(row.notes)
        item = self._item(cells)
        item.setData(0, _ROW, row)
        item.setToolTip(0, "\n".join(t for t in (name, row.description, row.notes) if t))
        if not row.part_number:
            item.setForeground(number, QColor(self._tokens.text_muted))
        return item

    def _item(self, cells: Sequence[str]) -> QTreeWidgetItem:
        item = QTreeWidgetItem(list(cells))
        last, number = self.tree.columnCount() - 1, 4 if self._has_spares else 3
        for column in range(1, last):
            if column == number:
                continue  # part numbers read from the left
            item.setTextAlignment(
                column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        return item

    def _count(self, number: int) -> str:
        return self.locale().toString(number)

    def _money(self, amount: float | None, currency: str) -> str:
        if amount is None:
            return self.tr("no price")
        return f"{self.locale().toString(amount, 'f', 2)} {currency}"

    def _sums(self, rows: Sequence[BomRow]) -> str:
        sums: dict[str, float] = {}
        for row in rows:
            if row.total_price is not None:
                sums[row.currency] = sums.get(row.currency, 0.0) + row.total_price
        return " + ".join(self._money(amount, currency) for currency, amount in sums.items())

    def _summarise(self) -> None:
        pieces = sum(row.quantity for row in self.rows)
        text = self.tr("{0} lines, {1} pieces").format(
            self._count(len(self.rows)), self._count(pieces)
        )
        for total in self.totals:
            if total.total_price is not None:
                text += f" · {self._money(total.total_price, total.currency)}"
        missing = sum(row.total_price is None for row in self.rows)
        if self.prices is not None and missing:
            text += " · " + self.tr("{0} lines without a price").format(self._count(missing))
        self.summary.setText(text if self.rows else "")
        self.summary.setToolTip("\n".join(t.notes for t in self.totals if t.notes))

    # -- selection --------------------------------------------------------------------------------

    def _on_selected(self) -> None:
        ids: dict[str, None] = {}
        for item in self.tree.selectedItems():
            held = item.data(0, _ROW)
            children = (item.child(n) for n in range(item.childCount()))
            below = [child.data(0, _ROW) for child in children if child is not None]
            for row in [held] if isinstance(held, BomRow) else below:
                ids.update(dict.fromkeys(row.ids))
        if ids:
            self.select_requested.emit(list(ids))


_INITIALS = {"pdu": "PDU", "nic": "NIC"}


def category_title(category: str) -> str:
    """A category as a heading."""
    return _INITIALS.get(category, category[:1].upper() + category[1:])


def _work(design: Design) -> Callable[[], list[BomRow]]:
    return lambda: bom(design)
