# SPDX-License-Identifier: Apache-2.0
"""Sizes and factors exactly as nccl-tests counts them."""

from itertools import pairwise

import pytest

from rackloom.collectives import Collective, EstimateError, busbw_factor, parse_collective
from rackloom.collectives.conventions import parse_size, parse_sizes


def test_the_default_range_is_32_powers_of_two() -> None:
    sizes = parse_sizes("8:16G:2")
    assert len(sizes) == 32
    assert (sizes[0], sizes[-1]) == (8, 16 * 1024**3)
    assert all(b == 2 * a for a, b in pairwise(sizes))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1K:16K:4", (1024, 4096, 16384)),
        ("8:9", (8,)),
        ("1M:4M:+1M", (1 << 20, 2 << 20, 3 << 20, 4 << 20)),
        ("64k", (65536,)),
        ("8,1G,2MB", (8, 1 << 30, 2 << 20)),
        ("0", (0,)),
    ],
)
def test_ranges(text: str, sizes: tuple[int, ...]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    "text",
    ["", "x", "8:", "16:8:2", "8:16:1", "0:8:2", "8:16:2:2", "-8", "1.5G", "9" * 30, "8:1G:+1"],
)
def test_nonsense_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(EstimateError) as caught:
        parse_sizes(text)
    assert "\n" not in str(caught.value)


def test_sizes_read_as_powers_of_1024() -> None:
    assert parse_size("2G") == 2 * 1024**3


def test_bus_bandwidth_factors_of_the_table() -> None:
    """NVIDIA/nccl-tests doc/PERFORMANCE.md."""
    assert busbw_factor(Collective.ALL_REDUCE, 8) == pytest.approx(1.75)
    assert busbw_factor(Collective.ALL_GATHER, 8) == pytest.approx(0.875)
    assert busbw_factor(Collective.REDUCE_SCATTER, 32) == pytest.approx(31 / 32)
    assert busbw_factor(Collective.ALL_TO_ALL, 4) == pytest.approx(0.75)
    assert busbw_factor(Collective.BROADCAST, 4) == 1
    assert busbw_factor(Collective.SEND_RECEIVE, 4) == 1


def test_names_of_nccl_tests_are_understood() -> None:
    assert parse_collective("all_reduce_perf") is Collective.ALL_REDUCE
    assert parse_collective("AllGather") is Collective.ALL_GATHER
    assert parse_collective("alltoall") is Collective.ALL_TO_ALL
    with pytest.raises(EstimateError, match="all-reduce"):
        parse_collective("gossip")
