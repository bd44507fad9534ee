# SPDX-License-Identifier: Apache-2.0
"""The chosen problem in full, and what its fixes would do, told before they are applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from rackloom.checks.finding import Finding, Fix
from rackloom.checks.kinds import Kind
from rackloom.checks.registry import rules
from rackloom.checks.trying import Outcome, try_all_apart, try_fix
from rackloom.design.errors import EditError
from rackloom.design.names import shortened
from rackloom_gui.editing import sentence
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.theme import Theme, Tokens

LONGEST_MESSAGE = 3000
"""Names may be of any length, and the fixes must stay in sight."""
MOST_FIXES = 4
"""So many fixes of one finding get a button."""
MOST_TRIED = 200
"""Fixing more findings of a kind at once is not tried out first: it could take a minute."""

ALL = -1
"""Stands for "fix all" where the fixes of a finding are counted from 0."""


class ProblemDetail(QFrame):
    """The chosen finding in full: sentence, why, source, and what can be done."""

    fix = Signal(object, object)
    fix_all = Signal(object)
    accept = Signal(object)
    unaccept = Signal(object)
    previewed = Signal(object)
    """(Change or None): what the fix under the pointer or the keyboard would change."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self.fixes: tuple[Fix, ...] = ()
        self._finding: Finding | None = None
        self._alike: Sequence[Finding] = ()
        self._outcomes: dict[int, Outcome] = {}
        self._looked_at: int | None = None
        """The fix under the pointer or the keyboard, or ALL; None while there is none."""
        self._message = QLabel(self)
        self.told = QLabel(self)
        """What the fix would do."""
        self._why = QLabel(self)
        self._fix_buttons = QVBoxLayout()
        self._buttons = QVBoxLayout()
        self._tries = LatestJob(self)
        self._tries.done.connect(self._on_tried)
        self._tries.failed.connect(lambda _error: self._tell())
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def _build(self) -> None:
        for label in (self._message, self.told, self._why):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.told.setAccessibleName(self.tr("What the fix would change"))
        inner = QWidget(self)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(8)
        layout.addWidget(self._message)
        for buttons in (self._fix_buttons, self._buttons):
            buttons.setSpacing(4)
        layout.addLayout(self._fix_buttons)
        layout.addWidget(self.told)
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
        for label in (self._why, self.told):
            palette = label.palette()
            palette.setColor(label.foregroundRole(), tokens.text_muted)
            label.setPalette(palette)

    def _clear(self) -> None:
        for buttons in (self._fix_buttons, self._buttons):
            while (item := buttons.takeAt(0)) is not None:
                widget = item.widget()
                if widget is not None:
                    widget.removeEventFilter(self)
                    widget.hide()
                    widget.deleteLater()
        self._tries.cancel()
        self._outcomes = {}
        self._finding, self._alike, self.fixes = None, (), ()
        self.told.setText("")
        self.told.hide()
        if self._looked_at is not None:
            self._looked_at = None
            self.previewed.emit(None)

    def _button(
        self, place: QVBoxLayout, text: str, icon: str, run: Callable[[], object]
    ) -> QPushButton:
        button = QPushButton(text, self)
        button.setIcon(self._icons.icon(icon))
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda _checked=False: run())
        place.addWidget(button)
        return button

    # -- what is shown ----------------------------------------------------------------------------

    def show_finding(self, chosen: Finding | Kind, alike: Sequence[Finding]) -> None:
        """Explain a finding; its fixes are worked out now, when somebody looks.

        Of many that are chosen together, the first one's fixes are offered, and all are accepted
        at once. ``alike`` are the findings of the rule that are listed, this one among them.
        """
        self._clear()
        finding = chosen.first if isinstance(chosen, Kind) else chosen
        self._message.setText(sentence(shortened(chosen.message, LONGEST_MESSAGE)))
        self._finding, self._alike = finding, alike
        try:
            self.fixes = finding.fixes if finding.accepted is None else ()
        except EditError:
            self.fixes = ()
        for number, fix in enumerate(self.fixes[:MOST_FIXES]):
            run = partial(self.fix.emit, finding, fix)
            button = self._button(self._fix_buttons, fix.label, "fix", run)
            button.setObjectName("fixButton")
            self._watch(button, number)
        open_ones = sum(other.accepted is None for other in alike)
        if self.fixes and open_ones > 1:
            text = self.tr("Fix all {0} of this kind").format(self.locale().toString(open_ones))
            button = self._button(
                self._fix_buttons, text, "fix", lambda: self.fix_all.emit(finding)
            )
            button.setObjectName("fixAllButton")
            self._watch(button, ALL)
        self._acceptance_buttons(chosen, finding)
        accepted = ""
        if finding.accepted is not None:
            who = ", ".join(p for p in (finding.accepted.author, finding.accepted.date) if p)
            reason = finding.accepted.reason
            accepted = self.tr("Accepted: {0}").format(f"{reason} ({who})" if who else reason)
        self._explain(finding.rule, accepted)
        if self.fixes:
            self.told.show()
            self._try(0)

    def _acceptance_buttons(self, chosen: Finding | Kind, finding: Finding) -> None:
        if finding.accepted is None:
            text = self.tr("Accept with a reason…")
            if isinstance(chosen, Kind):
                count = self.locale().toString(len(chosen.findings))
                text = self.tr("Accept all {0} with a reason…").format(count)
            button = self._button(self._buttons, text, "accept", lambda: self.accept.emit(chosen))
            button.setObjectName("acceptButton")
        else:
            text = self.tr("Take the acceptance back")
            self._button(self._buttons, text, "undo", lambda: self.unaccept.emit(chosen))

    def show_rule(self, rule_id: str) -> None:
        """Explain a rule, or nothing."""
        self._clear()
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

    def stop(self) -> None:
        """The window goes: no more tries."""
        self._tries.wait()

    # -- what a fix would do ----------------------------------------------------------------------

    def _watch(self, button: QPushButton, number: int) -> None:
        button.setProperty("fix", number)
        button.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in {QEvent.Type.Enter, QEvent.Type.FocusIn}:
            self._look_at(int(watched.property("fix")))
        elif kind in {QEvent.Type.Leave, QEvent.Type.FocusOut}:
            self._look_at(None)
        return super().eventFilter(watched, event)

    def _look_at(self, number: int | None) -> None:
        """Show on the drawing what a fix would change; None: nothing, and tell of the first."""
        self._looked_at = number
        if number is None:
            self.previewed.emit(None)
        self._try(number or 0)

    def _try(self, number: int) -> None:
        if number in self._outcomes or self._finding is None:
            self._tell()
            return
        finding, alike = self._finding, self._alike
        design = finding.design
        if design is None or (number == ALL and len(alike) > MOST_TRIED):
            self._tell()
            return
        if number == ALL:
            self._tries.ask(lambda: (finding, number, try_all_apart(alike)))
        else:  # one fix is done in a moment, and beside the thread of edits it would be in the way
            self._on_tried((finding, number, try_fix(design, self.fixes[number])))

    def _on_tried(self, result: tuple[Finding, int, Outcome]) -> None:
        finding, number, outcome = result
        if finding is self._finding:
            self._outcomes[number] = outcome
            self._tell()

    def _tell(self) -> None:
        number = self._looked_at or 0
        outcome = self._outcomes.get(number)
        if outcome is None:
            text = ""
            if number == ALL and len(self._alike) > MOST_TRIED:
                text = self.tr("So many are not tried out first; it is one step to undo.")
            self.told.setText(text)
            return
        text = sentence(outcome.sentence)
        if number == ALL and outcome.left:
            text += " " + self.tr("{0} of {1} can be fixed.").format(
                self.locale().toString(outcome.done),
                self.locale().toString(outcome.done + outcome.left),
            )
        self.told.setText(text)
        if self._looked_at is not None:
            self.previewed.emit(outcome.change or None)
