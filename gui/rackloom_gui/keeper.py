# SPDX-License-Identifier: Apache-2.0
"""What is worked out of the open design by workers, patched from edit to edit, not made anew."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from rackloom.design import Change, Design

_T = TypeVar("_T")

MOST_STEPS = 64
"""Edits that are kept for patching; after more of them a value is made from the design."""


class Keeper(Generic[_T]):
    """Hands out the value of a design. `note` and `reset` by the window, `of` by workers.

    A worker goes on from the latest value that any worker made, also of a design that was
    overtaken meanwhile, and takes all edits since in one go.
    """

    def __init__(
        self,
        design: Design,
        make: Callable[[Design], _T],
        patch: Callable[[_T, Design, Change], _T],
    ) -> None:
        self._make, self._patch = make, patch
        self._noting = Lock()
        self._building = Lock()
        self._last = design
        self._steps: list[tuple[Design, Design, Change]] = []
        self._value: tuple[Design, _T] | None = None

    def reset(self, design: Design) -> None:
        """Another design was opened."""
        with self._noting:
            self._last, self._steps = design, []

    def note(self, design: Design, change: Change) -> None:
        """The open design became this one by a change."""
        with self._noting:
            self._steps.append((self._last, design, change))
            self._last = design
            del self._steps[:-MOST_STEPS]

    def of(self, design: Design) -> _T:
        """The value of a design that is or was open."""
        with self._building:
            known = self._value
            if known is not None and known[0] is design:
                return known[1]
            value = self._patched(design, known) if known is not None else None
            if value is None:
                value = self._make(design)
            self._value = (design, value)
            return value

    def _patched(self, design: Design, known: tuple[Design, _T]) -> _T | None:
        """The known value with the edits since; None where no edits lead from it to the design."""
        at, value = known
        with self._noting:
            steps = list(self._steps)
        merged: Change | None = None
        for before, after, change in steps:
            if merged is None and before is not at:
                continue
            merged = change if merged is None else merged.then(change)
            if after is design:
                return self._patch(value, design, merged)
        return None
