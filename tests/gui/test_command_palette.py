# SPDX-License-Identifier: Apache-2.0
"""The command palette, used as people do: by a few letters and Enter."""

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from rackloom_gui.actions import ActionContext, ActionSpec, ActionTable, Category
from rackloom_gui.dialogs.command_palette import ROW_PX, CommandPalette, GotoItem
from rackloom_gui.dialogs.fuzzy import best_matches, fuzzy_match
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme


class Nothing:
    """The part of an action context that the table itself reads."""

    undo_label = ""
    redo_label = ""


def refused(_context: ActionContext) -> str:
    return "Select servers first."


SPECS = (
    ActionSpec("open", "&Open…", Category.FILE, ("Ctrl+O",), icon="open"),
    ActionSpec("zoom", "Zoom &In", Category.VIEW, ("Ctrl++",)),
    ActionSpec("connect", "Connect Servers to &Leaves…", Category.CONNECT, enabled=refused),
    ActionSpec("power", "Connect &Power", Category.CONNECT),
)


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    window.setCentralWidget(QLineEdit())
    window.resize(900, 600)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    text(window).setFocus()
    return window


def text(window: QMainWindow) -> QWidget:
    widget = window.centralWidget()
    assert widget is not None
    return widget


@pytest.fixture
def palette(window: QMainWindow, theme: Theme, icons: Icons, ran: list[str]) -> CommandPalette:
    table = ActionTable(SPECS, icons, window)
    for spec in SPECS:
        table.bind(spec.id, partial(ran.append, spec.id))
    table.refresh(Nothing())  # type: ignore[arg-type]  # the predicates here ask nothing

    def things() -> list[GotoItem]:
        names = ["leaf-01", "leaf-02", "dgx-01"]
        return [GotoItem(n, "rack A01", "server", partial(ran.append, n)) for n in names]

    return CommandPalette(table, theme, icons, window, things)


def field(palette: CommandPalette) -> QLineEdit:
    edit = palette.findChild(QLineEdit, "commandPaletteEdit")
    assert edit is not None
    return edit


def titles(palette: CommandPalette) -> list[str]:
    return [row.title for row in palette.rows()]


def test_letters_and_enter_run_an_action(
    palette: CommandPalette, qtbot: QtBot, ran: list[str]
) -> None:
    palette.open_commands()
    assert field(palette).hasFocus()
    qtbot.keyClicks(field(palette), "zi")
    assert titles(palette)[0] == "Zoom In"
    qtbot.keyClick(field(palette), Qt.Key.Key_Return)
    assert ran == ["zoom"]
    assert not palette.isVisible()


def test_arrows_choose_and_go_round(palette: CommandPalette, qtbot: QtBot, ran: list[str]) -> None:
    palette.open_commands()
    order = titles(palette)
    qtbot.keyClick(field(palette), Qt.Key.Key_Down)
    qtbot.keyClick(field(palette), Qt.Key.Key_Up)
    qtbot.keyClick(field(palette), Qt.Key.Key_Up)
    assert order[-1] == "Connect Servers to Leaves"
    qtbot.keyClick(field(palette), Qt.Key.Key_Down)
    qtbot.keyClick(field(palette), Qt.Key.Key_Down)
    qtbot.keyClick(field(palette), Qt.Key.Key_Enter)
    assert ran == ["zoom"]


def test_what_cannot_be_done_is_listed_with_its_reason_and_does_nothing(
    palette: CommandPalette, qtbot: QtBot, ran: list[str]
) -> None:
    palette.open_commands()
    qtbot.keyClicks(field(palette), "servers")
    row = palette.rows()[0]
    assert (row.title, row.reason) == ("Connect Servers to Leaves", "Select servers first.")
    qtbot.keyClick(field(palette), Qt.Key.Key_Return)
    assert ran == []
    assert palette.isVisible()


def test_keys_are_shown(palette: CommandPalette) -> None:
    palette.open_commands()
    assert {row.title: row.keys for row in palette.rows()}["Open"] == "Ctrl+O"


