# SPDX-License-Identifier: Apache-2.0
"""Lengths of cables that are drawn: what they need, and the edit that gives them that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.ids import CableId
from rackloom.design.value import Design
from rackloom.placement.plans import EMPTY, filled_cages
from rackloom.placement.routes import route_m


def needed_m(design: Design, cable_id: CableId) -> float | None:
    """The length a cable needs with slack, as its ends are plugged; None where it joins nothing."""
    route = route_m(design, design.cables[cable_id])
    return None if route is None else route.needed_m


def next_length_m(design: Design, cable_id: CableId) -> float | None:
    """The stocked length of its part that a cable should have; None where none is long enough.

    Optics that need a least length of fibre get it.
    """
    cable = design.cables[cable_id]
    wanted_m = needed_m(design, cable_id)
    if wanted_m is None:
        return None
    part = design.part(cable.part, CablePart)
    if part.technology is CableTechnology.FIBRE:
        for end in cable.ends:
            module = filled_cages(design, end.device).get(end.cage, EMPTY).module
            wanted_m = max(wanted_m, (module.min_length_m or 0.0) if module else 0.0)
    return part.next_stocked_m(wanted_m)


def refit_length(design: Design, cable_id: CableId) -> Callable[[Draft], None] | None:
    """An edit that gives a cable the next stocked length for its route.

    None where it has that length, or where its part is not stocked long enough: then another part
    is needed, see :func:`rackloom.placement.cabling.rechoose`.
    """
    length_m = next_length_m(design, cable_id)
    if length_m is None or length_m == design.cables[cable_id].length_m:
        return None

    def refit(draft: Draft) -> None:
        draft.put(replace(draft.cables[cable_id], length_m=length_m, length_fixed=False))

    return refit
