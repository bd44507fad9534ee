# SPDX-License-Identifier: Apache-2.0
"""Which switches face servers, which face other switches, and how far up each one is.

The little of a network that rules need, kept device by device so that a plugged cable costs two
devices and not the fabric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from rackloom.bulk import copied
from rackloom.catalog.words import CageRole
from rackloom.checks.islands import islands_of, islands_without, reaches_as
from rackloom.checks.nodes import Bundle, Looker, Node
from rackloom.design.ids import CableId, DeviceId

if TYPE_CHECKING:
    from rackloom.checks.places import Places
    from rackloom.design.value import Design

_T = TypeVar("_T")


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
        self.groups: dict[tuple[str, frozenset[DeviceId]], object] = {}
        """For rules about switches that share those above them: remembered for each set of these,
        as long as neither those below them nor what else these are joined to changes."""
        self.of_build: dict[object, object] = {}
        """What follows from how a device is built; parts stay as they are from edit to edit."""
        self._up_gbps: dict[DeviceId, float] = {}
        self._down_gbps: dict[DeviceId, float] = {}
        self.lanes: dict[DeviceId, object] = {}
        """For rules about rails: remembered for each server as long as its links stay."""
        self._each: dict[object, dict[DeviceId, object]] = {}

    @classmethod
    def of(cls, design: Design) -> Topology:
        """From all links of a design."""
        view = Looker(design)
        nodes = {
            device: node for device in design.devices if (node := view.node(device)) is not None
        }
        return cls(nodes, _tiers(nodes))

    def patched(self, before: Design, after: Design, places: Places) -> tuple[Topology, Dirty]:
        """The topology after a change, and the devices whose part in it may be another one."""
        gone = {
            device
            for device in map(DeviceId, places.devices)
            if device in before.devices and device not in after.devices
        }
        changed, thinned = self._touched(before, after, places, gone)
        touched = changed | thinned | (gone & self.nodes.keys())
        if not touched:
            return self, Dirty(frozenset(), frozenset())
        view = Looker(after)
        nodes = copied(self.nodes)
        retier = False
        for device in touched:
            old = nodes.pop(device, None)
            new = None
            if device in changed:
                new = view.node(device)
            elif old is not None and device in thinned:
                new = view.node_without(old, gone)
            if new is not None:
                nodes[device] = new
            retier |= _tier_matter(old) != _tier_matter(new)
        tiers = self._retiered(nodes, touched) if retier else self.tiers
        patched = Topology(nodes, self.tiers if tiers == self.tiers else tiers)
        return patched, patched._inherit(self, touched)

    def _touched(
        self, before: Design, after: Design, places: Places, gone: set[DeviceId]
    ) -> tuple[set[DeviceId], set[DeviceId]]:
        """Devices that are left and whose links may be other ones; those that but lost some.

        The second have nothing new: of their links, just those to devices that are ``gone`` went.
        """
        changed: set[DeviceId] = set()
        thinned: set[DeviceId] = set()
        for cable_id in places.relinked:
            old = before.links.get(CableId(cable_id), ())
            new = after.links.get(CableId(cable_id), ())
            if old == new:
                continue
            for link in (*old, *new):
                ends = link.a.device, link.b.device
                (changed if new or gone.isdisjoint(ends) else thinned).update(ends)
        for device in map(DeviceId, places.devices):
            if device not in gone and _concerns(before, after, device):
                changed.add(device)
                known = self.nodes.get(device)
                if known is not None:  # a switch knows which of its links lead to GPU servers
                    changed |= {a.peer for a in known.attached}
        return changed - gone, thinned - changed - gone

    def _retiered(self, nodes: dict[DeviceId, Node], touched: set[DeviceId]) -> dict[DeviceId, int]:
        """The tiers after a change; simple where somebody set the role of every switch."""
        switches = [n for d in touched if (n := nodes.get(d)) is not None and n.is_switch]
        if self.free or any(node.fixed_tier is None for node in switches):
            return _tiers(nodes)
        tiers = _without(self.tiers, touched)
        tiers.update({n.device: n.fixed_tier for n in switches if n.fixed_tier is not None})
        return tiers

    def _inherit(self, before: Topology, touched: set[DeviceId]) -> Dirty:
        """Take over what is still true of the topology before; say where to look again."""
        turned: set[DeviceId] = set()
        if self.tiers is not before.tiers:
            turned = {d for d, _ in before.tiers.items() ^ self.tiers.items()}
        around = {n for t in (before, self) for d in turned for n in t.around(d)}
        base = touched | turned | around
        self._up = _without(before._up, base)
        self._down = _without(before._down, base)
        self._up_gbps = _without(before._up_gbps, base)
        self._down_gbps = _without(before._down_gbps, base)
        self.lanes = _without(before.lanes, touched)
        self._each = {what: _without(known, touched) for what, known in before._each.items()}
        self.of_build = before.of_build
        switches = [n for d in touched if (n := self.nodes.get(d)) is not None and n.is_switch]
        if not before.free and all(n.fixed_tier is not None for n in switches):
            self.__dict__["free"] = before.free
        old = before.compute_switches
        gone = {device for device in touched if device not in self.nodes}
        if all(self._carries_compute(d, old) == (d in old) for d in base & self.nodes.keys()):
            self.__dict__["compute_switches"] = old - gone if gone else old
        if "islands" in before.__dict__ and reaches_as(before.nodes, self.nodes, touched):
            self.__dict__["islands"] = islands_without(before.islands, self.nodes, gone)
        nodes = base | (before.compute_switches ^ self.compute_switches)
        peers = set(nodes)
        above: set[DeviceId] = set()
        for device in base:
            was, now = before.up(device), self.up(device)
            if was != now:
                above |= was.keys() | now.keys()
        groups = before.groups.items()
        self.groups = {key: known for key, known in groups if above.isdisjoint(key[1])}
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

    def of_each(self, what: object, work_out: Callable[[Node], _T]) -> Mapping[DeviceId, _T]:
        """What follows from its node alone, for every device; remembered while its links stay.

        ``what`` says what it is that ``work_out`` finds.
        """
        known = cast("dict[DeviceId, _T]", self._each.setdefault(what, {}))
        for device in self.nodes.keys() - known.keys():
            known[device] = work_out(self.nodes[device])
        return known

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
    def free(self) -> frozenset[DeviceId]:
        """Switches whose tier follows from their links, since nobody set their role."""
        return frozenset(
            [d for d, node in self.nodes.items() if node.is_switch and node.fixed_tier is None]
        )

    @cached_property
    def compute_switches(self) -> frozenset[DeviceId]:
        """Switches on which compute ports hang, or on one below them."""
        tiers = self.tiers
        found = {d for d, node in self.nodes.items() if node.is_switch and node.serves_compute}
        for device in sorted(tiers, key=lambda d: tiers[d]):
            if device not in found and self._carries_compute(device, found):
                found.add(device)
        return frozenset(found)

    def _carries_compute(self, device: DeviceId, found: Set[DeviceId]) -> bool:
        """Whether compute ports hang on a switch, or on one of those ``found`` below it."""
        node, tiers = self.nodes[device], self.tiers
        if node.is_switch and node.serves_compute:
            return True
        mine = tiers.get(device)
        return mine is not None and any(
            o in found and tiers.get(o, mine) < mine for o in node.between
        )

    @cached_property
    def islands(self) -> tuple[frozenset[DeviceId], ...]:
        """Devices that compute traffic gets from one to the other of, island by island.

        A box with several switches inside can belong to several islands.
        """
        return islands_of(self.nodes)


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


def _without(known: Mapping[DeviceId, _T], stale: set[DeviceId]) -> dict[DeviceId, _T]:
    """A copy without what is known of some devices."""
    kept = copied(known)
    for device in stale:
        kept.pop(device, None)
    return kept


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
