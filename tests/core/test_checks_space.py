# SPDX-License-Identifier: Apache-2.0
"""Rules of racks: units, depth, weight, airflow; and of names."""

import pytest
from tests.core.rule_world import H100, QM9700, World, fire, fixed

from rackloom.catalog.parts import RackPart, SwitchPart
from rackloom.catalog.words import Side
from rackloom.checks import run
from rackloom.design import Draft, edits


def rack(**figures: object) -> RackPart:
    """A 48U rack with some figures of its own."""
    part = World().part("generic-48u-600")
    assert isinstance(part, RackPart)
    return part.model_copy(update={"id": "rack-x"} | figures)


def test_two_servers_in_one_place() -> None:
    world = World()
    first = world.device(H100, "gpu-01", u=1)
    second = world.device(H100, "gpu-02", u=8)  # gpu-01 fills U1 to U8
    (finding,) = world.fires("space.collision")
    assert finding.where == (second, first, world.racks[0])
    assert finding.message == (
        "gpu-02 (U8 to U15) and gpu-01 (U1 to U8) stand in the same place of R01"
    )
    after = fixed(finding)
    assert after.devices[second].bottom_u == 9
    assert not fire(after, "space.collision")


def test_one_on_top_of_the_other_is_no_collision() -> None:
    world = World()
    world.device(H100, "gpu-01", u=1)
    world.device(H100, "gpu-02", u=9)
    assert not world.fires("space.collision")


def test_a_third_device_under_two_tall_ones_is_seen() -> None:
    world = World()
    world.device(H100, "tall", u=1)
    world.device(QM9700, "low", u=2)
    world.device(QM9700, "high", u=8)
    assert len(world.fires("space.collision")) == 2


def test_two_pdus_on_one_post() -> None:
    world = World()
    world.device("generic-415-60", "pdu-a", mount="left-1")
    world.device("generic-415-60", "pdu-b", mount="left-1")
    (finding,) = world.fires("space.collision")
    assert "left-1" in finding.message


def test_a_server_through_the_top_of_its_rack() -> None:
    world = World("generic-42u-600")
    server = world.device(H100, "gpu-01", u=36)
    (finding,) = world.fires("space.beyond-rack")
    assert finding.message == "gpu-01 fills U36 to U43, but R01 has U1 to U42"
    after = fixed(finding)
    assert after.devices[server].bottom_u == 1
    assert not fire(after, "space.beyond-rack")
    near = World("generic-42u-600")
    near.device(H100, "gpu-01", u=35)
    assert not near.fires("space.beyond-rack")


def test_a_server_deeper_than_its_rack() -> None:
    world = World()
    world.rack(rack(depth_mm=890.0, mounting_depth_mm=None))
    world.device(H100, "fits", rack=0)
    world.device(H100, "sticks-out", rack=1)
    (finding,) = world.fires("space.depth")
    assert finding.message == "sticks-out is 897.1 mm deep, but R02 only 890 mm"


def test_a_server_longer_than_the_rails_are_apart() -> None:
    world = World("apc-ar3157", "generic-48u-600")  # rails 710 mm and 1000 mm apart
    world.device(H100, "gpu-01", rack=0)
    world.device(H100, "gpu-02", rack=1)
    (finding,) = world.fires("space.mounting-depth")
    assert "gpu-01 is 897.1 mm deep; the rails of R01 are 710 mm apart" in finding.message
    assert finding.severity == "warning"


def test_cables_have_room_to_bend() -> None:
    """A DGX H100 is 897.1 mm deep; a DAC bends no tighter than 47 mm."""
    world = World()
    for depth_mm in (940.0, 950.0):
        world.rack(rack(id=f"rack-{depth_mm:g}", depth_mm=depth_mm, mounting_depth_mm=None))
    switch = world.device(QM9700, "leaf")
    for n in (1, 2):
        server = world.device(H100, f"gpu-{n}", rack=n)
        world.cable("mcp7y10-n", (switch, str(n)), (server, "slot1p1"), (server, "slot2p1"))
    (finding,) = world.fires("space.bend-room")
    assert finding.message.startswith("gpu-1 leaves 43 mm to the door of R02, but MCP7Y10")
    assert finding.message.endswith("bends no tighter than 47 mm")


