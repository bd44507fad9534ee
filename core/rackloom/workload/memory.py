# SPDX-License-Identifier: Apache-2.0
"""What one GPU has to hold, on the fullest pipeline stage.

Weights, gradients and optimizer as Megatron-LM holds them (bf16 weights, fp32 gradients, fp32
master weights and two moments: 2 + 4 + 12 bytes a parameter; docs of its distributed optimizer),
shared out by the ZeRO stage (arXiv 1910.02054). Activations after Korthikanti et al. (arXiv
2205.05198, section 4), counted matrix by matrix so that gated blocks, grouped queries and experts
are right; attention is fused, so the square of the sequence is never kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from rackloom.workload.figures import BF16_BYTES
from rackloom.workload.layout import Parallel
from rackloom.workload.models import Model
from rackloom.workload.settings import Settings

WEIGHT_BYTES, GRADIENT_BYTES, OPTIMIZER_BYTES = 2, 4, 12


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on one GPU."""

    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float
    cache_bytes: float
    """Keys and values kept while decoding."""
    available_bytes: float | None
    """None where the GPU's memory is not known."""

    @property
    def total_bytes(self) -> float:
        """All of it."""
        return (
            self.weights_bytes
            + self.gradients_bytes
            + self.optimizer_bytes
            + self.activations_bytes
            + self.cache_bytes
        )

    @property
    def fits(self) -> bool | None:
        """None where that cannot be known."""
        return None if self.available_bytes is None else self.total_bytes <= self.available_bytes


@dataclass(frozen=True, slots=True)
class Share:
    """Weights on one GPU of the fullest stage."""

    shared: float
    """Weights that all data and context parallel ranks hold alike."""
    experts: float

    @property
    def total(self) -> float:
        """Both."""
        return self.shared + self.experts


def stage_layers(model: Model, parallel: Parallel) -> int:
    """Layers of the fullest pipeline stage; chunks of a stage are of one size."""
    chunks = parallel.pp * parallel.virtual
    return -(-model.layers // chunks) * parallel.virtual


def share_of(model: Model, parallel: Parallel) -> Share:
    """Weights of one GPU: its part of the layers, and of embedding and head at the ends."""
    part = min(stage_layers(model, parallel) / model.layers, 1.0)
    ends = model.embedding_parameters
    if parallel.pp == 1 and not model.tied:
        ends *= 2
    routed = model.moe_layers * model.expert_parameters
    return Share(
        shared=(model.shared_parameters * part + ends) / parallel.tp,
        experts=routed * part / (parallel.tp * parallel.ep),
    )


def training_memory(
    model: Model, parallel: Parallel, settings: Settings, available_gb: float | None
) -> Memory:
    """Memory of a training step on the fullest GPU."""
    share = share_of(model, parallel)
    ranks = parallel.replicas * parallel.cp
    expert_ranks = ranks // parallel.ep

    def kept(each: int, stage: int) -> float:
        split = parallel.zero >= stage
        return each * (
            share.shared / (ranks if split else 1) + share.experts / (expert_ranks if split else 1)
        )

    return Memory(
        weights_bytes=kept(WEIGHT_BYTES, 3),
        gradients_bytes=kept(GRADIENT_BYTES, 2),
        optimizer_bytes=kept(OPTIMIZER_BYTES, 1),
        activations_bytes=_activations(model, parallel, settings),
        cache_bytes=0.0,
        available_bytes=None if available_gb is None else available_gb * 1e9,
    )


def activation_bytes_per_token(model: Model, recompute: str) -> float:
    """Bytes that all layers keep of one token, over all tensor parallel ranks.

    ``selective`` runs norms and activation functions again, ``full`` whole layers: then only their
    inputs stay.
    """
    h = model.hidden
    if recompute == "full":
        return 2.0 * h * model.layers
    norms = 0.0 if recompute == "selective" else 4.0 * h
    mask = 0 if model.gated else h  # models with gated blocks are trained without dropout
    q, kv, out = model.query_key_width, model.key_value_width, model.value_width
    attention = norms + 2 * h + 2 * (q + kv) + 2 * out + mask
    return model.layers * attention + _ffn_bytes(model, recompute)


def _ffn_bytes(model: Model, recompute: str) -> float:
    h = model.hidden
    inner = (3 if model.gated else 2) - (1 if recompute == "selective" else 0)
    mask = 0 if model.gated else h
    dense = 2 * h + 2 * inner * model.dense_ffn_width + mask
    widths = model.top_k * model.ffn + model.shared_ffn
    routed = 2 * h * max(model.top_k, 1) + 2 * inner * widths + mask
    return (model.layers - model.moe_layers) * dense + model.moe_layers * float(routed)


def _activations(model: Model, parallel: Parallel, settings: Settings) -> float:
    sequence = settings.sequence or model.sequence
    tokens = settings.micro_batch * sequence / parallel.cp
    split = parallel.tp if settings.sequence_parallel else 1
    layers = stage_layers(model, parallel)
    per_layer = activation_bytes_per_token(model, settings.recompute) / model.layers
    if split == 1 and parallel.tp > 1 and settings.recompute != "full":
        whole = 10.0 * model.hidden  # norms, their inputs and dropout masks are on every rank
        per_layer = whole + max(per_layer - whole, 0.0) / parallel.tp
    else:
        per_layer /= split
    batches = micro_batches(parallel, settings)
    pp, virtual = parallel.pp, parallel.virtual
    in_flight = pp * (1 + (pp - 1) / (pp * virtual)) if virtual > 1 else pp
    held = per_layer * layers * min(in_flight, float(batches))
    if settings.recompute == "full":  # one layer at a time is whole again
        held += activation_bytes_per_token(model, "none") / model.layers / parallel.tp
    # The last stage holds logits in fp32 and their gradients for one micro-batch.
    logits = 8.0 * model.vocabulary / parallel.tp if pp == 1 else 0.0
    return tokens * (held + logits)


def micro_batches(parallel: Parallel, settings: Settings) -> int:
    """Micro-batches of one pipeline in a step."""
    if settings.global_batch is None:
        return 4 * parallel.pp
    return settings.global_batch // (parallel.replicas * settings.micro_batch)


def inference_memory(
    model: Model,
    parallel: Parallel,
    settings: Settings,
    sequences: float,
    available_gb: float | None,
) -> Memory:
    """Memory of serving: weights, cache of all sequences of a replica, one layer's activations."""
    share = share_of(model, parallel)
    sequence = settings.sequence or model.sequence
    each = 1 if settings.precision == "fp8" else BF16_BYTES
    part = stage_layers(model, parallel) / parallel.cp
    heads = 1 if model.latent is not None else min(parallel.tp, model.kv_heads)
    cache = sequences * sequence * model.cache_width * part * BF16_BYTES / heads
    tokens = sequences * (sequence if settings.mode == "prefill" else 1) / parallel.cp
    one_layer = activation_bytes_per_token(model, "none") / model.layers / parallel.tp
    return Memory(
        weights_bytes=share.total * each,
        gradients_bytes=0.0,
        optimizer_bytes=0.0,
        activations_bytes=tokens * one_layer,
        cache_bytes=cache,
        available_bytes=None if available_gb is None else available_gb * 1e9,
    )
