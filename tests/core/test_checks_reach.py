# SPDX-License-Identifier: Apache-2.0
"""Rules of lengths: against the route, the stock, and what the medium carries."""

from tests.core.rule_world import QM9700, World, fire, fixed

from rackloom.catalog.parts import CablePart
from rackloom.design import Draft, edits
from rackloom.placement.routes import route_m


def switches_apart(racks: int, cable: str, length_m: float) -> World:
    """Two switches at the tops of the first and the last of some racks, joined by one cable."""
    world = World(*["generic-48u-600"] * racks)
    a = world.device(QM9700, "near", u=48)
    b = world.device(QM9700, "far", rack=racks - 1, u=48)
    part = world.part(cable)
    assert isinstance(part, CablePart)
    if part.fibre is not None:
        world.optics((a, "1", 0), (b, "1", 0), cord=cable, length_m=length_m)
    else:
        world.cable(cable, (a, "1"), (b, "1"), length_m=length_m)
    return world


def needed_m(world: World) -> float:
    """What the one cable needs, by placement's own reckoning."""
    route = route_m(world.design, next(iter(world.design.cables.values())))
    assert route is not None
    return route.needed_m


def test_a_cable_shorter_than_its_route_and_the_next_stocked_length() -> None:
    world = switches_apart(6, "mfp7e10", 3.0)
    need = needed_m(world)
    assert 5.5 < need < 6.5, "5 x 0.8 m along, up to the tray and down"
    (finding,) = world.fires("reach.too-short")
    assert f"is 3 m long, but its route needs {need:.1f} m with slack" in finding.message
    assert "Order 7 m" in finding.fixes[0].label
    after = fixed(finding)
    assert next(iter(after.cables.values())).length_m == 7
    assert not fire(after, "reach.too-short")


def test_a_cable_as_long_as_its_route_is_silent() -> None:
    assert not switches_apart(6, "mfp7e10", 7.0).fires("reach.too-short")


def test_moving_a_device_away_makes_its_cable_too_short() -> None:
    world = World("generic-48u-600", *["generic-48u-600"] * 9)
    a, b = world.device(QM9700, "a", u=48), world.device(QM9700, "b", u=47)
    world.cable("mcp4y10-n", (a, "1"), (b, "1"), length_m=2)
    assert not world.fires("reach.too-short")
    draft = Draft(world.design)
    edits.move_device(draft, b, world.racks[9], 48)
    moved, _ = draft.close("Move")
    (finding,) = fire(moved, "reach.no-stock")
    assert "the longest DAC of this family is 2 m" in finding.message


def test_copper_that_is_not_made_so_long_is_replaced_by_what_reaches() -> None:
    world = switches_apart(5, "mcp4y10-n", 2.0)
    (finding,) = world.fires("reach.no-stock")
    assert f"needs {needed_m(world):.1f} m" in finding.message
    assert not world.fires("reach.too-short"), "one cause is told once"
    after = fixed(finding)
    assert not fire(after, "reach.no-stock")
    assert all(
        after.part(cable.part, CablePart).technology != "DAC" for cable in after.cables.values()
    )
    assert sum(len(links) for links in after.links.values()) == 2, "no link is lost"


def test_multimode_ends_at_50_m() -> None:
    world = switches_apart(2, "mfp7e10", 50.0)
    assert not world.fires("reach.beyond-medium")
    world = switches_apart(2, "mfp7e10", 55.0)
    (finding,) = world.fires("reach.beyond-medium")
    assert "is 55 m long, but fibre of this family carries 50 m" in finding.message


def test_the_shorter_reach_of_two_optics_counts() -> None:
    def world(length_m: float) -> World:
        hall = World()
        a, b = hall.device(QM9700, "a"), hall.device(QM9700, "b")
        hall.optics(
            (a, "1", 0),
            (b, "1", 0),
            a_part="mms4x00-nm",  # 500 m
            b_part="mms4x00-ns",  # 100 m
            cord="mfp7e30",
            length_m=length_m,
        )
        return hall

    assert not world(100.0).fires("reach.beyond-medium")
    (finding,) = world(150.0).fires("reach.beyond-medium")
    assert "is 150 m of OS2" in finding.message
    assert "MMS4X00-NS reaches 100 m" in finding.message
    after = fixed(finding)
    assert not fire(after, "reach.beyond-medium")


def test_single_mode_optics_want_two_metres_of_fibre() -> None:
    def world(length_m: float) -> World:
        hall = World()
        a, b = hall.device(QM9700, "a"), hall.device(QM9700, "b")
        optic = "mms4x00-nm"
        hall.optics(
            (a, "1", 0), (b, "1", 0), a_part=optic, b_part=optic, cord="mfp7e30", length_m=length_m
        )
        return hall

    assert not world(2.0).fires("reach.below-minimum")
    (finding,) = world(1.0).fires("reach.below-minimum")
    assert "wants 2 m of fibre at least" in finding.message
    assert not fire(fixed(finding), "reach.below-minimum")


def test_a_length_nobody_stocks() -> None:
    world = World()
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    world.cable("mcp4y10-n", (a, "1"), (b, "1"), length_m=1.7)
    (finding,) = world.fires("reach.not-stocked")
    assert "1.7 m long" in finding.message
    assert "0.5, 1, 1.5, 2 m" in finding.message
    after = fixed(finding)
    assert not fire(after, "reach.not-stocked")
    assert not fire(after, "reach.too-short")


def test_stocked_lengths_are_silent() -> None:
    world = World()
    a, b = world.device(QM9700, "a"), world.device(QM9700, "b")
    world.cable("mcp4y10-n", (a, "1"), (b, "1"), length_m=1.5)
    assert not [f for f in world.check() if f.rule.startswith("reach.")]
