# SPDX-License-Identifier: Apache-2.0
"""How fast prompts are taken in (prefill) and tokens come out (decode).

Decoding reads every weight and the whole cache for each token, so memory decides unless the batch
is large (Pope et al., arXiv 2211.05102). A replica's sequences run through its pipeline in as many
parts as there are stages.
"""

from __future__ import annotations

from dataclasses import replace

from rackloom.collectives import Collective
from rackloom.workload.errors import WorkloadError
from rackloom.workload.figures import BF16_BYTES
from rackloom.workload.layers import Stage
from rackloom.workload.memory import share_of
from rackloom.workload.training import Split


def prefill(stage: Stage) -> Split:
    """Time until all prompts of a micro-batch have passed all stages."""
    pp = stage.parallel.pp
    through = stage.forward().times(pp)
    return Split(
        compute_s=through.compute_s + stage.head_s() * _last_token(stage),
        tp_s=through.tp_s,
        cp_s=through.cp_s,
        ep_s=through.ep_s,
        pp_s=_hops_s(stage),
        dp_s=0.0,
        optimizer_s=0.0,
        bubble_s=0.0,
    )


def _last_token(stage: Stage) -> float:
    """Only the last token of a prompt goes through the output head."""
    return stage.settings.micro_batch / max(stage.tokens * stage.parallel.cp, 1.0)


def decode(stage: Stage, sequences: int) -> Split:
    """Time of one token of every one of a replica's sequences."""
    carried = stage.rates.memory_bytes_per_s
    if carried is None:
        raise WorkloadError(
            f"the memory bandwidth of {stage.rates.gpu} is not known, and decoding hangs on it: "
            "give --memory-gb-per-s"
        )
    pp = stage.parallel.pp
    parts = min(pp, sequences)
    part = replace(stage, tokens=sequences / parts)
    one = part.forward()
    read = (_weights_read(part) + _cache_read(part, sequences / parts)) / carried
    rounds = max(pp, parts)
    return Split(
        compute_s=rounds * one.compute_s + part.head_s(),
        tp_s=rounds * one.tp_s,
        cp_s=rounds * one.cp_s,
        ep_s=rounds * one.ep_s,
        pp_s=_hops_s(part),
        dp_s=0.0,
        optimizer_s=0.0,
        bubble_s=0.0,
        memory_s=rounds * max(0.0, read - one.compute_s),
    )


def _weights_read(stage: Stage) -> float:
    """Bytes of weights that a pass reads on one GPU; experts nobody asks for are not read."""
    model, parallel = stage.model, stage.parallel
    share = share_of(model, parallel)
    each = 1 if stage.settings.precision == "fp8" else BF16_BYTES
    touched = 1.0
    if model.experts:  # all replicas' tokens that meet at one group of experts, evenly routed
        asked = stage.tokens * parallel.ep * model.top_k
        touched = 1 - (1 - 1 / model.experts) ** asked
    embedding = model.embedding_parameters / parallel.tp  # one row is looked up, the head is read
    shared = share.shared - (embedding if not model.tied and parallel.pp == 1 else 0.0)
    return each * (shared + share.experts * touched)


def _cache_read(stage: Stage, sequences: float) -> float:
    """Bytes of keys and values that a pass reads on one GPU."""
    model, parallel = stage.model, stage.parallel
    heads = 1 if model.latent is not None else min(parallel.tp, model.kv_heads)
    tokens = sequences * stage.context / parallel.cp
    return tokens * model.cache_width * model.layers * stage.part * BF16_BYTES / heads


def _hops_s(stage: Stage) -> float:
    pp = stage.parallel.pp
    if pp < 2:
        return 0.0
    size = stage.tokens * stage.model.hidden * BF16_BYTES / stage.parallel.tp
    return (pp - 1) * stage.talk.time_s("pp", Collective.SEND_RECEIVE, stage.layout.pp, size)
