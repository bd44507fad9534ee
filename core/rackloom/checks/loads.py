# SPDX-License-Identifier: Apache-2.0
"""Who draws what from which PDU and feed, as drawn and with one feed lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart, DevicePart, PduPart, SwitchPart
from rackloom.checks.finding import called

if TYPE_CHECKING:
    from rackloom.checks.context import Context
    from rackloom.design.entities import Cord, Feed
    from rackloom.design.ids import DeviceId
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


def draw(context: Context, device_id: DeviceId) -> Draw:
    """Greatest draw of a device; for a switch with its transceivers and active cables."""
    view = context.view(device_id)
    part = view.part
    if not isinstance(part, SwitchPart):
        if part.power_max_w is not None:
            return Draw(part.power_max_w, False)
        return Draw(part.power_typical_w or 0.0, True)
    plugs_w, unknown = 0.0, False
    for state in view.states.values():
        if state.module is not None:
            powers = [state.module.power_max_w]
        else:
            powers = [
                context.design.part(context.design.cables[c].part, CablePart).ends[e.end].power_w
                for c, e in state.plugs
            ]
            powers = [p for p in powers if p is not None]  # passive cables draw nothing
        plugs_w += sum(p for p in powers if p is not None)
        unknown |= None in powers
    if part.power_max_w is not None:
        return Draw(part.power_max_w + plugs_w, unknown)
    if part.power_max_with_optics_w is not None:
        return Draw(part.power_max_with_optics_w, False)
    return Draw((part.power_typical_w or 0.0) + plugs_w, True)


def needs_power(part: DevicePart) -> bool:
    """Whether a device is one that power has to be brought to, as far as we know."""
    if isinstance(part, PduPart):
        return False
    return part.psu is not None or part.power_max_w is not None or part.power_typical_w is not None


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


def group_of(design: Design, source: str) -> str:
    """Feed group (``A``, ``B``) that a PDU or feed hangs on.

    A PDU without a feed is a group of its own: nobody said that it fails with another one.
    """
    feed = design.feeds.get(source)  # type: ignore[call-overload]
    if feed is not None:
        return str(feed.group)
    for cord_id in design.index.cords_of_device.get(source, ()):  # type: ignore[call-overload]
        feed = design.feeds.get(design.cords[cord_id].source)  # type: ignore[call-overload]
        if feed is not None:
            return str(feed.group)
    return source


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


def load_on(context: Context, source: str, lost: str | None = None) -> Load:
    """What a PDU or feed carries when every device shares its draw evenly over its live cords.

    With ``lost``, the feeds of that group are dead and the other cords take their share.
    """
    design = context.design
    if lost is not None and group_of(design, source) == lost:
        return Load(0.0, 0)
    watts, unknown = 0.0, 0
    for device in devices_on(design, source):
        if isinstance(design.parts[design.devices[device].part], PduPart):
            if source in design.feeds:  # a PDU behind a PDU carries nothing we could know
                below = load_on(context, device, lost)
                watts, unknown = watts + below.watts, unknown + below.unknown
            continue
        cords = cords_of(design, device)
        live = [c for c in cords if lost is None or group_of(design, c.source) != lost]
        drawn = draw(context, device)
        watts += drawn.watts * sum(c.source == source for c in live) / len(live)
        unknown += drawn.unknown
    return Load(watts, unknown)


def other_groups(design: Design, source: str) -> list[str]:
    """Feed groups that the devices on a PDU or feed also hang on."""
    mine = group_of(design, source)
    found: set[str] = set()
    for device in devices_on(design, source):
        if isinstance(design.parts[design.devices[device].part], PduPart):
            if source in design.feeds:
                found |= set(other_groups(design, device))
        else:
            found |= {group_of(design, c.source) for c in cords_of(design, device)}
    return sorted(found - {mine})


def group_words(design: Design, group: str) -> str:
    """``feed A``, or the PDU that has no feed."""
    if group in design.devices:
        return called(group)
    return f"feed {group}"
