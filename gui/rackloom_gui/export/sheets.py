# SPDX-License-Identifier: Apache-2.0
"""Drawings on paper: sheets with a frame, a title block, and several racks on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPageLayout, QPageSize, QPainter, QPdfWriter, QPen

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom.design.ids import DeviceId, RackId
from rackloom_gui.canvas.pencil import elided, font_of
from rackloom_gui.export.application import painting
from rackloom_gui.export.picture import Picture, picture_of
from rackloom_gui.theme import LIGHT

DPI = 144
"""A drawing pixel is 1/144 inch: lines of one are 0.18 mm, names of ten 1.8 mm high."""
MM = DPI / 25.4
SHEETS: dict[str, tuple[float, float]] = {
    "A4": (297.0, 210.0),
    "A3": (420.0, 297.0),
    "A2": (594.0, 420.0),
    "A1": (841.0, 594.0),
    "letter": (279.4, 215.9),
    "tabloid": (431.8, 279.4),
}
"""Landscape width and height in mm."""
BORDER_MM = 10.0
BLOCK_MM = 18.0
CAPTION_MM = 7.0
GAP_MM = 6.0
SCALES = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class TitleBlock:
    """What stands in the block of every sheet."""

    project: str
    drawing: str
    revision: str
    author: str
    date: str

    @classmethod
    def of(cls, design: Design, view: str, date: str) -> TitleBlock:
        """The block of a design; a drawing without a name is called after its view."""
        names = {"racks": "Rack elevations", "fabric": "Fabric", "floor": "Floor"}
        settings = design.settings
        return cls(
            settings.project or "Untitled",
            settings.drawing or names[view],
            settings.revision or "–",
            settings.author or "–",
            date,
        )


@dataclass(slots=True)
class Sheet:
    """One page: pictures beside one another at one scale (None: not to scale)."""

    pictures: list[Picture]
    px_per_mm: float
    scale_text: str


def rack_sheets(
    design: Design,
    sides: Sequence[Side],
    size: tuple[float, float],
    titles: dict[Side, str],
    *,
    cords: bool = False,
) -> list[Sheet]:
    """Racks from left to right, row by row, as many on a sheet as it holds at a round scale."""
    whole = {
        side: picture_of(design, "racks", side, LIGHT, titles[side], cords=cords) for side in sides
    }
    first = whole[sides[0]]
    room_w, room_h = _room(size)
    ordered = _racks_in_order(design)
    if not ordered:
        return [_fitted(list(whole.values()), size)]
    boxes = {rack: box for rack in ordered if (box := first.scene.box_of(rack)) is not None}
    tallest = max(first.around([box]).height_mm for box in boxes.values())
    widest = max(first.around([box]).width_mm for box in boxes.values())
    scale = _round_scale(max(tallest / room_h, widest * len(sides) / room_w))
    sheets: list[Sheet] = []
    groups = _groups(design, ordered, boxes, first, room_w * scale, len(sides))
    notes = {side: _notes_of(groups, boxes, picture) for side, picture in whole.items()}
    for number, group in enumerate(groups):
        mine = [boxes[rack] for rack in group]
        pictures = [replace(whole[side].around(mine), notes=notes[side][number]) for side in sides]
        sheets.append(Sheet(pictures, MM / scale, f"1:{scale}"))
    return sheets


def _racks_in_order(design: Design) -> list[RackId]:
    rows = {row: n for n, row in enumerate(design.rows)}
    racks = sorted(design.racks.values(), key=lambda r: (rows[r.row], r.position_m, r.id))
    return [rack.id for rack in racks]


def _groups(
    design: Design,
    ordered: Sequence[RackId],
    boxes: dict[RackId, tuple[float, float, float, float]],
    picture: Picture,
    room_mm: float,
    sides: int,
) -> list[list[RackId]]:
    """Neighbours of one row that fit beside one another, once for each side that is shown."""
    groups: list[list[RackId]] = []
    for rack in ordered:
        last = groups[-1] if groups else []
        if last and design.racks[last[-1]].row == design.racks[rack].row:
            wide = picture.around([boxes[r] for r in (*last, rack)]).width_mm
            if wide * sides <= room_mm:
                last.append(rack)
                continue
        groups.append([rack])
    return groups


def _notes_of(
    groups: Sequence[Sequence[RackId]],
    boxes: dict[RackId, tuple[float, float, float, float]],
    picture: Picture,
) -> list[frozenset[str]]:
    """The notes of each sheet: those about its racks, and those nearest to them."""
    found: list[set[str]] = [set() for _ in groups]
    sheet_of = {rack: n for n, group in enumerate(groups) for rack in group}
    design = picture.scene.design
    middles = [(boxes[r][0] + boxes[r][2] / 2, boxes[r][1] + boxes[r][3] / 2, r) for r in sheet_of]
    for spot in picture.scene.notes.spots():
        about = spot.note.about
        rack = RackId(about or "")
        device = design.devices.get(DeviceId(about or ""))
        if device is not None:
            rack = device.rack
        if rack not in sheet_of:
            x, y = spot.x, spot.y
            rack = min(middles, key=lambda m: (abs(m[1] - y) > 2500.0, abs(m[0] - x)))[2]
        found[sheet_of[rack]].add(spot.note.id)
    return [frozenset(ids) for ids in found]


def whole_sheet(design: Design, view: str, size: tuple[float, float]) -> Sheet:
    """A view that fills one sheet."""
    return _fitted([picture_of(design, view, Side.FRONT, LIGHT)], size, true=view == "floor")


def _fitted(pictures: list[Picture], size: tuple[float, float], *, true: bool = True) -> Sheet:
    room_w, room_h = _room(size)
    width = sum(p.width_mm for p in pictures)
    height = max(p.height_mm for p in pictures)
    ratio = max(width / room_w, height / room_h, 1e-6)
    if not true:
        return Sheet(pictures, MM / ratio, "not to scale")
    scale = _round_scale(ratio)
    return Sheet(pictures, MM / scale, f"1:{scale}")


def _room(size: tuple[float, float]) -> tuple[float, float]:
    """Paper left for the drawing, in mm."""
    width = size[0] - 2 * BORDER_MM - 2 * GAP_MM
    return width, size[1] - 2 * BORDER_MM - BLOCK_MM - CAPTION_MM - 2 * GAP_MM


def _round_scale(ratio: float) -> int:
    return next((s for s in SCALES if s >= ratio), round(ratio + 0.5))


def pdf_bytes(sheets: Sequence[Sheet], block: TitleBlock, size: tuple[float, float]) -> bytes:
    """All sheets as one PDF."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DPI)
    writer.setTitle(f"{block.project}: {block.drawing}")
    writer.setCreator("Rackloom")
    page = QPageSize(QSizeF(size[1], size[0]), QPageSize.Unit.Millimeter)
    writer.setPageLayout(
        QPageLayout(page, QPageLayout.Orientation.Landscape, QMarginsF(0, 0, 0, 0))
    )
    with painting(writer) as painter:
        for number, sheet in enumerate(sheets):
            if number:
                writer.newPage()
            _paint_sheet(painter, sheet, block, size, number + 1, len(sheets))
    buffer.close()
    return bytes(data.data())


