# SPDX-License-Identifier: Apache-2.0
"""Numpy columns beside a list of ids, with rows that are used again: the scene's mirror."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class Table:
    """Rows with an id and columns. Rows of removed ids go to a free list and are filled again."""

    def __init__(self, **columns: tuple[Any, int]) -> None:
        self._kinds = columns
        self.ids: list[str] = []
        self.row_of: dict[str, int] = {}
        self._free: list[int] = []
        self._columns: dict[str, Any] = {}
        self._alive: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._make(0)

    def _make(self, capacity: int) -> None:
        for name, (kind, width) in self._kinds.items():
            shape = (capacity, width) if width > 1 else (capacity,)
            self._columns[name] = np.zeros(shape, dtype=kind)
        self._alive = np.zeros(capacity, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.row_of)

    def __getitem__(self, column: str) -> Any:
        """One column over all rows that were ever used; a view, to read and to write."""
        return self._columns[column][: len(self.ids)]

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self.row_of

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which rows are in use."""
        return self._alive[: len(self.ids)]

    def fill(self, ids: Sequence[str], **columns: Any) -> None:
        """Start anew with these ids and columns."""
        self.ids = list(ids)
        self.row_of = {entity_id: row for row, entity_id in enumerate(self.ids)}
        self._free = []
        self._make(len(self.ids))
        self._alive[:] = True
        for name, values in columns.items():
            self._columns[name][:] = values

    def add(self, entity_id: str) -> int:
        """The row of an id, a new or reused one if it had none; its columns are zero then."""
        row = self.row_of.get(entity_id)
        if row is not None:
            return row
        if self._free:
            row = self._free.pop()
            self.ids[row] = entity_id
        else:
            row = len(self.ids)
            self.ids.append(entity_id)
            if row >= len(self._alive):
                self._grow(max(16, len(self._alive) * 3 // 2 + 1))
        self.row_of[entity_id] = row
        for column in self._columns.values():
            column[row] = 0
        self._alive[row] = True
        return row

    def drop(self, entity_id: str) -> int | None:
        """Give the row of an id free; returns it."""
        row = self.row_of.pop(entity_id, None)
        if row is not None:
            self._alive[row] = False
            self._free.append(row)
            self.ids[row] = ""
        return row

    def rows(self, ids: Iterable[str]) -> npt.NDArray[np.int32]:
        """Rows of those ids that are in the table."""
        found = (self.row_of.get(entity_id) for entity_id in ids)
        return np.array([row for row in found if row is not None], dtype=np.int32)

    def items(self) -> Iterator[tuple[str, int]]:
        """Ids and their rows."""
        return iter(self.row_of.items())

    def _grow(self, capacity: int) -> None:
        for name, column in self._columns.items():
            grown = np.zeros((capacity, *column.shape[1:]), dtype=column.dtype)
            grown[: len(column)] = column
            self._columns[name] = grown
        alive = np.zeros(capacity, dtype=np.bool_)
        alive[: len(self._alive)] = self._alive
        self._alive = alive


class Legs:
    """Pairs of ports that a cable joins: one a straight cable, n a 1:n breakout. Append only.

    ``a`` is the trunk's end, ``b`` the branch's; a device of -1 is an end that hangs loose.
    """

    COLUMNS = ("cable", "a_dev", "a_cage", "b_dev", "b_cage")

    def __init__(self) -> None:
        self._data = np.zeros((5, 0), dtype=np.int32)
        self._alive = np.zeros(0, dtype=np.bool_)
        self.count = 0

    def fill(self, columns: Sequence[Any]) -> None:
        """Start anew."""
        self._data = np.array(columns, dtype=np.int32).reshape(5, -1)
        self.count = self._data.shape[1]
        self._alive = np.ones(self.count, dtype=np.bool_)

    def append(self, rows: Sequence[tuple[int, int, int, int, int]]) -> tuple[int, int]:
        """Add legs; returns the first one's number and the number after the last."""
        first, last = self.count, self.count + len(rows)
        if last > self._data.shape[1]:
            capacity = max(64, last * 3 // 2)
            grown = np.zeros((5, capacity), dtype=np.int32)
            grown[:, :first] = self._data[:, :first]
            self._data = grown
            alive = np.zeros(capacity, dtype=np.bool_)
            alive[:first] = self._alive[:first]
            self._alive = alive
        if rows:
            self._data[:, first:last] = np.array(rows, dtype=np.int32).T
            self._alive[first:last] = True
        self.count = last
        return first, last

    def __getitem__(self, column: str) -> npt.NDArray[np.int32]:
        """One column over all legs, dead ones included."""
        found: npt.NDArray[np.int32] = self._data[self.COLUMNS.index(column), : self.count]
        return found

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which legs still exist."""
        return self._alive[: self.count]
