# SPDX-License-Identifier: Apache-2.0
"""From links one wants to cables one orders: wires between ports, bundled into as few as fit.

A wire is one link between two logical ports. Two wires from one twin-port cage go over one splitter
cable where their far ends are single cages, over one straight cable where they share the far cage
too, and else over a fibre each, in the two sockets of one transceiver.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import TransceiverPart
from rackloom.catalog.words import CableTechnology, CageRole
from rackloom.design.entities import CableEnd, Device
from rackloom.design.hardware import cages_of
from rackloom.design.ids import DeviceId
from rackloom.design.value import Design
from rackloom.placement.cabling import too_far
from rackloom.placement.joins import Join, JoinSet, Kind, joiner
from rackloom.placement.many_routes import route_lengths_m
from rackloom.placement.misses import nearest_miss
from rackloom.placement.plans import (
    EMPTY,
    Filled,
    Plan,
    Refusal,
    fabric_of,
    filled_cages,
    kind_here,
    named_kind,
    port_text,
)
from rackloom.placement.routes import PortAt


class Slot(NamedTuple):
    """One link's place in a cage: ``port`` counts the links of the cage from 0."""

    cage: str
    port: int


class Wire(NamedTuple):
    """A link wanted between two devices; ``b`` is the side whose cages split, mostly the switch."""

    a: PortAt
    a_port: int
    b: PortAt
    b_port: int


_NUMBERS = re.compile(r"(\d+)")


def by_name(device: Device) -> tuple[tuple[str | int, ...], str]:
    """Sort key: names with numbers in the order people count, ``leaf-2`` before ``leaf-10``."""
    words = _NUMBERS.split(device.name)
    return tuple(int(w) if n % 2 else w for n, w in enumerate(words)), device.id


@dataclass(slots=True)
class Bench:
    """A design with what is plugged in it, looked up once for a whole run of wiring."""

    design: Design
    catalog: Catalog
    technology: CableTechnology | None = None
    _filled: dict[DeviceId, dict[str, Filled]] = field(default_factory=dict)
    _kinds: dict[PortAt, Kind] = field(default_factory=dict)
    _sets: dict[tuple[object, ...], JoinSet] = field(default_factory=dict)
    _narrowed: dict[tuple[object, ...], JoinSet] = field(default_factory=dict)

    def filled(self, port: PortAt) -> Filled:
        """What a cage holds."""
        held = self._filled.get(port[0])
        if held is None:
            held = self._filled[port[0]] = filled_cages(self.design, port[0])
        return held.get(port[1], EMPTY)

    def fill(self, port: PortAt, held: Filled) -> None:
        """Remember what a plan puts into a cage."""
        self.filled(port)
        self._filled[port[0]][port[1]] = held

    def kind(self, port: PortAt) -> Kind:
        """The kind of a cage."""
        found = self._kinds.get(port)
        if found is None:
            device = self.design.devices[port[0]]
            cage = cages_of(self.design, device)[port[1]]
            found = self._kinds[port] = kind_here(self.design, device, cage, self.filled(port))
        return found

    def joins(self, a: PortAt, b: PortAt) -> JoinSet:
        """What joins two cages as they are."""
        modules = self.filled(a).module, self.filled(b).module
        return self._joins(self.kind(a), self.kind(b), *modules)

    def _joins(
        self, a: Kind, b: Kind, at_a: TransceiverPart | None, at_b: TransceiverPart | None
    ) -> JoinSet:
        key = (a, b, at_a.id if at_a else None, at_b.id if at_b else None)
        found = self._sets.get(key)
        if found is None:
            work = joiner(self.design, self.catalog)
            found = self._sets[key] = work.between(a, b, at_a, at_b).of(self.technology)
        return found

    def narrowed(self, joins: JoinSet, shape: str, links: int) -> JoinSet:
        """Those joins of full rate that have a shape; remembered, as few sets occur often."""
        key = (joins, shape, links)
        found = self._narrowed.get(key)
        if found is None:
            found = self._narrowed[key] = JoinSet(
                join for join in joins.best if _has_shape(join, shape, links)
            )
        return found

    def fibres(self, joins: JoinSet, a_port: int, b_port: int) -> JoinSet:
        """Optics with a fibre for one link, whose sockets number these ports; remembered."""
        key = (joins, a_port, b_port)
        found = self._narrowed.get(key)
        if found is None:
            found = self._narrowed[key] = JoinSet(
                join
                for join in self.narrowed(joins, "fibre", 1).joins
                if join.a_module is not None
                and join.b_module is not None
                and a_port < join.a_module.sockets
                and b_port < join.b_module.sockets
            )
        return found

    def why_not(self, a: PortAt, b: PortAt, needed_m: float) -> str:
        """Why no part makes the links between two cages, in one sentence."""
        joins = self.joins(a, b)
        between = f"{port_text(self.design, a)} and {port_text(self.design, b)}"
        if joins.longest is not None and needed_m > joins.longest.reach_m:
            return f"between {between} it is {too_far(joins.longest, needed_m)}"
        if joins.longest is not None:
            return f"no stocked part joins one link of {between} by itself"
        modules = self.filled(a).module, self.filled(b).module
        work = joiner(self.design, self.catalog)
        kinds = named_kind(self.design, a), named_kind(self.design, b)
        return nearest_miss(work, *kinds, *modules, None, self.technology)


