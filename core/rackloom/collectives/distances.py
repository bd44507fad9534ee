# SPDX-License-Identifier: Apache-2.0
"""What lengths of edges prove of an all-to-all: a bound on its rate that holds for any lengths.

Every unit of flow from s to t uses capacity by length of at least their distance, so the rate of
all pairs is at most the sum of capacity by length, both ways, over the sum of all distances
(LP duality of concurrent flow; any lengths will do, the programme's prices are the best ones).

Vertices that lengths of 0 join are one place. Places with the same neighbours at the same lengths
are equally far from everything, which leaves a handful of a fabric of 131,072 GPUs.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from rackloom.collectives.flow_graph import FlowGraph
from rackloom.fabric.arrays import Floats, Ints

_MOST_PLACES = 1_500
_DIGITS = 12
_SEED = 8_317


def bound_by_lengths(graph: FlowGraph, lengths: Floats) -> float | None:
    """Gb/s between each two GPUs at most; None where it takes too long, or nothing has a length."""
    if not (lengths > 0).any():
        return None
    lengths = lengths / lengths.max()
    spent = 2 * float((graph.gbps * lengths).sum())
    free = lengths <= 0
    ones = np.ones(int(free.sum()))
    ends = (graph.u[free], graph.v[free])
    joined = csr_array(coo_array((ones, ends), shape=(graph.vertices, graph.vertices)))
    many, place = connected_components(joined, directed=False)
    u, v = place[graph.u], place[graph.v]
    apart = u != v
    low, high = np.minimum(u, v)[apart], np.maximum(u, v)[apart]
    if not len(low):
        return None
    pair, which = np.unique(low * many + high, return_inverse=True)
    shortest = np.full(len(pair), np.inf)
    np.minimum.at(shortest, which, lengths[apart])
    gpus = np.bincount(place[: graph.gpus], minlength=many).astype(np.float64)
    total = _distances(pair // many, pair % many, shortest, gpus)
    return None if total is None or total <= 0 else spent / total


def _distances(u: Ints, v: Ints, length: Floats, gpus: Floats) -> float | None:
    """Sum of the distances of all ordered pairs of GPUs that are in different places."""
    many = len(gpus)
    class_of = _twins(u, v, length, many)
    classes = int(class_of.max()) + 1
    if classes > _MOST_PLACES:
        return None
    a, b = np.r_[class_of[u], class_of[v]], np.r_[class_of[v], class_of[u]]
    both = np.r_[length, length]
    near = np.full(classes, np.inf)
    np.minimum.at(near, a, both)
    between = np.full((classes, classes), np.inf)
    np.minimum.at(between, (a, b), both)
    far = shortest_path(np.where(np.isfinite(between), between, 0.0), directed=False)
    inside = np.bincount(class_of, weights=gpus, minlength=classes)
    alone = np.bincount(class_of, weights=gpus**2, minlength=classes)
    np.fill_diagonal(far, 0.0)
    weights = np.outer(inside, inside)
    needed = weights > 0
    if not np.isfinite(far[needed]).all():
        return None
    # two places of one class meet at their nearest neighbour
    apart = inside**2 - alone
    within = float((apart[apart > 0] * 2 * near[apart > 0]).sum())
    return float((far[needed] * weights[needed]).sum()) + within


def _twins(u: Ints, v: Ints, length: Floats, many: int) -> Ints:
    """Class of every place: same neighbours at the same lengths."""
    _, size = np.unique(np.round(length, _DIGITS), return_inverse=True)
    rng = np.random.default_rng(_SEED)
    of_place = rng.integers(1, 2**62, size=many, dtype=np.int64).astype(np.uint64)
    of_size = rng.integers(1, 2**62, size=int(size.max()) + 1, dtype=np.int64).astype(np.uint64)
    prints = np.zeros(many, np.uint64)
    np.add.at(prints, u, of_place[v] * (of_size[size] | np.uint64(1)))
    np.add.at(prints, v, of_place[u] * (of_size[size] | np.uint64(1)))
    return np.unique(prints, return_inverse=True)[1].astype(np.int64)
