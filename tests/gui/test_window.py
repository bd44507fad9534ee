# SPDX-License-Identifier: Apache-2.0
"""The main window: actions, docks, title, drops, closing."""

from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid, ownedByPython
from tests.gui.window_kit import Answers, WindowMaker, device_named, trigger

from rackloom.design import edits
from rackloom.files import load, save
from rackloom_gui.action_list import PANELS
from rackloom_gui.main_window import MainWindow
from rackloom_gui.theme import ThemeChoice


def test_every_action_does_something(window: MainWindow) -> None:
    assert window.actions_table.unbound() == []


def test_every_disabled_action_says_why(window: MainWindow) -> None:
    for action_id in window.actions_table.specs:
        enabled = window.actions_table.action(action_id).isEnabled()
        assert enabled or window.actions_table.reason(action_id), action_id


def test_it_fits_a_small_screen(window: MainWindow) -> None:
    window.resize(1280, 720)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (1280, 720)
    assert window.canvas.width() >= 500
    assert window.canvas.height() >= 250


@pytest.mark.parametrize("size", [(960, 600), (1280, 720)])
def test_panels_stay_beside_each_other_in_a_small_window(
    example: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    """960 x 600 is what 200 % leaves of a screen of 1920 x 1200."""
    example.resize(*size)
    docks = example.findChildren(QDockWidget)

    def shown() -> list[QDockWidget]:
        """What is not behind another tab: Qt moves those out of the window."""
        return [d for d in docks if d.isVisible() and d.x() >= 0]

    def is_shown(dock: QDockWidget) -> bool:
        return dock in shown()

    for dock in docks:
        dock.show()
        dock.raise_()
        qtbot.waitUntil(partial(is_shown, dock))
        for one, other in combinations(shown(), 2):
            both = one.geometry().intersected(other.geometry())
            assert both.isEmpty(), (one.objectName(), other.objectName())
        for one in shown():
            assert example.rect().contains(one.geometry()), one.objectName()


def test_an_empty_design_offers_three_ways_to_begin(window: MainWindow, qtbot: QtBot) -> None:
    buttons = [
        b for b in window.welcome.findChildren(type(window.welcome._buttons[0][0])) if b.isVisible()
    ]
    assert len(buttons) == 3
    qtbot.mouseClick(
        next(b for b in buttons if b.objectName().endswith("open_example")),
        Qt.MouseButton.LeftButton,
    )
    assert len(window.document.design.racks) == 2
    assert not window.welcome.isVisible()


def test_the_title_has_a_star_while_something_is_not_saved(
    example: MainWindow, qtbot: QtBot
) -> None:
    assert not example.windowTitle().startswith("*")
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    assert example.windowTitle().startswith("*")
    trigger(example, qtbot, "edit.undo")
    assert not example.windowTitle().startswith("*")


def test_undo_says_what_it_takes_back(example: MainWindow, qtbot: QtBot) -> None:
    example.document.do("Rename leaf-01", edits.rename, device_named(example, "leaf-01"), "x1")
    undo = example.actions_table.action("edit.undo")
    qtbot.waitUntil(lambda: undo.text().replace("&", "") == "Undo Rename leaf-01")


def test_a_panel_can_be_hidden_and_brought_back(example: MainWindow, qtbot: QtBot) -> None:
    for name, _title, _icon in PANELS:
        dock, action = example.dock(name), f"panel.{name}"
        if example.docks.in_front(name):
            trigger(example, qtbot, action)
            assert dock.isHidden(), name
            assert not example.actions_table.action(action).isChecked(), name
        trigger(example, qtbot, action)
        assert not dock.isHidden(), name
        assert example.actions_table.action(action).isChecked(), name


def test_docks_are_remembered_and_can_be_reset(make_window: WindowMaker, qtbot: QtBot) -> None:
    first = make_window()
    first.actions_table.trigger("panel.history")
    first.dock("palette").hide()
    first.close()
    second = make_window()
    assert second.dock("palette").isHidden()
    second.actions_table.trigger("view.reset_layout")
    qtbot.waitUntil(lambda: not second.dock("palette").isHidden())


def test_no_dock_repeats_its_tab_as_a_title(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.dock("problems").titleBarWidget() is not None)
    assert window.dock("palette").titleBarWidget() is None
    assert isinstance(window.dock("palette"), QDockWidget)


def _drop(window: MainWindow, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), actions, mime, button, none)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        drop = QDropEvent(QPointF(50, 50), actions, mime, button, none)
        QApplication.sendEvent(window, drop)


