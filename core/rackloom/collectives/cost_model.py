# SPDX-License-Identifier: Apache-2.0
"""The cost model of NCCL and RCCL: time = latency terms + bytes / bandwidth.

Formulas: NVIDIA/nccl 2.30.7, src/graph/tuning.cc; constants in calibration/libraries.yaml. The
bandwidth that goes in is that of the drawn fabric, where the library has its own search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rackloom.collectives.calibration import PROTOCOLS, CpuVendor, Library, Pipeline
from rackloom.collectives.conventions import Collective
from rackloom.fabric.arrays import Floats


@dataclass(frozen=True, slots=True)
class Shape:
    """What the formulas need to know of a group and the traffic of one algorithm on it."""

    ranks: int
    nodes: int
    channels: int
    """NIC ports a node uses (1 inside one node)."""
    bandwidth_gb_per_s: float
    """Bus bandwidth of the algorithm on this wiring, times its efficiency."""
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
    library: Library, collective: Collective, shape: Shape, sizes: Floats
) -> list[Curve]:
    """A curve for every protocol the library has on this hardware."""
    curves = []
    for number, protocol in enumerate(PROTOCOLS):
        latency_us = _latency_us(library, collective, shape, number)
        bandwidth = protocol_gb_per_s(library, shape, number)
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
        per_rank = sizes / shape.ranks if protocol == "LL" else sizes  # as the library counts
        part = channels_at_work(library, shape, protocol, per_rank)
        curves.append(Curve("ring", protocol, latencies + sizes / (1000 * algbw * part)))
    return curves


def _steps(collective: Collective, ranks: int) -> int:
    return 2 * (ranks - 1) if collective is Collective.ALL_REDUCE else ranks - 1


def _latency_us(
    library: Library, collective: Collective, shape: Shape, protocol: int
) -> float | None:
    """base + (steps - crossings) max(inside, overhead) + crossings x network."""
    ring = library.ring
    base, inside = ring.base_us[protocol], ring.nvlink_us[protocol]
    if not shape.over_nvlink:
        inside = ring.pcie_us[protocol]
    alone = shape.ranks == shape.nodes
    network = (library.tree.network_us if alone else ring.network_us)[protocol]
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


def protocol_gb_per_s(library: Library, shape: Shape, protocol: int) -> float | None:
    """Bus bandwidth a protocol reaches: a part of the wire's, and the library's own ceilings."""
    ratio = library.ring.bandwidth_ratio[protocol]
    if ratio is None:
        return None
    bandwidth = ratio * shape.bandwidth_gb_per_s
    name = PROTOCOLS[protocol]
    if name == "LL":
        bandwidth = min(bandwidth, _ll_ceiling(library, shape))
    if name == "LL128" and shape.nodes > 1:
        each = library.ll128_max_per_channel.get(shape.row)
        if each is not None:
            bandwidth = min(bandwidth, each * shape.channels * library.channels_per_nic)
    return bandwidth


def _ll_ceiling(library: Library, shape: Shape) -> float:
    """The most that the LL protocol moves: by GPU on one server, by CPU on more."""
    if shape.nodes == 1:
        return library.ll_max_one_server.get(shape.row, math.inf)
    pair = library.ll_max_servers.get(shape.cpu)
    return math.inf if pair is None else pair[0 if shape.nodes == 2 else 1]


def tree_curves(library: Library, shape: Shape, sizes: Floats) -> list[Curve]:
    """All-reduce by double binary trees: base + 2 [(p - 1) inside + floor(log2 k) network]."""
    curves = []
    tree = library.tree
    per_node = -(-shape.ranks // shape.nodes)
    ratios = tree.ratio(shape.nodes)
    for number, protocol in enumerate(PROTOCOLS):
        base, network, ratio = tree.base_us[number], tree.network_us[number], ratios[number]
        inside = (tree.nvlink_us if shape.over_nvlink else tree.pcie_us)[number]
        if base is None or network is None or ratio is None or inside is None:
            continue
        network = max(network + shape.network_extra_us * (2 if protocol == "Simple" else 1), 0.0)
        crossings = shape.nodes.bit_length() - 1
        latency_us = base + 2 * ((per_node - 1) * inside + crossings * network)
        busbw = ratio * shape.bandwidth_gb_per_s
        algbw = busbw * shape.ranks / (2 * (shape.ranks - 1))
        channels = min(shape.channels, per_node) if shape.nodes > 1 else per_node
        ceilings = [tree.max_per_channel.get(shape.row)]
        if protocol == "LL128":
            ceilings.append(tree.ll128_max_per_channel.get(shape.row))
        for each in ceilings:
            if each is not None:
                algbw = min(algbw, each[min(shape.nodes, 3) - 1] * channels / 2)
        if protocol == "LL":
            # the library's ceiling is on what it halves for the tree
            algbw = min(algbw, _ll_ceiling(library, shape) / 2)
        part = size_correction(tree.size_correction, number, sizes)
        part = np.minimum(part, channels_at_work(library, shape, protocol, sizes))
        bandwidth = algbw * part
        times = latency_us + sizes / (1000 * bandwidth)
        if protocol != "LL":
            times += crossings * pipeline_us(tree.pipeline, shape.row, sizes)
        curves.append(Curve("tree", protocol, times))
    return curves


def channels_at_work(library: Library, shape: Shape, protocol: str, sizes: Floats) -> Floats:
    """What part of its channels the library puts to work on messages of each size.

    It takes one away until each has so many bytes (NVIDIA/nccl, src/enqueue.cc); steps from one
    channel to the next are smoothed, so that a greater message never takes less time.
    """
    least = library.least_bytes_per_channel.get(protocol)
    if least is None:
        return np.ones(len(sizes))
    channels = library.one_server_channels
    if shape.nodes > 1:
        channels = max(shape.channels * library.channels_per_nic, 1)
    part: Floats = np.clip(sizes / least, 1, channels) / channels
    return part


def pipeline_us(
    pipeline: Pipeline | None, architecture: str, sizes: Floats, heads: float = 1.0
) -> Floats:
    """What filling a pipeline of chunks takes; chunks, and so this, are smaller in small messages.

    The power is what logs of two H100 servers show between 2 and 64 MB. ``heads``: how many times
    as many chunks, and so how many times the time and the size, as in the logs.
    """
    if pipeline is None:
        return np.zeros(len(sizes))
    part: Floats = np.minimum(sizes / (pipeline.mib * heads * (1 << 20)), 1.0)
    return pipeline.whole_us(architecture) * heads * part**0.75


def size_correction(table: tuple[tuple[float, ...], ...], protocol: int, sizes: Floats) -> Floats:
    """The library's own correction of the tree's bandwidth by size; 1 where it has none."""
    if not table:
        return np.ones(len(sizes))
    row = np.array(table[protocol])
    step = np.floor(np.log2(np.maximum(sizes, 64) / 64)).astype(np.int64)
    return np.where(step < len(row), row[np.minimum(step, len(row) - 1)], 1.0)
