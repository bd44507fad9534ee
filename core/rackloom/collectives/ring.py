# SPDX-License-Identifier: Apache-2.0
"""Rings laid over the drawn links, as a library would lay them, and what each link has to carry.

A channel is one ring through all nodes: it leaves a node by one NIC port and enters the next by
the port in the same place of its list (ports in rail order), so on a whole rail-aligned fabric
channels stay on their rails. Every node runs the same number of channels, so the node with the
fewest working ports sets it: elsewhere the last ports idle, and where the lists of two nodes differ
a channel changes rails through the spines. Ports of networks that are not joined are laid out
network by network. All channels carry equal parts, so the slowest link decides for all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import Group, device_id, device_name, more
from rackloom.collectives.ports import Ports
from rackloom.fabric import EdgeLoads, Fabric
from rackloom.fabric.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """An algorithm's flows between the nodes of a group, routed. Loads are per direction.

    The unit of a load is the data of one channel: a port of load 2 carries them twice.
    """

    algorithm: str
    ports: Ports
    channel_ports: Ints
    """Nodes by channels: the port of ``ports`` that a node uses for a channel."""
    port_load: Floats
    """Nodes by channels: what a port sends or takes, whichever is more."""
    loads: EdgeLoads
    flow: float
    """Sum of all flows."""
    busbw_per_algbw: float
    """Bus bandwidth over what all channels carry together."""
    connection: float = 1.0
    """Load of one connection between two ports, what a hash places as a whole or by flows."""
    by_channels: bool = True
    """False: nodes use what ports they have, and ``channel_ports`` is a column of them."""
    inside_pieces: Floats | None = None
    """All-to-all, by node: pieces of S/n that its busiest GPU sends over the inner links."""

    @property
    def channels(self) -> int:
        """Channels laid, each of an equal part of the data."""
        return int(self.channel_ports.shape[1])


def lay_rings(fabric: Fabric, group: Group, ports: Ports) -> Traffic:
    """Rings through all nodes; EstimateError where some nodes cannot reach each other."""
    table = channel_table(fabric, group, ports)
    source, target = table, np.roll(table, -1, axis=0)
    demand = np.ones(table.size)
    loads = route(fabric, ports, source.ravel(), target.ravel(), demand)
    return Traffic("ring", ports, table, np.ones(table.shape), loads, float(table.size), 1.0)


def route(fabric: Fabric, ports: Ports, source: Ints, target: Ints, demand: Floats) -> EdgeLoads:
    """Loads of flows from port to port (indices of ``ports``), gathered by pairs of switches."""
    n = max(fabric.network.switches, 1)
    key = ports.switch[source] * n + ports.switch[target]
    pairs, inverse = np.unique(key, return_inverse=True)
    summed = np.bincount(inverse, weights=demand, minlength=len(pairs)).astype(np.float64)
    return fabric.ecmp.edge_loads(pairs // n, pairs % n, summed)


def channel_table(fabric: Fabric, group: Group, ports: Ports) -> Ints:
    """Which port each node uses for each channel; EstimateError where nodes share no network."""
    _need_a_port_each(fabric, group, ports)
    components, component = np.unique(ports.component, return_inverse=True)
    many = len(components)
    each = np.bincount(ports.node * many + component, minlength=group.nodes * many)
    least = each.reshape(group.nodes, many).min(axis=0)
    if least.sum() == 0:
        raise _disconnected(fabric, group, ports)
    tables = []
    for number in np.flatnonzero(least).tolist():
        mine = np.flatnonzero(component == number)
        node = ports.node[mine]
        count = np.bincount(node, minlength=group.nodes)
        place = np.arange(len(mine)) - (np.cumsum(count) - count)[node]
        kept = mine[place < least[number]]
        tables.append(kept.reshape(group.nodes, least[number]))
    table = np.concatenate(tables, axis=1)
    # in the order of the rails, not of the numbers that networks happen to have
    by_rail: Ints = np.argsort(table[0], kind="stable")
    return table[:, by_rail]


def _need_a_port_each(fabric: Fabric, group: Group, ports: Ports) -> None:
    without = np.setdiff1d(np.arange(group.nodes), ports.node)
    if len(without):
        device = int(group.node_device[without[0]])
        rest = len(without) - 1
        others = f" (nor {'has' if rest == 1 else 'have'} {more(rest, 'server')})" if rest else ""
        raise EstimateError(
            f"{device_name(fabric, device)} has no working link from a compute NIC to a switch"
            f"{others}: cable it, or choose a group without it",
            tuple(str(device_id(fabric, int(group.node_device[w]))) for w in without[:100]),
        )


def _disconnected(fabric: Fabric, group: Group, ports: Ports) -> EstimateError:
    """Two nodes that share no network, in a sentence."""
    at_first = np.unique(ports.component[ports.node == 0])
    reach = np.unique(ports.node[np.isin(ports.component, at_first)])
    beyond = np.setdiff1d(np.arange(group.nodes), reach)
    other = int(beyond[0]) if len(beyond) else group.nodes - 1
    a, b = (int(group.node_device[node]) for node in (0, other))
    return EstimateError(
        f"{device_name(fabric, a)} and {device_name(fabric, b)} cannot reach each other over any "
        "network that all servers share: join their switches, or choose a smaller group",
        (str(device_id(fabric, a)), str(device_id(fabric, b))),
    )


def path_delay_ns(fabric: Fabric, traffic: Traffic, switch_ns: Floats, cable_ns: Floats) -> float:
    """Mean one-way delay from NIC to NIC: switches passed and metres of cable, over all flows.

    ``switch_ns`` is per switch vertex, ``cable_ns`` per link of the fabric.
    """
    ports, bundles, loads = traffic.ports, fabric.network.bundles, traffic.loads
    of_link = bundles.of_link
    mine = of_link >= 0
    delays = np.bincount(of_link[mine], weights=cable_ns[mine], minlength=len(bundles.u))
    per_bundle = delays / np.maximum(bundles.count, 1)
    used = traffic.channel_ports.ravel()
    share = traffic.flow / len(used)  # of the average port
    total = 2 * share * float(cable_ns[ports.link[used]].sum())
    total += share * float(switch_ns[ports.switch[used]].sum())  # the first; the rest by bundles
    total += float((loads.forward * (per_bundle + switch_ns[bundles.v])).sum())
    total += float((loads.backward * (per_bundle + switch_ns[bundles.u])).sum())
    return total / max(traffic.flow, 1e-12)
