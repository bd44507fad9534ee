# SPDX-License-Identifier: Apache-2.0
"""Numbers by tier and ways between groups, as ``rackloom summary --tiers`` hands them on."""

import json
from pathlib import Path

import pytest
from tests.fabrics import Cluster, rail_pods, server_part, star, switch_part

from rackloom.cli import main
from rackloom.fabric import Fabric, Ways, group_ways
from rackloom.files import save
from rackloom.reports.tiers import tier_report, tier_text


def test_groups_are_the_servers_on_the_same_leaves_where_no_pod_is_named() -> None:
    """Two pods of 8 rail leaves, 4 spines: 2 hops in a rail, 4 between pods by each spine."""
    design = rail_pods(2, 2, 4).design()
    found = group_ways(Fabric.of(design))
    assert (found.groups, found.looked_at) == (2, 2)
    assert [(p.within, p.pairs, p.ways) for p in found.pairs] == [
        (True, 2, Ways(hops=2, paths=8, longest_hops=4)),
        (False, 1, Ways(hops=4, paths=8 * 8 * 4, longest_hops=4)),
    ]


def test_islands_have_no_way_and_are_put_last() -> None:
    found = group_ways(Fabric.of(rail_pods(2, 2, 0, spines=0).design()))
    assert [(p.within, p.pairs, p.ways is None) for p in found.pairs] == [
        (True, 2, False),
        (False, 1, True),
    ]


def test_only_the_first_groups_are_looked_at() -> None:
    found = group_ways(Fabric.of(rail_pods(5, 1, 4).design()), most_groups=3)
    assert (found.groups, found.looked_at) == (5, 3)
    assert sum(pair.pairs for pair in found.pairs) == 3


def test_a_drawing_without_gpus_or_network_has_nothing_to_say() -> None:
    cluster = Cluster()
    cluster.device(switch_part(), "leaf")
    report = tier_report(Fabric.of(cluster.design()))
    assert report["ways"]["pairs"] == []
    assert tier_report(Fabric.of(star(1, server_part(nics=0)).design()))["ways"]["groups"] == 0


def test_the_command_prints_and_writes_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """2:1 leaves of 8 x 400 down: 3.2 Tb/s against 1.6, bisection half of all uplinks."""
    path = tmp_path / "pods.rackloom"
    design = rail_pods(2, 8, 4).design()
    save(path, design)
    assert main(["summary", str(path), "--tiers", "--format", "json"]) == 0
    found = json.loads(capfd.readouterr().out)
    leaf = next(tier for tier in found["tiers"] if tier["tier"] == "leaf")
    assert (leaf["down_gbps"], leaf["up_gbps"], leaf["bisection_gbps"]) == (51200, 25600, 12800)
    assert leaf["oversubscription"] == 2
    assert len(leaf["worst_at"]) == leaf["switches"] == 16
    assert [pair["hops"] for pair in found["ways"]["pairs"]] == [2, 4]
    assert main(["summary", str(path), "--tiers"]) == 0
    text = capfd.readouterr().out
    assert tier_text(found, design.name_of) in text
    assert "2:1" in text
    assert "4 hops, 256 shortest ways" in text
    assert main(["summary", str(path), "--format", "json"]) == 0
    assert "tiers" not in json.loads(capfd.readouterr().out)