def test_weight_against_the_static_rating_says_what_is_unknown() -> None:
    world = World("conteg-ri7-48")  # 800 kg
    for _ in range(6):
        world.device(H100)  # 130.45 kg each
    assert not world.fires("space.weight"), "783 kg"
    pdu = world.part("generic-415-60")
    assert getattr(pdu, "weight_kg") is None  # noqa: B009 - the field of one kind of part
    world.device("generic-415-60", mount="left-1")
    for _ in range(2):
        world.device(QM9700)  # 14.8 kg
    (finding,) = world.fires("space.weight")
    assert "weighs 812 kg" in finding.message
    assert "1 device of unknown weight is not counted" in finding.message
    assert "carries 800 kg" in finding.message


def test_a_rack_too_heavy_to_be_rolled() -> None:
    world = World("apc-ar3357")  # 1020 kg rolling
    for _ in range(5):
        world.device(H100)
    for _ in range(8):
        world.device("supermicro-as-8125gs-tnhr", rack=0, u=1)
    (finding,) = world.fires("space.rolling-weight")
    assert "1020 kg" in finding.message
    light = World("apc-ar3357")
    light.device(H100)
    assert not light.fires("space.rolling-weight")


def test_a_switch_that_breathes_the_servers_exhaust_is_turned_round() -> None:
    world = World()
    world.device(H100, "gpu-01")
    switch = world.device(QM9700, "leaf-01", face=Side.FRONT)  # air from power to port side
    (finding,) = world.fires("space.airflow")
    assert finding.where == (switch, world.racks[0])
    assert finding.message == (
        "leaf-01 blows hot air to the front of R01, the other device blows to the rear"
    )
    after = fixed(finding)
    assert after.devices[switch].face is Side.REAR
    assert not fire(after, "space.airflow")


def test_a_switch_with_unknown_airflow_says_nothing() -> None:
    world = World()
    world.device(H100, "gpu-01")
    part = world.part(QM9700)
    assert isinstance(part, SwitchPart)
    world.device(part.model_copy(update={"id": "x", "airflow": None}), "leaf-01")
    assert not world.fires("space.airflow")


def test_a_rack_of_switches_that_all_blow_to_the_front_is_fine() -> None:
    world = World()
    world.device(QM9700)
    world.device(QM9700)
    assert not world.fires("space.airflow")


def test_two_devices_of_one_name() -> None:
    world = World()
    first, second = world.device(QM9700, "leaf-01"), world.device(QM9700, "leaf-01")
    third = world.device(QM9700, "leaf-02")
    (finding,) = world.fires("name.duplicate")
    assert finding.where == (first, second)
    assert finding.message == "2 devices are called “leaf-01”"
    after = fixed(finding)
    names = {after.devices[d].name for d in (first, second, third)}
    assert names == {"leaf-01", "leaf-02", "leaf-03"}
    assert not fire(after, "name.duplicate")


def test_a_rack_may_be_called_like_a_device() -> None:
    world = World()
    world.device(QM9700, "R01")
    assert not world.fires("name.duplicate")


@pytest.mark.parametrize("label", ["A-17", ""])
def test_two_cables_of_one_label(label: str) -> None:
    world = World()
    a, b = world.device(QM9700), world.device(QM9700)
    cables = [
        world.cable("mcp4y10-n", (a, cage), (b, cage), label=label) for cage in ("1", "2", "3")
    ]
    findings = world.fires("name.duplicate-label")
    if not label:
        assert not findings, "no label is no name"
        return
    assert findings[0].where == tuple(cables)
    after = fixed(findings[0])
    assert len({c.label for c in after.cables.values()}) == 3
    assert not fire(after, "name.duplicate-label")


def test_renaming_finds_a_duplicate_at_once() -> None:
    world = World()
    world.device(QM9700, "leaf-01")
    other = world.device(QM9700, "leaf-02")
    design = world.design
    findings = run(design)
    draft = Draft(design)
    edits.rename(draft, other, "leaf-01")
    after, step = draft.close("Rename")
    assert [f.rule for f in findings.patched(after, step.change)].count("name.duplicate") == 1
