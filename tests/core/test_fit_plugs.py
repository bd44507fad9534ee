# SPDX-License-Identifier: Apache-2.0
"""Plugs into cages: each rule fires on the case its source names, and not on its neighbour.

The numbers in the docstrings are those of the compatibility rules the module cites.
"""

import pytest

from rackloom.catalog import CablePart, Cage, NicPart, TransceiverPart, load_bundled
from rackloom.catalog.fit import (
    Misfit,
    cable_misfits,
    ends_lane_rate_misfit,
    fitting_ends,
    lane_rate_misfit,
    module_power_misfit,
    plug_misfit,
    protocol_misfit,
    slower_plug,
    transceiver_misfits,
)
from rackloom.catalog.parts import DevicePart, PlugSpec
from rackloom.catalog.words import FormFactor, PortCount, Protocol, Shell

IB, ETH = Protocol.INFINIBAND, Protocol.ETHERNET


def cage(part_id: str, name: str) -> Cage:
    part = load_bundled().require(part_id)
    assert isinstance(part, DevicePart | NicPart)
    return next(c for c in part.cages if c.name == name)


def cable(part_id: str) -> CablePart:
    part = load_bundled().require(part_id)
    assert isinstance(part, CablePart)
    return part


def optic(part_id: str) -> TransceiverPart:
    part = load_bundled().require(part_id)
    assert isinstance(part, TransceiverPart)
    return part


def rules(misfits: tuple[Misfit, ...]) -> list[str]:
    return [misfit.rule for misfit in misfits]


QM9700 = cage("nvidia-qm9700", "1")
SN5600 = cage("nvidia-sn5600", "1")
QM8700 = cage("nvidia-qm8700", "1")
DGX = cage("dgx-h100", "OSFP1")
DGX_STORAGE = cage("dgx-h100", "slot1p1")
CX7 = cage("cx7-osfp-400", "p1")
BF3 = cage("bf3-b3140h", "p1")


def test_finned_plug_and_flat_top_cage() -> None:
    """Rules 1 and 2: the two OSFP tops never go into each other's cage."""
    misfit = plug_misfit(DGX, cable("mcp4y10-n").ends[0], plug_name="MCP4Y10", owner="a DGX H100")
    assert misfit is not None
    assert misfit.rule == "port.shell"
    assert misfit.message == (
        "the finned (IHS) OSFP plug of MCP4Y10 does not enter OSFP1 of a DGX H100, "
        "which takes flat-top (RHS) plugs only; order the -FLT part"
    )
    assert plug_misfit(DGX, cable("mcp4y10-n-flt").ends[0], plug_name="MCP4Y10-FLT") is None


def test_flat_top_plug_and_finned_cage() -> None:
    """Rules 1 and 2, the other way round."""
    flat = cable("mcp4y10-n-flt").ends[0]
    misfit = plug_misfit(QM9700, flat, plug_name="MCP4Y10-FLT", owner="leaf-01")
    assert misfit is not None
    assert misfit.rule == "port.shell"
    assert "cage 1 of leaf-01" in misfit.message
    assert plug_misfit(QM9700, cable("mcp4y10-n").ends[0], plug_name="MCP4Y10") is None


def test_unknown_shell_speaks_against_nothing() -> None:
    plug = PlugSpec(form_factor=FormFactor.OSFP, port_count=PortCount.TWIN)
    assert plug_misfit(QM9700, plug, plug_name="X") is None
    assert plug_misfit(DGX, plug, plug_name="X") is None


def test_single_port_plug_in_a_twin_port_switch_cage() -> None:
    """Rule 3: NDR and Spectrum-4 cages take twin-port plugs."""
    single = PlugSpec(
        form_factor=FormFactor.OSFP, shell=Shell.IHS, port_count=PortCount.SINGLE, lanes=4
    )
    for switch_cage in (QM9700, SN5600):
        misfit = plug_misfit(switch_cage, single, plug_name="X")
        assert misfit is not None
        assert misfit.rule == "port.plug"
    assert plug_misfit(QM9700, optic("mma4z00-ns").plug, plug_name="MMA4Z00-NS") is None


