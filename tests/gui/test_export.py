# SPDX-License-Identifier: Apache-2.0
"""Drawings as files: they open, match the canvas, and come out the same every time."""

import csv
import os
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import Answers, device_named, trigger

from rackloom.collectives import estimate
from rackloom.design import Design, edits
from rackloom.design.draft import Draft
from rackloom.files import load
from rackloom.reports import cable_schedule
from rackloom.reports.colouring import COLOURINGS
from rackloom_gui.dialogs.questions import ScheduleDialog
from rackloom_gui.export import render, render_bytes, render_chart
from rackloom_gui.export.sheets import SHEETS
from rackloom_gui.main_window import MainWindow

EXAMPLE = Path(__file__).parents[2] / "resources/rackloom_resources/examples/dgx-h100-4.rackloom"
pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def design() -> Design:
    return load(EXAMPLE).design


def _svg(design: Design, view: str = "racks", side: str = "front") -> str:
    return render_bytes(design, view, side, "svg").decode()


def _texts(svg: str) -> list[str]:
    """Texts of a drawing, without spaces at their ends."""
    names = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(node.itertext()).strip() for node in names]


# SVG


@pytest.mark.parametrize(
    ("view", "side"),
    [("racks", "front"), ("racks", "rear"), ("fabric", "front"), ("floor", "front")],
)
def test_a_drawing_names_everything_it_shows(design: Design, view: str, side: str) -> None:
    texts = _texts(_svg(design, view, side))
    wanted = {"A01", "A02"} if view != "fabric" else set()
    if view != "floor":
        wanted |= {d.name for d in design.devices.values() if "PDU" not in d.part} & {
            f"leaf-0{n}" for n in (1, 2)
        }
        wanted |= {"spine-01", "spine-02", "gpu-001", "gpu-004"}
    assert wanted <= set(texts)


def test_both_sides_stand_beside_each_other(design: Design) -> None:
    front, both = (ET.fromstring(_svg(design, side=side)) for side in ("front", "both"))
    assert {"Front", "Rear"} <= set(_texts(_svg(design, side="both")))
    width = [float(node.get("viewBox", "").split()[2]) for node in (front, both)]
    assert width[1] > 1.9 * width[0]


def test_a_drawing_is_vectors_only(design: Design) -> None:
    for view in ("racks", "fabric", "floor"):
        assert "<image" not in _svg(design, view)


def test_a_hostile_name_stays_text() -> None:
    draft = Draft(Design())
    row = edits.add_row(draft, "<script>alert(1)</script>")
    from rackloom.catalog import load_bundled
    from rackloom.catalog.parts import PartId, RackPart

    rack = load_bundled()[PartId("generic-42u-600")]
    assert isinstance(rack, RackPart)
    edits.add_rack(draft, rack, row, 0.0)
    svg = _svg(draft.close("x")[0])
    assert "<script" not in svg
    assert "<script>alert(1)</script>" in _texts(svg)


def test_an_empty_design_can_be_drawn() -> None:
    for kind in ("svg", "pdf", "png"):
        assert len(render_bytes(Design(), "racks", "both", kind)) > 300


def _hall(racks: int) -> Design:
    """A row of racks with two servers each."""
    from rackloom.catalog import load_bundled

    catalog: Any = load_bundled()
    draft = Draft(Design())
    row = edits.add_row(draft)
    for n in range(racks):
        rack = edits.add_rack(draft, catalog["generic-48u-800"], row, n * 0.8)
        for u in (1, 9):
            edits.add_device(draft, catalog["dgx-h100"], rack, u)
    return draft.close("x")[0]


def test_a_great_drawing_writes_what_looks_the_same_once() -> None:
    """Each faceplate used to be written anew: 137 MB for 2,048 servers."""
    few, many = _svg(_hall(60)), _svg(_hall(600))
    each = (len(many) - len(few)) / (2 * 540)
    assert each < 1500, "bytes a server, with its half of the rack and its lines between U"
    assert many.count("<use ") >= 1200
    assert {f"gpu-{n}" for n in ("01", "1200")} <= set(_texts(many)), "however many, all are named"


