# SPDX-License-Identifier: Apache-2.0
"""Draws the names of devices: on the face where it leaves room, else beside it."""

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from rackloom.catalog.parts import U_MM
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.faceplates import name_box
from rackloom_gui.canvas.faces import Face
from rackloom_gui.canvas.look import (
    LABELS_FROM_PX_PER_U,
    MOST_LABELS_KEPT,
    MOST_NAMES,
    SPRITE_FROM_PX_PER_U,
    Look,
    Window,
    visible_devices,
)
from rackloom_gui.canvas.pencil import (
    CENTRE,
    Pencil,
    elided,
    font_of,
    text_width,
)
from rackloom_gui.canvas.segments import IntArray
from rackloom_gui.tokens import DeviceColour


def draw_labels(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """The names of the devices in view that are large enough to carry one."""
    if pencil.scale * U_MM < SPRITE_FROM_PX_PER_U and pencil.snap:
        return
    rows = visible_devices(scene, window)
    if not len(rows):
        return
    heights = np.array([name_height_mm(face) for face in scene.book.faces])
    named = rows[heights[scene.devices["face"][rows]] * pencil.scale >= LABELS_FROM_PX_PER_U]
    if 0 < len(named) <= MOST_NAMES or not pencil.snap:  # in a file one can zoom in
        draw_names(pencil, scene, named, look)


def name_height_mm(face: Face) -> float:
    """Room for a name: the lowest a face may come out and still carry one."""
    if face.plain:
        return face.height_mm * 0.62
    if face.height_mm > 4 * face.width_mm:
        return face.width_mm
    return face.height_mm if face.height_mm < 2.5 * U_MM else face.height_mm * 0.4


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
            _upright_name(pencil, name, boxes[n], colour, look)
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
    edge = colour.edge if rect.width() > plate.width() + 40 else None
    _put(pencil, plate, text, size, colour, edge, look)


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
    _put(pencil, plate, name, fitting, colour, colour.edge, look)


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
    _put(pencil, plate, text, size, colour, colour.edge, look)


def name_plate(pencil: Pencil, rect: QRectF, fill: QColor, edge: QColor) -> None:
    """A small rounded plate for a text."""
    painter = pencil.painter
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QColor(edge))
    painter.setBrush(fill)
    painter.drawRoundedRect(rect.toAlignedRect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def put_text(
    pencil: Pencil, rect: QRectF, text: str, size: int, colour: QColor, look: Look
) -> None:
    """A bold text in the middle of a rectangle of pixels; a pixmap made once.

    To lay out hundreds of texts in every frame costs more than all else on a floor of 700 racks.
    """
    text = elided(text, size, int(rect.width()), True)
    if not text:
        return
    if look.sprites is None:
        pencil.text_px(rect, text, size, colour, bold=True, elide=False)
        return
    whole = rect.toAlignedRect()
    key = (text, size, whole.width(), whole.height(), pencil.ratio, colour.rgb())
    pixmap = look.labels.get(key)
    if pixmap is None:
        pixmap = look.labels[key] = _blank(pencil, whole.size(), look)
        painter = QPainter(pixmap)
        local = QRectF(0, 0, whole.width(), whole.height())
        Pencil(painter, pencil.scale).text_px(local, text, size, colour, bold=True, elide=False)
        painter.end()
    pencil.painter.drawPixmap(whole.topLeft(), pixmap)


def _blank(pencil: Pencil, size: QSize, look: Look) -> QPixmap:
    """An empty pixmap to keep a label in; forgets all others where there are too many."""
    if len(look.labels) > MOST_LABELS_KEPT:
        look.labels.clear()
    pixmap = QPixmap(size * pencil.ratio)
    pixmap.setDevicePixelRatio(pencil.ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


def _put(
    pencil: Pencil,
    rect: QRectF,
    text: str,
    size: int,
    colour: DeviceColour,
    edge: QColor | None,
    look: Look,
    *,
    upright: bool = False,
) -> None:
    """A label in a rectangle of pixels, on a plate if it has an edge; a pixmap made once."""
    if look.sprites is None:
        _paint(pencil, rect, text, size, colour, edge, upright=upright)
        return
    whole = rect.toAlignedRect()
    key = (
        text, size, whole.width(), whole.height(), pencil.ratio, upright,
        colour.fill.rgb(), edge.rgb() if edge is not None else 0,
    )  # fmt: skip
    pixmap = look.labels.get(key)
    if pixmap is None:
        pixmap = look.labels[key] = _blank(pencil, whole.size(), look)
        painter = QPainter(pixmap)
        local = QRectF(0, 0, whole.width(), whole.height())
        _paint(Pencil(painter, pencil.scale), local, text, size, colour, edge, upright=upright)
        painter.end()
    pencil.painter.drawPixmap(whole.topLeft(), pixmap)


def _paint(
    pencil: Pencil,
    rect: QRectF,
    text: str,
    size: int,
    colour: DeviceColour,
    edge: QColor | None,
    *,
    upright: bool,
) -> None:
    painter = pencil.painter
    if upright:
        painter.fillRect(rect, colour.fill)
    elif edge is not None:
        name_plate(pencil, rect, colour.fill, edge)
    painter.setPen(colour.text)
    painter.setFont(font_of(size, True))
    flags = int(CENTRE | Qt.TextFlag.TextSingleLine)
    if not upright:
        painter.drawText(rect, flags, text)
        return
    painter.save()
    painter.translate(rect.center())
    painter.rotate(-90)
    across = QRectF(-rect.height() / 2, -rect.width() / 2, rect.height(), rect.width())
    painter.drawText(across, flags, text)
    painter.restore()


def _upright_name(
    pencil: Pencil, name: str, box: list[float], colour: DeviceColour, look: Look
) -> None:
    """Names of vertical PDUs run upwards from the strip's lower end."""
    rect = pencil.rect(*box)
    size = int(min(12, rect.width() - 2))
    if size < 8:
        return
    height = text_width(name, size, True) + 8.0
    strip = QRectF(0, 0, min(size + 4.0, rect.width() - 2), height)
    strip.moveCenter(rect.center())
    # At the lower end: switches, whose names stand beside them, are mostly at the top.
    strip.moveBottom(rect.bottom() - 8)
    _put(pencil, strip, name, size, colour, None, look, upright=True)
