# SPDX-License-Identifier: Apache-2.0
"""The cost model beyond rings and trees: reduction in switches, PAT, chains, and direct sends.

Formulas: NVIDIA/nccl 2.30.7, src/graph/tuning.cc; constants in calibration/libraries.yaml. NCCL has
no formula for sends: theirs are put together from its ring terms (see :func:`direct_curves`).
"""

from __future__ import annotations

from rackloom.collectives.calibration import PROTOCOLS, InNetwork, Library
from rackloom.collectives.conventions import Collective, busbw_factor
from rackloom.collectives.cost_model import Curve, Shape, pipeline_us, protocol_gb_per_s
from rackloom.fabric.arrays import Floats

_HEADS = 8
"""GPUs of the domains whose logs the pipeline terms of NVLS come from; each is a head of chunks."""


def in_network_curve(
    algorithm: str,
    terms: InNetwork,
    collective: Collective,
    shape: Shape,
    sizes: Floats,
    part: Floats | float = 1.0,
) -> Curve:
    """NVLS, NVLS tree, CollNet direct and chain; latencies by :func:`_in_network_us`.

    ``part``: of the bandwidth that messages of each size get.
    """
    network = max(terms.network_us + 2 * shape.network_extra_us, 0.0)
    latency_us = _in_network_us(algorithm, terms.inside_us, network, shape)
    algbw = part * shape.bandwidth_gb_per_s / busbw_factor(collective, shape.ranks)
    heads = -(-shape.ranks // shape.nodes) / _HEADS if algorithm == "nvls" else 1.0
    fill = pipeline_us(terms.pipeline, shape.row, sizes, heads)
    return Curve(algorithm, "Simple", latency_us + fill + sizes / (1000 * algbw))


def _in_network_us(algorithm: str, inside: float, network: float, shape: Shape) -> float:
    """NVLS: L_i (+ L_x). NVLS tree: L_i + 2 floor(log2 k) L_x. CollNet direct: 2 [min(1, p - 1)
    L_i + 0.4 (p - 1)] + L_x; chain: 2 (p - 1) L_i + L_x.
    """
    p = -(-shape.ranks // shape.nodes)
    match algorithm:
        case "nvls":
            return inside + (network if shape.nodes > 1 else 0.0)
        case "nvls-tree":
            return inside + 2 * (shape.nodes.bit_length() - 1) * network
        case "collnet-direct":
            return 2 * (min(1, p - 1) * inside + 0.4 * (p - 1)) + network
        case _:
            return 2 * (p - 1) * inside + network


def pat_curve(library: Library, collective: Collective, shape: Shape, sizes: Floats) -> Curve:
    """PAT: base + floor(log2 k) L_x / 3.5 + 2.8 n, three quarters of the ring's bandwidth."""
    assert library.pat is not None
    pat = library.pat
    hop = max(pat.network_us + 2 * shape.network_extra_us, 0.0) / pat.hop_divisor
    latency_us = pat.base_us + (shape.nodes.bit_length() - 1) * hop + pat.rank_us * shape.ranks
    algbw = pat.bandwidth_ratio * shape.bandwidth_gb_per_s / busbw_factor(collective, shape.ranks)
    return Curve("pat", "Simple", latency_us + sizes / (1000 * algbw))


def chain_curves(library: Library, shape: Shape, sizes: Floats) -> list[Curve]:
    """Broadcast and reduce along the ring: base + L inside one node, base + n L over several."""
    curves = []
    for number, protocol in enumerate(PROTOCOLS):
        ring = library.ring
        base = ring.base_us[number]
        bandwidth = protocol_gb_per_s(library, shape, number)
        step = (ring.nvlink_us if shape.over_nvlink else ring.pcie_us)[number]
        if shape.nodes > 1:
            step = (library.tree if protocol == "Simple" else ring).network_us[number]
        if base is None or step is None or bandwidth is None:
            continue
        steps = 1
        if shape.nodes > 1:
            step = max(step + shape.network_extra_us * (2 if protocol == "Simple" else 1), 0.0)
            steps = shape.ranks
        latency_us = base + steps * step
        curves.append(Curve("ring", protocol, latency_us + sizes / (1000 * bandwidth)))
    return curves


def direct_curves(
    library: Library, algorithm: str, collective: Collective, shape: Shape, sizes: Floats
) -> list[Curve]:
    """All-to-all and send-receive: base + one step + a post for every peer + bytes / bandwidth.

    The library posts a send and a receive for each of n - 1 peers; the step is one over the
    network (where there is one) or inside. LL as the library has it for sends of few bytes.
    """
    peers = shape.ranks - 1 if collective is Collective.ALL_TO_ALL else 1
    factor = busbw_factor(collective, shape.ranks)
    curves = []
    for number, protocol in enumerate(PROTOCOLS):
        ring = library.ring
        base, ratio = ring.base_us[number], ring.bandwidth_ratio[number]
        step = (ring.nvlink_us if shape.over_nvlink else ring.pcie_us)[number]
        if shape.nodes > 1:
            step = (library.tree if protocol == "Simple" else ring).network_us[number]
        if protocol == "LL128" or base is None or ratio is None or step is None:
            continue
        if shape.nodes > 1:
            step = max(step + shape.network_extra_us * (2 if protocol == "Simple" else 1), 0.0)
        post = library.post_overhead_us[shape.cpu] if shape.nodes > 1 else 0.0
        latency_us = base + step + post * peers
        algbw = ratio * shape.bandwidth_gb_per_s / factor
        curves.append(Curve(algorithm, protocol, latency_us + sizes / (1000 * algbw)))
    return curves
