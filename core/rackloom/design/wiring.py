# SPDX-License-Identifier: Apache-2.0
"""What is plugged into each cage of a device, and into which ports that splits the cage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rackloom.bulk import copied
from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.design.entities import Cable, CableEnd, Device, Module
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.ids import DeviceId, ModuleId, by_age, oldest_first
from rackloom.design.paths import is_structured
from rackloom.design.splitting import mode_of

if TYPE_CHECKING:
    from rackloom.catalog.parts import PartId
    from rackloom.design.change import Change
    from rackloom.design.value import Design

LinkShape = tuple[tuple[int, int, int, int, float, int], ...]
"""Links of a cable, whatever devices it joins: place of the trunk among the cable's ends, port
there, place of the other end, port there, rate in Gb/s, lanes."""


@dataclass(frozen=True, slots=True)
class SeatKind:
    """A cage as plugged, whatever device it is on: thousands of seats share one.

    Cages of one group with the same transceiver, and the same ends of the same cable parts in it,
    are of one kind.
    """

    module: TransceiverPart | None
    mode: BreakoutMode
    mode_fixed: bool
    """Somebody chose the mode; else it follows what is plugged."""


class Seat(NamedTuple):
    """A cage with something in it, or with a mode somebody fixed."""

    cage: Cage
    modules: tuple[ModuleId, ...]
    """The transceiver in it; several only in a design that came broken."""
    plugs: tuple[tuple[Cable, CableEnd], ...]
    """Cables in it, oldest first, each with the end that is."""
    kind: SeatKind

    @property
    def module(self) -> TransceiverPart | None:
        """The transceiver in it."""
        return self.kind.module

    @property
    def mode(self) -> BreakoutMode:
        """The mode it is in."""
        return self.kind.mode


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

    Keys hold identities of what parts own, and of kinds, so it must not outlive any of them.
    """

    def __init__(self) -> None:
        self.kinds: dict[tuple[object, ...], SeatKind] = {}
        """Kinds by what is plugged, for seats whose mode nothing else decides."""
        self.led_on: dict[tuple[object, ...], SeatKind] = {}
        """Kinds by what is plugged and mode, where that was fixed or follows fibres elsewhere."""
        self.shapes: dict[tuple[object, ...], LinkShape | None] = {}
        """What cables in seats of the same kinds carry; None where fibres have to be followed."""


def wiring(design: Design, device_id: DeviceId) -> Wiring:
    """What is in a device's cages; remembered with the design."""
    known = design.wirings
    found = known.get(device_id)
    if found is None:
        found = known[device_id] = _wiring(design, device_id)
    return found


def wire_all(design: Design) -> None:
    """Work out what is in the cages of all devices, and remember that with the design.

    Going once through all cables takes half as long as going to the cables of each device.
    """
    plugs: defaultdict[DeviceId, _Plugs] = defaultdict(lambda: defaultdict(list))
    for cable in oldest_first(design.cables):
        for end in cable.ends:
            plugs[end.device][end.cage].append((cable, end))
    modules: defaultdict[DeviceId, _Modules] = defaultdict(lambda: defaultdict(list))
    for module in oldest_first(design.modules):
        modules[module.device][module.cage].append(module)
    known = design.wirings
    for device_id, device in design.devices.items():
        if device_id not in known:
            known[device_id] = _seated(
                design, device, modules.get(device_id, {}), plugs.get(device_id, {})
            )


_Plugs = dict[str, list[tuple[Cable, CableEnd]]]
"""What cables end in the cages of a device, oldest first, by cage."""

_Modules = dict[str, list[Module]]
"""The transceivers in its cages."""


def _wiring(design: Design, device_id: DeviceId) -> Wiring:
    modules: _Modules = {}
    for module_id in design.index.modules_of_device.get(device_id, ()):
        module = design.modules[module_id]
        modules.setdefault(module.cage, []).append(module)
    plugs: _Plugs = {}
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        cable = design.cables[cable_id]
        for end in cable.ends:
            if end.device == device_id:
                plugs.setdefault(end.cage, []).append((cable, end))
    return _seated(design, design.devices[device_id], modules, plugs)


