# SPDX-License-Identifier: Apache-2.0
"""How busy each cable is while a collective runs, as a fraction of its rate."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rackloom.collectives.ring import Traffic
from rackloom.design.ids import CableId
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats


class CableLoads:
    """Loads of one algorithm at one bus bandwidth; worked out when first asked for.

    The busier direction counts. Flows are spread evenly over parallel links.
    """

    def __init__(self, fabric: Fabric, traffic: Traffic | None, busbw_gb_per_s: float) -> None:
        self._fabric = fabric
        self._traffic = traffic
        self._busbw = busbw_gb_per_s

    @cached_property
    def link_gbps(self) -> Floats:
        """Gb/s in the busier direction of every link of the fabric's arrays."""
        arrays = self._fabric.arrays
        found = np.zeros(len(arrays.link_cable))
        traffic = self._traffic
        if traffic is None:
            return found
        unit = self._busbw * 8 / (traffic.channels * traffic.busbw_per_algbw)
        bundles, loads = self._fabric.network.bundles, traffic.loads
        per_link = np.maximum(loads.forward, loads.backward) / np.maximum(bundles.count, 1)
        inside = bundles.of_link >= 0
        found[inside] = per_link[bundles.of_link[inside]]
        links = traffic.ports.link[traffic.channel_ports.ravel()]
        # a cable from server to server is two ports: each sends in a direction of its own
        np.maximum.at(found, links, traffic.port_load.ravel())
        return found * unit

    @cached_property
    def link_fraction(self) -> Floats:
        """The same over the rate of the link, 0 for links that carry nothing or are dead."""
        rate = self._fabric.arrays.link_rate_gbps
        return np.divide(self.link_gbps, rate, out=np.zeros(len(rate)), where=rate > 0)

    @cached_property
    def link_connections(self) -> Floats:
        """How many connections run over every link on average (each may be several flows)."""
        traffic = self._traffic
        if traffic is None or self._busbw <= 0:
            return np.zeros(len(self._fabric.arrays.link_cable))
        unit = self._busbw * 8 / (traffic.channels * traffic.busbw_per_algbw)
        return np.asarray(self.link_gbps / (unit * traffic.connection), np.float64)

    @cached_property
    def by_cable(self) -> dict[CableId, float]:
        """Fraction of its rate that the busiest link of each cable carries; idle ones left out."""
        arrays = self._fabric.arrays
        most = np.zeros(len(arrays.cable_ids))
        np.maximum.at(most, arrays.link_cable, self.link_fraction)
        busy = np.flatnonzero(most > 0)
        return {arrays.cable_ids[c]: float(most[c]) for c in busy.tolist()}
