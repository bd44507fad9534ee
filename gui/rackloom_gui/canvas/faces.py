# SPDX-License-Identifier: Apache-2.0
"""What one sees of a kind of device from one side: its size and where its cages are.

A face is shared by all devices of one part (with the same cards), so a rack of forty servers has
one. Cages on the far side of the chassis are numbered too, so that a cable always has an end; only
those of ``seen`` are drawn and can be pointed at.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import DevicePart, PartId, PduPart, ServerPart, SwitchPart
from rackloom.catalog.words import Side
from rackloom.design import Design, Device
from rackloom.design.hardware import cages_of
from rackloom.placement.geometry import CHASSIS_MM, device_box_mm, outlet_places_mm
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.pointer import FloatArray

FaceKey = tuple[PartId, tuple[tuple[str, PartId], ...], Side, float, float]


def kind_of(part: DevicePart) -> str:
    """The key of a part in the theme's device colours."""
    match part:
        case ServerPart():
            return {"gpu": "gpu-server", "storage": "storage-server"}.get(
                part.purpose, "cpu-server"
            )
        case SwitchPart():
            return "switch"
        case PduPart():
            return "pdu"
        case _:
            return "other"


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One side of a kind of device; all measures in mm from its upper left corner, y downwards."""

    key: FaceKey
    part: DevicePart
    side: Side
    """The side of the chassis that is seen."""
    width_mm: float
    height_mm: float
    cages: tuple[Cage, ...]
    number: Mapping[str, int]
    boxes: FloatArray
    """(left, top, width, height) of every cage."""
    centres: FloatArray
    seen: np.ndarray[Any, np.dtype[np.bool_]]
    exits: FloatArray
    """Height at which a cable leaves a cage sideways: in the strip above or below its row."""
    outlets: FloatArray
    """Centres of a PDU's outlets, in the order of its ``outlet_names``."""
    plain: bool = False
    """A box of the fabric diagram rather than a faceplate."""

    @property
    def ear_mm(self) -> float:
        """Width of a mounting ear; 0 from behind."""
        if self.plain:
            return 0.0
        return max((self.width_mm - CHASSIS_MM) / 2, 0.0)

    def cage_at(self, x_mm: float, y_mm: float, slack_mm: float = 0.0) -> int | None:
        """Number of the seen cage at a place of the face, by arithmetic on its grid."""
        if not len(self.boxes):
            return None
        away = np.maximum(
            np.abs(self.centres[:, 0] - x_mm) - self.boxes[:, 2] / 2,
            np.abs(self.centres[:, 1] - y_mm) - self.boxes[:, 3] / 2,
        )
        away[~self.seen] = np.inf
        nearest = int(away.argmin())
        return nearest if away[nearest] <= slack_mm else None


def make_face(
    design: Design, device: Device, side: Side, width_mm: float, height_mm: float
) -> Face:
    """The face of a device of the design of which one sees ``side`` of the chassis."""
    part = design.part(device.part, DevicePart)
    cages = tuple(cages_of(design, device).values())
    seen = np.array([cage.side is side for cage in cages], dtype=np.bool_)
    boxes = np.empty((len(cages), 4))
    ear_mm = max((width_mm - CHASSIS_MM) / 2, 0.0)
    for n, cage in enumerate(cages):
        # What looks out of the far side is seen, as through glass, mirrored.
        x_mm = cage.x_mm if cage.side is side else CHASSIS_MM - cage.x_mm
        boxes[n] = (
            ear_mm + x_mm - cage.width_mm / 2,
            height_mm - cage.y_mm - cage.height_mm / 2,
            cage.width_mm,
            cage.height_mm,
        )
    return Face(
        (device.part, device.cards, side, width_mm, height_mm),
        part,
        side,
        width_mm,
        height_mm,
        cages,
        {cage.name: n for n, cage in enumerate(cages)},
        boxes,
        boxes[:, :2] + boxes[:, 2:] / 2,
        seen,
        _exits(boxes, height_mm),
        _outlets(design, device, part),
    )


