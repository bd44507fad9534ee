# SPDX-License-Identifier: Apache-2.0
"""Static ECMP: what is left to the unluckiest link when a hash places whole flows.

A switch that sends N flows up over L links puts each on one of them at random; the fullest link
sets the pace, since all channels of a collective wait for the slowest. The same holds for what
comes down to a switch from above. Monte Carlo over placements, once for every different (N, L).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackloom.collectives.ring import Traffic
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats, Ints

DRAWS = 2000
_SEED = 4_791
_SHAPES = 64
"""Different (N, L) that are drawn; the rest take the next smaller N that was."""

_EVEN = 1e-12
_ROUNDING = 1 + 1e-12
"""Equal paces of different kinds of switches differ by the rounding of floats."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """Gb/s for each unit of load on the slowest link: evenly filled, and with hashed flows."""

    even_gbps: float
    median_gbps: float
    worst_gbps: float
    """At the 5th percentile of placements."""

    @property
    def median_share(self) -> float:
        """What hashing leaves, in half of all placements."""
        return self.median_gbps / self.even_gbps

    @property
    def worst_share(self) -> float:
        """What hashing leaves in the worst twentieth of placements."""
        return self.worst_gbps / self.even_gbps


def hashed(fabric: Fabric, traffic: Traffic, flows: int) -> Hashed | None:
    """The pace of a traffic whose connections are ``flows`` flows each; None without uplinks."""
    bundles, loads = fabric.network.bundles, traffic.loads
    load = np.concatenate([loads.forward, loads.backward])
    busy = np.flatnonzero(load > _EVEN)
    if not len(busy):
        return None
    n = len(bundles.u)
    bundle = busy % n
    start = np.where(busy < n, bundles.u[bundle], bundles.v[bundle])
    end = np.where(busy < n, bundles.v[bundle], bundles.u[bundle])
    even = float((bundles.hashed_gbps[bundle] / load[busy]).min())
    tier = fabric.tiers.tier
    up = tier[start] < tier[end]
    down = tier[start] > tier[end]
    flow = traffic.connection / flows
    at = np.concatenate([start[up] * 2, end[down] * 2 + 1])
    which = np.concatenate([np.flatnonzero(up), np.flatnonzero(down)])
    if not len(at):
        return Hashed(even, even, even)
    _, group = np.unique(at, return_inverse=True)
    total: Floats = np.bincount(group, weights=load[busy][which]).astype(np.float64)
    links = np.bincount(group, weights=bundles.count[bundle][which]).astype(np.int64)
    slowest = np.full(len(total), np.inf)
    np.minimum.at(slowest, group, bundles.slowest_gbps[bundle][which])
    number = np.maximum(np.round(total / flow), 1).astype(np.int64)
    median, worst = _pace(number, links, slowest, total)
    return Hashed(even, min(median, even), min(worst, even))


def _pace(number: Ints, links: Ints, slowest: Floats, total: Floats) -> tuple[float, float]:
    """Gb/s per unit of load at the median and the 5th percentile of placements.

    A placement's pace is that of its slowest switch. Switches draw independently, so k alike ones
    stay below a load with the k-th power of one's probability.
    """
    shapes, inverse = np.unique(np.stack([links, number]), axis=1, return_inverse=True)
    inverse = inverse.ravel()
    step = max(1, -(-shapes.shape[1] // _SHAPES))
    rng = np.random.default_rng(_SEED)
    # mean load of a link over its load when fullest
    drawn = [
        _Draws.of(_evenness(rng, int(shapes[0, s]), int(shapes[1, s])))
        for s in range(0, shapes.shape[1], step)
    ]
    fluid = slowest * links / total
    of_shape = np.minimum(inverse // step, len(drawn) - 1).astype(np.float64)
    kinds, count = np.unique(np.stack([of_shape, np.round(fluid, 9)]), axis=1, return_counts=True)
    by_shape = [
        (draws, kinds[1, kinds[0] == shape], count[kinds[0] == shape])
        for shape, draws in enumerate(drawn)
    ]
    found = _possible(by_shape)
    return _quantile(found, by_shape, 0.5), _quantile(found, by_shape, 0.05)


@dataclass(frozen=True, slots=True)
class _Draws:
    """How evenly a shape's placements turn out: values, and what part of the draws is up to each.

    Draws are counts over counts, so thousands of them have a handful of values.
    """

    values: Floats
    below: Floats
    """One more than there are values: the first is 0."""

    @classmethod
    def of(cls, draws: Floats) -> _Draws:
        """From single draws."""
        values, often = np.unique(draws, return_counts=True)
        return cls(values, np.r_[0.0, np.cumsum(often) / len(draws)])

    def up_to(self, most: Floats) -> Floats:
        """What part of the draws is no greater than each of these."""
        return self.below[np.searchsorted(self.values, most * _ROUNDING, side="right")]


_ByShape = list[tuple[_Draws, Floats, Ints]]
"""Draws of a shape; of the switches with it, pace when evenly filled and how many there are."""


def _possible(by_shape: _ByShape) -> Floats:
    """All paces that some placement gives some switch, in order."""
    return np.unique(
        np.concatenate([np.outer(draws.values, even).ravel() for draws, even, _ in by_shape])
    )


def _quantile(found: Floats, by_shape: _ByShape, part: float) -> float:
    """The least pace that this part of all placements does not exceed, by bisection.

    Broken symmetry makes thousands of kinds of switches with thousands of draws each: looking at
    all draws for every kind would take a minute.
    """
    low, high = 0, len(found) - 1
    while low < high:
        middle = (low + high) // 2
        with np.errstate(divide="ignore"):
            logs = [
                float((count * np.log1p(-draws.up_to(found[middle] / even))).sum())
                for draws, even, count in by_shape
            ]
        if 1 - np.exp(sum(logs)) >= part:  # else no switch is as slow
            high = middle
        else:
            low = middle + 1
    return float(found[low])


def _evenness(rng: np.random.Generator, links: int, flows: int) -> Floats:
    """Mean over greatest number of flows on a link, for every draw."""
    if links == 1:
        return np.ones(1)
    counts = rng.multinomial(flows, np.full(links, 1 / links), size=DRAWS)
    return np.asarray(flows / links / counts.max(axis=1), np.float64)
