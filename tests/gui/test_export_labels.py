# SPDX-License-Identifier: Apache-2.0
"""Label sheets as PDF: pages, places, colours, and that texts fit."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from tests.builders import small_design

from rackloom.reports.labels import SHEETS, Label, labels
from rackloom_gui.canvas.pencil import text_width
from rackloom_gui.export import label_sheet_pdf
from rackloom_gui.export import labels as export_labels
from rackloom_gui.export.labels import MM, lines_of, paint_label, type_size

pytestmark = pytest.mark.usefixtures("qapp")

PLAIN = labels(small_design())[0]


def pages(pdf: bytes) -> list[tuple[float, float]]:
    """Widths and heights of the pages, in mm."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return [(float(w) / 72 * 25.4, float(h) / 72 * 25.4) for w, h in boxes]


@pytest.mark.parametrize("name", list(SHEETS))
def test_each_sheet_has_the_size_of_its_paper_and_as_many_pages_as_it_takes(name: str) -> None:
    sheet = SHEETS[name]
    found = pages(label_sheet_pdf([PLAIN] * (sheet.count + 1), sheet))
    assert len(found) == 2
    assert found[0] == pytest.approx(sheet.page_mm, abs=0.2)
    assert len(pages(label_sheet_pdf([PLAIN] * sheet.count, sheet))) == 1
    assert len(pages(label_sheet_pdf([PLAIN] * sheet.count, sheet, skip=1))) == 2
    assert len(pages(label_sheet_pdf([], sheet))) == 1


def drawn(label: Label, width_mm: float = 70, height_mm: float = 37) -> QImage:
    image = QImage(int(width_mm * MM), int(height_mm * MM), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_label(painter, label, QRectF(0, 0, width_mm * MM, height_mm * MM))
    painter.end()
    return image


def test_a_label_has_its_colour_at_the_left_and_ink_beside_it() -> None:
    image = drawn(replace(PLAIN, colour="#0072b2", text="R01-U40:1 / R02-U40:2"))
    assert image.pixelColor(int(2.5 * MM), int(18 * MM)).name() == "#0072b2"
    plain = drawn(replace(PLAIN, colour=""))
    assert plain.pixelColor(int(2.5 * MM), int(3 * MM)).name() == "#ffffff"
    dark = [
        (x, y)
        for x in range(0, plain.width(), 3)
        for y in range(0, plain.height(), 3)
        if plain.pixelColor(x, y).lightness() < 128
    ]
    assert dark


def test_nothing_is_drawn_where_printers_leave_the_paper_white(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boxes: list[QRectF] = []
    monkeypatch.setattr(export_labels, "paint_label", lambda p, label, box: boxes.append(box))
    for sheet in SHEETS.values():
        boxes.clear()
        label_sheet_pdf([PLAIN] * sheet.count, sheet)
        assert len(boxes) == sheet.count
        assert min(box.left() for box in boxes) >= 4.2 * MM
        assert max(box.right() for box in boxes) <= (sheet.page_mm[0] - 4.2) * MM
        assert min(box.top() for box in boxes) >= 4.2 * MM
        assert max(box.bottom() for box in boxes) <= (sheet.page_mm[1] - 4.2) * MM


def test_a_colour_nobody_knows_is_left_out() -> None:
    image = drawn(replace(PLAIN, colour="not a colour", text=""))
    assert {image.pixelColor(x, 100).name() for x in range(image.width())} == {"#ffffff"}


def test_type_shrinks_until_the_longest_line_fits() -> None:
    lines = lines_of("A-long-rack-name-01-U40:1/1 / R02-U40:1")
    assert lines == ["A-long-rack-name-01-U40:1/1", "R02-U40:1"]
    small, large = type_size(lines, 35 * MM, 20 * MM), type_size(lines, 100 * MM, 20 * MM)
    assert small < large == int(4.0 * MM)
    assert text_width(lines[0], small) <= 35 * MM * 1.02
    assert type_size(["x" * 500], 35 * MM, 20 * MM) == int(1.6 * MM)
    assert type_size(["x"] * 10, 35 * MM, 10 * MM) * 10 <= 10 * MM


def test_the_same_labels_draw_the_same_page() -> None:
    def content(pdf: bytes) -> list[bytes]:
        streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
        return [zlib.decompress(s) for s in streams if s[:1] == b"x"]

    sheet = SHEETS["a4-3x8"]
    assert content(label_sheet_pdf([PLAIN], sheet)) == content(label_sheet_pdf([PLAIN], sheet))