def test_a_drawing_looks_the_same_as_svg_and_as_png(design: Design) -> None:
    for view, side in (("racks", "both"), ("fabric", "front"), ("floor", "front")):
        picture = QImage.fromData(render_bytes(design, view, side, "png", dpi=96))
        written = QImage(picture.size(), QImage.Format.Format_RGB32)
        renderer = QSvgRenderer(QByteArray(_svg(design, view, side).encode()))
        painter = QPainter(written)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter)
        painter.end()
        apart = np.abs(_pixels(picture).astype(int) - _pixels(written).astype(int)).max(axis=2)
        assert (apart > 80).mean() < 0.015, f"{view}: edges of thin lines and texts only"


_TWICE = """
import hashlib, sys
from rackloom.files import load
from rackloom_gui.export import render_bytes
design = load(sys.argv[1]).design
for view in ("racks", "fabric", "floor"):
    print(hashlib.sha256(render_bytes(design, view, "both", "svg")).hexdigest())
"""


def test_a_drawing_is_the_same_in_another_process_without_a_display() -> None:
    outputs = []
    for seed in ("1", "2"):
        env = {k: v for k, v in os.environ.items() if k not in {"DISPLAY", "QT_QPA_PLATFORM"}}
        env["PYTHONHASHSEED"] = seed
        done = subprocess.run(
            [sys.executable, "-c", _TWICE, str(EXAMPLE)],
            env=env, capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].split()) == 3


# Golden: shapes in order; texts are left out, for their widths are the machine's

GOLDEN = Path(__file__).parents[1] / "data" / "export"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _shapes(svg: str) -> list[tuple[str, str, str, tuple[float, ...]]]:
    """Tag, fill and stroke, and numbers of every shape. Plates behind texts are left out."""
    found = []
    for node in ET.fromstring(svg).iter():
        tag = node.tag.rpartition("}")[2]
        if tag not in {"path", "ellipse", "use"}:
            continue  # round corners: plates and sockets
        shape = node.get("d") or " ".join(node.get(k, "") for k in ("x", "y", "cx", "cy", "rx"))
        numbers = tuple(round(float(n), 1) for n in _NUMBER.findall(shape))
        found.append((tag, node.get("fill", ""), node.get("stroke", ""), numbers))
    return found


@pytest.mark.parametrize("view", ["fabric", "floor"])
def test_drawings_match_the_golden_ones(design: Design, view: str) -> None:
    path = GOLDEN / f"dgx-h100-4-{view}.svg"
    svg = _svg(design, view)
    if os.environ.get("RACKLOOM_UPDATE_GOLDEN"):
        GOLDEN.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8")
    golden = _shapes(path.read_text(encoding="utf-8"))
    shapes = _shapes(svg)
    assert [s[:3] for s in shapes] == [g[:3] for g in golden]
    for shape, wanted in zip(shapes, golden, strict=True):
        assert shape[3] == pytest.approx(wanted[3], abs=0.15), wanted


# PNG, and the canvas


def test_a_png_has_the_fineness_that_was_asked_for(design: Design) -> None:
    sizes = []
    for dpi in (96, 192):
        image = QImage.fromData(render_bytes(design, "racks", "front", "png", dpi=dpi))
        sizes.append(image.width())
        assert image.dotsPerMeterX() == round(dpi / 0.0254)
    assert sizes[1] == pytest.approx(2 * sizes[0], abs=2)


def _pixels(image: QImage) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), dtype=np.uint8)
    return data.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width(), :3]


def test_the_export_matches_the_canvas(example: MainWindow, qtbot: QtBot) -> None:
    from rackloom.catalog.words import Side
    from rackloom_gui.export.picture import detail_scale, picture_of

    tokens = example.theme.tokens
    for side in (Side.FRONT, Side.REAR):
        picture = picture_of(example.document.design, "racks", side, tokens)
        scale = detail_scale(picture)
        exported = QImage.fromData(
            render_bytes(example.document.design, "racks", side, "png", tokens=tokens, dpi=96)
        )
        example.canvas.set_problem_marks({})
        example.canvas.set_side(side)
        pane = example.canvas.shown_panes[0]
        pane.catch_up()
        pane.arrays.hidden_devices = frozenset()
        drawn = QImage(exported.size(), QImage.Format.Format_RGB32)
        drawn.fill(tokens.canvas)
        painter = QPainter(drawn)
        shown = picture.window
        source = QRectF(shown.x0, shown.y0, picture.width_mm, picture.height_mm)
        target = QRectF(0, 0, picture.width_mm * scale, picture.height_mm * scale)
        pane.scene().render(painter, target, source)
        painter.end()
        away = np.abs(_pixels(exported).astype(int) - _pixels(drawn).astype(int)).max(axis=2)
        assert (away > 48).mean() < 0.02, side


