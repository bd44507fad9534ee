# SPDX-License-Identifier: Apache-2.0
"""Draws racks, devices, ports and cables from scene arrays; knows neither scene items nor widgets.

The canvas layers and the exports call the same functions. What is drawn follows from how large
things come out (pixels per U), see the level-of-detail constants below.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QStaticText

from rackloom.catalog.parts import U_MM, PduPart
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.faceplates import CORNER_MM, name_box, outlet_boxes, paint_face
from rackloom_gui.canvas.faces import Face
from rackloom_gui.canvas.pencil import (
    CENTRE,
    LEAST_RADIUS_PX,
    Pencil,
    elided,
    font_of,
    solid_pen,
    text_width,
)
from rackloom_gui.canvas.pointer import (
    FloatArray,
    draw_lines,
    draw_pixmap_fragments,
    draw_rects,
    fragments,
)
from rackloom_gui.canvas.segments import IntArray
from rackloom_gui.canvas.sprites import Sprites
from rackloom_gui.tokens import DeviceColour, Tokens, mix

SPRITE_FROM_PX_PER_U = 5.0
"""Below, a device is a rectangle in the colour of its kind."""
LABELS_FROM_PX_PER_U = 13.0
PORTS_FROM_PX_PER_U = 9.0
VECTORS_FROM_PX_PER_MM = 2.0
MOST_NAMES = 900
"""More names than this say nothing any more, and cost a frame."""
SEGMENT_BUDGET = 3000
"""More cable segments than this in view are drawn as bundles."""


@dataclass(slots=True)
class Window:
    """The part of the drawing that is painted, in mm."""

    x0: float
    y0: float
    x1: float
    y1: float

    def touching(self, boxes: FloatArray) -> Any:
        """Which of (left, top, width, height) rows are in it."""
        return (
            (boxes[:, 0] <= self.x1)
            & (boxes[:, 0] + boxes[:, 2] >= self.x0)
            & (boxes[:, 1] <= self.y1)
            & (boxes[:, 1] + boxes[:, 3] >= self.y0)
        )


@dataclass(slots=True)
class Look:
    """How to draw: theme, pixmaps at hand, and what is turned on."""

    tokens: Tokens
    sprites: Sprites | None = None
    """None: draw vectors (exports)."""
    dark_ports: bool = True
    static_texts: dict[tuple[str, int, bool], QStaticText] = field(default_factory=dict)
    device_colours: list[DeviceColour] = field(default_factory=list)

    def colours_of(self, scene: SceneArrays) -> list[DeviceColour]:
        """Colours by the scene's ``look`` numbers."""
        if len(self.device_colours) != len(scene.looks):
            self.device_colours = [self.tokens.device(kind, role) for kind, role in scene.looks]
        return self.device_colours

    def static_text(self, text: str, pixels: int, bold: bool) -> QStaticText:
        """A text laid out once."""
        key = (text, pixels, bold)
        known = self.static_texts.get(key)
        if known is None:
            if len(self.static_texts) > 8000:
                self.static_texts.clear()
            known = QStaticText(text)
            known.setTextFormat(Qt.TextFormat.PlainText)
            known.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            known.prepare(font=font_of(pixels, bold))
            self.static_texts[key] = known
        return known


def visible_devices(scene: SceneArrays, window: Window) -> IntArray:
    """Rows of the devices that are seen in a window and not in the hand."""
    devices = scene.devices
    keep = window.touching(devices["box"]) & devices.alive & devices["shown"]
    if scene.hidden_devices:
        keep[devices.rows(scene.hidden_devices)] = False
    return np.flatnonzero(keep).astype(np.int32)


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
    for pair in np.unique(pairs):
        members = np.flatnonzero(pairs == pair)
        face = scene.book.faces[int(faces[members[0]])]
        colour = colours[int(looks[members[0]])]
        key = scene.looks[int(looks[members[0]])]
        _draw_face(pencil, face, colour, key, boxes[members], look)
    if pencil.scale * scene.layout.label_mm >= PORTS_FROM_PX_PER_U:
        draw_port_states(pencil, scene, rows, look)
    if names:
        draw_labels(pencil, scene, window, look)


