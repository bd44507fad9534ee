# SPDX-License-Identifier: Apache-2.0
"""Another part for a cable, another breakout mode for a port: what fits stays where it is.

Edits as all others; for a look at the report first see :mod:`rackloom.design.swapping`.
"""

from __future__ import annotations

from dataclasses import replace

from rackloom.catalog.cages import Cage
from rackloom.catalog.fit import FIBRE_CONNECTORS, cord_misfit
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.edits import set_mode
from rackloom.design.entities import Cable, CableEnd, Module
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.kept import Kept, cable_words, end_trouble, first_new
from rackloom.design.relinking import links_over
from rackloom.design.value import Design

# A cable's part


def swap_cable(
    draft: Draft, cable_id: CableId, part: CablePart, length_m: float | None = None
) -> Kept:
    """Make a cable another part; its ends stay plugged where that part fits as well.

    A cable that only fits the other way round is turned. Copper in the place of a fibre takes the
    transceivers out that nothing else is plugged into; a fibre in the place of copper says where
    transceivers are missing. The length is ``length_m``, else the one it has where the part is
    stocked in it (or the user fixed it), else the next longer one. EditError where the part fits at
    no end.
    """
    cable = draft.cables[cable_id]
    old = draft.part(cable.part, CablePart)
    new = draft.part(draft.embed(part), CablePart)
    kept = Kept()
    turned = _turned(cable, new)
    ways = [cable.ends] if turned is None else [cable.ends, turned]
    tried = [_fitting(draft, cable, old, new, ends) for ends in ways]
    best = max(tried, key=lambda result: len(result[0]))  # straight on, where both are as good
    ends, lost = best
    if not ends and cable.ends:
        raise EditError(f"{new.title} fits at no end of this cable: {lost[0][1]}", (cable_id,))
    for where, message in lost:
        loose = f"{cable_words(draft, cable)} hangs loose at {message}"
        kept.lose(loose, cable.id, where)
    if best is not tried[0]:
        kept.notes.append(f"{cable_words(draft, cable)} was turned round")
    if new.technology is not CableTechnology.FIBRE:
        ends = tuple(replace(end, socket=0) for end in ends)
        _take_out_modules(draft, cable, ends, kept)
    else:
        _miss_modules(draft, ends, kept)
    kept.cables = int(not lost)
    length = _length_m(cable, new, length_m, kept)
    draft.put(replace(cable, part=new.id, ends=ends, length_m=length))
    return kept


def fitting_ends(draft: Draft, cable: Cable, part: CablePart) -> int:
    """How many ends of a cable would stay plugged if it were this part, either way round."""
    old = draft.part(cable.part, CablePart)
    turned = _turned(cable, part)
    ways = [cable.ends] if turned is None else [cable.ends, turned]
    return max(len(_fitting(draft, cable, old, part, ends)[0]) for ends in ways)


def _turned(cable: Cable, part: CablePart) -> tuple[CableEnd, ...] | None:
    """The ends the other way round; None for what has more than two."""
    if len(part.ends) != 2 or any(end.end > 1 for end in cable.ends):
        return None
    return tuple(sorted((replace(e, end=1 - e.end) for e in cable.ends), key=lambda e: e.end))


_Fitting = tuple[tuple[CableEnd, ...], list[tuple[str, str]]]


def _fitting(
    draft: Draft, cable: Cable, old: CablePart, new: CablePart, ends: tuple[CableEnd, ...]
) -> _Fitting:
    """The ends that can stay plugged, and for the others where they were and why not."""
    stay: list[CableEnd] = []
    lost: list[tuple[str, str]] = []
    was = {(e.device, e.cage, e.socket): e.end for e in cable.ends}
    for end in ends:
        number = was[end.device, end.cage, end.socket]
        why = _end_misfit(draft, cable, old, number, new, end)
        if why is None:
            stay.append(end)
        else:
            name = draft.devices[end.device].name
            lost.append((end.device, f"port {end.cage} of {name}: {why}"))
    return tuple(stay), lost


