# SPDX-License-Identifier: Apache-2.0
"""What a design draws, at most and usually. Unknown figures are counted, never taken for zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rackloom.catalog.fit import PASSIVE
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    PartId,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.design import Design
from rackloom.design.entities import Cable, Module
from rackloom.design.ids import DeviceId
from rackloom.placement.loads import greatest_draw
from rackloom.placement.sold_racks import RackAsSold, racks_as_sold


@dataclass(frozen=True, slots=True)
class PowerSum:
    """Greatest power of some devices: the known part of it, and how many are not wholly in it."""

    maximum_w: float
    unknown_devices: int


@dataclass(frozen=True, slots=True)
class DevicePower:
    """Power of one device in watts, as far as it is known."""

    known_w: float
    complete: bool


def power_of(design: Design) -> dict[DeviceId, DevicePower]:
    """The greatest draw of every device that draws power: not of PDUs, panels, blanking plates.

    What counts is said at :func:`rackloom.placement.loads.greatest_draw`.
    """
    plugs_w, plugs_unknown = _plugs(design)
    found: dict[DeviceId, DevicePower] = {}
    for device in design.devices.values():
        part = design.part(device.part, DevicePart)
        if draws_power(part):
            draw = greatest_draw(part, plugs_w.get(device.id, 0.0), device.id in plugs_unknown)
            found[device.id] = DevicePower(draw.watts, not draw.unknown)
    return found


def power_of_device(design: Design, device_id: DeviceId) -> DevicePower | None:
    """The greatest draw of one device as in :func:`power_of`; None where it draws no power."""
    part = design.device_part(device_id)
    if not draws_power(part):
        return None
    index = design.index
    plugs_w, plugs_unknown = _plugs(
        design,
        modules=[design.modules[m] for m in index.modules_of_device.get(device_id, ())],
        cables=[design.cables[c] for c in index.cables_of_device.get(device_id, ())],
    )
    draw = greatest_draw(part, plugs_w.get(device_id, 0.0), device_id in plugs_unknown)
    return DevicePower(draw.watts, not draw.unknown)


def typical_power_of(design: Design) -> dict[DeviceId, DevicePower]:
    """The typical draw of every device that draws power, as far as it was published.

    To a switch are added its transceivers and active cables; most of them are published with their
    greatest draw only, and then the device's typical draw is not wholly known.
    """
    plugs_w, plugs_unknown = _plugs(design, typical=True)
    found: dict[DeviceId, DevicePower] = {}
    for device in design.devices.values():
        part = design.part(device.part, DevicePart)
        if not draws_power(part):
            continue
        known_w, complete = part.power_typical_w or 0.0, part.power_typical_w is not None
        if isinstance(part, SwitchPart):
            known_w += plugs_w.get(device.id, 0.0)
            complete = complete and device.id not in plugs_unknown
        found[device.id] = DevicePower(known_w, complete)
    return found


def draws_power(part: DevicePart) -> bool:
    """Whether a device is one that draws power itself, as far as its part says."""
    if isinstance(part, ServerPart | SwitchPart):
        return True
    if getattr(part, "kind", "") in _SUPPLIES:
        return False
    return part.psu is not None or part.power_max_w is not None or part.power_typical_w is not None


_SUPPLIES = frozenset({"pdu", "power-shelf"})
"""Kinds of parts that hand power on."""


def _plugs(
    design: Design,
    *,
    typical: bool = False,
    modules: Iterable[Module] | None = None,
    cables: Iterable[Cable] | None = None,
) -> tuple[dict[DeviceId, float], set[DeviceId]]:
    """Power of what is plugged into each device, and where that is not wholly known.

    Of these modules and cables only, where they are named.
    """
    known_w: dict[DeviceId, float] = {}
    unknown: set[DeviceId] = set()
    optics_w: dict[PartId, float | None] = {}  # a design has 100,000 optics of a few kinds
    for module in design.modules.values() if modules is None else modules:
        if module.part not in optics_w:
            optic = design.part(module.part, TransceiverPart)
            optics_w[module.part] = optic.power_typical_w if typical else optic.power_max_w
        power_w = optics_w[module.part]
        if power_w is None:
            unknown.add(module.device)
        else:
            known_w[module.device] = known_w.get(module.device, 0.0) + power_w
    active: dict[PartId, CablePart | None] = {}
    for cable in design.cables.values() if cables is None else cables:
        if cable.part not in active:
            part = design.part(cable.part, CablePart)
            active[cable.part] = part if any(end.power_w for end in part.ends) else None
        plugs = active[cable.part]
        if plugs is None:
            continue
        for end in cable.ends:
            power_w = plugs.ends[end.end].power_w  # None: a passive plug or a fibre connector
            if not power_w:
                continue
            if typical and plugs.technology not in PASSIVE:
                unknown.add(end.device)  # published is the greatest draw
            else:
                known_w[end.device] = known_w.get(end.device, 0.0) + power_w
    return known_w, unknown


def power_sum(design: Design, devices: Iterable[DeviceId] | None = None) -> PowerSum:
    """Greatest draw of these devices (default: all), as :func:`sum_powers` adds it up."""
    powers = power_of(design)
    chosen = powers if devices is None else {d: powers[d] for d in devices if d in powers}
    return sum_powers(chosen, [sold for _, sold in racks_as_sold(design)])


def sum_powers(
    powers: Mapping[DeviceId, DevicePower],
    sold: Iterable[RackAsSold],
    *,
    typical: bool = False,
) -> PowerSum:
    """What devices draw together.

    Where trays of a rack sold whole have no figures of their own, and all of them are among the
    devices, what its maker says of the rack stands for them.
    """
    watts = sum(power.known_w for power in powers.values())
    unknown = sum(not power.complete for power in powers.values())
    for rack in sold if unknown else ():
        whole_w = rack.system.power_typical_w if typical else rack.system.power_max_w
        if whole_w is None or not rack.on_busbar <= powers.keys():
            continue
        inside = [powers[device] for device in rack.devices if device in powers]
        lacking = sum(not power.complete for power in inside)
        if lacking:
            watts += max(whole_w - sum(power.known_w for power in inside), 0.0)
            unknown -= lacking
    return PowerSum(watts, unknown)
