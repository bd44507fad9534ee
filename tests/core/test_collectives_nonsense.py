# SPDX-License-Identifier: Apache-2.0
"""What nobody should ask or build: a sentence or a defined answer, never a crash or a NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.fabrics import Cluster, server_part, star, switch_part

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.words import ScaleUpKind
from rackloom.collectives import Estimate, EstimateError, Settings, estimate
from rackloom.design import Design
from rackloom.fabric import Fabric

HUGE = "9" * 5000
"""More digits than Python converts."""


def finite(found: Estimate) -> bool:
    numbers = [
        x
        for p in found.points
        for x in (p.time_us, p.algbw_gb_per_s, p.busbw_gb_per_s, p.limit_busbw_gb_per_s)
    ]
    return all(math.isfinite(x) and x >= 0 for x in numbers)


@pytest.mark.parametrize(
    "sizes",
    [
        [math.nan],
        [math.inf],
        [1.5],
        [-1],
        [None],
        ["abc"],
        [10**400],
        HUGE,
        f"8:16:{HUGE}",
        f"8:{HUGE}",
        f"8:16:+{HUGE}",
    ],
)
def test_sizes_that_are_none_are_a_sentence(sizes: Any) -> None:
    with pytest.raises(EstimateError, match="size") as caught:
        estimate(star(2).design(), sizes=sizes)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("sizes", "bytes_"),
    [(8, [8]), ([1e9], [10**9]), (["8", "1K"], [8, 1024]), (np.array([8, 8]), [8, 8])],
)
def test_sizes_of_any_sort_of_number(sizes: Any, bytes_: list[int]) -> None:
    found = estimate(star(2).design(), sizes=sizes)
    assert [point.size_bytes for point in found.points] == bytes_


@pytest.mark.parametrize(
    "gpus", [2.5, math.nan, object(), [None], [1, 2], HUGE, f"gpu-001/{HUGE}", "gpu-001/-1", "/"]
)
def test_groups_that_are_none_are_a_sentence(gpus: Any) -> None:
    with pytest.raises(EstimateError, match="GPU") as caught:
        estimate(star(2).design(), gpus=gpus)
    assert len(str(caught.value)) < 200


def test_names_of_thousands_of_digits_are_sorted() -> None:
    cluster = Cluster()
    leaf = cluster.device(switch_part(), "leaf-01")
    for n in range(2):
        server = cluster.device(server_part(gpus=1), f"{HUGE}{n}")
        cluster.link(server, leaf, a_cage="0")
    assert estimate(cluster.design()).gpus == 2


@pytest.mark.parametrize("gpus", [0, 2, "8"])
def test_an_empty_design_says_that_it_is_empty(gpus: Any) -> None:
    """Not that one should ask for 2 to 0 GPUs."""
    with pytest.raises(EstimateError, match="no GPU to estimate for"):
        estimate(Design(), gpus=gpus)


def test_a_server_whose_gpus_nobody_described_is_named() -> None:
    """Not that a GPU server should be put in: there are two."""
    part = load_bundled().require(PartId("rtx-pro-6000-node"))
    assert isinstance(part, ServerPart)
    design = star(2, part).design()
    with pytest.raises(EstimateError, match=r"RTX PRO 6000.* does not say which GPUs are in it"):
        estimate(design)


def test_numbers_of_numpy_choose_gpus() -> None:
    assert estimate(star(2).design(), gpus=np.int64(4)).gpus == 4  # type: ignore[arg-type]


def test_one_failed_name_is_a_name_and_not_its_letters() -> None:
    assert estimate(star(3).design(), failed="gpu-002").gpus == 16


@pytest.mark.parametrize("part", [0.0, -1.0, 1e-300, 1.1, math.nan, math.inf])
def test_a_network_is_healthy_or_ill_but_not_a_fantasy(part: float) -> None:
    """At 1e-300 of its rate an exabyte takes for ever, which is no time."""
    with pytest.raises(EstimateError, match="efficiency"):
        estimate(star(2).design(), settings=Settings(network_efficiency=part))


def test_a_cable_between_two_servers_is_full_at_its_rate() -> None:
    """Each of its two ports sends in a direction of its own: together they are not 190 %."""
    cluster = Cluster()
    a, b = (cluster.device(server_part(gpus=4, nics=1), f"gpu-{n}") for n in range(2))
    cable = cluster.link(a, b, a_cage="0", b_cage="0")
    found = estimate(cluster.design(), sizes=[1 << 34])
    assert found.loads is not None
    assert found.loads.by_cable[cable] == pytest.approx(0.94, abs=0.05)


def test_slow_links_are_not_said_to_carry_nothing() -> None:
    slow = server_part(gpus=2, nic_gbps=0.1)
    found = estimate(star(2, slow, switch_part(64, 0.1)).design())
    assert finite(found)
    assert ": 0 GB/s" not in found.limit.text
    assert "0.025 GB/s" in found.limit.text  # two links of 100 Mb/s


def test_a_cable_that_leads_back_to_its_own_switch_changes_nothing() -> None:
    plain, looped = star(2), star(2)
    leaf = next(d for d in looped.devices if looped.devices[d].name == "leaf-01")
    loop = looped.link(leaf, leaf)
    expected, found = estimate(plain.design()), estimate(looped.design())
    assert found.points == expected.points
    assert found.limit.busbw_gb_per_s == expected.limit.busbw_gb_per_s
    fabric = Fabric.of(looped.design())
    assert loop in fabric.arrays.cable_ids
    assert fabric.tier_of(leaf) == "leaf"


def test_gpus_of_two_makers_in_one_group_are_said_to_be_no_group() -> None:
    cluster = star(2)
    leaf = next(d for d in cluster.devices if cluster.devices[d].name == "leaf-01")
    other = cluster.device(
        server_part(
            kind=ScaleUpKind.XGMI_MESH,
            generation="xGMI 4",
            links_per_gpu=7,
            architecture="cdna3",
            cpu_vendor="amd",
        ),
        "mi-001",
    )
    for nic in range(8):
        cluster.link(other, leaf, a_cage=str(nic))
    design = cluster.design()
    (note,) = estimate(design).notes
    assert "NCCL" in note
    assert "RCCL" in note
    assert estimate(design, gpus=["gpu-001", "gpu-002"]).notes == ()


def test_an_all_to_all_over_rails_that_are_not_joined_says_what_it_stands_for() -> None:
    """A rail a leaf and no spine: GPUs 4 to 7 of one server have no way to the smaller one."""
    cluster = Cluster()
    leaves = [cluster.device(switch_part(), f"leaf-{rail}") for rail in range(8)]
    for name, gpus in (("gpu-001", 8), ("gpu-002", 8), ("small-001", 4)):
        server = cluster.device(server_part(gpus=gpus), name)
        for nic in range(gpus):
            cluster.link(server, leaves[nic], a_cage=str(nic))
    design = cluster.design()
    (note,) = estimate(design, "all-to-all").notes
    assert "rails that all share" in note
    assert estimate(design, "all-reduce").notes == ()
    assert estimate(design, "all-to-all", gpus=["gpu-001", "gpu-002"]).notes == ()
