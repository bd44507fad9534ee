# SPDX-License-Identifier: Apache-2.0
"""What the chart says of the size under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rackloom_gui.charts.series import Gap
from rackloom_gui.charts.shown import Curve, Pin
from rackloom_gui.charts.sizes import bandwidth_text, size_text, time_text

if TYPE_CHECKING:
    from rackloom.collectives import Estimate


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("Throughput", text)


def readout_text(
    estimate: Estimate,
    number: int,
    baseline: Estimate | None,
    pins: Sequence[Pin],
    gaps: Sequence[tuple[str, Gap]],
) -> str:
    """The point in full, then one line for each other curve at the same size."""
    p = estimate.points[number]
    lines = [
        tr("{0}: {1} in {2}").format(
            size_text(p.size_bytes), bandwidth_text(p.busbw_gb_per_s), time_text(p.time_us)
        ),
        tr("{0}, {1}; algbw {2}; limit {3}").format(
            p.algorithm, p.protocol, bandwidth_text(p.algbw_gb_per_s),
            bandwidth_text(p.limit_busbw_gb_per_s),
        ),
    ]  # fmt: skip
    low = estimate.low_busbw_gb_per_s
    if low and low[number] < p.busbw_gb_per_s * 0.995:
        lines.append(tr("with flows hashed badly {0}").format(bandwidth_text(low[number])))
    if baseline is not None:
        lines += _other(tr("as drawn"), baseline, p.size_bytes)
    for pin in pins:
        lines += _other(pin.name, pin.estimate, p.size_bytes)
    for name, points in estimate.by_algorithm.items():
        if name != p.algorithm and len(estimate.by_algorithm) > 1:
            lines.append(f"{name} {bandwidth_text(points[number].busbw_gb_per_s)}")
    lines += [gap_text(name, gap) for name, gap in gaps]
    return "\n".join(lines)


def _other(name: str, estimate: Curve, size_bytes: int) -> list[str]:
    same = [q for q in estimate.points if q.size_bytes == size_bytes]
    return [f"{name}: {bandwidth_text(q.busbw_gb_per_s)}, {time_text(q.time_us)}" for q in same]


def gap_text(name: str, gap: Gap) -> str:
    """A measured point and how far it is off."""
    return tr("{0}: measured {1}, {2} ({3} %)").format(
        name,
        bandwidth_text(gap.measured_busbw_gb_per_s),
        time_text(gap.measured_us),
        f"{gap.share * 100:+.0f}",
    )
