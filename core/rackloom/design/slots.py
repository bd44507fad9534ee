# SPDX-License-Identifier: Apache-2.0
"""Rack units: what fills them, and where something would fit."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, RackPart
from rackloom.catalog.words import Side
from rackloom.design.entities import Device
from rackloom.design.ids import DeviceId, RackId

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design


def height_u(part: DevicePart) -> int:
    """Whole U a device blocks (a 1.5U box blocks two); 0 for what hangs beside the rails."""
    return ceil(part.rack_units)


def top_u(design: Design | Draft, device: Device) -> int:
    """The highest U a device fills; it must have a ``bottom_u``."""
    assert device.bottom_u is not None
    return device.bottom_u + height_u(design.part(device.part, DevicePart)) - 1


def overlap(design: Design | Draft, a: Device, b: Device) -> bool:
    """Whether two devices of one rack want the same space.

    Two half-depth devices may share a U when one looks out of the front and one out of the rear.
    """
    if a.bottom_u is None or b.bottom_u is None:
        return a.bottom_u is None and b.bottom_u is None and a.mount == b.mount
    if a.bottom_u > top_u(design, b) or b.bottom_u > top_u(design, a):
        return False
    halves = all(design.part(d.part, DevicePart).half_depth for d in (a, b))
    return not (halves and a.face is not b.face)


def occupant(
    design: Design,
    rack_id: RackId,
    bottom_u: int,
    top: int,
    device: Device | None = None,
    ignore: Collection[DeviceId] = (),
) -> Device | None:
    """The first device that fills a U of this range, besides those ignored.

    With ``device``, half-depth devices on opposite faces do not count as in its way.
    """
    for other_id in design.index.devices_in_rack.get(rack_id, ()):
        other = design.devices[other_id]
        if other_id in ignore or other.bottom_u is None:
            continue
        if device is not None and not overlap(design, device, other):
            continue
        if other.bottom_u <= top and top_u(design, other) >= bottom_u:
            return other
    return None


def refusal(
    design: Design,
    part: DevicePart,
    rack_id: RackId,
    bottom_u: int,
    face: Side = Side.FRONT,
    ignore: Collection[DeviceId] = (),
) -> str | None:
    """Why a part does not fit at a U, in one sentence; None where it does."""
    rack = design.racks[rack_id]
    units = design.part(rack.part, RackPart).rack_units
    top = bottom_u + height_u(part) - 1
    if bottom_u < 1 or top > units:
        return f"{part.model} needs U{bottom_u} to U{top}, but {rack.name} has U1 to U{units}"
    for other_id in design.index.devices_in_rack.get(rack_id, ()):
        other = design.devices[other_id]
        if other_id in ignore or other.bottom_u is None:
            continue
        if bottom_u > top_u(design, other) or other.bottom_u > top:
            continue
        halves = part.half_depth and design.part(other.part, DevicePart).half_depth
        if halves and other.face is not face:
            continue
        span = (
            f"U{other.bottom_u}"
            if top_u(design, other) == other.bottom_u
            else (f"U{other.bottom_u} to U{top_u(design, other)}")
        )
        return f"{other.name} fills {span} of {rack.name}"
    return None


def free_ranges(
    design: Design, rack_id: RackId, ignore: Collection[DeviceId] = ()
) -> list[tuple[int, int]]:
    """Runs of free U, as (lowest, highest), from the bottom up."""
    units = design.part(design.racks[rack_id].part, RackPart).rack_units
    taken = [False] * (units + 2)
    for device_id in design.index.devices_in_rack.get(rack_id, ()):
        device = design.devices[device_id]
        if device.bottom_u is None or device_id in ignore:
            continue
        for u in range(max(device.bottom_u, 1), min(top_u(design, device), units) + 1):
            taken[u] = True
    runs: list[tuple[int, int]] = []
    for u in range(1, units + 1):
        if taken[u]:
            continue
        if runs and runs[-1][1] == u - 1:
            runs[-1] = (runs[-1][0], u)
        else:
            runs.append((u, u))
    return runs


def first_free_u(
    design: Design,
    part: DevicePart,
    rack_id: RackId,
    from_u: int = 1,
    ignore: Collection[DeviceId] = (),
) -> int | None:
    """The lowest U at or above ``from_u`` where a part fits; None where it fits nowhere."""
    units = design.part(design.racks[rack_id].part, RackPart).rack_units
    for u in range(max(from_u, 1), units - height_u(part) + 2):
        if refusal(design, part, rack_id, u, ignore=ignore) is None:
            return u
    return None
