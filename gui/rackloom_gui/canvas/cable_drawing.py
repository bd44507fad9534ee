# SPDX-License-Identifier: Apache-2.0
"""Draws cables one by one, coloured by network or by load, and bundles where they are too many."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.labels import name_plate
from rackloom_gui.canvas.look import SEGMENT_BUDGET, Look, Window
from rackloom_gui.canvas.pencil import (
    CENTRE,
    Pencil,
    solid_pen,
    text_width,
)
from rackloom_gui.canvas.pointer import (
    FloatArray,
    draw_lines,
    draw_rects,
)
from rackloom_gui.canvas.segments import IntArray
from rackloom_gui.tokens import Tokens, mix


def draw_cables(
    pencil: Pencil,
    scene: SceneArrays,
    window: Window,
    look: Look,
    budget: int | None = SEGMENT_BUDGET,
) -> bool:
    """Cables in view, or their bundles where they would be too many; True if bundled."""
    loads = scene.load_codes
    bundled = scene.colours.palette(look.tokens) if loads is None else load_colours(look.tokens)
    palette = scene.colours.palette(look.tokens)
    most = None if budget is None else min(budget, scene.layout.most_segments)
    if most is not None and scene.segments.crowded(
        most, window.x0, window.y0, window.x1, window.y1
    ):
        _draw_bundles(pencil, scene, window, look, bundled)
        return True
    segments, owners = scene.segments.within(window.x0, window.y0, window.x1, window.y1)
    if scene.hidden_devices and len(owners):
        rows = scene.devices.rows(scene.hidden_devices)
        held = np.isin(scene.legs["a_dev"][owners], rows) | np.isin(
            scene.legs["b_dev"][owners], rows
        )
        segments, owners = segments[~held], owners[~held]
    if most is not None and len(owners) > most:
        _draw_bundles(pencil, scene, window, look, bundled)
        return True
    width = cable_width_px(pencil.scale)
    if loads is not None:
        classes = loads[scene.legs["cable"][owners]]
        for level, colour in enumerate(load_colours(look.tokens)):  # the busiest on top
            draw_segments(pencil, segments[classes == level], colour, width + LOAD_EXTRA_PX[level])
        return False
    codes = scene.cables["code"][scene.legs["cable"][owners]]
    for code in distinct(codes):
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
        for code in distinct(codes[keep]):
            plain = scene.load_codes is None
            faded = (0.35 if code else 1.0) if plain else 0.0
            colour = mix(palette[int(code)], look.tokens.bundle, faded)
            pencil.fill_many(boxes[keep & (codes == code)], colour)
    lines = bundles.lines
    if len(lines):
        codes = bundles.codes[len(boxes) :]
        counts = bundles.counts[len(boxes) :]
        widths = np.clip(np.rint(np.sqrt(counts) * (0.6 if len(lines) < 200 else 0.3)), 1, 9)
        faint = 0.25 if len(lines) < 200 else 0.55
        if scene.load_codes is not None:  # what the colours say must be readable on the legend
            faint = 0.0
        for width in distinct(widths):
            for code in distinct(codes[widths == width]):
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
        name_plate(pencil, plate, tokens.canvas, tokens.bundle)
        pencil.text_px(plate, text, 10, tokens.canvas_text, CENTRE, bold=True, elide=False)
