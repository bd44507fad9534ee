# SPDX-License-Identifier: Apache-2.0
"""Power by rack, row and site, by PDU and feed, and what is left when a feed is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from rackloom.design import Change, Design
from rackloom.reports.power_report import (
    PlaceRow,
    PowerReport,
    PsuRow,
    SupplyRow,
    power_report,
)
from rackloom_gui.charts.power_bars import PowerBars
from rackloom_gui.document import Document, Selection
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.panels.rows_table import RowColumn, RowsTable
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.quantity import POWER_W, format_quantity
from rackloom_gui.widgets.text import ElidedLabel

TABLES = ("places", "supplies", "psus")
_TABLES_THAT_MATTER = frozenset(
    {"settings", "rows", "racks", "devices", "modules", "cables", "feeds", "cords", "parts"}
)
_FINE = frozenset({"carries it", "runs on"})
_BESIDE_PX = 720
"""In a panel narrower than this the chart would leave the table two columns."""
_OPEN = frozenset({"carries what is known", "number needed not known"})


def watts(value_w: float | None, unknown: int = 0) -> str:
    """A sum of power, with how many things are not in it; a dash where there is none."""
    if value_w is None:
        return QCoreApplication.translate("PowerPanel", "unknown") if unknown else "–"
    text = format_quantity(value_w, POWER_W, 1)
    return f"{text} + {unknown} ?" if unknown else text


class PowerPanel(QWidget):
    """The power report, worked out beside the drawing while somebody looks."""

    select_requested = Signal(list)
    """(ids)"""
    export_requested = Signal(str)
    """(table): ``places``, ``supplies`` or ``psus`` as CSV."""
    fault = Signal(object)
    """An error of ours."""

    def __init__(
        self, document: Document, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._outdated = True
        self.report: PowerReport | None = None
        self._job = LatestJob(self, delay_ms=200)
        self.choice = QComboBox(self)
        self.summary = ElidedLabel("", self)
        self.export = QPushButton(icons.icon("export"), self.tr("Export…"), self)
        self.bars = PowerBars(theme, self)
        self.tables = {
            "places": RowsTable(self.tr("Power by place"), self._place_columns(), theme, self),
            "supplies": RowsTable(self.tr("Supplies"), self._supply_columns(), theme, self),
            "psus": RowsTable(self.tr("Power supplies"), self._psu_columns(), theme, self),
        }
        self._build()
        self._job.done.connect(self._show)
        self._job.failed.connect(self.fault)
        document.changed.connect(self._on_changed)
        document.replaced.connect(lambda _design: self._outdate())
        document.selection_changed.connect(self._on_selection)

    def _build(self) -> None:
        for title in (
            self.tr("Racks and rows"), self.tr("PDUs and feeds"), self.tr("Power supplies"),
            self.tr("Chart of racks"),
        ):  # fmt: skip
            self.choice.addItem(title)
        self.choice.setAccessibleName(self.tr("Table"))
        self.choice.currentIndexChanged.connect(self._show_table)
        self.export.setToolTip(self.tr("This table as CSV"))
        self.export.clicked.connect(lambda: self.export_requested.emit(self.table_name))
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 4)
        bar.setSpacing(8)
        bar.addWidget(self.choice)
        bar.addWidget(self.summary, 1)
        bar.addWidget(self.export)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.bars)
        area.setMinimumWidth(230)
        self._area = area
        left = self._left = QWidget(self)
        stack = QVBoxLayout(left)
        stack.setContentsMargins(0, 0, 0, 0)
        for table in self.tables.values():
            table.chosen.connect(self._on_chosen)
            stack.addWidget(table)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(area)
        split.setSizes([600, 440])
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)
        self.bars.chosen.connect(lambda rack: self.select_requested.emit([rack]))
        self.setFocusProxy(self.tables["places"])
        self._show_table(0)

    @property
    def table_name(self) -> str:
        """Which of the three tables is shown; the chart stands for the places it draws."""
        number = self.choice.currentIndex()
        return TABLES[number] if number < len(TABLES) else "places"

    def _show_table(self, number: int) -> None:
        for n, name in enumerate(TABLES):
            self.tables[name].setVisible(n == number)
        self._share_width()

    def _share_width(self) -> None:
        """The chart stands beside the table where both have room, else only when asked for."""
        chart = self.choice.currentIndex() >= len(TABLES)
        self._left.setVisible(not chart)
        self._area.setVisible(chart or self.width() >= _BESIDE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    # -- columns ----------------------------------------------------------------------------------

    def _place_columns(self) -> Sequence[RowColumn]:
        kinds = {"rack": self.tr("rack"), "row": self.tr("row"), "site": self.tr("site")}

        def heat(row: PlaceRow) -> str:
            if row.heat_btu_per_h is None:
                return self.tr("unknown")
            return f"{self.locale().toString(round(row.heat_btu_per_h))} BTU/h"

        return (
            RowColumn(self.tr("Place"), lambda r: r.name, width=90, right=False),
            RowColumn(self.tr("Kind"), lambda r: kinds[r.place], width=48, right=False),
            self._watt(self.tr("Greatest"), "maximum_w", "maximum_unknown", over="usable_w"),
            self._watt(self.tr("Typical"), "typical_w", "typical_unknown"),
            self._watt(self.tr("May draw"), "usable_w",
                       tip=self.tr("With the feed lost whose loss hurts most")),
            RowColumn(self.tr("Heat"), heat, lambda r: r.heat_btu_per_h, 110),
            self._watt(self.tr("Into air"), "air_w"),
            self._watt(self.tr("Into liquid"), "liquid_w"),
            self._watt(self.tr("Not said"), "cooling_unknown_w",
                       tip=self.tr("Heat of devices that do not say what carries it away")),
        )  # fmt: skip

    def _supply_columns(self) -> Sequence[RowColumn]:
        return (
            RowColumn(self.tr("Supply"), lambda r: r.name, width=110, right=False),
            RowColumn(self.tr("Rack"), lambda r: r.rack, width=60, right=False),
            RowColumn(self.tr("Feed"), lambda r: r.group, width=44, right=False),
            self._watt(self.tr("Load"), "load_w", "unknown", over="usable_w"),
            self._watt(self.tr("May carry"), "usable_w"),
            self._watt(self.tr("Feed lost"), "lost_load_w", over="usable_w",
                       tip=self.tr("Its load when the other feed is lost")),
            self._watt("L1", "l1_w", over="leg_usable_w"),
            self._watt("L2", "l2_w", over="leg_usable_w"),
            self._watt("L3", "l3_w", over="leg_usable_w"),
            self._verdict(),
        )  # fmt: skip

    def _psu_columns(self) -> Sequence[RowColumn]:
        def needed(row: PsuRow) -> str:
            return self.tr("unknown") if row.needed is None else str(row.needed)

        return (
            RowColumn(self.tr("Device"), lambda r: r.device, width=120, right=False),
            RowColumn(self.tr("Rack"), lambda r: r.rack, width=60, right=False),
            RowColumn(self.tr("Built in"), lambda r: str(r.supplies), width=60),
            RowColumn(self.tr("Corded"), lambda r: str(r.corded), width=60),
            RowColumn(self.tr("Needed"), needed, width=70),
            RowColumn(self.tr("Left"), lambda r: str(r.left), width=60,
                      tip=self.tr("With the feed lost that most of them hang on")),
            RowColumn(self.tr("On"), lambda r: r.groups, width=90, right=False),
            self._verdict(),
        )  # fmt: skip

    def _watt(
        self, title: str, field: str, unknown: str = "", *, over: str = "", tip: str = ""
    ) -> RowColumn:
        def severity(row: Any) -> str:
            value: float | None = getattr(row, field)
            limit: float | None = getattr(row, over) if over else None
            if value is None or limit is None:
                return ""
            return "error" if value > limit + 0.5 else ""

        return RowColumn(
            title,
            lambda row: watts(getattr(row, field), getattr(row, unknown) if unknown else 0),
            lambda row: getattr(row, field),
            112 if unknown else 86,
            severity=severity,
            tip=tip or (self.tr("+ n ?: n devices have no published figure") if unknown else ""),
        )

    def _verdict(self) -> RowColumn:
        def severity(row: SupplyRow | PsuRow) -> str:
            if row.verdict in _FINE:
                return ""
            return "warning" if row.verdict in _OPEN else "error"

        return RowColumn(
            self.tr("Verdict"), lambda r: r.verdict, width=150, right=False, severity=severity
        )

    # -- following the document -------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _on_changed(self, _design: Design, change: Change) -> None:
        if change.tables & _TABLES_THAT_MATTER:
            self._outdate()

    def _outdate(self) -> None:
        self._outdated = True
        self._refresh()

    def _refresh(self) -> None:
        """Work the report out, but only while somebody looks."""
        if self._outdated and self.isVisible():
            self._outdated = False
            design = self._document.design
            self._job.ask(_work(design))

    @property
    def up_to_date(self) -> bool:
        """Whether what is shown belongs to the design as it is."""
        return not self._outdated and not self._job.pending

    def _show(self, report: object) -> None:
        assert isinstance(report, PowerReport)
        self.report = report
        self.tables["places"].show_rows(report.places)
        self.tables["supplies"].show_rows(report.supplies)
        self.tables["psus"].show_rows(report.psus)
        untold = {row.id for row in report.places if row.typical_unknown}
        self.bars.show_bars(report.bars, untold)
        self._on_selection(self._document.selection)
        bad = sum(row.verdict not in _FINE | _OPEN for row in report.supplies)
        weak = sum(row.verdict not in _FINE | _OPEN for row in report.psus)
        site = report.places[-1]
        said = [self.tr("Site: {0}").format(watts(site.maximum_w, site.maximum_unknown))]
        if bad:
            said.append(self.tr("{0} supplies overloaded").format(bad))
        if weak:
            said.append(self.tr("{0} devices do not survive a lost feed").format(weak))
        self.summary.setText(" · ".join(said))
        self.export.setEnabled(bool(site.devices or report.supplies))

    def stop(self) -> None:
        """The window goes: no more results."""
        self._job.wait()

    # -- selection --------------------------------------------------------------------------------

    def _on_chosen(self, rows: list[Any]) -> None:
        design = self._document.design
        ids = [row.id for row in rows if row.id != "site"]
        if len(ids) < len(rows):
            ids = list(design.racks)
        self.select_requested.emit(ids)

    def _on_selection(self, selection: Selection) -> None:
        racks = {i for i in selection if i in self._document.design.racks}
        self.bars.set_selected(frozenset(racks))


def _work(design: Design) -> Callable[[], PowerReport]:
    return lambda: power_report(design)
