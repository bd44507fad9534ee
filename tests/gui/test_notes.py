# SPDX-License-Identifier: Apache-2.0
"""Notes on the drawing with real mouse and keys: added, written, dragged, deleted, copied."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import click, drag, middle, mouse, move
from tests.gui.window_kit import device_named, trigger

from rackloom.design import edits
from rackloom.design.notes import MOST_CHARACTERS
from rackloom_gui.canvas.note_editing import NoteField
from rackloom_gui.canvas.notes import MOST_READ, SHORT_PX, wrapped
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.fields import TextArea
from rackloom_gui.theme import ThemeChoice
from rackloom_gui.tokens import DARK, LIGHT, Tokens, contrast


class Desk:
    """The example on screen, and what a person does with its notes."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        self.document, self.canvas = window.document, window.canvas
        self.canvas.set_view("racks")
        self.canvas.fit_all()
        self.pane.setFocus()
        QApplication.processEvents()

    @property
    def pane(self) -> Any:
        return self.canvas.pane

    @property
    def notes(self) -> Any:
        return self.document.design.notes

    @property
    def field(self) -> NoteField:
        found = self.pane.notes.field
        assert found is not None, "no note is being written"
        assert found.isVisible()
        return found  # type: ignore[no-any-return]

    def put(self, text: str, about: str | None, x_m: float = 0.1, y_m: float = 0.1) -> Any:
        note = self.document.do("Add", edits.add_note, text, x_m, y_m, about)
        self.document.flush()
        QApplication.processEvents()
        return note

    def plate(self, note: str) -> QPointF:
        """The middle of a note as it is drawn now."""
        plate = self.pane.arrays.notes.plate_of(note, self.pane.scale_px)
        assert plate is not None, "the note is not in this view"
        x, y, w, h = plate.box
        return QPointF(x + w / 2, y + h / 2)

    def shift_of(self, note: str) -> tuple[float, float]:
        return self.notes[note].x_m, self.notes[note].y_m

    def key(self, key: Qt.Key, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
        widget = QApplication.focusWidget()
        assert widget is not None
        self.qtbot.keyClick(widget, key, modifiers)

    def double_click(self, place: QPointF) -> None:
        click(self.pane, place)
        mouse(self.pane, QEvent.Type.MouseButtonDblClick, place)
        mouse(self.pane, QEvent.Type.MouseButtonRelease, place, buttons=Qt.MouseButton.NoButton)

    def count(self, colour: Any) -> int:
        """Pixels of a colour in the view."""
        QApplication.processEvents()
        image = self.pane.viewport().grab().toImage()
        wanted = colour.rgb()
        return sum(
            image.pixel(x, y) == wanted
            for x in range(0, image.width(), 2)
            for y in range(0, image.height(), 2)
        )


@pytest.fixture
def desk(example: MainWindow, qtbot: QtBot) -> Desk:
    return Desk(example, qtbot)


def _steps(desk: Desk) -> int:
    return desk.document.history.position


# Adding


def test_t_begins_a_note_at_the_pointer_and_ctrl_enter_keeps_it(desk: Desk, qtbot: QtBot) -> None:
    server = device_named(desk.window, "gpu-001")
    place = middle(desk.pane, server)
    move(desk.pane, place)
    before = _steps(desk)
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "arrives in week 32")
    qtbot.keyClick(desk.field, Qt.Key.Key_Return)
    qtbot.keyClicks(desk.field, "call first")
    assert not desk.notes, "nothing is added before it is kept"
    qtbot.keyClick(desk.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    (note,) = desk.notes.values()
    assert note.text == "arrives in week 32\ncall first"
    assert note.about == server
    plate = desk.pane.arrays.notes.plate_of(note.id, desk.pane.scale_px)
    assert plate.box[:2] == pytest.approx((place.x(), place.y()), abs=2.0)
    assert _steps(desk) == before + 1
    assert desk.document.selection == {note.id}
    assert desk.pane.hasFocus()
    desk.document.undo()
    assert not desk.notes


def test_a_note_beside_the_racks_goes_with_their_row(desk: Desk, qtbot: QtBot) -> None:
    _, _, right, bottom = desk.pane.arrays.layout.bounds()
    move(desk.pane, QPointF(right + 100, bottom - 900))
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "fire door")
    click(desk.pane, QPointF(right + 60, bottom - 200))
    (note,) = desk.notes.values()
    assert note.about in desk.document.design.rows
    assert note.x_m == pytest.approx((right + 100) / 1000, abs=0.01)


def test_escape_adds_nothing(desk: Desk, qtbot: QtBot) -> None:
    before = _steps(desk)
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "never mind")
    qtbot.keyClick(desk.field, Qt.Key.Key_Escape)
    assert desk.pane.notes.field is None
    assert (len(desk.notes), _steps(desk)) == (0, before)


