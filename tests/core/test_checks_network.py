# SPDX-License-Identifier: Apache-2.0
"""Rules of networks as a whole: capacity, single points of failure, planes, halves, tiers."""

from dataclasses import replace

import pytest
from tests.core.rule_world import CATALOG, H100, QM9700, SN5600, World, fire, fixed
from tests.fabrics import Cluster, rail_pods, server_part, switch_part, three_tiers

from rackloom.catalog.parts import CablePart
from rackloom.checks import rules, run
from rackloom.checks.registry import COLLECTED, by_number
from rackloom.checks.topology import Topology
from rackloom.design import Design, Draft, edits
from rackloom.design.ids import DeviceId


def named(design: Design, name: str) -> DeviceId:
    """The device of a name."""
    return next(d.id for d in design.devices.values() if d.name == name)


def messages(design: Design, rule: str) -> list[str]:
    """What one rule says about a design."""
    return [f.message for f in fire(design, rule)]


# Every collected rule


def test_every_collected_rule_is_covered() -> None:
    covered = by_number()
    assert list(covered) == list(range(1, COLLECTED + 1))
    assert COLLECTED == 74
    assert not [number for number, ids in covered.items() if not ids]
    assert not [r.id for r in rules().values() if any(not 0 < n <= COLLECTED for n in r.numbers)]


# Tiers


@pytest.mark.parametrize("box", ["storage-server-4u", "generic-ufm-appliance"])
def test_a_box_on_a_spine_leaves_it_a_spine(box: str) -> None:
    world = World("generic-48u-600", "generic-48u-600")
    switch = SN5600 if box.startswith("storage") else QM9700
    leaf, spine = world.device(switch, "leaf"), world.device(switch, "spine")
    server, extra = world.device(H100, "gpu-01"), world.device(box, "box", rack=1)
    world.rail(leaf, "1", 0, server, 0)
    world.cable("mcp4y10-n", (leaf, "10"), (spine, "10"))
    part = world.design.device_part(extra)
    cage = next(c for c in part.cages if c.role in {"compute", "storage"} and c.lanes == 4)
    plug = "mcp7y00-n" if cage.form_factor == "OSFP" else "mcp7y10-n"
    if cage.form_factor in {"OSFP", "QSFP112"}:
        world.cable(plug, (spine, "1"), (extra, cage.name), None)
    else:
        world.cable("mcp7y60-h", (spine, "1"), (extra, cage.name), None)
    design = world.design
    topology = Topology.of(design)
    assert topology.nodes[spine].serves, "the box is linked"
    assert (topology.tier(leaf), topology.tier(spine)) == (1, 2)


def test_a_storage_leaf_beside_compute_leaves_is_a_leaf() -> None:
    cluster = Cluster()
    switch = switch_part(64)
    leaf, other, spine = (cluster.device(switch, n) for n in ("leaf", "storage-leaf", "spine"))
    cluster.link(cluster.device(server_part(8), "gpu"), leaf, a_cage="0")
    cluster.link(cluster.device(server_part(0, 1), "box"), other, a_cage="0")
    for low in (leaf, other):
        cluster.links(low, spine, 2)
    topology = Topology.of(cluster.design())
    assert [topology.tier(d) for d in (leaf, other, spine)] == [1, 1, 2]


# Even capacity


def test_the_ports_of_a_server_run_at_one_speed() -> None:
    cluster = Cluster()
    fast, slow = (
        cluster.device(switch_part(64), "fast"),
        cluster.device(switch_part(64, 200), "slow"),
    )
    server, even = (cluster.device(server_part(4), n) for n in ("gpu-1", "gpu-2"))
    for n in range(4):
        cluster.link(server, fast if n else slow, a_cage=str(n))
        cluster.link(even, fast, a_cage=str(n))
    (finding,) = fire(cluster.design(), "fabric.uneven-nics")
    assert finding.where == (server,)
    assert finding.message == (
        "the compute ports of gpu-1 are uneven: 1 at 200 Gb/s and 3 at 400 Gb/s"
    )


def test_servers_of_one_fabric_have_equal_bandwidth() -> None:
    cluster = rail_pods(1, 4, 4)
    assert not messages(cluster.design(), "fabric.uneven-servers")
    odd = cluster.device(server_part(8, 4), "odd")
    leaf = named(cluster.design(), "leaf-01-0")
    cluster.link(odd, leaf, a_cage="0", b_cage="400")
    (message,) = messages(cluster.design(), "fabric.uneven-servers")
    assert message == (
        "GPU servers differ in network bandwidth for each GPU: 1 with 200 Gb/s, 4 with 400 Gb/s; "
        "the odd ones are odd"
    )