def test_dgx_cages_take_twin_port_plugs() -> None:
    """Rule 4: a flat-top module of the right shell, but single-port, is wrong in a DGX H100."""
    single = optic("mma4z00-ns400")
    assert rules(transceiver_misfits(DGX, single)) == ["port.plug"]
    assert transceiver_misfits(DGX, optic("mma4z00-ns-flt")) == ()


def test_connectx7_cards_take_single_port_plugs() -> None:
    """Rule 5: never the twin-port module, although it is flat-top too."""
    assert rules(transceiver_misfits(CX7, optic("mma4z00-ns-flt"))) == ["port.plug"]
    assert transceiver_misfits(CX7, optic("mma4z00-ns400")) == ()


def test_eight_lanes_in_a_single_port_cage_count_as_twin() -> None:
    plug = PlugSpec(form_factor=FormFactor.OSFP, shell=Shell.RHS, lanes=8, rate_gbps=800)
    misfit = plug_misfit(CX7, plug, plug_name="X")
    assert misfit is not None
    assert misfit.rule == "port.plug"


def test_no_osfp_in_a_bluefield() -> None:
    """Rule 6: BlueField-3 has QSFP112 cages only. Rule 10: OSFP and QSFP never mate."""
    misfit = plug_misfit(BF3, cable("mcp7y00-n").ends[1], plug_name="MCP7Y00")
    assert misfit is not None
    assert misfit.rule == "port.form-factor"
    assert "adapter" in misfit.message
    assert plug_misfit(BF3, cable("mcp7y10-n").ends[1], plug_name="MCP7Y10") is None


def test_qsfp112_cage_takes_older_qsfp_at_their_speed() -> None:
    """Rule 7: allowed, and noted."""
    older = cable("mcp1650-h").ends[0]
    assert plug_misfit(BF3, older, plug_name="MCP1650") is None
    note = slower_plug(BF3, older, plug_name="MCP1650")
    assert note is not None
    assert note.rule == "port.slower-plug"
    assert "200 Gb/s" in note.message
    assert slower_plug(BF3, cable("mcp7y10-n").ends[1], plug_name="MCP7Y10") is None


def test_qsfp_dd_cage_takes_qsfp() -> None:
    """Rule 8: QSFP28 and QSFP56 go into QSFP-DD, QSFP112 only where the lanes run at 100G."""
    sn4700 = cage("nvidia-sn4700", "1")
    qdd800 = cage("arista-7060x6-64de", "1")
    qsfp112 = optic("400gbase-dr4-q112")
    assert plug_misfit(sn4700, optic("200gbase-sr4").plug, plug_name="SR4") is None
    assert rules(transceiver_misfits(sn4700, qsfp112))[0] == "port.form-factor"
    assert transceiver_misfits(qdd800, qsfp112) == ()


def test_qsfp_dd_plug_in_a_qsfp_cage() -> None:
    """Rule 9: its second row of contacts connects nothing."""
    plug = cable("mcp1660-w").ends[0]
    misfit = plug_misfit(QM8700, plug, plug_name="MCP1660")
    assert misfit is not None
    assert misfit.rule == "port.form-factor"
    assert "second row" in misfit.message
    assert plug_misfit(cage("nvidia-sn4700", "1"), plug, plug_name="MCP1660") is None


def test_osfp_and_qsfp_dd_never_mate() -> None:
    """Rule 10, both ways."""
    into_osfp = plug_misfit(SN5600, cable("mcp1660-w").ends[0], plug_name="MCP1660")
    into_qdd = plug_misfit(
        cage("nvidia-sn4700", "1"), cable("mcp4y10-n").ends[0], plug_name="MCP4Y10"
    )
    assert into_osfp is not None
    assert into_qdd is not None
    assert "never mate" in into_osfp.message
    assert "never mate" in into_qdd.message


def test_sfp_in_qsfp_needs_an_adapter() -> None:
    """Rule 11."""
    misfit = plug_misfit(
        cage("nvidia-sn3700", "1"), cable("mcp2m00-a").ends[0], plug_name="MCP2M00"
    )
    assert misfit is not None
    assert "QSA" in misfit.message


