# SPDX-License-Identifier: Apache-2.0
"""The parts browser: words, facets with counts, the data sheet, and the faces of parts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from tests.gui.design_kit import example_design

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import NicPart, PartId, PduPart, ServerPart, SwitchPart
from rackloom.catalog.words import Side, Trust
from rackloom.design import Design, edits
from rackloom.design.ids import DeviceId
from rackloom_gui.canvas.faceplates import outlet_boxes
from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.panels.faceplate_view import FaceplateView
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.panels.parts_browser import PartsBrowser, use_counts
from rackloom_gui.panels.sheet_lines import ASIDE, LABELS, sheet_lines
from rackloom_gui.panels.thumbnails import part_face
from rackloom_gui.part_facets import PartIndex, value_order
from rackloom_gui.theme import Theme


@pytest.fixture
def browser(theme: Theme, icons: Icons, qtbot: QtBot) -> PartsBrowser:
    """The bundled catalogue over the bundled example."""
    document = Document()
    document.open_design(example_design(), None)
    made = PartsBrowser(document, theme, icons)
    qtbot.addWidget(made)
    document.setParent(made)
    made.set_catalog(load_bundled())
    made.resize(1240, 780)
    made.show()
    qtbot.waitExposed(made)
    return made


def tick(browser: PartsBrowser, qtbot: QtBot, facet: str, value: str) -> None:
    """Click the box of a facet's value with the mouse."""
    item = browser.facet_item(facet, value)
    assert item is not None
    tree = browser.facets
    parent = item.parent()
    assert isinstance(parent, QTreeWidgetItem)
    parent.setExpanded(True)
    tree.scrollToItem(item)
    option = QStyleOptionViewItem()
    option.initFrom(tree)
    option.rect = tree.visualItemRect(item)
    option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = tree.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, tree)
    before = browser.chosen()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    qtbot.waitUntil(lambda: browser.chosen() != before)
    qtbot.wait(20)


def test_words_and_facets_narrow_each_other_down(browser: PartsBrowser, qtbot: QtBot) -> None:
    catalog = load_bundled()
    assert len(browser.shown()) == len(catalog)
    tick(browser, qtbot, "kind", "switch")
    switches = {p.id for p in catalog.of_kind(SwitchPart)}
    assert set(browser.shown()) == switches
    # The counts of another facet are of switches only; those of its own are of everything.
    makers: dict[str, int] = {}
    for part in catalog.of_kind(SwitchPart):
        makers[part.manufacturer] = makers.get(part.manufacturer, 0) + 1
    nvidia = browser.facet_item("maker", "NVIDIA")
    assert nvidia is not None
    assert nvidia.text(0) == f"NVIDIA ({makers['NVIDIA']})"
    servers = browser.facet_item("kind", "server")
    assert servers is not None
    assert servers.text(0) == f"Servers ({len(catalog.of_kind(ServerPart))})"
    tick(browser, qtbot, "maker", "NVIDIA")
    assert {catalog[PartId(i)].manufacturer for i in browser.shown()} == {"NVIDIA"}
    # Values of one facet add up.
    tick(browser, qtbot, "kind", "server")
    assert set(browser.shown()) >= {i for i in switches if catalog[i].manufacturer == "NVIDIA"}
    qtbot.mouseClick(browser.clear, Qt.MouseButton.LeftButton)
    assert len(browser.shown()) == len(catalog)
    with qtbot.waitSignal(browser.search.searched):
        qtbot.keyClicks(browser.search, "dgx h100")
    assert "dgx-h100" in browser.shown()
    assert len(browser.shown()) < 10


def test_speeds_heights_and_powers_stand_in_their_order() -> None:
    assert sorted(["1.6T", "10G", "400G", "1G"], key=lambda v: value_order("speed", v)) == [
        "1G", "10G", "400G", "1.6T",
    ]  # fmt: skip
    assert sorted(["10U", "0.5U", "2U"], key=lambda v: value_order("height", v))[0] == "0.5U"
    powers = ["unknown", "over 15 kW", "up to 50 W"]
    assert sorted(powers, key=lambda v: value_order("power", v))[-1] == "unknown"


def test_unknown_power_is_a_value_of_its_own_and_not_zero() -> None:
    catalog = load_bundled()
    index = PartIndex.of(catalog)
    left, _counts = index.narrowed("", {"power": {"unknown"}, "kind": {"server"}})
    assert left
    assert all(isinstance(p, ServerPart) and p.power_max_w is None for p in left)
    low, _counts = index.narrowed("", {"power": {"up to 50 W"}, "kind": {"server"}})
    assert not set(low) & set(left)


