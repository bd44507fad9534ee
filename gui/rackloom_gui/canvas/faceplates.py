# SPDX-License-Identifier: Apache-2.0
"""Draws faceplates: cages true to place and size, the rest (bays, fans, vents) as a hint.

The catalogue says where cages are, how many power supplies a device has and on which side; bays,
fans and vents it does not know: they are drawn as such boxes usually look, and carry no meaning.
"""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor, QLinearGradient

from rackloom.catalog.parts import U_MM, PduPart, ServerPart, SwitchPart
from rackloom.catalog.words import FormFactor, Side
from rackloom_gui.canvas.faces import Face
from rackloom_gui.canvas.pencil import CENTRE, LEFT, Pencil, text_width
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.supplies import (
    columns_at_ends,
    inlet_box,
    inner,
    is_low,
    psu_boxes,
    psu_height,
    psus_here,
)
from rackloom_gui.tokens import DeviceColour, Tokens, mix

Box = tuple[float, float, float, float]
_BLACK, _WHITE = QColor("#0b0d10"), QColor("#ffffff")
CORNER_MM = 1.2


@dataclass(frozen=True, slots=True, eq=False)
class Shades:
    """The tints of one faceplate, all made from the kind's three colours."""

    top: QColor
    bottom: QColor
    edge: QColor
    text: QColor
    ear: QColor
    panel: QColor
    line: QColor
    vent: QColor
    well: QColor
    well_rim: QColor
    glow: QColor

    @classmethod
    def of(cls, colour: DeviceColour, tokens: Tokens) -> "Shades":
        """The tints for a kind's colours in a theme."""
        fill, edge = colour.fill, colour.edge
        return cls(
            top=mix(fill, _WHITE, 0.10 if tokens.dark else 0.35),
            bottom=mix(fill, edge, 0.16),
            edge=edge,
            text=colour.text,
            ear=mix(fill, edge, 0.34),
            panel=mix(fill, edge, 0.14),
            line=mix(fill, edge, 0.42),
            vent=mix(fill, _BLACK if tokens.dark else edge, 0.40 if tokens.dark else 0.36),
            well=mix(edge, _BLACK, 0.80),
            well_rim=mix(fill, edge, 0.75),
            glow=tokens.ok,
        )


def name_box(face: Face) -> Box | None:
    """Where a device's name goes on its face, in mm; None where cages leave no room for it."""
    if face.plain:
        return (10.0, 3.0, face.width_mm - 20.0, face.height_mm * 0.52)
    inner_x, inner_w = face.ear_mm + 8.0, face.width_mm - 2 * face.ear_mm - 16.0
    if face.height_mm > 4 * face.width_mm:
        return None
    if isinstance(face.part, PduPart):
        return (inner_x, 1.0, inner_w * 0.2, face.height_mm - 2.0)
    seen = face.boxes[face.seen]
    floor = face.height_mm - (psu_height(face) if psus_here(face) else 0.0)
    if face.side is Side.FRONT and not len(seen):
        if face.height_mm < 1.5 * U_MM:
            return (inner_x + 4, 2.0, inner_w * 0.30, face.height_mm - 4.0)
        bays = _bay_height(face)
        return (inner_x, 3.0, inner_w, max(face.height_mm - bays - 6.0, U_MM * 0.6))
    above = float(seen[:, 1].min()) - 4.0 if len(seen) else floor
    if above >= U_MM * 0.62:
        return (inner_x, 3.0, inner_w, above - 3.0)
    below = float((seen[:, 1] + seen[:, 3]).max()) + 4.0 if len(seen) else floor
    if floor - below >= U_MM * 0.62:
        return (inner_x, below, inner_w, floor - below)
    return None