def test_an_empty_note_adds_nothing(desk: Desk, qtbot: QtBot) -> None:
    before = _steps(desk)
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "   ")
    qtbot.keyClick(desk.field, Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier)
    assert (len(desk.notes), _steps(desk)) == (0, before)


def test_without_a_pointer_a_note_goes_beside_what_is_selected(desk: Desk, qtbot: QtBot) -> None:
    server = device_named(desk.window, "gpu-003")
    desk.document.select([server])
    QApplication.sendEvent(desk.pane.viewport(), QEvent(QEvent.Type.Leave))
    trigger(desk.window, qtbot, "edit.note")
    qtbot.keyClicks(desk.field, "heavy")
    desk.pane.notes.finish()
    (note,) = desk.notes.values()
    assert note.about == server


def test_a_note_on_the_floor_is_about_nothing(desk: Desk, qtbot: QtBot) -> None:
    desk.canvas.set_view("floor")
    QApplication.processEvents()
    move(desk.pane, QPointF(-400.0, 2500.0))
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "pillar")
    desk.pane.notes.finish()
    (note,) = desk.notes.values()
    assert (note.about, note.x_m, note.y_m) == (None, -0.4, pytest.approx(2.5, abs=0.005))
    desk.canvas.set_view("racks")
    QApplication.processEvents()
    assert desk.pane.arrays.notes.plate_of(note.id, 0.5) is None


def test_keys_write_and_do_not_act_on_the_drawing(desk: Desk, qtbot: QtBot) -> None:
    """Letters, Del, Ctrl+D and Ctrl+A mean the text while one writes, in spite of shortcuts."""
    server = device_named(desk.window, "gpu-001")
    desk.document.select([server])
    desk.key(Qt.Key.Key_T)
    field, tool = desk.field, desk.canvas.tool
    for letter in "vhcr123zmp":
        kind, none = QEvent.Type.ShortcutOverride, Qt.KeyboardModifier.NoModifier
        override = QKeyEvent(kind, ord(letter.upper()), none, letter)
        QApplication.sendEvent(field, override)
        assert override.isAccepted(), f"{letter} would be a shortcut"
        qtbot.keyClicks(field, letter)
    qtbot.keyClick(field, Qt.Key.Key_Left)
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    assert field.toPlainText() == "vhcr123zm"
    assert desk.canvas.tool == tool
    assert server in desk.document.design.devices
    assert desk.document.selection == {server}


def test_saving_saves_what_is_being_written(desk: Desk, qtbot: QtBot) -> None:
    desk.key(Qt.Key.Key_T)
    qtbot.keyClicks(desk.field, "half a thought")
    key = QKeyEvent(
        QEvent.Type.ShortcutOverride, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier, "\x13"
    )
    QApplication.sendEvent(desk.field, key)
    assert [note.text for note in desk.notes.values()] == ["half a thought"]


def test_nobody_writes_in_a_design_that_is_read_only(desk: Desk) -> None:
    note = desk.put("mind the gap", device_named(desk.window, "gpu-001"))
    desk.canvas.set_read_only(True)
    desk.double_click(desk.plate(note))
    desk.canvas.add_note()
    assert desk.pane.notes.field is None
    before = desk.shift_of(note)
    drag(desk.pane, desk.plate(note), desk.plate(note) + QPointF(300, 200))
    assert desk.shift_of(note) == before


# Writing


