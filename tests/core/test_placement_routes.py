# SPDX-License-Identifier: Apache-2.0
"""Cable lengths, against what one works out with a pencil on the floor plan.

The rooms below use 600 x 1200 mm racks with 42 U. Their managers sit 29.35 mm from the edges: a
quarter of 600 - 482.6 mm. A switch port 1 is 20 mm from the chassis' left, so 100 mm from the
rack's left edge; it is 31 mm above the chassis' bottom. U1 begins 50 mm above the floor.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.placement_parts import Room, breakout_dac, rack, server, straight_dac, switch

from rackloom.catalog.words import Side
from rackloom.design import CableEnd, Design, Draft
from rackloom.design.edits import change_settings, plug_cable
from rackloom.design.ids import DeviceId
from rackloom.placement.floor import footprints, trays
from rackloom.placement.many_routes import needed_lengths_m, route_lengths_m
from rackloom.placement.routes import branch_routes, port_point_m, route_m

U = 0.04445
MANAGER = 0.02935


def settled(room: Room, **settings: object) -> Design:
    """The room's design with some settings of the site."""
    change_settings(room.draft, **settings)
    return room.design()


def length_m(design: Design, a: tuple[DeviceId, str], b: tuple[DeviceId, str]) -> float:
    """The bare way, which must be the same there and back, and that of the points."""
    route = route_m(design, (a, b))
    assert route_m(design, (b, a)).length_m == pytest.approx(route.length_m)
    steps = np.abs(np.diff(np.array(route.points), axis=0))
    assert steps.sum() == pytest.approx(route.length_m)
    assert (np.count_nonzero(steps, axis=1) == 1).all()  # along one axis at a time
    assert route.points[0] == port_point_m(design, *a)
    assert route.points[-1] == port_point_m(design, *b)
    assert route.needed_m == pytest.approx(route.length_m + 2 * design.settings.slack_m)
    return route.length_m


def test_in_one_rack_the_cable_runs_straight_down_the_side() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    top, low = room.device(rack_id, switch(), 42), room.device(rack_id, switch(), 2)
    design = settled(room, slack_m=0.3)
    # Port to the left manager: 100 - 29.35 = 70.65 mm, at both ends; 40 U down: 1.778 m.
    assert length_m(design, (top, "1"), (low, "1")) == pytest.approx(2 * 0.07065 + 40 * U)
    assert route_m(design, ((top, "1"), (low, "1"))).needed_m == pytest.approx(
        2 * 0.07065 + 40 * U + 0.6
    )


def test_in_one_rack_both_ends_use_the_manager_that_makes_the_shorter_way() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    top, low = room.device(rack_id, switch(), 42), room.device(rack_id, switch(), 2)
    design = settled(room)
    # Port 31 is in column 16: 100 + 15 * 24 = 460 mm from the left. With port 1 at 100 mm:
    #   left:  (460 - 29.35) + (100 - 29.35) = 501.3 mm
    #   right: (570.65 - 460) + (570.65 - 100) = 581.3 mm
    assert length_m(design, (top, "31"), (low, "1")) == pytest.approx(0.5013 + 40 * U)


def test_from_front_to_rear_of_one_rack_the_depth_comes_on_top() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    leaf = room.device(rack_id, switch(), 42)
    gpu = room.device(rack_id, server(8), 1)
    design = settled(room)
    # nic0 is 80 + 100 = 180 mm from the left seen from behind: 420 mm from the left seen from the
    # front. Left manager: 70.65 + 390.65; right: 470.65 + 150.65. Depth 1.2 m, 41 U down (both
    # ports are 31 mm above their chassis' bottom).
    assert length_m(design, (leaf, "1"), (gpu, "nic0")) == pytest.approx(0.4613 + 1.2 + 41 * U)


def test_into_the_neighbour_rack_over_the_tray() -> None:
    room = Room()
    row = room.row()
    a = room.device(room.rack(row, 0.0), switch(), 42)
    b = room.device(room.rack(row, 0.6), switch(), 42)
    design = settled(room, tray_height_m=2.7)
    # Ports at 0.05 + 41 U + 0.031 = 1.90345 m: 0.79655 m below the tray, twice. Left managers of
    # both racks, 0.6 m apart; 70.65 mm from port to manager, twice.
    assert length_m(design, (a, "1"), (b, "1")) == pytest.approx(2 * 0.79655 + 0.6 + 2 * 0.07065)


