# SPDX-License-Identifier: Apache-2.0
"""The network of the open design for the workers: patched from edit to edit, not built anew."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from rackloom.design import Change, Design

if TYPE_CHECKING:
    from rackloom.fabric import Fabric

MOST_STEPS = 64
"""Edits that are kept for patching; after more of them a network is built from the design."""


class FabricKeeper:
    """Hands out the `Fabric` of a design. `note` and `reset` by the window, `fabric` by workers."""

    def __init__(self, design: Design) -> None:
        self._noting = Lock()
        self._building = Lock()
        self._last = design
        self._steps: list[tuple[Design, Design, Change]] = []
        self._fabric: Fabric | None = None

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

    def fabric(self, design: Design) -> Fabric:
        """The network of a design that is or was open."""
        from rackloom.fabric import Fabric

        with self._building:
            found = self._fabric
            if found is None or found.design is not design:
                found = self._patched(design) or Fabric.of(design)
                self._fabric = found
            return found

    def _patched(self, design: Design) -> Fabric | None:
        """The last network with the edits since; None where no edits lead from it to the design."""
        fabric = self._fabric
        if fabric is None:
            return None
        with self._noting:
            steps = list(self._steps)
        begun = False
        for before, after, change in steps:
            begun = begun or before is fabric.design
            if not begun:
                continue
            fabric = fabric.patched(after, change)
            if after is design:
                return fabric
        return None