def paint_face(pencil: Pencil, face: Face, colour: DeviceColour, tokens: Tokens) -> None:
    """Draw a face with its upper left corner at the pencil's zero."""
    shades = Shades.of(colour, tokens)
    _body(pencil, face, shades)
    if not pencil.shows(U_MM, 7.0):
        return
    if face.plain:
        _cages(pencil, face, shades)
        return
    if isinstance(face.part, PduPart):
        _pdu(pencil, face, shades, tokens)
    elif face.side is Side.FRONT:
        _front(pencil, face, shades)
    else:
        _rear(pencil, face, shades)
    _cages(pencil, face, shades)
    if isinstance(face.part, SwitchPart | ServerPart):
        _print(pencil, face, shades)


def _body(pencil: Pencil, face: Face, shades: Shades) -> None:
    width, height, ear = face.width_mm, face.height_mm, face.ear_mm
    top, bottom = pencil.py(0), pencil.py(height)
    body: QBrush | QColor = shades.top
    if bottom - top >= 6:
        shine = QLinearGradient(QPointF(0, top), QPointF(0, bottom))
        shine.setColorAt(0.0, shades.top)
        shine.setColorAt(1.0, shades.bottom)
        body = QBrush(shine)
    pencil.box(0, 0, width, height, shades.ear, shades.edge, CORNER_MM)
    if ear:
        pencil.fill(ear, 0.0, width - 2 * ear, height, body)
        if pencil.shows(U_MM, 16.0):
            for x in (ear, width - ear):
                pencil.line(x, 0, x, height, shades.line)
            _screws(pencil, face, shades)
    else:
        pencil.box(0, 0, width, height, body, shades.edge, CORNER_MM)
    outline = pencil.rect(0, 0, width, height)
    pencil.frame_px(outline, shades.edge)
    if face.height_mm < 4 * face.width_mm:
        pencil.fill(ear, 0.0, 4.5, height, shades.edge)


def _screws(pencil: Pencil, face: Face, shades: Shades) -> None:
    if not pencil.shows(4.5, 3.0):
        return
    rows = [U_MM / 2] if face.height_mm < 1.5 * U_MM else [U_MM / 2, face.height_mm - U_MM / 2]
    for y in rows:
        for x in (face.ear_mm / 2, face.width_mm - face.ear_mm / 2):
            pencil.disc(x, y, 2.6, shades.panel, shades.line)


