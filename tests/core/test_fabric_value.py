# SPDX-License-Identifier: Apache-2.0
"""Tiers, networks, counts, failures and patches of a fabric."""

from collections.abc import Callable

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import Cluster, rail_pods, server_part, star, switch_part, three_tiers

from rackloom.catalog.words import ScaleUpKind
from rackloom.design import CableEnd, Design, Draft, edits
from rackloom.fabric import Fabric


def named(design: Design, name: str) -> str:
    return next(d.id for d in design.devices.values() if d.name == name)


def test_published_superpod_counts() -> None:
    """DGX SuperPOD B200, 2 scalable units: 16 leaves, 8 spines, 512 + 512 cables."""
    cluster = rail_pods(pods=2, servers_per_pod=32, uplinks_per_leaf=32, spines=8)
    (counts,) = Fabric.of(cluster.design()).counts
    assert counts.name == "compute"
    assert (counts.servers, counts.gpus) == (64, 512)
    assert counts.switches == {"leaf": 16, "spine": 8}
    assert counts.cables == {"server-leaf": 512, "leaf-spine": 512}
    assert counts.links == counts.cables


def test_three_tiers_are_named_by_distance_from_the_gpus() -> None:
    design = three_tiers(64, radix=8, part=server_part(gpus=4)).design()
    fabric = Fabric.of(design)
    for device in design.devices.values():
        stem = device.name.split("-")[0]
        assert fabric.tier_of(device.id) == (None if stem == "gpu" else stem)


def test_a_management_server_on_a_spine_does_not_make_it_a_leaf() -> None:
    cluster = rail_pods(pods=2, servers_per_pod=2, uplinks_per_leaf=2)
    head = cluster.device(server_part(gpus=0, nics=1, scale_up_gb_per_s=None), "ufm")
    spine = next(d.id for d in cluster.devices.values() if d.name == "spine-01")
    cluster.link(head, spine, a_cage="0")
    fabric = Fabric.of(cluster.design())
    assert fabric.tier_of(spine) == "spine"
    assert fabric.counts[0].cables["server-spine"] == 1


def test_what_the_design_names_stands() -> None:
    cluster = star(2)
    odd = cluster.device(switch_part(), "odd", role="border", fabric="wide-area")
    leaf = next(d.id for d in cluster.devices.values() if d.name == "leaf-01")
    cluster.link(leaf, odd)
    fabric = Fabric.of(cluster.design())
    assert fabric.tier_of(odd) == "border"
    assert fabric.network_of(odd) == "wide-area"


def test_management_ports_do_not_join_networks() -> None:
    cluster = star(2)
    leaf = next(d.id for d in cluster.devices.values() if d.name == "leaf-01")
    access = cluster.device(switch_part(48, 1), "oob-01")
    cluster.link(leaf, access, a_cage="MGMT")
    for device in [d.id for d in cluster.devices.values() if d.name.startswith("gpu")]:
        cluster.link(device, access, a_cage="BMC")
    fabric = Fabric.of(cluster.design())
    assert fabric.network_of(leaf) == "compute"
    assert fabric.network_of(access) == "out-of-band"
    assert fabric.tier_of(access) == "leaf"
    oob = next(c for c in fabric.counts if c.name == "out-of-band")
    assert oob.cables == {"server-leaf": 2, "switch-leaf": 1}


def test_oversubscription_is_down_over_up() -> None:
    design = rail_pods(pods=2, servers_per_pod=8, uplinks_per_leaf=4).design()
    fabric = Fabric.of(design)
    leaf, spine = named(design, "leaf-01-0"), named(design, "spine-01")
    assert fabric.oversubscription_of(leaf) == pytest.approx(2.0)  # type: ignore[arg-type]
    assert fabric.oversubscription_of(spine) is None  # type: ignore[arg-type]
    uplink = next(
        c.id for c in design.cables.values() if {e.device for e in c.ends} == {leaf, spine}
    )
    cut = fabric.without([uplink])
    assert cut.oversubscription_of(leaf) == pytest.approx(8 / 3)  # type: ignore[arg-type]


def test_failures_take_links_and_gpus_but_not_the_drawing() -> None:
    design = star(3).design()
    fabric = Fabric.of(design)
    broken = fabric.without([named(design, "gpu-002")])
    assert (fabric.gpus, broken.gpus) == (24, 16)
    assert broken.network.link_alive.sum() == 16
    assert broken.counts == fabric.counts
    assert fabric.without(["no-such-thing"]).gpus == 24