def test_into_the_neighbour_rack_through_open_side_panels() -> None:
    room = Room()
    row = room.row()
    a = room.device(room.rack(row, 0.0), switch(), 42)
    b = room.device(room.rack(row, 0.6), switch(), 40)
    c = room.device(room.rack(row, 1.2), switch(), 42)
    shut = settled(room, side_panels_open=False)
    opened = settled(room, side_panels_open=True)
    # Port 1 of a to its rack's right manager: 570.65 - 100 = 470.65 mm; 58.7 mm through the
    # panels; 70.65 mm to port 1 of b; 2 U down.
    assert length_m(opened, (a, "1"), (b, "1")) == pytest.approx(0.6 + 2 * U)
    assert length_m(shut, (a, "1"), (b, "1")) > 2
    assert length_m(opened, (a, "1"), (c, "1")) == length_m(shut, (a, "1"), (c, "1"))


def test_racks_that_do_not_touch_have_no_shared_side() -> None:
    room = Room()
    row = room.row()
    a = room.device(room.rack(row, 0.0), switch(), 42)
    b = room.device(room.rack(row, 0.7), switch(), 42)
    design = settled(room, side_panels_open=True)
    assert length_m(design, (a, "1"), (b, "1")) == pytest.approx(2 * 0.79655 + 0.7 + 2 * 0.07065)


def test_along_the_row_from_front_to_rear() -> None:
    room = Room()
    row = room.row()
    leaf = room.device(room.rack(row, 0.0), switch(), 42)
    gpu = room.device(room.rack(row, 6.0), server(8), 1)
    design = settled(room, tray_height_m=2.7)
    # Leaf port: 70.65 mm to the left manager at x = 0.02935, 0.79655 m up. NIC: 0.42 m from its
    # rack's left, so at 6.42; nearer to the right manager at 6.57065: 150.65 mm; 2.7 - 0.081 =
    # 2.619 m up. Along: 6.57065 - 0.02935 = 6.5413 m. Across from fronts to rears: 1.2 m.
    expected = 0.07065 + 0.79655 + 6.5413 + 1.2 + 2.619 + 0.15065
    assert length_m(design, (leaf, "1"), (gpu, "nic0")) == pytest.approx(expected)


def test_into_another_row_over_the_nearer_end() -> None:
    room = Room()
    near, far = room.row(y_m=0.0), room.row(y_m=3.0)
    racks = [room.rack(near, n * 0.6) for n in range(10)]
    others = [room.rack(far, n * 0.6) for n in range(10)]
    a = room.device(racks[1], switch(), 42)
    b = room.device(others[2], switch(), 42)
    design = settled(room, tray_height_m=2.7)
    # Left managers at 0.62935 and 1.22935; over the left end (x = 0): 1.8587 m; rows 3 m apart.
    expected = 2 * 0.07065 + 2 * 0.79655 + 1.8587 + 3.0
    assert length_m(design, (a, "1"), (b, "1")) == pytest.approx(expected)


def test_into_another_row_over_the_cross_tray_of_the_site() -> None:
    room = Room()
    near, far = room.row(y_m=0.0), room.row(y_m=3.0)
    a = room.device(room.rack(near, 0.6), switch(), 42)
    b = room.device(room.rack(far, 1.2), switch(), 42)
    design = settled(room, cross_trays_x_m=(5.0, 20.0))
    # Over x = 5: (5 - 0.62935) + (5 - 1.22935) = 8.1413 m.
    expected = 2 * 0.07065 + 2 * 0.79655 + 8.1413 + 3.0
    assert length_m(design, (a, "1"), (b, "1")) == pytest.approx(expected)
    assert [t.x0_m for t in trays(design) if t.kind == "cross"] == [5.0, 20.0]


def test_rows_one_behind_the_other_in_x_meet_at_the_gap_between_them() -> None:
    room = Room()
    first, second = room.row(x_m=0.0), room.row(x_m=3.0)
    a = room.device(room.rack(first, 0.0), switch(), 42)
    b = room.device(room.rack(second, 0.0), switch(), 42)
    # As if they were one row: 3 m from manager to manager.
    assert length_m(settled(room), (a, "1"), (b, "1")) == pytest.approx(
        2 * 0.07065 + 2 * 0.79655 + 3.0
    )


def test_moving_a_rack_away_makes_its_cables_longer() -> None:
    lengths = []
    for position_m in (0.6, 6.0, 12.0):
        room = Room()
        row = room.row()
        a = room.device(room.rack(row, 0.0), switch(), 42)
        b = room.device(room.rack(row, position_m), switch(), 42)
        lengths.append(length_m(settled(room), (a, "1"), (b, "1")))
    assert np.diff(lengths) == pytest.approx([5.4, 6.0])