def test_a_server_that_is_not_cabled_up_yet_is_no_slower_one() -> None:
    design = rail_pods(1, 4, 4).design()
    draft = Draft(design)
    server = named(design, "gpu-01-001")
    edits.remove(draft, [design.index.cables_of_device[server][0]])
    assert not messages(draft.close("Unplug")[0], "fabric.uneven-servers")


def test_gpus_that_share_a_port() -> None:
    cluster = rail_pods(1, 2, 2, part=server_part(8, 4))
    (message,) = messages(cluster.design(), "fabric.shared-nics")
    assert message == (
        "the 8 GPUs of a GPU server share 4 compute ports: 25 GB/s a GPU to the network, 450 GB/s "
        "to its neighbours (18:1)"
    )
    assert not messages(rail_pods(1, 2, 2).design(), "fabric.shared-nics")


def test_a_fabric_as_a_whole() -> None:
    assert not messages(rail_pods(2, 4, 4).design(), "fabric.oversubscribed-fabric")
    (message,) = messages(rail_pods(2, 4, 2).design(), "fabric.oversubscribed-fabric")
    assert message == (
        "the compute fabric is oversubscribed 2:1 between its leaves and spines: 25.6 Tb/s of "
        "server ports, 12.8 Tb/s up"
    )


def test_a_pod_that_tapers_towards_the_cores() -> None:
    design = three_tiers(32, 8, server_part(4)).design()
    assert not messages(design, "fabric.oversubscribed-pod")
    spine = named(design, "spine-001-01")
    cores = {d.id for d in design.devices.values() if d.name.startswith("core")}
    up = [
        c.id
        for c in design.cables.values()
        if {e.device for e in c.ends} & cores and spine in {e.device for e in c.ends}
    ]
    draft = Draft(design)
    edits.remove(draft, up[:2])
    after, step = draft.close("Unplug")
    (finding,) = fire(after, "fabric.oversubscribed-pod")
    assert finding.message == (
        "the pod of leaf-001-01 (8 switches) is oversubscribed 1.14:1 towards the cores: 6.4 Tb/s "
        "of server ports, 5.6 Tb/s up"
    )
    assert run(design).patched(after, step.change) == run(after)


# Single points of failure


