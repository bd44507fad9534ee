# SPDX-License-Identifier: Apache-2.0
"""What an edit changed: one record for undo, for views, for incremental checks and the journal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """One entity before and after; None where it did not exist."""

    table: str
    id: str
    before: Any
    after: Any

    @property
    def inverse(self) -> "Record":
        """The record that takes this one back."""
        return Record(self.table, self.id, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Change:
    """All records of one step; at most one for each (table, id)."""

    records: tuple[Record, ...]

    def __bool__(self) -> bool:
        return bool(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def inverse(self) -> "Change":
        """The change that takes this one back."""
        return Change(tuple(record.inverse for record in reversed(self.records)))

    def of(self, *tables: str) -> Iterator[Record]:
        """The records of these tables."""
        return (record for record in self.records if record.table in tables)

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables that changed."""
        return frozenset(record.table for record in self.records)

    def then(self, later: "Change") -> "Change":
        """One change that does both; entities that end as they began drop out."""
        if not self.records:
            return later
        if not later.records:
            return self
        merged = {(r.table, r.id): r for r in self.records}
        for record in later.records:
            key = (record.table, record.id)
            first = merged.get(key)
            merged[key] = Record(*key, first.before if first else record.before, record.after)
        return Change(tuple(r for r in merged.values() if r.before != r.after))


@dataclass(frozen=True, slots=True)
class Step:
    """An undoable edit: what the history shows, and what changed.

    Steps with the same non-empty ``merge_key`` that follow one another closely become one (nudging
    a device ten times is one step).
    """

    label: str
    change: Change
    merge_key: str = ""
