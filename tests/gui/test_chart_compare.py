# SPDX-License-Identifier: Apache-2.0
"""Choosing what the chart is of, and laying pinned curves and measured logs over it."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QComboBox, QInputDialog, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, settle

from rackloom.collectives import ALGORITHMS as ENGINE_ALGORITHMS
from rackloom.collectives import Collective, estimate
from rackloom.collectives.calibration import PROTOCOLS as ENGINE_PROTOCOLS
from rackloom.collectives.case import FLOWS_PER_CONNECTION, TRANSPORTS
from rackloom.interop.nccl_log import MeasuredPoint, MeasuredRun
from rackloom_gui.charts.asked import COLLECTIVES, FLOWS
from rackloom_gui.charts.axes import power_text
from rackloom_gui.charts.controls import ALGORITHMS, PROTOCOLS, _ordinal
from rackloom_gui.charts.series import gaps_of, lines_of, median_gap
from rackloom_gui.main_window import MainWindow


def _choose(box: QComboBox, data: str, qtbot: QtBot) -> None:
    """Choose with the keyboard, as a user does."""
    box.setFocus()
    row = box.findData(data)
    assert row >= 0, data
    qtbot.keyClick(box, Qt.Key.Key_Home)
    for _ in range(row):
        qtbot.keyClick(box, Qt.Key.Key_Down)
    box.activated.emit(box.currentIndex())
    assert box.currentData() == data


def _log(path: Path, example: MainWindow, share: float, ranks: int = 32) -> Path:
    """A log whose bandwidths are so much of the estimate's."""
    answer = example.chart.estimate
    assert answer is not None
    lines = ["# Collective test starting: all_reduce_perf"]
    lines += [f"#  Rank {n:2} Group 0 Pid 1 on host device {n % 8}" for n in range(ranks)]
    lines.append("#  size  count  type  redop  root  time  algbw  busbw  #wrong")
    for p in answer.points:
        if p.size_bytes >= 1 << 20:
            us, alg, bus = p.time_us / share, p.algbw_gb_per_s * share, p.busbw_gb_per_s * share
            lines.append(
                f"{p.size_bytes} {p.size_bytes // 4} float sum -1 {us:.4f} {alg:.4f} {bus:.4f} 0"
            )
    path.write_text("\n".join(lines))
    return path


def test_the_lists_of_names_are_those_of_the_engine() -> None:
    assert set(COLLECTIVES) == {c.value for c in Collective}
    assert set(ALGORITHMS) == set(ENGINE_ALGORITHMS)
    assert set(PROTOCOLS) == {"auto", *ENGINE_PROTOCOLS}
    assert FLOWS == FLOWS_PER_CONNECTION


def test_how_the_network_is_run_can_be_said(example: MainWindow, qtbot: QtBot) -> None:
    controls = example.chart.controls
    assert set(controls.transport) == {"", *TRANSPORTS}
    controls.algorithm["ring"].trigger()
    controls.protocol["LL"].trigger()
    settle(example, qtbot)
    answer = example.chart.estimate
    assert answer is not None
    assert {(p.algorithm, p.protocol) for p in answer.points} == {("ring", "LL")}
    controls.protocol["auto"].trigger()
    controls.algorithm["auto"].trigger()
    settle(example, qtbot)
    before = example.chart.estimate
    controls.transport["efa"].trigger()
    settle(example, qtbot)
    now = example.chart.estimate
    assert before is not None
    assert now is not None
    assert now.points[0].time_us > before.points[0].time_us + 10  # an EFA hop takes longer
    controls.flows[1].trigger()
    assert controls.asked.flows == 1


@pytest.mark.parametrize(
    ("entry", "number", "gpus", "text"),
    [("ask:first", 16, 16, "First 16 GPUs"), ("ask:every", 4, 8, "Every 4th GPU")],
)
def test_groups_of_any_size(
    entry: str, number: int, gpus: int, text: str, example: MainWindow, qtbot: QtBot
) -> None:
    group = example.chart.controls.group
    group.setCurrentIndex(group.findData(entry))
    group.activated.emit(group.currentIndex())
    assert group.currentText() == "All GPUs"  # until a number is given
    dialog = example.chart.controls.findChild(QInputDialog)
    assert dialog is not None
    dialog.setIntValue(number)
    dialog.accept()
    settle(example, qtbot)
    assert group.currentText() == text
    assert example.chart.estimate is not None
    assert example.chart.estimate.gpus == gpus


def test_which_one_of_a_row() -> None:
    words = [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112, 122)]
    assert words == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "122nd"]


