# SPDX-License-Identifier: Apache-2.0
"""Algorithms beyond rings and trees, all-to-all, hashing, groups and failures, by arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import Cluster, rail_pods, server_part, star, switch_part, three_tiers

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import ServerPart
from rackloom.catalog.words import Protocol, ScaleUpKind
from rackloom.collectives import (
    ALGORITHMS,
    Collective,
    EstimateError,
    Settings,
    estimate,
    failure_sweep,
)
from rackloom.collectives.hashing import _evenness
from rackloom.design import Design
from rackloom.fabric import Fabric, tier_numbers, ways_between

HUGE = [1 << 50]
ETHERNET = switch_part(512, protocol=Protocol.ETHERNET)
EXACT = 1e-3


def top(design: Design | Fabric, collective: str = "all-reduce", **options: object) -> float:
    return estimate(design, collective, sizes=HUGE, **options).peak.busbw_gb_per_s  # type: ignore[arg-type]


def limit(design: Design, collective: str) -> float:
    return estimate(design, collective, sizes=HUGE).limit.busbw_gb_per_s


# What libraries use where


def test_nvls_gives_what_was_measured_on_each_number_of_gpus() -> None:
    """stas00's readings on H200 by number of GPUs: 414.2, 435.6, 460.0, 473.1 GB/s."""
    design = star(1, server_part(nvls=True)).design()
    for gpus, measured in ((5, 414.2), (6, 435.6), (7, 460.0), (8, 473.1)):
        found = estimate(design, sizes=[8 << 30], gpus=gpus).points[0]
        assert found.algorithm == "nvls"
        assert found.busbw_gb_per_s == pytest.approx(measured, rel=0.03)
    ring = estimate(design, sizes=[8 << 30], algorithm="ring").points[0]
    assert ring.busbw_gb_per_s == pytest.approx(365.6, rel=0.03)


def test_nvls_is_of_switched_domains_that_add_up() -> None:
    mesh = server_part(nvls=True, kind=ScaleUpKind.NVLINK_MESH)
    for part in (server_part(), mesh):
        with pytest.raises(EstimateError, match="NVLink switches that reduce"):
            estimate(star(1, part).design(), algorithm="nvls")
    with pytest.raises(EstimateError, match="one node"):
        estimate(star(1, server_part(nvls=True)).design(), algorithm="nvls-tree")


def test_sharp_is_off_until_asked_for() -> None:
    """On switches that can; NCCL leaves CollNet off. With it NICs take S once instead of twice."""
    plain = star(4, server_part(nvls=True)).design()
    with pytest.raises(EstimateError, match="can reduce"):
        estimate(plain, algorithm="collnet-direct")
    part = switch_part(512).model_copy(update={"in_network_reduction": True})
    design = star(4, server_part(nvls=True), part).design()
    assert set(estimate(design).by_algorithm) == {"ring", "tree", "nvls-tree"}
    found = estimate(design, sizes=[16 << 30], settings=Settings(sharp=True))
    assert found.points[0].algorithm == "nvls"
    assert found.points[0].busbw_gb_per_s == pytest.approx(480, rel=0.02)  # NVIDIA's chart
    # what a server's NICs take: S up once and down once
    assert found.limit.busbw_gb_per_s == pytest.approx(2 * 31 / 32 * 400, rel=EXACT)


def test_aggregation_sends_one_sum_up_from_each_leaf() -> None:
    """Two servers a pod on one leaf a rail: one uplink of eight carries 1, ring and tree more."""
    part = switch_part(512).model_copy(update={"in_network_reduction": True})
    design = rail_pods(2, 8, 1, switch=part).design()
    found = estimate(design, sizes=HUGE, algorithm="collnet-direct")
    loads = found.loads
    assert loads is not None
    uplinks = [c for c in design.cables.values() if len({e.device for e in c.ends}) == 2]
    names = {d.id: d.name for d in design.devices.values()}
    up = {
        loads.by_cable[c.id]
        for c in uplinks
        if all(not names[e.device].startswith("gpu") for e in c.ends)
    }
    down = {
        loads.by_cable[c.id]
        for c in uplinks
        if any(names[e.device].startswith("gpu") for e in c.ends)
    }
    assert len(up) == len(down) == 1
    assert up.pop() == pytest.approx(down.pop())


