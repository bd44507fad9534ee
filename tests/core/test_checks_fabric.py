# SPDX-License-Identifier: Apache-2.0
"""Rules of the network: oversubscription, balance, rails, islands, and clean reference designs."""

from collections.abc import Callable

import pytest
from tests.core.rule_world import H100, QM9700, SN5600, World, fire, fixed
from tests.fabrics import Cluster, rail_pods, server_part, switch_part

from rackloom.catalog import load_bundled
from rackloom.checks import run
from rackloom.design import Design, Draft, edits
from rackloom.design.ids import CableId, DeviceId
from rackloom.generate import generate

ETHERNET = "ethernet"


def uplinks(world: World, leaf: DeviceId, spine: DeviceId, cages: list[tuple[str, str]]) -> None:
    """Two 400G links for each pair of cages."""
    for near, far in cages:
        for socket in (0, 1):
            world.optics((leaf, near, socket), (spine, far, socket))


def cable_between(design: Design, a: DeviceId, b: DeviceId) -> CableId:
    """The first cable that joins two devices."""
    return next(c.id for c in design.cables.values() if {e.device for e in c.ends} == {a, b})


def without(design: Design, *ids: str) -> Design:
    """The design with these taken away."""
    draft = Draft(design)
    edits.remove(draft, ids)
    return draft.close("Remove")[0]


# Up and down


