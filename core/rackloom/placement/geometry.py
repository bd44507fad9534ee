# SPDX-License-Identifier: Apache-2.0
"""Where things sit in a rack, in true millimetres.

A rack is looked at from one of its sides. ``x`` runs to the right from the left edge of the rack as
seen from that side, ``z`` upwards from the floor. A device with ``face=rear`` is turned round: its
own front looks out of the rack's rear, so its front cages are seen there, in the order in which
they sit on the chassis.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import U_MM, DevicePart, Part, PduPart, RackPart
from rackloom.catalog.words import Side
from rackloom.design.entities import Device
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of
from rackloom.design.ids import DeviceId
from rackloom.design.value import Design

PLINTH_MM = 50.0
"""Floor to the lower edge of U1: feet or castors and the base frame of a usual cabinet."""

TOP_MM = 60.0
"""Upper edge of the highest U to the top of the cabinet."""

FACEPLATE_MM = 482.6
"""Width over the mounting ears: 19 in (EIA-310)."""

CHASSIS_MM = 440.0
"""Width of a 19-inch chassis behind its ears; cages are placed on the chassis."""

STRIP_MM = 56.0
"""Width of a vertical (0U) device: that of common rack PDUs; less where the rack is narrow."""


class Box(NamedTuple):
    """A rectangle in mm; ``y`` runs the way the drawing that asked for it says."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Extent along y."""
        return self.y1 - self.y0


class DeviceBox(NamedTuple):
    """A device as one looks at a side of its rack: left edge, lower edge, width, height."""

    x_mm: float
    z_mm: float
    width_mm: float
    height_mm: float


