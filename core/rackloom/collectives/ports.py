# SPDX-License-Identifier: Apache-2.0
"""The NIC ports a group can use: compute adapters of its servers that are plugged into a switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackloom.catalog.words import CageRole
from rackloom.collectives.calibration import Hardware
from rackloom.collectives.capacity import nic_pcie_gb_per_s
from rackloom.collectives.group import Group
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import ROLE_CODE, FabricArrays, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Ports:
    """Usable NIC ports, in the order of node, rail and adapter. Rates in Gb/s."""

    nic: Ints
    switch: Ints
    link: Ints
    rate_gbps: Floats
    node: Ints
    rank: Ints
    """Rank that the adapter serves; -1 where it serves its server as a whole."""
    component: Ints
    """Connected network the port leads into."""
    pcie_gbps: Floats
    """Wire rate of the adapter's PCIe connection; infinite where the part does not say."""


def usable_ports(fabric: Fabric, group: Group, hardware: Hardware) -> Ports:
    """Ports of compute adapters whose GPU, or whose server, takes part."""
    arrays, network = fabric.arrays, fabric.network
    plugged = network.attachments
    devices = len(arrays.device_ids)
    node_of = np.full(devices, -1, np.int64)
    node_of[group.device] = group.node
    rank_of = np.full(len(arrays.gpu_device) + 1, -1, np.int64)
    rank_of[group.gpus] = np.arange(group.ranks)
    device = arrays.nic_device[plugged.nic]
    local = arrays.nic_gpu[plugged.nic]
    gpu = np.where(local >= 0, arrays.gpu_base[device] + local, len(arrays.gpu_device))
    rank = rank_of[gpu]
    use = (arrays.nic_role[plugged.nic] == ROLE_CODE[CageRole.COMPUTE]) & (node_of[device] >= 0)
    use &= (local < 0) | (rank >= 0)
    rows = np.flatnonzero(use)
    rail = arrays.nic_rail[plugged.nic[rows]]
    place = _place_in_server(arrays, plugged.link[rows], plugged.nic[rows])
    order = np.lexsort((place, plugged.nic[rows], rail, node_of[device[rows]]))
    rows = rows[order]
    pcie = np.array(
        [
            _pcie_gbps(part_rate)
            for part_rate in (nic_pcie_gb_per_s(p, hardware) for p in group.parts)
        ]
    )
    node = node_of[device[rows]]
    return Ports(
        nic=plugged.nic[rows],
        switch=plugged.switch[rows],
        link=plugged.link[rows],
        rate_gbps=plugged.rate_gbps[rows],
        node=node,
        rank=rank[rows],
        component=network.components[plugged.switch[rows]],
        pcie_gbps=pcie[group.part_of_node[node]],
    )


def _place_in_server(arrays: FabricArrays, link: Ints, nic: Ints) -> Ints:
    """Rank of the port of each link on its adapter: by cages, never by when it was cabled."""
    at_a = arrays.link_a_nic[link] == nic
    return np.where(at_a, arrays.link_a_port[link], arrays.link_b_port[link])


def _pcie_gbps(gb_per_s: float | None) -> float:
    return float("inf") if gb_per_s is None else gb_per_s * 8
