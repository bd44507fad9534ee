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
from rackloom.placement.power import PowerPlan, apply, plan_pdu_feeds, plan_power

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
    made_id = replug(trial)
    made = trial.cables[made_id]
    part = trial.part(made.part, CablePart)

    def replace_cable(draft: Draft) -> None:
        replug(draft)

    return (Fix(f"Use {part.model} ({part.technology}), {made.length_m:g} m", replace_cable),)


def connect_power(device_id: DeviceId, catalog: Catalog | None, design: Design) -> Sequence[Fix]:
    """Cords from the free inlets of a device to PDUs of its rack, over A and B."""
    plan = plan_power(design, catalog or load_bundled(), [device_id])
    return _planned("Connect power", plan)


def connect_pdu(pdu_id: DeviceId, design: Design) -> Sequence[Fix]:
    """A cord from a PDU to the least used feed that suits it."""
    return _planned("Plug it into a feed", plan_pdu_feeds(design, [pdu_id]))


def _planned(label: str, plan: PowerPlan) -> Sequence[Fix]:
    if not plan.cords:
        return ()

    def plug(draft: Draft) -> None:
        apply(draft, plan)

    return (Fix(label, plug),)