class PortPlace(NamedTuple):
    """Centre of a cage: the side of the rack it faces, x from the left edge seen there, height."""

    side: Side
    x_mm: float
    z_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class PortGrid:
    """The cages of one kind of device on one side of the chassis.

    ``places``: one row a cage, centre x from the chassis' left and centre y from its bottom, both
    seen from that side, then width and height, all in mm.
    """

    cages: tuple[Cage, ...]
    places: NDArray[np.float64]
    row_of: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the cages, in the order of the rows."""
        return tuple(cage.name for cage in self.cages)


# Racks


def rack_height_mm(part: RackPart) -> float:
    """Outer height of a cabinet; where the catalogue knows none: its U plus plinth and top."""
    return part.height_mm or part.rack_units * U_MM + PLINTH_MM + TOP_MM


def rack_opening_mm(part: RackPart) -> tuple[float, float]:
    """Height above the floor of the lower edge of U1 and of the upper edge of the highest U.

    A cabinet shorter than its U and our allowances keeps its height; the rest is shared evenly.
    """
    units_mm = part.rack_units * U_MM
    rest_mm = max(rack_height_mm(part) - units_mm, 0.0)
    bottom_mm = PLINTH_MM if rest_mm >= PLINTH_MM + TOP_MM else rest_mm / 2
    return bottom_mm, bottom_mm + units_mm


def u_bottom_mm(part: RackPart, bottom_u: float) -> float:
    """Height above the floor of the lower edge of a U (U1 is the lowest)."""
    return rack_opening_mm(part)[0] + (bottom_u - 1) * U_MM


def u_at_mm(part: RackPart, z_mm: float) -> int:
    """The U that a height above the floor lies in; below 1 or above the top outside the opening."""
    return int((z_mm - rack_opening_mm(part)[0]) // U_MM) + 1


def manager_inset_mm(part: RackPart) -> float:
    """Distance of a vertical cable manager's middle from the rack's edge.

    The managers fill the space between the rails and the side panel.
    """
    return max(part.width_mm - FACEPLATE_MM, 0.0) / 4


# Devices


def rack_part(design: Design, device: Device) -> RackPart:
    """The rack a device stands in."""
    return design.part(design.racks[device.rack].part, RackPart)


def rack_side(device: Device, chassis_side: Side) -> Side:
    """The side of the rack that one side of the chassis looks out of."""
    if device.bottom_u is None:
        return Side.REAR  # what hangs on the rear posts is reached from the rear only
    return device.face if chassis_side is Side.FRONT else device.face.other


def chassis_side(device: Device, side: Side) -> Side:
    """The side of the chassis one sees when one looks at a side of the rack."""
    return Side.FRONT if rack_side(device, Side.FRONT) is side else Side.REAR


def is_visible(design: Design, device_id: DeviceId, side: Side) -> bool:
    """Whether a device is seen from a side of its rack.

    A half-depth device is seen from its face only, a 0U device from the rear.
    """
    device = design.devices[device_id]
    if device.bottom_u is None:
        return side is Side.REAR
    return side is device.face or not design.device_part(device_id).half_depth


def device_box_mm(design: Design, device_id: DeviceId, side: Side) -> DeviceBox:
    """The rectangle a device fills as one looks at a side of its rack.

    With ears from its face, without them from behind; a 0U device is a strip beside the rails, as
    tall as the rack's opening (the catalogue does not know how long they are).
    """
    device = design.devices[device_id]
    rack = rack_part(design, device)
    if device.bottom_u is None:
        return _strip(rack, device.mount or "left-1", side)
    units = design.part(device.part, DevicePart).rack_units
    width_mm = FACEPLATE_MM if side is device.face else CHASSIS_MM
    left_mm = (rack.width_mm - width_mm) / 2
    return DeviceBox(left_mm, u_bottom_mm(rack, device.bottom_u), width_mm, units * U_MM)


def _strip(rack: RackPart, mount: str, side: Side) -> DeviceBox:
    """Where a 0U device hangs. ``left`` is the left post seen from the rear; ``-1`` is at the edge.

    Two of them share the space between the edge and the rails on each side.
    """
    post, _, number = mount.partition("-")
    margin_mm = max(rack.width_mm - FACEPLATE_MM, 0.0) / 2 or STRIP_MM * 2
    width_mm = min(STRIP_MM, margin_mm / 2)
    left_mm = (max(int(number), 1) - 1 if number.isdecimal() else 0) * width_mm
    if (post == "right") == (side is Side.REAR):
        left_mm = rack.width_mm - left_mm - width_mm
    bottom_mm, top_mm = rack_opening_mm(rack)
    return DeviceBox(left_mm, bottom_mm, width_mm, top_mm - bottom_mm)


# Ports


def _cage(design: Design, device: Device, name: str) -> Cage:
    cage = cages_of(design, device).get(name)
    if cage is None:
        raise EditError(
            f"{device.name} has no port {name!r}; its part is "
            f"{design.part(device.part, DevicePart).title}",
            (device.id,),
        )
    return cage


def port_place(design: Design, device_id: DeviceId, cage: str) -> PortPlace:
    """Where a cage of a placed device is. EditError where the device has no such cage."""
    device = design.devices[device_id]
    receptacle = _cage(design, device, cage)
    side = rack_side(device, receptacle.side)
    left_mm, bottom_mm = chassis_origin_mm(design, device)
    x_mm = receptacle.x_mm
    if device.bottom_u is None:
        x_mm = min(x_mm, device_box_mm(design, device_id, side).width_mm / 2)
    return PortPlace(side, left_mm + x_mm, bottom_mm + receptacle.y_mm)


def chassis_origin_mm(design: Design, device: Device) -> tuple[float, float]:
    """Lower left corner of a chassis, from the rack's left and the floor.

    The same from both sides, as the chassis is centred; a 0U device's is its strip's, from the
    rear. Add to it the places of a :class:`PortGrid`.
    """
    rack = rack_part(design, device)
    if device.bottom_u is None:
        strip = _strip(rack, device.mount or "left-1", Side.REAR)
        return strip.x_mm, strip.z_mm
    return (rack.width_mm - CHASSIS_MM) / 2, u_bottom_mm(rack, device.bottom_u)


class _Same:
    """Parts as a key by identity (a part's own hash walks all it contains); keeps them alive."""

    __slots__ = ("parts", "slots")

    def __init__(self, parts: tuple[Part, ...], slots: tuple[str, ...]) -> None:
        self.parts = parts
        self.slots = slots

    def __hash__(self) -> int:
        return hash((*map(id, self.parts), self.slots))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Same)
            and self.slots == other.slots
            and len(self.parts) == len(other.parts)
            and all(a is b for a, b in zip(self.parts, other.parts, strict=True))
        )


