# SPDX-License-Identifier: Apache-2.0
"""Rules of power, with a rack whose sums can be done by hand.

A DGX H100 draws 10.2 kW over six C20 inlets. The PDU generic-415-60 may carry 34.5 kW (415 V x 60 A
x 1.732 x 0.8), generic-208-60 17.3 kW.
"""

import pytest
from tests.core.rule_world import H100, QM9700, World, fire, fixed

from rackloom.catalog.parts import PduPart
from rackloom.checks.loads import circuit_w, pdu_usable_w
from rackloom.design import edits
from rackloom.design.ids import DeviceId

BIG = "generic-415-60"
SMALL = "generic-208-60"


def powered(
    servers: int, pdus: list[tuple[str, str]], *, feed_a: float = 400, u0: int = 1
) -> tuple[World, list[DeviceId], list[DeviceId]]:
    """DGX H100s whose six inlets go round the PDUs; each PDU (part, group) on a feed of its own."""
    world = World()
    pdu_ids = []
    for n, (part, group) in enumerate(pdus):
        pdu = world.device(part, f"pdu-{n + 1}", mount=f"{'left' if n % 2 == 0 else 'right'}-{n}")
        volts = getattr(world.part(part), "voltage_v")  # noqa: B009 - the field of one kind of part
        world.cord(pdu, 1, world.feed(f"{group}{n + 1}", group, volts, feed_a))
        pdu_ids.append(pdu)
    server_ids = []
    outlets = [iter(n for n, g in _outlets(world, part) if g == "C19") for part, _ in pdus]
    for n in range(servers):
        server = world.device(H100, f"gpu-{n + 1:02d}", u=u0 + 8 * n)
        server_ids.append(server)
        for inlet in range(6):
            which = inlet % len(pdus)
            world.cord(server, inlet + 1, pdu_ids[which], next(outlets[which]))
    return world, server_ids, pdu_ids


def _outlets(world: World, part_id: str) -> list[tuple[str, str]]:
    part = world.part(part_id)
    assert isinstance(part, PduPart)
    return [(name, group.kind) for name, group in part.outlet_names]


# Arithmetic


def test_three_phase_power_has_the_square_root_of_three() -> None:
    """415 V 30 A is 17.3 kW derated, not the 12.4 kW that some tables print."""
    assert circuit_w(415, 30, 3) * 0.8 == pytest.approx(17_251, abs=1)
    assert circuit_w(415, 60, 3) * 0.8 == pytest.approx(34_502, abs=1)
    assert circuit_w(208, 60, 3) * 0.8 == pytest.approx(17_293, abs=1)
    assert circuit_w(230, 16, 1) == 3680


def test_an_iec_pdu_is_derated_and_a_nema_one_not_twice() -> None:
    world = World()
    iec, nema = world.part("generic-415-63"), world.part("generic-208-60")
    assert isinstance(iec, PduPart)
    assert isinstance(nema, PduPart)
    assert pdu_usable_w(iec, 0.8) == pytest.approx(36_200, abs=50)
    assert pdu_usable_w(iec, 1.0) == pytest.approx(45_300, abs=50)
    assert pdu_usable_w(nema, 0.8) == pytest.approx(17_300, abs=50)


# Overload


def test_a_pdu_that_carries_too_much() -> None:
    world, _, pdus = powered(4, [(SMALL, "A"), (SMALL, "B")])
    findings = world.fires("power.rack-overload")  # 40.8 kW over two of 17.3 kW
    assert [f.where for f in findings] == [(pdu, world.racks[0]) for pdu in pdus]
    assert findings[0].message == ("pdu-1 in R01 would carry 20.4 kW, but may carry 17.3 kW")
    assert not world.fires("power.feed-lost"), "the overload is told once"


