# SPDX-License-Identifier: Apache-2.0
"""Great designs are written by a thread: the work goes on, and nothing is lost at either end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import Answers, device_named, settle, trigger

from rackloom.design import edits
from rackloom.files import Project, load, recover, waiting_journals
from rackloom.files import save as save_now
from rackloom_gui import exporting, saving
from rackloom_gui.export import render
from rackloom_gui.main_window import MainWindow


class SlowDisk:
    """Holds up every save until it is let go."""

    def __init__(self) -> None:
        self.go_on = Event()
        self.saves = 0

    def save(self, *arguments: Any, **more: Any) -> Project:
        self.saves += 1
        if more.get("progress") is not None:
            more["progress"](0.5)
        assert self.go_on.wait(30)
        return save_now(*arguments, **more)


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    """Every design counts as great, and its saving waits for the test."""
    disk = SlowDisk()
    for module in (saving, exporting):
        monkeypatch.setattr(module, "AT_ONCE", 0)
    monkeypatch.setattr(saving, "TELL_S", 0.0)
    monkeypatch.setattr(saving, "save", disk.save)
    yield disk
    disk.go_on.set()


def _rename(window: MainWindow, old: str, new: str) -> None:
    window.document.do("Rename", edits.rename, device_named(window, old), new)


def _names(path: Path) -> set[str]:
    return {d.name for d in load(path).design.devices.values()}


def test_edits_go_on_while_a_file_is_written_and_count_as_unsaved(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    answers.save_path = path = tmp_path / "big.rackloom"
    _rename(example, "leaf-01", "leaf-x")
    trigger(example, qtbot, "file.save")
    qtbot.waitUntil(lambda: example.status.work.text == "big.rackloom is being saved.")
    assert not path.exists()
    assert not example.document.is_clean
    _rename(example, "leaf-02", "leaf-y")
    slow_disk.go_on.set()
    qtbot.waitUntil(lambda: example.document.path == path)
    assert not example.status.work.text
    assert "leaf-x" in _names(path)
    assert "leaf-02" in _names(path)
    assert not example.document.is_clean
    assert example.windowTitle().startswith("*big")
    example.document.undo()
    assert example.document.is_clean, "that is what was saved"
    example.document.redo()
    (journal,) = path.parent.rglob("*journal")
    example.session._journal.abandon()
    assert recover(journal).labels == ("Rename", "Rename", "Rename")
    assert recover(journal).design == example.document.design


def test_saving_again_meanwhile_saves_what_came_since(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    answers.save_path = path = tmp_path / "big.rackloom"
    trigger(example, qtbot, "file.save")
    _rename(example, "leaf-02", "leaf-y")
    trigger(example, qtbot, "file.save")
    slow_disk.go_on.set()
    qtbot.waitUntil(lambda: example.document.is_clean)
    assert slow_disk.saves == 2
    assert "leaf-y" in _names(path)
    assert answers.asked == ["save"]
    assert not list(path.parent.rglob("*journal"))


def test_closing_waits_until_the_file_is_whole(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    answers.save_path = path = tmp_path / "big.rackloom"
    _rename(example, "leaf-01", "leaf-x")
    trigger(example, qtbot, "file.save")
    shown: list[str] = []
    QTimer.singleShot(200, lambda: shown.append(example.status.work.text))
    QTimer.singleShot(400, slow_disk.go_on.set)
    assert example.close()
    assert shown == ["big.rackloom is being saved."]
    assert "leaf-x" in _names(path)
    assert answers.asked == ["save"], "nothing was unsaved in the end"
    assert waiting_journals([path]) == []


def test_closing_with_unsaved_edits_can_save_and_waits_for_that(
    example: MainWindow, answers: Answers, tmp_path: Path, slow_disk: SlowDisk
) -> None:
    answers.save_path = path = tmp_path / "big.rackloom"
    answers.unsaved_answer = "save"
    _rename(example, "leaf-01", "leaf-x")
    QTimer.singleShot(300, slow_disk.go_on.set)
    assert example.close()
    assert "leaf-x" in _names(path)


def test_a_save_that_fails_while_closing_keeps_the_window(
    example: MainWindow, answers: Answers, tmp_path: Path, slow_disk: SlowDisk
) -> None:
    answers.save_path = tmp_path / "gone" / "big.rackloom"
    answers.unsaved_answer = "save"
    _rename(example, "leaf-01", "leaf-x")
    QTimer.singleShot(100, slow_disk.go_on.set)
    assert not example.close()
    assert example.isVisible()
    assert "its folder does not exist" in example.banner.text
    assert not example.document.is_clean


def test_somebody_else_s_file_is_asked_about_also_when_it_is_great(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    slow_disk.go_on.set()
    answers.save_path = path = tmp_path / "big.rackloom"
    trigger(example, qtbot, "file.save")
    qtbot.waitUntil(lambda: example.document.is_clean and bool(example.document.path))
    theirs = path.read_bytes() + b"\n"
    path.write_bytes(theirs)
    _rename(example, "leaf-01", "leaf-x")
    trigger(example, qtbot, "file.save")
    qtbot.waitUntil(lambda: answers.asked[-1] == "changed big.rackloom")
    assert path.read_bytes() == theirs
    assert not example.document.is_clean
    answers.disk_answer = "overwrite"
    trigger(example, qtbot, "file.save")
    qtbot.waitUntil(lambda: example.document.is_clean)
    assert "leaf-x" in _names(path)


def _full(_handle: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("great", [False, True])
@pytest.mark.parametrize("case", ["full", "read-only", "vanished", "too long"])
def test_a_save_that_fails_is_one_sentence_and_keeps_the_old_file(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch, case: str, great: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(saving, "AT_ONCE", 0 if great else 10**9)
    folder = tmp_path / "hall"
    folder.mkdir()
    answers.save_path = path = folder / "big.rackloom"
    trigger(example, qtbot, "file.save")
    qtbot.waitUntil(lambda: example.document.path == path)
    before = path.read_bytes()
    _rename(example, "leaf-01", "leaf-x")
    words = {
        "full": "no space left",
        "read-only": "read-only",
        "vanished": "folder does not exist",
        "too long": "name is too long",
    }[case]
    answers.disk_answer = "overwrite"
    with monkeypatch.context() as patch:
        if case == "full":
            patch.setattr(os, "fsync", _full)
        elif case == "read-only":
            path.chmod(0o444)
        elif case == "vanished":
            folder.rename(tmp_path / "moved")
        if case == "too long":
            answers.save_path = folder / ("x" * 260 + ".rackloom")
            trigger(example, qtbot, "file.save_as")
        else:
            trigger(example, qtbot, "file.save")
        qtbot.waitUntil(lambda: words in example.banner.text)
    assert "\n" not in example.banner.text
    assert not example.document.is_clean
    assert example.document.path == path
    kept = (tmp_path / "moved" if case == "vanished" else folder) / path.name
    assert kept.read_bytes() == before
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_great_drawing_is_exported_by_a_thread_and_is_the_same(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    del slow_disk
    side = example.canvas.side
    assert side is not None
    for kind in ("svg", "png"):
        answers.export_path = path = tmp_path / f"drawing.{kind}"
        trigger(example, qtbot, f"export.{kind}")
        assert example.status.work.text == f"drawing.{kind} is being written."
        example.canvas.zoom_in()  # the canvas draws with the same fonts meanwhile
        _rename(example, "leaf-01" if kind == "svg" else "leaf-x", "leaf-x")
        qtbot.waitUntil(lambda: not example.status.work.text, timeout=20_000)
        assert path.is_file()
    example.document.undo()
    design = example.document.design
    expected = render(design, "racks", side, tmp_path / "expected.svg")
    assert (tmp_path / "drawing.svg").read_bytes() == expected.read_bytes()
    assert not QImage(str(tmp_path / "drawing.png")).isNull()


def test_exports_come_one_after_the_other_and_closing_waits_for_them(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    slow_disk.go_on.set()
    answers.unsaved_answer = "discard"
    names = ["bom.csv", "cables.csv", "power.csv"]
    for name in names:
        answers.export_path = tmp_path / name
        trigger(example, qtbot, f"export.{name.partition('.')[0]}")
    assert example.close()
    assert sorted(p.name for p in tmp_path.glob("*.csv")) == names


def test_an_export_that_fails_in_the_thread_is_one_sentence(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, slow_disk: SlowDisk
) -> None:
    del slow_disk
    answers.export_path = tmp_path / "gone" / "cables.csv"
    trigger(example, qtbot, "export.cables")
    qtbot.waitUntil(lambda: "its folder does not exist" in example.banner.text)
    assert not example.status.work.text
    settle(example, qtbot)
    QApplication.processEvents()