# PDF


def _pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_pdf_has_a_title_block_and_as_many_sheets_as_racks_need(design: Design) -> None:
    pdf = render_bytes(design, "racks", "both", "pdf", date="2026-01-31")
    assert pdf.startswith(b"%PDF-")
    assert _pages(pdf) == 1
    small = render_bytes(design, "racks", "both", "pdf", sheet="A4")
    assert _pages(small) >= 1
    assert re.search(rb"/MediaBox \[0 0 1190\.\d* 841\.\d*|/MediaBox \[0 0 119[01]", pdf)


def test_many_racks_take_several_sheets() -> None:
    from rackloom.catalog import load_bundled
    from rackloom.generate import generate

    made = generate("rail-fat-tree", load_bundled(), servers=32).design
    from rackloom.catalog.words import Side
    from rackloom_gui.export.render import TITLES
    from rackloom_gui.export.sheets import rack_sheets

    sheets = rack_sheets(made, [Side.FRONT, Side.REAR], SHEETS["A3"], TITLES)
    assert len(sheets) > 1
    assert all(len(sheet.pictures) == 2 for sheet in sheets)
    scales = {sheet.scale_text for sheet in sheets}
    assert len(scales) == 1
    room = SHEETS["A3"][0] - 20
    for sheet in sheets:
        factor = int(sheet.scale_text.partition(":")[2])
        assert sum(p.width_mm for p in sheet.pictures) / factor <= room
    assert _pages(render_bytes(made, "racks", "both", "pdf")) == len(sheets)


# Files, wishes, the window


