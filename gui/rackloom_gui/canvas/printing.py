# SPDX-License-Identifier: Apache-2.0
"""Views of a design as drawings on any painter: what SVG, PDF, PNG and print are made with.

The same code as on the canvas draws them, as vectors instead of pixmaps, so that they match.
"""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom_gui.canvas.arrays import Layout, SceneArrays
from rackloom_gui.canvas.backdrops import backdrop_of
from rackloom_gui.canvas.drawing import Look, Window, draw_cables, draw_devices
from rackloom_gui.canvas.elevation_layout import BEYOND_MM, ElevationLayout
from rackloom_gui.canvas.fabric_layout import FabricLayout
from rackloom_gui.canvas.floor_layout import FloorLayout
from rackloom_gui.canvas.pencil import Pencil
from rackloom_gui.tokens import Tokens

EXPORT_SEGMENTS = 40_000
"""More cable segments than this are drawn as bundles in files too."""
MARGIN_MM = 120.0


def layout_for(view: str, side: Side) -> Layout:
    """The layout of a view by its name: ``racks``, ``fabric`` or ``floor``."""
    match view:
        case "racks":
            return ElevationLayout(side)
        case "fabric":
            return FabricLayout()
        case "floor":
            return FloorLayout()
    raise ValueError(f"no view {view!r}; there are racks, fabric and floor")


class Picture:
    """One view of a design, ready to be painted at any size."""

    def __init__(self, design: Design, view: str, side: Side, tokens: Tokens) -> None:
        self.scene = SceneArrays(layout_for(view, side))
        self.scene.build(design)
        self.tokens = tokens

    @property
    def bounds_mm(self) -> QRectF:
        """The whole drawing with a margin, in mm of the drawing."""
        x0, y0, x1, y1 = self.scene.layout.bounds()
        side = MARGIN_MM
        if self.scene.layout.name == "racks" and len(self.scene.design.rows) > 1:
            side += BEYOND_MM  # cables between rows
        return QRectF(
            x0 - side, y0 - MARGIN_MM, x1 - x0 + 2 * side, y1 - y0 + 2 * MARGIN_MM
        )

    def fitted(self, rect: QRectF, source_mm: QRectF | None = None) -> tuple[float, QRectF]:
        """Units per mm, and where the drawing comes to lie, when it is fitted into ``rect``."""
        source = source_mm or self.bounds_mm
        scale = min(rect.width() / source.width(), rect.height() / source.height())
        width, height = source.width() * scale, source.height() * scale
        left = rect.center().x() - width / 2
        top = rect.center().y() - height / 2
        return scale, QRectF(left, top, width, height)

    def paint(
        self,
        painter: QPainter,
        rect: QRectF,
        source_mm: QRectF | None = None,
        *,
        cables: bool = True,
        snap: bool = False,
    ) -> None:
        """Paint the drawing, or a part of it, fitted into ``rect`` (in the painter's units).

        ``snap`` puts edges on whole units: for pictures made of pixels.
        """
        source = source_mm or self.bounds_mm
        scale, target = self.fitted(rect, source)
        origin = (target.left() - source.left() * scale, target.top() - source.top() * scale)
        pencil = Pencil(painter, scale, origin, snap=snap)
        window = Window(source.left(), source.top(), source.right(), source.bottom())
        look = Look(self.tokens)
        painter.save()
        painter.setClipRect(target)
        backdrop_of(self.scene.layout)(pencil, self.scene, window, look)
        if self.scene.layout.draws_devices:
            draw_devices(pencil, self.scene, window, look)
        if cables:
            draw_cables(pencil, self.scene, window, look, EXPORT_SEGMENTS)
        painter.restore()


def paint_view(
    painter: QPainter, design: Design, view: str, side: Side, tokens: Tokens, rect: QRectF
) -> None:
    """Paint a whole view fitted into a rectangle."""
    Picture(design, view, side, tokens).paint(painter, rect)


def paint_elevation(
    painter: QPainter, design: Design, side: Side, tokens: Tokens, rect: QRectF
) -> None:
    """Paint all racks from one side, fitted into a rectangle."""
    paint_view(painter, design, "racks", side, tokens, rect)
