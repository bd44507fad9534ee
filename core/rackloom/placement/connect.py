# SPDX-License-Identifier: Apache-2.0
"""Wiring many devices at once: rails, leaf to spine, one to one. First a preview, then one edit.

Ports are used in ascending order and twin cages filled, so that the cables come out as a technician
would pull them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import CablePart, ServerPart, SwitchPart
from rackloom.catalog.words import CableTechnology, CageRole, FormFactor
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.value import Design
from rackloom.placement.connect_plan import ConnectPlan, apply, rails_of_nics
from rackloom.placement.many_routes import route_lengths_m
from rackloom.placement.plans import (
    EMPTY,
    Filled,
    Plan,
    Refusal,
    counted,
    plan_of,
    port_text,
)
from rackloom.placement.routes import PortAt
from rackloom.placement.wiring import Bench, Slot, Wire, assemble, by_name, slots_of

__all__ = [
    "ConnectPlan",
    "apply",
    "management_switches",
    "plan_bipartite",
    "plan_devices",
    "plan_ports",
    "plan_rails",
]


# Rails


@dataclass(frozen=True, slots=True)
class _Nic:
    """A NIC port of a server, and the rail it belongs to."""

    rail: int
    port: PortAt
    index: int


def _nics(bench: Bench, server: DeviceId, role: CageRole) -> tuple[list[_Nic], int]:
    """The free NIC ports of a server by rail, and how many are cabled already.

    What a rail is says :func:`rails_of_nics`.
    """
    nics: list[_Nic] = []
    cabled = 0
    cages = cages_of(bench.design, bench.design.devices[server]).values()
    for (name, index), rail in rails_of_nics(cages, role).items():
        held = bench.filled((server, name))
        if held.cables and index not in held.free_sockets:
            cabled += 1
        else:
            nics.append(_Nic(rail, (server, name), index))
    return sorted(nics, key=lambda nic: nic.rail), cabled


def plan_rails(
    design: Design,
    catalog: Catalog,
    servers: Collection[DeviceId],
    switches: Collection[DeviceId],
    *,
    role: CageRole = CageRole.COMPUTE,
    keep_free: int = 0,
    technology: CableTechnology | None = None,
    fabric: str | None = None,
) -> ConnectPlan:
    """NIC k of every server to the leaf of rail k.

    Out of band, ``servers`` may hold switches as well: their management ports are cabled alike.
    With as many switches as rails, leaf k takes rail k. With fewer, neighbouring rails share a
    leaf; with more, servers and switches form pods: those named alike where both name them, else
    equal shares in the order of their names. ``keep_free`` ports of each switch stay free, for its
    uplinks.
    """
    bench = Bench(design, catalog, technology)
    devices = design.devices
    servers = sorted(servers, key=lambda d: by_name(devices[d]))
    switches = sorted(switches, key=lambda d: by_name(devices[d]))
    nics = {server: _nics(bench, server, role) for server in servers}
    rails = sorted({nic.rail for found, _ in nics.values() for nic in found})
    notes = []
    cabled = sum(number for _, number in nics.values())
    if cabled:
        ports = counted(cabled, f"{role} port")
        stay = "is cabled already and stays as it is"
        notes.append(
            f"{ports} {stay if cabled == 1 else 'are cabled already and stay as they are'}"
        )
    if not rails or not switches:
        who = "device" if role is CageRole.OUT_OF_BAND else "server"
        what = "switch" if rails else f"{who} with a free {role} port"
        return ConnectPlan((), (), (*notes, f"there is no {what} in the selection"))
    wires: list[Wire] = []
    problems: list[Refusal] = []
    for members, leaves in _pods(design, servers, switches, len(rails)):
        for leaf_number, leaf in enumerate(leaves):
            share = rails[
                _cut(len(rails), len(leaves), leaf_number) : _cut(
                    len(rails), len(leaves), leaf_number + 1
                )
            ]
            wanted = [nic for s in members for nic in nics[s][0] if nic.rail in share]
            _wire_leaf(bench, leaf, wanted, keep_free, wires, problems)
    idle = len(switches) - len({wire.b[0] for wire in wires})
    if idle > 0:
        of = counted(len(switches), "switch", "switches")
        notes.append(f"{idle} of {of} {'gets' if idle == 1 else 'get'} no cable")
    plans, more = assemble(bench, wires, fabric)
    return ConnectPlan(tuple(plans), (*problems, *more), tuple(notes))


def _cut(total: int, shares: int, number: int) -> int:
    """Where share ``number`` of ``total`` things begins, when they are dealt evenly in order."""
    return number * total // shares


def _pods(
    design: Design, servers: list[DeviceId], switches: list[DeviceId], rails: int
) -> list[tuple[list[DeviceId], list[DeviceId]]]:
    """Servers and the leaves that serve them."""
    pods = max(len(switches) // rails, 1)
    if pods == 1:
        return [(servers, switches[:rails])]
    names = {design.devices[d].pod for d in (*servers, *switches)}
    if None not in names:
        named = [
            (
                [s for s in servers if design.devices[s].pod == name],
                [s for s in switches if design.devices[s].pod == name],
            )
            for name in sorted(name for name in names if name)
        ]
        if all(members and leaves for members, leaves in named):
            return named
    shares = np.array_split(np.arange(len(servers)), pods)
    return [
        ([servers[n] for n in share], switches[pod * rails : (pod + 1) * rails])
        for pod, share in enumerate(shares)
    ]


def _wire_leaf(
    bench: Bench,
    leaf: DeviceId,
    wanted: list[_Nic],
    keep_free: int,
    wires: list[Wire],
    problems: list[Refusal],
) -> None:
    """Give the NIC ports of one leaf its free ports in ascending order."""
    if not wanted:
        return
    slots = slots_of(bench, leaf, CageRole.FABRIC, wanted[0].port)
    name = bench.design.devices[leaf].name
    if not slots:
        port = next(
            (
                n
                for n, c in cages_of(bench.design, bench.design.devices[leaf]).items()
                if c.role is CageRole.FABRIC and bench.filled((leaf, n)) == EMPTY
            ),
            None,
        )
        why = f"{name} has no free port"
        if port is not None:
            why = bench.why_not(wanted[0].port, (leaf, port), 0.0)
        problems += [Refusal(why, (nic.port[0], leaf)) for nic in wanted]
        return
    usable = slots[: max(len(slots) - keep_free, 0)]
    for nic, slot in zip(wanted, usable, strict=False):
        wires.append(Wire(nic.port, nic.index, (leaf, slot.cage), slot.port))
    for nic in wanted[len(usable) :]:
        reason = f"{name} has no port left for {port_text(bench.design, nic.port)}"
        problems.append(Refusal(reason, (nic.port[0], leaf)))


def management_switches(design: Design, switches: Collection[DeviceId]) -> list[DeviceId]:
    """Those of the switches that management ports can go to: they have RJ45 ports for traffic."""
    return [
        switch
        for switch in switches
        if any(
            cage.role is CageRole.FABRIC and cage.form_factor is FormFactor.RJ45
            for cage in cages_of(design, design.devices[switch]).values()
        )
    ]


# Switches to switches


def plan_bipartite(
    design: Design,
    catalog: Catalog,
    lower: Collection[DeviceId],
    upper: Collection[DeviceId],
    *,
    links_per_pair: int | None = None,
    technology: CableTechnology | None = None,
    fabric: str | None = None,
) -> ConnectPlan:
    """Every lower switch to every upper one, by equally many links: leaf to spine, spine to core.

    Without ``links_per_pair``, as many as the free ports of all allow.
    """
    bench = Bench(design, catalog, technology)
    devices = design.devices
    lower = sorted(lower, key=lambda d: by_name(devices[d]))
    upper = sorted(set(upper) - set(lower), key=lambda d: by_name(devices[d]))
    if not lower or not upper:
        return ConnectPlan((), (), ("two groups of switches are needed, one for each side",))
    near, far = _first_free(bench, lower[0]), _first_free(bench, upper[0])
    if near is None or far is None:
        full = lower[0] if near is None else upper[0]
        return ConnectPlan((), (Refusal(f"{devices[full].name} has no free port", (full,)),))
    low = {d: slots_of(bench, d, CageRole.FABRIC, far, far_is_a=False) for d in lower}
    high = {d: slots_of(bench, d, CageRole.FABRIC, near) for d in upper}
    room = min(
        min(len(low[d]) for d in lower) // len(upper),
        min(len(high[d]) for d in upper) // len(lower),
    )
    links = room if links_per_pair is None else links_per_pair
    if links < 1 or links > room:
        return ConnectPlan((), (_no_room(bench, low, high, near, far, max(links, 1)),))
    wires = [
        Wire((a, low_slot.cage), low_slot.port, (b, high_slot.cage), high_slot.port)
        for i, a in enumerate(lower)
        for j, b in enumerate(upper)
        for low_slot, high_slot in zip(
            low[a][j * links : (j + 1) * links], high[b][i * links : (i + 1) * links], strict=True
        )
    ]
    plans, problems = assemble(bench, wires, fabric)
    over = {d: len(low[d]) - links * len(upper) for d in lower}
    notes = [f"{counted(links, 'link')} between each pair"]
    if any(over.values()):
        notes.append(f"{min(over.values())} or more ports of each lower switch stay free")
    return ConnectPlan(tuple(plans), tuple(problems), tuple(notes))


def _first_free(bench: Bench, device: DeviceId) -> PortAt | None:
    for name, cage in cages_of(bench.design, bench.design.devices[device]).items():
        if cage.role is CageRole.FABRIC and bench.filled((device, name)) == EMPTY:
            return device, name
    return None


def _no_room(
    bench: Bench,
    low: dict[DeviceId, list[Slot]],
    high: dict[DeviceId, list[Slot]],
    near: PortAt,
    far: PortAt,
    links: int,
) -> Refusal:
    """Which switch has too few ports, or why no port of one goes to the other."""
    for slots, others in ((low, high), (high, low)):
        for device, free in slots.items():
            if not free:
                return Refusal(bench.why_not(near, far, 0.0), (device,))
            if len(free) < links * len(others):
                name = bench.design.devices[device].name
                return Refusal(
                    f"{name} has {counted(len(free), 'free port')}, but {links} to each of "
                    f"{counted(len(others), 'switch', 'switches')} takes {links * len(others)}",
                    (device,),
                )
    return Refusal("no link was asked for", ())


# One to one


def plan_ports(
    design: Design,
    catalog: Catalog,
    a_ports: Sequence[PortAt],
    b_ports: Sequence[PortAt],
    *,
    technology: CableTechnology | None = None,
    part: CablePart | None = None,
) -> ConnectPlan:
    """The n-th port of one side to the n-th of the other, as if one dragged the cables singly."""
    bench = Bench(design, catalog, technology)
    pairs = list(zip(a_ports, b_ports, strict=False))
    notes = []
    if len(a_ports) != len(b_ports):
        left = abs(len(a_ports) - len(b_ports))
        stay = "stays" if left == 1 else "stay"
        notes.append(f"{counted(left, 'port')} of the longer side {stay} free")
    lengths_m = route_lengths_m(design, [a for a, _ in pairs], [b for _, b in pairs])
    plans: list[Plan] = []
    problems: list[Refusal] = []
    for (a, b), length_m in zip(pairs, lengths_m.tolist(), strict=True):
        outcome = _pair(bench, a, b, length_m + 2 * design.settings.slack_m, part)
        if isinstance(outcome, Plan):
            plans.append(outcome)
        else:
            problems.append(outcome)
    return ConnectPlan(tuple(plans), tuple(problems), tuple(notes))


def _pair(
    bench: Bench, a: PortAt, b: PortAt, need_m: float, part: CablePart | None
) -> Plan | Refusal:
    held = (bench.filled(a), bench.filled(b))
    for port, fill in zip((a, b), held, strict=True):
        if fill.cables and not fill.free_sockets:
            return Refusal(f"{port_text(bench.design, port)} is taken", (port[0],))
    joins = bench.joins(a, b).of(None, part)
    best = joins.for_length(need_m)
    if best is None or a == b:
        return Refusal(bench.why_not(a, b, need_m), (a[0], b[0]))
    join, length_m = best
    sockets = [fill.free_sockets[0] if fill.free_sockets else 0 for fill in held]
    plan = plan_of(bench.design, join, a, b, sockets, held, length_m, need_m)
    pending = CableId("")  # stands for the cable that the plan will make
    for port, module, fill, socket in zip(
        (a, b), (join.a_module, join.b_module), held, sockets, strict=True
    ):
        bench.fill(port, Filled(module, (*fill.cables, (socket, pending))))
    return plan


def plan_devices(
    design: Design,
    catalog: Catalog,
    first: Sequence[DeviceId],
    second: Sequence[DeviceId],
    *,
    technology: CableTechnology | None = None,
) -> ConnectPlan:
    """Connect two groups of devices the way their kinds suggest.

    Servers with switches: by rails. Switches with switches: each with each.
    """
    kinds = [{type(design.device_part(d)) for d in group} for group in (first, second)]
    if kinds == [{ServerPart}, {SwitchPart}]:
        return plan_rails(design, catalog, first, second, technology=technology)
    if kinds == [{SwitchPart}, {ServerPart}]:
        return plan_rails(design, catalog, second, first, technology=technology)
    if kinds == [{SwitchPart}, {SwitchPart}]:
        return plan_bipartite(design, catalog, first, second, technology=technology)
    return ConnectPlan(
        (), (), ("select servers and switches, or two groups of switches, to connect them",)
    )
