# SPDX-License-Identifier: Apache-2.0
"""Estimates against published readings, against arithmetic, and on nonsense."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fabrics import Cluster, rail_pods, server_part, star, switch_part, with_part_of

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import CablePart, PartId, RackPart, ServerPart, SwitchPart
from rackloom.catalog.words import Protocol, ScaleUpKind
from rackloom.collectives import Collective, Estimate, EstimateError, estimate
from rackloom.collectives.tree import parents
from rackloom.design import CableEnd, Design, Draft, edits
from rackloom.generate import generate

ROWS = json.loads((Path(__file__).parents[1] / "data" / "measured_rings.json").read_text())["rows"]
LARGE = 256 * 1024**2


def named(design: Design, name: str) -> str:
    return next(d.id for d in design.devices.values() if d.name == name)


def peak(design: Design, failed: tuple[str, ...] = ()) -> float:
    """Bus bandwidth where latency no longer counts."""
    return estimate(design, sizes=[1 << 50], failed=failed).peak.busbw_gb_per_s


def superpod_servers(count: int) -> Design:
    """DGX H100s on one QM9700, each by four twin-port cables, as the catalogue has them."""
    catalog = load_bundled()
    server, leaf, rack, cable = (
        catalog[PartId(p)]
        for p in ("dgx-h100", "nvidia-qm9700", "generic-48u-800", "mcp4y10-n-flt")
    )
    assert isinstance(server, ServerPart)
    assert isinstance(leaf, SwitchPart)
    assert isinstance(rack, RackPart)
    assert isinstance(cable, CablePart)
    draft = Draft(Design())
    row = edits.add_row(draft)
    first = edits.add_rack(draft, rack, row, 0.0)
    switch = edits.add_device(draft, leaf, first, 48)
    for n in range(count):
        device = edits.add_device(draft, server, first, 1 + 8 * n)
        for cage in range(4):
            ends = (
                CableEnd(0, switch, str(4 * n + cage + 1)),
                CableEnd(1, device, f"OSFP{cage + 1}"),
            )
            edits.plug_cable(draft, cable, ends, 2.0)
    return draft.close("build")[0]


@pytest.mark.parametrize("servers", [2, 4])
def test_published_readings_of_dgx_class_servers_on_infiniband(servers: int) -> None:
    """Within 15 % from 256 MB up; within 10 % at the peak. The ring was forced on 2 servers."""
    rows = [r for r in ROWS if r["servers"] == servers and r["size_bytes"] >= LARGE]
    assert len(rows) >= 6
    forced = "ring" if servers == 2 else "auto"
    sizes = [r["size_bytes"] for r in rows]
    found = estimate(superpod_servers(servers), sizes=sizes, algorithm=forced)
    assert found.gpus == servers * 8
    for row, point in zip(rows, found.points, strict=True):
        assert point.busbw_gb_per_s == pytest.approx(row["busbw_gb_per_s"], rel=0.15)
    best = max(r["busbw_gb_per_s"] for r in rows)
    assert found.peak.busbw_gb_per_s == pytest.approx(best, rel=0.10)


def test_band_covers_the_published_peaks() -> None:
    for servers in (2, 4):
        rows = [r for r in ROWS if r["servers"] == servers]
        best = max(r["busbw_gb_per_s"] for r in rows)
        forced = "ring" if servers == 2 else "auto"
        found = estimate(superpod_servers(servers), sizes=[1 << 40], algorithm=forced)
        top = found.peak.busbw_gb_per_s
        assert abs(best / top - 1) <= found.band.fraction + 0.005
        assert "InfiniBand" in found.band.rests_on


def test_every_real_adapter_is_on_its_rail() -> None:
    """The DGX H100 cage map is not in rail order, yet eight channels find eight adapters."""
    found = estimate(superpod_servers(4), sizes=[1 << 40])
    assert found.bottleneck.kind == "nic"
    assert "8 x 400 Gb/s" in found.bottleneck.text
    nics = 400 * (31 / 32) * (4 / 3)  # each server holds its own sum: NVSwitch adds up
    assert found.limit.busbw_gb_per_s == pytest.approx(nics, rel=1e-3)


def test_a_cut_adapter_costs_an_eighth() -> None:
    design = star(4).design()
    cable = next(c for c in design.cables.values() if c.ends[0].cage == "3")
    assert peak(design, (cable.id,)) == pytest.approx(peak(design) * 7 / 8, rel=1e-6)
    cut = estimate(design, failed=[cable.id])
    assert "7 usable NIC ports" in cut.bottleneck.text
    assert cable.ends[0].device in cut.bottleneck.where


def leaf_per_pair(uplinks: int) -> Cluster:
    """Four servers, all adapters of two on one leaf; the ring crosses between the leaves twice."""
    cluster = Cluster()
    leaves = [cluster.device(switch_part(64), f"leaf-{n + 1:02d}") for n in range(2)]
    spine = cluster.device(switch_part(64), "spine-01")
    for n in range(4):
        server = cluster.device(server_part(), f"gpu-{n + 1}")
        for nic in range(8):
            cluster.link(server, leaves[n // 2], a_cage=str(nic))
    for leaf in leaves:
        cluster.links(leaf, spine, uplinks)
    return cluster


def test_unplugging_uplinks_costs_what_the_arithmetic_says() -> None:
    """Eight channels leave each leaf: u uplinks carry them at u x 400 Gb/s, and 8 need no more."""
    design = leaf_per_pair(8).design()
    leaf, spine = named(design, "leaf-01"), named(design, "spine-01")
    uplinks = [c.id for c in design.cables.values() if {e.device for e in c.ends} == {leaf, spine}]
    whole = peak(design)
    for pulled in range(1, 8):
        failed = tuple(uplinks[:pulled])
        assert peak(design, failed) == pytest.approx(whole * (8 - pulled) / 8, rel=1e-6)
    cut = estimate(design, failed=uplinks[:4])
    assert cut.bottleneck.kind == "uplink"
    assert cut.bottleneck.text == "leaf-01 uplinks, 4:1"
    assert leaf in cut.bottleneck.where
    assert set(uplinks[4:]) <= set(cut.bottleneck.where)
    assert not set(uplinks[:4]) & set(cut.bottleneck.where)


def test_failing_is_the_same_as_removing() -> None:
    design = leaf_per_pair(6).design()
    uplink = next(
        c.id for c in design.cables.values() if c.ends[1].device == named(design, "spine-01")
    )
    draft = Draft(design)
    draft.remove("cables", uplink)
    removed, _ = draft.close("unplug")
    assert estimate(design, failed=[uplink]).points == estimate(removed).points


def test_uneven_parallel_links_fill_at_the_slowest() -> None:
    """ECMP spreads flows by link: four of 400G and one of 100G carry five times 100G at most."""
    cluster = leaf_per_pair(4)
    spine = next(d for d in cluster.devices.values() if d.name == "spine-01")
    leaves = [d for d in cluster.devices.values() if d.name.startswith("leaf")]
    even = peak(cluster.design())
    for device in (spine, *leaves):
        with_part_of(cluster, device.id, switch_part(64, slow_ports=4))
    slow = [cluster.link(leaf.id, spine.id, "65", f"{65 + n}") for n, leaf in enumerate(leaves)]
    uneven = cluster.design()
    assert peak(uneven) == pytest.approx(even * 5 * 100 / (4 * 400), rel=1e-6)
    assert peak(uneven, tuple(slow)) == pytest.approx(even, rel=1e-6)


def test_rails_that_are_not_joined_still_work_rail_by_rail() -> None:
    design = rail_pods(pods=1, servers_per_pod=4, uplinks_per_leaf=0, spines=0).design()
    assert peak(design) == pytest.approx(peak(star(4).design()), rel=1e-6)


def test_collectives_on_the_same_ring_have_the_same_bus_bandwidth() -> None:
    design = star(4).design()
    tops = [
        estimate(design, c, sizes=[1 << 50]).peak
        for c in ("all-reduce", "all_gather", "reduce-scatter")
    ]
    for top in tops[1:]:
        assert top.busbw_gb_per_s == pytest.approx(tops[0].busbw_gb_per_s, rel=1e-4)
    assert tops[1].algbw_gb_per_s == pytest.approx(2 * tops[0].algbw_gb_per_s, rel=1e-4)


def test_small_messages_go_by_low_latency_protocols() -> None:
    found = estimate(star(4).design(), sizes="8:16G:2")
    protocols = [p.protocol for p in found.points]
    assert protocols[0] == "LL"
    assert protocols[-1] == "Simple"
    assert protocols == sorted(protocols, key=["LL", "LL128", "Simple"].index)
    times = [p.time_us for p in found.points]
    assert times == sorted(times)


def test_ring_latency_is_nccls_formula() -> None:
    """Two servers of 8 H100: 6.6 + 28 x max(0.6, 1) + 2 x 2.7 us, and what is on the way."""
    near = estimate(star(2).design(), sizes=[8], algorithm="ring").points[0].time_us
    assert near == pytest.approx(6.6 + 28 * 1.0 + 2 * 2.7, abs=0.2)
    slow = star(2, switch=switch_part(512, latency_ns=5230)).design()
    late = estimate(slow, sizes=[8], algorithm="ring").points[0].time_us
    assert late - near == pytest.approx(2 * 5.0, rel=1e-6)


@pytest.mark.parametrize(("servers", "measured_us"), [(2, 24.7), (4, 34.75)])
def test_eight_bytes_take_as_long_as_published(servers: int, measured_us: float) -> None:
    """nccl-tests issue 309: 8 B on 2 and 4 H100 servers, by the tree."""
    found = estimate(superpod_servers(servers), sizes=[8]).points[0]
    assert found.algorithm == "tree"
    assert found.time_us == pytest.approx(measured_us, rel=0.05)


def test_double_trees_are_nccls() -> None:
    """The drawings in NCCL's trees.cc: 14 ranks mirrored, 13 ranks shifted."""
    first, second = parents(14)
    assert first.tolist() == [-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12]
    assert second.tolist() == [13 - p if p >= 0 else -1 for p in reversed(first.tolist())]
    shifted = parents(13)[1]
    assert shifted[1] == -1
    for nodes in (2, 3, 4, 7, 8, 13, 14, 31, 32):
        for parent in parents(nodes):
            assert (parent < 0).sum() == 1
            children = np.bincount(parent[parent >= 0], minlength=nodes)
            assert children.max() <= 2
            at = np.arange(nodes)
            for _ in range(nodes.bit_length() + 1):
                at = np.where(parent[at] >= 0, parent[at], at)
            assert len(np.unique(at)) == 1  # everyone reaches the root


