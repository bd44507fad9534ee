# SPDX-License-Identifier: Apache-2.0
"""Draw many primitives from numpy arrays in one call, without a Python object for each.

PySide's painter overloads that take `(first, count)` hand a pointer to C++; wrapping the
array's own memory as the first element saves the list of `QRectF` or `QLineF`. That rests on
the memory layout of those classes (four or ten doubles), which the tests hold against the
ordinary overloads pixel by pixel.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

FloatArray = npt.NDArray[np.float64]

FRAGMENT_COLUMNS = ("x", "y", "source_left", "source_top", "width", "height", "scale_x")
"""The first columns of a fragment row; `scale_y`, `rotation` (degrees), `opacity` follow."""


def _first(array: FloatArray, columns: int, kind: type[Any]) -> tuple[Any, FloatArray]:
    """The array's memory seen as its first element, and the array to keep alive meanwhile."""
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"expected {columns} columns, got an array of shape {array.shape}")
    kept = np.ascontiguousarray(array, dtype=np.float64)
    return shiboken6.wrapInstance(kept.ctypes.data, kind), kept


def _written(painter: QPainter, method: str, rows: FloatArray) -> bool:
    """Whether the painter is one of ours that takes whole arrays, as that of SVG does."""
    takes = getattr(painter, method, None)
    if takes is not None:
        takes(rows)
    return takes is not None


def draw_rects(painter: QPainter, rects: FloatArray) -> None:
    """Draw rows of (left, top, width, height) with the painter's pen and brush."""
    if len(rects) and not _written(painter, "draw_rects", rects):
        first, kept = _first(rects, 4, QRectF)
        painter.drawRects(first, len(kept))


def draw_lines(painter: QPainter, lines: FloatArray) -> None:
    """Draw rows of (x1, y1, x2, y2) with the painter's pen."""
    if len(lines) and not _written(painter, "draw_lines", lines):
        first, kept = _first(lines, 4, QLineF)
        painter.drawLines(first, len(kept))


def draw_points(painter: QPainter, points: FloatArray) -> None:
    """Draw rows of (x, y) with the painter's pen."""
    if len(points):
        first, kept = _first(points, 2, QPointF)
        painter.drawPoints(first, len(kept))


def fragments(count: int) -> FloatArray:
    """`count` fragment rows, at scale 1, unrotated, opaque; position and source still zero."""
    rows = np.zeros((count, 10))
    rows[:, 6] = 1.0
    rows[:, 7] = 1.0
    rows[:, 9] = 1.0
    return rows


def draw_pixmap_fragments(painter: QPainter, rows: FloatArray, pixmap: QPixmap) -> None:
    """Draw pieces of one pixmap; a row is as in `fragments`, (x, y) being the piece's centre."""
    if len(rows):
        first, kept = _first(rows, 10, QPainter.PixmapFragment)
        painter.drawPixmapFragments(first, len(kept), pixmap)
