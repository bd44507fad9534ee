# SPDX-License-Identifier: Apache-2.0
"""Rules of busbars, heat, pipelines, signals and makers."""

import pytest
from tests.core.rule_world import H100, QM9700, SN5600, World

from rackloom.catalog.words import Side
from rackloom.design import edits

DS5000 = "celestica-ds5000"


# Busbars


def test_a_compute_tray_needs_a_rack_with_a_busbar_and_a_shelf() -> None:
    world = World("generic-48u-600", "nvl72-mgx", "nvl72-mgx")
    trays = [world.device("gb200-compute-tray", f"tray-{n}", rack=n) for n in range(3)]
    world.device("nvl72-shelf", rack=2)
    findings = world.fires("power.no-busbar")
    assert [f.where for f in findings] == [(trays[0], world.racks[0]), (trays[1], world.racks[1])]
    assert findings[0].message == (
        "tray-0 is fed by a busbar, but R01 has no busbar that we know of"
    )
    assert findings[1].message == "tray-1 is fed by a busbar, but R02 has no power shelf"
    assert not world.fires("power.no-power"), "a tray has no inlet for a cord"


# Heat


@pytest.mark.parametrize(
    ("servers", "info", "warning"), [(2, 0, 0), (3, 1, 0), (5, 1, 0), (6, 0, 1)]
)
def test_heat_that_leaves_by_air(servers: int, info: int, warning: int) -> None:
    """A DGX H100 gives off 10.2 kW: 20.4, 30.6, 51.0, 61.2 kW."""
    world = World()
    for n in range(servers):
        world.device(H100, f"gpu-{n}", u=1 + 8 * n)
    assert len(world.fires("power.contained-aisle")) == info
    findings = world.fires("power.air-cooling")
    assert len(findings) == warning
    if warning:
        assert "R01 gives off up to 61.2 kW by air" in findings[0].message


# Pipelines, halves


def test_two_neighbouring_cages_of_a_ds5000_share_ten_ports() -> None:
    world = World()
    switch = world.device(DS5000, "leaf")
    edits.set_device(world.draft, switch, modes=(("1", "8x100"), ("2", "2x400")))
    assert not world.fires("port.pipeline-limit"), "8 + 2 ports"
    edits.set_device(world.draft, switch, modes=(("1", "8x100"), ("2", "4x200")))
    (finding,) = world.fires("port.pipeline-limit")
    assert finding.message == (
        "cages 1, 2 of leaf make 12 logical ports, but their pipeline (1) has 10"
    )
    edits.set_device(world.draft, switch, modes=(("1", "8x100"), ("3", "4x200")))
    assert not world.fires("port.pipeline-limit"), "cage 3 is in the next pipeline"


def test_a_q3200_is_two_switches() -> None:
    world = World()
    box = world.device("nvidia-q3200-ra", "box")
    other = world.device("nvidia-q3400-ra", "spine")
    world.cable("mca4k50", (box, "1"), (other, "1"))
    assert not world.fires("fabric.two-in-one"), "one half in use"
    world.cable("mca4k50", (box, "36"), (other, "2"))
    (finding,) = world.fires("fabric.two-in-one")
    assert finding.where == (box,)
    assert "2 switches in one box" in finding.message


# Signals


def test_a_dr1_module_wants_the_ports_error_correction_off() -> None:
    world = World()
    a, b = world.device("nvidia-sn4600c", "a"), world.device("nvidia-sn4600c", "b")
    optic = "mms1v70-cm"
    world.optics((a, "1", 0), (b, "1", 0), a_part=optic, b_part=optic, cord="lc-duplex-os2")
    findings = world.fires("port.fec")
    assert [f.message.partition(":")[0] for f in findings] == [
        "switch FEC off at port 1 of a",
        "switch FEC off at port 1 of b",
    ]
    plain = World()
    a, b = plain.device(QM9700, "a"), plain.device(QM9700, "b")
    plain.optics((a, "1", 0), (b, "1", 0))
    assert not plain.fires("port.fec")


def test_linear_optics_facing_a_retimed_module() -> None:
    def world(far: str) -> World:
        hall = World()
        a, b = hall.device("dell-z9864f", "a"), hall.device("dell-z9864f", "b")
        hall.optics((a, "1", 0), (b, "1", 0), a_part="800g-dr8-lpo", b_part=far, cord="mfp7e30")
        return hall

    (finding,) = world("mms4x00-nm-t").fires("port.linear-optics")
    assert "the other end is retimed" in finding.message
    (finding,) = world("800g-dr8-lpo").fires("port.linear-optics")
    assert "only listed pairs" in finding.message


def test_transceivers_of_another_maker() -> None:
    world = World()
    dell, nvidia = world.device("dell-z9864f", "dell"), world.device(SN5600, "nvidia")
    world.module("mms4x00-nm-t", dell, "1")
    world.module("mms4x00-nm-t", nvidia, "1")
    (finding,) = world.fires("port.mixed-brands")
    assert finding.where == (dell,)
    assert finding.message == "dell (Dell) holds parts of other makers: 1 of NVIDIA"


# Panels and trunks


def test_cords_and_trunks_on_panels_are_no_mistake() -> None:
    """Transceiver, cord, panel, trunk of two connectors a side, panel, cord, transceiver."""
    world = World()
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    near, far = (world.device("generic-mpo-panel-1u", name) for name in ("near", "far"))
    for switch, panel in ((a, near), (b, far)):
        world.module("mms4x00-nm", switch, "1")
        world.cable("mfp7e30", (switch, "1", 0), (panel, "F1"), length_m=3)
    world.cable("trunk-24-os2", (near, "R1"), None, (far, "R1"), None, length_m=10)
    wrong = {"port.form-factor", "port.connector", "port.dark-fibre", "port.no-link"}
    wrong |= {"port.loose-cable", "port.speed", "port.polish", "reach.medium"}
    assert not [f.message for f in world.check() if f.rule in wrong]
    (spare,) = world.fires("port.spare-branch")
    assert "has 4 ends, of which 2 hang loose" in spare.message


def test_a_trunk_plugged_at_connectors_that_do_not_face_each_other() -> None:
    world = World()
    near, far = (world.device("generic-mpo-panel-1u", name) for name in ("near", "far"))
    cable = world.cable("trunk-24-os2", (near, "R1"), None, None, (far, "R1"), length_m=10)
    (finding,) = world.fires("port.loose-cable")
    assert finding.where[0] == cable


def test_an_lc_cord_does_not_go_into_an_mpo_panel() -> None:
    world = World()
    panel = world.device("generic-mpo-panel-1u", "panel", face=Side.FRONT)
    switch = world.device(QM9700, "a")
    world.module("mms4x50-nm", switch, "1")
    world.cable("lc-duplex-os2", (switch, "1", 0), (panel, "F1"))
    (finding,) = world.fires("port.form-factor")
    assert "a panel port takes MPO-12 connectors only" in finding.message