def test_a_double_click_writes_in_place(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    before = _steps(desk)
    desk.double_click(desk.plate(note))
    assert desk.field.toPlainText() == "one"
    qtbot.keyClick(desk.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(desk.field, "two")
    _, _, right, bottom = desk.pane.arrays.layout.bounds()
    click(desk.pane, QPointF(right + 60, bottom - 100))
    assert desk.notes[note].text == "two", "a click elsewhere keeps it"
    assert _steps(desk) == before + 1
    desk.document.undo()
    assert desk.notes[note].text == "one"


def test_f2_writes_and_escape_leaves_the_text(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    desk.document.select([note])
    before = _steps(desk)
    trigger(desk.window, qtbot, "edit.rename")
    qtbot.keyClicks(desk.field, "scrap that")
    qtbot.keyClick(desk.field, Qt.Key.Key_Escape)
    assert (desk.notes[note].text, _steps(desk)) == ("one", before)


def test_a_text_that_stays_is_no_step(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    before = _steps(desk)
    desk.canvas.edit_note(note)
    qtbot.keyClick(desk.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert _steps(desk) == before


def test_a_note_emptied_is_deleted(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    desk.canvas.edit_note(note)
    qtbot.keyClick(desk.field, Qt.Key.Key_Delete)
    qtbot.keyClick(desk.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert note not in desk.notes


def test_what_is_written_is_bounded_and_plain(desk: Desk, qtbot: QtBot) -> None:
    desk.key(Qt.Key.Key_T)
    QApplication.clipboard().setText("<b>big</b>\x1b[31m\t" + "x" * 2 * MOST_CHARACTERS)
    qtbot.keyClick(desk.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(desk.field, "more")
    desk.pane.notes.finish()
    (note,) = desk.notes.values()
    assert note.text.startswith("<b>big</b>\ufffd[31m    xxx")
    assert len(note.text) == MOST_CHARACTERS
    assert "more" not in note.text


def test_a_note_that_goes_meanwhile_closes_its_field(desk: Desk) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    desk.canvas.edit_note(note)
    desk.document.do("Remove", edits.remove, [note])
    desk.document.flush()
    assert desk.pane.notes.field is None
    assert note not in desk.notes


# Selecting, dragging, deleting, copying


def test_a_note_is_dragged_as_one_step_and_stays_about_its_device(desk: Desk) -> None:
    server = device_named(desk.window, "gpu-001")
    note = desk.put("one", server, 0.5, 0.1)
    before = _steps(desk)
    drag(desk.pane, desk.plate(note), desk.plate(note) + QPointF(400, -250))
    assert desk.shift_of(note) == pytest.approx((0.9, -0.15), abs=0.01)
    assert desk.notes[note].about == server
    assert _steps(desk) == before + 1
    assert desk.document.selection == {note}


def test_escape_puts_a_dragged_note_back(desk: Desk) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"), 0.5, 0.1)
    before = _steps(desk)
    drag(desk.pane, desk.plate(note), desk.plate(note) + QPointF(400, -250), release=False)
    desk.key(Qt.Key.Key_Escape)
    assert (desk.shift_of(note), _steps(desk)) == ((0.5, 0.1), before)
    assert not desk.pane.arrays.notes.shifted


def test_arrows_move_notes_and_merge(desk: Desk) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"), 0.5, 0.1)
    desk.document.select([note])
    before = _steps(desk)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        desk.key(key)
    assert desk.shift_of(note) == pytest.approx((0.7, 0.2))
    assert _steps(desk) == before + 1


def test_a_note_is_selected_by_click_frame_tab_and_select_all(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"), 1.9, -0.5)
    other = desk.put("two", device_named(desk.window, "gpu-001"), 1.9, 0.3)
    click(desk.pane, desk.plate(note))
    assert desk.document.selection == {note}
    x, y, w, h = desk.pane.arrays.notes.plate_of(note, desk.pane.scale_px).box
    drag(desk.pane, QPointF(x - 40, y - 40), QPointF(x + w + 40, y + h + 40))
    assert desk.document.selection == {note}
    drag(desk.pane, QPointF(x + w + 40, y + h + 40), QPointF(x + w / 2, y + h / 2))
    assert desk.document.selection == {note}, "from right to left what it touches"
    desk.key(Qt.Key.Key_Tab)
    assert desk.document.selection == {other}, "Tab goes to the note below"
    trigger(desk.window, qtbot, "edit.select_all")
    assert desk.document.selection == {note, other}


def test_delete_deletes_notes(desk: Desk) -> None:
    note = desk.put("one", device_named(desk.window, "gpu-001"))
    click(desk.pane, desk.plate(note))
    desk.key(Qt.Key.Key_Delete)
    assert note not in desk.notes
    desk.document.undo()
    assert note in desk.notes


def test_notes_are_copied_pasted_and_duplicated(desk: Desk, qtbot: QtBot) -> None:
    note = desk.put("one <i>two</i>", device_named(desk.window, "gpu-001"), 0.5, 0.1)
    desk.document.select([note])
    trigger(desk.window, qtbot, "edit.copy")
    assert QApplication.clipboard().text() == "one <i>two</i>"
    before = _steps(desk)
    trigger(desk.window, qtbot, "edit.paste")
    assert len(desk.notes) == 2
    assert _steps(desk) == before + 1
    (pasted,) = desk.document.selection
    assert desk.shift_of(pasted) == pytest.approx((0.62, 0.22))
    trigger(desk.window, qtbot, "edit.duplicate")
    assert [n.text for n in desk.notes.values()] == ["one <i>two</i>"] * 3
    desk.document.select([note])
    trigger(desk.window, qtbot, "edit.cut")
    assert note not in desk.notes


# Seeing


def test_the_inspector_shows_and_writes_a_note(desk: Desk, qtbot: QtBot) -> None:
    server = device_named(desk.window, "gpu-001")
    note = desk.put("<b>one</b>\ntwo", server, 0.5, 0.1)
    desk.document.select([note])
    page = desk.window.inspector.page
    assert page is not None
    area = page.findChild(TextArea)
    assert area is not None
    assert area.toPlainText() == "<b>one</b>\ntwo"
    before = _steps(desk)
    area.setFocus()
    area.selectAll()
    qtbot.keyClicks(area, "three")
    qtbot.keyClick(area, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.notes[note].text == "three"
    assert _steps(desk) == before + 1


def test_going_to_a_note_shows_the_view_it_is_in(desk: Desk) -> None:
    on_floor = desk.put("pillar here", None)
    on_racks = desk.put("week 32", device_named(desk.window, "gpu-001"))
    items = {item.title: item for item in desk.window.bindings.goto_items()}
    items["pillar here"].run()
    assert desk.canvas.view == "floor"
    assert desk.document.selection == {on_floor}
    items["week 32"].run()
    assert desk.canvas.view == "racks"
    assert desk.document.selection == {on_racks}


def test_a_note_about_a_device_is_in_the_fabric_view_too(desk: Desk) -> None:
    note = desk.put("week 32", device_named(desk.window, "leaf-01"))
    desk.canvas.set_view("fabric")
    QApplication.processEvents()
    assert desk.count(LIGHT.note_fill) > 50
    click(desk.pane, desk.plate(note))
    assert desk.document.selection == {note}


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda t: t.name)
def test_notes_are_legible_in_both_themes(tokens: Tokens) -> None:
    assert contrast(tokens.note_text, tokens.note_fill) >= 7.0
    assert contrast(tokens.note_edge, tokens.canvas) >= 3.0
    assert contrast(tokens.note_edge, tokens.note_fill) >= 3.0


def test_notes_are_drawn_in_the_colours_of_the_theme(desk: Desk) -> None:
    desk.put("week 32\n" * 8, device_named(desk.window, "gpu-001"))
    assert desk.count(LIGHT.note_fill) > 100
    desk.window.theme.set_choice(ThemeChoice.DARK)
    assert desk.count(DARK.note_fill) > 100
    assert desk.count(LIGHT.note_fill) == 0


def test_a_note_says_something_at_every_zoom(desk: Desk) -> None:
    note = desk.put("first line\nsecond line", device_named(desk.window, "gpu-001"))
    book = desk.pane.arrays.notes
    for scale in (0.005, 0.02, 0.08, 0.1, 0.5, 2.0, 8.0):
        (plate,) = book.plates(scale)
        assert plate.lines[0] == "first line"
        assert plate.size >= 11
        assert plate.box[2] * scale <= 245
    assert book.plates(0.08)[0].lines == ("first line",)
    whole = book.plate_of(note, 0.02, whole=True)
    assert whole.lines == ("first line", "second line"), "pointed at, it is shown whole"


def test_very_many_notes_become_marks(desk: Desk) -> None:
    about = device_named(desk.window, "gpu-001")

    def many(draft: Any) -> None:
        for n in range(MOST_READ + 1):
            edits.add_note(draft, f"note {n}", 0.01 * n, 0.0, about)

    desk.document.do("Many", many)
    desk.document.flush()
    plates = desk.pane.arrays.notes.plates(0.5)
    assert len(plates) == MOST_READ + 1
    assert not any(plate.lines for plate in plates)


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "word " * 2000, "\n" * 500 + "end", "\u0301" * 5000, "機" * 3000]
)
def test_a_long_text_is_broken_and_bounded(text: str) -> None:
    lines, width = wrapped(text, 12)
    assert len(lines) <= 16
    assert width <= 232
    assert all(len(line) <= 400 for line in lines)


def test_the_first_line_of_a_long_note_is_cut_at_its_end(desk: Desk) -> None:
    desk.put("Row ends at the fire door: keep a metre free", device_named(desk.window, "gpu-001"))
    (plate,) = desk.pane.arrays.notes.plates(0.05)
    assert plate.lines[0].startswith("Row ends at")
    assert plate.lines[0].endswith("…")
    assert plate.box[2] * 0.05 <= SHORT_PX + 14


def test_a_note_outside_the_racks_is_part_of_what_is_fitted(desk: Desk) -> None:
    note = desk.put("far away", device_named(desk.window, "gpu-001"), 4.0, 2.0)
    desk.canvas.fit_all()
    plate = desk.pane.arrays.notes.plate_of(note, desk.pane.scale_px)
    x, y, w, h = plate.box
    corner = desk.pane.to_view(QPointF(x + w, y + h)).toPoint()
    assert desk.pane.viewport().rect().contains(corner - QPoint(1, 1))
