# SPDX-License-Identifier: Apache-2.0
"""What is assumed of GPUs: how much of their peak they reach, and what their memory carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from rackloom.catalog.parts import Gpu
from rackloom.workload.errors import WorkloadError
from rackloom.workload.files import read_yaml

PRECISIONS = ("bf16", "fp16", "fp8")
"""Of the matrix products; fp16 runs like bf16, and everything else runs in bf16 or above."""
BF16_BYTES = 2


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Matmul(_Frozen):
    architecture: str
    precision: str
    fraction: float = Field(gt=0, le=1)
    source: str
    inferred: bool = False


class _Layer(_Frozen):
    precision: str
    fraction: float = Field(gt=0, le=1)
    source: str


class _Memory(_Frozen):
    gpu: str
    gb_per_s: float = Field(gt=0)
    source: str


class _Efficiency(_Frozen):
    fraction: float = Field(gt=0, le=1)
    source: str


class Overlap(_Frozen):
    """What part of each kind of communication may hide behind computation beside it."""

    tp: float = Field(ge=0, le=1)
    cp: float = Field(ge=0, le=1)
    ep: float = Field(ge=0, le=1)
    dp: float = Field(ge=0, le=1)
    source: str


class Figures(_Frozen):
    """All assumptions, each with its source."""

    sources: dict[str, str]
    matmul: tuple[_Matmul, ...]
    layer: tuple[_Layer, ...]
    experts: _Efficiency
    memory: tuple[_Memory, ...]
    memory_efficiency: _Efficiency
    overlap: Overlap

    def matmul_of(self, architecture: str, precision: str) -> _Matmul | None:
        """The measured share of the peak, None where nothing is known."""
        wanted = (architecture, precision)
        return next((m for m in self.matmul if (m.architecture, m.precision) == wanted), None)

    def layer_of(self, precision: str) -> _Layer:
        """What whole layers keep of it."""
        return next(row for row in self.layer if row.precision == precision)


@cache
def load_figures() -> Figures:
    """The assumptions that ship with the program."""
    return Figures.model_validate(read_yaml("figures.yaml"))


@dataclass(frozen=True, slots=True)
class Rates:
    """What one GPU of the group does, the slowest where they differ."""

    gpu: str
    peak_tflops: float
    """Of the asked precision, dense."""
    layer_flops_per_s: float
    """What the matrix products of whole layers reach."""
    attention_flops_per_s: float
    """The same for attention, which runs in bf16 also under fp8."""
    expert_flops_per_s: float
    """The same for routed experts, whose products are small and many."""
    efficiency: float
    efficiency_source: str
    memory_gb: float | None
    memory_bytes_per_s: float | None
    """What the memory really carries; None where its rate is not known."""
    memory_source: str


@dataclass(frozen=True, slots=True)
class Given:
    """Figures the user knows better: efficiency as a fraction of the peak, peaks, memory."""

    efficiency: float | None = None
    experts: float | None = None
    """Rate of routed experts over that of other products."""
    peak_tflops: float | None = None
    memory_gb: float | None = None
    memory_gb_per_s: float | None = None

    def __post_init__(self) -> None:
        for share in (self.efficiency, self.experts):
            if share is not None and not 0 < share <= 1:
                raise WorkloadError(
                    f"an efficiency of {share:g} cannot be: give more than 0, up to 1"
                )
        for name in ("peak_tflops", "memory_gb", "memory_gb_per_s"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e9:
                raise WorkloadError(
                    f"{name.replace('_', '-')} {value:g} cannot be: give more than 0"
                )


def rates_of(gpus: list[Gpu], precision: str, given: Given) -> Rates:
    """What the slowest of these GPUs does; WorkloadError where that is not known."""
    each = [_rates(gpu, precision, given) for gpu in gpus]
    slowest = min(each, key=lambda rates: rates.layer_flops_per_s)
    memories = [_memory_gb(gpu, given) for gpu in gpus]
    known = [m for m in memories if m is not None]
    return Rates(
        gpu=slowest.gpu,
        peak_tflops=slowest.peak_tflops,
        layer_flops_per_s=slowest.layer_flops_per_s,
        attention_flops_per_s=slowest.attention_flops_per_s,
        expert_flops_per_s=slowest.expert_flops_per_s,
        efficiency=slowest.efficiency,
        efficiency_source=slowest.efficiency_source,
        memory_gb=min(known) if len(known) == len(memories) else None,
        memory_bytes_per_s=slowest.memory_bytes_per_s,
        memory_source=slowest.memory_source,
    )


def _memory_gb(gpu: Gpu, given: Given) -> float | None:
    return given.memory_gb if given.memory_gb is not None else gpu.memory_gb


def _rates(gpu: Gpu, precision: str, given: Given) -> Rates:
    kind = "fp8" if precision == "fp8" else "bf16"
    peak, share, source = _reached(gpu, kind, given)
    # Attention stays in bf16: at its own efficiency, or at what the user said, of half the peak.
    slow = (peak, share) if kind == "bf16" else _bf16_beside(gpu, given, peak, share)
    figures = load_figures()
    experts = given.experts if given.experts is not None else figures.experts.fraction
    row = next((m for m in figures.memory if m.gpu.lower() == gpu.model.lower()), None)
    carried = given.memory_gb_per_s or (row.gb_per_s if row else None)
    told = figures.sources[row.source] if row else ""
    if given.memory_gb_per_s:
        told = "given by the user"
    return Rates(
        gpu=gpu.model,
        peak_tflops=peak,
        layer_flops_per_s=peak * share * 1e12,
        attention_flops_per_s=slow[0] * slow[1] * 1e12,
        expert_flops_per_s=peak * share * experts * 1e12,
        efficiency=share,
        efficiency_source=source,
        memory_gb=_memory_gb(gpu, given),
        memory_bytes_per_s=None
        if carried is None
        else carried * 1e9 * figures.memory_efficiency.fraction,
        memory_source=told,
    )


def _bf16_beside(gpu: Gpu, given: Given, peak: float, share: float) -> tuple[float, float]:
    if given.efficiency is not None or given.peak_tflops is not None:
        return peak / 2, share
    found = load_figures().matmul_of(gpu.architecture or "", "bf16")
    if found is None or gpu.bf16_dense_tflops is None:
        return peak / 2, share
    return gpu.bf16_dense_tflops, found.fraction * load_figures().layer_of("bf16").fraction


def _reached(gpu: Gpu, kind: str, given: Given) -> tuple[float, float, str]:
    """Peak in TFLOP/s, efficiency, and where the efficiency comes from."""
    figures = load_figures()
    stated = gpu.fp8_dense_tflops if kind == "fp8" else gpu.bf16_dense_tflops
    peak = given.peak_tflops or stated
    if peak is None:
        raise WorkloadError(
            f"the peak rate of {gpu.model} in {kind} is not known: choose another precision, or "
            "give --peak-tflops"
        )
    if given.efficiency is not None:
        return peak, given.efficiency, "given by the user"
    matmul = figures.matmul_of(gpu.architecture or "", kind)
    if matmul is None:
        raise WorkloadError(
            f"nothing is known of what part of its {kind} peak {gpu.model} reaches: give "
            "--efficiency, as a fraction of the peak"
        )
    layer = figures.layer_of(kind)
    source = (
        f"{matmul.fraction:g} of the peak in matrix products ({figures.sources[matmul.source]}) x "
        f"{layer.fraction:g} in whole layers ({figures.sources[layer.source]})"
    )
    return peak, matmul.fraction * layer.fraction, source
