# SPDX-License-Identifier: Apache-2.0
"""Lengths and ways of many routes at once, in arrays: the same as ``routes`` has one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import Side
from rackloom.design.entities import Cable
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.value import Design
from rackloom.placement.floor import Floats, Frames, floor_of
from rackloom.placement.geometry import PortPlace, port_place
from rackloom.placement.routes import PortAt, spans


class _Sites(NamedTuple):
    """Ports as arrays: the number of their rack, and their place in the room."""

    rack: NDArray[np.intp]
    x_m: Floats
    y_m: Floats
    z_m: Floats


class _PortsOf(dict[str, int]):
    """The ports of one device by the name of their cage, numbered as they are asked for."""

    def __init__(self, design: Design, device: DeviceId, places: list[PortPlace]) -> None:
        super().__init__()
        self._design = design
        self._device = device
        self._places = places

    def __missing__(self, cage: str) -> int:
        number = self[cage] = len(self._places)
        self._places.append(port_place(self._design, self._device, cage))
        return number


def _sites(design: Design, refs: Sequence[PortAt]) -> _Sites:
    """Where ports are. Devices of one kind at one U share their ports' places."""
    frames = floor_of(design).frames
    places: list[PortPlace] = []
    kinds: dict[object, _PortsOf] = {}
    ports: dict[DeviceId, _PortsOf] = {}
    racks: dict[DeviceId, int] = {}
    for device_id in dict.fromkeys([device for device, _ in refs]):
        device = design.devices[device_id]
        built = device.part, device.cards, design.racks[device.rack].part
        kind = (*built, device.bottom_u, device.face, device.mount)
        if kind not in kinds:
            kinds[kind] = _PortsOf(design, device_id, places)
        ports[device_id] = kinds[kind]
        racks[device_id] = frames[device.rack].number
    rack = np.array([racks[device] for device, _ in refs], dtype=np.intp)
    number = np.array([ports[device][cage] for device, cage in refs], dtype=np.intp)
    sides = np.array([place.side is Side.FRONT for place in places], dtype=np.bool_)
    x_m, z_m = np.array([(p.x_mm, p.z_mm) for p in places]).reshape(-1, 2)[number].T / 1000
    front = sides[number]
    floor = Frames(*floor_of(design).columns[:, rack])
    return _Sites(
        rack,
        np.where(front, floor.x_m + x_m, floor.x_m + (floor.width_m - x_m)),
        np.where(front, floor.y_m, floor.y_m + floor.depth_m),
        z_m,
    )


def route_lengths_m(design: Design, a_refs: Sequence[PortAt], b_refs: Sequence[PortAt]) -> Floats:
    """Lengths without slack of the routes between ports, pair by pair; as :func:`route_m` has them.

    0.4 million pairs take about two seconds, most of it for looking the ports up.
    """
    if not a_refs:
        return np.empty(0)
    a, b = _sites(design, a_refs), _sites(design, b_refs)
    columns = floor_of(design).columns
    at_a, at_b = Frames(*columns[:, a.rack]), Frames(*columns[:, b.rack])
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
    design: Design, a: _Sites, at_a: Frames, b: _Sites, at_b: Frames
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


def _over_tray_m(design: Design, a: _Sites, at_a: Frames, b: _Sites, at_b: Frames) -> Floats:
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
    columns = floor_of(design).columns
    at_a, at_b = Frames(*columns[:, a.rack]), Frames(*columns[:, b.rack])
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


class Runs(NamedTuple):
    """What cables run between: pairs of ports, and the number of the cable of each pair."""

    owner: NDArray[np.intp]
    a: list[PortAt]
    b: list[PortAt]


def runs_of(design: Design, cables: Iterable[Cable]) -> Runs:
    """The pairs of plugged ports that cables run between, cable by cable: see ``spans``."""
    parts = design.parts.values()
    plain = {p.id for p in parts if isinstance(p, CablePart) and p.connectors_per_side == 1}
    owner: list[int] = []
    a_refs: list[PortAt] = []
    b_refs: list[PortAt] = []
    for n, cable in enumerate(cables):
        ends = cable.ends
        if len(ends) == 2 and 0 == ends[0].end < ends[1].end and cable.part in plain:
            pairs = [ends]  # as spans would say, without asking
        else:
            pairs = spans(design, cable)
        for near, far in pairs:
            owner.append(n)
            a_refs.append((near.device, near.cage))
            b_refs.append((far.device, far.cage))
    return Runs(np.array(owner, dtype=np.intp), a_refs, b_refs)


def needed_lengths_m(
    design: Design, cables: Iterable[Cable] | None = None
) -> tuple[list[CableId], Floats]:
    """The length with slack that each cable needs; NaN where it joins nothing. All by default."""
    chosen = list(design.cables.values() if cables is None else cables)
    runs = runs_of(design, chosen)
    needed_m = np.full(len(chosen), np.nan)
    lengths_m = route_lengths_m(design, runs.a, runs.b) + 2 * design.settings.slack_m
    np.fmax.at(needed_m, runs.owner, lengths_m)
    return [cable.id for cable in chosen], needed_m
