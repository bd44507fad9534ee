# SPDX-License-Identifier: Apache-2.0
"""What is painted: how often Python is called for it, and what can be seen in the pixels."""

from typing import Any

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG, DAC, NODE, SWITCH, made, middle, port, small

from rackloom.catalog.parts import U_MM, DevicePart
from rackloom.catalog.words import Side
from rackloom.design import Draft, edits
from rackloom.design.entities import CableEnd
from rackloom.reports.power import power_of, power_of_device
from rackloom_gui.canvas.backdrops import LEAST_TITLE_PX, title_size
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.elevation_layout import NUMBERS_MM
from rackloom_gui.canvas.faceplates import name_box, paint_face
from rackloom_gui.canvas.faces import make_face
from rackloom_gui.canvas.layers import Layer
from rackloom_gui.canvas.pencil import Pencil, text_width
from rackloom_gui.canvas.racks import number_strip, strip_mm
from rackloom_gui.canvas.tips import device_tip
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme
from rackloom_gui.tokens import DARK, LIGHT, contrast


@pytest.fixture
def canvas(qtbot: QtBot, theme: Theme) -> Canvas:
    design, ids = made(small)
    document = Document()
    canvas = Canvas(document, CATALOG, theme)
    qtbot.addWidget(canvas)
    canvas.resize(1000, 800)
    canvas.show()
    document.open_design(design, None)
    canvas.setProperty("ids", ids)
    QApplication.processEvents()
    return canvas


def shot(canvas: Canvas) -> QImage:
    return canvas.shown_panes[0].viewport().grab().toImage()


def colours_at(image: QImage, canvas: Canvas, scene: QPointF, radius: int = 2) -> set[str]:
    place = canvas.shown_panes[0].to_view(scene).toPoint()
    found = set()
    for dx in range(-radius, radius + 1):
        for dy in range(-radius, radius + 1):
            assert image.rect().contains(place), "the place is not on screen"
            found.add(image.pixelColor(place.x() + dx, place.y() + dy).name())
    return found


def ids_of(canvas: Canvas) -> dict[str, Any]:
    ids: dict[str, Any] = canvas.property("ids")
    return ids


def test_a_frame_calls_python_once_a_layer_however_much_is_drawn(
    qtbot: QtBot, theme: Theme
) -> None:
    def edit(draft: Any) -> None:
        row = edits.add_row(draft)
        for n in range(60):
            rack = edits.add_rack(draft, CATALOG["generic-48u-600"], row, 0.6 * n)
            for u in range(1, 41):
                edits.add_device(draft, NODE, rack, u)

    design, _ = made(edit)
    document = Document()
    canvas = Canvas(document, CATALOG, theme)
    qtbot.addWidget(canvas)
    canvas.resize(1000, 800)
    canvas.show()
    document.open_design(design, None)
    document.select(list(design.devices)[:500])
    QApplication.processEvents()
    pane = canvas.shown_panes[0]
    for zoom in (pane.zoom, 0.2, 1.0, 4.0):
        pane.zoom_to(zoom)
        QApplication.processEvents()
        Layer.paints = 0
        pane.viewport().repaint()
        assert 0 < Layer.paints <= pane.layer_count
    assert len(pane.scene().items()) == pane.layer_count, "2,400 devices and not an item for one"


def test_selection_is_framed_and_goes_when_it_is_cleared(canvas: Canvas) -> None:
    ids = ids_of(canvas)
    pane = canvas.shown_panes[0]
    box = pane.arrays.box_of(ids["server0"])
    assert box is not None
    edge = QPointF(box[0] + box[2] * 0.7, box[1])
    wanted = LIGHT.selection.name()
    assert wanted not in colours_at(shot(canvas), canvas, edge)
    canvas.document.select([ids["server0"]])
    assert wanted in colours_at(shot(canvas), canvas, edge)
    canvas.document.select(())
    assert wanted not in colours_at(shot(canvas), canvas, edge)


def test_used_ports_are_filled_in_the_colour_of_their_network(canvas: Canvas) -> None:
    ids = ids_of(canvas)
    canvas.set_side(Side.REAR)
    canvas.fit_ids([ids["leaf0"]])
    QApplication.processEvents()
    pane = canvas.shown_panes[0]
    image = shot(canvas)
    compute = LIGHT.fabric("compute").name()
    assert compute in colours_at(image, canvas, port(pane, ids["leaf0"], "1"), 1)
    assert compute not in colours_at(image, canvas, port(pane, ids["leaf0"], "20"), 1)


