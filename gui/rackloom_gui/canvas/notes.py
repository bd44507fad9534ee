# SPDX-License-Identifier: Apache-2.0
"""Notes on the drawing: where their plates are at a zoom, what is on them, and drawing them.

A plate has the size of its text in pixels at every zoom, so that it can be read; far out it shows
its first line only, and where there are too many, none. The canvas, the hit tests and the exports
ask the same book, so what is drawn is what can be clicked and what is printed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from rackloom.design import Note
from rackloom.design.notes import MOST_CHARACTERS, first_line, plain_text
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.pencil import LEFT, Pencil, font_of, solid_pen

if TYPE_CHECKING:
    from rackloom_gui.canvas.scene_reader import SceneReader

WHOLE_FROM_PX_PER_MM = 0.09
"""A rack is narrower than 60 px below this: only the first lines of notes are shown."""
MOST_READ = 80
"""More notes than this in view would hide the drawing: they become mere marks."""
WRAP_PX = 230.0
SHORT_PX = 120
MOST_LINES = 16
PAD_PX = 6.0
MARK_PX = 12.0
LEADER_FROM_PX = 14.0
LINE_SPACING = 1.32

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a note belongs in a view, in mm."""

    note: Note
    x: float
    y: float
    thing: Box | None
    """What it is about, for the line that leads there."""
    docked: bool
    """It keeps to its thing here: above it, whatever place it has in the other views."""


@dataclass(frozen=True, slots=True)
class Plate:
    """A note as it is drawn at a zoom; the box in mm."""

    spot: Spot
    box: Box
    lines: tuple[str, ...]
    """None: a mere mark."""
    size: int
    """Font size in pixels."""

    @property
    def id(self) -> str:
        """The note's id."""
        return self.spot.note.id


