# SPDX-License-Identifier: Apache-2.0
"""Which port of a generated network goes to which, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import DevicePart, ServerPart, SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.design.ids import DeviceId
from rackloom.generate.cabling import Bundle
from rackloom.generate.fitted import Fitted
from rackloom.generate.layout import Layout
from rackloom.generate.network import Network, rail_ports, server_names


def bundles(
    network: Network, server: Fitted, layout: Layout, names: Sequence[str] | None = None
) -> list[Bundle]:
    """All links of the network, layer by layer; ``names`` of the servers where they have others."""
    tree, ids = network.tree, layout.ids
    wires = _Wires(network, ids)
    found = [*wires.servers(server, names or server_names(tree.servers, server.part))]
    if tree.tiers > 1:
        found += wires.leaf_spine()
    if tree.tiers > 2:
        found += wires.spine_core()
    if network.leaf.protocol is not Protocol.INFINIBAND and not network.prefix:
        network.notes.append(f"the network is Ethernet: {network.leaf.title}")
    return found


@dataclass(slots=True)
class _Wires:
    """Which port goes to which. Leaves fill towards servers from their first port, and towards
    spines from their last; spines and cores are filled in order."""

    network: Network
    ids: Mapping[str, DeviceId]

    def servers(self, server: Fitted, names: Sequence[str]) -> list[Bundle]:
        network, tree = self.network, self.network.tree
        ports = rail_ports(server, network.role)
        down = network.down_ports()
        found = _Bundles("server to leaf", network, server.part, network.leaf)
        first = 0
        for unit, count in enumerate(tree.unit_servers):
            used: dict[str, int] = {}
            for name in names[first : first + count]:
                for cage, index, rail in ports:
                    group = 0 if tree.tiers == 1 else rail // network.rails_per_leaf
                    leaf = network.leaf_name(unit, group)
                    at = used.get(leaf, 0)
                    used[leaf] = at + 1
                    leaf_cage, leaf_port = down[at]
                    found.add((self.ids[name], cage, index), (self.ids[leaf], leaf_cage, leaf_port))
            first += count
        return found.all()

    def leaf_spine(self) -> list[Bundle]:
        network, tree = self.network, self.network.tree
        up = self._ports(network.leaf)[-tree.leaf_uplinks :]
        down = self._ports(network.spine)
        found = _Bundles("leaf to spine", network, network.leaf, network.spine)
        each = tree.links_leaf_to_spine()
        unit = 0
        for pod, pod_units in enumerate(tree.pod_units):
            used = [0] * tree.spines_per_pod
            for _ in range(pod_units):
                for group in range(tree.rails):
                    leaf = self.ids[network.leaf_name(unit, group)]
                    for number, (cage, port) in enumerate(up):
                        # Links to one spine stay together, so that a cage faces one spine.
                        spine = number // each
                        spine_cage, spine_port = down[used[spine]]
                        used[spine] += 1
                        there = self.ids[network.spine_name(pod, spine)]
                        found.add((leaf, cage, port), (there, spine_cage, spine_port))
                unit += 1
        return found.all()

    def spine_core(self) -> list[Bundle]:
        network, tree = self.network, self.network.tree
        up = self._ports(network.spine)[-tree.spine_uplinks :]
        down = self._ports(network.core)
        found = _Bundles("spine to core", network, network.spine, network.core)
        each = tree.spine_uplinks // tree.cores_per_group
        used: dict[tuple[int, int], int] = {}
        for pod in range(tree.pods):
            for group in range(tree.core_groups):
                spine = self.ids[network.spine_name(pod, group)]
                for number, (cage, port) in enumerate(up):
                    core = (group, number // each)
                    at = used.get(core, 0)
                    used[core] = at + 1
                    core_cage, core_port = down[at]
                    there = self.ids[network.core_name(*core)]
                    found.add((spine, cage, port), (there, core_cage, core_port))
        return found.all()

    def _ports(self, switch: SwitchPart) -> list[tuple[Cage, int]]:
        return self.network.up_ports(switch)


@dataclass(slots=True)
class _Bundles:
    """The links of a layer, by the kinds of cage at their ends: a switch may have several."""

    name: str
    network: Network
    a: DevicePart
    b: DevicePart
    _by_kind: dict[tuple[str, str], Bundle] = field(default_factory=dict)

    def add(self, a: tuple[DeviceId, Cage, int], b: tuple[DeviceId, Cage, int]) -> None:
        """A link between two ports, each as (device, cage, number of the port)."""
        kind = (a[1].group, b[1].group)
        bundle = self._by_kind.get(kind)
        if bundle is None:
            ends = (self.a, a[1]), (self.b, b[1])
            modes = [self._mode(*end) for end in ends]
            bundle = Bundle(
                *(self.name, *ends, [], self.network.name, (modes[0].ports, modes[1].ports)),
                uplinks=isinstance(self.a, SwitchPart),
                rate_gbps=min(mode.rate_gbps for mode in modes),
            )
            self._by_kind[kind] = bundle
        bundle.pairs.append(((a[0], a[1].name, a[2]), (b[0], b[1].name, b[2])))

    def all(self) -> list[Bundle]:
        """The bundles, in the order of their first links."""
        return list(self._by_kind.values())

    def _mode(self, part: DevicePart, cage: Cage) -> BreakoutMode:
        if isinstance(part, ServerPart):
            return cage.default_mode
        if isinstance(self.a, ServerPart):
            return self.network.down_mode(cage)
        return self.network.up_mode(cage)
