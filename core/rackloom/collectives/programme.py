# SPDX-License-Identifier: Apache-2.0
"""The linear programme of an all-to-all on the classes of a colour refinement.

Solvers tolerate errors of 1e-7, and of 131,072 GPUs one gets a hundred-thousandth of what another
sends: so the rate is counted in what the poorest GPU can take, flows in what their edges can carry,
and every row is divided by its greatest coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, diags_array

from rackloom.collectives.cut import capacity_matrix_of, numbered, poorest_gbps
from rackloom.collectives.flow_graph import FlowGraph
from rackloom.collectives.refine import Hashes, refined, set_apart
from rackloom.fabric.arrays import Bools, Floats, Ints

_MOST_VARIABLES = 20_000
_TIGHT = 1e-7
_SLACK = 1 + 1e-6

_WORK_LAID = 200_000
"""Vertices and edges times GPUs up to which every GPU's flow is laid onto the edges."""


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The greatest rate from each GPU to each other, and what binds it."""

    pair_gbps: float
    flow: Floats
    """Every variable; the first is the rate."""
    lengths: Floats
    """Price of each edge of the graph, the same both ways."""
    crossing: Ints
    """Edges that carry all they can."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sender:
    """The flow of one GPU of a class: variables ``first`` on, between classes seen from it."""

    gpu: int
    pairs: Ints
    first: int
    kind: Ints


