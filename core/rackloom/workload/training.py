# SPDX-License-Identifier: Apache-2.0
"""How long one training step takes, and on what it is spent.

One-forward-one-backward pipeline, interleaved where there are virtual stages: the bubble is
(pp - 1) / virtual times what one micro-batch takes (arXiv 2104.04473, section 2.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from rackloom.collectives import Collective
from rackloom.fabric.arrays import Ints
from rackloom.workload.errors import WorkloadError
from rackloom.workload.figures import BF16_BYTES
from rackloom.workload.layers import Pass, Stage
from rackloom.workload.memory import GRADIENT_BYTES, micro_batches, share_of, stage_layers

OPTIMIZER_TRAFFIC_BYTES = 30
"""Read and written a parameter: gradient, master weight and moments in, the last three and the
bf16 weight out."""


@dataclass(frozen=True, slots=True)
class Split:
    """Seconds of a step by what they go into. Communication counts only where it shows."""

    compute_s: float
    tp_s: float
    cp_s: float
    ep_s: float
    pp_s: float
    dp_s: float
    optimizer_s: float
    bubble_s: float
    memory_s: float = 0.0
    """Reading weights and cache, beyond what computation takes (decoding)."""

    @property
    def total_s(self) -> float:
        """The whole step."""
        return (
            self.compute_s
            + self.tp_s
            + self.cp_s
            + self.ep_s
            + self.pp_s
            + self.dp_s
            + self.optimizer_s
            + self.bubble_s
            + self.memory_s
        )

    def parts(self) -> dict[str, float]:
        """By name, in the order they are printed."""
        return {
            "compute": self.compute_s,
            "memory": self.memory_s,
            "tp": self.tp_s,
            "cp": self.cp_s,
            "ep": self.ep_s,
            "pp": self.pp_s,
            "dp": self.dp_s,
            "optimizer": self.optimizer_s,
            "bubble": self.bubble_s,
        }


def training_step(stage: Stage) -> Split:
    """One step of the slowest pipeline."""
    parallel = stage.parallel
    batches = _batches(stage)
    forward, backward = _slowest(stage, stage.forward(), stage.backward())
    both = forward + backward
    steady = both.times(batches)
    bubble = (parallel.pp - 1) / parallel.virtual * both.total_s
    return Split(
        compute_s=steady.compute_s,
        tp_s=steady.tp_s,
        cp_s=steady.cp_s,
        ep_s=steady.ep_s,
        pp_s=_pipeline_s(stage, batches),
        dp_s=_data_s(stage, batches, forward.total_s, backward.total_s),
        optimizer_s=_optimizer_s(stage),
        bubble_s=bubble,
    )


def _batches(stage: Stage) -> int:
    settings, parallel = stage.settings, stage.parallel
    each = parallel.replicas * settings.micro_batch
    if settings.global_batch is not None and settings.global_batch % each:
        raise WorkloadError(
            f"a global batch of {settings.global_batch} does not divide by dp {parallel.dp} x "
            f"micro-batch {settings.micro_batch}: take a multiple of {each}"
        )
    return micro_batches(parallel, settings)


def _slowest(stage: Stage, forward: Pass, backward: Pass) -> tuple[Pass, Pass]:
    """The passes of the stage that the others wait for.

    The last stage also has the output head. Where layers do not divide evenly it is taken to have
    one layer less in its last chunk, as is done in practice (arXiv 2407.21783, section 3.3.2).
    """
    head = stage.head_s()
    chunks = stage.parallel.pp * stage.parallel.virtual
    if stage.model.layers % chunks:
        layer = stage.compute_s() / stage_layers(stage.model, stage.parallel)
        head = max(0.0, head - layer)
    return forward + Pass(head), backward + Pass(2 * head)


def _pipeline_s(stage: Stage, batches: int) -> float:
    """Hidden states from stage to stage: while the pipeline fills and drains they always show."""
    parallel, settings, rows = stage.parallel, stage.settings, stage.layout.pp
    if parallel.pp < 2:
        return 0.0
    size = stage.tokens * stage.model.hidden * BF16_BYTES / parallel.tp
    each = stage.talk.time_s("pp", Collective.SEND_RECEIVE, rows, size)
    shown = 1 - settings.hidden("pp", parallel.virtual)
    return 2 * each * ((parallel.pp - 1) + shown * batches * parallel.virtual)


def _data_s(stage: Stage, batches: int, forward_s: float, backward_s: float) -> float:
    """Gradients summed and weights handed out, as far as they show."""
    share = share_of(stage.model, stage.parallel)
    zero, layout = stage.parallel.zero, stage.layout
    gather = reduce = 0.0
    for kind, rows, weights in (
        ("dp", layout.dp, share.shared),
        ("expert-dp", layout.expert_dp, share.experts),
    ):
        gather += _ask(stage, kind, Collective.ALL_GATHER, rows, weights * BF16_BYTES)
        way = Collective.REDUCE_SCATTER if zero else Collective.ALL_REDUCE
        reduce += _ask(stage, kind, way, rows, weights * GRADIENT_BYTES)
    hidden = stage.settings.hidden("dp")
    if zero == 3:  # weights come and go with every micro-batch
        each = max(0.0, gather - hidden * forward_s)
        return batches * (each + max(0.0, gather + reduce - hidden * backward_s))
    layers = stage_layers(stage.model, stage.parallel)
    if zero == 0:
        gather = 0.0
    return _showing(gather, hidden * forward_s, layers) + _showing(
        reduce, hidden * backward_s, layers
    )


def _showing(time_s: float, beside_s: float, layers: int) -> float:
    """What shows of a transfer beside a pass; one layer's part has nothing to hide behind."""
    return max(time_s / max(layers, 1), time_s - beside_s) if beside_s else time_s


def _ask(stage: Stage, kind: str, way: Collective, rows: Ints, size: float) -> float:
    return stage.talk.time_s(kind, way, rows, size)


def _optimizer_s(stage: Stage) -> float:
    """Adam over the GPU's part of the weights, at memory speed; 0 where that is not known."""
    carried = stage.rates.memory_bytes_per_s
    if carried is None:
        return 0.0
    share, parallel = share_of(stage.model, stage.parallel), stage.parallel
    ranks = parallel.replicas * parallel.cp if parallel.zero else 1
    expert_ranks = max(ranks // parallel.ep, 1) if parallel.zero else 1
    weights = share.shared / ranks + share.experts / expert_ranks
    return weights * OPTIMIZER_TRAFFIC_BYTES / carried
