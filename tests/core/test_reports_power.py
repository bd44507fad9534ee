# SPDX-License-Identifier: Apache-2.0
"""The power report, against sums done by hand.

A PDU of 400 V, 32 A, three phases: 400 * 32 * 1.7320508 = 22,170 VA; 80 % of it is 17,736 W, less
than its rating of 22 kW. A third of that, 5,912 W, is what a leg may carry.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.placement_parts import Room, pdu, server, switch

from rackloom.catalog.parts import DevicePart, PartId, Psu, RackPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.catalog.words import Inlet
from rackloom.design import Design
from rackloom.design.edits import add_feed, plug_cord
from rackloom.reports import csv_text, power_report, power_text
from rackloom.reports.power_report import PlaceRow, PsuRow, SupplyRow

USABLE_W = 17_736.2


def hot_server(power_w: float | None = 10_200.0, **more: object) -> DevicePart:
    return server().model_copy(update={"power_max_w": power_w, "airflow": "front-to-rear", **more})


def hall(part: DevicePart, servers: int = 2, feeds: str = "AB") -> Design:
    """One rack, a PDU at each side on feeds of 63 A, servers with three cords to each PDU."""
    room = Room()
    rack_id = room.rack(room.row(), 0)
    pdus = [room.device(rack_id, pdu(), None, mount=mount) for mount in ("left-1", "right-1")]
    for pdu_id, group in zip(pdus, feeds, strict=False):
        plug_cord(room.draft, pdu_id, 1, add_feed(room.draft, f"F-{group}", group, 400, 63))
    for n in range(servers):
        device = room.device(rack_id, part, 1 + 8 * n)
        for inlet in range(1, 7):
            outlet = 1 + n + 2 * ((inlet - 1) // 2)  # 1, 3, 5 or 2, 4, 6: one on each leg
            plug_cord(room.draft, device, inlet, pdus[(inlet - 1) % 2], f"C19-{outlet}")
    return room.design()


def test_each_feed_carries_half_and_all_of_it_when_the_other_is_lost() -> None:
    report = power_report(hall(hot_server()))
    pdu_a = report.supplies[0]
    assert (pdu_a.supply, pdu_a.group, pdu_a.lost) == ("pdu", "A", "B")
    assert pdu_a.usable_w == pytest.approx(USABLE_W, abs=0.1)
    assert pdu_a.load_w == pytest.approx(10_200)  # half of two servers
    assert pdu_a.lost_load_w == pytest.approx(20_400)
    assert pdu_a.verdict == "overloaded with B lost"
    # Each server has one of six cords on each leg: 1,700 W; two servers: 3,400 W.
    assert (pdu_a.l1_w, pdu_a.l2_w, pdu_a.l3_w) == pytest.approx((3_400, 3_400, 3_400))
    assert pdu_a.leg_usable_w == pytest.approx(USABLE_W / 3, abs=0.1)
    feed_a = next(row for row in report.supplies if row.supply == "feed")
    # 400 V * 63 A * 1.7320508 * 0.8 = 34,918 W
    assert feed_a.usable_w == pytest.approx(34_918, abs=1)
    assert (feed_a.load_w, feed_a.lost_load_w) == pytest.approx((10_200, 20_400))
    assert feed_a.verdict == "carries it"


def test_one_server_is_carried_by_either_feed() -> None:
    report = power_report(hall(hot_server(), servers=1))
    assert [row.verdict for row in report.supplies] == ["carries it"] * 4


def test_places_add_up_and_say_how_they_are_cooled() -> None:
    report = power_report(hall(hot_server(power_typical_w=8_000.0, liquid_share=0.75)))
    assert [(p.place, p.devices) for p in report.places] == [("rack", 2), ("row", 2), ("site", 2)]
    for place in report.places:
        assert (place.maximum_w, place.typical_w) == (20_400, 16_000)
        assert place.heat_btu_per_h == pytest.approx(69_608, abs=1)  # 20,400 * 3.412142
        assert (place.air_w, place.liquid_w) == pytest.approx((5_100, 15_300))
        assert place.cooling_unknown_w == 0
    # Of two PDUs with 17,736 W each, one is left.
    assert report.places[0].usable_w == pytest.approx(USABLE_W, abs=0.1)
    assert report.places[1].usable_w is None
    (bar,) = report.bars
    assert (bar.name, bar.typical_w, bar.maximum_w) == ("R01", 16_000, 20_400)
    assert not bar.unknown


def test_what_nobody_published_is_counted() -> None:
    report = power_report(hall(hot_server(None)))
    rack = report.places[0]
    assert (rack.maximum_w, rack.maximum_unknown) == (None, 2)
    assert (rack.typical_w, rack.typical_unknown) == (None, 2)
    assert (rack.heat_btu_per_h, rack.air_w, rack.liquid_w) == (None, None, None)
    assert report.bars[0].unknown
    assert report.bars[0].maximum_w is None
    assert {(row.load_w, row.lost_load_w) for row in report.supplies} == {(None, None)}
    assert {row.unknown for row in report.supplies} == {2}
    assert {row.verdict for row in report.supplies} == {"carries what is known"}
    text = power_text(report)
    assert "unknown +2" in text
    assert "0.0 kW" not in text
    cells = csv_text(report.places, PlaceRow).splitlines()[1].split(",")
    assert cells[3:7] == ["", "2", "", "2"]
    unsaid = power_report(hall(hot_server(airflow=None)))
    assert unsaid.places[0].cooling_unknown_w == 20_400
    assert unsaid.places[0].air_w == 0


def test_supplies_that_are_left_are_told_from_those_that_are_not_enough() -> None:
    (first, _) = power_report(hall(hot_server())).psus
    assert (first.supplies, first.corded, first.needed, first.left) == (6, 6, 4, 3)
    assert first.groups == "A 3, B 3"
    assert first.verdict == "throttled or down"
    spared = hot_server(psu=Psu(count=6, needed=3, inlet=Inlet.C20))
    assert power_report(hall(spared)).psus[0].verdict == "runs on"
    unsaid = hot_server(psu=Psu(count=6, inlet=Inlet.C20))
    assert power_report(hall(unsaid)).psus[0].verdict == "number needed not known"
    one_feed = power_report(hall(spared, feeds="AA"))
    assert (one_feed.psus[0].left, one_feed.psus[0].verdict) == (0, "goes down")
    assert one_feed.supplies[0].lost == ""
    assert one_feed.supplies[0].lost_load_w is None


def test_pdus_without_a_feed_are_groups_of_their_own_by_name() -> None:
    report = power_report(hall(hot_server(), servers=1, feeds=""))
    assert report.supplies[0].group == ""
    assert report.supplies[0].lost == report.supplies[1].name
    assert report.psus[0].left == 3


def test_a_leg_can_be_too_full_where_the_sum_is_not() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    strip = room.device(rack_id, pdu(), None, mount="left-1")
    part = switch().model_copy(update={"power_max_w": 6_000.0})
    device = room.device(rack_id, part, 1)
    for inlet in (1, 2):
        plug_cord(room.draft, device, inlet, strip, f"C13-{inlet}")  # both on L1: 6,000 W > 5,912
    row = power_report(room.design()).supplies[0]
    assert (row.l1_w, row.l2_w, row.l3_w) == (6_000, 0, 0)
    assert row.verdict == "leg L1 overloaded"


def test_a_busbar_is_carried_by_its_shelves() -> None:
    room = Room()
    bar = RackPart(
        id=PartId("bar"), manufacturer="Any", model="Bar", rack_units=42, width_mm=600,
        depth_mm=1068, busbar_v=50,
    )  # fmt: skip
    rack_id = room.rack(room.row(), 0, bar)
    shelf = PowerShelfPart(
        id=PartId("shelf"), manufacturer="Any", model="Shelf", rack_units=1, rated_kw=9.0
    )
    tray = hot_server(psu=Psu(count=1, inlet=Inlet.BUSBAR))
    room.device(rack_id, tray, 1)
    bare = power_report(room.design())
    assert [(r.supply, r.usable_w, r.verdict) for r in bare.supplies] == [
        ("busbar", 0, "no power shelf")
    ]
    room.device(rack_id, shelf, 40)
    one = power_report(room.design())
    assert (one.supplies[0].load_w, one.supplies[0].usable_w) == (10_200, 9_000)
    assert one.supplies[0].verdict == "overloaded"
    room.device(rack_id, shelf, 41)
    two = power_report(room.design())
    assert two.supplies[0].verdict == "carries it"
    assert two.places[0].usable_w == 18_000


def test_shelves_draw_from_their_feeds_what_the_busbar_carries() -> None:
    room = Room()
    bar = RackPart(
        id=PartId("bar"), manufacturer="Any", model="Bar", rack_units=42, width_mm=600,
        depth_mm=1068, busbar_v=50,
    )  # fmt: skip
    rack_id = room.rack(room.row(), 0, bar)
    part = PowerShelfPart(
        id=PartId("shelf"), manufacturer="Any", model="Shelf", rack_units=1, rated_kw=33.0
    )
    for u in (1, 9):
        room.device(rack_id, hot_server(psu=Psu(count=1, inlet=Inlet.BUSBAR)), u)
    for group, u in (("A", 40), ("B", 41)):
        shelf = room.device(rack_id, part, u)
        plug_cord(room.draft, shelf, 1, add_feed(room.draft, group, group, 400, 63))
    report = power_report(room.design())
    bar_row, feed_a, feed_b = report.supplies
    assert (bar_row.usable_w, bar_row.lost_load_w) == (66_000, 20_400)
    assert bar_row.verdict == "carries it"
    assert report.places[0].usable_w == 33_000  # one shelf is left
    for feed in (feed_a, feed_b):
        # Two trays of 10.2 kW: a shelf carries half, and all of it when the other's feed is lost.
        assert (feed.load_w, feed.lost_load_w) == (10_200, 20_400)
        assert feed.unknown == 1  # what the rectifiers lose
        assert feed.verdict == "carries what is known"


def test_a_busbar_says_when_the_shelves_left_are_too_few() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0, RackPart(
        id=PartId("bar"), manufacturer="Any", model="Bar", rack_units=42, width_mm=600,
        depth_mm=1068, busbar_v=50,
    ))  # fmt: skip
    part = PowerShelfPart(
        id=PartId("shelf"), manufacturer="Any", model="Shelf", rack_units=1, rated_kw=9.0
    )
    room.device(rack_id, hot_server(psu=Psu(count=1, inlet=Inlet.BUSBAR)), 1)
    for group, u in (("A", 40), ("B", 41)):
        plug_cord(
            room.draft, room.device(rack_id, part, u), 1,
            add_feed(room.draft, group, group, 400, 63),
        )  # fmt: skip
    (bar_row, *_) = power_report(room.design()).supplies
    assert bar_row.verdict == "overloaded with A lost"  # 10.2 kW on one shelf of 9


def test_tables_and_json_hold_the_same() -> None:
    report = power_report(hall(hot_server()))
    found = report.to_json()
    assert found["schema"] == 1
    assert [p["name"] for p in found["places"]] == ["R01", "Row 1", "Site"]
    assert found["supplies"][0]["id"] in hall(hot_server()).devices
    head = csv_text(report.places, PlaceRow).splitlines()[0]
    assert head.startswith("place,name,devices,maximum_w,maximum_unknown,typical_w,")
    assert "id" not in head.split(",")
    assert len(csv_text(report.supplies, SupplyRow).splitlines()) == 5
    assert "throttled or down" in csv_text(report.psus, PsuRow)
    assert "with one feed lost, 2 throttled or down" in power_text(report)


def test_an_empty_room_draws_nothing() -> None:
    report = power_report(Design())
    assert [(p.place, p.maximum_w) for p in report.places] == [("site", 0)]
    assert (report.supplies, report.psus, report.bars) == ([], [], [])
    assert power_text(report)


def test_columns_of_the_text_never_touch() -> None:
    """A site of megawatts with unknown devices is wide; its figures stay apart."""
    report = power_report(hall(hot_server(14_000.0, power_typical_w=None), servers=2))
    big = replace(
        report.places[-1],
        maximum_w=98_765_432.1,
        typical_w=14_700.0,
        typical_unknown=12_345,
        heat_btu_per_h=336_998_000.0,
    )
    wide = replace(report, places=[*report.places[:-1], big])
    row = next(line for line in power_text(wide).splitlines() if "12345" in line)
    cells = [cell for cell in row.split("  ") if cell]
    assert [cell.strip() for cell in cells][1:5] == [
        "98,765.4 kW",
        "14.7 kW +12345",
        "-",
        "336,998,000 BTU/h",
    ]