def test_trees_use_a_nic_as_much_as_rings_at_scale() -> None:
    """Each NIC takes the data twice: half the NIC rate as algorithm bandwidth, times 0.92.

    On Ampere with NICs of 100 Gb/s, where the library's own bounds do not bind.
    """
    part = server_part(nic_gbps=100, architecture="ampere", generation="NVLink 3", links_per_gpu=12)
    design = star(16, part).design()
    tree = estimate(design, sizes=[1 << 50], algorithm="tree").peak
    ring = estimate(design, sizes=[1 << 50], algorithm="ring").peak
    n = 128
    assert tree.busbw_gb_per_s == pytest.approx(0.92 * ring.busbw_gb_per_s * (n - 1) / n, rel=1e-4)
    assert estimate(design, sizes=[1 << 50]).peak == ring


def test_metres_of_cable_count() -> None:
    """100 m more at each end: 2 x 100 m x 4.5 ns/m a hop, two hops."""
    cluster = star(2)
    near = estimate(cluster.design(), sizes=[8], algorithm="ring").points[0].time_us
    far = Cluster()
    leaf = far.device(switch_part(512), "leaf")
    for n in range(2):
        server = far.device(server_part(), f"gpu-{n}")
        for nic in range(8):
            far.link(server, leaf, a_cage=str(nic), length_m=102.0)
    late = estimate(far.design(), sizes=[8], algorithm="ring").points[0].time_us
    assert late - near == pytest.approx(2 * 2 * 100 * 4.5e-3, rel=1e-6)


