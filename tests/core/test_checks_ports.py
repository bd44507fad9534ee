# SPDX-License-Identifier: Apache-2.0
"""Rules of ports and plugs: each fires with numbers, is silent beside, and its fix clears it."""

import pytest
from tests.core.rule_world import H100, QM9700, SN5600, World, fire, fixed

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import Side
from rackloom.design import Draft, edits
from rackloom.design.ids import DeviceId


def two_switches(part: str = QM9700) -> tuple[World, DeviceId, DeviceId]:
    """Two switches of a kind above one another."""
    world = World()
    return world, world.device(part, "leaf-01"), world.device(part, "leaf-02")


# Plugs in cages


def test_a_qsfp112_plug_does_not_go_into_an_osfp_cage() -> None:
    world, a, b = two_switches()
    cable = world.cable("mcp7y10-n", (a, "1"), (b, "2"))
    (finding,) = world.fires("port.form-factor")
    assert finding.where == (cable, b)
    assert "QSFP112 plug of" in finding.message
    assert "cage 2 of leaf-02" in finding.message
    assert finding.severity == "error"


def test_a_qsfp112_plug_goes_into_the_storage_port_of_a_dgx() -> None:
    world = World()
    leaf, server = world.device(SN5600, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp7y10-n", (leaf, "1"), (server, "slot1p1"), (server, "slot2p1"))
    assert not world.fires("port.form-factor")


def test_a_finned_plug_does_not_enter_a_dgx() -> None:
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp4y10-n", (leaf, "1"), (server, "OSFP1"))
    (finding,) = world.fires("port.shell")
    assert "OSFP1 of gpu-01" in finding.message
    assert "flat-top (RHS)" in finding.message


def test_a_flat_module_enters_a_dgx_and_a_finned_one_is_refused_there() -> None:
    world = World()
    server = world.device(H100, "gpu-01")
    world.module("mma4z00-ns-flt", server, "OSFP1")
    wrong = world.module("mma4z00-ns", server, "OSFP2")
    (finding,) = world.fires("port.shell")
    assert finding.where == (wrong, server)


def test_a_single_port_module_does_not_work_in_a_twin_port_cage() -> None:
    world = World()
    server = world.device(H100, "gpu-01")
    world.module("mma4z00-ns400", server, "OSFP3")
    world.module("mma4z00-ns-flt", server, "OSFP4")
    (finding,) = world.fires("port.plug")
    assert "single-port" in finding.message
    assert "twin-port" in finding.message
    assert "OSFP3 of gpu-01" in finding.message


def test_lanes_of_200g_do_not_run_in_a_switch_of_100g_lanes() -> None:
    world, a, b = two_switches()
    world.cable("mca4k50", (a, "1"), (b, "1"))
    findings = world.fires("port.lane-rate")
    assert len(findings) == 2
    assert "200 Gb/s" in findings[0].message
    assert "50 or 100 Gb/s" in findings[0].message


def test_an_infiniband_cable_is_refused_by_an_ethernet_switch() -> None:
    world, a, b = two_switches(SN5600)
    world.cable("mca4j80-n", (a, "1"), (b, "1"), length_m=3)
    findings = world.fires("port.plug-protocol")
    assert [f.where[1] for f in findings] == [a, b]
    assert "Ethernet" in findings[0].message


def test_the_same_cable_is_fine_between_infiniband_switches() -> None:
    world, a, b = two_switches()
    world.cable("mca4j80-n", (a, "1"), (b, "1"), length_m=3)
    assert not world.fires("port.plug-protocol")


def test_an_18_watt_module_is_too_much_for_a_17_watt_cage() -> None:
    world, a, _ = two_switches()
    world.module("mms4x90-nr", a, "5")
    world.module("mms4x50-nm", a, "6")  # 17 W
    (finding,) = world.fires("power.module-class")
    assert "18 W" in finding.message
    assert "17 W" in finding.message


def test_a_qsfp56_plug_in_a_qsfp112_cage_works_at_its_speed() -> None:
    world = World()
    leaf, server = world.device(QM9700, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp7y60-h", (leaf, "1"), (server, "slot1p1"), (server, "slot2p1"))
    findings = world.fires("port.slower-plug")
    assert len(findings) == 2
    assert findings[0].severity == "warning"
    assert "200 Gb/s" in findings[0].message


# The two ends


def test_infiniband_and_ethernet_switches_do_not_link() -> None:
    world = World()
    a, b = world.device(QM9700, "ib"), world.device(SN5600, "eth")
    cable = world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    (finding,) = world.fires("port.protocol")
    assert finding.where == (cable, a, b)
    assert finding.message == (
        "port 1 of ib speaks InfiniBand and port 1 of eth Ethernet: they do not link"
    )
    assert not world.fires("port.no-link"), "one cause is told once"


def test_a_vpi_card_links_with_either() -> None:
    for switch in (QM9700, SN5600):
        world = World()
        leaf, server = world.device(switch, "leaf"), world.device(H100, "gpu-01")
        world.rail(leaf, "1", 0, server, 0)
        assert not world.fires("port.protocol")


def test_sr4_does_not_face_dr4_and_the_fix_puts_one_of_them_right() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0), a_part="mma4z00-ns", b_part="mms4x00-ns")
    findings = world.fires("reach.medium")
    pair = [f for f in findings if len(f.where) == 3]
    assert len(pair) == 1
    assert "multimode" in pair[0].message
    assert "single-mode" in pair[0].message
    assert "MMA4Z00-NS" in pair[0].fixes[0].label
    assert not fire(fixed(pair[0]), "reach.medium")


