# SPDX-License-Identifier: Apache-2.0
"""The sentence above the drawing stays as long as it is true."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, trigger

from rackloom.catalog import PartId
from rackloom_gui.dialogs.swap_part import SwapDialog
from rackloom_gui.main_window import MainWindow


def test_what_a_swap_could_not_keep_is_no_longer_said_once_it_is_undone(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: SwapDialog) -> QDialog.DialogCode:
        dialog.part = example.editing.catalog[PartId("nvidia-qm8700")]  # type: ignore[assignment]
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(SwapDialog, "exec", choose)
    example.document.select([device_named(example, "leaf-01")])
    trigger(example, qtbot, "parts.swap")
    said = example.banner.text
    assert said.startswith("Not kept: port 1 of leaf-01: the OSFP plug of MMA4Z00-NS")
    assert " of a NVIDIA" not in said
    # Another step leaves it: it still holds.
    trigger(example, qtbot, "edit.flip_face")
    assert example.banner.text == said
    trigger(example, qtbot, "edit.undo")
    assert example.banner.text == said
    trigger(example, qtbot, "edit.undo")
    qtbot.waitUntil(lambda: example.banner.text == "")


def test_what_is_about_no_step_stays(example: MainWindow, qtbot: QtBot) -> None:
    example.document.select([device_named(example, "leaf-01")])
    trigger(example, qtbot, "edit.flip_face")
    example.banner.say("error", "The file cannot be read.")
    trigger(example, qtbot, "edit.undo")
    assert example.banner.text == "The file cannot be read."
