# SPDX-License-Identifier: Apache-2.0
"""What breaks if I unplug this: the sweep in its panel."""

from collections.abc import Callable
from threading import Event

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle

from rackloom.collectives import FailureSweep, failure_sweep
from rackloom.design import edits
from rackloom_gui.main_window import MainWindow


@pytest.fixture
def swept(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example with every failure tried."""
    example.show_panel("failures")
    qtbot.mouseClick(example.failures.run_button, Qt.MouseButton.LeftButton)
    assert example.failures.running
    qtbot.waitUntil(lambda: not example.failures.running, timeout=30_000)
    return example


def test_failures_are_ranked_by_what_they_cost(swept: MainWindow) -> None:
    expected = failure_sweep(swept.document.design)
    model = swept.failures.model
    assert model.rowCount() == len(expected.effects)
    lost = [effect.lost for effect in expected.effects]
    assert lost == sorted(lost, reverse=True)
    first = expected.effects[0]
    assert str(model.index(0, 0).data()).lower().startswith(first.kind)
    assert model.index(0, 1).data() == f"−{first.lost * 100:.0f} %"


def test_a_click_selects_all_of_the_kind(swept: MainWindow, qtbot: QtBot) -> None:
    failures = swept.failures
    place = failures.view.visualRect(failures.model.index(0, 0)).center()
    qtbot.mouseClick(failures.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert failures.sweep is not None
    assert swept.document.selection == set(failures.sweep.effects[0].members)


def test_the_chosen_failure_is_said_in_a_whole_sentence(swept: MainWindow, qtbot: QtBot) -> None:
    failures = swept.failures
    assert failures.sweep is not None
    for row in (0, 1):
        failures.view.selectRow(row)
        effect = failures.sweep.effects[row]
        assert failures.detail == f"Without {effect.example}: {effect.text}."
    failures.clear()
    assert failures.detail == ""
    assert not failures.unplug_button.isEnabled()


def test_unplug_shows_the_whole_curve_without_it(swept: MainWindow, qtbot: QtBot) -> None:
    failures = swept.failures
    failures.view.selectRow(0)
    qtbot.mouseClick(failures.unplug_button, Qt.MouseButton.LeftButton)
    settle(swept, qtbot)
    assert failures.sweep is not None
    assert swept.analysis.unplugged == {failures.sweep.effects[0].members[0]}
    assert "Unplugged" in swept.chart.note


def test_an_edit_makes_the_table_out_of_date(swept: MainWindow) -> None:
    assert not swept.failures.is_stale
    swept.document.do("Delete", edits.remove, {next(iter(swept.document.design.cables))})
    swept.document.flush()
    assert swept.failures.is_stale
    assert swept.failures.model.index(0, 0).data(Qt.ItemDataRole.ForegroundRole) is not None


def test_it_stops_when_told(example: MainWindow, qtbot: QtBot) -> None:
    failures, begun, go_on, stopped = example.failures, Event(), Event(), Event()

    def endless(on_step: Callable[[int, int], object]) -> FailureSweep:
        begun.set()
        try:
            while True:
                on_step(1, 9)
                go_on.wait(0.01)
        finally:
            stopped.set()

    example.show_panel("failures")
    failures.start(endless)
    qtbot.waitUntil(lambda: failures.progress.maximum() == 9)
    assert begun.is_set()
    qtbot.mouseClick(failures.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(stopped.is_set)
    assert failures.run_button.isVisible()
    assert failures.sweep is None


def test_another_collective_and_size_can_be_swept(swept: MainWindow, qtbot: QtBot) -> None:
    """The table is out of date once another question is chosen; then it is the engine's answer."""
    failures = swept.failures
    assert failures.sweep is not None
    assert failures.sweep.size_bytes == 1 << 30
    failures.collectives.setCurrentIndex(failures.collectives.findData("all-to-all"))
    failures.collectives.activated.emit(failures.collectives.currentIndex())
    assert failures.is_stale
    failures.sizes.setCurrentIndex(failures.sizes.findData(8))
    qtbot.mouseClick(failures.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not failures.running, timeout=30_000)
    expected = failure_sweep(swept.document.design, "all-to-all", 8)
    assert not failures.is_stale
    assert failures.sweep.collective is expected.collective
    assert failures.sweep.busbw_gb_per_s == pytest.approx(expected.busbw_gb_per_s)
    assert [e.lost for e in failures.sweep.effects] == [e.lost for e in expected.effects]
    assert "All-to-all of 8 B" in failures._head.text()