def test_pat_takes_one_gpu_a_server() -> None:
    design = star(8).design()
    free = estimate(design, "all-gather", [8], gpus="one-per-server")
    assert set(free.by_algorithm) == {"ring", "pat"}
    found = estimate(design, "all-gather", [8], gpus="one-per-server", algorithm="pat").points[0]
    assert found.time_us == pytest.approx(8 + 3 * 14 / 3.5 + 2.8 * 8, rel=0.02)
    with pytest.raises(EstimateError, match="one GPU in each node"):
        estimate(design, "all-gather", algorithm="pat")


def test_rccl_has_rings_and_trees_only() -> None:
    part = server_part(
        architecture="cdna3", kind=ScaleUpKind.XGMI_MESH, generation="Infinity Fabric"
    )
    design = star(2, part).design()
    assert set(estimate(design).by_algorithm) == {"ring", "tree"}
    with pytest.raises(EstimateError, match="does not have it"):
        estimate(design, algorithm="nvls-tree")


def test_small_messages_of_rccl_take_a_tree_of_ll() -> None:
    """RCCL's table: base 12, 0.8 us a GPU, 10.5 us a server; no 25 us of Simple for eight bytes."""
    part = server_part(
        architecture="cdna3", kind=ScaleUpKind.XGMI_MESH, generation="Infinity Fabric"
    )
    found = estimate(star(16, part).design(), sizes=[8]).points[0]
    assert (found.algorithm, found.protocol) == ("tree", "LL")
    assert found.time_us == pytest.approx(12 + 2 * (7 * 0.8 + 4 * 10.5), rel=0.1)


def test_every_collective_has_an_answer_and_names_that_fit() -> None:
    design = star(4, server_part(nvls=True)).design()
    for kind in Collective:
        found = estimate(design, kind, sizes="8:16G:4")
        assert found.collective is kind
        assert set(found.by_algorithm) <= set(ALGORITHMS)
        best = [
            min(points[n].time_us for points in found.by_algorithm.values())
            for n in range(len(found.points))
        ]
        assert [p.time_us for p in found.points] == pytest.approx(best)
    with pytest.raises(EstimateError, match="choose ring, or auto"):
        estimate(design, "broadcast", algorithm="tree")


# All-to-all and sends


@pytest.mark.parametrize(("servers", "expected"), [(2, 93.75), (4, 64.58), (8, 56.25)])
def test_all_to_all_limit_is_the_closed_form(servers: int, expected: float) -> None:
    """b (n - 1) / (n - g) with 50 GB/s a NIC."""
    n, g = servers * 8, 8
    assert expected == pytest.approx(50 * (n - 1) / (n - g), rel=1e-3)
    assert limit(star(servers).design(), "all-to-all") == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("uplinks", [8, 4, 2, 1])
def test_oversubscription_divides_the_all_to_all(uplinks: int) -> None:
    """Two pods of 8 servers: half of the pairs cross 8 leaves' uplinks of 50 GB/s each way.

    64 x 64 pairs of S/n over 8 x uplinks x 50 GB/s, or the NICs.
    """
    design = rail_pods(2, 8, uplinks).design()
    n, g = 128, 8
    nics = 50 * (n - 1) / (n - g)
    cut = 8 * uplinks * 50 / (64 * 64) * (n - 1)
    assert limit(design, "all-to-all") == pytest.approx(min(nics, cut), rel=EXACT)


def test_all_to_all_limits_of_plain_shapes() -> None:
    """Inside a switched domain the link rate; a mesh of four the sum of its links; one rack too."""
    switched = Cluster()
    switched.device(server_part(nics=0), "one")
    assert limit(switched.design(), "all-to-all") == pytest.approx(450, rel=EXACT)
    mesh = Cluster()
    mesh.device(server_part(gpus=4, nics=0, kind=ScaleUpKind.NVLINK_MESH), "one")
    assert limit(mesh.design(), "all-to-all") == pytest.approx(450, rel=EXACT)
    ring = Cluster()  # four GPUs, one a server, on four switches in a ring of single links
    ids = [ring.device(switch_part(8), f"s{n}") for n in range(4)]
    for n in range(4):
        server = ring.device(server_part(gpus=1, scale_up_gb_per_s=None), f"gpu-{n}")
        ring.link(server, ids[n], a_cage="0")
        ring.link(ids[n], ids[(n + 1) % 4])
    # halves: 2 x 2 pairs over two links: 2 x 50 / 4 = 25 a pair, as the NIC's 50 / 3 allows less
    assert limit(ring.design(), "all-to-all") == pytest.approx(50, rel=EXACT)


