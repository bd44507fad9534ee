# SPDX-License-Identifier: Apache-2.0
"""Oversubscription, bisection, hops and ways, as numbers with the places they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rackloom.design.ids import DeviceId
from rackloom.fabric.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from rackloom.fabric.value import Fabric


@dataclass(frozen=True, slots=True)
class TierNumbers:
    """One tier of one network; rates in Gb/s, one direction, of links that are alive."""

    network: str
    role: str
    switches: int
    down_gbps: float
    """To end points and lower tiers, all switches together."""
    up_gbps: float
    across_gbps: float
    oversubscription: float | None
    """Down over up of the whole tier; None where nothing is above it."""
    worst_oversubscription: float | None
    worst_at: tuple[DeviceId, ...]
    """Switches of the worst ratio."""
    bisection_gbps: float | None
    """What half of the tier's switches can send to the other half over the tier above: half of all
    uplinks, or of what is below them where that is less. None where nothing is above."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How many equal-cost ways lead from one device to another, and how long they are."""

    hops: int
    """Links on the way from end to end, those of the NICs included."""
    paths: int
    """Different ways of that length, parallel links counted apart; at most 2**53."""
    longest_hops: int
    """The same over the pair of ports that are farthest from each other (rails on other leaves)."""


_TIE = 1 + 1e-9


def tier_numbers(fabric: Fabric) -> tuple[TierNumbers, ...]:
    """Every tier of every network, leaves first."""
    tiers, balance = fabric.tiers, fabric.balance
    n = len(balance.down_gbps)
    found = []
    network = np.array(tiers.network[:n])
    tier = tiers.tier[:n]
    keys = sorted({(str(a), int(b)) for a, b in zip(network, tier, strict=True) if b >= 0})
    for name, level in keys:
        mine = np.flatnonzero((network == name) & (tier == level))
        found.append(_numbers(fabric, name, mine))
    return tuple(found)


def _numbers(fabric: Fabric, name: str, mine: Ints) -> TierNumbers:
    balance = fabric.balance
    down, up = balance.down_gbps[mine], balance.up_gbps[mine]
    total_down, total_up = float(down.sum()), float(up.sum())
    with_up = up > 0
    worst: float | None = None
    worst_at: tuple[DeviceId, ...] = ()
    if with_up.any():
        ratio: Floats = down[with_up] / up[with_up]
        worst = float(ratio.max())
        devices = fabric.network.switch_device[mine[with_up][ratio * _TIE >= worst]]
        named = dict.fromkeys(d for d in devices.tolist() if d >= 0)
        worst_at = tuple(fabric.arrays.device_ids[d] for d in named)
    return TierNumbers(
        network=name,
        role=fabric.tiers.role[int(mine[0])],
        switches=len(np.unique(fabric.network.switch_device[mine])),
        down_gbps=total_down,
        up_gbps=total_up,
        across_gbps=float(balance.across_gbps[mine].sum()),
        oversubscription=total_down / total_up if total_up > 0 else None,
        worst_oversubscription=worst,
        worst_at=worst_at,
        bisection_gbps=min(total_up, total_down) / 2 if total_up > 0 else None,
    )


def ways_between(fabric: Fabric, a: DeviceId, b: DeviceId) -> Ways | None:
    """Hops and equal-cost ways between two devices (servers or switches); None where none lead.

    Servers count from each of their ports; the ways of the nearest pairs of ports are added up.
    """
    starts, ends = _doors(fabric, a), _doors(fabric, b)
    if not len(starts) or not len(ends):
        return None
    at_nic = sum(fabric.vertex_of(x) is None for x in (a, b))
    doors, ports = np.unique(starts, return_counts=True)
    far, far_ports = np.unique(ends, return_counts=True)
    best, longest, paths = -1, -1, 0.0
    for door, count in zip(doors.tolist(), ports.tolist(), strict=True):
        distance, number = _counted(fabric, door)
        for end, end_count in zip(far.tolist(), far_ports.tolist(), strict=True):
            hops = int(distance[end])
            if hops < 0:
                continue
            longest = max(longest, hops)
            if best < 0 or hops < best:
                best, paths = hops, 0.0
            if hops == best:
                paths += float(number[end]) * count * end_count
    if best < 0:
        return None
    return Ways(best + at_nic, int(min(paths, 2.0**53)), longest + at_nic)


def _doors(fabric: Fabric, device: DeviceId) -> Ints:
    """Switch vertices a device is plugged into, once a port; itself, if it is a switch."""
    own = fabric.vertices_of(device)
    if own:
        return np.array(own)
    arrays, plugged = fabric.arrays, fabric.network.attachments
    if device not in arrays.device_ids:  # has no ports
        return np.zeros(0, np.int64)
    mine: Bools = arrays.nic_device[plugged.nic] == arrays.device_ids.index(device)
    return plugged.switch[mine]


def _counted(fabric: Fabric, start: int) -> tuple[Ints, Floats]:
    """Distance of every switch from one, and the number of shortest ways, links counted apart."""
    adjacency = fabric.network.adjacency
    n = fabric.network.switches
    distance = np.full(n, -1, np.int64)
    number = np.zeros(n)
    distance[start], number[start] = 0, 1.0
    frontier = number.copy()
    for hop in range(1, n):
        reached = np.asarray(adjacency @ frontier, np.float64)
        new = (reached > 0) & (distance < 0)
        if not new.any():
            break
        distance[new] = hop
        number[new] = reached[new]
        frontier = np.where(new, reached, 0.0)
    return distance, number