def test_esc_gives_the_focus_back(
    palette: CommandPalette, window: QMainWindow, qtbot: QtBot, ran: list[str]
) -> None:
    palette.open_commands()
    qtbot.keyClick(field(palette), Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert text(window).hasFocus()
    assert ran == []


def test_a_click_elsewhere_closes_it(palette: CommandPalette, window: QMainWindow) -> None:
    palette.open_commands()
    text(window).setFocus(Qt.FocusReason.MouseFocusReason)
    assert not palette.isVisible()
    assert text(window).hasFocus()


def test_a_mouse_click_runs_too(palette: CommandPalette, qtbot: QtBot, ran: list[str]) -> None:
    palette.open_commands()
    view = palette._list
    centre = view.visualRect(view.model().index(1, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert ran == ["zoom"]


def test_go_to_lists_things_only_until_a_greater_sign(
    palette: CommandPalette, qtbot: QtBot, ran: list[str]
) -> None:
    palette.open_goto()
    assert titles(palette) == ["leaf-01", "leaf-02", "dgx-01"]
    qtbot.keyClicks(field(palette), ">zoom")
    assert titles(palette) == ["Zoom In"]
    field(palette).clear()
    qtbot.keyClicks(field(palette), "l2")
    qtbot.keyClick(field(palette), Qt.Key.Key_Return)
    assert ran == ["leaf-02"]


def test_commands_come_before_things(palette: CommandPalette, qtbot: QtBot) -> None:
    palette.open_commands()
    assert "leaf-01" not in titles(palette)
    qtbot.keyClicks(field(palette), "lea")
    assert titles(palette) == ["Connect Servers to Leaves", "leaf-01", "leaf-02"]


def test_what_was_used_comes_first_next_time(palette: CommandPalette, qtbot: QtBot) -> None:
    palette.open_commands()
    assert titles(palette)[0] == "Open"
    qtbot.keyClicks(field(palette), "power")
    qtbot.keyClick(field(palette), Qt.Key.Key_Return)
    palette.open_commands()
    assert titles(palette)[0] == "Connect Power"


def test_a_group_can_be_typed(palette: CommandPalette, qtbot: QtBot) -> None:
    palette.open_commands()
    qtbot.keyClicks(field(palette), "file")
    assert titles(palette) == ["Open"]


def test_nothing_fits(palette: CommandPalette, qtbot: QtBot, ran: list[str]) -> None:
    palette.open_commands()
    qtbot.keyClicks(field(palette), "xyzzy")
    assert titles(palette) == []
    qtbot.keyClick(field(palette), Qt.Key.Key_Return)
    qtbot.keyClick(field(palette), Qt.Key.Key_Down)
    assert ran == []
    assert palette.isVisible()


def test_the_chosen_row_is_painted(palette: CommandPalette, theme: Theme) -> None:
    palette.open_commands()
    first = palette._list.mapTo(palette, palette._list.visualRect(palette._rows.index(0)).center())
    image = palette.grab().toImage()
    assert image.pixelColor(first) == theme.tokens.selected
    assert image.pixelColor(first + QPoint(0, ROW_PX)) == theme.tokens.raised


# -- matching --------------------------------------------------------------------------------


def test_letters_must_come_in_order() -> None:
    assert fuzzy_match("csl", "Connect Servers to Leaves") is not None
    assert fuzzy_match("lsc", "Connect Servers to Leaves") is None
    assert fuzzy_match("", "anything") is not None


def test_positions_are_where_the_letters_are() -> None:
    text = "Connect Servers to Leaves"
    match = fuzzy_match("csl", text)
    assert match is not None
    assert [text[at] for at in match.positions] == ["C", "S", "L"]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("con", "Connect Power", "Disconnect"),  # word start before word middle
        ("con", "Disconnect", "Catalogue On"),  # in one go before scattered
        ("zi", "Zoom In", "Resize"),  # initials before inner letters
        ("leaf-1", "leaf-1", "leaf-12"),  # whole before longer
        ("open", "Open", "Reopen Last"),
    ],
)
def test_ranking(query: str, better: str, worse: str) -> None:
    found = best_matches(query, [worse, better], str, 10)
    assert found[0].item == better


def test_case_and_spaces_do_not_matter() -> None:
    assert fuzzy_match("ZOOM in", "zoom In") is not None
    assert fuzzy_match("İ", "İstanbul rack") is not None  # grows when folded
    assert [f.item for f in best_matches("straße", ["Straße 1"], str, 5)] == ["Straße 1"]


def test_the_best_come_first_and_no_more_than_asked_for() -> None:
    names = [f"leaf-{n:05d}" for n in range(16_384)]
    found = best_matches("leaf00042", names, str, 20)
    assert found[0].item == "leaf-00042"
    assert len(best_matches("l", names, str, 20)) == 20
