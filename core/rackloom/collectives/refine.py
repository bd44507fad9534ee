# SPDX-License-Identifier: Apache-2.0
"""Colour refinement: vertices that the wiring cannot tell apart, as classes.

In a stable colouring every vertex of a class has the same capacity towards each other class. A
maximum flow averaged over the classes is a flow of the same value, so the graph of the classes has
the same maximum flows and minimum cuts as the whole one (with source and sink in classes of their
own): the quotient is exact, and a fat tree of 131,072 GPUs becomes some dozens of vertices.

Colours are 64-bit hashes; a round adds up, for every vertex, the capacity towards each colour, as
one product of a sparse matrix. Two classes merge by accident with a probability of about 1e-8 at
the largest sizes, and never by construction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rackloom.fabric.arrays import Ints

Hashes = NDArray[np.uint64]


def mixed(colour: Hashes) -> Hashes:
    """The finishing step of splitmix64: neighbouring numbers become unrelated ones."""
    z = colour + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def capacity_matrix(u: Ints, v: Ints, capacity: Ints, vertices: int) -> csr_array:
    """Symmetric matrix of integer capacities for :func:`refined`."""
    rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
    both = np.concatenate([capacity, capacity]).astype(np.int64)
    return csr_array((both, (rows, columns)), shape=(vertices, vertices))


def refined(matrix: csr_array, colour: Hashes) -> Hashes:
    """The coarsest stable colouring that is at least as fine as ``colour``."""
    classes = len(np.unique(colour))
    while True:
        towards = (matrix @ mixed(colour).view(np.int64)).view(np.uint64)
        colour = mixed(mixed(colour) + towards)
        found = len(np.unique(colour))
        if found == classes:
            return colour
        classes = found


def set_apart(colour: Hashes, vertex: int) -> Hashes:
    """The colouring with one vertex in a class of its own."""
    colour = colour.copy()
    colour[vertex] = mixed(colour[vertex : vertex + 1] ^ np.uint64(0xD1B54A32D192ED03))[0]
    return colour