def test_dr4_does_not_face_fr4() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0), a_part="mms4x00-nm", b_part="mms4x50-nm", cord="mfp7e30")
    (finding,) = world.fires("port.optic-pair")
    assert "(DR4) faces" in finding.message
    assert "(FR4)" in finding.message
    assert not fire(fixed(finding), "port.optic-pair")


def test_an_ethernet_optic_does_not_pair_with_an_infiniband_one() -> None:
    world = World()
    a, b = world.device("nvidia-q3400-ra", "a"), world.device("nvidia-q3400-ra", "b")
    world.optics(
        (a, "1", 0),
        (b, "1", 0),
        a_part="mms4a00-ihs",
        b_part="mms4c11-ihs",
        cord="mfp7e30",
    )
    (finding,) = world.fires("port.optic-protocol")
    assert "they do not link" in finding.message
    assert not fire(fixed(finding), "port.optic-protocol")


def test_equal_optics_on_their_cord_are_silent() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0))
    world.optics((a, "1", 1), (b, "1", 1), length_m=15)
    silent = ("reach.medium", "port.optic-pair", "port.polish", "port.connector", "port.no-link")
    assert not [f for f in world.check() if f.rule in silent]


def test_multimode_optics_need_multimode_fibre() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0), cord="mfp7e30")
    findings = world.fires("reach.medium")
    assert len(findings) == 2, "at each end"
    assert "at port 1 of leaf-01" in findings[0].message
    assert "OS2" in findings[0].message


def test_flat_and_angled_ferrules_do_not_mate() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0), cord="mpo12-mm-upc")
    findings = world.fires("port.polish")
    assert len(findings) == 2
    assert "UPC" in findings[0].message
    assert "APC" in findings[0].message


def test_lc_cords_do_not_go_onto_mpo_sockets() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0), cord="lc-duplex-om4")
    assert len(world.fires("port.connector")) == 2


def test_trunks_with_pins_do_not_go_onto_transceivers_with_pins() -> None:
    world, a, b = two_switches()
    world.optics(
        (a, "1", 0), (b, "1", 0), a_part="mms4x00-nm", b_part="mms4x00-nm", cord="trunk-8-os2"
    )
    findings = world.fires("port.connector")
    assert len(findings) == 2
    assert "pins (male)" in findings[0].message


def test_a_fibre_on_an_empty_cage_is_dark_and_the_fix_inserts_the_partner() -> None:
    world, a, b = two_switches()
    world.module("mma4z00-ns", a, "1")
    world.cable("mfp7e10", (a, "1", 0), (b, "1", 0), length_m=10)
    (finding,) = world.fires("port.dark-fibre")
    assert "port 1 of leaf-02" in finding.message
    after = fixed(finding)
    assert not fire(after, "port.dark-fibre")
    assert not fire(after, "reach.medium")
    assert len(after.links) == 1


def test_a_third_fibre_finds_no_socket() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 2), (b, "1", 0))
    (finding,) = world.fires("port.dark-fibre")
    assert "socket 3" in finding.message
    assert "which has 2" in finding.message


