# SPDX-License-Identifier: Apache-2.0
"""A plug or cord of the wrong kind: the fix takes what belongs there, and clears the finding."""

from __future__ import annotations

import pytest
from tests.core.rule_world import H100, QM9700, SN5600, World

from rackloom.checks import run
from rackloom.checks.finding import Finding
from rackloom.design import Design, Draft


def fixed(design: Design, finding: Finding) -> tuple[str, Design]:
    """The label of the first fix, and the design after it."""
    fix = finding.fixes[0]
    draft = Draft(design)
    fix.edit(draft)
    return fix.label, draft.close(fix.label)[0]


def left(design: Design, rule: str) -> list[str]:
    return [finding.message for finding in run(design) if finding.rule == rule]


def rail_world(server_optic: str, cord: str = "mfp7e10", length_m: float = 10.0) -> World:
    """A leaf and a DGX H100, joined by one cord between two optics."""
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.optics(
        (leaf, "1", 0), (server, "OSFP1", 0), b_part=server_optic, cord=cord, length_m=length_m
    )
    return world


def test_a_finned_optic_in_a_dgx_is_exchanged_for_its_flat_sister() -> None:
    world = rail_world("mma4z00-ns")
    (finding,) = world.fires("port.shell")
    label, after = fixed(world.design, finding)
    assert label == "Use a MMA4Z00-NS-FLT in gpu-01 OSFP1"
    assert not left(after, "port.shell")
    assert len(after.links) == 1


def test_without_a_cord_the_optics_stay_what_they_were() -> None:
    """Multimode stays multimode, single-mode single-mode: nobody has chosen a fibre yet."""
    world = World()
    server = world.device(H100, "gpu-01")
    world.module("mma4z00-ns", server, "OSFP1")
    world.module("mms4x00-ns", server, "OSFP2")
    labels = sorted(finding.fixes[0].label for finding in world.fires("port.shell"))
    assert labels == [
        "Use a MMA4Z00-NS-FLT in gpu-01 OSFP1",
        "Use a MMS4X00-NS-FLT in gpu-01 OSFP2",
    ]


def test_a_single_port_optic_gives_way_to_a_twin() -> None:
    world = rail_world("mma4z00-ns400")
    (finding,) = world.fires("port.plug")
    label, after = fixed(world.design, finding)
    assert label == "Use a MMA4Z00-NS-FLT in gpu-01 OSFP1"
    assert not left(after, "port.plug")


def test_long_reach_optics_of_17_watts_are_not_sold() -> None:
    """Every 2xLR4 draws more than the cage supplies: no fix pretends that another one does."""
    world = World()
    leaf = world.device(QM9700, "leaf")
    world.module("mms4x90-nr", leaf, "5")
    (finding,) = world.fires("power.module-class")
    assert not finding.fixes


def test_a_cable_with_the_wrong_shell_is_replaced_by_one_for_both_ports() -> None:
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp4y10-n", (leaf, "1"), (server, "OSFP1"))
    (finding,) = world.fires("port.shell")
    _, after = fixed(world.design, finding)
    assert not left(after, "port.shell")
    assert after.links, "what stands in its place carries a link"


def test_an_infiniband_cable_between_ethernet_switches_is_replaced() -> None:
    world = World()
    a, b = world.device(SN5600, "leaf-01"), world.device(SN5600, "leaf-02")
    world.cable("mca4j80-n", (a, "1"), (b, "1"), length_m=3)
    finding = world.fires("port.plug-protocol")[0]
    _, after = fixed(world.design, finding)
    assert not left(after, "port.plug-protocol")
    assert after.links


@pytest.mark.parametrize(
    ("cord", "rule"), [("mfp7e30", "reach.medium"), ("mpo12-mm-upc", "port.polish")]
)
def test_a_cord_of_the_wrong_kind_is_exchanged_for_the_right_one(cord: str, rule: str) -> None:
    world = rail_world("mma4z00-ns-flt", cord)
    finding = world.fires(rule)[0]
    label, after = fixed(world.design, finding)
    assert label == "Use MFP7E10-Nxxx (OM4), 10 m"
    assert not left(after, rule)
    assert [cable.length_m for cable in after.cables.values()] == [10.0]


def test_a_cord_is_exchanged_for_the_next_length_that_is_stocked() -> None:
    """MFP7E30 comes in 1 m, MFP7E10 from 3 m on: never a shorter one than was there."""
    world = rail_world("mma4z00-ns-flt", "mfp7e30", length_m=1.0)
    finding = world.fires("reach.medium")[0]
    label, _ = fixed(world.design, finding)
    assert label == "Use MFP7E10-Nxxx (OM4), 3 m"


def test_where_no_cord_joins_the_optics_the_odd_one_is_exchanged() -> None:
    world = rail_world("mms4x00-ns-flt")
    finding = next(f for f in world.fires("reach.medium") if f.message.startswith("at port"))
    label, after = fixed(world.design, finding)
    assert label == "Use a MMA4Z00-NS-FLT in gpu-01 OSFP1"
    assert not left(after, "reach.medium")
    assert len(after.links) == 1


def test_what_nobody_sells_has_no_fix() -> None:
    """QSFP112 cages take no optic that a twin-port OSFP cord of MPO-16 would go onto."""
    world = World()
    server = world.device(H100, "gpu-01")
    leaf = world.device(QM9700, "leaf")
    world.cable("mcp7y10-n", (leaf, "1"), (server, "slot1p1"), (leaf, "2"))
    (finding,) = world.fires("port.form-factor")
    assert not finding.fixes, "a breakout with three plugged ends is not replaced as a whole"