def test_another_collective_on_another_group(example: MainWindow, qtbot: QtBot) -> None:
    controls = example.chart.controls
    _choose(controls.collective, "all-to-all", qtbot)
    _choose(controls.group, "one-per-server", qtbot)
    settle(example, qtbot)
    answer = example.chart.estimate
    assert answer is not None
    assert (answer.collective, answer.gpus) == (Collective.ALL_TO_ALL, 4)
    expected = estimate(example.document.design, "all-to-all", gpus="one-per-server")
    assert answer.peak.busbw_gb_per_s == pytest.approx(expected.peak.busbw_gb_per_s)
    assert "All-to-all" in example.status.throughput.text()


def test_the_group_of_selected_servers_follows_the_selection(
    example: MainWindow, qtbot: QtBot
) -> None:
    one, two, three = (device_named(example, f"gpu-00{n}") for n in (1, 2, 3))
    example.document.select([one, two])
    _choose(example.chart.controls.group, "selection", qtbot)
    settle(example, qtbot)
    assert example.chart.estimate is not None
    assert example.chart.estimate.gpus == 16
    example.document.select([one, two, three])
    settle(example, qtbot)
    assert example.chart.estimate.gpus == 24


def test_time_and_algorithm_bandwidth(example: MainWindow, qtbot: QtBot) -> None:
    plot, answer = example.chart.plot, example.chart.estimate
    assert plot is not None
    assert answer is not None
    _choose(example.chart.controls.quantity, "algbw", qtbot)
    assert plot.curves()[1][-1] == pytest.approx(answer.points[-1].algbw_gb_per_s)
    _choose(example.chart.controls.quantity, "time", qtbot)
    _, y, limit = plot.curves()
    assert 10 ** y[-1] == pytest.approx(answer.points[-1].time_us)
    assert np.all(limit <= y + 1e-9)  # nothing is faster than the limit


def test_algorithms_are_thin_lines_that_can_be_hidden(example: MainWindow) -> None:
    plot, answer = example.chart.plot, example.chart.estimate
    assert plot is not None
    assert answer is not None
    drawn = len(plot._thin)
    assert drawn == len(answer.by_algorithm) > 1
    assert set(answer.by_algorithm) <= set(example.chart.legend.texts)
    example.chart.controls.show_algorithms.trigger()
    assert len(plot._thin) == 0
    assert not set(answer.by_algorithm) & set(example.chart.legend.texts)


def test_a_curve_is_kept_under_a_name_and_taken_off(example: MainWindow, qtbot: QtBot) -> None:
    chart = example.chart
    before = chart.estimate
    qtbot.mouseClick(chart.tools.pin, Qt.MouseButton.LeftButton)
    dialog = chart.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("two spines")
    dialog.accept()
    assert [pin.name for pin in chart.pins] == ["two spines"]
    example.analysis.unplug([device_named(example, "leaf-01")])
    settle(example, qtbot)
    assert chart.estimate is not before
    assert chart.pins[0].estimate is before
    assert chart.plot is not None
    assert "two spines: " in chart.plot.readout(25)
    button = chart.legend.chip("pin:0")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chart.pins == ()
    assert "two spines" not in chart.legend.texts


def test_other_collectives_beside_the_one_asked_for(example: MainWindow, qtbot: QtBot) -> None:
    chart = example.chart
    chart.controls.also["all-gather"].trigger()
    chart.controls.also["all-reduce"].trigger()  # which is there already
    settle(example, qtbot)
    assert chart.legend.texts.count("All-gather") == 1
    assert "All-reduce" not in chart.legend.texts
    assert chart.plot is not None
    expected = estimate(example.document.design, "all-gather").points[25]
    assert f"All-gather: {expected.busbw_gb_per_s:.0f} GB/s" in chart.plot.readout(25)
    rows = list(csv.DictReader(io.StringIO(chart.csv())))
    found = float(rows[25]["busbw_gb_per_s of All-gather"])
    assert found == pytest.approx(expected.busbw_gb_per_s, rel=1e-4)
    button = chart.legend.chip("also:all-gather")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(example, qtbot)
    assert "All-gather" not in chart.legend.texts
    assert not chart.controls.also["all-gather"].isChecked()


def test_powers_of_ten_of_time_have_the_unit_they_are_whole_in() -> None:
    texts = [power_text(n) for n in (0, 2, 3, 4, 6, 7, -1)]
    assert texts == ["1 µs", "100 µs", "1 ms", "10 ms", "1 s", "10 s", "0.1 µs"]


def _dropped(widget: QWidget, path: Path) -> bool:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    none = Qt.KeyboardModifier.NoModifier
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(60, 60), copy, mime, left, none)
    QApplication.sendEvent(widget, enter)
    if not enter.isAccepted():
        return False
    QApplication.sendEvent(widget, QDropEvent(QPointF(60, 60), copy, mime, left, none))
    return True


