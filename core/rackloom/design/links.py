# SPDX-License-Identifier: Apache-2.0
"""Links: the logical adjacencies that cables make. A cable is not a link; one may carry several.

Both ends of a cable are laid over its lanes. A port of one side and a port of the other make a
link when they cover the same share of the cable; where they do not, there is none (and a check
says so). Through panels the shares are followed pair by pair (``paths``); such a link is listed
under one of its cables, and names them all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rackloom.bulk import many_objects
from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.fit import FIBRE_CONNECTORS
from rackloom.catalog.parts import CablePart, PlugSpec, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.design.change import Change
from rackloom.design.entities import Cable, CableEnd, Device
from rackloom.design.hardware import cages_of, fixed_mode
from rackloom.design.ids import CableId, DeviceId, by_age
from rackloom.design.paths import is_structured, touched_paths, trace

if TYPE_CHECKING:
    from rackloom.design.value import Design

_WHOLE = 3840
"""A cable end in integer shares: divisible by 16 lanes in each of 8 branches, and more."""


@dataclass(frozen=True, slots=True)
class PortRef:
    """A logical port of a placed device: number ``index`` (from 0) of a cage in its mode."""

    device: DeviceId
    cage: str
    index: int


@dataclass(frozen=True, slots=True)
class Link:
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


@dataclass(frozen=True, slots=True)
class _Face:
    """A port as a cable end sees it: which share of the end it covers, and what it can run."""

    index: int
    start: int
    width: int
    rate_gbps: float
    lanes: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """What one device's cages hold and how they are split, for the cages that hold anything."""

    modules: Mapping[str, TransceiverPart]
    modes: Mapping[str, BreakoutMode]


def wiring(design: Design, device_id: DeviceId) -> Wiring:
    """Transceivers and breakout modes of a device's cages; remembered with the design."""
    known = design.wirings
    found = known.get(device_id)
    if found is None:
        found = known[device_id] = _wiring(design, device_id)
    return found


def _wiring(design: Design, device_id: DeviceId) -> Wiring:
    device = design.devices[device_id]
    modules: dict[str, TransceiverPart] = {}
    for module_id in design.index.modules_of_device.get(device_id, ()):
        module = design.modules[module_id]
        modules.setdefault(module.cage, design.part(module.part, TransceiverPart))
    lit: dict[str, int] = {}
    cages = cages_of(design, device)
    structured = device_id not in design.panels
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        cable = design.cables[cable_id]
        part = design.part(cable.part, CablePart)
        for end in cable.ends:
            if end.device != device_id:
                continue
            lanes = lit_lanes(part, end.end, modules.get(end.cage))
            if structured and is_structured(design, cable, part):
                lanes = _lanes_through(design, cable, end, modules.get(end.cage), lanes)
            elif lanes is None and part.branches > 1 and part.fibre is not None:
                lanes = _lanes_of_optics_inside(cages[end.cage], part, end.end)
            if lanes is not None:
                lit[end.cage] = min(lanes, lit.get(end.cage, lanes))
    modes = {name: mode_for(cages[name], lanes) for name, lanes in lit.items()}
    for name, _ in device.modes:
        if name in cages and (fixed := fixed_mode(device, cages[name])) is not None:
            modes[name] = fixed
    return Wiring(modules, modes)


def cage_mode(design: Design, device: Device, cage: Cage) -> BreakoutMode:
    """The breakout mode a cage is in: the fixed one, else the default, finer if the plug needs it.

    A 1:4 cable in a twin-port cage makes four ports of it without anyone configuring it.
    """
    return wiring(design, device.id).modes.get(cage.name, cage.default_mode)


@lru_cache(maxsize=8192)
def mode_for(cage: Cage, lanes: int) -> BreakoutMode:
    """The coarsest mode whose ports fit into ``lanes`` lanes; the default where it does."""
    default = cage.default_mode
    if default.lanes_per_port <= lanes:
        return default
    fine = [m for m in cage.modes if m.lanes_per_port <= lanes]
    return max(fine, key=lambda m: (m.lanes_per_port, m.rate_gbps)) if fine else default


