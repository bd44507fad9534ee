# SPDX-License-Identifier: Apache-2.0
"""The room from above: racks in their rows, fronts towards the top, and the trays over them.

True millimetres; y runs downwards on the drawing as y runs backwards in the room.
"""

from collections.abc import Sequence

import numpy as np

from rackloom.catalog.parts import U_MM, RackPart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design
from rackloom.design.ids import RowId
from rackloom.placement.floor import Tray, trays
from rackloom_gui.canvas.colours import FABRICS
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.elevation_bundles import bundle_width
from rackloom_gui.canvas.elevation_layout import lane_of
from rackloom_gui.canvas.faces import Face, FaceBook
from rackloom_gui.canvas.layouts import Bundles, Places
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.scene_reader import SceneReader
from rackloom_gui.canvas.segments import IntArray, Segments

TRAY_W = 300.0
"""Width of a tray as drawn."""


class FloorLayout:
    """Racks from above. Devices are where their rack is, and are not drawn."""

    name = "floor"
    orthogonal = True
    label_mm = U_MM
    most_segments = 1500
    draws_devices = False
    side = Side.FRONT

    def __init__(self) -> None:
        self._ids: tuple[str, ...] = ()
        self._boxes: FloatArray = np.zeros((0, 4))
        self._row: dict[str, int] = {}
        self._band: IntArray = np.zeros(0, dtype=np.int32)
        self._tray_y: FloatArray = np.zeros(1)
        self._crossings: FloatArray = np.zeros(0)
        """Where the project has its cross trays; without any they are at the ends of rows."""
        self._ends: FloatArray = np.zeros((1, 2))
        self.trays: list[Tray] = []

    def prepare(self, design: Design) -> None:
        boxes = []
        rows = {row: n for n, row in enumerate(design.rows)}
        deepest = np.zeros(max(len(rows), 1))
        band = []
        for rack in design.racks.values():
            part = design.part(rack.part, RackPart)
            row = design.rows[rack.row]
            x = (row.x_m + rack.position_m) * 1000
            boxes.append((x, row.y_m * 1000, part.width_mm, part.depth_mm))
            n = rows[rack.row]
            band.append(n)
            deepest[n] = max(deepest[n], part.depth_mm)
        self._ids = tuple(design.racks)
        self._boxes = np.array(boxes, dtype=np.float64).reshape(-1, 4)
        self._row = {rack: n for n, rack in enumerate(self._ids)}
        self._band = np.array(band, dtype=np.int32)
        fronts = np.array([row.y_m * 1000 for row in design.rows.values()] or [0.0])
        self._tray_y = fronts + deepest / 2
        self.trays = trays(design)
        self._crossings = np.array(design.settings.cross_trays_x_m, dtype=np.float64) * 1000
        self._ends = np.zeros((max(len(rows), 1), 2))
        self._ends[:] = np.inf, -np.inf
        np.minimum.at(self._ends[:, 0], self._band, self._boxes[:, 0])
        np.maximum.at(self._ends[:, 1], self._band, self._boxes[:, 0] + self._boxes[:, 2])

    def racks(self, design: Design) -> tuple[Sequence[str], FloatArray]:
        self.prepare(design)
        return self._ids, self._boxes.copy()

    def places(self, design: Design, book: FaceBook, ids: Sequence[str] | None) -> Places:
        chosen = list(design.devices) if ids is None else list(ids)
        rows = np.array(
            [self._row[design.devices[d].rack] for d in chosen],  # type: ignore[index]
            dtype=np.int64,
        )
        boxes = self._boxes[rows] if len(rows) else np.zeros((0, 4))
        faces = np.array([_no_face(design, d, book) for d in chosen], dtype=np.int32)
        return Places(chosen, boxes, faces, np.zeros(len(chosen), dtype=np.bool_))

    def stale(self, before: Design, design: Design, change: Change) -> set[str] | None:
        if change.tables & {"racks", "rows", "settings"}:
            return None
        return {r.id for r in change.of("devices") if r.after is not None}

    def bounds(self) -> tuple[float, float, float, float]:
        if not len(self._boxes):
            return 0.0, 0.0, 4000.0, 3000.0
        right, bottom = (self._boxes[:, :2] + self._boxes[:, 2:]).max(axis=0)
        left, top = self._boxes[:, :2].min(axis=0)
        return float(left), float(top) - 500.0, float(right), float(bottom)

    def row_corner(self, design: Design, row: str) -> tuple[float, float] | None:
        found = design.rows.get(RowId(row))
        return None if found is None else (found.x_m * 1000, found.y_m * 1000 - 420.0)

    def _cross_x(self, a: IntArray, b: IntArray) -> FloatArray:
        """The cross tray between racks of two rows that makes the way shortest.

        As `rackloom.placement.routes` chooses it: of those of the project, else of the rows' ends.
        """
        if len(self._crossings):
            options = np.broadcast_to(self._crossings, (len(a), len(self._crossings)))
        else:
            options = np.concatenate([self._ends[self._band[a]], self._ends[self._band[b]]], axis=1)
        middle = self._boxes[:, 0] + self._boxes[:, 2] / 2
        way = np.abs(middle[a, None] - options) + np.abs(middle[b, None] - options)
        found: FloatArray = np.take_along_axis(options, way.argmin(axis=1)[:, None], axis=1)[:, 0]
        return found

    def route(self, scene: SceneReader, legs: IntArray) -> Segments:
        legs = legs[scene.legs["b_dev"][legs] >= 0]
        rack = scene.devices["rack"]
        a, b = rack[scene.legs["a_dev"][legs]], rack[scene.legs["b_dev"][legs]]
        legs, a, b = legs[a != b], a[a != b], b[a != b]
        if not len(legs):
            return np.zeros((0, 4)), legs
        box = scene.racks["box"]
        number = scene.devices["number"][scene.legs["a_dev"][legs]]
        lane = lane_of(number, scene.legs["a_cage"][legs])
        spread = 0.3 + 0.4 * lane
        ax = box[a, 0] + box[a, 2] * spread
        bx = box[b, 0] + box[b, 2] * spread
        ay = box[a, 1] + box[a, 3] * 0.72
        by = box[b, 1] + box[b, 3] * 0.72
        offset = (lane - 0.5) * (TRAY_W - 60.0)
        ta, tb = self._tray_y[self._band[a]] + offset, self._tray_y[self._band[b]] + offset
        same = self._band[a] == self._band[b]
        cross = np.where(same, bx, self._cross_x(a, b) + offset)
        points = np.stack(
            [
                np.stack([ax, ay], 1), np.stack([ax, ta], 1), np.stack([cross, ta], 1),
                np.stack([cross, tb], 1), np.stack([bx, tb], 1), np.stack([bx, by], 1),
            ],
            axis=1,
        )  # fmt: skip
        segments = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)
        keep = (segments[:, :, 0] != segments[:, :, 2]) | (segments[:, :, 1] != segments[:, :, 3])
        owners = np.broadcast_to(legs[:, None], keep.shape)
        return segments[keep], np.ascontiguousarray(owners[keep])

    def bundles(self, scene: SceneReader) -> Bundles:
        """Runs in the trays between racks and crossings, as wide as what lies in them."""
        legs = np.flatnonzero(scene.legs.alive & (scene.legs["b_dev"] >= 0))
        rack = scene.devices["rack"]
        a, b = rack[scene.legs["a_dev"][legs]], rack[scene.legs["b_dev"][legs]]
        codes = scene.bundle_codes[scene.legs["cable"][legs]].astype(np.int64)
        codes = np.where(codes < len(FABRICS), codes, 0)[a != b]
        a, b = a[a != b], b[a != b]
        if not len(a):
            return Bundles()
        box = scene.racks["box"]
        mid = box[:, 0] + box[:, 2] / 2
        same = self._band[a] == self._band[b]
        cross = np.where(same, mid[b], self._cross_x(a, b))
        runs: list[tuple[FloatArray, FloatArray]] = []
        for band in distinct(self._band):
            here_a, here_b = self._band[a] == band, (self._band[b] == band) & ~same
            x0 = np.concatenate([mid[a[here_a]], mid[b[here_b]]])
            x1 = np.concatenate([cross[here_a], cross[here_b]])
            loads, stops = _loads(x0, x1, np.concatenate([codes[here_a], codes[here_b]]))
            thick = bundle_width(loads.sum(axis=1))
            y = self._tray_y[band]
            runs.append((np.stack([stops[:-1], y - thick / 2, np.diff(stops), thick], 1), loads))
        for x in distinct(cross[~same]):
            some = ~same & (cross == x)
            loads, stops = _loads(
                self._tray_y[self._band[a[some]]], self._tray_y[self._band[b[some]]], codes[some]
            )
            thick = bundle_width(loads.sum(axis=1))
            runs.append((np.stack([x - thick / 2, stops[:-1], thick, np.diff(stops)], 1), loads))
        boxes = np.concatenate([r[0] for r in runs])
        votes = np.concatenate([r[1] for r in runs])
        some = votes.sum(axis=1) > 0
        return Bundles(
            boxes[some], np.zeros((0, 4)), votes[some].sum(axis=1).astype(np.int32),
            votes[some].argmax(axis=1).astype(np.uint8),
        )  # fmt: skip


