# SPDX-License-Identifier: Apache-2.0
"""The action table: no key twice, nothing without a place, and every refusal has a sentence."""

from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import TypeVar

import pytest
from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from rackloom_gui.action_layout import CONTEXT_MENUS, MENUS, TOOL_BAR
from rackloom_gui.action_list import ACTIONS, CATEGORY_WORDS
from rackloom_gui.actions import ActionSpec, ActionTable, Category, MenuSpec
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, ThemeChoice

W = TypeVar("W", bound=QWidget)
PORTABLE = QKeySequence.SequenceFormat.PortableText


@dataclass(frozen=True)
class Context:
    """A design with everything in it and nothing selected."""

    busy: str = ""
    read_only: bool = False
    modified: bool = False
    undo_label: str = ""
    redo_label: str = ""
    device_count: int = 6
    rack_count: int = 2
    cable_count: int = 40
    selected_devices: int = 0
    selected_racks: int = 0
    selected_notes: int = 0
    selected_cables: int = 0
    selected_servers: int = 0
    selected_switches: int = 0
    selected_unplugged: int = 0
    can_paste: bool = False
    recent_count: int = 0
    finding_count: int = 0
    selected_finding_fixes: int = 0
    view_name: str = "racks"


EVERYTHING = Context(
    undo_label="Move leaf-1", redo_label="Delete cable 4", selected_devices=2, selected_servers=1,
    selected_switches=1, selected_unplugged=1, can_paste=True, recent_count=1, finding_count=1,
    selected_finding_fixes=1,
)  # fmt: skip
ONE_RACK = Context(selected_racks=1)


@pytest.fixture
def table(qapp: QApplication) -> ActionTable:
    return ActionTable(ACTIONS)


def all_keys(spec: ActionSpec) -> list[str]:
    return [s.toString(PORTABLE) for s in spec.sequences() + spec.canvas_sequences()]


def first(sequence: QKeySequence) -> QKeyCombination:
    return sequence[0]  # type: ignore[index,no-any-return]  # the stubs lack __getitem__


def child(window: QMainWindow, kind: type[W], name: str) -> W:
    found = window.findChild(kind, name)
    assert found is not None
    return found


def places(menu: MenuSpec) -> list[str]:
    ids: list[str] = []
    for entry in menu.entries:
        if isinstance(entry, MenuSpec):
            ids += places(entry)
        elif entry is not None:
            ids.append(entry)
    return ids


def test_no_key_does_two_things(qapp: QApplication) -> None:
    clashes = [
        f"{key}: {a.id} and {b.id}"
        for a, b in combinations(ACTIONS, 2)
        for key in set(all_keys(a)) & set(all_keys(b))
    ]
    assert clashes == []
    for spec in ACTIONS:
        keys = all_keys(spec)
        assert len(keys) == len(set(keys)), spec.id


def test_no_key_is_swallowed_as_the_beginning_of_a_longer_one(qapp: QApplication) -> None:
    sequences = [s for spec in ACTIONS for s in spec.sequences() + spec.canvas_sequences()]
    assert [s.toString() for s in sequences if s.count() != 1] == []


def test_plain_letters_and_navigation_keys_need_the_canvas(qapp: QApplication) -> None:
    """Else one could not type a name, nor walk a list."""
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    ours = {"Del", "F1", "F2", "F8", "Shift+F8", "F11", "F10", "Shift+F10"}
    for spec in ACTIONS:
        for sequence in spec.sequences():
            text = sequence.toString(PORTABLE)
            pressed = first(sequence)
            has_modifier = bool(pressed.keyboardModifiers() & modifiers)
            is_media_key = int(pressed.key()) >= int(Qt.Key.Key_Back)
            is_sun_key = Qt.Key.Key_F12 <= pressed.key() <= Qt.Key.Key_F35
            is_old_clipboard_key = text in {"Shift+Del", "Shift+Ins"}
            assert (
                has_modifier or is_media_key or is_sun_key or is_old_clipboard_key or text in ours
            ), f"{spec.id}: {text}"