def _end_misfit(
    draft: Draft, cable: Cable, old: CablePart, number: int, new: CablePart, end: CableEnd
) -> str | None:
    if end.end >= len(new.ends):
        return f"{new.model} has {len(new.ends) - 1} far ends, this would be number {end.end}"
    device = draft.devices[end.device]
    cage = cages_of(draft, device)[end.cage]
    owner = draft.device_part(end.device).title
    module = _module_at(draft, end)
    if new.technology is CableTechnology.FIBRE and module is not None:
        optic = draft.part(module.part, TransceiverPart)
        now = cord_misfit(optic, new, end.end)
        then = cord_misfit(optic, old, number)
        if now is None or (then is not None and then.rule == now.rule):
            return None
        return now.message
    if module is not None and _others_in(draft, cable, end):
        return "another fibre is plugged into the transceiver there"
    then_trouble = {} if module is not None else end_trouble(cage, old, number, owner)
    return first_new(end_trouble(cage, new, end.end, owner), then_trouble)


def _module_at(draft: Draft, end: CableEnd) -> Module | None:
    modules: list[Module] = draft.touching("modules_of_device", {end.device})
    return next((module for module in modules if module.cage == end.cage), None)


def _others_in(draft: Draft, cable: Cable, end: CableEnd) -> bool:
    """Whether other cables are plugged into the same cage."""
    return any(
        (e.device, e.cage) == (end.device, end.cage)
        for other in draft.touching("cables_of_device", {end.device})
        if other.id != cable.id
        for e in other.ends
    )


def _take_out_modules(draft: Draft, cable: Cable, ends: tuple[CableEnd, ...], kept: Kept) -> None:
    for end in ends:
        module = _module_at(draft, end)
        if module is not None:
            model = draft.parts[module.part].model
            name = draft.devices[end.device].name
            kept.lose(
                f"the {model} in port {end.cage} of {name} made room for the cable's own plug",
                module.id,
                end.device,
            )
            draft.remove("modules", module.id)


def _miss_modules(draft: Draft, ends: tuple[CableEnd, ...], kept: Kept) -> None:
    for end in ends:
        device = draft.devices[end.device]
        cage: Cage = cages_of(draft, device)[end.cage]
        if cage.form_factor in FIBRE_CONNECTORS:
            continue
        if _module_at(draft, end) is None:
            kept.notes.append(f"port {end.cage} of {device.name} needs a transceiver now")
        else:
            kept.modules += 1


def _length_m(cable: Cable, part: CablePart, wanted_m: float | None, kept: Kept) -> float:
    if wanted_m is not None:
        return wanted_m
    if cable.length_fixed:
        return cable.length_m
    next_m = part.next_stocked_m(cable.length_m)
    if next_m is not None:
        return next_m
    longest_m = part.lengths_m[-1]
    kept.notes.append(
        f"{part.model} is stocked up to {longest_m:g} m: shorter than the {cable.length_m:g} m "
        "there were"
    )
    return longest_m


# A port's mode


def change_mode(draft: Draft, device_id: DeviceId, cage: str, mode: str | None) -> Kept:
    """Fix the breakout mode of a port (None: let it follow its plug) and say what goes dark.

    Nothing is unplugged: cables of the port, and of a neighbour that the mode switches off, stay
    where they are. Those that carry fewer links than before are listed. EditError for a mode that
    the port does not offer.
    """
    before = draft.base
    set_mode(draft, device_id, cage, mode)
    trial = Draft(before)
    set_mode(trial, device_id, cage, mode)
    after, _ = trial.close("Try the mode")
    cages = cages_of(before, before.devices[device_id])
    watched = {cage, cages[cage].neighbour}
    kept = Kept()
    for cable_id in before.index.cables_of_device.get(device_id, ()):
        cable = before.cables[cable_id]
        if not any(e.device == device_id and e.cage in watched for e in cable.ends):
            continue
        dimmer = fewer_links(before, after, cable_id)
        if dimmer is None:
            kept.cables += 1
        else:
            kept.lose(dimmer, cable_id, device_id)
    return kept


def fewer_links(before: Design, after: Design, cable_id: CableId) -> str | None:
    """That a cable which stayed plugged carries fewer links after an edit; None where it does not.

    None, too, for a cable that is gone or lost an end: that is another loss.
    """
    was, now = before.cables[cable_id], after.cables.get(cable_id)
    if now is None or len(now.ends) < len(was.ends):
        return None
    had, has = len(links_over(before, cable_id)), len(links_over(after, cable_id))
    if has >= had:
        return None
    rest = f"carries {has} of its {had} links" if has else "carries no link any more"
    return f"{cable_words(after, now)} stays plugged but {rest}"