def test_three_servers_on_two_small_pdus_work_until_a_feed_is_lost() -> None:
    world, _, pdus = powered(3, [(SMALL, "A"), (SMALL, "B")])
    assert not world.fires("power.rack-overload"), "15.3 kW each"
    findings = world.fires("power.feed-lost")
    assert len(findings) == 2
    assert findings[0].where == (pdus[0], world.racks[0])
    assert findings[0].message == (
        "with feed B lost, pdu-1 in R01 would carry 30.6 kW, but may carry 17.3 kW"
    )


def test_three_servers_on_two_big_pdus_survive_it() -> None:
    world, _, _ = powered(3, [(BIG, "A"), (BIG, "B")])
    assert not world.fires("power.feed-lost"), "30.6 kW on 34.5 kW"
    world, _, _ = powered(4, [(BIG, "A"), (BIG, "B")])
    assert len(world.fires("power.feed-lost")) == 2, "40.8 kW on 34.5 kW"


def test_derating_is_a_setting() -> None:
    world, _, _ = powered(4, [("generic-415-63", "A"), ("generic-415-63", "B")])
    assert world.fires("power.feed-lost"), "40.8 kW on 36.2 kW"
    edits.change_settings(world.draft, feed_derating=1.0)
    assert not world.fires("power.feed-lost"), "40.8 kW on 45.3 kW"


def test_unknown_draw_is_said_and_not_counted() -> None:
    world, _, pdus = powered(4, [(SMALL, "A"), (SMALL, "B")])
    part = world.part("nvidia-sn5400")  # no power figure published
    switch = world.device(part, "mystery")  # type: ignore[arg-type]
    world.cord(switch, 1, pdus[0], "C13-1")
    findings = world.fires("power.rack-overload")
    assert "would carry 20.4 kW (draw of 1 device unknown, not counted)" in findings[0].message


def test_transceivers_count_at_their_maximum() -> None:
    """A 7060X6 draws 2.2 kW without optics; 64 modules of 17 W put 1.1 kW on top."""
    from rackloom.checks.context import Context

    world = World()
    switch = world.device("arista-7060x6-64pe", "leaf")
    assert Context(world.design).loads.draw(switch).watts == 2200
    for n in range(1, 65):
        world.module("800g-2xlr4", switch, str(n))  # 18 W each
    assert Context(world.design).loads.draw(switch).watts == pytest.approx(2200 + 64 * 18)


def test_a_feed_that_carries_too_much() -> None:
    world, _, _ = powered(2, [(BIG, "A"), (BIG, "B")], feed_a=25)
    findings = world.fires("power.feed-overload")  # 25 A at 415 V: 14.4 kW derated
    assert len(findings) == 2
    assert findings[0].message == (
        "with feed B lost, feed A1 would carry 20.4 kW, but may carry 14.4 kW"
    )
    world, _, _ = powered(2, [(BIG, "A"), (BIG, "B")], feed_a=40)
    assert not world.fires("power.feed-overload"), "23.0 kW"


def test_a_leg_that_carries_more_than_its_third() -> None:
    world = World()
    pdu = world.device(BIG, "pdu-1", mount="left-1")
    servers = [world.device(H100, f"gpu-{n}") for n in range(2)]
    part = world.part(BIG)
    assert isinstance(part, PduPart)
    first = [name for name, g in part.outlet_names if g.leg == "L1" and g.kind == "C19"]
    others = [name for name, g in part.outlet_names if g.leg != "L1" and g.kind == "C19"]
    for n, outlet in enumerate(first[:6]):
        world.cord(servers[0], n + 1, pdu, outlet)
    assert not world.fires("power.legs"), "10.2 kW on a leg of 11.5 kW"
    draft_outlets = iter(others)
    for n in range(3):
        world.cord(servers[1], n + 1, pdu, next(draft_outlets))
    assert not world.fires("power.legs"), "the second server is on the other legs"
    crowded = World()
    pdu = crowded.device(BIG, "pdu-1", mount="left-1")
    server, half = crowded.device(H100, "gpu-0"), crowded.device(H100, "gpu-1")
    for n in range(5):
        crowded.cord(server, n + 1, pdu, first[n])
    for n, outlet in enumerate((first[5], *others[:3])):
        crowded.cord(half, n + 1, pdu, outlet)
    (finding,) = crowded.fires("power.legs")  # 10.2 + 10.2 / 4 = 12.75 kW
    assert finding.message == (
        "leg L1 of pdu-1 in R01 would carry 12.8 kW, but a leg may carry 11.5 kW"
    )


