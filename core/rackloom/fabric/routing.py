# SPDX-License-Identifier: Apache-2.0
"""Equal-cost multipath: what flows between switches put on every bundle of links.

Flows are given by pairs of switches (leaves), never by pairs of GPUs. A flow takes all shortest
paths; at every switch it spreads evenly over the links that lead on (as a hash over many flows
does), so a bundle gets a share by the number of its links.

Switches with the same neighbours and the same number of links to each (the leaves of one pod, the
cores of one plane) are twins: everything reaches and leaves them alike. Routes are worked out
between classes of twins and shared out to their members, which is exact and makes a 16,384-GPU fat
tree a graph of some hundred vertices. One cut cable only makes its own two switches classes of
their own. Destinations of one class that hear from the same classes in the same proportions share
a column of the flow matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rackloom.fabric.arrays import Bools, Floats, Ints
from rackloom.fabric.network import Network

_SEED = 20_117
_MAX_CELLS = 4_000_000
"""Cells of a gathered matrix held at a time."""


@dataclass(frozen=True, slots=True)
class EdgeLoads:
    """Flow on every bundle, in the unit of the demands, from ``u`` to ``v`` and back."""

    forward: Floats
    backward: Floats
    hops: Ints
    """Links between switches on the way, for each pair; -1 where there is no way."""

    @property
    def unreachable(self) -> Ints:
        """Pairs that no path joins; their demand is on no bundle."""
        return np.flatnonzero(self.hops < 0)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Demands gathered: one column for destinations that hear from the same classes alike."""

    of_switch: Ints
    """Column of each destination switch, -1 for others."""
    share: Floats
    """What part of its column's flow each destination switch takes."""
    class_of: Ints
    """Class of the destinations of each column."""
    injected: Floats
    """Classes by columns: what enters the network in each class."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """Flows as they spread: classes by columns."""

    distance: Ints
    per_link: Floats
    """Of one unit in the class, the part that each link towards the destination takes."""
    passing: Floats
    """Flow in the class that entered the network elsewhere."""


class Ecmp:
    """Routes of one network. Building it costs milliseconds; asking does not change it."""

    def __init__(self, network: Network) -> None:
        self._network = network
        bundles = network.bundles
        self._n = network.switches
        self._u, self._v, self._count = bundles.u, bundles.v, bundles.count
        edges = len(self._u)
        self._from = np.concatenate([self._u, self._v])
        self._to = np.concatenate([self._v, self._u])
        self._links = np.concatenate([self._count, self._count])
        self._degree = np.bincount(self._from, weights=self._links, minlength=self._n)
        self._key = self._u * max(self._n, 1) + self._v
        self._edges = edges
        self.class_of = _twins(network.adjacency, self._n)
        self.classes = int(self.class_of.max()) + 1 if self._n else 0
        self._members = np.bincount(self.class_of, minlength=self.classes)
        self._build_quotient()

    def _build_quotient(self) -> None:
        """Directed edges between classes, and which of them each real edge belongs to."""
        k = max(self.classes, 1)
        key = self.class_of[self._from] * k + self.class_of[self._to]
        found, first, self._quotient_of = np.unique(key, return_index=True, return_inverse=True)
        self._q_from, self._q_to = found // k, found % k
        links = self._links[first]
        self._q_links = links
        shape = (k, k)
        ways = (links * self._members[self._q_to]).astype(np.float64)
        self._ways = csr_array((ways, (self._q_from, self._q_to)), shape=shape)

    def edge_loads(self, source: Ints, target: Ints, demand: Floats) -> EdgeLoads:
        """Loads of flows from switch ``source[i]`` to ``target[i]``; vertices of the network.

        Flows of a switch to itself put nothing on any bundle.
        """
        source, target = np.asarray(source, np.int64), np.asarray(target, np.int64)
        demand = np.asarray(demand, np.float64)
        load = np.zeros(2 * self._edges)
        hops = np.full(len(source), -1, np.int64)
        hops[source == target] = 0
        todo = source != target
        todo &= ~self._load_neighbours(source, target, demand, todo, load, hops)
        todo &= ~self._load_twins(source, target, demand, todo, load, hops)
        pairs = np.flatnonzero(todo)
        if len(pairs):
            self._load_rest(source[pairs], target[pairs], demand[pairs], pairs, load, hops)
        return EdgeLoads(load[: self._edges], load[self._edges :], hops)

    def _load_neighbours(
        self, source: Ints, target: Ints, demand: Floats, todo: Bools, load: Floats, hops: Ints
    ) -> Bools:
        """Flows between switches that are cabled to each other: they take that bundle."""
        if not self._edges:
            return np.zeros(len(source), np.bool_)
        key = np.minimum(source, target) * self._n + np.maximum(source, target)
        at = np.minimum(np.searchsorted(self._key, key), self._edges - 1)
        mine: Bools = todo & (self._key[at] == key)
        edge = at[mine] + np.where(source[mine] > target[mine], self._edges, 0)
        np.add.at(load, edge, demand[mine])
        hops[mine] = 1
        return mine

    def _load_twins(
        self, source: Ints, target: Ints, demand: Floats, todo: Bools, load: Floats, hops: Ints
    ) -> Bools:
        """Flows between twins: over every neighbour, which both have in common."""
        mine: Bools = todo & (self.class_of[source] == self.class_of[target])
        if not mine.any():
            return mine
        reachable = mine & (self._degree[source] > 0)
        hops[reachable] = 2
        n = self._n
        out = np.bincount(source[reachable], weights=demand[reachable], minlength=n)
        into = np.bincount(target[reachable], weights=demand[reachable], minlength=n)
        degree = np.maximum(self._degree, 1)
        load += out[self._from] * self._links / degree[self._from]
        load += into[self._to] * self._links / degree[self._to]
        return mine

    def _load_rest(
        self, source: Ints, target: Ints, demand: Floats, pairs: Ints, load: Floats, hops: Ints
    ) -> None:
        distance, distance_column = self._distances(np.unique(self.class_of[target]))
        there = distance[self.class_of[source], distance_column[self.class_of[target]]]
        hops[pairs] = there
        reached = there > 0
        source, target, demand = source[reached], target[reached], demand[reached]
        if not len(source):
            return
        columns = self._columns(source, target, demand)
        spread = self._spread(columns, distance[:, distance_column[columns.class_of]])
        load += self._passing_loads(columns, spread)
        self._add_first_hops(source, target, demand, columns, spread, load)
        self._add_last_hops(columns, spread, load)

    def _distances(self, classes: Ints) -> tuple[Ints, Ints]:
        """Hops from every class to each of these; and the column of each class."""
        column = np.full(self.classes, -1, np.int64)
        column[classes] = np.arange(len(classes))
        distance = np.full((self.classes, len(classes)), -1, np.int16)
        distance[classes, np.arange(len(classes))] = 0
        frontier = (distance == 0).astype(np.float32)
        pattern = self._ways.copy()
        pattern.data = np.ones(len(pattern.data), np.float32)
        for hop in range(1, self.classes):
            reached = (pattern @ frontier > 0) & (distance < 0)
            if not reached.any():
                break
            distance[reached] = hop
            frontier = reached.astype(np.float32)
        return distance.astype(np.int64), column

    def _columns(self, source: Ints, target: Ints, demand: Floats) -> _Columns:
        """Gather destinations whose flows come from the same classes in the same proportions."""
        n, k = self._n, self.classes
        total = np.bincount(target, weights=demand, minlength=n)
        rng = np.random.default_rng(_SEED)
        mark = rng.random(k)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(total[target] > 0, demand / total[target], 0.0)
        print_ = np.bincount(target, weights=part * mark[self.class_of[source]], minlength=n)
        targets = np.unique(target)
        keys = np.stack([self.class_of[targets], np.round(print_[targets] * 1e10).astype(np.int64)])
        _, column = np.unique(keys, axis=1, return_inverse=True)
        column = column.ravel()
        many = int(column.max()) + 1
        of_switch = np.full(n, -1, np.int64)
        of_switch[targets] = column
        sums = np.bincount(column, weights=total[targets], minlength=many)
        share = np.zeros(n)
        share[targets] = np.where(
            sums[column] > 0, total[targets] / np.where(sums[column] > 0, sums[column], 1), 0.0
        )
        class_of = np.zeros(many, np.int64)
        class_of[column] = self.class_of[targets]
        cell = self.class_of[source] * many + of_switch[target]
        injected = np.bincount(cell, weights=demand, minlength=k * many).astype(np.float64)
        return _Columns(of_switch, share, class_of, injected.reshape(k, many))

    def _spread(self, columns: _Columns, distance: Ints) -> _Spread:
        """Let the flows run, farthest classes first."""
        passing = np.zeros_like(columns.injected)
        per_link = np.zeros_like(columns.injected)
        back = self._ways.T.tocsr()
        # links seen from one member of the sender's class to all members of the receiver's
        for level in range(int(distance.max()), 0, -1):
            here: Bools = distance == level
            next_: Bools = distance == level - 1
            ways = self._ways @ next_.astype(np.float64)
            np.divide(1.0, ways, out=per_link, where=here & (ways > 0))
            sent = np.where(here, (passing + columns.injected) * per_link, 0.0)
            passing += np.where(next_, back @ sent, 0.0)
        return _Spread(distance, per_link, passing)

    def _passing_loads(self, columns: _Columns, spread: _Spread) -> Floats:
        """Loads of flows that entered elsewhere (and of classes of one), but for the last hop."""
        alone: Floats = (self._members == 1).astype(np.float64)
        flow = spread.passing + alone[:, None] * columns.injected
        sent = flow * spread.per_link * (spread.distance > 1)
        per_class = np.zeros(len(self._q_from))
        sends = np.asarray(sent.sum(axis=1) > 0)
        busy = np.flatnonzero(sends[self._q_from])
        step = max(1, _MAX_CELLS // max(sent.shape[1], 1))
        for start in range(0, len(busy), step):
            edges = busy[start : start + step]
            a, b = self._q_from[edges], self._q_to[edges]
            onward = spread.distance[b] == spread.distance[a] - 1
            per_class[edges] = np.einsum("ec,ec->e", sent[a], onward)
        members = self._members[self.class_of[self._from]]
        return np.asarray(per_class[self._quotient_of] * self._links / members, np.float64)

    def _add_first_hops(
        self,
        source: Ints,
        target: Ints,
        demand: Floats,
        columns: _Columns,
        spread: _Spread,
        load: Floats,
    ) -> None:
        """Flows out of the switch they enter at, where it has twins that send something else."""
        many = len(columns.class_of)
        mine = self._members[self.class_of[source]] > 1
        cell, inverse = np.unique(
            source[mine] * many + columns.of_switch[target[mine]], return_inverse=True
        )
        if not len(cell):
            return
        amount = np.bincount(inverse, weights=demand[mine])
        switch, column = cell // many, cell % many
        class_ = self.class_of[switch]
        first = np.searchsorted(self._q_from, class_)
        fan = np.searchsorted(self._q_from, class_, side="right") - first
        entry = np.repeat(np.arange(len(cell)), fan)
        edge = np.arange(len(entry)) - np.repeat(np.cumsum(fan) - fan, fan) + first[entry]
        onward = (
            spread.distance[self._q_to[edge], column[entry]]
            == spread.distance[class_[entry], column[entry]] - 1
        )
        entry, edge = entry[onward], edge[onward]
        flow = amount[entry] * spread.per_link[class_[entry], column[entry]]
        quotients = len(self._q_from)
        # (switch, class edge) pairs, then every real edge of the pair by its links
        pair, where = np.unique(switch[entry] * quotients + edge, return_inverse=True)
        summed = np.bincount(where, weights=flow)
        wanted = self._from * quotients + self._quotient_of
        at = np.minimum(np.searchsorted(pair, wanted), len(pair) - 1)
        hit = pair[at] == wanted
        load[hit] += summed[at[hit]] * self._links[hit]

    def _add_last_hops(self, columns: _Columns, spread: _Spread, load: Floats) -> None:
        """Flows into the switch they are meant for: each takes its own part of its column."""
        column = columns.of_switch[self._to]
        class_ = self.class_of[self._from]
        last = (column >= 0) & (spread.distance[class_, np.maximum(column, 0)] == 1)
        flow = spread.passing[class_[last], column[last]] / self._members[class_[last]]
        load[last] += flow * columns.share[self._to[last]]


def _twins(adjacency: csr_array, n: int) -> Ints:
    """Class of every switch: same neighbours, same numbers of links to them."""
    if n == 0:
        return np.zeros(0, np.int64)
    rng = np.random.default_rng(_SEED)
    marks = rng.integers(1, 2**62, size=(n, 2), dtype=np.int64)
    prints = adjacency.astype(np.int64) @ marks
    return np.unique(prints, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
