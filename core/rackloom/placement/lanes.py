# SPDX-License-Identifier: Apache-2.0
"""Which links two cages form over the lanes of a cable, and how fast they are."""

from __future__ import annotations

from typing import NamedTuple

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import PASSIVE
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.design.splitting import lit_lanes, mode_for


class Agreed(NamedTuple):
    """The links two cages form: the rate of each, and modes to set where the usual ones differ.

    ``links`` counts those over one branch of a cable, or over one fibre socket.
    """

    rate_gbps: float
    links: int
    a_mode: str | None
    b_mode: str | None


def direct_lanes(cage: Cage, far: Cage, cable: CablePart, end: int) -> tuple[int, float]:
    """Lanes that one far end lights at this end of a cable, and the rate they run at."""
    plug = cable.ends[end]
    lanes = plug.lanes or cage.lanes
    lit = max(lanes // cable.branches, 1) if end == 0 else lanes
    if cable.lane_gbps is None:
        return lit, plug.rate_gbps / lanes if plug.rate_gbps else cage.lane_gbps
    if cable.technology in PASSIVE:
        common = set(cage.lane_rates_gbps) & set(far.lane_rates_gbps)
        return lit, max((r for r in common if r <= cable.lane_gbps + 1e-6), default=0.0)
    return lit, cable.lane_gbps


def optical_lanes(cord: CablePart, end: int, module: TransceiverPart | None) -> tuple[int, float]:
    """Host lanes of a module that one far end lights over a cord, and the rate they can run at."""
    if module is None:
        return 1, 0.0
    line_gbps = module.optical_lanes * module.optical_lane_gbps / module.lanes
    return lit_lanes(cord, end, module) or 1, min(module.lane_gbps, line_gbps)


def agree(
    a: Cage, a_lanes: tuple[int, float], b: Cage, b_lanes: tuple[int, float]
) -> Agreed | None:
    """The ports that two cages form over a number of lanes; None where no two of them match.

    Ports match when both take the same share of the cable. The modes that come about by themselves
    are left alone where they match; else the fastest pair that does is to be set. A panel's coupler
    has no ports: the other side decides the rate, and what is behind the panel is not asked.
    """
    if a.passive or b.passive:
        rates = [
            _port_rate(mode_for(cage, lanes[0]), lanes[1])
            for cage, lanes in ((a, a_lanes), (b, b_lanes))
            if not cage.passive
        ]
        return Agreed(min(rates, default=0.0), 1, None, None)
    usual = mode_for(a, a_lanes[0]), mode_for(b, b_lanes[0])
    pairs = [usual, *((x, y) for x in a.modes for y in b.modes)]
    best: tuple[float, int, int] | None = None
    chosen = usual
    for x, y in pairs:
        if x.lanes_per_port > a_lanes[0] or x.lanes_per_port * b_lanes[0] != (
            y.lanes_per_port * a_lanes[0]
        ):
            continue
        rate_gbps = min(_port_rate(x, a_lanes[1]), _port_rate(y, b_lanes[1]))
        score = (rate_gbps, (x is usual[0]) + (y is usual[1]), -x.ports)
        if best is None or score > best:
            best, chosen = score, (x, y)
        if (x, y) == usual:
            break
    if best is None or best[0] <= 0:
        return None
    set_a, set_b = (
        None if now is usually else now.name for now, usually in zip(chosen, usual, strict=True)
    )
    return Agreed(best[0], a_lanes[0] // chosen[0].lanes_per_port, set_a, set_b)


def _port_rate(mode: BreakoutMode, lane_gbps: float) -> float:
    return min(mode.rate_gbps, lane_gbps * mode.lanes_per_port)
