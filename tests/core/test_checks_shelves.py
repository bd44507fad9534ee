# SPDX-License-Identifier: Apache-2.0
"""Power shelves and busbars: capacity, one rectifier or one feed lost, inputs, feeds."""

from __future__ import annotations

import pytest
from tests.core.rule_world import CATALOG, World, fire, fixed

from rackloom.catalog.parts import PduPart, RackPart, ServerPart
from rackloom.checks import Findings, run
from rackloom.design import Design, Draft, edits
from rackloom.design.ids import DeviceId
from rackloom.placement.loads import on_busbar_of


def hall(trays: int, *shelves: str, tray_w: float = 5000.0, rack: str = "ocp-orv3") -> World:
    """One rack with compute trays of 5 kW each and these power shelves."""
    world = World(rack)
    tray = world.part("gb200-compute-tray")
    assert isinstance(tray, ServerPart)
    known = tray.model_copy(update={"id": "tray-known", "power_max_w": tray_w})
    for n in range(trays):
        world.device(known, f"tray-{n}")
    for n, shelf in enumerate(shelves):
        world.device(shelf, f"shelf-{n}")
    return world


def shelves_of(world: World) -> list[DeviceId]:
    return on_busbar_of(world.design, world.racks[0])[1]


# Capacity


def test_three_trays_of_5_kw_fill_a_shelf_of_15_kw() -> None:
    assert not hall(3, "orv3-15").fires("power.shelf-overload")
    (finding,) = hall(4, "orv3-15").fires("power.shelf-overload")
    assert finding.message == (
        "the devices on the busbar of R01 draw 20.0 kW, but its power shelves give 15.0 kW"
    )
    assert finding.fixes[0].label == "Add another ORv3 15 kW power shelf"
    after = fixed(finding)
    assert not fire(after, "power.shelf-overload")
    assert len(on_busbar_of(after, next(iter(after.racks)))[1]) == 2
    (finding,) = hall(7, "orv3-15").fires("power.shelf-overload")  # 35 kW: three shelves in all
    assert finding.fixes[0].label == "Add 2 × ORv3 15 kW power shelf"


def test_a_full_rack_has_no_room_for_another_shelf() -> None:
    world = hall(4, "orv3-15")
    units = CATALOG.require("ocp-orv3")
    assert isinstance(units, RackPart)
    for u in range(6, units.rack_units + 1):
        world.device("blank-1u", f"blank-{u}", u=u)
    (finding,) = world.fires("power.shelf-overload")
    assert not finding.fixes


def test_a_shelf_of_6_and_0_rectifiers_has_no_spare() -> None:
    """OCP: 15 kW is 5+1 of 3 kW, 18 kW is 6+0: with one lost it gives 15."""
    assert not hall(3, "orv3-15").fires("power.shelf-spare"), "15 kW with one of 5+1 lost"
    assert not hall(3, "orv3-18").fires("power.shelf-spare"), "15 kW left for 15 kW"
    (finding,) = hall(3, "orv3-18", tray_w=5500.0).fires("power.shelf-spare")
    assert finding.message == (
        "with one rectifier of shelf-0 lost, the power shelves of R01 give 15.0 kW, but the "
        "devices on its busbar draw 16.5 kW"
    )
    assert not fire(fixed(finding), "power.shelf-spare")
    assert not hall(4, "orv3-18").fires("power.shelf-spare"), "20 kW on 18: shelf-overload says so"
    # 33 kW of 6 x 5.5: 27.5 with one lost.
    assert not hall(5, "nvl72-shelf", tray_w=5500.0).fires("power.shelf-spare")
    assert hall(6, "nvl72-shelf", tray_w=5500.0).fires("power.shelf-spare")


def test_a_busbar_carries_its_rated_current() -> None:
    """30 kW at 48 V are 625 A."""
    rack = CATALOG.require("ocp-orv3")
    assert isinstance(rack, RackPart)

    def world(rating_a: float | None) -> Findings:
        made = hall(6, "orv3-15", "orv3-18")
        bar = rack.model_copy(update={"busbar_a": rating_a})
        made.draft.replace_part(bar)
        return run(made.design)

    assert not [f for f in world(None) if f.rule == "power.busbar-overload"]
    assert not [f for f in world(625.0) if f.rule == "power.busbar-overload"]
    (finding,) = [f for f in world(600.0) if f.rule == "power.busbar-overload"]
    assert finding.message == (
        "the devices on the busbar of R01 draw 625 A, but it is rated for 600 A"
    )


