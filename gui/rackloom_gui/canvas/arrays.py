# SPDX-License-Identifier: Apache-2.0
"""The scene's mirror of a design: places, faces, port states and cable routes in numpy arrays.

Built at once, then patched in place by each ``Change``. Where things are is the business of a
layout (elevation, fabric, floor); everything else is the same for the three views.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rackloom.catalog.parts import DevicePart, SwitchPart
from rackloom.catalog.words import Side
from rackloom.design import Cable, Change, Design, Device
from rackloom.design.ids import number_of
from rackloom_gui.canvas.colours import (
    CODE_OF_ROLE,
    MODULE_ONLY,
    ColourBook,
    code_of_fabric,
    codes_by_spreading,
)
from rackloom_gui.canvas.faces import FaceBook, kind_of
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.segments import IntArray, LineIndex, SegmentIndex, Segments
from rackloom_gui.canvas.tables import Legs, Table

_CHUNK = 65536
"""Legs routed at a time, so that building a large design needs no more memory than keeping it."""


@dataclass(slots=True)
class Places:
    """Where devices are: one row a device."""

    ids: Sequence[str]
    boxes: FloatArray
    """(left, top, width, height) in mm, y downwards."""
    faces: IntArray
    shown: npt.NDArray[np.bool_]


@dataclass(slots=True)
class Bundles:
    """Cables drawn together where single ones would be too many."""

    boxes: FloatArray = field(default_factory=lambda: np.zeros((0, 4)))
    """Axis-parallel bundles as (left, top, width, height) in mm."""
    lines: FloatArray = field(default_factory=lambda: np.zeros((0, 4)))
    """Bundles of other directions as (x1, y1, x2, y2) in mm."""
    counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Cables in each; first those of ``boxes``, then those of ``lines``."""
    codes: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))


