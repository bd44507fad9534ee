# SPDX-License-Identifier: Apache-2.0
"""The fabric as a networkx MultiGraph, for scripts.

Vertices: a switch under its device id (in a box of several switches that do not reach each other
the first; the others under ``device/switch2`` and so on); a NIC under ``device/nic``; a GPU under
``device/gpu0``; the switch inside a scale-up domain under ``device/scale-up`` (``rack/scale-up``
where it spans a rack); any other device (and a switch seen from its management port) under its id.
Attributes:

``kind``     ``switch``, ``nic``, ``gpu``, ``domain`` or ``device``
``device``   device id
``name``     the device's name
``role``     switches: ``leaf``, ``spine``, ...; NICs: ``compute``, ``storage``, ...
``fabric``   switches: name of the network
``rail``     NICs: rail, None where there is none
``gpu``      NICs and GPUs: number of the GPU in its server, None where a NIC serves all

Edges: ``kind`` ``link`` (with ``cable`` id, ``rate_gbps``, ``fabric``, ``layer``; one edge a link,
so a twin-port cable makes two), ``host`` (a GPU and the NIC it is served by; ``pcie_gen`` and
``pcie_lanes``, None where the part does not say) or ``scale-up`` (``rate_gbps`` per direction; to
the domain's vertex, or in a mesh from GPU to GPU). What failed is left out.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import networkx
import numpy as np

from rackloom.catalog.parts import ServerPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.fabric.arrays import MESHES, ROLES, THROUGH, DeviceKind

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
            for half, vertex in enumerate(fabric.vertices_of(device)):
                role, network = fabric.tiers.role[vertex], fabric.tiers.network[vertex]
                graph.add_node(
                    _switch(device, half),
                    kind="switch",
                    device=device,
                    name=name,
                    role=role,
                    fabric=network,
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
    _add_scale_up(graph, fabric)
    _add_links(graph, fabric)
    return graph


def _switch(device: str, half: int) -> str:
    return f"{device}/switch{half + 1}" if half else device


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
        part = fabric.design.part(fabric.design.devices[device].part, ServerPart)
        pcie = {"pcie_gen": part.pcie_gen, "pcie_lanes": part.pcie_lanes_per_nic}
        graph.add_edge(f"{device}/gpu{gpu}", vertex, kind="host", **pcie)


def _add_scale_up(graph: networkx.MultiGraph[str], fabric: Fabric) -> None:
    """Scale-up domains: a vertex each, or edges between all GPUs of a mesh."""
    arrays, dead, design = fabric.arrays, fabric.network.device_dead, fabric.design
    for index in np.flatnonzero((arrays.gpu_count > 0) & ~dead).tolist():
        device = design.devices[arrays.device_ids[index]]
        scale_up = design.part(device.part, ServerPart).scale_up
        if scale_up is None or scale_up.kind in {ScaleUpKind.NONE, ScaleUpKind.PCIE}:
            continue
        gpus = [f"{device.id}/gpu{n}" for n in range(int(arrays.gpu_count[index]))]
        rate_gbps = scale_up.bandwidth_gb_per_s * 8
        if scale_up.kind in MESHES:
            for a, b in combinations(gpus, 2):
                each = rate_gbps / max(scale_up.domain_gpus - 1, 1)
                graph.add_edge(a, b, kind="scale-up", rate_gbps=each)
            continue
        owner = device.rack if scale_up.spans_rack else device.id
        graph.add_node(f"{owner}/scale-up", kind="domain", device=owner, name=design.name_of(owner))
        for gpu in gpus:
            graph.add_edge(gpu, f"{owner}/scale-up", kind="scale-up", rate_gbps=rate_gbps)


def _add_links(graph: networkx.MultiGraph[str], fabric: Fabric) -> None:
    arrays, layers = fabric.arrays, fabric.layers
    for link in np.flatnonzero(fabric.network.link_alive).tolist():
        ends = []
        for device, half, nic in (
            (arrays.link_a[link], arrays.link_a_half[link], arrays.link_a_nic[link]),
            (arrays.link_b[link], arrays.link_b_half[link], arrays.link_b_nic[link]),
        ):
            vertex: str = arrays.device_ids[device]
            own = _switch(vertex, half) if nic == THROUGH else vertex
            ends.append(f"{vertex}/{arrays.nic_names[nic]}" if nic >= 0 else own)
        graph.add_edge(
            *ends,
            kind="link",
            cable=arrays.cable_ids[arrays.link_cable[link]],
            rate_gbps=float(arrays.link_rate_gbps[link]),
            fabric=layers.network_names[layers.network[link]],
            layer=layers.layer_names[layers.layer[link]],
        )