def test_keys_people_expect(table: ActionTable) -> None:
    def keys(action_id: str) -> set[str]:
        return set(all_keys(table.specs[action_id]))

    assert keys("edit.delete") == {"Del"}  # Qt's own would take Ctrl+D as well
    assert keys("edit.duplicate") == {"Ctrl+D"}
    assert {"Ctrl+Y", "Ctrl+Shift+Z"} <= keys("edit.redo")
    assert {"Ctrl++", "Ctrl+="} <= keys("view.zoom_in")
    assert "F11" in keys("view.full_screen")
    assert keys("edit.settings") == {"Ctrl+,"}
    assert keys("file.quit") == {"Ctrl+Q"}
    assert keys("help.palette") == {"Ctrl+Shift+P", "Ctrl+K"}
    assert "Ctrl+P" in keys("edit.find")
    assert {"Ctrl+9", "Home", "Shift+1"} == keys("view.fit_all")
    assert keys("problems.next") == {"F8"}
    assert keys("problems.previous") == {"Shift+F8"}
    letters = {name: keys(f"tool.{name}") for name in ("select", "pan", "cable", "rack")}
    assert letters == {"select": {"V"}, "pan": {"H"}, "cable": {"C"}, "rack": {"R"}}


def test_every_action_is_in_the_menu_bar_once(table: ActionTable) -> None:
    placed = [action_id for menu in MENUS for action_id in places(menu)]
    assert len(placed) == len(set(placed))
    # The main window appends this one below the files it lists.
    assert set(table.specs) - set(placed) == {"file.clear_recent"}
    assert {i for i in TOOL_BAR if i} <= set(table.specs)
    for menu in CONTEXT_MENUS.values():
        assert set(places(menu)) <= set(placed)
        assert len(places(menu)) <= 9


def test_mnemonics_in_a_menu_differ() -> None:
    specs = {spec.id: spec for spec in ACTIONS}

    def titles(menu: MenuSpec) -> list[str]:
        found = [e.title if isinstance(e, MenuSpec) else specs[e].title for e in menu.entries if e]
        for entry in menu.entries:
            if isinstance(entry, MenuSpec):
                check(entry)
        return found

    def check(menu: MenuSpec) -> None:
        letters = [t[t.index("&") + 1].casefold() for t in titles(menu) if "&" in t]
        doubled = {letter for letter in letters if letters.count(letter) > 1}
        assert not doubled, f"{menu.id}: {doubled}"

    check(MenuSpec("bar", "", MENUS))


def test_nothing_selected_greys_what_needs_a_selection_and_says_so(table: ActionTable) -> None:
    table.refresh(Context())
    delete = table.action("edit.delete")
    assert not delete.isEnabled()
    assert table.reason("edit.delete") == "Nothing is selected."
    assert "Nothing is selected." in delete.toolTip()
    assert "Del" in delete.toolTip()
    table.refresh(replace(Context(), selected_devices=1))
    assert delete.isEnabled()
    assert table.reason("edit.delete") == ""
    assert "Nothing" not in delete.toolTip()


def test_each_action_can_be_done_some_time_and_refusals_are_sentences(table: ActionTable) -> None:
    possible: set[str] = set()
    for context in (Context(), EVERYTHING, ONE_RACK, replace(Context(), selected_devices=1)):
        table.refresh(context)
        for action_id in table.specs:
            reason = table.reason(action_id)
            assert table.action(action_id).isEnabled() == (not reason)
            if reason:
                assert reason[0].isupper(), reason
                assert reason.endswith("."), reason
            else:
                possible.add(action_id)
    assert set(table.specs) - possible == set()


def test_a_read_only_design_can_be_looked_at_and_exported_only(table: ActionTable) -> None:
    table.refresh(replace(EVERYTHING, read_only=True))
    for action_id in ("edit.delete", "edit.undo", "connect.rails", "tool.cable", "file.save"):
        assert "reading only" in table.reason(action_id), action_id
    for action_id in ("edit.copy", "export.bom", "export.pdf", "view.fit_all", "file.save_as"):
        assert table.reason(action_id) == "", action_id


def test_predicates_ask_only_what_the_protocol_promises() -> None:
    from rackloom_gui.actions import ActionContext

    promised = {name for name in vars(ActionContext) if not name.startswith("_")}
    assert {field.name for field in fields(Context)} == promised


def test_undo_names_the_step(table: ActionTable) -> None:
    table.refresh(EVERYTHING)
    assert table.action("edit.undo").text() == "&Undo Move leaf-1"
    assert table.action("edit.redo").text() == "&Redo Delete cable 4"
    table.refresh(Context())
    assert table.action("edit.undo").text() == "&Undo"


def test_what_is_bound_runs_and_what_is_not_is_listed(table: ActionTable) -> None:
    table.refresh(EVERYTHING)
    done: list[str] = []
    table.bind_all({"edit.copy": lambda: done.append("copy")})
    table.trigger("edit.copy")
    assert done == ["copy"]
    assert "edit.copy" not in table.unbound()
    assert "edit.paste" in table.unbound()
    with pytest.raises(KeyError, match=r"edit\.copi"):
        table.bind("edit.copi", lambda: None)