def test_a_cable_put_in_the_wrong_way_round() -> None:
    """Rule 12: the finned end belongs into the switch, the flat-top ends into the servers."""
    split = cable("mcp7y00-n")
    wrong = cable_misfits(QM9700, split, 1)
    assert wrong[0].rule == "port.shell"
    assert wrong[0].message.endswith("turn it")
    assert cable_misfits(QM9700, split, 0) == ()
    assert fitting_ends(QM9700, split) == (0,)
    assert fitting_ends(CX7, split) == (1, 2)
    assert fitting_ends(QM8700, split) == ()


def test_no_module_goes_into_co_packaged_optics() -> None:
    """Rule 13: the switch has fibre receptacles."""
    q3450 = cage("nvidia-q3450-ld", "1")
    misfit = plug_misfit(q3450, optic("mms4a20").plug, plug_name="MMS4A20")
    assert misfit is not None
    assert "straight in" in misfit.message
    assert cable_misfits(q3450, cable("mfp7e30"), 0) == ()


def test_lane_rates_must_agree() -> None:
    """Rules 15 to 17: 100G optics do not fall back to 50G lanes, 200G ones not to 100G."""
    misfit = lane_rate_misfit(
        QM8700, optic("mma1z00-ns400").plug, plug_name="MMA1Z00", owner="leaf-01"
    )
    assert misfit is not None
    assert misfit.rule == "port.lane-rate"
    assert "100 Gb/s" in misfit.message
    assert "25 or 50 Gb/s" in misfit.message
    assert rules(transceiver_misfits(QM9700, optic("mms4c10-ihs"))) == [
        "port.lane-rate",
        "power.module-class",
    ]
    assert lane_rate_misfit(BF3, optic("mma1z00-ns400").plug, plug_name="MMA1Z00") is None


def test_hdr_cables_run_in_ndr_cages() -> None:
    """Rule 16: MFA7U10 and MCP7Y60 join NDR cages to HDR devices at 50G lanes."""
    for part_id in ("mfa7u10-h", "mcp7y60-h", "mcp7y70-h"):
        assert cable_misfits(QM9700, cable(part_id), 0) == (), part_id
        assert cable_misfits(QM8700, cable(part_id), 1) == (), part_id


def test_passive_copper_runs_below_its_rating_and_not_above() -> None:
    fast, slow = cable("gen-dac-400-q112"), cable("mcp1600-e")
    sn4600c = cage("nvidia-sn4600c", "1")
    twenty_five = PlugSpec(form_factor=FormFactor.QSFP28, rate_gbps=100, lanes=4)
    assert lane_rate_misfit(QM8700, fast.ends[0], plug_name="DAC", passive=True) is None
    assert lane_rate_misfit(sn4600c, twenty_five, plug_name="DAC", passive=True) is None
    q112 = cage("micas-m2-w6940-128qc", "1")
    assert lane_rate_misfit(q112, slow.ends[0], plug_name="DAC", passive=True) is None
    osfp = PlugSpec(form_factor=FormFactor.OSFP, rate_gbps=200, lanes=8)
    assert lane_rate_misfit(QM9700, osfp, plug_name="DAC", passive=True) is not None


def test_two_cages_without_a_common_lane_rate() -> None:
    """Rules 15 and 19: a 100G-lane NIC and a 25G-lane switch need a gearbox in the cable."""
    dac = cable("mcp1650-h")
    sn4600c = cage("nvidia-sn4600c", "1")
    cx7 = cage("cx7-osfp-400", "p1")
    misfit = ends_lane_rate_misfit(cx7, QM8700, cable=dac, a_owner="dgx-1", b_owner="leaf-1")
    assert misfit is not None
    assert "gearbox" in misfit.message
    assert ends_lane_rate_misfit(BF3, QM8700, cable=dac) is None
    assert ends_lane_rate_misfit(BF3, sn4600c, cable=dac) is None
    assert ends_lane_rate_misfit(cx7, QM8700, cable=cable("credo-shift-400")) is None


def test_rate_above_the_cable_is_not_common() -> None:
    """Two cages that share only 100G do not link over a cable rated for 50G lanes."""
    assert ends_lane_rate_misfit(CX7, CX7, cable=cable("mcp1650-h")) is not None
    assert ends_lane_rate_misfit(CX7, CX7, cable=cable("mcp7y00-n")) is None


