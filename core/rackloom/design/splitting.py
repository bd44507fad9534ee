# SPDX-License-Identifier: Apache-2.0
"""Into which ports the plugs in a cage split it: as fine as what the far ends light of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import FIBRE_CONNECTORS
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.paths import is_structured, trace

if TYPE_CHECKING:
    from rackloom.design.value import Design


def mode_of(
    design: Design,
    cage: Cage,
    module: TransceiverPart | None,
    plugs: Iterable[tuple[Cable, CableEnd]],
    followed: bool,
) -> BreakoutMode:
    """The default mode of a cage, or a finer one that its plugs need.

    ``followed``: whether fibres that lead on through panels are traced to where they end.
    """
    least = cage.default_mode.lanes_per_port
    fewest = least
    for cable, end in plugs:
        lanes = _lanes_at(design, cable, end, cage, module, followed)
        if lanes is not None and lanes < fewest:
            fewest = lanes
    return mode_for(cage, fewest) if fewest < least else cage.default_mode


@lru_cache(maxsize=8192)
def mode_for(cage: Cage, lanes: int) -> BreakoutMode:
    """The coarsest mode whose ports fit into ``lanes`` lanes; the default where it does."""
    default = cage.default_mode
    if default.lanes_per_port <= lanes:
        return default
    fine = [m for m in cage.modes if m.lanes_per_port <= lanes]
    return max(fine, key=lambda m: (m.lanes_per_port, m.rate_gbps)) if fine else default


def lit_lanes(part: CablePart, end: int, module: TransceiverPart | None) -> int | None:
    """Electrical lanes that one far end can light at this end of a cable.

    ``module`` is the transceiver a fibre ends in; None for a dark fibre, or where it is unknown.
    """
    if part.technology is not CableTechnology.FIBRE:
        return part.ends[end].lanes if end else _trunk_lanes(part)
    if module is None:
        return None
    lit, of = share_lit(part, end, module)
    return max(module.lanes // module.sockets * lit // of, 1)


def share_lit(part: CablePart, end: int, module: TransceiverPart) -> tuple[int, int]:
    """Which share of the fibres at a module's socket one far end lights, as a fraction.

    A branch of a splitter has fewer fibres than the trunk: it lights half of an SR4 behind a 1:2
    cord, and the whole of a DR1 behind a 1:4 harness.
    """
    carried = part.ends[end].lanes
    if end == 0 or carried is None:
        return 1, part.branches
    own = max(module.optical_lanes // module.sockets, 1)
    return min(carried, own), own


def has_optics(cage: Cage) -> bool:
    """Whether fibre goes straight into the cage: co-packaged optics, no transceiver."""
    return cage.form_factor in FIBRE_CONNECTORS and not cage.passive


def pairs_of(module: TransceiverPart) -> int:
    """Fibre pairs at one socket: one for each lane, or one for all wavelengths on a duplex."""
    if module.connector is FormFactor.LC_DUPLEX:
        return 1
    return max(module.optical_lanes // module.sockets, 1)


def _lanes_at(
    design: Design,
    cable: Cable,
    end: CableEnd,
    cage: Cage,
    module: TransceiverPart | None,
    structured: bool,
) -> int | None:
    """Electrical lanes that one far end lights at a plugged end; None where nobody can say."""
    part = design.part(cable.part, CablePart)
    lanes = lit_lanes(part, end.end, module)
    if structured and is_structured(design, cable, part):
        return _lanes_through(design, cable, end, module, lanes)
    if lanes is None and part.branches > 1 and part.fibre is not None:
        return _lanes_of_optics_inside(cage, part, end.end)
    return lanes


def _lanes_through(
    design: Design, cable: Cable, end: CableEnd, module: TransceiverPart | None, direct: int | None
) -> int | None:
    """Electrical lanes that one far end beyond the panels lights; ``direct``: where there is none.

    A cassette splits an MPO as a harness would.
    """
    if module is None or design.part(cable.part, CablePart).fibre is None:
        return direct
    own = pairs_of(module)
    widths = [min(r.width, own - r.start) for r in trace(design, cable, end) if r.start < own]
    if not widths:
        return direct
    return max(module.lanes // module.sockets * min(widths) // own, 1)


def _lanes_of_optics_inside(cage: Cage, part: CablePart, end: int) -> int | None:
    """As ``lit_lanes``, for a cage with the optics inside."""
    if not has_optics(cage):
        return None
    carried = part.ends[end].lanes
    return max(cage.lanes // part.branches, 1) if end == 0 or carried is None else carried


def _trunk_lanes(part: CablePart) -> int | None:
    lanes = part.ends[0].lanes
    return None if lanes is None else max(lanes // part.branches, 1)