def top_of_rack(dual: bool) -> Design:
    """Two racks of two servers on a switch each, and a spine; ``dual``: on both switches."""
    cluster = Cluster()
    switch = switch_part(64)
    tors = [cluster.device(switch, f"tor-{n}") for n in range(2)]
    spines = [cluster.device(switch, f"spine-{n}") for n in range(2)]
    for n in range(4):
        server = cluster.device(server_part(4), f"gpu-{n}")
        for nic in range(4):
            cluster.link(server, tors[(n // 2 + dual * nic) % 2], a_cage=str(nic))
    for tor in tors:
        for spine in spines:
            cluster.links(tor, spine, 4)
    return cluster.design()


def test_a_leaf_that_takes_its_servers_down_with_it() -> None:
    findings = fire(top_of_rack(dual=False), "fabric.single-leaf")
    assert [f.message for f in findings] == [
        "all compute ports of gpu-0, gpu-1 hang on tor-0: without it, they are cut off",
        "all compute ports of gpu-2, gpu-3 hang on tor-1: without it, they are cut off",
    ]
    assert not fire(top_of_rack(dual=True), "fabric.single-leaf")


def test_moving_one_link_to_another_leaf_is_seen_at_the_old_one() -> None:
    design = top_of_rack(dual=False)
    findings = run(design)
    server, other = named(design, "gpu-0"), named(design, "tor-1")
    cable = design.cables[design.index.cables_of_device[server][0]]
    draft = Draft(design)
    draft.put(
        replace(
            cable,
            ends=tuple(
                e if e.device == server else replace(e, device=other, cage="60") for e in cable.ends
            ),
        )
    )
    after, step = draft.close("Move a link")
    patched = findings.patched(after, step.change)
    assert patched == run(after)
    assert "gpu-0" not in messages(after, "fabric.single-leaf")[0]


def test_all_links_in_one_cable() -> None:
    world = World()
    leaf, server = world.device(SN5600, "leaf"), world.device("gb200-compute-tray", "gpu-01")
    spines = [world.device(SN5600, f"spine-{n}") for n in range(2)]
    world.cable("mcp7y00-n", (leaf, "1"), (server, "NIC0"), (server, "NIC1"))
    world.cable("mcp4y10-n", (leaf, "2"), (spines[0], "1"))
    below, up = world.fires("fabric.single-cable")
    if below.where[0] == leaf:
        below, up = up, below
    assert below.message.startswith("all 2 compute links of gpu-01 run over one cable, MCP7Y00")
    assert up.message.startswith("all 2 links upwards of leaf run over one cable, MCP4Y10")
    world.cable("mcp7y00-n", (leaf, "3"), (server, "NIC2"), None)
    world.cable("mcp4y10-n", (leaf, "4"), (spines[1], "1"))
    assert not world.fires("fabric.single-cable")


# Planes, halves


def test_a_link_that_crosses_into_the_other_plane() -> None:
    """Two planes of four leaves and four spines; one uplink of a leaf goes to the other plane."""
    cluster = Cluster()
    switch = switch_part(64)
    spines = {p: [cluster.device(switch, f"spine-{p}{n}") for n in range(4)] for p in "AB"}
    leaves = {p: [cluster.device(switch, f"leaf-{p}{n}") for n in range(4)] for p in "AB"}
    for n in range(4):
        server = cluster.device(server_part(4, 4, ports_per_nic=2), f"gpu-{n}")
        for nic in range(4):
            for number, plane in enumerate("AB"):
                cluster.link(server, leaves[plane][nic], a_cage=f"{nic}.{number}")
    for plane in "AB":
        for leaf in leaves[plane]:
            for spine in spines[plane]:
                cluster.link(leaf, spine)
    design = cluster.design()
    assert not fire(design, "fabric.crossed-planes")
    leaf, wrong, right = leaves["A"][1], spines["B"][2], spines["A"][2]
    cable = next(c for c in design.cables.values() if {e.device for e in c.ends} == {leaf, right})
    draft = Draft(design)
    draft.put(
        replace(
            cable,
            ends=tuple(
                e if e.device == leaf else replace(e, device=wrong, cage="50") for e in cable.ends
            ),
        )
    )
    after, step = draft.close("Miswire")
    (finding,) = fire(after, "fabric.crossed-planes")
    assert finding.where == (leaf, wrong)
    assert finding.message == (
        "leaf-A1 has a link to spine-B2, which none of the 3 switches beside it has: it belongs to "
        "leaf-B0 and 3 more"
    )
    assert run(design).patched(after, step.change) == run(after)


def test_the_halves_of_a_q3200_do_not_join_what_hangs_on_them() -> None:
    def world(second_cage: str) -> World:
        hall = World("generic-48u-600", "generic-48u-600")
        box = hall.device("nvidia-q3200-ra", "box")
        for n, cage in enumerate(("1", second_cage)):
            server = hall.device("dgx-b300-ps", f"gpu-{n}", rack=n)
            port = next(
                c.name for c in hall.design.device_part(server).cages if c.group == "compute"
            )
            hall.cable("mca7k10", (box, cage), (server, port), None)
        return hall

    assert not world("2").fires("fabric.island"), "both on the first half"
    hall = world("19")
    (finding,) = hall.fires("fabric.island")
    assert "gpu-1 cannot reach gpu-0" in finding.message
    design = hall.design
    draft = Draft(design)
    edits.remove(draft, [list(design.cables)[-1]])
    after, step = draft.close("Unplug")
    patched = run(design).patched(after, step.change)
    assert patched == run(after)
    assert not [f for f in patched if f.rule == "fabric.island"]


# Gaps of other rules


def test_a_plug_of_a_rate_that_the_cage_has_is_silent() -> None:
    world = World()
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    world.cable("mcp4y10-n", (a, "1"), (b, "1"))  # 100G lanes in cages of 100G lanes
    old, new = world.device("nvidia-sn4600c", "old"), world.device("nvidia-sn4700", "new")
    world.cable("mcp1600-e", (old, "1"), (new, "1"))  # 25G lanes, which both cages run too
    assert not world.fires("port.lane-rate")


def test_copper_beyond_what_it_carries_is_replaced_by_what_reaches() -> None:
    world = World("generic-48u-600", *["generic-48u-600"] * 4)
    a, b = world.device(QM9700, "a", u=48), world.device(QM9700, "b", rack=4, u=48)
    world.cable("mcp4y10-n", (a, "1"), (b, "1"), length_m=8.0)
    (finding,) = world.fires("reach.beyond-medium")
    assert "is 8 m long, but DAC of this family carries 2 m at most" in finding.message
    after = fixed(finding)
    assert not fire(after, "reach.beyond-medium")
    for cable in after.cables.values():
        part = after.part(cable.part, CablePart)
        assert part.technology != "DAC"
        assert CATALOG.require(part.id) == part
    assert sum(len(links) for links in after.links.values()) == 2, "both links are kept"
