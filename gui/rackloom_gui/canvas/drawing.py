# SPDX-License-Identifier: Apache-2.0
"""Draws racks, devices, ports and cables from scene arrays; knows neither scene items nor widgets.

The canvas layers and the exports call the same functions. What is drawn follows from how large
things come out (pixels per U), see the level-of-detail constants below.
"""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from rackloom.catalog.parts import U_MM, PduPart
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.cable_drawing import draw_cables
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.faceplates import CORNER_MM, outlet_boxes, paint_face
from rackloom_gui.canvas.faces import Face
from rackloom_gui.canvas.labels import draw_labels
from rackloom_gui.canvas.look import (
    PORTS_FROM_PX_PER_U,
    SPRITE_FROM_PX_PER_U,
    VECTORS_FROM_PX_PER_MM,
    Look,
    Window,
    visible_devices,
)
from rackloom_gui.canvas.pencil import (
    LEAST_RADIUS_PX,
    Pencil,
)
from rackloom_gui.canvas.pointer import (
    FloatArray,
    draw_pixmap_fragments,
    draw_rects,
    fragments,
)
from rackloom_gui.canvas.segments import IntArray
from rackloom_gui.tokens import DeviceColour, mix

__all__ = ["Look", "Window", "draw_cables", "draw_devices", "draw_labels", "draw_port_states"]


def draw_devices(
    pencil: Pencil, scene: SceneArrays, window: Window, look: Look, *, names: bool = True
) -> None:
    """Devices in view: rectangles, sprites or vectors as their size asks for.

    ``names``: with their names; the canvas draws those later, over the cables.
    """
    rows = visible_devices(scene, window)
    if not len(rows):
        return
    px_per_u = pencil.scale * U_MM
    if px_per_u < SPRITE_FROM_PX_PER_U and pencil.snap:
        _plain_devices(pencil, scene, rows, look)
        return
    faces, looks = scene.devices["face"][rows], scene.devices["look"][rows]
    boxes = scene.devices["box"][rows]
    colours = look.colours_of(scene)
    pairs = faces.astype(np.int64) * (len(scene.looks) + 1) + looks
    for pair in distinct(pairs):
        members = np.flatnonzero(pairs == pair)
        face = scene.book.faces[int(faces[members[0]])]
        colour = colours[int(looks[members[0]])]
        key = scene.looks[int(looks[members[0]])]
        _draw_face(pencil, face, colour, key, boxes[members], look)
    if pencil.scale * scene.layout.label_mm >= PORTS_FROM_PX_PER_U:
        draw_port_states(pencil, scene, rows, look)
    if names:
        draw_labels(pencil, scene, window, look)


def _plain_devices(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    looks = scene.devices["look"][rows]
    colours = look.colours_of(scene)
    boxes = pencil.rects(scene.devices["box"][rows])
    gap = 1.0 / pencil.ratio
    for number in distinct(looks):
        colour = colours[int(number)]
        mine = boxes[looks == number]
        if pencil.scale * U_MM >= 2.0:
            mine = mine.copy()
            mine[:, 3] = np.maximum(mine[:, 3] - gap, gap)
        pencil.painter.setPen(Qt.PenStyle.NoPen)
        pencil.painter.setBrush(mix(colour.fill, colour.edge, 0.55))
        draw_rects(pencil.painter, mine)


def _draw_face(
    pencil: Pencil,
    face: Face,
    colour: DeviceColour,
    key: tuple[str, str],
    boxes: FloatArray,
    look: Look,
) -> None:
    """One face at many places."""

    def paint(pen: Pencil) -> None:
        paint_face(pen, face, colour, look.tokens)

    if look.sprites is not None and pencil.scale <= VECTORS_FROM_PX_PER_MM:
        # Until its round corners show, a face covers its whole rectangle.
        opaque = pencil.scale * pencil.ratio * CORNER_MM < LEAST_RADIUS_PX
        size = (face.width_mm, face.height_mm)
        # PDUs are long and thin: as pixmaps they are cheap in any length that fits a screen.
        longest = 4096 if face.height_mm > 4 * face.width_mm else 1024
        found = look.sprites.get(
            (face.key, id(face.part), key),
            size,
            pencil.scale,
            pencil.ratio,
            paint,
            longest,
            opaque=opaque,
        )
        if found is not None:
            pixmap, factor = found
            rows = fragments(len(boxes))
            spots = pencil.rects(boxes)
            rows[:, 0] = spots[:, 0] + pixmap.width() * factor / 2
            rows[:, 1] = spots[:, 1] + pixmap.height() * factor / 2
            rows[:, 4], rows[:, 5] = pixmap.width(), pixmap.height()
            rows[:, 6] = rows[:, 7] = factor
            draw_pixmap_fragments(pencil.painter, rows, pixmap)
            return
    pencil.stamp(("face", face.key, id(face), key), boxes[:, :2], paint)


def draw_port_states(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    """What is plugged where: filled in the colour of its network, else the well stays dark."""
    faces = scene.devices["face"][rows]
    base = scene.devices["base"][rows]
    boxes = scene.devices["box"][rows]
    by_code: dict[int, list[FloatArray]] = {}
    for number in distinct(faces):
        face = scene.book.faces[int(number)]
        seen = np.flatnonzero(face.seen)
        if not len(seen):
            continue
        members = np.flatnonzero(faces == number)
        codes = scene.port_codes[base[members][:, None] + seen[None, :]]
        for code in distinct(codes):
            if code == 0:
                continue
            at, cage = np.nonzero(codes == code)
            ports = face.boxes[seen[cage]].copy()
            ports[:, :2] += boxes[members[at], :2]
            by_code.setdefault(int(code), []).append(ports)
    palette = scene.colours.palette(look.tokens)
    for code, parts in by_code.items():
        _draw_plugs(pencil, np.concatenate(parts), palette[code])
    if pencil.shows(9.0, 2.0):
        _draw_cords(pencil, scene, rows, look)


def _draw_cords(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    """Outlets of PDUs with a cord in them."""
    faces = scene.devices["face"][rows]
    strips = {n for n, f in enumerate(scene.book.faces) if len(f.outlets)} & set(faces.tolist())
    index, cords = scene.design.index, scene.design.cords
    taken: list[FloatArray] = []
    for number in strips:
        face = scene.book.faces[number]
        assert isinstance(face.part, PduPart)
        place = {name: n for n, (name, _) in enumerate(face.part.outlet_names)}
        outlets = outlet_boxes(face)
        for row in rows[faces == number].tolist():
            plugged = index.cords_from_source.get(scene.devices.ids[row], ())
            used = [place[cords[c].outlet] for c in plugged if cords[c].outlet in place]
            if used:
                boxes = outlets[used].copy()
                boxes[:, :2] += scene.devices["box"][row, :2]
                taken.append(boxes)
    if taken:
        pencil.fill_many(np.concatenate(taken), look.tokens.fabric("power"))


def _draw_plugs(pencil: Pencil, ports: FloatArray, colour: QColor) -> None:
    """Plugs fill their cage but for its rim; close up they have a tab."""
    inset = np.array([1.4, 1.4, -2.8, -2.8])
    large = pencil.shows(1.0, 0.6)
    pencil.fill_many(ports + (inset if large else 0.0), colour)
    if pencil.shows(1.0, 1.0):
        tab = ports + inset
        tab[:, 1] += tab[:, 3] * 0.62
        tab[:, 3] *= 0.38
        pencil.fill_many(tab, mix(colour, QColor("black"), 0.28))
