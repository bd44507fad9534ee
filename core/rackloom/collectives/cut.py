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

from rackloom.collectives.flow_graph import EdgeKind, FlowGraph
from rackloom.collectives.refine import Hashes, capacity_matrix, refined, set_apart
from rackloom.fabric.arrays import Bools, Floats, Ints

_FLOW_UNITS = 1 << 29
"""The whole demand in integer units: scipy's maximum flow counts in 32 bits."""

_TIGHTER = 1 - 1e-9
_MBPS = 1000
_WORK = 8_000_000
"""Vertices and edges times sinks that are looked at in one bound."""

FEW_CLASSES = 8
"""So many classes of GPUs are looked at one by one before anything cleverer."""

_MOST_PARTED = 24
"""Classes of GPUs that are looked at as the one cut off, those with the least bandwidth first."""

_SEEDS = 12
"""Switches that are tried for a start of the core."""


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


def gather_cut(graph: FlowGraph, symmetric: bool = True, few_classes: int = FEW_CLASSES) -> Cut:
    """The cut that binds all-gather (and reduce-scatter, and all-reduce by both).

    ``symmetric`` False leaves out the quotient and looks at the whole graph: slow, and the same.
    With more than ``few_classes`` classes of GPUs, the well-connected core is absorbed first.
    """
    n = graph.gpus
    into: Floats = np.bincount(
        np.concatenate([graph.u, graph.v]),
        weights=np.concatenate([graph.gbps, graph.gbps]),
        minlength=graph.vertices,
    ).astype(np.float64)
    poorest = int(into[:n].argmin())
    inside = np.ones(graph.vertices, np.bool_)
    inside[poorest] = False
    best = _Search(float(into[poorest]) / (n - 1), inside)
    exact = True
    if symmetric:
        exact = _search_classes(best, graph, into, few_classes)
    else:
        for sink in range(n):
            _tighten(best, graph, np.arange(graph.vertices), sink)
    inside = best.inside
    crossing = np.flatnonzero(inside[graph.u] != inside[graph.v])
    return Cut(best.rate, inside, crossing, int(inside[:n].sum()), exact)


@dataclass(slots=True)
class _Search:
    """The lowest rate so far, and the sending side of the cut that sets it."""

    rate: float
    inside: Bools


