# SPDX-License-Identifier: Apache-2.0
"""Power cords of what is selected: from each inlet to its outlet, A and B told apart."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG

from rackloom.catalog.words import Side
from rackloom.design import edits
from rackloom.generate.example import example
from rackloom.placement.geometry import outlet_places_mm
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.cords import cord_runs
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme


class Rear:
    """The example from behind."""

    def __init__(self, qtbot: QtBot, theme: Theme) -> None:
        self.document = Document()
        self.canvas = Canvas(self.document, CATALOG, theme)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(1100, 800)
        self.canvas.show()
        self.document.open_design(example(), None)
        self.canvas.set_side(Side.REAR)
        self.rack = next(iter(self.design.racks))
        inside = self.design.index.devices_in_rack[self.rack]
        self.server = next(d for d in inside if self.design.devices[d].part == "dgx-h100")
        self.select(self.rack)
        self.canvas.fit_ids([self.rack])
        QApplication.processEvents()

    @property
    def design(self) -> Any:
        return self.document.design

    @property
    def pane(self) -> Any:
        return self.canvas.pane

    def select(self, *ids: str) -> None:
        self.document.select(ids)

    def runs(self) -> list[Any]:
        return cord_runs(self.pane.arrays, self.document.selection)

    def count(self, colour: QColor) -> int:
        """Pixels of a colour on screen."""
        QApplication.processEvents()
        image = self.pane.viewport().grab().toImage()
        wanted = colour.rgb()
        return sum(
            image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
        )


@pytest.fixture
def rear(qtbot: QtBot, theme: Theme) -> Rear:
    return Rear(qtbot, theme)


def test_six_supplies_of_a_server_have_six_cords_three_to_each_pdu(rear: Rear) -> None:
    rear.select(rear.server)
    runs = rear.runs()
    assert sorted(run.group for run in runs) == ["A", "A", "A", "B", "B", "B"]
    starts = [run.points[0] for run in runs]
    assert len(set(starts)) == 6
    x, y, w, h = rear.pane.arrays.box_of(rear.server)
    assert all(x < px < x + w and y < py < y + h for px, py in starts)


def test_cords_end_at_the_outlets_they_are_plugged_into(rear: Rear) -> None:
    design, drawing = rear.design, rear.pane.drawing
    for run in rear.runs():
        cord = design.cords[run.cord]
        names = [name for name, _ in design.device_part(run.pdu).outlet_names]
        x_mm, z_mm = outlet_places_mm(design, run.pdu)[names.index(cord.outlet)]
        left, floor = drawing.origins[rear.rack]
        assert run.points[-1] == pytest.approx((left + x_mm, floor - z_mm), abs=0.01)


def test_a_rack_shows_all_of_its_cords_and_a_pdu_those_on_it(rear: Rear) -> None:
    design = rear.design
    inside = set(design.index.devices_in_rack[rear.rack])
    cords = [c for c in design.cords.values() if c.device in inside and c.source in inside]
    assert {run.cord for run in rear.runs()} == {c.id for c in cords}
    pdu = next(d for d in inside if design.device_part(d).kind == "pdu")
    rear.select(pdu)
    assert {run.cord for run in rear.runs()} == {c.id for c in cords if c.source == pdu}


def test_they_are_drawn_for_the_selection_and_can_be_turned_off(rear: Rear, theme: Theme) -> None:
    a, b = theme.tokens.series[1], theme.tokens.series[3]
    assert rear.count(a) > 200
    assert rear.count(b) > 200
    rear.canvas.set_cords(False)
    assert rear.count(b) < 50
    rear.canvas.set_cords(True)
    assert rear.count(b) > 200
    rear.select()
    assert rear.count(b) < 50


def test_from_the_front_the_pdus_are_hidden_and_so_are_the_cords(rear: Rear) -> None:
    rear.canvas.set_side(Side.FRONT)
    rear.select(rear.rack)
    assert rear.runs() == []


def test_they_follow_an_edit(rear: Rear) -> None:
    rear.select(rear.server)
    cord = rear.runs()[0].cord
    rear.pane.cords.selection = rear.document.selection
    assert len(rear.pane.cords.runs()) == 6
    rear.document.do("Pull", edits.remove, {cord})
    rear.document.flush()
    assert len(rear.pane.cords.runs()) == 5