def test_xgmi_pair_is_one_link() -> None:
    """Two MI300X of eight share one of seven links; 47.7 GB/s were measured (RCCL)."""
    part = server_part(
        scale_up_gb_per_s=448,
        kind=ScaleUpKind.XGMI_MESH,
        generation="Infinity Fabric",
        links_per_gpu=7,
        architecture="cdna3",
        cpu_vendor="amd",
    )
    cluster = Cluster()
    cluster.device(part, "mi300x")
    design = cluster.design()
    pair = estimate(design, gpus=2, sizes=[4 << 30])
    assert pair.peak.busbw_gb_per_s == pytest.approx(47.671, rel=0.05)
    eight = estimate(design, sizes=[4 << 30])
    assert eight.peak.busbw_gb_per_s == pytest.approx(312.9, rel=0.05)
    assert {p.protocol for p in estimate(design).points} == {"LL", "Simple"}


def test_choice_of_gpus() -> None:
    design = star(12).design()
    assert estimate(design, gpus=16).gpus == 16
    assert estimate(design, gpus="gpu-010,gpu-002/7").gpus == 9
    assert estimate(design, gpus=["gpu-010/0", "gpu-010/1"]).bottleneck.kind == "scale-up"
    for wrong in (0, 97, "gpu-099", "leaf-01", "gpu-001/8", "gpu-001/x"):
        with pytest.raises(EstimateError):
            estimate(design, gpus=wrong)