def test_protocols_must_meet() -> None:
    """Rule 24: InfiniBand and Ethernet do not link; a VPI port is either."""
    misfit = protocol_misfit({IB}, {ETH}, cage_name="leaf-01", plug_name="MMA4Z00-NS-T")
    assert misfit is not None
    assert misfit.rule == "port.protocol"
    assert misfit.message == (
        "leaf-01 speaks InfiniBand and MMA4Z00-NS-T Ethernet: they do not link"
    )
    assert protocol_misfit({IB, ETH}, {ETH}) is None
    assert protocol_misfit({IB}, set()) is None  # passive fibre carries any


def test_infiniband_only_copper_in_an_ethernet_switch() -> None:
    """Rule 25: MCA4J80 is InfiniBand only, MCP4Y10 follows the switch."""
    assert rules(cable_misfits(SN5600, cable("mca4j80-n"), 0)) == ["port.protocol"]
    assert cable_misfits(SN5600, cable("mcp4y10-n"), 0) == ()


def test_ethernet_only_optics_in_an_infiniband_switch() -> None:
    """Rule 25: the -T parts."""
    assert rules(transceiver_misfits(QM9700, optic("mma4z00-ns-t"))) == ["port.protocol"]
    assert transceiver_misfits(SN5600, optic("mma4z00-ns-t")) == ()


def test_module_power_over_the_cage_class() -> None:
    """Rule 56: QM9700 cages are class 8, 17 W."""
    hot = PlugSpec(form_factor=FormFactor.OSFP, power_w=17.5)
    misfit = module_power_misfit(QM9700, hot, plug_name="2xLR4", owner="leaf-01")
    assert misfit is not None
    assert misfit.rule == "power.module-class"
    assert misfit.message == (
        "2xLR4 draws up to 17.5 W, but cage 1 of leaf-01 supplies 17 W at most"
    )
    assert module_power_misfit(QM9700, optic("mma4z00-ns").plug, plug_name="X") is None  # 17 W
    unknown = PlugSpec(form_factor=FormFactor.OSFP)
    assert module_power_misfit(QM9700, unknown, plug_name="X") is None
    assert module_power_misfit(DGX, hot, plug_name="X") is None  # class of the cage unknown


@pytest.mark.parametrize(
    ("cage_of", "name", "cable_id", "ends"),
    [
        ("nvidia-qm9700", "1", "mcp4y10-n", (0, 1)),
        ("nvidia-qm9700", "1", "mcp7y10-n", (0,)),
        ("nvidia-qm9700", "MGMT", "cat6a-rj45", (0, 1)),
        ("nvidia-qm9700", "CONSOLE", "cat6a-rj45", (0, 1)),
        ("nvidia-sn2201", "1", "cat6a-rj45", (0, 1)),
        ("nvidia-sn2201", "49", "mcp7f00-a", (0,)),
        ("supermicro-as-8125gs-tnmr2", "NIC0", "credo-zf-2xq112", (1, 2)),
        ("supermicro-as-8125gs-tnmr2", "NIC0", "mcp7y10-n", (1, 2)),
        ("dgx-h100", "BMC", "cat6a-rj45", (0, 1)),
        ("dgx-h100", "LAN", "cat6a-rj45", (0, 1)),
        ("dgx-h100", "OSFP1", "mca4j80-n-ftf", (1,)),
        ("generic-1u", "inband1", "mcp2m00-a", (0, 1)),
        ("generic-ufm-appliance", "IB1", "mcp7y00-n", (1, 2)),
    ],
)
def test_pairs_people_order_together_fit(
    cage_of: str, name: str, cable_id: str, ends: tuple[int, ...]
) -> None:
    assert fitting_ends(cage(cage_of, name), cable(cable_id)) == ends


def test_storage_cages_of_a_dgx_take_qsfp112_optics() -> None:
    assert transceiver_misfits(DGX_STORAGE, optic("mms1x00-ns400")) == ()
    assert rules(transceiver_misfits(DGX_STORAGE, optic("mms4x00-ns400"))) == ["port.form-factor"]
