# SPDX-License-Identifier: Apache-2.0
"""Structured cabling: where the fibres at one end come out, through panels and trunks.

A place along a cable is a pair of fibres, counted from 0 at each connector: a parallel optic of
four lanes lights pairs 0 to 3 of its MPO, a duplex optic pair 0 of its LC. Cables and panels only
shift the count: branch 2 of a 1:2 splitter begins with pair 2 of its trunk, LC port 5 of a cassette
is pair 4 of the MPO behind it. So following a fibre is following an interval of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rackloom.catalog.parts import CablePart
from rackloom.catalog.site_parts import PanelPart, Passage
from rackloom.design.change import Change
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.ids import CableId, DeviceId

if TYPE_CHECKING:
    from rackloom.design.value import Design

MAX_CABLES = 16
"""Longer runs are not followed: eight panels are four times what any budget of loss allows."""
ALL_PAIRS = 1 << 16
"""Width of an interval that nothing has narrowed yet."""

Patching = Mapping[str, tuple[CableId, int]]
"""What is plugged into each port of a panel: the cable, and which end of it."""


class Hop(NamedTuple):
    """A cable on a path, with the end the path enters it at and the end it leaves it at."""

    cable: CableId
    into: int
    out: int


class Pass(NamedTuple):
    """A panel on a path, with the port it comes to and the one it goes on from."""

    panel: DeviceId
    into: str
    out: str
    loss_db: float | None
    """Greatest loss of the pass; None where the part does not say."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A run of pairs of one plugged end, and the far end where they all come out."""

    start: int
    """First pair at the near connector."""
    width: int
    """Number of pairs; ALL_PAIRS where nothing on the way narrows them."""
    far: int
    """First pair at the far connector."""
    end: CableEnd
    """The far end; its device is no panel."""
    hops: tuple[Hop, ...]
    passes: tuple[Pass, ...]

    @property
    def cables(self) -> tuple[CableId, ...]:
        """The cables on the way, in order."""
        return tuple(hop.cable for hop in self.hops)

    def length_m(self, design: Design) -> float:
        """Ordered lengths of all cables on the way, added up."""
        return sum(design.cables[hop.cable].length_m for hop in self.hops)

    @property
    def pass_loss_db(self) -> tuple[float, int]:
        """Loss of the panels on the way: the sum of what is known, and how many do not say."""
        known = [step.loss_db for step in self.passes if step.loss_db is not None]
        return sum(known), len(self.passes) - len(known)


def panels_of(design: Design) -> frozenset[DeviceId]:
    """The devices that are panels. Ask ``design.panels``, which remembers them."""
    parts = {part.id for part in design.parts.values() if isinstance(part, PanelPart)}
    if not parts:
        return frozenset()
    return frozenset(device.id for device in design.devices.values() if device.part in parts)


def patching(design: Design, panel: DeviceId) -> Patching:
    """What is plugged into a panel's ports; remembered with the design."""
    known = design.patchings
    found = known.get(panel)
    if found is None:
        found = known[panel] = {
            end.cage: (cable_id, end.end)
            for cable_id in design.index.cables_of_device.get(panel, ())
            for end in design.cables[cable_id].ends
            if end.device == panel
        }
    return found


def passages(design: Design, panel: DeviceId, cage: str) -> tuple[Passage, ...]:
    """Where the fibres of a panel's port go on; empty for a device that is no panel."""
    part = design.parts[design.devices[panel].part]
    return part.passages.get(cage, ()) if isinstance(part, PanelPart) else ()


def is_structured(design: Design, cable: Cable, part: CablePart) -> bool:
    """Whether a cable's links have to be followed: it ends in a panel, or is a trunk of many."""
    if part.connectors_per_side > 1:
        return True
    panels = design.panels
    return bool(panels) and any(end.device in panels for end in cable.ends)


def trace(design: Design, cable: Cable, end: CableEnd) -> tuple[Reach, ...]:
    """Where the fibres of a cable's plugged end come out, through all panels on the way.

    ``end`` is plugged into a device that is no panel. Fibres that end loose, in an empty port, or
    run in a circle come out nowhere.
    """
    found: list[Reach] = []
    start = _Light(0, ALL_PAIRS, 0)
    _follow(design, cable, end.end, start, (), (), {(end.device, end.cage)}, found)
    return tuple(found)


class _Light(NamedTuple):
    """An interval of pairs: where it began, how wide it still is, where it is now."""

    start: int
    width: int
    at: int

    def through(self, near: int, far: int, width: int) -> _Light | None:
        """What of it passes a window of pairs from ``near`` on, which comes out at ``far``."""
        low = max(self.at, near)
        high = min(self.at + self.width, near + width)
        if high <= low:
            return None
        return _Light(self.start + low - self.at, high - low, far + low - near)


