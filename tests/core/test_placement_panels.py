# SPDX-License-Identifier: Apache-2.0
"""Patch panels: cords plug straight into couplers, trunk cables connector by connector."""

import pytest

from rackloom.catalog.load import load_bundled
from rackloom.catalog.parts import CablePart, DevicePart, RackPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.design import Design, Draft
from rackloom.design.edits import add_device, add_rack, add_row
from rackloom.design.ids import DeviceId
from rackloom.placement.cabling import Plan, Refusal, choose, plan_cable, takers
from rackloom.placement.many_routes import needed_lengths_m
from rackloom.placement.routes import route_m, spans

CATALOG = load_bundled()
Port = tuple[DeviceId, str]


def hall(*part_ids: str) -> tuple[Design, list[DeviceId]]:
    """One device in each of some racks, six metres apart."""
    draft = Draft(Design())
    rack = CATALOG.require("generic-48u-600")
    assert isinstance(rack, RackPart)
    row = add_row(draft)
    ids = []
    for n, part_id in enumerate(part_ids):
        part = CATALOG.require(part_id)
        assert isinstance(part, DevicePart)
        ids.append(add_device(draft, part, add_rack(draft, rack, row, 6.0 * n), 40))
    return draft.close("furnish")[0], ids


def cable_part(part_id: str) -> CablePart:
    """A cable of the bundled catalogue."""
    part = CATALOG.require(part_id)
    assert isinstance(part, CablePart)
    return part


def plugged(design: Design, outcome: Plan | Refusal) -> Design:
    """The design with the plan plugged; with the reason in the failure where there is none."""
    assert isinstance(outcome, Plan), outcome
    draft = Draft(design)
    outcome.apply(draft)
    return draft.close("plug")[0]


def test_a_port_reaches_an_mpo_panel_with_a_module_and_a_cord() -> None:
    design, (leaf, panel) = hall("nvidia-qm9700", "generic-mpo-panel-1u")
    front = design.device_part(panel).cages[0].name
    plan = choose(design, CATALOG, (leaf, "1"), (panel, front))
    after = plugged(design, plan)
    assert isinstance(plan, Plan)
    assert [port for port, _ in plan.modules] == [(leaf, "1")]
    assert plan.part.ends[1].form_factor is FormFactor.MPO_12
    assert plan.modules[0][1].connector is FormFactor.MPO_12
    assert plan.length_m >= plan.needed_m
    taken = choose(after, CATALOG, (leaf, "2"), (panel, front))
    assert isinstance(taken, Refusal)
    assert "is taken by" in taken.message


def test_an_lc_panel_takes_no_copper_plug() -> None:
    design, (leaf, panel) = hall("nvidia-qm9700", "fs-fhd-1ufce")
    dac = plan_cable(design, CATALOG, cable_part("mcp4y10-n"), (leaf, "1"), (panel, "F1"))
    assert isinstance(dac, Refusal)
    assert "panel port takes" in dac.message
    duplex = choose(design, CATALOG, (leaf, "1"), (panel, "F1"))
    assert isinstance(duplex, Plan)
    assert duplex.modules[0][1].connector is FormFactor.LC_DUPLEX


def test_rj45_jacks_are_patched_with_twisted_pair() -> None:
    design, (switch, panel) = hall("nvidia-sn2201", "generic-patch-24-rj45")
    jack = design.device_part(panel).cages[0].name
    plan = choose(design, CATALOG, (switch, "1"), (panel, jack))
    assert isinstance(plan, Plan)
    assert plan.technology is CableTechnology.TWISTED_PAIR
    fibre = choose(design, CATALOG, (switch, "49"), (panel, jack))
    assert isinstance(fibre, Refusal)


def test_takers_light_up_the_couplers_of_a_panel() -> None:
    design, (leaf, panel) = hall("nvidia-qm9700", "fs-fhd-1ufce")
    answers = takers(design, CATALOG, (leaf, "1"))
    for port, reason in answers.items():
        outcome = choose(design, CATALOG, (leaf, "1"), port)
        assert (reason is None) == isinstance(outcome, Plan)
    assert answers[panel, "F1"] is None


def trunks() -> list[CablePart]:
    """Trunk cables of the catalogue with several MPO-12 connectors at each side."""
    return [
        cable
        for cable in CATALOG.of_kind(CablePart)
        if cable.connectors_per_side > 1 and cable.ends[0].form_factor is FormFactor.MPO_12
    ]


@pytest.mark.parametrize("trunk", trunks(), ids=lambda trunk: trunk.id)
def test_a_trunk_cable_is_plugged_connector_by_connector(trunk: CablePart) -> None:
    design, (a, b) = hall("generic-mpo-panel-1u", "generic-mpo-panel-1u")
    rears = [cage.name for cage in design.device_part(a).cages if cage.group == "rear"]
    for name in rears[: trunk.connectors_per_side]:
        design = plugged(design, plan_cable(design, CATALOG, trunk, (a, name), (b, name)))
    (cable,) = design.cables.values()
    assert len(cable.ends) == len(trunk.ends)
    joined = {(near.cage, far.cage) for near, far in spans(design, cable)}
    assert joined == {(name, name) for name in rears[: trunk.connectors_per_side]}
    _, needed_m = needed_lengths_m(design)
    route = route_m(design, cable)
    assert route is not None
    assert needed_m[0] == pytest.approx(route.needed_m)
    assert cable.length_m >= route.needed_m
    more = rears[trunk.connectors_per_side]
    again = plan_cable(design, CATALOG, trunk, (a, more), (b, more))
    assert isinstance(again, Plan)
    assert again.extends is None  # the first one is full


def test_there_are_trunk_cables_to_test_with() -> None:
    assert trunks()