def test_problem_marks_differ_in_shape_as_well_as_colour(canvas: Canvas) -> None:
    ids = ids_of(canvas)
    pane = canvas.shown_panes[0]
    box = pane.arrays.box_of(ids["server1"])
    assert box is not None
    corner = QPointF(box[0] + box[2], box[1])
    shapes = {}
    for severity in ("error", "warning", "info"):
        canvas.set_problem_marks({ids["server1"]: severity})
        image = shot(canvas)
        colour = LIGHT.severity(severity)
        place = pane.to_view(corner).toPoint()
        shapes[severity] = frozenset(
            (dx, dy)
            for dx in range(-9, 10)
            for dy in range(-9, 10)
            if image.pixelColor(place.x() + dx, place.y() + dy) == colour
        )
        assert len(shapes[severity]) > 40
    assert len(set(shapes.values())) == 3
    # A triangle has less in its upper half than a disc or a square.
    upper = {s: sum(1 for _, dy in shape if dy < -2) for s, shape in shapes.items()}
    assert upper["warning"] < 0.7 * upper["error"]


def test_unplugged_cables_and_the_cut_are_painted(canvas: Canvas) -> None:
    ids = ids_of(canvas)
    canvas.set_side(Side.REAR)
    canvas.fit_ids([ids["rack0"]])
    route = canvas.shown_panes[0].arrays.route_of(ids["cable"])
    lengths = abs(route[:, 2] - route[:, 0]) + abs(route[:, 3] - route[:, 1])
    x1, y1, x2, y2 = route[int(lengths.argmax())]
    spot = QPointF((x1 + x2) / 2, (y1 + y2) / 2)
    canvas.set_cut([ids["cable"]])
    assert LIGHT.binding_cut.name() in colours_at(shot(canvas), canvas, spot)
    canvas.set_cut(())
    canvas.set_unplugged([ids["cable"]])
    assert LIGHT.unplugged.name() in colours_at(shot(canvas), canvas, spot, 6)


def test_loads_colour_cables(canvas: Canvas) -> None:
    ids = ids_of(canvas)
    canvas.set_side(Side.REAR)
    canvas.fit_ids([ids["rack0"]])
    pane = canvas.shown_panes[0]
    route = pane.arrays.route_of(ids["cable"])
    lengths = abs(route[:, 2] - route[:, 0]) + abs(route[:, 3] - route[:, 1])
    x1, y1, x2, y2 = route[int(lengths.argmax())]
    spot = QPointF((x1 + x2) / 2, (y1 + y2) / 2)
    canvas.set_link_loads({ids["cable"]: 1.5})
    assert LIGHT.error.name() in colours_at(shot(canvas), canvas, spot)
    canvas.set_link_loads(None)
    assert LIGHT.fabric("compute").name() in colours_at(shot(canvas), canvas, spot)


def test_dark_theme_reaches_the_drawing(canvas: Canvas, theme: Theme) -> None:
    x0, y0, _, _ = canvas.shown_panes[0].arrays.layout.bounds()
    empty = QPointF(x0 - 100, y0 - 100)
    assert colours_at(shot(canvas), canvas, empty) == {LIGHT.canvas.name()}
    theme.set_choice("dark")  # type: ignore[arg-type]
    try:
        assert colours_at(shot(canvas), canvas, empty) == {DARK.canvas.name()}
    finally:
        theme.set_choice("light")  # type: ignore[arg-type]


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_names_can_be_read_on_every_kind_of_device(tokens: Any) -> None:
    for kind in tokens.devices:
        colour = tokens.device(kind)
        assert contrast(colour.fill, colour.text) >= 4.5


def test_every_part_has_a_face_that_paints_and_room_for_its_name(qapp: QApplication) -> None:
    for part in CATALOG.of_kind(DevicePart):
        if not part.rack_units:
            continue

        def edit(draft: Any, part: DevicePart = part) -> str:
            row = edits.add_row(draft)
            rack = edits.add_rack(draft, CATALOG["generic-48u-800"], row, 0.0)
            return edits.add_device(draft, part, rack, 1)

        design, device = made(edit)
        for side in Side:
            width, height = 482.6, part.rack_units * U_MM
            face = make_face(design, design.devices[device], side, width, height)
            image = QImage(500, int(height) + 20, QImage.Format.Format_RGB32)
            image.fill(QColor("#ff00ff"))
            painter = QPainter(image)
            paint_face(Pencil(painter, 1.0), face, LIGHT.device("switch"), LIGHT)
            painter.end()
            for x, y in ((240, height / 2), (3, height / 2), (480, height - 3)):
                assert image.pixelColor(int(x), int(y)).name() != "#ff00ff"
            assert image.pixelColor(490, 5).name() == "#ff00ff", "nothing beside the plate"
            spot = name_box(face)
            if spot is not None:
                assert spot[1] >= 0
                assert spot[1] + spot[3] <= height + 1e-6
            inside = face.boxes[face.seen]
            assert len(inside) == sum(1 for cage in part.cages if cage.side is side)


