# SPDX-License-Identifier: Apache-2.0
"""Lengths of cables that are drawn: what they need, and the edit that gives them that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.ids import CableId
from rackloom.design.value import Design
from rackloom.placement.many_routes import needed_lengths_m
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


@dataclass(frozen=True, slots=True)
class Refit:
    """New lengths for many cables, and those whose part is not stocked long enough."""

    lengths_m: Mapping[CableId, float]
    too_short: tuple[CableId, ...]

    def apply(self, draft: Draft) -> None:
        """Give the cables their lengths: an edit."""
        draft.put_all(
            replace(draft.cables[cable_id], length_m=length_m)
            for cable_id, length_m in self.lengths_m.items()
        )


def refit_lengths(design: Design, cable_ids: Iterable[CableId] | None = None) -> Refit:
    """The next stocked length for every cable whose length is another one; all cables by default.

    Cables whose length the user fixed, and those that join nothing, are left alone.
    """
    chosen = design.cables if cable_ids is None else cable_ids
    cables = [design.cables[cable_id] for cable_id in chosen]
    cables = [cable for cable in cables if not cable.length_fixed]
    least_m = {
        (module.device, module.cage): design.part(module.part, TransceiverPart).min_length_m or 0.0
        for module in design.modules.values()
    }
    lengths_m: dict[CableId, float] = {}
    too_short: list[CableId] = []
    _, needed = needed_lengths_m(design, cables)
    for cable, wanted_m in zip(cables, needed.tolist(), strict=True):
        if math.isnan(wanted_m):
            continue
        least = max(least_m.get((end.device, end.cage), 0.0) for end in cable.ends)
        length_m = design.part(cable.part, CablePart).next_stocked_m(max(wanted_m, least))
        if length_m is None:
            too_short.append(cable.id)
        elif length_m != cable.length_m:
            lengths_m[cable.id] = length_m
    return Refit(lengths_m, tuple(too_short))
