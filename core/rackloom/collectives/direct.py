# SPDX-License-Identifier: Apache-2.0
"""Traffic without relays: all-to-all with and without PXN, send-receive, and PAT's far steps.

All-to-all: every GPU sends S/n to every other. With PXN a GPU hands what is meant for GPU j of
another server to its own GPU j over the scale-up links, which sends it on its rail (NVIDIA/nccl,
``NCCL_P2P_PXN_LEVEL``); without it every NIC sends to every NIC. Loads are worked out between
leaves, never between GPUs.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import Group
from rackloom.collectives.ring import Traffic, route
from rackloom.fabric import EdgeLoads, Fabric
from rackloom.fabric.arrays import Floats, Ints


def lay_all_to_all(fabric: Fabric, group: Group, rings: Traffic, pxn: bool) -> Traffic:
    """Loads of an all-to-all; 1 is what the busiest node's NIC sends, its data spread evenly.

    A node of p GPUs sends p (n - p) pieces of S/n away; its NICs share them.
    """
    table, ports = rings.channel_ports, rings.ports
    size = group.node_size.astype(np.float64)
    remote = size * (group.ranks - size)
    most = float(remote.max())
    port_load = np.repeat((remote / most)[:, None], table.shape[1], axis=1)
    source, target, demand = _between_leaves(fabric, table, ports.switch, size, most, pxn)
    loads = fabric.ecmp.edge_loads(source, target, demand)
    if len(loads.unreachable):
        raise EstimateError(
            "rails are not joined, so an all-to-all without PXN cannot cross them: "
            "choose direct, or join the rails by spines"
        )
    nodes, channels = table.shape
    flow = float(port_load.sum())
    pairs = nodes * (nodes - 1) * channels * (1 if pxn else channels)
    return Traffic(
        "direct" if pxn else "direct-without-pxn",
        ports,
        table,
        port_load,
        loads,
        flow,
        (group.ranks - 1) / most,
        connection=flow / max(pairs, 1),
    )


def _between_leaves(
    fabric: Fabric, table: Ints, switch: Ints, size: Floats, most: float, pxn: bool
) -> tuple[Ints, Ints, Floats]:
    """Pairs of switches and the load between them, same switch left out."""
    n = max(fabric.network.switches, 1)
    nodes, channels = table.shape
    at = switch[table]
    weight = np.repeat(size[:, None], channels, axis=1)
    if pxn:
        channel = np.repeat(np.arange(channels)[None, :], nodes, axis=0)
        per = csr_array((weight.ravel(), (channel.ravel(), at.ravel())), shape=(channels, n))
        scale = 1.0 / most
    else:
        zero = np.zeros(at.size, np.int64)
        per = csr_array((weight.ravel(), (zero, at.ravel())), shape=(1, n))
        scale = 1.0 / (most * channels)
    product = per.T @ per
    if not pxn:  # what a node would send itself stays inside
        node = np.repeat(np.arange(nodes)[:, None], channels, axis=1)
        own = csr_array((weight.ravel(), (node.ravel(), at.ravel())), shape=(nodes, n))
        product = product - own.T @ own
    pairs = product.tocoo()
    source, target = pairs.coords[0].astype(np.int64), pairs.coords[1].astype(np.int64)
    pieces = np.asarray(pairs.data, np.float64)
    away = (source != target) & (pieces > 0)
    demand = pieces[away] * scale
    return source[away], target[away], demand


def lay_neighbours(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """Send-receive round the ranks: of a node's GPUs only the last sends away, by its own NICs."""
    table, ports = rings.channel_ports, rings.ports
    each = max(1, table.shape[1] // int(group.node_size.max()))
    source, target = table[:, -each:], np.roll(table, -1, axis=0)[:, -each:]
    loads = route(fabric, ports, source.ravel(), target.ravel(), np.ones(source.size))
    return Traffic("direct", ports, source, np.ones(source.shape), loads, float(source.size), 1.0)


def lay_far_steps(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """PAT: in step d every node exchanges d pieces with the node d places on, d = 1, 2, 4, ...

    (NVIDIA/nccl, parallel aggregated trees; all n - 1 pieces add up to a load of 1.)
    """
    table, ports = rings.channel_ports, rings.ports
    nodes = group.nodes
    sources, targets, demands = [], [], []
    distance = 1
    while distance < nodes:
        pieces = min(distance, nodes - distance)
        sources.append(table.ravel())
        targets.append(np.roll(table, -distance, axis=0).ravel())
        demands.append(np.full(table.size, pieces / (nodes - 1)))
        distance *= 2
    loads: EdgeLoads = route(
        fabric, ports, np.concatenate(sources), np.concatenate(targets), np.concatenate(demands)
    )
    return Traffic("pat", ports, table, np.ones(table.shape), loads, float(table.size), 1.0)
