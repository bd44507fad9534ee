# SPDX-License-Identifier: Apache-2.0
"""The limit of an all-to-all: the greatest rate at which all pairs of GPUs can send at once.

A linear programme on the quotient by colour refinement. All GPUs of a class are alike, so one of
each sends for them: its flow to everybody else, averaged over the symmetries, is a flow between
classes of the refinement that sets it apart, and puts on each class of edges what all senders of
its class together do. Exact where the GPUs of a class are alike also seen from far away; where they
are not, or where there are too many classes, cuts bound it: |S| |rest| pairs each way have to cross
what the cut can carry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, diags_array

from rackloom.collectives.cut import (
    Cut,
    capacity_matrix_of,
    numbered,
    one_of_each,
    poorest_gbps,
)
from rackloom.collectives.flow_graph import FlowGraph
from rackloom.collectives.refine import Hashes, refined, set_apart
from rackloom.fabric.arrays import Bools, Ints

_MOST_SENDERS = 12
_MOST_VARIABLES = 20_000
_MOST_SIDES = 24
"""Servers, and pods, whose cut is looked at where the programme is too big."""

_WORK_ALIKE = 40_000
"""Vertices and edges times GPUs that are compared with the sender of their class."""
_MOST_ALIKE = 64

_TIGHT = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Rate from each GPU to each other, and the edges that bind it."""

    pair_gbps: float
    crossing: Ints
    exact: bool


def spread_rate(graph: FlowGraph, colour: Hashes, candidates: Callable[[], list[Bools]]) -> Spread:
    """The all-to-all limit. ``colour``: a stable one; ``candidates``: sides of cuts to try."""
    senders = one_of_each(colour[: graph.gpus], np.zeros(graph.gpus))
    if len(senders) <= _MOST_SENDERS and _alike(graph, colour, senders):
        found = _programme(graph, colour, senders)
        if found is not None:
            return found
    return _best_cut(graph, candidates())


