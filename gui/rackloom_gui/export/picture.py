# SPDX-License-Identifier: Apache-2.0
"""A view of a design as something to paint: which arrays, which part of them, at what scale."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import cast

from PySide6.QtCore import QByteArray, QMimeData, QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom.placement.elevation import RACK_NAME_MM
from rackloom_gui.canvas.arrays import Layout, SceneArrays
from rackloom_gui.canvas.backdrops import backdrop_of
from rackloom_gui.canvas.cords import CordRun, cord_runs, draw_runs
from rackloom_gui.canvas.drawing import Look, Window, draw_cables, draw_devices, draw_labels
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.canvas.notes import draw_notes
from rackloom_gui.canvas.pencil import CENTRE, Pencil
from rackloom_gui.clipboard import as_text
from rackloom_gui.export.application import painting
from rackloom_gui.export.svg_painter import SvgPainter
from rackloom_gui.theme import Tokens

_NOT_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xed[\xa0-\xbf][\x80-\xbf]|\xef\xbf[\xbe\xbf]"
)
"""In UTF-8: control characters, halves of surrogate pairs, U+FFFE and U+FFFF."""

VIEWS = ("racks", "fabric", "floor")
MARGIN_MM = 120.0
NOTE_MM = 40.0
"""A note beside all else has this much paper around it."""
MOST_SEGMENTS = 60_000
"""More cable segments than this are drawn as bundles, as on the canvas: a file must open again."""
DETAIL_PX_PER_MM = 0.5
"""Scale at which ports and names are read: 22 pixels a U."""


@dataclass(slots=True)
class Picture:
    """One view, ready to be painted; all measures in mm of the drawing."""

    scene: SceneArrays
    look: Look
    window: Window
    title: str = ""
    cords: tuple[CordRun, ...] = ()
    """Power cords to draw."""
    notes: frozenset[str] | None = None
    """The notes of this sheet, which are kept on it; None: those that are in the window."""

    @property
    def width_mm(self) -> float:
        """Width of what is shown."""
        return self.window.x1 - self.window.x0

    @property
    def height_mm(self) -> float:
        """Height of what is shown."""
        return self.window.y1 - self.window.y0

    def paint(
        self,
        painter: QPainter,
        scale: float,
        left: float,
        top: float,
        *,
        ratio: float = 1.0,
        snap: bool = False,
        background: bool = True,
    ) -> None:
        """Paint with its upper left corner at (left, top), at so many pixels a mm."""
        window = self.window
        origin = (left - window.x0 * scale, top - window.y0 * scale)
        area = QRectF(left, top, self.width_mm * scale, self.height_mm * scale)
        painter.save()
        painter.setClipRect(area)
        if background:
            painter.fillRect(area, self.look.tokens.canvas)
        pencil = Pencil(painter, scale, origin, ratio=ratio, snap=snap)
        backdrop_of(self.scene.layout)(pencil, self.scene, window, self.look)
        if self.scene.layout.draws_devices:
            draw_devices(pencil, self.scene, window, self.look, names=False)
        draw_cables(pencil, self.scene, window, self.look, MOST_SEGMENTS)
        if self.scene.layout.draws_devices:
            draw_labels(pencil, self.scene, window, self.look)
        if self.cords:
            draw_runs(pencil, self.scene, window, self.look, self._cords_here())
        draw_notes(pencil, self.scene, window, self.look, only=self.notes)
        painter.restore()

    def _cords_here(self) -> list[CordRun]:
        """The cords whose ends are in the window."""
        w = self.window
        return [
            run
            for run in self.cords
            if any(
                w.x0 <= x <= w.x1 and w.y0 <= y <= w.y1 for x, y in (run.points[0], run.points[-1])
            )
        ]

    def around(self, boxes: Collection[tuple[float, float, float, float]]) -> Picture:
        """The same view, cut to these (left, top, width, height) boxes."""
        x0 = min(b[0] for b in boxes) - MARGIN_MM
        y0 = min(b[1] for b in boxes) - RACK_NAME_MM - MARGIN_MM
        x1 = max(b[0] + b[2] for b in boxes) + MARGIN_MM
        y1 = max(b[1] + b[3] for b in boxes) + MARGIN_MM
        return replace(self, window=Window(x0, y0, x1, y1))


def layout_of(view: str, side: Side) -> Layout:
    """The arrangement of a view by name."""
    if view == "racks":
        return ElevationLayout(side)
    if view == "fabric":
        from rackloom_gui.canvas.fabric_layout import FabricLayout

        return FabricLayout()
    if view == "floor":
        from rackloom_gui.canvas.floor_layout import FloorLayout

        return FloorLayout()
    raise ValueError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")


def picture_of(
    design: Design,
    view: str,
    side: Side,
    tokens: Tokens,
    title: str = "",
    *,
    cords: bool = False,
) -> Picture:
    """A view of a whole design, with its notes; of racks with their power cords if asked for."""
    scene = SceneArrays(layout_of(view, side))
    scene.build(design)
    left, top, right, bottom = scene.layout.bounds()
    window = Window(left - MARGIN_MM, top - MARGIN_MM, right + MARGIN_MM, bottom + MARGIN_MM)
    picture = Picture(scene, Look(tokens), window, title)
    for plate in scene.notes.plates(detail_scale(picture)):
        x, y, w, h = plate.box
        window.x0, window.y0 = min(window.x0, x - NOTE_MM), min(window.y0, y - NOTE_MM)
        window.x1, window.y1 = max(window.x1, x + w + NOTE_MM), max(window.y1, y + h + NOTE_MM)
    if cords and view == "racks":
        picture.cords = tuple(cord_runs(scene, design.racks, None))
    return picture


def detail_scale(picture: Picture) -> float:
    """Pixels a mm: fine for a few racks, coarser for a hall, so that a file stays usable."""
    things = len(picture.scene.devices.ids)
    if things <= 1500:
        return DETAIL_PX_PER_MM
    return 0.25 if things <= 6000 else 0.12


def caption(painter: QPainter, picture: Picture, rect: QRectF, size_px: int) -> None:
    """The title of a picture, in the middle of a strip above it."""
    pencil = Pencil(painter, 1.0, snap=False)
    tokens = picture.look.tokens
    pencil.text_px(rect, picture.title, size_px, tokens.row_label, CENTRE, bold=True)


def picture_mime(
    design: Design, selection: Collection[str], side: Side | None, tokens: Tokens
) -> QMimeData | None:
    """The selected racks and devices as SVG, PNG and text; None where none are selected."""
    racks = {i for i in selection if i in design.racks}
    devices = [i for i in selection if i in design.devices]
    if not racks and not devices:
        return None
    picture = picture_of(design, "racks", side or Side.FRONT, tokens)
    boxes = [b for i in (*racks, *devices) if (b := picture.scene.box_of(i)) is not None]
    picture = picture.around(boxes)
    scale = DETAIL_PX_PER_MM * 2
    largest = max(picture.width_mm, picture.height_mm) * scale
    scale *= min(1.0, 6000.0 / largest)
    size = QSize(round(picture.width_mm * scale), round(picture.height_mm * scale))
    mime = QMimeData()
    mime.setData("image/svg+xml", QByteArray(svg_bytes([picture], scale)))
    image = QImage(size, QImage.Format.Format_RGB32)
    with painting(image) as painter:
        picture.paint(painter, scale, 0, 0)
    mime.setImageData(image)
    from rackloom.design.copying import snippet

    mime.setText(as_text(snippet(design, selection).design))
    return mime


CAPTION_PX = 30
GAP_PX = 24


def side_by_side(pictures: list[Picture], scale: float) -> tuple[float, float]:
    """Width and height in pixels of pictures beside one another, with captions if they have any."""
    width = sum(p.width_mm * scale for p in pictures) + GAP_PX * (len(pictures) - 1)
    height = max(p.height_mm * scale for p in pictures)
    return width, height + (CAPTION_PX if any(p.title for p in pictures) else 0)


def paint_side_by_side(
    painter: QPainter, pictures: list[Picture], scale: float, *, ratio: float = 1.0, snap: bool
) -> None:
    """Paint pictures beside one another, from the origin on."""
    width, height = side_by_side(pictures, scale)
    painter.fillRect(QRectF(0, 0, width, height), pictures[0].look.tokens.canvas)
    titled = any(p.title for p in pictures)
    left, top = 0.0, float(CAPTION_PX if titled else 0)
    for picture in pictures:
        if titled:
            room = QRectF(left, 0, picture.width_mm * scale, CAPTION_PX)
            caption(painter, picture, room, 15)
        picture.paint(painter, scale, left, top, ratio=ratio, snap=snap, background=False)
        left += picture.width_mm * scale + GAP_PX


def svg_bytes(pictures: list[Picture], scale: float, title: str = "") -> bytes:
    """Pictures beside one another as SVG."""
    width, height = side_by_side(pictures, scale)
    painter = SvgPainter()
    paint_side_by_side(cast("QPainter", painter), pictures, scale, snap=False)
    svg = painter.document(width, height, title or "Rackloom")
    return well_formed(svg.encode("utf-8", "surrogatepass"))


def well_formed(svg: bytes) -> bytes:
    """The SVG without the characters that XML cannot hold.

    They come from names in the design: control characters, halves of surrogate pairs.
    """
    return _NOT_XML.sub("\ufffd".encode(), svg)
