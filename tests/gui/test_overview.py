# SPDX-License-Identifier: Apache-2.0
"""The overview in the corner: there when it helps, moved with the mouse, cheap to keep."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG

from rackloom.design import edits
from rackloom.generate.example import example
from rackloom_gui.canvas import overview as overview_module
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.overview import Overview
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme

LEFT = Qt.MouseButton.LeftButton


class Corner:
    """A canvas on the example, with its overview."""

    def __init__(self, qtbot: QtBot, theme: Theme) -> None:
        self.document = Document()
        self.canvas = Canvas(self.document, CATALOG, theme)
        qtbot.addWidget(self.canvas)
        self.overview = Overview(self.document, self.canvas, theme)
        self.canvas.resize(1100, 800)
        self.canvas.show()
        self.document.open_design(example(), None)
        QApplication.processEvents()

    @property
    def pane(self) -> Any:
        return self.canvas.pane

    def close_up(self) -> None:
        self.canvas.fit_ids([next(iter(self.document.design.racks))])
        self.pane.zoom_by(3.0)
        QApplication.processEvents()


@pytest.fixture
def corner(qtbot: QtBot, theme: Theme) -> Corner:
    return Corner(qtbot, theme)


def test_it_is_there_only_while_not_all_is_on_screen(corner: Corner) -> None:
    corner.canvas.fit_all()
    assert not corner.overview.isVisible()
    corner.close_up()
    assert corner.overview.isVisible()
    inside = corner.canvas.rect().adjusted(0, 0, -10, -10)
    assert inside.contains(corner.overview.geometry())
    corner.overview.set_wanted(False)
    assert not corner.overview.isVisible()
    corner.canvas.zoom_in()
    assert not corner.overview.isVisible()
    corner.overview.set_wanted(True)
    assert corner.overview.isVisible()
    corner.canvas.resize(300, 200)
    QApplication.processEvents()
    assert not corner.overview.isVisible(), "it would hide what it is about"


def test_an_empty_design_has_none(corner: Corner) -> None:
    corner.close_up()
    from rackloom.design import Design

    corner.document.open_design(Design(), None)
    QTest.qWait(overview_module.REPAINT_MS + 100)
    assert not corner.overview.isVisible()


def test_the_frame_is_what_is_on_screen(corner: Corner) -> None:
    corner.close_up()
    content, seen = corner.pane.content_rect, corner.pane.visible_rect()
    frame = corner.overview.frame()
    share = (seen & content).width() / content.width()
    assert frame.width() / (corner.overview.width() - 2) == pytest.approx(share, abs=0.1)
    before = frame.center()
    corner.pane.scroll_by(300, 0)
    assert corner.overview.frame().center().x() > before.x()


def test_a_click_goes_there_and_a_drag_follows(corner: Corner) -> None:
    corner.close_up()
    overview, content = corner.overview, corner.pane.content_rect
    for share in (0.25, 0.75):
        at = QPoint(round(overview.width() * share), overview.height() // 2)
        corner.pane.centre_on(content.center() + QPointF(0, content.height() * 0.6))
        QTest.mouseClick(overview, LEFT, Qt.KeyboardModifier.NoModifier, at)
        centre = corner.pane.visible_rect().center()
        wanted = content.center().x() + (share - 0.5) * overview.width() / overview._scale()
        assert centre.x() == pytest.approx(wanted, abs=2.0 / overview._scale())
        assert centre.y() == pytest.approx(content.center().y(), abs=2.0 / overview._scale())
    start = overview.frame().center().toPoint()
    before = corner.pane.visible_rect().center()
    QTest.mousePress(overview, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(overview, start - QPoint(20, 0))
    QTest.mouseRelease(overview, LEFT, Qt.KeyboardModifier.NoModifier, start - QPoint(20, 0))
    moved = corner.pane.visible_rect().center().x() - before.x()
    assert moved == pytest.approx(-20 / overview._scale(), abs=2.0 / overview._scale())
    QTest.mouseMove(overview, start)
    assert corner.pane.visible_rect().center().x() - before.x() == pytest.approx(moved), "let go"


def test_grabbing_the_frame_beside_its_middle_does_not_make_it_jump(corner: Corner) -> None:
    corner.canvas.fit_ids([next(iter(corner.document.design.racks))])
    QApplication.processEvents()
    corner.pane.zoom_by(1.8)
    frame = corner.overview.frame()
    before = corner.pane.visible_rect().center()
    corner_point = (frame.center() + QPointF(frame.width() / 4, frame.height() / 4)).toPoint()
    QTest.mousePress(corner.overview, LEFT, Qt.KeyboardModifier.NoModifier, corner_point)
    after = corner.pane.visible_rect().center()
    away = 3.0 / corner.overview._scale()
    assert abs(after.x() - before.x()) < away
    assert abs(after.y() - before.y()) < away


def test_moving_the_view_paints_no_new_picture_but_an_edit_does(
    corner: Corner, monkeypatch: pytest.MonkeyPatch
) -> None:
    corner.close_up()
    corner.overview.grab()
    painted: list[int] = []
    paint = Overview._painted

    def counted(self: Overview) -> Any:
        painted.append(1)
        return paint(self)

    monkeypatch.setattr(Overview, "_painted", counted)
    for _ in range(5):
        corner.pane.scroll_by(40, 10)
        corner.overview.grab()
    assert not painted
    server = next(d.id for d in corner.document.design.devices.values() if d.part == "dgx-h100")
    corner.document.do("Remove", edits.remove, {server})
    corner.document.flush()
    QTest.qWait(overview_module.REPAINT_MS + 100)
    corner.overview.grab()
    assert painted == [1]


@pytest.mark.parametrize("view", ["racks", "fabric", "floor"])
def test_it_shows_something_in_every_view(corner: Corner, view: str) -> None:
    corner.canvas.set_view(view)
    corner.canvas.fit_all()
    corner.pane.zoom_by(6.0)
    QApplication.processEvents()
    assert corner.overview.isVisible()
    image = corner.overview.grab().toImage()
    colours = {image.pixel(x, y) for x in range(2, image.width(), 3) for y in range(image.height())}
    assert len(colours) > 5
    assert QRectF(corner.overview.rect()).contains(corner.overview.frame())
