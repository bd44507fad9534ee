# SPDX-License-Identifier: Apache-2.0
"""Which switches face servers, which face other switches, and how far up each one is.

The little of a network that rules need, kept device by device so that a plugged cable costs two
devices and not the fabric.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.catalog.words import CageRole
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.links import links_over

if TYPE_CHECKING:
    from rackloom.checks.places import Places
    from rackloom.design.links import Link, PortRef
    from rackloom.design.value import Design

TIER_OF_ROLE = {
    "leaf": 1,
    "tor": 1,
    "spine": 2,
    "aggregation": 2,
    "core": 3,
    "super-spine": 3,
}
"""What a device's ``role`` says about its tier, where somebody set one."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Links between two devices, of one role."""

    links: int
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class Attachment:
    """A port of a server, and the switch (or device) it is linked to."""

    port: PortRef
    peer: DeviceId
    peer_port: PortRef
    cable: str
    role: CageRole
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class Node:
    """A device in the network of links."""

    device: DeviceId
    is_switch: bool
    fixed_tier: int | None
    between: Mapping[DeviceId, Bundle]
    """Switches joined to this switch by fabric ports on both sides."""
    served: Mapping[tuple[CageRole, DeviceId], Bundle]
    """What hangs on the fabric ports of this switch, by the role of the far port."""
    attached: tuple[Attachment, ...]
    """Links of this device's own (not fabric) ports."""

    @property
    def serves(self) -> bool:
        """Whether endpoints hang on it: then it is a leaf, unless its role says otherwise."""
        return bool(self.served)


