# SPDX-License-Identifier: Apache-2.0
"""Weight and fill of trays, against what one works out on the floor plan.

600 mm racks: the manager near port 1 of a switch stands 29.35 mm from the rack's left edge.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.core.placement_parts import Room, breakout_dac, server, straight_dac, switch

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import Side, Trust
from rackloom.design import CableEnd, Design
from rackloom.design.edits import change_settings, plug_cable
from rackloom.design.ids import DeviceId
from rackloom.placement.routes import route_m
from rackloom.placement.trays import TraySegment, tray_segments
from rackloom.reports.tray_report import tray_rows, tray_text

DAC_MM2 = 69.84
"""Pi times 9.43 mm squared, by four."""


def cable(room: Room, part: CablePart, *ports: tuple[DeviceId, str]) -> None:
    plug_cable(room.draft, part, [CableEnd(n, *port) for n, port in enumerate(ports)], 5.0)


def line_of_racks(count: int = 3) -> tuple[Room, list[DeviceId]]:
    room = Room()
    row = room.row()
    return room, [room.device(room.rack(row, 0.6 * n), switch(), 42) for n in range(count)]


def test_cables_add_up_where_they_lie_together() -> None:
    room, (a, b, c) = line_of_racks()
    cable(room, straight_dac(), (a, "1"), (b, "1"))
    cable(room, straight_dac(), (a, "3"), (c, "1"))
    first, second = tray_segments(room.design())
    # From manager to manager: 0.02935 to 0.62935 (both cables), on to 1.22935 (one of them).
    assert (first.from_m, first.to_m) == pytest.approx((0.02935, 0.62935))
    assert (second.from_m, second.to_m) == pytest.approx((0.62935, 1.22935))
    assert [s.cables for s in (first, second)] == [2, 1]
    assert first.kg_per_m == pytest.approx(0.090)  # two copper cables of 0.045 kg/m
    assert first.area_mm2 == pytest.approx(2 * DAC_MM2, abs=0.02)
    assert first.weight_kg == pytest.approx(0.054)
    assert (first.tray, first.kind) == ("tray of Row 1", "row")
    assert first.at_m == pytest.approx(0.6)
    assert (first.fill, first.verdict) == (None, "")


def test_limits_of_the_site_are_held_against_it() -> None:
    room, (a, b, c) = line_of_racks()
    for port in ("1", "3"):
        cable(room, straight_dac(), (a, port), (b, port))
    cable(room, straight_dac(), (b, "5"), (c, "5"))
    # A tray of 100 x 10 mm: 139.7 mm2 are 13.97 %.
    change_settings(room.draft, tray_width_mm=100.0, tray_depth_mm=10.0)
    change_settings(room.draft, tray_fill_limit=0.1, tray_limit_kg_per_m=0.05)
    first, *_, last = tray_segments(room.design())
    assert first.fill == pytest.approx(0.1397, abs=1e-4)
    assert first.verdict == "too heavy, too full"
    assert (last.cables, last.verdict) == (1, "")


def test_a_parts_own_figures_go_before_averages() -> None:
    room, (a, b, _) = line_of_racks()
    thin = straight_dac().model_copy(
        update={"kg_per_m": 0.03, "diameter_mm": 4.5, "trust": Trust.DATASHEET}
    )
    cable(room, thin, (a, "1"), (b, "1"))
    (only,) = tray_segments(room.design())
    assert only.kg_per_m == pytest.approx(0.03)
    assert only.area_mm2 == pytest.approx(15.904, abs=1e-3)  # pi * 4.5 * 4.5 / 4
    assert only.averaged == 0


def test_what_is_an_average_is_counted() -> None:
    room, (a, b, _) = line_of_racks()
    cable(room, straight_dac(), (a, "1"), (b, "1"))
    (only,) = tray_segments(room.design())
    assert only.averaged == 1


def test_a_breakout_is_one_cable_in_the_tray_as_far_as_its_farthest_branch() -> None:
    room, (a, _, _) = line_of_racks()
    row = next(iter(room.draft.rows))
    near = room.device(room.rack(row, 1.8), server(8), 1)
    far = room.device(room.rack(row, 2.4), server(8), 1)
    cable(room, breakout_dac(), (a, "1"), (near, "nic0"), (far, "nic0"))
    segments = tray_segments(room.design())
    assert {s.cables for s in segments} == {1}
    # nic0 is 420 mm from its rack's left and goes down the right manager, 570.65 mm from it.
    assert sum(s.length_m for s in segments) == pytest.approx(2.4 + 0.57065 - 0.02935)


def test_in_a_rack_or_through_side_panels_no_tray_is_used() -> None:
    room, (a, b, _) = line_of_racks()
    below = room.device(next(iter(room.draft.racks)), switch(), 40)
    cable(room, straight_dac(), (a, "1"), (below, "1"))
    plug_cable(room.draft, straight_dac(), [CableEnd(0, a, "5")], 1.0)
    assert tray_segments(room.design()) == []
    cable(room, straight_dac(), (a, "3"), (b, "3"))
    assert len(tray_segments(room.design())) == 1
    change_settings(room.draft, side_panels_open=True)
    assert tray_segments(room.design()) == []
    assert tray_segments(Design()) == []


def test_from_row_to_row_over_the_cross_tray_that_is_nearer() -> None:
    room = Room()
    rows = [room.row(y_m=3.0 * n) for n in range(2)]
    a, b = (room.device(room.rack(row, 0.6), switch(), 42) for row in rows)
    change_settings(room.draft, cross_trays_x_m=(5.0, 0.0))
    cable(room, straight_dac(), (a, "1"), (b, "1"))
    cable(room, straight_dac(), (a, "3"), (b, "3"))
    segments = tray_segments(room.design())
    # Managers at x = 0.62935; the cross tray at x = 0 leads from 0.6 to 3.6 (middles of the rows).
    assert [(s.kind, s.cables) for s in segments] == [("row", 2), ("row", 2), ("cross", 2)]
    assert [s.from_m for s in segments] == pytest.approx([0, 0, 0.6])
    assert [s.to_m for s in segments] == pytest.approx([0.62935, 0.62935, 3.6])
    assert (segments[2].tray, segments[2].at_m) == ("cross tray at x = 0 m", 0)
    design = room.design()
    text = tray_text(tray_rows(design), design.settings)
    (cross,) = (line for line in text.splitlines() if line.startswith("cross tray"))
    assert cross.split()[:6] == ["cross", "tray", "at", "x", "=", "0"]
    assert "from y = 0.60 to 3.60 m" in cross
    assert "from x = 0.00 to 0.63 m" in text


def busy_room(side_panels_open: bool) -> Design:
    """Three rows of unequal length, every switch joined to every other one."""
    room = Room()
    devices = []
    for n, count in enumerate((3, 2, 4)):
        row = room.row(x_m=0.7 * n, y_m=3.0 * n)
        for k in range(count):
            face = Side.FRONT if (n + k) % 2 else Side.REAR
            devices.append(room.device(room.rack(row, 0.6 * k), switch(), 30 + k, face=face))
    for n, a in enumerate(devices):
        for k, b in enumerate(devices[:n]):
            cable(room, straight_dac(), (a, str(k + 1)), (b, str(n + 10)))
    change_settings(room.draft, side_panels_open=side_panels_open)
    return room.design()


def cable_metres(segments: list[TraySegment], kind: str) -> float:
    return sum(s.length_m * s.cables for s in segments if s.kind == kind)


@pytest.mark.parametrize("side_panels_open", [False, True])
def test_the_metres_in_the_rows_trays_are_those_of_the_routes(side_panels_open: bool) -> None:
    design = busy_room(side_panels_open)
    tray_m = design.settings.tray_height_m
    along_m = 0.0
    for drawn in design.cables.values():
        route = route_m(design, drawn)
        assert route is not None
        for p, q in pairwise(route.points):
            if p[2] == q[2] == tray_m:
                along_m += abs(p[0] - q[0])
    assert along_m > 30
    segments = tray_segments(design)
    assert cable_metres(segments, "row") == pytest.approx(along_m, abs=1e-3)
    # 6 pairs between rows 1 and 2, 8 between 2 and 3, both 3 m; 12 between 1 and 3, 6 m.
    assert cable_metres(segments, "cross") == pytest.approx((6 + 8) * 3 + 12 * 6)
