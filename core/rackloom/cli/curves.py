# SPDX-License-Identifier: Apache-2.0
"""An estimate as a table (laid out like that of nccl-tests) and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rackloom.collectives import Estimate

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
    percent = round(answer.band.fraction * 100)
    lines += [
        f"# cap {cap.expected_gb_per_s:,.1f} GB/s: {cap.text} "
        f"({cap.busbw_gb_per_s:,.1f} at {cap.efficiency:.0%})"
        for cap in answer.caps
    ]
    if answer.points:
        low, last = answer.low_busbw_gb_per_s[-1], answer.points[-1].busbw_gb_per_s
        if low < last * _SAME:
            lines.append(f"# in the worst twentieth of hash placements {low:,.2f} GB/s at the end")
    lines += [
        f"# limited by {answer.bottleneck.text}",
        f"# limit: {answer.limit.text}",
        f"# measurements may be {percent} % off: this rests on {answer.band.rests_on}",
    ]
    return "\n".join(lines) + "\n"


def estimate_csv(answer: Estimate) -> str:
    """The points, with the field names of the JSON as columns."""
    from rackloom.collectives import Point
    from rackloom.reports import csv_text

    return csv_text(answer.points, Point)
