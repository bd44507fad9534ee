# SPDX-License-Identifier: Apache-2.0
"""Findings as a tree of two levels: rules, and what each has to say. Texts are made when shown."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from rackloom.checks.engine import Findings
from rackloom.checks.finding import Finding
from rackloom.checks.registry import rules
from rackloom_gui.editing import sentence, sentence_case
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_TOP = 2**32 - 1
"""Internal id of a rule's row; a finding's row has the number of its rule's row."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A rule and its findings, worst first."""

    rule: str
    title: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> str:
        """That of the worst finding that is open, else "ok"."""
        return next((f.severity.value for f in self.findings if f.accepted is None), "ok")


class ProblemModel(QAbstractItemModel):
    """The tree behind the Problems panel; also the flat order in which F8 goes through it."""

    def __init__(self, theme: Theme, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icons = icons
        self._stale = False
        self.groups: list[Group] = []
        self._starts: list[int] = []
        self.count = 0

    def fill(self, findings: Findings | None, shown: frozenset[str], text: str) -> None:
        """Show those of these severities (and "accepted") that hold every word of the text."""
        words = text.casefold().split()
        by_rule: dict[str, list[Finding]] = {}
        for finding in findings.all if findings is not None else ():
            kind = "accepted" if finding.accepted is not None else finding.severity.value
            if kind not in shown:
                continue
            if words:
                hay = f"{finding.rule} {finding.message}".casefold()
                if not all(word in hay for word in words):
                    continue
            by_rule.setdefault(finding.rule, []).append(finding)
        known = rules()
        self.beginResetModel()
        self.groups = [
            Group(rule, known[rule].title if rule in known else rule, tuple(found))
            for rule, found in by_rule.items()
        ]
        self._starts = []
        self.count = 0
        for group in self.groups:
            self._starts.append(self.count)
            self.count += len(group.findings)
        self.endResetModel()

    def set_stale(self, stale: bool) -> None:
        """Grey everything while it is being checked again."""
        if stale != self._stale:
            self._stale = stale
            self.layoutChanged.emit()

    # -- places -----------------------------------------------------------------------------------

    def finding(self, index: _Index) -> Finding | None:
        """The finding of a row, or None for a rule's row."""
        if not index.isValid() or index.internalId() == _TOP:
            return None
        return self.groups[int(index.internalId())].findings[index.row()]

    def group_of(self, index: _Index) -> Group:
        """The rule a row belongs to."""
        top = index.row() if index.internalId() == _TOP else int(index.internalId())
        return self.groups[top]

    def rule_at(self, index: _Index) -> str:
        """Id of the rule of a row, or an empty string."""
        return self.group_of(index).rule if index.isValid() else ""

    def index_at(self, position: int) -> QModelIndex:
        """The row of the n-th finding."""
        top = bisect_right(self._starts, position) - 1
        return self.index(position - self._starts[top], 0, self.index(top, 0))

    def position(self, index: _Index, by: int) -> int:
        """Which finding a row is, such that adding ``by`` gives the one to go to."""
        if not index.isValid():
            return -1 if by > 0 else 0
        if index.internalId() == _TOP:
            return self._starts[index.row()] - (1 if by > 0 else 0)
        return self._starts[int(index.internalId())] + index.row()

    def index_like(self, finding: Finding) -> QModelIndex:
        """The row of the finding with the same rule and places, else an invalid index."""
        for top, group in enumerate(self.groups):
            if group.rule != finding.rule:
                continue
            for row, other in enumerate(group.findings):
                if other.where == finding.where:
                    return self.index(row, 0, self.index(top, 0))
        return QModelIndex()

    # -- what Qt asks -----------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: _Index | None = None) -> QModelIndex:
        if parent is None or not parent.isValid():
            return self.createIndex(row, column, _TOP)
        return self.createIndex(row, column, parent.row())

    def parent(self, index: _Index | None = None) -> Any:
        if index is None:
            return super().parent()
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(int(index.internalId()), 0, _TOP)

    def rowCount(self, parent: _Index | None = None) -> int:
        if parent is None or not parent.isValid():
            return len(self.groups)
        return len(self.groups[parent.row()].findings) if parent.internalId() == _TOP else 0

    def columnCount(self, parent: _Index | None = None) -> int:
        return 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        finding = self.finding(index)
        group = self.group_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            if finding is not None:
                return sentence_case(finding.message)
            return f"{group.title.rstrip('.')}  ({QLocale().toString(len(group.findings))})"
        if role == Qt.ItemDataRole.ToolTipRole:
            return sentence(finding.message if finding is not None else group.title)
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(finding, group)
        if role == Qt.ItemDataRole.ForegroundRole:
            quiet = self._stale or (finding is not None and finding.accepted is not None)
            return self._theme.tokens.text_muted if quiet else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            severity = finding.severity.value if finding is not None else group.severity
            return f"{severity}: {self.data(index)}"
        return None

    def _icon(self, finding: Finding | None, group: Group) -> Any:
        if finding is not None and finding.accepted is not None:
            return self._icons.icon("accept", "text_muted")
        severity = finding.severity.value if finding is not None else group.severity
        return self._icons.icon(severity, "text_muted" if self._stale else severity)