def _search_classes(best: _Search, graph: FlowGraph, into: Floats, few: int) -> bool:
    """Look at one GPU of every class; False where there were too many to look at all."""
    n = graph.gpus
    matrix = _matrix(graph, np.arange(graph.vertices), graph.vertices)
    colour = np.zeros(graph.vertices, np.uint64)
    colour[:n] = 1
    colour = refined(matrix, colour)
    label, absorbed = np.arange(graph.vertices), None
    sinks = one_of_each(colour[:n], into[:n])
    if len(sinks) > few and best.rate > 0:
        core = _absorbed(best, graph, matrix, colour)
        if core is not None:
            label = np.where(core, 0, np.cumsum(~core))
            absorbed = 0
            vertices = int(label.max()) + 1
            matrix = _matrix(graph, label, vertices)
            fewer = np.zeros(vertices, np.uint64)
            fewer[label[:n]] = 1
            fewer[0] = 2
            colour = refined(matrix, fewer)
            free = np.flatnonzero(~core[:n])
            sinks = free[one_of_each(colour[label[free]], into[free])]
    budget = max(1, _WORK // max(len(graph.u) + graph.vertices, 1))
    for sink in sinks[:budget].tolist():
        classes = numbered(refined(matrix, set_apart(colour, int(label[sink]))))
        home = None if absorbed is None else int(classes[absorbed])
        _tighten(best, graph, classes[label], sink, home)
    return len(sinks) <= budget


def _switched(graph: FlowGraph) -> Floats:
    """Capacity of every vertex towards switches; that towards NICs only breaks ties."""
    weight = graph.gbps * np.where(graph.kind == EdgeKind.BUNDLE, 1.0, 1e-6)
    weight = np.where(graph.kind == EdgeKind.SCALE_UP, 0.0, weight)
    both = np.bincount(
        np.r_[graph.u, graph.v], weights=np.r_[weight, weight], minlength=graph.vertices
    )
    return both.astype(np.float64)


def _absorbed(best: _Search, graph: FlowGraph, matrix: csr_array, colour: Hashes) -> Bools | None:
    """Vertices that no cut below the demand can part from the source; None where none is found.

    When the whole demand can flow to a vertex, every cut that matters has it on the source's side,
    so it may be merged with the source. In a fabric with a core this takes in all its switches, and
    what is left falls apart into servers, of which there are few kinds whatever was unplugged.
    """
    n = graph.gpus
    core = np.zeros(graph.vertices, np.bool_)
    tried = 0
    for seed in (n + np.argsort(-_switched(graph)[n:], kind="stable")).tolist():
        if core[seed]:
            continue
        tried += 1
        if tried > _SEEDS:
            break
        if _tighten(best, graph, numbered(refined(matrix, set_apart(colour, seed))), seed):
            core[seed] = True
            core = _grown(graph, core, best.rate)
    return core if core.any() else None


def _grown(graph: FlowGraph, core: Bools, rate: float) -> Bools:
    """The merged vertices and all that must be merged with them.

    What has the whole demand's capacity from merged vertices, straight or over one vertex between
    (each such path has its own), cannot be parted from them by a cut below the demand.
    """
    demand = graph.gpus * rate
    a, b = np.r_[graph.u, graph.v], np.r_[graph.v, graph.u]
    gbps = np.r_[graph.gbps, graph.gbps]
    feed = np.where(np.arange(graph.vertices) < graph.gpus, rate, 0.0)
    while True:
        straight = np.bincount(b, weights=gbps * core[a], minlength=graph.vertices)
        between = np.where(core[a], 0.0, np.minimum(straight[a], gbps))
        reach = straight + np.bincount(b, weights=between, minlength=graph.vertices) + feed
        grown: Bools = core | (reach >= demand)
        if grown.sum() == core.sum():
            return core
        core = grown


def _matrix(graph: FlowGraph, label: Ints, vertices: int) -> csr_array:
    """Integer capacities between labels, for colour refinement."""
    u, v = label[graph.u], label[graph.v]
    real = u != v
    capacity = np.maximum(np.round(graph.gbps[real] * _MBPS), 1).astype(np.int64)
    return capacity_matrix(u[real], v[real], capacity, vertices)


def one_of_each(colour: Hashes, into: Floats) -> Ints:
    """Position of one of every colour, the ones with the least bandwidth first."""
    _, first = np.unique(colour, return_index=True)
    order: Ints = first[np.argsort(into[first], kind="stable")]
    return order


def numbered(colour: Hashes) -> Ints:
    """Colours as numbers from 0."""
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


def _tighten(
    best: _Search, graph: FlowGraph, classes: Ints, sink: int, home: int | None = None
) -> bool:
    """Lower the rate to what the worst cut that leaves out this vertex allows.

    True when the whole demand then flows to it. False for a switch that gets less although no GPU
    is cut off: that bounds nothing. ``home``: the class merged with the source.
    """
    quotient = _quotient(graph, classes)
    target = int(classes[sink])
    n = graph.gpus
    while best.rate > 0:
        side = _source_side(quotient, target, best.rate, n, home)
        count = int(quotient.gpus[side].sum())
        if count == 0:
            return True
        out = float(quotient.gbps[side[quotient.u] != side[quotient.v]].sum())
        if out / count >= best.rate * _TIGHTER:
            return True
        if count == n:
            return False
        best.rate = out / count
        best.inside = side[classes]
    return True


def _source_side(quotient: _Quotient, target: int, rate: float, n: int, home: int | None) -> Bools:
    """Classes on the source's side of a least cut, with every GPU fed ``rate``."""
    demand = n * rate
    unit = _FLOW_UNITS / demand
    k = quotient.vertices
    capacity = np.floor(np.minimum(quotient.gbps, demand) * unit).astype(np.int32)
    feeding = np.flatnonzero(quotient.gpus)
    feed = np.round(quotient.gpus[feeding] * rate * unit).astype(np.int32)
    if home is not None:
        feeding = np.append(feeding, home)
        feed = np.append(feed, np.int32(_FLOW_UNITS))
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


def capacity_matrix_of(graph: FlowGraph) -> csr_array:
    """Integer capacities of the whole graph, for colour refinement."""
    return _matrix(graph, np.arange(graph.vertices), graph.vertices)


def stable_colour(graph: FlowGraph) -> Hashes:
    """The coarsest stable colouring that tells GPUs from switches."""
    colour = np.zeros(graph.vertices, np.uint64)
    colour[: graph.gpus] = 1
    return refined(capacity_matrix_of(graph), colour)


def poorest_gbps(graph: FlowGraph) -> float:
    """What the GPU with the least bandwidth can take."""
    both = np.r_[graph.gbps, graph.gbps]
    into = np.bincount(np.r_[graph.u, graph.v], weights=both, minlength=graph.vertices)
    return float(into[: graph.gpus].min())


def parting_cut(graph: FlowGraph, colour: Hashes) -> Cut:
    """The least bandwidth of any cut with a GPU on each side, as what crosses in one direction.

    Broadcast takes at least S over it, and so does an all-reduce with reduction inside the network
    (data crosses once up, once down). One GPU of the first class is the source, one of every class
    the sink: a cut that parts no two of these parts nobody.
    """
    n = graph.gpus
    into: Floats = np.bincount(
        np.r_[graph.u, graph.v], weights=np.r_[graph.gbps, graph.gbps], minlength=graph.vertices
    ).astype(np.float64)
    sinks = one_of_each(colour[:n], into[:n])
    poorest = int(sinks[0])
    inside = np.ones(graph.vertices, np.bool_)
    inside[poorest] = False
    best, side = float(into[poorest]), inside
    matrix = capacity_matrix_of(graph)
    source = int(np.flatnonzero(np.arange(n) != poorest)[-1])
    with_source = refined(matrix, set_apart(colour, source))
    fine = one_of_each(with_source[:n], into[:n])
    budget = min(_MOST_PARTED, max(1, _WORK // max(len(graph.u) + graph.vertices, 1)))
    for sink in fine[:budget].tolist():
        if sink == source or best <= 0:
            continue
        classes = numbered(refined(matrix, set_apart(with_source, sink)))
        quotient = _quotient(graph, classes)
        reach = _reach(quotient, int(classes[source]), int(classes[sink]), best)
        gbps = float(quotient.gbps[reach[quotient.u] != reach[quotient.v]].sum())
        if gbps < best * _TIGHTER:
            best, side = gbps, reach[classes]
    crossing = np.flatnonzero(side[graph.u] != side[graph.v])
    return Cut(best, side, crossing, int(side[:n].sum()), len(fine) <= budget)


def _reach(quotient: _Quotient, source: int, sink: int, most: float) -> Bools:
    """Classes on the source's side of a least cut from one class to another."""
    unit = _FLOW_UNITS / most
    k = quotient.vertices
    capacity = np.floor(np.minimum(quotient.gbps, most) * unit).astype(np.int32)
    rows, columns = np.r_[quotient.u, quotient.v], np.r_[quotient.v, quotient.u]
    matrix = csr_array((np.r_[capacity, capacity], (rows, columns)), shape=(k, k)).tocsr()
    left = csr_array(matrix - maximum_flow(matrix, source, sink).flow)
    left.eliminate_zeros()
    side = np.zeros(k, np.bool_)
    side[breadth_first_order(left, source, directed=True, return_predecessors=False)] = True
    return side
