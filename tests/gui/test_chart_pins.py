# SPDX-License-Identifier: Apache-2.0
"""Pinned curves outlive the window: they come back with the project they were kept for."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import Answers, WindowMaker, settle

from rackloom.files import FileError
from rackloom_gui.charts import kept as kept_module
from rackloom_gui.charts.pin_store import MOST_PINS, read_pins, store_of
from rackloom_gui.main_window import MainWindow


@pytest.fixture
def saved(example: MainWindow, answers: Answers, tmp_path: Path) -> Path:
    """The example as a project of its own, with one curve kept."""
    answers.save_path = tmp_path / "hall.rackloom"
    assert example.session.save_as()
    example.session._saver.wait()
    example.chart.pin("as bought")
    return answers.save_path


def names(window: MainWindow) -> list[str]:
    return [pin.name for pin in window.chart.pins]


def test_a_curve_comes_back_in_another_window(
    saved: Path, example: MainWindow, make_window: WindowMaker, qtbot: QtBot
) -> None:
    before = [(p.size_bytes, p.time_us) for p in example.chart.pins[0].estimate.points]
    again = make_window()
    assert names(again) == []
    assert again.session.open(saved)
    settle(again, qtbot)
    assert names(again) == ["as bought"]
    kept = again.chart.pins[0].estimate
    assert [(p.size_bytes, p.time_us) for p in kept.points] == before
    assert "as bought" in again.chart.legend.texts
    assert again.chart.plot is not None
    assert "as bought: " in again.chart.plot.readout(25)
    assert "busbw_gb_per_s of as bought" in again.chart.csv().splitlines()[0]
    assert again.document.is_clean  # a note of the user's, no change of the design


def test_a_curve_that_was_taken_off_stays_away(
    saved: Path, example: MainWindow, make_window: WindowMaker, qtbot: QtBot
) -> None:
    button = example.chart.legend.chip("pin:0")
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not store_of(saved).exists()
    again = make_window()
    assert again.session.open(saved)
    assert names(again) == []


def test_close_and_open_in_one_window_and_compare_with_another_project(
    saved: Path, example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    answers.save_path = tmp_path / "other.rackloom"
    assert example.session.save_as()  # a copy under another name takes its curves along
    example.session._saver.wait()
    example.chart.pin("of the other")
    assert [pin.name for pin in read_pins(saved)] == ["as bought"]
    assert [pin.name for pin in read_pins(answers.save_path)] == ["as bought", "of the other"]
    assert example.session.close()
    assert example.session.open(saved)
    settle(example, qtbot)
    # those of the other project stay in sight, to compare with, and are not this one's
    assert names(example) == ["as bought", "of the other", "as bought"]
    assert [pin.name for pin in read_pins(saved)] == ["as bought"]
    colours = [pin.colour for pin in example.chart.pins]
    assert len(set(colours)) == 3


def test_curves_of_a_design_without_a_file_are_kept_once_it_is_saved(
    example: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    example.chart.pin("before saving")
    answers.save_path = tmp_path / "late.rackloom"
    assert example.session.save_as()
    example.session._saver.wait()
    assert [pin.name for pin in read_pins(answers.save_path)] == ["before saving"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"schema": 2, "curves": []}',
        '{"schema": 1, "curves": [{"name": 3, "colour": 1, "points": [[8, 1, 1, 1]]}]}',
        '{"schema": 1, "curves": [{"name": "a", "colour": 1, "points": []}]}',
        '{"schema": 1, "curves": [{"name": "a", "colour": 1, "points": [[8, "NaN", 1, 1]]}]}',
        '{"schema": 1, "curves": [{"name": "a", "colour": 1, "points": [[8, 1]]}]}',
    ],
)
def test_a_broken_store_is_none(text: str, tmp_path: Path, state_folder: Path) -> None:
    del state_folder
    project = tmp_path / "p.rackloom"
    path = store_of(project)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert read_pins(project) == []


def test_no_more_than_so_many_are_kept(saved: Path, example: MainWindow) -> None:
    for number in range(MOST_PINS + 3):
        example.chart.pin(f"curve {number}")
    assert len(read_pins(saved)) == MOST_PINS
    assert read_pins(saved)[-1].name == f"curve {MOST_PINS + 2}"
    assert json.loads(store_of(saved).read_text("utf-8"))["project"] == str(saved)


def test_a_disk_that_refuses_is_said(
    saved: Path, example: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise FileError("disk full")

    monkeypatch.setattr(kept_module, "write_pins", refuse)
    told: list[str] = []
    example.chart.told.connect(told.append)
    example.chart.pin("another")
    assert names(example) == ["as bought", "another"]
    assert told == ["The curve is kept until the program ends: disk full"]
    assert [pin.name for pin in read_pins(saved)] == ["as bought"]
