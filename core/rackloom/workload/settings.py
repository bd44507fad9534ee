# SPDX-License-Identifier: Apache-2.0
"""What a workload is asked with, apart from the model and the groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rackloom.workload.errors import WorkloadError
from rackloom.workload.figures import PRECISIONS, Given, load_figures

MODES = ("train", "prefill", "decode")
RECOMPUTE = ("none", "selective", "full")
OVERLAPS = ("tp", "cp", "ep", "dp", "pp")
MOST = 10**9

Mode = Literal["train", "prefill", "decode"]
Recompute = Literal["none", "selective", "full"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Batch, precision and schedule. None takes what is usual; the answer says what that was."""

    mode: Mode = "train"
    micro_batch: int = 1
    """Sequences a pipeline takes at a time; for inference: sequences of one replica."""
    global_batch: int | None = None
    """Sequences of a step over all data parallel ranks."""
    sequence: int | None = None
    """Tokens of a sequence; for decoding: tokens already there."""
    precision: str = "bf16"
    recompute: Recompute = "none"
    sequence_parallel: bool = True
    """Split norms and dropout over tensor parallel ranks (arXiv 2205.05198)."""
    overlap: dict[str, float] = field(default_factory=dict)
    """Share of a kind of communication that may hide behind computation, by kind."""
    given: Given = field(default_factory=Given)

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, MODES)
        _one_of("precision", self.precision, PRECISIONS)
        _one_of("recompute", self.recompute, RECOMPUTE)
        for name in ("micro_batch", "global_batch", "sequence"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= MOST:
                word = name.replace("_", "-")
                raise WorkloadError(f"{word} {value} cannot be: give 1 to {MOST}")
        for kind, part in self.overlap.items():
            _one_of("overlap", kind, OVERLAPS)
            if not 0 <= part <= 1:
                raise WorkloadError(f"an overlap of {part:g} cannot be: give 0 to 1")

    def hidden(self, kind: str, virtual: int = 1) -> float:
        """Share of a kind of communication that may hide behind computation."""
        if kind in self.overlap:
            return self.overlap[kind]
        if kind == "pp":
            return 1.0 if virtual > 1 else 0.0
        return float(getattr(load_figures().overlap, kind))


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise WorkloadError(
            f"no {what} is called {str(value)[:40]!r}: there are {', '.join(known)}"
        )
