# SPDX-License-Identifier: Apache-2.0
"""Draws millimetres on a painter whose unit is the pixel, with edges on whole device pixels.

The canvas, its sprites and the exports draw with the same pencil; only the exports, which have no
pixels, do not snap.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import get_ident

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from rackloom_gui.canvas.pointer import FloatArray, draw_rects

Align = Qt.AlignmentFlag
CENTRE = Align.AlignCenter
LEFT = Align.AlignLeft | Align.AlignVCenter
RIGHT = Align.AlignRight | Align.AlignVCenter

LEAST_RADIUS_PX = 1.5
"""Corners rounder than this are drawn round."""

FONT_FAMILIES = ("Inter", "Noto Sans", "DejaVu Sans", "Liberation Sans", "sans-serif")


def font_of(pixels: int, bold: bool = False) -> QFont:
    """The drawing's font at a size in pixels (points would change with the screen's dpi)."""
    return _font_of(pixels, bold, get_ident())


@lru_cache(maxsize=512)
def _font_of(pixels: int, bold: bool, _thread: int) -> QFont:
    """One for each thread that draws: what Qt loads for a font belongs to the thread it drew in."""
    font = QFont()
    font.setFamilies(list(FONT_FAMILIES))
    font.setPixelSize(max(pixels, 1))
    font.setBold(bold)
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font


@lru_cache(maxsize=16384)
def text_width(text: str, pixels: int, bold: bool = False) -> float:
    """Width of a text in pixels at a font size."""
    return QFontMetricsF(font_of(pixels, bold)).horizontalAdvance(text)


@lru_cache(maxsize=16384)
def elided(text: str, pixels: int, width_px: int, bold: bool = False) -> str:
    """The text, shortened in the middle where it is wider than that; empty where nothing fits."""
    if text_width(text, pixels, bold) <= width_px:
        return text
    metrics = QFontMetricsF(font_of(pixels, bold))
    short = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width_px)
    return short if len(short) > 2 else ""


def solid_pen(colour: QColor, width_px: float = 1.0) -> QPen:
    """A pen with square corners, whose width does not change with the zoom."""
    pen = QPen(colour, width_px)
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


class Pencil:
    """Millimetres to pixels: ``pixel = mm * scale + origin``, rounded to 1/``ratio`` pixel."""

    def __init__(
        self,
        painter: QPainter,
        scale: float,
        origin: tuple[float, float] = (0.0, 0.0),
        *,
        ratio: float = 1.0,
        snap: bool = True,
    ) -> None:
        self.painter = painter
        self.scale = scale
        self.ox, self.oy = origin
        self.ratio = ratio
        self.snap = snap

    def at(self, x_mm: float, y_mm: float) -> "Pencil":
        """A pencil whose zero is at a place of this one."""
        x, y = self.px(x_mm), self.py(y_mm)
        return Pencil(self.painter, self.scale, (x, y), ratio=self.ratio, snap=self.snap)

    def stamp(self, key: Hashable, spots: FloatArray, paint: Callable[["Pencil"], None]) -> None:
        """Draw the same thing at many places (x, y in mm).

        Painters of files keep what it looks like under ``key``, and write it once.
        """
        keeps = getattr(self.painter, "stamp", None)
        if keeps is None:
            for x, y in spots.tolist():
                paint(self.at(x, y))
            return
        keeps(key, spots[:, :2] * self.scale + (self.ox, self.oy), self, paint)

    # Places

    def _round(self, value: float) -> float:
        return round(value * self.ratio) / self.ratio if self.snap else value

    def px(self, x_mm: float) -> float:
        """Pixel column of a place."""
        return self._round(x_mm * self.scale + self.ox)

    def py(self, y_mm: float) -> float:
        """Pixel row of a place."""
        return self._round(y_mm * self.scale + self.oy)

    def rect(self, x: float, y: float, w: float, h: float) -> QRectF:
        """A rectangle in pixels, at least one device pixel each way."""
        left, top = self.px(x), self.py(y)
        least = 1.0 / self.ratio if self.snap else 0.0
        return QRectF(
            left, top, max(self.px(x + w) - left, least), max(self.py(y + h) - top, least)
        )

    def rects(self, boxes: FloatArray) -> FloatArray:
        """Many rectangles (left, top, width, height in mm) in pixels."""
        out = np.empty((len(boxes), 4))
        out[:, 0] = boxes[:, 0] * self.scale + self.ox
        out[:, 1] = boxes[:, 1] * self.scale + self.oy
        out[:, 2] = (boxes[:, 0] + boxes[:, 2]) * self.scale + self.ox
        out[:, 3] = (boxes[:, 1] + boxes[:, 3]) * self.scale + self.oy
        if self.snap:
            np.rint(out * self.ratio, out=out)
            out /= self.ratio
        out[:, 2:] -= out[:, :2]
        if self.snap:
            np.maximum(out[:, 2:], 1.0 / self.ratio, out=out[:, 2:])
        return out

    def shows(self, mm: float, pixels: float = 2.0) -> bool:
        """Whether a thing of this size is worth drawing."""
        return mm * self.scale >= pixels

    # Marks

    def fill(self, x: float, y: float, w: float, h: float, colour: QColor | QBrush) -> None:
        """A filled rectangle."""
        self.painter.fillRect(self.rect(x, y, w, h), colour)

    def fill_many(self, boxes: FloatArray, colour: QColor) -> None:
        """Many filled rectangles of one colour."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        draw_rects(self.painter, self.rects(boxes))

    def frame(
        self, x: float, y: float, w: float, h: float, colour: QColor, width_px: float = 1.0
    ) -> None:
        """The outline of a rectangle, inside its edge."""
        self.frame_px(self.rect(x, y, w, h), colour, width_px)

    def frame_px(self, rect: QRectF, colour: QColor, width_px: float = 1.0) -> None:
        """The outline of a rectangle in pixels as four filled bars: crisp at every ratio."""
        t = min(width_px, rect.width(), rect.height())
        fill = self.painter.fillRect
        fill(QRectF(rect.left(), rect.top(), rect.width(), t), colour)
        fill(QRectF(rect.left(), rect.bottom() - t, rect.width(), t), colour)
        fill(QRectF(rect.left(), rect.top() + t, t, rect.height() - 2 * t), colour)
        fill(QRectF(rect.right() - t, rect.top() + t, t, rect.height() - 2 * t), colour)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: QColor | QBrush,
        edge: QColor,
        radius_mm: float = 0.0,
    ) -> None:
        """A filled and outlined rectangle, with round corners where they can be seen."""
        rect = self.rect(x, y, w, h)
        radius = radius_mm * self.scale
        if radius < LEAST_RADIUS_PX:
            self.painter.fillRect(rect, fill)
            self.frame_px(rect, edge, 1.0 / self.ratio if self.ratio > 1 else 1.0)
            return
        inset = 0.5 / self.ratio if self.snap else 0.0
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self.painter.setPen(solid_pen(edge))
        self.painter.setBrush(fill)
        self.painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def disc(
        self,
        x: float,
        y: float,
        radius_mm: float,
        fill: QColor | QBrush | None,
        edge: QColor | None,
    ) -> None:
        """A circle around a place."""
        radius = radius_mm * self.scale
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self.painter.setPen(solid_pen(edge) if edge is not None else Qt.PenStyle.NoPen)
        self.painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        self.painter.drawEllipse(
            QPointF(x * self.scale + self.ox, y * self.scale + self.oy), radius, radius
        )
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: QColor, width_px: float = 1.0
    ) -> None:
        """A straight line; along an axis it is drawn as a bar of whole pixels."""
        if x1 == x2 or y1 == y2:
            half = width_px / 2
            left, top = self.px(min(x1, x2)), self.py(min(y1, y2))
            right, bottom = self.px(max(x1, x2)), self.py(max(y1, y2))
            if x1 == x2:
                bar = QRectF(self._round(left - half), top, width_px, bottom - top)
            else:
                bar = QRectF(left, self._round(top - half), right - left, width_px)
            self.painter.fillRect(bar, colour)
            return
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self.painter.setPen(solid_pen(colour, width_px))
        s = self.scale
        self.painter.drawLine(
            QLineF(x1 * s + self.ox, y1 * s + self.oy, x2 * s + self.ox, y2 * s + self.oy)
        )
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def text(
        self,
        box: tuple[float, float, float, float],
        text: str,
        pixels: int,
        colour: QColor,
        align: Qt.AlignmentFlag = CENTRE,
        *,
        bold: bool = False,
        elide: bool = True,
    ) -> None:
        """A text in a box given in mm, at a font size in pixels."""
        self.text_px(self.rect(*box), text, pixels, colour, align, bold=bold, elide=elide)

    def text_px(
        self,
        rect: QRectF,
        text: str,
        pixels: int,
        colour: QColor,
        align: Qt.AlignmentFlag = CENTRE,
        *,
        bold: bool = False,
        elide: bool = True,
    ) -> None:
        """A text in a box given in pixels."""
        if elide:
            text = elided(text, pixels, int(rect.width()), bold)
        if not text:
            return
        self.painter.setFont(font_of(pixels, bold))
        self.painter.setPen(colour)
        self.painter.drawText(rect, int(align | Qt.TextFlag.TextSingleLine), text)
