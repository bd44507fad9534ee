# SPDX-License-Identifier: Apache-2.0
"""What a training or inference job gets out of a drawn fabric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rackloom.design import Design
from rackloom.fabric import Fabric
from rackloom.workload.answer import Workload
from rackloom.workload.errors import WorkloadError
from rackloom.workload.figures import Rates, load_figures, rates_of
from rackloom.workload.inference import decode, prefill
from rackloom.workload.layers import Stage
from rackloom.workload.layout import Parallel, lay_out, settled
from rackloom.workload.memory import Memory, inference_memory, micro_batches, training_memory
from rackloom.workload.models import Model, find_model
from rackloom.workload.network import Communication
from rackloom.workload.settings import Settings
from rackloom.workload.training import Split, training_step
from rackloom.workload.warned import warnings_of

MOST_SECONDS = 1e12
"""Thirty thousand years: beyond this, something was mistyped."""


def workload(
    drawn: Design | Fabric,
    model: Model | str,
    parallel: Parallel | None = None,
    settings: Settings | None = None,
    gpus: int | None = None,
    failed: Iterable[str] = frozenset(),
) -> Workload:
    """What one step of a job takes on this fabric, on what it is spent, and whether it fits.

    ``gpus``: the first N in the order of the servers' names (None: all). ``failed``: ids of devices
    and cables that are taken to be dead. Raises WorkloadError with one sentence where there is no
    answer.
    """
    fabric = drawn if isinstance(drawn, Fabric) else Fabric.of(drawn)
    fabric = fabric.without(failed)
    shape = find_model(model) if isinstance(model, str) else model
    asked = settings or Settings()
    talk = Communication(fabric, gpus)
    sizes = settled(parallel or Parallel(), talk.group.ranks, shape)
    asked, notes = _filled(asked, sizes, shape)
    rates = _rates(talk, asked)
    stage = Stage(
        model=shape,
        parallel=sizes,
        settings=asked,
        rates=rates,
        layout=lay_out(sizes),
        talk=talk,
        tokens=_tokens(asked, sizes, shape),
        context=_context(asked, shape),
    )
    split, memory = _answered(stage)
    if not 0 < split.total_s < MOST_SECONDS:
        raise WorkloadError(
            f"a step of {split.total_s:.3g} s cannot be meant: check the shape and the batch"
        )
    return _put_together(stage, split, memory, notes)


def _rates(talk: Communication, settings: Settings) -> Rates:
    gpus = [part.gpu for part in talk.group.parts]
    found = [gpu for gpu in gpus if gpu is not None]
    return rates_of(found, settings.precision, settings.given)


def _filled(
    settings: Settings, parallel: Parallel, model: Model
) -> tuple[Settings, tuple[str, ...]]:
    """Settings with what was not given, and sentences that say what was taken."""
    notes = []
    if settings.sequence is None:
        settings = replace(settings, sequence=model.sequence)
        notes.append(f"sequences of {model.sequence} tokens, as {model.title} was trained")
    if settings.global_batch is None:
        each = parallel.replicas * settings.micro_batch
        rounds = 4 * parallel.pp if settings.mode == "train" else 1
        settings = replace(settings, global_batch=each * rounds)
        why = "4 micro-batches a pipeline stage" if rounds > 1 else "one micro-batch a replica"
        notes.append(f"a global batch of {each * rounds} sequences ({why})")
    if (settings.sequence or 0) % parallel.cp:
        raise WorkloadError(
            f"a sequence of {settings.sequence} tokens does not divide by cp {parallel.cp}"
        )
    return settings, tuple(notes)


def _tokens(settings: Settings, parallel: Parallel, model: Model) -> float:
    """Tokens of a micro-batch on one context parallel rank."""
    sequence = settings.sequence or model.sequence
    return settings.micro_batch * sequence / parallel.cp


def _context(settings: Settings, model: Model) -> float:
    """Tokens that attention looks at on average: half of them under a causal mask."""
    sequence = float(settings.sequence or model.sequence)
    return sequence if settings.mode == "decode" else sequence / 2


def _sequences(stage: Stage) -> int:
    """Sequences of one replica."""
    whole = stage.settings.global_batch or stage.settings.micro_batch
    replicas = stage.parallel.replicas
    if whole % replicas:
        raise WorkloadError(
            f"a global batch of {whole} does not divide by dp {replicas}: take a multiple of it"
        )
    return whole // replicas


def _answered(stage: Stage) -> tuple[Split, Memory]:
    model, parallel, settings = stage.model, stage.parallel, stage.settings
    available = stage.rates.memory_gb
    match settings.mode:
        case "train":
            split = training_step(stage)
            return split, training_memory(model, parallel, settings, available)
        case "prefill":
            held = inference_memory(model, parallel, settings, settings.micro_batch, available)
            return prefill(stage), held
        case _:
            sequences = _sequences(stage)
            held = inference_memory(model, parallel, settings, sequences, available)
            return decode(stage, sequences), held


def _tokens_of_step(stage: Stage) -> float:
    """Tokens that a step takes in or gives out, over all replicas."""
    settings = stage.settings
    sequence = settings.sequence or stage.model.sequence
    match settings.mode:
        case "train":
            return float((settings.global_batch or 1) * sequence)
        case "prefill":  # every stage works on another micro-batch at the same time
            pipelines = stage.parallel.replicas * stage.parallel.pp
            return float(settings.micro_batch * sequence * pipelines)
        case _:
            return float(settings.global_batch or 1)


def _put_together(stage: Stage, split: Split, memory: Memory, notes: tuple[str, ...]) -> Workload:
    settings, model, parallel = stage.settings, stage.model, stage.parallel
    sequence = settings.sequence or model.sequence
    tokens = _tokens_of_step(stage)
    per_token = model.forward_flops(sequence) * (3 if settings.mode == "train" else 1)
    gpus = parallel.gpus
    flops_per_s = tokens * per_token / split.total_s / gpus
    channels = tuple(stage.talk.asked.values())
    return Workload(
        mode=settings.mode,
        model=model,
        gpus=gpus,
        gpu=stage.rates.gpu,
        parallel=parallel,
        precision=settings.precision,
        sequence=sequence,
        micro_batch=settings.micro_batch,
        global_batch=settings.global_batch or 1,
        micro_batches=micro_batches(parallel, settings) if settings.mode == "train" else 1,
        split=split,
        tokens_per_s=tokens / split.total_s,
        tflops_per_gpu=flops_per_s / 1e12,
        mfu=flops_per_s / 1e12 / stage.rates.peak_tflops,
        efficiency=stage.rates.efficiency,
        efficiency_source=stage.rates.efficiency_source,
        memory=memory,
        channels=channels,
        warnings=warnings_of(stage, memory, channels),
        assumptions=(*notes, *_assumed(stage)),
    )


def _assumed(stage: Stage) -> list[str]:
    settings, parallel, rates = stage.settings, stage.parallel, stage.rates
    found = [
        f"{rates.gpu} computes at {rates.efficiency:.0%} of its {settings.precision} peak of "
        f"{rates.peak_tflops:g} TFLOP/s: {rates.efficiency_source}",
    ]
    if settings.mode == "train":
        hidden = [
            f"{kind} {settings.hidden(kind, parallel.virtual):.0%}"
            for kind, size in (
                ("tp", parallel.tp),
                ("cp", parallel.cp),
                ("ep", parallel.ep),
                ("dp", parallel.replicas * parallel.cp),
                ("pp", parallel.pp),
            )
            if size > 1
        ]
        if hidden:
            found.append(f"of communication may hide behind computation: {', '.join(hidden)}")
        if rates.memory_bytes_per_s is None:
            found.append(
                f"the time of optimizer, norms and activation functions is left out: the memory "
                f"bandwidth of {rates.gpu} is not known"
            )
    if rates.memory_bytes_per_s is not None:
        part = load_figures().memory_efficiency
        found.append(
            f"memory carries {rates.memory_bytes_per_s / 1e9:,.0f} GB/s, {part.fraction:.0%} of "
            f"what the vendor states ({rates.memory_source})"
        )
    if stage.model.experts and parallel.ep > 1:
        found.append("tokens spread evenly over the experts")
    if stage.model.experts:
        share = rates.expert_flops_per_s / rates.layer_flops_per_s
        found.append(f"routed experts compute at {share:.0%} of the rate of other products")
    if not np.isclose(stage.part * parallel.pp, 1.0):
        found.append("the fullest pipeline stage sets the pace")
    return found
