# SPDX-License-Identifier: Apache-2.0
"""The chart as CSV: one size a line, curves over it in columns of their own; and as an image."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from rackloom_gui.charts.series import gaps_of
from rackloom_gui.charts.shown import Log, Pin

if TYPE_CHECKING:
    from rackloom.collectives import Estimate

_COLUMNS = (
    "size_bytes", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "limit_busbw_gb_per_s",
    "algorithm", "protocol",
)  # fmt: skip


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


def picture_of(widget: QWidget, background: QColor, ratio: float) -> QImage:
    """A widget and what is in it as an image, at so many times its size."""
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(background)
    painter = QPainter(image)
    widget.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.end()
    return image


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
