# SPDX-License-Identifier: Apache-2.0
"""PDUs and cords of a generated rack: what a pair carries, and cords to it."""

from __future__ import annotations

from dataclasses import dataclass

from rackloom.catalog.parts import DevicePart, PduPart, SwitchPart
from rackloom.design.ids import DeviceId, RackId
from rackloom.generate.builder import Builder
from rackloom.placement.joins import Joiner, kind_of
from rackloom.placement.loads import pdu_usable_w
from rackloom.placement.outlets import Strip, fitting_outlets, take_outlet, watts_per_inlet

PAIR_MOUNTS = (("left-1", "right-1"), ("left-2", "right-2"))
"""Where the A and B PDU of the first and of the second pair hang."""


HALL_M = 500.0
"""What optics inside a hall reach at most: DR, not FR or LR."""


def draw_w(part: DevicePart) -> float | None:
    """Greatest known draw of a device: a switch with its optics, where that is published.

    Where only a typical draw is, that: better than to count with nothing.
    """
    if isinstance(part, SwitchPart) and part.power_max_with_optics_w is not None:
        return part.power_max_with_optics_w
    return part.power_typical_w if part.power_max_w is None else part.power_max_w


def loaded_w(part: SwitchPart, joiner: Joiner) -> float | None:
    """Greatest draw of a switch with an optic in each data cage; None where it is not published.

    Where the switch is published without optics, the most that any of those takes which run at
    the cage's rate and are made for a hall, not beyond it.
    """
    if part.power_max_w is None or part.power_max_with_optics_w is not None:
        return draw_w(part)
    plugs_w = 0.0
    by_group: dict[str, float] = {}
    for cage in part.data_cages:
        if cage.group not in by_group:
            by_group[cage.group] = max(
                (
                    module.power_max_w or 0.0
                    for module in joiner.modules_for(kind_of(cage, part.manufacturer, part.model))
                    if module.rate_gbps == cage.rate_gbps
                    and max(module.reach_m.values(), default=0.0) <= HALL_M
                ),
                default=0.0,
            )
        plugs_w += by_group[cage.group]
    return part.power_max_w + plugs_w


def devices_per_pair(
    pdu: PduPart, part: DevicePart, derating: float, watts: float | None, reserve_w: float = 0.0
) -> int:
    """How many devices of this draw an A/B pair carries: either PDU alone must bear them all.

    ``reserve_w`` is left over for something else. An unknown draw sets no limit.
    """
    by_power = int((pdu_usable_w(pdu, derating) - reserve_w) // watts) if watts else 10**6
    if part.psu is None or part.psu.inlet is None:
        return by_power
    cords_per_side = (part.psu.count + 1) // 2
    by_outlets = fitting_outlets(pdu, part.psu.inlet) // cords_per_side
    return min(by_power, by_outlets)


@dataclass(frozen=True, slots=True)
class Pair:
    """An A and a B PDU in a rack, being filled."""

    a: Strip
    b: Strip


def hang_pair(builder: Builder, pdu: PduPart, rack: tuple[RackId, str], number: int) -> Pair:
    """Hang pair ``number`` (0 or 1) of PDUs in a (rack, its name), each on a feed of its own."""
    strips = []
    for group, mount in zip("AB", PAIR_MOUNTS[number], strict=True):
        name = f"{rack[1]}-{group}{number + 1}"
        device = builder.device(pdu, rack[0], None, name, mount=mount)
        if pdu.current_a is not None:
            feed = builder.feed(f"Feed {name}", group, pdu.voltage_v, pdu.current_a, pdu.phases)
            builder.cord(device, 1, feed)
        strips.append(Strip(device, pdu))
    return Pair(*strips)


def plug_in(builder: Builder, pair: Pair, device: DeviceId, part: DevicePart) -> int:
    """Cords from a device's supplies to a pair, A and B by turns; returns how many found none.

    A device whose inlets are unknown gets no cords: which outlet it needs is unknown too.
    """
    if part.psu is None:
        return 0
    if part.psu.inlet is None:
        return part.psu.count
    left_over, watts = 0, watts_per_inlet(part)
    for number in range(part.psu.count):
        found = take_outlet([pair.b if number % 2 else pair.a], part.psu.inlet, watts)
        if found is None:
            left_over += 1
        else:
            builder.cord(device, number + 1, *found)
    return left_over
