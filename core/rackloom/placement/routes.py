# SPDX-License-Identifier: Apache-2.0
"""How cables run through the room, and so how long they must be.

Room coordinates in metres: x along the rows, to the right as one faces the racks' fronts; y from
the fronts towards the rears; z upwards from the floor.

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.parts import CablePart, RackPart
from rackloom.catalog.words import Side
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.ids import CableId, DeviceId, RackId, RowId
from rackloom.design.value import Design
from rackloom.placement.geometry import manager_inset_mm, port_place
from rackloom.placement.memo import per_tables

PortAt: TypeAlias = tuple[DeviceId, str]
"""A cage of a placed device."""

Point: TypeAlias = tuple[float, float, float]
Floats: TypeAlias = NDArray[np.float64]

NEIGHBOUR_GAP_M = 0.05
"""Racks of a row no further apart than this stand side panel to side panel."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way from port to port. ``length_m`` is the bare way, ``needed_m`` has the slack on it."""

    length_m: float
    needed_m: float
    points: tuple[Point, ...]


# The room


class _Frame(NamedTuple):
    """A rack in the room; x and y of its left front corner, its managers, its row's ends."""

    number: int
    x_m: float
    y_m: float
    width_m: float
    depth_m: float
    left_manager_m: float
    right_manager_m: float
    row: int
    row_left_m: float
    row_right_m: float
    right_neighbour: int


class _Frames(NamedTuple):
    """The fields of many :class:`_Frame`, one array each."""

    number: Floats
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats
    left_manager_m: Floats
    right_manager_m: Floats
    row: Floats
    row_left_m: Floats
    row_right_m: Floats
    right_neighbour: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Floor:
    """All racks, one by one and as columns (in the order of ``_Frame``)."""

    frames: dict[RackId, _Frame]
    columns: Floats


@per_tables("rows", "racks", "parts")
def _floor(design: Design) -> _Floor:
    frames: dict[RackId, _Frame] = {}
    for row_number, row in enumerate(design.rows.values()):
        racks = [design.racks[r] for r in design.index.racks_in_row.get(row.id, ())]
        racks.sort(key=lambda rack: rack.position_m)
        parts = [design.part(rack.part, RackPart) for rack in racks]
        lefts = [row.x_m + rack.position_m for rack in racks]
        rights = [left + part.width_mm / 1000 for left, part in zip(lefts, parts, strict=True)]
        first = len(frames)
        for n, (rack, part) in enumerate(zip(racks, parts, strict=True)):
            touching = n + 1 < len(racks) and lefts[n + 1] - rights[n] <= NEIGHBOUR_GAP_M
            inset_m = manager_inset_mm(part) / 1000
            frames[rack.id] = _Frame(
                first + n,
                lefts[n],
                row.y_m,
                part.width_mm / 1000,
                part.depth_mm / 1000,
                lefts[n] + inset_m,
                rights[n] - inset_m,
                row_number,
                lefts[0],
                max(rights),
                first + n + 1 if touching else -1,
            )
    columns = np.array(list(frames.values()), dtype=np.float64).reshape(-1, len(_Frame._fields)).T
    return _Floor(frames, columns)


class Standing(NamedTuple):
    """All that the room says of a rack to the cables of its devices; metres."""

    row: RowId
    x_m: float
    y_m: float
    width_m: float
    depth_m: float
    left_manager_m: float
    right_manager_m: float
    row_left_m: float
    row_right_m: float
    last_middle_m: float
    """The middle of the row's last rack: where its cables cross to other rows, if nobody says."""
    neighbour: RackId | None
    """The rack that touches it on the right."""


@per_tables("rows", "racks", "parts")
def standings(design: Design) -> dict[RackId, Standing]:
    """How every rack stands. While that of two racks is the same, so is every route between them,
    as long as the settings are.
    """
    frames = _floor(design).frames
    at = {frame.number: rack_id for rack_id, frame in frames.items()}
    last_m: dict[int, float] = {}
    for frame in frames.values():
        middle_m = frame.x_m + frame.width_m / 2
        last_m[frame.row] = max(last_m.get(frame.row, middle_m), middle_m)
    return {
        rack_id: Standing(
            design.racks[rack_id].row,
            *frame[1:7],
            frame.row_left_m,
            frame.row_right_m,
            last_m[frame.row],
            at.get(frame.right_neighbour),
        )
        for rack_id, frame in frames.items()
    }


class Footprint(NamedTuple):
    """A rack on the floor plan: its left front corner, width along x and depth along y, in m."""

    x_m: float
    y_m: float
    width_m: float
    depth_m: float


def footprints(design: Design) -> dict[RackId, Footprint]:
    """Where every rack stands in the room."""
    return {
        rack_id: Footprint(frame.x_m, frame.y_m, frame.width_m, frame.depth_m)
        for rack_id, frame in _floor(design).frames.items()
    }


class Tray(NamedTuple):
    """The middle line of a cable tray on the floor plan, in metres; a row's or a cross tray."""

    kind: str
    x0_m: float
    y0_m: float
    x1_m: float
    y1_m: float


