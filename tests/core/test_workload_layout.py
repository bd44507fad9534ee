# SPDX-License-Identifier: Apache-2.0
"""Groups of GPUs: Megatron's rank order, every rank in one group of each kind, refusals."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackloom.workload import Parallel, WorkloadError, find_model
from rackloom.workload.layout import lay_out, settled


def test_ranks_are_laid_out_as_in_megatron() -> None:
    """The example in Megatron-LM's parallel_state: 16 GPUs, tensor 2, pipeline 4."""
    layout = lay_out(Parallel(tp=2, pp=4, dp=2))
    tensor = {tuple(row) for row in layout.tp.tolist()}
    pipeline = {tuple(row) for row in layout.pp.tolist()}
    data = {tuple(row) for row in layout.dp.tolist()}
    assert tensor == {(n, n + 1) for n in range(0, 16, 2)}
    assert pipeline == {(n, n + 4, n + 8, n + 12) for n in range(4)}
    assert data == {(0, 2), (1, 3), (4, 6), (5, 7), (8, 10), (9, 11), (12, 14), (13, 15)}


small = st.integers(1, 4)


@given(tp=small, cp=small, dp=small, pp=small, number=st.integers(0, 3))
def test_every_rank_is_in_one_group_of_each_kind(
    tp: int, cp: int, dp: int, pp: int, number: int
) -> None:
    divisors = [n for n in range(1, dp * cp + 1) if dp * cp % n == 0]
    ep = divisors[number % len(divisors)]
    parallel = Parallel(tp=tp, cp=cp, dp=dp, pp=pp, ep=ep)
    layout = lay_out(parallel)
    sizes = {"tp": tp, "cp": cp, "ep": ep, "dp": dp * cp, "expert_dp": dp * cp // ep, "pp": pp}
    for kind, size in sizes.items():
        rows = getattr(layout, kind)
        assert rows.shape[1] == size
        assert sorted(rows.ravel().tolist()) == list(range(parallel.gpus))
        assert (np.diff(rows, axis=1) > 0).all()


@pytest.mark.parametrize(
    ("model", "sizes", "gpus", "words"),
    [
        ("llama-3-8b", {"tp": 3}, 32, "32 GPUs do not divide into groups of 3"),
        ("llama-3-8b", {"tp": 2, "dp": 3}, 32, "makes 6 GPUs, not 32"),
        ("llama-3-8b", {"tp": 64}, 64, "32 heads do not divide by tp 64"),
        ("llama-3-8b", {"ep": 2}, 32, "has no experts"),
        ("mixtral-8x7b", {"ep": 16}, 32, "8 experts do not divide by ep 16"),
        ("mixtral-8x7b", {"ep": 8, "tp": 8}, 32, "ep 8 does not divide dp 4"),
        ("llama-3-8b", {"pp": 64}, 64, "32 layers do not fill 64 x 1"),
        ("llama-3-8b", {"virtual": 2}, 32, "virtual stages need a pipeline"),
        ("llama-3-8b", {"tp": 0}, 32, "tp 0 cannot be"),
        ("llama-3-8b", {"zero": 4}, 32, "no ZeRO stage 4"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(
    model: str, sizes: dict[str, Any], gpus: int, words: str
) -> None:
    with pytest.raises(WorkloadError, match=re.escape(words)):
        settled(Parallel(**sizes), gpus, find_model(model))


def test_data_parallelism_is_what_the_gpus_leave() -> None:
    found = settled(Parallel(tp=4, pp=2), 64, find_model("llama-3-8b"))
    assert found.dp == 8