def _follow(
    design: Design,
    cable: Cable,
    into: int,
    light: _Light,
    hops: tuple[Hop, ...],
    passes: tuple[Pass, ...],
    seen: set[tuple[DeviceId, str]],
    found: list[Reach],
) -> None:
    """Through one cable, from its end ``into``, and on from wherever it leads."""
    if len(hops) >= MAX_CABLES:
        return
    part = design.part(cable.part, CablePart)
    for end in cable.ends:
        if end.end not in part.far_ends(into):
            continue
        there = light.through(*_window(part, into, end.end))
        if there is None:
            continue
        way = (*hops, Hop(cable.id, into, end.end))
        if end.device not in design.panels:
            found.append(Reach(there.start, there.width, there.at, end, way, passes))
            continue
        plugged = patching(design, end.device)
        for step in passages(design, end.device, end.cage):
            on = plugged.get(step.cage)
            beyond = there.through(step.near, step.far, step.width or ALL_PAIRS)
            place = (end.device, step.cage)
            if on is None or beyond is None or place in seen:
                continue
            gone = (*passes, Pass(end.device, end.cage, step.cage, step.loss_db))
            _follow(design, design.cables[on[0]], on[1], beyond, way, gone, {*seen, place}, found)


def _window(part: CablePart, into: int, out: int) -> tuple[int, int, int]:
    """Which pairs run from one end of a cable to another: first here, first there, how many."""
    if part.branches == 1:
        return 0, 0, ALL_PAIRS
    branch = max(into, out)
    first = sum(_pairs(part, other) for other in range(1, branch))
    return (first, 0, _pairs(part, branch)) if into == 0 else (0, first, _pairs(part, branch))


def _pairs(part: CablePart, branch: int) -> int:
    """Pairs of one branch of a splitter; where the part does not say, an equal share."""
    lanes = part.ends[branch].lanes
    if lanes is not None:
        return lanes
    fibres = part.fibre.fibres if part.fibre is not None else 2 * part.branches
    return max(fibres // 2 // part.branches, 1)


# What an edit can have altered.


@dataclass(frozen=True, slots=True)
class Touched:
    """Cables and devices that hang on a path through a panel which a change can have altered."""

    cables: frozenset[CableId]
    devices: frozenset[DeviceId]


_NOTHING = Touched(frozenset(), frozenset())


def touched_paths(after: Design, change: Change, devices: Iterable[DeviceId]) -> Touched:
    """What lies on the same fibres as what changed, beyond the panels.

    ``devices`` are those whose cages the change altered. All paths are walked in the design after
    the change: what is left of a path that was cut begins at a port the cut cable was in.
    """
    if not after.panels:
        return _NOTHING
    first = _Walk(after)
    replaced = {record.id for record in change.of("devices")}
    for device_id in devices:
        if device_id not in after.panels or device_id in replaced:
            first.all_of(device_id)
    for record in change.of("cables"):
        if record.before is not None:
            for end in record.before.ends:
                first.port(end.device, end.cage)
        if record.after is not None:
            first.cable(record.after)
    # The mode of a cage follows all its fibres, so its other fibres may carry other links now.
    beside = _Walk(after)
    for device_id in {device for device, _ in first.cages}:
        for cable_id in after.index.cables_of_device.get(device_id, ()):
            cable = after.cables[cable_id]
            if any((end.device, end.cage) in first.cages for end in cable.ends):
                beside.cable(cable)
                beside.cables.add(cable_id)
    cables = first.cables | beside.cables
    return Touched(frozenset(cables), frozenset(device for device, _ in first.cages))


class _Walk:
    """Collects the cables along paths, and the cages of other devices that they end in."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.cables: set[CableId] = set()
        self.cages: set[tuple[DeviceId, str]] = set()
        self._left: set[tuple[CableId, int]] = set()

    def all_of(self, device_id: DeviceId) -> None:
        """All paths of a device's cables that go through panels."""
        for cable_id in self.design.index.cables_of_device.get(device_id, ()):
            self.cable(self.design.cables[cable_id])

    def cable(self, cable: Cable) -> None:
        """All paths through a cable, if it is part of a structured run."""
        if not is_structured(self.design, cable, self.design.part(cable.part, CablePart)):
            return
        self.cables.add(cable.id)
        self._leave((cable, end) for end in cable.ends)

    def port(self, device_id: DeviceId, cage: str) -> None:
        """What a port of a panel leads to, with nothing plugged into it now."""
        if device_id in self.design.panels:
            self._leave(self._behind(device_id, cage))

    def _leave(self, ends: Iterable[tuple[Cable, CableEnd]]) -> None:
        """Go on from ends that paths come out at."""
        pending = list(ends)
        while pending:
            cable, end = pending.pop()
            if (cable.id, end.end) in self._left:
                continue
            self._left.add((cable.id, end.end))
            if end.device in self.design.panels:
                pending += self._behind(end.device, end.cage)
            else:
                self.cages.add((end.device, end.cage))

    def _behind(self, panel: DeviceId, cage: str) -> Iterator[tuple[Cable, CableEnd]]:
        """Cables at the ports that a port leads to, each with the far ends it leads on to."""
        plugged = patching(self.design, panel)
        for step in passages(self.design, panel, cage):
            if step.cage not in plugged:
                continue
            cable_id, into = plugged[step.cage]
            cable = self.design.cables[cable_id]
            self.cables.add(cable_id)
            far = self.design.part(cable.part, CablePart).far_ends(into)
            for end in cable.ends:
                if end.end in far:
                    yield cable, end
