# SPDX-License-Identifier: Apache-2.0
"""Racks are dragged about the room with the mouse: one step, lengths follow, nothing collides."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG, click, drag, middle, mouse

from rackloom.checks import run
from rackloom.design import edits
from rackloom.generate.example import example
from rackloom.placement.many_routes import needed_lengths_m
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme

ALT = Qt.KeyboardModifier.AltModifier


class Room:
    """The example from above, with a second row of one rack that has nothing in it."""

    def __init__(self, qtbot: QtBot, theme: Theme) -> None:
        self.document = Document()
        self.canvas = Canvas(self.document, CATALOG, theme)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(1200, 900)
        self.canvas.show()
        self.document.open_design(example(), None)
        part = self.design.parts[next(iter(self.design.racks.values())).part]
        self.row_a = next(iter(self.design.rows))
        self.row_b = self.document.do("Add row", edits.add_row, "Row B", 0.0, 3.6)
        self.far = self.document.do("Add rack", edits.add_rack, part, self.row_b, 0.0, "far")
        self.document.flush()
        self.canvas.set_view("floor")
        self.canvas.fit_all()
        QApplication.processEvents()
        self.left, self.right = sorted(
            self.design.index.racks_in_row[self.row_a],
            key=lambda r: self.design.racks[r].position_m,
        )
        self.steps = len(self.document.history.steps)

    @property
    def design(self) -> Any:
        return self.document.design

    @property
    def pane(self) -> Any:
        return self.canvas.floor

    def drag(self, rack: Any, x_m: float, y_m: float, **more: Any) -> None:
        start = middle(self.pane, rack)
        drag(self.pane, start, start + QPointF(x_m * 1000, y_m * 1000), **more)

    def place(self, rack: Any) -> tuple[Any, Any]:
        found = self.design.racks[rack]
        return found.row, found.position_m

    @property
    def new_steps(self) -> list[str]:
        return [step.label for step in self.document.history.steps[self.steps :]]


@pytest.fixture
def room(qtbot: QtBot, theme: Theme) -> Room:
    return Room(qtbot, theme)


def test_a_rack_is_dragged_along_its_row_as_one_step_and_its_cables_need_more(room: Room) -> None:
    before = room.design
    row, x_m = room.place(room.right)
    needed = dict(zip(*needed_lengths_m(before), strict=True))
    room.drag(room.right, 4.0, 0.1)
    assert room.place(room.right) == (row, pytest.approx(x_m + 4.0))
    assert room.new_steps == [f"Move {before.racks[room.right].name}"]
    after = dict(zip(*needed_lengths_m(room.design), strict=True))
    moved = set(room.design.index.devices_in_rack[room.right])
    between = [
        c.id for c in room.design.cables.values() if len({e.device in moved for e in c.ends}) == 2
    ]
    assert between
    for cable in between:
        assert after[cable] == pytest.approx(needed[cable] + 4.0)
    assert "reach.too-short" in {f.rule for f in run(room.design, CATALOG).open}
    room.document.undo()
    assert room.design == before


def test_what_the_cables_would_need_is_said_while_dragging(room: Room) -> None:
    room.drag(room.right, 4.0, 0.0, release=False)
    note = room.pane.hand.note
    assert note.startswith("Row")
    assert "cables need up to" in note
    assert "are too short" in note
    assert not room.new_steps
    QTest.keyClick(room.pane.viewport(), Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not room.new_steps


def test_a_rack_is_dragged_to_another_row_and_snaps_to_its_neighbour(room: Room) -> None:
    width_m = room.design.parts[room.design.racks[room.far].part].width_mm / 1000
    x_m = room.place(room.right)[1]
    room.drag(room.right, width_m - x_m + 0.08, 3.6 + 0.4)
    assert room.place(room.right) == (room.row_b, pytest.approx(width_m))
    assert len(room.new_steps) == 1


def test_a_rack_does_not_land_on_another_one(room: Room) -> None:
    before = room.design
    x_m = room.place(room.right)[1]
    room.drag(room.right, -x_m + 0.3, 3.6, release=False)
    assert room.pane.hand.reason == (
        f"{before.racks[room.right].name} does not fit there: far stands there"
    )
    end = middle(room.pane, room.right) + QPointF((-x_m + 0.3) * 1000, 3600)
    mouse(room.pane, QEvent.Type.MouseButtonRelease, end, buttons=Qt.MouseButton.NoButton)
    assert room.design is before


def test_a_rack_does_not_land_on_one_of_another_row_behind(room: Room) -> None:
    """A new row in the aisle, so near that its racks would reach into the row behind."""
    before = room.design
    x_m = room.place(room.right)[1]
    room.drag(room.right, -x_m, 2.6, release=False, modifiers=ALT)
    assert "far stands there" in (room.pane.hand.reason or "")
    QTest.keyClick(room.pane.viewport(), Qt.Key.Key_Escape)
    assert room.design is before


def test_away_from_all_rows_a_rack_makes_a_new_one_on_the_tiles(room: Room) -> None:
    rows = set(room.design.rows)
    room.drag(room.right, 0.0, 7.1)
    (new,) = set(room.design.rows) - rows
    assert room.place(room.right)[0] == new
    assert room.design.rows[new].y_m == pytest.approx(7.2)
    assert len(room.new_steps) == 1
    room.document.undo()
    assert set(room.design.rows) == rows


def test_a_whole_row_moves_and_keeps_its_name(room: Room) -> None:
    rows = set(room.design.rows)
    room.document.select([room.left, room.right])
    room.drag(room.left, 0.6, 7.1)
    assert set(room.design.rows) == rows
    assert room.design.rows[room.row_a].y_m == pytest.approx(7.2)
    assert room.place(room.left) == (room.row_a, pytest.approx(0.6))
    assert room.new_steps == ["Move 2 racks"]


def test_alt_lets_a_rack_stand_off_the_grid(room: Room) -> None:
    x_m = room.place(room.right)[1]
    room.drag(room.right, 1.234, 0.0, modifiers=ALT)
    assert room.place(room.right)[1] == pytest.approx(x_m + 1.23, abs=0.011)


def test_racks_of_two_rows_move_together_by_rows_or_not_at_all(room: Room) -> None:
    room.document.select([room.right, room.far])
    before = room.design
    room.drag(room.right, 0.0, 3.6)
    assert room.design is before, "there is no row behind the last for the second rack"
    room.drag(room.right, 0.0, 8.0, release=False)
    assert "row by row" in (room.pane.hand.reason or "")
    QTest.keyClick(room.pane.viewport(), Qt.Key.Key_Escape)
    room.drag(room.right, 3.0, 0.0)
    assert room.place(room.far) == (room.row_b, pytest.approx(3.0))


def test_a_click_on_a_rack_selects_it_and_moves_nothing(room: Room) -> None:
    place = middle(room.pane, room.far)
    click(room.pane, place)
    assert room.document.selection == {room.far}
    assert not room.new_steps


def test_a_cable_over_a_rack_is_clicked_but_drags_the_rack(room: Room) -> None:
    pane = room.pane
    cable = next(c for c in room.design.cables if pane.arrays.route_of(c) is not None
                 and len(pane.arrays.route_of(c)))  # fmt: skip
    room.canvas.fit_ids([room.left])
    box = pane.arrays.box_of(room.left)
    spots = [
        QPointF(x, y)
        for x in range(int(box[0]), int(box[0] + box[2]), 5)
        for y in range(int(box[1] + 60), int(box[1] + box[3]), 20)
        if pane.hit_at(QPointF(x, y)).cable is not None
    ]
    assert cable
    assert spots
    click(pane, spots[0])
    (chosen,) = room.document.selection
    assert chosen in room.design.cables
    x_m = room.place(room.left)[1]
    drag(pane, spots[0], spots[0] + QPointF(0.0, 9000.0))
    assert room.place(room.left)[0] not in {room.row_a, room.row_b}
    assert room.place(room.left)[1] == pytest.approx(x_m)


def test_nothing_is_dragged_in_a_design_that_is_only_read(room: Room) -> None:
    before = room.design
    room.canvas.set_read_only(True)
    room.drag(room.right, 4.0, 0.0)
    assert room.design is before