_GRIDS: OrderedDict[tuple[_Same, Side], PortGrid] = OrderedDict()
_GRIDS_KEPT = 2048
_GRIDS_LOCK = Lock()


def port_grid(design: Design, device: Device, side: Side) -> PortGrid:
    """The cages on one side of a device's chassis, worked out once for each part with its cards."""
    parts = (design.parts[device.part], *(design.parts[card] for _, card in device.cards))
    key = (_Same(parts, tuple(slot for slot, _ in device.cards)), side)
    with _GRIDS_LOCK:
        grid = _GRIDS.get(key)
    if grid is not None:
        return grid
    cages = tuple(c for c in cages_of(design, device).values() if c.side is side)
    places = np.array(
        [(c.x_mm, c.y_mm, c.width_mm, c.height_mm) for c in cages], dtype=np.float64
    ).reshape(-1, 4)
    places.setflags(write=False)
    grid = PortGrid(cages, places, {cage.name: row for row, cage in enumerate(cages)})
    with _GRIDS_LOCK:
        _GRIDS[key] = grid
        while len(_GRIDS) > _GRIDS_KEPT:
            _GRIDS.popitem(last=False)
    return grid


# Power


OUTLET_PITCH_MM = 19.0
"""Least distance of outlets drawn in one line; more of them go into further lines."""


@lru_cache(maxsize=512)
def _even_lines(count: int, along_mm: float, across_mm: float) -> NDArray[np.float64]:
    """Centres of ``count`` things in as few lines as their pitch allows: (along, across)."""
    a_line = max(int(along_mm // OUTLET_PITCH_MM), 1)
    lines = -(-count // a_line) if count else 1
    a_line = -(-count // lines) if count else 1
    index = np.arange(count)
    along = (index % a_line + 0.5) * along_mm / a_line
    across = (index // a_line + 0.5) * across_mm / lines
    grid = np.stack([along, across], axis=1).astype(np.float64)
    grid.setflags(write=False)
    return grid


def outlet_places_mm(design: Design, device_id: DeviceId) -> NDArray[np.float64]:
    """Where a PDU's outlets are drawn: x from the rack's left seen from the rear, height; in mm.

    One row an outlet, in the order of the part's ``outlet_names``. The catalogue has their number
    and kind, not their place: they are spread evenly, from the top of a strip downwards.
    """
    part = design.part(design.devices[device_id].part, PduPart)
    box = device_box_mm(design, device_id, Side.REAR)
    count = len(part.outlet_names)
    if box.height_mm >= box.width_mm:
        grid = _even_lines(count, box.height_mm, box.width_mm)
        return np.stack([box.x_mm + grid[:, 1], box.z_mm + box.height_mm - grid[:, 0]], axis=1)
    grid = _even_lines(count, box.width_mm, box.height_mm)
    return np.stack([box.x_mm + grid[:, 0], box.z_mm + box.height_mm - grid[:, 1]], axis=1)


def inlet_places_mm(design: Design, device_id: DeviceId) -> NDArray[np.float64]:
    """Where a device's power inlets are drawn: x, height as one looks at :func:`inlet_side`; mm.

    One row an inlet, spread evenly along the chassis' lower edge (the catalogue knows their number
    and side only). A PDU has one, at the lower end.
    """
    device = design.devices[device_id]
    part = design.part(device.part, DevicePart)
    box = device_box_mm(design, device_id, inlet_side(design, device_id))
    count = 1 if isinstance(part, PduPart) else part.psu.count if part.psu else 0
    x_mm = box.x_mm + (np.arange(count) + 0.5) * box.width_mm / max(count, 1)
    z_mm = np.full(count, box.z_mm + min(box.height_mm / 2, U_MM / 2))
    return np.stack([x_mm, z_mm], axis=1)


def inlet_side(design: Design, device_id: DeviceId) -> Side:
    """The side of the rack where a device's power inlets are."""
    device = design.devices[device_id]
    psu = design.part(device.part, DevicePart).psu
    return rack_side(device, psu.side if psu else Side.REAR)
