# SPDX-License-Identifier: Apache-2.0
"""Wiring a whole pod at once: what goes where, in how many cables, and what is left over."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog.load import load_bundled
from rackloom.catalog.parts import CablePart, DevicePart, RackPart, TransceiverPart
from rackloom.catalog.words import CableTechnology, CageRole, Shell, Side
from rackloom.design import Design, Draft
from rackloom.design.edits import add_device, add_rack, add_row, move_device, rename, set_device
from rackloom.design.hardware import cages_of
from rackloom.design.ids import DeviceId
from rackloom.placement import connect
from rackloom.placement.connect import (
    ConnectPlan,
    management_switches,
    plan_bipartite,
    plan_devices,
    plan_ports,
    plan_rails,
)
from rackloom.reports import cable_schedule

CATALOG = load_bundled()


def hall(
    server: str, servers: int, leaf: str, leaves: int, spine: str = "", spines: int = 0
) -> tuple[Design, list[DeviceId], list[DeviceId], list[DeviceId]]:
    """Four servers a rack, switches at the rear of racks of their own beside them."""
    draft = Draft(Design())
    rack = CATALOG.require("generic-48u-600")
    assert isinstance(rack, RackPart)
    row = add_row(draft)
    count = 2 + -(-servers // 4)
    racks = [add_rack(draft, rack, row, 0.6 * n) for n in range(count)]

    def put(part_id: str, rack_number: int, bottom_u: int, name: str) -> DeviceId:
        part = CATALOG.require(part_id)
        assert isinstance(part, DevicePart)
        face = Side.REAR if name[0] in "ls" else Side.FRONT
        where = racks[rack_number]
        return add_device(draft, part, where, bottom_u, face=face, name=name)

    found = [put(server, 2 + n // 4, 1 + 10 * (n % 4), f"gpu-{n + 1}") for n in range(servers)]
    low = [put(leaf, 0, 1 + (5 if leaves <= 8 else 3) * n, f"leaf-{n + 1}") for n in range(leaves)]
    high = [put(spine, 1, 1 + 5 * n, f"spine-{n + 1}") for n in range(spines)]
    return draft.close("furnish")[0], found, low, high


def wired(design: Design, plan: ConnectPlan) -> Design:
    """The design with the plan plugged in one edit."""
    assert plan.problems == ()
    draft = Draft(design)
    connect.apply(draft, plan)
    return draft.close("connect")[0]


def rails_of(design: Design, leaf: DeviceId) -> Counter[int | None]:
    """How many links of each rail end at a leaf."""
    counted: Counter[int | None] = Counter()
    for links in design.links.values():
        for link in links:
            ends = {link.a.device: link.a, link.b.device: link.b}
            if leaf in ends:
                other = next(ref for device, ref in ends.items() if device != leaf)
                cage = cages_of(design, design.devices[other.device])[other.cage]
                counted[cage.ports[other.index].rail] += 1
    return counted


def test_eight_rails_of_dgx_h100_go_to_eight_leaves() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 8, "nvidia-qm9700", 8)
    plan = plan_rails(design, CATALOG, servers, leaves)
    assert plan.links == 64
    after = wired(design, plan)
    for rail, leaf in enumerate(leaves):
        assert rails_of(after, leaf) == {rail: 8}
    assert all(len(links) == 1 for links in after.links.values())
    # Two 400G ports share a twin cage: 4 flat modules a server, 4 finned ones a leaf.
    modules = [after.part(m.part, TransceiverPart) for m in after.modules.values()]
    assert Counter(m.shell for m in modules) == {Shell.RHS: 32, Shell.IHS: 32}
    assert {cable.fabric for cable in after.cables.values()} == {"compute"}


def test_leaf_ports_fill_from_the_first_cage_on() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 6, "nvidia-qm9700", 8)
    after = wired(design, plan_rails(design, CATALOG, servers, leaves))
    used = {
        (end.cage, end.socket)
        for cable in after.cables.values()
        for end in cable.ends
        if end.device == leaves[0]
    }
    assert used == {(cage, socket) for cage in "123" for socket in (0, 1)}


def test_the_order_of_selection_does_not_matter_the_names_do() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 12, "nvidia-qm9700", 8)
    plan = plan_rails(design, CATALOG, set(servers), set(leaves))
    assert plan.plans == plan_rails(design, CATALOG, servers[::-1], leaves[::-1]).plans
    rows = plan.rows(design)
    assert len(rows) == 96
    first = [row for row in rows if "port 1/1 of leaf-1" in (row.a, row.b)]
    assert len(first) == 1
    assert {first[0].a, first[0].b} == {"port 1/1 of leaf-1", "OSFP4P2 of gpu-1"}
    assert first[0].rails == (0,)


def test_a_preview_tells_ports_of_one_cage_apart_and_why_a_cable_is_longer() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 1, "nvidia-qm9700", 1)
    rows = plan_rails(design, CATALOG, servers, leaves).rows(design)
    assert len({row.a for row in rows} | {row.b for row in rows}) == 16
    assert sorted(rail for row in rows for rail in row.rails) == list(range(8))
    assert all(0 < row.needed_m <= row.length_m for row in rows)
    part = plan_rails(design, CATALOG, servers, leaves).plans[0].part
    for row in rows:  # the stocked length is the next one, not just any
        if row.part == part.model:
            assert row.length_m == min(m for m in part.lengths_m if m >= row.needed_m)


def test_one_of_a_thing_is_said_in_the_singular() -> None:
    design, servers, leaves, _ = hall("dell-xe9680-h100", 1, "nvidia-qm9700", 9)
    plan = plan_rails(design, CATALOG, servers, leaves)
    assert plan.notes == ("1 of 9 switches gets no cable",)
    a, b = (servers[0], plan.plans[0].ends[0].cage), (leaves[8], "1")
    if plan.plans[0].ends[0].device != servers[0]:
        a = (servers[0], plan.plans[0].ends[1].cage)
    after = wired(design, plan_ports(design, CATALOG, [a], [b]))
    again = plan_rails(after, CATALOG, servers, leaves)
    assert again.notes[0] == "1 compute port is cabled already and stays as it is"


def test_single_port_nics_in_the_rack_of_their_leaf_share_a_splitter() -> None:
    design, servers, leaves, _ = hall("dell-xe9680-h100", 4, "nvidia-qm9700", 8)
    draft = Draft(design)
    for n, leaf in enumerate(leaves):
        device = design.devices[servers[0]]
        move_device(draft, leaf, device.rack, (7, 8, 9, 10, 17, 18, 19, 20)[n])
    design, _ = draft.close("leaves between their servers")
    plan = plan_rails(design, CATALOG, servers, leaves)
    after = wired(design, plan)
    assert plan.links == 32
    # Two servers above a leaf, two below, all within 3 m: one splitter for two of them.
    assert len(after.cables) == 16
    assert not after.modules
    assert all(len(links) == 2 for links in after.links.values())
    for rail, leaf in enumerate(leaves):
        assert rails_of(after, leaf) == {rail: 4}
        cages = {e.cage for c in after.cables.values() for e in c.ends if e.device == leaf}
        assert cages == {"1", "2"}


def test_four_leaves_share_eight_rails_two_each() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 4, "nvidia-qm9700", 4)
    after = wired(design, plan_rails(design, CATALOG, servers, leaves))
    for number, leaf in enumerate(leaves):
        assert rails_of(after, leaf) == {2 * number: 4, 2 * number + 1: 4}


def test_sixteen_leaves_make_two_pods_of_the_servers() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 8, "nvidia-qm9700", 16)
    after = wired(design, plan_rails(design, CATALOG, servers, leaves))
    for number, leaf in enumerate(leaves):
        assert rails_of(after, leaf) == {number % 8: 4}
    on_first = {
        end.device
        for cable in after.cables.values()
        if any(e.device == leaves[0] for e in cable.ends)
        for end in cable.ends
    }
    assert on_first == {leaves[0], *servers[:4]}


def test_pods_that_have_names_keep_to_them() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 8, "nvidia-qm9700", 16)
    draft = Draft(design)
    for n, device in enumerate([*servers, *leaves]):
        odd = n % 2 if n < 8 else (n - 8) // 8
        set_device(draft, device, pod="su-2" if odd else "su-1")
    design, _ = draft.close("name pods")
    after = wired(design, plan_rails(design, CATALOG, servers, leaves))
    first = {
        end.device
        for cable in after.cables.values()
        if any(e.device == leaves[0] for e in cable.ends)
        for end in cable.ends
    }
    assert first == {leaves[0], *servers[::2]}


def test_what_is_cabled_stays_and_what_is_new_is_added() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 4, "nvidia-qm9700", 8)
    after = wired(design, plan_rails(design, CATALOG, servers[:3], leaves))
    again = plan_rails(after, CATALOG, servers, leaves)
    assert again.links == 8
    assert "24 compute ports are cabled already" in again.notes[0]
    # The odd server of before left the second socket of a module free: it is used, no new one.
    new = wired(after, again)
    at_leaf = [m for m in new.modules.values() if m.device == leaves[0]]
    assert len(at_leaf) == 2
    assert {cable.label for cable in new.cables.values()} == {""}
    labels = [row.label for row in cable_schedule(new)]
    assert len(set(labels)) == 32, "without labels of their own, cables are named by their ends"
    assert all(" / " in label for label in labels)


def test_a_leaf_without_room_says_which_port_is_left_over() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 4, "nvidia-qm9700", 1)
    plan = plan_rails(design, CATALOG, servers, leaves, keep_free=60)
    assert plan.links == 4
    assert len(plan.problems) == 28
    assert "leaf-1 has no port left for" in plan.problems[0].message
    assert "not connected" in plan.summary


def test_an_ethernet_leaf_takes_no_infiniband_only_server() -> None:
    design, servers, leaves, _ = hall("dell-xe9680-mi300x", 2, "nvidia-qm9700", 8)
    plan = plan_rails(design, CATALOG, servers, leaves)
    assert not plan.plans
    assert len(plan.problems) == 16
    assert "InfiniBand" in plan.problems[0].message


def test_a_server_too_far_away_is_named_with_the_distance() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 2, "nvidia-qm9700", 8)
    draft = Draft(design)
    rack = CATALOG.require("generic-48u-600")
    part = CATALOG.require("dgx-h100")
    assert isinstance(rack, RackPart)
    assert isinstance(part, DevicePart)
    row = next(iter(design.rows))
    far = add_device(draft, part, add_rack(draft, rack, row, 900), 1, name="gpu-far")
    design, _ = draft.close("far away")
    plan = plan_rails(design, CATALOG, [*servers, far], leaves)
    assert plan.links == 16
    assert len(plan.problems) == 8
    assert "gpu-far" in plan.problems[0].message
    assert " m with slack" in plan.problems[0].message


def test_an_empty_selection_is_no_error() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 2, "nvidia-qm9700", 2)
    assert plan_rails(design, CATALOG, [], leaves).summary.startswith("there is no server")
    assert plan_rails(design, CATALOG, servers, []).summary == "there is no switch in the selection"
    assert plan_devices(design, CATALOG, servers, servers).plans == ()


def test_leaf_and_spine_are_joined_evenly() -> None:
    design, _, leaves, spines = hall("dgx-h100", 0, "nvidia-qm9700", 8, "nvidia-qm9700", 4)
    plan = plan_bipartite(design, CATALOG, leaves, spines, links_per_pair=8)
    after = wired(design, plan)
    pairs = Counter(
        frozenset((link.a.device, link.b.device)) for ls in after.links.values() for link in ls
    )
    assert set(pairs.values()) == {8}
    assert len(pairs) == 32
    near = [c for c in after.cables.values() if len(after.links[c.id]) == 2]
    assert near  # cables between twin cages carry two links each
    assert all(after.part(c.part, CablePart).technology is not CableTechnology.FIBRE for c in near)


def test_without_a_number_of_links_the_ports_decide() -> None:
    design, _, leaves, spines = hall("dgx-h100", 0, "nvidia-qm9700", 4, "nvidia-qm9700", 2)
    plan = plan_bipartite(design, CATALOG, leaves, spines)
    # 64 ports a spine for 4 leaves: 16 each; a leaf needs 32 of its 64.
    assert plan.notes[0] == "16 links between each pair"
    assert sum(len(links) for links in wired(design, plan).links.values()) == 4 * 2 * 16


def test_an_odd_number_of_links_splits_twin_cages_over_fibres() -> None:
    design, _, leaves, spines = hall("dgx-h100", 0, "nvidia-qm9700", 2, "nvidia-qm9700", 2)
    after = wired(design, plan_bipartite(design, CATALOG, leaves, spines, links_per_pair=1))
    pairs = Counter(
        frozenset((link.a.device, link.b.device)) for ls in after.links.values() for link in ls
    )
    assert set(pairs.values()) == {1}
    assert len(pairs) == 4
    assert len(after.modules) == 4  # one twin module a switch


def test_more_links_than_ports_name_the_switch() -> None:
    design, _, leaves, spines = hall("dgx-h100", 0, "nvidia-qm9700", 2, "nvidia-qm9700", 2)
    plan = plan_bipartite(design, CATALOG, leaves, spines, links_per_pair=33)
    assert not plan.plans
    assert "leaf-1 has 64 free ports, but 33 to each of 2 switches takes 66" in plan.summary


def test_ports_are_joined_one_to_one_cage_by_cage() -> None:
    design, _, leaves, _ = hall("dgx-h100", 0, "nvidia-qm9700", 2)
    a_ports = [(leaves[0], str(n)) for n in (3, 4, 5)]
    b_ports = [(leaves[1], str(n)) for n in (7, 8)]
    plan = plan_ports(design, CATALOG, a_ports, b_ports)
    assert plan.notes == ("1 port of the longer side stays free",)
    after = wired(design, plan)
    assert [tuple(e.cage for e in c.ends) for c in after.cables.values()] == [
        ("3", "7"),
        ("4", "8"),
    ]


def test_a_port_that_is_asked_for_twice_takes_its_second_fibre() -> None:
    design, _, leaves, _ = hall("dgx-h100", 0, "nvidia-qm9700", 2)
    ports = ([(leaves[0], "1")] * 3, [(leaves[1], "1")] * 3)
    plan = plan_ports(design, CATALOG, *ports, technology=CableTechnology.FIBRE)
    assert len(plan.plans) == 2
    assert "port 1 of leaf-1 is taken" in plan.problems[0].message
    draft = Draft(design)
    connect.apply(draft, plan)
    after, _ = draft.close("connect")
    assert len(after.modules) == 2
    assert sum(len(links) for links in after.links.values()) == 2


def test_a_switch_that_says_its_fabric_names_the_cables() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 1, "nvidia-qm9700", 8)
    draft = Draft(design)
    for leaf in leaves:
        set_device(draft, leaf, fabric="backend")
    rename(draft, leaves[0], "leaf-0")
    design, _ = draft.close("name the fabric")
    after = wired(design, plan_devices(design, CATALOG, servers, leaves))
    assert {cable.fabric for cable in after.cables.values()} == {"backend"}


@settings(max_examples=12)
@given(
    servers=st.integers(1, 8),
    leaves=st.integers(1, 8),
    server=st.sampled_from(["dgx-h100", "dell-xe9680-h100", "dgx-b300-ps"]),
)
def test_every_nic_gets_one_link_and_leaves_are_balanced(
    servers: int, leaves: int, server: str
) -> None:
    leaf = "nvidia-q3400-ra" if "b300" in server else "nvidia-qm9700"
    design, hosts, low, _ = hall(server, servers, leaf, min(leaves, 8))
    after = wired(design, plan_rails(design, CATALOG, hosts, low))
    ends = Counter(
        ref for links in after.links.values() for link in links for ref in (link.a, link.b)
    )
    assert set(ends.values()) == {1}
    per_leaf = [sum(rails_of(after, device).values()) for device in low]
    assert sum(per_leaf) == 8 * servers
    assert max(per_leaf) - min(per_leaf) <= servers


# The out-of-band network


def test_management_ports_of_servers_and_switches_go_to_the_out_of_band_switch() -> None:
    design, servers, leaves, _ = hall("dgx-h100", 4, "nvidia-qm9700", 4)
    draft = Draft(design)
    part = CATALOG.require("nvidia-sn2201")
    assert isinstance(part, DevicePart)
    rack = design.devices[leaves[0]].rack
    oob = add_device(draft, part, rack, 44, name="oob-01")
    for leaf in leaves:  # what a leaf carries says nothing of its management port
        set_device(draft, leaf, fabric="compute")
    design, _ = draft.close("add")
    switches = [*leaves, oob]
    assert management_switches(design, switches) == [oob]
    plan = plan_rails(design, CATALOG, [*servers, *leaves], [oob], role=CageRole.OUT_OF_BAND)
    assert not plan.problems
    assert plan.links == 8
    after = wired(design, plan)
    assert {cable.fabric for cable in after.cables.values()} == {"out-of-band"}
    ends = {(end.device, end.cage) for cable in after.cables.values() for end in cable.ends}
    assert {(leaf, "MGMT") for leaf in leaves} <= ends
    assert {cage for device, cage in ends if device == oob} == {str(n) for n in range(1, 9)}
    again = plan_rails(after, CATALOG, [*servers, *leaves], [oob], role=CageRole.OUT_OF_BAND)
    assert not again.plans
    assert "no device with a free out-of-band port" in again.notes[-1]