def _paint_sheet(
    painter: QPainter,
    sheet: Sheet,
    block: TitleBlock,
    size: tuple[float, float],
    number: int,
    count: int,
) -> None:
    frame = QRectF(
        BORDER_MM * MM,
        BORDER_MM * MM,
        (size[0] - 2 * BORDER_MM) * MM,
        (size[1] - 2 * BORDER_MM) * MM,
    )
    top = frame.top() + GAP_MM * MM
    total = sum(p.width_mm for p in sheet.pictures) * sheet.px_per_mm
    left = frame.left() + (frame.width() - total) / 2
    room_h = _room(size)[1] * MM
    for picture in sheet.pictures:
        width = picture.width_mm * sheet.px_per_mm
        height = picture.height_mm * sheet.px_per_mm
        if picture.title:
            strip = QRectF(left, top, width, CAPTION_MM * MM)
            _text(painter, strip, picture.title, 15, True, Qt.AlignmentFlag.AlignCenter)
        drop = max((room_h - height) / 2, 0.0)
        picture.paint(
            painter, sheet.px_per_mm, left, top + CAPTION_MM * MM + drop, background=False
        )
        left += width
    _paint_block(painter, frame, block, sheet.scale_text, number, count)


def _paint_block(
    painter: QPainter, frame: QRectF, block: TitleBlock, scale: str, number: int, count: int
) -> None:
    painter.setPen(QPen(QColor("#1b1f24"), 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(frame)
    top = frame.bottom() - BLOCK_MM * MM
    strip = QRectF(frame.left(), top, frame.width(), BLOCK_MM * MM)
    painter.drawRect(strip)
    cells = (
        ("Project", block.project, 0.30),
        ("Drawing", block.drawing, 0.24),
        ("Rev.", block.revision, 0.07),
        ("Date", block.date, 0.10),
        ("Author", block.author, 0.13),
        ("Scale", scale, 0.09),
        ("Sheet", f"{number}/{count}", 0.07),
    )
    left = strip.left()
    for title, value, share in cells:
        width = strip.width() * share
        cell = QRectF(left, top, width, strip.height())
        if left > strip.left():
            painter.setPen(QPen(QColor("#1b1f24"), 0.8))
            painter.drawLine(cell.topLeft(), cell.bottomLeft())
        inner = cell.adjusted(2.0 * MM, 1.6 * MM, -2.0 * MM, -1.6 * MM)
        left_align = Qt.AlignmentFlag.AlignLeft
        _text(painter, inner, title, 10, False, left_align | Qt.AlignmentFlag.AlignTop, "#57606a")
        _text(painter, inner, value, 17, True, left_align | Qt.AlignmentFlag.AlignBottom)
        left += width


def _text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    size: int,
    bold: bool,
    align: Qt.AlignmentFlag,
    colour: str = "#1b1f24",
) -> None:
    painter.setFont(font_of(size, bold))
    painter.setPen(QColor(colour))
    shown = elided(text, size, int(rect.width()), bold)
    painter.drawText(rect, int(align | Qt.TextFlag.TextSingleLine), shown)
