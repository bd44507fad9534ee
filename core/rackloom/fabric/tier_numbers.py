# SPDX-License-Identifier: Apache-2.0
"""Oversubscription and bisection of each tier, as numbers with the places they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rackloom.design.ids import DeviceId
from rackloom.fabric.arrays import Floats, Ints

if TYPE_CHECKING:
    from rackloom.fabric.value import Fabric


@dataclass(frozen=True, slots=True)
class TierNumbers:
    """One tier of one network; rates in Gb/s, one direction, of links that are alive."""

    network: str
    role: str
    switches: int
    down_gbps: float
    """To end points and lower tiers, all switches together."""
    up_gbps: float
    across_gbps: float
    oversubscription: float | None
    """Down over up of the whole tier; None where nothing is above it."""
    worst_oversubscription: float | None
    worst_at: tuple[DeviceId, ...]
    """Switches of the worst ratio."""
    bisection_gbps: float | None
    """What half of the tier's switches can send to the other half over the tier above: half of all
    uplinks, or of what is below them where that is less. None where nothing is above."""


_TIE = 1 + 1e-9


def tier_numbers(fabric: Fabric) -> tuple[TierNumbers, ...]:
    """Every tier of every network, leaves first."""
    tiers, balance = fabric.tiers, fabric.balance
    n = len(balance.down_gbps)
    found = []
    network = np.array(tiers.network[:n])
    tier = tiers.tier[:n]
    keys = sorted({(str(a), int(b)) for a, b in zip(network, tier, strict=True) if b >= 0})
    for name, level in keys:
        mine = np.flatnonzero((network == name) & (tier == level))
        found.append(_numbers(fabric, name, mine))
    return tuple(found)


def _numbers(fabric: Fabric, name: str, mine: Ints) -> TierNumbers:
    balance = fabric.balance
    down, up = balance.down_gbps[mine], balance.up_gbps[mine]
    total_down, total_up = float(down.sum()), float(up.sum())
    with_up = up > 0
    worst: float | None = None
    worst_at: tuple[DeviceId, ...] = ()
    if with_up.any():
        ratio: Floats = down[with_up] / up[with_up]
        worst = float(ratio.max())
        devices = fabric.network.switch_device[mine[with_up][ratio * _TIE >= worst]]
        named = dict.fromkeys(d for d in devices.tolist() if d >= 0)
        worst_at = tuple(fabric.arrays.device_ids[d] for d in named)
    return TierNumbers(
        network=name,
        role=fabric.tiers.role[int(mine[0])],
        switches=len(np.unique(fabric.network.switch_device[mine])),
        down_gbps=total_down,
        up_gbps=total_up,
        across_gbps=float(balance.across_gbps[mine].sum()),
        oversubscription=total_down / total_up if total_up > 0 else None,
        worst_oversubscription=worst,
        worst_at=worst_at,
        bisection_gbps=min(total_up, total_down) / 2 if total_up > 0 else None,
    )
