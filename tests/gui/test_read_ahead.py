# SPDX-License-Identifier: Apache-2.0
"""Arrays read in the thread that opens a file: the same as those the window would read."""

from __future__ import annotations

from pathlib import Path
from threading import current_thread, main_thread

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import SWITCH, made, small
from tests.gui.test_canvas_arrays import built, picture
from tests.gui.window_kit import settle

from rackloom.catalog.words import Side
from rackloom.design import Design, History, edits
from rackloom.files import save
from rackloom_gui import saving
from rackloom_gui.canvas.ahead import read_ahead, take_ahead
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.canvas.floor_layout import FloorLayout
from rackloom_gui.canvas.scene_reader import SceneReader
from rackloom_gui.canvas.sides import side_of_cables
from rackloom_gui.main_window import MainWindow


def _side(design: Design) -> Side:
    return side_of_cables(design) or Side.FRONT


def _adopted(design: Design) -> SceneArrays:
    layout = ElevationLayout(_side(design))
    scene = SceneArrays(layout)
    scene.build(Design())
    read_ahead(design)
    ready = take_ahead(design, layout)
    assert ready is not None
    scene.adopt(ready, design)
    return scene


def test_what_was_read_ahead_shows_what_the_window_would_have_read() -> None:
    design, _ = made(small)
    scene, direct = _adopted(design), built(design, ElevationLayout(_side(design)))
    assert picture(scene) == picture(direct)
    assert scene.layout.bounds() == direct.layout.bounds()
    assert scene.design is design
    assert scene.notes.scene is scene


def test_edits_go_on_from_what_was_read_ahead() -> None:
    design, _ = made(small)
    scene = _adopted(design)
    history = History(design)
    cable, rack = next(iter(design.cables)), next(iter(design.racks))
    history.do("unplug", edits.remove, [cable])
    history.do("add", edits.add_device, SWITCH, rack, 35)
    for step in history.steps:
        scene.patch(history.design, step.change)
    assert picture(scene) == picture(built(history.design, ElevationLayout(_side(design))))


def test_it_is_taken_once_and_by_a_view_of_the_same_kind_and_side() -> None:
    design, _ = made(small)
    read_ahead(design)
    side = _side(design)
    other = Side.REAR if side is Side.FRONT else Side.FRONT
    assert take_ahead(design, ElevationLayout(other)) is None
    assert take_ahead(design, FloorLayout()) is None
    assert take_ahead(design, ElevationLayout(side)) is not None
    assert take_ahead(design, ElevationLayout(side)) is None


def test_a_great_file_is_not_read_into_arrays_by_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design, _ = made(small)
    path = tmp_path / "hall.rackloom"
    save(path, design)
    monkeypatch.setattr(saving, "BIG_FILE_BYTES", 0)
    by_window: list[int] = []
    original = SceneReader.build

    def build(self: SceneReader, design: Design) -> None:
        if current_thread() is main_thread():
            by_window.append(len(design.devices))
        original(self, design)

    monkeypatch.setattr(SceneReader, "build", build)
    window.session.open(path)
    qtbot.waitUntil(lambda: len(window.document.design.devices) == len(design.devices))
    settle(window, qtbot)
    assert not any(by_window)
    shown = window.canvas.pane.arrays
    assert shown.devices.row_of.keys() == window.document.design.devices.keys()
