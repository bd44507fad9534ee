# SPDX-License-Identifier: Apache-2.0
"""Which GPUs work together: tensor, context, expert, data and pipeline parallel groups.

Ranks are laid out as in Megatron-LM (megatron/core/parallel_state.py, order tp-cp-ep-dp-pp): tensor
parallel neighbours first, then context, then data, then pipeline. Experts are spread over
neighbours of the combined context and data ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rackloom.fabric.arrays import Ints
from rackloom.workload.errors import WorkloadError
from rackloom.workload.models import Model

MOST = 10**7


@dataclass(frozen=True, slots=True)
class Parallel:
    """Sizes of the groups; ``tp * cp * dp * pp`` GPUs in all, ``ep`` divides ``cp * dp``."""

    tp: int = 1
    pp: int = 1
    dp: int | None = None
    """None: what the GPUs leave."""
    cp: int = 1
    ep: int = 1
    virtual: int = 1
    """Virtual pipeline stages a GPU holds (interleaved schedule)."""
    zero: int = 1
    """What data parallel ranks share: 0 nothing, 1 optimizer, 2 gradients too, 3 weights too."""

    @property
    def replicas(self) -> int:
        """Data parallel size, once it is known."""
        assert self.dp is not None
        return self.dp

    @property
    def gpus(self) -> int:
        """GPUs that it takes."""
        return self.tp * self.cp * self.pp * self.replicas


def settled(parallel: Parallel, gpus: int, model: Model) -> Parallel:
    """The same with data parallelism worked out; WorkloadError where it does not fit."""
    for name in ("tp", "pp", "cp", "ep", "virtual"):
        _positive(name, getattr(parallel, name))
    if parallel.zero not in {0, 1, 2, 3}:
        raise WorkloadError(f"there is no ZeRO stage {parallel.zero}: give 0, 1, 2 or 3")
    inner = parallel.tp * parallel.cp * parallel.pp
    if parallel.dp is None:
        if inner > gpus or gpus % inner:
            raise WorkloadError(
                f"{gpus} GPUs do not divide into groups of {inner} (tp {parallel.tp} x cp "
                f"{parallel.cp} x pp {parallel.pp}): change one, or take fewer GPUs with --gpus"
            )
        parallel = replace(parallel, dp=gpus // inner)
    _positive("dp", parallel.replicas)
    if parallel.gpus != gpus:
        raise WorkloadError(
            f"tp {parallel.tp} x cp {parallel.cp} x dp {parallel.dp} x pp {parallel.pp} makes "
            f"{parallel.gpus} GPUs, not {gpus}: change one, or say --gpus {parallel.gpus}"
        )
    _fits_model(parallel, model)
    return parallel


def _positive(name: str, value: int) -> None:
    if not 1 <= value <= MOST:
        raise WorkloadError(f"{name} {value} cannot be: give 1 to {MOST:,}")


def _fits_model(parallel: Parallel, model: Model) -> None:
    tp, ep, pp = parallel.tp, parallel.ep, parallel.pp
    if model.heads % tp:
        raise WorkloadError(f"{model.heads} heads do not divide by tp {tp}: choose a divisor")
    if model.ffn % tp:
        raise WorkloadError(f"the inner width {model.ffn} does not divide by tp {tp}")
    if ep > 1 and not model.experts:
        raise WorkloadError(f"{model.title} has no experts to spread: leave ep at 1")
    if ep > 1 and model.experts % ep:
        raise WorkloadError(f"{model.experts} experts do not divide by ep {ep}: choose a divisor")
    if (parallel.replicas * parallel.cp) % ep:
        raise WorkloadError(
            f"ep {ep} does not divide dp {parallel.dp} x cp {parallel.cp}: experts are spread over "
            "data and context parallel ranks"
        )
    if pp * parallel.virtual > model.layers + 2:  # the first and the last may hold no layer
        raise WorkloadError(
            f"{model.layers} layers do not fill {pp} x {parallel.virtual} pipeline stages: "
            "choose fewer"
        )
    if parallel.virtual > 1 and pp == 1:
        raise WorkloadError("virtual stages need a pipeline: give --pp 2 or more, or leave them")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The groups of every kind: rows of positions in the rank order, one row a group."""

    tp: Ints
    cp: Ints
    ep: Ints
    dp: Ints
    """Ranks that hold the same weights: context and data parallel together."""
    expert_dp: Ints
    """Ranks that hold the same experts."""
    pp: Ints


def lay_out(parallel: Parallel) -> Layout:
    """Ranks 0 to n - 1 in their groups."""
    tp, cp, dp, pp, ep = parallel.tp, parallel.cp, parallel.replicas, parallel.pp, parallel.ep
    ranks = np.arange(parallel.gpus).reshape(pp, dp, cp, tp)
    same = ranks.reshape(pp, dp * cp, tp).transpose(0, 2, 1)  # pp, tp, dp*cp
    experts = same.reshape(pp, tp, dp * cp // ep, ep)
    return Layout(
        tp=ranks.reshape(-1, tp),
        cp=ranks.transpose(0, 1, 3, 2).reshape(-1, cp),
        ep=experts.reshape(-1, ep),
        dp=same.reshape(-1, dp * cp),
        expert_dp=experts.transpose(0, 1, 3, 2).reshape(-1, dp * cp // ep),
        pp=ranks.transpose(1, 2, 3, 0).reshape(-1, pp),
    )