def _seated(
    design: Design,
    device: Device,
    modules: Mapping[str, list[Module]],
    plugs: Mapping[str, list[tuple[Cable, CableEnd]]],
) -> Wiring:
    """The seats of a device with these transceivers and cables in its cages."""
    if not (modules or plugs or device.modes):
        return _NOTHING_IN
    cages = cages_of(design, device)
    names = {*modules, *plugs, *[name for name, _ in device.modes if name in cages]}
    for name in names - cages.keys():
        raise KeyError(name)
    return Wiring(
        {
            name: seat_of(design, device, cage, modules.get(name, ()), plugs.get(name, ()))
            for name, cage in cages.items()
            if name in names
        }
    )


_NOTHING_IN = Wiring({})


def seat_of(
    design: Design,
    device: Device,
    cage: Cage,
    modules: Sequence[Module],
    plugs: Iterable[tuple[Cable, CableEnd]],
) -> Seat:
    """A cage with these modules and plugs in it, each oldest first."""
    plugs = tuple(plugs)
    module = modules[0] if modules else None
    ids = (module.id,) if module and len(modules) == 1 else tuple([m.id for m in modules])
    key = _contents(cage, module.part if module else None, plugs)
    kind = design.wiring_memo.kinds.get(key)
    if kind is None or device.modes or (design.panels and _meets_panel(design, plugs)):
        kind = _kind(design, device, cage, modules, plugs, key)
    return Seat(cage, ids, plugs, kind)


def _contents(
    cage: Cage, module: PartId | None, plugs: tuple[tuple[Cable, CableEnd], ...]
) -> tuple[object, ...]:
    """Equal for cages of one group with the same parts in them.

    Written out for one cable and for two, which nearly all cages have: half the time.
    """
    match plugs:
        case ((cable, end),):
            return id(cage.modes), module, cable.part, end.end
        case ((cable, end), (other, its_end)):
            return id(cage.modes), module, cable.part, end.end, other.part, its_end.end
        case _:
            parts = [x for cable, end in plugs for x in (cable.part, end.end)]
            return id(cage.modes), module, *parts


def _meets_panel(design: Design, plugs: Iterable[tuple[Cable, CableEnd]]) -> bool:
    return any(end.device in design.panels for cable, _ in plugs for end in cable.ends)


def _kind(
    design: Design,
    device: Device,
    cage: Cage,
    modules: Sequence[Module],
    plugs: tuple[tuple[Cable, CableEnd], ...],
    key: tuple[object, ...],
) -> SeatKind:
    """The kind of a seat, worked out; ``key`` says what is plugged."""
    memo = design.wiring_memo
    module = design.part(modules[0].part, TransceiverPart) if modules else None
    mode = fixed_mode(device, cage)
    if mode is not None:
        return memo.led_on.setdefault((*key, id(mode), True), SeatKind(module, mode, True))
    followed = device.id not in design.panels
    mode = mode_of(design, cage, module, plugs, followed)
    kind = SeatKind(module, mode, False)
    if followed and any(
        is_structured(design, cable, design.part(cable.part, CablePart)) for cable, _ in plugs
    ):
        return memo.led_on.setdefault((*key, id(mode), False), kind)
    return memo.kinds.setdefault(key, kind)


def plugged_as(design: Design, ends: Sequence[CableEnd]) -> tuple[object, ...]:
    """What tells apart how these ends are plugged, wherever that is: ends, sockets and kinds.

    It holds identities of kinds; the wiring memo of the design keeps those. Written out for two
    ends, which nearly all cables have.
    """
    known = design.wirings
    if len(ends) == 2:
        a, b = ends
        at_a = known.get(a.device) or wiring(design, a.device)
        at_b = known.get(b.device) or wiring(design, b.device)
        kind_a, kind_b = at_a.seats[a.cage].kind, at_b.seats[b.cage].kind
        return a.end, a.socket, id(kind_a), b.end, b.socket, id(kind_b)
    seats = [wiring(design, end.device).seats[end.cage] for end in ends]
    pairs = zip(ends, seats, strict=True)
    return tuple([x for end, seat in pairs for x in (end.end, end.socket, id(seat.kind))])


def cage_mode(design: Design, device: Device, cage: Cage) -> BreakoutMode:
    """The breakout mode a cage is in: the fixed one, else the default, finer if the plug needs it.

    A 1:4 cable in a twin-port cage makes four ports of it without anyone configuring it.
    """
    return wiring(design, device.id).mode(cage)


def module_in(design: Design, device_id: DeviceId, cage: str) -> TransceiverPart | None:
    """The transceiver in a cage, or None."""
    return wiring(design, device_id).module(cage)


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
