# SPDX-License-Identifier: Apache-2.0
"""Connect servers to leaves, or switches to switches: see every cable before it is plugged.

With servers among what is selected, their ports go to the leaf of their rail; switches alone are
joined tier to tier. Management ports of either go to the out-of-band switches of the selection.
"""

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
    QListWidget,
    QListWidgetItem,
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
from rackloom.fabric import Fabric
from rackloom.placement.connect import (
    ConnectPlan,
    management_switches,
    plan_bipartite,
    plan_rails,
)
from rackloom.placement.wiring import by_name

ROWS_SHOWN = 500
"""A preview of more cables than this shows the first ones and says how many there are."""

_RANK = {"leaf": 1, "spine": 2, "core": 3}
"""Tiers from the servers upwards, as `Fabric.tier_of` names them; others stand with the leaves."""

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
        self.setWindowTitle(self.tr("Connect"))
        self._design, self._catalog = design, catalog
        self._servers, self._switches = servers, switches
        self.plan = ConnectPlan(())
        self.role = QComboBox(self)
        self.technology = QComboBox(self)
        self.keep_free = QSpinBox(self)
        self.links = QSpinBox(self)
        self.upper = QListWidget(self)
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
        self.intro = QLabel(self)
        self.intro.setWordWrap(True)
        for role, text in self._roles():
            self.role.addItem(text, role)
        self.technology.addItem(self.tr("the cheapest that reaches"), None)
        for technology in CableTechnology:
            self.technology.addItem(str(technology), technology)
        self.keep_free.setRange(0, 256)
        self.keep_free.setToolTip(self.tr("Ports of each switch that stay free, for its uplinks"))
        self.role.currentIndexChanged.connect(lambda _index: self._work_out())
        self.technology.currentIndexChanged.connect(lambda _index: self._work_out())
        self.keep_free.valueChanged.connect(lambda _value: self._timer.start())
        self.links.setRange(0, 256)
        self.links.setSpecialValueText(self.tr("as many as fit"))
        self.links.valueChanged.connect(lambda _value: self._timer.start())
        self._fill_upper()
        self.upper.itemChanged.connect(lambda _item: self._timer.start())
        form = self._form = QFormLayout()
        form.addRow(self.tr("Ports"), self.role)
        form.addRow(self.tr("Cables"), self.technology)
        form.addRow(self.tr("Upper switches"), self.upper)
        form.addRow(self.tr("Links of each pair"), self.links)
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
        layout.addWidget(self.intro)
        layout.addLayout(form)
        layout.addWidget(self.summary)
        layout.addWidget(table, 1)
        layout.addWidget(self.problems)
        layout.addWidget(buttons)
        self.resize(760, 560)

    def _roles(self) -> list[tuple[CageRole, str]]:
        """What can be joined: networks of servers; of switches alone, tiers and management."""
        management = (CageRole.OUT_OF_BAND, self.tr("out of band"))
        if self._servers:
            return [
                (CageRole.COMPUTE, self.tr("compute")),
                (CageRole.STORAGE, self.tr("storage")),
                (CageRole.IN_BAND, self.tr("in-band")),
                management,
            ]
        tiers = (CageRole.FABRIC, self.tr("uplinks, each lower switch to each upper one"))
        targets = management_switches(self._design, self._switches)
        return [tiers, management] if 0 < len(targets) < len(self._switches) else [tiers]

    def _fill_upper(self) -> None:
        """All switches, those of the highest tier ticked."""
        fabric = Fabric.of(self._design)
        tiers = {s: fabric.tier_of(s) or "leaf" for s in self._switches}
        ranks = {s: _RANK.get(tier, 1) for s, tier in tiers.items()}
        highest = max(ranks.values(), default=0)
        mixed = len(set(ranks.values())) > 1
        devices = self._design.devices
        for switch in sorted(self._switches, key=lambda s: (ranks[s], by_name(devices[s]))):
            item = QListWidgetItem(f"{self._design.name_of(switch)} ({tiers[switch]})")
            item.setData(Qt.ItemDataRole.UserRole, switch)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            up = mixed and ranks[switch] == highest
            item.setCheckState(Qt.CheckState.Checked if up else Qt.CheckState.Unchecked)
            self.upper.addItem(item)
        lines = min(max(len(self._switches), 2), 6)
        self.upper.setFixedHeight((self.fontMetrics().height() + 6) * lines + 6)
        self.upper.setAccessibleName(self.tr("Upper switches"))
        self.upper.setToolTip(self.tr("The spines, for leaves; the cores, for spines"))

    def _sides(self, role: CageRole) -> tuple[list[DeviceId], list[DeviceId]]:
        """What is cabled, and the switches it goes to."""
        if role is CageRole.OUT_OF_BAND:
            targets = management_switches(self._design, self._switches)
            others = [switch for switch in self._switches if switch not in targets]
            return [*self._servers, *others], targets
        if role is CageRole.FABRIC:
            items = [self.upper.item(row) for row in range(self.upper.count())]
            ticked = [i.checkState() is Qt.CheckState.Checked for i in items]
            ids = [DeviceId(i.data(Qt.ItemDataRole.UserRole)) for i in items]
            pairs = list(zip(ids, ticked, strict=True))
            return [d for d, up in pairs if not up], [d for d, up in pairs if up]
        return list(self._servers), list(self._switches)

    def _say_what(self, role: CageRole, lower: int, upper: int) -> None:
        """The first sentence: what goes where."""
        one, many = self.tr("1 switch"), self.tr("{0} switches")
        switches = one if upper == 1 else many.format(upper)
        if role is CageRole.FABRIC:
            text = self.tr("Each lower switch ({0}) goes to each upper one ({1}).").format(
                lower, upper
            )
        elif role is CageRole.OUT_OF_BAND:
            text = self.tr("The management ports of {0} devices go to the network of {1}.").format(
                lower, switches
            )
        elif lower == 1:
            text = self.tr("NIC k of the server goes to the leaf of rail k ({0}).").format(switches)
        else:
            text = self.tr("NIC k of each of {1} servers goes to the leaf of rail k ({0}).").format(
                switches, lower
            )
        self.intro.setText(text)
        for widget in (self.upper, self.links):
            self._form.setRowVisible(widget, role is CageRole.FABRIC)
        self._form.setRowVisible(self.keep_free, role is not CageRole.FABRIC)
        self.table.setColumnHidden(RAIL, role is CageRole.FABRIC)

    def _work_out(self) -> None:
        # Qt hands a StrEnum back as a plain text.
        chosen = self.technology.currentData()
        technology = CableTechnology(chosen) if chosen else None
        role = CageRole(self.role.currentData())
        lower, upper = self._sides(role)
        self._say_what(role, len(lower), len(upper))
        if role is CageRole.FABRIC:
            self.plan = plan_bipartite(
                self._design,
                self._catalog,
                lower,
                upper,
                links_per_pair=self.links.value() or None,
                technology=technology,
            )
        else:
            self.plan = plan_rails(
                self._design,
                self._catalog,
                lower,
                upper,
                role=role,
                technology=technology,
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
