# SPDX-License-Identifier: Apache-2.0
"""An estimate as a table (laid out like that of nccl-tests) and as CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rackloom.collectives import Cap, Estimate

_SAME = 0.999


def estimate_table(answer: Estimate) -> str:
    """Size, time, algorithm and bus bandwidth by line, then what limits it and why."""
    lines = [
        f"# {answer.collective.value} on {answer.gpus} GPUs; bandwidths in GB/s (1e9 bytes)",
        f"{'size_bytes':>14} {'time_us':>12} {'algbw':>9} {'busbw':>9} {'limit':>9}  algorithm",
    ]
    lines += [
        f"{p.size_bytes:>14} {p.time_us:>12.2f} {p.algbw_gb_per_s:>9.2f} "
        f"{p.busbw_gb_per_s:>9.2f} {p.limit_busbw_gb_per_s:>9.2f}  {p.algorithm} {p.protocol}"
        for p in answer.points
    ]
    if answer.points:
        last = max(answer.points, key=lambda point: point.size_bytes)
        lines.append(
            f"# bus bandwidth that {last.algorithm} could reach at {last.size_bytes} bytes, "
            "by what is on its way; the first binds"
        )
    lines += [
        f"# cap {cap.expected_gb_per_s:,.1f} GB/s: {cap.text}"
        + (f" (wire {cap.busbw_gb_per_s:,.1f} at {cap.efficiency:.0%})" if _derated(cap) else "")
        for cap in answer.caps
    ]
    if answer.points:
        low, end = answer.low_busbw_gb_per_s[-1], answer.points[-1].busbw_gb_per_s
        if low < end * _SAME:
            lines.append(f"# in the worst twentieth of hash placements {low:,.2f} GB/s at the end")
    lines += [
        f"# limited by {answer.bottleneck.text}",
        f"# limit {answer.limit.busbw_gb_per_s:,.1f} GB/s: {answer.limit.text}",
        f"# measurements may be {answer.band.fraction:.0%} off from 256 MiB on, "
        f"{answer.band.small_fraction:.0%} below: this rests on {answer.band.rests_on}",
    ]
    lines += [f"# note: {note}" for note in answer.notes]
    return "\n".join(lines) + "\n"


def _derated(cap: Cap) -> bool:
    return abs(cap.efficiency - 1) > 1 - _SAME


@dataclass(frozen=True, slots=True)
class _CurveRow:
    """A point with the field names of the JSON as columns."""

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    algorithm: str
    protocol: str
    limit_busbw_gb_per_s: float
    low_busbw_gb_per_s: float


def estimate_csv(answer: Estimate) -> str:
    """The points, with the field names of the JSON as columns."""
    from rackloom.reports import csv_text

    rows = [
        _CurveRow(
            p.size_bytes,
            p.time_us,
            p.algbw_gb_per_s,
            p.busbw_gb_per_s,
            p.algorithm,
            p.protocol,
            p.limit_busbw_gb_per_s,
            low,
        )
        for p, low in zip(answer.points, answer.lows, strict=True)
    ]
    return csv_text(rows, _CurveRow)
