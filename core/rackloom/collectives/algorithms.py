# SPDX-License-Identifier: Apache-2.0
"""Which algorithms a library has for a collective on a group, and what each would reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rackloom.collectives.calibration import PROTOCOLS, InNetwork
from rackloom.collectives.capacity import has_scale_up
from rackloom.collectives.caps import Cap, caps_of
from rackloom.collectives.case import Case
from rackloom.collectives.conventions import Collective
from rackloom.collectives.cost_model import (
    Curve,
    Shape,
    ring_curves,
    size_correction,
    tree_curves,
)
from rackloom.collectives.cost_others import (
    chain_curves,
    direct_curves,
    in_network_curve,
    pat_curve,
)
from rackloom.collectives.direct import lay_all_to_all, lay_far_steps, lay_neighbours
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.reduction import has_nvls, has_sharp, lay_aggregation
from rackloom.collectives.ring import Traffic
from rackloom.fabric.arrays import Floats

ALGORITHMS = (
    "auto",
    "ring",
    "tree",
    "nvls",
    "nvls-tree",
    "collnet-direct",
    "collnet-chain",
    "pat",
    "direct",
    "direct-without-pxn",
)
"""What can be asked for; ``auto`` takes the fastest of all that the library would use."""

_OF: dict[Collective, tuple[str, ...]] = {
    Collective.ALL_REDUCE: ("ring", "tree", "nvls", "nvls-tree", "collnet-direct", "collnet-chain"),
    Collective.ALL_GATHER: ("ring", "nvls", "collnet-direct", "pat"),
    Collective.REDUCE_SCATTER: ("ring", "nvls", "collnet-direct", "pat"),
    Collective.BROADCAST: ("ring",),
    Collective.REDUCE: ("ring",),
    Collective.ALL_TO_ALL: ("direct", "direct-without-pxn"),
    Collective.SEND_RECEIVE: ("direct",),
}
_SIMPLE = PROTOCOLS.index("Simple")
_REDUCING = {"nvls", "nvls-tree", "collnet-direct", "collnet-chain"}


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Caps and curves of one algorithm; the loads it puts on the links."""

    algorithm: str
    traffic: Traffic | None
    caps: list[Cap]
    curves: list[Curve]
    worst: list[Curve]
    """The curves with flows hashed badly (5th percentile)."""


def algorithms_for(case: Case, kind: Collective, asked: str) -> list[str]:
    """Algorithms to look at: those the library would choose from, or the one asked for."""
    asked = asked.lower()
    if asked == "auto":
        return [name for name in _OF[kind] if _why_not(case, name, kind, asked=False) is None]
    if asked not in _OF[kind]:
        raise EstimateError(
            f"libraries do not run {kind} by {asked}: choose {' or '.join(_OF[kind])}, or auto"
        )
    reason = _why_not(case, asked, kind, asked=True)
    if reason is not None:
        raise EstimateError(f"{asked} cannot be used here: {reason}; choose auto")
    return [asked]


def _why_not(case: Case, name: str, kind: Collective, asked: bool) -> str | None:
    """Why an algorithm is out of the question, in a clause; None where it is not."""
    group, library, several = case.group, case.library, case.group.nodes > 1
    part = group.parts[0]
    if name in _REDUCING | {"pat"} and getattr(library, name.replace("-", "_")) is None:
        return f"the library of {part.title} does not have it"
    if name.startswith("nvls") and not has_nvls(group):
        return f"the GPUs of {part.title} share no NVLink switches that reduce"
    if name.startswith("nvls") and group.ranks == group.nodes:
        return "there is one GPU in a node"
    if name == "nvls-tree" and not several:
        return "all GPUs are in one node"
    if name.startswith("collnet") and not several:
        return "all GPUs are in one node"
    if needs_sharp(name, several):
        if not (case.settings.sharp or asked):
            return "SHARP is not switched on"
        if case.rings is None or not has_sharp(case.fabric, case.rings):
            return "not all switches between the servers can reduce (SHARP)"
    if name == "pat" and group.ranks != group.nodes:
        return "it takes one GPU in each node"
    if name == "direct" and kind is Collective.ALL_TO_ALL and several and not _can_pxn(case):
        return "PXN takes scale-up links inside the servers"
    if name == "direct-without-pxn" and not asked and (not several or _can_pxn(case)):
        return "the library takes PXN"
    return None


