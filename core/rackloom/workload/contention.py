# SPDX-License-Identifier: Apache-2.0
"""What is left of the network to one group when all groups of its kind talk at once.

The collective engine answers for one group on an idle fabric. In a training step every data
parallel group reduces at the same moment, so their flows are routed together here, and the
slowest flow of all is set against the slowest flow of the one group alone.
"""

from __future__ import annotations

import numpy as np

from rackloom.collectives.group import Group
from rackloom.collectives.ports import Ports
from rackloom.collectives.ring import route
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats, Ints

MOST_SHIFTS = 64
"""All-to-all partners looked at, spread evenly over all where there are more."""


class Contention:
    """Flows of many groups on one fabric. Positions are ranks of ``group``."""

    def __init__(self, fabric: Fabric, group: Group, ports: Ports) -> None:
        self._fabric = fabric
        self._node = group.node
        self.ports = ports
        self._table, self._spread = _port_table(group, ports)

    def sharing(self, kind: str, rows: Ints, alone: Ints) -> float:
        """Rate a flow of ``alone`` keeps when all of ``rows`` talk; 1 where nobody disturbs it.

        ``rows`` holds one group a row, ``alone`` is one of them; ``kind`` is ``ring``,
        ``exchange`` (all-to-all) or ``chain`` (pipeline neighbours).
        """
        together = self._slowest(kind, rows)
        by_itself = self._slowest(kind, alone.reshape(1, -1))
        if not np.isfinite(by_itself) or not np.isfinite(together) or by_itself <= 0:
            return 1.0
        return min(1.0, together / by_itself)

    def _slowest(self, kind: str, rows: Ints) -> float:
        """Rate in Gb/s of the slowest flow of unit demand; infinite where none leaves a node."""
        flows = _FLOWS[kind](self._node, rows)
        if not len(self.ports.nic) or not any(len(source) for source, _, _ in flows):
            return float("inf")
        ports, bundles = self.ports, self._fabric.network.bundles
        out, into = np.zeros(len(ports.nic)), np.zeros(len(ports.nic))
        load = np.zeros((2, len(bundles.u)))
        for source, target, demand in flows:
            for way in range(self._table.shape[1]):
                a, b = self._table[source, way], self._table[target, way]
                ok = (a >= 0) & (b >= 0)
                part = np.full(int(ok.sum()), demand / self._spread)
                out += np.bincount(a[ok], weights=part, minlength=len(out))
                into += np.bincount(b[ok], weights=part, minlength=len(into))
                routed = route(self._fabric, ports, a[ok], b[ok], part)
                load += np.stack([routed.forward, routed.backward])
        return min(
            _least(ports.rate_gbps, np.maximum(out, into)),
            _least(bundles.hashed_gbps, load.max(axis=0)),
        )


def _least(rate: Floats, load: Floats) -> float:
    busy = load > 1e-9
    return float((rate[busy] / load[busy]).min()) if busy.any() else float("inf")


def _port_table(group: Group, ports: Ports) -> tuple[Ints, int]:
    """Ports by rank, -1 where a rank has none, and over how many ports a rank spreads its flow.

    A rank without a port of its own shares those of its node.
    """
    owner = ports.rank
    own = np.flatnonzero(owner >= 0)
    each = np.bincount(owner[own], minlength=group.ranks)
    of_node = np.bincount(ports.node, minlength=group.nodes)
    first_of_node = np.searchsorted(ports.node, np.arange(group.nodes))
    order = own[np.argsort(owner[own], kind="stable")]
    first = np.cumsum(each) - each
    ways = max(1, int(each.max(initial=0)))
    if (each == 0).any():
        ways = max(ways, int(of_node.max(initial=0)))
    ways = min(ways, 16)
    table = np.full((group.ranks, ways), -1, np.int64)
    has = each > 0
    lacks = ~has & (of_node[group.node] > 0)
    node = group.node[lacks]
    for way in range(ways):
        table[has, way] = order[first[has] + way % each[has]]
        table[lacks, way] = first_of_node[node] + way % of_node[node]
    return table, ways


_Flows = list[tuple[Ints, Ints, float]]


def _blocks(node: Ints, rows: Ints) -> Ints:
    """Groups as groups x nodes x members where all are shaped alike, else one member a node."""
    if rows.shape[0] and rows.shape[1] > 1:
        first = node[rows[0]]
        change = np.flatnonzero(np.diff(first))
        size = int(change[0]) + 1 if len(change) else rows.shape[1]
        if rows.shape[1] % size == 0:
            blocks = rows.reshape(rows.shape[0], -1, size)
            places = node[blocks]
            inside = (places == places[:, :, :1]).all()
            apart = (places[:, 1:, 0] != places[:, :-1, 0]).all()
            if inside and apart:
                return blocks
    return rows.reshape(rows.shape[0], rows.shape[1], 1)


def _leaving(node: Ints, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    source, target = source.ravel(), target.ravel()
    leaves = node[source] != node[target]
    return source[leaves], target[leaves]


def _ring(node: Ints, rows: Ints) -> _Flows:
    blocks = _blocks(node, rows)
    return [(*_leaving(node, blocks, np.roll(blocks, -1, axis=1)), 1.0)]


def _exchange(node: Ints, rows: Ints) -> _Flows:
    """Every node to every rank elsewhere, by the adapter of the receiver's rail (PXN)."""
    blocks = _blocks(node, rows)
    nodes, members = blocks.shape[1], blocks.shape[2]
    shifts = np.unique(np.linspace(1, nodes - 1, min(nodes - 1, MOST_SHIFTS)).astype(np.int64))
    weight = members * (nodes - 1) / max(len(shifts), 1)
    return [
        (*_leaving(node, blocks, np.roll(blocks, -int(shift), axis=1)), weight)
        for shift in shifts.tolist()
    ]


def _chain(node: Ints, rows: Ints) -> _Flows:
    """Hidden states to the next stage; gradients come back at another moment."""
    return [(*_leaving(node, rows[:, :-1], rows[:, 1:]), 1.0)]


_FLOWS = {"ring": _ring, "exchange": _exchange, "chain": _chain}