def trays(design: Design) -> list[Tray]:
    """The trays of the room: one above each row with racks, and those that join the rows."""
    rows: dict[int, list[_Frame]] = {}
    for frame in _floor(design).frames.values():
        rows.setdefault(frame.row, []).append(frame)
    if not rows:
        return []
    middles = {n: frames[0].y_m + max(f.depth_m for f in frames) / 2 for n, frames in rows.items()}
    crossings: list[float] = []
    if len(rows) > 1:
        crossings = sorted(
            set(design.settings.cross_trays_x_m)
            or {
                x for frames in rows.values() for x in (frames[0].row_left_m, frames[0].row_right_m)
            }
        )
    found = [
        Tray(
            "row",
            min([frames[0].row_left_m, *crossings]),
            middles[n],
            max([frames[0].row_right_m, *crossings]),
            middles[n],
        )
        for n, frames in rows.items()
    ]
    low, high = min(middles.values()), max(middles.values())
    return found + [Tray("cross", x, low, x, high) for x in crossings]


# One route


def port_point_m(design: Design, device_id: DeviceId, cage: str) -> Point:
    """Where a port is in the room."""
    frame = _floor(design).frames[design.devices[device_id].rack]
    return _in_room(frame, *port_place(design, device_id, cage))


def _in_room(frame: _Frame, side: Side, x_mm: float, z_mm: float) -> Point:
    """A place on a side of a rack in room coordinates; seen from behind, x runs the other way."""
    if side is Side.FRONT:
        return frame.x_m + x_mm / 1000, frame.y_m, z_mm / 1000
    return frame.x_m + (frame.width_m - x_mm / 1000), frame.y_m + frame.depth_m, z_mm / 1000


def _length_m(points: Iterable[Point]) -> float:
    return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) for a, b in pairwise(points))


def _nearer_manager(frame: _Frame, x_m: float) -> float:
    to_left, to_right = x_m - frame.left_manager_m, frame.right_manager_m - x_m
    return frame.left_manager_m if to_left <= to_right else frame.right_manager_m


def _ways(design: Design, at_a: _Frame, a: Point, at_b: _Frame, b: Point) -> list[list[Point]]:
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
    frames = _floor(design).frames
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


# Many routes


class _Sites(NamedTuple):
    """Ports as arrays: the number of their rack, and their place in the room."""

    rack: NDArray[np.intp]
    x_m: Floats
    y_m: Floats
    z_m: Floats


def _sites(design: Design, refs: Sequence[PortAt]) -> _Sites:
    """Where ports are. Devices of one kind at one U share their ports' places."""
    frames = _floor(design).frames
    kinds: dict[object, dict[str, tuple[bool, float, float]]] = {}
    known: dict[DeviceId, tuple[int, dict[str, tuple[bool, float, float]]]] = {}
    racks: list[int] = []
    places: list[tuple[bool, float, float]] = []
    for device_id, cage in refs:
        device_at = known.get(device_id)
        if device_at is None:
            device = design.devices[device_id]
            rack_kind = design.racks[device.rack].part
            kind = (
                device.part,
                device.cards,
                device.bottom_u,
                device.face,
                device.mount,
                rack_kind,
            )
            device_at = known[device_id] = (
                frames[device.rack].number,
                kinds.setdefault(kind, {}),
            )
        place = device_at[1].get(cage)
        if place is None:
            side, x_mm, z_mm = port_place(design, device_id, cage)
            place = device_at[1][cage] = (side is Side.FRONT, x_mm, z_mm)
        racks.append(device_at[0])
        places.append(place)
    rack = np.array(racks, dtype=np.intp)
    front, x_mm_, z_mm_ = np.array(places, dtype=np.float64).reshape(-1, 3).T
    floor = _Frames(*_floor(design).columns[:, rack])
    x_m = np.where(front > 0, floor.x_m + x_mm_ / 1000, floor.x_m + (floor.width_m - x_mm_ / 1000))
    y_m = np.where(front > 0, floor.y_m, floor.y_m + floor.depth_m)
    return _Sites(rack, x_m, y_m, z_mm_ / 1000)


