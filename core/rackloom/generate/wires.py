# SPDX-License-Identifier: Apache-2.0
"""Which port of a generated network goes to which, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import DevicePart, ServerPart, SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.design.ids import DeviceId
from rackloom.generate.cabling import Bundle
from rackloom.generate.layout import Layout
from rackloom.generate.network import Network, data_ports, mode_used, rail_ports, server_names


def bundles(network: Network, server: ServerPart, layout: Layout) -> list[Bundle]:
    """All links of the network, layer by layer."""
    tree, ids = network.tree, layout.ids
    wires = _Wires(network, ids)
    found = [*wires.servers(server)]
    if tree.tiers > 1:
        found.append(wires.leaf_spine())
    if tree.tiers > 2:
        found.append(wires.spine_core())
    if network.leaf.protocol is not Protocol.INFINIBAND:
        network.notes.append(f"the network is Ethernet: {network.leaf.title}")
    return found


@dataclass(slots=True)
class _Wires:
    """Which port goes to which. Leaves fill towards servers from their first port, and towards
    spines from their last; spines and cores are filled in order."""

    network: Network
    ids: Mapping[str, DeviceId]

    def servers(self, server: ServerPart) -> list[Bundle]:
        network, tree = self.network, self.network.tree
        ports = rail_ports(server)
        names = server_names(tree.servers, server)
        down = self._ports(network.leaf)
        by_kind: dict[str, Bundle] = {}
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
                    bundle = by_kind.get(cage.group)
                    if bundle is None:
                        bundle = self._bundle(
                            "server to leaf", (server, cage), (network.leaf, leaf_cage)
                        )
                        by_kind[cage.group] = bundle
                    bundle.pairs.append(
                        (
                            (self.ids[name], cage.name, index),
                            (self.ids[leaf], leaf_cage.name, leaf_port),
                        )
                    )
            first += count
        return list(by_kind.values())

    def leaf_spine(self) -> Bundle:
        network, tree = self.network, self.network.tree
        up = self._ports(network.leaf)[-tree.leaf_uplinks :]
        down = self._ports(network.spine)
        bundle = self._bundle(
            "leaf to spine", (network.leaf, up[0][0]), (network.spine, down[0][0])
        )
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
                        bundle.pairs.append(
                            ((leaf, cage.name, port), (there, spine_cage.name, spine_port))
                        )
                unit += 1
        return bundle

    def spine_core(self) -> Bundle:
        network, tree = self.network, self.network.tree
        up = self._ports(network.spine)[-tree.spine_uplinks :]
        down = self._ports(network.core)
        bundle = self._bundle(
            "spine to core", (network.spine, up[0][0]), (network.core, down[0][0])
        )
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
                    bundle.pairs.append(
                        ((spine, cage.name, port), (there, core_cage.name, core_port))
                    )
        return bundle

    def _ports(self, switch: SwitchPart) -> list[tuple[Cage, int]]:
        return data_ports(switch, self.network.rate_gbps)

    def _bundle(self, name: str, a: tuple[DevicePart, Cage], b: tuple[DevicePart, Cage]) -> Bundle:
        split = tuple(
            mode_used(cage, self.network.rate_gbps).ports
            if isinstance(part, SwitchPart)
            else cage.default_mode.ports
            for part, cage in (a, b)
        )
        return Bundle(name, a, b, [], self.network.name, (split[0], split[1]))
