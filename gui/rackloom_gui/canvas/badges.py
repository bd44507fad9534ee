# SPDX-License-Identifier: Apache-2.0
"""Badges of problems: drawn once for each severity and size, then copied."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QPolygonF

from rackloom_gui.canvas.pencil import CENTRE, font_of, solid_pen
from rackloom_gui.tokens import Tokens


def badge_radius(scale: float) -> float:
    """Half the size of a problem's badge in pixels, at so many pixels a millimetre."""
    return 8.0 if scale > 0.12 else 5.0


class Badges:
    """Pictures of badges. Four hundred of them drawn as shapes and letters take a whole frame."""

    def __init__(self) -> None:
        self._tokens: Tokens | None = None
        self._ratio = 0.0
        self._pictures: dict[tuple[str, float], QPixmap] = {}

    def draw(
        self, painter: QPainter, centre: QPointF, severity: str, tokens: Tokens, radius: float
    ) -> None:
        """A badge, as `badge` draws it, on the nearest whole pixel."""
        ratio = painter.device().devicePixelRatio()
        if tokens is not self._tokens or ratio != self._ratio:
            self._tokens, self._ratio = tokens, ratio
            self._pictures.clear()
        half = ceil(radius * 1.3) + 2
        picture = self._pictures.get((severity, radius))
        if picture is None:
            picture = QPixmap(round(2 * half * ratio), round(2 * half * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            brush = QPainter(picture)
            badge(brush, QPointF(half, half), severity, tokens, radius)
            brush.end()
            self._pictures[severity, radius] = picture
        x = round((centre.x() - half) * ratio) / ratio
        y = round((centre.y() - half) * ratio) / ratio
        painter.drawPixmap(QPointF(x, y), picture)


def badge(
    painter: QPainter, centre: QPointF, severity: str, tokens: Tokens, radius: float = 8.0
) -> None:
    """A severity by colour and shape: disc with a bar, triangle, square."""
    fill = tokens.severity(severity if severity in {"error", "warning", "info", "ok"} else "info")
    ink = tokens.on_severity(severity if severity in {"error", "warning", "info", "ok"} else "info")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(solid_pen(tokens.canvas, 1.5))
    painter.setBrush(fill)
    if severity == "error":
        painter.drawEllipse(centre, radius, radius)
    elif severity == "warning":
        top = QPointF(centre.x(), centre.y() - radius * 1.1)
        left = QPointF(centre.x() - radius * 1.15, centre.y() + radius * 0.9)
        right = QPointF(centre.x() + radius * 1.15, centre.y() + radius * 0.9)
        painter.drawPolygon(QPolygonF([top, right, left]))
    else:
        painter.drawRoundedRect(
            QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), 2.5, 2.5
        )
    if radius >= 7:
        painter.setPen(ink)
        painter.setFont(font_of(int(radius * 1.5), True))
        sign = "i" if severity == "info" else "!"
        drop = radius * 0.15 if severity == "warning" else 0.0
        painter.drawText(
            QRectF(centre.x() - radius, centre.y() - radius + drop, 2 * radius, 2 * radius),
            int(CENTRE),
            sign,
        )
    painter.restore()
