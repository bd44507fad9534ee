# SPDX-License-Identifier: Apache-2.0
"""How bad each rule is in this project: error, warning, notice, or off."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.checks.registry import rules
from rackloom.design import Design, Draft, edits
from rackloom_gui.icons import Icons
from rackloom_gui.widgets.text import SearchField

LEVELS = ("error", "warning", "info", "off")
_RULE = Qt.ItemDataRole.UserRole
_Ok = QDialogButtonBox.StandardButton.Ok
_Cancel = QDialogButtonBox.StandardButton.Cancel


class RulesDialog(QDialog):
    """All rules with their severity here; `apply` is the edit of what was changed."""

    def __init__(self, design: Design, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Rules of This Project"))
        self._before = {rule_id: o.severity for rule_id, o in design.severities.items()}
        self.search = SearchField(icons, self.tr("Search the rules"), self)
        self.table = QTableWidget(len(rules()), 3, self)
        self.boxes: dict[str, QComboBox] = {}
        self._build()

    def _build(self) -> None:
        intro = QLabel(
            self.tr(
                "A rule turned off finds nothing; reports say which ones are off. What is changed "
                "is kept in the project."
            ),
            self,
        )
        intro.setWordWrap(True)
        table = self.table
        table.setHorizontalHeaderLabels([self.tr("Rule"), self.tr("Says"), self.tr("Severity")])
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setAccessibleName(self.tr("Rules"))
        table.verticalHeader().hide()
        head = table.horizontalHeader()
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        head.resizeSection(0, 210)
        head.resizeSection(2, 170)
        words = {
            "error": self.tr("error"),
            "warning": self.tr("warning"),
            "info": self.tr("notice"),
            "off": self.tr("off"),
        }
        for row, rule in enumerate(sorted(rules().values(), key=lambda r: r.id)):
            name = QTableWidgetItem(rule.id)
            name.setData(_RULE, rule.id)
            table.setItem(row, 0, name)
            says = QTableWidgetItem(rule.title)
            says.setToolTip(" ".join(rule.explanation.split()))
            table.setItem(row, 1, says)
            box = QComboBox(table)
            own = words.get(rule.severity.value, rule.severity.value)
            box.addItem(self.tr("its own: {0}").format(own), None)
            for level in LEVELS:
                box.addItem(words[level], level)
            box.setCurrentIndex(max(box.findData(self._before.get(rule.id)), 0))
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.setAccessibleName(self.tr("Severity of {0}").format(rule.id))
            table.setCellWidget(row, 2, box)
            self.boxes[rule.id] = box
        self.search.searched.connect(self._filter)
        buttons = QDialogButtonBox(_Ok | _Cancel, self)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (intro, self.search, table, buttons):
            layout.addWidget(widget)
        self.resize(820, 560)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for row in range(self.table.rowCount()):
            items = [self.table.item(row, column) for column in (0, 1)]
            hay = " ".join(item.text() for item in items if item is not None).casefold()
            self.table.setRowHidden(row, not all(word in hay for word in words))

    def changed(self) -> dict[str, str | None]:
        """What was changed: the severity of each rule, None for its own."""
        return {
            rule_id: box.currentData()
            for rule_id, box in self.boxes.items()
            if box.currentData() != self._before.get(rule_id)
        }

    def apply(self, draft: Draft) -> None:
        """The edit."""
        for rule_id, severity in self.changed().items():
            edits.set_severity(draft, rule_id, severity)
