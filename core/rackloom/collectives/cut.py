# SPDX-License-Identifier: Apache-2.0
"""The physical limit by cuts: what no point-to-point schedule can beat on this wiring.

All-gather and reduce-scatter of M bytes over N GPUs take at least (M/N) max |S ∩ GPUs| / B⁺(S) over
the cuts S that leave a GPU out, B⁺ being the bandwidth that leaves S; ForestColl shows that
spanning trees reach it (arXiv 2402.06787). All-reduce is a reduce-scatter and an all-gather, so
the bound is the same in bus bandwidth.

With a source feeding x to every GPU, rate x is feasible when N x can flow to every GPU alike. We
start from the GPU with the least bandwidth into it and ask a maximum flow for a tighter cut until
none is found (Newton's method on the cut's ratio, exact in a few steps): once for each class of
GPUs that the wiring tells apart, on the quotient by colour refinement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from rackloom.collectives.flow_graph import FlowGraph
from rackloom.collectives.refine import Hashes, capacity_matrix, refined, set_apart
from rackloom.fabric.arrays import Bools, Floats, Ints

_FLOW_UNITS = 1 << 29
"""The whole demand in integer units: scipy's maximum flow counts in 32 bits."""

_TIGHTER = 1 - 1e-9
_MBPS = 1000
_WORK = 40_000_000
"""Vertices and edges times sinks that are looked at in one bound."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The tightest cut found. ``rate_gbps``: what each GPU can send to all others at once."""

    rate_gbps: float
    inside: Bools
    """Vertices on the sending side."""
    crossing: Ints
    """Edges from one side to the other."""
    gpus_inside: int
    exact: bool
    """False: classes of GPUs were left unlooked at; the cut bounds, but a tighter one may exist."""


@dataclass(frozen=True, slots=True, eq=False)
class _Quotient:
    """A graph of classes: capacities between them, GPUs in each."""

    u: Ints
    v: Ints
    gbps: Floats
    gpus: Ints
    vertices: int


def gather_cut(graph: FlowGraph, symmetric: bool = True) -> Cut:
    """The cut that binds all-gather (and reduce-scatter, and all-reduce by both).

    ``symmetric`` False leaves out the quotient and looks at the whole graph: slow, and the same.
    """
    n = graph.gpus
    ingress: Floats = np.bincount(
        np.concatenate([graph.u, graph.v]),
        weights=np.concatenate([graph.gbps, graph.gbps]),
        minlength=graph.vertices,
    )[:n].astype(np.float64)
    poorest = int(ingress.argmin())
    inside = np.ones(graph.vertices, np.bool_)
    inside[poorest] = False
    best = _Search(float(ingress[poorest]) / (n - 1), inside)
    capacity = np.maximum(np.round(graph.gbps * _MBPS), 1).astype(np.int64)
    matrix = capacity_matrix(graph.u, graph.v, capacity, graph.vertices)
    colour = np.zeros(graph.vertices, np.uint64)
    colour[:n] = 1
    if symmetric:
        colour = refined(matrix, colour)
        sinks = _one_of_each(colour[:n], ingress)
    else:
        sinks = np.arange(n)
    budget = max(1, _WORK // max(len(graph.u) + graph.vertices, 1))
    for sink in sinks[:budget].tolist():
        if symmetric:
            classes = _numbered(refined(matrix, set_apart(colour, sink)))
        else:
            classes = np.arange(graph.vertices)
        _tighten(best, graph, classes, sink)
    inside = best.inside
    crossing = np.flatnonzero(inside[graph.u] != inside[graph.v])
    count = int(inside[:n].sum())
    return Cut(best.rate, inside, crossing, count, exact=len(sinks) <= budget)


@dataclass(slots=True)
class _Search:
    rate: float
    inside: Bools


def _one_of_each(colour: Hashes, ingress: Floats) -> Ints:
    """A GPU of every class, the ones with the least bandwidth first."""
    _, first = np.unique(colour, return_index=True)
    order: Ints = first[np.argsort(ingress[first], kind="stable")]
    return order


def _numbered(colour: Hashes) -> Ints:
    return np.unique(colour, return_inverse=True)[1].astype(np.int64)


def _quotient(graph: FlowGraph, classes: Ints) -> _Quotient:
    k = int(classes.max()) + 1
    a, b = classes[graph.u], classes[graph.v]
    key = np.minimum(a, b) * k + np.maximum(a, b)
    found, inverse = np.unique(key, return_inverse=True)
    gbps = np.bincount(inverse, weights=graph.gbps, minlength=len(found))
    u, v = found // k, found % k
    real = u != v
    gpus = np.bincount(classes[: graph.gpus], minlength=k)
    return _Quotient(u[real], v[real], gbps[real].astype(np.float64), gpus, k)


def _tighten(best: _Search, graph: FlowGraph, classes: Ints, sink: int) -> None:
    """Lower the rate to what the worst cut that leaves out this GPU allows."""
    quotient = _quotient(graph, classes)
    target = int(classes[sink])
    n = graph.gpus
    while best.rate > 0:
        side = _source_side(quotient, target, best.rate, n)
        count = int(quotient.gpus[side].sum())
        if count == 0:
            return
        out = float(quotient.gbps[side[quotient.u] != side[quotient.v]].sum())
        if out / count >= best.rate * _TIGHTER:
            return
        best.rate = out / count
        best.inside = side[classes]


def _source_side(quotient: _Quotient, target: int, rate: float, n: int) -> Bools:
    """Classes on the source's side of a least cut, with every GPU fed ``rate``."""
    demand = n * rate
    unit = _FLOW_UNITS / demand
    k = quotient.vertices
    capacity = np.floor(np.minimum(quotient.gbps, demand) * unit).astype(np.int32)
    feeding = np.flatnonzero(quotient.gpus)
    feed = np.round(quotient.gpus[feeding] * rate * unit).astype(np.int32)
    rows = np.concatenate([quotient.u, quotient.v, np.full(len(feeding), k)])
    columns = np.concatenate([quotient.v, quotient.u, feeding])
    values = np.concatenate([capacity, capacity, feed])
    matrix = csr_array((values, (rows, columns)), shape=(k + 1, k + 1)).tocsr()
    flow = maximum_flow(matrix, k, target).flow
    left = csr_array(matrix - flow)
    left.eliminate_zeros()
    reached = breadth_first_order(left, k, directed=True, return_predecessors=False)
    side = np.zeros(k + 1, np.bool_)
    side[reached] = True
    return side[:k]