# Feeds


def test_shelves_in_use_hang_on_feeds() -> None:
    world = hall(2, "orv3-15", "orv3-15")
    (finding,) = world.fires("power.unfed-shelf")
    assert finding.message == ("shelf-0, shelf-1 feed the busbar of R01, but hang on no feed")
    # 15 kW at 415 V three-phase are 20.9 A, which a breaker may carry for good from 26.1 A on.
    assert finding.fixes[0].label == "Draw a feed for each, on A and B (415 V, 27 A)"
    drawn = fixed(finding)
    assert sorted((f.name, f.group) for f in drawn.feeds.values()) == [
        ("R01-A1", "A"),
        ("R01-B1", "B"),
    ]  # fmt: skip
    for rule in ("unfed-shelf", "shelf-split", "shelf-input", "feed-overload", "shelf-feed-lost"):
        assert not fire(drawn, f"power.{rule}")
    world.feed("A1", "A")
    world.feed("B1", "B")
    (finding,) = world.fires("power.unfed-shelf")
    after = fixed(finding)
    assert not fire(after, "power.unfed-shelf")
    assert not fire(after, "power.shelf-split")
    assert {after.feeds[c.source].group for c in after.cords.values()} == {"A", "B"}  # type: ignore[index]
    assert not hall(0, "orv3-15").fires("power.unfed-shelf"), "nothing hangs on the bar"


def test_a_fix_does_not_crowd_a_feed_beyond_its_current() -> None:
    """15 kW at 415 V three-phase are 20.9 A."""
    world = hall(2, "orv3-15", "orv3-15")
    world.feed("A1", "A", current_a=32)
    (finding,) = world.fires("power.unfed-shelf")
    assert finding.fixes[0].label.startswith("Draw a feed for each")
    world.feed("A2", "A", current_a=42)
    (finding,) = world.fires("power.unfed-shelf")
    after = fixed(finding)
    assert sorted(after.name_of(c.source) for c in after.cords.values()) == ["A1", "A2"]


def test_a_shelf_takes_three_phases_and_its_volts() -> None:
    world = hall(1, "orv3-15", "orv3-15")
    first, second = shelves_of(world)
    world.cord(first, 1, world.feed("A1", "A"))
    high = world.feed("B1", "B", voltage_v=600)
    world.cord(second, 1, high)
    (finding,) = world.fires("power.shelf-input")
    assert finding.message == "shelf-1 in R01 takes up to 480 V, but the feed has 600 V (B1)"
    assert finding.fixes[0].label == "Plug it into A1"
    assert not fire(fixed(finding), "power.shelf-input")
    single = hall(1, "orv3-15")
    feed = edits.add_feed(single.draft, "A1", "A", 230, 32, 1)
    single.cord(shelves_of(single)[0], 1, feed)
    (finding,) = single.fires("power.shelf-input")
    assert "takes three-phase power, but the feed is single-phase (A1)" in finding.message
    assert finding.fixes[0].label == "Remove the cord"
    assert not fire(fixed(finding), "power.shelf-input")


def test_a_shelf_does_not_hang_on_a_pdu() -> None:
    world = hall(1, "orv3-15")
    pdu = world.device("generic-415-60", "pdu", mount="left-1")
    part = world.part("generic-415-60")
    assert isinstance(part, PduPart)
    world.cord(shelves_of(world)[0], 1, pdu, part.outlet_names[0][0])
    (finding,) = world.fires("power.shelf-input")
    assert finding.message == "shelf-0 in R01 takes a circuit of its own, but hangs on pdu"
    assert not fire(fixed(finding), "power.shelf-input")


