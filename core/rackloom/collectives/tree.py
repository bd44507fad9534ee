# SPDX-License-Identifier: Apache-2.0
"""Double binary trees over the drawn links, as NCCL lays them (NVIDIA/nccl src/graph/trees.cc).

Two trees carry half of every channel's data each, up to the root and down again; a node that has
children in one tree has none in the other, so together they keep every NIC about equally busy.
"""

from __future__ import annotations

import numpy as np

from rackloom.collectives.group import Group
from rackloom.collectives.ports import Ports
from rackloom.collectives.ring import Traffic, route
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Ints


def parents(nodes: int) -> tuple[Ints, Ints]:
    """Parent of every node in the first and in the second tree; -1 for the root."""
    first = _binary(nodes)
    rank = np.arange(nodes)
    if nodes % 2:  # the second is the first, one place on
        back = (rank - 1) % nodes
        second = np.where(first[back] >= 0, (first[back] + 1) % nodes, -1)
    else:  # the second is the first in a mirror
        back = nodes - 1 - rank
        second = np.where(first[back] >= 0, nodes - 1 - first[back], -1)
    return first, second


def _binary(nodes: int) -> Ints:
    """A node's parent has its lowest bit moved up by one, or dropped where that leads too far."""
    rank = np.arange(nodes)
    low = rank & -rank
    up = (rank ^ low) | (low << 1)
    up = np.where(up >= nodes, rank ^ low, up)
    return np.where(rank == 0, -1, up)


def lay_trees(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """Trees on the channels that the rings of a group have found."""
    ports: Ports = rings.ports
    table = rings.channel_ports
    out = np.zeros(table.shape)
    into = np.zeros(table.shape)
    sources, targets = [], []
    for parent in parents(group.nodes):
        child = np.flatnonzero(parent >= 0)
        for a, b in ((child, parent[child]), (parent[child], child)):
            np.add.at(out, a, 0.5)
            np.add.at(into, b, 0.5)
            sources.append(table[a].ravel())
            targets.append(table[b].ravel())
    source, target = np.concatenate(sources), np.concatenate(targets)
    loads = route(fabric, ports, source, target, np.full(len(source), 0.5))
    factor = 2 * (group.ranks - 1) / group.ranks
    load = np.maximum(out, into)
    return Traffic("tree", ports, table, load, loads, 0.5 * len(source), factor, connection=0.5)
