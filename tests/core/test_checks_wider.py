# SPDX-License-Identifier: Apache-2.0
"""Rules of forced settings, scale-up networks, peaks, rooms, trays and trunks."""

import pytest
from tests.core.rule_world import CATALOG, H100, QM9700, SN5600, World, fire, fixed

from rackloom.catalog.parts import CablePart, DevicePart, ServerPart, SwitchPart
from rackloom.checks import run
from rackloom.design import Draft, edits
from rackloom.design.kits import add_rack_system
from rackloom.generate import generate


def with_figures(part_id: str, **figures: object) -> DevicePart:
    """A device part of the catalogue with some figures of its own."""
    part = CATALOG.require(part_id)
    assert isinstance(part, DevicePart)
    return part.model_copy(update={"id": f"{part_id}-x", **figures})


# Settings that have to be made by hand


@pytest.mark.parametrize(("length_m", "said"), [(3.0, 0), (5.0, 1)])
def test_long_copper_of_25g_lanes_needs_fec(length_m: float, said: int) -> None:
    world = World()
    a, b = world.device("nvidia-sn2201", "a"), world.device("nvidia-sn2201", "b")
    world.cable("mcp2m00-a", (a, "1"), (b, "1"), length_m=length_m)
    findings = world.fires("port.copper-fec")
    assert len(findings) == said
    if said:
        assert "is 5 m long: set RS-FEC at both ends" in findings[0].message
        assert findings[0].fixes[0].label == "Order 3 m"
        assert not fire(fixed(findings[0]), "port.copper-fec")


def test_infiniband_copper_of_25g_lanes_is_another_matter() -> None:
    world = World()
    a, b = world.device("nvidia-sn4600c", "a"), world.device("nvidia-sn4600c", "b")
    world.cable("mcp1600-e", (a, "1"), (b, "1"), length_m=5.0)
    assert not world.fires("port.copper-fec")


def test_an_sn4700_does_not_negotiate_400g() -> None:
    world = World()
    a, b = world.device("nvidia-sn4700", "a"), world.device("nvidia-sn4700", "b")
    world.cable("mcp1660-w", (a, "1"), (b, "1"), length_m=1.0)
    (finding,) = world.fires("port.forced-speed")
    assert finding.message == (
        "set speed and FEC by hand at port 1 of a and port 1 of b: port 1 of a does not negotiate "
        "400 Gb/s"
    )
    edits.set_mode(world.draft, a, "1", "2x200")
    edits.set_mode(world.draft, b, "1", "2x200")
    assert not world.fires("port.forced-speed"), "200G ports negotiate"


def test_a_connectx8_has_no_single_800g_port_on_ethernet() -> None:
    world = World()
    leaf, server = world.device("nvidia-sn5640", "leaf"), world.device("dgx-b300-ps", "gpu-01")
    part = world.design.device_part(server)
    cage = next(c for c in part.cages if c.group == "compute")
    assert cage.default_mode.name == "1x800"
    world.cable("mca4k00", (leaf, "1"), (server, cage.name))
    (finding,) = world.fires("port.mode-protocol")
    assert finding.message == (
        f"port {cage.name} of gpu-01 runs as 1x800, which it does not offer on Ethernet "
        "(2x400, 1x400 it does)"
    )
    assert finding.fixes[0].label == f"Run gpu-01 {cage.name} as 2x400"
    assert not fire(fixed(finding), "port.mode-protocol")


def test_on_infiniband_it_has() -> None:
    world = World()
    leaf = world.device("nvidia-q3400-ra", "leaf")
    server = world.device("dgx-b300-ps", "gpu-01")
    cage = next(c for c in world.design.device_part(server).cages if c.group == "compute")
    world.cable("mca4k00", (leaf, "1"), (server, cage.name))
    assert not world.fires("port.mode-protocol")


def test_all_cages_of_an_sn5640_split_eightfold_side_by_side() -> None:
    """512 ports, and no neighbour that is switched off."""
    world = World()
    switch = world.device("nvidia-sn5640", "leaf")
    part = world.design.device_part(switch)
    assert isinstance(part, SwitchPart)
    modes = tuple(sorted((c.name, "8x100") for c in part.data_cages))
    assert len(modes) == 64
    edits.set_device(world.draft, switch, modes=modes)
    other = world.device("nvidia-sn5640", "other")
    for cage in part.data_cages[:4]:
        world.cable("gen-dac-800-osfp", (switch, cage.name), (other, cage.name))
    assert not [f.message for f in world.check() if f.rule.startswith("port.l")]
    assert not world.fires("port.unknown-mode")


# Scale-up networks


def nvl72() -> World:
    world = World()
    system = CATALOG.require("gb200-nvl72-rack")
    add_rack_system(world.draft, system, CATALOG, world.row, 5.0)  # type: ignore[arg-type]
    return world