def lit_lanes(part: CablePart, end: int, module: TransceiverPart | None) -> int | None:
    """Electrical lanes that one far end can light at this end of a cable.

    ``module`` is the transceiver a fibre ends in; None for a dark fibre, or where it is unknown.
    """
    if part.technology is not CableTechnology.FIBRE:
        return part.ends[end].lanes if end else _trunk_lanes(part)
    if module is None:
        return None
    lit, of = _share_lit(part, end, module)
    return max(module.lanes // module.sockets * lit // of, 1)


def _share_lit(part: CablePart, end: int, module: TransceiverPart) -> tuple[int, int]:
    """Which share of the fibres at a module's socket one far end lights, as a fraction.

    A branch of a splitter has fewer fibres than the trunk: it lights half of an SR4 behind a 1:2
    cord, and the whole of a DR1 behind a 1:4 harness.
    """
    carried = part.ends[end].lanes
    if end == 0 or carried is None:
        return 1, part.branches
    own = max(module.optical_lanes // module.sockets, 1)
    return min(carried, own), own


def _lanes_through(
    design: Design, cable: Cable, end: CableEnd, module: TransceiverPart | None, direct: int | None
) -> int | None:
    """Electrical lanes that one far end beyond the panels lights; ``direct``: where there is none.

    A cassette splits an MPO as a harness would.
    """
    if module is None or design.part(cable.part, CablePart).fibre is None:
        return direct
    own = _pairs_of(module)
    widths = [min(r.width, own - r.start) for r in trace(design, cable, end) if r.start < own]
    if not widths:
        return direct
    return max(module.lanes // module.sockets * min(widths) // own, 1)


def _lanes_of_optics_inside(cage: Cage, part: CablePart, end: int) -> int | None:
    """As ``lit_lanes``, for a cage with the optics inside."""
    if not _has_optics(cage):
        return None
    carried = part.ends[end].lanes
    return max(cage.lanes // part.branches, 1) if end == 0 or carried is None else carried


def _has_optics(cage: Cage) -> bool:
    """Whether fibre goes straight into the cage: co-packaged optics, no transceiver."""
    return cage.form_factor in FIBRE_CONNECTORS and not cage.passive


def _pairs_of(module: TransceiverPart) -> int:
    """Fibre pairs at one socket: one for each lane, or one for all wavelengths on a duplex."""
    if module.connector is FormFactor.LC_DUPLEX:
        return 1
    return max(module.optical_lanes // module.sockets, 1)


def _trunk_lanes(part: CablePart) -> int | None:
    lanes = part.ends[0].lanes
    return None if lanes is None else max(lanes // part.branches, 1)


def cable_links(design: Design, cable: Cable) -> tuple[Link, ...]:
    """The links listed under a cable, as its ends are plugged. Loose or dark ends carry none.

    Of a link through panels, the older of its two outer cables has it; see ``links_over``.
    """
    part = design.part(cable.part, CablePart)
    if is_structured(design, cable, part):
        return tuple(_followed_links(design, cable, part))
    trunk = next((end for end in cable.ends if end.end == 0), None)
    if trunk is None:
        return ()
    shape = _shape(design, cable, part, trunk)
    return tuple(
        Link(
            cable.id,
            PortRef(trunk.device, trunk.cage, near),
            PortRef(cable.ends[place].device, cable.ends[place].cage, far),
            rate_gbps,
            lanes,
        )
        for near, place, far, rate_gbps, lanes in shape
    )


LinkShape = tuple[tuple[int, int, int, float, int], ...]
"""Links of a cable, whatever devices it joins: port at the trunk, place in the cable's ends, port
there, rate in Gb/s, lanes."""


def _shape(design: Design, cable: Cable, part: CablePart, trunk: CableEnd) -> LinkShape:
    """What a cable carries; thousands of cables in equal cages are worked out once."""
    key: list[object] = [cable.part]
    for end in cable.ends:
        wires = wiring(design, end.device)
        cage = cages_of(design, design.devices[end.device])[end.cage]
        module = wires.modules.get(end.cage)
        mode = wires.modes.get(end.cage, cage.default_mode)
        key += (end.end, end.socket, cage, mode, module and module.id)
    shapes = design.link_shapes
    found = shapes.get(tuple(key))
    if found is None:
        found = shapes[tuple(key)] = tuple(_worked_out(design, cable, part, trunk))
    return found


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
                    _share_lit(part, end.end, module)
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
        pairs = _pairs_of(module)
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
    if module is None and end.socket == 0 and _has_optics(cage):
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


def module_in(design: Design, device_id: DeviceId, cage: str) -> TransceiverPart | None:
    """The transceiver in a cage, or None."""
    return wiring(design, device_id).modules.get(cage)


def port_name(design: Design, port: PortRef) -> str:
    """What a person calls a port of a device: ``12/2``, ``OSFP4P1``."""
    device = design.devices[port.device]
    cage = cages_of(design, device)[port.cage]
    return cage.port_name(cage_mode(design, device, cage), port.index)


def build_links(design: Design) -> dict[CableId, tuple[Link, ...]]:
    """The links of every cable; cables that carry none are left out."""
    with many_objects():
        return {
            cable_id: links
            for cable_id, cable in design.cables.items()
            if (links := cable_links(design, cable))
        }


def patched_links(
    links: Mapping[CableId, tuple[Link, ...]], after: Design, change: Change
) -> Mapping[CableId, tuple[Link, ...]]:
    """The links after a change, worked out again only for the cables it can have touched."""
    cables = dict.fromkeys(affected_cables(after, change))
    if not cables:
        return links
    new = dict(links)
    for cable_id in cables:
        cable = after.cables.get(cable_id)
        found = cable_links(after, cable) if cable is not None else ()
        if found:
            new[cable_id] = found
        else:
            new.pop(cable_id, None)
    return new


def rewired_devices(change: Change) -> set[DeviceId] | None:
    """Devices whose cages a change can have altered; None for all (a part was replaced)."""
    devices: set[DeviceId] = set()
    for record in change:
        before, after = record.before, record.after
        match record.table:
            case "cables":
                for cable in (before, after):
                    if cable is not None:
                        devices.update(end.device for end in cable.ends)
            case "modules":
                devices.update(m.device for m in (before, after) if m is not None)
            case "devices":
                if before is None or after is None or _rebuilt(before, after):
                    devices.add(DeviceId(record.id))
            case "parts" if before is not None:
                return None
    return devices


def _rebuilt(before: Device, after: Device) -> bool:
    return (before.part, before.cards, before.modes) != (after.part, after.cards, after.modes)


def affected_cables(after: Design, change: Change) -> Iterator[CableId]:
    """Cables whose links a change can have altered: touched themselves, or at a touched device.

    A cable that comes or goes can change the mode of its cages, and so its neighbours' links.
    Through panels, all cables of a path are affected by what happens to any of them.
    """
    devices = rewired_devices(change)
    for record in change.of("cables"):
        yield CableId(record.id)
    if devices is None:
        yield from after.cables
        return
    panels = after.panels
    for device_id in devices:
        if device_id not in panels:
            yield from after.index.cables_of_device.get(device_id, ())
    yield from touched_paths(after, change, devices).cables


def rewired_beyond(after: Design, change: Change) -> set[DeviceId] | None:
    """As ``rewired_devices``, with the devices at the far ends of paths through panels."""
    devices = rewired_devices(change)
    return devices if devices is None else devices | touched_paths(after, change, devices).devices


def links_over(design: Design, cable_id: CableId) -> tuple[Link, ...]:
    """All links that run over a cable: its own, and those of other cables that pass through it."""
    own = design.links.get(cable_id, ())
    passing = design.links_via.get(cable_id)
    if passing is None:
        return own
    return (*passing, *(link for link in own if not link.via))


def links_cut(design: Design, failed: Collection[str]) -> set[tuple[CableId, int]]:
    """Links through panels that are down when these cables and panels are.

    Each as the cable it is listed under and its number there. Links of one cable are not among
    them: they go with their cable.
    """
    cut: set[tuple[CableId, int]] = set()
    for cable_id, links in design.links_via.items():
        dead = cable_id in failed
        for link in links:
            if dead or _passes(design, link, failed):
                cut.add((link.cable, design.links[link.cable].index(link)))
    return cut


def _passes(design: Design, link: Link, failed: Collection[str]) -> bool:
    """Whether a link runs through one of some panels: from cable to cable there."""
    touched = [{end.device for end in design.cables[cable].ends} for cable in link.via]
    between = (a & b for a, b in pairwise(touched))
    return any(d in failed and d in design.panels for both in between for d in both)


def via_of(design: Design) -> dict[CableId, tuple[Link, ...]]:
    """Links by each cable of structured runs; ask ``links_over``."""
    if not design.panels:
        return {}
    return _with_links({}, (link for links in design.links.values() for link in links))


def patched_via(
    before: Design, after: Design, change: Change
) -> Mapping[CableId, tuple[Link, ...]]:
    """``via_of`` after a change, from what it was before."""
    if not after.panels and not before.links_via:
        return before.links_via
    touched = list(dict.fromkeys(affected_cables(after, change)))
    old = {link for c in touched for link in before.links.get(c, ()) if link.via}
    new = [link for c in touched for link in after.links.get(c, ())]
    kept = dict(before.links_via)
    for cable_id in {c for link in old for c in link.cables}:
        left = tuple(link for link in kept.pop(cable_id, ()) if link not in old)
        if left:
            kept[cable_id] = left
    return _with_links(kept, new)


def _with_links(
    via: dict[CableId, tuple[Link, ...]], links: Iterable[Link]
) -> dict[CableId, tuple[Link, ...]]:
    """Links through panels added to each of their cables, in one order whatever came first."""
    fresh: dict[CableId, list[Link]] = {}
    for link in links:
        if link.via:
            for cable_id in dict.fromkeys(link.via):
                fresh.setdefault(cable_id, []).append(link)
    for cable_id, found in fresh.items():
        both = [*via.get(cable_id, ()), *found]
        via[cable_id] = tuple(sorted(both, key=_by_place))
    return via


def _by_place(link: Link) -> tuple[object, ...]:
    return (*by_age(link.cable), link.a.device, link.a.cage, link.a.index)
