# SPDX-License-Identifier: Apache-2.0
"""What the floor view says of lengths and trays: selected cables, and how full the trays are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from rackloom.design import Design
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.floor_layout import TRAY_W
from rackloom_gui.canvas.look import Window
from rackloom_gui.canvas.pencil import CENTRE, Pencil, text_width
from rackloom_gui.canvas.tips import tr
from rackloom_gui.document import Document
from rackloom_gui.jobs import LatestJob

if TYPE_CHECKING:
    from rackloom.placement.routes import Route
    from rackloom.placement.trays import TraySegment

MOST_NOTES = 12
"""Lengths of more selected cables than this would lie on top of each other."""
_SIZE_PX = 12
_LEAST_PX = 46.0
"""A stretch of tray shorter than this on the screen has no room for its text."""


def length_text(route: Route, length_m: float) -> str:
    """A cable's route, what it needs with slack, and what is ordered and left over."""
    over_m = length_m - route.needed_m
    text = tr("route {route:.2f} m, with slack {needed:.2f} m, ordered {length:g} m").format(
        route=route.length_m, needed=route.needed_m, length=length_m
    )
    if over_m < -1e-9:
        return text + tr(": {short:.2f} m too short").format(short=-over_m)
    return text + tr(", {over:.2f} m left").format(over=over_m)


def tray_text(segment: TraySegment) -> str:
    """What lies on a stretch of tray; its fill only where the site says how large trays are."""
    text = tr("{cables} cables, {kg:.2f} kg/m").format(cables=segment.cables, kg=segment.kg_per_m)
    if segment.fill is not None:
        text += tr(", {fill:.0f} % full").format(fill=segment.fill * 100)
    return f"{text}: {segment.verdict}" if segment.verdict else text


class FloorNotes(QObject):
    """Draws on the floor view; the trays are worked out beside the window's thread."""

    def __init__(self, document: Document, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._document, self._canvas = document, canvas
        self.segments: Sequence[TraySegment] = ()
        self._outdated = True
        self.job = LatestJob(self, delay_ms=250)
        self.job.done.connect(self._take)
        self.job.failed.connect(lambda _error: self._take(()))
        canvas.floor.overlay.extras.append(self.draw)
        canvas.view_switched.connect(lambda _view: self._refresh())
        document.changed.connect(lambda _design, _change: self._outdate())
        document.replaced.connect(lambda _design: self._outdate())

    def _outdate(self) -> None:
        self._outdated = True
        self._refresh()

    def _refresh(self) -> None:
        """Work the trays out, but only while the floor is looked at."""
        if self._outdated and self._canvas.view == "floor":
            self._outdated = False
            self.job.ask(_work(self._document.design))

    def _take(self, segments: object) -> None:
        self.segments = segments if isinstance(segments, list) else ()
        self._canvas.floor.refresh()

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self, pencil: Pencil, window: Window) -> None:
        """Trays first, lengths of the selected cables on top."""
        for segment in self.segments:
            self._tray(pencil, window, segment)
        chosen = self._document.selected("cables")[: MOST_NOTES + 1]
        if len(chosen) <= MOST_NOTES:
            for cable_id in chosen:
                self._length(pencil, cable_id)

    def _tray(self, pencil: Pencil, window: Window, segment: TraySegment) -> None:
        tokens = self._canvas.theme.tokens
        from_mm, to_mm, at_mm = (m * 1000 for m in (segment.from_m, segment.to_m, segment.at_m))
        across = segment.kind == "row"
        x, y = (from_mm, at_mm - TRAY_W / 2) if across else (at_mm - TRAY_W / 2, from_mm)
        w, h = (to_mm - from_mm, TRAY_W) if across else (TRAY_W, to_mm - from_mm)
        if x > window.x1 or x + w < window.x0 or y > window.y1 or y + h < window.y0:
            return
        rect = pencil.rect(x, y, w, h)
        if segment.verdict:
            pencil.painter.fillRect(rect, Qt.BrushStyle.BDiagPattern)
            pencil.frame_px(rect, tokens.error)
        room = rect.width() if across else rect.height()
        ink = tokens.error_text if segment.verdict else tokens.canvas_text
        for text in (tray_text(segment), tr("{cables} cables").format(cables=segment.cables)):
            if room >= max(_LEAST_PX, text_width(text, _SIZE_PX) + 12):
                self._note(pencil, rect.center(), text, ink, upright=not across)
                return

    def _length(self, pencil: Pencil, cable_id: str) -> None:
        from rackloom.placement.routes import route_m

        design = self._document.design
        cable = design.cables.get(cable_id)  # type: ignore[call-overload]
        route = route_m(design, cable) if cable is not None else None
        if cable is None or route is None or not route.points:
            return
        way = QPolygonF(
            [QPointF(pencil.px(x * 1000), pencil.py(y * 1000)) for x, y, _ in route.points]
        )
        tokens = self._canvas.theme.tokens
        pencil.painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((tokens.canvas, 6.0), (tokens.selection, 3.0)):
            pencil.painter.setPen(QPen(colour, width))
            pencil.painter.drawPolyline(way)
        x_m, y_m, _z_m = route.points[len(route.points) // 2]
        at = QPointF(pencil.px(x_m * 1000), pencil.py(y_m * 1000) + 22)
        self._note(pencil, at, length_text(route, cable.length_m), tokens.canvas_text)

    def _note(
        self, pencil: Pencil, at: QPointF, text: str, ink: QColor, *, upright: bool = False
    ) -> None:
        """A text on a plate; ``upright`` is read from below, along a tray across the rows."""
        tokens = self._canvas.theme.tokens
        wide = text_width(text, _SIZE_PX) + 12
        box = QRectF(-wide / 2, -9, wide, 18)
        pencil.painter.save()
        pencil.painter.translate(at)
        if upright:
            pencil.painter.rotate(-90.0)
        pencil.painter.setPen(QPen(tokens.border, 1))
        pencil.painter.setBrush(tokens.canvas)
        pencil.painter.drawRoundedRect(box, 3, 3)
        pencil.text_px(box, text, _SIZE_PX, ink, CENTRE, elide=False)
        pencil.painter.restore()


def _work(design: Design) -> Callable[[], list[TraySegment]]:
    def work() -> list[TraySegment]:
        from rackloom.placement.trays import tray_segments

        return list(tray_segments(design))

    return work
