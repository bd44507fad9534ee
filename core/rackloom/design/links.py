# SPDX-License-Identifier: Apache-2.0
"""Links: the logical adjacencies that cables make. A cable is not a link; one may carry several.

Both ends of a cable are laid over its lanes. A port of one side and a port of the other make a
link when they cover the same share of the cable; where they do not, there is none (and a check
says so). Through panels the shares are followed pair by pair (``paths``); such a link is listed
under one of its cables, and names them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rackloom.bulk import many_objects
from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import CablePart, PlugSpec
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId, by_age
from rackloom.design.paths import is_structured, trace
from rackloom.design.splitting import has_optics, pairs_of, share_lit
from rackloom.design.wiring import LinkShape, cage_mode, module_in, plugged_as, wire_all

if TYPE_CHECKING:
    from rackloom.design.value import Design

_WHOLE = 3840
"""A cable end in integer shares: divisible by 16 lanes in each of 8 branches, and more."""


class PortRef(NamedTuple):
    """A logical port of a placed device: number ``index`` (from 0) of a cage in its mode."""

    device: DeviceId
    cage: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks a port for


class Link(NamedTuple):
    """Two ports that see each other; ``a`` is at the trunk end of ``cable``.

    Through panels, ``cable`` is the older of the two cables at the ends, and ``a`` the port at it.
    """

    cable: CableId
    a: PortRef
    b: PortRef
    rate_gbps: float
    lanes: int
    via: tuple[CableId, ...] = ()
    """All cables a link through panels runs through, from ``a`` to ``b``; empty for one cable."""

    @property
    def cables(self) -> tuple[CableId, ...]:
        """The cables it runs through: it is down when one of them is."""
        return self.via or (self.cable,)


class _Face(NamedTuple):
    """A port as a cable end sees it: which share of the end it covers, and what it can run."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks a port for
    start: int
    width: int
    rate_gbps: float
    lanes: int


def cable_links(design: Design, cable: Cable) -> tuple[Link, ...]:
    """The links listed under a cable, as its ends are plugged. Loose or dark ends carry none.

    Of a link through panels, the older of its two outer cables has it; see ``links_over``.
    """
    ends = cable.ends
    shapes = design.wiring_memo.shapes
    plugged = (cable.part, *plugged_as(design, ends))
    if plugged not in shapes:
        shapes[plugged] = _shape(design, cable)
    shape = shapes[plugged]
    if shape is None:
        return tuple(_followed_links(design, cable, design.part(cable.part, CablePart)))
    return tuple(
        [
            Link(
                cable.id,
                PortRef(ends[trunk].device, ends[trunk].cage, near),
                PortRef(ends[branch].device, ends[branch].cage, far),
                rate_gbps,
                lanes,
            )
            for trunk, near, branch, far, rate_gbps, lanes in shape
        ]
    )


def _shape(design: Design, cable: Cable) -> LinkShape | None:
    """What a cable carries, like all others plugged alike; None where its fibres lead further."""
    part = design.part(cable.part, CablePart)
    if is_structured(design, cable, part):
        return None
    trunk = next((place for place, end in enumerate(cable.ends) if end.end == 0), None)
    if trunk is None:
        return ()
    return tuple((trunk, *link) for link in _worked_out(design, cable, part, cable.ends[trunk]))


