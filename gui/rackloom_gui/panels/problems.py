# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the design: found live, grouped by rule, mended with a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from rackloom.checks.kinds import kind_key
from rackloom_gui.icons import Icons
from rackloom_gui.panels.problem_detail import ProblemDetail
from rackloom_gui.panels.problem_model import ProblemModel
from rackloom_gui.panels.whole_sentences import WholeSentences
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.text import EmptyState, SearchField

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings
    from rackloom.checks.finding import Finding, Fix

MOST_UNFOLDED = 30
"""A rule with more to say is folded at first."""
SEVERITIES = ("error", "warning", "info")


class ProblemsPanel(QWidget):
    """Findings in a tree, and what the chosen one means beside it."""

    go_to = Signal(object)
    """(Finding or Kind): select and show its place, or all its places."""
    fix_requested = Signal(object, object)
    """(Finding, Fix)"""
    fix_all_requested = Signal(str, object)
    """(rule id, list of Finding): the first fix of each, as one step."""
    accept_requested = Signal(object)
    """(Finding or Kind): accept it, or all of it, with a reason."""
    unaccept_requested = Signal(object)
    """(Finding or Kind): take the acceptance back, or all of it."""
    previewed = Signal(object)
    """(Change or None): what the fix under the pointer or the keyboard would change."""
    current_changed = Signal()
    """Another finding is chosen, or its fixes changed."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._findings: Findings | None = None
        self._stale = False
        self.model = ProblemModel(theme, icons, self)
        self.view = QTreeView(self)
        self._search = SearchField(icons, self.tr("Search problems"), self)
        self._filters: dict[str, QToolButton] = {}
        self._empty = EmptyState("ok", "", "", theme, icons, self)
        self._stack = QStackedWidget(self)
        self._detail = ProblemDetail(theme, icons, self)
        self._build()
        icons.changed.connect(self._load_icons)
        self._load_icons()
        self._show_state()

    def _build(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setHeaderHidden(True)
        view.setWordWrap(True)
        view.setItemDelegate(WholeSentences(view))
        view.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerItem)  # measures only what shows
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setAccessibleName(self.tr("Problems"))
        view.setIndentation(16)
        view.clicked.connect(self._on_clicked)
        view.activated.connect(self._on_clicked)
        view.selectionModel().currentChanged.connect(lambda _new, _old: self._on_current())
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 4)
        bar.setSpacing(4)
        titles = {
            "error": self.tr("Errors"),
            "warning": self.tr("Warnings"),
            "info": self.tr("Notices"),
            "accepted": self.tr("Accepted"),
        }
        for name, title in titles.items():
            button = QToolButton(self)
            button.setCheckable(True)
            button.setChecked(True)
            button.setAutoRaise(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setToolTip(self.tr("Show or hide: {0}").format(title))
            button.setAccessibleName(title)
            button.toggled.connect(lambda _on: self._filter())
            self._filters[name] = button
            bar.addWidget(button)
        bar.addStretch()
        self._search.setMaximumWidth(260)
        self._search.searched.connect(lambda _text: self._filter())
        self._search.down_pressed.connect(self.view.setFocus)
        bar.addWidget(self._search, 1)
        self._stack.addWidget(view)
        self._stack.addWidget(self._empty)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._stack)
        split.addWidget(self._detail)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([600, 300])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)
        self.setFocusProxy(view)
        self._detail.fix.connect(self.fix_requested)
        self._detail.fix_all.connect(self._fix_all)
        self._detail.previewed.connect(self.previewed)
        self._detail.accept.connect(self.accept_requested)
        self._detail.unaccept.connect(self.unaccept_requested)

    def _load_icons(self) -> None:
        for name, button in self._filters.items():
            if name == "accepted":
                button.setIcon(self._icons.icon("accept", "text_muted"))
            else:
                button.setIcon(self._icons.icon(name, name))

    # -- what is shown --------------------------------------------------------------------------

    def set_findings(self, findings: Findings) -> None:
        """Show the findings of the design as it is now."""
        self._findings = findings
        self._stale = False
        counts = findings.counts
        for name, button in self._filters.items():
            button.setText(self.locale().toString(counts.get(name, 0)))
        self._refill()

    def set_stale(self) -> None:
        """The design changed and is being checked: what is shown may be out of date."""
        if not self._stale:
            self._stale = True
            self.model.set_stale(True)
            self._show_state()

    def _filter(self) -> None:
        self._refill()

    def _refill(self) -> None:
        kept, kept_kind = self.current(), self.model.kind(self.view.currentIndex())
        shown = frozenset(name for name, button in self._filters.items() if button.isChecked())
        open_rules, open_kinds = self._expanded()
        first = not self.model.groups
        self.model.fill(self._findings, shown, self._search.text().strip())
        self.model.set_stale(self._stale)
        for row, group in enumerate(self.model.groups):
            expand = group.rule in open_rules or bool(self._search.text())
            expand = expand or (first and len(group.kinds) <= MOST_UNFOLDED)
            self.view.setExpanded(self.model.index(row, 0), expand)
        for rule, key in open_kinds:
            index = self.model.index_of_kind(rule, key)
            if index.isValid():
                self.view.setExpanded(index, True)
        index = QModelIndex()
        if kept_kind is not None:
            index = self.model.index_of_kind(kept_kind.first.rule, kind_key(kept_kind.first))
        elif kept is not None:
            index = self.model.index_like(kept)
        if index.isValid():
            self.view.setCurrentIndex(index)
        self._on_current()
        self._show_state()

    def _expanded(self) -> tuple[set[str], list[tuple[str, object]]]:
        """The rules and the kinds that are unfolded."""
        open_rules: set[str] = set()
        open_kinds: list[tuple[str, object]] = []
        for row, group in enumerate(self.model.groups):
            top = self.model.index(row, 0)
            if not self.view.isExpanded(top):
                continue
            open_rules.add(group.rule)
            for number, kind in enumerate(group.kinds):
                many = len(kind.findings) > 1
                if many and self.view.isExpanded(self.model.index(number, 0, top)):
                    open_kinds.append((group.rule, kind_key(kind.first)))
        return open_rules, open_kinds

    def _show_state(self) -> None:
        if self.model.count:
            self._stack.setCurrentWidget(self.view)
            return
        if self._findings is None or self._stale:
            self._empty.set_text(self.tr("Checking…"), "")
        elif len(self._findings):
            self._empty.set_text(
                self.tr("Nothing matches"), self.tr("The filter hides all problems.")
            )
        else:
            self._empty.set_text(
                self.tr("No problems"), self.tr("Every rule is content with this design.")
            )
        self._stack.setCurrentWidget(self._empty)

    @property
    def shown_count(self) -> int:
        """Findings the filter leaves."""
        return self.model.count

    # -- going through them -----------------------------------------------------------------------

    def current(self) -> Finding | None:
        """The chosen finding; the first one where many are chosen together."""
        index = self.view.currentIndex()
        kind = self.model.kind(index)
        return kind.first if kind is not None else self.model.finding(index)

    def step(self, by: int) -> None:
        """Choose the next (1) or previous (-1) finding, round at the ends, and go there."""
        if not self.model.count:
            return
        here = self.model.position(self.view.currentIndex(), by)
        index = self.model.index_at((here + by) % self.model.count)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        finding = self.model.finding(index)
        if finding is not None:
            self.go_to.emit(finding)

    def choose(self, finding: Finding) -> None:
        """Put the keyboard on a finding without going anywhere."""
        self.view.setCurrentIndex(self.model.index_like(finding))

    def show_only(self, severity: str) -> None:
        """What a click on a badge does: this severity alone, or all again."""
        only = {severity}
        shown = {name for name, button in self._filters.items() if button.isChecked()}
        wanted = set(self._filters) if shown == only else only
        for name, button in self._filters.items():
            button.setChecked(name in wanted)

    def fixes(self) -> tuple[Fix, ...]:
        """Fixes of the chosen finding."""
        return self._detail.fixes

    def _on_clicked(self, index: QModelIndex) -> None:
        chosen = self.model.kind(index) or self.model.finding(index)
        if chosen is not None:
            self.go_to.emit(chosen)

    def _on_current(self) -> None:
        index = self.view.currentIndex()
        chosen = self.model.kind(index) or self.model.finding(index)
        if chosen is not None:
            self._detail.show_finding(chosen, self.model.group_of(index).findings)
        else:
            rule = self.model.rule_at(index)
            self._detail.show_rule(rule)
        self._detail.setVisible(index.isValid())  # the list has all the room until then
        self.current_changed.emit()

    def stop(self) -> None:
        """The window goes: no more previews."""
        self._detail.stop()

    def _fix_all(self, finding: Finding) -> None:
        same = [f for g in self.model.groups if g.rule == finding.rule for f in g.findings]
        self.fix_all_requested.emit(finding.rule, same)