def test_one_tool_at_a_time(table: ActionTable) -> None:
    table.refresh(EVERYTHING)
    table.trigger("tool.cable")
    table.trigger("tool.pan")
    checked = [name for name in table.specs if table.action(name).isChecked()]
    assert checked == ["tool.pan"]
    ran: list[str] = []
    table.bind("tool.select", lambda: ran.append("select"))
    table.set_checked("tool.select")
    assert table.action("tool.select").isChecked()
    assert not table.action("tool.pan").isChecked()
    assert ran == [], "showing a state is not doing it"


@pytest.fixture
def window(table: ActionTable, qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    table.build_menu_bar(window.menuBar(), MENUS)
    bar = QToolBar("Main", window)
    table.build_tool_bar(bar, TOOL_BAR)
    window.addToolBar(bar)
    table.attach_window(window)
    canvas, name = QWidget(), QLineEdit()
    canvas.setObjectName("canvas")
    name.setObjectName("name")
    canvas.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    table.attach_canvas(canvas)
    table.refresh(EVERYTHING)
    window.setCentralWidget(QWidget())
    for child in (canvas, name):
        child.setParent(window.centralWidget())
    table.refresh(EVERYTHING)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    return window


def test_letters_work_on_the_canvas_and_are_typed_elsewhere(
    window: QMainWindow, table: ActionTable, qtbot: QtBot
) -> None:
    canvas, name = child(window, QWidget, "canvas"), child(window, QLineEdit, "name")
    table.refresh(replace(EVERYTHING, selected_devices=1))
    ran: list[str] = []
    for action_id in ("tool.cable", "view.fit_all", "edit.nudge_up", "edit.delete", "edit.rename"):
        table.bind(action_id, partial(ran.append, action_id))
    canvas.setFocus()
    for key in (Qt.Key.Key_C, Qt.Key.Key_Home, Qt.Key.Key_Up, Qt.Key.Key_Delete, Qt.Key.Key_F2):
        qtbot.keyClick(canvas, key)
    assert ran == ["tool.cable", "view.fit_all", "edit.nudge_up", "edit.delete", "edit.rename"]
    ran.clear()
    name.setFocus()
    qtbot.keyClicks(name, "cab")
    qtbot.keyClick(name, Qt.Key.Key_Home)
    qtbot.keyClick(name, Qt.Key.Key_Delete)
    assert name.text() == "ab"
    assert ran == []
    qtbot.keyClick(name, Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["view.fit_all"]


def test_ctrl_k_opens_the_palette_but_not_out_of_a_text(
    window: QMainWindow, table: ActionTable, qtbot: QtBot
) -> None:
    canvas, name = child(window, QWidget, "canvas"), child(window, QLineEdit, "name")
    ran: list[str] = []
    table.bind("help.palette", lambda: ran.append("palette"))
    ctrl = Qt.KeyboardModifier.ControlModifier
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_K, ctrl)
    assert ran == ["palette"]
    name.setText("leaf-01 and more")
    name.setFocus()
    name.setCursorPosition(7)
    qtbot.keyClick(name, Qt.Key.Key_K, ctrl)
    assert ran == ["palette"], "Ctrl+K belongs to the text there"
    qtbot.keyClick(name, Qt.Key.Key_P, ctrl | Qt.KeyboardModifier.ShiftModifier)
    assert ran == ["palette", "palette"]


def test_a_greyed_key_is_left_to_others(
    window: QMainWindow, table: ActionTable, qtbot: QtBot
) -> None:
    """With nothing selected the arrows reach the canvas, which pans."""
    canvas = child(window, QWidget, "canvas")
    ran: list[str] = []
    table.bind("edit.nudge_up", lambda: ran.append("nudge"))
    table.refresh(Context())
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert ran == []


def test_tips_name_the_key(table: ActionTable) -> None:
    table.refresh(EVERYTHING)
    assert table.action("tool.cable").toolTip() == "Draw a cable from port to port (C)"
    assert table.title("connect.rails") == "Connect by Rails or Tiers"


def test_menus_and_actions_are_recoloured_with_the_theme(
    theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    table = ActionTable(ACTIONS, icons)
    table.build_menu_bar(window.menuBar(), MENUS)
    keys = (table.menu("export").icon().cacheKey(), table.action("edit.undo").icon().cacheKey())
    theme.set_choice(ThemeChoice.DARK)
    assert table.menu("export").icon().cacheKey() != keys[0]
    assert table.action("edit.undo").icon().cacheKey() != keys[1]


def test_categories_are_all_used() -> None:
    assert {spec.category for spec in ACTIONS} == set(Category)
    assert list(CATEGORY_WORDS) == [str(category) for category in Category]
