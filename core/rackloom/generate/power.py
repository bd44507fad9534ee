# SPDX-License-Identifier: Apache-2.0
"""PDUs and cords of a generated rack: what a pair carries, and which outlets devices get."""

from __future__ import annotations

from dataclasses import dataclass, field

from rackloom.catalog.parts import DevicePart, PduPart, SwitchPart
from rackloom.catalog.words import Inlet
from rackloom.design.ids import DeviceId, RackId
from rackloom.generate.builder import Builder
from rackloom.placement.loads import pdu_usable_w

FITS: dict[Inlet, frozenset[str]] = {
    Inlet.C14: frozenset({"C13", "C13/C19"}),
    Inlet.C20: frozenset({"C19", "C13/C19"}),
}
"""Which outlets take the cord of an inlet: a C13 gives 10 A and cannot feed a C20."""

PAIR_MOUNTS = (("left-1", "right-1"), ("left-2", "right-2"))
"""Where the A and B PDU of the first and of the second pair hang."""


def draw_w(part: DevicePart) -> float | None:
    """Greatest known draw of a device: a switch with its optics, where that is published."""
    if isinstance(part, SwitchPart) and part.power_max_with_optics_w is not None:
        return part.power_max_with_optics_w
    return part.power_max_w


def outlets_for(pdu: PduPart, inlet: Inlet) -> list[str]:
    """Outlets that take this inlet's cord, turn by turn over the legs so that they load evenly."""
    fits = FITS.get(inlet, frozenset())
    by_leg: dict[str | None, list[str]] = {}
    for name, group in pdu.outlet_names:
        if group.kind in fits:
            by_leg.setdefault(group.leg, []).append(name)
    longest = max((len(names) for names in by_leg.values()), default=0)
    return [names[i] for i in range(longest) for names in by_leg.values() if i < len(names)]


def devices_per_pair(pdu: PduPart, part: DevicePart, derating: float) -> int:
    """How many such devices an A/B pair carries: either PDU alone must bear them all."""
    watts = draw_w(part)
    by_power = int(pdu_usable_w(pdu, derating) // watts) if watts else 10**6
    if part.psu is None or part.psu.inlet is None:
        return by_power
    cords_per_side = (part.psu.count + 1) // 2
    by_outlets = len(outlets_for(pdu, part.psu.inlet)) // cords_per_side
    return min(by_power, by_outlets)


@dataclass(slots=True)
class Pair:
    """An A and a B PDU in a rack, and which of their outlets are taken."""

    a: DeviceId
    b: DeviceId
    part: PduPart
    outlets: dict[Inlet, list[str]]
    taken_a: set[str] = field(default_factory=set)
    taken_b: set[str] = field(default_factory=set)

    def take(self, on_a: bool, inlet: Inlet) -> str | None:
        """The next free outlet of one PDU that takes this inlet's cord."""
        taken = self.taken_a if on_a else self.taken_b
        if inlet not in self.outlets:
            self.outlets[inlet] = outlets_for(self.part, inlet)
        free = next((name for name in self.outlets[inlet] if name not in taken), None)
        if free is not None:
            taken.add(free)
        return free


def hang_pair(
    builder: Builder,
    pdu: PduPart,
    rack: tuple[RackId, str],
    number: int,
    outlets: dict[Inlet, list[str]],
) -> Pair:
    """Hang pair ``number`` (0 or 1) of PDUs in a (rack, its name), each on a feed of its own.

    ``outlets`` is a memo of ``outlets_for`` this PDU, shared by all pairs of the design.
    """
    ids = []
    for group, mount in zip("AB", PAIR_MOUNTS[number], strict=True):
        name = f"{rack[1]}-{group}{number + 1}"
        device = builder.device(pdu, rack[0], None, name, mount=mount)
        if pdu.current_a is not None:
            feed = builder.feed(f"Feed {name}", group, pdu.voltage_v, pdu.current_a, pdu.phases)
            builder.cord(device, 1, feed)
        ids.append(device)
    return Pair(ids[0], ids[1], pdu, outlets)


def plug_in(builder: Builder, pair: Pair, device: DeviceId, part: DevicePart) -> int:
    """Cords from a device's supplies to a pair, A and B by turns; returns how many found none.

    A device whose inlets are unknown gets no cords: which outlet it needs is unknown too.
    """
    if part.psu is None:
        return 0
    if part.psu.inlet is None:
        return part.psu.count
    left_over = 0
    for number in range(part.psu.count):
        on_a = number % 2 == 0
        outlet = pair.take(on_a, part.psu.inlet)
        if outlet is None:
            left_over += 1
        else:
            builder.cord(device, number + 1, pair.a if on_a else pair.b, outlet)
    return left_over
