# SPDX-License-Identifier: Apache-2.0
"""The answer to how fast a collective is: a curve, what binds, the limit, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rackloom.collectives.caps import Cap
from rackloom.collectives.conventions import Collective
from rackloom.collectives.limit import Limit
from rackloom.collectives.loads import CableLoads

LARGE_BYTES = 256 << 20
"""From this size on bandwidths decide alone."""
_NARROWS_WITHIN = 2
"""Powers of two below LARGE_BYTES over which a chart's band narrows, so that it has no step."""


@dataclass(frozen=True, slots=True)
class Point:
    """One size of the curve, as nccl-tests would print it."""

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    algorithm: str
    protocol: str
    limit_busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What binds at the largest size: kind, ids of the places, and a phrase."""

    kind: str
    where: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ErrorBand:
    """How far a measurement may be off, as a fraction, and what that rests on."""

    fraction: float
    """From LARGE_BYTES on."""
    rests_on: str
    small_fraction: float
    """Of small messages, where latencies and changes of algorithm decide."""

    def at(self, size_bytes: float) -> float:
        """The band at a size: it narrows within the last two powers of two below the large ones."""
        steps = math.log2(LARGE_BYTES / max(size_bytes, 1.0)) / _NARROWS_WITHIN
        return self.fraction + (self.small_fraction - self.fraction) * min(max(steps, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer for one collective on one group of GPUs."""

    collective: Collective
    gpus: int
    points: tuple[Point, ...]
    bottleneck: Bottleneck
    limit: Limit
    band: ErrorBand
    caps: tuple[Cap, ...]
    """Every resource on the way of the algorithm of the largest size, the tightest first."""
    by_algorithm: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    """The curve of every algorithm that was looked at."""
    low_busbw_gb_per_s: tuple[float, ...] = ()
    """Bus bandwidth at each point with flows hashed badly (5th percentile of placements); that of
    the points themselves where nothing is hashed."""
    loads: CableLoads | None = None
    """What the algorithm of the largest size puts on each cable."""
    notes: tuple[str, ...] = ()
    """Settings that have no effect here, and what was taken for granted, in sentences."""

    @property
    def peak(self) -> Point:
        """The point with the greatest bus bandwidth."""
        return max(self.points, key=lambda point: point.busbw_gb_per_s)

    @property
    def lows(self) -> tuple[float, ...]:
        """``low_busbw_gb_per_s`` for every point, also where nobody worked it out."""
        return self.low_busbw_gb_per_s or tuple(p.busbw_gb_per_s for p in self.points)

    def to_json(self) -> dict[str, Any]:
        """The answer as ``rackloom estimate --format json`` prints it (schema 1)."""
        return {
            "schema": 1,
            "collective": self.collective.value,
            "gpus": self.gpus,
            "points": [
                {
                    "size_bytes": p.size_bytes,
                    "time_us": p.time_us,
                    "algbw_gb_per_s": p.algbw_gb_per_s,
                    "busbw_gb_per_s": p.busbw_gb_per_s,
                    "algorithm": p.algorithm,
                    "protocol": p.protocol,
                    "limit_busbw_gb_per_s": p.limit_busbw_gb_per_s,
                }
                for p in self.points
            ],
            "bottleneck": {
                "kind": self.bottleneck.kind,
                "where": list(self.bottleneck.where),
                "text": self.bottleneck.text,
            },
            "limit": {
                "busbw_gb_per_s": self.limit.busbw_gb_per_s,
                "cut": list(self.limit.cut),
                "text": self.limit.text,
            },
            "caps": [
                {
                    "kind": cap.kind,
                    "busbw_gb_per_s": cap.expected_gb_per_s,
                    "wire_gb_per_s": cap.busbw_gb_per_s,
                    "worst_gb_per_s": cap.worst_gb_per_s,
                    "where": list(cap.where),
                    "text": cap.text,
                }
                for cap in self.caps
            ],
            "low_busbw_gb_per_s": list(self.lows),
            "notes": list(self.notes),
            "band": {
                "fraction": self.band.fraction,
                "small_fraction": self.band.small_fraction,
                "rests_on": self.band.rests_on,
            },
        }
