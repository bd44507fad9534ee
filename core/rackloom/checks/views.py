# SPDX-License-Identifier: Apache-2.0
"""A device as plugged: what sits in each of its cages, and what is to be said of that kind of plug.

Thousands of cages hold the same thing, so what depends on parts only is worked out once a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import Misfit, cable_misfits, slower_plug, transceiver_misfits
from rackloom.catalog.parts import CablePart, DevicePart, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.checks.finding import called
from rackloom.checks.shape import Shape, cage_words, stand_in
from rackloom.design.hardware import cages_of
from rackloom.design.wiring import wiring

if TYPE_CHECKING:
    from rackloom.design.entities import Cable, CableEnd, Device
    from rackloom.design.ids import DeviceId, ModuleId
    from rackloom.design.value import Design
    from rackloom.design.wiring import Seat, SeatKind

FIBRE_CONNECTORS = frozenset(
    {FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX}
)
"""Cages with the optics inside: fibre goes straight in."""

_COPPER = frozenset({CableTechnology.DAC, CableTechnology.ACC})


@dataclass(frozen=True, slots=True)
class CageKind:
    """What parts alone say about a plugged cage."""

    seat: SeatKind
    """What it says that of; keeps the key of the memo alive."""
    misfits: tuple[Misfit, ...]
    plug_w: float
    plug_w_unknown: bool
    copper: int
    """Thick copper assemblies in it."""
    mixed: bool
    """A straight fibre beside a splitter in one transceiver."""
    direct_on_module: bool
    """A cable with plugs of its own in a cage with a transceiver."""
    kg_per_m: float
    """Weight of a metre of its cables, as far as known."""


class CageState(NamedTuple):
    """A cage with something in it, or with a mode somebody fixed."""

    seat: Seat
    kind: CageKind
    doubled: bool
    """More than one plug in a socket, or a direct plug on a transceiver."""

    @property
    def cage(self) -> Cage:
        """The cage."""
        return self.seat.cage

    @property
    def modules(self) -> tuple[ModuleId, ...]:
        """The transceiver in it; several only in a broken design."""
        return self.seat.modules

    @property
    def plugs(self) -> tuple[tuple[Cable, CableEnd], ...]:
        """The cables in it, each with the end that is."""
        return self.seat.plugs

    @property
    def mode(self) -> BreakoutMode:
        """The mode it is in."""
        return self.seat.kind.mode

    @property
    def mode_fixed(self) -> bool:
        """Whether somebody chose its mode."""
        return self.seat.kind.mode_fixed

    @property
    def module(self) -> TransceiverPart | None:
        """The transceiver in it."""
        return self.seat.kind.module

    @property
    def in_use(self) -> bool:
        """Whether a transceiver or a cable is in it."""
        return bool(self.modules or self.plugs)


@dataclass(slots=True)
class DeviceView:
    """A device as built and as plugged."""

    device: Device
    part: DevicePart
    cages: Mapping[str, Cage]
    states: dict[str, CageState]
    """Cages that hold something or have a fixed mode."""
    misfits: list[PlugMisfit]
    """Plugs that do not belong in the cage they are in."""
    doubled: list[CageState]
    """Cages with more than one plug in a socket, or with a direct plug on a transceiver."""
    kg_per_m: float = 0.0
    """Weight of a metre of all its cables, as far as known."""


@dataclass(frozen=True, slots=True)
class PlugMisfit:
    """A plug, direct or of a transceiver, in a cage that does not take it."""

    where: tuple[str, ...]
    rule: str
    text: str


class Memo:
    """What stays true as long as no part is replaced; carried from one run to the next."""

    def __init__(self) -> None:
        self.shapes: dict[tuple[object, ...], Shape] = {}
        self.kinds: dict[int, CageKind] = {}
        """By identity of the kind of seat."""


def look_at(
    design: Design, memo: Memo, device_id: DeviceId, known: DeviceView | None = None
) -> DeviceView:
    """A device with what is plugged into each of its cages.

    ``known``: the view before an edit; cages where nothing changed keep their state.
    """
    device = design.devices[device_id]
    before = {} if known is None else known.states
    states: dict[str, CageState] = {}
    for name, seat in wiring(design, device_id).seats.items():
        state = before.get(name)
        if state is None or state.seat is not seat:
            state = _state(design, memo, seat)
        states[name] = state
    return DeviceView(
        device,
        design.part(device.part, DevicePart),
        cages_of(design, device),
        states,
        [_placed(m, device, s) for s in states.values() if s.kind.misfits for m in s.kind.misfits],
        [state for state in states.values() if state.doubled],
        sum([state.kind.kg_per_m for state in states.values()]),
    )


def _state(design: Design, memo: Memo, seat: Seat) -> CageState:
    kind = memo.kinds.get(id(seat.kind))
    if kind is None:
        kind = memo.kinds[id(seat.kind)] = _new_kind(design, seat)
    return CageState(
        seat, kind, len(seat.plugs) + len(seat.modules) > 1 and _is_doubled(seat, kind)
    )


def _new_kind(design: Design, seat: Seat) -> CageKind:
    cage, module = seat.cage, seat.module
    cables = [(design.part(c.part, CablePart), end) for c, end in seat.plugs]
    named = stand_in(cage, 0)
    if module is not None:
        misfits = _module_misfits(named, module)
        powers = [module.power_max_w]
    else:
        misfits = tuple(m for part, end in cables for m in _direct_misfits(named, part, end.end))
        # Passive cables draw nothing, and no active one says what it draws in a cage it shares.
        powers = [part.ends[end.end].power_w for part, end in cables]
        powers = [p for p in powers if p is not None]
    fibres = {part.branches for part, _ in cables if part.technology is CableTechnology.FIBRE}
    return CageKind(
        seat.kind,
        misfits,
        sum(p for p in powers if p is not None),
        None in powers,
        sum(part.technology in _COPPER for part, _ in cables),
        module is not None and module.sockets > 1 and len(fibres) > 1,
        module is not None
        and any(part.technology is not CableTechnology.FIBRE for part, _ in cables),
        sum(part.kg_per_m or 0.0 for part, _ in cables),
    )


def _module_misfits(cage: Cage, module: TransceiverPart) -> tuple[Misfit, ...]:
    found = transceiver_misfits(cage, module, owner="{d0}")
    slower = slower_plug(cage, module.plug, plug_name=module.model, owner="{d0}")
    return (*found, slower) if slower else found


def _direct_misfits(cage: Cage, part: CablePart, end: int) -> tuple[Misfit, ...]:
    """What is wrong with a cable end in a cage; a fibre where a transceiver belongs is not."""
    if part.technology is CableTechnology.FIBRE and cage.form_factor not in FIBRE_CONNECTORS:
        return ()
    found = cable_misfits(cage, part, end, owner="{d0}")
    slower = slower_plug(cage, part.ends[end], plug_name=part.model, owner="{d0}")
    return (*found, slower) if slower else found


def _placed(misfit: Misfit, device: Device, state: CageState) -> PlugMisfit:
    text = misfit.message.replace("{c0}", cage_words(state.cage.name))
    plug: str = state.modules[-1] if state.modules else state.plugs[0][0].id
    return PlugMisfit((plug, device.id), misfit.rule, text.replace("{d0}", called(device.id)))


def _is_doubled(seat: Seat, kind: CageKind) -> bool:
    plugs = seat.plugs
    if len(seat.modules) > 1 or kind.direct_on_module:
        return True
    if len(plugs) == 2:
        return plugs[0][1].socket == plugs[1][1].socket
    return len({end.socket for _, end in plugs}) < len(plugs)
