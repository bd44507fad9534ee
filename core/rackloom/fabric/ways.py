# SPDX-License-Identifier: Apache-2.0
"""Hops and equal-cost ways from one device to another, and between groups of servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rackloom.catalog.words import CageRole
from rackloom.design.ids import DeviceId
from rackloom.fabric.arrays import ROLE_CODE, Bools, Floats, Ints

if TYPE_CHECKING:
    from rackloom.fabric.value import Fabric

MOST_GROUPS = 24
"""Groups that :func:`group_ways` looks at unless told: 276 pairs."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How many equal-cost ways lead from one device to another, and how long they are."""

    hops: int
    """Links on the way from end to end, those of the NICs included."""
    paths: int
    """Different ways of that length, parallel links counted apart; at most 2**53."""
    longest_hops: int
    """The same over the pair of ports that are farthest from each other (rails on other leaves)."""


def ways_between(fabric: Fabric, a: DeviceId, b: DeviceId) -> Ways | None:
    """Hops and equal-cost ways between two devices (servers or switches); None where none lead.

    Servers count from each of their ports; the ways of the nearest pairs of ports are added up.
    """
    starts, ends = _doors(fabric, a), _doors(fabric, b)
    if not len(starts) or not len(ends):
        return None
    at_nic = sum(fabric.vertex_of(x) is None for x in (a, b))
    return _ways(_fans(fabric, [starts])[0], ends, at_nic)


@dataclass(frozen=True, slots=True)
class _Fan:
    """Everything as seen from one switch: distances, numbers of shortest ways, ports on it."""

    ports: int
    distance: Ints
    number: Floats


def _fans(fabric: Fabric, starts: list[Ints]) -> list[list[_Fan]]:
    """The fans of several devices, each from the switches it is plugged into."""
    every = np.unique(np.concatenate(starts))
    distance, number = _counted(fabric, every)
    found = []
    for own in starts:
        doors, ports = np.unique(own, return_counts=True)
        rows = np.searchsorted(every, doors).tolist()
        pairs = zip(rows, ports.tolist(), strict=True)
        found.append([_Fan(count, distance[row], number[row]) for row, count in pairs])
    return found


def _ways(fans: list[_Fan], ends: Ints, at_nic: int) -> Ways | None:
    far, far_ports = np.unique(ends, return_counts=True)
    best, longest, paths = -1, -1, 0.0
    for fan in fans:
        for end, end_count in zip(far.tolist(), far_ports.tolist(), strict=True):
            hops = int(fan.distance[end])
            if hops < 0:
                continue
            longest = max(longest, hops)
            if best < 0 or hops < best:
                best, paths = hops, 0.0
            if hops == best:
                paths += float(fan.number[end]) * fan.ports * end_count
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


@dataclass(frozen=True, slots=True)
class WaysOfPairs:
    """Pairs of groups of GPU servers whose ways are alike; ``within``: both servers in one."""

    within: bool
    pairs: int
    ways: Ways | None
    """None: no way leads from one to the other."""
    example: tuple[DeviceId, DeviceId]


@dataclass(frozen=True, slots=True)
class GroupWays:
    """Hops and ways between groups of GPU servers, by their compute ports."""

    by: str
    """``pod``, where the design names pods; ``leaf``: servers on the same switches are a group."""
    groups: int
    looked_at: int
    """Groups that were looked at, the first ones; one server stands for each."""
    pairs: tuple[WaysOfPairs, ...]


def group_ways(fabric: Fabric, most_groups: int = MOST_GROUPS) -> GroupWays:
    """How far groups of servers are from each other, and how many equal ways lead there."""
    by, groups, doors = _groups(fabric)
    chosen = groups[:most_groups]
    found: dict[tuple[bool, Ways | None], list[tuple[DeviceId, DeviceId]]] = {}
    ids = fabric.arrays.device_ids
    seen = _fans(fabric, [doors[members[0]] for members in chosen]) if chosen else []
    for number, (members, fans) in enumerate(zip(chosen, seen, strict=True)):
        others = [(True, members[1])] if len(members) > 1 else []
        others += [(False, other[0]) for other in chosen[number + 1 :]]
        for within, other in others:
            ways = _ways(fans, doors[other], 2)
            found.setdefault((within, ways), []).append((ids[members[0]], ids[other]))
    pairs = [
        WaysOfPairs(within, len(examples), ways, examples[0])
        for (within, ways), examples in found.items()
    ]
    pairs.sort(key=lambda p: (not p.within, p.ways is None, p.ways.hops if p.ways else 0))
    return GroupWays(by, len(groups), len(chosen), tuple(pairs))


def _groups(fabric: Fabric) -> tuple[str, list[list[int]], dict[int, Ints]]:
    """Groups of GPU servers with compute ports, and the switches each is plugged into."""
    arrays, plugged = fabric.arrays, fabric.network.attachments
    compute = arrays.nic_role[plugged.nic] == ROLE_CODE[CageRole.COMPUTE]
    compute &= arrays.gpu_count[arrays.nic_device[plugged.nic]] > 0
    device, switch = arrays.nic_device[plugged.nic[compute]], plugged.switch[compute]
    order = np.argsort(device, kind="stable")
    servers, starts = np.unique(device[order], return_index=True)
    doors = dict(zip(servers.tolist(), np.split(switch[order], starts)[1:], strict=True))
    devices = fabric.design.devices
    pods = {d: devices[arrays.device_ids[d]].pod for d in doors}
    by = "pod" if any(pods.values()) else "leaf"
    groups: dict[object, list[int]] = {}
    for server, own in doors.items():
        key = pods[server] if by == "pod" else tuple(np.unique(own).tolist())
        groups.setdefault(key, []).append(server)
    return by, list(groups.values()), doors


def _counted(fabric: Fabric, starts: Ints) -> tuple[Ints, Floats]:
    """Distance of every switch from each of some, and the number of shortest ways to it.

    Parallel links count apart; -1 for what is out of reach. Rows are the starts.
    """
    adjacency = fabric.network.adjacency
    n, many = fabric.network.switches, len(starts)
    distance = np.full((n, many), -1, np.int64)
    number = np.zeros((n, many))
    columns = np.arange(many)
    distance[starts, columns], number[starts, columns] = 0, 1.0
    frontier = number.copy()
    for hop in range(1, n):
        reached = np.asarray(adjacency @ frontier, np.float64)
        new = (reached > 0) & (distance < 0)
        if not new.any():
            break
        distance[new] = hop
        number[new] = reached[new]
        frontier = np.where(new, reached, 0.0)
    return distance.T, number.T
