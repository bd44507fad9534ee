# SPDX-License-Identifier: Apache-2.0
"""Cable labels on printable sheets: a PDF whose pages are the sheets of a laser printer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPageLayout, QPageSize, QPainter, QPdfWriter

from rackloom.reports.labels import Label, LabelSheet
from rackloom_gui.canvas.pencil import elided, font_of, text_width
from rackloom_gui.export.application import need_application, painting

DPI = 288
MM = DPI / 25.4
PADDING_MM = 1.5
EDGE_MM = 4.3
"""Rim of the paper that most laser printers leave white; some labels reach into it."""
BAND_MM = 2.5
"""Width of the strip in the label's colour, at its left."""
LARGEST_MM, SMALLEST_MM = 4.0, 1.6
"""Height of the type: as large as the label allows, and never too small to read."""
LINE = 1.25
INK = QColor("#1b1f24")


def label_sheet_pdf(
    labels: Sequence[Label], sheet: LabelSheet, *, title: str = "Cable labels", skip: int = 0
) -> bytes:
    """A PDF with every label in its place; ``skip`` leaves that many of the first sheet empty.

    The type is as large as the longest line of a label lets it; a line that does not even fit in
    the smallest is shortened in the middle. To be printed at 100 %, not fitted to the page.
    """
    need_application()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DPI)
    writer.setTitle(title)
    writer.setCreator("Rackloom")
    page = QPageSize(QSizeF(*sheet.page_mm), QPageSize.Unit.Millimeter)
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    with painting(writer) as painter:
        rim = EDGE_MM * MM
        paper = QRectF(0, 0, sheet.page_mm[0] * MM, sheet.page_mm[1] * MM)
        printable = paper.adjusted(rim, rim, -rim, -rim)
        current = 0
        for number, label in enumerate(labels, start=skip % sheet.count):
            page_number, x_mm, y_mm = sheet.place(number)
            if page_number != current:
                writer.newPage()
                current = page_number
            width_mm, height_mm = sheet.label_mm
            box = QRectF(x_mm * MM, y_mm * MM, width_mm * MM, height_mm * MM)
            paint_label(painter, label, box.intersected(printable))
    buffer.close()
    return bytes(data.data())


def paint_label(painter: QPainter, label: Label, box: QRectF) -> None:
    """Draw a label into its box, in units of 1/288 inch."""
    colour = QColor(label.colour) if QColor.isValidColorName(label.colour) else None
    inner = box.adjusted(PADDING_MM * MM, PADDING_MM * MM, -PADDING_MM * MM, -PADDING_MM * MM)
    if colour is not None:
        painter.fillRect(QRectF(inner.left(), inner.top(), BAND_MM * MM, inner.height()), colour)
        inner.adjust((BAND_MM + PADDING_MM) * MM, 0, 0, 0)
    lines = lines_of(label.text)
    size = type_size(lines, inner.width(), inner.height())
    painter.setFont(font_of(size))
    painter.setPen(INK)
    step = size * LINE
    top = inner.top() + (inner.height() - step * len(lines)) / 2
    for n, line in enumerate(lines):
        row = QRectF(inner.left(), top + n * step, inner.width(), step)
        shown = elided(line, size, int(inner.width()))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(row, int(flags | Qt.TextFlag.TextSingleLine), shown)


def lines_of(text: str) -> list[str]:
    """The lines of a label: this end above, the far one below."""
    first, slash, rest = text.partition(" / ")
    return [*first.split("\n"), *(rest.split("\n") if slash else ())]


def type_size(lines: Sequence[str], width_px: float, height_px: float) -> int:
    """The largest type, in pixels, in which all lines fit; the smallest where none does."""
    largest, smallest = int(LARGEST_MM * MM), int(SMALLEST_MM * MM)
    largest = max(min(largest, int(height_px / (LINE * len(lines)))), 1)
    widest = max((text_width(line, largest) for line in lines), default=0.0)
    size = largest if widest <= width_px else int(largest * width_px / widest)
    return max(size, min(smallest, largest))