def _vent(pencil: Pencil, box: Box, shades: Shades) -> None:
    """A panel of slots; a flat tint where they would be finer than pixels."""
    x, y, w, h = box
    if w < 8 or h < 6:
        return
    pitch = 4.2
    if not pencil.snap:  # exports: a few louvres instead of hundreds of slots
        count = max(int(h // 9), 1)
        for n in range(count):
            level = y + (n + 0.5) * h / count
            pencil.line(x, level, x + w, level, shades.vent)
        return
    if not pencil.shows(pitch, 2.6):
        pencil.fill(x, y, w, h, mix(shades.panel, shades.vent, 0.35))
        return
    rows = max(round(h / 17.0), 1)
    columns = int(w // pitch)
    grid = np.empty((rows * columns, 4))
    row_h = h / rows
    grid[:, 0] = x + (w - columns * pitch) / 2 + np.tile(np.arange(columns) * pitch, rows) + 1.0
    grid[:, 1] = y + np.repeat(np.arange(rows) * row_h, columns) + 1.2
    grid[:, 2] = 2.2
    grid[:, 3] = max(row_h - 2.4, 1.5)
    pencil.fill_many(grid, shades.vent)


def _fan(pencil: Pencil, box: Box, shades: Shades) -> None:
    x, y, w, h = box
    pencil.box(x, y, w, h, shades.panel, shades.line, 1.5)
    radius = min(w, h) / 2 - 2.5
    if not pencil.shows(radius, 3.0):
        return
    cx, cy = x + w / 2, y + h / 2
    pencil.disc(cx, cy, radius, mix(shades.panel, shades.vent, 0.55), shades.line)
    if pencil.shows(radius, 7.0):
        pencil.disc(cx, cy, radius * 0.66, None, shades.line)
        for k in range(4):
            angle = np.pi * (k / 4 + 0.125)
            dx, dy = float(np.cos(angle)) * radius, float(np.sin(angle)) * radius
            pencil.line(cx - dx, cy - dy, cx + dx, cy + dy, shades.line)
        pencil.disc(cx, cy, radius * 0.26, shades.panel, shades.line)


def _bays(pencil: Pencil, box: Box, count: int, rows: int, shades: Shades) -> None:
    """Drive bays side by side: a carrier each, with its latch and light."""
    x, y, w, h = box
    columns = max(count // rows, 1)
    bay_w, bay_h = w / columns, h / rows
    for row in range(rows):
        for column in range(columns):
            left, top = x + column * bay_w, y + row * bay_h
            pencil.box(
                left + 0.8, top + 0.8, bay_w - 1.6, bay_h - 1.6, shades.panel, shades.line, 0.8
            )
            if pencil.shows(bay_w, 7.0) and pencil.shows(bay_h, 10.0):
                upright = bay_h > bay_w
                if upright:
                    pencil.fill(
                        left + 2.6, top + bay_h * 0.32, bay_w - 5.2, bay_h * 0.5, shades.vent
                    )
                    pencil.fill(left + bay_w / 2 - 0.8, top + 2.6, 1.6, 1.6, shades.glow)
                else:
                    pencil.fill(left + 4, top + bay_h * 0.4, bay_w * 0.55, bay_h * 0.2, shades.vent)
                    pencil.fill(left + bay_w - 4.5, top + bay_h / 2 - 0.8, 1.6, 1.6, shades.glow)


def _bay_height(face: Face) -> float:
    return 0.0 if face.height_mm < 2.5 * U_MM else min(face.height_mm * 0.34, 2.2 * U_MM)


def _front(pencil: Pencil, face: Face, shades: Shades) -> None:
    x, w, h = face.ear_mm + 7.0, face.width_mm - 2 * face.ear_mm - 10.0, face.height_mm
    if face.seen.any():
        _surround(pencil, face, shades)
    elif isinstance(face.part, ServerPart):
        _server_front(pencil, face, (x, w, h), shades)
    else:
        _vent(pencil, (x + w * 0.3, h * 0.2, w * 0.68, h * 0.6), shades)
    led = face.width_mm - face.ear_mm / 2
    if face.ear_mm and pencil.shows(2.4, 2.0):
        pencil.fill(led - 1.2, h / 2 - 1.2, 2.4, 2.4, shades.glow)


def _server_front(
    pencil: Pencil, face: Face, frame: tuple[float, float, float], shades: Shades
) -> None:
    x, w, h = frame
    if h < 1.5 * U_MM:
        _bays(pencil, (x + w * 0.34, 3.0, w * 0.42, h - 6.0), 8, 1, shades)
        _vent(pencil, (x + w * 0.78, 6.0, w * 0.2, h - 12.0), shades)
        return
    bays = _bay_height(face)
    if not bays:
        _bays(pencil, (x + w * 0.02, h * 0.42, w * 0.96, h * 0.52), 12, 1, shades)
        return
    top = h - bays - 3.0
    storage = isinstance(face.part, ServerPart) and face.part.purpose == "storage"
    plate_top = top / 2 - 16.0
    if top >= 2.2 * U_MM:
        _vent(pencil, (x, 6.0, w, plate_top - 10.0), shades)
        _vent(pencil, (x, plate_top + 36.0, w, top - plate_top - 42.0), shades)
    pencil.line(x, top, x + w, top, shades.line)
    if storage:
        _bays(pencil, (x, top + 3.0, w, bays - 4.0), 24, 2, shades)
        return
    fans = max(int(w * 0.44 // max(bays - 4.0, 20.0)), 1)
    side = min(bays - 4.0, w * 0.44 / fans)
    _bays(pencil, (x, top + 3.0, w * 0.54, bays - 4.0), 8, 1, shades)
    for n in range(fans):
        _fan(pencil, (x + w - (fans - n) * side, top + 3.0, side - 2.0, bays - 4.0), shades)


def _rear(pencil: Pencil, face: Face, shades: Shades) -> None:
    (x, w), h = inner(face), face.height_mm
    boxes = psu_boxes(face)
    for box in boxes:
        _psu(pencil, box, shades)
    if is_low(face):
        _fans_between(pencil, face, len(boxes), shades)
        return
    psu_h = psu_height(face) if boxes else 0.0
    _vents_between(pencil, face, (x, 5.0, w, h - psu_h - 10.0), shades)
    _surround(pencil, face, shades)


def _fans_between(pencil: Pencil, face: Face, psus: int, shades: Shades) -> None:
    """Fan modules of a switch, between the power supplies at both ends."""
    (x, w), h = inner(face), face.height_mm
    columns, psu_w = columns_at_ends(face, psus)
    free_x, free_w = x + columns * psu_w, w - 2 * columns * psu_w
    fans = max(int(free_w // max(min(h, 60.0), 40.0)), 1)
    for n in range(fans):
        _fan(pencil, (free_x + n * free_w / fans + 1, 2.5, free_w / fans - 2, h - 5.0), shades)


def _psu(pencil: Pencil, box: Box, shades: Shades) -> None:
    x, y, w, h = box
    pencil.box(x, y, w, h, shades.panel, shades.line, 1.0)
    if not pencil.shows(w, 12.0):
        return
    inlet = inlet_box(box)
    inlet_w = inlet[2]
    pencil.box(*inlet, shades.well, shades.well_rim, 1.5)
    radius = min(h / 2 - 3.0, (w - inlet_w - 10.0) / 2)
    if radius > 3.0 and pencil.shows(radius, 3.0):
        cx = x + inlet_w + 6.0 + (w - inlet_w - 8.0) / 2
        pencil.disc(cx, y + h / 2, radius, mix(shades.panel, shades.vent, 0.5), shades.line)
        pencil.disc(cx, y + h / 2, radius * 0.5, None, shades.line)
    if pencil.shows(1.8, 2.0):
        pencil.fill(x + 3.0, y + 2.5, 1.8, 1.8, shades.glow)


def _vents_between(pencil: Pencil, face: Face, box: Box, shades: Shades) -> None:
    """Vents where no cage sits: above the highest and below the lowest."""
    x, y, w, h = box
    seen = face.boxes[face.seen]
    name = name_box(face)
    if not len(seen):
        _vent(pencil, (x, y + 22.0, w, h - 24.0), shades)
        return
    top, bottom = float(seen[:, 1].min()) - 9.0, float((seen[:, 1] + seen[:, 3]).max()) + 9.0
    above, below = top - y, y + h - bottom
    if above > 30.0:
        plate = 34.0 if name is not None and name[1] < top else 0.0
        half = (above - plate) / 2
        _vent(pencil, (x, y, w, half - 2.0), shades)
        _vent(pencil, (x, y + half + plate + 2.0, w, half - 4.0), shades)
    if below > 26.0:
        _vent(pencil, (x, bottom + 4.0, w, below - 6.0), shades)


def _groups(face: Face) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for n, cage in enumerate(face.cages):
        if face.seen[n]:
            groups.setdefault(cage.group, []).append(n)
    return groups


def _surround(pencil: Pencil, face: Face, shades: Shades) -> None:
    """A recessed panel around each group of cages."""
    if not pencil.shows(U_MM, 18.0):
        return
    for members in _groups(face).values():
        boxes = face.boxes[members]
        left, top = boxes[:, 0].min() - 2.2, boxes[:, 1].min() - 2.0
        right = (boxes[:, 0] + boxes[:, 2]).max() + 2.2
        bottom = (boxes[:, 1] + boxes[:, 3]).max() + 2.0
        top, bottom = max(top, 1.0), min(bottom, face.height_mm - 1.0)
        pencil.box(left, top, right - left, bottom - top, shades.panel, shades.line, 1.0)


def _cages(pencil: Pencil, face: Face, shades: Shades) -> None:
    if not face.seen.any():
        return
    boxes = face.boxes[face.seen]
    if not pencil.shows(float(boxes[:, 3].min()), 1.5):
        return
    pencil.fill_many(boxes, shades.well_rim)
    inner = boxes + np.array([1.0, 1.0, -2.0, -2.0])
    if pencil.shows(float(boxes[:, 3].min()), 5.0):
        pencil.fill_many(inner, shades.well)
    if pencil.shows(1.0, 1.1):
        _cage_marks(pencil, face, shades)


def _cage_marks(pencil: Pencil, face: Face, shades: Shades) -> None:
    """Contacts inside the wells, and the names of the cages where there is room for them."""
    ink = mix(shades.well, _WHITE, 0.62)
    for n in np.flatnonzero(face.seen):
        cage = face.cages[int(n)]
        x, y, w, h = (float(v) for v in face.boxes[int(n)])
        if cage.form_factor is FormFactor.RJ45:
            pencil.fill(x + w * 0.3, y + h - 2.4, w * 0.4, 1.4, ink)
        size = int(
            min(h * 0.62 * pencil.scale, w * pencil.scale * 1.5 / max(len(cage.name), 1), 13)
        )
        while size >= 6 and text_width(cage.name, size) > w * pencil.scale:
            size -= 1  # wide letters
        if size >= 6:
            pencil.text((x, y, w, h), cage.name, size, ink, CENTRE, elide=False)


def _print(pencil: Pencil, face: Face, shades: Shades) -> None:
    """Maker and model in small print, as on the real thing, where nothing else is."""
    part = face.part
    if not pencil.shows(U_MM, 60.0) or face.height_mm < 1.5 * U_MM or face.side is Side.REAR:
        return
    if face.seen.any():
        return
    text = f"{part.manufacturer} {part.model}"
    pencil.text(
        (face.ear_mm + 9.0, 3.0, 200.0, 9.0), text, int(7.5 * pencil.scale), shades.line, LEFT
    )


def _pdu(pencil: Pencil, face: Face, shades: Shades, tokens: Tokens) -> None:
    part = face.part
    assert isinstance(part, PduPart)
    width, height = face.width_mm, face.height_mm
    upright = height >= width
    boxes = outlet_boxes(face)
    big = np.array([group.kind != "C13" for _, group in part.outlet_names], dtype=np.bool_)
    if len(boxes) and pencil.shows(float(boxes[:, 3].min()), 2.0):
        pencil.fill_many(boxes[big], shades.well)
        pencil.fill_many(boxes[~big], mix(shades.well, shades.edge, 0.30))
        if pencil.shows(1.2, 1.0):  # the pins
            slots = boxes.copy()
            slots[:, 0] += slots[:, 2] * 0.28
            slots[:, 1] += slots[:, 3] * 0.42
            slots[:, 2] *= 0.44
            slots[:, 3] *= 0.18
            pencil.fill_many(slots, shades.well_rim)
    if upright and pencil.shows(10.0, 3.0):
        shown = mix(tokens.info, _BLACK, 0.35)
        pencil.box(width * 0.2, 8.0, width * 0.6, 18.0, shown, shades.line, 1.0)


def outlet_boxes(face: Face) -> FloatArray:
    """Where a PDU's outlets are drawn on its face: as placement spreads them, sized by kind."""
    if not isinstance(face.part, PduPart):
        return np.zeros((0, 4))
    sizes = np.array(
        [(9.5, 8.0) if g.kind == "C13" else (12.0, 9.5) for _, g in face.part.outlet_names]
    ).reshape(-1, 2)
    if face.height_mm >= face.width_mm and face.width_mm < 40.0:
        sizes *= max(face.width_mm / 40.0, 0.5)
    return np.concatenate([face.outlets - sizes / 2, sizes], axis=1)
