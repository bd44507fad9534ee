# SPDX-License-Identifier: Apache-2.0
"""The limit of an all-to-all: the greatest rate at which all pairs of GPUs can send at once.

A linear programme on the quotient by colour refinement. All GPUs of a class are taken to be alike,
so one of each sends for them: its flow to everybody else is a flow between classes of the
refinement that sets it apart, and puts on each class of edges what all senders of its class
together do. What comes of it is proven from both sides. From above by the prices of the programme:
whatever lengths edges have, the rate is at most the sum of capacity by length over the sum of all
distances between GPUs (LP duality), worked out on the whole graph. From below, in small fabrics, by
laying the flows of every GPU onto the real edges. Where there are too many classes cuts bound the
rate: |S| |rest| pairs each way have to cross what the cut can carry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rackloom.collectives.cut import Cut, capacity_matrix_of, one_of_each
from rackloom.collectives.distances import bound_by_lengths
from rackloom.collectives.flow_graph import FlowGraph
from rackloom.collectives.programme import Programme
from rackloom.collectives.refine import Hashes, refined, set_apart
from rackloom.fabric.arrays import Bools, Ints

_MOST_SENDERS, _WORK_SENDERS = 12, 20_000
"""Classes that send in one programme; more in small fabrics: vertices and edges times classes."""

_MOST_SIDES = 24
"""Servers, and pods, whose cut is looked at where the programme is too big."""

_WORK_ALIKE = 40_000
"""Vertices and edges times GPUs that are compared with the sender of their class."""
_MOST_ALIKE = 64

_PROVEN = 1 + 1e-6
"""A bound from above and a schedule from below this close together are one number."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Rate from each GPU to each other, and the edges that bind it."""

    pair_gbps: float
    crossing: Ints
    exact: bool


def spread_rate(graph: FlowGraph, colour: Hashes, candidates: Callable[[], list[Bools]]) -> Spread:
    """The all-to-all limit. ``colour``: a stable one; ``candidates``: sides of cuts to try."""
    senders = one_of_each(colour[: graph.gpus], np.zeros(graph.gpus))
    work = len(senders) * (len(graph.u) + graph.vertices)
    few = len(senders) <= _MOST_SENDERS or work <= _WORK_SENDERS
    if few and _alike(graph, colour, senders):
        programme = Programme.of(graph, colour, senders)
        solved = None if programme is None else programme.solved()
        bound = None if solved is None else bound_by_lengths(graph, solved.lengths)
        if programme is not None and solved is not None and bound is not None:
            exact = bound <= solved.pair_gbps * _PROVEN and programme.is_laid(solved)
            return Spread(max(bound, solved.pair_gbps), solved.crossing, exact)
    return _best_cut(graph, candidates())


def _alike(graph: FlowGraph, colour: Hashes, senders: Ints) -> bool:
    """Whether some GPUs of each class see the same around them as the one that sends for them.

    A stable colouring does not promise that: leaves with three links each to other leaves get one
    colour, whatever they form. Members from all over a class are compared.
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
