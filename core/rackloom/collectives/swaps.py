# SPDX-License-Identifier: Apache-2.0
"""GPUs that can change places: what holds of one of them holds of the other.

Take the switches away and the wiring falls apart into servers (or racks). Two that are built alike
and plugged into the same switches in the same way can be exchanged, and the wiring is what it was.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from rackloom.collectives.flow_graph import EdgeKind, FlowGraph
from rackloom.collectives.refine import Hashes, mixed
from rackloom.fabric.arrays import Floats, Ints


def exchangeable(graph: FlowGraph, fixed: int | None = None) -> Ints:
    """Class of every GPU. ``fixed``: a GPU whose server stays where it is.

    A wrong guess at what is a switch makes the pieces greater and the classes smaller, no worse.
    """
    many = graph.vertices
    switch = np.zeros(many, np.bool_)
    between = graph.kind == EdgeKind.BUNDLE
    switch[graph.u[between]] = switch[graph.v[between]] = True
    switch[graph.v[graph.kind == EdgeKind.PORT]] = True
    switch[: graph.gpus] = False
    inner = ~switch[graph.u] & ~switch[graph.v]
    ends = (graph.u[inner], graph.v[inner])
    ones = np.ones(int(inner.sum()))
    joined = csr_array(coo_array((ones, ends), shape=(many, many)))
    pieces, piece = connected_components(joined, directed=False)
    order = np.argsort(piece, kind="stable")
    size = np.bincount(piece)
    local = np.zeros(many, np.int64)
    local[order] = np.arange(many) - np.repeat(np.cumsum(size) - size, size)
    prints = np.zeros(pieces, np.uint64)
    np.add.at(prints, piece[: graph.gpus], np.uint64(1))
    # what an end is called: its place in its piece, or the switch that it is
    name = np.where(switch, many + np.arange(many), local)
    marks = _marks(name[graph.u], name[graph.v], graph.gbps)
    for end in (graph.u, graph.v):
        mine = ~switch[end]
        np.add.at(prints, piece[end[mine]], marks[mine])
    if fixed is not None:
        prints[piece[fixed]] = mixed(np.array([fixed], np.uint64))[0]
    kind = np.unique(np.stack([prints, size.astype(np.uint64)]), axis=1, return_inverse=True)[1]
    gpus = np.arange(graph.gpus)
    found: Ints = kind.ravel()[piece[gpus]].astype(np.int64) * many + local[gpus]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _marks(a: Ints, b: Ints, gbps: Floats) -> Hashes:
    """A number for every edge by what its ends are called and what it carries."""
    low, high = np.minimum(a, b).astype(np.uint64), np.maximum(a, b).astype(np.uint64)
    return mixed(mixed(mixed(low) ^ high) ^ np.ascontiguousarray(gbps).view(np.uint64))
