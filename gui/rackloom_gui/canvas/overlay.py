# SPDX-License-Identifier: Apache-2.0
"""What lies over the drawing: selection, hover, problem marks, cuts, what is unplugged, ghosts.

Only what the user touches or asks for is drawn here, one by one; beyond ``MOST_CABLES`` selected
cables their devices tell enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.badges import Badges, badge_radius
from rackloom_gui.canvas.cable_drawing import cable_width_px, draw_segments
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.notes import draw_whole
from rackloom_gui.canvas.pencil import CENTRE, Pencil, font_of, solid_pen, text_width
from rackloom_gui.canvas.pointer import FloatArray, draw_rects
from rackloom_gui.canvas.tables import Table
from rackloom_gui.tokens import Tokens, mix

if TYPE_CHECKING:
    from rackloom_gui.canvas.preview import Preview

MOST_CABLES = 1024
MOST_MARKS = 400
MOST_FRAMES = 1500
_PLATE_APART_PX = 14.0
"""Where there are too many plates for all, those nearer than this begin to stand for each other."""

Extra = Callable[[Pencil, Window], None]


def _spread(places: FloatArray, apart: float) -> npt.NDArray[np.intp]:
    """Rows of places to mark, all where they are few, else one in each square of the view.

    The last of a square stands for it: the gravest are last, and on top. No part of the view with
    marks is left without one, or it would look faultless.
    """
    rows = np.arange(len(places))
    while len(rows) > MOST_MARKS:
        squares = np.floor(places / apart).astype(np.int64)
        _, last = np.unique(squares[::-1], axis=0, return_index=True)
        rows = np.sort(len(places) - 1 - last)
        apart *= 1.25
    return rows


@dataclass(slots=True)
class Marks:
    """What is marked on the drawing, the same in every view."""

    selection: frozenset[str] = frozenset()
    hover: str = ""
    hover_port: tuple[str, str] | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
    """Severity by id."""
    cut: frozenset[str] = frozenset()
    unplugged: frozenset[str] = frozenset()
    oversubscribed: Mapping[str, float] = field(default_factory=dict)
    """Down over up, by switch."""
    preview: Preview | None = None
    """What an edit would change, while somebody asks."""
    load_text: Callable[[str], str] | None = None
    """What a cable carries, for its tooltip; None while loads are not shown."""


class Overlay:
    """Draws the marks of one view."""

    def __init__(self, scene: SceneArrays, look: Look, marks: Marks) -> None:
        self.scene, self.look, self.marks = scene, look, marks
        self._badges = Badges()
        self._spots: tuple[Mapping[str, str], int, FloatArray, list[str]] | None = None
        self._rows: dict[tuple[int, str], tuple[Any, int, Any]] = {}
        self.extras: list[Extra] = []
        """Whoever has something to show meanwhile: a tool, a drop, a flight."""

    def draw(self, pencil: Pencil, window: Window) -> None:
        """Everything, the most urgent last."""
        tokens, marks = self.look.tokens, self.marks
        if marks.cut:
            self._cables(pencil, marks.cut, tokens.binding_cut, 3.0)
            self._frames(pencil, window, marks.cut, tokens.binding_cut, 2.0)
        if marks.unplugged:
            self._unplugged(pencil, window)
        if marks.oversubscribed:
            self._oversubscribed(pencil, window)
        if marks.selection:
            self._cables(pencil, marks.selection, tokens.selection, 2.0)
            self._frames(pencil, window, marks.selection, tokens.selection, 2.0)
        if marks.hover and marks.hover not in marks.selection:
            self._cables(pencil, [marks.hover], tokens.hover, 1.0)
            self._frames(pencil, window, [marks.hover], tokens.hover, 1.0)
        if marks.hover_port is not None:
            self._port(pencil, *marks.hover_port)
        if marks.problems:
            self._problems(pencil, window)
        self._notes(pencil, window)
        for extra in tuple(self.extras):
            extra(pencil, window)

    def _notes(self, pencil: Pencil, window: Window) -> None:
        """Selected notes and the one under the pointer, with all of their text."""
        notes, marks = self.scene.design.notes, self.marks
        if not notes:
            return
        if marks.hover in notes and marks.hover not in marks.selection:
            hover = self.look.tokens.hover
            draw_whole(pencil, self.scene, window, self.look, [marks.hover], hover)
        chosen = [note for note in notes if note in marks.selection]
        if chosen:
            edge = self.look.tokens.selection
            draw_whole(pencil, self.scene, window, self.look, chosen, edge)

    def highlight(
        self, pencil: Pencil, window: Window, ids: frozenset[str], colour: QColor
    ) -> None:
        """Frame the racks and devices among these ids, and trace the cables."""
        self._cables(pencil, ids, colour, 2.0)
        self._frames(pencil, window, ids, colour, 2.0)

    def _frames(
        self, pencil: Pencil, window: Window, ids: Iterable[str], colour: QColor, width: float
    ) -> None:
        for table in (self.scene.racks, self.scene.devices):
            rows = self._rows_of(table, ids)
            if table is self.scene.devices and len(rows):
                rows = rows[table["shown"][rows]]
            if not len(rows):
                continue
            boxes = table["box"][rows]
            boxes = boxes[window.touching(boxes)]
            if len(boxes) > MOST_FRAMES:  # so many are small: a filled box says the same
                pencil.fill_many(boxes, mix(colour, self.look.tokens.canvas, 0.25))
                continue
            px = pencil.rects(boxes)
            out = width / 2 + 0.5
            px += np.array([-out, -out, 2 * out, 2 * out])
            pencil.painter.setPen(solid_pen(colour, width))
            pencil.painter.setBrush(Qt.BrushStyle.NoBrush)
            draw_rects(pencil.painter, px)

    def _rows_of(self, table: Table, ids: Iterable[str]) -> Any:
        """Rows of ids in a table; remembered while neither the set nor the scene changes."""
        if not isinstance(ids, frozenset):
            return table.rows(ids)
        key = (id(ids), "racks" if table is self.scene.racks else "devices")
        known = self._rows.get(key)
        if known is not None and known[0] is ids and known[1] == self.scene.version:
            return known[2]
        if len(self._rows) > 16:
            self._rows.clear()
        rows = table.rows(ids)
        self._rows[key] = (ids, self.scene.version, rows)
        return rows

    def _cables(self, pencil: Pencil, ids: Iterable[str], colour: QColor, thicker: float) -> None:
        routes = self.routes(ids)
        if len(routes):
            # A halo and a core of another brightness: the colour alone may be that of the network.
            width = cable_width_px(pencil.scale) + thicker
            tokens = self.look.tokens
            draw_segments(pencil, routes, tokens.canvas, width + 4.0)
            draw_segments(pencil, routes, colour, width + 2.0)
            draw_segments(pencil, routes, tokens.canvas_text, max(width - 3.0, 1.0))

    def routes(self, ids: Iterable[str]) -> FloatArray:
        """The segments of the cables among these ids."""
        scene = self.scene
        legs: list[int] = []
        for count, entity_id in enumerate(i for i in ids if i in scene.cables):
            if count >= MOST_CABLES:
                break
            legs.extend(scene.legs_of(entity_id))
        if not legs:
            return np.zeros((0, 4))
        return scene.layout.route(scene, np.array(legs, dtype=np.int32))[0]

    def _port(self, pencil: Pencil, device: str, cage: str) -> None:
        """The port under the pointer is drawn grown."""
        place = self.scene.port_place(device, cage)
        if place is None:
            return
        rect = pencil.rect(*place).adjusted(-2.0, -2.0, 2.0, 2.0)
        painter = pencil.painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(solid_pen(self.look.tokens.hover, 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, 2.5, 2.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _unplugged(self, pencil: Pencil, window: Window) -> None:
        self.cross_out(pencil, window, self.marks.unplugged, self.look.tokens.unplugged)

    def cross_out(
        self, pencil: Pencil, window: Window, ids: frozenset[str], colour: QColor
    ) -> None:
        """Dash the cables among these ids, and hatch the devices."""
        tokens, scene = self.look.tokens, self.scene
        routes = self.routes(ids)
        painter = pencil.painter
        if len(routes):
            pen = solid_pen(colour, cable_width_px(pencil.scale) + 1.0)
            pen.setDashPattern([3.0, 3.0])
            draw_segments(pencil, routes, tokens.canvas, cable_width_px(pencil.scale) + 3.0)
            painter.setPen(pen)
            for x1, y1, x2, y2 in routes.tolist():
                painter.drawLine(
                    QPointF(pencil.px(x1), pencil.py(y1)), QPointF(pencil.px(x2), pencil.py(y2))
                )
        rows = self._rows_of(scene.devices, ids)
        rows = rows[scene.devices["shown"][rows]] if len(rows) else rows
        for row in rows.tolist():
            box = scene.devices["box"][row]
            if not window.touching(box[None, :])[0]:
                continue
            rect = pencil.rect(*(float(v) for v in box))
            painter.fillRect(rect, QBrush(colour, Qt.BrushStyle.BDiagPattern))
            pencil.frame_px(rect, colour, 2.0)

    def _oversubscribed(self, pencil: Pencil, window: Window) -> None:
        """A plate with the ratio at the lower right corner of each such switch."""
        scene, tokens, painter = self.scene, self.look.tokens, pencil.painter
        ratios, known = self.marks.oversubscribed, scene.devices.row_of
        switches = sorted((d for d in ratios if d in known), key=lambda d: (ratios[d], d))
        rows = np.array([known[d] for d in switches], dtype=np.intp)
        boxes = scene.devices["box"][rows]
        seen = np.flatnonzero(scene.devices["shown"][rows] & window.touching(boxes))
        for n in seen[_spread(boxes[seen, :2] * pencil.scale, _PLATE_APART_PX)].tolist():
            device, box, ratio = switches[n], boxes[n], ratios[switches[n]]
            text = f"{ratio:.3g}:1"
            rect = pencil.rect(*(float(v) for v in box))
            plate = QRectF(0, 0, text_width(text, 10, True) + 8.0, 14.0)
            plate.moveBottomRight(rect.bottomRight() + QPointF(4.0, 4.0))
            radius = badge_radius(pencil.scale)
            if device in self.marks.problems and plate.top() < rect.top() + radius:
                plate.moveRight(rect.right() - radius - 1.0)  # the badge is at the upper corner
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            painter.setPen(solid_pen(tokens.canvas, 1.0))
            painter.setBrush(tokens.warning)
            painter.drawRoundedRect(plate, 3.0, 3.0)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            pencil.text_px(plate, text, 10, tokens.on_warning, CENTRE, bold=True, elide=False)

    def _problems(self, pencil: Pencil, window: Window) -> None:
        spots, severities = self._problem_spots()
        seen = np.flatnonzero(
            (spots[:, 0] >= window.x0)
            & (spots[:, 0] <= window.x1)
            & (spots[:, 1] >= window.y0)
            & (spots[:, 1] <= window.y1)
        )
        radius = badge_radius(pencil.scale)
        for n in seen[_spread(spots[seen] * pencil.scale, 2 * radius)].tolist():
            place = QPointF(pencil.px(float(spots[n, 0])), pencil.py(float(spots[n, 1])))
            self._badges.draw(pencil.painter, place, severities[n], self.look.tokens, radius)

    def _problem_spots(self) -> tuple[FloatArray, list[str]]:
        """Where badges sit in this view, the gravest last; found once for a set of problems."""
        key = (self.marks.problems, self.scene.version)
        if self._spots is None or self._spots[0] is not key[0] or self._spots[1] != key[1]:
            order = {"info": 0, "warning": 1, "error": 2}
            found = [
                (spot, severity)
                for entity_id, severity in sorted(
                    self.marks.problems.items(), key=lambda item: order.get(item[1], 0)
                )
                if (spot := self._corner(entity_id)) is not None
            ]
            places = np.array([spot for spot, _ in found], dtype=np.float64).reshape(-1, 2)
            self._spots = (*key, places, [severity for _, severity in found])
        return self._spots[2], self._spots[3]

    def _corner(self, entity_id: str) -> tuple[float, float] | None:
        """Where a badge sits: a box's upper right corner, the middle of a cable's longest run."""
        scene = self.scene
        for table in (scene.devices, scene.racks):
            row = table.row_of.get(entity_id)
            if row is not None:
                if table is scene.devices and not table["shown"][row]:
                    return None
                x, y, w, _ = table["box"][row]
                return float(x + w), float(y)
        route = scene.route_of(entity_id) if entity_id in scene.cables else None
        if route is None or not len(route):
            return None
        length = np.abs(route[:, 2] - route[:, 0]) + np.abs(route[:, 3] - route[:, 1])
        x1, y1, x2, y2 = route[int(length.argmax())]
        return float((x1 + x2) / 2), float((y1 + y2) / 2)


def speech(
    painter: QPainter, anchor: QPointF, text: str, tokens: Tokens, mark: QColor, within: QRectF
) -> None:
    """A line of text on a plate beside a place, with a coloured bar; kept inside ``within``."""
    size = 12
    width = min(text_width(text, size) + 24.0, max(within.width() - 8.0, 60.0))
    plate = QRectF(anchor.x(), anchor.y(), width, size + 12.0)
    plate.moveLeft(min(max(plate.left(), within.left() + 4), within.right() - width - 4))
    plate.moveTop(min(max(plate.top(), within.top() + 4), within.bottom() - plate.height() - 4))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.tooltip)
    painter.drawRoundedRect(plate, 4, 4)
    painter.setBrush(mark)
    painter.drawRoundedRect(QRectF(plate.left(), plate.top(), 5, plate.height()), 2, 2)
    painter.setPen(tokens.tooltip_text)
    painter.setFont(font_of(size))
    inner = plate.adjusted(12, 0, -6, 0)
    painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
    painter.restore()


def ghost_frame(pencil: Pencil, box: tuple[float, ...], ok: bool, tokens: Tokens) -> None:
    """The frame of a ghost: green, or red with a hatch. Never colour alone."""
    rect = pencil.rect(*box)
    colour = tokens.ghost_ok if ok else tokens.ghost_refused
    if not ok:
        wash = QColor(tokens.ghost_refused_fill)
        wash.setAlphaF(0.55)
        pencil.painter.fillRect(rect, wash)
        pencil.painter.fillRect(rect, QBrush(colour, Qt.BrushStyle.BDiagPattern))
    pencil.frame_px(rect.adjusted(-1, -1, 1, 1), colour, 2.0)