def test_a_breakout_needs_what_its_farthest_branch_needs() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    leaf = room.device(rack_id, switch(), 42)
    near, far = room.device(rack_id, server(8), 30), room.device(rack_id, server(8), 1)
    ends = (CableEnd(0, leaf, "1"), CableEnd(1, near, "nic0"), CableEnd(2, far, "nic0"))
    cable_id = plug_cable(room.draft, breakout_dac(), ends, 3)
    loose = plug_cable(room.draft, straight_dac(), [CableEnd(0, leaf, "2")], 1)
    design = room.design()
    cable = design.cables[cable_id]
    route = route_m(design, cable)
    assert route is not None
    assert route == route_m(design, ((leaf, "1"), (far, "nic0")))
    assert [end.device for end, _ in branch_routes(design, cable)] == [near, far]
    assert route_m(design, design.cables[loose]) is None
    ids, needed_m = needed_lengths_m(design)
    assert ids == [cable_id, loose]
    assert needed_m[0] == pytest.approx(route.needed_m)
    assert np.isnan(needed_m[1])


@st.composite
def rooms(draw: st.DrawFn) -> tuple[Design, list[tuple[DeviceId, str]]]:
    """A few rows of unequal racks with switches and servers, and all their ports."""
    room = Room()
    ports: list[tuple[DeviceId, str]] = []
    for n in range(draw(st.integers(1, 3))):
        row = room.row(x_m=draw(st.sampled_from([0.0, 1.3, 9.0])), y_m=3.0 * n)
        position_m = 0.0
        for _ in range(draw(st.integers(1, 4))):
            part = rack(width_mm=draw(st.sampled_from([600, 800])), depth_mm=1000 + 100 * n)
            rack_id = room.rack(row, position_m, part)
            position_m += part.width_mm / 1000 + draw(st.sampled_from([0.0, 0.02, 1.0]))
            face = draw(st.sampled_from(list(Side)))
            leaf = room.device(rack_id, switch(), draw(st.integers(20, 42)), face=face)
            gpu = room.device(rack_id, server(8), draw(st.integers(1, 10)))
            ports += [(leaf, "1"), (leaf, "16"), (leaf, "32"), (gpu, "nic0"), (gpu, "nic1")]
    change_settings(
        room.draft,
        side_panels_open=draw(st.booleans()),
        cross_trays_x_m=draw(st.sampled_from([(), (2.0,), (-1.0, 8.0)])),
        tray_height_m=draw(st.sampled_from([2.3, 2.7, 3.2])),
    )
    return room.design(), ports


@settings(max_examples=60)
@given(rooms())
def test_many_routes_at_once_are_as_long_as_one_by_one(
    drawn: tuple[Design, list[tuple[DeviceId, str]]],
) -> None:
    design, ports = drawn
    pairs = [(a, b) for a in ports for b in ports if a != b]
    at_once = route_lengths_m(design, [a for a, _ in pairs], [b for _, b in pairs])
    singly = [route_m(design, pair).length_m for pair in pairs]
    np.testing.assert_allclose(at_once, singly, rtol=0, atol=1e-9)


@settings(max_examples=30)
@given(rooms())
def test_no_cable_is_shorter_than_the_straight_line(
    drawn: tuple[Design, list[tuple[DeviceId, str]]],
) -> None:
    design, ports = drawn
    for a in ports[:5]:
        for b in ports:
            if a != b:
                line_m = np.linalg.norm(
                    np.subtract(port_point_m(design, *a), port_point_m(design, *b))
                )
                assert route_m(design, (a, b)).length_m >= line_m - 1e-9


def test_a_rack_stands_on_the_floor_with_its_front_on_the_line_of_its_row() -> None:
    room = Room()
    rack_id = room.rack(room.row(x_m=1.0, y_m=3.0), 1.2)
    assert footprints(room.design())[rack_id] == pytest.approx((2.2, 3.0, 0.6, 1.2))


def test_no_pairs_have_no_lengths() -> None:
    assert len(route_lengths_m(Design(), [], [])) == 0
    assert trays(Design()) == []


def test_a_closed_draft_does_not_change_what_was_measured_before() -> None:
    room = Room()
    row = room.row()
    a = room.device(room.rack(row, 0.0), switch(), 42)
    b = room.device(room.rack(row, 0.6), switch(), 42)
    before = room.design()
    was = length_m(before, (a, "1"), (b, "1"))
    draft = Draft(before)
    change_settings(draft, tray_height_m=3.7)
    after, _ = draft.close("raise the tray")
    assert length_m(after, (a, "1"), (b, "1")) == pytest.approx(was + 2.0)
    assert length_m(before, (a, "1"), (b, "1")) == was