def test_every_figure_of_every_part_has_a_name() -> None:
    for part in load_bundled().values():
        names = set(type(part).model_fields) - ASIDE
        assert names <= set(LABELS), (part.id, names - set(LABELS))
        for line in sheet_lines(part):
            assert line.text, (part.id, line.label)
            assert "_" not in line.label, (part.id, line.label)


def test_the_sheet_says_units_unknowns_and_trust() -> None:
    catalog = load_bundled()
    part = next(p for p in catalog.of_kind(ServerPart) if p.power_max_w and not p.power_typical_w)
    lines = {line.label: line for line in sheet_lines(part)}
    assert lines["Greatest power"].text.endswith(("W", "kW"))
    assert lines["Typical power"].text == "unknown"
    assert not lines["Typical power"].known
    assert lines["Typical power"].trust is None
    estimated = catalog[PartId("dgx-h100")]
    assert estimated.trust is Trust.DATASHEET
    assert "airflow" in estimated.estimates
    weights = {line.label: line for line in sheet_lines(estimated)}
    assert weights["Airflow"].trust is Trust.ESTIMATE
    assert weights["Weight"].trust is Trust.DATASHEET
    assert weights["Model"].trust is None


def test_sources_are_written_out_and_illustrative_parts_are_marked(browser: PartsBrowser) -> None:
    assert browser.show_part("dgx-h100")
    catalog = load_bundled()
    text = browser.sheet.sheet.toPlainText()
    for key in catalog[PartId("dgx-h100")].sources:
        assert catalog.sources[key].split(",")[0] in text
    assert not browser.sheet.badge.isVisible()
    assert browser.show_part("generic-ualink-tray")
    assert browser.sheet.badge.isVisible()


def test_uses_are_counted_and_a_click_selects_them(browser: PartsBrowser, qtbot: QtBot) -> None:
    design = browser._document.design
    servers = [d.id for d in design.devices.values() if d.part == "dgx-h100"]
    assert browser.show_part("dgx-h100")
    assert browser.sheet.uses.text() == f"Used {len(servers)} times in this design"
    with qtbot.waitSignal(browser.select_requested) as told:
        qtbot.mouseClick(browser.sheet.uses, Qt.MouseButton.LeftButton)
    assert set(told.args[0]) == set(servers)
    from rackloom.design import edits

    browser._document.do("Delete", edits.remove, {DeviceId(servers[0])})
    qtbot.waitUntil(lambda: str(len(servers) - 1) in browser.sheet.uses.text())


def test_uses_kept_up_with_edits_are_those_counted_anew(browser: PartsBrowser) -> None:
    document = browser._document
    design = document.design
    devices = list(design.devices)
    assert browser._uses() == use_counts(design)
    document.do("Remove", edits.remove, devices[:2])
    document.do("Copy", lambda draft: draft.put(replace(draft.devices[devices[3]], cards=())))
    document.do("Remove", edits.remove, list(design.cables)[:5])
    document.flush()
    assert +browser._uses() == +use_counts(document.design)
    document.undo()
    document.undo()
    document.do("Rename", edits.rename, devices[4], "other")
    document.flush()
    assert +browser._uses() == +use_counts(document.design)
    document.open_design(Design(), None)
    assert browser._uses() == use_counts(Design())


def test_what_cannot_be_placed_says_why(browser: PartsBrowser, qtbot: QtBot) -> None:
    assert browser.show_part("amd-helios-rack")
    assert not browser.sheet.place.isEnabled()
    assert "not published" in browser.sheet.place.toolTip()
    assert browser.show_part("dgx-h100")
    with qtbot.waitSignal(browser.place_requested) as told:
        qtbot.mouseClick(browser.sheet.place, Qt.MouseButton.LeftButton)
    assert told.args[0].id == "dgx-h100"