def test_a_breakout_fixed_to_other_lanes_makes_no_link_until_it_follows_the_cable() -> None:
    world, a, b = two_switches()
    cable = world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    edits.set_mode(world.draft, a, "1", "4x200")
    (finding,) = world.fires("port.no-link")
    assert finding.where == (cable, a, b)
    assert "4x200" in finding.message
    assert "2x400" in finding.message
    assert not fire(fixed(finding), "port.no-link")


def test_a_breakout_fixed_to_what_the_cable_carries_is_silent() -> None:
    world, a, b = two_switches()
    world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    edits.set_mode(world.draft, a, "1", "2x400")
    assert not world.fires("port.no-link")


def test_a_slow_port_holds_up_a_fast_one() -> None:
    world = World()
    leaf, server = world.device(SN5600, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp7y10-n", (leaf, "1"), (server, "slot1p1"), (server, "slot2p1"))
    assert not world.fires("port.speed"), "400G on both sides"
    slow = World()
    oob, fast = slow.device("nvidia-sn2201", "oob"), slow.device(H100, "gpu-01")
    host_lan = next(
        c.name for c in slow.design.device_part(fast).cages if c.group == "host-lan"
    )  # 10GBASE-T
    slow.cable("cat6a-rj45", (oob, "1"), (fast, host_lan))
    (finding,) = slow.fires("port.speed")
    assert "a port of 1 Gb/s" in finding.message
    assert "one of 10 Gb/s" in finding.message
    assert "runs at 1 Gb/s at most" in finding.message


def test_copper_finds_no_lane_rate_for_both_ends() -> None:
    world = World()
    modern = world.part(QM9700)
    assert isinstance(modern, SwitchPart)

    def with_lanes(gbps: float) -> SwitchPart:
        entry = modern.model_dump()
        entry["id"] = f"only-{gbps:g}"
        entry["cage_groups"][0].update({"lane_gbps": gbps, "lane_rates_gbps": ()})
        return SwitchPart.model_validate(entry)

    a, b, c = (
        world.device(part, name)
        for part, name in ((with_lanes(50), "old"), (with_lanes(100), "new"), (modern, "both"))
    )
    cable = world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    world.cable("mcp4y10-n", (a, "2"), (c, "1"))  # the QM9700 runs 50G lanes too
    (finding,) = world.fires("port.lane-rate-ends")
    assert finding.where == (cable, a, b)
    assert "cage 1 of old runs lanes of 50 Gb/s and cage 1 of new of 100 Gb/s" in finding.message


# Sockets


def test_a_port_used_twice_is_found_and_the_newer_cable_goes() -> None:
    world, a, b = two_switches()
    first = world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    second = world.cable("mcp4y10-n", (a, "1"), (b, "2"))
    (finding,) = world.fires("port.used-twice")
    assert finding.where == (a, first, second)
    assert "port 1 of leaf-01 is used twice" in finding.message
    after = fixed(finding)
    assert set(after.cables) == {first}
    assert not fire(after, "port.used-twice")


def test_two_fibres_in_two_sockets_are_not_twice() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0))
    world.optics((a, "1", 1), (b, "1", 1))
    assert not world.fires("port.used-twice")


def test_two_transceivers_in_a_cage() -> None:
    world, a, _ = two_switches()
    kept = world.module("mma4z00-ns", a, "1")
    world.module("mma4z00-ns", a, "1")
    (finding,) = world.fires("port.used-twice")
    assert "holds 2 transceivers" in finding.message
    assert set(fixed(finding).modules) == {kept}


def test_a_copper_plug_on_a_transceiver() -> None:
    world, a, b = two_switches()
    world.module("mma4z00-ns", a, "1")
    world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    (finding,) = world.fires("port.used-twice")
    assert "plugs in directly" in finding.message
    assert not fire(fixed(finding), "port.used-twice")


def test_a_loose_cable_and_a_whole_one() -> None:
    world, a, b = two_switches()
    world.cable("mcp4y10-n", (a, "1"), (b, "1"))
    loose = world.cable("mcp4y10-n", (a, "2"), None)
    (finding,) = world.fires("port.loose-cable")
    assert finding.where == (loose, a)
    assert "hangs loose at one end" in finding.message
    assert loose not in fixed(finding).cables