class Topology:
    """All devices that have links, and the tiers of the switches. Immutable."""

    def __init__(self, nodes: Mapping[DeviceId, Node], tiers: Mapping[DeviceId, int]) -> None:
        self.nodes = nodes
        self.tiers = tiers
        """1 for a leaf, 2 for what leaves are joined to, ...; none for a switch with no way down.
        """
        self._islands: Mapping[DeviceId, int] | None = None
        self._up: dict[DeviceId, dict[DeviceId, Bundle]] = {}
        self._down: dict[DeviceId, dict[DeviceId, Bundle]] = {}
        self.votes: dict[object, object] = {}
        """For rules that group servers: remembered as long as no link changes."""

    @classmethod
    def of(cls, design: Design) -> Topology:
        """From all links of a design."""
        roles = _Roles(design)
        links: dict[DeviceId, list[tuple[Link, PortRef, PortRef]]] = {}
        for found in design.links.values():
            for link in found:
                links.setdefault(link.a.device, []).append((link, link.a, link.b))
                links.setdefault(link.b.device, []).append((link, link.b, link.a))
        nodes = {
            device: _node(design, roles, device, links.get(device, ()))
            for device in design.devices
            if device in links or _is_network(design, device)
        }
        return cls(nodes, _tiers(nodes))

    def patched(
        self, before: Design, after: Design, places: Places
    ) -> tuple[Topology, set[DeviceId]]:
        """The topology after a change, and the devices whose part in it may be another one."""
        touched: set[DeviceId] = set()
        for cable_id in places.relinked:
            old = before.links.get(CableId(cable_id), ())
            new = after.links.get(CableId(cable_id), ())
            if old != new:
                touched |= {port.device for k in (*old, *new) for port in (k.a, k.b)}
        touched |= {DeviceId(d) for d in places.devices if _concerns(before, after, DeviceId(d))}
        if not touched:
            return self, set()
        roles = _Roles(after)
        nodes = dict(self.nodes)
        retier = False
        for device in touched:
            gone = nodes.pop(device, None)
            if device in after.devices:
                links = [
                    (link, mine, other)
                    for cable in after.index.cables_of_device.get(device, ())
                    for link in links_over(after, cable)
                    for mine, other in ((link.a, link.b), (link.b, link.a))
                    if mine.device == device
                ]
                if links or _is_network(after, device):
                    nodes[device] = _node(after, roles, device, links)
            retier |= _tier_matter(gone) != _tier_matter(nodes.get(device))
        tiers = _tiers(nodes) if retier else self.tiers
        patched = Topology(nodes, tiers)
        if self._islands is not None and patched.keeps_islands(self, touched):
            patched._islands = self._islands
        return patched, _dirty(self, patched, touched)

    def tier(self, device: DeviceId) -> int | None:
        """1 for a leaf, 2 for a spine, 3 for a core switch; None where unknown."""
        return self.tiers.get(device)

    def up(self, device: DeviceId) -> Mapping[DeviceId, Bundle]:
        """Links of a switch to switches of a higher tier."""
        found = self._up.get(device)
        if found is None:
            mine, tiers = self.tiers.get(device), self.tiers
            between = self.nodes[device].between if mine is not None else {}
            found = {o: b for o, b in between.items() if tiers.get(o, 0) > (mine or 0)}
            self._up[device] = found
        return found

    def down(self, device: DeviceId) -> Mapping[DeviceId, Bundle]:
        """Links of a switch to switches of a lower tier."""
        found = self._down.get(device)
        if found is None:
            mine = self.tiers.get(device, 0)
            between = self.nodes[device].between
            found = {o: b for o, b in between.items() if self.tiers.get(o, mine) < mine}
            self._down[device] = found
        return found

    def around(self, device: DeviceId) -> Iterable[DeviceId]:
        """Switches joined to a switch."""
        node = self.nodes.get(device)
        return node.between if node is not None else ()

    def serves_compute(self, device: DeviceId) -> bool:
        """Whether compute ports hang on a switch itself."""
        node = self.nodes.get(device)
        return node is not None and any(role is CageRole.COMPUTE for role, _ in node.served)

    @property
    def islands(self) -> Mapping[DeviceId, int]:
        """For each device with compute links or below one: the number of its island, from 0."""
        if self._islands is None:
            self._islands = self._find_islands()
        return self._islands

    def _find_islands(self) -> dict[DeviceId, int]:
        found: dict[DeviceId, int] = {}
        number = 0
        for start, node in self.nodes.items():
            if start in found or not any(a.role is CageRole.COMPUTE for a in node.attached):
                continue
            found[start] = number
            queue = deque([start])
            while queue:
                for other in self._compute_neighbours(queue.popleft()):
                    if other not in found:
                        found[other] = number
                        queue.append(other)
            number += 1
        return found

    def keeps_islands(self, before: Topology, touched: set[DeviceId]) -> bool:
        """Whether the islands are surely as they were: no new bridge, and no bridge lost.

        A False may be overcautious; the islands are then worked out again.
        """
        islands = before.islands
        for device in touched:
            old = set(before._compute_neighbours(device))
            new = set(self._compute_neighbours(device))
            if {islands.get(d) for d in new} - {islands.get(device)}:
                return False
            if old - new and (device not in self.nodes or not self._reaches(device, old - new)):
                return False
        return True

    def _reaches(self, start: DeviceId, wanted: set[DeviceId], effort: int = 4096) -> bool:
        """Whether all of these are found within so many steps from a device."""
        seen, left = {start}, set(wanted)
        queue = deque([start])
        while queue and left and len(seen) < effort:
            for other in self._compute_neighbours(queue.popleft()):
                if other not in seen:
                    seen.add(other)
                    left.discard(other)
                    queue.append(other)
        return not left

    def _compute_neighbours(self, device: DeviceId) -> list[DeviceId]:
        node = self.nodes.get(device)
        if node is None:
            return []
        near = list(node.between)
        near += [other for role, other in node.served if role is CageRole.COMPUTE]
        near += [a.peer for a in node.attached if a.role is CageRole.COMPUTE]
        return near


