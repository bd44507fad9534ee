# SPDX-License-Identifier: Apache-2.0
"""What is plugged into each cage of a device, and into which ports that splits the cage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rackloom.bulk import copied
from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import FIBRE_CONNECTORS
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.design.entities import Cable, CableEnd, Device, Module
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.ids import DeviceId, ModuleId, by_age
from rackloom.design.paths import is_structured, trace

if TYPE_CHECKING:
    from rackloom.catalog.parts import PartId
    from rackloom.design.change import Change
    from rackloom.design.value import Design

LinkShape = tuple[tuple[int, int, int, float, int], ...]
"""Links of a cable, whatever devices it joins: port at the trunk, place in the cable's ends, port
there, rate in Gb/s, lanes."""


class Seat(NamedTuple):
    """A cage with something in it, or with a mode somebody fixed."""

    cage: Cage
    modules: tuple[ModuleId, ...]
    """The transceiver in it; several only in a design that came broken."""
    module: TransceiverPart | None
    plugs: tuple[tuple[Cable, CableEnd], ...]
    """Cables in it, oldest first, each with the end that is."""
    mode: BreakoutMode
    key: tuple[int, int, int]
    """Equal for seats of which parts say the same: group of the cage, mode, transceiver."""


class Wiring(NamedTuple):
    """The seats of one device by the name of their cage, in the order of its cages."""

    seats: Mapping[str, Seat]

    def module(self, cage: str) -> TransceiverPart | None:
        """The transceiver in a cage, or None."""
        seat = self.seats.get(cage)
        return seat and seat.module

    def mode(self, cage: Cage) -> BreakoutMode:
        """The breakout mode a cage is in."""
        seat = self.seats.get(cage.name)
        return cage.default_mode if seat is None else seat.mode


class WiringMemo:
    """What follows from parts alone; carried from design to design until a part is replaced.

    Keys hold identities of what parts own, so it must not outlive any of them.
    """

    def __init__(self) -> None:
        self.lit: dict[tuple[PartId, int, int], int | None] = {}
        """``lit_lanes`` by cable part, end and identity of the transceiver's part."""
        self.shapes: dict[tuple[object, ...], LinkShape] = {}
        """What cables in equal seats carry."""


def wiring(design: Design, device_id: DeviceId) -> Wiring:
    """What is in a device's cages; remembered with the design."""
    known = design.wirings
    found = known.get(device_id)
    if found is None:
        found = known[device_id] = _wiring(design, device_id)
    return found


def _wiring(design: Design, device_id: DeviceId) -> Wiring:
    device = design.devices[device_id]
    cages = cages_of(design, device)
    modules: dict[str, list[Module]] = {}
    by_id = design.modules
    for module_id in design.index.modules_of_device.get(device_id, ()):
        module = by_id[module_id]
        modules.setdefault(module.cage, []).append(module)
    plugs: dict[str, list[tuple[Cable, CableEnd]]] = {}
    cables = design.cables
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        cable = cables[cable_id]
        for end in cable.ends:
            if end.device == device_id:
                cage = end.cage
                if cage in plugs:
                    plugs[cage].append((cable, end))
                else:
                    plugs[cage] = [(cable, end)]
    names = modules.keys() | plugs.keys() | {name for name, _ in device.modes if name in cages}
    for name in names - cages.keys():
        raise KeyError(name)
    return Wiring(
        {
            name: seat_of(design, device, cage, modules.get(name, ()), plugs.get(name, ()))
            for name, cage in cages.items()
            if name in names
        }
    )


def seat_of(
    design: Design,
    device: Device,
    cage: Cage,
    modules: Iterable[Module],
    plugs: Iterable[tuple[Cable, CableEnd]],
) -> Seat:
    """A cage with these modules and plugs in it, each oldest first."""
    module = None
    module_ids: tuple[ModuleId, ...] = ()
    for found in modules:
        module_ids = (*module_ids, found.id)
        if module is None:
            module = design.part(found.part, TransceiverPart)
    mode = fixed_mode(device, cage) if device.modes else None
    plugs = tuple(plugs)
    if mode is None:
        mode = cage.default_mode
        if plugs:
            least = mode.lanes_per_port
            fewest = least
            structured = device.id not in design.panels
            for cable, end in plugs:
                lanes = _lanes_at(design, cable, end, cage, module, structured)
                if lanes is not None and lanes < fewest:
                    fewest = lanes
            if fewest < least:
                mode = mode_for(cage, fewest)
    return Seat(cage, module_ids, module, plugs, mode, (id(cage.modes), id(mode), id(module)))