def test_graph_has_one_edge_a_link_and_says_what_it_is() -> None:
    design = star(2).design()
    fabric = Fabric.of(design)
    graph = fabric.graph
    server, leaf = named(design, "gpu-001"), named(design, "leaf-01")
    (edge,) = graph.get_edge_data(f"{server}/nic3", leaf).values()
    assert edge["rate_gbps"] == 400
    assert edge["layer"] == "server-leaf"
    assert graph.nodes[leaf]["role"] == "leaf"
    assert graph.nodes[f"{server}/nic3"]["rail"] == 3
    assert graph.has_edge(f"{server}/gpu3", f"{server}/nic3")
    links = [d for _, _, d in graph.edges(data=True) if d["kind"] == "link"]
    assert len(links) == 16
    (inner,) = graph.get_edge_data(f"{server}/gpu3", f"{server}/scale-up").values()
    assert inner == {"kind": "scale-up", "rate_gbps": 3600}
    (host,) = graph.get_edge_data(f"{server}/gpu3", f"{server}/nic3").values()
    assert (host["pcie_gen"], host["pcie_lanes"]) == (5, 16)
    assert networkx.is_connected(graph.subgraph(n for n in graph if graph.degree(n)))


def test_graph_of_a_mesh_joins_every_two_gpus() -> None:
    part = server_part(gpus=4, scale_up_gb_per_s=300, kind=ScaleUpKind.XGMI_MESH)
    graph = Fabric.of(star(1, part).design()).graph
    inner = [d["rate_gbps"] for _, _, d in graph.edges(data=True) if d["kind"] == "scale-up"]
    assert inner == [800] * 6


def test_an_empty_design_has_an_empty_fabric() -> None:
    fabric = Fabric.of(Design())
    assert fabric.counts == ()
    assert fabric.gpus == 0
    assert fabric.graph.number_of_nodes() == 0
    assert fabric.ecmp.classes == 0


def test_servers_cabled_to_each_other_make_a_link_without_a_switch() -> None:
    cluster = Cluster()
    a, b = (cluster.device(server_part(), n) for n in ("a", "b"))
    cluster.link(a, b, "0", "0")
    fabric = Fabric.of(cluster.design())
    assert fabric.counts[0].links == {"server-server": 1}
    assert fabric.counts[0].switches == {}
    assert fabric.network.attachments.switch.tolist() == [0, 0]


def pull(draft: Draft, n: int) -> None:
    cables = list(draft.cables)
    if cables:
        draft.remove("cables", cables[n % len(cables)])


def replug(draft: Draft, n: int) -> None:
    cables = list(draft.cables.values())
    if not cables:
        return
    cable = cables[n % len(cables)]
    switch = next(d for d in draft.devices.values() if d.name.startswith(("leaf", "spine")))
    free = f"{400 + n % 90}"
    taken = {(e.device, e.cage) for c in cables for e in c.ends}
    if (switch.id, free) not in taken and cable.ends[0].device != switch.id:
        edits.replug_cable(draft, cable.id, [cable.ends[0], CableEnd(1, switch.id, free)])


def drop(draft: Draft, n: int) -> None:
    devices = list(draft.devices)
    edits.remove(draft, [devices[n % len(devices)]] if devices else [])


def relabel(draft: Draft, n: int) -> None:
    device = list(draft.devices.values())[n % len(draft.devices)] if draft.devices else None
    if device is not None:
        edits.set_device(draft, device.id, fabric=f"net{n}", role="spine" if n % 2 else None)


VERBS: tuple[Callable[[Draft, int], None], ...] = (pull, replug, drop, relabel)


@given(st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 500)), min_size=1, max_size=6))
@settings(max_examples=25)
def test_patched_equals_built_anew(
    steps: list[tuple[Callable[[Draft, int], None], int]],
) -> None:
    design = rail_pods(pods=2, servers_per_pod=2, uplinks_per_leaf=2).design()
    fabric = Fabric.of(design)
    trail = []
    for verb, n in steps:
        draft = Draft(design)
        verb(draft, n)
        after, step = draft.close("edit")
        fabric = fabric.patched(after, step.change)
        design = after
        trail.append(step.change)
        fresh = Fabric.of(design)
        assert fabric.same_as(fresh)
        assert fabric.counts == fresh.counts
    for change in reversed(trail):
        before = design.apply(change.inverse)
        fabric = fabric.patched(before, change.inverse)
        design = before
        assert fabric.same_as(Fabric.of(design))