def test_all_to_all_without_pxn_crosses_rails() -> None:
    """Rails joined by few uplinks: PXN stays on them, without it 7 of 8 pieces go by the spine."""
    design = rail_pods(1, 8, 1).design()
    n, g = 64, 8
    with_pxn = top(design, "all-to-all")
    assert with_pxn == pytest.approx(50 * 0.9425, rel=0.01)
    # a leaf takes in 8 NICs' data and sends 7/8 of it up one link
    without = top(design, "all-to-all", algorithm="direct-without-pxn")
    per_nic = 50 / 7 * (n - 1) / (n - g)
    assert without == pytest.approx(per_nic * 0.9425, rel=0.01)
    apart = rail_pods(1, 8, 0, spines=0).design()
    assert top(apart, "all-to-all") == pytest.approx(with_pxn, rel=1e-6)
    with pytest.raises(EstimateError, match="rails are not joined"):
        top(apart, "all-to-all", algorithm="direct-without-pxn")


def test_all_to_all_over_three_tiers_is_bound_by_nics() -> None:
    found = estimate(three_tiers(256, radix=16).design(), "all-to-all", sizes=HUGE)
    assert found.bottleneck.kind == "nic"
    assert found.limit.busbw_gb_per_s == pytest.approx(50 * 255 / 248, rel=EXACT)


def test_send_receive_goes_by_one_nic() -> None:
    """Only one GPU of a server sends away, by its own NIC: 50 GB/s."""
    assert top(star(2).design(), "send-receive") == pytest.approx(50 * 0.9425, rel=0.01)


def test_broadcast_is_bound_by_what_a_server_can_take() -> None:
    found = estimate(star(4).design(), "broadcast", sizes=HUGE)
    assert found.limit.busbw_gb_per_s == pytest.approx(400, rel=EXACT)
    assert found.peak.busbw_gb_per_s == pytest.approx(400 * 0.9425, rel=0.01)


def test_loads_add_up_on_a_star() -> None:
    """A ring at full rate keeps every NIC cable as busy as its efficiency says."""
    found = estimate(star(4).design(), sizes=HUGE, algorithm="ring")
    assert found.loads is not None
    busy = list(found.loads.by_cable.values())
    assert len(busy) == 32
    assert busy == pytest.approx([0.9425] * 32, rel=0.01)


# Hashing


@pytest.mark.parametrize(
    ("uplinks", "flows", "median", "worst"),
    [
        (16, 1, 0.33, 0.25),
        (16, 4, 0.50, 0.40),
        (16, 16, 0.70, 0.59),
        (32, 4, 0.50, 0.36),
        (32, 32, 0.73, 0.65),
        (64, 16, 0.62, 0.53),
    ],
)
def test_hash_placements_match_the_published_table(
    uplinks: int, flows: int, median: float, worst: float
) -> None:
    """One NIC per uplink at line rate, flows placed uniformly: share of the fullest uplink."""
    rng = np.random.default_rng(1)
    draws = _evenness(rng, uplinks, uplinks * flows)
    assert np.quantile(draws, 0.5) == pytest.approx(median, abs=0.02)
    assert np.quantile(draws, 0.05) == pytest.approx(worst, abs=0.02)


def crossing_pairs() -> Cluster:
    """Two leaves of four servers with one GPU and NIC each, in turn, so each ring hop crosses."""
    cluster = Cluster()
    leaves = [cluster.device(ETHERNET, f"leaf-{n}") for n in range(2)]
    spine = cluster.device(ETHERNET, "spine")
    for n in range(8):
        server = cluster.device(server_part(gpus=1, scale_up_gb_per_s=None), f"gpu-{n}")
        cluster.link(server, leaves[n % 2], a_cage="0")
    for leaf in leaves:
        cluster.links(leaf, spine, 4)
    return cluster


