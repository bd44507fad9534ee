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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from rackloom.fabric.arrays import Bools, Floats, Ints
from rackloom.fabric.network import Network

_SEED = 20_117
_MAX_CELLS = 1_000_000
"""Cells of a gathered matrix held at a time."""

_COLUMNS = 64
"""Destinations that flows are worked out for at a time."""


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
    loads: Floats
    """By edge between classes, for one link between each two members: flow but for last hops."""


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
        self._first_neighbour = np.full(self._n, self._n, np.int64)
        np.minimum.at(self._first_neighbour, self._from, self._to)
        self._build_quotient()

    def _build_quotient(self) -> None:
        """Directed edges between classes, and which of them each real edge belongs to."""
        k = max(self.classes, 1)
        key = self.class_of[self._from] * k + self.class_of[self._to]
        found, first, self._quotient_of = np.unique(key, return_index=True, return_inverse=True)
        self._q_from, self._q_to = found // k, found % k
        links = self._links[first]
        self._q_links = links
        self._ways = (links * self._members[self._q_to]).astype(np.float64)
        starts = np.searchsorted(self._q_from, np.arange(k + 1))
        numbers = np.arange(len(links))
        self._edge_numbers = csr_array((numbers, self._q_to, starts), shape=(k, k))

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
        load += self._passing_loads(spread)
        self._add_first_hops(source, target, demand, columns, spread, load)
        self._add_last_hops(columns, spread, load)

    def _distances(self, classes: Ints) -> tuple[Ints, Ints]:
        """Hops from every class to each of these; and the column of each class."""
        column = np.full(self.classes, -1, np.int64)
        column[classes] = np.arange(len(classes))
        distance = np.full((self.classes, len(classes)), -1, np.int64)
        place = np.full(self.classes, self._n, np.int64)
        np.minimum.at(place, self.class_of, self._first_neighbour)
        order = np.argsort(place[classes], kind="stable")
        for start in range(0, len(order), _COLUMNS):
            some = order[start : start + _COLUMNS]
            distance[:, some] = self._hops_to(classes[some])
        return distance, column

    def _hops_to(self, classes: Ints) -> Ints:
        """Hops from every class to each of a few, from these outwards."""
        distance = np.full((self.classes, len(classes)), -1, np.int64)
        distance[classes, np.arange(len(classes))] = 0
        numbers = self._edge_numbers
        ones = np.ones(len(self._ways), np.float32)
        pattern = csr_array((ones, numbers.indices, numbers.indptr), shape=numbers.shape)
        for hop in range(1, self.classes):
            last = distance == hop - 1
            rows = np.flatnonzero(last.any(axis=1))
            # links lead both ways, so what the last ones lead to leads to them
            reached = pattern[rows].T @ last[rows].astype(np.float32)
            new = (reached > 0) & (distance < 0)
            if not new.any():
                break
            distance[new] = hop
        return distance

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
        """Let the flows run, farthest classes first, for some columns at a time.

        Destinations with a neighbour in common are looked at together: they are equally far from
        almost everything, so that each step concerns few classes. Of those only the ones with flow
        count, which makes a ring's few flows cheap however large the network is.
        """
        spread = _Spread(
            distance,
            np.zeros_like(columns.injected),
            np.zeros_like(columns.injected),
            np.zeros(len(self._q_from)),
        )
        order = self._by_place(columns)
        for start in range(0, len(order), _COLUMNS):
            self._spread_some(columns, order[start : start + _COLUMNS], spread)
        return spread

    def _by_place(self, columns: _Columns) -> Ints:
        """Columns in the order of the first neighbour of their destinations."""
        targets = np.flatnonzero(columns.of_switch >= 0)
        place = np.full(len(columns.class_of), self._n, np.int64)
        np.minimum.at(place, columns.of_switch[targets], self._first_neighbour[targets])
        return np.argsort(place, kind="stable")

    def _spread_some(self, columns: _Columns, some: Ints, spread: _Spread) -> None:
        """Flows to these columns, written into the arrays of ``spread``.

        Loads are those of flows that entered elsewhere (and of classes of one), but for the last
        hop.
        """
        distance = spread.distance[:, some]
        flow = columns.injected[:, some]
        passing = np.zeros_like(flow)
        alone = self._members == 1
        for level in range(int(distance.max()), 0, -1):
            near = distance == level - 1
            to: Ints = np.flatnonzero(near.any(axis=1))
            rows: Ints = np.flatnonzero(((distance == level) & (passing + flow > 0)).any(axis=1))
            if not len(rows) or not len(to):
                continue
            here = distance[rows] == level
            next_ = near[to].astype(np.float64)
            # links seen from one member of the sender's class to all members of the receiver's
            edges = self._edge_numbers[rows][:, to]
            number = edges.data
            ways = csr_array((self._ways[number], edges.indices, edges.indptr), shape=edges.shape)
            onward = ways @ next_
            part = np.divide(1.0, onward, out=np.zeros_like(onward), where=here & (onward > 0))
            spread.per_link[np.ix_(rows, some)] += part
            sent = (passing[rows] + flow[rows]) * part
            passing[to] += np.where(near[to], ways.T @ sent, 0.0)
            if level > 1:
                class_flow = passing[rows] + np.where(alone[rows, None], flow[rows], 0.0)
                start = np.repeat(np.arange(len(rows)), np.diff(edges.indptr))
                spread.loads[number] += _sampled(class_flow * part, next_, start, edges.indices)
        spread.passing[:, some] = passing

    def _passing_loads(self, spread: _Spread) -> Floats:
        """What the flows between classes put on every real edge."""
        members = self._members[self.class_of[self._from]]
        return np.asarray(spread.loads[self._quotient_of] * self._links / members, np.float64)

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
        if not mine.any():
            return
        cells = (source[mine], columns.of_switch[target[mine]])
        amount = csr_array(coo_array((demand[mine], cells), shape=(self._n, many)))
        amount.sum_duplicates()
        sending = np.flatnonzero(np.diff(amount.indptr))
        class_ = self.class_of[sending]
        order = np.argsort(class_, kind="stable")
        classes, starts = np.unique(class_[order], return_index=True)
        groups = np.split(sending[order], starts[1:])
        base = np.full(self._n, -1, np.int64)
        flows: list[Floats] = []
        filled = 0
        for number, switches in zip(classes.tolist(), groups, strict=True):
            found = self._first_hops(number, amount[switches], spread)
            base[switches] = filled + np.arange(len(switches)) * found.shape[1]
            filled += found.size
            flows.append(found.ravel())
        flow = np.concatenate(flows)
        first = np.searchsorted(self._q_from, np.arange(self.classes))
        hit = np.flatnonzero(base[self._from] >= 0)
        at = self._from[hit]
        cell = base[at] + self._quotient_of[hit] - first[self.class_of[at]]
        load[hit] += flow[cell] * self._links[hit]

    def _first_hops(self, class_: int, amount: csr_array, spread: _Spread) -> Floats:
        """Switches of a class by its edges: flow on each link. ``amount``: switches by columns."""
        edges = slice(
            int(np.searchsorted(self._q_from, class_)),
            int(np.searchsorted(self._q_from, class_, side="right")),
        )
        distance = spread.distance
        onward = (distance[self._q_to[edges]] == distance[class_] - 1).T.astype(np.float64)
        part = amount.data * spread.per_link[class_, amount.indices]
        each = csr_array((part, amount.indices, amount.indptr), shape=amount.shape)
        return np.asarray(each @ onward, np.float64)

    def _add_last_hops(self, columns: _Columns, spread: _Spread, load: Floats) -> None:
        """Flows into the switch they are meant for: each takes its own part of its column."""
        column = columns.of_switch[self._to]
        class_ = self.class_of[self._from]
        last = (column >= 0) & (spread.distance[class_, np.maximum(column, 0)] == 1)
        flow = spread.passing[class_[last], column[last]] / self._members[class_[last]]
        load[last] += flow * columns.share[self._to[last]]


def _sampled(a: Floats, b: Floats, row: Ints, column: NDArray[np.integer[Any]]) -> Floats:
    """Some entries of ``a`` by the transposed ``b``."""
    found = np.zeros(len(row))
    step = max(1, _MAX_CELLS // max(a.shape[1], 1))
    for start in range(0, len(row), step):
        some = slice(start, start + step)
        found[some] = np.einsum("ec,ec->e", a[row[some]], b[column[some]])
    return found


def _twins(adjacency: csr_array, n: int) -> Ints:
    """Class of every switch: same neighbours, same numbers of links to them."""
    if n == 0:
        return np.zeros(0, np.int64)
    rng = np.random.default_rng(_SEED)
    marks = rng.integers(1, 2**62, size=(n, 2), dtype=np.int64)
    prints = adjacency.astype(np.int64) @ marks
    return np.unique(prints, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
