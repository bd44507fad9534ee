# SPDX-License-Identifier: Apache-2.0
"""What drawings in files share with the screen where it is asked for: notes and power cords."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG
from tests.gui.window_kit import Answers, trigger

from rackloom.catalog.words import Side
from rackloom.cli import main
from rackloom.design import Design, History, edits
from rackloom.design.draft import Draft
from rackloom.files import load, save
from rackloom.generate.example import example as example_design
from rackloom_gui.canvas.cords import cord_runs
from rackloom_gui.dialogs.questions import DrawingDialog
from rackloom_gui.export import render_bytes
from rackloom_gui.export.picture import detail_scale, picture_of
from rackloom_gui.export.render import TITLES
from rackloom_gui.export.sheets import SHEETS, rack_sheets
from rackloom_gui.main_window import MainWindow
from rackloom_gui.theme import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")
SVG = "{http://www.w3.org/2000/svg}"
TEXT = "<b>Week 32</b> & later"


@pytest.fixture(scope="module")
def design() -> Design:
    history = History(example_design())
    first = history.design
    leaf = next(d.id for d in first.devices.values() if d.name == "leaf-01")
    history.do("n", edits.add_note, f"{TEXT}\nthen call", 0.3, -0.2, leaf)
    history.do("n", edits.add_note, "beyond the row", 6.0, 0.5, next(iter(first.rows)))
    history.do("n", edits.add_note, "pillar", -2.5, 1.0)
    return history.design


def _texts(svg: bytes) -> set[str]:
    return {"".join(node.itertext()) for node in ET.fromstring(svg).iter(f"{SVG}text")}


def _coloured(png: bytes, colour: Any) -> int:
    image = QImage.fromData(QByteArray(png))
    wanted = colour.rgb()
    points = ((x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3))
    return sum(image.pixel(x, y) == wanted for x, y in points)


@pytest.mark.parametrize(
    ("view", "there", "elsewhere"),
    [
        ("racks", {TEXT, "then call", "beyond the row"}, {"pillar"}),
        ("fabric", {TEXT, "then call"}, {"pillar", "beyond the row"}),
        ("floor", {"pillar", "beyond the row"}, {TEXT}),
    ],
)
def test_a_drawing_has_the_notes_of_its_view(
    design: Design, view: str, there: set[str], elsewhere: set[str]
) -> None:
    svg = render_bytes(design, view, "front", "svg")
    assert there <= _texts(svg)
    assert not elsewhere & _texts(svg)
    assert _coloured(render_bytes(design, view, "front", "png", dpi=96), LIGHT.note_fill) > 50
    assert len(render_bytes(design, view, "front", "pdf")) > 3000


def test_a_note_beyond_the_racks_is_wholly_on_the_paper(design: Design) -> None:
    picture = picture_of(design, "racks", Side.FRONT, LIGHT)
    for plate in picture.scene.notes.plates(detail_scale(picture)):
        x, y, w, h = plate.box
        assert picture.window.x0 < x
        assert x + w < picture.window.x1
        assert picture.window.y0 < y
        assert y + h < picture.window.y1


def test_every_note_is_on_one_sheet_with_what_it_is_about() -> None:
    draft = Draft(Design())
    row = edits.add_row(draft)
    racks = [edits.add_rack(draft, CATALOG["generic-48u-800"], row, n * 0.8) for n in range(40)]
    about = edits.add_note(draft, "first", 0.0, 0.0, racks[0])
    last = edits.add_note(draft, "last", 3.0, 0.0, racks[-1])
    of_row = edits.add_note(draft, "row", 16.0, 1.0, row)
    made = draft.close("x")[0]
    sheets = rack_sheets(made, [Side.FRONT], SHEETS["A4"], TITLES)
    held = [sheet.pictures[0].notes or frozenset() for sheet in sheets]
    assert len(sheets) > 2
    assert about in held[0]
    assert last in held[-1]
    assert sum(of_row in notes for notes in held) == 1
    assert of_row not in held[0] | held[-1]


# Cords


def test_cords_are_drawn_where_they_are_asked_for(design: Design) -> None:
    without = render_bytes(design, "racks", "rear", "svg")
    with_cords = render_bytes(design, "racks", "rear", "svg", cords=True)
    scene = picture_of(design, "racks", Side.REAR, LIGHT).scene
    runs = cord_runs(scene, design.racks, None)
    assert runs
    lines = [
        sum(node.get("fill") == "none" for node in ET.fromstring(svg).iter(f"{SVG}path"))
        for svg in (without, with_cords)
    ]
    assert lines[1] - lines[0] == 2 * len(runs), "each with its halo"
    dashed = b"stroke-dasharray"
    assert dashed in with_cords, "those on feed B"
    assert dashed not in without
    for kind in ("pdf", "png"):
        plain, corded = (
            render_bytes(design, "racks", "rear", kind, cords=on, date="2026-01-01")
            for on in (False, True)
        )
        assert plain != corded


def test_the_command_draws_cords(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.rackloom"
    save(file, example_design())
    out = tmp_path / "a.svg"
    assert main(["render", str(file), "--side", "rear", "--cords", "-o", str(out)]) == 0
    assert b"stroke-dasharray" in out.read_bytes()
    assert main(["render", str(file), "--view", "floor", "--cords", "-o", str(out)]) == 2
    assert "--cords" in capsys.readouterr().err
    assert load(file).design.cords


def test_the_export_dialog_asks_for_cords_and_remembers(
    example: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    example.canvas.set_view("racks")
    example.canvas.set_side(Side.REAR)
    answers.export_path = tmp_path / "rear.svg"
    trigger(example, qtbot, "export.svg")
    example.bindings.exporting.wait()
    assert b"stroke-dasharray" not in answers.export_path.read_bytes(), "at first without"
    answers.export_cords = True
    trigger(example, qtbot, "export.svg")
    example.bindings.exporting.wait()
    assert b"stroke-dasharray" in answers.export_path.read_bytes()
    assert example.settings.export_cords
    example.canvas.set_view("floor")
    answers.export_path = tmp_path / "floor.svg"
    trigger(example, qtbot, "export.svg")
    example.bindings.exporting.wait()
    assert b"stroke-dasharray" not in answers.export_path.read_bytes(), "only racks have cords"


def test_the_box_is_part_of_the_dialog(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    dialog = DrawingDialog(window, "Export", tmp_path / "a.svg", "SVG (*.svg)", True)
    qtbot.addWidget(dialog)
    dialog.show()
    QApplication.processEvents()
    assert dialog.cords.isVisible()
    assert dialog.cords.isChecked()
    assert dialog.testOption(QFileDialog.Option.DontUseNativeDialog)
    assert [Path(name).name for name in dialog.selectedFiles()] == ["a.svg"]
