# SPDX-License-Identifier: Apache-2.0
"""Delays of the drawn path: switches by their parts, cables by their metres."""

from __future__ import annotations

import numpy as np

from rackloom.catalog.parts import CablePart, SwitchPart
from rackloom.collectives.calibration import Hardware
from rackloom.collectives.ring import Traffic, path_delay_ns
from rackloom.design.ids import CableId
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats


class Delays:
    """Delays of one fabric, looked up when an algorithm uses a link, and once only."""

    def __init__(self, fabric: Fabric, hardware: Hardware) -> None:
        self._fabric = fabric
        self._network = hardware.network
        self._cable_ns = fabric.cable_delays_ns
        self._per_metre: dict[str, float] = {}
        self._switch_ns = self._switches()

    def extra_us(self, traffic: Traffic | None) -> float:
        """Mean delay of the flows beyond what the libraries' own latency stands for."""
        if traffic is None:
            return 0.0
        delay = path_delay_ns(self._fabric, traffic, self._switch_ns, self._cables(traffic))
        return (delay - self._network.reference_ns) / 1000

    def _switches(self) -> Floats:
        """Latency of each switch vertex: its part's, else that of its kind; 0 where none is."""
        design, ids = self._fabric.design, self._fabric.arrays.device_ids
        known: dict[str, float] = {}
        latencies = []
        for device in self._fabric.network.switch_device.tolist():
            if device < 0:
                latencies.append(0.0)
                continue
            part_id = design.devices[ids[device]].part
            if part_id not in known:
                part = design.part(part_id, SwitchPart)
                usual = self._network.switch_latency_ns[part.protocol.value]
                known[part_id] = part.latency_ns if part.latency_ns is not None else usual
            latencies.append(known[part_id])
        return np.array(latencies, np.float64)

    def _cables(self, traffic: Traffic) -> Floats:
        """Delay of each link by the metres of its cable; 0 for links without a flow."""
        arrays, bundles = self._fabric.arrays, self._fabric.network.bundles
        busy = (traffic.loads.forward + traffic.loads.backward) > 0
        used = np.zeros(len(arrays.link_cable), np.bool_)
        used[traffic.ports.link[traffic.channel_ports.ravel()]] = True
        within = bundles.of_link >= 0
        used[within] |= busy[bundles.of_link[within]]
        carrying = np.zeros(len(arrays.cable_ids), np.bool_)
        carrying[arrays.link_cable[used]] = True
        missing = np.flatnonzero(carrying & np.isnan(self._cable_ns))
        ids = arrays.cable_ids
        self._cable_ns[missing] = [self._cable(ids[number]) for number in missing.tolist()]
        return np.where(used, np.nan_to_num(self._cable_ns)[arrays.link_cable], 0.0)

    def _cable(self, cable_id: CableId) -> float:
        cable = self._fabric.design.cables[cable_id]
        per_metre = self._per_metre.get(cable.part)
        if per_metre is None:
            stated = self._fabric.design.part(cable.part, CablePart).delay_ns_per_m
            per_metre = stated if stated is not None else self._network.cable_ns_per_m
            self._per_metre[cable.part] = per_metre
        return cable.length_m * per_metre