def test_a_dropped_log_shows_the_gap_of_each_size(
    example: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = _log(tmp_path / "run.log", example, 0.9)
    assert _dropped(example.chart, path)
    settle(example, qtbot)
    chart = example.chart
    assert [log.name for log in chart.logs] == ["run.log"]
    assert chart.logs[0].run.ranks == 32
    assert "10 % slower" in chart.note
    assert chart.plot is not None
    assert "(-10 %)" in chart.plot.readout(25)
    rows = list(csv.DictReader(io.StringIO(chart.csv())))
    assert float(rows[-1]["gap of run.log"]) == pytest.approx(-0.1, abs=1e-3)
    assert rows[0]["gap of run.log"] == ""  # 8 bytes were not measured


def test_a_log_that_does_not_tell_its_test_says_so(example: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("1073741824 8388608 float none -1 9000 119 115 N/A 9000 119 115 N/A\n")
    assert example.chart.load_log(path)
    assert "It does not say which test it is of." in example.chart.note


def test_a_log_of_fewer_gpus_turns_the_chart_to_them(
    example: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    example.chart.load_log(_log(tmp_path / "run.log", example, 1.0, ranks=32))
    assert "measured as expected from 256 MiB on" in example.chart.note
    example.chart.load_log(_log(tmp_path / "run.log", example, 1.0, ranks=16))
    settle(example, qtbot)
    assert example.chart.estimate is not None
    assert example.chart.estimate.gpus == 16


def test_a_file_without_a_table_is_refused_in_a_sentence(
    example: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing here")
    with qtbot.waitSignal(example.chart.told) as told:
        assert not example.chart.load_log(path)
    assert "notes.txt" in str(told.args)
    assert example.chart.logs == ()


def test_a_big_log_is_read_beside_the_window(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rackloom_gui.charts.overlays.BIG_BYTES", 10)
    path = _log(tmp_path / "run.log", example, 0.9)
    assert example.chart.load_log(path)
    assert example.chart.logs == ()
    assert "run.log is being read" in example.status.work.text
    qtbot.waitUntil(lambda: len(example.chart.logs) == 1)
    assert "10 % slower" in example.chart.note
    assert not example.status.work.text
    nothing = tmp_path / "notes.txt"
    nothing.write_text("nothing here at all")
    with qtbot.waitSignal(example.chart.told) as told:
        assert example.chart.load_log(nothing)
    assert "notes.txt" in str(told.args)
    assert len(example.chart.logs) == 1
    assert not example.status.work.text


def test_gaps_between_two_sizes_follow_a_power_law(example: MainWindow) -> None:
    answer = example.chart.estimate
    assert answer is not None
    a, b = answer.points[24], answer.points[25]
    size = (a.size_bytes * b.size_bytes) ** 0.5
    us = (a.time_us * b.time_us) ** 0.5
    point = MeasuredPoint(round(size), us * 2, 1.0, 1.0)
    gaps = gaps_of(answer, MeasuredRun(None, None, (point,)))
    assert gaps[0].share == pytest.approx(-0.5, abs=1e-4)
    middle = median_gap(gaps)
    assert middle is not None
    assert middle[0] == pytest.approx(-0.5, abs=1e-4)
    assert not middle[1]  # no size was large
    assert median_gap(()) is None


def test_the_band_lies_around_the_curve_and_under_the_limit(example: MainWindow) -> None:
    answer = example.chart.estimate
    assert answer is not None
    for quantity in ("busbw", "algbw", "time"):
        lines = lines_of(answer, quantity)
        assert np.all(lines.low <= lines.y + 1e-12)
        assert np.all(lines.high >= lines.y - 1e-12)
    assert np.all(lines_of(answer, "busbw").high <= lines_of(answer, "busbw").limit + 1e-9)


def test_flows_hashed_badly_are_a_second_band(example: MainWindow, qtbot: QtBot) -> None:
    _choose(example.chart.controls.collective, "all-to-all", qtbot)
    example.chart.controls.algorithm["direct-without-pxn"].trigger()  # flows cross the spines
    example.chart.controls.routing["ecmp"].trigger()
    spines = {device_named(example, f"spine-0{n}") for n in (1, 2)}
    uplinks = [
        cable.id
        for cable in example.document.design.cables.values()
        if spines & {end.device for end in cable.ends}
    ]
    few = [cable for n, cable in enumerate(uplinks) if n % 8 >= 3]  # on few links flows collide
    example.analysis.unplug(few)
    settle(example, qtbot)
    answer = example.chart.estimate
    assert answer is not None
    low = lines_of(answer, "busbw").hashed_low
    assert low is not None
    assert low[-1] == pytest.approx(answer.low_busbw_gb_per_s[-1])
    assert low[-1] < answer.points[-1].busbw_gb_per_s