@dataclass(slots=True)
class NoteBook:
    """The notes of one view."""

    scene: SceneReader
    shifted: dict[str, Point] = field(default_factory=dict)
    """Notes in the hand, and how far they were carried, in mm."""
    edited: str = ""
    """The note that is being written: its plate is the editor."""
    _known: tuple[Any, int, list[Spot], Any] | None = None

    # Where they belong

    def spots(self) -> list[Spot]:
        """Notes that belong in this view; found once for a state of the design."""
        return self._found()[0]

    def _found(self) -> tuple[list[Spot], Any]:
        notes = self.scene.design.notes
        known = self._known
        if known is None or known[0] is not notes or known[1] != self.scene.version:
            found = [spot for note in notes.values() if (spot := self._spot(note)) is not None]
            places = np.array([(s.x, s.y) for s in found], dtype=np.float64).reshape(-1, 2)
            known = self._known = (notes, self.scene.version, found, places)
        return known[2], known[3]

    def _spot(self, note: Note) -> Spot | None:
        floor = self.scene.layout.name == "floor"
        x, y = note.x_m * 1000, note.y_m * 1000
        if note.about is None or not self._exists(note.about):
            return Spot(note, x, y, None, docked=False) if floor else None
        found = self.base(note.about)
        if found is None:
            return None
        (base_x, base_y), thing = found
        if not floor:
            return Spot(note, base_x + x, base_y + y, thing, docked=False)
        left = base_x if thing is None else thing[0]
        return Spot(note, left, base_y - 60.0, thing, docked=True)

    def _exists(self, about: str) -> bool:
        design = self.scene.design
        return any(about in design.table(t) for t in ("devices", "racks", "rows", "cables"))

    def base(self, about: str) -> tuple[Point, Box | None] | None:
        """The place a note about this counts from, and its box; None where it is not seen."""
        scene = self.scene
        corner = scene.layout.row_corner(scene.design, about)
        if corner is not None:
            return corner, None
        if about in scene.devices.row_of:
            if not scene.devices["shown"][scene.devices.row_of[about]]:
                return None
        elif about in scene.cables:
            return self._middle(about)
        box = scene.box_of(about)
        return None if box is None else ((box[0] + box[2], box[1]), box)

    def _middle(self, cable: str) -> tuple[Point, Box] | None:
        """The middle of a cable's longest run."""
        if self.scene.layout.name == "floor":
            return None
        route = self.scene.route_of(cable)
        if not len(route):
            return None
        length = np.hypot(route[:, 2] - route[:, 0], route[:, 3] - route[:, 1])
        x1, y1, x2, y2 = (float(v) for v in route[int(length.argmax())])
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        return (x, y), (x, y, 0.0, 0.0)

    # How they look at a zoom

    def plates(self, scale: float, window: Window | None = None) -> list[Plate]:
        """The plates in a window at so many pixels a mm, the last one on top."""
        spots, places = self._found()
        if not spots:
            return []
        rows: Sequence[int] = range(len(spots))
        if window is not None and not self.shifted:
            # A plate hangs to the right of and below its place, or (docked) above it.
            across, down = (WRAP_PX + 2 * PAD_PX) / scale, MOST_LINES * 20.0 / scale
            inside = (places[:, 0] >= window.x0 - across) & (places[:, 0] <= window.x1)
            inside &= (places[:, 1] >= window.y0 - down) & (places[:, 1] <= window.y1 + down)
            rows = np.flatnonzero(inside).tolist()
        marks = len(rows) > MOST_READ
        return [
            self.plate(spots[row], scale, marks=marks)
            for row in rows
            if spots[row].note.id != self.edited
        ]

    def plate(self, spot: Spot, scale: float, *, marks: bool = False, whole: bool = False) -> Plate:
        """One note's plate. ``whole``: with all of its text, however far out."""
        x, y = spot.x, spot.y
        if spot.note.id in self.shifted:
            dx, dy = self.shifted[spot.note.id]
            x, y = x + dx, y + dy
        lines: tuple[str, ...] = ()
        size = text_size(scale)
        width = height = MARK_PX
        if whole or (not marks and scale >= WHOLE_FROM_PX_PER_MM):
            lines, width = wrapped(spot.note.text[:MOST_CHARACTERS], size)
        elif not marks:
            line = _shortened(first_line(spot.note.text), size)
            lines, width = (line,), advance(line, size)
        if lines:
            width, height = width + 2 * PAD_PX, len(lines) * line_px(size) + 2 * PAD_PX - 2.0
        w, h = width / scale, height / scale
        return Plate(spot, (x, y - h if spot.docked else y, w, h), lines, size)

    def plate_of(self, note_id: str, scale: float, *, whole: bool = False) -> Plate | None:
        """The plate of a note; None where it does not belong in this view."""
        spot = next((s for s in self.spots() if s.note.id == note_id), None)
        return None if spot is None else self.plate(spot, scale, whole=whole)

    # What is under a place

    def at(self, x: float, y: float, scale: float, window: Window | None) -> str | None:
        """The note whose plate is at a place."""
        for plate in reversed(self.plates(scale, window)):
            left, top, w, h = plate.box
            if left <= x <= left + w and top <= y <= top + h:
                return plate.id
        return None

    def inside(self, band: Box, touching: bool, scale: float) -> set[str]:
        """Notes in a rectangle (x0, y0, x1, y1), or touching it."""
        x0, y0, x1, y1 = band
        found = set()
        for plate in self.plates(scale, Window(x0, y0, x1, y1)):
            left, top, w, h = plate.box
            if touching:
                hit = left <= x1 and left + w >= x0 and top <= y1 and top + h >= y0
            else:
                hit = left >= x0 and left + w <= x1 and top >= y0 and top + h <= y1
            if hit:
                found.add(plate.id)
        return found


def text_size(scale: float) -> int:
    """Font size in pixels: a little larger close up, never too small to read."""
    return int(min(max(round(scale * 26.0), 11), 14))


def line_px(size: int) -> float:
    """Height of a line."""
    return float(round(size * LINE_SPACING))


def advance(text: str, size: int) -> float:
    """Width of a text in pixels; not remembered, for notes hold many texts that are seen once."""
    return QFontMetricsF(font_of(size)).horizontalAdvance(text)


@lru_cache(maxsize=1024)
def _shortened(line: str, size: int) -> str:
    """The beginning of a line, as much as a small plate holds."""
    metrics = QFontMetricsF(font_of(size))
    return metrics.elidedText(line, Qt.TextElideMode.ElideRight, SHORT_PX) or "…"


@lru_cache(maxsize=1024)
def wrapped(text: str, size: int) -> tuple[tuple[str, ...], float]:
    """The lines of a text on a plate, and the width of the widest in pixels."""
    lines: list[str] = []
    for paragraph in plain_text(text).split("\n"):
        lines += _broken(paragraph.rstrip(), size)
        if len(lines) > MOST_LINES:
            lines[MOST_LINES - 1 :] = ["…"]
            break
    return tuple(lines), max(advance(line, size) for line in lines)


