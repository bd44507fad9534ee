# SPDX-License-Identifier: Apache-2.0
"""The list of keys shows what the action table says, and can be searched."""

from pytestqt.qtbot import QtBot

from rackloom_gui.action_list import ACTIONS
from rackloom_gui.actions import ActionTable
from rackloom_gui.dialogs.shortcuts import ShortcutsDialog
from rackloom_gui.icons import Icons
from rackloom_gui.widgets import SearchField


def test_every_key_is_listed_and_a_search_narrows_it(icons: Icons, qtbot: QtBot) -> None:
    table = ActionTable(ACTIONS, icons)
    dialog = ShortcutsDialog(table, icons)
    qtbot.addWidget(dialog)
    lines = dict(dialog.shown())
    with_keys = [spec.id for spec in ACTIONS if table.shortcut_texts(spec.id)]
    assert {table.title(action_id) for action_id in with_keys} <= set(lines)
    assert "Home" in lines["Fit All"]
    assert lines["Zoom at the pointer"] == "Ctrl + wheel; pinch"
    search = dialog.findChild(SearchField)
    assert search is not None
    with qtbot.waitSignal(search.searched):
        qtbot.keyClicks(search, "duplic")
    assert dialog.shown() == [("Duplicate", "Ctrl+D")]
