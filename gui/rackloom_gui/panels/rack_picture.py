# SPDX-License-Identifier: Apache-2.0
"""A whole rack as sold, front and rear, with each device where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter

from rackloom.catalog.parts import Part, PartId, RackPart
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.catalog.words import Side
from rackloom.design import Design, Draft, edits
from rackloom.design.errors import EditError
from rackloom.design.kits import add_rack_system
from rackloom.placement.geometry import device_box_mm, rack_height_mm
from rackloom_gui.canvas.faceplates import paint_face
from rackloom_gui.canvas.faces import Face, kind_of, make_face
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.panels.thumbnails import paint_rack
from rackloom_gui.theme import Tokens


@dataclass(frozen=True, slots=True)
class _Standing:
    """A device's face and where its upper left corner is in the rack, from the rack's own."""

    face: Face
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class RackPicture:
    """The rack part and what stands in it, as seen from either side."""

    rack: RackPart
    standing: Mapping[Side, tuple[_Standing, ...]]

    @classmethod
    def of(cls, system: RackSystemPart, parts: Mapping[PartId, Part]) -> RackPicture | None:
        """The picture of a rack system; None where its contents are not published or not there."""
        draft = Draft(Design())
        try:
            rack_id = add_rack_system(draft, system, parts, edits.add_row(draft), 0.0)
        except EditError:
            return None
        design, _step = draft.close("picture")
        rack = design.part(design.racks[rack_id].part, RackPart)
        return cls(rack, {side: _faces(design, rack, side) for side in Side})

    @property
    def height_mm(self) -> float:
        """Of the rack with its plinth and roof."""
        return rack_height_mm(self.rack)

    def paint(
        self, painter: QPainter, area: QRectF, side: Side, tokens: Tokens, ratio: float
    ) -> None:
        """One side of the rack, as tall as the area, in its middle."""
        painter.save()
        painter.translate(area.topLeft())
        size = QSize(round(area.width()), round(area.height()))
        paint_rack(painter, size, self.rack, tokens)
        painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        scale = area.height() / self.height_mm
        left = area.left() + (area.width() - self.rack.width_mm * scale) / 2
        for there in self.standing[side]:
            origin = (left + there.x_mm * scale, area.top() + there.y_mm * scale)
            colour = tokens.device(kind_of(there.face.part))
            paint_face(Pencil(painter, scale, origin, ratio=ratio), there.face, colour, tokens)


def _faces(design: Design, rack: RackPart, side: Side) -> tuple[_Standing, ...]:
    faces = []
    for device in design.devices.values():
        box = device_box_mm(design, device.id, side)
        seen = side if device.face is Side.FRONT else side.other
        face = make_face(design, device, seen, box.width_mm, box.height_mm)
        top_mm = rack_height_mm(rack) - box.z_mm - box.height_mm
        faces.append(_Standing(face, box.x_mm, top_mm))
    return tuple(faces)