def _loads(x0: FloatArray, x1: FloatArray, codes: IntArray) -> tuple[FloatArray, FloatArray]:
    """How many cables of each network lie between neighbouring stops along a tray."""
    stops = distinct(np.concatenate([x0, x1]))
    change = np.zeros((len(stops), len(FABRICS)))
    np.add.at(change, (np.searchsorted(stops, np.minimum(x0, x1)), codes), 1.0)
    np.add.at(change, (np.searchsorted(stops, np.maximum(x0, x1)), codes), -1.0)
    return np.cumsum(change, axis=0)[:-1], stops


def _no_face(design: Design, device_id: str, book: FaceBook) -> int:
    """Devices have no face from above, but their cages keep their numbers."""
    from rackloom.design.hardware import cages_of

    device = design.devices[device_id]  # type: ignore[index]
    key = (device.part, device.cards, Side.FRONT, 0.0, 0.0)
    known = book.known(key)
    if known is not None and book.faces[known].part is design.parts[device.part]:
        return known
    cages = tuple(cages_of(design, device).values())
    count = len(cages)
    part = design.parts[device.part]
    return book.add(
        Face(
            key, part, Side.FRONT, 0.0, 0.0, cages,  # type: ignore[arg-type]
            {cage.name: n for n, cage in enumerate(cages)},
            np.zeros((count, 4)), np.zeros((count, 2)), np.zeros(count, dtype=np.bool_),
            np.zeros(count), np.zeros((0, 2)),
        )
    )  # fmt: skip
