# SPDX-License-Identifier: Apache-2.0
"""Another part in the place of a device: ports are found again by name, else by position.

An edit as all others (one step to undo). To see the report first, run it on a draft that is never
closed: ``swap_device(Draft(design), device_id, part)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    PartId,
    PduPart,
    ServerPart,
    TransceiverPart,
)
from rackloom.catalog.words import Inlet
from rackloom.design.draft import Draft
from rackloom.design.entities import Cable, CableEnd, Cord, Device, Module
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.kept import (
    Kept,
    cable_words,
    end_trouble,
    first_new,
    module_trouble,
    put_ends,
)

Cages = Mapping[str, Cage]


def swap_device(draft: Draft, device_id: DeviceId, part: DevicePart) -> Kept:
    """Make a device another part; it keeps its name, place, cables, transceivers and cords.

    A plug goes to the port of the same name, else to that of the same place in the group of the
    same name, else to that of the same place among the ports for the same network; always provided
    that it fits there as well as it did. What finds no port is reported: a transceiver is taken
    out, a cable hangs loose at this end (and goes when it is plugged nowhere). EditError where the
    part cannot stand where the device does; the closing of the draft refuses one that is too tall.
    """
    device = draft.devices[device_id]
    old = draft.part(device.part, DevicePart)
    new = draft.part(draft.embed(part), DevicePart)
    kept = Kept()
    if old.id == new.id:
        return kept
    if (old.rack_units == 0) != (new.rack_units == 0):
        how = "beside the rails" if new.rack_units == 0 else "in rack units"
        raise EditError(f"{new.title} goes {how}: place it as a device of its own", (device_id,))
    slots = _slots(old, new)
    swapped = replace(device, part=new.id, cards=_cards(draft, device, slots, kept), modes=())
    before, after = cages_of(draft, device), cages_of(draft, swapped)
    twins = _Twins(before, after, slots)
    _move_plugs(draft, device, new, before, after, twins, kept)
    draft.put(replace(swapped, modes=_modes(device, new, after, twins, kept)))
    _keep_inlets(draft, device, old, new, kept)
    _keep_outlets(draft, device, new, kept)
    return kept


# Slots and cards


def _slots(old: DevicePart, new: DevicePart) -> dict[str, str]:
    """Where the card of each slot goes: to the slot of the same name, else of the same place."""
    mine = [s.name for s in old.slots] if isinstance(old, ServerPart) else []
    theirs = [s.name for s in new.slots] if isinstance(new, ServerPart) else []
    found = {name: name for name in mine if name in theirs}
    taken = set(found.values())
    for name, other in zip(mine, theirs, strict=False):
        if name not in found and other not in taken:
            found[name] = other
    return found


def _cards(
    draft: Draft, device: Device, slots: Mapping[str, str], kept: Kept
) -> tuple[tuple[str, PartId], ...]:
    cards = {}
    for slot, card in device.cards:
        if slot in slots:
            cards[slots[slot]] = card
        else:
            title = draft.parts[card].title
            kept.lose(f"there is no slot for the {title} of {slot} of {device.name}", device.id)
    return tuple(sorted(cards.items()))


# Ports


class _Twins:
    """For each old cage the new ones that could take its place, the likeliest first."""

    def __init__(self, before: Cages, after: Cages, slots: Mapping[str, str]) -> None:
        self._before, self._after, self._slots = before, after, slots
        self._by_group, self._by_role = _ranked(after, _group), _ranked(after, _role)
        mine = (_ranked(before, _group), _ranked(before, _role))
        self._rank_in_group, self._rank_in_role = (
            {name: n for names in ranked.values() for n, name in enumerate(names)}
            for ranked in mine
        )

    def same(self, name: str) -> str | None:
        """The cage of the same name; of a card, in the slot where the card is now."""
        slot, slash, number = name.rpartition("/")
        same = f"{self._slots[slot]}/{number}" if slash and slot in self._slots else name
        return same if same in self._after else None

    def by_place(self, name: str) -> Iterator[str]:
        """Cages of the same place in their group, then among those for the same network."""
        cage = self._before[name]
        for names, rank in (
            (self._by_group.get(_group(cage), ()), self._rank_in_group[name]),
            (self._by_role.get(_role(cage), ()), self._rank_in_role[name]),
        ):
            if rank < len(names):
                yield names[rank]

    def first(self, name: str) -> str | None:
        """The likeliest twin, whether or not it is free."""
        return self.same(name) or next(self.by_place(name), None)


def _group(cage: Cage) -> str:
    return cage.group


def _role(cage: Cage) -> str:
    return cage.role.value


def _ranked(cages: Cages, key: Callable[[Cage], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, cage in cages.items():
        found.setdefault(key(cage), []).append(name)
    return found


@dataclass(slots=True)
class _Use:
    """What sits in one cage of the device."""

    module: Module | None = None
    ends: list[tuple[CableId, CableEnd]] = field(default_factory=list)


def _uses(draft: Draft, device_id: DeviceId, order: Iterable[str]) -> dict[str, _Use]:
    found: dict[str, _Use] = {}
    for module in draft.touching("modules_of_device", {device_id}):
        found.setdefault(module.cage, _Use()).module = module
    for cable in draft.touching("cables_of_device", {device_id}):
        for end in cable.ends:
            if end.device == device_id:
                found.setdefault(end.cage, _Use()).ends.append((cable.id, end))
    return {name: found[name] for name in order if name in found}


def _move_plugs(
    draft: Draft,
    device: Device,
    part: DevicePart,
    before: Cages,
    after: Cages,
    twins: _Twins,
    kept: Kept,
) -> None:
    uses = _uses(draft, device.id, before)
    target: dict[str, str] = {}
    refused: dict[str, str] = {}
    taken: set[str] = set()

    def place(name: str, twins_here: Iterable[str]) -> None:
        for twin in twins_here:
            if name in target or twin in taken:
                continue
            why = _trouble(draft, uses[name], before[name], after[twin], part.title)
            if why is None:
                target[name] = twin
                taken.add(twin)
            else:
                refused.setdefault(name, why)

    for name in uses:  # names go first: a port found by its place takes none of them
        place(name, filter(None, [twins.same(name)]))
    for name in uses:
        place(name, twins.by_place(name))
    kept.moved.update({old: new for old, new in target.items() if old != new})
    for name, use in uses.items():
        if name not in target:
            why = refused.get(name, f"{part.title} has no port for what was in {name}")
            told = f"port {name} of {device.name}: {why}{_consequence(draft, use)}"
            kept.lose(told, device.id, *_ids(use))
    _replug(draft, device, uses, target, kept)


def _ids(use: _Use) -> list[str]:
    modules = [use.module.id] if use.module else []
    return [*modules, *(cable_id for cable_id, _ in use.ends)]


def _consequence(draft: Draft, use: _Use) -> str:
    """What becomes of the plugs of a port that finds none."""
    fates = []
    if use.module is not None:
        fates.append(f"the {draft.parts[use.module.part].model} is taken out")
    loose = [
        cable_words(draft, draft.cables[cable_id])
        for cable_id, end in use.ends
        if any(other.device != end.device for other in draft.cables[cable_id].ends)
    ]
    if loose:
        fates.append(f"{', '.join(loose)} {'hang' if loose[1:] else 'hangs'} loose here")
    return f"; so {' and '.join(fates)}" if fates else ""


def _trouble(draft: Draft, use: _Use, old: Cage, new: Cage, title: str) -> str | None:
    """Why what is in a cage would not do in another one as it did; None where it would."""
    owner = title
    if use.module is not None:
        part = draft.part(use.module.part, TransceiverPart)
        return first_new(module_trouble(new, part, owner), module_trouble(old, part, owner))
    for cable_id, end in use.ends:
        cable = draft.part(draft.cables[cable_id].part, CablePart)
        now = end_trouble(new, cable, end.end, owner)
        why = first_new(now, end_trouble(old, cable, end.end, owner))
        if why is not None:
            return why
    return None


def _replug(
    draft: Draft, device: Device, uses: Mapping[str, _Use], target: Mapping[str, str], kept: Kept
) -> None:
    cables: set[CableId] = set()
    for name, use in uses.items():
        cables.update(cable_id for cable_id, _ in use.ends)
        if use.module is None:
            continue
        if name in target:
            kept.modules += 1
            if target[name] != name:
                draft.put(replace(use.module, cage=target[name]))
        else:
            draft.remove("modules", use.module.id)
    for cable_id in sorted(cables):
        cable: Cable = draft.cables[cable_id]
        ends = tuple(
            end if end.device != device.id else replace(end, cage=target[end.cage])
            for end in cable.ends
            if end.device != device.id or end.cage in target
        )
        kept.cables += len(ends) == len(cable.ends)
        if ends != cable.ends:
            if not ends:
                kept.lose(f"{cable_words(draft, cable)} was plugged nowhere else", cable.id)
            put_ends(draft, cable, ends)


def _modes(
    device: Device, part: DevicePart, after: Cages, twins: _Twins, kept: Kept
) -> tuple[tuple[str, str], ...]:
    modes: dict[str, str] = {}
    for name, mode in device.modes:
        where = kept.moved.get(name) or twins.first(name)
        if where is not None and after[where].mode(mode) is not None:
            modes[where] = mode
        else:
            kept.lose(
                f"port {name} of {device.name} was set to {mode}, which {part.title} does not "
                "offer there",
                device.id,
            )
    return tuple(sorted(modes.items()))


# Power

_FAMILY = {Inlet.C14: "C13", Inlet.C16: "C13", Inlet.C20: "C19", Inlet.C22: "C19"}
"""The outlet that a cord to an inlet comes from; its hot variants take the same."""


def _keep_inlets(
    draft: Draft, device: Device, old: DevicePart, new: DevicePart, kept: Kept
) -> None:
    """Cords to inlets the new part has too, of a kind that the same outlets serve."""
    cords: list[Cord] = draft.touching("cords_of_device", {device.id})
    if isinstance(new, PduPart):
        kept.cords += len(cords)
        return
    for cord in cords:
        why = _inlet_trouble(cord, old, new)
        if why is None:
            kept.cords += 1
        else:
            kept.lose(f"the cord to inlet {cord.inlet} of {device.name}: {why}", device.id, cord.id)
            draft.remove("cords", cord.id)


def _inlet_trouble(cord: Cord, old: DevicePart, new: DevicePart) -> str | None:
    if new.psu is None or cord.inlet > new.psu.count:
        count = 0 if new.psu is None else new.psu.count
        return f"{new.title} has {count} inlets that we know of"
    before = old.psu.inlet if old.psu is not None else None
    after = new.psu.inlet
    if before is None or after is None or _FAMILY.get(before) == _FAMILY.get(after) is not None:
        return None
    return None if before is after else f"{new.title} has {after} inlets, not {before}"


def _keep_outlets(draft: Draft, device: Device, new: DevicePart, kept: Kept) -> None:
    """A PDU's outlets: cords go to that of the same name, else to a free one of its kind."""
    cords: list[Cord] = draft.touching("cords_from_source", {device.id})
    outlets = (
        {name: group.kind for name, group in new.outlet_names} if isinstance(new, PduPart) else {}
    )
    free = outlets.keys() - {cord.outlet for cord in cords}
    spare = [name for name in outlets if name in free]
    for cord in cords:
        if cord.outlet in outlets:
            kept.cords += 1
            continue
        kind = cord.outlet.rpartition("-")[0]
        place = next((n for n in spare if outlets[n] in {kind, "C13/C19"}), None)
        if place is None:
            what = f"the cord at outlet {cord.outlet} of {device.name}"
            kept.lose(f"{what}: {new.title} has no free {kind} outlet", device.id, cord.id)
            draft.remove("cords", cord.id)
        else:
            spare.remove(place)
            kept.cords += 1
            kept.notes.append(f"the cord at outlet {cord.outlet} of {device.name} goes to {place}")
            draft.put(replace(cord, outlet=place))