def test_a_failed_server_leaves_the_others() -> None:
    design = star(4).design()
    assert estimate(design, failed=["gpu-002"]).gpus == 24
    with pytest.raises(EstimateError, match="gpu-002"):
        estimate(design, gpus=["gpu-001", "gpu-002"], failed=["gpu-002"])
    with pytest.raises(EstimateError, match="nothing is called"):
        estimate(design, failed=["gpu-999"])


def finite(found: Estimate) -> bool:
    numbers = [
        x
        for p in found.points
        for x in (p.time_us, p.algbw_gb_per_s, p.busbw_gb_per_s, p.limit_busbw_gb_per_s)
    ]
    return all(math.isfinite(x) and x >= 0 for x in [*numbers, found.band.fraction])


def test_sizes_from_nothing_to_an_exabyte() -> None:
    found = estimate(star(2).design(), sizes=[0, 1, 10**18])
    assert finite(found)
    assert found.points[0].busbw_gb_per_s == 0
    assert found.points[0].time_us > 0
    for wrong in ([-1], [1 << 80], []):
        with pytest.raises(EstimateError):
            estimate(star(2).design(), sizes=wrong)


def one_server() -> Design:
    cluster = Cluster()
    cluster.device(server_part(gpus=1, scale_up_gb_per_s=None), "lonely")
    return cluster.design()


def two_islands() -> Design:
    cluster = Cluster()
    for n in range(2):
        leaf = cluster.device(switch_part(), f"leaf-{n}")
        server = cluster.device(server_part(), f"gpu-{n}")
        for nic in range(8):
            cluster.link(server, leaf, a_cage=str(nic))
    return cluster.design()


def one_uncabled() -> Design:
    cluster = star(2)
    cluster.device(server_part(), "gpu-new")
    return cluster.design()


