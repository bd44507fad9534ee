# SPDX-License-Identifier: Apache-2.0
"""Problems that differ only in the place: one line that unfolds, with every place in reach."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QDialog, QPushButton
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle, trigger

from rackloom.design import edits
from rackloom_gui.dialogs.small import AcceptDialog
from rackloom_gui.main_window import MainWindow

RULE = "fabric.unused-nics"


@pytest.fixture
def dark(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example without cables: all four servers say the same."""
    cables = set(example.document.design.cables)
    example.editing.run("Unplug", edits.remove, cables)
    settle(example, qtbot)
    example.show_panel("problems")
    return example


def kind_row(window: MainWindow) -> QModelIndex:
    model = window.problems.model
    top = next(n for n, group in enumerate(model.groups) if group.rule == RULE)
    assert model.rowCount(model.index(top, 0)) == 1
    return model.index(0, 0, model.index(top, 0))


def test_four_servers_without_links_are_one_line_that_names_them(dark: MainWindow) -> None:
    model, row = dark.problems.model, kind_row(dark)
    assert model.data(row) == (
        "None of the 8 compute ports of gpu-001 has a link; the same at gpu-002, gpu-003, gpu-004"
    )
    assert model.rowCount(row) == 4
    below = [model.data(model.index(n, 0, row)) for n in range(4)]
    assert below == [f"None of the 8 compute ports of gpu-00{n} has a link" for n in (1, 2, 3, 4)]
    assert [model.parent(model.index(n, 0, row)) for n in range(4)] == [row] * 4
    assert model.parent(model.parent(row)) == QModelIndex()


def click(window: MainWindow, index: QModelIndex, qtbot: QtBot) -> None:
    view = window.problems.view
    view.expand(index.parent())
    QApplication.processEvents()  # what explains a line takes its room
    view.doItemsLayout()
    view.scrollTo(index)
    place = view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_the_line_selects_all_its_places_and_one_below_selects_its_own(
    dark: MainWindow, qtbot: QtBot
) -> None:
    row = kind_row(dark)
    click(dark, row, qtbot)
    names = {dark.document.design.name_of(i) for i in dark.document.selection}
    assert names == {"gpu-001", "gpu-002", "gpu-003", "gpu-004"}
    dark.problems.view.expand(row)
    click(dark, dark.problems.model.index(2, 0, row), qtbot)
    assert [dark.document.design.name_of(i) for i in dark.document.selection] == ["gpu-003"]


def test_f8_still_goes_through_every_single_one(dark: MainWindow, qtbot: QtBot) -> None:
    model = dark.problems.model
    seen = []
    for _ in range(model.count):
        trigger(dark, qtbot, "problems.next")
        finding = dark.problems.current()
        assert finding is not None
        seen.append((finding.rule, finding.where))
    findings = dark.analysis.findings
    assert findings is not None
    assert sorted(seen) == sorted((f.rule, f.where) for f in findings.all)
    positions = [model.position(model.index_at(n), 1) for n in range(model.count)]
    assert positions == list(range(model.count))


def test_all_of_a_kind_are_accepted_with_one_reason_and_taken_back(
    dark: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(dialog: AcceptDialog) -> QDialog.DialogCode:
        dialog.reason_edit.setPlainText("cabled next week")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AcceptDialog, "exec", answer)
    dark.problems.view.setCurrentIndex(kind_row(dark))
    button = dark.problems.findChild(QPushButton, "acceptButton")
    assert button is not None
    assert "all 4" in button.text()
    button.click()
    settle(dark, qtbot)
    accepted = dark.document.design.accepted.values()
    assert [(a.rule, a.reason) for a in accepted] == [(RULE, "cabled next week")] * 4
    dark.problems.unaccept_requested.emit(dark.problems.model.kind(kind_row(dark)))
    settle(dark, qtbot)
    assert not dark.document.design.accepted


def test_an_unfolded_kind_and_the_chosen_line_stay_through_an_edit(
    dark: MainWindow, qtbot: QtBot
) -> None:
    view, row = dark.problems.view, kind_row(dark)
    view.expand(row.parent())
    view.expand(row)
    view.setCurrentIndex(row)
    server = dark.problems.model.index(0, 0, row)
    finding = dark.problems.model.finding(server)
    assert finding is not None
    dark.editing.run("Rename", edits.rename, finding.where[0], "box")
    settle(dark, qtbot)
    again = kind_row(dark)
    assert view.isExpanded(again)
    assert view.currentIndex() == again
    assert "of box has a link" in dark.problems.model.data(again)