# Cords


def test_a_server_without_power_is_connected_by_the_fix() -> None:
    world, _, _ = powered(1, [(BIG, "A"), (BIG, "B")])
    dark = world.device(H100, "gpu-99", u=20)
    (finding,) = world.fires("power.no-power")
    assert finding.where == (dark,)
    assert finding.message == "gpu-99 has no power: none of its 6 inlets has a cord"
    assert finding.severity == "error"
    after = fixed(finding)
    assert not fire(after, "power.no-power")
    assert not fire(after, "power.spare-inlet")
    assert len(after.index.cords_of_device[dark]) == 6


def test_without_a_pdu_there_is_no_fix_to_offer() -> None:
    world = World()
    world.device(H100, "gpu-01")
    (finding,) = world.fires("power.no-power")
    assert not finding.has_fix


def test_unknown_inlets_are_said_to_be_unknown_not_called_an_error() -> None:
    """No datasheet at hand names the inlets of an SN5600: no cord can be right or wrong."""
    world = World()
    switch = world.device("nvidia-sn5600", "leaf-01")
    (finding,) = world.fires("power.unpublished-inlets")
    assert finding.where == (switch,)
    assert finding.severity == "warning"
    assert "inlets of NVIDIA Spectrum-4 SN5600 are not known" in finding.message
    assert not world.fires("power.no-power"), "told once"


def test_known_inlets_without_a_cord_are_an_error_and_not_unknown() -> None:
    world = World()
    world.device(H100, "gpu-01")
    assert not world.fires("power.unpublished-inlets")
    assert world.fires("power.no-power")


def test_too_few_and_spare_inlets() -> None:
    def with_cords(count: int) -> World:
        world, (server,), _ = powered(1, [(BIG, "A"), (BIG, "B")])
        for cord in list(world.draft.cords.values()):
            if cord.device == server and cord.inlet > count:
                world.draft.remove("cords", cord.id)
        return world

    (few,) = with_cords(3).fires("power.few-inlets")
    assert few.message == "gpu-01 needs 4 of its 6 power supplies, but only 3 have cords"
    assert not fire(fixed(few), "power.few-inlets")
    assert not with_cords(3).fires("power.spare-inlet"), "told once"
    assert not with_cords(4).fires("power.few-inlets")
    (spare,) = with_cords(5).fires("power.spare-inlet")
    assert spare.message == "5 of the 6 power supplies of gpu-01 have cords"
    assert not fire(fixed(spare), "power.spare-inlet")
    assert not with_cords(6).fires("power.spare-inlet")


def test_a_c20_inlet_on_a_c13_outlet() -> None:
    world, _, pdus = powered(1, [(BIG, "A"), (BIG, "B")])
    cord = next(c for c in world.draft.cords.values() if c.inlet == 2 and c.outlet)
    assert not world.fires("power.outlet-kind")
    world.draft.remove("cords", cord.id)
    wrong = world.cord(cord.device, 2, pdus[1], "C13-1")
    (finding,) = world.fires("power.outlet-kind")
    assert finding.where == (wrong, cord.device, pdus[1])
    assert finding.message == (
        "inlet 2 of gpu-01 is C20 and needs a C19 outlet, but C13-1 of pdu-2 is C13"
    )
    assert not fire(fixed(finding), "power.outlet-kind")


