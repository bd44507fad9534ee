# SPDX-License-Identifier: Apache-2.0
"""Settings of a project: title block, room, and how strict the checks are. One undoable step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rackloom.checks.overrides import OFF
from rackloom.checks.registry import rules
from rackloom.design import Design, Draft, SiteSettings, edits
from rackloom_gui.icons import Icons
from rackloom_gui.widgets.quantity import LENGTH_M, PERCENT, UnitSpinBox
from rackloom_gui.widgets.text import SearchField

_RULE = Qt.ItemDataRole.UserRole


class ProjectDialog(QDialog):
    """Edits a copy of the settings; `apply` is the edit to make of it."""

    def __init__(self, design: Design, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Project Settings"))
        self._design = design
        self._boxes: dict[str, QComboBox] = {}
        tabs = QTabWidget(self)
        tabs.addTab(self._general(design.settings), self.tr("Project"))
        tabs.addTab(self._room(design.settings), self.tr("Room and Cabling"))
        tabs.addTab(self._checks(design, icons), self.tr("Checks"))
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(tabs)
        layout.addWidget(buttons)
        self.resize(620, 480)

    def _general(self, settings: SiteSettings) -> QWidget:
        page = QWidget(self)
        form = QFormLayout(page)
        self.project = QLineEdit(settings.project, page)
        self.drawing = QLineEdit(settings.drawing, page)
        self.revision = QLineEdit(settings.revision, page)
        self.author = QLineEdit(settings.author, page)
        form.addRow(self.tr("Project"), self.project)
        form.addRow(self.tr("Drawing"), self.drawing)
        form.addRow(self.tr("Revision"), self.revision)
        form.addRow(self.tr("Author"), self.author)
        return page

    def _room(self, settings: SiteSettings) -> QWidget:
        page = QWidget(self)
        form = QFormLayout(page)
        self.tray = UnitSpinBox(LENGTH_M, page, low=0.5, high=20.0, step=0.1)
        self.tray.setValue(settings.tray_height_m)
        self.slack = UnitSpinBox(LENGTH_M, page, low=0.0, high=20.0, step=0.1)
        self.slack.setValue(settings.slack_m)
        self.open_panels = QCheckBox(self.tr("Cables may pass into the next rack of the row"), page)
        self.open_panels.setChecked(settings.side_panels_open)
        self.share = UnitSpinBox(PERCENT, page, low=10.0, high=100.0, step=5.0)
        self.share.setValue(settings.feed_derating * 100)
        form.addRow(self.tr("Tray height"), self.tray)
        form.addRow(self.tr("Slack at each end"), self.slack)
        form.addRow(self.tr("Side panels"), self.open_panels)
        form.addRow(self.tr("Breaker share"), self.share)
        return page

    def _checks(self, design: Design, icons: Icons) -> QWidget:
        page = QWidget(self)
        box = QVBoxLayout(page)
        search = SearchField(icons, self.tr("Search rules"), page)
        self.tree = QTreeWidget(page)
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels([self.tr("Rule"), self.tr("Severity here")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setAccessibleName(self.tr("Rules"))
        words = {
            "error": self.tr("error"), "warning": self.tr("warning"), "info": self.tr("notice"),
            OFF: self.tr("off"),
        }  # fmt: skip
        for rule in rules().values():
            item = QTreeWidgetItem(self.tree, [f"{rule.id}: {rule.title}"])
            item.setData(0, _RULE, rule.id)
            item.setToolTip(0, rule.explanation)
            choice = QComboBox(self.tree)
            choice.setAccessibleName(rule.id)
            usual = self.tr("as usual ({0})").format(words[rule.severity.value])
            choice.addItem(usual, None)
            for value, word in words.items():
                choice.addItem(word, value)
            override = design.severities.get(rule.id)
            if override is not None:
                choice.setCurrentIndex(max(choice.findData(override.severity), 0))
            self._boxes[rule.id] = choice
            self.tree.setItemWidget(item, 1, choice)
        head = self.tree.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        search.searched.connect(self._filter)
        box.addWidget(search)
        box.addWidget(self.tree)
        return page

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            if item is not None:
                hay = f"{item.text(0)} {item.toolTip(0)}".casefold()
                item.setHidden(not all(word in hay for word in wanted))

    def severity_box(self, rule_id: str) -> QComboBox:
        """The choice for one rule."""
        return self._boxes[rule_id]

    def apply(self, draft: Draft) -> None:
        """The edit that makes the settings what the dialog shows."""
        fields: dict[str, Any] = {
            "project": self.project.text().strip(),
            "drawing": self.drawing.text().strip(),
            "revision": self.revision.text().strip(),
            "author": self.author.text().strip(),
            "tray_height_m": self.tray.value(),
            "slack_m": self.slack.value(),
            "side_panels_open": self.open_panels.isChecked(),
            "feed_derating": self.share.value() / 100,
        }
        if replace(draft.settings, **fields) != draft.settings:
            edits.change_settings(draft, **fields)
        for rule_id, box in self._boxes.items():
            override = self._design.severities.get(rule_id)
            before = override.severity if override is not None else None
            if box.currentData() != before:
                edits.set_severity(draft, rule_id, box.currentData())
