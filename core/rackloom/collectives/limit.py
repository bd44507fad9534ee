# SPDX-License-Identifier: Apache-2.0
"""The limit as an answer: bus bandwidth, the binding cut as ids, and a sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from rackloom.collectives.calibration import Hardware
from rackloom.collectives.conventions import Collective, busbw_factor
from rackloom.collectives.cut import Cut, gather_cut, parting_cut, stable_colour
from rackloom.collectives.flow_graph import EdgeKind, FlowGraph, build_flow_graph
from rackloom.collectives.group import Group, device_name, more
from rackloom.collectives.ports import Ports
from rackloom.collectives.spread import sides, spread_rate
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Bools, Ints


@dataclass(frozen=True, slots=True)
class Limit:
    """What no schedule can beat on this wiring, and the cut that says so.

    For all-reduce it is the limit of a reduce-scatter and an all-gather one after the other, the
    best there is where GPUs are wired alike. Where all switches between the GPUs can add up (NVLS
    inside one domain, SHARP switched on between servers) it is the limit with that. Where those
    inside each of several domains can, a domain counts as one place that adds up.
    """

    busbw_gb_per_s: float
    cut: tuple[str, ...]
    """Ids of the cables, and of the servers whose inner links, cross the cut."""
    text: str
    exact: bool
    """True where it is proven that no tighter cut exists, or some schedule reaches the limit. False
    where there is too much to look at: still a true limit, but a lower one may exist."""

    def reached(self) -> Limit:
        """The same, known to be what a schedule reaches."""
        return replace(self, exact=True, text=self.text.removesuffix(AT_MOST))


AT_MOST = " (at most: not every cut was looked at)"
"""What the sentence of a limit ends in that is not proven to be the tightest."""


class Adding(Enum):
    """Which switches between GPUs add up what they pass on."""

    NOWHERE = auto()
    IN_DOMAINS = auto()
    """Those inside each scale-up domain of several: NVLS in servers and racks."""
    EVERYWHERE = auto()
    """All: NVLS inside one domain, SHARP between servers."""


_ON_THE_WAY = ", with switches that add up on the way"
_INSIDE = ", with switches that add up inside servers and racks"


def find_limit(
    fabric: Fabric,
    group: Group,
    ports: Ports,
    hardware: Hardware,
    collective: Collective = Collective.ALL_REDUCE,
    adding: Adding = Adding.NOWHERE,
) -> Limit:
    """The limit of a collective in bus bandwidth. ``adding``: which switches on the way add up."""
    graph = build_flow_graph(fabric, group, ports, hardware)
    n = group.ranks
    match collective:
        case Collective.ALL_REDUCE:
            if adding is Adding.EVERYWHERE:
                cut = parting_cut(graph)
                busbw = cut.rate_gbps / 8 * busbw_factor(collective, n)
                return _limit(fabric, group, graph, cut, busbw, _ON_THE_WAY)
            if adding is Adding.IN_DOMAINS:
                return _of_domains(fabric, group, graph)
            cut = gather_cut(graph)
            return _limit(fabric, group, graph, cut, cut.rate_gbps * (n - 1) / 8)
        case Collective.ALL_GATHER | Collective.REDUCE_SCATTER:
            cut = gather_cut(graph)
            return _limit(fabric, group, graph, cut, cut.rate_gbps * (n - 1) / 8)
        case Collective.ALL_TO_ALL:
            return _all_to_all(fabric, group, graph)
        case _:
            cut = parting_cut(graph)
            return _limit(fabric, group, graph, cut, cut.rate_gbps / 8)


def _limit(
    fabric: Fabric,
    group: Group,
    graph: FlowGraph,
    cut: Cut,
    busbw: float,
    with_what: str = "",
) -> Limit:
    text = _text(fabric, group, graph, cut) + with_what
    if not cut.exact:
        text += AT_MOST
    return Limit(busbw, _ids(fabric, graph, cut.crossing), text, cut.exact)


def _of_domains(fabric: Fabric, group: Group, graph: FlowGraph) -> Limit:
    """All-reduce where the switches of each domain add up, and those between domains do not.

    A domain then is one place that holds its own sum. Between R of them the bound is that of a
    reduce-scatter and an all-gather of R places: algorithm bandwidth R x / 2, where x is what each
    can send to all others at once. And as with reduction everywhere, data crosses each cut once up
    and once down.
    """
    n, places = group.ranks, group.nodes
    place = np.r_[group.node, np.arange(places, places + graph.vertices - n)]
    u, v = place[graph.u], place[graph.v]
    real = u != v
    merged = FlowGraph(
        places + graph.vertices - n,
        places,
        u[real],
        v[real],
        graph.gbps[real],
        graph.kind[real],
        graph.what[real],
    )
    between, around = gather_cut(merged), parting_cut(graph)
    algbw_gbps = between.rate_gbps * places / 2
    if around.rate_gbps < algbw_gbps:
        algbw_gbps, cut = around.rate_gbps, around
    else:
        inside = between.inside[place]
        crossing = np.flatnonzero(inside[graph.u] != inside[graph.v])
        cut = replace(between, inside=inside, crossing=crossing, gpus_inside=int(inside[:n].sum()))
    cut = replace(cut, exact=between.exact and around.exact)
    busbw = algbw_gbps / 8 * busbw_factor(Collective.ALL_REDUCE, n)
    return _limit(fabric, group, graph, cut, busbw, _INSIDE)


def _all_to_all(fabric: Fabric, group: Group, graph: FlowGraph) -> Limit:
    colour = stable_colour(graph)
    pods = [fabric.design.devices[d].pod or "" for d in fabric.arrays.device_ids]
    pod = np.unique(np.array(pods)[group.device], return_inverse=True)[1].astype(np.int64)
    found = spread_rate(graph, colour, lambda: sides(graph, [group.node, pod], gather_cut(graph)))
    busbw = found.pair_gbps * (group.ranks - 1) / 8
    full = _crossing(fabric, graph, found.crossing)
    carry = (
        "carries all it can"
        if full.startswith("1 ") and " and " not in full
        else "carry all they can"
    )
    each = rate_text(busbw, 1)
    text = f"{full} {carry} when each GPU sends {each} to the others together"
    if not found.exact:
        text += AT_MOST
    return Limit(busbw, _ids(fabric, graph, found.crossing), text, found.exact)


def _ids(fabric: Fabric, graph: FlowGraph, crossing: Ints) -> tuple[str, ...]:
    arrays = fabric.arrays
    kind, what = graph.kind[crossing], graph.what[crossing].astype(np.int64)
    inner = np.unique(what[(kind == EdgeKind.SCALE_UP) | (kind == EdgeKind.PCIE)])
    links = what[kind == EdgeKind.PORT]
    bundled = np.flatnonzero(np.isin(fabric.network.bundles.of_link, what[kind == EdgeKind.BUNDLE]))
    cables = np.unique(arrays.link_cable[np.concatenate([links, bundled])])
    devices = [str(arrays.device_ids[d]) for d in inner.tolist()]
    return (*devices, *(str(arrays.cable_ids[c]) for c in cables.tolist()))


def rate_text(gb_per_s: float, decimals: int = 0) -> str:
    """``400 GB/s``; slow ones with three figures, so that none reads 0."""
    slow = gb_per_s < 10
    return f"{gb_per_s:.3g} GB/s" if slow else f"{gb_per_s:,.{decimals}f} GB/s"


def _text(fabric: Fabric, group: Group, graph: FlowGraph, cut: Cut) -> str:
    """One sentence: what crosses, how much that is, and whom it separates.

    The rate is that of the wires; the bus bandwidth it allows is another number.
    """
    inside = cut.inside[: graph.gpus]
    outside = ~inside
    small = outside if outside.sum() <= inside.sum() else inside
    across = rate_text(float(graph.gbps[cut.crossing].sum()) / 8)
    crossing = _crossing(fabric, graph, cut.crossing)
    alone = crossing.startswith("1 ") and " and " not in crossing
    rest = int((~small).sum())
    others = "the other GPU" if rest == 1 else f"the other {rest:,} GPUs"
    joins = f"({across}) joins" if alone else f"({across} in all) join"
    return f"{crossing} {joins} {_who(fabric, group, small)} to {others}"


_WORDS = {
    EdgeKind.SCALE_UP: ("scale-up connection", "scale-up connections"),
    EdgeKind.PCIE: ("PCIe connection", "PCIe connections"),
    EdgeKind.PORT: ("NIC link", "NIC links"),
}


def _crossing(fabric: Fabric, graph: FlowGraph, crossing: Ints) -> str:
    """What the cut cuts, by kind: ``4 NIC links and 8 leaf-spine links``."""
    kind, what = graph.kind[crossing], graph.what[crossing].astype(np.int64)
    found = []
    for k, words in _WORDS.items():
        count = int((kind == k).sum())
        if count:
            found.append(f"{count:,} {words[count > 1]}")
    bundles = fabric.network.bundles
    layers: Counter[str] = Counter()
    for bundle in what[kind == EdgeKind.BUNDLE].tolist():
        roles = [
            (int(fabric.tiers.tier[v]), fabric.tiers.role[v])
            for v in (int(bundles.u[bundle]), int(bundles.v[bundle]))
        ]
        layers["-".join(role for _, role in sorted(roles))] += int(bundles.count[bundle])
    found += [f"{n:,} {layer} link{'s' if n > 1 else ''}" for layer, n in sorted(layers.items())]
    return " and ".join(part for part in (", ".join(found[:-1]), *found[-1:]) if part)


def _who(fabric: Fabric, group: Group, small: Bools) -> str:
    """Whom the cut separates, by name where there is one."""
    ranks = np.flatnonzero(small)
    devices = np.unique(group.device[ranks])
    whole = len(ranks) == int(np.isin(group.device, devices).sum())
    design, ids = fabric.design, fabric.arrays.device_ids
    if len(ranks) == 1:
        local = int(fabric.arrays.gpu_local[group.gpus[ranks[0]]])
        return f"GPU {local} of {device_name(fabric, int(devices[0]))}"
    if len(devices) == 1:
        name = device_name(fabric, int(devices[0]))
        return name if whole else f"{len(ranks)} GPUs of {name}"
    pods = {design.devices[ids[d]].pod for d in devices.tolist()}
    if whole and len(pods) == 1 and (pod := next(iter(pods))) is not None:
        return f"{pod} ({len(ranks):,} GPUs)"
    names = f"{device_name(fabric, int(devices[0]))} and {more(len(devices) - 1, 'server')}"
    return f"{len(ranks):,} GPUs ({names})"