def test_an_outlet_that_does_not_exist() -> None:
    world, (server,), pdus = powered(1, [(BIG, "A"), (BIG, "B")])
    cord = next(c for c in world.draft.cords.values() if c.device == server and c.inlet == 1)
    world.draft.remove("cords", cord.id)
    world.cord(server, 1, pdus[0], "C19-99")
    (finding,) = world.fires("power.outlet-kind")
    assert "which does not exist" in finding.message
    assert not fire(fixed(finding), "power.outlet-kind")


def test_two_cords_in_an_outlet_and_an_inlet() -> None:
    world, (server,), pdus = powered(1, [(BIG, "A"), (BIG, "B")])
    assert not world.fires("power.used-twice")
    world.cord(server, 1, pdus[0], "C19-1")
    findings = world.fires("power.used-twice")
    assert {f.message for f in findings} == {
        "inlet 1 of gpu-01 has 2 cords",
        "outlet C19-1 of pdu-1 has 2 cords",
    }
    assert not fire(fixed(findings[0]), "power.used-twice")


def test_an_inlet_the_device_does_not_have() -> None:
    world, (server,), pdus = powered(1, [(BIG, "A"), (BIG, "B")])
    world.cord(server, 7, pdus[0], "C19-9")
    (finding,) = world.fires("power.unknown-inlet")
    assert finding.message == "a cord leads to inlet 7 of gpu-01, which has 6"
    assert not fire(fixed(finding), "power.unknown-inlet")


def test_a_pdu_without_a_feed() -> None:
    world, _, pdus = powered(1, [(BIG, "A"), (BIG, "B")])
    assert not world.fires("power.unfed-pdu")
    supply = next(c for c in world.draft.cords.values() if c.device == pdus[1])
    world.draft.remove("cords", supply.id)
    (finding,) = world.fires("power.unfed-pdu")
    assert finding.message == "pdu-2 powers 1 device, but hangs on no feed"
    assert not fire(fixed(finding), "power.unfed-pdu")


# Redundancy


def test_three_of_six_supplies_do_not_carry_a_dgx_h100() -> None:
    world, servers, _ = powered(2, [(BIG, "A"), (BIG, "B")])
    (finding,) = world.fires("power.psu-throttle")
    assert finding.where == (*servers, world.racks[0])
    assert finding.message == (
        "with one feed lost, gpu-01, gpu-02 have 3 power supplies left, and DGX H100 needs 4"
    )
    assert finding.severity == "warning"


def test_over_three_feeds_four_are_left() -> None:
    world, _, _ = powered(2, [(BIG, "A"), (BIG, "B"), (BIG, "C")])
    assert not world.fires("power.psu-throttle")
    assert not world.fires("power.psu-split")


def test_both_supplies_of_a_switch_on_one_feed() -> None:
    world, _, pdus = powered(0, [(BIG, "A"), (BIG, "B")])
    good, bad = world.device(QM9700, "good"), world.device(QM9700, "bad")
    world.cord(good, 1, pdus[0], "C13-1")
    world.cord(good, 2, pdus[1], "C13-1")
    world.cord(bad, 1, pdus[0], "C13-2")
    world.cord(bad, 2, pdus[0], "C13-3")
    (finding,) = world.fires("power.psu-split")
    assert finding.where == (bad, world.racks[0])
    assert finding.message == (
        "all 2 corded power supplies of bad hang on feed A: it goes down with it"
    )


def test_an_uneven_split_that_an_even_one_would_mend() -> None:
    world, (server,), pdus = powered(1, [(BIG, "A"), (BIG, "B"), (BIG, "C")])
    moved = next(c for c in world.draft.cords.values() if c.device == server and c.inlet == 2)
    world.draft.remove("cords", moved.id)
    world.cord(server, 2, pdus[0], "C19-9")  # now 3 on A, 1 on B, 2 on C
    (finding,) = world.fires("power.psu-split")
    assert finding.message == (
        "with feed A lost, gpu-01 has 3 power supplies left and needs 4: 3 of 6 hang there, "
        "2 would do"
    )
