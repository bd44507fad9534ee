# SPDX-License-Identifier: Apache-2.0
"""How fast a collective is on a drawn fabric: the curve, the limit, and what binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rackloom.collectives.algorithms import ALGORITHMS, Answer, algorithms_for, answer
from rackloom.collectives.answer import Bottleneck, Estimate, Point
from rackloom.collectives.band import error_band
from rackloom.collectives.calibration import PROTOCOLS
from rackloom.collectives.case import Case, Settings, failed_ids
from rackloom.collectives.conventions import (
    DEFAULT_SIZES,
    Collective,
    busbw_factor,
    parse_collective,
    parse_sizes,
    whole_size,
)
from rackloom.collectives.cost_model import Curve
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import GpuChoice
from rackloom.collectives.limit import Adding, Limit, find_limit
from rackloom.collectives.loads import CableLoads
from rackloom.collectives.notes import settings_notes
from rackloom.collectives.reduction import has_nvls, has_sharp
from rackloom.design import Design
from rackloom.fabric import Fabric

__all__ = ["ALGORITHMS", "estimate"]

_REACHED = 1 - 1e-6


def estimate(
    drawn: Design | Fabric,
    collective: str | Collective = Collective.ALL_REDUCE,
    sizes: str | Sequence[int] = DEFAULT_SIZES,
    gpus: GpuChoice = None,
    failed: Iterable[str] = frozenset(),
    algorithm: str = "auto",
    protocol: str = "auto",
    settings: Settings | None = None,
) -> Estimate:
    """What a collective library would reach on this fabric, and what no schedule can beat.

    ``gpus``: all (None), the first N, or names (see GpuChoice). ``failed``: ids or names of devices
    and cables that are taken to be dead. Raises EstimateError with one sentence where there is no
    answer.
    """
    protocol = {name.lower(): name for name in PROTOCOLS}.get(protocol.lower(), protocol.lower())
    kind = _modelled(collective, algorithm, protocol)
    size_list = _checked(sizes)
    settings = (settings or Settings()).checked()
    fabric = drawn if isinstance(drawn, Fabric) else Fabric.of(drawn)
    case = Case(fabric.without(failed_ids(fabric, failed)), gpus, settings)
    names = algorithms_for(case, kind, algorithm)
    limit = _limit(case, kind, names)
    bytes_ = np.array(size_list, np.float64)
    answers = [answer(case, name, kind, bytes_, limit.busbw_gb_per_s) for name in names]
    if not limit.exact and any(_reaches(a, limit) for a in answers):
        limit = limit.reached()
    allowed = [
        [
            (curve, low)
            for curve, low in zip(a.curves, a.worst, strict=True)
            if protocol in {"auto", curve.protocol} and curve.protocol in case.protocols
        ]
        for a in answers
    ]
    curves = [pair for pairs in allowed for pair in pairs]
    if not curves:
        raise EstimateError(
            f"{protocol} is not used by {' or '.join(names)} on {case.group.parts[0].title}: "
            "choose auto"
        )
    ranks, top = case.group.ranks, limit.busbw_gb_per_s
    points = _points(kind, ranks, size_list, curves, top)
    last = max(points, key=lambda point: point.size_bytes)
    deciding = next(a for a in answers if a.algorithm == last.algorithm)
    tightest = deciding.caps[0]
    return Estimate(
        collective=kind,
        gpus=ranks,
        points=points,
        bottleneck=Bottleneck(tightest.kind, tightest.where, tightest.text),
        limit=limit,
        band=error_band(case, deciding, kind, tightest),
        caps=tuple(deciding.caps),
        by_algorithm={
            a.algorithm: _points(kind, ranks, size_list, pairs, top)
            for a, pairs in zip(answers, allowed, strict=True)
            if pairs
        },
        low_busbw_gb_per_s=_low(kind, ranks, size_list, curves),
        loads=_loads(case, deciding, last),
        notes=settings_notes(case, kind, names, deciding.traffic),
    )


def _limit(case: Case, kind: Collective, names: list[str]) -> Limit:
    adding = Adding.NOWHERE
    if has_nvls(case.group) and case.library.nvls is not None:
        adding = Adding.EVERYWHERE if case.group.nodes == 1 else Adding.IN_DOMAINS
    if case.rings is not None:
        asked = case.settings.sharp or any(name.startswith("collnet") for name in names)
        asked = asked or "nvls" in names
        if asked and has_sharp(case.fabric, case.rings):
            adding = Adding.EVERYWHERE
    return find_limit(case.fabric, case.group, case.ports, case.hardware, kind, adding)


def _reaches(found: Answer, limit: Limit) -> bool:
    """Whether the flows of an algorithm fill the wires up to the limit, which is then exact.

    Wires only: what libraries get out of them is left out, and switches that add up do not count.
    """
    wires = found.algorithm in {"ring", "direct", "direct-without-pxn"} and found.traffic
    least = min(cap.busbw_gb_per_s for cap in found.caps)
    return bool(wires) and least >= limit.busbw_gb_per_s * _REACHED


def _loads(case: Case, deciding: Answer, last: Point) -> CableLoads:
    return CableLoads(case.fabric, deciding.traffic, last.busbw_gb_per_s)


def _modelled(collective: str | Collective, algorithm: str, protocol: str) -> Collective:
    kind = collective if isinstance(collective, Collective) else parse_collective(collective)
    if algorithm.lower() not in ALGORITHMS:
        raise EstimateError(
            f"no algorithm is called {algorithm!r}; there are {', '.join(ALGORITHMS)}"
        )
    if protocol not in {"auto", *PROTOCOLS}:
        raise EstimateError(
            f"no protocol is called {protocol!r}; there are auto, {', '.join(PROTOCOLS)}"
        )
    return kind


def _checked(sizes: str | Sequence[int]) -> tuple[int, ...]:
    if isinstance(sizes, str):
        return parse_sizes(sizes)
    several = sizes if isinstance(sizes, Iterable) else (sizes,)
    found = tuple(whole_size(size) for size in several)
    if not found:
        raise EstimateError("there is no message size to estimate for: give at least one")
    return found


def _points(
    kind: Collective,
    ranks: int,
    sizes: tuple[int, ...],
    curves: list[tuple[Curve, Curve]],
    limit: float,
) -> tuple[Point, ...]:
    """The fastest curve at each size."""
    times = np.stack([curve.time_us for curve, _ in curves])
    best = times.argmin(axis=0)
    factor = busbw_factor(kind, ranks)
    points = []
    for number, size in enumerate(sizes):
        curve, _ = curves[int(best[number])]
        time_us = float(times[best[number], number])
        algbw = size / time_us / 1000
        points.append(
            Point(
                size_bytes=size,
                time_us=time_us,
                algbw_gb_per_s=algbw,
                busbw_gb_per_s=algbw * factor,
                algorithm=curve.algorithm,
                protocol=curve.protocol,
                limit_busbw_gb_per_s=limit,
            )
        )
    return tuple(points)


def _low(
    kind: Collective, ranks: int, sizes: tuple[int, ...], curves: list[tuple[Curve, Curve]]
) -> tuple[float, ...]:
    """Bus bandwidth of the same curves with flows hashed badly."""
    times = np.stack([curve.time_us for curve, _ in curves])
    slow = np.stack([worst.time_us for _, worst in curves])
    chosen = slow[times.argmin(axis=0), np.arange(len(sizes))]
    factor = busbw_factor(kind, ranks)
    return tuple(
        size / float(time) / 1000 * factor for size, time in zip(sizes, chosen, strict=True)
    )