class _Roles:
    """Role of a port's cage; looked up once a device kind."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._of: dict[DeviceId, Mapping[str, object]] = {}

    def role(self, port: PortRef) -> CageRole:
        cages = self._of.get(port.device)
        if cages is None:
            device = self._design.devices[port.device]
            cages = self._of[port.device] = cages_of(self._design, device)
        return cages[port.cage].role  # type: ignore[attr-defined, no-any-return]


def _is_network(design: Design, device: DeviceId) -> bool:
    """Switches and GPU servers count even while nothing is plugged into them."""
    part = design.parts[design.devices[device].part]
    return isinstance(part, SwitchPart) or (isinstance(part, ServerPart) and part.gpu is not None)


def _node(
    design: Design,
    roles: _Roles,
    device: DeviceId,
    links: Iterable[tuple[Link, PortRef, PortRef]],
) -> Node:
    is_switch = isinstance(design.parts[design.devices[device].part], SwitchPart)
    between: dict[DeviceId, list[float]] = {}
    served: dict[tuple[CageRole, DeviceId], list[float]] = {}
    attached: list[Attachment] = []
    for link, mine, other in links:
        my_role, far_role = roles.role(mine), roles.role(other)
        if my_role is not CageRole.FABRIC:
            attached.append(
                Attachment(mine, other.device, other, link.cable, my_role, link.rate_gbps)
            )
        elif far_role is not CageRole.FABRIC:
            served.setdefault((far_role, other.device), []).append(link.rate_gbps)
        else:
            between.setdefault(other.device, []).append(link.rate_gbps)
    role = design.devices[device].role
    fixed = TIER_OF_ROLE.get(role.lower()) if role else None
    attached.sort(key=lambda a: (a.port.cage, a.port.index))
    return Node(
        device,
        is_switch,
        fixed,
        {other: Bundle(len(rates), sum(rates)) for other, rates in between.items()},
        {end: Bundle(len(rates), sum(rates)) for end, rates in served.items()},
        tuple(attached),
    )


def _tiers(nodes: Mapping[DeviceId, Node]) -> dict[DeviceId, int]:
    """Hops from the endpoints, switch to switch; a role that somebody set stands."""
    tiers = {d: n.fixed_tier for d, n in nodes.items() if n.is_switch and n.fixed_tier is not None}
    seeds = [d for d, n in nodes.items() if n.is_switch and n.serves and d not in tiers]
    tiers.update(dict.fromkeys(seeds, 1))
    ready: deque[DeviceId] = deque(sorted(tiers, key=lambda d: tiers[d]))
    while ready:
        device = ready.popleft()
        for other in nodes[device].between:
            node = nodes.get(other)
            if node is None or not node.is_switch or node.fixed_tier is not None:
                continue
            if tiers.get(other, 99) > tiers[device] + 1:
                tiers[other] = tiers[device] + 1
                ready.append(other)
    return tiers


def _tier_matter(node: Node | None) -> object:
    """What of a device decides tiers."""
    if node is None or not node.is_switch:
        return None
    return node.fixed_tier, node.serves, frozenset(node.between)


def _concerns(before: Design, after: Design, device: DeviceId) -> bool:
    """Whether a device came, went, became another part or got another role."""
    old, new = before.devices.get(device), after.devices.get(device)
    if old is None or new is None:
        return old is not new
    return (old.part, old.cards, old.role) != (new.part, new.cards, new.role)


def _dirty(before: Topology, after: Topology, touched: set[DeviceId]) -> set[DeviceId]:
    """Devices about which a rule may have something else to say.

    Those whose links changed; those whose tier did, and the switches around them; those that are
    judged beside them: switches below the same switch, servers on the same leaves.
    """
    turned = {d for d in touched if before.serves_compute(d) is not after.serves_compute(d)}
    if after.tiers is not before.tiers:
        turned |= {
            d
            for d in before.tiers.keys() | after.tiers.keys()
            if before.tiers.get(d) != after.tiers.get(d)
        }
    dirty = touched | turned
    for topology in (before, after):
        near = {n for d in turned for n in topology.around(d)}
        dirty |= near
        dirty |= {n for d in near for n in topology.around(d)}
        for device in touched:
            node = topology.nodes.get(device)
            if node is None:
                continue
            dirty |= topology.down(device).keys()
            for above in topology.up(device):
                dirty |= topology.down(above).keys()
            switches = {a.peer for a in node.attached if a.role is CageRole.COMPUTE}
            for switch in (device, *switches):
                leaf = topology.nodes.get(switch)
                if leaf is not None:
                    dirty |= {d for role, d in leaf.served if role is CageRole.COMPUTE}
    return dirty
