# SPDX-License-Identifier: Apache-2.0
"""What is under a place: ports by arithmetic on their grid, devices and racks by arrays, cables by
the sorted segments. Only what can be seen can be hit.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rackloom.design.ids import DeviceId
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.look import PORTS_FROM_PX_PER_U, SEGMENT_BUDGET, Window
from rackloom_gui.canvas.segments import distance

PICK_PX = 5.0
"""How near a cable must be, in pixels."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under the pointer, the finest thing first."""

    device: str | None = None
    cage: str | None = None
    """Name of the cage of that device."""
    cable: str | None = None
    rack: str | None = None
    note: str | None = None

    @property
    def id(self) -> str | None:
        """What a click selects: a note is over a cable, that over a device, that over its rack."""
        if self.note is not None:
            return self.note
        if self.cage is not None and self.device is not None and self.cable is None:
            return self.device
        return self.cable or self.device or self.rack


class HitIndex:
    """Answers from the arrays of one view; nothing to rebuild after an edit."""

    def __init__(self, scene: SceneArrays) -> None:
        self.scene = scene

    def rack_at(self, x: float, y: float) -> str | None:
        """The rack at a place."""
        return self._box_at(self.scene.racks, x, y)

    def device_at(self, x: float, y: float) -> str | None:
        """The device that is seen at a place; the last drawn of several."""
        return self._box_at(self.scene.devices, x, y, self.scene.devices["shown"])

    def nearest_device(self, x: float, y: float) -> str | None:
        """The device whose middle is nearest to a place; None where none is seen."""
        devices = self.scene.devices
        rows = np.flatnonzero(devices.alive & devices["shown"])
        if not len(rows):
            return None
        middles = devices["box"][rows, :2] + devices["box"][rows, 2:] / 2
        return devices.ids[int(rows[np.hypot(middles[:, 0] - x, middles[:, 1] - y).argmin()])]

    def _box_at(self, table: Any, x: float, y: float, mask: Any = None) -> str | None:
        box = table["box"]
        hit = (
            table.alive
            & (box[:, 0] <= x)
            & (x <= box[:, 0] + box[:, 2])
            & (box[:, 1] <= y)
            & (y <= box[:, 1] + box[:, 3])
        )
        if mask is not None:
            hit &= mask
        rows = np.flatnonzero(hit)
        return table.ids[int(rows[-1])] if len(rows) else None

    def port_at(self, x: float, y: float, slack_mm: float = 0.0) -> tuple[DeviceId, str] | None:
        """(device, cage) of the cage at a place, or of the nearest within ``slack_mm``."""
        device_id = self.device_at(x, y)
        if device_id is None:
            return None
        devices = self.scene.devices
        row = devices.row_of[device_id]
        face = self.scene.book.faces[devices["face"][row]]
        left, top = devices["box"][row][:2]
        number = face.cage_at(x - left, y - top, slack_mm)
        return None if number is None else (DeviceId(device_id), face.cages[number].name)

    def cable_at(
        self, x: float, y: float, reach_mm: float, window: Window | None = None
    ) -> str | None:
        """The nearest cable within ``reach_mm``; None while ``window`` shows bundles."""
        scene = self.scene
        if window is not None and self.bundled(window):
            return None
        segments, owners = scene.segments.within(
            x - reach_mm, y - reach_mm, x + reach_mm, y + reach_mm
        )
        if not len(owners):
            return None
        away = distance(segments, x, y)
        nearest = int(away.argmin())
        if away[nearest] > reach_mm:
            return None
        return scene.cables.ids[int(scene.legs["cable"][owners[nearest]])]

    def bundled(self, window: Window) -> bool:
        """Whether a window shows bundles instead of cables."""
        scene = self.scene
        most = min(SEGMENT_BUDGET, scene.layout.most_segments)
        place = (window.x0, window.y0, window.x1, window.y1)
        return scene.segments.crowded(most, *place) or len(scene.segments.within(*place)[1]) > most

    def at(self, x: float, y: float, scale: float, window: Window | None = None) -> Hit:
        """Everything at a place, at a zoom of ``scale`` pixels per mm."""
        device = self.device_at(x, y)
        cage = None
        if device is not None and scale * self.scene.layout.label_mm >= PORTS_FROM_PX_PER_U:
            port = self.port_at(x, y, min(2.0 / scale, 3.0))
            cage = port[1] if port else None
        cable = self.cable_at(x, y, (PICK_PX if device is None else 3.0) / scale, window)
        note = self.scene.notes.at(x, y, scale, window) if self.scene.design.notes else None
        return Hit(device, cage, cable, self.rack_at(x, y), note)

    def inside(
        self, x0: float, y0: float, x1: float, y1: float, touching: bool, scale: float | None = None
    ) -> set[str]:
        """Ids of devices and cables in a rectangle, or, without devices there, of racks.

        ``touching``: those that only touch it too; else those wholly inside. ``scale``: the zoom in
        force, which notes need.
        """
        scene = self.scene
        found = self._boxes_in(scene.devices, (x0, y0, x1, y1), touching, scene.devices["shown"])
        if not found:
            found = self._boxes_in(scene.racks, (x0, y0, x1, y1), touching)
        segments, owners = scene.segments.within(x0, y0, x1, y1)
        if touching:
            owners = owners[crosses(segments, (x0, y0, x1, y1))]
        rows = distinct(scene.legs["cable"][owners])
        if not touching and len(rows):
            rows = self._wholly_inside(rows, (x0, y0, x1, y1))
        if scale is not None:
            found |= scene.notes.inside((x0, y0, x1, y1), touching, scale)
        return found | {scene.cables.ids[int(row)] for row in rows}

    def _wholly_inside(self, rows: Any, band: tuple[float, float, float, float]) -> Any:
        """Those of the cables in these rows whose whole route is in a rectangle."""
        scene = self.scene
        x0, y0, x1, y1 = band
        cable = scene.legs["cable"]
        wanted = np.zeros(len(scene.cables.ids), dtype=np.bool_)
        wanted[rows] = True
        legs = np.flatnonzero(scene.legs.alive & wanted[cable]).astype(np.int32)
        route, owners = scene.layout.route(scene, legs)
        xs, ys = route[:, (0, 2)], route[:, (1, 3)]
        out = (xs.min(1) < x0) | (xs.max(1) > x1) | (ys.min(1) < y0) | (ys.max(1) > y1)
        wanted[cable[owners[out]]] = False
        return np.flatnonzero(wanted)

    def bundle_at(self, x: float, y: float, reach_mm: float) -> int:
        """How many cables the bundle at a place holds; 0 where there is none."""
        bundles = self.scene.bundles
        boxes, lines = bundles.boxes, bundles.lines
        inside = (
            (boxes[:, 0] - reach_mm <= x)
            & (x <= boxes[:, 0] + boxes[:, 2] + reach_mm)
            & (boxes[:, 1] - reach_mm <= y)
            & (y <= boxes[:, 1] + boxes[:, 3] + reach_mm)
        )
        near = distance(lines, x, y) <= reach_mm
        counts = bundles.counts[np.concatenate([inside, near])]
        return int(counts.max()) if len(counts) else 0

    def _boxes_in(
        self, table: Any, band: tuple[float, float, float, float], touching: bool, mask: Any = None
    ) -> set[str]:
        x0, y0, x1, y1 = band
        box = table["box"]
        right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
        if touching:
            hit = (box[:, 0] <= x1) & (right >= x0) & (box[:, 1] <= y1) & (bottom >= y0)
        else:
            hit = (box[:, 0] >= x0) & (right <= x1) & (box[:, 1] >= y0) & (bottom <= y1)
        hit &= table.alive
        if mask is not None:
            hit &= mask
        return {table.ids[int(row)] for row in np.flatnonzero(hit)}


def crosses(segments: Any, band: tuple[float, float, float, float]) -> Any:
    """Which segments of any direction meet a rectangle (Liang-Barsky)."""
    x0, y0, x1, y1 = band
    ax, ay = segments[:, 0], segments[:, 1]
    dx, dy = segments[:, 2] - ax, segments[:, 3] - ay
    enter, leave = np.zeros(len(segments)), np.ones(len(segments))
    for p, q in ((-dx, ax - x0), (dx, x1 - ax), (-dy, ay - y0), (dy, y1 - ay)):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = q / p
        enter = np.where(p < 0, np.maximum(enter, t), enter)
        leave = np.where(p > 0, np.minimum(leave, t), leave)
        leave = np.where((p == 0) & (q < 0), -1.0, leave)
    return enter <= leave
