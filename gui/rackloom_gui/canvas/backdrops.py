# SPDX-License-Identifier: Apache-2.0
"""What lies behind the devices in each view."""

from collections.abc import Callable, Sequence

import numpy as np

from rackloom.catalog.parts import RackPart
from rackloom.design import Design
from rackloom.design.ids import RackId
from rackloom.design.slots import free_ranges
from rackloom.placement.elevation import EMPTY_ROW_MM
from rackloom_gui.canvas.arrays import Layout, SceneArrays
from rackloom_gui.canvas.fabric_layout import TITLE_MM, FabricLayout
from rackloom_gui.canvas.floor_layout import TRAY_W, FloorLayout
from rackloom_gui.canvas.labels import put_text
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.pencil import LEFT, Pencil, text_width
from rackloom_gui.canvas.racks import BESIDE_MM, draw_racks, draw_rows
from rackloom_gui.tokens import mix

Backdrop = Callable[[Pencil, SceneArrays, Window, Look], None]
TILE_MM = 600.0
LINE_SPACING = 1.35
LEAST_TITLE_PX = 7


def elevation_backdrop(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """Rows, trays and empty racks."""
    draw_rows(pencil, scene, window, look)
    draw_racks(pencil, scene, window, look)


def fabric_backdrop(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """A band behind each tier, with its name at the left."""
    del window
    layout, tokens = scene.layout, look.tokens
    if not isinstance(layout, FabricLayout) or not layout.bands:
        return
    left = min(band.left for band in layout.bands) - TITLE_MM
    right = max(band.right for band in layout.bands) + 200.0
    titles = [_title_lines(band.title) for band in layout.bands]
    width = TITLE_MM - 120.0

    def common_size() -> int:
        return min(
            title_size(lines, width * pencil.scale, (b.bottom - b.top + 200.0) * pencil.scale)
            for b, lines in zip(layout.bands, titles, strict=True)
        )

    size = common_size()
    if size < LEAST_TITLE_PX:
        titles = [lines[-1:] for lines in titles]  # the tier says more than both cut short
        size = common_size()
    for number, band in enumerate(layout.bands):
        box = (left, band.top - 100.0, right - left, band.bottom - band.top + 200.0)
        pencil.fill(*box, mix(tokens.canvas, tokens.grid_major, 0.45))
        if size < LEAST_TITLE_PX:
            continue
        lines = titles[number]
        height = band.bottom - band.top + 200.0
        line = size * LINE_SPACING / pencil.scale
        for n, text in enumerate(lines):
            y = band.top - 100.0 + height / 2 + (n - len(lines) / 2) * line
            first = n == 0
            ink = tokens.row_label if first else tokens.canvas_text
            pencil.text((left + 60.0, y, width, line), text, size, ink, LEFT, bold=first)


def _title_lines(title: str) -> list[str]:
    """``compute: leaf`` stands on two lines."""
    network, _, tier = title.partition(": ")
    return [text.capitalize() for text in ((network, tier) if tier else (network,))]


def title_size(lines: Sequence[str], width_px: float, height_px: float) -> int:
    """Font size in pixels at which these lines fit one below the other into a box, 18 at most."""
    widest = max(text_width(text, 18, bold=True) for text in lines)
    return int(min(18.0, 18.0 * (width_px - 2.0) / widest, height_px / len(lines) / LINE_SPACING))


def floor_backdrop(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    """Tiles, racks from above with how full they are, and the trays over them."""
    layout, tokens = scene.layout, look.tokens
    if not isinstance(layout, FloorLayout):
        return
    _tiles(pencil, window, look)
    _racks_from_above(pencil, scene, window, look)
    for tray in layout.trays:
        x0, x1 = sorted((tray.x0_m * 1000, tray.x1_m * 1000))
        y0, y1 = sorted((tray.y0_m * 1000, tray.y1_m * 1000))
        box = (x0 - TRAY_W / 2, y0 - TRAY_W / 2, x1 - x0 + TRAY_W, y1 - y0 + TRAY_W)
        rect = pencil.rect(*box)
        pencil.frame_px(rect, mix(tokens.canvas, tokens.tray, 0.7))
        inner = rect.adjusted(3, 3, -3, -3)
        if min(inner.width(), inner.height()) > 3:
            pencil.frame_px(inner, mix(tokens.canvas, tokens.tray, 0.35))
    boxes, row_of = scene.racks["box"], scene.racks.row_of
    for row in scene.design.rows.values():
        racks = [row_of[r] for r in scene.design.index.racks_in_row.get(row.id, ()) if r in row_of]
        left = row.x_m * 1000
        right = max((float(boxes[r, 0] + boxes[r, 2]) for r in racks), default=left + EMPTY_ROW_MM)
        wide = right - left + BESIDE_MM
        size = int(min(max(260.0 * pencil.scale, 10.0), 20.0))
        # Beside the cross tray at the row's end and what is written along that.
        beside = max(TRAY_W / 2 + 40.0, PLATE_PX / pencil.scale)
        box = (left + beside, row.y_m * 1000 - 420.0, wide, 340.0)
        pencil.text(box, row.name, size, tokens.row_label, LEFT, bold=True)


PLATE_PX = 13.0
"""Half the height of a plate on a tray, and some air."""


def _tiles(pencil: Pencil, window: Window, look: Look) -> None:
    if not pencil.shows(TILE_MM, 7.0):
        return
    tokens = look.tokens
    for start, stop, upright in (
        (window.x0, window.x1, True),
        (window.y0, window.y1, False),
    ):
        first, last = int(start // TILE_MM), int(stop // TILE_MM) + 1
        for n in range(first, last + 1):
            colour = tokens.grid_major if n % 5 == 0 else tokens.grid
            if upright:
                pencil.line(n * TILE_MM, window.y0, n * TILE_MM, window.y1, colour)
            else:
                pencil.line(window.x0, n * TILE_MM, window.x1, n * TILE_MM, colour)


def _racks_from_above(pencil: Pencil, scene: SceneArrays, window: Window, look: Look) -> None:
    tokens = look.tokens
    boxes = scene.racks["box"]
    rows = np.flatnonzero(window.touching(boxes) & scene.racks.alive)
    if not len(rows):
        return
    mine = boxes[rows]
    pencil.fill_many(mine, tokens.rack_frame)
    inside = pencil.rects(mine) + np.array([1.0, 1.0, -2.0, -2.0])
    np.maximum(inside[:, 2:], 0.0, out=inside[:, 2:])
    from rackloom_gui.canvas.pointer import draw_rects

    pencil.painter.setBrush(mix(tokens.rack_interior, tokens.rack_frame, 0.18))
    draw_rects(pencil.painter, inside)
    front = mine.copy()  # the front door
    front[:, 3] = 50.0
    pencil.fill_many(front, mix(tokens.rack_frame, tokens.accent, 0.55))
    if not pencil.shows(float(mine[:, 2].min()), 16.0):
        return
    _fill_gauges(pencil, scene, rows, look)
    size = int(min(max(160.0 * pencil.scale, 8.0), 15.0))
    for row in rows.tolist():
        rack = scene.design.racks[scene.racks.ids[row]]  # type: ignore[index]
        x, y, w, _ = (float(v) for v in boxes[row])
        place = pencil.rect(x, y + 70.0, w, 220.0)
        if text_width(rack.name[:80], size, True) > place.width():
            place = place.adjusted(3.0, 0.0, -3.0, 0.0)  # shortened names do not run together
        put_text(pencil, place, rack.name, size, tokens.rack_title, look)


def free_units(design: Design, rack_id: RackId, look: Look) -> int:
    """Units of a rack that are free; counted again only when something in it changed."""
    rack, here = design.racks[rack_id], design.index.devices_in_rack.get(rack_id, ())
    seen = (rack, here, design.parts)
    known = look.free_units.get(rack_id)
    if known is None or any(a is not b for a, b in zip(known[0], seen, strict=True)):
        free = sum(high - low + 1 for low, high in free_ranges(design, rack_id))
        known = look.free_units[rack_id] = (seen, free)
    return known[1]


def _fill_gauges(pencil: Pencil, scene: SceneArrays, rows: np.ndarray, look: Look) -> None:
    """How many of a rack's U are taken: a bar along its rear."""
    tokens, design = look.tokens, scene.design
    back, full = [], []
    for row in rows.tolist():
        rack = design.racks[scene.racks.ids[row]]
        units = design.part(rack.part, RackPart).rack_units
        free = free_units(design, rack.id, look)
        x, y, w, h = (float(v) for v in scene.racks["box"][row])
        back.append((x + 60.0, y + h - 150.0, w - 120.0, 70.0))
        full.append((x + 60.0, y + h - 150.0, (w - 120.0) * (units - free) / units, 70.0))
    pencil.fill_many(np.array(back), mix(tokens.rack_interior, tokens.rack_frame, 0.45))
    pencil.fill_many(np.array(full), tokens.accent)


def backdrop_of(layout: Layout) -> Backdrop:
    """The backdrop of a view by its layout's name."""
    return {
        "racks": elevation_backdrop,
        "fabric": fabric_backdrop,
        "floor": floor_backdrop,
    }[layout.name]
