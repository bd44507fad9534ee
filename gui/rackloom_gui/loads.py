# SPDX-License-Identifier: Apache-2.0
"""What the network is doing while a collective runs: loads, tiers, oversubscribed switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from rackloom_gui.charts.sizes import collective_text, short_size

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.fabric import Fabric
    from rackloom.fabric.tier_numbers import TierNumbers
    from rackloom.fabric.ways import GroupWays

_MOST_GROUPS = 8
"""Groups of servers whose ways are counted after each edit; ``rackloom summary`` takes more."""

OVER = 1.01
"""More below than above by this factor counts as oversubscribed."""


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("Loads", text)


@dataclass(frozen=True, slots=True)
class NetworkFacts:
    """Of one estimate, for canvas and explanation."""

    title: str
    """What the loads are of: ``All-reduce, ring, 16G``."""
    loads: Mapping[str, float]
    """Fraction of its rate that the busiest link of each cable carries; 0 for idle links."""
    gbps: Mapping[str, tuple[float, float, float]]
    """Carried by that link, its rate, and how many connections run over it on average."""
    tiers: tuple[TierNumbers, ...]
    oversubscribed: Mapping[str, float]
    """Ratio by switch."""
    ways: GroupWays
    """Hops and ways between groups of servers."""

    def load_text(self, cable: str) -> str:
        """What a cable carries, for its tooltip; empty for cables that are no links."""
        found = self.gbps.get(cable)
        if found is None:
            return ""
        carried, rate, connections = found
        if carried <= 0:
            return tr("carries nothing of this {0}").format(self.title)
        text = tr("{0}: {1} of {2} Gb/s ({3} %)").format(
            self.title, f"{carried:.4g}", f"{rate:g}", f"{carried / rate * 100:.0f}"
        )
        if connections > 0:
            text += tr(", {0} connections").format(f"{connections:.3g}")
        return text


def network_facts(fabric: Fabric, failed: frozenset[str], estimate: Estimate) -> NetworkFacts:
    """For a worker: loads by cable, numbers by tier, oversubscribed switches.

    ``fabric``: the very one that the estimate is of, for links are counted in its order.
    """
    from rackloom.fabric.tier_numbers import tier_numbers
    from rackloom.fabric.ways import group_ways

    fabric = fabric.without(failed)
    last = estimate.points[-1]
    name = collective_text(estimate.collective.value)
    title = f"{name}, {last.algorithm}, {short_size(last.size_bytes)}"
    loads, gbps = _loads(fabric, estimate)
    tiers, over = tier_numbers(fabric), _oversubscribed(fabric)
    return NetworkFacts(title, loads, gbps, tiers, over, group_ways(fabric, _MOST_GROUPS))


def _loads(
    fabric: Fabric, estimate: Estimate
) -> tuple[dict[str, float], dict[str, tuple[float, float, float]]]:
    arrays = fabric.arrays
    if estimate.loads is None or not len(arrays.link_cable):
        return {}, {}
    share, carried = estimate.loads.link_fraction, estimate.loads.link_gbps
    # the busiest link of each cable: the last of its cable when sorted by cable, then by share
    order = np.lexsort((share, arrays.link_cable))
    cable = arrays.link_cable[order]
    last = np.append(cable[1:] != cable[:-1], True)
    links, cables = order[last], cable[last]
    ids = [str(arrays.cable_ids[c]) for c in cables.tolist()]
    rates = arrays.link_rate_gbps[links].tolist()
    connections = estimate.loads.link_connections[links].tolist()
    numbers = zip(carried[links].tolist(), rates, connections, strict=True)
    return (
        dict(zip(ids, share[links].tolist(), strict=True)),
        dict(zip(ids, numbers, strict=True)),
    )


def _oversubscribed(fabric: Fabric) -> dict[str, float]:
    balance, network = fabric.balance, fabric.network
    down, up = balance.down_gbps, balance.up_gbps
    over = np.flatnonzero((up > 0) & (down > up * OVER))
    found: dict[str, float] = {}
    for vertex in over.tolist():
        device = int(network.switch_device[vertex])
        if device >= 0:
            name = str(fabric.arrays.device_ids[device])
            found[name] = max(found.get(name, 0.0), float(down[vertex] / up[vertex]))
    return found