class Programme:
    """Maximise the rate while no class of edges carries more than it can."""

    def __init__(self, graph: FlowGraph, colour: Hashes, unit: float) -> None:
        self._graph, self._colour, self._unit = graph, colour, unit
        self._matrix = capacity_matrix_of(graph)
        self._base = numbered(colour)
        self._tail, self._head = np.r_[graph.u, graph.v], np.r_[graph.v, graph.u]
        self._gbps = np.r_[graph.gbps, graph.gbps]
        k = int(self._base.max()) + 1
        # directed edges between base classes, what one class of edges carries in all
        key = self._base[self._tail] * k + self._base[self._head]
        kinds, self._kind_of = np.unique(key, return_inverse=True)
        self._kinds = len(kinds)
        self._capacity = np.bincount(self._kind_of, weights=self._gbps)
        self._members = np.bincount(self._base[: graph.gpus], minlength=k)
        self._senders: list[_Sender] = []
        self._variables, self._equations = 1, 0  # variable 0: the rate
        self._equal: list[tuple[Ints, Ints, Floats]] = []

    @classmethod
    def of(cls, graph: FlowGraph, colour: Hashes, senders: Ints) -> Self | None:
        """With one sender for each class; None where it is too big to be worth it."""
        unit = poorest_gbps(graph)
        if unit <= 0:
            return None
        made = cls(graph, colour, unit)
        for gpu in senders.tolist():
            made._add(gpu)
            if made._variables > _MOST_VARIABLES:
                return None
        return made

    def _seen_from(self, gpu: int) -> tuple[Ints, Ints, int]:
        """Classes with a GPU set apart, the pair of them that each edge joins, how many."""
        fine = numbered(refined(self._matrix, set_apart(self._colour, gpu)))
        many = int(fine.max()) + 1
        return fine, fine[self._tail] * many + fine[self._head], many

    def _add(self, gpu: int) -> None:
        fine, key, many = self._seen_from(gpu)
        # the finer classes settle the coarser ones, so any edge of a pair tells its kind
        pair, first = np.unique(key, return_index=True)
        a, b, kind = pair // many, pair % many, self._kind_of[first]
        # edges inside a class carry flow between its members; those of GPUs need none, those of
        # switches would only move flow about: both leave the class's balance as it is
        real = a != b
        a, b, kind, pair = a[real], b[real], kind[real], pair[real]
        x = self._variables + np.arange(len(a))
        self._senders.append(_Sender(gpu, pair, self._variables, kind))
        self._variables += len(a)
        gpus = np.bincount(fine[: self._graph.gpus], minlength=many)
        gpus[fine[gpu]] = 0
        for at, sign in ((b, 1.0), (a, -1.0)):  # inflow - outflow = rate x GPUs in the class
            keep = at != fine[gpu]
            self._equal.append(
                (self._equations + at[keep], x[keep], np.full(int(keep.sum()), sign))
            )
        wants = np.flatnonzero(gpus)
        share = -gpus[wants] / (self._graph.gpus - 1)
        self._equal.append((self._equations + wants, np.zeros(len(wants), np.int64), share))
        self._equations += many

    def solved(self) -> Solved | None:
        """None where the solver finds nothing."""
        rows, columns, values = (np.concatenate(c) for c in zip(*self._equal, strict=True))
        shape = (self._equations, self._variables)
        equal = coo_array((values, (rows, columns)), shape=shape).tocsr()
        kind = np.concatenate([sender.kind for sender in self._senders])
        many = np.repeat(
            [self._members[self._base[sender.gpu]] for sender in self._senders],
            [len(sender.kind) for sender in self._senders],
        )
        together = many * self._unit / self._capacity[kind]
        x = np.arange(1, self._variables)
        most = coo_array((together, (kind, x)), shape=(self._kinds, self._variables)).tocsr()
        scales = np.r_[1.0, np.minimum(1.0, 1 / together)]
        cost = np.zeros(self._variables)
        cost[0] = -1.0
        found = linprog(  # type: ignore[call-overload]  # takes sparse matrices; the stubs do not
            cost,
            A_ub=most @ diags_array(scales),
            b_ub=np.ones(self._kinds),
            A_eq=_evened(equal @ diags_array(scales)),
            b_eq=np.zeros(self._equations),
            method="highs",
        )
        if not found.success:
            return None
        price = np.abs(np.asarray(found.ineqlin.marginals, np.float64))
        tight: Bools = price > _TIGHT * max(float(price.max()), 1e-300)
        edges = len(self._graph.u)
        each = np.where(tight, price / self._capacity, 0.0)[self._kind_of]
        pair_gbps = float(found.x[0]) * self._unit / (self._graph.gpus - 1)
        return Solved(
            pair_gbps,
            np.asarray(found.x, np.float64) * scales,
            (each[:edges] + each[edges:]) / 2,
            np.unique(np.flatnonzero(tight[self._kind_of]) % edges),
        )

    def is_laid(self, solved: Solved) -> bool:
        """Whether the flows of all GPUs together fit on the real edges; False in large fabrics.

        Numbers of classes follow from their colours, so a class seen from one GPU has the number
        that it has from any GPU that sees the same.
        """
        graph = self._graph
        if (len(graph.u) + graph.vertices) * graph.gpus > _WORK_LAID:
            return False
        load = np.zeros(len(self._gbps))
        for sender in self._senders:
            x = solved.flow[sender.first : sender.first + len(sender.pairs)] * self._unit
            mine = self._colour[: graph.gpus] == self._colour[sender.gpu]
            for gpu in np.flatnonzero(mine).tolist():
                _, key, _ = self._seen_from(gpu)
                at = np.minimum(np.searchsorted(sender.pairs, key), len(sender.pairs) - 1)
                known = sender.pairs[at] == key
                width = np.bincount(at[known], self._gbps[known], minlength=len(x))
                if (width[x > _TIGHT * self._unit] <= 0).any():
                    return False  # this GPU sees something else
                each = np.divide(x, width, out=np.zeros_like(x), where=width > 0)
                load[known] += each[at[known]] * self._gbps[known]
        return bool((load <= self._gbps * _SLACK).all())


def _evened(matrix: csr_array) -> csr_array:
    """The matrix with every row divided by its greatest coefficient."""
    greatest = np.asarray(abs(matrix).max(axis=1).todense(), np.float64).ravel()
    return csr_array(diags_array(1 / np.where(greatest > 0, greatest, 1.0)) @ matrix)
