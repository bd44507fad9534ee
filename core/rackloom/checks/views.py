# SPDX-License-Identifier: Apache-2.0
"""A device as plugged: what sits in each of its cages, and what is to be said of that kind of plug.

Thousands of cages hold the same thing, so what depends on parts only is worked out once a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import Misfit, cable_misfits, slower_plug, transceiver_misfits
from rackloom.catalog.parts import CablePart, DevicePart, PartId, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.checks.finding import called
from rackloom.checks.shape import Shape, cage_words, stand_in
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.links import wiring

if TYPE_CHECKING:
    from rackloom.design.entities import Cable, CableEnd, Device
    from rackloom.design.ids import DeviceId, ModuleId
    from rackloom.design.value import Design

FIBRE_CONNECTORS = frozenset(
    {FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX}
)
"""Cages with the optics inside: fibre goes straight in."""

_COPPER = frozenset({CableTechnology.DAC, CableTechnology.ACC})


@dataclass(frozen=True, slots=True)
class CageKind:
    """What parts alone say about a plugged cage."""

    cage: Cage
    """One of the cages of this kind; keeps the key of the memo alive."""
    misfits: tuple[Misfit, ...]
    plug_w: float
    plug_w_unknown: bool
    copper: int
    """Thick copper assemblies in it."""
    mixed: bool
    """A straight fibre beside a splitter in one transceiver."""
    module: TransceiverPart | None
    direct_on_module: bool
    """A cable with plugs of its own in a cage with a transceiver."""
    kg_per_m: float
    """Weight of a metre of its cables, as far as known."""


@dataclass(slots=True)
class CageState:
    """A cage with something in it, or with a mode somebody fixed."""

    cage: Cage
    modules: list[ModuleId]
    plugs: list[tuple[Cable, CableEnd]]
    kind: CageKind
    mode: BreakoutMode
    mode_fixed: bool

    @property
    def module(self) -> TransceiverPart | None:
        """The transceiver in it."""
        return self.kind.module

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
        self.kinds: dict[tuple[object, ...], CageKind] = {}


class _Plugs:
    """A cage while its plugs are gathered."""

    __slots__ = ("cables", "module_part", "modules")

    def __init__(self) -> None:
        self.modules: list[ModuleId] = []
        self.module_part: PartId | None = None
        self.cables: list[tuple[Cable, CableEnd]] = []


def look_at(design: Design, memo: Memo, device_id: DeviceId) -> DeviceView:
    """A device with what is plugged into each of its cages."""
    device = design.devices[device_id]
    part = design.part(device.part, DevicePart)
    cages = cages_of(design, device)
    view = DeviceView(device, part, cages, {}, [], [])
    modes = wiring(design, device_id).modes
    for name, plugs in _gathered(design, device, cages).items():
        cage = cages[name]
        kind = _kind(design, memo, cage, plugs)
        fixed = bool(device.modes) and fixed_mode(device, cage) is not None
        mode = modes.get(name, cage.default_mode)
        state = CageState(cage, plugs.modules, plugs.cables, kind, mode, fixed)
        view.states[name] = state
        view.kg_per_m += kind.kg_per_m
        if kind.misfits:
            view.misfits += [_placed(misfit, device, state) for misfit in kind.misfits]
        if len(plugs.cables) + len(plugs.modules) > 1 and _doubled(state):
            view.doubled.append(state)
    return view


def _gathered(design: Design, device: Device, cages: Mapping[str, Cage]) -> dict[str, _Plugs]:
    found: dict[str, _Plugs] = {}
    device_id, cables, modules = device.id, design.cables, design.modules
    for module_id in design.index.modules_of_device.get(device_id, ()):
        module = modules[module_id]
        plugs = found.get(module.cage)
        if plugs is None:
            plugs = found[module.cage] = _Plugs()
        plugs.modules.append(module_id)
        plugs.module_part = module.part
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        cable = cables[cable_id]
        for end in cable.ends:
            if end.device == device_id:
                plugs = found.get(end.cage)
                if plugs is None:
                    plugs = found[end.cage] = _Plugs()
                plugs.cables.append((cable, end))
    for name, _ in device.modes:
        if name in cages:
            found.setdefault(name, _Plugs())
    return found


def _kind(design: Design, memo: Memo, cage: Cage, plugs: _Plugs) -> CageKind:
    # The modes of a cage are one object for all of its group in its part.
    key = (id(cage.modes), plugs.module_part, *[(c.part, e.end) for c, e in plugs.cables])
    kind = memo.kinds.get(key)
    if kind is None:
        kind = memo.kinds[key] = _new_kind(design, cage, plugs)
    return kind


def _new_kind(design: Design, cage: Cage, plugs: _Plugs) -> CageKind:
    module = None
    if plugs.module_part is not None:
        module = design.part(plugs.module_part, TransceiverPart)
    cables = [(design.part(c.part, CablePart), end) for c, end in plugs.cables]
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
        cage,
        misfits,
        sum(p for p in powers if p is not None),
        None in powers,
        sum(part.technology in _COPPER for part, _ in cables),
        module is not None and module.sockets > 1 and len(fibres) > 1,
        module,
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


def _doubled(state: CageState) -> bool:
    plugs = state.plugs
    if len(state.modules) > 1 or state.kind.direct_on_module:
        return True
    if len(plugs) == 2:
        return plugs[0][1].socket == plugs[1][1].socket
    return len({end.socket for _, end in plugs}) < len(plugs)
