# SPDX-License-Identifier: Apache-2.0
"""The cost model of NCCL and RCCL for rings: time = latency terms + bytes / bandwidth.

Formulas: NVIDIA/nccl 2.30.7, src/graph/tuning.cc; constants in calibration/libraries.yaml. The
bandwidth that goes in is that of the drawn fabric, where the library has its own search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackloom.collectives.calibration import PROTOCOLS, CpuVendor, Library
from rackloom.collectives.conventions import Collective
from rackloom.fabric.arrays import Floats


@dataclass(frozen=True, slots=True)
class RingShape:
    """What the ring's formula needs to know of a group."""

    ranks: int
    nodes: int
    channels: int
    """NIC ports a node uses (1 inside one node)."""
    bandwidth_gb_per_s: float
    """Bus bandwidth of the Simple protocol: the wiring's, times its efficiency."""
    over_nvlink: bool
    network_extra_us: float
    """One-way delay of the drawn path beyond what the library's latency stands for."""
    row: str
    cpu: CpuVendor


@dataclass(frozen=True, slots=True)
class Curve:
    """Time against size for one algorithm and protocol."""

    algorithm: str
    protocol: str
    time_us: Floats


def ring_curves(
    library: Library, collective: Collective, shape: RingShape, sizes: Floats
) -> list[Curve]:
    """A curve for every protocol the library has on this hardware."""
    curves = []
    for number, protocol in enumerate(PROTOCOLS):
        latency_us = _latency_us(library, collective, shape, number)
        bandwidth = _protocol_gb_per_s(library, shape, number)
        if latency_us is None or bandwidth is None:
            continue
        steps = _steps(collective, shape.ranks)
        algbw = bandwidth * shape.ranks / steps
        latencies = np.full(len(sizes), latency_us)
        if protocol == "Simple" and shape.nodes > 1 and collective is Collective.ALL_REDUCE:
            factor = library.pipelined_latency_factor.get(shape.row, 1.0)
            channels = max(shape.channels * library.channels_per_nic, 1)
            long = sizes / (channels * shape.ranks) >= library.pipelined_from_bytes
            latencies[long] *= factor
        curves.append(Curve("ring", protocol, latencies + sizes / (1000 * algbw)))
    return curves


def _steps(collective: Collective, ranks: int) -> int:
    return 2 * (ranks - 1) if collective is Collective.ALL_REDUCE else ranks - 1


def _latency_us(
    library: Library, collective: Collective, shape: RingShape, protocol: int
) -> float | None:
    """base + (steps - crossings) max(inside, overhead) + crossings x network."""
    ring = library.ring
    base, inside = ring.base_us[protocol], ring.nvlink_us[protocol]
    if not shape.over_nvlink:
        inside = ring.pcie_us[protocol]
    alone = shape.ranks == shape.nodes
    network = (library.tree_network_us if alone else ring.network_us)[protocol]
    if base is None or inside is None or network is None:
        return None
    simple = PROTOCOLS[protocol] == "Simple"
    steps = _steps(collective, shape.ranks)
    crossings = 0
    overhead = 0.0
    if shape.nodes > 1:
        crossings = (
            2 * (shape.nodes - 1) if collective is Collective.ALL_REDUCE else shape.nodes - 1
        )
        overhead = library.post_overhead_us[shape.cpu]
        overhead *= library.post_overhead_simple_factor if simple else 1.0
        network = max(network + shape.network_extra_us * (2 if simple else 1), 0.0)
    return base + (steps - crossings) * max(inside, overhead) + crossings * network


def _protocol_gb_per_s(library: Library, shape: RingShape, protocol: int) -> float | None:
    """Bus bandwidth a protocol reaches: a part of the wire's, and the library's own ceilings."""
    ratio = library.ring.bandwidth_ratio[protocol]
    if ratio is None:
        return None
    bandwidth = ratio * shape.bandwidth_gb_per_s
    name = PROTOCOLS[protocol]
    if name == "LL":
        if shape.nodes == 1:
            ceiling = library.ll_max_one_server.get(shape.row)
        else:
            pair = library.ll_max_servers.get(shape.cpu)
            ceiling = None if pair is None else pair[0 if shape.nodes == 2 else 1]
        bandwidth = bandwidth if ceiling is None else min(bandwidth, ceiling)
    if name == "LL128" and shape.nodes > 1:
        each = library.ll128_max_per_channel.get(shape.row)
        if each is not None:
            bandwidth = min(bandwidth, each * shape.channels * library.channels_per_nic)
    return bandwidth