def needs_sharp(name: str, several: bool) -> bool:
    """Whether an algorithm lets the network's switches add up; ``several``: servers take part."""
    return name.startswith("collnet") or (name == "nvls" and several)


def _can_pxn(case: Case) -> bool:
    """Whether GPUs hand on for each other: over NVLink, or with nothing to hand on at all."""
    alone = case.group.ranks == case.group.nodes
    return alone or all(has_scale_up(part) for part in case.group.parts)


def traffic_of(case: Case, name: str, kind: Collective) -> Traffic | None:
    """The flows of an algorithm between the nodes; None where all is inside one node."""
    rings = case.rings
    if rings is None:
        return None
    if name.startswith("collnet") or name == "nvls":
        if kind is not Collective.ALL_REDUCE:
            return rings
        return lay_aggregation(case.fabric, case.group, rings)
    match name:
        case "tree" | "nvls-tree":
            return case.trees
        case "pat":
            return lay_far_steps(case.fabric, case.group, rings)
        case "direct" | "direct-without-pxn" if kind is Collective.ALL_TO_ALL:
            return lay_all_to_all(case.fabric, case.group, rings, name == "direct")
        case "direct":
            return lay_neighbours(case.fabric, case.group, rings)
        case _:
            return rings


def answer(case: Case, name: str, kind: Collective, sizes: Floats, ceiling: float) -> Answer:
    """Caps and curves of one algorithm, none above ``ceiling`` (GB/s of bus bandwidth)."""
    group = case.group
    traffic = traffic_of(case, name, kind)
    caps = caps_of(case, traffic, name, kind)
    if not caps:
        part = group.parts[0]
        raise EstimateError(
            f"nothing is known of what joins the GPUs of {part.title}: give the part a scale-up "
            "network or a PCIe generation",
            (part.id,),
        )
    expected = min(caps[0].expected_gb_per_s, ceiling)
    shape = _shape(case, traffic, expected)
    curves = _curves(case, name, kind, shape, sizes)
    low = min(ceiling, *(cap.worst_gb_per_s for cap in caps))
    worst = curves
    if low < expected:
        worst = _curves(case, name, kind, _shape(case, traffic, low), sizes)
    return Answer(name, traffic, caps, curves, worst)


def _shape(case: Case, traffic: Traffic | None, bandwidth: float) -> Shape:
    extra = case.delays.extra_us(traffic)
    hop = case.hardware.transport_extra.get(case.transport)
    if traffic is not None and hop is not None:
        extra += hop.hop_us
    return Shape(
        ranks=case.group.ranks,
        nodes=case.group.nodes,
        channels=traffic.channels if traffic is not None else 1,
        bandwidth_gb_per_s=bandwidth,
        over_nvlink=all(has_scale_up(p) for p in case.group.parts),
        network_extra_us=extra,
        row=case.row,
        cpu=case.cpu,
    )


def _curves(case: Case, name: str, kind: Collective, shape: Shape, sizes: Floats) -> list[Curve]:
    library = case.library
    match name:
        case "tree":
            return tree_curves(library, shape, sizes)
        case "pat":
            return [pat_curve(library, kind, shape, sizes)]
        case "direct" | "direct-without-pxn":
            return direct_curves(library, name, kind, shape, sizes)
        case "ring" if kind in {Collective.BROADCAST, Collective.REDUCE}:
            return chain_curves(library, shape, sizes)
        case "ring":
            return ring_curves(library, kind, shape, sizes)
        case _:
            terms = getattr(library, name.replace("-", "_"))
            part = _part_of_nvls(case, name, terms, shape, sizes)
            return [in_network_curve(name, terms, kind, shape, sizes, part)]


def _part_of_nvls(
    case: Case, name: str, terms: InNetwork, shape: Shape, sizes: Floats
) -> Floats | float:
    """What part of the bandwidth messages of each size get.

    NVLS in one domain: less below a size, as measured. NVLS trees: the library's own correction.
    """
    scale_up = case.group.parts[int(case.group.part_of_node[0])].scale_up
    if name == "nvls" and shape.nodes == 1 and scale_up is not None:
        below, factor = case.hardware.nvls_small(scale_up.generation, scale_up.spans_rack)
        return np.where(sizes < below, factor, 1.0)
    if name == "nvls-tree" and shape.row in terms.corrected and shape.cpu != "other":
        return size_correction(case.library.tree.size_correction, _SIMPLE, sizes)
    return 1.0