def test_an_nvl72_rack_needs_no_nvlink_cables() -> None:
    world = nvl72()
    (finding,) = world.fires("fabric.backplane")
    assert finding.severity == "info"
    assert finding.message.startswith("NVLink 5 of 72 GPUs in R02 runs over the backplane")
    assert not world.fires("fabric.broken-domain")
    boxes = World()
    boxes.device(H100)
    assert not boxes.fires("fabric.backplane")


def test_trays_in_an_ordinary_rack_do_not_see_each_other() -> None:
    world = World()
    trays = [world.device("gb200-compute-tray", f"tray-{n}") for n in range(2)]
    (finding,) = world.fires("fabric.broken-domain")
    assert finding.where == (*trays, world.racks[0])
    assert finding.message == (
        "tray-0, tray-1 in R01 see only their own GPUs: nothing there joins them by NVLink 5"
    )
    assert not world.fires("fabric.backplane")


def test_a_mesh_shares_its_bandwidth_over_seven_peers() -> None:
    world = World()
    for n in range(2):
        world.device("dell-xe9680-mi300x", f"amd-{n}")
    (finding,) = world.fires("fabric.mesh-share")
    assert "each shares 448 GB/s over 7 peers, so two of them alone have 64 GB/s" in finding.message
    assert len(finding.where) == 2, "one for all of a kind"
    switched = World()
    switched.device(H100)
    assert not switched.fires("fabric.mesh-share")


def test_nvls_needs_hopper_and_switches() -> None:
    world = World()
    old = world.device("dgx-a100", "old")
    world.device(H100, "new")
    (finding,) = world.fires("fabric.no-nvls")
    assert finding.where == (old,)
    assert "does not reduce inside its NVLink switches" in finding.message
    part = CATALOG.require("dell-xe9680-mi300x")
    assert isinstance(part, ServerPart)
    assert part.scale_up is not None
    claims = World()
    scale_up = part.scale_up.model_copy(update={"in_network_reduction": True})
    claims.device(with_figures(part.id, scale_up=scale_up))
    (finding,) = claims.fires("fabric.no-nvls")
    assert "is said to reduce inside its scale-up network" in finding.message


# Peaks, air


def test_shelves_carry_the_peaks_too() -> None:
    def world(trays: int) -> World:
        hall = World("ocp-orv3")
        for n in range(trays):
            hall.device(with_figures("gb200-compute-tray", power_max_w=3000.0), f"tray-{n}")
        hall.device("orv3-15", "shelf")
        return hall

    assert not world(3).fires("power.transient"), "9 kW peak at 12.6 kW on 15 kW"
    (finding,) = world(4).fires("power.transient")
    assert "peak at 16.8 kW for moments, but its power shelves give 15.0 kW" in finding.message
    assert not world(6).fires("power.transient"), "power.shelf-overload says that 18 are too much"


def test_reversed_airflow_stands_less_warm_air() -> None:
    world = World()
    assert getattr(CATALOG.require("juniper-qfx5220-32cd"), "inlet_max_c") == 40  # noqa: B009
    world.device("juniper-qfx5220-32cd", "afo")
    afi = with_figures("juniper-qfx5220-32cd", airflow="power-to-port", inlet_max_c=25.0)
    switch = world.device(afi, "afi")
    (finding,) = world.fires("space.inlet-temperature")
    assert finding.where == (switch,)
    assert finding.message == (
        "afi stands air of 25 °C at most with its power-to-port airflow; rooms are run at up to "
        "27 °C"
    )


# Cords beside cables, trays


def cabled_rack(rack: str, mounts: tuple[str, str], cable: str) -> World:
    world = World(rack)
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    if cable == "fibre":
        world.optics((a, "1", 0), (b, "1", 0))
    else:
        world.cable(cable, (a, "1"), (b, "1"))
    for n, mount in enumerate(mounts):
        pdu = world.device("generic-415-60", f"pdu-{n}", mount=mount)
        world.cord(a, 1 + n, pdu, "C13-1")
    return world


@pytest.mark.parametrize(
    ("rack", "mounts", "cable", "said"),
    [
        ("generic-48u-600", ("left-1", "right-1"), "mcp4y10-n", 1),
        ("generic-48u-800", ("left-1", "right-1"), "mcp4y10-n", 0),
        ("generic-48u-600", ("left-1", "left-2"), "mcp4y10-n", 0),
        ("generic-48u-600", ("left-1", "right-1"), "fibre", 0),
    ],
)
def test_cords_beside_copper(rack: str, mounts: tuple[str, str], cable: str, said: int) -> None:
    findings = cabled_rack(rack, mounts, cable).fires("space.power-beside-signal")
    assert len(findings) == said
    if said:
        assert findings[0].message == (
            "R01 has no side channels and PDUs on both sides: keep the power cords 30 mm from its "
            "1 copper cable"
        )


def heavy_row(kg_per_m: float) -> World:
    """Forty cables from the first rack to the third of a row."""
    world = World("generic-48u-600", "generic-48u-600", "generic-48u-600")
    part = CATALOG.require("mfp7e10")
    assert isinstance(part, CablePart)
    lead = part.model_copy(update={"id": "lead", "kg_per_m": kg_per_m})
    a, b = world.device(SN5600, "a"), world.device(SN5600, "b", rack=2)
    for n in range(40):
        world.cable(lead, (a, str(n + 1), 0), (b, str(n + 1), 0), length_m=10)
    return world


