# SPDX-License-Identifier: Apache-2.0
"""ECMP loads against a routing done by hand, pair by pair, on networkx."""

from collections import defaultdict

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import Cluster, rail_pods, server_part, switch_part, three_tiers

from rackloom.fabric import Fabric, routing


def by_hand(
    edges: list[tuple[int, int, int]], flows: list[tuple[int, int, float]]
) -> dict[tuple[int, int], float]:
    """Loads of directed edges, one flow at a time: at each switch, evenly over links onward."""
    graph: networkx.Graph[int] = networkx.Graph()
    for u, v, count in edges:
        graph.add_edge(u, v, count=count)
    loads: dict[tuple[int, int], float] = defaultdict(float)
    for source, target, demand in flows:
        if source == target or source not in graph or target not in graph:
            continue
        distance = networkx.single_source_shortest_path_length(graph, target)
        if source not in distance:
            continue
        at = {source: demand}
        for hop in range(distance[source], 0, -1):
            after: dict[int, float] = defaultdict(float)
            for switch, amount in at.items():
                onward = {
                    n: graph[switch][n]["count"]
                    for n in graph[switch]
                    if distance.get(n) == hop - 1
                }
                for n, links in onward.items():
                    part = amount * links / sum(onward.values())
                    loads[switch, n] += part
                    after[n] += part
            at = after
    return loads


def compare(fabric: Fabric, flows: list[tuple[int, int, float]]) -> None:
    bundles = fabric.network.bundles
    edges = list(zip(bundles.u.tolist(), bundles.v.tolist(), bundles.count.tolist(), strict=True))
    expected = by_hand(edges, flows)
    source, target, demand = (np.array(c) for c in zip(*flows, strict=True))
    loads = fabric.ecmp.edge_loads(source, target, demand)
    for n, (u, v, _) in enumerate(edges):
        assert loads.forward[n] == pytest.approx(expected.get((u, v), 0.0), abs=1e-9)
        assert loads.backward[n] == pytest.approx(expected.get((v, u), 0.0), abs=1e-9)


def all_pairs(fabric: Fabric, tier: int = 0) -> list[tuple[int, int, float]]:
    leaves = np.flatnonzero(fabric.tiers.tier == tier).tolist()
    return [(a, b, 1.0 + (a * 7 + b) % 5) for a in leaves for b in leaves]


@given(
    switches=st.integers(2, 9),
    wires=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 3)), max_size=20),
    flows=st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 9)), min_size=1, max_size=15
    ),
)
@settings(max_examples=60)
def test_any_network_is_routed_as_by_hand(
    switches: int, wires: list[tuple[int, int, int]], flows: list[tuple[int, int, int]]
) -> None:
    cluster = Cluster()
    ids = [cluster.device(switch_part(), f"s{n}") for n in range(switches)]
    for a, b, count in wires:
        if a % switches != b % switches:
            cluster.links(ids[a % switches], ids[b % switches], count)
    fabric = Fabric.of(cluster.design())
    compare(fabric, [(a % switches, b % switches, float(d)) for a, b, d in flows])


def test_pods_of_twin_leaves_are_routed_as_by_hand() -> None:
    cluster = rail_pods(pods=3, servers_per_pod=2, uplinks_per_leaf=4, spines=2)
    fabric = Fabric.of(cluster.design())
    compare(fabric, all_pairs(fabric))
    assert fabric.ecmp.classes == 2  # all leaves alike, all spines alike


@pytest.mark.parametrize("at_a_time", [1, 3, 64])
def test_three_tiers_with_cut_cables_are_routed_as_by_hand(
    at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many destinations are looked at together."""
    monkeypatch.setattr(routing, "_COLUMNS", at_a_time)
    monkeypatch.setattr(routing, "_MAX_CELLS", 50)
    cluster = three_tiers(64, radix=8, part=server_part(gpus=4))
    design = cluster.design()
    whole = Fabric.of(design)
    up = [
        c.id
        for c in design.cables.values()
        if {whole.tier_of(e.device) for e in c.ends} in ({"leaf", "spine"}, {"spine", "core"})
    ]
    for failed in ((), up[:1], [up[0], up[9], up[-1]], ["d4"]):
        fabric = whole.without(failed)
        compare(fabric, all_pairs(fabric))


def test_parallel_links_count_as_often_as_they_are() -> None:
    cluster = Cluster()
    a, b, c, d = (cluster.device(switch_part(), name) for name in "abcd")
    for near, far, count in ((a, b, 3), (a, c, 1), (b, d, 1), (c, d, 1)):
        cluster.links(near, far, count)
    fabric = Fabric.of(cluster.design())
    loads = fabric.ecmp.edge_loads(np.array([0]), np.array([3]), np.array([8.0]))
    assert loads.forward.tolist() == [6.0, 2.0, 6.0, 2.0]
    assert loads.hops.tolist() == [2]


def test_switches_without_a_way_are_told() -> None:
    cluster = Cluster()
    a, b, c, d = (cluster.device(switch_part(), name) for name in "abcd")
    cluster.link(a, b)
    cluster.link(c, d)
    fabric = Fabric.of(cluster.design())
    loads = fabric.ecmp.edge_loads(np.array([0, 0, 1]), np.array([1, 2, 1]), np.ones(3))
    assert loads.hops.tolist() == [1, -1, 0]
    assert loads.unreachable.tolist() == [1]
    assert loads.forward.tolist() == [1.0, 0.0]
