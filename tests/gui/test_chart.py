# SPDX-License-Identifier: Apache-2.0
"""The throughput chart: sizes as nccl-tests writes them, the limit, the readout, the reason."""

import csv
import io

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from rackloom_gui.charts.bars import Part, StackedBar
from rackloom_gui.charts.copying import Line, picture_of
from rackloom_gui.charts.sizes import bandwidth_text, short_size, size_text, time_text
from rackloom_gui.main_window import MainWindow
from rackloom_gui.theme import Theme


def test_sizes_are_powers_of_1024() -> None:
    assert [short_size(2.0**n) for n in (3, 10, 16, 20, 34)] == ["8", "1K", "64K", "1M", "16G"]
    assert size_text(8) == "8 B"
    assert size_text(1 << 34) == "16 GiB"


def test_numbers_are_as_fine_as_they_are_good() -> None:
    assert bandwidth_text(391.4) == "391 GB/s"
    assert bandwidth_text(48.16) == "48.2 GB/s"
    assert bandwidth_text(0.00412) == "0.0041 GB/s"
    assert time_text(17.43) == "17.4 µs"
    assert time_text(43_000) == "43 ms"


def test_the_curve_runs_from_8_bytes_to_16_gib_below_its_limit(example: MainWindow) -> None:
    plot = example.chart.plot
    assert plot is not None
    x, busbw, limit = plot.curves()
    assert (x[0], x[-1]) == (3.0, 34.0)
    assert np.all(np.diff(x) == 1.0)
    assert np.all(busbw <= limit * (1 + 1e-9))
    assert busbw[0] < 0.1
    assert busbw[-1] > 100


def test_the_readout_names_the_point_under_the_pointer(example: MainWindow, qtbot: QtBot) -> None:
    plot, answer = example.chart.plot, example.chart.estimate
    assert plot is not None
    assert answer is not None
    box = plot.getPlotItem().getViewBox()
    QApplication.processEvents()
    point = next(n for n, p in enumerate(answer.points) if p.size_bytes == 1 << 20)
    scene = box.mapViewToScene(QPointF(20.1, 10.0))
    at = plot.mapFromScene(scene)
    qtbot.mouseMove(plot.viewport(), QPoint(at.x(), at.y()))
    qtbot.waitUntil(lambda: bool(plot.readout_shown))
    shown = plot.readout_shown
    assert shown.startswith("1 MiB: ")
    assert time_text(answer.points[point].time_us) in shown
    assert answer.points[point].protocol in shown


def test_one_sentence_says_what_limits(example: MainWindow) -> None:
    answer = example.chart.estimate
    assert answer is not None
    assert answer.bottleneck.text in example.chart.reason
    assert example.chart.reason.endswith(".")


def test_showing_what_limits_selects_it(example: MainWindow, qtbot: QtBot) -> None:
    answer = example.chart.estimate
    assert answer is not None
    assert answer.bottleneck.where
    qtbot.mouseClick(example.chart.tools.where, Qt.MouseButton.LeftButton)
    assert example.document.selection == set(answer.bottleneck.where)


def test_the_binding_cut_is_painted_when_asked_for(example: MainWindow, qtbot: QtBot) -> None:
    answer = example.chart.estimate
    assert answer is not None
    assert example.canvas.marks.cut == frozenset()
    qtbot.mouseClick(example.chart.tools.cut, Qt.MouseButton.LeftButton)
    assert example.canvas.marks.cut == frozenset(answer.limit.cut)
    qtbot.mouseClick(example.chart.tools.cut, Qt.MouseButton.LeftButton)
    assert example.canvas.marks.cut == frozenset()


def test_the_points_as_csv(example: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(example.chart.tools.copy_csv, Qt.MouseButton.LeftButton)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    answer = example.chart.estimate
    assert answer is not None
    assert len(rows) == len(answer.points)
    last = rows[-1]
    assert int(last["size_bytes"]) == 1 << 34
    expected = answer.points[-1].busbw_gb_per_s
    assert float(last["busbw_gb_per_s"]) == pytest.approx(expected, rel=1e-5)


def test_the_chart_as_a_picture(example: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(example.chart.tools.copy_picture, Qt.MouseButton.LeftButton)
    image = QGuiApplication.clipboard().image()
    assert image.width() == example.chart.width() * 2
    colours = {image.pixel(x, image.height() // 2) for x in range(0, image.width(), 3)}
    assert len(colours) > 2
    # one line that the panel has to cut is whole in the picture: it takes more room there
    chart = example.chart
    small, shown = chart._small, chart._small.shown_text()
    assert shown.endswith("…")
    line = Line(small.text(), small.font(), QColor("black"))
    wrapped = picture_of([line], chart.width(), QColor("white"), 1.0)
    assert wrapped.height() > 2 * small.fontMetrics().height() + 24
    plot = chart._chart_room.height() + chart.legend.height()
    assert image.height() / 2 > plot + wrapped.height()


def test_no_share_is_struck_through_by_the_mark(theme: Theme, qtbot: QtBot) -> None:
    """96 GB of 80: the line of the 80 goes through the third part, where its share would stand."""
    bar = StackedBar(theme)
    qtbot.addWidget(bar)
    bar.resize(500, 80)
    bar.show_parts([Part("a", 33, ""), Part("b", 33, ""), Part("c", 34, "")], mark=83)
    third = QRectF(330, 0, 170, 22)
    clear = bar._clear_of_mark(third, 30)
    assert (clear.left(), clear.right()) == (330, 415)
    assert bar._clear_of_mark(QRectF(0, 0, 165, 22), 30) == QRectF(0, 0, 165, 22)
