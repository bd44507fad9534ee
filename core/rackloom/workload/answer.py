# SPDX-License-Identifier: Apache-2.0
"""The answer: how long a step takes, what it is spent on, whether it fits, and what is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rackloom.workload.layout import Parallel
from rackloom.workload.memory import Memory
from rackloom.workload.models import Model
from rackloom.workload.network import Channel
from rackloom.workload.training import Split

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know: rule, sentence, ids of the places."""

    rule: str
    text: str
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """What the job gets out of the fabric."""

    mode: str
    model: Model
    gpus: int
    gpu: str
    parallel: Parallel
    precision: str
    sequence: int
    micro_batch: int
    global_batch: int
    micro_batches: int
    split: Split
    tokens_per_s: float
    tflops_per_gpu: float
    """Model operations (recomputation left out) a second and GPU."""
    mfu: float
    """The same over the peak of the precision."""
    efficiency: float
    efficiency_source: str
    memory: Memory
    channels: tuple[Channel, ...]
    warnings: tuple[Warned, ...]
    assumptions: tuple[str, ...]

    @property
    def step_s(self) -> float:
        """Training: a step. Prefill: until the first token. Decode: one token of each sequence."""
        return self.split.total_s

    @property
    def utilisation(self) -> float:
        """Share of the time in which a GPU computes (or, decoding, reads its memory)."""
        return (self.split.compute_s + self.split.memory_s) / self.step_s

    def to_json(self) -> dict[str, Any]:
        """The answer as ``rackloom workload --format json`` prints it (schema 1)."""
        memory, parallel = self.memory, self.parallel
        return {
            "schema": SCHEMA,
            "mode": self.mode,
            "model": {
                "name": self.model.name,
                "title": self.model.title,
                "parameters": self.model.parameters,
                "active_parameters": self.model.active_parameters,
                "source": self.model.source,
            },
            "gpus": self.gpus,
            "gpu": self.gpu,
            "parallel": {
                "tp": parallel.tp,
                "pp": parallel.pp,
                "dp": parallel.dp,
                "cp": parallel.cp,
                "ep": parallel.ep,
                "virtual": parallel.virtual,
                "zero": parallel.zero,
            },
            "precision": self.precision,
            "sequence": self.sequence,
            "micro_batch": self.micro_batch,
            "global_batch": self.global_batch,
            "micro_batches": self.micro_batches,
            "step_s": self.step_s,
            "split_s": self.split.parts(),
            "tokens_per_s": self.tokens_per_s,
            "tokens_per_s_per_gpu": self.tokens_per_s / self.gpus,
            "tflops_per_gpu": self.tflops_per_gpu,
            "mfu": self.mfu,
            "utilisation": self.utilisation,
            "efficiency": {"value": self.efficiency, "source": self.efficiency_source},
            "memory": {
                "weights_bytes": memory.weights_bytes,
                "gradients_bytes": memory.gradients_bytes,
                "optimizer_bytes": memory.optimizer_bytes,
                "activations_bytes": memory.activations_bytes,
                "cache_bytes": memory.cache_bytes,
                "total_bytes": memory.total_bytes,
                "available_bytes": memory.available_bytes,
                "fits": memory.fits,
            },
            "communication": [_channel(channel) for channel in self.channels],
            "warnings": [
                {"rule": w.rule, "where": list(w.where), "text": w.text} for w in self.warnings
            ],
            "assumptions": list(self.assumptions),
        }


def _channel(channel: Channel) -> dict[str, Any]:
    return {
        "kind": channel.kind,
        "collective": channel.collective.value,
        "ranks": channel.ranks,
        "groups": channel.groups,
        "nodes": channel.nodes,
        "size_bytes": channel.size_bytes,
        "time_us": channel.time_us,
        "busbw_gb_per_s": channel.busbw_gb_per_s,
        "sharing": channel.sharing,
        "bottleneck": {"text": channel.limited_by, "where": list(channel.where)},
    }