def test_a_spare_branch_is_a_note() -> None:
    world = World()
    leaf, server = world.device(SN5600, "leaf"), world.device(H100, "gpu-01")
    world.cable("mcp7y10-n", (leaf, "1"), (server, "slot1p1"), None)
    (finding,) = world.fires("port.spare-branch")
    assert "2 branches, of which 1 hangs loose" in finding.message
    assert finding.severity == "info"
    assert not world.fires("port.loose-cable")


def test_a_transceiver_without_fibre() -> None:
    world, a, b = two_switches()
    world.optics((a, "1", 0), (b, "1", 0))
    idle = world.module("mma4z00-ns", a, "2")
    (finding,) = world.fires("port.idle-transceiver")
    assert finding.where == (idle, a)
    assert idle not in fixed(finding).modules


# Breakout


def test_a_mode_the_cage_does_not_have() -> None:
    world, a, _ = two_switches()
    edits.set_device(world.draft, a, modes=(("1", "8x50"),))
    (finding,) = world.fires("port.unknown-mode")
    assert "8x50" in finding.message
    assert "2x400" in finding.message
    assert not fire(fixed(finding), "port.unknown-mode")


def test_the_finest_split_loses_the_neighbour() -> None:
    world = World()
    switch, node = world.device("nvidia-sn4600c", "sn4600c"), world.device(H100, "gpu")
    edits.set_mode(world.draft, switch, "1", "4x25")
    assert not world.fires("port.lost-neighbour"), "nothing is plugged into cage 2"
    cable = world.cable("mcp1600-e", (switch, "2"), (node, "slot3p1"))
    (finding,) = world.fires("port.lost-neighbour")
    assert finding.where == (switch, cable)
    assert "switches cage 2 off" in finding.message


def test_a_twofold_split_leaves_the_neighbour_alone() -> None:
    world = World()
    switch, node = world.device("nvidia-sn4600c", "sn4600c"), world.device(H100, "gpu")
    edits.set_mode(world.draft, switch, "1", "2x50")
    world.cable("mcp1600-e", (switch, "2"), (node, "slot3p1"))
    assert not world.fires("port.lost-neighbour")


def test_the_chip_manages_128_logical_ports() -> None:
    world = World()
    switch = world.device("nvidia-sn4700", "sn4700")
    modes = {str(n): "4x100" for n in range(1, 33)}
    edits.set_device(world.draft, switch, modes=tuple(sorted(modes.items())))
    assert not world.fires("port.logical-limit"), "32 cages of 4 are just 128"
    modes["1"] = "8x50"
    edits.set_device(world.draft, switch, modes=tuple(sorted(modes.items())))
    (finding,) = world.fires("port.logical-limit")
    assert "132 logical ports" in finding.message
    assert "manages 128" in finding.message


def test_a_straight_fibre_beside_a_splitter() -> None:
    world, a, b = two_switches()
    c = world.device(QM9700, "leaf-03")
    world.optics((a, "1", 0), (b, "1", 0))
    for device in (b, c):
        world.module("mma4z00-ns", device, "2")
    world.cable("mfp7e20", (a, "1", 1), (b, "2", 0), (c, "2", 0), length_m=3)
    (finding,) = world.fires("port.mixed-fibres")
    assert finding.where[0] == a


def test_copper_that_blocks_the_exhaust() -> None:
    world = World()
    leaf, far = world.device("nvidia-qm8700", "leaf"), world.device("nvidia-qm8700", "far")
    for n in range(1, 33):
        world.cable("mcp1650-h", (leaf, str(n)), (far, str(n)))
    assert not world.fires("space.copper-bundle")
    world.cable("mcp1650-h", (leaf, "33"), (far, "33"))
    findings = world.fires("space.copper-bundle")
    assert "33 copper cables" in findings[0].message


@pytest.mark.parametrize("face", [Side.FRONT, Side.REAR])
def test_renaming_a_device_changes_the_words_and_not_the_subject(face: Side) -> None:
    world, a, b = two_switches()
    edits.set_device(world.draft, a, face=face)
    world.optics((a, "1", 0), (b, "1", 0), cord="mfp7e30")
    before = world.fires("reach.medium")[0]
    draft = Draft(world.design)
    edits.rename(draft, a, "spine-99")
    after = fire(draft.close("Rename")[0], "reach.medium")[0]
    assert "spine-99" in after.message
    assert after.subject == before.subject