def test_hashing_costs_and_more_flows_cost_less() -> None:
    design = crossing_pairs().design()
    even = Settings(routing="adaptive")
    fluid = estimate(design, sizes=HUGE, settings=even, algorithm="ring")
    assert fluid.low_busbw_gb_per_s == pytest.approx([p.busbw_gb_per_s for p in fluid.points])
    previous = 0.0
    for flows in (1, 4, 32, 256):
        hashed = Settings(flows_per_connection=flows)
        found = estimate(design, sizes=HUGE, settings=hashed, algorithm="ring")
        assert previous < found.peak.busbw_gb_per_s < fluid.peak.busbw_gb_per_s
        assert found.low_busbw_gb_per_s[0] <= found.peak.busbw_gb_per_s
        assert "hashing" in found.bottleneck.text
        previous = found.peak.busbw_gb_per_s
    # four single flows over four links, at both leaves and both ways: 2 on one link at the least
    single = Settings(flows_per_connection=1)
    one = estimate(design, sizes=HUGE, settings=single, algorithm="ring")
    assert one.peak.busbw_gb_per_s == pytest.approx(fluid.peak.busbw_gb_per_s / 3, rel=0.01)


def test_a_lossy_network_is_said_to_be_one() -> None:
    design = star(4, switch=ETHERNET).design()
    lossy = estimate(design, sizes=HUGE, settings=Settings(network_efficiency=0.6))
    assert lossy.peak.busbw_gb_per_s == pytest.approx(0.6 * top(design), rel=1e-6)
    assert "60%" in lossy.bottleneck.text
    for wrong in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(EstimateError):
            estimate(design, settings=Settings(network_efficiency=wrong))
    for words in ({"routing": "luck"}, {"transport": "pigeon"}, {"flows_per_connection": 0}):
        with pytest.raises(EstimateError):
            estimate(design, settings=Settings(**words))


def test_without_gpudirect_the_gpus_pcie_carries_what_nics_send() -> None:
    """Gen4 x16 GPUs with two NICs of 200 Gb/s each: NCCL's 24 GB/s of a port instead of 50."""
    part = server_part(pcie_gen=4, nic_gbps=200)
    direct = top(star(2, part).design())
    bounced = part.model_copy(update={"gpu_direct_rdma": False})
    assert top(star(2, bounced).design()) == pytest.approx(direct)  # 25 GB/s pass
    two = server_part(pcie_gen=4, nic_gbps=200, nics=16).model_copy(
        update={"gpu_direct_rdma": False}
    )
    found = estimate(star(2, two).design(), sizes=HUGE, algorithm="ring")
    assert found.peak.busbw_gb_per_s == pytest.approx(8 * 24, rel=0.01)
    assert "no GPUDirect" in found.bottleneck.text


# Groups, failures, numbers


def test_groups() -> None:
    design = rail_pods(2, 4, 4).design()
    for words, gpus in (
        ("every:8", 8),
        ("every:16", 4),
        ("one-per-server", 8),
        ("pod:pod-1", 32),
        ("pod:pod-2,gpu-01-001", 40),
    ):
        assert estimate(design, gpus=words, sizes=[8]).gpus == gpus
    for wrong, says in (("every:0", "takes no GPU"), ("pod:x", "pod-1, pod-2"), ("every:x", "x")):
        with pytest.raises(EstimateError, match=says):
            estimate(design, gpus=wrong)


def test_unplugging_is_ranked_by_what_it_costs() -> None:
    """The only spine is what everything hangs on; kinds cover all that is drawn."""
    design = rail_pods(2, 4, 1, spines=1).design()
    found = failure_sweep(design)
    lost = [effect.lost for effect in found.effects]
    assert lost == sorted(lost, reverse=True)
    kinds = {effect.kind: effect for effect in found.effects}
    assert set(kinds) == {"server", "leaf", "spine", "server-leaf cable", "leaf-spine cable"}
    assert len(kinds["server-leaf cable"].members) == 64
    assert len(kinds["leaf-spine cable"].members) == 16
    assert len(kinds["leaf"].members) == 16
    assert kinds["spine"].lost == 1  # pods are islands
    assert kinds["spine"].busbw_gb_per_s == 0
    assert "cannot reach each other" in kinds["spine"].text
    assert kinds["server-leaf cable"].lost > 0.1
    again = failure_sweep(design, most_kinds=2)
    assert (len(again.effects), again.left_out) == (2, 3)


