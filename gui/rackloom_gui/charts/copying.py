# SPDX-License-Identifier: Apache-2.0
"""The chart as CSV: one size a line, curves over it in columns of their own; and as an image."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QWidget

from rackloom_gui.charts.series import gaps_of
from rackloom_gui.charts.shown import Log, Pin

if TYPE_CHECKING:
    from rackloom.collectives import Estimate

_COLUMNS = (
    "size_bytes", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "limit_busbw_gb_per_s",
    "algorithm", "protocol",
)  # fmt: skip

_MARGIN, _GAP = 12, 4
_WRAPPED = int(Qt.TextFlag.TextWordWrap)
_WITH_CHILDREN = QWidget.RenderFlag.DrawChildren


def estimate_csv(estimate: Estimate, pins: Sequence[Pin] = (), logs: Sequence[Log] = ()) -> str:
    """The points of an estimate; where a pinned curve or a log has no such size, empty cells."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    head = list(_COLUMNS)
    head += [f"busbw_gb_per_s of {pin.name}" for pin in pins]
    for log in logs:
        head += [f"busbw_gb_per_s measured in {log.name}", f"gap of {log.name}"]
    writer.writerow(head)
    kept = [{p.size_bytes: p.busbw_gb_per_s for p in pin.estimate.points} for pin in pins]
    gaps = [{g.size_bytes: g for g in gaps_of(estimate, log.run)} for log in logs]
    for p in estimate.points:
        numbers = (p.time_us, p.algbw_gb_per_s, p.busbw_gb_per_s, p.limit_busbw_gb_per_s)
        row = [str(p.size_bytes), *(f"{n:.6g}" for n in numbers), p.algorithm, p.protocol]
        row += [_cell(table.get(p.size_bytes)) for table in kept]
        for table in gaps:
            gap = table.get(p.size_bytes)
            row.append(_cell(gap.measured_busbw_gb_per_s if gap else None))
            row.append(_cell(gap.share if gap else None))
        writer.writerow(row)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Line:
    """A text of a picture, wrapped to its width."""

    text: str
    font: QFont
    colour: QColor


def picture_of(
    pieces: Sequence[QWidget | Line], width: int, background: QColor, ratio: float
) -> QImage:
    """Texts and widgets below each other as an image: whole sentences, and nothing to press."""
    room = width - 2 * _MARGIN
    heights = [_height(piece, room) for piece in pieces]
    height = sum(heights) + _GAP * (len(pieces) - 1) + 2 * _MARGIN
    image = QImage(QSize(width, height) * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(background)
    painter = QPainter(image)
    y = _MARGIN
    for piece, tall in zip(pieces, heights, strict=True):
        if isinstance(piece, Line):
            painter.setFont(piece.font)
            painter.setPen(piece.colour)
            painter.drawText(QRect(_MARGIN, y, room, tall), _WRAPPED, piece.text)
        else:
            piece.render(painter, QPoint(_MARGIN, y), renderFlags=_WITH_CHILDREN)
        y += tall + _GAP
    painter.end()
    return image


def _height(piece: QWidget | Line, room: int) -> int:
    if isinstance(piece, QWidget):
        return piece.height()
    whole = QRect(0, 0, room, 1 << 14)
    return QFontMetrics(piece.font).boundingRect(whole, _WRAPPED, piece.text).height()


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
