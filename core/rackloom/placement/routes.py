# SPDX-License-Identifier: Apache-2.0
"""How cables run through the room, and so how long they must be.

In the coordinates of the room, see ``floor``; ``many_routes`` has the same for thousands at once.

A cable leaves its port sideways to a vertical manager of its rack and runs

* within one rack: along the manager that makes the shorter way, and through the rack's depth where
  one port is at the front and the other at the rear;
* into the touching rack of the same row, if the site opens side panels: through the shared side;
* else up the manager nearer to the port into the tray above the row, along it, over a cross tray
  into another row, and down the nearer manager of the far rack. The tray is as wide as the racks
  are deep, so a cable changes from the fronts to the rears up there.

Every stretch is parallel to an axis, as installers dress cables; ``slack_m`` is added at both ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, overload

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import Side
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.ids import DeviceId
from rackloom.design.value import Design
from rackloom.placement.floor import Frame, floor_of
from rackloom.placement.geometry import port_place

PortAt: TypeAlias = tuple[DeviceId, str]
"""A cage of a placed device."""

Point: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """One way from port to port. ``length_m`` is the bare way, ``needed_m`` has the slack on it."""

    length_m: float
    needed_m: float
    points: tuple[Point, ...]


def port_point_m(design: Design, device_id: DeviceId, cage: str) -> Point:
    """Where a port is in the room."""
    frame = floor_of(design).frames[design.devices[device_id].rack]
    return _in_room(frame, *port_place(design, device_id, cage))


def _in_room(frame: Frame, side: Side, x_mm: float, z_mm: float) -> Point:
    """A place on a side of a rack in room coordinates; seen from behind, x runs the other way."""
    if side is Side.FRONT:
        return frame.x_m + x_mm / 1000, frame.y_m, z_mm / 1000
    return frame.x_m + (frame.width_m - x_mm / 1000), frame.y_m + frame.depth_m, z_mm / 1000


def _length_m(points: Iterable[Point]) -> float:
    return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) for a, b in pairwise(points))


def _nearer_manager(frame: Frame, x_m: float) -> float:
    to_left, to_right = x_m - frame.left_manager_m, frame.right_manager_m - x_m
    return frame.left_manager_m if to_left <= to_right else frame.right_manager_m


def _ways(design: Design, at_a: Frame, a: Point, at_b: Frame, b: Point) -> list[list[Point]]:
    """The ways a cable could take, as the points where it turns."""
    (xa, ya, za), (xb, yb, zb) = a, b
    if at_a is at_b:
        return [
            [a, (m, ya, za), (m, yb, za), (m, yb, zb), b]
            for m in (at_a.left_manager_m, at_a.right_manager_m)
        ]
    tray_m = design.settings.tray_height_m
    up, down = _nearer_manager(at_a, xa), _nearer_manager(at_b, xb)
    if at_a.row == at_b.row:
        crossings: tuple[float, ...] = (down,)
    else:
        ends = (at_a.row_left_m, at_a.row_right_m, at_b.row_left_m, at_b.row_right_m)
        crossings = design.settings.cross_trays_x_m or ends
    rise, fall = [a, (up, ya, za), (up, ya, tray_m)], [(down, yb, tray_m), (down, yb, zb), b]
    ways = [[*rise, (x, ya, tray_m), (x, yb, tray_m), *fall] for x in crossings]
    if design.settings.side_panels_open:
        for left, right in ((at_a, at_b), (at_b, at_a)):
            if left.right_neighbour == right.number:
                out, into = left.right_manager_m, right.left_manager_m
                m, n = (out, into) if left is at_a else (into, out)
                ways.append([a, (m, ya, za), (n, ya, za), (n, yb, za), (n, yb, zb), b])
    return ways


def _between(design: Design, a: PortAt, b: PortAt) -> Route:
    frames = floor_of(design).frames
    at_a, at_b = (frames[design.devices[device].rack] for device, _ in (a, b))
    ways = _ways(design, at_a, port_point_m(design, *a), at_b, port_point_m(design, *b))
    points = min(ways, key=_length_m)
    turns = (points[0], *(q for p, q in pairwise(points) if q != p))
    length_m = _length_m(points)
    return Route(length_m, length_m + 2 * design.settings.slack_m, turns)


@overload
def route_m(design: Design, what: Cable) -> Route | None: ...
@overload
def route_m(design: Design, what: tuple[PortAt, PortAt]) -> Route: ...


def route_m(design: Design, what: Cable | tuple[PortAt, PortAt]) -> Route | None:
    """The route of a cable, or between two ports.

    For a breakout, the longest of those to its branches: its length has to do for all of them.
    None for a cable whose trunk, or whose every branch, hangs loose.
    """
    if isinstance(what, tuple):
        return _between(design, *what)
    return max((r for _, r in branch_routes(design, what)), key=lambda r: r.length_m, default=None)


def branch_routes(design: Design, cable: Cable) -> list[tuple[CableEnd, Route]]:
    """The route to each plugged far end of a cable: to a breakout's branches from its trunk."""
    return [
        (far, _between(design, (near.device, near.cage), (far.device, far.cage)))
        for near, far in spans(design, cable)
    ]


def spans(design: Design, cable: Cable) -> list[tuple[CableEnd, CableEnd]]:
    """Pairs of plugged ends that a cable runs between: from the trunk to each branch.

    A trunk cable with several connectors at each side has one pair for each connector.
    """
    if len(cable.ends) < 2:
        return []
    part = design.part(cable.part, CablePart)
    if len(cable.ends) == 2 and part.connectors_per_side == 1:
        near, far = cable.ends
        if near.end == 0 and far.end > 0:
            return [(near, far)]
    plugged = {end.end: end for end in cable.ends}
    return [
        (near, plugged[number])
        for near in (plugged[n] for n in range(part.connectors_per_side) if n in plugged)
        for number in part.far_ends(near.end)
        if number in plugged
    ]
