# SPDX-License-Identifier: Apache-2.0
"""Power cords of what is selected, as lines from inlets to the outlets of PDUs.

Only where both ends are seen: as a rule from the rear. Where exactly inlets and outlets sit the
catalogue does not know; they are where the faceplates have them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from rackloom.catalog.parts import PduPart
from rackloom.design import Cord, Design
from rackloom.design.ids import CordId, DeviceId, RackId
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.elevation_layout import lane_of
from rackloom_gui.canvas.labels import name_plate
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.pencil import CENTRE, Pencil, solid_pen, text_width
from rackloom_gui.canvas.supplies import inlet_box, psu_boxes
from rackloom_gui.tokens import Tokens

MOST_CORDS = 600
"""More would hide what they are about; on the screen, for one can zoom into a file."""
CLEAR_MM = 48.0
"""From a chassis outwards: its ear, the post and the U numbers."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CordRun:
    """A cord on the drawing: from the inlet to the outlet, in mm, and the group it is fed from."""

    cord: CordId
    pdu: DeviceId
    group: str
    points: tuple[Point, ...]


def cords_of(design: Design, ids: Collection[str], most: int | None = MOST_CORDS) -> list[Cord]:
    """Cords at the inlets of these devices and of those in these racks, and those on these PDUs."""
    index = design.index
    devices = {DeviceId(i): None for i in ids if i in design.devices}
    for rack in (RackId(i) for i in ids if i in design.racks):
        devices.update(dict.fromkeys(index.devices_in_rack.get(rack, ())))
    found: dict[CordId, None] = {}
    for device in devices:
        found.update(dict.fromkeys(index.cords_of_device.get(device, ())))
        found.update(dict.fromkeys(index.cords_from_source.get(device, ())))
        if most is not None and len(found) > most:
            break
    return [design.cords[cord] for cord in list(found)[:most]]


def cord_runs(
    scene: SceneArrays, ids: Collection[str], most: int | None = MOST_CORDS
) -> list[CordRun]:
    """Where the cords of a selection run in this view, as far as both their ends are seen."""
    from rackloom.placement.power import pdu_groups  # what plans power: for the first cord only

    design = scene.design
    runs = []
    groups: dict[RackId, dict[DeviceId, str]] = {}
    for cord in cords_of(design, ids, most):
        pdu = design.devices.get(DeviceId(cord.source))
        if pdu is None or not isinstance(design.device_part(pdu.id), PduPart):
            continue  # from a feed: it comes out of the wall
        points = _points(scene, cord, pdu.id)
        if points is None:
            continue
        if pdu.rack not in groups:
            groups[pdu.rack] = pdu_groups(design, pdu.rack)
        runs.append(CordRun(cord.id, pdu.id, groups[pdu.rack][pdu.id], points))
    return runs


def _points(scene: SceneArrays, cord: Cord, pdu: DeviceId) -> tuple[Point, ...] | None:
    table = scene.devices
    row, to_row = table.row_of.get(cord.device), table.row_of.get(pdu)
    if row is None or to_row is None or not (table["shown"][row] and table["shown"][to_row]):
        return None
    x, y, w, h = (float(v) for v in table["box"][row])
    px, py, pw, ph = (float(v) for v in table["box"][to_row])
    face = scene.book.faces[int(table["face"][row])]
    to_face = scene.book.faces[int(table["face"][to_row])]
    names = [name for name, _ in to_face.part.outlet_names]  # type: ignore[attr-defined]
    outlet = (px + pw / 2, py + ph / 2)
    if cord.outlet in names and len(to_face.outlets) == len(names):
        ox, oy = (float(v) for v in to_face.outlets[names.index(cord.outlet)])
        outlet = (px + ox, py + oy)
    at_left = px + pw / 2 < x + w / 2
    supplies = psu_boxes(face)
    if cord.inlet <= len(supplies):
        ix, iy, iw, ih = inlet_box(supplies[cord.inlet - 1])
        inlet = (x + ix + iw / 2, y + iy + ih / 2)
    else:  # its supplies are at the other side: from the edge that is nearer
        inlet = (x if at_left else x + w, y + h / 2)
    lane = float(lane_of(int(table["number"][row]), cord.inlet))
    near, far = (px + pw, x) if at_left else (px, x + w)
    if abs(far - near) > 2 * CLEAR_MM:  # the posts and the U numbers stay legible
        far += -CLEAR_MM if at_left else CLEAR_MM
    turn = near + (far - near) * (0.2 + 0.6 * lane)
    below = y + h - 1.0 - 3.0 * lane  # under the supplies, above the next device
    return (inlet, (inlet[0], below), (turn, below), (turn, outlet[1]), outlet)


def group_colour(tokens: Tokens, group: str) -> QColor:
    """A and B are told apart by colour, and B's lines are broken."""
    return {"A": tokens.series[1], "B": tokens.series[3]}.get(group, tokens.bundle)


class Cords:
    """Draws the cords of the selection over one view of the racks."""

    def __init__(self, scene: SceneArrays, look: Look) -> None:
        self._scene, self._look = scene, look
        self.wanted = True
        self.selection: frozenset[str] = frozenset()
        self._known: tuple[frozenset[str], int, list[CordRun]] | None = None

    def runs(self) -> list[CordRun]:
        """The cords to draw, found once for a selection."""
        known = self._known
        if known is None or known[0] is not self.selection or known[1] != self._scene.version:
            known = (self.selection, self._scene.version, cord_runs(self._scene, self.selection))
            self._known = known
        return known[2]

    def draw(self, pencil: Pencil, window: Window) -> None:
        """Draw them, and at each PDU which feed it is on."""
        if not self.wanted or not self.selection:
            return
        draw_runs(pencil, self._scene, window, self._look, self.runs())


def draw_runs(
    pencil: Pencil, scene: SceneArrays, window: Window, look: Look, runs: Sequence[CordRun]
) -> None:
    """Draw cords, and at each PDU which feed it is on."""
    tokens, painter = look.tokens, pencil.painter
    painter.setBrush(Qt.BrushStyle.NoBrush)
    width = float(min(max(round(pencil.scale * 4.0), 1), 3))
    for run in runs:
        line = QPolygonF([QPointF(pencil.px(x), pencil.py(y)) for x, y in run.points])
        painter.setPen(solid_pen(tokens.canvas, width + 2.0))
        painter.drawPolyline(line)
        pen = solid_pen(group_colour(tokens, run.group), width)
        if run.group == "B":
            pen.setDashPattern([5.0, 2.0])
        painter.setPen(pen)
        painter.drawPolyline(line)
    table = scene.devices
    for pdu, group in {run.pdu: run.group for run in runs}.items():
        box = np.asarray(table["box"][table.row_of[pdu]])
        if not window.touching(box[None, :])[0]:
            continue
        rect = pencil.rect(*(float(v) for v in box))
        plate = QRectF(0, 0, max(text_width(group, 11, True) + 8.0, 16.0), 16.0)
        plate.moveCenter(QPointF(rect.center().x(), rect.top() + 10.0))
        name_plate(pencil, plate, tokens.canvas, group_colour(tokens, group))
        pencil.text_px(plate, group, 11, tokens.canvas_text, CENTRE, bold=True, elide=False)
