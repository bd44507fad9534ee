# SPDX-License-Identifier: Apache-2.0
"""Main windows for tests: real ones, with answers prepared instead of dialogs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from rackloom.catalog import load_bundled
from rackloom.design.ids import DeviceId
from rackloom_gui.settings import Settings
from rackloom_gui.theme import Theme

if TYPE_CHECKING:
    from rackloom_gui.main_window import MainWindow


class Answers:
    """Stands in for the dialogs of a session; says what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.unsaved_answer = "discard"
        self.disk_answer = "cancel"
        self.recovery_answer = "later"
        self.open_path: Path | None = None
        self.save_path: Path | None = None
        self.export_path: Path | None = None
        self.export_cords: bool | None = None
        """The box of the export dialog: None leaves it as it is."""
        self.export_colour: str | None = None
        """What colours of the exported schedule stand for: None leaves it as it is."""

    def path_to_open(self, _folder: Path) -> Path | None:
        self.asked.append("open")
        return self.open_path

    def path_to_save(self, _suggestion: Path) -> Path | None:
        self.asked.append("save")
        return self.save_path

    def path_to_export(self, title: str, _suggestion: Path, _filters: str) -> Path | None:
        self.asked.append(title)
        return self.export_path

    def drawing_to_export(
        self, title: str, _suggestion: Path, _filters: str, cords: bool
    ) -> tuple[Path, bool] | None:
        self.asked.append(title)
        wanted = cords if self.export_cords is None else self.export_cords
        return None if self.export_path is None else (self.export_path, wanted)

    def schedule_to_export(
        self, title: str, _suggestion: Path, _filters: str, colour: str
    ) -> tuple[Path, str] | None:
        self.asked.append(title)
        wanted = colour if self.export_colour is None else self.export_colour
        return None if self.export_path is None else (self.export_path, wanted)

    def unsaved(self, title: str) -> str:
        self.asked.append(f"unsaved {title}")
        return self.unsaved_answer

    def changed_on_disk(self, title: str) -> str:
        self.asked.append(f"changed {title}")
        return self.disk_answer

    def recovered(self, found: list[Any]) -> list[tuple[Any, str]]:
        self.asked.append(f"recover {len(found)}")
        return [(entry, self.recovery_answer) for entry in found]


def settle(window: MainWindow, qtbot: QtBot, timeout_ms: int = 20_000) -> None:
    """Wait until checks and estimate belong to the design as it is."""
    window.document.flush()
    qtbot.waitUntil(lambda: window.analysis.up_to_date, timeout=timeout_ms)
    QApplication.processEvents()


def _raise(error: Exception) -> None:
    raise error


WindowMaker = Callable[..., "MainWindow"]


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Recovery files of this test alone."""
    folder = tmp_path / "state"
    monkeypatch.setenv("RACKLOOM_STATE_DIR", str(folder))
    # A program that a test starts must not find the files that windows before it had open.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    return folder


@pytest.fixture
def make_window(
    qtbot: QtBot, theme: Theme, answers: Answers, state_folder: Path, tmp_path: Path
) -> Iterator[WindowMaker]:
    """Makes windows that share one settings file, and closes them in the end."""
    # Late, so that tests of single widgets do not need the whole window to be importable.
    from rackloom_gui.main_window import MainWindow

    del state_folder
    # What earlier windows left must not be collected by a thread of this one: Qt would abort.
    gc.collect()
    made: list[MainWindow] = []

    def make(*, show: bool = True) -> MainWindow:
        store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(theme, load_bundled(), Settings(store), answers)
        window.analysis.fault.connect(_raise)
        made.append(window)
        if show:
            window.resize(1440, 900)
            window.show()
            qtbot.waitExposed(window)
        return window

    yield make
    answers.unsaved_answer = "discard"
    for window in filter(isValid, made):
        window.close()
        window.deleteLater()
    QApplication.processEvents()


@pytest.fixture
def window(make_window: WindowMaker) -> MainWindow:
    """An empty main window."""
    return make_window()


@pytest.fixture
def example(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A main window on the bundled example, checked and estimated."""
    assert window.session.open_example()
    settle(window, qtbot)
    return window


def trigger(window: MainWindow, qtbot: QtBot, action_id: str) -> None:
    """Do what a menu entry does, once it can be done."""
    qtbot.waitUntil(window.actions_table.action(action_id).isEnabled)
    window.actions_table.trigger(action_id)
    QApplication.processEvents()


def device_named(window: MainWindow, name: str) -> DeviceId:
    """Id of a device by its name."""
    return next(d.id for d in window.document.design.devices.values() if d.name == name)
