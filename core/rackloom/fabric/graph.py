# SPDX-License-Identifier: Apache-2.0
"""The fabric as a networkx MultiGraph, for scripts.

Vertices: a switch under its device id; a NIC under ``device/nic``; a GPU under ``device/gpu0``;
any other device (and a switch seen from its management port) under its id. Attributes:

``kind``     ``switch``, ``nic``, ``gpu`` or ``device``
``device``   device id
``name``     the device's name
``role``     switches: ``leaf``, ``spine``, ...; NICs: ``compute``, ``storage``, ...
``fabric``   switches: name of the network
``rail``     NICs: rail, None where there is none
``gpu``      NICs and GPUs: number of the GPU in its server, None where a NIC serves all

Edges: ``kind`` ``link`` (with ``cable`` id, ``rate_gbps``, ``fabric``, ``layer``; one edge a link,
so a twin-port cable makes two) or ``host`` (a GPU and the NIC it is served by). What failed is
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx
import numpy as np

from rackloom.fabric.arrays import ROLES, DeviceKind

if TYPE_CHECKING:
    from rackloom.fabric.value import Fabric


def build_graph(fabric: Fabric) -> networkx.MultiGraph[str]:
    """All vertices and living links of a fabric."""
    graph: networkx.MultiGraph[str] = networkx.MultiGraph()
    arrays, dead = fabric.arrays, fabric.network.device_dead
    devices = fabric.design.devices
    for index, device in enumerate(arrays.device_ids):
        if dead[index] or arrays.device_kind[index] == DeviceKind.SERVER:
            continue
        name = devices[device].name
        if arrays.device_kind[index] == DeviceKind.SWITCH:
            role, network = fabric.tier_of(device), fabric.network_of(device)
            graph.add_node(
                device, kind="switch", device=device, name=name, role=role, fabric=network
            )
        else:
            graph.add_node(device, kind="device", device=device, name=name)
    for gpu in range(len(arrays.gpu_device)):
        index = int(arrays.gpu_device[gpu])
        if not dead[index]:
            device, local = arrays.device_ids[index], int(arrays.gpu_local[gpu])
            name = devices[device].name
            graph.add_node(f"{device}/gpu{local}", kind="gpu", device=device, name=name, gpu=local)
    for nic in range(len(arrays.nic_device)):
        _add_nic(graph, fabric, nic)
    _add_links(graph, fabric)
    return graph


def _add_nic(graph: networkx.MultiGraph[str], fabric: Fabric, nic: int) -> None:
    arrays = fabric.arrays
    index = int(arrays.nic_device[nic])
    if fabric.network.device_dead[index]:
        return
    device = arrays.device_ids[index]
    rail, gpu = int(arrays.nic_rail[nic]), int(arrays.nic_gpu[nic])
    vertex = f"{device}/{arrays.nic_names[nic]}"
    graph.add_node(
        vertex,
        kind="nic",
        device=device,
        name=fabric.design.devices[device].name,
        role=str(ROLES[arrays.nic_role[nic]]),
        rail=rail if rail >= 0 else None,
        gpu=gpu if gpu >= 0 else None,
    )
    if gpu >= 0:
        graph.add_edge(f"{device}/gpu{gpu}", vertex, kind="host")


def _add_links(graph: networkx.MultiGraph[str], fabric: Fabric) -> None:
    arrays, layers = fabric.arrays, fabric.layers
    for link in np.flatnonzero(fabric.network.link_alive).tolist():
        ends = []
        for device, nic in (
            (arrays.link_a[link], arrays.link_a_nic[link]),
            (arrays.link_b[link], arrays.link_b_nic[link]),
        ):
            vertex: str = arrays.device_ids[device]
            ends.append(f"{vertex}/{arrays.nic_names[nic]}" if nic >= 0 else vertex)
        graph.add_edge(
            *ends,
            kind="link",
            cable=arrays.cable_ids[arrays.link_cable[link]],
            rate_gbps=float(arrays.link_rate_gbps[link]),
            fabric=layers.network_names[layers.network[link]],
            layer=layers.layer_names[layers.layer[link]],
        )
