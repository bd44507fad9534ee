# SPDX-License-Identifier: Apache-2.0
"""The pace of many kinds of switches whose flows a hash places."""

from __future__ import annotations

import numpy as np
import pytest

from rackloom.collectives.hashing import _Draws, _possible, _quantile


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("part", [0.5, 0.05])
def test_the_quantile_is_that_of_the_slowest_of_all_switches(seed: int, part: float) -> None:
    """By definition: the first pace x with 1 - prod (1 - F_k(x)) ** n_k of at least the part."""
    rng = np.random.default_rng(seed)
    shapes = int(rng.integers(1, 10))
    by_shape, paces, switches = [], [], []
    for _ in range(shapes):
        draws = np.round(rng.random(rng.integers(1, 200)), 2) + 0.01
        even = rng.integers(1, 9, rng.integers(1, 5)) / 4
        count = rng.integers(1, 50, len(even))
        by_shape.append((_Draws.of(draws), even, count))
        paces += [np.sort(draws * each) for each in even]
        switches += count.tolist()
    found = np.unique(np.concatenate(paces))
    none = np.ones(len(found))
    for draws, many in zip(paces, switches, strict=True):
        up_to = np.searchsorted(draws, found * (1 + 1e-12), side="right")
        none *= (1 - up_to / len(draws)) ** many
    expected = found[np.flatnonzero(1 - none >= part)[0]]
    assert _quantile(_possible(by_shape), by_shape, part) == pytest.approx(expected)
