# SPDX-License-Identifier: Apache-2.0
"""Which switches face servers, which face other switches, and how far up each one is.

The little of a network that rules need, kept device by device so that a plugged cable costs two
devices and not the fabric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.catalog.words import CageRole
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.relinking import links_over

if TYPE_CHECKING:
    from rackloom.catalog.cages import Cage
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


class Bundle(NamedTuple):
    """Links between two devices, of one role."""

    links: int
    rate_gbps: float


class Attachment(NamedTuple):
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
    gpu_links: int
    """Links from this switch to GPU servers."""
    near: frozenset[DeviceId]
    """Where compute traffic can go from here: over compute ports, and between switches."""
    halves: Mapping[DeviceId, frozenset[tuple[int, int]]]
    """Of a box with several switches inside: its switch and the peer's, for each peer ``near``."""

    serves_compute: bool
    """Whether compute ports hang on it."""
    roles: frozenset[CageRole]
    """Of its own ports that are linked."""
    compute_gbps: float
    """Of its own compute ports that are linked, together."""
    compute_links: int
    """How many of those there are."""
    served_gbps: float
    """What compute ports bring in to this switch."""
    fabric_links: int
    """Links of this switch's fabric ports."""

    @property
    def serves(self) -> bool:
        """Whether endpoints hang on it."""
        return bool(self.served)


class Dirty(NamedTuple):
    """Devices about which a rule may have something else to say after a change."""

    nodes: frozenset[DeviceId]
    """For rules that look at a device, its links, and how far up its neighbours are."""
    peers: frozenset[DeviceId]
    """For rules that judge a device beside others: below one switch, or on the same leaves."""