def _exits(boxes: FloatArray, height_mm: float) -> FloatArray:
    """Cables of the upper rows leave above their cage, those of the lower rows below it.

    Neighbours leave at different heights, so that the cables of a row lie side by side.
    """
    if not len(boxes):
        return np.zeros(0)
    centre_y = boxes[:, 1] + boxes[:, 3] / 2
    _, row = np.unique(np.round(centre_y, 1), return_inverse=True)
    upwards = row < (row.max() + 1) / 2 if row.max() else centre_y < height_mm / 2
    rank = np.empty(len(boxes))
    for level in distinct(row):
        members = np.flatnonzero(row == level)
        order = np.argsort(np.argsort(boxes[members, 0], kind="stable"), kind="stable")
        rank[members] = order / max(len(members), 1)
    lane = 0.8 + 4.0 * rank
    exits = np.where(upwards, boxes[:, 1] - lane, boxes[:, 1] + boxes[:, 3] + lane)
    return np.clip(exits, 0.6, max(height_mm - 0.6, 0.6))


def _outlets(design: Design, device: Device, part: DevicePart) -> FloatArray:
    if not isinstance(part, PduPart):
        return np.zeros((0, 2))
    box = device_box_mm(design, device.id, Side.REAR)
    places = outlet_places_mm(design, device.id)
    top_mm = box.z_mm + box.height_mm
    return np.stack([places[:, 0] - box.x_mm, top_mm - places[:, 1]], axis=1)


class FaceBook:
    """All faces in use, numbered; cage places of all of them in one array for bulk look-up."""

    def __init__(self) -> None:
        self.faces: list[Face] = []
        self._number: dict[FaceKey, int] = {}
        self._offsets: list[int] = [0]
        self._flat: FloatArray | None = None
        self._exits: FloatArray | None = None
        self._seen: np.ndarray[Any, np.dtype[np.bool_]] | None = None

    def number_of(
        self, design: Design, device: Device, side: Side, width_mm: float, height_mm: float
    ) -> int:
        """The number of a face, made when first asked for."""
        key = (device.part, device.cards, side, width_mm, height_mm)
        known = self._number.get(key)
        if known is not None and self.faces[known].part is design.parts[device.part]:
            return known
        return self.add(make_face(design, device, side, width_mm, height_mm))

    def known(self, key: FaceKey) -> int | None:
        """The number of a face that is in the book, or None."""
        return self._number.get(key)

    def add(self, face: Face) -> int:
        """Put a face into the book; it replaces one of the same key for later look-ups."""
        number = self._number[face.key] = len(self.faces)
        self.faces.append(face)
        self._offsets.append(self._offsets[-1] + len(face.cages))
        self._flat = self._exits = self._seen = None
        return number

    def places(self, faces: np.ndarray[Any, Any], cages: np.ndarray[Any, Any]) -> FloatArray:
        """Centres of cages relative to their faces, for arrays of face and cage numbers."""
        if self._flat is None:
            kept = [face.centres for face in self.faces if len(face.centres)]
            self._flat = np.concatenate(kept) if kept else np.zeros((1, 2))
        rows = np.asarray(self._offsets, dtype=np.int64)[faces] + cages
        found: FloatArray = self._flat[np.minimum(rows, len(self._flat) - 1)]
        return found

    def exits(self, faces: np.ndarray[Any, Any], cages: np.ndarray[Any, Any]) -> FloatArray:
        """Heights at which cables leave those cages, relative to their faces."""
        if self._exits is None:
            kept = [face.exits for face in self.faces if len(face.exits)]
            self._exits = np.concatenate(kept) if kept else np.zeros(1)
        rows = np.asarray(self._offsets, dtype=np.int64)[faces] + cages
        found: FloatArray = self._exits[np.minimum(rows, len(self._exits) - 1)]
        return found

    def seen(
        self, faces: np.ndarray[Any, Any], cages: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether those cages are on the side one looks at."""
        if self._seen is None:
            kept = [face.seen for face in self.faces if len(face.seen)]
            self._seen = np.concatenate(kept) if kept else np.zeros(1, dtype=np.bool_)
        rows = np.asarray(self._offsets, dtype=np.int64)[faces] + cages
        found: np.ndarray[Any, np.dtype[np.bool_]]
        found = self._seen[np.minimum(rows, len(self._seen) - 1)]
        return found
