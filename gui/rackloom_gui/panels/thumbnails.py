# SPDX-License-Identifier: Apache-2.0
"""Small pictures of parts, drawn with the canvas' own faceplates."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter

from rackloom.catalog.parts import U_MM, DevicePart, PartId, RackPart
from rackloom.catalog.words import Side
from rackloom.design.entities import Device, Rack, Row
from rackloom.design.ids import DeviceId, RackId, RowId
from rackloom.design.value import Design
from rackloom.placement.geometry import (
    FACEPLATE_MM,
    device_box_mm,
    rack_height_mm,
    rack_opening_mm,
)
from rackloom_gui.canvas.faceplates import paint_face
from rackloom_gui.canvas.faces import Face, kind_of, make_face
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.theme import Tokens

_HOME = RackPart(
    id=PartId("thumbnail-rack"),
    manufacturer="",
    model="",
    rack_units=60,
    width_mm=600,
    depth_mm=1200,
)


def _alone(part: DevicePart) -> tuple[Design, Device]:
    """A design that holds one device of the part, which is what faces are made from."""
    device = Device(
        DeviceId("d1"), part.model, part.id, RackId("r1"), 1 if part.rack_units else None,
        mount=None if part.rack_units else "left-1",
    )  # fmt: skip
    tables: dict[str, dict[str, Any]] = {
        "rows": {"row1": Row(RowId("row1"), "Row 1")},
        "racks": {"r1": Rack(RackId("r1"), "R01", _HOME.id, RowId("row1"), 0.0)},
        "devices": {"d1": device},
        "parts": {_HOME.id: _HOME, part.id: part},
    }
    return Design(tables), device


def part_face(part: DevicePart, side: Side, width_mm: float, height_mm: float) -> Face:
    """One side of a device of this part, as the canvas draws it.

    A 0U device may be drawn shorter or longer than the canvas does, which makes it as tall as the
    rack: its outlets are spread over the height it has here.
    """
    design, device = _alone(part)
    face = make_face(design, device, side, width_mm, height_mm)
    if part.rack_units or not len(face.outlets):
        return face
    box = device_box_mm(design, device.id, Side.REAR)
    spread = face.outlets * (width_mm / box.width_mm, height_mm / box.height_mm)
    return replace(face, outlets=spread)


def paint_device(painter: QPainter, size: QSize, part: DevicePart, tokens: Tokens) -> None:
    """A device's front as large as it fits, in the middle; a 0U device as an upright strip."""
    upright = part.rack_units == 0
    width_mm = 56.0 if upright else FACEPLATE_MM
    height_mm = 1700.0 if upright else max(part.rack_units, 0.5) * U_MM
    # All devices at one scale, so that a list of them compares; only giants are shrunk.
    scale = min(size.width() / FACEPLATE_MM, size.height() / height_mm)
    if upright:
        scale = size.height() / height_mm
    face = part_face(part, Side.REAR if upright else Side.FRONT, width_mm, height_mm)
    left = (size.width() - width_mm * scale) / 2
    top = (size.height() - height_mm * scale) / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_face(Pencil(painter, scale, (left, top)), face, tokens.device(kind_of(part)), tokens)


def paint_rack(painter: QPainter, size: QSize, part: RackPart, tokens: Tokens) -> None:
    """An empty rack from the front."""
    height_mm = rack_height_mm(part)
    scale = size.height() / height_mm
    width = max(part.width_mm * scale, 8.0)
    left = round((size.width() - width) / 2)
    painter.fillRect(QRectF(left, 0, round(width), size.height()), tokens.rack_frame)
    bottom_mm, top_mm = rack_opening_mm(part)
    inner = QRectF(
        left + 2,
        (height_mm - top_mm) * scale,
        round(width) - 4,
        (top_mm - bottom_mm) * scale,
    )
    painter.fillRect(inner, tokens.rack_interior)
    for part_of_height in range(1, 6):
        y = inner.top() + inner.height() * part_of_height / 6
        painter.fillRect(QRectF(inner.left(), round(y), inner.width(), 1), tokens.rack_slot_line)