def test_unplugging_one_of_a_kind_is_like_unplugging_another() -> None:
    design = rail_pods(2, 2, 2).design()
    for effect in failure_sweep(design, "all-to-all").effects:
        rates = {
            round(top(design, "all-to-all", failed=[member]), 6) for member in effect.members[::5]
        }
        assert len(rates) == 1, effect.kind


def test_numbers_by_tier() -> None:
    leaf, spine = tier_numbers(Fabric.of(rail_pods(2, 8, 4).design()))
    assert (leaf.role, leaf.switches, leaf.down_gbps, leaf.up_gbps) == ("leaf", 16, 51200, 25600)
    assert leaf.oversubscription == leaf.worst_oversubscription == 2
    assert len(leaf.worst_at) == 16
    assert leaf.bisection_gbps == 12800
    assert (spine.role, spine.switches, spine.oversubscription) == ("spine", 4, None)


def test_ways_and_hops() -> None:
    """Within a rail two hops by the leaf; between pods four, by each of the spines."""
    design = rail_pods(2, 2, 4).design()
    fabric = Fabric.of(design)
    by_name = {d.name: d.id for d in design.devices.values()}
    near = ways_between(fabric, by_name["gpu-01-001"], by_name["gpu-01-002"])
    far = ways_between(fabric, by_name["leaf-01-0"], by_name["leaf-02-0"])
    assert near is not None
    assert far is not None
    assert (near.hops, near.paths, near.longest_hops) == (2, 8, 4)
    assert (far.hops, far.paths) == (2, 4)
    islands = rail_pods(2, 2, 0, spines=0).design()
    ids = {d.name: d.id for d in islands.devices.values()}
    assert ways_between(Fabric.of(islands), ids["gpu-01-001"], ids["gpu-02-001"]) is None


@given(
    kind=st.sampled_from(list(Collective)),
    servers=st.integers(1, 5),
    shape=st.sampled_from([(1, 1), (4, 4), (4, 1), (2, 4)]),
    nvls=st.booleans(),
    switches=st.integers(1, 3),
    wires=st.lists(st.integers(0, 2), min_size=20, max_size=20),
    between=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=5),
    dead=st.lists(st.integers(0, 40), max_size=4),
    algorithm=st.sampled_from(ALGORITHMS),
    ethernet=st.booleans(),
    sharp=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_any_wiring_has_a_sentence_or_a_finite_answer_below_the_limit(
    kind: Collective,
    servers: int,
    shape: tuple[int, int],
    nvls: bool,
    switches: int,
    wires: list[int],
    between: list[tuple[int, int]],
    dead: list[int],
    algorithm: str,
    ethernet: bool,
    sharp: bool,
) -> None:
    protocol = Protocol.ETHERNET if ethernet else Protocol.INFINIBAND
    part = switch_part(64, protocol=protocol).model_copy(update={"in_network_reduction": sharp})
    cluster = Cluster()
    ids = [cluster.device(part, f"s{n}") for n in range(switches)]
    for n in range(servers):
        server = cluster.device(server_part(gpus=shape[0], nics=shape[1], nvls=nvls), f"gpu-{n}")
        for nic in range(shape[1]):
            cluster.link(server, ids[wires[n * 4 + nic] % switches], a_cage=str(nic))
    for a, b in between:
        if a % switches != b % switches:
            cluster.link(ids[a % switches], ids[b % switches])
    everything = [*cluster.cables, *cluster.devices]
    failed = {str(everything[d]) for d in dead if d < len(everything)}
    try:
        found = estimate(
            cluster.design(),
            kind,
            [0, 8, 1 << 20, 10**18],
            failed=failed,
            algorithm=algorithm,
            settings=Settings(sharp=sharp),
        )
    except EstimateError as error:
        sentence = str(error)
    else:
        sentence = ""
    if sentence:
        assert "\n" not in sentence
        assert len(sentence) > 20
        return
    for point, low in zip(found.points, found.low_busbw_gb_per_s, strict=True):
        numbers = (point.time_us, point.algbw_gb_per_s, point.busbw_gb_per_s, low)
        assert all(math.isfinite(x) and x >= 0 for x in numbers)
        assert point.time_us > 0
        assert low <= point.busbw_gb_per_s * (1 + 1e-9)
        assert point.busbw_gb_per_s <= found.limit.busbw_gb_per_s * (1 + 1e-6)
    assert found.loads is not None
    assert all(0 < x <= 1 + 1e-6 for x in found.loads.by_cable.values())