def _has_shape(join: Join, shape: str, links: int) -> bool:
    """``whole``: one cable for all links of two cages; ``split``: one whose trunk is at b, with a
    branch for each link; ``fibre``: optics with a cord for each link."""
    optical = join.a_module is not None
    if shape == "split":
        return not optical and join.b_end == 0 and join.part.branches >= max(links, 2)
    if join.part.branches != 1 or optical != (shape == "fibre"):
        return False
    return join.link.links == links


def slots_of(
    bench: Bench, device_id: DeviceId, role: CageRole, far: PortAt, far_is_a: bool = True
) -> list[Slot]:
    """The free places for links to cages like ``far``, in ascending order of the ports."""
    design = bench.design
    slots: list[Slot] = []
    for name, cage in cages_of(design, design.devices[device_id]).items():
        if cage.role is not role:
            continue
        port = (device_id, name)
        held = bench.filled(port)
        if held.cables and not held.free_sockets:
            continue
        joins = bench.joins(far, port) if far_is_a else bench.joins(port, far)
        room = links_in(joins, far_is_a)
        free = range(room) if held.module is None else held.free_sockets
        slots += [Slot(name, n) for n in free if n < room]
    return slots


def links_in(joins: JoinSet, at_b: bool) -> int:
    """How many links a cage can hold, at the b side of these joins or at their a side."""
    room = 0
    for join in joins.best:
        module = join.b_module if at_b else join.a_module
        end = join.b_end if at_b else join.a_end
        share = module.sockets if module else join.part.branches if end == 0 else 1
        room = max(room, share * join.link.links)
    return room


# Wires to plans


def assemble(
    bench: Bench, wires: Sequence[Wire], fabric: str | None = None
) -> tuple[list[Plan], list[Refusal]]:
    """The cables for these wires, and what cannot be joined.

    Wires that share a cage at ``b`` go into one cable where a part allows.
    """
    lengths_m = route_lengths_m(bench.design, [w.a for w in wires], [w.b for w in wires])
    needed_m = (lengths_m + 2 * bench.design.settings.slack_m).tolist()
    groups: dict[PortAt, list[tuple[Wire, float]]] = {}
    for wire, need_m in zip(wires, needed_m, strict=True):
        groups.setdefault(wire.b, []).append((wire, need_m))
    plans: list[Plan] = []
    problems: list[Refusal] = []
    usual: dict[tuple[DeviceId, DeviceId], str | None] = {}
    for group in groups.values():
        first = group[0][0]
        pair = (first.a[0], first.b[0])
        if fabric is None and pair not in usual:
            usual[pair] = fabric_of(bench.design, first.a, first.b)
        for outcome in _bundle(bench, group, fabric or usual.get(pair)):
            if isinstance(outcome, Plan):
                plans.append(outcome)
            else:
                problems.append(outcome)
    return plans, problems


