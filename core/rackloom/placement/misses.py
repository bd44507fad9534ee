# SPDX-License-Identifier: Apache-2.0
"""Why nothing joins two cages, said by what speaks against the nearest miss."""

from __future__ import annotations

from collections.abc import Iterator

from rackloom.catalog.fit import ends_lane_rate_misfit, protocol_misfit
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.placement.joins import FIBRE_CAGES, TECHNOLOGY_ORDER, Joiner, Kind


def nearest_miss(
    work: Joiner,
    a: Kind,
    b: Kind,
    a_module: TransceiverPart | None = None,
    b_module: TransceiverPart | None = None,
    part: CablePart | None = None,
    technology: CableTechnology | None = None,
) -> str:
    """Why nothing joins two cages, in one sentence: what speaks against the nearest miss."""
    asked = (part.id if part else None, technology)
    key = (a, a_module.id if a_module else None, b, b_module.id if b_module else None, *asked)
    reason = work.reasons.get(key)
    if reason is None:
        reason = _nearest_miss(work, a, b, a_module, b_module, part, technology)
        if a.stands_for_many and b.stands_for_many:
            work.reasons[key] = reason
    return reason


def _nearest_miss(
    work: Joiner,
    a: Kind,
    b: Kind,
    a_module: TransceiverPart | None,
    b_module: TransceiverPart | None,
    part: CablePart | None,
    technology: CableTechnology | None,
) -> str:
    apart = protocol_misfit(
        a.cage.protocols,
        b.cage.protocols,
        cage_name=f"{a.cage.name} of {a.model}",
        plug_name=f"{b.cage.name} of {b.model}",
    )
    if apart:
        return apart.message
    for kind in (a, b):
        if kind.cage.form_factor in FIBRE_CAGES and not kind.cage.passive:
            return (
                f"{kind.cage.name} of {kind.model} is a fibre socket with its optics inside, "
                f"and the catalogue does not say which transceivers they pair with"
            )
    misses = [
        miss
        for cable in ([part] if part else work.direct)
        if cable.technology is not CableTechnology.FIBRE and technology in {None, cable.technology}
        for miss in _direct_misses(work, a, b, a_module, b_module, cable)
    ]
    fibre = part is None or part.technology is CableTechnology.FIBRE
    if fibre and technology in {None, CableTechnology.FIBRE}:
        misses += _optical_misses(work, a, b, a_module, b_module, part)
    if not misses:
        what = str(technology) if technology else "cable or optics"
        return f"the catalogue has no {what} to join {a.model} and {b.model}"
    return min(misses, key=lambda miss: miss[0])[1]


def _direct_misses(
    work: Joiner,
    a: Kind,
    b: Kind,
    a_module: TransceiverPart | None,
    b_module: TransceiverPart | None,
    cable: CablePart,
) -> Iterator[tuple[tuple[int, int], str]]:
    rank = TECHNOLOGY_ORDER[cable.technology]
    for module, kind in ((a_module, a), (b_module, b)):
        if module is not None:
            yield (
                (3, rank),
                f"{cable.model} has its own plugs, but {kind.cage.name} of {kind.model} holds "
                f"a {module.model}",
            )
            return
    for a_end, b_end in ((0, 1), (1, 0)):
        misfits = [
            *work.end_misfits(a, cable, a_end),
            *work.end_misfits(b, cable, b_end),
        ]
        rates = ends_lane_rate_misfit(a.cage, b.cage, cable=cable, a_owner=a.model, b_owner=b.model)
        misfits += [rates] if rates else []
        if misfits:
            yield (len(misfits), rank), misfits[0].message


def _optical_misses(
    work: Joiner,
    a: Kind,
    b: Kind,
    a_module: TransceiverPart | None,
    b_module: TransceiverPart | None,
    cord: CablePart | None,
) -> Iterator[tuple[tuple[int, int], str]]:
    rank = TECHNOLOGY_ORDER[CableTechnology.FIBRE]
    sides: list[tuple[TransceiverPart, ...]] = []
    for kind, module in ((a, a_module), (b, b_module)):
        if kind.cage.passive:
            cords = work.coupler_ends(kind)
            if not cords or (cord is not None and cord.id not in cords):
                what = cord.model if cord else "a fibre of the catalogue"
                yield (
                    (1, rank),
                    f"{what} has no {kind.cage.form_factor} end for {kind.cage.name} of "
                    f"{kind.model}",
                )
            continue
        modules = (module,) if module else work.modules_for(kind)
        if cord is not None:
            modules = tuple(m for m in modules if cord.id in work.cord_ends(m))
        if not modules:
            with_it = f" that {cord.model} plugs into" if cord else ""
            yield (
                (2, rank),
                f"the catalogue has no transceiver for {kind.cage.name} of {kind.model}{with_it}",
            )
        sides.append(modules)
    if len(sides) < 2:  # a panel's coupler sees any light
        return
    for at_a in sides[0]:
        for at_b in sides[1]:
            misfit = work.pair_misfit(at_a, at_b, cord.branches if cord else 1)
            if misfit:
                # Other fibre is a farther miss than other lanes: both sides can have a module.
                score = 3 if at_a.medium is not at_b.medium else 1
                yield (score, rank), f"no optics join {_both(a, b)}: {misfit.message}"
            elif cord is None and not work.cord_ends(at_a).keys() & work.cord_ends(at_b).keys():
                yield (
                    (1, rank),
                    f"no optics join {_both(a, b)}: the catalogue has no fibre between "
                    f"{at_a.model} ({at_a.connector}) and {at_b.model} ({at_b.connector})",
                )


def _both(a: Kind, b: Kind) -> str:
    return f"{a.cage.name} of {a.model} and {b.cage.name} of {b.model}"
