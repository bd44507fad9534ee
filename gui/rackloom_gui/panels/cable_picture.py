# SPDX-License-Identifier: Apache-2.0
"""A cable or a transceiver as a drawing: the plugs at its ends, how it fans out, how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from rackloom.catalog.parts import CablePart, PlugSpec, TransceiverPart
from rackloom.catalog.words import PortCount, Shell
from rackloom_gui.canvas.pencil import elided, font_of, text_width
from rackloom_gui.panels.figures import lengths_text, rate_text, tr
from rackloom_gui.panels.plug_shapes import PlugShape, paint_plug, paint_socket
from rackloom_gui.theme import Tokens, mix

_MARGIN_PX = 10.0
_ROW_PX = 50.0
"""Height of a plug with the words below it."""
_SOCKET_ROW_PX = 26.0
_MODULE_PX = 58.0
"""Height of the widest module at twice the scale of plugs."""
_FOOT_PX = 30.0
"""Room for the line that tells the length."""
_TEXT_PX = 11
_MOST_BRANCHES = 8
_MOST_CONNECTORS = 4
"""Ends drawn at one side of a breakout, and of a trunk; of more, the first ones and the last."""
_GAP = -1
"""Stands among the ends that are drawn for those that are not."""


@dataclass(frozen=True, slots=True)
class CablePicture:
    """What is drawn of a part, from left to right."""

    part: CablePart | TransceiverPart

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """Numbers of the ends at the left and at the right; _GAP for a run that is left out."""
        part = self.part
        if isinstance(part, TransceiverPart):
            return [0], _shortened(range(part.sockets), _MOST_BRANCHES)
        side = part.connectors_per_side
        most = _MOST_CONNECTORS if side > 1 else _MOST_BRANCHES
        return _shortened(range(side), most), _shortened(range(side, len(part.ends)), most)

    @property
    def height_px(self) -> float:
        """Height that the drawing needs, whatever its width."""
        rows = max(len(side) for side in self.sides)
        if isinstance(self.part, TransceiverPart):
            return 2 * _MARGIN_PX + max(rows * _SOCKET_ROW_PX, _MODULE_PX) + 20
        return 2 * _MARGIN_PX + rows * _ROW_PX + _FOOT_PX

    def words(self, end: int) -> str:
        """What stands below an end: what plugs there and what it carries."""
        part = self.part
        if isinstance(part, CablePart):
            return plug_words(part.ends[end])
        polish = f" {part.polish}" if part.polish else ""
        return f"{part.connector}{polish} · {part.optic_class}"

    def paint(self, painter: QPainter, width: float, tokens: Tokens) -> None:
        """Draw it into an area of this width, from the painter's origin."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if isinstance(self.part, TransceiverPart):
            self._paint_module(painter, self.part, width, tokens)
        else:
            self._paint_cable(painter, self.part, width, tokens)

    # -- cables -----------------------------------------------------------------------------------

    def _paint_cable(
        self, painter: QPainter, part: CablePart, width: float, tokens: Tokens
    ) -> None:
        colour = tokens.technology(part.technology)
        left, right = self.sides
        middle = _MARGIN_PX + max(len(left), len(right)) * _ROW_PX / 2 - 7
        joints = self._joints(part, width, middle)
        for ends, joint, turned in ((left, joints[0], False), (right, joints[1], True)):
            for place, end in zip(_rows(len(ends), middle), ends, strict=True):
                tip = width - _MARGIN_PX if turned else _MARGIN_PX
                if end == _GAP:
                    _dots(painter, tip + (-30.0 if turned else 30.0), place, tokens)
                    continue
                shape = _shape(part, part.ends[end])
                root = tip + (-shape.length_px if turned else shape.length_px)
                if ends[1:]:
                    _strand(painter, QPointF(root, place), joint, colour, 3.0)
                self._paint_end(painter, shape, tip, place, tokens, colour, turned=turned)
                _words(painter, self.words(end), tip, place, width, tokens, right=turned)
        painter.setPen(QPen(colour, 5.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(*joints))
        for ends, joint in ((left, joints[0]), (right, joints[1])):
            if ends[1:]:
                painter.setPen(QPen(tokens.border_strong, 1.0))
                painter.setBrush(colour)
                painter.drawRoundedRect(QRectF(joint.x() - 9, joint.y() - 7, 18, 14), 3.0, 3.0)
        self._paint_length(painter, part, width, tokens)

    def _joints(self, part: CablePart, width: float, middle: float) -> tuple[QPointF, QPointF]:
        """Where the strands of either side come together; a single one begins at its plug."""
        left, right = self.sides
        a = _MARGIN_PX + _shape(part, part.ends[left[0]]).length_px
        b = width - _MARGIN_PX - _shape(part, part.ends[right[0]]).length_px
        if left[1:]:
            a = width * 0.36
        if right[1:]:
            b = width * (0.64 if left[1:] else 0.5)
        return QPointF(a, middle), QPointF(b, middle)

    @staticmethod
    def _paint_end(
        painter: QPainter,
        shape: PlugShape,
        tip: float,
        place: float,
        tokens: Tokens,
        colour: QColor,
        *,
        turned: bool,
    ) -> None:
        painter.save()
        if turned:
            painter.translate(tip, 0.0)
            painter.scale(-1.0, 1.0)
            tip = 0.0
        paint_plug(painter, shape, tip, place, tokens, colour)
        painter.restore()

    def _paint_length(
        self, painter: QPainter, part: CablePart, width: float, tokens: Tokens
    ) -> None:
        """A dimension line from mating face to mating face with the lengths one can order."""
        y = self.height_px - _MARGIN_PX - 6
        left, right = _MARGIN_PX, width - _MARGIN_PX
        text = elided(lengths_text(part.lengths_m), _TEXT_PX, right - left - 60)
        room = text_width(text, _TEXT_PX) / 2 + 8
        painter.setPen(QPen(tokens.text_muted, 1.0))
        centre = (left + right) / 2
        for x, inner, step in ((left, centre - room, 5.0), (right, centre + room, -5.0)):
            painter.drawLine(QLineF(x, y, inner, y))
            painter.drawLine(QLineF(x, y - 5, x, y + 5))
            painter.drawLine(QLineF(x, y, x + step, y - 3))
            painter.drawLine(QLineF(x, y, x + step, y + 3))
        painter.setFont(font_of(_TEXT_PX))
        area = QRectF(centre - room, y - 9, 2 * room, 18)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    # -- transceivers -----------------------------------------------------------------------------

    def _paint_module(
        self, painter: QPainter, part: TransceiverPart, width: float, tokens: Tokens
    ) -> None:
        """The module with its contacts at the left; its sockets are in the nose at the right."""
        _, sockets = self.sides
        rows = len(sockets) * _SOCKET_ROW_PX
        middle = _MARGIN_PX + max(rows, _MODULE_PX) / 2
        plug = PlugShape(part.form_factor, part.shell, part.port_count)
        metal = mix(tokens.base, tokens.text_muted, 0.28)
        painter.save()
        painter.translate(_MARGIN_PX, middle)
        painter.scale(2.0, 2.0)
        paint_plug(painter, plug, 0.0, 0.0, tokens, metal)
        painter.restore()
        nose = _MARGIN_PX + 2 * plug.length_px
        painter.setFont(font_of(_TEXT_PX))
        for n, socket in enumerate(sockets):
            y = middle + (n - (len(sockets) - 1) / 2) * _SOCKET_ROW_PX
            if socket == _GAP:
                _dots(painter, nose + 6, y, tokens)
                continue
            paint_socket(painter, part.connector, nose - 4, y, tokens)
            room = QRectF(nose + 22, y - 8, max(width - nose - 26, 20.0), 16)
            painter.setPen(tokens.text_muted)
            text = elided(self.words(socket), _TEXT_PX, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        label = f"{plug_words(part.plug)}, {part.lanes} × {rate_text(part.lane_gbps)}"
        place = self.height_px - _MARGIN_PX - 30
        _words(painter, label, _MARGIN_PX, place, 2 * width, tokens, right=False)


def plug_words(plug: PlugSpec) -> str:
    """What a plug is and carries: ``OSFP finned, twin-port · 800G``."""
    words = [str(plug.form_factor)]
    if plug.shell is not None:
        words.append(tr("finned") if plug.shell is Shell.IHS else tr("flat-top"))
    name = " ".join(words)
    if plug.port_count is PortCount.TWIN:
        name = f"{name}, {plug.port_count}"
    return f"{name} · {rate_text(plug.rate_gbps)}" if plug.rate_gbps else name


def _shape(part: CablePart, plug: PlugSpec) -> PlugShape:
    fibre = part.fibre
    angled = fibre is not None and fibre.polish.startswith("APC")
    pinned = fibre.pinned if fibre is not None else None
    return PlugShape(plug.form_factor, plug.shell, plug.port_count, angled, pinned)


def _shortened(ends: Sequence[int], most: int) -> list[int]:
    if len(ends) <= most:
        return list(ends)
    return [*ends[:2], _GAP, ends[-1]]


def _rows(count: int, middle: float) -> list[float]:
    """Middles of so many ends, one above the other about a height."""
    return [middle + (n - (count - 1) / 2) * _ROW_PX for n in range(count)]


def _strand(painter: QPainter, a: QPointF, b: QPointF, colour: QColor, thick: float) -> None:
    path = QPainterPath(a)
    bend = (b.x() - a.x()) / 2
    path.cubicTo(QPointF(a.x() + bend, a.y()), QPointF(b.x() - bend, b.y()), b)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(colour, thick)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawPath(path)


def _dots(painter: QPainter, x: float, y: float, tokens: Tokens) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.text_muted)
    for n in (-1, 0, 1):
        painter.drawEllipse(QPointF(x, y + 7.0 * n), 1.6, 1.6)


def _words(
    painter: QPainter,
    text: str,
    tip: float,
    place: float,
    width: float,
    tokens: Tokens,
    *,
    right: bool,
) -> None:
    """Words below an end, from its mating face inwards."""
    room = width * 0.48
    painter.setPen(tokens.text_muted)
    painter.setFont(font_of(_TEXT_PX))
    area = QRectF(tip - room if right else tip, place + 15, room, 15)
    flag = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(area, flag | Qt.AlignmentFlag.AlignVCenter, elided(text, _TEXT_PX, room))
