# SPDX-License-Identifier: Apache-2.0
"""Who draws what from which PDU and feed, as drawn and with one feed lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, PduPart, SwitchPart
from rackloom.catalog.words import Inlet
from rackloom.checks.finding import called
from rackloom.design.ids import DeviceId, FeedId

if TYPE_CHECKING:
    from rackloom.checks.context import Context
    from rackloom.design.entities import Cord, Feed
    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Draw:
    """Greatest power of a device. ``watts`` leaves out what is unknown."""

    watts: float
    unknown: bool
    """Nobody published a figure, or only one that leaves something out."""


@dataclass(frozen=True, slots=True)
class Load:
    """What hangs on a PDU or feed."""

    watts: float
    unknown: int
    """Devices whose draw is not, or not wholly, in the sum."""

    @property
    def kw(self) -> float:
        """Kilowatts."""
        return self.watts / 1000

    @property
    def caveat(self) -> str:
        """What to add to a sentence about the sum."""
        if not self.unknown:
            return ""
        return f" (draw of {self.unknown} device{'s' * (self.unknown > 1)} unknown, not counted)"


def needs_power(part: DevicePart) -> bool:
    """Whether a device is one that power has to be brought to, as far as we know."""
    if isinstance(part, PduPart) or on_busbar(part):
        return False
    return part.psu is not None or part.power_max_w is not None or part.power_typical_w is not None


def on_busbar(part: DevicePart) -> bool:
    """Whether a device is fed by the busbar of its rack, or wired in by an electrician."""
    return part.psu is not None and part.psu.inlet in {Inlet.BUSBAR, Inlet.HARDWIRED}


def pdu_usable_w(part: PduPart, derating: float) -> float:
    """What a PDU may carry for good: its rating, or its breaker's with the derating, if less.

    Ratings of North American PDUs have the 80 % of the NEC in them, IEC ones have not.
    """
    rated_w = part.rated_kw * 1000
    if part.current_a is None:
        return rated_w
    return min(rated_w, circuit_w(part.voltage_v, part.current_a, part.phases) * derating)


def circuit_w(voltage_v: float, current_a: float, phases: int) -> float:
    """Power of a circuit at unity power factor; three-phase voltages are line to line."""
    return voltage_v * current_a * (sqrt(3) if phases == 3 else 1.0)


def feed_usable_w(feed: Feed, derating: float) -> float:
    """What a feed may carry for good."""
    return circuit_w(feed.voltage_v, feed.current_a, feed.phases) * derating


def cords_of(design: Design, device_id: DeviceId) -> list[Cord]:
    """The power cords at a device's inlets."""
    return [design.cords[c] for c in design.index.cords_of_device.get(device_id, ())]


def devices_on(design: Design, source: str) -> Iterator[DeviceId]:
    """Devices with a cord to a PDU or feed, each once."""
    seen: set[str] = set()
    for cord_id in design.index.cords_from_source.get(source, ()):
        device = design.cords[cord_id].device
        if device not in seen:
            seen.add(device)
            yield device


def pdus_in(design: Design, rack_id: str) -> list[DeviceId]:
    """The PDUs of a rack."""
    return [
        d
        for d in design.index.devices_in_rack.get(rack_id, ())  # type: ignore[call-overload]
        if isinstance(design.parts[design.devices[d].part], PduPart)
    ]


class Loads:
    """Draws and loads of a design, each worked out once a run."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._design = context.design
        self._draws: dict[DeviceId, Draw] = {}
        self._groups: dict[str, str] = {}
        self._loads: dict[tuple[str, str | None], Load] = {}

    def draw(self, device_id: DeviceId) -> Draw:
        """Greatest draw of a device; for a switch with its transceivers and active cables."""
        found = self._draws.get(device_id)
        if found is None:
            found = self._draws[device_id] = self._work_out(device_id)
        return found

    def _work_out(self, device_id: DeviceId) -> Draw:
        part = self._design.parts[self._design.devices[device_id].part]
        if not isinstance(part, SwitchPart):
            assert isinstance(part, DevicePart)
            if part.power_max_w is not None:
                return Draw(part.power_max_w, False)
            return Draw(part.power_typical_w or 0.0, True)
        if part.power_max_w is None and part.power_max_with_optics_w is not None:
            return Draw(part.power_max_with_optics_w, False)
        kinds = [state.kind for state in self._context.view(device_id).states.values()]
        plugs_w = sum(kind.plug_w for kind in kinds)
        if part.power_max_w is not None:
            return Draw(part.power_max_w + plugs_w, any(kind.plug_w_unknown for kind in kinds))
        return Draw((part.power_typical_w or 0.0) + plugs_w, True)

    def group_of(self, source: str) -> str:
        """Feed group (``A``, ``B``) that a PDU or feed hangs on.

        A PDU without a feed is a group of its own: nobody said that it fails with another one.
        """
        found = self._groups.get(source)
        if found is None:
            found = self._groups[source] = self._find_group(source)
        return found

    def _find_group(self, source: str) -> str:
        design = self._design
        feed = design.feeds.get(FeedId(source))
        if feed is not None:
            return feed.group
        for cord_id in design.index.cords_of_device.get(DeviceId(source), ()):
            feed = design.feeds.get(FeedId(design.cords[cord_id].source))
            if feed is not None:
                return feed.group
        return source

    def on(self, source: str, lost: str | None = None) -> Load:
        """What a PDU or feed carries when every device shares its draw evenly over its live cords.

        With ``lost``, the feeds of that group are dead and the other cords take their share.
        """
        found = self._loads.get((source, lost))
        if found is None:
            found = self._loads[source, lost] = self._sum(source, lost)
        return found

    def _sum(self, source: str, lost: str | None) -> Load:
        design = self._design
        if lost is not None and self.group_of(source) == lost:
            return Load(0.0, 0)
        watts, unknown = 0.0, 0
        for device in devices_on(design, source):
            if isinstance(design.parts[design.devices[device].part], PduPart):
                if source in design.feeds:  # a PDU behind a PDU carries nothing we could know
                    below = self.on(device, lost)
                    watts, unknown = watts + below.watts, unknown + below.unknown
                continue
            here = live = 0
            for cord in cords_of(design, device):
                if lost is None or self.group_of(cord.source) != lost:
                    live += 1
                    here += cord.source == source
            drawn = self.draw(device)
            watts += drawn.watts * here / live
            unknown += drawn.unknown
        return Load(watts, unknown)

    def other_groups(self, source: str) -> list[str]:
        """Feed groups that the devices on a PDU or feed also hang on."""
        design = self._design
        found: set[str] = set()
        for device in devices_on(design, source):
            if isinstance(design.parts[design.devices[device].part], PduPart):
                if source in design.feeds:
                    found.update(self.other_groups(device))
            else:
                found |= {self.group_of(c.source) for c in cords_of(design, device)}
        return sorted(found - {self.group_of(source)})

    def group_words(self, group: str) -> str:
        """``feed A``, or the PDU that has no feed."""
        return called(group) if group in self._design.devices else f"feed {group}"
