# SPDX-License-Identifier: Apache-2.0
"""Fibre trunks between panels: a slack loop, and a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart
from rackloom.checks.channels import structured
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity
from rackloom.checks.reach import TOLERANCE_M
from rackloom.checks.registry import rule
from rackloom.design.edits import rename, set_cable
from rackloom.design.ids import CableId
from rackloom.design.names import name_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.value import Design

SLACK_M = 2.0
"""The least slack loop of a trunk, in all; 2 to 3 m are usual."""

_ROUTED = {"cables", "modules", "devices", "racks", "rows", "settings"}


def trunks(context: Context, cables: Iterable[str]) -> Iterator[str]:
    """Fibre trunks between two panels."""
    design = context.design
    for cable_id in structured(context, cables):
        cable = design.cables[CableId(cable_id)]
        panels_met = {end.device for end in cable.ends} & design.panels
        if len(panels_met) > 1 and design.part(cable.part, CablePart).fibre is not None:
            yield cable_id


@rule(
    "reach.trunk-slack",
    Severity.WARNING,
    watches=_ROUTED,
    scope="cable",
    among=trunks,
    source="public notes on structured cabling for GPU racks",
    numbers=(73,),
)
def trunk_slack(context: Context, cable_id: str) -> Iterator[Hit]:
    """A fibre trunk is 2 m longer than its way, so that a loop of it can be laid.

    Panels are pulled out, moved and re-terminated; a trunk that is just long enough has to be
    bought again. What to do: order the next stocked length that leaves a loop (the fix).
    """
    cable = context.design.cables[CableId(cable_id)]
    needed_m = context.needed_m(cable.id)
    if needed_m is None or cable.length_m < needed_m - TOLERANCE_M:
        return  # reach.too-short says so
    way_m = needed_m - 2 * context.design.settings.slack_m
    if cable.length_m < way_m + SLACK_M - TOLERANCE_M:
        yield Hit(
            (cable_id,),
            f"{context.cable(cable)} is {cable.length_m:g} m long on a way of {way_m:.1f} m: no "
            f"{SLACK_M:g} m are left for a slack loop",
            partial(_with_loop, cable.id, way_m + SLACK_M),
        )


def _with_loop(cable_id: CableId, least_m: float, design: Design) -> Sequence[Fix]:
    part = design.part(design.cables[cable_id].part, CablePart)
    length_m = part.next_stocked_m(least_m)
    if length_m is None:
        return ()
    return (Fix(f"Order {length_m:g} m", partial(_set_length, cable_id, length_m)),)


def _set_length(cable_id: CableId, length_m: float, draft: Draft) -> None:
    set_cable(draft, cable_id, length_m=length_m, length_fixed=False)


@rule(
    "name.unlabelled-trunk",
    Severity.INFO,
    watches={"cables", "devices"},
    scope="cable",
    among=trunks,
    source="TIA-606; public notes on structured cabling for GPU racks",
    numbers=(73,),
)
def unlabelled_trunk(context: Context, cable_id: str) -> Iterator[Hit]:
    """A fibre trunk has a label, which is put on both of its ends.

    Both ends of it disappear in panels, often rooms apart. What to do: label it (the fix numbers
    it).
    """
    cable = context.design.cables[CableId(cable_id)]
    if not cable.label:
        yield Hit((cable_id,), f"{context.cable(cable)} has no label", partial(_labelled, cable.id))


def _labelled(cable_id: CableId, design: Design) -> Sequence[Fix]:
    del design
    return (Fix("Number it", partial(_number, cable_id)),)


def _number(cable_id: CableId, draft: Draft) -> None:
    taken = [cable.label for cable in draft.cables.values() if cable.label]
    rename(draft, cable_id, name_after("trunk-00", taken))