@pytest.mark.parametrize(
    ("design", "says"),
    [
        (Design(), "no GPU"),
        (one_server(), "one GPU"),
        (two_islands(), "cannot reach each other"),
        (one_uncabled(), "gpu-new has no working link"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence(design: Design, says: str) -> None:
    with pytest.raises(EstimateError, match=says) as caught:
        estimate(design)
    assert "\n" not in str(caught.value)


def test_everything_failed_is_a_sentence() -> None:
    design = star(2).design()
    with pytest.raises(EstimateError, match="failed"):
        estimate(design, failed=["gpu-001", "gpu-002"])
    with pytest.raises(EstimateError, match="no working link"):
        estimate(design, failed=["leaf-01"])


def test_wrong_words_are_sentences() -> None:
    design = star(2).design()
    wrong: tuple[dict[str, Any], ...] = (
        {"collective": "gossip"},
        {"algorithm": "warp"},
        {"protocol": "LL64"},
    )
    for words in wrong:
        with pytest.raises(EstimateError):
            estimate(design, **words)


def test_json_is_the_documented_one() -> None:
    found = estimate(star(2).design(), sizes="8:64:2").to_json()
    agreed = {"schema", "collective", "gpus", "points", "bottleneck", "limit"}
    assert set(found) == agreed | {"caps", "low_busbw_gb_per_s", "band", "notes"}
    assert (found["schema"], found["collective"], found["gpus"]) == (1, "all-reduce", 16)
    assert set(found["points"][0]) == {
        "size_bytes",
        "time_us",
        "algbw_gb_per_s",
        "busbw_gb_per_s",
        "algorithm",
        "protocol",
        "limit_busbw_gb_per_s",
    }
    assert set(found["bottleneck"]) == {"kind", "where", "text"}
    assert set(found["limit"]) == {"busbw_gb_per_s", "cut", "text"}
    assert found["caps"][0]["text"] == found["bottleneck"]["text"]
    assert len(found["low_busbw_gb_per_s"]) == len(found["points"])
    assert 0 < found["band"]["fraction"] < 1
    assert "measurement" in found["band"]["rests_on"]
    assert json.loads(json.dumps(found)) == found


def test_ethernet_rests_on_ethernet_rows() -> None:
    found = estimate(star(2, switch=switch_part(512, protocol=Protocol.ETHERNET)).design())
    assert "Ethernet" in found.band.rests_on
    assert found.band.fraction < 0.1


@given(
    servers=st.integers(2, 5),
    nics=st.sampled_from([1, 2, 4]),
    switches=st.integers(1, 3),
    wires=st.lists(st.integers(0, 2), min_size=20, max_size=20),
    between=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=5),
    dead=st.integers(0, 30),
)
@settings(max_examples=40)
def test_nothing_beats_the_limit_and_nothing_is_nan(
    servers: int,
    nics: int,
    switches: int,
    wires: list[int],
    between: list[tuple[int, int]],
    dead: int,
) -> None:
    cluster = Cluster()
    ids = [cluster.device(switch_part(64), f"s{n}") for n in range(switches)]
    for n in range(servers):
        server = cluster.device(server_part(gpus=4, nics=nics), f"gpu-{n}")
        for nic in range(nics):
            cluster.link(server, ids[wires[n * 4 + nic] % switches], a_cage=str(nic))
    for a, b in between:
        if a % switches != b % switches:
            cluster.link(ids[a % switches], ids[b % switches])
    failed = [list(cluster.cables)[dead]] if dead < len(cluster.cables) else []
    try:
        found = estimate(cluster.design(), Collective.ALL_REDUCE, failed=failed)
    except EstimateError:
        return  # islands; said in a sentence, as tested above
    assert finite(found)
    assert found.peak.busbw_gb_per_s <= found.limit.busbw_gb_per_s * (1 + 1e-9)


@pytest.mark.parametrize("algorithm", ["auto", "ring", "tree", "nvls-tree"])
def test_what_was_measured_on_one_server_does_not_vouch_for_many(algorithm: str) -> None:
    design = generate("rail-fat-tree", load_bundled(), servers=12).design
    many = estimate(design, sizes=[1 << 34], algorithm=algorithm).band
    assert "InfiniBand" in many.rests_on
    assert "12 servers are beyond" in many.rests_on
    one = estimate(design, sizes=[1 << 34], gpus=8).band
    assert "NVLink" in one.rests_on
    assert many.fraction > one.fraction