def _lanes_at(
    design: Design,
    cable: Cable,
    end: CableEnd,
    cage: Cage,
    module: TransceiverPart | None,
    structured: bool,
) -> int | None:
    """Electrical lanes that one far end lights at a plugged end; None where nobody can say."""
    lit = design.wiring_memo.lit
    key = (cable.part, end.end, id(module))
    part: CablePart = design.parts[cable.part]  # type: ignore[assignment]
    if key in lit:
        lanes = lit[key]
    else:
        part = design.part(cable.part, CablePart)
        lanes = lit[key] = lit_lanes(part, end.end, module)
    if structured and is_structured(design, cable, part):
        return _lanes_through(design, cable, end, module, lanes)
    if lanes is None and part.branches > 1 and part.fibre is not None:
        return _lanes_of_optics_inside(cage, part, end.end)
    return lanes


def cage_mode(design: Design, device: Device, cage: Cage) -> BreakoutMode:
    """The breakout mode a cage is in: the fixed one, else the default, finer if the plug needs it.

    A 1:4 cable in a twin-port cage makes four ports of it without anyone configuring it.
    """
    return wiring(design, device.id).mode(cage)


def module_in(design: Design, device_id: DeviceId, cage: str) -> TransceiverPart | None:
    """The transceiver in a cage, or None."""
    return wiring(design, device_id).module(cage)


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


# After an edit


def carried_wirings(before: Design, after: Design, change: Change) -> dict[DeviceId, Wiring]:
    """What is still known of the cages of a design after a change; for one without panels.

    Of a device that had a cable or a transceiver plugged or pulled, only those cages are looked at
    again.
    """
    known = copied(before.wirings)
    pulled = {record.id for record in change.of("cables", "modules")}
    plugs: dict[DeviceId, dict[str, list[tuple[Cable, CableEnd]]]] = {}
    modules: dict[DeviceId, dict[str, list[Module]]] = {}
    for record in change.of("cables"):
        if record.after is not None:
            for end in record.after.ends:
                at = plugs.setdefault(end.device, {})
                at.setdefault(end.cage, []).append((record.after, end))
    for record in change.of("modules"):
        if (module := record.after) is not None:
            modules.setdefault(module.device, {}).setdefault(module.cage, []).append(module)
    for device_id, names in (rewired_cages(change) or {}).items():
        old = known.pop(device_id, None)
        device = after.devices.get(device_id)
        if old is None or device is None or names is None:
            continue
        cages = cages_of(after, device)
        seats = dict(old.seats)
        for name in names:
            seat = seats.pop(name, None)
            here = [*modules.get(device_id, {}).get(name, ())]
            cabled = [*plugs.get(device_id, {}).get(name, ())]
            if seat is not None:
                here += [after.modules[m] for m in seat.modules if m not in pulled]
                cabled += [plug for plug in seat.plugs if plug[0].id not in pulled]
            if here or cabled or any(name == fixed for fixed, _ in device.modes):
                here.sort(key=lambda module: by_age(module.id))
                cabled.sort(key=lambda plug: by_age(plug[0].id))
                seats[name] = seat_of(after, device, cages[name], here, cabled)
        known[device_id] = Wiring({name: seats[name] for name in cages if name in seats})
    return known


def rewired_cages(change: Change) -> dict[DeviceId, set[str] | None] | None:
    """Cages that a change can have altered, by device; None for all of a device.

    None where a part was replaced: all cages of all devices.
    """
    cages: dict[DeviceId, set[str] | None] = {}
    for record in change:
        states = (record.before, record.after)
        match record.table:
            case "cables":
                for cable in states:
                    for end in cable.ends if cable is not None else ():
                        _add(cages, end.device, end.cage)
            case "modules":
                for module in states:
                    if module is not None:
                        _add(cages, module.device, module.cage)
            case "devices":
                if None in states or _rebuilt(*states):
                    cages[DeviceId(record.id)] = None
            case "parts" if record.before is not None:
                return None
    return cages


def _add(cages: dict[DeviceId, set[str] | None], device: DeviceId, cage: str) -> None:
    names = cages.setdefault(device, set())
    if names is not None:
        names.add(cage)


def _rebuilt(before: Device, after: Device) -> bool:
    return (before.part, before.cards, before.modes) != (after.part, after.cards, after.modes)
