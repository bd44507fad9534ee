# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the design: found live, grouped by rule, mended with a click."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from rackloom.checks.engine import Findings
from rackloom.checks.finding import Finding, Fix
from rackloom.checks.registry import rules
from rackloom.design.errors import EditError
from rackloom_gui.editing import sentence
from rackloom_gui.icons import Icons
from rackloom_gui.panels.problem_model import ProblemModel
from rackloom_gui.panels.whole_sentences import WholeSentences
from rackloom_gui.theme import Theme, Tokens
from rackloom_gui.widgets.text import EmptyState, SearchField

SEVERITIES = ("error", "warning", "info")


class ProblemsPanel(QWidget):
    """Findings in a tree, and what the chosen one means beside it."""

    go_to = Signal(object)
    """(Finding): select and show its place."""
    fix_requested = Signal(object, object)
    """(Finding, Fix)"""
    fix_all_requested = Signal(str, object)
    """(rule id, list of Finding): the first fix of each, as one step."""
    accept_requested = Signal(object)
    """(Finding): accept it with a reason."""
    unaccept_requested = Signal(object)
    """(Finding): take the acceptance back."""
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
        self._detail = _Detail(theme, icons, self)
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
        kept = self.current()
        shown = frozenset(name for name, button in self._filters.items() if button.isChecked())
        open_rules = self._expanded()
        first = not self.model.groups
        self.model.fill(self._findings, shown, self._search.text().strip())
        self.model.set_stale(self._stale)
        for row, group in enumerate(self.model.groups):
            expand = group.rule in open_rules or (first and len(group.findings) <= 30)
            self.view.setExpanded(self.model.index(row, 0), expand or bool(self._search.text()))
        if kept is not None:
            index = self.model.index_like(kept)
            if index.isValid():
                self.view.setCurrentIndex(index)
        self._on_current()
        self._show_state()

    def _expanded(self) -> set[str]:
        return {
            group.rule
            for row, group in enumerate(self.model.groups)
            if self.view.isExpanded(self.model.index(row, 0))
        }

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
        """The chosen finding."""
        return self.model.finding(self.view.currentIndex())

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
        finding = self.model.finding(index)
        if finding is not None:
            self.go_to.emit(finding)

    def _on_current(self) -> None:
        index = self.view.currentIndex()
        finding = self.model.finding(index)
        if finding is not None:
            self._detail.show_finding(finding, len(self.model.group_of(index).findings))
        else:
            rule = self.model.rule_at(index)
            self._detail.show_rule(rule)
        self._detail.setVisible(index.isValid())  # the list has all the room until then
        self.current_changed.emit()

    def _fix_all(self, finding: Finding) -> None:
        same = [f for g in self.model.groups if g.rule == finding.rule for f in g.findings]
        self.fix_all_requested.emit(finding.rule, same)


class _Detail(QFrame):
    """The chosen finding in full: sentence, why, source, and what can be done."""

    fix = Signal(object, object)
    fix_all = Signal(object)
    accept = Signal(object)
    unaccept = Signal(object)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self.fixes: tuple[Fix, ...] = ()
        self._message = QLabel(self)
        self._why = QLabel(self)
        self._buttons = QVBoxLayout()
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def _build(self) -> None:
        for label in (self._message, self._why):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        from PySide6.QtWidgets import QScrollArea

        inner = QWidget(self)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(8)
        layout.addWidget(self._message)
        self._buttons.setSpacing(4)
        layout.addLayout(self._buttons)
        layout.addWidget(self._why)
        layout.addStretch()
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self.setMinimumWidth(220)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        palette = self._why.palette()
        palette.setColor(self._why.foregroundRole(), tokens.text_muted)
        self._why.setPalette(palette)

    def _clear(self) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _button(self, text: str, icon: str, run: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setIcon(self._icons.icon(icon))
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda _checked=False: run())
        self._buttons.addWidget(button)
        return button

    def show_finding(self, finding: Finding, of_this_kind: int) -> None:
        """Explain a finding; its fixes are worked out now, when somebody looks."""
        self._clear()
        self._message.setText(sentence(finding.message))
        try:
            self.fixes = finding.fixes if finding.accepted is None else ()
        except EditError:
            self.fixes = ()
        for fix in self.fixes[:4]:
            button = self._button(fix.label, "fix", partial(self.fix.emit, finding, fix))
            button.setObjectName("fixButton")
        if self.fixes and of_this_kind > 1:
            text = self.tr("Fix all {0} of this kind").format(of_this_kind)
            self._button(text, "fix", lambda: self.fix_all.emit(finding))
        if finding.accepted is None:
            button = self._button(
                self.tr("Accept with a reason…"), "accept", lambda: self.accept.emit(finding)
            )
            button.setObjectName("acceptButton")
        else:
            self._button(
                self.tr("Take the acceptance back"), "undo", lambda: self.unaccept.emit(finding)
            )
        accepted = ""
        if finding.accepted is not None:
            who = ", ".join(p for p in (finding.accepted.author, finding.accepted.date) if p)
            reason = finding.accepted.reason
            accepted = self.tr("Accepted: {0}").format(f"{reason} ({who})" if who else reason)
        self._explain(finding.rule, accepted)

    def show_rule(self, rule_id: str) -> None:
        """Explain a rule, or nothing."""
        self._clear()
        self.fixes = ()
        rule = rules().get(rule_id)
        self._message.setText(rule.title if rule is not None else "")
        self._explain(rule_id, "")

    def _explain(self, rule_id: str, before: str) -> None:
        rule = rules().get(rule_id)
        if rule is None:
            self._why.setText("")
            return
        text = " ".join(rule.explanation.split("\n\n", 1)[0].split())
        rest = rule.explanation.partition("\n\n")[2]
        paragraphs = [before, text, *(" ".join(p.split()) for p in rest.split("\n\n"))]
        paragraphs.append(self.tr("Rule {0}. Source: {1}").format(rule.id, rule.source))
        self._why.setText("\n\n".join(p for p in paragraphs if p))