def fed(trays: int, groups: str, tray_w: float = 5000.0, current_a: float = 63) -> World:
    """A rack with a shelf of 15 kW on a feed of each of these groups."""
    world = hall(trays, *["orv3-15"] * len(groups), tray_w=tray_w)
    for n, (shelf, group) in enumerate(zip(shelves_of(world), groups, strict=True)):
        world.cord(shelf, 1, world.feed(f"{group}{n}", group, current_a=current_a))
    return world


def test_shelves_on_one_feed_are_no_spare() -> None:
    (finding,) = fed(2, "AA").fires("power.shelf-split")
    assert finding.message == (
        "all 2 power shelves of R01 hang on feed A: the rack goes down with it"
    )
    assert not finding.fixes, "there is no other feed"
    world = fed(2, "AA")
    world.feed("B1", "B")
    (finding,) = world.fires("power.shelf-split")
    assert not fire(fixed(finding), "power.shelf-split")
    assert not fed(2, "AB").fires("power.shelf-split")
    (finding,) = fed(2, "A").fires("power.shelf-split")
    assert finding.message.startswith("the only power shelf of R01 hangs on feed A")


def test_with_one_feed_lost_the_shelves_left_carry_the_rack() -> None:
    assert not fed(6, "AABB").fires("power.shelf-feed-lost"), "30 kW on two shelves of 15"
    (finding,) = fed(7, "AABB").fires("power.shelf-feed-lost")
    assert finding.message == (
        "with feed A lost, the power shelves of R01 give 30.0 kW, but the devices on its busbar "
        "draw 35.0 kW"
    )
    assert finding.fixes[0].label == "Add 2 × ORv3 15 kW power shelf"
    assert not fire(fixed(finding), "power.shelf-feed-lost")
    # Three on A and one on B: plugging them evenly is enough for 30 kW.
    (finding,) = fed(6, "AAAB").fires("power.shelf-feed-lost")
    assert finding.fixes[0].label == "Spread the shelves over the feeds"
    after = fixed(finding)
    assert not fire(after, "power.shelf-feed-lost")
    assert len(after.cords) == 4
    assert not fed(13, "AABB").fires("power.shelf-feed-lost"), "65 on 60 kW: shelf-overload"


def test_a_feed_carries_what_the_shelves_draw_through_it() -> None:
    """Four trays of 5 kW on two shelves: 10 kW a feed, 20 with one lost; 415 V 32 A give 18.4."""
    assert not fed(3, "AB", current_a=32).fires("power.feed-overload"), "15 kW with one lost"
    found = fed(4, "AB", current_a=32).fires("power.feed-overload")
    assert len(found) == 2
    assert found[0].message.startswith("with feed B lost, feed A0 would carry 20.0 kW")


# Kept up to date


def test_what_changes_on_a_busbar_is_seen_at_its_feeds() -> None:
    world = fed(3, "AB", current_a=32)
    design = world.design
    findings = run(design)

    def after(edit: object, *args: object) -> Design:
        draft = Draft(design)
        edit(draft, *args)  # type: ignore[operator]
        return draft.close("Edit")[0]

    tray = world.part("gb200-compute-tray").model_copy(
        update={"id": "tray-known", "power_max_w": 5000.0}
    )
    rack = world.racks[0]
    first, second = shelves_of(world)
    (cord,) = design.index.cords_of_device[second]
    feed = next(iter(design.feeds.values()))
    for edited in (
        after(edits.add_device, tray, rack, 20),
        after(edits.remove, [next(d.id for d in design.devices.values() if d.name == "tray-0")]),
        after(edits.remove, [first]),
        after(edits.remove, [cord]),
        after(edits.plug_cord, first, 2, next(f for f in design.feeds if f != feed.id)),
        after(lambda d: d.put(type(feed)(feed.id, feed.name, "C", 415.0, 20.0))),
    ):
        assert findings.patched(edited, design.diff(edited)) == run(edited)


@pytest.mark.parametrize("kind", ["power.shelf-spare", "power.shelf-split", "power.unfed-shelf"])
def test_a_rack_without_a_busbar_has_nothing_to_do_with_shelves(kind: str) -> None:
    world = World()
    world.device("dgx-h100", "gpu")
    assert not world.fires(kind)