def route_lengths_m(design: Design, a_refs: Sequence[PortAt], b_refs: Sequence[PortAt]) -> Floats:
    """Lengths without slack of the routes between ports, pair by pair; as :func:`route_m` has them.

    0.4 million pairs take about two seconds, most of it for looking the ports up.
    """
    if not a_refs:
        return np.empty(0)
    a, b = _sites(design, a_refs), _sites(design, b_refs)
    columns = _floor(design).columns
    at_a, at_b = _Frames(*columns[:, a.rack]), _Frames(*columns[:, b.rack])
    same_rack = a.rack == b.rack
    depth_m = np.abs(a.y_m - b.y_m)

    def inside(manager_a: Floats, manager_b: Floats) -> Floats:
        """The way along managers on one level, through the depth, then up or down."""
        sideways = np.abs(a.x_m - manager_a) + np.abs(b.x_m - manager_b)
        return sideways + np.abs(manager_a - manager_b) + depth_m + np.abs(a.z_m - b.z_m)

    within = np.minimum(
        inside(at_a.left_manager_m, at_a.left_manager_m),
        inside(at_a.right_manager_m, at_a.right_manager_m),
    )
    lengths_m = np.where(same_rack, within, _over_tray_m(design, a, at_a, b, at_b) + depth_m)
    if design.settings.side_panels_open:
        for left, right, out, into in ((at_a, at_b, a, b), (at_b, at_a, b, a)):
            shared = left.right_neighbour == right.number
            through = (
                np.abs(out.x_m - left.right_manager_m)
                + np.abs(left.right_manager_m - right.left_manager_m)
                + np.abs(into.x_m - right.left_manager_m)
                + depth_m
                + np.abs(a.z_m - b.z_m)
            )
            lengths_m = np.where(shared, np.minimum(lengths_m, through), lengths_m)
    return lengths_m


def _tray_turns(
    design: Design, a: _Sites, at_a: _Frames, b: _Sites, at_b: _Frames
) -> tuple[Floats, Floats, list[Floats]]:
    """Where routes over the trays go up and come down, and the cross trays they could take (x)."""
    up, down = (
        np.where(
            site.x_m - at.left_manager_m <= at.right_manager_m - site.x_m,
            at.left_manager_m,
            at.right_manager_m,
        )
        for site, at in ((a, at_a), (b, at_b))
    )
    ends = (at_a.row_left_m, at_a.row_right_m, at_b.row_left_m, at_b.row_right_m)
    crossings: Sequence[Floats | float] = design.settings.cross_trays_x_m or ends
    return up, down, [np.broadcast_to(np.asarray(x, np.float64), up.shape) for x in crossings]


def _over_tray_m(design: Design, a: _Sites, at_a: _Frames, b: _Sites, at_b: _Frames) -> Floats:
    """All but the way across the rows' depth of the routes over the trays."""
    up, down, crossings = _tray_turns(design, a, at_a, b, at_b)
    crossed = np.min([np.abs(up - x) + np.abs(down - x) for x in crossings], axis=0)
    along = np.where(np.equal(at_a.row, at_b.row), np.abs(up - down), crossed)
    tray_m = design.settings.tray_height_m
    rise = np.abs(tray_m - a.z_m) + np.abs(tray_m - b.z_m)
    result: Floats = np.abs(a.x_m - up) + np.abs(b.x_m - down) + rise + along
    return result


class TrayWays(NamedTuple):
    """The way of routes over trays, one entry a route; x along the rows in metres.

    ``over`` is False for routes that touch no tray; rows are numbered as they are drawn.
    """

    over: NDArray[np.bool_]
    a_row: NDArray[np.intp]
    b_row: NDArray[np.intp]
    up_m: Floats
    """Where it enters the tray of its first row."""
    down_m: Floats
    cross_m: Floats
    """The cross tray it takes from row to row; within a row, where it comes down."""


def tray_ways(design: Design, a_refs: Sequence[PortAt], b_refs: Sequence[PortAt]) -> TrayWays:
    """The trays that the routes between ports take, pair by pair; as :func:`route_m` has them."""
    a, b = _sites(design, a_refs), _sites(design, b_refs)
    columns = _floor(design).columns
    at_a, at_b = _Frames(*columns[:, a.rack]), _Frames(*columns[:, b.rack])
    up, down, crossings = _tray_turns(design, a, at_a, b, at_b)
    options = np.array([np.abs(up - x) + np.abs(down - x) for x in crossings])
    chosen = np.argmin(options, axis=0)
    cross = np.take_along_axis(np.array(crossings), chosen[np.newaxis], axis=0)[0]
    same_row = np.equal(at_a.row, at_b.row)
    over_m = _over_tray_m(design, a, at_a, b, at_b) + np.abs(a.y_m - b.y_m)
    shorter = route_lengths_m(design, a_refs, b_refs) < over_m  # through the side panels
    return TrayWays(
        (a.rack != b.rack) & ~shorter,
        at_a.row.astype(np.intp),
        at_b.row.astype(np.intp),
        up,
        down,
        np.where(same_row, down, cross),
    )


def needed_lengths_m(
    design: Design, cables: Iterable[Cable] | None = None
) -> tuple[list[CableId], Floats]:
    """The length with slack that each cable needs; NaN where it joins nothing. All by default."""
    chosen = list(design.cables.values() if cables is None else cables)
    owner: list[int] = []
    a_refs: list[PortAt] = []
    b_refs: list[PortAt] = []
    for n, cable in enumerate(chosen):
        for near, far in spans(design, cable):
            owner.append(n)
            a_refs.append((near.device, near.cage))
            b_refs.append((far.device, far.cage))
    needed_m = np.full(len(chosen), np.nan)
    lengths_m = route_lengths_m(design, a_refs, b_refs) + 2 * design.settings.slack_m
    np.fmax.at(needed_m, np.array(owner, dtype=np.intp), lengths_m)
    return [cable.id for cable in chosen], needed_m