def test_closed_forms_of_racks_and_planes() -> None:
    """Racks of 4 x 4 GPUs as one domain each (as NVL72), and NICs with ports on two planes."""
    part = server_part(
        gpus=4, scale_up_gb_per_s=900, generation="NVLink 5", architecture="blackwell"
    )
    assert part.scale_up is not None
    wide = part.scale_up.model_copy(update={"spans_rack": True, "domain_gpus": 16})
    rack = part.model_copy(update={"scale_up": wide})
    cluster = Cluster()
    leaf = cluster.device(switch_part(512), "leaf")
    for n in range(3):
        cluster.new_rack()
        for tray in range(4):
            server = cluster.device(rack, f"gpu-{n}-{tray}")
            for nic in range(4):
                cluster.link(server, leaf, a_cage=str(nic))
    n, g = 48, 16
    design = cluster.design()
    assert limit(design, "all-to-all") == pytest.approx(50 * (n - 1) / (n - g), rel=EXACT)
    assert limit(design, "all-gather") == pytest.approx(
        min(950, g * 50 * (n - 1) / (n - g)), rel=EXACT
    )
    (inside,) = (c.text for c in estimate(design, sizes=HUGE).caps if c.kind == "scale-up")
    racks = [design.racks[d.rack].name for d in design.devices.values() if d.name == "gpu-0-0"]
    assert f"inside rack {racks[0]}, " in inside, "a backplane is not one tray's"
    planes = Cluster()
    switches = [planes.device(switch_part(512), f"plane-{p}") for p in range(2)]
    two = server_part(nic_gbps=200, ports_per_nic=2)
    for k in range(4):
        server = planes.device(two, f"gpu-{k}")
        for nic in range(8):
            for p in range(2):
                planes.link(server, switches[p], a_cage=f"{nic}.{p}")
    assert limit(planes.design(), "all-to-all") == pytest.approx(50 * 31 / 24, rel=EXACT)
    assert limit(planes.design(), "all-gather") == pytest.approx(500, rel=EXACT)
    half = top(planes.design(), "all-to-all", failed=["plane-1"])
    assert half == pytest.approx(top(planes.design(), "all-to-all") / 2, rel=1e-6)


@pytest.mark.parametrize("broken", [False, True])
def test_the_programme_agrees_with_cuts_where_one_edge_is_missing(broken: bool) -> None:
    """A dead NIC: its GPU (and server) get less, and no cut allows more than the programme says."""
    design = star(4).design()
    failed = [next(iter(design.cables))] if broken else []
    found = estimate(design, "all-to-all", sizes=HUGE, failed=failed).limit
    n, g, nics = 32, 8, 7 if broken else 8
    assert found.exact
    assert found.busbw_gb_per_s == pytest.approx(nics * 50 * (n - 1) / (g * (n - g)), rel=EXACT)


def test_every_server_of_the_catalogue_has_an_answer_or_a_sentence() -> None:
    """Alone, and three of them cabled to one switch as far as their cages go."""
    answered = 0
    for part in load_bundled().of_kind(ServerPart):
        if part.gpu is None:
            continue
        for servers in (1, 3):
            design = star(servers, part).design()
            for kind in (Collective.ALL_REDUCE, Collective.ALL_TO_ALL):
                try:
                    found = estimate(design, kind, sizes="8:16G:64")
                except EstimateError:
                    continue
                answered += 1
                assert 0 < found.peak.busbw_gb_per_s <= found.limit.busbw_gb_per_s * (1 + 1e-6)
    assert answered >= 60
