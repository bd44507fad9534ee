# SPDX-License-Identifier: Apache-2.0
"""Breakouts and trunk cables are plugged end by end: who takes the ends that hang loose."""

from __future__ import annotations

from dataclasses import replace

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.ids import CableId
from rackloom.design.value import Design
from rackloom.placement.joins import Joiner, Kind, joiner
from rackloom.placement.plans import (
    EMPTY,
    Filled,
    Plan,
    Refusal,
    filled_cages,
    kind_at,
    port_text,
)
from rackloom.placement.routes import PortAt, route_m


def cable_text(design: Design, cable_id: CableId) -> str:
    """A cable as a person says it: its label, else what it is and where it goes."""
    cable = design.cables[cable_id]
    model = design.part(cable.part, CablePart).model
    if cable.label:
        return f"{model} {cable.label}"
    names = dict.fromkeys(design.devices[end.device].name for end in cable.ends)
    return f"{model} ({' to '.join(names)})"


def has_loose_end(design: Design, cable_id: CableId) -> bool:
    """Whether an end of a cable is plugged nowhere."""
    cable = design.cables[cable_id]
    return len(cable.ends) < len(design.part(cable.part, CablePart).ends)


def plug_loose_end(
    design: Design,
    catalog: Catalog,
    here: PortAt,
    there: PortAt,
    fill: Filled,
    technology: CableTechnology | None,
    part: CablePart | None,
) -> Plan | Refusal:
    """Plug the loose end of a cable that sits in ``here`` into ``there``; or say who is there."""
    taken = Refusal(
        f"{port_text(design, here)} is taken by {cable_text(design, fill.cables[0][1])}",
        (here[0], fill.cables[0][1]),
    )
    reason: Refusal | None = None
    other = filled_cages(design, there[0]).get(there[1], EMPTY)
    for _, cable_id in fill.cables:
        cable = design.cables[cable_id]
        own = design.part(cable.part, CablePart)
        if technology not in {None, own.technology} or part not in (None, own):
            continue
        plugged = {end.end for end in cable.ends}
        at_here = [e.end for e in cable.ends if (e.device, e.cage) == here]
        loose = [n for end in at_here for n in own.far_ends(end) if n not in plugged]
        if not loose:
            continue
        if other.cables and not other.free_sockets:
            busy = cable_text(design, other.cables[0][1])
            return Refusal(f"{port_text(design, there)} is taken by {busy}", (there[0],))
        outcome = _plug(design, catalog, cable, own, loose, there, other)
        if isinstance(outcome, Plan):
            return outcome
        reason = outcome if reason is None else reason
    return taken if reason is None else reason


def _plug(
    design: Design,
    catalog: Catalog,
    cable: Cable,
    part: CablePart,
    loose: list[int],
    there: PortAt,
    fill: Filled,
) -> Plan | Refusal:
    work = joiner(design, catalog)
    kind = kind_at(design, there)
    why = f"the loose end of {part.model} does not go into {port_text(design, there)}"
    for number in loose:
        module: TransceiverPart | None = None
        if part.technology is CableTechnology.FIBRE:
            fitting = _lights(design, work, cable, part, number, kind, fill)
            if not fitting:
                continue
            module = fitting[0]
        else:
            misfits = work.end_misfits(kind, part, number)
            if misfits or fill.module is not None:
                why = misfits[0].message if misfits else f"{why}: a transceiver is in it"
                continue
        socket = fill.free_sockets[0] if fill.free_sockets else 0
        new = ((there, module),) if module is not None and fill.module is None else ()
        return _extended(design, cable, part, [CableEnd(number, *there, socket)], new)
    return Refusal(why, (there[0], cable.id))


def _lights(
    design: Design,
    work: Joiner,
    cable: Cable,
    part: CablePart,
    number: int,
    kind: Kind,
    fill: Filled,
) -> list[TransceiverPart | None]:
    """What a loose fibre end may see at a port: transceivers for the far one, or a coupler."""
    if kind.cage.passive:
        return [None] if part.ends[number].form_factor is kind.cage.form_factor else []
    far_numbers = part.far_ends(number)
    plugged = next(end for end in cable.ends if end.end in far_numbers)
    near = filled_cages(design, plugged.device).get(plugged.cage, EMPTY).module
    found: list[TransceiverPart | None] = []
    for module in work.lights_for(kind, fill.module):
        if module is None or not set(work.cord_ends(module).get(part.id, ())) & _alike(
            part, number
        ):
            continue
        trunk, far = (module, near) if number == 0 else (near, module)
        if trunk is None or far is None or not work.pair_misfit(trunk, far, part.branches):
            found.append(module)
    return found


def _alike(part: CablePart, number: int) -> set[int]:
    """The end that stands for this one where joins are worked out: the trunk, or its far end."""
    return {0} if number == 0 else {part.far_ends(0)[0]} | ({0} if part.branches == 1 else set())


def _extended(
    design: Design,
    cable: Cable,
    part: CablePart,
    more: list[CableEnd],
    new: tuple[tuple[PortAt, TransceiverPart], ...],
) -> Plan | Refusal:
    """The plan for a cable with more ends plugged, in a length that does for all of them."""
    ends = tuple(sorted((*cable.ends, *more), key=lambda end: end.end))
    whole = route_m(design, replace(cable, ends=ends))
    needed_m = whole.needed_m if whole else 0.0
    length_m = cable.length_m if cable.length_fixed else part.next_stocked_m(needed_m)
    if length_m is None:
        return Refusal(
            f"{port_text(design, (more[0].device, more[0].cage))} needs {needed_m:.1f} m of "
            f"{part.model}, which comes in {part.lengths_m[-1]:g} m at most",
            (more[0].device, cable.id),
        )
    return Plan(part, ends, length_m, needed_m, new, (), cable.id, fabric=cable.fabric)


def next_pair(design: Design, part: CablePart, a: PortAt, b: PortAt) -> Plan | None:
    """The next pair of connectors of a trunk cable that runs between the two devices already.

    None where no such cable has a free pair, or where one of the ports is not a free coupler.
    """
    kinds = kind_at(design, a), kind_at(design, b)
    for port, kind in zip((a, b), kinds, strict=True):
        if not kind.cage.passive or port[1] in filled_cages(design, port[0]):
            return None
    side = part.connectors_per_side
    for cable_id in design.index.cables_of_device.get(a[0], ()):
        cable = design.cables[cable_id]
        plugged = {end.end: end.device for end in cable.ends}
        if cable.part != part.id or set(plugged.values()) != {a[0], b[0]}:
            continue
        a_first = any(device == a[0] for end, device in plugged.items() if end < side)
        for number in range(side):
            if number in plugged or number + side in plugged:
                continue
            near, far = (a, b) if a_first else (b, a)
            forms = (part.ends[number].form_factor, part.ends[number + side].form_factor)
            ports = tuple(kind.cage.form_factor for kind in (kinds if a_first else kinds[::-1]))
            if forms != ports:
                continue
            more = [CableEnd(number, *near), CableEnd(number + side, *far)]
            outcome = _extended(design, cable, part, more, ())
            return outcome if isinstance(outcome, Plan) else None
    return None
