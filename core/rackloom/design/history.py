# SPDX-License-Identifier: Apache-2.0
"""Undo and redo, for the window and for scripts alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rackloom.design.change import Change, Step
from rackloom.design.draft import Draft
from rackloom.design.value import Design

Listener = Callable[[Design, Step], None]
"""Called once a step with the new design and what changed (undo hands over the inverse change)."""

MERGE_WINDOW_S = 1.0
"""Steps with the same merge key within this time become one."""


class History:
    """A design and how it came about. All edits of an open design go through ``do``."""

    def __init__(
        self, design: Design | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._design = design or Design()
        self._steps: list[Step] = []
        self._position = 0
        self._clean: int | None = 0
        self._held: int | None = None
        self._clock = clock
        self._last_merge_s = float("-inf")
        self._listeners: list[Listener] = []

    @property
    def design(self) -> Design:
        """The design as it is now."""
        return self._design

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, done and undone, oldest first."""
        return tuple(self._steps)

    @property
    def position(self) -> int:
        """How many of the steps are done."""
        return self._position

    @property
    def is_clean(self) -> bool:
        """Whether the design is as it was last saved."""
        return self._clean == self._position

    def mark_clean(self) -> None:
        """Say that the design as it is now has been saved."""
        self._clean = self._position
        self._last_merge_s = float("-inf")

    def hold(self) -> None:
        """Remember the design as it is now: it is being saved, and steps may come meanwhile."""
        self._held = self._position
        self._last_merge_s = float("-inf")

    def mark_held_clean(self) -> None:
        """Say that the design as it was at ``hold`` has been saved.

        Where its steps were undone and others done instead, nothing is clean any more.
        """
        self._clean = self._held

    def mark_dirty(self) -> None:
        """Say that no state of this history has been saved (what recovery brought back)."""
        self._clean = None

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` after each step; returns the function that stops it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def do(
        self, label: str, edit: Callable[..., Any], *args: Any, merge_key: str = "", **kwargs: Any
    ) -> Any:
        """Run ``edit(draft, *args, **kwargs)`` as one undoable step; returns what it returned.

        Raises EditError and changes nothing if the edit cannot be made. An edit that changes
        nothing makes no step.
        """
        draft = Draft(self._design)
        result = edit(draft, *args, **kwargs)
        after, step = draft.close(label, merge_key)
        if step.change:
            self._append(after, step)
        return result

    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self._position > 0

    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return self._position < len(self._steps)

    def undo(self) -> Step | None:
        """Take the last step back; returns it."""
        if not self.can_undo():
            return None
        self._position -= 1
        step = self._steps[self._position]
        self._move(step, step.change.inverse)
        return step

    def redo(self) -> Step | None:
        """Do the next undone step again; returns it."""
        if not self.can_redo():
            return None
        step = self._steps[self._position]
        self._position += 1
        self._move(step, step.change)
        return step

    def go_to(self, position: int) -> None:
        """Undo or redo until ``position`` steps are done."""
        while self._position > max(position, 0):
            self.undo()
        while self._position < min(position, len(self._steps)):
            self.redo()

    def _move(self, step: Step, change: Change) -> None:
        self._last_merge_s = float("-inf")
        self._design = self._design.apply(change)
        self._tell(Step(step.label, change))

    def _append(self, after: Design, step: Step) -> None:
        now_s = self._clock()
        del self._steps[self._position :]
        if self._clean is not None and self._clean > self._position:
            self._clean = None  # the saved state was among the steps that are gone
        if self._held is not None and self._held > self._position:
            self._held = None
        last = self._steps[-1] if self._steps else None
        mergeable = (
            last is not None
            and step.merge_key
            and last.merge_key == step.merge_key
            and now_s - self._last_merge_s <= MERGE_WINDOW_S
            and self._position not in (self._clean, self._held)
        )
        if mergeable and last is not None:
            merged = last.change.then(step.change)
            if merged:
                self._steps[-1] = Step(step.label, merged, step.merge_key)
            else:  # moved back to where it began: nothing is left to undo
                self._steps.pop()
                self._position -= 1
        else:
            self._steps.append(step)
            self._position += 1
        self._last_merge_s = now_s
        self._design = after
        self._tell(step)

    def _tell(self, step: Step) -> None:
        for listener in tuple(self._listeners):
            listener(self._design, step)