class Layout(Protocol):
    """Where things are in one view."""

    name: str
    side: Side
    orthogonal: bool
    draws_devices: bool
    most_segments: int
    """More than this in view are bundled, if the budget does not say so before."""
    label_mm: float
    """Height of the lowest thing with a name: decides when names and ports are drawn."""

    def prepare(self, design: Design) -> None:
        """Work out the arrangement."""

    def racks(self, design: Design) -> tuple[Sequence[str], FloatArray]:
        """Ids and rectangles of the racks; empty where the view has none."""

    def places(self, design: Design, book: FaceBook, ids: Sequence[str] | None) -> Places:
        """Where these devices are (default: all)."""

    def stale(self, before: Design, design: Design, change: Change) -> set[str] | None:
        """Devices to place anew after a change; None: everything."""

    def route(self, scene: "SceneArrays", legs: IntArray) -> Segments:
        """The segments of these legs."""

    def bundles(self, scene: "SceneArrays") -> Bundles:
        """All cables, drawn together."""

    def bounds(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of the drawing."""


class SceneArrays:
    """What one view draws and hits, as arrays."""

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
        )
        self.cables = Table(code=(np.uint8, 1), first=(np.int64, 1), legs=(np.int32, 1))
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
        numbers = self.devices["number"]
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
                for leg in _legs_of(cable, row, row_of, ports.__getitem__):
                    for column, value in zip(columns, leg, strict=True):
                        column.append(value)
        self.legs.fill(columns)
        starts = np.array(first, dtype=np.int64)
        counts = np.diff(np.append(starts, self.legs.count))
        self.cables.fill(tuple(design.cables), first=starts, legs=counts)
        self._colour_cables(np.array(codes, dtype=np.uint8))

    def _colour_cables(self, codes: npt.NDArray[np.uint8]) -> None:
        """Codes of all cables, from what is known of them and of their ports."""
        legs = self.legs
        cable = legs["cable"]
        of_leg = codes[cable]
        for dev, cage in (("a_dev", "a_cage"), ("b_dev", "b_cage")):
            open_ = np.flatnonzero((of_leg == 0) & (legs[dev] >= 0))
            of_leg[open_] = self._role_codes(legs[dev][open_], legs[cage][open_])
        hints = np.zeros(max(len(self.devices.ids), 1), dtype=np.uint8)
        for device_id, row in self.devices.items():
            fabric = self.design.devices[device_id].fabric  # type: ignore[index]
            if fabric:
                hints[row] = code_of_fabric(fabric)
        for dev in ("a_dev", "b_dev"):
            open_ = np.flatnonzero((of_leg == 0) & (legs[dev] >= 0))
            of_leg[open_] = hints[legs[dev][open_]]
        switches = self.devices["switch"] if len(self.devices.ids) else np.zeros(1, dtype=np.bool_)
        of_leg = codes_by_spreading(of_leg, legs["a_dev"], legs["b_dev"], switches, len(hints))
        codes[cable] = of_leg
        self.cables["code"][:] = codes
        self._mark_ports(np.arange(legs.count, dtype=np.int32))

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

    # Patching

    def patch(self, design: Design, change: Change) -> None:
        """Follow a change of the design in place."""
        before, self.design = self.design, design
        self.version += 1
        stale = self.layout.stale(before, design, change)
        if stale is None or any(True for _ in change.of("parts") if _.before is not None):
            self.build(design)
            return
        self._bundles = self._load_codes = None
        if change.tables & {"racks", "rows"}:
            self._fill_racks(design)
            self._describe(design, [i for i in self.devices.row_of if i in design.devices])
        cables = {r.id for r in change.of("cables")}
        ports = self._devices_of(change)
        for record in change.of("devices"):
            if record.after is None:
                self.devices.drop(record.id)
        self._drop_cables(cables)
        self._place(design, stale)
        self._add_cables(design, [c for c in cables if c in design.cables])
        self._refresh_ports(design, ports | stale)
        moved = stale & design.devices.keys()
        self._reroute(design, moved, cables)

    def _devices_of(self, change: Change) -> set[str]:
        found: set[str] = set()
        for record in change.of("cables"):
            for cable in (record.before, record.after):
                if cable is not None:
                    found.update(end.device for end in cable.ends)
        for record in change.of("modules"):
            found.update(m.device for m in (record.before, record.after) if m is not None)
        return found

    def _place(self, design: Design, ids: set[str]) -> None:
        here = [i for i in ids if i in design.devices]
        if not here:
            return
        places = self.layout.places(design, self.book, here)
        base = 0
        for device_id, box, face, shown in zip(
            places.ids, places.boxes, places.faces, places.shown, strict=True
        ):
            fresh = device_id not in self.devices
            row = self.devices.add(device_id)
            cages = len(self.book.faces[face].cages)
            if fresh or cages != len(self.book.faces[self.devices["face"][row]].cages):
                base = self._new_ports(cages)
                self.devices["base"][row] = base
            self.devices["box"][row] = box
            self.devices["face"][row] = face
            self.devices["shown"][row] = shown
        self._describe(design, places.ids)

    def _new_ports(self, count: int) -> int:
        base = self._ports_used
        self._ports_used += count
        if self._ports_used > len(self.port_codes):
            grown = np.zeros(self._ports_used * 5 // 4 + 64, dtype=np.uint8)
            grown[: len(self.port_codes)] = self.port_codes
            self.port_codes = grown
        return base

    def _drop_cables(self, ids: set[str]) -> None:
        gone: list[int] = []
        for cable_id in ids:
            row = self.cables.row_of.get(cable_id)
            if row is None:
                continue
            first, count = int(self.cables["first"][row]), int(self.cables["legs"][row])
            gone.extend(range(first, first + count))
            self.cables.drop(cable_id)
        if gone:
            legs = np.array(gone, dtype=np.int32)
            self.legs.alive[legs] = False
            self.segments.forget(legs, self.legs.count)

    def _add_cables(self, design: Design, ids: Sequence[str]) -> None:
        faces = self.devices["face"]
        numbers = [face.number for face in self.book.faces]
        row_of = self.devices.row_of
        for cable_id in ids:
            cable = design.cables[cable_id]  # type: ignore[index]
            row = self.cables.add(cable_id)
            legs = list(_legs_of(cable, row, row_of, lambda d: numbers[faces[d]]))
            first, last = self.legs.append(legs)
            self.cables["first"][row], self.cables["legs"][row] = first, last - first
            self.cables["code"][row] = self._code_of(cable, first, last)

    def _code_of(self, cable: Cable, first: int, last: int) -> int:
        """Code of one cable; between switches, that of most of their cables."""
        code = self.colours.code(cable)
        if code:
            return code
        legs = np.arange(first, last)
        ends = [
            (int(self.legs[dev][leg]), int(self.legs[cage][leg]))
            for leg in legs
            for dev, cage in (("a_dev", "a_cage"), ("b_dev", "b_cage"))
            if self.legs[dev][leg] >= 0
        ]
        for device, cage in ends:
            role = self.book.faces[self.devices["face"][device]].cages[cage].role
            if CODE_OF_ROLE[role]:
                return CODE_OF_ROLE[role]
        votes = np.zeros(256, dtype=np.int64)
        for device, _ in ends:
            device_id = self.devices.ids[device]
            hint = code_of_fabric(self.design.devices[device_id].fabric)  # type: ignore[index]
            if hint:
                return hint
            others = self.design.index.cables_of_device.get(device_id, ())  # type: ignore[call-overload]
            rows = [self.cables.row_of[c] for c in others if c in self.cables]
            votes += np.bincount(self.cables["code"][rows], minlength=256)
        votes[0] = 0
        return int(votes.argmax()) if votes.any() else 0

    def _refresh_ports(self, design: Design, ids: set[str]) -> None:
        """Work out again which ports of these devices are taken."""
        legs: list[int] = []
        for device_id in ids:
            row = self.devices.row_of.get(device_id)
            if row is None:
                continue
            base = int(self.devices["base"][row])
            count = len(self.book.faces[self.devices["face"][row]].cages)
            self.port_codes[base : base + count] = 0
            for cable_id in design.index.cables_of_device.get(device_id, ()):  # type: ignore[call-overload]
                legs.extend(self.legs_of(cable_id))
        if legs:
            self._mark_ports(np.array(legs, dtype=np.int32))
        self._count_modules(
            design.modules[module_id]
            for device_id in ids
            if device_id in self.devices
            for module_id in design.index.modules_of_device.get(device_id, ())  # type: ignore[call-overload]
        )

    def _reroute(self, design: Design, moved: set[str], cables: set[str]) -> None:
        ids = {
            cable_id
            for device_id in moved
            for cable_id in design.index.cables_of_device.get(device_id, ())  # type: ignore[call-overload]
        } | (cables & design.cables.keys())
        legs = np.array([leg for c in ids for leg in self.legs_of(c)], dtype=np.int32)
        if len(legs):
            self.segments.forget(legs, self.legs.count)
            self.segments.add(*self.layout.route(self, legs))
        if self.segments.wants_sorting:
            self._route_all()

    # Looking

    def set_loads(self, loads: Mapping[str, float] | None) -> None:
        """Loads of cables, 1.0 being full; None: not asked for."""
        self._loads = loads
        self._load_codes = None

    @property
    def load_codes(self) -> npt.NDArray[np.uint8] | None:
        """Load class of each cable: 0 none, 1 to 4 quarters, 5 overloaded; None: not asked for."""
        if self._loads is None:
            return None
        if self._load_codes is None or len(self._load_codes) != len(self.cables.ids):
            shares = np.array([self._loads.get(c, 0.0) for c in self.cables.ids])
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
        """Rectangle of a rack, device or cable (around its route); None if not in this view."""
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
        return None


def _legs_of(
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
