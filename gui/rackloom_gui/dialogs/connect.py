# SPDX-License-Identifier: Apache-2.0
"""Connect servers to leaves, or switches to switches: see every cable before it is plugged."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.catalog.load import Catalog
from rackloom.catalog.words import CableTechnology, CageRole
from rackloom.design import Design
from rackloom.design.ids import DeviceId
from rackloom.placement.connect import ConnectPlan, plan_rails

ROWS_SHOWN = 500
"""A preview of more cables than this shows the first ones and says how many there are."""

RAIL, NEEDED, LENGTH = 2, 4, 5
"""Columns of numbers."""


class ConnectDialog(QDialog):
    """Plans while one chooses; `plan` is what was agreed to."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog,
        servers: Sequence[DeviceId],
        switches: Sequence[DeviceId],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Connect Servers to Leaves"))
        self._design, self._catalog = design, catalog
        self._servers, self._switches = servers, switches
        self.plan = ConnectPlan(())
        self.role = QComboBox(self)
        self.technology = QComboBox(self)
        self.keep_free = QSpinBox(self)
        self.summary = QLabel(self)
        self.table = QTableWidget(0, 6, self)
        self.problems = QPlainTextEdit(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(150)
        self._timer.timeout.connect(self._work_out)
        self._build()
        self._work_out()

    def _build(self) -> None:
        servers, switches = len(self._servers), len(self._switches)
        whose = (
            self.tr("NIC k of the server goes to the leaf of rail k ({0}).")
            if servers == 1
            else self.tr("NIC k of each of {1} servers goes to the leaf of rail k ({0}).")
        )
        leaves = self.tr("1 switch") if switches == 1 else self.tr("{0} switches").format(switches)
        intro = QLabel(whose.format(leaves, servers), self)
        intro.setWordWrap(True)
        for role, text in (
            (CageRole.COMPUTE, self.tr("compute")),
            (CageRole.STORAGE, self.tr("storage")),
            (CageRole.IN_BAND, self.tr("in-band")),
            (CageRole.OUT_OF_BAND, self.tr("out of band")),
        ):
            self.role.addItem(text, role)
        self.technology.addItem(self.tr("the cheapest that reaches"), None)
        for technology in CableTechnology:
            self.technology.addItem(str(technology), technology)
        self.keep_free.setRange(0, 256)
        self.keep_free.setToolTip(self.tr("Ports of each switch that stay free, for its uplinks"))
        self.role.currentIndexChanged.connect(lambda _index: self._work_out())
        self.technology.currentIndexChanged.connect(lambda _index: self._work_out())
        self.keep_free.valueChanged.connect(lambda _value: self._timer.start())
        form = QFormLayout()
        form.addRow(self.tr("Ports"), self.role)
        form.addRow(self.tr("Cables"), self.technology)
        form.addRow(self.tr("Keep free on each switch"), self.keep_free)
        self.summary.setWordWrap(True)
        table = self.table
        table.setHorizontalHeaderLabels(
            [
                self.tr("From"),
                self.tr("To"),
                self.tr("Rail"),
                self.tr("Part"),
                self.tr("Needed"),
                self.tr("Length"),
            ]
        )
        for column, text in (
            (RAIL, self.tr("The rail of the server's port, from 0")),
            (NEEDED, self.tr("The route from port to port, with the slack at both ends")),
            (LENGTH, self.tr("The next length the part is made in")),
        ):
            head = table.horizontalHeaderItem(column)
            if head is not None:
                head.setToolTip(text)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (RAIL, NEEDED, LENGTH):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        table.setAccessibleName(self.tr("Cables"))
        self.problems.setReadOnly(True)
        self.problems.setFixedHeight(84)
        self.problems.setAccessibleName(self.tr("What cannot be connected"))
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self._ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(intro)
        layout.addLayout(form)
        layout.addWidget(self.summary)
        layout.addWidget(table, 1)
        layout.addWidget(self.problems)
        layout.addWidget(buttons)
        self.resize(760, 560)

    def _work_out(self) -> None:
        # Qt hands a StrEnum back as a plain text.
        technology = self.technology.currentData()
        self.plan = plan_rails(
            self._design,
            self._catalog,
            self._servers,
            self._switches,
            role=CageRole(self.role.currentData()),
            technology=CableTechnology(technology) if technology else None,
            keep_free=self.keep_free.value(),
        )
        plan = self.plan
        text = plan.summary
        self.summary.setText(text[:1].upper() + text[1:].rstrip(".") + ".")
        self._fill(plan)
        sentences = [*(p.message for p in plan.problems), *plan.notes]
        self.problems.setPlainText("\n".join(sentences))
        self.problems.setVisible(bool(sentences))
        self._ok.setEnabled(bool(plan.plans))
        count = len(plan.plans)
        if count == 1:
            self._ok.setText(self.tr("Connect with 1 cable"))
        elif count:
            self._ok.setText(self.tr("Connect with {0} cables").format(count))
        else:
            self._ok.setText(self.tr("Connect"))

    def _fill(self, plan: ConnectPlan) -> None:
        rows = plan.rows(self._design, ROWS_SHOWN)
        more = plan.links - len(rows)
        self.table.setRowCount(len(rows) + (more > 0))
        for number, row in enumerate(rows):
            # Rounded up: a route of 3.04 m is not served by 3 m, and must not look so.
            needed = f"{ceil(row.needed_m * 10 - 1e-6) / 10:g} m"
            rails = ", ".join(str(rail) for rail in row.rails)
            length = f"{row.length_m:g} m"
            for column, text in enumerate((row.a, row.b, rails, row.part, needed, length)):
                item = QTableWidgetItem(text)
                if column in {RAIL, NEEDED, LENGTH}:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(number, column, item)
        if more > 0:
            text = self.tr("and {0} more").format(more)
            self.table.setItem(len(rows), 0, QTableWidgetItem(text))
