# SPDX-License-Identifier: Apache-2.0
"""Names for what was only cabled: which network a switch belongs to, and on which tier it stands.

A switch whose role or network the design names keeps that. For the rest, the tier is the distance
from the switches that GPU servers (failing those, any end points) are plugged into, and the
network is named after the server ports on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import CageRole, Protocol
from rackloom.fabric.arrays import MANAGEMENT, ROLE_CODE, ROLES, THROUGH, Bools, Ints
from rackloom.fabric.network import Network

if TYPE_CHECKING:
    from rackloom.design.value import Design

TIER_NAMES = ("leaf", "spine", "core")
"""Tiers from the end points upwards; beyond them ``tier-4``, ``tier-5``."""

UNPLUGGED = "unplugged"
"""Network of a switch that no end point can reach."""

SCALE_UP = "scale-up"
"""Network of switches that the backplane of their rack joins to GPUs, without a cable."""

_BACKPLANES = frozenset({Protocol.NVLINK, Protocol.UALINK})


def tier_name(tier: int) -> str:
    """What the field calls a tier, counted from 0 at the end points."""
    return TIER_NAMES[tier] if tier < len(TIER_NAMES) else f"tier-{tier + 1}"


@dataclass(frozen=True, slots=True)
class Tiers:
    """Tier, role and network of every switch vertex."""

    tier: Ints
    """0 for leaves; -1 for a switch that reaches no end point."""
    role: tuple[str, ...]
    network: tuple[str, ...]


def find_tiers(design: Design, network: Network) -> Tiers:
    """Tiers, roles and networks of a fabric as designed (pass the network without failures)."""
    tier = _tiers(network)
    names = _network_names(design, network)
    roles = []
    ids = network.arrays.device_ids
    for vertex, device in enumerate(network.switch_device.tolist()):
        given = design.devices[ids[device]].role if device >= 0 else None
        found = int(tier[vertex])
        roles.append(given or (tier_name(found) if found >= 0 else "switch"))
        if given in TIER_NAMES:
            tier[vertex] = TIER_NAMES.index(given)
    return Tiers(tier, tuple(roles), names)


def _end_points(network: Network) -> tuple[Ints, Ints, Ints, Bools]:
    """Links that leave the network: switch vertex, role code, NIC, and whether at a GPU server."""
    arrays = network.arrays
    columns = []
    for nic, other_nic, other, device in (
        (arrays.link_a_nic, arrays.link_b_nic, network.switch_of_b, arrays.link_a),
        (arrays.link_b_nic, arrays.link_a_nic, network.switch_of_a, arrays.link_b),
    ):
        links = np.flatnonzero((nic != THROUGH) & (other_nic == THROUGH) & network.link_alive)
        role = np.where(
            nic[links] == MANAGEMENT, ROLE_CODE[CageRole.OUT_OF_BAND], arrays.link_role[links]
        )
        gpus = (nic[links] >= 0) & (arrays.gpu_count[device[links]] > 0)
        columns.append((other[links], role, nic[links], gpus))
    direct = network.switch_device == -1
    vertices = np.flatnonzero(direct)
    links = network.attachments.link[network.attachments.switch >= np.sum(~direct)]
    roles = arrays.link_role[np.unique(links)]
    columns.append((vertices, roles, vertices * 0, np.zeros(len(vertices), np.bool_)))
    switch, role, nic, gpus = (np.concatenate(c) for c in zip(*columns, strict=True))
    return switch, role, nic, gpus.astype(np.bool_)


def _tiers(network: Network) -> Ints:
    """Distance of every switch from those where end points are plugged, -1 where there are none."""
    n = network.switches
    tier = np.full(n, -1, np.int64)
    switch, _, _, gpus = _end_points(network)
    components = network.components
    with_gpus = np.zeros(components.max() + 1 if n else 0, np.bool_)
    with_gpus[components[switch[gpus]]] = True
    start = switch[gpus | ~with_gpus[components[switch]]]
    frontier = np.zeros(n, np.int64)
    frontier[start] = 1
    tier[start] = 0
    adjacency = network.adjacency
    for distance in range(1, n):
        reached = (adjacency @ frontier > 0) & (tier < 0)
        if not reached.any():
            break
        tier[reached] = distance
        frontier = reached.astype(np.int64)
    return tier


def _network_names(design: Design, network: Network) -> tuple[str, ...]:
    """Name of the network of each switch."""
    components, ids = network.components, network.arrays.device_ids
    by_role = _names_by_role(network)
    by_backplane = {
        part.id
        for part in design.parts.values()
        if isinstance(part, SwitchPart) and part.protocol in _BACKPLANES
    }
    given: list[str | None] = []
    for device in network.switch_device.tolist():
        found = design.devices[ids[device]] if device >= 0 else None
        name = found.fabric if found else None
        given.append(name or (SCALE_UP if found and found.part in by_backplane else None))
    votes: dict[int, Counter[str]] = {}
    for component, name in zip(components.tolist(), given, strict=True):
        if name:
            votes.setdefault(component, Counter())[name] += 1
    for component, name in _cable_votes(design, network):
        if component not in votes or name not in votes[component]:
            votes.setdefault(component, Counter())[name] += 0
    return tuple(
        name or (votes[c].most_common(1)[0][0] if votes.get(c) else by_role[c])
        for c, name in zip(components.tolist(), given, strict=True)
    )


def _cable_votes(design: Design, network: Network) -> list[tuple[int, str]]:
    """Names that cables give to the networks they belong to."""
    arrays, cables = network.arrays, design.cables
    given = [cables[c].fabric for c in arrays.cable_ids]
    names = sorted({name for name in given if name})
    if not names:
        return []
    code = {name: n for n, name in enumerate(names)}
    named = np.array([code[name] if name else -1 for name in given], np.int64)[arrays.link_cable]
    found: list[Ints] = []
    ends = (network.switch_of_a, arrays.link_a_nic), (network.switch_of_b, arrays.link_b_nic)
    for vertex, nic in ends:
        links = np.flatnonzero((nic == THROUGH) & (named >= 0))
        component = network.components[vertex[links]]
        found.append(component * len(names) + named[links])
    keys = np.unique(np.concatenate(found))
    return [(k // len(names), names[k % len(names)]) for k in keys.tolist()]


def _names_by_role(network: Network) -> list[str]:
    """Name of each component after the ports plugged into it, those of GPU servers first."""
    components = network.components
    n = int(components.max()) + 1 if len(components) else 0
    switch, role, _, gpus = _end_points(network)
    votes = np.zeros((2, n, len(ROLES)), np.int64)
    np.add.at(votes, ((~gpus).astype(np.int64), components[switch], role), 1)
    names = []
    for component in range(n):
        first, second = votes[0, component], votes[1, component]
        ballot = first if first.any() else second
        names.append(str(ROLES[int(ballot.argmax())]) if ballot.any() else UNPLUGGED)
    return names