def test_cages_are_named_where_they_are_drawn(theme: Theme, qtbot: QtBot) -> None:
    view = FaceplateView(theme)
    qtbot.addWidget(view)
    view.resize(620, 200)
    part = load_bundled()[PartId("nvidia-qm9700")]
    assert isinstance(part, SwitchPart)
    view.show_part(part)
    view.show()
    qtbot.waitExposed(view)
    for cage in part.cages:
        at = view.place_of(cage.name)
        assert at is not None, cage.name
        found = view.cage_at(at)
        assert found is not None
        assert found.name == cage.name
        assert cage.name in view.tip(found)
    assert view.cage_at(QPointF(2, 2)) is None
    # A cage is darker than the sheet metal beside it.
    first = part.data_cages[0]
    at = view.place_of(first.name)
    assert at is not None
    picture = view.grab().toImage()
    ratio = picture.devicePixelRatio()
    here = picture.pixelColor((at * ratio).toPoint())
    edge = picture.pixelColor(QPoint(int(view.width() * ratio / 2), int(3 * ratio)))
    assert here.lightness() < edge.lightness()


def test_a_slow_serial_port_is_written_as_one() -> None:
    switch = load_bundled()[PartId("nvidia-qm9700")]
    lines = {line.label: line.text for line in sheet_lines(switch)}
    assert "115.2 kb/s" in lines["Ports: console"]
    assert ", ," not in lines["Ports: console"]


# What a sort of part has and has not


def test_a_panel_is_told_by_its_connectors_and_has_no_unknown_power() -> None:
    panel = load_bundled()[PartId("panduit-flex1u06")]
    assert key_figures(panel) == "1U · 72 × LC duplex – 12 × MPO-12"
    labels = {line.label for line in sheet_lines(panel)}
    assert not labels & {"Greatest power", "Power supplies", "Airflow", "Heat into liquid"}
    assert {"Weight", "Depth"} <= labels


def test_no_part_is_said_to_have_ports_without_a_speed() -> None:
    for part in load_bundled().values():
        assert "× 0G" not in key_figures(part), part.id


def test_a_trunk_joins_as_many_connectors_as_it_has_at_each_side() -> None:
    catalog = load_bundled()
    assert "8 × MPO-12 – 8 × MPO-12" in key_figures(catalog[PartId("trunk-96-os2")])
    assert "OSFP – 2 × OSFP" in key_figures(catalog[PartId("mcp7y00-n")])
    assert "OSFP – OSFP" in key_figures(catalog[PartId("mcp4y10-n")])


def test_copper_has_no_fibre_and_is_ordered_by_its_length() -> None:
    lines = {line.label: line.text for line in sheet_lines(load_bundled()[PartId("mcp7y00-n")])}
    assert "Fibre" not in lines
    assert "Part number" not in lines
    assert "980-9I432-00N001" in lines["Lengths to order"]


def test_a_whole_rack_is_drawn_and_names_what_it_holds(browser: PartsBrowser, theme: Theme) -> None:
    assert browser.show_part("gb200-nvl72-rack")
    assert "18 × NVIDIA GB200 NVL72 compute tray" in browser.sheet.sheet.toPlainText()
    face = browser.sheet.face
    assert face.isVisible()
    image = face.grab().toImage()
    for colour in (theme.tokens.device(kind).fill for kind in ("gpu-server", "switch")):
        assert any(
            _near(image.pixelColor(x, y), colour)
            for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 2)
        )
    # A rack whose contents nobody published has no picture.
    assert browser.show_part("amd-helios-rack")
    assert not face.isVisible()


def _near(a: QColor, b: QColor) -> bool:
    return max(abs(a.red() - b.red()), abs(a.green() - b.green()), abs(a.blue() - b.blue())) < 24


def test_a_strip_pdu_shows_all_its_outlets(browser: PartsBrowser) -> None:
    for pdu in load_bundled().of_kind(PduPart):
        if pdu.rack_units:
            continue
        face = part_face(pdu, Side.REAR, 56.0, 1200.0)
        boxes = outlet_boxes(face)
        assert len(boxes) == len(pdu.outlet_names)
        assert boxes[:, 1].min() >= 0, pdu.id
        assert (boxes[:, 1] + boxes[:, 3]).max() <= 1200.0, pdu.id
    assert browser.show_part("generic-415-60")
    face_view = browser.sheet.face
    assert face_view.width() > 3 * face_view.height(), "it lies on its side"


def test_a_network_card_shows_its_cages_on_its_bracket(browser: PartsBrowser) -> None:
    for card in load_bundled().of_kind(NicPart):
        assert browser.show_part(card.id)
        face = browser.sheet.face
        assert face.isVisible(), card.id
        for cage in card.cages:
            place = face.place_of(cage.name)
            assert place is not None, (card.id, cage.name)
            found = face.cage_at(place)
            assert found is not None
            assert found.name == cage.name
            assert 0 < place.x() < face.width()
            assert 0 < place.y() < face.height()
