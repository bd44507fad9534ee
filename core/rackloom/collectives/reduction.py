# SPDX-License-Identifier: Apache-2.0
"""Reduction inside switches: which group can use NVLS or SHARP, and what SHARP puts on the links.

NVLS: the switches of a scale-up domain add up what its GPUs hold and send it to all of them.
SHARP (NCCL's CollNet): every NIC sends its part once up a tree of switches, which add it up, and
takes the sum once; a leaf sends one sum up for all of its servers.
"""

from __future__ import annotations

import numpy as np

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.collectives.group import Group
from rackloom.collectives.ring import Traffic
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Ints


def has_nvls(group: Group) -> bool:
    """Whether every node is one switched domain that reduces, of two GPUs or more."""
    for part in group.parts:
        scale_up = part.scale_up
        if (
            scale_up is None
            or not scale_up.in_network_reduction
            or scale_up.kind is not ScaleUpKind.NVLINK_SWITCHED
        ):
            return False
    sizes = group.node_size
    domains = np.array([p.scale_up.domain_gpus if p.scale_up else 1 for p in group.parts])
    return bool((sizes >= 2).all() and (sizes <= domains[group.part_of_node]).all())


def has_sharp(fabric: Fabric, rings: Traffic) -> bool:
    """Whether all switches of the networks in use can reduce."""
    network, design = fabric.network, fabric.design
    used = np.unique(network.components[rings.ports.switch[rings.channel_ports]])
    vertices = np.flatnonzero(np.isin(network.components, used))
    devices = network.switch_device[vertices]
    if (devices < 0).any():
        return False
    ids = fabric.arrays.device_ids
    parts = {design.devices[ids[d]].part for d in devices.tolist()}
    return all(design.part(part, SwitchPart).in_network_reduction for part in parts)


def lay_aggregation(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """Aggregation trees on the channels of the rings: one unit up and one down at every NIC.

    A channel within one leaf is reduced there. One that spans leaves has its root in a switch of
    the highest tier of its network, another one for each channel, and every leaf sends one sum.
    """
    table, ports, network = rings.channel_ports, rings.ports, fabric.network
    tier = fabric.tiers.tier
    leaves, roots = [], []
    for channel in range(table.shape[1]):
        at = np.unique(ports.switch[table[:, channel]])
        if len(at) == 1:
            continue
        mine: Ints = np.flatnonzero(network.components == network.components[at[0]])
        height = tier[mine] if len(tier) >= network.switches else np.zeros(len(mine), np.int64)
        top = mine[height == height.max()]
        leaves.append(at)
        roots.append(np.full(len(at), top[channel % len(top)]))
    up = np.concatenate(leaves) if leaves else np.zeros(0, np.int64)
    down = np.concatenate(roots) if roots else np.zeros(0, np.int64)
    source, target = np.concatenate([up, down]), np.concatenate([down, up])
    loads = fabric.ecmp.edge_loads(source, target, np.ones(len(source)))
    factor = 2 * (group.ranks - 1) / group.ranks
    return Traffic("collnet", ports, table, np.ones(table.shape), loads, float(table.size), factor)
