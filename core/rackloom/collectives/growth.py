# SPDX-License-Identifier: Apache-2.0
"""Which vertices hang together so well that no cut worth a look parts them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rackloom.collectives.flow_graph import FlowGraph
from rackloom.fabric.arrays import Bools, Floats, Ints

TIGHTER = 1 - 1e-9
"""A cut is tighter when it is less than this part of the tightest so far."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """What must be on the source's side of every cut below a demand, without a flow.

    Edges in both directions, parallel ones as one.
    """

    start: Ints
    end: Ints
    gbps: Floats
    vertices: int

    @classmethod
    def of(cls, graph: FlowGraph) -> Growth:
        """Of a graph."""
        ends = (np.r_[graph.u, graph.v], np.r_[graph.v, graph.u])
        shape = (graph.vertices, graph.vertices)
        whole = csr_array((np.r_[graph.gbps, graph.gbps], ends), shape=shape).tocoo()
        start, end = (c.astype(np.int64) for c in whole.coords)
        return cls(start, end, np.asarray(whole.data, np.float64), graph.vertices)

    def grown(self, merged: Bools, demand: float, feed: Floats | None = None) -> Bools:
        """The merged vertices and all that must be merged with them.

        What has the whole demand's capacity from merged vertices, straight or over one vertex
        between (each such path has its own), cannot be parted from them by a cut below the demand.
        ``feed``: what the source gives to every vertex besides.
        """
        given: Floats = np.zeros(self.vertices) if feed is None else feed
        while True:
            inside = merged[self.start]
            from_them = np.bincount(self.end, weights=self.gbps * inside, minlength=self.vertices)
            straight: Floats = from_them + given
            between = np.where(inside, 0.0, np.minimum(straight[self.start], self.gbps))
            reach = straight + np.bincount(self.end, weights=between, minlength=self.vertices)
            grown: Bools = merged | (reach >= demand * TIGHTER)
            if grown.sum() == merged.sum():
                return merged
            merged = grown
