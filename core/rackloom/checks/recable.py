# SPDX-License-Identifier: Apache-2.0
"""Fixes that plan anew: a cable by another technology, cords for a device without power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackloom.catalog.load import Catalog, load_bundled
from rackloom.catalog.parts import CablePart
from rackloom.checks.finding import Fix
from rackloom.design.draft import Draft
from rackloom.placement.cabling import rechoose
from rackloom.placement.plans import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.ids import CableId, DeviceId
    from rackloom.design.value import Design


def other_technology(cable_id: CableId, catalog: Catalog | None, design: Design) -> Sequence[Fix]:
    """Join the two ports by the cheapest technology that reaches; nothing where none does."""
    edit = rechoose(design, catalog or load_bundled(), cable_id)
    if isinstance(edit, Refusal):
        return ()
    replug = edit
    trial = Draft(design)
    made = trial.cables[replug(trial)]
    part = trial.part(made.part, CablePart)

    def replace_cable(draft: Draft) -> None:
        replug(draft)

    return (Fix(f"Use {part.model} ({part.technology}), {made.length_m:g} m", replace_cable),)


def connect_power(device_id: DeviceId, design: Design) -> Sequence[Fix]:
    """Cords from the inlets of a device to PDUs of its rack, over A and B."""
    from rackloom.placement.power import apply, plan_power

    plan = plan_power(design, [device_id])
    if not plan.cords:
        return ()
    return (Fix("Connect power", lambda draft: apply(draft, plan)),)