def test_many_cables_are_bundled_until_one_zooms_in(qtbot: QtBot, theme: Theme) -> None:
    def edit(draft: Any) -> None:
        row = edits.add_row(draft)
        racks = [edits.add_rack(draft, CATALOG["generic-48u-800"], row, 0.8 * n) for n in range(8)]
        switches = [
            [edits.add_device(draft, SWITCH, r, u, face=Side.REAR) for u in range(1, 9)]
            for r in racks
        ]
        for near, far in zip(switches[0::2], switches[1::2], strict=True):
            for a, b in zip(near, far, strict=True):
                for n in range(1, 33):
                    ends = [CableEnd(0, a, str(n)), CableEnd(1, b, str(n))]
                    edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])

    design, _ = made(edit)
    document = Document()
    canvas = Canvas(document, CATALOG, theme)
    qtbot.addWidget(canvas)
    canvas.resize(1000, 800)
    canvas.show()
    heard: list[bool] = []
    canvas.bundles_shown.connect(heard.append)
    document.open_design(design, None)
    canvas.set_side(Side.REAR)
    QApplication.processEvents()
    canvas.shown_panes[0].viewport().repaint()
    QApplication.processEvents()
    assert heard[-1] is True
    pane = canvas.shown_panes[0]
    device = next(iter(design.devices))
    assert pane.hit_at(middle(pane, device)).cable is None, "what is bundled cannot be clicked"
    x, y, w, h = pane.arrays.bundles.boxes[0].tolist()
    count = int(pane.arrays.bundles.counts[0])
    assert f"{count} cables" in pane._tip(QPointF(x + w / 2, y + h / 2))
    canvas.fit_ids([device])
    pane.viewport().repaint()
    QApplication.processEvents()
    assert heard[-1] is False


@pytest.mark.parametrize("scale", [0.02, 0.05, 0.095, 0.2, 0.6])
def test_titles_of_tiers_are_whole_at_every_zoom(qapp: QApplication, scale: float) -> None:
    """As small as it must be to fit, or not there; never cut, never over its neighbour."""
    del qapp
    for lines in (["Compute", "Spine"], ["Out-of-band", "Leaf"], ["Servers"]):
        width_px, height_px = 980.0 * scale, 450.0 * scale
        size = title_size(lines, width_px, height_px)
        assert size * len(lines) <= height_px
        if size >= LEAST_TITLE_PX:
            assert all(text_width(text, size, bold=True) <= width_px + 1 for text in lines)


@pytest.mark.parametrize("zoom", [0.22, 0.3, 0.45, 0.6, 0.9, 2.0])
@pytest.mark.parametrize("units", [9, 48, 52])
def test_unit_numbers_are_whole_or_not_there(qapp: QApplication, zoom: float, units: int) -> None:
    del qapp
    width = strip_mm(zoom, units, margin_mm=50.0)
    assert NUMBERS_MM <= width <= 50.0
    wide = round(width * zoom)

    def paint(left: int, size: int) -> QImage:
        image = QImage(size, round(units * U_MM * zoom), QImage.Format.Format_RGB32)
        image.fill(LIGHT.rack_post)
        painter = QPainter(image)
        number_strip(Pencil(painter, zoom, (left, 0.0)), units, LIGHT, width)
        painter.end()
        return image

    # Painted with room on both sides, nothing sticks out of the strip.
    roomy = paint(40, wide + 80)
    inside = roomy.copy(40, 0, wide, roomy.height())
    assert inside == paint(0, wide)
    for x in (*range(38), *range(wide + 42, wide + 80)):
        for y in range(roomy.height()):
            assert roomy.pixelColor(x, y) == LIGHT.rack_post


def test_a_rack_seen_whole_has_its_unit_numbers() -> None:
    assert strip_mm(0.3, 48, margin_mm=50.0) > NUMBERS_MM  # grows for the least text
    assert strip_mm(0.3, 48, margin_mm=22.0) == NUMBERS_MM  # but not into the frame
    assert strip_mm(2.0, 48, margin_mm=50.0) == NUMBERS_MM


def test_a_device_says_its_power_as_the_summary_does() -> None:
    design, ids = made(small)
    part = CATALOG.require("nvidia-qm9700")
    assert isinstance(part, DevicePart)
    rack = next(iter(design.racks))
    draft = Draft(design)
    switch = edits.add_device(draft, part, rack, 20)
    design, _ = draft.close("a switch")
    for device_id, power in power_of(design).items():
        assert power_of_device(design, device_id) == power
    # NVIDIA, QM97X0 user manual: 1,720 W with active cables.
    assert "1,720 W with optics" in device_tip(design, switch)
    del ids
    for device_id, device in design.devices.items():
        watts = design.part(device.part, DevicePart).power_max_w
        if watts is not None and watts >= 10_000:
            assert "kW" in device_tip(design, device_id)
