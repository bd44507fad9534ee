# SPDX-License-Identifier: Apache-2.0
"""Reads a design into numpy arrays: places, faces, port states and cable routes of one view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rackloom.catalog.parts import DevicePart, SwitchPart
from rackloom.design import Cable, Design, Device
from rackloom.design.ids import number_of
from rackloom_gui.canvas.colours import (
    CODE_OF_ROLE,
    MODULE_ONLY,
    ColourBook,
    code_of_fabric,
    codes_by_spreading,
)
from rackloom_gui.canvas.faces import FaceBook, kind_of
from rackloom_gui.canvas.layouts import Bundles, Layout
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.segments import IntArray, LineIndex, SegmentIndex
from rackloom_gui.canvas.tables import Legs, Table

if TYPE_CHECKING:
    from rackloom_gui.canvas.notes import NoteBook

FULL_SCALE = 0.5
"""Pixels a mm at 100 %."""
_CHUNK = 65536
"""Legs routed at a time, so that building a large design needs no more memory than keeping it."""


class SceneReader:
    """The arrays of one view, as read from a whole design."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.design = Design()
        self.book = FaceBook()
        self.colours = ColourBook()
        self.racks = Table(box=(np.float64, 4), number=(np.int32, 1))
        self.devices = Table(
            box=(np.float64, 4),
            face=(np.int32, 1),
            look=(np.int32, 1),
            rack=(np.int32, 1),
            number=(np.int32, 1),
            base=(np.int64, 1),
            shown=(np.bool_, 1),
            switch=(np.bool_, 1),
            hint=(np.uint8, 1),
        )
        self.cables = Table(
            code=(np.uint8, 1), own=(np.uint8, 1), first=(np.int64, 1), legs=(np.int32, 1)
        )
        self.legs = Legs()
        self.port_codes: npt.NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._ports_used = 0
        self.looks: list[tuple[str, str]] = []
        """(kind, role) of devices; ``look`` counts in it."""
        self._look_of: dict[tuple[str, str], int] = {}
        self.segments: SegmentIndex | LineIndex = SegmentIndex()
        self._bundles: Bundles | None = None
        self._loads: Mapping[str, float] | None = None
        self._load_codes: npt.NDArray[np.uint8] | None = None
        self.version = 0
        """Counts builds and patches, for those who remember rows."""
        self.notes = _note_book(self)
        self.hidden_devices: frozenset[str] = frozenset()
        """Devices in the hand: drawn by the overlay, not by the layers."""

    # Building

    def build(self, design: Design) -> None:
        """Mirror a design from scratch."""
        self.design = design
        self.version += 1
        self.book = FaceBook()
        self._bundles = self._load_codes = None
        self.layout.prepare(design)
        self._fill_racks(design)
        places = self.layout.places(design, self.book, None)
        self.devices.fill(places.ids, box=places.boxes, face=places.faces, shown=places.shown)
        self._describe(design, places.ids)
        self._lay_out_ports()
        self._read_cables(design)
        self._route_all()
        self._count_modules(design.modules.values())

    def _fill_racks(self, design: Design) -> None:
        ids, boxes = self.layout.racks(design)
        self.racks.fill(ids, box=boxes.reshape(-1, 4), number=[number_of(i) for i in ids])

    def _describe(self, design: Design, ids: Iterable[str]) -> None:
        """Kind, role and rack of devices."""
        rack_row = self.racks.row_of
        looks, racks, switch = self.devices["look"], self.devices["rack"], self.devices["switch"]
        numbers, hints = self.devices["number"], self.devices["hint"]
        known: dict[tuple[str, str | None], tuple[int, bool]] = {}
        row_of = self.devices.row_of
        table = design.devices
        for device_id in ids:
            device: Device = table[device_id]  # type: ignore[index]
            row = row_of[device_id]
            key = (device.part, device.role)
            found = known.get(key)
            if found is None:
                part = design.part(device.part, DevicePart)
                found = known[key] = (
                    self._look(kind_of(part), device.role),
                    isinstance(part, SwitchPart),
                )
            looks[row], switch[row] = found
            hints[row] = code_of_fabric(device.fabric)
            numbers[row] = number_of(device_id)
            racks[row] = rack_row.get(device.rack, -1)

    def _look(self, kind: str, role: str | None) -> int:
        key = (kind, role or "")
        known = self._look_of.get(key)
        if known is None:
            known = self._look_of[key] = len(self.looks)
            self.looks.append(key)
        return known

    def _lay_out_ports(self) -> None:
        counts = np.array([len(face.cages) for face in self.book.faces] or [0], dtype=np.int64)
        mine = counts[self.devices["face"]]
        base = np.concatenate([[0], np.cumsum(mine)])
        self.devices["base"][:] = base[:-1]
        self._ports_used = int(base[-1])
        self.port_codes = np.zeros(self._ports_used, dtype=np.uint8)

    def _read_cables(self, design: Design) -> None:
        """Legs and codes of all cables. The one loop over cables in Python."""
        numbers = [face.number for face in self.book.faces]
        ports = [numbers[face] for face in self.devices["face"].tolist()]
        row_of = self.devices.row_of
        columns: tuple[list[int], ...] = ([], [], [], [], [])
        cable_col, a_dev, a_cage, b_dev, b_cage = columns
        codes: list[int] = []
        first: list[int] = []
        code_of = self.colours.code
        for row, cable in enumerate(design.cables.values()):
            codes.append(code_of(cable))
            first.append(len(cable_col))
            ends = cable.ends
            if len(ends) == 2 and ends[0].end == 0:
                a, b = ends
                at, to = row_of[a.device], row_of[b.device]
                cable_col.append(row)
                a_dev.append(at)
                a_cage.append(ports[at][a.cage])
                b_dev.append(to)
                b_cage.append(ports[to][b.cage])
            else:
                for leg in legs_of_cable(cable, row, row_of, ports.__getitem__):
                    for column, value in zip(columns, leg, strict=True):
                        column.append(value)
        self.legs.fill(columns)
        starts = np.array(first, dtype=np.int64)
        counts = np.diff(np.append(starts, self.legs.count))
        self.cables.fill(tuple(design.cables), own=codes, first=starts, legs=counts)
        self._colour_cables()
        self._mark_ports(np.arange(self.legs.count, dtype=np.int32))

    def _colour_cables(self) -> IntArray:
        """Codes of all cables, from what is known of them and of their ports; legs that changed."""
        here = np.flatnonzero(self.legs.alive)
        legs = {name: self.legs[name][here] for name in self.legs.COLUMNS}
        cable = legs["cable"]
        codes = self.cables["own"].copy()
        of_leg = codes[cable]
        for dev, cage in (("a_dev", "a_cage"), ("b_dev", "b_cage")):
            open_ = np.flatnonzero((of_leg == 0) & (legs[dev] >= 0))
            of_leg[open_] = self._role_codes(legs[dev][open_], legs[cage][open_])
        for dev in ("a_dev", "b_dev"):
            open_ = np.flatnonzero((of_leg == 0) & (legs[dev] >= 0))
            of_leg[open_] = self.devices["hint"][legs[dev][open_]]
        switches = self.devices["switch"] if len(self.devices.ids) else np.zeros(1, dtype=np.bool_)
        of_leg = codes_by_spreading(of_leg, legs["a_dev"], legs["b_dev"], switches, len(switches))
        codes[cable] = of_leg
        changed: IntArray = here[codes[cable] != self.cables["code"][cable]].astype(np.int32)
        self.cables["code"][:] = codes
        return changed

    def _role_codes(self, devices: IntArray, cages: IntArray) -> npt.NDArray[np.uint8]:
        faces = self.book.faces
        sizes = np.array([0, *(len(face.cages) for face in faces)], dtype=np.int64)
        offsets = np.cumsum(sizes)
        flat = np.array(
            [CODE_OF_ROLE[cage.role] for face in faces for cage in face.cages] or [0],
            dtype=np.uint8,
        )
        found: npt.NDArray[np.uint8] = flat[offsets[self.devices["face"][devices]] + cages]
        return found

    def _mark_ports(self, legs: IntArray) -> None:
        """Paint the ports of these legs in the colour of their cable."""
        codes = self.cables["code"][self.legs["cable"][legs]]
        base = self.devices["base"]
        for dev, cage in (("a_dev", "a_cage"), ("b_dev", "b_cage")):
            rows = self.legs[dev][legs]
            real = rows >= 0
            places = base[rows[real]] + self.legs[cage][legs][real]
            # 0 means free, so a cable of no known network is drawn as "other" (code 255).
            self.port_codes[places] = np.where(codes[real] == 0, 255, codes[real])

    def _count_modules(self, modules: Iterable[Any]) -> None:
        row_of, base, codes = self.devices.row_of, self.devices["base"], self.port_codes
        numbers = [face.number for face in self.book.faces]
        faces = self.devices["face"]
        for module in modules:
            row = row_of[module.device]
            place = base[row] + numbers[faces[row]][module.cage]
            if codes[place] == 0:
                codes[place] = MODULE_ONLY

    def _route_all(self) -> None:
        self.segments = SegmentIndex() if self.layout.orthogonal else LineIndex()
        legs = np.flatnonzero(self.legs.alive).astype(np.int32)
        parts = [
            self.layout.route(self, legs[start : start + _CHUNK])
            for start in range(0, len(legs), _CHUNK)
        ]
        if parts:
            segments = np.concatenate([part[0] for part in parts])
            owners = np.concatenate([part[1] for part in parts])
        else:
            segments, owners = np.zeros((0, 4)), np.zeros(0, dtype=np.int32)
        self.segments.build(segments, owners, self.legs.count)

    # Looking

    @property
    def loads(self) -> Mapping[str, float] | None:
        """Loads of cables as they were last set."""
        return self._loads

    def set_loads(self, loads: Mapping[str, float] | None) -> None:
        """Loads of cables, 1.0 being full; None: not asked for."""
        self._loads = loads
        self._load_codes = None
        self._bundles = None

    @property
    def bundle_codes(self) -> npt.NDArray[Any]:
        """What bundles are coloured by: the load class of each cable where asked for, else its
        network.
        """
        loads = self.load_codes
        return self.cables["code"] if loads is None else loads

    @property
    def load_codes(self) -> npt.NDArray[np.uint8] | None:
        """Load class of each cable: 0 none, 1 to 4 quarters, 5 overloaded; None: not asked for."""
        if self._loads is None:
            return None
        if self._load_codes is None or len(self._load_codes) != len(self.cables.ids):
            # one call for all of 50,000 cables: a loop in Python is a frame lost
            shares = np.array(list(map(self._loads.get, self.cables.ids, repeat(0.0))))
            classes = np.clip(np.ceil(shares * 4.0), 0, 4)
            classes[shares > 1.0 + 1e-9] = 5
            self._load_codes = classes.astype(np.uint8)
        return self._load_codes

    def legs_of(self, cable_id: str) -> range:
        """Numbers of a cable's legs."""
        row = self.cables.row_of.get(cable_id)
        if row is None:
            return range(0)
        first = int(self.cables["first"][row])
        return range(first, first + int(self.cables["legs"][row]))

    @property
    def bundles(self) -> Bundles:
        """All cables, drawn together; worked out when first needed after a change."""
        if self._bundles is None:
            self._bundles = self.layout.bundles(self)
        return self._bundles

    def ports(self, dev: str, cage: str, legs: IntArray) -> tuple[FloatArray, Any, Any]:
        """Where legs end: places, whether they are on the seen side, and exit heights."""
        devices, cages = self.legs[dev][legs], self.legs[cage][legs]
        rows = np.maximum(devices, 0)
        boxes, faces = self.devices["box"][rows], self.devices["face"][rows]
        places = boxes[:, :2] + self.book.places(faces, cages)
        seen = self.book.seen(faces, cages) & self.devices["shown"][rows] & (devices >= 0)
        return places, seen, boxes[:, 1] + self.book.exits(faces, cages)

    def route_of(self, cable_id: str) -> FloatArray:
        """The segments of one cable in this view."""
        legs = np.array(self.legs_of(cable_id), dtype=np.int32)
        if not len(legs):
            return np.zeros((0, 4))
        return self.layout.route(self, legs)[0]

    def port_place(self, device_id: str, cage: str) -> tuple[float, float, float, float] | None:
        """Rectangle of a cage that is seen in this view; None for one that is not."""
        row = self.devices.row_of.get(device_id)
        if row is None or not self.devices["shown"][row]:
            return None
        face = self.book.faces[self.devices["face"][row]]
        number = face.number.get(cage)
        if number is None or not face.seen[number]:
            return None
        x, y = self.devices["box"][row][:2]
        left, top, width, height = face.boxes[number]
        return float(x + left), float(y + top), float(width), float(height)

    def box_of(self, entity_id: str) -> tuple[float, float, float, float] | None:
        """Rectangle of a rack, device or cable (around its route); None if not in this view.

        Of a note, whose size depends on the zoom, the one it has at 100 %.
        """
        for table in (self.devices, self.racks):
            row = table.row_of.get(entity_id)
            if row is not None:
                x, y, w, h = (float(v) for v in table["box"][row])
                return x, y, w, h
        if entity_id in self.cables:
            route = self.route_of(entity_id)
            if len(route):
                x0, y0 = route[:, (0, 2)].min(), route[:, (1, 3)].min()
                x1, y1 = route[:, (0, 2)].max(), route[:, (1, 3)].max()
                return float(x0), float(y0), float(x1 - x0), float(y1 - y0)
        if entity_id in self.design.notes:
            plate = self.notes.plate_of(entity_id, FULL_SCALE)
            return None if plate is None else plate.box
        return None


def _note_book(scene: SceneReader) -> NoteBook:
    from rackloom_gui.canvas.notes import NoteBook  # which draws, and so knows this module

    return NoteBook(scene)


def legs_of_cable(
    cable: Cable, row: int, row_of: dict[str, int], numbers: Any
) -> Iterable[tuple[int, int, int, int, int]]:
    """(cable row, device, cage number, device, cage number) of each pair of ends."""
    placed = [(e.end, row_of[e.device], numbers(row_of[e.device])[e.cage]) for e in cable.ends]
    trunk = next(((d, c) for end, d, c in placed if end == 0), None)
    branches = [(d, c) for end, d, c in placed if end != 0]
    if trunk is None:
        yield from ((row, d, c, -1, 0) for d, c in branches)
    elif not branches:
        yield (row, *trunk, -1, 0)
    else:
        yield from ((row, *trunk, d, c) for d, c in branches)