def test_a_leaf_with_twice_as_much_down_as_up() -> None:
    world = World()
    leaf, spine = world.device(QM9700, "leaf-01"), world.device(QM9700, "spine-01")
    servers = [world.device(H100, f"gpu-{n}") for n in range(4)]
    for n, server in enumerate(servers):
        world.rail(leaf, str(1 + n // 2), n % 2, server, 0)
    uplinks(world, leaf, spine, [("17", "1")])
    (finding,) = world.fires("fabric.oversubscribed")
    assert finding.where == (leaf,)
    assert finding.message == (
        "leaf-01 is oversubscribed 2:1: 4 links down (1.6 Tb/s), 2 up (800 Gb/s)"
    )
    uplinks(world, leaf, spine, [("18", "2")])
    assert not world.fires("fabric.oversubscribed"), "1:1"


def test_a_storage_switch_may_be_oversubscribed_and_says_so() -> None:
    world = World()
    leaf, spine = world.device(SN5600, "stor-leaf"), world.device(SN5600, "stor-spine")
    for n in range(3):
        server = world.device(H100, f"gpu-{n}")
        world.cable(
            "mcp7y10-n", (leaf, str(n + 1)), (server, "slot1p1"), (server, "slot2p1"), length_m=2
        )
    world.optics((leaf, "17", 0), (spine, "1", 0))
    assert not world.fires("fabric.oversubscribed")
    (finding,) = world.fires("fabric.oversubscribed-other")
    assert "6:1" in finding.message
    assert finding.severity == "info"


def test_a_spine_tapers_towards_the_cores() -> None:
    cluster = Cluster()
    switch = switch_part(64)
    server = cluster.device(server_part(8), "gpu-01")
    leaf, spine, core = (cluster.device(switch, n) for n in ("leaf", "spine", "core"))
    for n in range(4):
        cluster.link(server, leaf, a_cage=str(n))
    cluster.links(leaf, spine, 4)
    cluster.links(spine, core, 2)
    (finding,) = fire(cluster.design(), "fabric.oversubscribed")
    assert finding.where == (spine,)


def test_uplinks_that_are_not_even() -> None:
    design = rail_pods(1, 4, 4, spines=2).design()
    assert not fire(design, "fabric.uneven-uplinks")
    leaf = next(d.id for d in design.devices.values() if d.name == "leaf-01-0")
    spine = next(d.id for d in design.devices.values() if d.name == "spine-01")
    broken = without(design, cable_between(design, leaf, spine))
    (finding,) = fire(broken, "fabric.uneven-uplinks")
    assert finding.where == (leaf, spine)
    assert finding.message == (
        "the uplinks of leaf-01-0 are uneven: 1 (400 Gb/s) to spine-01, 2 (800 Gb/s) to spine-02"
    )


def test_a_leaf_that_lost_its_only_link_to_a_spine() -> None:
    design = rail_pods(1, 4, 4).design()  # one link from each of 8 leaves to each of 4 spines
    assert not fire(design, "fabric.missing-uplink")
    leaf = next(d.id for d in design.devices.values() if d.name == "leaf-01-3")
    spine = next(d.id for d in design.devices.values() if d.name == "spine-02")
    broken = without(design, cable_between(design, leaf, spine))
    (finding,) = fire(broken, "fabric.missing-uplink")
    assert finding.where == (leaf, spine)
    assert finding.message == (
        "leaf-01-3 has no link to spine-02, but 7 of the 7 switches beside it have"
    )


def test_all_leaves_on_one_spine() -> None:
    one = rail_pods(1, 4, 4, spines=1).design()
    findings = fire(one, "fabric.single-spine")
    assert len(findings) == 8
    assert findings[0].message.endswith("go to spine-01: a single point of failure")
    assert "all 4 uplinks of leaf-01-0" in findings[0].message
    assert not fire(rail_pods(1, 4, 4, spines=2).design(), "fabric.single-spine")


@pytest.mark.parametrize(("spines", "warned"), [(2, 8), (3, 8), (4, 0)])
def test_roce_wants_four_spines(spines: int, warned: int) -> None:
    from rackloom.catalog.words import Protocol

    ethernet = switch_part(512, protocol=Protocol.ETHERNET)
    design = rail_pods(1, 12, 12, spines=spines, switch=ethernet).design()
    assert len(fire(design, "fabric.few-spines")) == warned
    infiniband = rail_pods(1, 12, 12, spines=spines).design()
    assert not fire(infiniband, "fabric.few-spines")


@pytest.mark.parametrize(("servers", "warned"), [(4, 0), (5, 8)])
def test_an_odd_number_of_servers_below_an_ethernet_leaf(servers: int, warned: int) -> None:
    from rackloom.catalog.words import Protocol

    ethernet = switch_part(512, protocol=Protocol.ETHERNET)
    design = rail_pods(1, servers, 8, spines=4, switch=ethernet).design()
    findings = fire(design, "fabric.odd-downlinks")
    assert len(findings) == warned
    if warned:
        assert "has 5 links down, an odd number" in findings[0].message


# Islands, ports without links


def test_a_pod_cut_off_is_an_island() -> None:
    design = rail_pods(2, 4, 4).design()
    assert not fire(design, "fabric.island")
    second = {d.id for d in design.devices.values() if d.name.startswith("leaf-02")}
    spines = {d.id for d in design.devices.values() if d.name.startswith("spine")}
    cut = [
        c.id
        for c in design.cables.values()
        if {e.device for e in c.ends} & second and {e.device for e in c.ends} & spines
    ]
    (finding,) = fire(without(design, *cut), "fabric.island")
    assert "gpu-02-001 and 3 more cannot reach gpu-01-001" in finding.message
    assert "2 islands, the largest of 4 GPU servers" in finding.message


def test_a_rail_only_fabric_is_one_island() -> None:
    design = rail_pods(1, 4, 4).design()
    spines = [d.id for d in design.devices.values() if d.name.startswith("spine")]
    assert not fire(without(design, *spines), "fabric.island"), "rails meet inside the servers"


def test_dark_network_cards() -> None:
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    (finding,) = world.fires("fabric.unused-nics")
    assert finding.message == "none of the 8 compute ports of gpu-01 has a link"
    for rail in range(7):
        world.rail(leaf, str(1 + rail // 2), rail % 2, server, rail)
    (finding,) = world.fires("fabric.unused-nics")
    assert finding.message == "1 of the 8 compute ports of gpu-01 has no link"
    world.rail(leaf, "4", 1, server, 7)
    assert not world.fires("fabric.unused-nics")


def test_a_switch_off_the_management_network() -> None:
    world = World()
    leaf, oob = world.device(QM9700, "leaf"), world.device("nvidia-sn2201", "oob")
    servers = [world.device(H100, f"gpu-{n}") for n in range(5)]
    (finding,) = world.fires("fabric.no-management")
    assert finding.where == ()
    assert finding.message == (
        "no out-of-band network is drawn: the management ports of 2 switches and 5 servers lead "
        "nowhere"
    )
    world.cable("cat6a-rj45", (oob, "1"), (leaf, "MGMT"))
    spine = world.device(QM9700, "spine")
    findings = world.fires("fabric.no-management")
    # The switch that makes the network is managed over it; the other one is not on it.
    assert [f.where for f in findings] == [tuple(servers), (spine,)]
    assert findings[0].message == (
        "gpu-0, gpu-1, gpu-2 and 2 more are not on the out-of-band network: nothing reaches them "
        "when they hang"
    )
    for n, server in enumerate(servers[:4]):
        bmc = next(
            c.name for c in world.design.device_part(server).cages if c.role == "out-of-band"
        )
        world.cable("cat6a-rj45", (oob, str(n + 2)), (server, bmc))
    last = world.fires("fabric.no-management")[0]
    assert last.where == (servers[4],)
    assert last.message.startswith("gpu-4 is not on the out-of-band network")


# Rails


def swapped(design: Design, server: str, a: int, b: int) -> Design:
    """The design with two network cards of a server exchanged."""
    draft = Draft(design)
    device = next(d.id for d in design.devices.values() if d.name == server)
    ends = {
        end.cage: (cable, n)
        for cable in design.cables.values()
        for n, end in enumerate(cable.ends)
        if end.device == device
    }
    from dataclasses import replace

    (first, i), (second, j) = ends[str(a)], ends[str(b)]
    for cable, n, cage in ((first, i, str(b)), (second, j, str(a))):
        moved = list(cable.ends)
        moved[n] = replace(moved[n], cage=cage)
        draft.put(replace(cable, ends=tuple(moved)))
    return draft.close("Swap")[0]


def test_two_swapped_network_cards_are_found_and_swapped_back() -> None:
    design = rail_pods(2, 4, 4).design()
    assert not fire(design, "fabric.wrong-rail")
    wrong = swapped(design, "gpu-01-003", 2, 5)
    findings = sorted(fire(wrong, "fabric.wrong-rail"), key=lambda f: f.message)
    assert len(findings) == 2
    assert findings[0].message == (
        "rail 2 of gpu-01-003 (2.0) goes to leaf-01-5, but in 3 other servers it goes to leaf-01-2"
    )
    assert findings[0].fixes[0].label == "Swap 2.0 and 5.0"
    after = fixed(findings[0])
    assert not fire(after, "fabric.wrong-rail")
    assert after == design


def test_a_card_that_went_to_the_other_pod() -> None:
    cluster = rail_pods(2, 4, 4)
    design = cluster.design()
    leaf = next(d.id for d in design.devices.values() if d.name == "leaf-02-2")
    server = next(d.id for d in design.devices.values() if d.name == "gpu-01-001")
    cable = next(
        c
        for c in design.cables.values()
        if any((e.device, e.cage) == (server, "2") for e in c.ends)
    )
    from dataclasses import replace

    draft = Draft(design)
    draft.put(
        replace(
            cable,
            ends=tuple(
                e if e.device == server else replace(e, device=leaf, cage="500") for e in cable.ends
            ),
        )
    )
    (finding,) = fire(draft.close("Miswire")[0], "fabric.wrong-rail")
    assert "rail 2 of gpu-01-001 (2.0) goes to leaf-02-2" in finding.message
    assert not finding.has_fix, "no other card of this server sits in its place"


def test_all_cards_on_one_top_of_rack_switch_is_another_design() -> None:
    cluster = Cluster()
    part, switch = server_part(8), switch_part(64)
    for rack in range(2):
        tor = cluster.device(switch, f"tor-{rack}")
        for n in range(4):
            server = cluster.device(part, f"gpu-{rack}-{n}")
            for rail in range(8):
                cluster.link(server, tor, a_cage=str(rail))
    assert not fire(cluster.design(), "fabric.wrong-rail")


# Reference designs


def superpod() -> Design:
    """One scalable unit of DGX H100: 31 servers, 8 leaves, 4 spines."""
    return generate("superpod-h100", load_bundled(), servers=31).design


def example() -> Design:
    """4 DGX H100, rail-optimised."""
    return generate("rail-fat-tree", load_bundled(), servers=4).design


def two_tiers() -> Design:
    """64 DGX H100 in two tiers."""
    return generate("rail-fat-tree", load_bundled(), servers=64).design


@pytest.mark.parametrize("build", [superpod, example, two_tiers])
def test_a_published_design_has_no_errors(build: Callable[[], Design]) -> None:
    findings = run(build())
    assert not [f.message for f in findings if f.severity == "error"]
    known = {"power.psu-throttle"}  # six supplies over two feeds: NVIDIA draws three
    assert {f.rule for f in findings if f.severity == "warning"} <= known
