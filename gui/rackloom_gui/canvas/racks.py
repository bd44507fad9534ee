# SPDX-License-Identifier: Apache-2.0
"""Draws rows with their trays, and racks: cabinet, rails, U numbers on both posts, name plates."""

from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from rackloom.catalog.parts import U_MM, RackPart
from rackloom.placement.elevation import RACK_NAME_MM, TRAY_MM, RowBand
from rackloom.placement.geometry import CHASSIS_MM, FACEPLATE_MM, rack_opening_mm
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.elevation_layout import (
    FRAME_MM,
    NUMBERS_MM,
    ElevationLayout,
    numbers_room_mm,
)
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.pencil import CENTRE, LEFT, Pencil, elided, text_width
from rackloom_gui.canvas.pointer import FloatArray, draw_pixmap_fragments, draw_rects, fragments
from rackloom_gui.canvas.sprites import MAX_STRIP_PX
from rackloom_gui.tokens import Tokens, mix

BESIDE_MM = 200.0
"""The name of a row may be this much longer than the row."""
NUMBERS_FROM_PX_PER_U = 9.0
SLOTS_FROM_PX_PER_U = 6.0
LEAST_NUMBER_PX = 7
"""Smaller U numbers cannot be read."""


def draw_rows(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """Row names, trays above the racks, the floor under them."""
    layout = scene.layout
    if not isinstance(layout, ElevationLayout):
        return
    tokens = look.tokens
    for band in layout.drawing.bands:
        if band.floor_mm + 300 < window.y0 or band.top_mm > window.y1:
            continue
        left, width = band.left_mm, band.right_mm - band.left_mm
        _tray(pencil, band, tokens)
        pencil.fill(
            left - 60, band.floor_mm, width + 120, 26.0, mix(tokens.canvas, tokens.rack_frame, 0.35)
        )
        _row_name(pencil, scene, band, tokens)


def _tray(pencil: Pencil, band: RowBand, tokens: Tokens) -> None:
    """A ladder tray: two rails and its rungs."""
    left, width = band.left_mm - 60, band.right_mm - band.left_mm + 120
    faint = mix(tokens.canvas, tokens.tray, 0.20)
    pencil.fill(left, band.tray_top_mm, width, TRAY_MM, faint)
    rail = mix(tokens.canvas, tokens.tray, 0.75)
    for y in (band.tray_top_mm, band.tray_bottom_mm - 8.0):
        pencil.fill(left, y, width, 8.0, rail)
    if pencil.shows(300.0, 14.0):
        count = int(width // 300) + 1
        rungs = np.zeros((count, 4))
        rungs[:, 0] = left + np.arange(count) * 300.0
        rungs[:, 1] = band.tray_top_mm
        rungs[:, 2] = 10.0
        rungs[:, 3] = TRAY_MM
        pencil.fill_many(rungs, mix(tokens.canvas, tokens.tray, 0.42))


def _row_name(pencil: Pencil, scene: SceneArrays, band: RowBand, tokens: Tokens) -> None:
    row = scene.design.rows.get(band.row)
    size = int(min(max(120.0 * pencil.scale, 11), 18))
    room = (band.tray_top_mm - band.top_mm) * pencil.scale
    if row is None or room < 9:
        return
    wide = band.right_mm - band.left_mm + BESIDE_MM
    box = (band.left_mm, band.top_mm, wide, band.tray_top_mm - band.top_mm - 30.0)
    size = int(min(size, max(room * 0.75, 9)))
    pencil.text(box, row.name, size, tokens.row_label, LEFT, bold=True)


def draw_racks(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """All racks in view, in bulk; details as their size allows."""
    if not len(scene.racks.ids):
        return
    boxes = scene.racks["box"]
    wide = boxes.copy()
    wide[:, 1] -= RACK_NAME_MM
    wide[:, 3] += RACK_NAME_MM
    rows = np.flatnonzero(window.touching(wide) & scene.racks.alive)
    if not len(rows):
        return
    tokens = look.tokens
    px_per_u = pencil.scale * U_MM
    mine = boxes[rows]
    cabinet = mix(tokens.rack_interior, tokens.rack_frame, 0.30)
    whole = pencil.rects(mine)
    painter = pencil.painter
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(cabinet if px_per_u >= 3 else tokens.rack_interior)
    draw_rects(painter, whole)
    painter.setBrush(tokens.rack_frame)
    draw_rects(painter, outlines(whole, 1.0 if pencil.scale > 0.1 else 0.5))
    if px_per_u >= 3:
        openings = _openings(scene, rows)
        _shafts(pencil, mine, openings, tokens)
        pencil.fill_many(openings, tokens.rack_interior)
        _posts(pencil, openings, tokens, px_per_u)
        if px_per_u >= SLOTS_FROM_PX_PER_U:
            _slot_lines(pencil, openings, tokens)
        if px_per_u >= NUMBERS_FROM_PX_PER_U:
            _numbers(pencil, mine, openings, look)
    _names(pencil, scene, rows, tokens)


def outlines(rects: FloatArray, width: float) -> FloatArray:
    """The four sides of rectangles in pixels, inside their edges, as rectangles."""
    sides = np.repeat(rects[None], 4, axis=0)
    thick = np.minimum(width, rects[:, 2:].min(axis=1))
    sides[0, :, 3] = sides[1, :, 3] = thick
    sides[1, :, 1] += rects[:, 3] - thick
    sides[2, :, 2] = sides[3, :, 2] = thick
    sides[3, :, 0] += rects[:, 2] - thick
    return sides.reshape(-1, 4)


def _openings(scene: SceneArrays, rows: Any) -> FloatArray:
    """Where devices go: as wide as a faceplate, as tall as the rack's U."""
    out = np.empty((len(rows), 4))
    spans: dict[str, tuple[float, float]] = {}
    for n, row in enumerate(rows.tolist()):
        rack = scene.design.racks[scene.racks.ids[row]]
        span = spans.get(rack.part)
        if span is None:
            span = spans[rack.part] = rack_opening_mm(scene.design.part(rack.part, RackPart))
        x, y, w, h = scene.racks["box"][row]
        out[n] = (x + (w - FACEPLATE_MM) / 2, y + h - span[1], FACEPLATE_MM, span[1] - span[0])
    return out


def _shafts(pencil: Pencil, boxes: FloatArray, openings: FloatArray, tokens: Tokens) -> None:
    """The cable managers on both sides of the rails."""
    margin = openings[:, 0] - boxes[:, 0]
    room = margin - FRAME_MM - NUMBERS_MM
    some = room > 2.0
    if not some.any():
        return
    shade = mix(tokens.rack_interior, tokens.rack_frame, 0.13)
    left = np.stack(
        [boxes[:, 0] + FRAME_MM, openings[:, 1], np.maximum(room, 0.0), openings[:, 3]], 1
    )
    right = left.copy()
    right[:, 0] = boxes[:, 0] + boxes[:, 2] - FRAME_MM - left[:, 2]
    pencil.fill_many(np.concatenate([left[some], right[some]]), shade)


def _posts(pencil: Pencil, openings: FloatArray, tokens: Tokens, px_per_u: float) -> None:
    ear = (FACEPLATE_MM - CHASSIS_MM) / 2
    left = openings.copy()
    left[:, 2] = ear
    right = left.copy()
    right[:, 0] = openings[:, 0] + FACEPLATE_MM - ear
    pencil.fill_many(np.concatenate([left, right]), tokens.rack_post)
    if px_per_u >= 26.0:  # square holes: three a U, as EIA-310 has them
        hole = mix(tokens.rack_post, tokens.rack_frame, 0.55)
        for x0, y0, w, h in openings.tolist():
            count = round(h / U_MM)
            base = y0 + np.arange(count) * U_MM
            ys = (base[:, None] + np.array([6.35, 22.2, 38.1])[None, :]).ravel() - 3.0
            holes = np.zeros((len(ys) * 2, 4))
            holes[:, 0] = np.repeat([x0 + ear / 2 - 3.5, x0 + w - ear / 2 - 3.5], len(ys))
            holes[:, 1] = np.tile(ys, 2)
            holes[:, 2:] = (7.0, 6.0)
            pencil.fill_many(holes, hole)


def _slot_lines(pencil: Pencil, openings: FloatArray, tokens: Tokens) -> None:
    parts = []
    line = 1.0 / pencil.scale / pencil.ratio
    ear = (FACEPLATE_MM - CHASSIS_MM) / 2
    for x0, y0, w, h in openings.tolist():
        count = round(h / U_MM) - 1
        lines = np.zeros((max(count, 0), 4))
        lines[:, 0] = x0 + ear
        lines[:, 1] = y0 + (np.arange(count) + 1) * U_MM
        lines[:, 2] = w - 2 * ear
        lines[:, 3] = line
        parts.append(lines)
    if parts:
        pencil.fill_many(np.concatenate(parts), tokens.rack_slot_line)


def _numbers(pencil: Pencil, boxes: FloatArray, openings: FloatArray, look: Look) -> None:
    """U numbers on strips beside both posts, from 1 at the bottom; every fifth is bold."""
    units = np.rint(openings[:, 3] / U_MM).astype(int)
    margins = openings[:, 0] - boxes[:, 0]
    rooms = np.round(np.minimum(numbers_room_mm(margins), margins - FRAME_MM), 1)
    # Sprites are painted in device pixels, and their least text is that many of them.
    scale = pencil.scale * (pencil.ratio if look.sprites is not None else 1.0)
    for count, room in sorted(set(zip(units.tolist(), rooms.tolist(), strict=True))):
        mine = openings[(units == count) & (rooms == room)]
        width = strip_mm(scale, count, room)
        size = (width, float(mine[0, 3]))

        def paint(pen: Pencil, count: int = count, width: float = width) -> None:
            number_strip(pen, count, look.tokens, width)

        spots = np.concatenate([mine[:, :2] - (width, 0), mine[:, :2] + (FACEPLATE_MM, 0)])
        found = None
        if look.sprites is not None:
            key = ("U", count, look.tokens.name, width)
            found = look.sprites.get(
                key, size, pencil.scale, pencil.ratio, paint, MAX_STRIP_PX, opaque=True
            )
        if found is None:
            pencil.stamp(("U", count, width), spots, paint)
            continue
        pixmap, factor = found
        boxes = np.zeros((len(spots), 4))
        boxes[:, :2] = spots
        boxes[:, 2:] = size
        px = pencil.rects(boxes)
        tiles = fragments(len(spots))
        tiles[:, 0] = px[:, 0] + pixmap.width() * factor / 2
        tiles[:, 1] = px[:, 1] + pixmap.height() * factor / 2
        tiles[:, 4], tiles[:, 5] = pixmap.width(), pixmap.height()
        tiles[:, 6] = tiles[:, 7] = factor
        draw_pixmap_fragments(pencil.painter, tiles, pixmap)


@lru_cache(maxsize=256)
def _widest_px(units: int, size: int) -> float:
    """Width of the widest U number of a rack, in pixels."""
    return max(text_width(str(u), size, u % 5 == 0) for u in range(1, units + 1))


def strip_mm(scale: float, units: int, margin_mm: float) -> float:
    """Width of a strip of U numbers at a scale (px/mm): its own, or what the least text needs.

    ``margin_mm`` is the numbers' room beside the post: the strip grows neither into the cables nor
    into the frame.
    """
    needed = (_widest_px(units, LEAST_NUMBER_PX) + 2.0) / scale
    return needed if NUMBERS_MM < needed <= margin_mm else NUMBERS_MM


def number_strip(pencil: Pencil, units: int, tokens: Tokens, width_mm: float) -> None:
    """U numbers from 1 at the bottom; none at all where the strip is too narrow for whole ones."""
    pencil.fill(0, 0, width_mm, units * U_MM, tokens.rack_post)
    px, room = U_MM * pencil.scale, width_mm * pencil.scale
    size = int(min(px * 0.56, NUMBERS_MM * pencil.scale * 0.72, 14.0 * max(pencil.scale, 1.0)))
    every = 1 if size >= LEAST_NUMBER_PX else 5
    size = max(size, LEAST_NUMBER_PX)
    while size > LEAST_NUMBER_PX and _widest_px(units, size) > room:
        size -= 1
    if _widest_px(units, size) > room:
        return
    for u in range(1, units + 1):
        top = (units - u) * U_MM
        if u < units:
            pencil.line(0, top, width_mm, top, mix(tokens.rack_post, tokens.rack_frame, 0.22))
        if every == 1 or u % every == 0 or u == 1:
            major = u % 5 == 0
            ink = tokens.rack_title if major else tokens.u_number
            pencil.text(
                (-4.0, top, width_mm + 8.0, U_MM), str(u), size, ink, CENTRE,
                bold=major, elide=False,
            )  # fmt: skip


def _names(pencil: Pencil, scene: SceneArrays, rows: Any, tokens: Tokens) -> None:
    """A plate with its name above each rack."""
    width = float(scene.racks["box"][rows, 2].max()) * pencil.scale
    size = int(min(max(RACK_NAME_MM * 0.5 * pencil.scale, 9.0), 15.0))
    if RACK_NAME_MM * pencil.scale < 9.0 or width < 18.0:
        return
    painter = pencil.painter
    for row in rows.tolist():
        rack = scene.design.racks[scene.racks.ids[row]]
        x, y, w, _ = (float(v) for v in scene.racks["box"][row])
        rect = pencil.rect(x, y - RACK_NAME_MM, w, RACK_NAME_MM)
        text = elided(rack.name, size, int(rect.width() - 4), True)
        if not text:
            continue
        plate = QRectF(0, 0, min(text_width(text, size, True) + 14, rect.width()), size + 7)
        plate.moveCenter(rect.center())
        plate.moveBottom(rect.bottom() - max(2.0, 14.0 * pencil.scale))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(tokens.canvas, tokens.rack_frame, 0.16))
        painter.drawRoundedRect(plate, 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        pencil.text_px(plate, text, size, tokens.rack_title, CENTRE, bold=True, elide=False)
