# SPDX-License-Identifier: Apache-2.0
"""What sits in the cages of a device, and plans: cables to plug, with the optics they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import CablePart, DevicePart, TransceiverPart
from rackloom.catalog.words import CableTechnology, CageRole
from rackloom.design.draft import Draft
from rackloom.design.edits import insert_module, plug_cable, set_mode
from rackloom.design.entities import CableEnd, Device
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.value import Design
from rackloom.design.wiring import cage_mode
from rackloom.placement.joins import Join, Kind, kind_of
from rackloom.placement.routes import PortAt

# What is plugged where


@dataclass(frozen=True, slots=True)
class Filled:
    """What a cage holds: a transceiver with some of its sockets taken, or a cable's own plug."""

    module: TransceiverPart | None
    cables: tuple[tuple[int, CableId], ...]
    """(socket, cable)."""

    @property
    def free_sockets(self) -> tuple[int, ...]:
        """Fibre sockets that wait for a cord; none where a cable is plugged directly."""
        if self.module is None:
            return ()
        taken = {socket for socket, _ in self.cables}
        return tuple(s for s in range(self.module.sockets) if s not in taken)


def filled_cages(design: Design, device_id: DeviceId) -> dict[str, Filled]:
    """The cages of a device that hold something."""
    found: dict[str, Filled] = {}
    for module_id in design.index.modules_of_device.get(device_id, ()):
        module = design.modules[module_id]
        found[module.cage] = Filled(design.part(module.part, TransceiverPart), ())
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        for end in design.cables[cable_id].ends:
            if end.device == device_id:
                held = found.get(end.cage, Filled(None, ()))
                found[end.cage] = replace(held, cables=(*held.cables, (end.socket, cable_id)))
    return found


EMPTY = Filled(None, ())


@lru_cache(maxsize=4096)
def _only(cage: Cage, mode: BreakoutMode) -> Cage:
    return replace(cage, modes=(mode,))


def kind_here(design: Design, device: Device, cage: Cage, fill: Filled) -> Kind:
    """The kind of a device's cage, with no mode but the one it is bound to.

    The user may have fixed it, or other cables in the cage may.
    """
    if len(cage.modes) > 1:
        mode = cage_mode(design, device, cage) if fill.cables else fixed_mode(device, cage)
        if mode is not None:
            cage = _only(cage, mode)
    part = design.part(device.part, DevicePart)
    return kind_of(cage, part.manufacturer, part.model)


def kind_at(design: Design, port: PortAt, fill: Filled = EMPTY) -> Kind:
    """The kind of cage a port is; EditError where the device has no such cage."""
    device = design.devices[port[0]]
    cage = cages_of(design, device).get(port[1])
    if cage is None:
        raise EditError(f"{device.name} has no port {port[1]!r}", (device.id,))
    return kind_here(design, device, cage, fill)


def named_kind(design: Design, port: PortAt) -> Kind:
    """The cage under its own name, for a sentence about just this one."""
    device = design.devices[port[0]]
    cage: Cage = cages_of(design, device)[port[1]]
    name = f"port {cage.name}" if cage.name.isdigit() else cage.name
    return Kind(replace(cage, name=name), design.device_part(port[0]).manufacturer, device.name)


def port_text(design: Design, port: PortAt) -> str:
    """A port as a person says it: ``port 12 of leaf-03``."""
    name = f"port {port[1]}" if port[1].isdigit() else port[1]
    return f"{name} of {design.devices[port[0]].name}"


def counted(number: int, word: str, words: str = "") -> str:
    """A number of things as a person says it: ``1 switch``, ``2 switches``."""
    return f"{number} {word if number == 1 else words or word + 's'}"


