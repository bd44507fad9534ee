# SPDX-License-Identifier: Apache-2.0
"""Which devices compute traffic reaches from which others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import TYPE_CHECKING

from rackloom.catalog.words import CageRole

if TYPE_CHECKING:
    from rackloom.checks.nodes import Node
    from rackloom.design.ids import DeviceId

Island = frozenset["DeviceId"]
Nodes = Mapping["DeviceId", "Node"]

_FAR = 6
"""So many devices lie between the far ends of a fabric of three tiers at most."""

_WAYS = 16
"""So many of the ways on are followed at once."""


def islands_of(nodes: Nodes) -> tuple[Island, ...]:
    """Devices that compute traffic gets from one to the other of, island by island.

    A box with several switches inside can belong to several islands.
    """
    if any(node.halves for node in nodes.values()):
        return tuple(_islands_of_halves(nodes))
    islands: list[Island] = []
    seen: set[DeviceId] = set()
    for start, node in nodes.items():
        if start in seen or CageRole.COMPUTE not in node.roles:
            continue
        island = frontier = {start}
        while frontier:
            frontier = set().union(*[nodes[d].near for d in frontier]) - island
            island = island | frontier
        seen |= island
        islands.append(frozenset(island))
    return tuple(islands)


def _islands_of_halves(nodes: Nodes) -> Iterator[Island]:
    """As ``islands_of``, where a switch may be several: places are (device, switch inside)."""
    seen: set[tuple[DeviceId, int]] = set()
    for start, node in nodes.items():
        if (start, 0) in seen or node.halves or CageRole.COMPUTE not in node.roles:
            continue
        island = {(start, 0)}
        ways = [(start, 0)]
        while ways:
            new = set(_ways_from(nodes, *ways.pop())) - island
            island |= new
            ways.extend(new)
        seen |= island
        yield frozenset(device for device, _ in island)


def _ways_from(nodes: Nodes, device: DeviceId, inside: int) -> Iterator[tuple[DeviceId, int]]:
    node = nodes[device]
    for peer in node.near:
        if node.halves:
            yield from ((peer, q) for p, q in node.halves.get(peer, ()) if p == inside)
        elif halves := nodes[peer].halves:
            yield from ((peer, p) for p, _ in halves.get(device, ()))
        else:
            yield peer, 0


# After a change


def islands_without(
    islands: tuple[Island, ...], nodes: Nodes, gone: Set[DeviceId]
) -> tuple[Island, ...]:
    """Islands that hang together as before, but for some devices that went."""
    if not gone:
        return islands
    left = (island - gone for island in islands)
    return tuple([i for i in left if any(CageRole.COMPUTE in nodes[d].roles for d in i)])


def reaches_as(before: Nodes, after: Nodes, touched: Iterable[DeviceId]) -> bool:
    """Whether devices that are left surely reach the same others as before a change.

    Asked of the touched ones only: whoever is no longer next to one is still near it by a detour,
    and nobody came nearer. Says no where it would have to look further than that.
    """
    lost: list[tuple[DeviceId, DeviceId]] = []
    beside: dict[DeviceId, None] = {}
    for device in touched:
        old, new = before.get(device), after.get(device)
        if old is None and new is None:
            continue
        if old is None or old.halves or (new is not None and new.halves):
            return False
        cut = old.near - new.near if new is not None else old.near
        if any(device not in before[d].near for d in cut):
            return False
        left = [d for d in cut if d in after]
        if new is None:
            beside.update(dict.fromkeys(left))
            continue
        compute = CageRole.COMPUTE in old.roles, CageRole.COMPUTE in new.roles
        if not new.near <= old.near or compute[0] is not compute[1]:
            return False
        lost += [(device, d) for d in left]
    # Whatever went through devices that are gone now goes by way of their peers.
    return all(_is_near(after, a, b) for a, b in lost) and _hang_together(after, beside)


def _hang_together(nodes: Nodes, devices: Iterable[DeviceId]) -> bool:
    """Whether each of some devices surely reaches each other one."""
    hubs: dict[DeviceId, set[DeviceId]] = {}
    for device in devices:
        if any(_are_near(nodes, hub, ring, device) for hub, ring in hubs.items()):
            continue
        if hubs:
            hub = next(iter(hubs))
            if not (_has_way(nodes, hub, device) and _has_way(nodes, device, hub)):
                return False
        first = nodes[device].near
        hubs[device] = set().union(first, *[nodes[d].near for d in first])
    return True


def _are_near(nodes: Nodes, hub: DeviceId, ring: Set[DeviceId], device: DeviceId) -> bool:
    """Whether traffic gets to and fro between a device and a hub, whose ``ring`` is near it."""
    near = nodes[device].near
    if device in ring and (hub in near or any(hub in nodes[d].near for d in near)):
        return True
    return _is_near(nodes, hub, device) and _is_near(nodes, device, hub)


def _is_near(nodes: Nodes, start: DeviceId, end: DeviceId) -> bool:
    """Whether compute traffic gets from one device to another over two between them."""
    first = nodes[start].near
    into = _leading_to(nodes, end)
    if end in first or not into.isdisjoint(first):
        return True
    return any(not into.isdisjoint(nodes[d].near) for d in first)


def _leading_to(nodes: Nodes, end: DeviceId) -> set[DeviceId]:
    """The neighbours of a device from which traffic gets to it."""
    return {d for d in nodes[end].near if end in nodes[d].near}


def _has_way(nodes: Nodes, start: DeviceId, end: DeviceId) -> bool:
    """Whether compute traffic surely gets from one device to another; follows a few ways only.

    From a core to a leaf whose only common spine went, the way leads through another pod.
    """
    into = _leading_to(nodes, end)
    seen = ways = {start}
    for _ in range(_FAR):
        ahead = set().union(*[nodes[d].near for d in ways])
        if not into.isdisjoint(ahead):
            return True
        ways = set(islice(ahead - seen, _WAYS))
        seen = seen | ways
    return False