def _bundle(
    bench: Bench, group: list[tuple[Wire, float]], fabric: str | None
) -> list[Plan | Refusal]:
    """Plans for the wires of one cage at the b side: one cable for all, else a fibre for each."""
    plan = _one_cable(bench, group, fabric)
    if plan is not None:
        return [plan]
    return [_fibre(bench, wire, need_m, fabric) for wire, need_m in group]


def _one_cable(bench: Bench, group: list[tuple[Wire, float]], fabric: str | None) -> Plan | None:
    """One cable with plugs of its own for the whole group, if there is one."""
    wires = [wire for wire, _ in group]
    need_m = max(need for _, need in group)
    first = wires[0]
    far = dict.fromkeys(wire.a for wire in wires)
    if any(bench.filled(port) != EMPTY for port in (first.b, *far)):
        return None
    joins = bench.joins(first.a, first.b)
    best: tuple[Join, float] | None = None
    if len(far) == 1 and all(wire.a_port == wire.b_port for wire in wires):
        best = bench.narrowed(joins, "whole", len(wires)).for_length(need_m)
    alike = len({bench.kind(port) for port in far}) == 1
    if best is None and len(far) == len(wires) and alike and links_in(joins, at_b=False) == 1:
        splitters = bench.narrowed(joins, "split", max(wire.b_port for wire in wires) + 1)
        best = splitters.for_length(need_m)
    if best is None:
        return None
    join, length_m = best
    if join.part.branches == 1:
        ends = [CableEnd(join.a_end, *first.a), CableEnd(join.b_end, *first.b)]
    else:
        ends = [CableEnd(0, *first.b), *(CableEnd(w.b_port + 1, *w.a) for w in wires)]
    return _finish(bench, join, ends, length_m, need_m, wires, fabric)


def _fibre(bench: Bench, wire: Wire, need_m: float, fabric: str | None) -> Plan | Refusal:
    """A fibre of its own for a wire, between the sockets that belong to its ports."""
    a_held, b_held = bench.filled(wire.a), bench.filled(wire.b)
    joins = bench.fibres(bench.joins(wire.a, wire.b), wire.a_port, wire.b_port)
    best = joins.for_length(need_m)
    taken = ((wire.a_port, a_held), (wire.b_port, b_held))
    if best is None or any(port in {s for s, _ in held.cables} for port, held in taken):
        return Refusal(bench.why_not(wire.a, wire.b, need_m), (wire.a[0], wire.b[0]))
    join, length_m = best
    ends = [
        CableEnd(join.a_end, *wire.a, wire.a_port),
        CableEnd(join.b_end, *wire.b, wire.b_port),
    ]
    return _finish(bench, join, ends, length_m, need_m, [wire], fabric)


def _finish(
    bench: Bench,
    join: Join,
    ends: Iterable[CableEnd],
    length_m: float,
    need_m: float,
    wires: Sequence[Wire],
    fabric: str | None,
) -> Plan:
    """The plan; what it plugs is remembered, so that the next one sees the modules."""
    first = wires[0]
    modules: list[tuple[PortAt, TransceiverPart]] = []
    modes: list[tuple[PortAt, str]] = []
    for side, module, mode in (
        ([w.a for w in wires], join.a_module, join.link.a_mode),
        ([first.b], join.b_module, join.link.b_mode),
    ):
        for port in dict.fromkeys(side):
            held = bench.filled(port)
            if module is not None and held.module is None:
                modules.append((port, module))
                held = Filled(module, held.cables)
            if mode is not None:
                modes.append((port, mode))
            bench.fill(port, held)
    ordered = tuple(sorted(ends, key=lambda end: end.end))
    return Plan(
        join.part,
        ordered,
        length_m,
        need_m,
        tuple(modules),
        tuple(modes),
        rate_gbps=join.rate_gbps,
        fabric=fabric,
    )