def _alike(graph: FlowGraph, colour: Hashes, senders: Ints) -> bool:
    """Whether the GPUs of each class see the same around them as the one that sends for them.

    A stable colouring does not promise that: leaves with three links each to other leaves get one
    colour, whatever they form. Members from all over a class are compared, all of them in small
    fabrics.
    """
    matrix = capacity_matrix_of(graph)
    most = int(np.clip(_WORK_ALIKE // (len(graph.u) + graph.vertices), 2, _MOST_ALIKE))
    for sender in senders.tolist():
        members = np.flatnonzero(colour[: graph.gpus] == colour[sender])
        members = members[members != sender]
        several = np.unique(np.linspace(0, len(members) - 1, min(most, len(members))).astype(int))
        seen = np.sort(refined(matrix, set_apart(colour, sender)))
        for member in members[several].tolist():
            if not np.array_equal(seen, np.sort(refined(matrix, set_apart(colour, member)))):
                return False
    return True


def _best_cut(graph: FlowGraph, candidates: list[Bools]) -> Spread:
    n = graph.gpus
    best, crossing = np.inf, np.zeros(0, np.int64)
    for side in candidates:
        inside = int(side[:n].sum())
        if not 0 < inside < n:
            continue
        edges = np.flatnonzero(side[graph.u] != side[graph.v])
        rate = float(graph.gbps[edges].sum()) / (inside * (n - inside))
        if rate < best:
            best, crossing = rate, edges
    into = np.bincount(
        np.r_[graph.u, graph.v], weights=np.r_[graph.gbps, graph.gbps], minlength=graph.vertices
    )[:n]
    poorest = int(into.argmin())
    if into[poorest] / (n - 1) < best:
        best = float(into[poorest]) / (n - 1)
        crossing = np.flatnonzero((graph.u == poorest) | (graph.v == poorest))
    return Spread(float(best), crossing, exact=False)


def _programme(graph: FlowGraph, colour: Hashes, senders: Ints) -> Spread | None:
    """Maximise the rate; None where the programme is too big to be worth it.

    Solvers tolerate errors of 1e-7, and of 131,072 GPUs one gets a hundred-thousandth of what
    another sends: so the rate is counted in what the poorest GPU can take, flows in what their
    edges can carry, and every row is divided by its greatest coefficient.
    """
    matrix = capacity_matrix_of(graph)
    base = numbered(colour)
    k = int(base.max()) + 1
    # directed edges between base classes, what one class of edges carries in all
    tail, head = np.r_[graph.u, graph.v], np.r_[graph.v, graph.u]
    gbps = np.r_[graph.gbps, graph.gbps]
    edge_key = base[tail] * k + base[head]
    kinds, kind_of = np.unique(edge_key, return_inverse=True)
    capacity = np.bincount(kind_of, weights=gbps)
    members = np.bincount(base[: graph.gpus], minlength=k)
    unit = poorest_gbps(graph)
    if unit <= 0:
        return None
    scales = [np.ones(1)]
    rows, columns, values = [], [], []  # equalities
    rows_u, columns_u, values_u = [], [], []  # capacities
    variables, equations = 1, 0  # variable 0: the rate
    for sender in senders.tolist():
        fine = numbered(refined(matrix, set_apart(colour, sender)))
        many = int(fine.max()) + 1
        # the finer classes settle the coarser ones, so any edge of a pair tells its kind
        pair, first = np.unique(fine[tail] * many + fine[head], return_index=True)
        a, b, kind = pair // many, pair % many, kind_of[first]
        real = a != b
        # edges inside a class carry flow between its members; those of GPUs need none, those of
        # switches would only move flow about: both leave the class's balance as it is
        a, b, kind = a[real], b[real], kind[real]
        x = variables + np.arange(len(a))
        variables += len(a)
        if variables > _MOST_VARIABLES:
            return None
        gpus = np.bincount(fine[: graph.gpus], minlength=many)
        gpus[fine[sender]] = 0
        for at, sign in ((b, 1.0), (a, -1.0)):  # inflow - outflow = rate x GPUs in the class
            keep = at != fine[sender]
            rows.append(equations + at[keep])
            columns.append(x[keep])
            values.append(np.full(int(keep.sum()), sign))
        wants = np.flatnonzero(gpus)
        rows.append(equations + wants)
        columns.append(np.zeros(len(wants), np.int64))
        values.append(-gpus[wants] / (graph.gpus - 1))
        equations += many
        rows_u.append(kind)
        columns_u.append(x)
        together = members[base[sender]] * unit / capacity[kind]
        values_u.append(together)
        scales.append(np.minimum(1.0, 1 / together))
    shape = (equations, variables)
    equal = coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    ).tocsr()
    most = coo_array(
        (np.concatenate(values_u), (np.concatenate(rows_u), np.concatenate(columns_u))),
        shape=(len(kinds), variables),
    ).tocsr()
    scale = diags_array(np.concatenate(scales))
    cost = np.zeros(variables)
    cost[0] = -1.0
    found = linprog(  # type: ignore[call-overload]  # takes sparse matrices; the stubs do not
        cost,
        A_ub=most @ scale,
        b_ub=np.ones(len(kinds)),
        A_eq=_evened(equal @ scale),
        b_eq=np.zeros(equations),
        method="highs",
    )
    if not found.success:
        return None
    price = np.abs(np.asarray(found.ineqlin.marginals, np.float64))
    tight: Bools = price > _TIGHT * max(float(price.max()), 1e-300)
    binding = np.flatnonzero(tight[kind_of])
    crossing = np.unique(binding % len(graph.u))
    return Spread(float(found.x[0]) * unit / (graph.gpus - 1), crossing, exact=True)


def _evened(matrix: csr_array) -> csr_array:
    """The matrix with every row divided by its greatest coefficient."""
    greatest = np.asarray(abs(matrix).max(axis=1).todense(), np.float64).ravel()
    return csr_array(diags_array(1 / np.where(greatest > 0, greatest, 1.0)) @ matrix)


def sides(graph: FlowGraph, groups: list[Ints], gather: Cut) -> list[Bools]:
    """Sides of cuts worth trying: that of the gather bound, and everything near each grouping.

    ``groups`` number the ranks (by server, by pod, by leaf); a side is all GPUs of one number with
    the switches whose neighbours all lie on it.
    """
    found = [gather.inside]
    for number in groups:
        count = int(number.max()) + 1
        for value in range(min(count, _MOST_SIDES)):
            side = np.zeros(graph.vertices, np.bool_)
            side[: graph.gpus] = number == value
            found.append(_closed(graph, side))
    return found


def _closed(graph: FlowGraph, side: Bools) -> Bools:
    """The side with every switch that has more capacity towards it than away from it."""
    for _ in range(4):
        towards = np.bincount(
            np.r_[graph.u, graph.v],
            weights=np.r_[graph.gbps * side[graph.v], graph.gbps * side[graph.u]],
            minlength=graph.vertices,
        )
        whole = np.bincount(
            np.r_[graph.u, graph.v], weights=np.r_[graph.gbps, graph.gbps], minlength=graph.vertices
        )
        grown = side.copy()
        grown[graph.gpus :] = towards[graph.gpus :] > whole[graph.gpus :] / 2
        if (grown == side).all():
            break
        side = grown
    return side