class Topology:
    """All devices that have links, and the tiers of the switches. Immutable."""

    def __init__(self, nodes: Mapping[DeviceId, Node], tiers: Mapping[DeviceId, int]) -> None:
        self.nodes = nodes
        self.tiers = tiers
        """1 for a leaf, 2 for what leaves are joined to, ...; none for a switch with no way down.
        """
        self._up: dict[DeviceId, dict[DeviceId, Bundle]] = {}
        self._down: dict[DeviceId, dict[DeviceId, Bundle]] = {}
        self.votes: dict[object, object] = {}
        """For rules that group devices: remembered as long as no link changes."""
        self._up_gbps: dict[DeviceId, float] = {}
        self._down_gbps: dict[DeviceId, float] = {}
        self.lanes: dict[DeviceId, object] = {}
        """For rules about rails: remembered for each server as long as its links stay."""

    @classmethod
    def of(cls, design: Design) -> Topology:
        """From all links of a design."""
        roles = _Roles(design)
        links: dict[DeviceId, list[_Side]] = {}
        for found in design.links.values():
            for link in found:
                a, b = link.a, link.b
                a_role, b_role = roles.role(a), roles.role(b)
                links.setdefault(a.device, []).append((link, a, b, a_role, b_role))
                links.setdefault(b.device, []).append((link, b, a, b_role, a_role))
        nodes = {
            device: _node(design, device, links.get(device, ()))
            for device in design.devices
            if device in links or _is_network(design, device)
        }
        return cls(nodes, _tiers(nodes))

    def patched(self, before: Design, after: Design, places: Places) -> tuple[Topology, Dirty]:
        """The topology after a change, and the devices whose part in it may be another one."""
        touched: set[DeviceId] = set()
        for cable_id in places.relinked:
            old = before.links.get(CableId(cable_id), ())
            new = after.links.get(CableId(cable_id), ())
            if old != new:
                touched |= {port.device for k in (*old, *new) for port in (k.a, k.b)}
        for device in map(DeviceId, places.devices):
            if _concerns(before, after, device):
                touched.add(device)
                known = self.nodes.get(device)
                if known is not None:  # a switch knows which of its links lead to GPU servers
                    touched |= {a.peer for a in known.attached}
        if not touched:
            return self, Dirty(frozenset(), frozenset())
        roles = _Roles(after)
        nodes = dict(self.nodes)
        retier = False
        for device in touched:
            gone = nodes.pop(device, None)
            if device in after.devices:
                links = list(_links_of(after, roles, device))
                if links or _is_network(after, device):
                    nodes[device] = _node(after, device, links)
            retier |= _tier_matter(gone) != _tier_matter(nodes.get(device))
        tiers = _tiers(nodes) if retier else self.tiers
        patched = Topology(nodes, self.tiers if tiers == self.tiers else tiers)
        return patched, patched._inherit(self, touched)

    def _inherit(self, before: Topology, touched: set[DeviceId]) -> Dirty:
        """Take over what is still true of the topology before; say where to look again."""
        turned: set[DeviceId] = set()
        if self.tiers is not before.tiers:
            turned = {d for d, _ in before.tiers.items() ^ self.tiers.items()}
        around = {n for t in (before, self) for d in turned for n in t.around(d)}
        base = touched | turned | around
        self._up = {d: up for d, up in before._up.items() if d not in base}
        self._down = {d: down for d, down in before._down.items() if d not in base}
        self._up_gbps = {d: gbps for d, gbps in before._up_gbps.items() if d not in base}
        self._down_gbps = {d: gbps for d, gbps in before._down_gbps.items() if d not in base}
        self.lanes = {d: lanes for d, lanes in before.lanes.items() if d not in touched}
        nodes = base | (before.compute_switches ^ self.compute_switches)
        peers = set(nodes)
        above: set[DeviceId] = set()
        for device in base:
            old, new = before.up(device), self.up(device)
            if old != new:
                above |= old.keys() | new.keys()
        leaves = {
            a.peer
            for t in (before, self)
            for d in touched
            if d in t.nodes
            for a in t.nodes[d].attached
            if a.role is CageRole.COMPUTE
        }
        peers |= leaves
        for topology in (before, self):
            for device in above & topology.nodes.keys():
                peers |= topology.down(device).keys()
            for leaf in leaves & topology.nodes.keys():
                peers |= {d for role, d in topology.nodes[leaf].served if role is CageRole.COMPUTE}
        return Dirty(frozenset(nodes), frozenset(peers))

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

    def up_gbps(self, device: DeviceId) -> float:
        """What the links upwards carry together."""
        found = self._up_gbps.get(device)
        if found is None:
            found = sum(bundle.rate_gbps for bundle in self.up(device).values())
            self._up_gbps[device] = found
        return found

    def down_gbps(self, device: DeviceId) -> float:
        """What the links to lower switches carry together."""
        found = self._down_gbps.get(device)
        if found is None:
            found = sum(bundle.rate_gbps for bundle in self.down(device).values())
            self._down_gbps[device] = found
        return found

    def around(self, device: DeviceId) -> Iterable[DeviceId]:
        """Switches joined to a switch."""
        node = self.nodes.get(device)
        return node.between if node is not None else ()

    def serves_compute(self, device: DeviceId) -> bool:
        """Whether compute ports hang on a switch itself."""
        node = self.nodes.get(device)
        return node is not None and node.serves_compute

    @cached_property
    def compute_switches(self) -> frozenset[DeviceId]:
        """Switches on which compute ports hang, or on one below them."""
        tiers = self.tiers
        found = {d for d, node in self.nodes.items() if node.is_switch and node.serves_compute}
        for device in sorted(tiers, key=lambda d: tiers[d]):
            if device in found:
                continue
            mine = tiers[device]
            if any(o in found and tiers.get(o, mine) < mine for o in self.nodes[device].between):
                found.add(device)
        return frozenset(found)

    @cached_property
    def islands(self) -> tuple[frozenset[DeviceId], ...]:
        """Devices that compute traffic gets from one to the other of, island by island.

        A box with several switches inside can belong to several islands.
        """
        nodes = self.nodes
        if any(node.halves for node in nodes.values()):
            return tuple(self._islands_of_halves())
        islands: list[frozenset[DeviceId]] = []
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

    def _islands_of_halves(self) -> Iterator[frozenset[DeviceId]]:
        """As ``islands``, where a switch may be several: places are (device, switch inside)."""
        seen: set[tuple[DeviceId, int]] = set()
        for start, node in self.nodes.items():
            if (start, 0) in seen or node.halves or CageRole.COMPUTE not in node.roles:
                continue
            island = {(start, 0)}
            ways = [(start, 0)]
            while ways:
                new = set(self._ways_from(*ways.pop())) - island
                island |= new
                ways.extend(new)
            seen |= island
            yield frozenset(device for device, _ in island)

    def _ways_from(self, device: DeviceId, inside: int) -> Iterator[tuple[DeviceId, int]]:
        node = self.nodes[device]
        for peer in node.near:
            if node.halves:
                yield from ((peer, q) for p, q in node.halves.get(peer, ()) if p == inside)
            elif halves := self.nodes[peer].halves:
                yield from ((peer, p) for p, _ in halves.get(device, ()))
            else:
                yield peer, 0


_Side = tuple["Link", "PortRef", "PortRef", CageRole, CageRole]
"""A link as one device sees it: its own port, the far one, and the roles of both."""