def draw_labels(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """The names of the devices in view that are large enough to carry one."""
    if pencil.scale * U_MM < SPRITE_FROM_PX_PER_U and pencil.snap:
        return
    rows = visible_devices(scene, window)
    if not len(rows):
        return
    heights = np.array([name_height_mm(face) for face in scene.book.faces])
    named = rows[heights[scene.devices["face"][rows]] * pencil.scale >= LABELS_FROM_PX_PER_U]
    if 0 < len(named) <= MOST_NAMES:
        draw_names(pencil, scene, named, look)


def _plain_devices(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    looks = scene.devices["look"][rows]
    colours = look.colours_of(scene)
    boxes = pencil.rects(scene.devices["box"][rows])
    gap = 1.0 / pencil.ratio
    for number in np.unique(looks):
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
    for x, y in boxes[:, :2].tolist():
        paint(pencil.at(x, y))


def name_height_mm(face: Face) -> float:
    """Room for a name: the lowest a face may come out and still carry one."""
    if face.plain:
        return face.height_mm * 0.62
    if face.height_mm > 4 * face.width_mm:
        return face.width_mm
    return face.height_mm if face.height_mm < 2.5 * U_MM else face.height_mm * 0.4


def draw_port_states(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    """What is plugged where: filled in the colour of its network, else the well stays dark."""
    faces = scene.devices["face"][rows]
    base = scene.devices["base"][rows]
    boxes = scene.devices["box"][rows]
    by_code: dict[int, list[FloatArray]] = {}
    for number in np.unique(faces):
        face = scene.book.faces[int(number)]
        seen = np.flatnonzero(face.seen)
        if not len(seen):
            continue
        members = np.flatnonzero(faces == number)
        codes = scene.port_codes[base[members][:, None] + seen[None, :]]
        for code in np.unique(codes):
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


def draw_names(pencil: Pencil, scene: SceneArrays, rows: IntArray, look: Look) -> None:
    """Names of devices: on the face where it leaves room, else beside it, else on its left end."""
    faces = scene.devices["face"][rows]
    boxes = scene.devices["box"][rows].tolist()
    looks = scene.devices["look"][rows]
    colours = look.colours_of(scene)
    spots = [name_box(face) for face in scene.book.faces]
    racks, rack_boxes = scene.devices["rack"][rows], scene.racks["box"]
    devices = scene.design.devices
    size = int(min(max(pencil.scale * scene.layout.label_mm * 0.5, 10.0), 14.0))
    for n, row in enumerate(rows.tolist()):
        name = devices[scene.devices.ids[row]].name
        face = scene.book.faces[int(faces[n])]
        spot = spots[int(faces[n])]
        colour = colours[int(looks[n])]
        x, y, _, height = boxes[n]
        if face.height_mm > 4 * face.width_mm:
            _upright_name(pencil, name, boxes[n], colour)
        elif spot is not None:
            _name_on_face(pencil, name, (x, y), spot, size, colour, look)
        else:
            rack = int(racks[n])
            edge = float(rack_boxes[rack, 0]) if rack >= 0 else x
            _name_beside(pencil, name, (edge, x, y, height), face, size, colour, look)


def _name_on_face(
    pencil: Pencil,
    name: str,
    corner: tuple[float, float],
    spot: tuple[float, float, float, float],
    size: int,
    colour: DeviceColour,
    look: Look,
) -> None:
    rect = pencil.rect(corner[0] + spot[0], corner[1] + spot[1], spot[2], spot[3])
    size = int(min(size, rect.height() - 1))
    if size < 8:
        return
    text = elided(name, size, int(rect.width() - 4), True)
    width = text_width(text, size, True)
    plate = QRectF(0, 0, min(width + size * 1.1, rect.width()), min(size + 5.0, rect.height()))
    plate.moveCenter(rect.center())
    if rect.width() > plate.width() + 40:
        _plate(pencil, plate, colour.fill, colour.edge)
    _draw_static(pencil, plate, text, width, size, colour.text, look)


def _name_beside(
    pencil: Pencil,
    name: str,
    place: tuple[float, float, float, float],
    face: Face,
    size: int,
    colour: DeviceColour,
    look: Look,
) -> None:
    """Names of faces full of ports stand left of them, where the rack is wide enough for that."""
    edge, x, y, height = place
    room = pencil.rect(edge, y, x - edge, height)
    fitting = int(min(size, room.height() - 3))
    width = text_width(name, fitting, True) + 8.0 if fitting >= 8 else 0.0
    if not 0 < width <= room.width() * 1.1:
        _name_on_plate(pencil, name, (x + face.ear_mm, y, height), size, colour, look)
        return
    plate = QRectF(0, 0, width, min(fitting + 4.0, room.height() - 2.0))
    plate.moveCenter(room.center())
    plate.moveRight(room.right() - 3.0)
    _plate(pencil, plate, colour.fill, colour.edge)
    _draw_static(pencil, plate, name, width - 8.0, fitting, colour.text, look)


def _name_on_plate(
    pencil: Pencil,
    name: str,
    place: tuple[float, float, float],
    size: int,
    colour: DeviceColour,
    look: Look,
) -> None:
    x, y, height = place
    rect = pencil.rect(x + 6.0, y, 200.0, height)
    size = int(min(size, rect.height() - 3))
    if size < 8:
        return
    text = elided(name, size, int(rect.width()), True)
    width = text_width(text, size, True)
    plate = QRectF(rect.left(), 0, width + 8.0, min(size + 4.0, rect.height() - 2.0))
    plate.moveTop(round(rect.center().y() - plate.height() / 2))
    _plate(pencil, plate, colour.fill, colour.edge)
    _draw_static(pencil, plate, text, width, size, colour.text, look)


def _plate(pencil: Pencil, rect: QRectF, fill: QColor, edge: QColor) -> None:
    painter = pencil.painter
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QColor(edge))
    painter.setBrush(fill)
    painter.drawRoundedRect(rect.toAlignedRect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_static(
    pencil: Pencil,
    rect: QRectF,
    text: str,
    width: float,
    size: int,
    colour: QColor,
    look: Look,
) -> None:
    painter = pencil.painter
    painter.setPen(colour)
    painter.setFont(font_of(size, True))
    if not pencil.snap:
        painter.drawText(rect, int(CENTRE | Qt.TextFlag.TextSingleLine), text)
        return
    laid = look.static_text(text, size, True)
    top = rect.center().y() - laid.size().height() / 2
    painter.drawStaticText(round(rect.center().x() - width / 2), round(top), laid)


def _upright_name(pencil: Pencil, name: str, box: list[float], colour: DeviceColour) -> None:
    """Names of vertical PDUs run upwards along the strip's upper end."""
    rect = pencil.rect(*box)
    size = int(min(12, rect.width() - 2))
    if size < 8:
        return
    painter = pencil.painter
    painter.save()
    painter.translate(rect.center().x(), rect.top() + min(40.0 * pencil.scale, rect.height()) + 6)
    painter.rotate(-90)
    width = text_width(name, size, True) + 8
    strip = QRectF(-width, -size / 2 - 2, width, size + 4)
    painter.fillRect(strip, colour.fill)
    painter.setPen(colour.text)
    painter.setFont(font_of(size, True))
    painter.drawText(strip, int(CENTRE), name)
    painter.restore()


def draw_cables(
    pencil: Pencil,
    scene: SceneArrays,
    window: Window,
    look: Look,
    budget: int | None = SEGMENT_BUDGET,
) -> bool:
    """Cables in view, or their bundles where they would be too many; True if bundled."""
    palette = scene.colours.palette(look.tokens)
    most = None if budget is None else min(budget, scene.layout.most_segments)
    if most is not None and scene.segments.crowded(
        most, window.x0, window.y0, window.x1, window.y1
    ):
        _draw_bundles(pencil, scene, window, look, palette)
        return True
    segments, owners = scene.segments.within(window.x0, window.y0, window.x1, window.y1)
    if scene.hidden_devices and len(owners):
        rows = scene.devices.rows(scene.hidden_devices)
        held = np.isin(scene.legs["a_dev"][owners], rows) | np.isin(
            scene.legs["b_dev"][owners], rows
        )
        segments, owners = segments[~held], owners[~held]
    if most is not None and len(owners) > most:
        _draw_bundles(pencil, scene, window, look, palette)
        return True
    width = cable_width_px(pencil.scale)
    loads = scene.load_codes
    if loads is not None:
        classes = loads[scene.legs["cable"][owners]]
        for level, colour in enumerate(load_colours(look.tokens)):  # the busiest on top
            draw_segments(pencil, segments[classes == level], colour, width + LOAD_EXTRA_PX[level])
        return False
    codes = scene.cables["code"][scene.legs["cable"][owners]]
    for code in np.unique(codes):
        draw_segments(pencil, segments[codes == code], palette[int(code)], width)
    return False


LOAD_EXTRA_PX = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0)


def load_colours(tokens: Tokens) -> list[QColor]:
    """Colours of the load classes, from nothing to overloaded; width tells the same."""
    return [
        mix(tokens.bundle, tokens.canvas, 0.55),
        mix(tokens.info, tokens.canvas, 0.35),
        tokens.info,
        tokens.warning,
        mix(tokens.warning, tokens.error, 0.5),
        tokens.error,
    ]


def cable_width_px(scale: float) -> float:
    """How thick a cable is drawn: a pixel far away, up to its 6 mm close up."""
    return float(min(max(1.0, round(scale * 2.2)), 4.0))


def draw_segments(pencil: Pencil, segments: FloatArray, colour: QColor, width_px: float) -> None:
    """Segments of one colour: bars where they run along an axis, else lines."""
    if not len(segments):
        return
    straight = (segments[:, 0] == segments[:, 2]) | (segments[:, 1] == segments[:, 3])
    bars = segments[straight]
    if len(bars):
        px = np.empty((len(bars), 4))
        px[:, 0] = np.minimum(bars[:, 0], bars[:, 2]) * pencil.scale + pencil.ox
        px[:, 1] = np.minimum(bars[:, 1], bars[:, 3]) * pencil.scale + pencil.oy
        px[:, 2] = np.maximum(bars[:, 0], bars[:, 2]) * pencil.scale + pencil.ox
        px[:, 3] = np.maximum(bars[:, 1], bars[:, 3]) * pencil.scale + pencil.oy
        if pencil.snap:
            np.clip(px, -32000, 32000, out=px)
        px[:, :2] -= width_px / 2
        px[:, 2:] += width_px / 2
        if pencil.snap:
            px[:, :2] = np.rint(px[:, :2] * pencil.ratio) / pencil.ratio
        px[:, 2:] -= px[:, :2]
        if pencil.snap:
            px[:, 2:] = np.maximum(np.rint(px[:, 2:] * pencil.ratio) / pencil.ratio, width_px)
        pencil.painter.setPen(Qt.PenStyle.NoPen)
        pencil.painter.setBrush(colour)
        draw_rects(pencil.painter, px)
    oblique = segments[~straight]
    if len(oblique):
        lines = oblique * pencil.scale
        lines[:, (0, 2)] += pencil.ox
        lines[:, (1, 3)] += pencil.oy
        few = len(lines) <= 800 or not pencil.snap
        pencil.painter.setRenderHint(QPainter.RenderHint.Antialiasing, few)
        pencil.painter.setPen(solid_pen(colour, width_px))
        draw_lines(pencil.painter, lines)
        pencil.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_bundles(
    pencil: Pencil, scene: SceneArrays, window: Window, look: Look, palette: list[QColor]
) -> None:
    bundles = scene.bundles
    boxes = bundles.boxes
    if len(boxes):
        keep = window.touching(boxes)
        codes = bundles.codes[: len(boxes)]
        for code in np.unique(codes[keep]):
            colour = mix(palette[int(code)], look.tokens.bundle, 0.35 if code else 1.0)
            pencil.fill_many(boxes[keep & (codes == code)], colour)
    lines = bundles.lines
    if len(lines):
        codes = bundles.codes[len(boxes) :]
        counts = bundles.counts[len(boxes) :]
        widths = np.clip(np.rint(np.sqrt(counts) * (0.6 if len(lines) < 200 else 0.3)), 1, 9)
        faint = 0.25 if len(lines) < 200 else 0.55
        for width in np.unique(widths):
            for code in np.unique(codes[widths == width]):
                mine = lines[(widths == width) & (codes == code)]
                colour = mix(palette[int(code)], look.tokens.canvas, faint)
                draw_segments(pencil, mine, colour, float(width))
        if len(lines) <= 200:
            _bundle_counts(pencil, lines, counts, look)


def _bundle_counts(pencil: Pencil, lines: FloatArray, counts: IntArray, look: Look) -> None:
    """How many cables a bundle holds, on a plate at a third of its length."""
    tokens = look.tokens
    for (x1, y1, x2, y2), count in zip(lines.tolist(), counts.tolist(), strict=True):
        if count < 2 or np.hypot(x2 - x1, y2 - y1) * pencil.scale < 70:
            continue
        x, y = x1 + (x2 - x1) * 0.36, y1 + (y2 - y1) * 0.36
        text = str(count)
        plate = QRectF(0, 0, text_width(text, 10, True) + 8.0, 15.0)
        plate.moveCenter(pencil.rect(x, y, 0, 0).center())
        _plate(pencil, plate, tokens.canvas, tokens.bundle)
        pencil.text_px(plate, text, 10, tokens.canvas_text, CENTRE, bold=True, elide=False)
