# SPDX-License-Identifier: Apache-2.0
"""A limit is called exact where that is proven, and "at most" where it is not."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import Cluster, rail_pods, server_part, star, switch_part, three_tiers

from rackloom.catalog.words import CageRole
from rackloom.collectives import Collective, cut, estimate, programme
from rackloom.collectives.calibration import load_hardware
from rackloom.collectives.distances import bound_by_lengths
from rackloom.collectives.flow_graph import EdgeKind, FlowGraph, build_flow_graph
from rackloom.collectives.group import form_group
from rackloom.collectives.limit import AT_MOST
from rackloom.collectives.ports import usable_ports
from rackloom.collectives.swaps import exchangeable
from rackloom.design import Design
from rackloom.fabric import Fabric

CUT = (Collective.ALL_GATHER, Collective.BROADCAST)


def graph_of(design: Design, failed: tuple[str, ...] = ()) -> FlowGraph:
    fabric = Fabric.of(design, failed)
    group, hardware = form_group(fabric), load_hardware()
    return build_flow_graph(fabric, group, usable_ports(fabric, group, hardware), hardware)


def crossed_leaves() -> Design:
    """Six leaves in two rings of three that two links join: from near by all look the same."""
    cluster = Cluster()
    leaves = [cluster.device(switch_part(), f"leaf-{n}") for n in range(6)]
    for n, leaf in enumerate(leaves):
        server = cluster.device(server_part(gpus=2), f"gpu-{n}")
        for nic in range(2):
            cluster.link(server, leaf, a_cage=str(nic))
    for a, b in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4)):
        cluster.link(leaves[a], leaves[b])
    return cluster.design()


@pytest.mark.parametrize("kind", [*CUT, Collective.ALL_TO_ALL])
@pytest.mark.parametrize(
    "cluster", [star(4), rail_pods(2, 4, 2), rail_pods(8, 8, 4, 4), three_tiers(1024, 16)]
)
def test_symmetric_fabrics_are_proven(cluster: Cluster, kind: Collective) -> None:
    found = estimate(cluster.design(), kind).limit
    assert found.exact
    assert AT_MOST not in found.text


@pytest.mark.parametrize(
    ("kind", "design"),
    [
        (Collective.ALL_GATHER, crossed_leaves()),
        (Collective.BROADCAST, rail_pods(8, 8, 4, 4).design()),
    ],
)
def test_what_was_not_looked_at_is_not_called_exact(
    kind: Collective, design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven = estimate(design, kind).limit
    assert proven.exact
    monkeypatch.setattr(cut, "_MORE", 0)
    monkeypatch.setattr(cut, "_MORE_WORK", 0)
    monkeypatch.setattr(cut, "_MOST_PARTED", 1)
    monkeypatch.setattr(cut, "_WORK", 1)
    monkeypatch.setattr(cut, "_absorbed", lambda bound, graph, proven, most: proven)
    found = estimate(design, kind).limit
    assert not found.exact
    assert found.text.endswith("(at most: not every cut was looked at)")
    assert found.busbw_gb_per_s >= proven.busbw_gb_per_s * (1 - 1e-9)
    assert estimate(design, kind).to_json()["limit"]["text"] == found.text


def test_an_all_to_all_that_no_schedule_is_known_to_reach_is_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One server of 8 GPUs and three of 4: the library fills four NICs of the large one twice."""
    cluster = Cluster()
    leaf = cluster.device(switch_part(), "leaf")
    for number, gpus in enumerate((8, 4, 4, 4)):
        server = cluster.device(server_part(gpus=gpus), f"gpu-{number}")
        for nic in range(gpus):
            cluster.link(server, leaf, a_cage=str(nic))
    design = cluster.design()
    laid = estimate(design, Collective.ALL_TO_ALL).limit
    assert laid.exact  # GPU by GPU onto the wires
    assert AT_MOST not in laid.text
    monkeypatch.setattr(programme, "_WORK_LAID", 0)
    found = estimate(design, Collective.ALL_TO_ALL).limit
    assert not found.exact
    assert found.text.endswith(AT_MOST)
    assert found.busbw_gb_per_s == pytest.approx(laid.busbw_gb_per_s, rel=1e-6)
    # a fabric whose NICs the library fills needs no other proof
    assert estimate(star(4).design(), Collective.ALL_TO_ALL).limit.exact


def distances_by_dijkstra(graph: FlowGraph, lengths: np.ndarray) -> float:
    """Sum of the distances of all ordered pairs of GPUs."""
    net: networkx.Graph[int] = networkx.Graph()
    net.add_nodes_from(range(graph.vertices))
    for u, v, length in zip(graph.u.tolist(), graph.v.tolist(), lengths.tolist(), strict=True):
        if not net.has_edge(u, v) or net[u][v]["length"] > length:
            net.add_edge(u, v, length=length)
    total = 0.0
    for gpu in range(graph.gpus):
        far = networkx.single_source_dijkstra_path_length(net, gpu, weight="length")
        total += sum(far[other] for other in range(graph.gpus))
    return total


@given(seed=st.integers(0, 10_000), servers=st.integers(2, 5), values=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_any_lengths_bound_an_all_to_all(seed: int, servers: int, values: int) -> None:
    """Capacity by length over the distances of all pairs, summed here GPU by GPU."""
    graph = graph_of(rail_pods(2, servers, 2, part=server_part(gpus=2)).design())
    rng = np.random.default_rng(seed)
    per_kind = rng.integers(0, values + 1, size=len(EdgeKind)).astype(float)
    lengths = per_kind[graph.kind]
    if seed % 2:
        lengths = lengths * rng.integers(0, 2, size=len(lengths))
    total = distances_by_dijkstra(graph, lengths)
    found = bound_by_lengths(graph, lengths)
    if total == 0:
        assert found is None
        return
    assert found == pytest.approx(2 * float((graph.gbps * lengths).sum()) / total, rel=1e-9)


def test_servers_plugged_alike_can_change_places() -> None:
    cluster = star(3)
    alike = exchangeable(graph_of(cluster.design())).reshape(3, 8)
    assert (alike == alike[0]).all()
    assert len(np.unique(alike[0])) == 8  # GPU by GPU: where its NIC goes is not looked at
    cut_one = next(c for c, cable in cluster.cables.items() if cable.ends[0].cage == "3")
    fewer = exchangeable(graph_of(cluster.design(), (str(cut_one),))).reshape(3, 8)
    assert (fewer[1] == fewer[2]).all()
    assert not np.isin(fewer[0], fewer[1]).any()
    stays = exchangeable(graph_of(cluster.design()), fixed=9).reshape(3, 8)
    assert (stays[0] == stays[2]).all()
    assert not np.isin(stays[1], stays[0]).any()


def test_servers_on_other_leaves_cannot_change_places() -> None:
    pods = exchangeable(graph_of(rail_pods(2, 3, 2).design())).reshape(2, 3, 8)
    assert (pods == pods[:, :1]).all()
    assert not np.isin(pods[0], pods[1]).any()
    crossed = Cluster()
    leaves = [crossed.device(switch_part(), f"leaf-{n}") for n in range(2)]
    part = server_part(gpus=2)
    cages = [c.name for c in part.cages if c.role is CageRole.COMPUTE]
    for number in range(2):
        server = crossed.device(part, f"gpu-{number}")
        for nic, cage in enumerate(cages):
            crossed.link(server, leaves[(nic + number) % 2], a_cage=cage)
    crossed.link(leaves[0], leaves[1])
    assert len(np.unique(exchangeable(graph_of(crossed.design())))) == 4