class _Roles:
    """Role of a port's cage; looked up once a device."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._of: dict[DeviceId, Mapping[str, Cage]] = {}

    def role(self, port: PortRef) -> CageRole:
        cages = self._of.get(port.device)
        if cages is None:
            device = self._design.devices[port.device]
            cages = self._of[port.device] = cages_of(self._design, device)
        return cages[port.cage].role


def _links_of(design: Design, roles: _Roles, device: DeviceId) -> Iterator[_Side]:
    for cable in design.index.cables_of_device.get(device, ()):
        for link in links_over(design, cable):
            for mine, other in ((link.a, link.b), (link.b, link.a)):
                if mine.device == device:
                    yield link, mine, other, roles.role(mine), roles.role(other)


def _is_network(design: Design, device: DeviceId) -> bool:
    """Switches and GPU servers count even while nothing is plugged into them."""
    return isinstance(design.parts[design.devices[device].part], SwitchPart) or has_gpus(
        design, device
    )


def has_gpus(design: Design, device: DeviceId) -> bool:
    """Whether a device is a server with GPUs."""
    part = design.parts[design.devices[device].part]
    return isinstance(part, ServerPart) and part.gpu is not None


def _node(design: Design, device: DeviceId, links: Iterable[_Side]) -> Node:
    part = design.parts[design.devices[device].part]
    between: dict[DeviceId, list[float]] = {}
    served: dict[tuple[CageRole, DeviceId], list[float]] = {}
    attached: list[Attachment] = []
    near: set[DeviceId] = set()
    halves: dict[DeviceId, set[tuple[int, int]]] = {}
    split = isinstance(part, SwitchPart) and part.partitions > 1
    gpu_links = 0
    for link, mine, other, my_role, far_role in links:
        far, rate_gbps = other.device, link.rate_gbps
        if my_role is not CageRole.FABRIC:
            attached.append(Attachment(mine, far, other, link.cable, my_role, rate_gbps))
            if my_role is CageRole.COMPUTE:
                near.add(far)
            continue
        if far_role is not CageRole.FABRIC:
            served.setdefault((far_role, far), []).append(rate_gbps)
            gpu_links += has_gpus(design, far)
        else:
            between.setdefault(far, []).append(rate_gbps)
        if far_role is CageRole.FABRIC or far_role is CageRole.COMPUTE:
            near.add(far)
            if split:
                pair = _inside(design, mine), _inside(design, other)
                halves.setdefault(far, set()).add(pair)
    role = design.devices[device].role
    attached.sort(key=_by_port)
    return Node(
        device,
        isinstance(part, SwitchPart),
        TIER_OF_ROLE.get(role.lower()) if role else None,
        {other: Bundle(len(rates), sum(rates)) for other, rates in between.items()},
        {end: Bundle(len(rates), sum(rates)) for end, rates in served.items()},
        tuple(attached),
        gpu_links,
        frozenset(near),
        {peer: frozenset(pairs) for peer, pairs in halves.items()},
        any(role is CageRole.COMPUTE for role, _ in served),
        frozenset(a.role for a in attached),
        sum(a.rate_gbps for a in attached if a.role is CageRole.COMPUTE),
        sum(a.role is CageRole.COMPUTE for a in attached),
        sum(sum(rates) for (role, _), rates in served.items() if role is CageRole.COMPUTE),
        sum(map(len, served.values())) + sum(map(len, between.values())),
    )


def _by_port(attachment: Attachment) -> tuple[str, int]:
    return attachment.port.cage, attachment.port.index


def _inside(design: Design, port: PortRef) -> int:
    """Which of the switches in a box a port belongs to; 0 for everything else."""
    part = design.parts[design.devices[port.device].part]
    return part.partition_of(port.cage) if isinstance(part, SwitchPart) else 0


def _tiers(nodes: Mapping[DeviceId, Node]) -> dict[DeviceId, int]:
    """Hops from the leaves, switch to switch; a role that somebody set stands.

    Leaves are the switches that serve endpoints. One that serves no GPU server and is joined to a
    switch that does is none of them: a storage box, or a UFM, on a spine leaves it a spine.
    """
    tiers: dict[DeviceId, int] = {}
    fixed: dict[int, set[DeviceId]] = {}
    level: set[DeviceId] = set()
    for device, node in nodes.items():
        if not node.is_switch:
            continue
        if node.fixed_tier is not None:
            tiers[device] = node.fixed_tier
            fixed.setdefault(node.fixed_tier, set()).add(device)
        elif node.serves and (
            node.gpu_links or not any(nodes[other].gpu_links for other in node.between)
        ):
            level.add(device)
    tier = 1
    while level or any(t >= tier for t in fixed):
        tiers.update(dict.fromkeys(level, tier))
        starts = level | fixed.get(tier, set())
        tier += 1
        found = set().union(*[nodes[device].between.keys() for device in starts]) - tiers.keys()
        level = {device for device in found if nodes[device].is_switch}
    return tiers


def _tier_matter(node: Node | None) -> object:
    """What of a device decides tiers."""
    if node is None or not node.is_switch:
        return None
    return node.fixed_tier, node.serves, node.gpu_links > 0, node.between.keys()


def _concerns(before: Design, after: Design, device: DeviceId) -> bool:
    """Whether a device came, went, became another part or got another role."""
    old, new = before.devices.get(device), after.devices.get(device)
    if old is None or new is None:
        return old is not new
    return (old.part, old.cards, old.role) != (new.part, new.cards, new.role)
