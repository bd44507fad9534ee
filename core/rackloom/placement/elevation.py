# SPDX-License-Identifier: Apache-2.0
"""The elevation drawing: racks side by side in their rows, the rows one below the other.

True millimetres; x runs to the right and y downwards, as on screen and in SVG. A rack stands at the
same place of the drawing whether its front or its rear is shown: turning the drawing over changes
what is seen in each rack, not where the racks are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.parts import RackPart
from rackloom.catalog.words import Side
from rackloom.design.ids import DeviceId, RackId, RowId, by_age
from rackloom.design.value import Design
from rackloom.placement.geometry import (
    Box,
    chassis_origin_mm,
    device_box_mm,
    is_visible,
    port_place,
    rack_height_mm,
)
from rackloom.placement.memo import per_tables

LABEL_MM = 220.0
"""Room above a row for its name."""

TRAY_MM = 160.0
"""Height of the band in which a row's tray is drawn."""

RACK_NAME_MM = 120.0
"""Room between the tray and the tallest rack, for the names of the racks."""

BETWEEN_ROWS_MM = 500.0
"""Clear space under a row."""

EMPTY_ROW_MM = 2000.0
"""Height and width a row without racks is drawn with, so that one can be dropped into it."""


@dataclass(frozen=True, slots=True)
class RowBand:
    """A row on the drawing; all in mm, y downwards.

    From ``top_mm``: the row's name, the tray (``tray_top_mm`` to ``tray_bottom_mm``), the names of
    the racks, the racks, and the floor they stand on.
    """

    row: RowId
    left_mm: float
    right_mm: float
    top_mm: float
    tray_top_mm: float
    tray_bottom_mm: float
    floor_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Elevation:
    """Where everything is on the elevation drawing of a design.

    ``rack_boxes`` has one row a rack, in the order of ``racks``: x0, y0, x1, y1.
    """

    origins: dict[RackId, tuple[float, float]]
    bands: tuple[RowBand, ...]
    racks: tuple[RackId, ...]
    rack_boxes: NDArray[np.float64]

    @property
    def bounds(self) -> Box:
        """The rectangle around all rows."""
        if not self.bands:
            return Box(0.0, 0.0, 0.0, 0.0)
        return Box(
            min(band.left_mm for band in self.bands),
            self.bands[0].top_mm,
            max(band.right_mm for band in self.bands),
            self.bands[-1].floor_mm,
        )

    def band_at(self, y_mm: float) -> RowBand | None:
        """The row whose band a height on the drawing lies in."""
        for band in self.bands:
            if band.top_mm <= y_mm <= band.floor_mm + BETWEEN_ROWS_MM / 2:
                return band
        return None

    def rack_at(self, x_mm: float, y_mm: float) -> RackId | None:
        """The rack at a point of the drawing, or None."""
        boxes = self.rack_boxes
        hits = np.flatnonzero(
            (boxes[:, 0] <= x_mm)
            & (x_mm <= boxes[:, 2])
            & (boxes[:, 1] <= y_mm)
            & (y_mm <= boxes[:, 3])
        )
        return self.racks[int(hits[0])] if hits.size else None


@per_tables("rows", "racks", "parts")
def elevation(design: Design) -> Elevation:
    """The layout of the drawing; the same for both sides. Remembered while rows and racks stay.

    Rows follow one another as they stand in the room, the foremost (least y) on top.
    """
    origins: dict[RackId, tuple[float, float]] = {}
    bands: list[RowBand] = []
    boxes: list[tuple[float, float, float, float]] = []
    top_mm = 0.0
    rows = sorted(design.rows.values(), key=lambda r: (r.y_m, r.x_m, by_age(r.id)))
    for row in rows:
        racks = [
            (design.racks[rack_id], design.part(design.racks[rack_id].part, RackPart))
            for rack_id in design.index.racks_in_row.get(row.id, ())
        ]
        tallest_mm = max((rack_height_mm(part) for _, part in racks), default=EMPTY_ROW_MM)
        tray_top_mm = top_mm + LABEL_MM
        floor_mm = tray_top_mm + TRAY_MM + RACK_NAME_MM + tallest_mm
        left_mm = row.x_m * 1000
        right_mm = left_mm + EMPTY_ROW_MM
        edges = []
        for rack, part in racks:
            x_mm = left_mm + rack.position_m * 1000
            origins[rack.id] = (x_mm, floor_mm)
            boxes.append((x_mm, floor_mm - rack_height_mm(part), x_mm + part.width_mm, floor_mm))
            edges += [x_mm, x_mm + part.width_mm]
        if edges:
            left_mm, right_mm = min(left_mm, *edges), max(edges)
        bands.append(
            RowBand(row.id, left_mm, right_mm, top_mm, tray_top_mm, tray_top_mm + TRAY_MM, floor_mm)
        )
        top_mm = floor_mm + BETWEEN_ROWS_MM
    places = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    places.setflags(write=False)
    return Elevation(origins, tuple(bands), tuple(origins), places)


