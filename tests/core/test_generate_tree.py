# SPDX-License-Identifier: Apache-2.0
"""Switch counts against the published reference designs and the textbook formulas of fat trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackloom.generate import GenerateError
from rackloom.generate.superpod_h100 import units_of
from rackloom.generate.tree import Tree, plan_tree, spines_needed


def nvidia(servers: int, ports: int = 64, **options: object) -> Tree:
    return plan_tree(servers, 8, leaf_ports=ports, spine_ports=ports, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("servers", "leaves", "spines", "cores", "server_links", "leaf_spine", "spine_core"),
    [
        # DGX SuperPOD B200, k = 64 (reference architecture, two and three tiers)
        (64, 16, 8, 0, 512, 512, 0),
        (256, 64, 32, 0, 2048, 2048, 0),
        (1024, 256, 256, 128, 8192, 8192, 8192),
        # 512 H100 servers in three tiers: 320 switches
        (512, 128, 128, 64, 4096, 4096, 4096),
    ],
)
def test_published_counts_of_64_port_switches(
    servers: int,
    leaves: int,
    spines: int,
    cores: int,
    server_links: int,
    leaf_spine: int,
    spine_core: int,
) -> None:
    tree = nvidia(servers)
    assert (tree.leaves, tree.spines, tree.cores) == (leaves, spines, cores)
    assert (tree.server_links, tree.leaf_spine_links, tree.spine_core_links) == (
        server_links,
        leaf_spine,
        spine_core,
    )


@pytest.mark.parametrize(
    ("servers", "leaves", "spines", "links"), [(72, 8, 4, 576), (288, 32, 18, 2304)]
)
def test_quantum_x800_counts_follow_the_spine_rule(
    servers: int, leaves: int, spines: int, links: int
) -> None:
    """Four units of XDR take 18 spines, not the 16 that ceil(uplinks / k) gives."""
    tree = nvidia(servers, 144)
    assert (tree.leaves, tree.spines, tree.leaf_spine_links) == (leaves, spines, links)


@pytest.mark.parametrize(
    ("servers", "units", "leaves", "spines", "leaf_spine"),
    [(31, 1, 8, 4, 256), (63, 2, 16, 8, 512), (127, 4, 32, 16, 1024)],
)
def test_superpod_h100_counts(
    servers: int, units: int, leaves: int, spines: int, leaf_spine: int
) -> None:
    tree = nvidia(servers, units=units_of(servers), leaf_uplinks=32)
    assert (tree.units, tree.leaves, tree.spines) == (units, leaves, spines)
    assert tree.leaf_spine_links == leaf_spine


def test_three_tiers_reach_the_closed_form_and_no_further() -> None:
    """k^3/4 endpoints, k^2/2 leaves and spines, k^2/4 cores."""
    tree = nvidia(8192)
    assert (tree.leaves, tree.spines, tree.cores) == (2048, 2048, 1024)
    with pytest.raises(GenerateError, match="at most 8192 servers"):
        nvidia(8193)


def test_two_tiers_end_at_half_k_squared() -> None:
    assert nvidia(256).tiers == 2
    assert nvidia(257).tiers == 3
    with pytest.raises(GenerateError, match="at most 256 servers"):
        nvidia(257, tiers=2)


def test_a_unit_with_an_awkward_number_of_servers_does_not_ask_for_as_many_spines() -> None:
    tree = nvidia(31)
    assert tree.spines == 4
    assert tree.leaf_uplinks == 32


def test_oversubscription_divides_the_uplinks() -> None:
    tree = nvidia(40, ratio=2)
    assert tree.leaf_uplinks >= 20
    assert tree.leaf_uplinks * 2 >= 40
    assert tree.leaf_spine_links < nvidia(40, unit_size=40 // 2).leaf_spine_links


@given(
    servers=st.integers(1, 3000),
    ports=st.sampled_from([32, 40, 64, 128]),
    ratio=st.sampled_from([1.0, 1.5, 2.0, 3.0, 7.0]),
)
def test_no_switch_has_more_links_than_ports(servers: int, ports: int, ratio: float) -> None:
    try:
        tree = plan_tree(servers, 8, leaf_ports=ports, spine_ports=ports, ratio=ratio)
    except GenerateError:
        return
    if tree.tiers == 1:
        assert tree.server_links <= ports
        return
    assert sum(tree.unit_servers) == servers
    assert sum(tree.pod_units) == tree.units
    assert max(tree.unit_servers) + tree.leaf_uplinks <= ports
    assert tree.leaf_uplinks * ratio >= max(tree.unit_servers) - 1e-9
    assert tree.leaf_uplinks % tree.spines_per_pod == 0
    down = max(tree.pod_units) * tree.rails * tree.leaf_uplinks // tree.spines_per_pod
    assert down + tree.spine_uplinks <= ports
    if tree.tiers == 3:
        assert tree.spine_uplinks >= down
        assert tree.spine_uplinks % tree.cores_per_group == 0
        assert tree.pods * tree.spine_uplinks // tree.cores_per_group <= ports


def test_spine_rule_says_when_no_spine_count_works() -> None:
    with pytest.raises(GenerateError, match="could not reach them all"):
        spines_needed(leaves=100, uplinks=4, ports_down=64)
