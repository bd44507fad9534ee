# SPDX-License-Identifier: Apache-2.0
"""The limit against closed forms, against itself without the quotient, and the cut it names.

Closed form for k equal nodes of g GPUs with b_v GB/s of scale-up and b_x GB/s of NIC each, on a
fabric that blocks nothing: min(b_v + b_x, g b_x (n - 1) / (n - g)).
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import (
    Cluster,
    rail_pods,
    server_part,
    star,
    switch_part,
    three_tiers,
    with_part_of,
)

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.collectives import Collective, Limit, estimate
from rackloom.collectives.calibration import load_hardware
from rackloom.collectives.cut import gather_cut, stable_colour
from rackloom.collectives.flow_graph import FlowGraph, build_flow_graph
from rackloom.collectives.group import GpuChoice, form_group
from rackloom.collectives.limit import find_limit
from rackloom.collectives.ports import usable_ports
from rackloom.collectives.spread import spread_rate
from rackloom.design import Design
from rackloom.fabric import Fabric
from rackloom.generate import generate

EXACT = 1e-3


def a100() -> ServerPart:
    return server_part(
        nic_gbps=200,
        scale_up_gb_per_s=300,
        generation="NVLink 3",
        links_per_gpu=12,
        architecture="ampere",
        pcie_gen=4,
    )


def limit_of(design: Design, gpus: GpuChoice = None, failed: tuple[str, ...] = ()) -> Limit:
    fabric = Fabric.of(design, failed)
    group = form_group(fabric, gpus)
    hardware = load_hardware()
    return find_limit(fabric, group, usable_ports(fabric, group, hardware), hardware)


def test_published_cases() -> None:
    """325, 500, 500 and 450 GB/s: A100 2x8, H100 2x8, 4x8, 8x8."""
    assert limit_of(star(2, a100()).design()).busbw_gb_per_s == pytest.approx(325, rel=EXACT)
    for servers, expected in ((2, 500), (4, 500), (8, 450)):
        limit = limit_of(star(servers).design())
        assert limit.busbw_gb_per_s == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize(("spine_gbps", "expected"), [(400, 450.0), (200, 393.75)])
def test_oversubscribed_pods(spine_gbps: float, expected: float) -> None:
    """8 H100 servers in two rail pods: a 4:1 spine leaves 450, 8:1 lowers it to 394."""
    cluster = rail_pods(pods=2, servers_per_pod=4, uplinks_per_leaf=1)
    spine = next(d.id for d in cluster.devices.values() if d.name == "spine-01")
    with_part_of(cluster, spine, switch_part(512, spine_gbps))
    limit = limit_of(cluster.design())
    assert limit.busbw_gb_per_s == pytest.approx(expected, rel=EXACT)
    if spine_gbps == 200:
        assert "pod-" in limit.text
        assert "leaf-spine links" in limit.text
        assert len(limit.cut) == 8  # one uplink of each of a pod's leaves


def test_one_and_many_are_told_apart() -> None:
    few = star(2, server_part(gpus=1, nics=1, scale_up_gb_per_s=None)).design()
    assert limit_of(few).text == "1 NIC link (50 GB/s) joins GPU 0 of gpu-001 to the other GPU"
    text = limit_of(star(8).design()).text
    assert text == "8 NIC links (400 GB/s in all) join gpu-001 to the other 56 GPUs"


@pytest.mark.parametrize("servers", [2, 3, 4, 6, 16])
@pytest.mark.parametrize("nic_gbps", [100, 400, 800])
def test_closed_form_of_equal_servers(servers: int, nic_gbps: float) -> None:
    part = server_part(nic_gbps=nic_gbps, pcie_gen=None)
    n, g, b_v, b_x = servers * 8, 8, 450, nic_gbps / 8
    expected = min(b_v + b_x, g * b_x * (n - 1) / (n - g))
    limit = limit_of(star(servers, part, switch_part(512, nic_gbps)).design())
    assert limit.busbw_gb_per_s == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("servers", [2, 3, 4, 16])
@pytest.mark.parametrize("nic_gbps", [100, 400, 3200])
def test_closed_form_where_the_switches_of_each_server_add_up(
    servers: int, nic_gbps: float
) -> None:
    """Each server holds its own sum, so R of them are R places; each GPU takes the result once.

    R places that reduce at their ends move 2 (R - 1) / R of the data each: algorithm bandwidth is
    g b_x R / 2 (R - 1) at most, and b_v + b_x for what goes in and out of one GPU.
    """
    part = server_part(nic_gbps=nic_gbps, pcie_gen=None)
    assert part.scale_up is not None
    adds_up = part.scale_up.model_copy(update={"in_network_reduction": True})
    part = part.model_copy(update={"scale_up": adds_up})
    n, g, b_v, b_x = servers * 8, 8, 450, nic_gbps / 8
    algbw = min(b_v + b_x, g * b_x * servers / (2 * (servers - 1)))
    limit = estimate(star(servers, part, switch_part(512, nic_gbps)).design(), sizes="1G").limit
    assert limit.busbw_gb_per_s == pytest.approx(2 * (n - 1) / n * algbw, rel=EXACT)
    assert limit.exact
    assert limit.text.endswith("with switches that add up inside servers and racks")
    without = limit_of(star(servers, part, switch_part(512, nic_gbps)).design())
    assert limit.busbw_gb_per_s >= without.busbw_gb_per_s * (1 - EXACT)


def test_switches_that_do_not_add_up_leave_the_limit_as_it_is() -> None:
    """NVLink 3 has no reduction in its switches: 325 GB/s for A100, whatever the library."""
    limit = estimate(star(2, a100()).design(), sizes="1G").limit
    assert limit.busbw_gb_per_s == pytest.approx(325, rel=EXACT)
    assert "add up" not in limit.text


def test_two_racks_of_72_are_limited_by_what_a_gpu_takes() -> None:
    """900 GB/s of NVLink and 50 of NIC into each GPU, once: no schedule needs more."""
    design = generate("nvl72", load_bundled(), gpus=144).design
    limit = estimate(design, sizes="1G").limit
    assert limit.busbw_gb_per_s == pytest.approx(2 * 143 / 144 * 950, rel=EXACT)


def test_star_of_single_gpus_is_as_fast_as_a_port() -> None:
    part = server_part(gpus=1, scale_up_gb_per_s=None)
    assert limit_of(star(9, part).design()).busbw_gb_per_s == pytest.approx(50, rel=EXACT)


def test_ring_of_single_gpus_is_as_fast_as_two_ports() -> None:
    part = server_part(gpus=1, nics=2, scale_up_gb_per_s=None)
    cluster = Cluster()
    ids = [cluster.device(part, f"n{i}") for i in range(6)]
    for i, device in enumerate(ids):
        cluster.link(device, ids[(i + 1) % 6], "0", "1")
    limit = limit_of(cluster.design())
    assert limit.busbw_gb_per_s == pytest.approx(100, rel=EXACT)


def test_line_of_single_gpus_is_cut_at_its_end() -> None:
    part = server_part(gpus=1, nics=2, scale_up_gb_per_s=None)
    cluster = Cluster()
    ids = [cluster.device(part, f"n{i}") for i in range(6)]
    for a, b in pairwise(ids):
        cluster.link(a, b, "0", "1")
    assert limit_of(cluster.design()).busbw_gb_per_s == pytest.approx(50, rel=EXACT)


def test_mesh_counts_the_links_between_members() -> None:
    """MI300X: seven xGMI links of 64 GB/s; two of the eight GPUs share one."""
    part = server_part(
        scale_up_gb_per_s=448,
        kind=ScaleUpKind.XGMI_MESH,
        generation="Infinity Fabric",
        links_per_gpu=7,
        architecture="cdna3",
    )
    cluster = Cluster()
    cluster.device(part, "mi300x")
    design = cluster.design()
    assert limit_of(design).busbw_gb_per_s == pytest.approx(448, rel=EXACT)
    assert limit_of(design, gpus=2).busbw_gb_per_s == pytest.approx(64, rel=EXACT)


def test_two_planes_add_up() -> None:
    """An adapter with a port in each of two networks has the bandwidth of both."""
    part = server_part(ports_per_nic=2, pcie_gen=None)
    cluster = Cluster()
    planes = [cluster.device(switch_part(512), f"plane-{p}") for p in range(2)]
    for i in range(8):
        server = cluster.device(part, f"gpu-{i}")
        for nic in range(8):
            for p in range(2):
                cluster.link(server, planes[p], a_cage=f"{nic}.{p}")
    n, g, b_x = 64, 8, 100
    expected = min(450 + b_x, g * b_x * (n - 1) / (n - g))
    assert limit_of(cluster.design()).busbw_gb_per_s == pytest.approx(expected, rel=EXACT)


def rack_scale(racks: int) -> Design:
    """NVL72: 18 trays of 4 GPUs a rack in one domain of 72, 900 GB/s and a 400G NIC each."""
    tray = server_part(gpus=4, scale_up_gb_per_s=900, generation="NVLink 5", pcie_gen=None)
    assert tray.scale_up is not None
    domain = tray.scale_up.model_copy(update={"spans_rack": True, "domain_gpus": 72})
    tray = tray.model_copy(update={"scale_up": domain, "id": PartId("nvl72-tray")})
    cluster = Cluster()
    leaf = cluster.device(switch_part(512), "leaf")
    for rack in range(racks):
        cluster.new_rack()
        for n in range(18):
            device = cluster.device(tray, f"tray-{rack + 1}-{n + 1:02d}")
            for nic in range(4):
                cluster.link(device, leaf, a_cage=str(nic))
    return cluster.design()


@pytest.mark.parametrize("racks", [2, 3])
def test_rack_scale_domains(racks: int) -> None:
    n, g, b_v, b_x = 72 * racks, 72, 900, 50
    expected = min(b_v + b_x, g * b_x * (n - 1) / (n - g))
    design = rack_scale(racks)
    assert limit_of(design).busbw_gb_per_s == pytest.approx(expected, rel=EXACT)
    assert form_group(Fabric.of(design)).nodes == racks


def test_pcie_behind_a_fast_adapter_binds() -> None:
    """An 800G adapter on PCIe Gen5 x16 (63 GB/s) moves no more than PCIe."""
    part = server_part(nic_gbps=800, scale_up_gb_per_s=None, gpus=1, pcie_gen=5)
    limit = limit_of(star(4, part, switch_part(512, 800)).design())
    assert limit.busbw_gb_per_s == pytest.approx(3.938 * 16, rel=EXACT)
    assert "PCIe" in limit.text


def test_a_dead_leaf_lowers_the_limit_and_the_cut_names_a_server() -> None:
    design = rail_pods(pods=2, servers_per_pod=4, uplinks_per_leaf=4).design()
    whole = limit_of(design)
    leaf = next(d.id for d in design.devices.values() if d.name == "leaf-01-3")
    cut = limit_of(design, failed=(leaf,))
    assert whole.busbw_gb_per_s == pytest.approx(8 * 50 * 63 / 56, rel=EXACT)
    assert cut.busbw_gb_per_s == pytest.approx(7 * 50 * 63 / 56, rel=EXACT)
    assert "gpu-01-" in cut.text
    assert all(design.cables[c].ends[0].device for c in cut.cut)  # type: ignore[index]


def test_three_tiers_full_bisection_is_bound_by_the_nics() -> None:
    design = three_tiers(256, radix=16).design()
    n, g = 256, 8
    expected = g * 50 * (n - 1) / (n - g)
    assert limit_of(design).busbw_gb_per_s == pytest.approx(expected, rel=EXACT)


@given(
    servers=st.integers(2, 5),
    shape=st.sampled_from([(1, 1), (2, 1), (2, 2), (4, 4), (4, 2)]),
    switches=st.integers(1, 4),
    scale_up=st.sampled_from([None, 30.0, 300.0]),
    mesh=st.booleans(),
    wires=st.lists(st.integers(0, 3), min_size=20, max_size=20),
    between=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 2)), max_size=6
    ),
    slow=st.booleans(),
)
@settings(max_examples=80)
def test_the_quotient_is_exact(
    servers: int,
    shape: tuple[int, int],
    switches: int,
    scale_up: float | None,
    mesh: bool,
    wires: list[int],
    between: list[tuple[int, int, int]],
    slow: bool,
) -> None:
    kind = ScaleUpKind.NVLINK_MESH if mesh else ScaleUpKind.NVLINK_SWITCHED
    part = server_part(gpus=shape[0], nics=shape[1], scale_up_gb_per_s=scale_up, kind=kind)
    cluster = Cluster()
    ids = [
        cluster.device(switch_part(64, 100 if slow and n == 0 else 400), f"s{n}")
        for n in range(switches)
    ]
    for n in range(servers):
        server = cluster.device(part, f"gpu-{n}")
        for nic in range(shape[1]):
            cluster.link(server, ids[wires[n * 4 + nic] % switches], a_cage=f"{nic}")
    for a, b, count in between:
        if a % switches != b % switches:
            cluster.links(ids[a % switches], ids[b % switches], count)
    fabric = Fabric.of(cluster.design())
    group, hardware = form_group(fabric), load_hardware()
    graph = build_flow_graph(fabric, group, usable_ports(fabric, group, hardware), hardware)
    direct = gather_cut(graph, symmetric=False)
    for few_classes in (0, 1000):  # with and without absorbing the core
        found = gather_cut(graph, few_classes=few_classes)
        assert found.exact
        assert found.rate_gbps == pytest.approx(direct.rate_gbps, rel=1e-6, abs=1e-9)
        crossing = graph.gbps[found.crossing].sum()
        assert crossing == pytest.approx(found.rate_gbps * found.gpus_inside, rel=1e-6, abs=1e-9)
        assert 0 < found.gpus_inside < graph.gpus


def regular_leaves() -> Design:
    """Fourteen leaves with a server and three links to other leaves each: ten of them hang together
    with the other four by two links only, though from near by all look the same."""
    cluster = Cluster()
    leaves = [cluster.device(switch_part(64), f"leaf-{n:02d}") for n in range(14)]
    for n, leaf in enumerate(leaves):
        server = cluster.device(server_part(), f"gpu-{n:02d}")
        for nic in range(8):
            cluster.link(server, leaf, a_cage=str(nic))
    ring = [(n, (n + 1) % 10) for n in range(10)] + [(n, n + 5) for n in range(1, 5)]
    four = [(10, 12), (10, 13), (11, 12), (11, 13), (12, 13)]
    for a, b in [*ring, *four, (0, 10), (5, 11)]:
        cluster.link(leaves[a], leaves[b])
    return cluster.design()


def test_equal_neighbourhoods_do_not_hide_a_narrow_place() -> None:
    """80 GPUs have two links of 50 GB/s for what they send to the other 32."""
    design, n = regular_leaves(), 112
    gathered = limit_of(design)
    assert gathered.busbw_gb_per_s == pytest.approx(100 / 80 * (n - 1), rel=EXACT)
    assert gathered.exact
    broadcast = estimate(design, Collective.BROADCAST).limit
    assert broadcast.busbw_gb_per_s == pytest.approx(100, rel=EXACT)
    spread = estimate(design, Collective.ALL_TO_ALL).limit
    assert spread.busbw_gb_per_s == pytest.approx(100 / (80 * 32) * (n - 1), rel=EXACT)


@pytest.mark.parametrize("servers", [2, 256, 16_384])
def test_one_lost_nic_among_any_number_limits_an_all_to_all(servers: int) -> None:
    """7 NICs of 400 Gb/s for 8 (n - 8) pairs: at 131,072 GPUs no tolerance of a solver hides it."""
    n = servers * 8
    rank = np.arange(n)
    u, v = np.r_[rank, rank[1:]], np.r_[n + rank // 8, np.full(n - 1, n + servers)]
    gbps = np.r_[np.full(n, 3600.0), np.full(n - 1, 400.0)]
    none = np.zeros(len(u), np.int64)
    graph = FlowGraph(n + servers + 1, n, u, v, gbps, none, none)
    found = spread_rate(graph, stable_colour(graph), list)
    assert found.exact == (servers == 2)  # laid flow by flow in small fabrics only
    assert found.pair_gbps == pytest.approx(7 * 400 / (8 * (n - 8)), rel=1e-6)
    assert len(found.crossing) == 7
