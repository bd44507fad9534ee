# SPDX-License-Identifier: Apache-2.0
"""What limits an algorithm: each resource on its way as a cap on bus bandwidth, with its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rackloom.collectives.calibration import Efficiency, Hardware
from rackloom.collectives.capacity import (
    gpu_reckoned_gb_per_s,
    has_scale_up,
    link_kind,
    peers_gb_per_s,
    reckoned_gb_per_s,
)
from rackloom.collectives.case import Case
from rackloom.collectives.conventions import Collective
from rackloom.collectives.group import Group, device_id, device_name, more
from rackloom.collectives.hashing import hashed
from rackloom.collectives.limit import rate_text
from rackloom.collectives.places import MOST_PLACES, bundle_text, cable_ids, server_ids
from rackloom.collectives.ring import Traffic
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import MESHES, Floats, Ints

_TIE = 1 + 1e-6
_NEARLY = 0.995
"""Hashing that leaves more than this is not worth a word."""


@dataclass(frozen=True, slots=True)
class Cap:
    """One resource: the bus bandwidth it allows (GB/s), before efficiency, and where it is."""

    kind: str
    """``scale-up``, ``pcie``, ``nic``, ``uplink``, ``link`` or ``library``."""
    busbw_gb_per_s: float
    where: tuple[str, ...]
    text: str
    efficiency: float = 1.0
    """What part of it a collective library gets out of it, as measured on such hardware."""
    worst_share: float = 1.0
    """What is left of that in the worst twentieth of hash placements."""

    @property
    def expected_gb_per_s(self) -> float:
        """What a library is expected to reach where this resource binds."""
        return self.busbw_gb_per_s * self.efficiency

    @property
    def worst_gb_per_s(self) -> float:
        """The same with the flows placed badly (5th percentile)."""
        return self.expected_gb_per_s * self.worst_share


def caps_of(
    case: Case, traffic: Traffic | None, algorithm: str, collective: Collective
) -> list[Cap]:
    """All caps of an algorithm, the tightest first. ``traffic`` None: a group inside one node."""
    fabric, hardware = case.fabric, case.hardware
    caps = []
    inside = _inside(case, traffic, algorithm, collective)
    if inside is not None:
        caps.append(inside)
    library = _library_cap(case, algorithm)
    if library is not None:
        caps.append(library)
    if traffic is not None:
        outer = hardware.efficiency(efficiency_kind(case.transport)).value
        outer *= case.settings.network_efficiency
        local = _local_counts(case, collective)
        ports = _ports(fabric, traffic, local)
        caps.append(replace(ports, efficiency=outer * ports.efficiency))
        # these have the efficiency of the hardware in them
        caps += [
            cap
            for cap in (_pcie(fabric, traffic, hardware, local), _bounce(case, traffic, local))
            if cap is not None
        ]
        bundles = _bundles(fabric, traffic)
        if bundles is not None:
            caps.append(_placed(case, traffic, replace(bundles, efficiency=outer)))
        caps = [_visibly_impaired(case, cap) for cap in caps]
    return sorted(caps, key=lambda cap: cap.expected_gb_per_s)


def _library_cap(case: Case, algorithm: str) -> Cap | None:
    """What the library itself gets out of NVLS trees, by channel and generation of GPU."""
    group, terms = case.group, case.library.nvls_tree
    each = terms.max_per_channel.get(case.row) if terms is not None else None
    if algorithm != "nvls-tree" or each is None:
        return None
    rate = each[0 if group.nodes == 2 else 1]
    channels = int(group.node_size.min())
    device = int(group.node_device[int(group.node_size.argmin())])
    text = f"NVLS trees of the library, {channels} channels of {rate:g} GB/s"
    return Cap("library", rate * channels, (str(device_id(case.fabric, device)),), text)


def efficiency_kind(transport: str) -> str:
    """Which measured rows stand for a transport at large sizes."""
    return "infiniband" if transport == "infiniband" else "ethernet"


def _local_counts(case: Case, collective: Collective) -> Floats:
    """By node: what part of the cut between servers an all-to-all gets (see the calibration file).

    What stays inside a node counts as if its NICs sent it: n - 1 pieces instead of n - p.
    """
    group = case.group
    enough = group.nodes >= case.hardware.all_to_all_local_counts_from_nodes.nodes
    if collective is not Collective.ALL_TO_ALL or not enough:
        return np.ones(group.nodes)
    return (group.ranks - group.node_size) / (group.ranks - 1)


def _placed(case: Case, traffic: Traffic, cap: Cap) -> Cap:
    """The cap of links between switches when a hash places the flows."""
    if not case.hashed:
        return cap
    flows = case.settings.flows_per_connection
    found = hashed(case.fabric, traffic, flows)
    if found is None or found.worst_share > _NEARLY:
        return cap
    share, flow = found.median_share, "flow" if flows == 1 else "flows"
    return replace(
        cap,
        efficiency=cap.efficiency * share,
        worst_share=found.worst_share / share,
        text=f"{cap.text}; hashing {flows} {flow} per connection leaves {share:.0%}",
    )


def _visibly_impaired(case: Case, cap: Cap) -> Cap:
    part = case.settings.network_efficiency
    if part >= 1 or cap.kind not in {"nic", "uplink", "link"}:
        return cap
    return replace(cap, text=f"{cap.text}; the network taken to reach {part:.0%}")


def inside_gb_per_s(group: Group, node: int, hardware: Hardware) -> float | None:
    """What one GPU of a node can send to its neighbour in the node, as libraries reckon."""
    part = group.parts[int(group.part_of_node[node])]
    members = int(group.node_size[node])
    over_pcie = peers_gb_per_s(part, hardware)
    if part.scale_up is None or not has_scale_up(part):
        return over_pcie
    domain = min(members, part.scale_up.domain_gpus)
    rate = reckoned_gb_per_s(part.scale_up, domain, hardware)
    if members > part.scale_up.domain_gpus and over_pcie is not None:
        rate = min(rate, over_pcie)  # the ring crosses from one domain to the next over PCIe
    return rate


def _inside(
    case: Case, traffic: Traffic | None, algorithm: str, collective: Collective
) -> Cap | None:
    """The scale-up links (or PCIe) between the GPUs of a node."""
    fabric, group = case.fabric, case.group
    tightest: tuple[float, int, float] | None = None
    pieces = group.node_size - 1.0
    if traffic is not None and traffic.inside_pieces is not None:
        pieces = traffic.inside_pieces
    shape = np.stack([group.part_of_node, group.node_size, pieces], axis=1)
    _, nodes = np.unique(shape, axis=0, return_index=True)
    for node in nodes.tolist():
        p = int(group.node_size[node])
        rate = inside_gb_per_s(group, node, case.hardware) if p > 1 else None
        if rate is None:
            continue
        busbw = rate * _inside_factor(case, algorithm, collective, node, float(pieces[node]))
        if tightest is None or busbw < tightest[0]:
            tightest = (busbw, node, rate)
    if tightest is None:
        return None
    busbw, node, rate = tightest
    device = int(group.node_device[node])
    part = group.parts[int(group.part_of_node[node])]
    joined = has_scale_up(part) and part.scale_up is not None
    over = (part.scale_up.generation or part.scale_up.kind.value) if joined else "PCIe"  # type: ignore[union-attr]
    inside = device_name(fabric, device)
    if joined and part.gpu is not None and group.node_size[node] > part.gpu.count:
        design = fabric.design  # GPUs of several trays: one backplane joins a rack
        inside = f"rack {design.racks[design.devices[device_id(fabric, device)].rack].name}"
    text = f"{over} inside {inside}, {rate_text(rate)} per GPU"
    if algorithm.startswith("nvls"):
        text += ", its switches adding up"
    kind = "scale-up" if joined else "pcie"
    efficiency = inside_efficiency(case, algorithm, collective).value if joined else 1.0
    if joined and algorithm == "nvls" and group.nodes > 1:
        efficiency *= case.hardware.nvls_beyond_one_node.value
    return Cap(kind, busbw, (str(device_id(fabric, device)),), text, efficiency)


def _inside_factor(
    case: Case, algorithm: str, collective: Collective, node: int, pieces: float
) -> float:
    """Bus bandwidth over what one GPU of a node sends.

    A ring that goes on to other nodes leaves one of a node's GPUs by the NIC, so only p - 1 of p
    GPUs send over the inner links. A tree (and CollNet's ways to the NICs) passes p - 1 of p GPUs
    up and down again. NVLS: S up and S/p spread by each GPU. In an all-to-all ``pieces`` of S/n go
    to neighbours, and by PXN from GPU to GPU before they leave the node.
    """
    group = case.group
    n, p = group.ranks, int(group.node_size[node])
    reducing = collective is Collective.ALL_REDUCE
    all_reduce = 2 * (n - 1) / n
    match algorithm:
        case "nvls" | "nvls-tree":
            return all_reduce / (1 + 1 / p) if reducing else (p - 1) / p
        case "tree" | "collnet-chain":
            return all_reduce * p / (2 * (p - 1))
        case "collnet-direct" if reducing:
            return all_reduce * p / (2 * (p - 1))
        case "direct" | "direct-without-pxn" if collective is Collective.ALL_TO_ALL:
            return (n - 1) / pieces
        case "direct":
            scale_up = group.parts[int(group.part_of_node[node])].scale_up
            mesh = scale_up is not None and scale_up.kind in MESHES
            return 1 / (p - 1) if mesh else 1.0
        case _:
            return p / (p - 1) if group.nodes > 1 else 1.0


def inside_efficiency(case: Case, algorithm: str, collective: Collective) -> Efficiency:
    """Measured efficiency of the scale-up links in this use."""
    hardware, kind = case.hardware, inside_kind(case.group)
    scale_up = case.group.parts[int(case.group.part_of_node[0])].scale_up
    if algorithm.startswith("nvls") and scale_up is not None:
        return hardware.nvls(scale_up.generation, scale_up.spans_rack)
    if collective is Collective.ALL_TO_ALL:
        return hardware.efficiency(f"{kind} all-to-all")
    return hardware.efficiency(kind)


def inside_kind(group: Group) -> str:
    """Which efficiency applies inside the nodes: of ``nvlink`` or of ``xgmi`` links."""
    scale_up = group.parts[int(group.part_of_node[0])].scale_up
    return link_kind(scale_up) if scale_up is not None else "nvlink"


def _ports(fabric: Fabric, traffic: Traffic, part: Floats) -> Cap:
    """The NIC ports, each against what it sends or takes. ``part``: what each node gets of it."""
    ports = traffic.ports
    used = traffic.channel_ports.ravel()
    share = ports.rate_gbps[used] / traffic.port_load.ravel()
    weighted = share * part[ports.node[used]]
    least = float(weighted.min())
    tight = weighted <= least * _TIE
    worst = used[tight]
    first = int(share[tight].argmin())
    text, where = _ports_text(fabric, traffic, worst)
    busbw = _busbw(traffic, float(share[tight][first]))
    kept = float(part[ports.node[worst[first]]])
    return Cap("nic", busbw, tuple(where[:MOST_PLACES]), text, kept)


def _ports_text(fabric: Fabric, traffic: Traffic, worst: Ints) -> tuple[str, list[str]]:
    """What the tightest ports are in words, and where."""
    ports, all_nodes = traffic.ports, len(np.unique(traffic.ports.node))
    rate = float(ports.rate_gbps[worst[0]])
    nodes = np.unique(ports.node[worst])
    each = np.bincount(ports.node)
    fewest, most = int(each.min()), int(each.max())
    device = int(fabric.arrays.nic_device[ports.nic[worst[0]]])
    where = server_ids(fabric, ports.nic[worst])
    if traffic.by_channels and fewest < most:
        device = int(fabric.arrays.nic_device[ports.nic[ports.node == each.argmin()][0]])
        text = (
            f"{device_name(fabric, device)} has {fewest} usable NIC ports, others {most}: "
            f"every server uses {traffic.channels} x {rate:g} Gb/s"
        )
        return text, [str(device_id(fabric, device))]
    in_use = np.bincount(ports.node[traffic.channel_ports.ravel()])
    count = int(in_use[ports.node[worst[0]]])
    if len(nodes) == all_nodes:
        return f"NICs of every server, {_up_to(in_use)} x {rate:g} Gb/s", where
    several = len(worst) > 1 if not traffic.by_channels else float(traffic.port_load.max()) > 1
    if len(nodes) > 1 or several:
        others = f" and {more(len(nodes) - 1, 'server')}" if len(nodes) > 1 else ""
        return f"NICs of {device_name(fabric, device)}{others}, {count} x {rate:g} Gb/s", where
    return f"NIC of {device_name(fabric, device)} at {rate:g} Gb/s", where + cable_ids(
        fabric, ports.link[worst]
    )


def _up_to(counts: Ints) -> str:
    """``8``, or ``4 to 8``."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


def _busbw(traffic: Traffic, gbps: float) -> float:
    """Bus bandwidth in GB/s when every channel can carry this much."""
    return traffic.channels * gbps / 8 * traffic.busbw_per_algbw


def _pcie(fabric: Fabric, traffic: Traffic, hardware: Hardware, part: Floats) -> Cap | None:
    """The PCIe connection of the adapters, shared by their ports."""
    ports = traffic.ports
    used = traffic.channel_ports.ravel()
    _, inverse = np.unique(ports.nic[used], return_inverse=True)
    load = np.bincount(inverse, weights=traffic.port_load.ravel())[inverse]
    share = ports.pcie_gbps[used] * hardware.pcie.efficiency / load
    weighted = share * part[ports.node[used]]
    tightest = int(weighted.argmin())
    least, kept = float(share[tightest]), float(part[ports.node[used[tightest]]])
    if not np.isfinite(least):
        return None
    worst = used[weighted <= weighted[tightest] * _TIE]
    device = int(fabric.arrays.nic_device[ports.nic[worst[0]]])
    each = float(ports.pcie_gbps[worst[0]]) * hardware.pcie.efficiency / 8
    text = f"PCIe of the NICs in {device_name(fabric, device)}, {rate_text(each)} each"
    where = tuple(server_ids(fabric, ports.nic[worst]))
    return Cap("pcie", _busbw(traffic, least), where, text, kept)


def _bounce(case: Case, traffic: Traffic, part: Floats) -> Cap | None:
    """The GPUs' own PCIe ports, where the part says that NICs cannot read GPU memory.

    Without GPUDirect RDMA all that a NIC sends goes from the GPU to host memory first, and from
    there to the NIC: once over the GPU's port, once over the NIC's.
    """
    group, ports, hardware = case.group, traffic.ports, case.hardware
    rates = [gpu_reckoned_gb_per_s(part, hardware) for part in group.parts]
    through_host = np.array(
        [
            rate * 8 if part.gpu_direct_rdma is False and rate is not None else np.inf
            for part, rate in zip(group.parts, rates, strict=True)
        ]
    )
    if np.isinf(through_host).all():
        return None
    used = traffic.channel_ports.ravel()
    rank, load = ports.rank[used], traffic.port_load.ravel()
    served = rank >= 0
    if not served.any():
        return None
    each = np.bincount(rank[served], weights=load[served], minlength=group.ranks)
    busy = np.flatnonzero(each > 0)
    share = through_host[group.part_of_node[group.node[busy]]] / each[busy]
    weighted = share * part[group.node[busy]]
    tightest = int(weighted.argmin())
    least, kept = float(share[tightest]), float(part[group.node[busy[tightest]]])
    if not np.isfinite(least):
        return None
    worst = busy[weighted <= weighted[tightest] * _TIE]
    device = int(group.device[worst[0]])
    rate = float(through_host[int(group.part_of_node[int(group.node[worst[0]])])]) / 8
    text = (
        f"PCIe of the GPUs in {device_name(case.fabric, device)}, {rate_text(rate)} each: "
        "what NICs send passes host memory (no GPUDirect RDMA)"
    )
    where = np.unique(group.device[worst])[:MOST_PLACES]
    ids = tuple(str(device_id(case.fabric, d)) for d in where.tolist())
    return Cap("pcie", _busbw(traffic, least), ids, text, kept)


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
    kind, text, low = bundle_text(fabric, worst)
    links = np.flatnonzero(np.isin(bundles.of_link, worst))
    where = [*low, *cable_ids(fabric, links)]
    return Cap(kind, _busbw(traffic, least), tuple(where[:MOST_PLACES]), text)
