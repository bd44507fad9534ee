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
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from rackloom.collectives.flow_graph import EdgeKind, FlowGraph
from rackloom.collectives.growth import TIGHTER, Growth
from rackloom.collectives.refine import Hashes, capacity_matrix, refined, set_apart
from rackloom.collectives.swaps import exchangeable
from rackloom.fabric.arrays import Bools, Floats, Ints

_FLOW_UNITS = 1 << 29
"""The whole demand in integer units: scipy's maximum flow counts in 32 bits."""

_MBPS = 1000
_WORK = 8_000_000
"""Vertices and edges times sinks that are looked at in one bound."""

FEW_CLASSES = 8
"""So many classes of GPUs are looked at one by one before anything cleverer."""

_MOST_PARTED = 24
"""Classes of GPUs that are looked at as the one cut off, those with the least bandwidth first."""

_SEEDS, _FEW_SEEDS = 12, 2
"""Switches that are tried for a start of the core: with many classes of GPUs, and with few."""

_MORE, _MORE_WORK = 24, 200_000
"""GPUs that are looked at after one of each class, where nothing proves the others to be alike;
more in small fabrics: vertices and edges times GPUs."""


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
    best = _Gather(graph, Growth.of(graph), float(into[poorest]) / (n - 1), inside)
    exact = True
    if symmetric:
        most = max(1, _WORK // max(len(graph.u) + graph.vertices, 1))
        nothing = np.zeros(graph.vertices, np.bool_)
        exact = _look_at_all(best, graph, into, nothing, few_classes, most)
    else:
        for sink in range(n):
            best.look(np.arange(graph.vertices), sink, None)
    inside = best.inside
    crossing = np.flatnonzero(inside[graph.u] != inside[graph.v])
    return Cut(best.value, inside, crossing, int(inside[:n].sum()), exact)


class _Bound(Protocol):
    """What a search tightens."""

    @property
    def source(self) -> int | None:
        """The GPU that all cuts part from; None where all GPUs are fed alike."""

    @property
    def value(self) -> float:
        """The tightest so far; at 0 there is nothing more to find."""

    def look(self, classes: Ints, sink: int, home: int | None) -> bool:
        """Tighten by the worst cut that leaves out this vertex, on the graph of these classes.

        True when no cut below the value parts it from the source then. ``home``: the class of what
        is merged with the source.
        """

    def grown(self, proven: Bools) -> Bools:
        """These vertices, and all others that no cut below the value can part from them."""


def _look_at_all(
    bound: _Bound, graph: FlowGraph, into: Floats, proven: Bools, few: int, most: int
) -> bool:
    """Look at one GPU of every class, and on until no tighter cut is proven to part any.

    A class is what the wiring tells apart from near by; far away its members may differ (two rings
    of three servers beside one of six). So each member counts as done only when it hangs together
    with what was looked at, and others are looked at in their turn. True only where every GPU is
    done: looking stops after ``most`` of them, though not before ``_MORE`` beyond the classes.
    GPUs that can change places with one that is done are done as well.
    """
    n = graph.gpus
    label, matrix, colour = _contracted(graph, proven)
    seeded = len(np.unique(colour[label[:n]])) > few
    if seeded:
        proven = _absorbed(bound, graph, proven, _SEEDS)
    first, left = True, most
    alike: Ints | None = None
    while bound.value > 0 and not proven[:n].all():
        merged = bool(proven.any())
        label, matrix, colour = _contracted(graph, proven)
        free = np.flatnonzero(~proven[:n])
        for sink in free[one_of_each(colour[label[free]], into[free])].tolist():
            if proven[sink]:
                continue
            if left <= 0:
                return False
            left -= 1
            classes = numbered(refined(matrix, set_apart(colour, int(label[sink]))))
            bound.look(classes[label], sink, int(classes[0]) if merged else None)
            proven[sink] = True
            proven = bound.grown(proven)
            if not first and alike is not None:
                proven[:n] |= np.isin(alike, alike[proven[:n]])
        if first and not seeded and bound.value > 0 and not proven[:n].all():
            proven = _absorbed(bound, graph, proven, _FEW_SEEDS)
        if first and bound.value > 0 and not proven[:n].all():
            alike = exchangeable(graph, bound.source)
            proven[:n] |= np.isin(alike, alike[proven[:n]])
            proven = bound.grown(proven)
        if first:
            first, left = False, max(_MORE, _MORE_WORK // (len(graph.u) + graph.vertices))
    return True


@dataclass(slots=True)
class _Gather:
    """The lowest rate so far, and the sending side of the cut that sets it."""

    graph: FlowGraph
    growth: Growth
    value: float
    inside: Bools
    source: int | None = None

    def look(self, classes: Ints, sink: int, home: int | None) -> bool:
        """False for a switch that gets less although no GPU is cut off: that bounds nothing."""
        quotient = _quotient(self.graph, classes)
        target, n = int(classes[sink]), self.graph.gpus
        while self.value > 0:
            side = _source_side(quotient, target, self.value, n, home)
            count = int(quotient.gpus[side].sum())
            if count == 0:
                return True
            out = float(quotient.gbps[side[quotient.u] != side[quotient.v]].sum())
            if out / count >= self.value * TIGHTER:
                return True
            if count == n:
                return False
            self.value = out / count
            self.inside = side[classes]
        return True

    def grown(self, proven: Bools) -> Bools:
        """Every GPU is fed the rate; what gets all of it together hangs together."""
        n = self.graph.gpus
        feed = np.where(np.arange(self.graph.vertices) < n, self.value, 0.0)
        return self.growth.grown(proven, n * self.value, feed)


@dataclass(slots=True)
class _Parting:
    """The least bandwidth so far of a cut between two GPUs, and the side of it with the source."""

    graph: FlowGraph
    growth: Growth
    source: int
    value: float
    inside: Bools

    def look(self, classes: Ints, sink: int, home: int | None) -> bool:
        """False for a switch that is cut off alone: that parts no GPUs."""
        del home  # the source is in it
        quotient, n = _quotient(self.graph, classes), self.graph.gpus
        side = _reach(quotient, int(classes[self.source]), int(classes[sink]), self.value)
        gbps = float(quotient.gbps[side[quotient.u] != side[quotient.v]].sum())
        if gbps >= self.value * TIGHTER:
            return True
        inside = side[classes]
        if inside[:n].all():
            return False
        self.value, self.inside = gbps, inside
        return True

    def grown(self, proven: Bools) -> Bools:
        """What has as much bandwidth from them as the cut."""
        return self.growth.grown(proven, self.value)


def _contracted(graph: FlowGraph, merged: Bools) -> tuple[Ints, csr_array, Hashes]:
    """Label of every vertex with the merged ones as one (0), capacities, and a stable colouring."""
    several = bool(merged.any())
    label = np.where(merged, 0, np.cumsum(~merged)) if several else np.arange(graph.vertices)
    vertices = int(label.max()) + 1
    matrix = _matrix(graph, label, vertices)
    colour = np.zeros(vertices, np.uint64)
    colour[label[: graph.gpus]] = 1
    if several:
        colour[0] = 2
    return label, matrix, refined(matrix, colour)


def _switched(graph: FlowGraph) -> Floats:
    """Capacity of every vertex towards switches; that towards NICs only breaks ties."""
    weight = graph.gbps * np.where(graph.kind == EdgeKind.BUNDLE, 1.0, 1e-6)
    weight = np.where(graph.kind == EdgeKind.SCALE_UP, 0.0, weight)
    both = np.bincount(
        np.r_[graph.u, graph.v], weights=np.r_[weight, weight], minlength=graph.vertices
    )
    return both.astype(np.float64)


def _absorbed(bound: _Bound, graph: FlowGraph, proven: Bools, most: int) -> Bools:
    """Vertices that no cut below the bound can part from the source, found from the core outwards.

    They may be merged with the source. In a fabric with a core this takes in all its switches, and
    what is left falls apart into servers, of which there are few kinds whatever was unplugged.
    """
    n = graph.gpus
    tried = 0
    for seed in (n + np.argsort(-_switched(graph)[n:], kind="stable")).tolist():
        if proven[seed]:
            continue
        tried += 1
        if tried > most or proven[:n].all():
            break
        label, matrix, colour = _contracted(graph, proven)
        classes = numbered(refined(matrix, set_apart(colour, int(label[seed]))))
        if bound.look(classes[label], seed, int(classes[0]) if proven.any() else None):
            proven = proven.copy()
            proven[seed] = True
            proven = bound.grown(proven)
    return proven


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


def parting_cut(graph: FlowGraph) -> Cut:
    """The least bandwidth of any cut with a GPU on each side, as what crosses in one direction.

    Broadcast takes at least S over it, and so does an all-reduce with reduction inside the network
    (data crosses once up, once down). One GPU is the source, and each other that is not yet proven
    to hang together with it the sink.
    """
    n = graph.gpus
    into: Floats = np.bincount(
        np.r_[graph.u, graph.v], weights=np.r_[graph.gbps, graph.gbps], minlength=graph.vertices
    ).astype(np.float64)
    poorest = int(into[:n].argmin())
    inside = np.ones(graph.vertices, np.bool_)
    inside[poorest] = False
    source = int(np.flatnonzero(np.arange(n) != poorest)[-1])
    best = _Parting(graph, Growth.of(graph), source, float(into[poorest]), inside)
    alone = np.zeros(graph.vertices, np.bool_)
    alone[source] = True
    proven = best.grown(alone) if best.value > 0 else alone
    if best.value > 0:
        proven = _absorbed(best, graph, proven, _FEW_SEEDS)
    exact = _look_at_all(best, graph, into, proven, n, _MOST_PARTED)
    inside = best.inside
    crossing = np.flatnonzero(inside[graph.u] != inside[graph.v])
    return Cut(best.value, inside, crossing, int(inside[:n].sum()), exact)


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
