# SPDX-License-Identifier: Apache-2.0
"""One function for every drawing that leaves the program."""

from __future__ import annotations

import os
from datetime import date as calendar
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom.files.atomic import write_atomically
from rackloom_gui.export.application import need_application, painting
from rackloom_gui.export.picture import (
    VIEWS,
    Picture,
    detail_scale,
    paint_side_by_side,
    picture_of,
    side_by_side,
    svg_bytes,
)
from rackloom_gui.export.sheets import SHEETS, TitleBlock, pdf_bytes, rack_sheets, whole_sheet
from rackloom_gui.theme import LIGHT, Tokens

KINDS = ("svg", "pdf", "png")
SIDES = ("front", "rear", "both")
PNG_MOST_PIXELS = 120_000_000
PNG_LONGEST = 30_000
"""A picture beyond these is scaled down: few programs would open it."""
SCREEN_DPI = 96.0


def render(
    design: Design,
    view: str,
    side: str | Side,
    path: str | os.PathLike[str],
    *,
    tokens: Tokens | None = None,
    dpi: float = 192.0,
    sheet: str = "A3",
    date: str | None = None,
    cords: bool = False,
) -> Path:
    """Write a drawing of a design: what kind of file, the ending of ``path`` says.

    ``view`` is ``racks``, ``fabric`` or ``floor``; ``side`` (of racks) ``front``, ``rear`` or
    ``both``. ``tokens`` are the colours of SVG and PNG (light by default; PDF is always light),
    ``dpi`` the fineness of a PNG, ``sheet`` the paper of a PDF, ``date`` what its title block says
    (today by default), ``cords`` whether racks are drawn with their power cords (as far as both
    ends are seen from that side). Raises ValueError for a wish that is unknown, FileError where
    the file cannot be written.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    data = render_bytes(
        design, view, side, kind, tokens=tokens, dpi=dpi, sheet=sheet, date=date, cords=cords
    )
    write_atomically(target, [data])
    return target


def render_bytes(
    design: Design,
    view: str,
    side: str | Side,
    kind: str,
    *,
    tokens: Tokens | None = None,
    dpi: float = 192.0,
    sheet: str = "A3",
    date: str | None = None,
    cords: bool = False,
) -> bytes:
    """The same as :func:`render`, as bytes."""
    if kind not in KINDS:
        raise ValueError(f"a drawing ends in {', '.join(f'.{k}' for k in KINDS)}, not {kind!r}")
    if view not in VIEWS:
        raise ValueError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")
    wanted = side.value if isinstance(side, Side) else side
    if wanted not in SIDES:
        raise ValueError(f"there is no side {wanted!r}; there are {', '.join(SIDES)}")
    if sheet not in SHEETS:
        raise ValueError(f"there is no sheet {sheet!r}; there are {', '.join(SHEETS)}")
    need_application()
    if kind == "pdf":
        return _pdf(design, view, wanted, sheet, date or calendar.today().isoformat(), cords)
    pictures = _pictures(design, view, wanted, tokens or LIGHT, cords)
    if kind == "svg":
        return svg_bytes(pictures, detail_scale(pictures[0]), design.settings.project)
    return _png(pictures, dpi)


def _sides(wanted: str) -> list[Side]:
    return [Side.FRONT, Side.REAR] if wanted == "both" else [Side(wanted)]


TITLES = {Side.FRONT: "Front", Side.REAR: "Rear"}


def _pictures(design: Design, view: str, wanted: str, tokens: Tokens, cords: bool) -> list[Picture]:
    if view != "racks":
        return [picture_of(design, view, Side.FRONT, tokens)]
    sides = _sides(wanted)
    return [
        picture_of(design, view, side, tokens, TITLES[side] if len(sides) > 1 else "", cords=cords)
        for side in sides
    ]


def _pdf(design: Design, view: str, wanted: str, sheet: str, date: str, cords: bool) -> bytes:
    size = SHEETS[sheet]
    block = TitleBlock.of(design, view, date)
    if view == "racks":
        sheets = rack_sheets(design, _sides(wanted), size, TITLES, cords=cords)
    else:
        sheets = [whole_sheet(design, view, size)]
    return pdf_bytes(sheets, block, size)


def _png(pictures: list[Picture], dpi: float) -> bytes:
    scale = detail_scale(pictures[0])
    width, height = side_by_side(pictures, scale)
    ratio = max(dpi, 1.0) / SCREEN_DPI
    ratio = min(
        ratio,
        PNG_LONGEST / max(width, height),
        (PNG_MOST_PIXELS / max(width * height, 1.0)) ** 0.5,
    )
    image = QImage(
        max(round(width * ratio), 1), max(round(height * ratio), 1), QImage.Format.Format_RGB32
    )
    dots = round(SCREEN_DPI * ratio / 0.0254)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    with painting(image) as painter:
        painter.scale(ratio, ratio)
        paint_side_by_side(painter, pictures, scale, ratio=ratio, snap=True)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # QImage.save takes the format as str in PySide6 but says bytes in its stubs.
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    buffer.close()
    return bytes(data.data())