def test_a_design_dropped_on_the_window_opens(
    example: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "dropped.rackloom"
    save(path, example.document.design)
    example.session.begin_empty()
    _drop(example, path)
    qtbot.waitUntil(lambda: len(example.document.design.racks) == 2)
    assert example.document.path == path


def test_other_files_are_not_taken(window: MainWindow, tmp_path: Path) -> None:
    other = tmp_path / "picture.png"
    other.write_bytes(b"x")
    _drop(window, other)
    QApplication.processEvents()
    assert window.document.path is None


def test_closing_with_changes_asks_first(example: MainWindow, answers: Answers) -> None:
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    answers.unsaved_answer = "cancel"
    assert not example.close()
    assert example.isVisible()
    answers.unsaved_answer = "discard"
    assert example.close()


def test_saving_on_close_saves(example: MainWindow, answers: Answers, tmp_path: Path) -> None:
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    answers.unsaved_answer, answers.save_path = "save", tmp_path / "kept"
    assert example.close()
    names = [d.name for d in load(tmp_path / "kept.rackloom").design.devices.values()]
    assert "leaf-x" in names


def test_the_status_bar_has_the_headline_number_and_its_reason(example: MainWindow) -> None:
    assert example.chart.estimate is not None
    peak = example.chart.estimate.peak.busbw_gb_per_s
    assert f"{peak:.0f} GB/s" in example.status.throughput.text()
    assert example.chart.estimate.bottleneck.text in example.status.throughput.toolTip()


def test_the_badges_count_what_is_open(example: MainWindow) -> None:
    findings = example.analysis.findings
    assert findings is not None
    for name, badge in example.status.badges.items():
        assert badge.text == str(findings.counts[name])


def test_going_to_a_device_by_name(example: MainWindow, qtbot: QtBot) -> None:
    example.actions_table.trigger("edit.find")
    edit = example.findChild(QLineEdit, "commandPaletteEdit")
    assert edit is not None
    qtbot.keyClicks(edit, "spine-02")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert example.document.selection == {device_named(example, "spine-02")}


def test_a_switch_of_side_keeps_the_selection(example: MainWindow) -> None:
    chosen = {device_named(example, "leaf-01")}
    example.canvas.setFocus()
    example.document.select(chosen)
    for action in ("view.rear", "view.both", "view.front", "view.fabric", "view.racks"):
        example.actions_table.trigger(action)
        QApplication.processEvents()
        assert example.document.selection == chosen, action


def test_the_theme_changes_at_once_and_is_remembered(
    example: MainWindow, make_window: WindowMaker
) -> None:
    example.actions_table.trigger("view.theme_dark")
    assert example.theme.tokens.dark
    assert example.settings.theme.value == "dark"
    example.actions_table.trigger("view.theme_light")
    assert not example.theme.tokens.dark


def test_every_widget_of_a_window_hangs_on_it(make_window: WindowMaker) -> None:
    """One that Python owns may be ended by its collector in the thread of a check: Qt aborts."""
    before = QApplication.allWidgets()
    window = make_window()
    assert window.session.open_example()
    for name, _title, _icon in PANELS:
        window.show_panel(name)
        QApplication.processEvents()
    loose = [
        type(widget).__name__
        for widget in QApplication.allWidgets()
        if widget.parent() is None
        and widget is not window
        and widget not in before
        and ownedByPython(widget)
    ]
    assert loose == []


def test_a_theme_is_changed_when_windows_are_gone(make_window: WindowMaker) -> None:
    """The theme outlives the window: nothing of it may listen any more."""
    window = make_window()
    theme = window.theme
    for name, _title, _icon in PANELS:
        window.show_panel(name)
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not isValid(window)
    theme.set_choice(ThemeChoice.DARK)
    theme.set_choice(ThemeChoice.LIGHT)
