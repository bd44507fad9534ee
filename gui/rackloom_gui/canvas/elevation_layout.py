# SPDX-License-Identifier: Apache-2.0
"""Racks seen from one side, in rows, in true millimetres; where things are is placement's business.

Cables run as they are dressed: from the cage out of its row, sideways to the manager beside the
rails, along it, and up to the row's tray where they leave the rack. Every cable has its own lane in
managers and trays, so that neighbours can be told apart.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import Side
from rackloom.design import Change, Design
from rackloom.placement.elevation import TRAY_MM, Elevation, device_boxes, elevation
from rackloom.placement.elevation import device_box as device_box_on_drawing
from rackloom.placement.geometry import FACEPLATE_MM, STRIP_MM, chassis_side, is_visible
from rackloom_gui.canvas.faces import FaceBook
from rackloom_gui.canvas.layouts import Bundles, Places
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.scene_reader import SceneReader
from rackloom_gui.canvas.segments import IntArray, Segments

NUMBERS_MM = 20.0
"""Width of the strip beside the rails that carries the U numbers."""
CLEAR_MM = 54.0
CLEAR_NARROW_MM = 38.0
"""What cables leave free beside the rails: at the least zoom that shows U numbers they need 54 mm.
In racks without room for that much both get their share, and the numbers are shown from closer."""
FRAME_MM = 7.0
"""Side of the cabinet as drawn."""
BEYOND_MM = 240.0
"""Cables between rows pass this far beside the drawing."""
STUB_MM = 60.0
"""A cable's end that hangs loose is drawn as long as this."""
_R2 = (0.7548776662466927, 0.5698402909980532)


def numbers_room_mm(margin_mm: Any) -> FloatArray:
    """How much of the width beside the rails is the U numbers'; the rest is the cables'."""
    room: FloatArray = np.where(np.asarray(margin_mm) > 2 * CLEAR_MM, CLEAR_MM, CLEAR_NARROW_MM)
    return room


def lane_of(things: Any, ports: Any) -> FloatArray:
    """A lane (0 to 1) for each port of each thing, neighbours well apart (Roberts' R2 sequence)."""
    lanes: FloatArray = (np.asarray(things) * _R2[0] + np.asarray(ports) * _R2[1]) % 1.0
    return lanes


