# SPDX-License-Identifier: Apache-2.0
"""The numbers behind the lines of the chart: bus or algorithm bandwidth, or time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.interop.nccl_log import MeasuredRun

Floats = npt.NDArray[np.float64]

QUANTITIES = ("busbw", "algbw", "time")
LARGE_BYTES = 256 << 20
"""From this size on bandwidths are judged (the aim of the accuracy report)."""
_LEAST_US = 1e-3


class AnyPoint(Protocol):
    """A point of a curve or of a log."""

    @property
    def size_bytes(self) -> int:
        """Message size."""

    @property
    def time_us(self) -> float:
        """Time of one operation."""

    @property
    def algbw_gb_per_s(self) -> float:
        """Size over time."""

    @property
    def busbw_gb_per_s(self) -> float:
        """As nccl-tests counts it."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """One estimate as lines; times are powers of ten, for they are drawn so."""

    x: Floats
    """log2 of the sizes."""
    y: Floats
    limit: Floats
    low: Floats
    high: Floats
    hashed_low: Floats | None
    """With flows hashed badly (5th percentile); None where that is no different."""


def abscissa(points: Sequence[AnyPoint]) -> Floats:
    """log2 of the sizes."""
    return np.array([log2(max(p.size_bytes, 1)) for p in points])


def ordinate(points: Sequence[AnyPoint], quantity: str) -> Floats:
    """Bandwidths in GB/s, or log10 of the times in microseconds."""
    if quantity == "time":
        return np.log10(np.maximum([p.time_us for p in points], _LEAST_US))
    name = f"{quantity}_gb_per_s"
    return np.array([getattr(p, name) for p in points], np.float64)


def lines_of(estimate: Estimate, quantity: str) -> Lines:
    """All lines of an estimate."""
    points = estimate.points
    y = ordinate(points, quantity)
    share = np.array([estimate.band.at(p.size_bytes) for p in points])
    busbw = ordinate(points, "busbw")
    slow = np.array(estimate.low_busbw_gb_per_s or busbw, np.float64)
    ratio = np.divide(slow, busbw, out=np.ones(len(busbw)), where=busbw > 0)
    hashed = bool((ratio < 1 - 1e-3).any())
    limit = np.array([_limit(p, quantity) for p in points])
    if quantity == "time":
        low = y + np.log10(1 / (1 + share))
        low = np.maximum(low, np.minimum(limit, y))
        high = y - np.log10(np.maximum(1 - share, 0.05))
        hashed_low = y - np.log10(np.maximum(ratio, 1e-6)) if hashed else None
    else:
        low, high = y * (1 - share), np.minimum(y * (1 + share), np.maximum(limit, y))
        hashed_low = y * ratio if hashed else None
    return Lines(abscissa(points), y, limit, low, high, hashed_low)


def _limit(point: Any, quantity: str) -> float:
    """What no schedule beats at this size. Time: without any latency."""
    limit = float(point.limit_busbw_gb_per_s)
    factor = point.busbw_gb_per_s / point.algbw_gb_per_s if point.algbw_gb_per_s > 0 else 1.0
    match quantity:
        case "busbw":
            return limit
        case "algbw":
            return limit / factor
        case _:
            us = point.size_bytes * factor / limit / 1000 if limit > 0 else _LEAST_US
            return float(np.log10(max(us, _LEAST_US)))


@dataclass(frozen=True, slots=True)
class Gap:
    """A measured size beside the estimate."""

    size_bytes: int
    measured_busbw_gb_per_s: float
    estimated_busbw_gb_per_s: float
    measured_us: float
    estimated_us: float

    @property
    def share(self) -> float:
        """Measured over estimated bandwidth, less one: below 0 the measurement is slower."""
        return self.estimated_us / self.measured_us - 1


def gaps_of(estimate: Estimate, run: MeasuredRun) -> tuple[Gap, ...]:
    """The gap at every measured size within the curve; between its points times are powers."""
    points = [p for p in estimate.points if p.size_bytes > 0]
    if not points:
        return ()
    x, log_us = abscissa(points), np.log([max(p.time_us, 1e-9) for p in points])
    factor = points[-1].busbw_gb_per_s / points[-1].algbw_gb_per_s
    found = []
    for m in run.points:
        if not points[0].size_bytes <= m.size_bytes <= points[-1].size_bytes:
            continue
        us = float(np.exp(np.interp(log2(m.size_bytes), x, log_us)))
        busbw = m.size_bytes / us / 1000 * factor
        found.append(Gap(m.size_bytes, m.busbw_gb_per_s, busbw, m.time_us, us))
    return tuple(found)


def median_gap(gaps: Sequence[Gap]) -> tuple[float, bool] | None:
    """Median of the gaps at large sizes (True), or of all where none is large (False)."""
    large = [g.share for g in gaps if g.size_bytes >= LARGE_BYTES]
    every = large or [g.share for g in gaps]
    return (float(np.median(every)), bool(large)) if every else None
