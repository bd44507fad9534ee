# SPDX-License-Identifier: Apache-2.0
"""Times, sizes, differences and refusals of a workload in the words of its panel."""

from __future__ import annotations

import re

_GB = 1e9

_FIELDS = {
    "efficiency": "Efficiency",
    "peak-tflops": "Peak",
    "memory-gb-per-s": "Memory rate",
    "memory-gb": "Memory",
}
"""Options of the command line for what is taken, and the fields that stand for them."""


def in_fields(sentence: str) -> str:
    """A sentence of the command line in the words of the fields, as a sentence."""
    text = re.sub(r", or take fewer GPUs with --gpus|, or say --gpus \d+", "", sentence)
    text = re.sub(r"give --(\w+) (\d+)", r"give \1 \2", text)
    for option, field in _FIELDS.items():
        text = re.sub(
            rf"--{option}\b(, as a fraction of the peak)?", f"{field} under Assumptions", text
        )
    text = text.replace("--", "")
    return text[:1].upper() + text[1:].rstrip(".") + "."


def seconds_text(seconds: float) -> str:
    """A time: ``2.31 s``, ``48 ms``, ``910 µs``."""
    if seconds >= 1:
        return f"{seconds:,.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def gb_text(size_bytes: float) -> str:
    """Bytes in GB of 1e9, as memory of GPUs is sold."""
    return f"{size_bytes / _GB:,.3g} GB" if size_bytes < 1e12 else f"{size_bytes / _GB:,.0f} GB"


def difference_text(now: float, before: float) -> str:
    """How much more or less than before, in brackets; empty where before was nothing."""
    if before <= 0:
        return ""
    change = (now / before - 1) * 100
    return " (±0 %)" if abs(change) < 0.05 else f" ({change:+.1f} %)"
