# SPDX-License-Identifier: Apache-2.0
"""The network of the open design for the workers: patched from edit to edit, not built anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackloom.design import Change, Design
from rackloom_gui.keeper import Keeper

if TYPE_CHECKING:
    from rackloom.fabric import Fabric


class FabricKeeper(Keeper["Fabric"]):
    """Hands out the `Fabric` of a design. `note` and `reset` by the window, `fabric` by workers."""

    def __init__(self, design: Design) -> None:
        super().__init__(design, _fabric_of, _patched)

    def fabric(self, design: Design) -> Fabric:
        """The network of a design that is or was open."""
        return self.of(design)


def _fabric_of(design: Design) -> Fabric:
    from rackloom.fabric import Fabric

    return Fabric.of(design)


def _patched(fabric: Fabric, design: Design, change: Change) -> Fabric:
    return fabric.patched(design, change)
