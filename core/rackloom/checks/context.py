# SPDX-License-Identifier: Apache-2.0
"""What rules look at: a design, with the look-ups they share worked out once a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import Misfit, cable_misfits, slower_plug, transceiver_misfits
from rackloom.catalog.parts import CablePart, DevicePart, PartId, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.checks.finding import called
from rackloom.checks.shape import Shape, ShapeEnd, cage_words, stand_in
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.links import lit_lanes, mode_for
from rackloom.placement.routes import needed_lengths_m

if TYPE_CHECKING:
    from rackloom.catalog.load import Catalog
    from rackloom.checks.topology import Topology
    from rackloom.design.entities import Cable, CableEnd, Device
    from rackloom.design.ids import CableId, DeviceId, ModuleId
    from rackloom.design.value import Design

FIBRE_CONNECTORS = frozenset(
    {FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX}
)
"""Cages with the optics inside: fibre goes straight in."""


@dataclass(slots=True)
class CageState:
    """A cage with something in it, or with a mode somebody fixed."""

    cage: Cage
    mode: BreakoutMode
    mode_fixed: bool = False
    modules: list[ModuleId] = field(default_factory=list)
    module: TransceiverPart | None = None
    module_part: PartId | None = None
    plugs: list[tuple[CableId, CableEnd]] = field(default_factory=list)

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
        self.misfits: dict[tuple[object, ...], tuple[Cage, tuple[Misfit, ...]]] = {}


class Context:
    """A design and what rules share about it. Lives for one run."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog | None = None,
        memo: Memo | None = None,
        topology: Topology | None = None,
    ) -> None:
        self.design = design
        self.memo = memo or Memo()
        self._catalog = catalog
        self._topology = topology
        self._views: dict[DeviceId, DeviceView] = {}
        self._needed_m: dict[CableId, float] = {}

    @property
    def catalog_given(self) -> Catalog | None:
        """The catalogue the caller wants fixes to choose from; None for the bundled one."""
        return self._catalog

    @property
    def topology(self) -> Topology:
        """The network of links, switch by switch."""
        if self._topology is None:
            from rackloom.checks.topology import Topology

            self._topology = Topology.of(self.design)
        return self._topology

    # Devices and plugs

    def view(self, device_id: DeviceId) -> DeviceView:
        """A device with what is plugged into each of its cages."""
        view = self._views.get(device_id)
        if view is None:
            view = self._views[device_id] = self._look_at(device_id)
        return view

    def _look_at(self, device_id: DeviceId) -> DeviceView:
        design = self.design
        device = design.devices[device_id]
        cages = cages_of(design, device)
        states: dict[str, CageState] = {}

        def state_of(name: str) -> CageState:
            state = states.get(name)
            if state is None:
                cage = cages[name]
                state = states[name] = CageState(cage, cage.default_mode)
            return state

        for module_id in design.index.modules_of_device.get(device_id, ()):
            module = design.modules[module_id]
            state = state_of(module.cage)
            state.modules.append(module_id)
            state.module = design.part(module.part, TransceiverPart)
            state.module_part = module.part
        cables = design.cables
        for cable_id in design.index.cables_of_device.get(device_id, ()):
            for end in cables[cable_id].ends:
                if end.device == device_id:
                    state_of(end.cage).plugs.append((cable_id, end))
        for name, _ in device.modes:
            if name in cages:
                state_of(name)
        for state in states.values():
            self._set_mode(device, state)
        misfits = [m for state in states.values() for m in self._misfits(device, state)]
        return DeviceView(device, design.part(device.part, DevicePart), cages, states, misfits)

    def _misfits(self, device: Device, state: CageState) -> Iterator[PlugMisfit]:
        """What is wrong with the plugs of one cage; worked out once for each kind of both."""
        if state.module is not None and state.module_part is not None:
            key: tuple[object, ...] = (id(state.cage.modes), state.module_part)
            known = self.memo.misfits.get(key)
            if known is None:
                cage = stand_in(state.cage, 0)
                found = transceiver_misfits(cage, state.module, owner="{d0}")
                slower = slower_plug(
                    cage, state.module.plug, plug_name=state.module.model, owner="{d0}"
                )
                known = (cage, (*found, slower) if slower else found)
                self.memo.misfits[key] = known
            for misfit in known[1]:
                yield _placed(misfit, (state.modules[-1], device.id), device, state.cage)
            return
        for cable_id, end in state.plugs:
            part_id = self.design.cables[cable_id].part
            key = (id(state.cage.modes), part_id, end.end)
            known = self.memo.misfits.get(key)
            if known is None:
                part = self.design.part(part_id, CablePart)
                known = self.memo.misfits[key] = _direct_misfits(stand_in(state.cage, 0), part, end)
            for misfit in known[1]:
                yield _placed(misfit, (cable_id, device.id), device, state.cage)

    def _set_mode(self, device: Device, state: CageState) -> None:
        fixed = fixed_mode(device, state.cage) if device.modes else None
        if fixed is not None:
            state.mode, state.mode_fixed = fixed, True
            return
        parts = self.design.parts
        cables = self.design.cables
        lanes = [
            lit
            for cable_id, end in state.plugs
            if (lit := lit_lanes(parts[cables[cable_id].part], end.end, state.module)) is not None  # type: ignore[arg-type]
        ]
        if lanes:
            state.mode = mode_for(state.cage, min(lanes))

    # Cables

    def shape(self, cable: Cable) -> Shape:
        """How a cable is plugged; the same object for all cables plugged alike."""
        links = len(self.design.links.get(cable.id, ()))
        ends = cable.ends if len(cable.ends) < 2 else sorted(cable.ends, key=_end_number)
        states = []
        key: list[object] = [cable.part, links]
        for end in ends:
            state = self.view(end.device).states[end.cage]
            states.append((end, state))
            # The modes of a cage are one object for all of its group in its part.
            key += (
                end.end,
                id(state.cage.modes),
                state.mode.name,
                state.mode_fixed,
                state.module_part,
                end.socket,
            )
        found = self.memo.shapes.get(tuple(key))
        if found is None:
            found = self.memo.shapes[tuple(key)] = self._new_shape(cable, states, links)
        return found

    def _new_shape(
        self, cable: Cable, states: list[tuple[CableEnd, CageState]], links: int
    ) -> Shape:
        part = self.design.part(cable.part, CablePart)
        ends = tuple(
            ShapeEnd(
                end.end,
                part.ends[end.end],
                stand_in(state.cage, number),
                state.mode,
                state.mode_fixed,
                state.module,
                end.socket,
            )
            for number, (end, state) in enumerate(states)
        )
        return Shape(part, ends, links)

    def needed_m(self, cable_id: CableId) -> float | None:
        """Length a cable needs on its route, with slack; None while an end hangs loose."""
        if cable_id not in self._needed_m:
            self.measure([cable_id])
        needed_m = self._needed_m[cable_id]
        return None if isnan(needed_m) else needed_m

    def measure(self, cable_ids: Iterable[CableId]) -> None:
        """Work out the needed lengths of many cables at once."""
        missing = [self.design.cables[c] for c in cable_ids if c not in self._needed_m]
        ids, needed_m = needed_lengths_m(self.design, missing)
        self._needed_m.update(zip(ids, needed_m.tolist(), strict=True))

    # Words

    @staticmethod
    def called(entity_id: str) -> str:
        """The name of an entity, as it stands in a sentence."""
        return called(entity_id)

    def port(self, device_id: str, cage: str) -> str:
        """``port 12 of leaf-01``."""
        return f"port {cage} of {called(device_id)}"

    def cable(self, cable: Cable) -> str:
        """What a person calls a cable: its label, or its model and where it is plugged."""
        if cable.label:
            return f"cable {cable.label}"
        model = self.design.part(cable.part, CablePart).model
        ends = sorted(cable.ends, key=_end_number)
        if len(ends) < 2:
            return f"{model} at {self.port(ends[0].device, ends[0].cage)}" if ends else model
        first, *others = ends
        far = ", ".join(f"{called(e.device)} {e.cage}" for e in others[:2])
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        return f"{model} from {called(first.device)} {first.cage} to {far}{more}"


def _end_number(end: CableEnd) -> int:
    return end.end


def _direct_misfits(cage: Cage, part: CablePart, end: CableEnd) -> tuple[Cage, tuple[Misfit, ...]]:
    """What is wrong with a cable end in a cage; a fibre where a transceiver belongs is not."""
    if part.technology is CableTechnology.FIBRE and cage.form_factor not in FIBRE_CONNECTORS:
        return cage, ()
    found = cable_misfits(cage, part, end.end, owner="{d0}")
    slower = slower_plug(cage, part.ends[end.end], plug_name=part.model, owner="{d0}")
    return cage, (*found, slower) if slower else found


def _placed(misfit: Misfit, where: tuple[str, ...], device: Device, cage: Cage) -> PlugMisfit:
    text = misfit.message.replace("{c0}", cage_words(cage.name)).replace("{d0}", called(device.id))
    return PlugMisfit(where, misfit.rule, text)