def test_cables_weigh_on_their_tray() -> None:
    assert not heavy_row(0.9).fires("space.tray-load"), "36 kg/m"
    world = heavy_row(1.0)
    (finding,) = world.fires("space.tray-load")
    assert finding.where == (world.row, world.racks[0])
    assert finding.message.endswith(
        "carries up to 40.0 kg/m of cables, most at R01: order class A (74 kg/m)"
    )


def test_cables_within_a_rack_lie_on_no_tray() -> None:
    world = World()
    part = CATALOG.require("mfp7e10")
    assert isinstance(part, CablePart)
    lead = part.model_copy(update={"id": "lead", "kg_per_m": 10.0})
    a, b = world.device(SN5600, "a"), world.device(SN5600, "b")
    for n in range(40):
        world.cable(lead, (a, str(n + 1), 0), (b, str(n + 1), 0), length_m=10)
    assert not world.fires("space.tray-load")


def test_a_tray_empties_as_cables_are_pulled() -> None:
    design = heavy_row(0.95).design
    findings = run(design)
    assert "space.tray-load" in {f.rule for f in findings}
    draft = Draft(design)
    edits.remove(draft, [next(iter(design.cables))])
    after, step = draft.close("Pull one")
    patched = findings.patched(after, step.change)
    assert patched == run(after)
    assert "space.tray-load" not in {f.rule for f in patched}, "37.05 kg/m"
    racks = list(after.racks)
    draft = Draft(after)
    edits.move_rack(draft, racks[1], after.racks[racks[1]].row, 9.0)
    moved, step = draft.close("Move a rack")
    assert patched.patched(moved, step.change) == run(moved)


# Trunks


def trunk(length_m: float, label: str = "") -> World:
    world = World("generic-48u-600", *["generic-48u-600"] * 9)
    near = world.device("generic-mpo-panel-1u", "near", u=48)
    far = world.device("generic-mpo-panel-1u", "far", rack=9, u=48)
    world.cable("trunk-12-os2", (near, "R1"), (far, "R1"), length_m=length_m, label=label)
    return world


def test_a_trunk_has_two_metres_to_spare() -> None:
    world = trunk(10.0)
    assert not world.fires("reach.too-short")
    (finding,) = world.fires("reach.trunk-slack")
    assert "no 2 m are left for a slack loop" in finding.message
    assert finding.fixes[0].label == "Order 15 m"
    assert not fire(fixed(finding), "reach.trunk-slack")
    assert not trunk(15.0).fires("reach.trunk-slack")


def test_a_trunk_has_a_label() -> None:
    (finding,) = trunk(15.0).fires("name.unlabelled-trunk")
    after = fixed(finding)
    assert [c.label for c in after.cables.values()] == ["trunk-01"]
    assert not fire(after, "name.unlabelled-trunk")
    assert not trunk(15.0, "T-7").fires("name.unlabelled-trunk")


def test_cords_are_no_trunks() -> None:
    world = World()
    a, panel = world.device(QM9700, "a"), world.device("generic-mpo-panel-1u", "panel")
    world.module("mms4x00-nm", a, "1")
    world.cable("mfp7e30", (a, "1", 0), (panel, "F1"), length_m=1.0)
    assert not world.fires("name.unlabelled-trunk")
    assert not world.fires("reach.trunk-slack")


# Subnet managers


def test_an_infiniband_fabric_asks_for_its_subnet_manager() -> None:
    with_ufm = generate("superpod-h100", CATALOG, servers=31).design
    assert not fire(with_ufm, "fabric.no-subnet-manager")
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.rail(leaf, "1", 0, server, 0)
    (finding,) = world.fires("fabric.no-subnet-manager")
    assert finding.message == "no subnet manager is linked to the 1 InfiniBand switch"
    ethernet = World()
    leaf, server = ethernet.device(SN5600, "leaf"), ethernet.device(H100, "gpu-01")
    ethernet.rail(leaf, "1", 0, server, 0)
    assert not ethernet.fires("fabric.no-subnet-manager")


def test_switches_without_a_processor_and_full_leaves_are_told() -> None:
    world = World()
    a, b = world.device("nvidia-qm9790", "a"), world.device("nvidia-qm9790", "b")
    server = world.device(H100, "gpu-01")
    world.rail(a, "1", 0, server, 0)
    (finding,) = world.fires("fabric.no-subnet-manager")
    assert finding.message.endswith("1 InfiniBand switch, and none of them can run one itself")
    world.rail(a, "1", 1, server, 1)
    for n in range(2, 33):
        world.cable("mcp4y10-n", (a, str(n)), (b, str(n)))
    (finding,) = world.fires("fabric.no-subnet-manager")
    assert finding.message.endswith("no leaf has a port left for one")
