# SPDX-License-Identifier: Apache-2.0
"""What an installer would order to join two ports of real machines, and what he would refuse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackloom.catalog.load import Catalog, load_bundled
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.words import CableTechnology, Shell, Side
from rackloom.design import Design, Draft, EditError
from rackloom.design.edits import (
    add_device,
    add_rack,
    add_row,
    change_settings,
    insert_module,
    move_device,
    remove,
    set_cable,
)
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.links import cable_links
from rackloom.placement.cabling import (
    Plan,
    Refusal,
    apply_plans,
    choose,
    next_length_m,
    plan_cable,
    rechoose,
    refit_length,
    refit_lengths,
    takers,
)
from rackloom.placement.plans import filled_cages
from rackloom.placement.routes import route_m

CATALOG = load_bundled()


def part(part_id: str) -> DevicePart:
    """A device of the bundled catalogue."""
    found = CATALOG.require(part_id)
    assert isinstance(found, DevicePart)
    return found


def cable_part(part_id: str) -> CablePart:
    """A cable of the bundled catalogue."""
    found = CATALOG.require(part_id)
    assert isinstance(found, CablePart)
    return found


class Hall:
    """One row of 48U racks, 0.6 m apart, at ``positions``; devices go where one says."""

    def __init__(self, *positions_m: float) -> None:
        self.draft = Draft(Design())
        rack = CATALOG.require("generic-48u-600")
        assert isinstance(rack, RackPart)
        row = add_row(self.draft)
        self.racks: list[RackId] = [add_rack(self.draft, rack, row, x) for x in positions_m]

    def put(self, part_id: str, rack: int, bottom_u: int, face: Side = Side.FRONT) -> DeviceId:
        """A device of the catalogue in the n-th rack."""
        return add_device(self.draft, part(part_id), self.racks[rack], bottom_u, face=face)

    def design(self) -> Design:
        """As it stands; furnishing may go on."""
        design, _ = self.draft.close("furnish")
        self.draft = Draft(design)
        return design


def planned(outcome: Plan | Refusal) -> Plan:
    """The plan; with the reason in the failure where there is none."""
    assert isinstance(outcome, Plan), outcome
    return outcome


def refused(outcome: Plan | Refusal) -> str:
    """The reason."""
    assert isinstance(outcome, Refusal), outcome
    return outcome.message


def plugged(design: Design, *plans: Plan | Refusal) -> Design:
    """The design once these are plugged."""
    draft = Draft(design)
    apply_plans(draft, [planned(plan) for plan in plans])
    return draft.close("plug")[0]


def test_two_switches_in_one_rack_get_the_shortest_passive_copper() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 0, 42)
    design = hall.design()
    plan = planned(choose(design, CATALOG, (a, "1"), (b, "1")))
    assert plan.technology is CableTechnology.DAC
    assert plan.part.id == "mcp4y10-n"
    assert plan.modules == ()
    assert plan.needed_m <= plan.length_m <= plan.needed_m + 0.5
    after = plugged(design, plan)
    (cable,) = after.cables.values()
    assert [link.rate_gbps for link in cable_links(after, cable)] == [400, 400]


def test_five_metres_are_too_far_for_passive_copper_but_not_for_active() -> None:
    hall = Hall(0, 0.6)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    plan = planned(choose(hall.design(), CATALOG, (a, "1"), (b, "1")))
    assert 2 < plan.needed_m <= 5
    assert plan.technology is CableTechnology.ACC


def test_a_dgx_far_from_its_leaf_gets_finned_optics_at_the_switch_and_flat_at_the_server() -> None:
    hall = Hall(0, 6)
    leaf, dgx = hall.put("nvidia-qm9700", 0, 42), hall.put("dgx-h100", 1, 1)
    design = hall.design()
    plan = planned(choose(design, CATALOG, (leaf, "1"), (dgx, "OSFP4")))
    modules = {port[0]: module for port, module in plan.modules}
    assert plan.technology is CableTechnology.FIBRE
    assert modules[leaf].shell is Shell.IHS
    assert modules[dgx].shell is Shell.RHS
    assert modules[leaf].id == "mma4z00-ns"  # multimode does for 15 m
    assert modules[dgx].id == "mma4z00-ns-flt"
    assert plan.part.id == "mfp7e10"
    assert plan.fabric == "compute"
    after = plugged(design, plan)
    (cable,) = after.cables.values()
    (link,) = cable_links(after, cable)
    assert (link.rate_gbps, link.lanes) == (400, 4)


def test_the_second_fibre_of_a_twin_port_cage_uses_the_modules_that_are_there() -> None:
    hall = Hall(0, 6)
    leaf, dgx = hall.put("nvidia-qm9700", 0, 42), hall.put("dgx-h100", 1, 1)
    design = hall.design()
    ports = (leaf, "1"), (dgx, "OSFP4")
    design = plugged(design, choose(design, CATALOG, *ports))
    second = planned(choose(design, CATALOG, *ports))
    assert second.modules == ()
    assert {end.socket for end in second.ends} == {1}
    design = plugged(design, second)
    assert len(design.modules) == 2
    assert sum(len(links) for links in design.links.values()) == 2
    assert "port 1 of switch-01 is taken by MFP7E10" in refused(choose(design, CATALOG, *ports))


def test_beyond_fifty_metres_of_multimode_it_is_single_mode() -> None:
    hall = Hall(0, 60)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    plan = planned(choose(hall.design(), CATALOG, (a, "1"), (b, "1")))
    assert plan.needed_m > 60
    assert plan.part.id == "mfp7e30"
    assert all(module.optic_class == "DR4" for _, module in plan.modules)
    assert plan.length_m >= plan.needed_m


def test_a_bluefield_port_gets_a_single_qsfp112() -> None:
    hall = Hall(0, 6)
    leaf, dgx = hall.put("nvidia-qm9700", 0, 42), hall.put("dgx-h100", 1, 1)
    design = hall.design()
    storage = next(c.name for c in part("dgx-h100").cages if c.group == "storage")
    plan = planned(choose(design, CATALOG, (leaf, "1"), (dgx, storage)))
    modules = {port[0]: module.id for port, module in plan.modules}
    assert modules == {leaf: "mma4z00-ns", dgx: "mma1z00-ns400"}
    assert plan.fabric == "storage"


def test_a_breakout_is_drawn_end_by_end() -> None:
    hall = Hall(0)
    leaf = hall.put("nvidia-qm9700", 0, 20, face=Side.REAR)
    servers = [hall.put("dell-xe9680-h100", 0, u) for u in (10, 24)]
    nic = part("dell-xe9680-h100").cages[0].name
    design = hall.design()
    first = planned(choose(design, CATALOG, (leaf, "1"), (servers[0], nic)))
    assert first.part.id == "mcp7y00-n"
    assert first.loose_ends == 1
    design = plugged(design, first)
    second = planned(choose(design, CATALOG, (leaf, "1"), (servers[1], nic)))
    assert second.extends in design.cables
    assert second.loose_ends == 0
    design = plugged(design, second)
    (cable,) = design.cables.values()
    assert {end.device for end in cable.ends} == {leaf, *servers}
    assert [link.rate_gbps for link in cable_links(design, cable)] == [400, 400]
    longest = route_m(design, cable)
    assert longest is not None
    assert cable.length_m >= longest.needed_m
    other = next(c.name for c in part("dell-xe9680-h100").cages[1:2])
    assert "taken by" in refused(choose(design, CATALOG, (leaf, "1"), (servers[0], other)))


def test_the_loose_end_of_a_breakout_does_not_go_into_any_port() -> None:
    hall = Hall(0)
    leaf = hall.put("nvidia-qm9700", 0, 20, face=Side.REAR)
    server = hall.put("dell-xe9680-h100", 0, 10)
    other = hall.put("nvidia-qm9700", 0, 22, face=Side.REAR)
    nic = part("dell-xe9680-h100").cages[0].name
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (leaf, "1"), (server, nic)))
    reason = refused(choose(design, CATALOG, (leaf, "1"), (other, "1")))
    assert "flat-top (RHS) OSFP plug of MCP7Y00-Nxxx does not enter" in reason


def test_infiniband_and_ethernet_switches_do_not_link() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 30), hall.put("nvidia-sn5600", 0, 40)
    reason = refused(choose(hall.design(), CATALOG, (a, "1"), (b, "1")))
    assert "InfiniBand" in reason
    assert "Ethernet" in reason
    assert "port 1 of switch-01" in reason


def test_a_dac_for_a_flat_cage_is_refused_with_the_shell_in_the_reason() -> None:
    hall = Hall(0)
    leaf, dgx = hall.put("nvidia-qm9700", 0, 20), hall.put("dgx-h100", 0, 1)
    reason = refused(
        plan_cable(hall.design(), CATALOG, cable_part("mcp4y10-n"), (leaf, "1"), (dgx, "OSFP1"))
    )
    assert "finned" in reason
    assert "OSFP1 of gpu-01" in reason


def test_a_part_that_is_too_short_says_how_far_it_is() -> None:
    hall = Hall(0, 12)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    design = hall.design()
    reason = refused(plan_cable(design, CATALOG, cable_part("mcp4y10-n"), (a, "1"), (b, "1")))
    needed_m = route_m(design, ((a, "1"), (b, "1"))).needed_m
    assert f"{needed_m:.1f} m" in reason
    assert "MCP4Y10-Nxxx" in reason
    assert "2 m at most" in reason


def test_nothing_reaches_across_a_kilometre() -> None:
    hall = Hall(0, 1000)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    assert "the longest part that fits" in refused(
        choose(hall.design(), CATALOG, (a, "1"), (b, "1"))
    )


def test_a_technology_that_was_asked_for_is_kept_to() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 0, 42)
    design = hall.design()
    fibre = planned(choose(design, CATALOG, (a, "1"), (b, "1"), technology=CableTechnology.FIBRE))
    assert fibre.technology is CableTechnology.FIBRE
    assert refused(choose(design, CATALOG, (a, "1"), (b, "1"), technology=CableTechnology.AEC))


def test_a_cable_has_two_ends() -> None:
    hall = Hall(0)
    a = hall.put("nvidia-qm9700", 0, 40)
    assert "both ends" in refused(choose(hall.design(), CATALOG, (a, "1"), (a, "1")))
    with pytest.raises(EditError, match="has no port '99'"):
        choose(hall.design(), CATALOG, (a, "99"), (a, "1"))


def test_single_mode_fibre_is_never_shorter_than_its_optics_allow() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 0, 41)
    plan = planned(plan_cable(hall.design(), CATALOG, cable_part("mfp7e30"), (a, "1"), (b, "1")))
    assert plan.needed_m < 2
    assert plan.length_m >= 2  # MMS4X00 needs two metres of fibre


def test_a_transceiver_put_in_by_hand_decides_the_far_one() -> None:
    hall = Hall(0, 6)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    module = CATALOG.require("mms4x00-nm")
    assert isinstance(module, TransceiverPart)
    insert_module(hall.draft, module, a, "1")
    plan = planned(choose(hall.design(), CATALOG, (a, "1"), (b, "1")))
    ((port, far),) = plan.modules
    assert port == (b, "1")
    assert far.optic_class == "DR4"
    assert plan.part.id == "mfp7e30"


def test_parts_of_the_design_are_chosen_from_though_the_catalogue_lacks_them() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 0, 42)
    hall.draft.embed(CATALOG.require("mcp4y10-n"))
    plan = planned(choose(hall.design(), Catalog([]), (a, "1"), (b, "1")))
    assert plan.part.id == "mcp4y10-n"


def test_a_management_port_gets_a_patch_cord() -> None:
    hall = Hall(0)
    sw, dgx = hall.put("nvidia-sn2201", 0, 40), hall.put("dgx-h100", 0, 1)
    bmc = next(c.name for c in part("dgx-h100").cages if c.role == "out-of-band")
    plan = planned(choose(hall.design(), CATALOG, (sw, "1"), (dgx, bmc)))
    assert plan.technology is CableTechnology.TWISTED_PAIR
    assert plan.fabric == "out-of-band"


# Every pair of data ports of the catalogue


@pytest.mark.parametrize(
    ("a_part", "b_part", "rate_gbps"),
    [
        ("nvidia-qm9700", "dgx-h100", 400),
        ("nvidia-qm9700", "dell-xe9680-h100", 400),
        ("nvidia-qm8700", "dgx-a100", 200),
        ("nvidia-sn5600", "dell-xe9680-mi300x", 400),
        ("arista-7060x6-64pe", "arista-7060x6-64pe", 800),
        ("nvidia-sn5600", "arista-7060x6-64pe", 800),  # one of them is set to 1x800
        ("nvidia-q3400-ra", "dgx-b300-ps", 800),
        ("nvidia-sn4700", "arista-7060dx5-32", 400),
    ],
)
@pytest.mark.parametrize("apart_m", [0.6, 12.0, 70.0])
def test_what_is_chosen_lights_a_link_at_full_rate(
    a_part: str, b_part: str, rate_gbps: float, apart_m: float
) -> None:
    hall = Hall(0, apart_m)
    a, b = hall.put(a_part, 0, 30), hall.put(b_part, 1, 10)
    a_cage, b_cage = part(a_part).cages[0].name, part(b_part).cages[0].name
    design = hall.design()
    outcome = choose(design, CATALOG, (a, a_cage), (b, b_cage))
    if isinstance(outcome, Refusal):
        assert apart_m == 70, outcome.message
        return
    after = plugged(design, outcome)
    links = [link for found in after.links.values() for link in found]
    assert {link.rate_gbps for link in links} == {rate_gbps}
    assert outcome.rate_gbps == rate_gbps


def test_a_harness_joins_a_dr4_to_four_single_lane_modules() -> None:
    hall = Hall(0)
    spine = hall.put("nvidia-sn4700", 0, 40)
    leaves = [hall.put("nvidia-sn4600c", 0, 30 + 2 * n) for n in range(4)]
    module = CATALOG.require("mms1v00-wm")
    assert isinstance(module, TransceiverPart)
    insert_module(hall.draft, module, spine, "1")
    design = hall.design()
    for leaf in leaves:
        plan = plan_cable(design, CATALOG, cable_part("mpo12-4xlc-sm"), (spine, "1"), (leaf, "1"))
        design = plugged(design, plan)
    (cable,) = design.cables.values()
    assert {(link.rate_gbps, link.b.device) for link in cable_links(design, cable)} == {
        (100.0, leaf) for leaf in leaves
    }


def test_optics_that_do_not_pair_are_named_with_both_ports() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-q3400-ra", 0, 30), hall.put("nvidia-qm9700", 0, 40)
    reason = refused(
        choose(hall.design(), CATALOG, (a, "1"), (b, "1"), technology=CableTechnology.FIBRE)
    )
    assert reason.startswith("no optics join port 1 of switch-01 and port 1 of switch-02: ")
    assert "100 Gb/s" in reason or "multimode" in reason


PORTS = sorted(
    {
        (part.id, cage.group): (part.id, cage.name)
        for part in [*CATALOG.of_kind(SwitchPart), *CATALOG.of_kind(ServerPart)]
        if part.rack_units
        for cage in part.cages
    }.values()
)


@settings(max_examples=60)
@given(st.sampled_from(PORTS), st.sampled_from(PORTS), st.sampled_from([0.6, 8.0, 40.0]))
def test_any_two_ports_get_links_of_the_promised_rate_or_a_reason(
    a_port: tuple[str, str], b_port: tuple[str, str], apart_m: float
) -> None:
    hall = Hall(0, apart_m)
    a, b = hall.put(a_port[0], 0, 1), hall.put(b_port[0], 1, 1)
    design = hall.design()
    outcome = choose(design, CATALOG, (a, a_port[1]), (b, b_port[1]))
    lit_up = takers(design, CATALOG, (a, a_port[1]), devices=[b])[b, b_port[1]]
    if isinstance(outcome, Refusal):
        assert len(outcome.message) > 20
        assert lit_up is not None
        return
    assert lit_up is None
    assert outcome.length_m >= outcome.needed_m - 1e-9
    after = plugged(design, outcome)
    assert {link.rate_gbps for found in after.links.values() for link in found} == {
        outcome.rate_gbps
    }


# Lighting up ports


def test_takers_say_what_choose_would_say() -> None:
    hall = Hall(0, 0.6, 30)
    leaf = hall.put("nvidia-qm9700", 0, 42)
    others = [
        hall.put("dgx-h100", 0, 1),
        hall.put("nvidia-qm9700", 1, 42),
        hall.put("nvidia-sn5600", 1, 30),
        hall.put("dell-xe9680-h100", 1, 1),
        hall.put("nvidia-qm9700", 2, 42),
        hall.put("nvidia-sn2201", 0, 40),
    ]
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (leaf, "2"), (others[1], "2")))
    answers = takers(design, CATALOG, (leaf, "1"))
    assert len(answers) == sum(len(design.device_part(d).cages) for d in (leaf, *others))
    for port, reason in answers.items():
        outcome = choose(design, CATALOG, (leaf, "1"), port)
        assert (reason is None) == isinstance(outcome, Plan), (port, reason, outcome)
    assert answers[leaf, "1"] == "this is where the cable starts"
    assert answers[others[0], "OSFP1"] is None
    assert "InfiniBand" in (answers[others[2], "1"] or "")
    assert "is taken by" in (answers[others[1], "2"] or "")


def test_takers_of_a_drawn_part_are_those_it_fits_and_reaches() -> None:
    hall = Hall(0, 30)
    leaf = hall.put("nvidia-qm9700", 0, 42)
    near, far = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 1, 42)
    dgx = hall.put("dgx-h100", 0, 1)
    answers = takers(hall.design(), CATALOG, (leaf, "1"), part=cable_part("mcp4y10-n"))
    assert answers[near, "1"] is None
    assert "2 m at most" in (answers[far, "1"] or "")
    assert "finned" in (answers[dgx, "OSFP1"] or "")


def test_takers_of_a_half_plugged_breakout_are_those_of_its_loose_end() -> None:
    hall = Hall(0)
    leaf = hall.put("nvidia-qm9700", 0, 20, face=Side.REAR)
    server = hall.put("dell-xe9680-h100", 0, 10)
    nics = [c.name for c in part("dell-xe9680-h100").cages[:2]]
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (leaf, "1"), (server, nics[0])))
    answers = takers(design, CATALOG, (leaf, "1"))
    assert answers[server, nics[1]] is None
    assert answers[server, nics[0]] is not None
    assert answers[leaf, "2"] is not None
    back = takers(design, CATALOG, (server, nics[1]))
    assert back[leaf, "1"] is None  # the loose end may as well be taken from the other side
    assert back[leaf, "2"] is None


def test_a_full_port_takes_nothing() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 40), hall.put("nvidia-qm9700", 0, 42)
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (a, "1"), (b, "1")))
    assert all(reason is not None for reason in takers(design, CATALOG, (a, "1")).values())


# Lengths


def test_a_move_makes_the_next_stocked_length_another_one() -> None:
    hall = Hall(0)
    a, b = hall.put("nvidia-qm9700", 0, 30), hall.put("nvidia-qm9700", 0, 31)
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (a, "1"), (b, "1")))
    (cable_id,) = design.cables
    assert refit_length(design, cable_id) is None
    draft = Draft(design)
    move_device(draft, b, hall.racks[0], 48)
    moved, _ = draft.close("move")
    edit = refit_length(moved, cable_id)
    assert edit is not None
    draft = Draft(moved)
    edit(draft)
    refitted, _ = draft.close("refit")
    route = route_m(refitted, refitted.cables[cable_id])
    assert route is not None
    assert refitted.cables[cable_id].length_m >= route.needed_m
    assert refitted.cables[cable_id].length_m > design.cables[cable_id].length_m
    assert next_length_m(refitted, cable_id) == refitted.cables[cable_id].length_m


def test_a_cable_that_became_too_short_is_replaced_by_another_technology() -> None:
    hall = Hall(0, 12)
    a, b = hall.put("nvidia-qm9700", 0, 30), hall.put("nvidia-qm9700", 0, 31)
    design = hall.design()
    draft = Draft(design)
    cable_id = planned(choose(design, CATALOG, (a, "1"), (b, "1"))).apply(draft)
    move_device(draft, b, hall.racks[1], 48)
    moved, _ = draft.close("move")
    assert refit_length(moved, cable_id) is None
    edit = rechoose(moved, CATALOG, cable_id)
    assert not isinstance(edit, Refusal)
    draft = Draft(moved)
    assert len(moved.links[cable_id]) == 2, "a twin-port copper cable carries two links"
    new_id = edit(draft)
    after, _ = draft.close("replace")
    assert new_id in after.cables
    assert all(
        after.part(cable.part, CablePart).technology is CableTechnology.FIBRE
        for cable in after.cables.values()
    )
    assert len(after.modules) == 2
    assert sum(len(links) for links in after.links.values()) == 2, "and so do the two cords"


def test_all_lengths_are_made_right_at_once_but_not_those_the_user_fixed() -> None:
    hall = Hall(0, 6)
    a, b = hall.put("nvidia-qm9700", 0, 20), hall.put("nvidia-qm9700", 0, 21)
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (a, "1"), (b, "1")))
    design = plugged(design, choose(design, CATALOG, (a, "2"), (b, "2")))
    fibre = CableTechnology.FIBRE
    design = plugged(design, choose(design, CATALOG, (a, "3"), (b, "3"), technology=fibre))
    first, second, third = design.cables
    draft = Draft(design)
    set_cable(draft, second, length_fixed=True)
    move_device(draft, b, hall.racks[0], 48)
    change_settings(draft, slack_m=0.1)
    moved, _ = draft.close("move")
    refit = refit_lengths(moved)
    assert set(refit.lengths_m) == {first}  # the shortest fibre is 3 m and still does
    assert refit.lengths_m[first] == next_length_m(moved, first)
    draft = Draft(moved)
    refit.apply(draft)
    after, _ = draft.close("refit")
    assert refit_lengths(after).lengths_m == {}
    draft = Draft(after)
    move_device(draft, b, hall.racks[1], 48)
    away, _ = draft.close("move away")
    refit = refit_lengths(away)
    assert refit.too_short == (first,)
    assert set(refit.lengths_m) == {third}


def test_taking_the_cable_out_frees_both_cages() -> None:
    hall = Hall(0, 6)
    a, b = hall.put("nvidia-qm9700", 0, 42), hall.put("nvidia-qm9700", 1, 42)
    change_settings(hall.draft, slack_m=1.0)
    design = hall.design()
    design = plugged(design, choose(design, CATALOG, (a, "1"), (b, "1")))
    assert filled_cages(design, a)["1"].free_sockets == (1,)
    draft = Draft(design)
    remove(draft, list(design.cables))
    empty, _ = draft.close("unplug")
    assert filled_cages(empty, a) == {}
