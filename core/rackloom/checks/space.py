# SPDX-License-Identifier: Apache-2.0
"""Racks: units, depth, weight, airflow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart, DevicePart, RackPart
from rackloom.catalog.words import Side
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.edits import flip_devices, move_device
from rackloom.design.ids import by_age
from rackloom.design.slots import first_free_u, overlap, top_u

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.entities import Device
    from rackloom.design.ids import DeviceId, RackId
    from rackloom.design.value import Design

_STANDING = {"devices", "racks"}


def _devices(context: Context, rack_id: str) -> list[Device]:
    design = context.design
    return [design.devices[d] for d in design.index.devices_in_rack.get(rack_id, ())]  # type: ignore[call-overload]


def _rack_part(context: Context, rack_id: str) -> RackPart:
    return context.design.part(context.design.racks[rack_id].part, RackPart)  # type: ignore[index]


def _move(device_id: DeviceId, rack: RackId, bottom_u: int, draft: Draft) -> None:
    move_device(draft, device_id, rack, bottom_u)


def _to_free_u(device_id: DeviceId, design: Design) -> Sequence[Fix]:
    """Move a device to the lowest free place of its rack."""
    device = design.devices[device_id]
    part = design.part(device.part, DevicePart)
    free = first_free_u(design, part, device.rack, ignore={device_id})
    if free is None or device.bottom_u is None:
        return ()
    return (Fix(f"Move it to U{free}", partial(_move, device_id, device.rack, free)),)


def _span(design: Design, device: Device) -> str:
    if device.bottom_u is None:
        return f"the place {device.mount}"
    top = top_u(design, device)
    return f"U{device.bottom_u}" if top == device.bottom_u else f"U{device.bottom_u} to U{top}"


@rule(
    "space.collision",
    Severity.ERROR,
    watches=_STANDING,
    scope="rack",
    source="EIA-310 rack units",
    numbers=(68,),
)
def collision(context: Context, rack_id: str) -> Iterator[Hit]:
    """Two devices do not fill the same space of a rack.

    Half-depth devices may share a unit when one looks out of the front and one out of the rear.
    The program refuses such a move, but a file can hold one. What to do: move one of them (the fix
    takes the newer to the lowest free place).
    """
    design = context.design
    devices = sorted(
        _devices(context, rack_id), key=lambda d: (d.bottom_u is None, d.bottom_u or 0)
    )
    for n, low in enumerate(devices):
        for high in devices[n + 1 :]:
            stacked = low.bottom_u is not None and high.bottom_u is not None
            if stacked and (high.bottom_u or 0) > top_u(design, low):
                break
            if overlap(design, low, high):
                first, second = sorted((low, high), key=lambda d: by_age(d.id))
                yield Hit(
                    (second.id, first.id, rack_id),
                    f"{called(second.id)} ({_span(design, second)}) and {called(first.id)} "
                    f"({_span(design, first)}) stand in the same place of {called(rack_id)}",
                    partial(_to_free_u, second.id),
                )


@rule(
    "space.beyond-rack",
    Severity.ERROR,
    watches=_STANDING,
    scope="rack",
    source="EIA-310 rack units",
    numbers=(68,),
)
def beyond_rack(context: Context, rack_id: str) -> Iterator[Hit]:
    """A device stays between the lowest and the highest unit of its rack.

    What to do: move it down (the fix takes the lowest free place), or choose a taller rack.
    """
    units = _rack_part(context, rack_id).rack_units
    for device in _devices(context, rack_id):
        if device.bottom_u is None:
            continue
        if device.bottom_u < 1 or top_u(context.design, device) > units:
            yield Hit(
                (device.id, rack_id),
                f"{called(device.id)} fills {_span(context.design, device)}, but "
                f"{called(rack_id)} has U1 to U{units}",
                partial(_to_free_u, device.id),
            )


@rule(
    "space.depth",
    Severity.ERROR,
    watches=_STANDING,
    scope="rack",
    source="NetBox rack types (outer depth); NVIDIA DGX user guides (chassis depth)",
    numbers=(68,),
)
def depth(context: Context, rack_id: str) -> Iterator[Hit]:
    """A device is no deeper than its rack, or the doors do not close.

    Eight-GPU servers are about 900 mm deep and need racks of 1100 mm and more, since cables bend
    behind them. What to do: choose a deeper rack.
    """
    rack = _rack_part(context, rack_id)
    for device in _devices(context, rack_id):
        part = context.design.part(device.part, DevicePart)
        if part.depth_mm is not None and part.depth_mm > rack.depth_mm:
            yield Hit(
                (device.id, rack_id),
                f"{called(device.id)} is {part.depth_mm:g} mm deep, but {called(rack_id)} only "
                f"{rack.depth_mm:g} mm",
            )


@rule(
    "space.mounting-depth",
    Severity.WARNING,
    watches=_STANDING,
    scope="rack",
    source="NetBox rack types (mounting depth; some of them state the least, not the greatest)",
    numbers=(68,),
)
def mounting_depth(context: Context, rack_id: str) -> Iterator[Hit]:
    """A device fits between the mounting rails and the rear of the rack.

    What sticks out behind the rear rails takes the room that cables bend in. What to do: move the
    rails apart as far as the rack allows, or choose a deeper rack.
    """
    rack = _rack_part(context, rack_id)
    if rack.mounting_depth_mm is None:
        return
    for device in _devices(context, rack_id):
        part = context.design.part(device.part, DevicePart)
        if device.bottom_u is None or part.depth_mm is None:
            continue
        if rack.mounting_depth_mm < part.depth_mm <= rack.depth_mm:
            yield Hit(
                (device.id, rack_id),
                f"{called(device.id)} is {part.depth_mm:g} mm deep; the rails of "
                f"{called(rack_id)} are {rack.mounting_depth_mm:g} mm apart",
            )


@rule(
    "space.bend-room",
    Severity.WARNING,
    watches={"devices", "racks", "cables"},
    scope="wiring",
    source="Oracle cable management guide (bend radii); NVIDIA cable specifications",
    numbers=(68, 70),
)
def bend_room(context: Context, rack_id: str) -> Iterator[Hit]:
    """Behind a device there is room for its cables to bend.

    Even with the device flush with the rack's front, what is left to the rear door has to take the
    least bend radius of the cables plugged in there, five times their thickness for copper. What
    to do: choose a deeper rack, or thinner cables.
    """
    rack = _rack_part(context, rack_id)
    cables = (p for p in context.design.parts.values() if isinstance(p, CablePart))
    stiffest_mm = max((p.bend_radius_mm or 0.0 for p in cables), default=0.0)
    for device in _devices(context, rack_id):
        part = context.design.part(device.part, DevicePart)
        if device.bottom_u is None or part.depth_mm is None:
            continue
        room_mm = rack.depth_mm - part.depth_mm
        if not 0 <= room_mm < stiffest_mm:
            continue
        radius_mm, model = _stiffest(context, device.id)
        if radius_mm > room_mm:
            yield Hit(
                (device.id, rack_id),
                f"{called(device.id)} leaves {room_mm:.0f} mm to the door of {called(rack_id)}, "
                f"but {model} bends no tighter than {radius_mm:g} mm",
            )


def _stiffest(context: Context, device_id: DeviceId) -> tuple[float, str]:
    """The greatest bend radius among the cables of a device, as far as known."""
    design = context.design
    parts = {
        design.cables[cable].part for cable in design.index.cables_of_device.get(device_id, ())
    }
    known = [design.part(part, CablePart) for part in parts]
    return max(((p.bend_radius_mm or 0.0, p.model) for p in known), default=(0.0, ""))


def _weight(context: Context, rack_id: str) -> tuple[float, int]:
    """Weight of the equipment in a rack, and the number of devices whose weight is unknown."""
    weights = [
        context.design.part(d.part, DevicePart).weight_kg for d in _devices(context, rack_id)
    ]
    return sum(w for w in weights if w is not None), weights.count(None)


def _not_counted(unknown: int) -> str:
    if not unknown:
        return ""
    things = "1 device of unknown weight is" if unknown == 1 else f"{unknown} of unknown weight are"
    return f" ({things} not counted)"


@rule(
    "space.weight",
    Severity.ERROR,
    watches=_STANDING,
    scope="rack",
    source="NVIDIA DGX H100 and GB200 user guides (weights); NetBox rack types (static load)",
    numbers=(69,),
)
def weight(context: Context, rack_id: str) -> Iterator[Hit]:
    """The equipment of a rack weighs no more than the rack may carry standing.

    Four eight-GPU servers weigh 520 to 670 kg. Devices whose weight nobody published are left out
    of the sum, and the finding says how many. What to do: spread the devices over more racks, or
    choose a rack with a higher rating; ask for the floor's rating too.
    """
    limit_kg = _rack_part(context, rack_id).static_load_kg
    if limit_kg is None:
        return
    sum_kg, unknown = _weight(context, rack_id)
    if sum_kg > limit_kg:
        yield Hit(
            (rack_id,),
            f"the equipment in {called(rack_id)} weighs {sum_kg:.0f} kg{_not_counted(unknown)}, "
            f"but the rack carries {limit_kg:.0f} kg",
        )


@rule(
    "space.rolling-weight",
    Severity.WARNING,
    watches=_STANDING,
    scope="rack",
    source="NetBox rack types (dynamic load)",
    numbers=(69,),
)
def rolling_weight(context: Context, rack_id: str) -> Iterator[Hit]:
    """A rack that is rolled in fully equipped weighs no more than its castors carry.

    What to do: equip the rack in its place, or leave the heaviest devices out until it stands.
    """
    limit_kg = _rack_part(context, rack_id).dynamic_load_kg
    if limit_kg is None:
        return
    sum_kg, unknown = _weight(context, rack_id)
    if sum_kg > limit_kg:
        yield Hit(
            (rack_id,),
            f"the equipment in {called(rack_id)} weighs {sum_kg:.0f} kg{_not_counted(unknown)}; "
            f"the rack may be rolled with {limit_kg:.0f} kg: equip it in place",
        )


def blows_to(part: DevicePart, face: Side) -> Side | None:
    """The side of the rack a device blows its hot air out of; None where unknown."""
    match part.airflow:
        case "front-to-rear":
            out = Side.REAR
        case "rear-to-front":
            out = Side.FRONT
        case "port-to-power" | "power-to-port":
            ports = [cage.side for cage in part.cages]
            if not ports:
                return None
            port_side = max(Side, key=ports.count)
            out = port_side if part.airflow == "power-to-port" else port_side.other
        case _:
            return None
    return out if face is Side.FRONT else out.other


def _turn(device_ids: tuple[DeviceId, ...], draft: Draft) -> None:
    flip_devices(draft, device_ids)


def _turn_round(device_ids: tuple[DeviceId, ...], design: Design) -> Sequence[Fix]:
    names = design.name_of(device_ids[0]) if len(device_ids) == 1 else f"{len(device_ids)} devices"
    return (Fix(f"Turn {names} round", partial(_turn, device_ids)),)


@rule(
    "space.airflow",
    Severity.ERROR,
    watches=_STANDING,
    scope="rack",
    source="NVIDIA cable management guidelines and FAQ; Juniper QFX5220 site guidelines",
    numbers=(64,),
)
def airflow(context: Context, rack_id: str) -> Iterator[Hit]:
    """All devices of a rack blow their hot air out of the same side.

    One that blows the other way breathes its neighbours' exhaust and overheats. Switches are sold
    for both directions; which side they blow to also depends on how they are mounted: with the
    ports at the rear, beside the servers' network cards, a switch needs air from the power side to
    the port side. What to do: turn the device round (the fix), or order the other airflow.
    """
    out: dict[Side, list[Device]] = {Side.FRONT: [], Side.REAR: []}
    for device in _devices(context, rack_id):
        if device.bottom_u is None:
            continue
        side = blows_to(context.design.part(device.part, DevicePart), device.face)
        if side is not None:
            out[side].append(device)
    if not out[Side.FRONT] or not out[Side.REAR]:
        return
    most = _heavier(context, out)
    odd = out[most.other]
    names = ", ".join(called(d.id) for d in odd[:3])
    more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
    verb = "blows" if len(odd) == 1 else "blow"
    rest = len(out[most])
    yield Hit(
        (*(d.id for d in odd), rack_id),
        f"{names}{more} {verb} hot air to the {most.other} of {called(rack_id)}, the other "
        f"{f'{rest} devices blow' if rest > 1 else 'device blows'} to the {most}",
        partial(_turn_round, tuple(d.id for d in odd)),
    )


def _heavier(context: Context, out: dict[Side, list[Device]]) -> Side:
    """The side that most rack units blow to; the rear on a tie, where hot aisles are."""
    units = {
        side: sum(context.design.part(d.part, DevicePart).rack_units for d in devices)
        for side, devices in out.items()
    }
    return Side.FRONT if units[Side.FRONT] > units[Side.REAR] else Side.REAR