# Plans


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing joins the two ports; ``message`` says why in one sentence."""

    message: str
    where: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Plan:
    """One cable to plug, with the transceivers it needs; nothing has happened yet."""

    part: CablePart
    ends: tuple[CableEnd, ...]
    """Every end of the cable once it is plugged, those that were plugged before among them."""
    length_m: float
    needed_m: float
    modules: tuple[tuple[PortAt, TransceiverPart], ...] = ()
    """Transceivers to put in; those already in their cages are not named."""
    modes: tuple[tuple[PortAt, str], ...] = ()
    """Breakout modes to set, where the cages' usual ones do not match each other."""
    extends: CableId | None = None
    """The breakout whose loose end is plugged, where no new cable is drawn."""
    rate_gbps: float | None = None
    fabric: str | None = None
    label: str = ""

    @property
    def technology(self) -> CableTechnology:
        """How the signal travels."""
        return self.part.technology

    @property
    def loose_ends(self) -> int:
        """Ends of the cable that hang loose afterwards."""
        return len(self.part.ends) - len(self.ends)

    @property
    def text(self) -> str:
        """What is plugged, in a few words: ``MFP7E10, 10 m, with 2 x MMA4Z00-NS``."""
        words = [self.part.model, f"{self.length_m:g} m"]
        models: dict[str, int] = {}
        for _, module in self.modules:
            models[module.model] = models.get(module.model, 0) + 1
        if models:
            words.append(
                "with " + " and ".join(f"{n} x {m}" if n > 1 else m for m, n in models.items())
            )
        if self.loose_ends:
            words.append(f"{counted(self.loose_ends, 'end')} left")
        return ", ".join(words)

    def apply(self, draft: Draft) -> CableId:
        """Plug it: an edit. Closing the draft refuses it where a socket has been taken since."""
        for (device_id, cage), module in self.modules:
            insert_module(draft, module, device_id, cage)
        for (device_id, cage), mode in self.modes:
            set_mode(draft, device_id, cage, mode)
        if self.extends is not None:
            cable = draft.cables[self.extends]
            draft.put(replace(cable, ends=self.ends, length_m=self.length_m))
            return self.extends
        return plug_cable(
            draft, self.part, self.ends, self.length_m, label=self.label, fabric=self.fabric
        )


def apply_plans(draft: Draft, plans: Iterable[Plan]) -> list[CableId]:
    """Plug many plans in one edit; a transceiver that two of them share goes in once."""
    inserted: set[PortAt] = set()
    cables = []
    for plan in plans:
        fresh = tuple((port, module) for port, module in plan.modules if port not in inserted)
        inserted |= {port for port, _ in fresh}
        cables.append(replace(plan, modules=fresh).apply(draft))
    return cables


def fabric_of(design: Design, a: PortAt, b: PortAt) -> str | None:
    """The network a cable between two ports belongs to.

    The one a switch is said to be part of, at a port for its traffic; else the one a NIC or a
    management port is for (compute, out-of-band, ...); else that of the cables its devices have
    already. None where nothing says.
    """
    devices = (design.devices[a[0]], design.devices[b[0]])
    roles = [
        cages_of(design, device)[name].role
        for device, (_, name) in zip(devices, (a, b), strict=True)
    ]
    for device, role in zip(devices, roles, strict=True):
        if device.fabric and role is CageRole.FABRIC:
            return device.fabric
    for role in roles:
        if role not in {CageRole.FABRIC, CageRole.SERVICE, CageRole.CONSOLE}:
            return str(role)
    for device in devices:
        for cable_id in design.index.cables_of_device.get(device.id, ()):
            cable = design.cables[cable_id]
            data = (cages_of(design, device)[e.cage] for e in cable.ends if e.device == device.id)
            if cable.fabric and any(cage.role is CageRole.FABRIC for cage in data):
                return cable.fabric
    return None


def plan_of(
    design: Design,
    join: Join,
    a: PortAt,
    b: PortAt,
    sockets: Sequence[int],
    fills: tuple[Filled, Filled],
    length_m: float,
    needed_m: float,
) -> Plan:
    """A plan for a join of two ports, at these fibre sockets."""
    ends = (CableEnd(join.a_end, *a, sockets[0]), CableEnd(join.b_end, *b, sockets[1]))
    modules = tuple(
        (port, module)
        for port, module, fill in ((a, join.a_module, fills[0]), (b, join.b_module, fills[1]))
        if module is not None and fill.module is None
    )
    return Plan(
        join.part,
        tuple(sorted(ends, key=lambda end: end.end)),
        length_m,
        needed_m,
        modules,
        tuple(
            (port, mode) for port, mode in ((a, join.link.a_mode), (b, join.link.b_mode)) if mode
        ),
        rate_gbps=join.rate_gbps,
        fabric=fabric_of(design, a, b),
    )