def test_what_is_unknown_is_refused_with_what_there_is(design: Design, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.svg, \.pdf, \.png"):
        render(design, "racks", "front", tmp_path / "x.doc")
    with pytest.raises(ValueError, match="racks, fabric, floor"):
        render(design, "roof", "front", tmp_path / "x.svg")
    with pytest.raises(ValueError, match="front, rear, both"):
        render(design, "racks", "left", tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_the_menu_writes_drawing_and_tables(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    for action, name, head in (
        ("export.svg", "a.svg", b"<?xml"),
        ("export.pdf", "a.pdf", b"%PDF-"),
        ("export.png", "a.png", b"\x89PNG"),
        ("export.bom", "bom.csv", b"part_number,manufacturer"),
        ("export.bom", "bom.xlsx", b"PK"),
        ("export.cables", "cables.csv", b"cable,label,part_number"),
    ):
        answers.export_path = tmp_path / name
        trigger(example, qtbot, action)
        example.bindings.exporting.wait()
        assert (tmp_path / name).read_bytes().startswith(head), name
        assert name in example.status.message.text()


def _colours(path: Path) -> set[str]:
    with path.open(encoding="utf-8-sig") as file:
        return {row["colour"] for row in csv.DictReader(file)}


def test_the_cable_schedule_is_coloured_as_one_likes_and_the_window_remembers(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    answers.export_path = tmp_path / "cables.csv"
    trigger(example, qtbot, "export.cables")
    own = _colours(answers.export_path)
    seen = {}
    for by in ("fabric", "rail"):
        answers.export_colour = by
        trigger(example, qtbot, "export.cables")
        seen[by] = _colours(answers.export_path)
    answers.export_colour = None
    trigger(example, qtbot, "export.cables")
    design = example.document.design
    networks = {row.fabric for row in cable_schedule(design) if row.fabric}
    assert own == {cable.colour or "" for cable in design.cables.values()}
    assert len(seen["fabric"] - {""}) == len(networks) == 1, "the example has one network"
    assert len(seen["rail"] - {""}) == 8, "a DGX H100 has eight rails"
    assert _colours(answers.export_path) == seen["rail"]


def test_the_dialog_of_the_schedule_offers_what_the_command_line_does(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = ScheduleDialog(window, "Export", tmp_path / "c.csv", "CSV (*.csv)", "rail")
    qtbot.addWidget(dialog)
    dialog.show()
    QApplication.processEvents()
    box = dialog.colour
    assert box.isVisible()
    assert [box.itemData(n) for n in range(box.count())] == list(COLOURINGS)
    assert box.currentData() == "rail"
    assert [Path(name).name for name in dialog.selectedFiles()] == ["c.csv"]


def test_a_picture_of_dots_is_made_beside_the_window(
    example: MainWindow,
    answers: Answers,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A PNG of 120 million dots takes seconds, of a design of any size."""
    threads: list[threading.Thread] = []

    def make(*_args: Any, **_kw: Any) -> bytes:
        threads.append(threading.current_thread())
        return b"dots"

    monkeypatch.setattr("rackloom_gui.export.render", make)
    answers.export_path = tmp_path / "a.png"
    trigger(example, qtbot, "export.png")
    example.bindings.exporting.wait()
    assert (tmp_path / "a.png").read_bytes() == b"dots"
    assert threads
    assert threads[0] is not threading.main_thread()


def test_a_folder_that_is_not_there_is_one_sentence(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    answers.export_path = tmp_path / "missing" / "a.svg"
    trigger(example, qtbot, "export.svg")
    assert "missing" in example.banner.text
    assert not (tmp_path / "missing").exists()


def test_a_copied_picture_has_three_formats(example: MainWindow, qtbot: QtBot) -> None:
    example.document.select([device_named(example, "leaf-01")])
    trigger(example, qtbot, "edit.copy_picture")
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.hasImage()
    assert mime.text().startswith("leaf-01\t")
    svg = QByteArray(mime.data("image/svg+xml").data())
    assert QSvgRenderer(svg).isValid()
    assert "leaf-01" in _texts(bytes(svg.data()).decode())


def test_the_chart_is_exported_too(design: Design, tmp_path: Path) -> None:
    answer = estimate(design)
    svg = render_chart(answer, tmp_path / "chart.svg").read_text()
    assert {"1K", "1M", "1G"} <= set(_texts(svg))
    image = QImage(str(render_chart(answer, tmp_path / "chart.png")))
    assert (image.width(), image.height()) == (1800, 1040)
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        render_chart(answer, tmp_path / "chart.gif")


@pytest.mark.parametrize("given", ["plan.csv", "plan-2.5", "plan"])
def test_a_drawing_gets_the_ending_of_what_it_is(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot, given: str
) -> None:
    """Whatever ending was typed: nothing fails, and what is written can be told by its name."""
    answers.export_path = tmp_path / given
    trigger(example, qtbot, "export.svg")
    written = tmp_path / f"{given}.svg"
    assert written.read_bytes().startswith(b"<?xml")
    assert sorted(tmp_path.glob("plan*")) == [written]


@pytest.mark.parametrize("view", ["racks", "fabric", "floor"])
def test_a_drawing_is_xml_whatever_the_names_hold(design: Design, view: str) -> None:
    """Control characters and non-characters come from files of others; XML cannot hold them."""
    draft = Draft(design)
    name = "<b>&amp;\x00\x1b[31m\x0b\ufffe\uffff]]>"
    draft.put(replace(design.settings, project=name))
    for rack in design.racks.values():
        draft.put(replace(rack, name=name))
    for row in design.rows.values():
        draft.put(replace(row, name=name))
    for device in design.devices.values():
        draft.put(replace(device, name=name))
    drawn = render_bytes(draft.close("Name")[0], view, "front", "svg")
    root = ET.fromstring(drawn)
    assert root.findtext("{http://www.w3.org/2000/svg}title", "").startswith("<b>&amp;")


@pytest.mark.qt_log_ignore("Painter ended with")
def test_a_drawing_that_fails_does_not_take_the_program_down(
    design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt crashes where a painter outlives what it paints on: an error has to end it first."""

    def fail(*_: object, **__: object) -> None:
        raise OverflowError

    monkeypatch.setattr("rackloom_gui.export.picture.draw_devices", fail)
    for kind in ("svg", "png", "pdf"):
        with pytest.raises(OverflowError):
            render_bytes(design, "racks", "front", kind)
