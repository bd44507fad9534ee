# SPDX-License-Identifier: Apache-2.0
"""The wiring of a group as an undirected graph with capacities, for bounds by cuts.

Vertices: the GPUs (by rank), the switch inside each scale-up domain, the host of a server whose
GPUs or adapters need PCIe to reach each other, adapters with several ports or no GPU of their own,
and the switches. Everything is full duplex: an edge carries its capacity each way. Capacities are
wire rates, as sold: a bound must not rest on what a library makes of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from rackloom.collectives.calibration import Hardware
from rackloom.collectives.capacity import (
    gpu_pcie_gb_per_s,
    has_scale_up,
    pair_gb_per_s,
)
from rackloom.collectives.group import Group
from rackloom.collectives.ports import Ports
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import MESHES, Floats, Ints


class EdgeKind(IntEnum):
    """What an edge is made of, and so what ``what`` counts."""

    SCALE_UP = 0
    PCIE = 1
    PORT = 2
    BUNDLE = 3


@dataclass(frozen=True, slots=True, eq=False)
class FlowGraph:
    """Edges between vertices 0 to ``vertices`` - 1, of which the first ``gpus`` are the ranks."""

    vertices: int
    gpus: int
    u: Ints
    v: Ints
    gbps: Floats
    kind: Ints
    what: Ints
    """Device (scale-up, PCIe), link (port) or bundle of each edge."""


class _Edges:
    def __init__(self, first_free: int) -> None:
        self.columns: list[tuple[Ints, Ints, Floats, Ints, Ints]] = []
        self.free = first_free

    def add(self, u: Ints, v: Ints, gbps: Floats, kind: EdgeKind, what: Ints) -> None:
        if len(u):
            self.columns.append((u, v, gbps, np.full(len(u), int(kind), np.int64), what))

    def vertices(self, count: int) -> Ints:
        new = np.arange(self.free, self.free + count)
        self.free += count
        return new


_NO_PCIE_FIGURE_GBPS = 8e6
"""Stands for a PCIe connection of unknown rate: a petabyte a second limits nothing."""


def build_flow_graph(fabric: Fabric, group: Group, ports: Ports, hardware: Hardware) -> FlowGraph:
    """The graph of a group's wiring."""
    edges = _Edges(group.ranks)
    hosts = _add_scale_up(edges, group, ports, hardware)
    _add_ports(edges, fabric, group, ports, hosts, hardware)
    columns = edges.columns or [(np.zeros(0, np.int64),) * 2 + (np.zeros(0),) * 3]  # type: ignore[list-item]
    u, v, gbps, kind, what = (np.concatenate(c) for c in zip(*columns, strict=True))
    return FlowGraph(edges.free, group.ranks, u, v, gbps, kind, what)


def _add_scale_up(edges: _Edges, group: Group, ports: Ports, hardware: Hardware) -> Ints:
    """Domains and hosts; returns the host vertex of each node, -1 where it has none."""
    part_of_rank = group.part_of_node[group.node]
    hosts = np.full(group.nodes, -1, np.int64)
    unserved = np.unique(ports.node[ports.rank < 0])
    for number, part in enumerate(group.parts):
        ranks = np.flatnonzero(part_of_rank == number)
        scale_up = part.scale_up
        joined = scale_up is not None and has_scale_up(part)
        if joined and scale_up is not None:
            if scale_up.kind in MESHES:
                _add_mesh(edges, group, ranks, pair_gb_per_s(scale_up) * 8)
            else:
                domains, inverse = np.unique(group.domain[ranks], return_inverse=True)
                hubs = edges.vertices(len(domains))
                rate = np.full(len(ranks), scale_up.bandwidth_gb_per_s * 8)
                edges.add(ranks, hubs[inverse], rate, EdgeKind.SCALE_UP, group.device[ranks])
        nodes = np.unique(group.node[ranks])
        split = (
            joined and scale_up is not None and group.node_size[nodes].max() > scale_up.domain_gpus
        )
        with_host = nodes if not joined or split else nodes[np.isin(nodes, unserved)]
        hosts[with_host] = edges.vertices(len(with_host))
        mine = ranks[hosts[group.node[ranks]] >= 0]
        pcie = gpu_pcie_gb_per_s(part, hardware)
        rate = np.full(len(mine), _NO_PCIE_FIGURE_GBPS if pcie is None else pcie * 8)
        edges.add(mine, hosts[group.node[mine]], rate, EdgeKind.PCIE, group.device[mine])
    return hosts


def _add_mesh(edges: _Edges, group: Group, ranks: Ints, gbps: float) -> None:
    """An edge between every two GPUs of a domain."""
    domain = group.domain[ranks]
    order = np.argsort(domain, kind="stable")
    ranks = ranks[order]
    _, starts, sizes = np.unique(domain[order], return_index=True, return_counts=True)
    for size in np.unique(sizes).tolist():
        if size < 2:
            continue
        members = ranks[starts[sizes == size][:, None] + np.arange(size)]
        a, b = np.triu_indices(size, 1)
        u, v = members[:, a].ravel(), members[:, b].ravel()
        edges.add(u, v, np.full(len(u), gbps), EdgeKind.SCALE_UP, group.device[u])


def _add_ports(
    edges: _Edges, fabric: Fabric, group: Group, ports: Ports, hosts: Ints, hardware: Hardware
) -> None:
    """Adapters, their ports, and the switches of the networks they lead into."""
    network = fabric.network
    used = np.isin(network.components, np.unique(ports.component))
    switch = np.full(network.switches, -1, np.int64)
    switch[used] = edges.vertices(int(used.sum()))
    nics, inverse, count = np.unique(ports.nic, return_inverse=True, return_counts=True)
    lone = (count[inverse] == 1) & (ports.rank >= 0)
    rate = np.minimum(ports.rate_gbps, ports.pcie_gbps)
    cabled = lone & (ports.rate_gbps <= ports.pcie_gbps)
    held = lone & ~cabled
    device = fabric.arrays.nic_device[ports.nic]
    target = switch[ports.switch]
    edges.add(ports.rank[cabled], target[cabled], rate[cabled], EdgeKind.PORT, ports.link[cabled])
    edges.add(ports.rank[held], target[held], rate[held], EdgeKind.PCIE, device[held])
    # adapters that are vertices: several ports, or no GPU of their own
    rest = np.flatnonzero(~lone)
    numbers, first, which = np.unique(inverse[rest], return_index=True, return_inverse=True)
    vertex = edges.vertices(len(numbers))
    owner = rest[first]
    near = np.where(ports.rank[owner] >= 0, ports.rank[owner], hosts[ports.node[owner]])
    pcie = np.where(
        np.isfinite(ports.pcie_gbps[owner]), ports.pcie_gbps[owner], _NO_PCIE_FIGURE_GBPS
    )
    edges.add(near, vertex, pcie, EdgeKind.PCIE, device[owner])
    edges.add(vertex[which], target[rest], ports.rate_gbps[rest], EdgeKind.PORT, ports.link[rest])
    bundles = network.bundles
    mine = np.flatnonzero(used[bundles.u])
    edges.add(
        switch[bundles.u[mine]],
        switch[bundles.v[mine]],
        bundles.rate_gbps[mine],
        EdgeKind.BUNDLE,
        mine,
    )
    del nics, group, hardware