def _broken(paragraph: str, size: int) -> list[str]:
    """A paragraph in lines no wider than a plate, broken at spaces where there are any."""
    lines: list[str] = []
    rest = paragraph
    while rest and len(lines) <= MOST_LINES:
        most = _fitting(rest, size)
        if most < len(rest):
            space = rest.rfind(" ", 1, most + 1)
            if space > 0 and rest[:space].strip():
                most = space
        lines.append(rest[:most].rstrip())
        rest = rest[most:].lstrip(" ") if most < len(rest) else ""
    return lines or [""]


def _fitting(text: str, size: int) -> int:
    """How many characters of a text fit on a line, at least one."""
    if advance(text[:400], size) <= WRAP_PX:
        return min(len(text), 400)
    low, high = 1, min(len(text), 400)
    while high - low > 1:
        middle = (low + high) // 2
        if advance(text[:middle], size) <= WRAP_PX:
            low = middle
        else:
            high = middle
    return low


# Drawing


def draw_notes(
    pencil: Pencil,
    scene: SceneReader,
    window: Window,
    look: Look,
    *,
    only: Collection[str] | None = None,
) -> None:
    """The notes in a window. ``only``: just these, moved so far that they are wholly in it."""
    if not scene.design.notes:
        return
    if only is None:
        for plate in scene.notes.plates(pencil.scale, window):
            draw_plate(pencil, plate, look)
        return
    for spot in scene.notes.spots():
        if spot.note.id in only:
            plate = scene.notes.plate(spot, pencil.scale, whole=True)
            draw_plate(pencil, _within(plate, window), look)


def draw_whole(
    pencil: Pencil, scene: SceneReader, window: Window, look: Look, ids: Iterable[str], edge: QColor
) -> None:
    """Notes that somebody points at: all of their text, with a frame."""
    wanted = set(ids)
    for spot in scene.notes.spots():
        if spot.note.id in wanted and spot.note.id != scene.notes.edited:
            plate = scene.notes.plate(spot, pencil.scale, whole=True)
            if window.touching(np.array([plate.box]))[0]:
                draw_plate(pencil, plate, look, edge)


def _within(plate: Plate, window: Window) -> Plate:
    x, y, w, h = plate.box
    margin = min(20.0, (window.x1 - window.x0) * 0.02)
    x = max(min(x, window.x1 - w - margin), window.x0 + margin)
    y = max(min(y, window.y1 - h - margin), window.y0 + margin)
    return Plate(plate.spot, (x, y, w, h), plate.lines, plate.size)


def draw_plate(pencil: Pencil, plate: Plate, look: Look, frame: QColor | None = None) -> None:
    """One plate, with a line to what it is about; ``frame`` marks it as selected."""
    tokens, painter = look.tokens, pencil.painter
    rect = pencil.rect(*plate.box)
    _leader(pencil, plate, rect, frame or tokens.note_edge)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    inset = 0.5 / pencil.ratio if pencil.snap else 0.0
    painter.setPen(solid_pen(frame or tokens.note_edge, 2.0 if frame is not None else 1.0))
    painter.setBrush(tokens.note_fill)
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 3.0, 3.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if not plate.lines:
        for share in (0.35, 0.65):
            y = rect.top() + rect.height() * share
            bar = QRectF(rect.left() + 3.0, round(y), rect.width() - 6.0, 1.0)
            painter.fillRect(bar, tokens.note_edge)
        return
    line = line_px(plate.size)
    top = rect.top() + PAD_PX - 1.0
    for text in plate.lines:
        # As wide as it comes out: a font may be a shade wider than its metrics say.
        room = QRectF(rect.left() + PAD_PX, top, rect.width(), line)
        pencil.text_px(room, text, plate.size, tokens.note_text, LEFT, elide=False)
        top += line


def _leader(pencil: Pencil, plate: Plate, rect: QRectF, colour: QColor) -> None:
    """A thin line from a plate to what it is about, where the two are apart."""
    thing = plate.spot.thing
    if thing is None or plate.spot.docked:
        return
    box = pencil.rect(*thing)
    centre = rect.center()
    to_x = min(max(centre.x(), box.left()), box.right())
    to_y = min(max(centre.y(), box.top()), box.bottom())
    from_x = min(max(to_x, rect.left()), rect.right())
    from_y = min(max(to_y, rect.top()), rect.bottom())
    if np.hypot(to_x - from_x, to_y - from_y) < LEADER_FROM_PX:
        return
    painter = pencil.painter
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(solid_pen(colour, 1.0))
    painter.setBrush(colour)
    painter.drawLine(QPointF(from_x, from_y), QPointF(to_x, to_y))
    painter.drawEllipse(QPointF(to_x, to_y), 2.5, 2.5)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
