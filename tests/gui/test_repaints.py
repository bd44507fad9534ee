# SPDX-License-Identifier: Apache-2.0
"""The drawing is painted when something of it changed, not whenever somebody says what is so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle

from rackloom.design import edits
from rackloom_gui.canvas.pane import Pane
from rackloom_gui.main_window import MainWindow


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch) -> list[Pane]:
    """The panes that were told to paint again, each time."""
    found: list[Pane] = []
    original: Callable[[Pane], None] = Pane.refresh

    def refresh(self: Pane) -> None:
        found.append(self)
        original(self)

    monkeypatch.setattr(Pane, "refresh", refresh)
    return found


def test_marks_that_are_as_they_were_paint_nothing(
    example: MainWindow, refreshed: list[Pane]
) -> None:
    canvas = example.canvas
    device, other = list(example.document.design.devices)[:2]
    calls: list[Callable[[str], None]] = [
        lambda i: canvas.set_problem_marks({i: "error"}),
        lambda i: canvas.set_cut([i]),
        lambda i: canvas.set_oversubscribed({i: 2.0}),
        lambda i: canvas.set_unplugged([i]),
        lambda i: canvas.set_link_loads({i: 0.5}),
    ]
    for call in calls:
        call(device)
        refreshed.clear()
        call(device)
        assert not refreshed
        call(other)
        assert canvas.pane in refreshed


def test_an_edit_that_makes_no_problem_is_painted_once(
    example: MainWindow, qtbot: QtBot, refreshed: list[Pane]
) -> None:
    """Findings, estimate and facts come after it, and mark what they had marked before."""
    settle(example, qtbot)
    cable = next(iter(example.document.design.cables))
    marked = dict(example.canvas.marks.problems)
    refreshed.clear()
    example.document.do("Name", partial(edits.set_cable, label="L-1"), cable)
    settle(example, qtbot)
    assert example.canvas.marks.problems == marked
    shown = [pane for pane in refreshed if pane in example.canvas.shown_panes]
    assert len(shown) == len(example.canvas.shown_panes)
