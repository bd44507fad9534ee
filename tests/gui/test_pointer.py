# SPDX-License-Identifier: Apache-2.0
"""Drawing from arrays by pointer gives the very pixels that drawing from Qt objects gives."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from rackloom_gui.canvas.pointer import (
    draw_lines,
    draw_pixmap_fragments,
    draw_points,
    draw_rects,
    fragments,
)


def drawn(draw: Callable[[QPainter], None]) -> QImage:
    image = QImage(200, 150, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    try:
        painter.setPen(QColor("#203040"))
        painter.setBrush(QColor("#56b4e9"))
        draw(painter)
    finally:
        painter.end()  # a painter that outlives its image crashes
    return image


def blank() -> QImage:
    return drawn(lambda _painter: None)


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(7).uniform(1, 120, (300, 4))


def test_rects(qapp: QApplication, rows: np.ndarray) -> None:
    rows[:, 2:] /= 8
    by_pointer = drawn(lambda p: draw_rects(p, rows))
    by_list = drawn(lambda p: p.drawRects([QRectF(*r) for r in rows.tolist()]))
    assert by_pointer == by_list
    assert by_pointer != blank()


def test_lines(qapp: QApplication, rows: np.ndarray) -> None:
    by_pointer = drawn(lambda p: draw_lines(p, rows))
    by_list = drawn(lambda p: p.drawLines([QLineF(*r) for r in rows.tolist()]))
    assert by_pointer == by_list
    assert by_pointer != blank()


def test_points(qapp: QApplication, rows: np.ndarray) -> None:
    by_pointer = drawn(lambda p: draw_points(p, rows[:, :2]))
    by_list = drawn(lambda p: p.drawPoints([QPointF(*r) for r in rows[:, :2].tolist()]))
    assert by_pointer == by_list
    assert by_pointer != blank()


def test_fragments(qapp: QApplication) -> None:
    sprite = QPixmap(24, 12)
    sprite.fill(Qt.GlobalColor.red)
    painter = QPainter(sprite)
    painter.fillRect(3, 2, 9, 5, Qt.GlobalColor.blue)
    painter.end()
    places = np.array([[20.0, 30.0], [90.0, 31.0], [150.0, 100.0]])
    rows = fragments(len(places))
    rows[:, :2] = places
    rows[:, 2:6] = (0, 0, 24, 12)

    def one_by_one(target: QPainter) -> None:
        for x, y in places.tolist():
            target.drawPixmap(QPointF(x - 12, y - 6), sprite)

    by_pointer = drawn(lambda p: draw_pixmap_fragments(p, rows, sprite))
    assert by_pointer == drawn(one_by_one)
    assert by_pointer != blank()


def test_views_into_larger_tables_and_other_number_types_draw_the_same(
    qapp: QApplication, rows: np.ndarray
) -> None:
    table = np.zeros((300, 9))
    table[:, 2:6] = rows
    plain = drawn(lambda p: draw_lines(p, rows))
    assert drawn(lambda p: draw_lines(p, table[:, 2:6])) == plain
    whole = rows.round()
    by_int = drawn(lambda p: draw_lines(p, whole.astype(np.int64)))
    assert by_int == drawn(lambda p: draw_lines(p, whole))


def test_nothing_to_draw_draws_nothing(qapp: QApplication) -> None:
    assert drawn(lambda p: draw_rects(p, np.zeros((0, 4)))) == blank()


def test_wrong_shapes_are_refused_before_qt_reads_foreign_memory(qapp: QApplication) -> None:
    with pytest.raises(ValueError, match="4 columns"):
        drawn(lambda p: draw_rects(p, np.zeros((5, 3))))