def _worked_out(
    design: Design, cable: Cable, part: CablePart, trunk: CableEnd
) -> Iterator[tuple[int, int, int, float, int]]:
    near = {(face.start, face.width): face for face in _faces(design, part, trunk)}
    branch = _WHOLE // part.branches
    for place, end in enumerate(cable.ends):
        if end.end == 0:
            continue
        for far in _faces(design, part, end):
            lit = _WHOLE
            module = module_in(design, end.device, end.cage)
            if part.technology is CableTechnology.FIBRE:
                share, of = (
                    share_lit(part, end.end, module)
                    if module is not None
                    else _share_of_optics_inside(design, part, end)
                )
                lit = _WHOLE * share // of
            if far.start + far.width > lit:
                continue
            start = (end.end - 1) * branch + far.start * branch // lit
            face = near.get((start, far.width * branch // lit))
            if face is not None:
                rate_gbps = min(face.rate_gbps, far.rate_gbps)
                yield face.index, place, far.index, rate_gbps, min(face.lanes, far.lanes)


def _share_of_optics_inside(design: Design, part: CablePart, end: CableEnd) -> tuple[int, int]:
    lanes = cages_of(design, design.devices[end.device])[end.cage].lanes
    carried = part.ends[end.end].lanes
    return (min(carried, lanes), lanes) if carried is not None else (1, part.branches)


def _followed_links(design: Design, cable: Cable, part: CablePart) -> Iterator[Link]:
    """Links of a cable whose fibres go on through panels, or that is a trunk of many."""
    for end in sorted(cable.ends, key=lambda e: e.end):
        if end.device in design.panels:
            continue
        near = _spans(design, part, end)
        if not near:
            continue
        for reach in trace(design, cable, end):
            last = reach.hops[-1]
            if (by_age(cable.id), end.end) >= (by_age(last.cable), last.out):
                continue  # listed from the other side
            far_part = design.part(design.cables[last.cable].part, CablePart)
            far = {(s, width): face for s, width, face in _spans(design, far_part, reach.end)}
            for start, width, face in near:
                low = start - reach.start * _WHOLE
                if low < 0 or low + width > reach.width * _WHOLE:
                    continue
                other = far.get((low + reach.far * _WHOLE, width))
                if other is not None:
                    yield Link(
                        cable.id,
                        PortRef(end.device, end.cage, face.index),
                        PortRef(reach.end.device, reach.end.cage, other.index),
                        min(face.rate_gbps, other.rate_gbps),
                        min(face.lanes, other.lanes),
                        reach.cables if len(reach.hops) > 1 else (),
                    )


def _spans(design: Design, part: CablePart, end: CableEnd) -> list[tuple[int, int, _Face]]:
    """The ports at a plugged end, as first place and width along the pairs of its connector."""
    pairs = 1
    module = module_in(design, end.device, end.cage)
    cage = cages_of(design, design.devices[end.device])[end.cage]
    if part.fibre is None:
        pairs = part.ends[end.end].lanes or cage.lanes
    elif module is not None:
        pairs = pairs_of(module)
    elif cage.form_factor is not FormFactor.LC_DUPLEX:
        pairs = cage.lanes
    return [(f.start * pairs, f.width * pairs, f) for f in _faces(design, part, end)]


def _faces(design: Design, part: CablePart, end: CableEnd) -> tuple[_Face, ...]:
    device = design.devices[end.device]
    cage = cages_of(design, device)[end.cage]
    mode = cage_mode(design, device, cage)
    if part.technology is not CableTechnology.FIBRE:
        spec = part.ends[end.end]
        return _direct(cage, mode, spec.lanes or cage.lanes, _lane_gbps(spec, part))
    module = module_in(design, end.device, end.cage)
    if module is None and end.socket == 0 and has_optics(cage):
        return _direct(cage, mode, cage.lanes, None)
    if module is None or end.socket >= module.sockets:
        return ()
    shape = (module.lanes, module.lane_gbps, module.optical_lanes, module.optical_lane_gbps)
    return _optical(cage, mode, end.socket, module.sockets, *shape)


def _lane_gbps(spec: PlugSpec, part: CablePart) -> float | None:
    """Lane rate at one end; a gearbox cable has another one at each end."""
    if part.lane_gbps is not None or not spec.rate_gbps or not spec.lanes:
        return part.lane_gbps
    return spec.rate_gbps / spec.lanes


def _port_lane_gbps(mode: BreakoutMode, plug_lane_gbps: float | None) -> float:
    full = mode.rate_gbps / mode.lanes_per_port
    return full if plug_lane_gbps is None else min(full, plug_lane_gbps)


@lru_cache(maxsize=16384)
def _direct(
    cage: Cage, mode: BreakoutMode, lanes: int, lane_gbps: float | None
) -> tuple[_Face, ...]:
    per_port = mode.lanes_per_port
    share = _WHOLE // lanes
    rate_gbps = _port_lane_gbps(mode, lane_gbps) * per_port
    return tuple(
        _Face(i, i * per_port * share, per_port * share, rate_gbps, per_port)
        for i in range(mode.ports)
        if (i + 1) * per_port <= min(lanes, cage.lanes)
    )


@lru_cache(maxsize=16384)
def _optical(
    cage: Cage,
    mode: BreakoutMode,
    socket: int,
    sockets: int,
    lanes: int,
    lane_gbps: float,
    optical_lanes: int,
    optical_lane_gbps: float,
) -> tuple[_Face, ...]:
    """Ports behind one fibre socket. A gearbox optic has fewer, faster lanes on the line side."""
    del cage
    share = _WHOLE * sockets // lanes
    line_gbps = optical_lanes * optical_lane_gbps / lanes  # per host lane
    rate_gbps = min(_port_lane_gbps(mode, lane_gbps), line_gbps) * mode.lanes_per_port
    faces = []
    for i in range(mode.ports):
        start = i * mode.lanes_per_port * share - socket * _WHOLE
        width = mode.lanes_per_port * share
        if start >= 0 and start + width <= _WHOLE:
            faces.append(_Face(i, start, width, rate_gbps, mode.lanes_per_port))
    return tuple(faces)


def port_name(design: Design, port: PortRef) -> str:
    """What a person calls a port of a device: ``12/2``, ``OSFP4P1``."""
    device = design.devices[port.device]
    cage = cages_of(design, device)[port.cage]
    return cage.port_name(cage_mode(design, device, cage), port.index)


def build_links(design: Design) -> dict[CableId, tuple[Link, ...]]:
    """The links of every cable; cables that carry none are left out."""
    with many_objects():
        wire_all(design)
        return {
            cable_id: links
            for cable_id, cable in design.cables.items()
            if (links := cable_links(design, cable))
        }
