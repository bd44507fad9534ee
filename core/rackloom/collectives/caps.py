# SPDX-License-Identifier: Apache-2.0
"""What limits an algorithm: each resource on its way as a cap on bus bandwidth, with its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rackloom.collectives.calibration import Hardware
from rackloom.collectives.capacity import (
    gpu_pcie_gb_per_s,
    has_scale_up,
    link_kind,
    reckoned_gb_per_s,
)
from rackloom.collectives.group import Group, device_id, device_name
from rackloom.collectives.ring import Traffic
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats, Ints

MOST_PLACES = 200
"""Ids a cap names at most; the text says how many places there are."""

_TIE = 1 + 1e-6


@dataclass(frozen=True, slots=True)
class Cap:
    """One resource: the bus bandwidth it allows (GB/s), before efficiency, and where it is."""

    kind: str
    """``scale-up``, ``pcie``, ``nic``, ``uplink`` or ``link``."""
    busbw_gb_per_s: float
    where: tuple[str, ...]
    text: str
    efficiency: float = 1.0
    """What part of it a collective library gets out of it, as measured on such hardware."""

    @property
    def expected_gb_per_s(self) -> float:
        """What a library is expected to reach where this resource binds."""
        return self.busbw_gb_per_s * self.efficiency


def caps_of(
    fabric: Fabric,
    group: Group,
    traffic: Traffic | None,
    hardware: Hardware,
    transport: str,
    algorithm: str = "ring",
) -> list[Cap]:
    """All caps of an algorithm, the tightest first. ``traffic`` None: a group inside one node.

    ``transport`` is what the network between nodes speaks: ``infiniband`` or ``ethernet``.
    """
    inner = hardware.efficiency(inside_kind(group)).value
    outer = hardware.efficiency(transport).value
    caps = [_inside(fabric, group, hardware, algorithm)]
    if traffic is not None:
        caps += [
            _ports(fabric, traffic),
            _pcie(fabric, traffic, hardware),
            _bundles(fabric, traffic),
        ]
    part = {"scale-up": inner, "pcie": 1.0}  # PCIe caps have their efficiency in them
    found = [replace(cap, efficiency=part.get(cap.kind, outer)) for cap in caps if cap is not None]
    return sorted(found, key=lambda cap: cap.expected_gb_per_s)


def inside_gb_per_s(group: Group, node: int, hardware: Hardware) -> float | None:
    """What one GPU of a node can send to its neighbour in the node, as libraries reckon."""
    part = group.parts[int(group.part_of_node[node])]
    members = int(group.node_size[node])
    pcie = gpu_pcie_gb_per_s(part, hardware)
    over_pcie = None if pcie is None else pcie * hardware.pcie.efficiency
    if part.scale_up is None or not has_scale_up(part):
        return over_pcie
    domain = min(members, part.scale_up.domain_gpus)
    rate = reckoned_gb_per_s(part.scale_up, domain, hardware)
    if members > part.scale_up.domain_gpus and over_pcie is not None:
        rate = min(rate, over_pcie)  # the ring crosses from one domain to the next over PCIe
    return rate


def _inside(fabric: Fabric, group: Group, hardware: Hardware, algorithm: str) -> Cap | None:
    """The scale-up links (or PCIe) between the GPUs of a node.

    A ring that goes on to other nodes leaves one of a node's GPUs by the NIC, so only p - 1 of p
    GPUs send over the inner links. A tree is a chain of p GPUs inside a node, up and down again.
    """
    tightest: tuple[float, int, float] | None = None
    shape = np.stack([group.part_of_node, group.node_size], axis=1)
    _, nodes = np.unique(shape, axis=0, return_index=True)
    for node in nodes.tolist():
        p = int(group.node_size[node])
        rate = inside_gb_per_s(group, node, hardware) if p > 1 else None
        if rate is None:
            continue
        if algorithm == "tree":
            busbw = rate * p / (p - 1) * (group.ranks - 1) / group.ranks
        else:
            busbw = rate * p / (p - 1) if group.nodes > 1 else rate
        if tightest is None or busbw < tightest[0]:
            tightest = (busbw, node, rate)
    if tightest is None:
        return None
    busbw, node, rate = tightest
    device = int(group.node_device[node])
    part = group.parts[int(group.part_of_node[node])]
    over = (
        part.scale_up.generation or part.scale_up.kind.value
        if has_scale_up(part) and part.scale_up
        else "PCIe"
    )
    text = f"{over} inside {device_name(fabric, device)}, {rate:.0f} GB/s per GPU"
    kind = "scale-up" if has_scale_up(part) else "pcie"
    return Cap(kind, busbw, (str(device_id(fabric, device)),), text)


def inside_kind(group: Group) -> str:
    """Which efficiency applies inside the nodes: of ``nvlink`` or of ``xgmi`` links."""
    scale_up = group.parts[int(group.part_of_node[0])].scale_up
    return link_kind(scale_up) if scale_up is not None else "nvlink"


def _ports(fabric: Fabric, traffic: Traffic) -> Cap:
    """The NIC ports, each against what it sends or takes."""
    ports, table = traffic.ports, traffic.channel_ports
    used = table.ravel()
    share = ports.rate_gbps[used] / traffic.port_load.ravel()
    least = float(share.min())
    worst = used[share <= least * _TIE]
    rate = float(ports.rate_gbps[worst[0]])
    nodes = np.unique(ports.node[worst])
    each = np.bincount(ports.node, minlength=len(table))
    fewest, most = int(each.min()), int(each.max())
    device = int(fabric.arrays.nic_device[ports.nic[worst[0]]])
    where = _devices(fabric, ports.nic[worst])
    if fewest < most:
        device = int(fabric.arrays.nic_device[ports.nic[ports.node == each.argmin()][0]])
        text = (
            f"{device_name(fabric, device)} has {fewest} usable NIC ports, others {most}: "
            f"every server uses {traffic.channels} x {rate:g} Gb/s"
        )
        where = [str(device_id(fabric, device))]
    elif len(nodes) == len(table):
        text = f"NICs of every server, {traffic.channels} x {rate:g} Gb/s"
    elif len(nodes) > 1 or float(traffic.port_load.max()) > 1:
        more = f" and {len(nodes) - 1} more servers" if len(nodes) > 1 else ""
        text = f"NICs of {device_name(fabric, device)}{more}, {traffic.channels} x {rate:g} Gb/s"
    else:
        text = f"NIC of {device_name(fabric, device)} at {rate:g} Gb/s"
        where = (where + _cables(fabric, ports.link[worst]))[:MOST_PLACES]
    return Cap("nic", _busbw(traffic, least), tuple(where), text)


def _busbw(traffic: Traffic, gbps: float) -> float:
    """Bus bandwidth in GB/s when every channel can carry this much."""
    return traffic.channels * gbps / 8 * traffic.busbw_per_algbw


def _pcie(fabric: Fabric, traffic: Traffic, hardware: Hardware) -> Cap | None:
    """The PCIe connection of the adapters, shared by their ports."""
    ports = traffic.ports
    used = traffic.channel_ports.ravel()
    _, inverse = np.unique(ports.nic[used], return_inverse=True)
    load = np.bincount(inverse, weights=traffic.port_load.ravel())[inverse]
    share = ports.pcie_gbps[used] * hardware.pcie.efficiency / load
    least = float(share.min())
    if not np.isfinite(least):
        return None
    worst = used[share <= least * _TIE]
    device = int(fabric.arrays.nic_device[ports.nic[worst[0]]])
    each = float(ports.pcie_gbps[worst[0]]) * hardware.pcie.efficiency / 8
    text = f"PCIe of the NICs in {device_name(fabric, device)}, {each:.0f} GB/s each"
    return Cap("pcie", _busbw(traffic, least), tuple(_devices(fabric, ports.nic[worst])), text)


def _bundles(fabric: Fabric, traffic: Traffic) -> Cap | None:
    """The links between switches, each against the channels routed over it."""
    bundles, loads = fabric.network.bundles, traffic.loads
    load: Floats = np.maximum(loads.forward, loads.backward)
    busy = np.flatnonzero(load > 1e-12)
    if not len(busy):
        return None
    share = bundles.hashed_gbps[busy] / load[busy]
    least = float(share.min())
    worst = busy[share <= least * _TIE]
    kind, text, low = _bundle_text(fabric, worst)
    links = np.flatnonzero(np.isin(bundles.of_link, worst))
    where = [*low, *_cables(fabric, links)]
    return Cap(kind, _busbw(traffic, least), tuple(where[:MOST_PLACES]), text)


def _bundle_text(fabric: Fabric, worst: Ints) -> tuple[str, str, list[str]]:
    """Kind, text and switches of the tightest bundles."""
    bundles, tier = fabric.network.bundles, fabric.tiers.tier
    u, v = bundles.u[worst], bundles.v[worst]
    low = np.where(tier[u] <= tier[v], u, v)
    devices = fabric.network.switch_device
    lows = np.unique(low)
    first = int(low[0])
    name = device_name(fabric, int(devices[first]))
    more = f" (and {len(lows) - 1} more switches alike)" if len(lows) > 1 else ""
    ids = [str(device_id(fabric, int(devices[x]))) for x in lows.tolist()]
    if tier[u[0]] == tier[v[0]]:
        far = int(v[0] if first == int(u[0]) else u[0])
        other = device_name(fabric, int(devices[far]))
        return "link", f"links between {name} and {other}{more}", ids
    ratio = fabric.balance.oversubscription(first)
    over = f", {ratio:.3g}:1" if ratio is not None else ""
    return "uplink", f"{name} uplinks{over}{more}", ids


def _devices(fabric: Fabric, nics: Ints) -> list[str]:
    """Ids of the servers of these adapters, as many as a cap names."""
    found = np.zeros(len(fabric.arrays.device_ids), np.bool_)
    found[fabric.arrays.nic_device[nics]] = True
    return [str(device_id(fabric, d)) for d in np.flatnonzero(found)[:MOST_PLACES].tolist()]


def _cables(fabric: Fabric, links: Ints) -> list[str]:
    """Ids of the cables of these links, as many as a cap names."""
    found = np.zeros(len(fabric.arrays.cable_ids), np.bool_)
    found[fabric.arrays.link_cable[links]] = True
    return [str(fabric.arrays.cable_ids[c]) for c in np.flatnonzero(found)[:MOST_PLACES].tolist()]
