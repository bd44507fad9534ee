# SPDX-License-Identifier: Apache-2.0
"""Takes the calls of the drawing code that a QPainter takes, and writes SVG.

Qt's own generator writes an element with all its attributes for each line and rectangle: 137 MB for
a hall of 16,384 GPUs. Here rectangles and lines of one colour are one path, and what looks the same
(a faceplate, a strip of U numbers) is written once and used many times.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from html import escape
from typing import cast

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QLinearGradient,
    QPainter,
    QPen,
    QPolygonF,
)

from rackloom_gui.canvas.pencil import FONT_FAMILIES, Pencil, font_of
from rackloom_gui.canvas.pointer import FloatArray

_NONE = "none"


def _short(value: float) -> str:
    """A coordinate to a hundredth of a pixel, without zeros at its end."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class SvgPainter:
    """A painter that writes; the names of Qt's calls are kept, for the drawing code uses them."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._defs: list[str] = []
        self._fill, self._fill_opacity = _NONE, 1.0
        self._pen = ""
        """Attributes of the stroke; empty: none."""
        self._ink = "#000000"
        self._font = QFont()
        self._states: list[tuple[str, float, str, str, QFont, int]] = []
        self._open = 0
        """Groups that are open."""
        self._path_style = ""
        self._path: list[str] = []
        self._symbols: dict[Hashable, str] = {}
        self._gradients: dict[Hashable, str] = {}
        self._count = 0

    # The document

    def document(self, width: float, height: float, title: str) -> str:
        """All that was drawn, as an SVG file of this size in pixels (of 1/96 inch)."""
        self._flush()
        families = ", ".join(f"'{f}'" if " " in f else f for f in FONT_FAMILIES)
        w, h = round(width), round(height)
        head = (
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'version="1.1" width="{w}" height="{h}" viewBox="0 0 {w} {h}">\n'
            f"<title>{escape(title)}</title>\n<defs>\n"
        )
        body = f'</defs>\n<g font-family="{families}">\n'
        return "".join((head, *self._defs, body, *self._out, "</g>\n</svg>\n"))

    # What looks the same is written once

    def stamp(
        self,
        key: Hashable,
        spots: FloatArray,
        pencil: Pencil,
        paint: Callable[[Pencil], None],
    ) -> None:
        """Draw the same thing at many places (x, y in pixels)."""
        key = (key, pencil.scale)
        name = self._symbols.get(key)
        if name is None:
            name = self._symbols[key] = self._name("s")
            inner = SvgPainter()
            inner._defs, inner._gradients, inner._symbols = self._defs, self._gradients, {}
            inner._count = self._count
            paint(Pencil(cast("QPainter", inner), pencil.scale, ratio=pencil.ratio, snap=False))
            inner._flush()
            self._count = inner._count
            self._defs.append(f'<g id="{name}">\n{"".join(inner._out)}</g>\n')
        self._flush()
        for x, y in spots.tolist():
            self._out.append(f'<use xlink:href="#{name}" x="{_short(x)}" y="{_short(y)}"/>\n')

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    # State

    def save(self) -> None:
        """Remember colours, font and place."""
        self._states.append(
            (self._fill, self._fill_opacity, self._pen, self._ink, self._font, self._open)
        )

    def restore(self) -> None:
        """Go back to what was remembered last."""
        self._flush()
        state = self._states.pop()
        self._fill, self._fill_opacity, self._pen, self._ink, self._font, opened = state
        self._out.append("</g>\n" * (self._open - opened))
        self._open = opened

    def _group(self, attributes: str) -> None:
        self._flush()
        self._out.append(f"<g {attributes}>\n")
        self._open += 1

    def setClipRect(self, rect: QRectF) -> None:
        """Draw inside this only, until `restore`."""
        name = self._name("c")
        box = _box(rect.x(), rect.y(), rect.width(), rect.height())
        self._defs.append(f'<clipPath id="{name}"><path d="{box}"/></clipPath>\n')
        self._group(f'clip-path="url(#{name})"')

    def translate(self, offset: QPointF) -> None:
        """Move what follows, until `restore`."""
        self._group(f'transform="translate({_short(offset.x())} {_short(offset.y())})"')

    def rotate(self, degrees: float) -> None:
        """Turn what follows, until `restore`."""
        self._group(f'transform="rotate({_short(degrees)})"')

    def setRenderHint(self, hint: object, on: bool = True) -> None:
        """Nothing: vectors have no pixels."""

    def setPen(self, pen: QPen | QColor | Qt.PenStyle) -> None:
        """The stroke of shapes, and the colour of texts."""
        if isinstance(pen, Qt.PenStyle):
            self._pen = ""
            return
        if isinstance(pen, QColor):
            pen = QPen(pen)
        if pen.style() == Qt.PenStyle.NoPen:
            self._pen = ""
            return
        colour = pen.color()
        width = pen.widthF() or 1.0
        self._ink = colour.name()
        self._pen = f' stroke="{colour.name()}"'
        if colour.alpha() < 255:
            self._pen += f' stroke-opacity="{_short(colour.alphaF())}"'
        if width != 1.0:
            self._pen += f' stroke-width="{_short(width)}"'
        if pen.style() != Qt.PenStyle.SolidLine:
            dashes = " ".join(_short(length * width) for length in pen.dashPattern())
            self._pen += f' stroke-dasharray="{dashes}"'

    def setBrush(self, brush: QBrush | QColor | Qt.BrushStyle) -> None:
        """The fill of shapes."""
        self._fill, self._fill_opacity = self._paint_of(brush)

    def setFont(self, font: QFont) -> None:
        """The font of texts."""
        self._font = font

    def _paint_of(self, brush: QBrush | QColor | Qt.BrushStyle) -> tuple[str, float]:
        if isinstance(brush, QColor):
            return brush.name(), brush.alphaF()
        if isinstance(brush, Qt.BrushStyle):
            return (_NONE if brush == Qt.BrushStyle.NoBrush else self._ink), 1.0
        if brush.style() == Qt.BrushStyle.NoBrush:
            return _NONE, 1.0
        if brush.style() == Qt.BrushStyle.LinearGradientPattern:
            return self._gradient(cast("QLinearGradient", brush.gradient())), 1.0
        return brush.color().name(), brush.color().alphaF()

    def _gradient(self, gradient: QLinearGradient) -> str:
        start, end = gradient.start(), gradient.finalStop()
        places = tuple(_short(v) for v in (start.x(), start.y(), end.x(), end.y()))
        stops = tuple((_short(at), colour.name()) for at, colour in gradient.stops())
        name = self._gradients.get((places, stops))
        if name is None:
            name = self._gradients[(places, stops)] = self._name("g")
            x1, y1, x2, y2 = places
            inner = "".join(f'<stop offset="{at}" stop-color="{c}"/>' for at, c in stops)
            self._defs.append(
                f'<linearGradient id="{name}" gradientUnits="userSpaceOnUse" x1="{x1}" y1="{y1}" '
                f'x2="{x2}" y2="{y2}">{inner}</linearGradient>\n'
            )
        return f"url(#{name})"

    # Shapes

    def _add(self, style: str, path: str) -> None:
        """A piece of a path; pieces of one style that follow each other are one element."""
        if style != self._path_style:
            self._flush()
            self._path_style = style
        self._path.append(path)

    def _flush(self) -> None:
        if self._path:
            self._out.append(f'<path{self._path_style} d="{"".join(self._path)}"/>\n')
            self._path = []
        self._path_style = ""

    def _style(self) -> str:
        opacity = f' fill-opacity="{_short(self._fill_opacity)}"' if self._fill_opacity < 1 else ""
        return f' fill="{self._fill}"{opacity}{self._pen}'

    def fillRect(self, rect: QRectF, fill: QColor | QBrush) -> None:
        """A rectangle without a stroke."""
        paint, opacity = self._paint_of(fill)
        more = f' fill-opacity="{_short(opacity)}"' if opacity < 1 else ""
        self._add(f' fill="{paint}"{more}', _box(rect.x(), rect.y(), rect.width(), rect.height()))

    def drawRect(self, rect: QRectF) -> None:
        """A rectangle with pen and brush."""
        self._add(self._style(), _box(rect.x(), rect.y(), rect.width(), rect.height()))

    def draw_rects(self, rects: FloatArray) -> None:
        """Many rectangles (left, top, width, height) with pen and brush, as one path."""
        near = np.round(rects, 2)
        pieces = [_box(x, y, w, h) for x, y, w, h in near.tolist()]
        self._add(self._style(), "".join(pieces))

    def draw_lines(self, lines: FloatArray) -> None:
        """Many lines (x1, y1, x2, y2) with the pen, as one path."""
        near = np.round(lines, 2)
        pieces = [
            f"M{_short(x1)} {_short(y1)}L{_short(x2)} {_short(y2)}"
            for x1, y1, x2, y2 in near.tolist()
        ]
        self._add(f' fill="none"{self._pen}', "".join(pieces))

    def drawLine(self, *ends: QLineF | QPointF) -> None:
        """A line, given as such or by its ends."""
        first = ends[0]
        line = first if isinstance(first, QLineF) else QLineF(first, cast("QPointF", ends[1]))
        self.draw_lines(np.array([[line.x1(), line.y1(), line.x2(), line.y2()]]))

    def drawPolyline(self, points: QPolygonF) -> None:
        """A line with corners. One element each, so that dashes begin anew."""
        self._flush()
        first, *others = points.toList()
        path = f"M{_short(first.x())} {_short(first.y())}" + "".join(
            f"L{_short(p.x())} {_short(p.y())}" for p in others
        )
        self._out.append(f'<path fill="none"{self._pen} d="{path}"/>\n')

    def drawRoundedRect(self, rect: QRectF, rx: float, ry: float) -> None:
        """A rectangle with round corners."""
        self._flush()
        x, y, w, h = (_short(v) for v in (rect.x(), rect.y(), rect.width(), rect.height()))
        self._out.append(
            f'<rect{self._style()} x="{x}" y="{y}" width="{w}" height="{h}" '
            f'rx="{_short(rx)}" ry="{_short(ry)}"/>\n'
        )

    def drawEllipse(self, centre: QPointF, rx: float, ry: float) -> None:
        """An ellipse around a place."""
        self._flush()
        self._out.append(
            f'<ellipse{self._style()} cx="{_short(centre.x())}" cy="{_short(centre.y())}" '
            f'rx="{_short(rx)}" ry="{_short(ry)}"/>\n'
        )

    def drawText(self, rect: QRectF, flags: int, text: str) -> None:
        """A line of text in a rectangle, where Qt would put it."""
        self._flush()
        size, bold = self._font.pixelSize(), self._font.bold()
        ascent, height = _measures(size, bold)
        if flags & int(Qt.AlignmentFlag.AlignVCenter):
            top = rect.y() + (rect.height() - height) / 2
        elif flags & int(Qt.AlignmentFlag.AlignBottom):
            top = rect.y() + rect.height() - height
        else:
            top = rect.y()
        x, anchor = rect.x(), ""
        if flags & int(Qt.AlignmentFlag.AlignHCenter):
            x, anchor = rect.x() + rect.width() / 2, ' text-anchor="middle"'
        elif flags & int(Qt.AlignmentFlag.AlignRight):
            x, anchor = rect.x() + rect.width(), ' text-anchor="end"'
        weight = ' font-weight="bold"' if bold else ""
        keep = ' xml:space="preserve"' if "  " in text or text != text.strip() else ""
        self._out.append(
            f'<text x="{_short(x)}" y="{_short(top + ascent)}" font-size="{size}"{weight}{anchor} '
            f'fill="{self._ink}"{keep}>{escape(text)}</text>\n'
        )


@lru_cache(maxsize=64)
def _measures(size: int, bold: bool) -> tuple[float, float]:
    """Ascent and height of a line in the drawing's font."""
    metrics = QFontMetricsF(font_of(size, bold))
    return metrics.ascent(), metrics.height()


def _box(x: float, y: float, w: float, h: float) -> str:
    return f"M{_short(x)} {_short(y)}h{_short(w)}v{_short(h)}h{_short(-w)}z"