def rack_origins(design: Design) -> dict[RackId, tuple[float, float]]:
    """Where each rack's lower left corner stands on the drawing: (x, y) in mm, y downwards."""
    return elevation(design).origins


def row_bands(design: Design) -> tuple[RowBand, ...]:
    """The rows of the drawing from the top down."""
    return elevation(design).bands


def device_box(design: Design, device_id: DeviceId, side: Side) -> Box:
    """A device on the drawing of one side."""
    x_mm, y_mm = rack_origins(design)[design.devices[device_id].rack]
    box = device_box_mm(design, device_id, side)
    bottom = y_mm - box.z_mm
    return Box(x_mm + box.x_mm, bottom - box.height_mm, x_mm + box.x_mm + box.width_mm, bottom)


def port_point(design: Design, device_id: DeviceId, cage: str) -> tuple[Side, float, float]:
    """The side on whose drawing a port is seen, and where on that drawing: (side, x, y) in mm."""
    x_mm, y_mm = rack_origins(design)[design.devices[device_id].rack]
    place = port_place(design, device_id, cage)
    return place.side, x_mm + place.x_mm, y_mm - place.z_mm


@dataclass(frozen=True, slots=True, eq=False)
class DeviceBoxes:
    """All devices of a design on the drawing of one side, for those who draw from arrays.

    ``boxes``: x0, y0, x1, y1 in mm; ``corners``: x, y of the chassis' lower left corner, to which
    the places of a port grid are added (x) or from which they are taken away (y);
    ``visible``: whether the device is seen from this side.
    """

    ids: tuple[DeviceId, ...]
    boxes: NDArray[np.float64]
    corners: NDArray[np.float64]
    visible: NDArray[np.bool_]


def device_boxes(design: Design, side: Side) -> DeviceBoxes:
    """Every device's rectangle on the drawing of one side, in the order of the device table."""
    return _front_boxes(design) if side is Side.FRONT else _rear_boxes(design)


@per_tables("rows", "racks", "devices", "parts")
def _front_boxes(design: Design) -> DeviceBoxes:
    return _device_boxes(design, Side.FRONT)


@per_tables("rows", "racks", "devices", "parts")
def _rear_boxes(design: Design) -> DeviceBoxes:
    return _device_boxes(design, Side.REAR)


def _device_boxes(design: Design, side: Side) -> DeviceBoxes:
    ids = tuple(design.devices)
    origins = rack_origins(design)
    count = len(ids)
    boxes = np.empty((count, 4))
    corners = np.empty((count, 2))
    visible = np.empty(count, dtype=np.bool_)
    shapes: dict[object, tuple[tuple[float, ...], tuple[float, float], bool]] = {}
    for n, device in enumerate(design.devices.values()):
        # Everything but the rack's place depends on these alone, and few kinds of them occur.
        shape = (
            device.part,
            design.racks[device.rack].part,
            device.bottom_u,
            device.face,
            device.mount,
        )
        known = shapes.get(shape)
        if known is None:
            known = shapes[shape] = _shape(design, device.id, side)
        (left, lower, width, height), (chassis_x, chassis_z), seen = known
        x_mm, y_mm = origins[device.rack]
        boxes[n] = (x_mm + left, y_mm - lower - height, x_mm + left + width, y_mm - lower)
        corners[n] = (x_mm + chassis_x, y_mm - chassis_z)
        visible[n] = seen
    for array in (boxes, corners, visible):
        array.setflags(write=False)
    return DeviceBoxes(ids, boxes, corners, visible)


def _shape(
    design: Design, device_id: DeviceId, side: Side
) -> tuple[tuple[float, ...], tuple[float, float], bool]:
    box = device_box_mm(design, device_id, side)
    corner = chassis_origin_mm(design, design.devices[device_id])
    return tuple(box), corner, is_visible(design, device_id, side)
