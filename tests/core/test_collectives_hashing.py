# SPDX-License-Identifier: Apache-2.0
"""The pace of many kinds of switches whose flows a hash places."""

from __future__ import annotations

import numpy as np
import pytest

from rackloom.collectives.hashing import _quantile


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("part", [0.5, 0.05])
def test_the_quantile_is_that_of_the_slowest_of_all_switches(seed: int, part: float) -> None:
    """By definition: the first pace x with 1 - prod (1 - F_k(x)) ** n_k of at least the part."""
    rng = np.random.default_rng(seed)
    kinds = int(rng.integers(1, 30))
    paces = [np.sort(np.round(rng.random(rng.integers(1, 200)), 2)) for _ in range(kinds)]
    switches = rng.integers(1, 50, kinds)
    found = np.unique(np.concatenate(paces))
    none = np.ones(len(found))
    for draws, count in zip(paces, switches.tolist(), strict=True):
        none *= (1 - np.searchsorted(draws, found, side="right") / len(draws)) ** count
    expected = found[np.flatnonzero(1 - none >= part)[0]]
    assert _quantile(found, paces, switches, part) == pytest.approx(expected)
