# SPDX-License-Identifier: Apache-2.0
"""Ctrl+A selects what one means by "all", and says what that was."""

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import trigger

from rackloom_gui.main_window import MainWindow


@pytest.fixture
def said(example: MainWindow) -> list[str]:
    """What the canvas says in the status bar."""
    texts: list[str] = []
    example.canvas.status.connect(texts.append)
    return texts


@pytest.mark.parametrize("kind", ["cables", "racks", "devices"])
def test_all_of_the_kind_in_hand_then_everything(
    example: MainWindow, qtbot: QtBot, said: list[str], kind: str
) -> None:
    document = example.document
    table = document.design.table(kind)
    document.select([next(iter(table))])
    trigger(example, qtbot, "edit.select_all")
    assert document.selection == set(table)
    assert said[-1] == f"{len(table)} {kind} selected."
    trigger(example, qtbot, "edit.select_all")
    assert document.selection == {*document.design.devices, *document.design.racks}
    devices, racks = len(document.design.devices), len(document.design.racks)
    assert said[-1] == f"{devices} devices and {racks} racks selected."


def test_with_nothing_in_hand_all_devices_and_racks(
    example: MainWindow, qtbot: QtBot, said: list[str]
) -> None:
    example.document.select([])
    trigger(example, qtbot, "edit.select_all")
    assert example.document.selection == {
        *example.document.design.devices, *example.document.design.racks
    }  # fmt: skip
    assert said


def test_kinds_that_are_mixed_are_both_taken(
    example: MainWindow, qtbot: QtBot, said: list[str]
) -> None:
    design = example.document.design
    example.document.select([next(iter(design.cables)), next(iter(design.devices))])
    trigger(example, qtbot, "edit.select_all")
    assert example.document.selection == {*design.cables, *design.devices}
    assert "cables selected" in said[-1]