class ElevationLayout:
    """Racks, devices and cables of one side."""

    name = "racks"
    orthogonal = True
    label_mm = U_MM
    most_segments = 100000
    draws_devices = True

    def __init__(self, side: Side = Side.FRONT) -> None:
        self.side = side
        self.drawing = elevation(Design())
        self._boxes: FloatArray = np.zeros((0, 4))
        self._band: IntArray = np.zeros(0, dtype=np.int32)
        self._tray_top: FloatArray = np.zeros(0)

    def prepare(self, design: Design) -> None:
        self.drawing = elevation(design)
        bands = {band.row: n for n, band in enumerate(self.drawing.bands)}
        self._band = np.array(
            [bands[design.racks[rack].row] for rack in self.drawing.racks], dtype=np.int32
        )
        self._boxes = np.array(self.drawing.rack_boxes)
        self._tray_top = np.array([band.tray_top_mm for band in self.drawing.bands] or [0.0])

    def racks(self, design: Design) -> tuple[Sequence[str], FloatArray]:
        self.prepare(design)
        boxes = self._boxes.copy()
        boxes[:, 2:] -= boxes[:, :2]
        return self.drawing.racks, boxes

    def places(self, design: Design, book: FaceBook, ids: Sequence[str] | None) -> Places:
        if ids is None:
            found = device_boxes(design, self.side)
            all_ids: Sequence[str] = found.ids
            boxes = found.boxes.copy()
            boxes[:, 2:] -= boxes[:, :2]
            shown = found.visible.copy()
        else:
            all_ids = ids
            boxes = np.empty((len(ids), 4))
            shown = np.empty(len(ids), dtype=np.bool_)
            for n, device_id in enumerate(ids):
                box = device_box_on_drawing(design, device_id, self.side)  # type: ignore[arg-type]
                boxes[n] = (box.x0, box.y0, box.width, box.height)
                shown[n] = is_visible(design, device_id, self.side)  # type: ignore[arg-type]
        faces = np.empty(len(all_ids), dtype=np.int32)
        known: dict[object, int] = {}
        sizes = boxes[:, 2:].tolist()
        for n, device_id in enumerate(all_ids):
            device = design.devices[device_id]  # type: ignore[index]
            width, height = sizes[n]
            key = (device.part, device.cards, device.face, round(width, 3), round(height, 3))
            if device.bottom_u is None:
                key = (*key, device.mount)  # type: ignore[assignment]
            face = known.get(key)
            if face is None:
                seen = chassis_side(device, self.side)
                face = known[key] = book.number_of(
                    design, device, seen, round(width, 3), round(height, 3)
                )
            faces[n] = face
        return Places(all_ids, boxes, faces, shown)

    def stale(self, before: Design, design: Design, change: Change) -> set[str] | None:
        stale = {r.id for r in change.of("devices") if r.after is not None}
        if change.tables & {"racks", "rows"}:
            old, new = elevation(before), elevation(design)
            if [b.row for b in old.bands] != [b.row for b in new.bands]:
                return None
            moved = _moved_racks(old, new) | {r.id for r in change.of("racks")}
            for rack in moved:
                stale.update(design.index.devices_in_rack.get(rack, ()))  # type: ignore[call-overload]
            if len(stale) > max(len(design.devices) // 3, 64):
                return None
        return stale

    def bounds(self) -> tuple[float, float, float, float]:
        box = self.drawing.bounds
        return box.x0, box.y0, box.x1, box.y1

    # Cables

    def _margins(self, scene: SceneReader, racks: Any) -> FloatArray:
        """Width beside the rails, which managers and U numbers share."""
        margins: FloatArray = (scene.racks["box"][racks, 2] - FACEPLATE_MM) / 2
        return np.maximum(margins, 16.0)

    def manager(self, scene: SceneReader, racks: Any) -> tuple[FloatArray, FloatArray]:
        """Where cables run up and down a rack: how far from its edge, and how wide, in mm."""
        margin = self._margins(scene, racks)
        room = np.maximum(margin - numbers_room_mm(margin) - FRAME_MM - 4.0, 3.0)
        # In wide racks the cables keep clear of the PDUs that hang at the very edge.
        clear = np.where(room > STRIP_MM + 20.0, STRIP_MM, 0.0)
        return FRAME_MM + 2.0 + clear, room - clear

    def _channel(self, scene: SceneReader, racks: Any, right: Any, lane: Any) -> FloatArray:
        """x of a lane in the left or right manager of racks."""
        box = scene.racks["box"][racks]
        first, room = self.manager(scene, racks)
        inset = first + lane * room
        at: FloatArray = np.where(right, box[:, 0] + box[:, 2] - inset, box[:, 0] + inset)
        return at

    def row_corner(self, design: Design, row: str) -> tuple[float, float] | None:
        band = next((band for band in self.drawing.bands if band.row == row), None)
        return None if band is None else (design.rows[band.row].x_m * 1000, band.top_mm)

    def route(self, scene: SceneReader, legs: IntArray) -> Segments:
        a, a_seen, a_exit = scene.ports("a_dev", "a_cage", legs)
        b, b_seen, b_exit = scene.ports("b_dev", "b_cage", legs)
        loose = scene.legs["b_dev"][legs] < 0
        a_x, a_y, cross, b_y, b_x, a_right = self._ways(scene, legs, a, b, b_exit)
        corners = (
            (a[:, 0], a[:, 1]),
            (a[:, 0], a_exit),
            (a_x, a_exit),
            (a_x, a_y),
            (cross, a_y),
            (cross, b_y),
            (b_x, b_y),
            (b_x, b_exit),
            (b[:, 0], b_exit),
            (b[:, 0], b[:, 1]),
        )
        points = np.stack([np.stack(corner, 1) for corner in corners], axis=1)
        if loose.any():  # a short stub out of the port
            end = np.where(a_right, a[:, 0] + STUB_MM, a[:, 0] - STUB_MM)
            points[loose, 2:] = np.stack([end, a_exit], 1)[loose][:, None, :]
        segments = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)
        keep = (segments[:, :, 0] != segments[:, :, 2]) | (segments[:, :, 1] != segments[:, :, 3])
        keep &= (a_seen | b_seen)[:, None]
        keep[:, :2] &= a_seen[:, None]  # of a port on the far side only the manager is seen
        keep[:, -2:] &= (b_seen | loose)[:, None]
        owners = np.broadcast_to(legs[:, None], keep.shape)
        return segments[keep], np.ascontiguousarray(owners[keep])

    def _ways(
        self, scene: SceneReader, legs: IntArray, a: FloatArray, b: FloatArray, b_exit: FloatArray
    ) -> tuple[Any, ...]:
        """Lanes: manager x and tray y at both ends, where trays are changed, and a's side."""
        a_dev, b_dev = scene.legs["a_dev"][legs], np.maximum(scene.legs["b_dev"][legs], 0)
        a_cage, b_cage = scene.legs["a_cage"][legs], scene.legs["b_cage"][legs]
        a_rack = scene.devices["rack"][a_dev]
        b_rack = np.where(scene.legs["b_dev"][legs] < 0, a_rack, scene.devices["rack"][b_dev])
        same_rack = a_rack == b_rack
        box, number = scene.racks["box"], scene.devices["number"]
        a_mid = box[a_rack, 0] + box[a_rack, 2] / 2
        b_mid = box[b_rack, 0] + box[b_rack, 2] / 2
        # Within a rack both ends use the manager that is nearer to both.
        a_right = np.where(same_rack, (a[:, 0] + b[:, 0]) / 2 >= a_mid, a[:, 0] >= a_mid)
        a_x = self._channel(scene, a_rack, a_right, lane_of(number[a_dev], a_cage))
        b_lane = lane_of(number[b_dev], b_cage)
        b_x = np.where(same_rack, a_x, self._channel(scene, b_rack, b[:, 0] >= b_mid, b_lane))
        pair = scene.racks["number"][a_rack] * 31 + scene.racks["number"][b_rack] * 17
        tray = lane_of(pair, a_cage)
        a_band, b_band = self._band[a_rack], self._band[b_rack]
        same_row = a_band == b_band
        in_tray = 16.0 + tray * (TRAY_MM - 32.0)
        a_y = np.where(same_rack, b_exit, self._tray_top[a_band] + in_tray)
        b_y = np.where(same_rack | same_row, a_y, self._tray_top[b_band] + in_tray)
        left, _, right, _ = self.bounds()
        beyond = BEYOND_MM * (0.3 + 0.7 * tray)
        to_left = (a_mid + b_mid) / 2 < (left + right) / 2
        between = np.where(to_left, left - beyond, right + beyond)
        cross = np.where(same_rack, a_x, np.where(same_row, b_x, between))
        return a_x, a_y, cross, b_y, b_x, a_right

    def bundles(self, scene: SceneReader) -> Bundles:
        from rackloom_gui.canvas.elevation_bundles import elevation_bundles

        return elevation_bundles(self, scene)

    @property
    def bands(self) -> IntArray:
        """Number of the row of each rack."""
        return self._band

    @property
    def tray_tops(self) -> FloatArray:
        """Upper edge of each row's tray."""
        return self._tray_top


def _moved_racks(old: Elevation, new: Elevation) -> set[str]:
    before = dict(zip(old.racks, map(tuple, old.rack_boxes.tolist()), strict=True))
    return {
        rack
        for rack, box in zip(new.racks, map(tuple, new.rack_boxes.tolist()), strict=True)
        if before.get(rack) != box
    }
