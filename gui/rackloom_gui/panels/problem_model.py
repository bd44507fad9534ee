# SPDX-License-Identifier: Apache-2.0
"""Findings as a tree: rules, what each has to say, and where, if it says the same of many places.

Texts are made when shown.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from rackloom.checks.finding import Finding
from rackloom.checks.kinds import Kind, kind_key, kinds
from rackloom.checks.registry import rules
from rackloom.design.names import shortened
from rackloom_gui.editing import sentence, sentence_case
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings

_Index = QModelIndex | QPersistentModelIndex
LONGEST_MESSAGE = 600
"""A line of the list; names may be of any length."""
_TOP = 2**32 - 1
"""Internal id of a rule's row; the row of a kind has the number of its rule's row."""
_DEEP = 32
"""The row of one finding of a kind has that number, and above these bits 1 + that of its kind."""


@dataclass(frozen=True, eq=False)
class Group:
    """A rule and its findings, worst first."""

    rule: str
    title: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> str:
        """That of the worst finding that is open, else "ok"."""
        return next((f.severity.value for f in self.findings if f.accepted is None), "ok")

    @cached_property
    def kinds(self) -> list[Kind]:
        """The rows below it, worked out when they are first asked for."""
        return kinds(self.findings)

    @cached_property
    def starts(self) -> list[int]:
        """How many findings stand before each kind."""
        return [0, *accumulate(len(kind.findings) for kind in self.kinds)][:-1]


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
        known = rules() if by_rule else {}  # all rules are not imported for an empty list
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
        """The finding of a row; None for a rule's row, and for one of many findings."""
        if not index.isValid() or index.internalId() == _TOP:
            return None
        kind = self._kind_at(index)
        if self._is_deep(index):
            return kind.findings[index.row()]
        return kind.first if len(kind.findings) == 1 else None

    def kind(self, index: _Index) -> Kind | None:
        """The findings that a row stands for together; None for all other rows."""
        if not index.isValid() or index.internalId() == _TOP or self._is_deep(index):
            return None
        kind = self._kind_at(index)
        return kind if len(kind.findings) > 1 else None

    @staticmethod
    def _is_deep(index: _Index) -> bool:
        return int(index.internalId()) >> _DEEP > 0

    def _kind_at(self, index: _Index) -> Kind:
        number = int(index.internalId())
        row = (number >> _DEEP) - 1 if number >> _DEEP else index.row()
        return self.group_of(index).kinds[row]

    def group_of(self, index: _Index) -> Group:
        """The rule a row belongs to."""
        number = int(index.internalId())
        return self.groups[index.row() if number == _TOP else number & _TOP]

    def rule_at(self, index: _Index) -> str:
        """Id of the rule of a row, or an empty string."""
        return self.group_of(index).rule if index.isValid() else ""

    def index_at(self, position: int) -> QModelIndex:
        """The row of the n-th finding."""
        top = bisect_right(self._starts, position) - 1
        group, inside = self.groups[top], position - self._starts[top]
        row = bisect_right(group.starts, inside) - 1
        return self._index_of(top, row, inside - group.starts[row])

    def _index_of(self, top: int, row: int, number: int) -> QModelIndex:
        index = self.index(row, 0, self.index(top, 0))
        alone = len(self.groups[top].kinds[row].findings) == 1
        return index if alone else self.index(number, 0, index)

    def position(self, index: _Index, by: int) -> int:
        """Which finding a row is, such that adding ``by`` gives the one to go to."""
        if not index.isValid():
            return -1 if by > 0 else 0
        before = 1 if by > 0 else 0
        if index.internalId() == _TOP:
            return self._starts[index.row()] - before
        number = int(index.internalId())
        start, starts = self._starts[number & _TOP], self.group_of(index).starts
        if self._is_deep(index):
            return start + starts[(number >> _DEEP) - 1] + index.row()
        return start + starts[index.row()] - (before if self.kind(index) is not None else 0)

    def index_like(self, finding: Finding) -> QModelIndex:
        """The row of the finding with the same rule and places, else an invalid index."""
        for top, group in enumerate(self.groups):
            if group.rule != finding.rule:
                continue
            for row, kind in enumerate(group.kinds):
                for number, other in enumerate(kind.findings):
                    if other.where == finding.where:
                        return self._index_of(top, row, number)
        return QModelIndex()

    def index_of_kind(self, rule: str, key: object) -> QModelIndex:
        """The row that stands for all findings of a kind, else an invalid index."""
        for top, group in enumerate(self.groups):
            if group.rule != rule:
                continue
            for row, kind in enumerate(group.kinds):
                if len(kind.findings) > 1 and kind_key(kind.first) == key:
                    return self.index(row, 0, self.index(top, 0))
        return QModelIndex()

    # -- what Qt asks -----------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: _Index | None = None) -> QModelIndex:
        if parent is None or not parent.isValid():
            return self.createIndex(row, column, _TOP)
        if parent.internalId() == _TOP:
            return self.createIndex(row, column, parent.row())
        deep = (parent.row() + 1) << _DEEP
        return self.createIndex(row, column, int(parent.internalId()) | deep)

    def parent(self, index: _Index | None = None) -> Any:
        if index is None:
            return super().parent()
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        number = int(index.internalId())
        if self._is_deep(index):
            return self.createIndex((number >> _DEEP) - 1, 0, number & _TOP)
        return self.createIndex(number, 0, _TOP)

    def rowCount(self, parent: _Index | None = None) -> int:
        if parent is None or not parent.isValid():
            return len(self.groups)
        if parent.internalId() == _TOP:
            return len(self.groups[parent.row()].kinds)
        kind = self.kind(parent)
        return len(kind.findings) if kind is not None else 0

    def hasChildren(self, parent: _Index | None = None) -> bool:
        if parent is not None and parent.isValid() and parent.internalId() == _TOP:
            return True  # without looking for the kinds of a rule that is not unfolded
        return self.rowCount(parent) > 0

    def columnCount(self, parent: _Index | None = None) -> int:
        return 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        kind = self.kind(index)
        finding = kind.first if kind is not None else self.finding(index)
        group = self.group_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            if kind is not None or finding is not None:
                return sentence_case(self._message(kind, finding))
            return f"{group.title.rstrip('.')}  ({QLocale().toString(len(group.findings))})"
        if role == Qt.ItemDataRole.ToolTipRole:
            return sentence(self._message(kind, finding) or group.title)
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(finding, group)
        if role == Qt.ItemDataRole.ForegroundRole:
            quiet = self._stale or (finding is not None and finding.accepted is not None)
            return self._theme.tokens.text_muted if quiet else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            severity = finding.severity.value if finding is not None else group.severity
            return f"{severity}: {self.data(index)}"
        return None

    @staticmethod
    def _message(kind: Kind | None, finding: Finding | None) -> str:
        if kind is not None:
            return shortened(kind.message, LONGEST_MESSAGE)
        return shortened(finding.message, LONGEST_MESSAGE) if finding is not None else ""

    def _icon(self, finding: Finding | None, group: Group) -> Any:
        if finding is not None and finding.accepted is not None:
            return self._icons.icon("accept", "text_muted")
        severity = finding.severity.value if finding is not None else group.severity
        return self._icons.icon(severity, "text_muted" if self._stale else severity)
