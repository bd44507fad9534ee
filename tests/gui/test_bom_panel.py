# SPDX-License-Identifier: Apache-2.0
"""The bill of materials: lines by category, spares, prices, labels, files, and clicks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot
from tests.gui.design_kit import example_design
from tests.gui.window_kit import Answers, trigger

from rackloom.catalog import CablePart, DevicePart, PartId, RackPart, load_bundled
from rackloom.design import CableEnd, Design, Draft, edits
from rackloom.design.buying import remove_price_list, set_price_list, set_spares
from rackloom.design.exchanging import try_exchange
from rackloom.files import load, save
from rackloom.reports.bom import bom
from rackloom.reports.buying import bill, list_prices, read_prices
from rackloom_gui.dialogs.labels import LabelsDialog
from rackloom_gui.dialogs.prices import PricesDialog, SparesDialog
from rackloom_gui.dialogs.swap_part import SwapDialog
from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.bom import BomPanel
from rackloom_gui.theme import Theme


@pytest.fixture
def panel(theme: Theme, icons: Icons, qtbot: QtBot) -> Iterator[BomPanel]:
    document = Document()
    document.open_design(example_design(), None)
    made = BomPanel(document, theme, icons)
    qtbot.addWidget(made)
    document.setParent(made)
    made.resize(1100, 400)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: bool(made.rows) and made.up_to_date, timeout=10_000)
    yield made
    made.stop()


def heading(panel: BomPanel, title: str) -> QTreeWidgetItem:
    for number in range(panel.tree.topLevelItemCount()):
        item = panel.tree.topLevelItem(number)
        if item is not None and item.text(0) == title:
            return item
    raise AssertionError(title)


def test_the_panel_lists_what_the_report_lists(panel: BomPanel) -> None:
    rows = bom(panel._document.design)
    assert panel.rows == rows
    listed = sum(
        item.childCount()
        for n in range(panel.tree.topLevelItemCount())
        if (item := panel.tree.topLevelItem(n)) is not None
    )
    assert listed == len(rows)
    assert heading(panel, "Server").text(1) == "4"
    assert heading(panel, "PDU").childCount() == 1


def test_a_line_selects_all_that_it_counts(panel: BomPanel, qtbot: QtBot) -> None:
    design = panel._document.design
    line = heading(panel, "Server").child(0)
    assert line is not None
    panel.tree.scrollToItem(line)
    place = panel.tree.visualItemRect(line).center()
    with qtbot.waitSignal(panel.select_requested) as told:
        qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    servers = {d.id for d in design.devices.values() if d.part == "dgx-h100"}
    assert set(told.args[0]) == servers


def test_spares_are_rounded_up_line_by_line(panel: BomPanel, qtbot: QtBot) -> None:
    dialog = SparesDialog(panel.categories, panel.spares)
    qtbot.addWidget(dialog)
    assert list(dialog.fields) == [*panel.categories, "all"]
    field = dialog.fields["transceiver"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "10")
    panel._document.do("Spares", set_spares, dialog.spares())
    panel._document.flush()
    assert panel.spares == {"transceiver": Fraction(10)}
    for row in panel.rows:
        drawn = row.quantity - row.spares
        wanted = -(-drawn // 10) if row.category == "transceiver" else 0
        assert row.spares == wanted
    assert "spares" in panel.columns()
    panel._document.undo()
    panel._document.flush()
    assert not any(row.spares for row in panel.rows)
    assert "spares" not in panel.columns()


def test_spares_nobody_touched_stay_as_exact_as_they_were(panel: BomPanel, qtbot: QtBot) -> None:
    panel._document.do("Spares", set_spares, {"cable": 2.25, "ladder": 4.0, "all": 1.0})
    panel._document.flush()
    dialog = SparesDialog(panel.categories, panel.spares)
    qtbot.addWidget(dialog)
    assert dialog.fields["server"].value() == 1.0  # as all others
    dialog.fields["server"].setValue(0.0)
    shares = dialog.spares()
    assert (shares["cable"], shares["ladder"], shares["server"]) == (2.25, 4.0, 0.0)
    panel._document.do("Spares", set_spares, shares)
    panel._document.flush()
    assert {row.spares for row in panel.rows if row.category == "server"} == {0}
    assert all(row.spares > 0 for row in panel.rows if row.category == "switch")


def test_prices_give_totals_and_say_what_is_missing(panel: BomPanel, qtbot: QtBot) -> None:
    priced = next(row for row in panel.rows if row.part_number)
    text = f"part_number,price,currency\n{priced.part_number},100.50,eur\n"
    prices = read_prices(text.encode())
    panel._document.do("Prices", set_price_list, "list.csv", list_prices(prices))
    panel._document.flush()
    found = next(row for row in panel.rows if row.part_number == priced.part_number)
    assert found.total_price == pytest.approx(100.50 * priced.quantity)
    assert "EUR" in panel.summary.text() or "EUR" in panel.summary.toolTip()
    dialog = PricesDialog(panel.rows, prices, "list.csv")
    qtbot.addWidget(dialog)
    assert priced.model not in dialog.missing.toPlainText().splitlines()
    assert len(dialog.missing.toPlainText().splitlines()) == sum(
        row.part_number != priced.part_number for row in panel.rows
    )
    assert panel.lines()[-1] is panel.totals[-1]
    panel._document.do("None", remove_price_list)
    panel._document.flush()
    assert "total_price" not in panel.columns()


def test_a_narrow_panel_keeps_its_search_and_has_its_buttons_in_a_menu(
    panel: BomPanel, qtbot: QtBot
) -> None:
    assert not panel.more.isVisible()
    panel.resize(360, 300)
    assert panel.more.isVisible()
    assert not any(button.isVisible() for button in panel._buttons)
    assert panel.search.width() > 150
    menu = panel.more.menu()
    assert [action.text() for action in menu.actions()] == [b.text() for b in panel._buttons]
    with qtbot.waitSignal(panel.labels_requested):
        menu.actions()[2].trigger()
    panel.resize(1100, 300)
    assert all(button.isVisible() for button in panel._buttons)


def test_words_narrow_the_lines(panel: BomPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.search.searched):
        qtbot.keyClicks(panel.search, "qm9700")
    assert panel.tree.topLevelItemCount() == 1
    assert heading(panel, "Switch").childCount() == 1


def test_the_file_has_the_spares_of_the_panel(
    example: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path
) -> None:
    example.document.do("Spares", set_spares, {"cable": 5.0, "fibre": 5.0})
    answers.export_path = tmp_path / "out.csv"
    trigger(example, qtbot, "export.bom")
    head = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head.split(",")[-1] == "spares"
    answers.export_path = tmp_path / "power.csv"
    trigger(example, qtbot, "export.power")
    text = (tmp_path / "power.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith("place,name,devices,maximum_w")
    # A list that is none is refused with a sentence and changes nothing.
    bad = tmp_path / "prices.csv"
    bad.write_text("a,b\n1,2\n", encoding="utf-8")
    example.bindings.parts.load_prices(bad)
    assert "part_number" in example.banner.text
    assert not example.document.design.settings.price_list


def test_a_price_list_is_kept_with_the_project_as_one_step(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, steps = example.document.design, example.document.history.position
    known = next(row for row in bom(start) if row.part_number)
    file = tmp_path / "prices.csv"
    text = f"part_number,price,currency\n{known.part_number},300,USD\n"
    file.write_text(text, encoding="utf-8")
    seen: list[PricesDialog] = []

    def look(dialog: PricesDialog) -> int:
        seen.append(dialog)
        return 0

    monkeypatch.setattr(PricesDialog, "exec", look)
    example.bindings.parts.load_prices(file)
    assert example.document.history.position == steps + 1
    assert len(seen[0].missing.toPlainText().splitlines()) == len(bom(start)) - 1
    save(tmp_path / "kept.rackloom", example.document.design)
    kept = load(tmp_path / "kept.rackloom").design
    assert kept.settings.price_list == "prices.csv"
    assert bill(kept).totals[0].total_price == 300 * known.quantity
    # The list is there: the button shows it, and takes it out as one step.
    monkeypatch.setattr(PricesDialog, "exec", lambda dialog: dialog._remove() or 0)
    example.bindings.parts.prices()
    assert example.document.design == start
    example.document.undo()
    assert example.document.design.settings.price_list == "prices.csv"


def test_labels_follow_the_template_and_go_into_a_pdf(
    example: MainWindow, qtbot: QtBot, answers: Answers, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    answers.export_path = tmp_path / "labels.pdf"
    seen: list[LabelsDialog] = []

    def use(dialog: LabelsDialog) -> int:
        seen.append(dialog)
        assert len(dialog.labels) == 2 * len(example.document.design.cables)
        dialog.template.setText("{near_devise}")
        dialog.work_out()
        assert "near_device" in dialog.problem.text()
        assert not dialog.pdf.isEnabled()
        dialog.template.setText("{near_device}:{near_port}")
        dialog.work_out()
        assert dialog.pdf.isEnabled()
        assert any(label.text.startswith("gpu-001:") for label in dialog.labels)
        qtbot.mouseClick(dialog.keep, Qt.MouseButton.LeftButton)
        qtbot.mouseClick(dialog.pdf, Qt.MouseButton.LeftButton)
        return 0

    monkeypatch.setattr(LabelsDialog, "exec", use)
    trigger(example, qtbot, "export.labels")
    assert seen
    assert (tmp_path / "labels.pdf").read_bytes().startswith(b"%PDF")
    assert example.document.design.settings.label_template == "{near_device}:{near_port}"


def test_many_labels_are_written_by_a_thread(
    theme: Theme, icons: Icons, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = example_design()
    monkeypatch.setattr("rackloom_gui.dialogs.labels.AT_ONCE", 0)
    dialog = LabelsDialog(design, theme, icons)
    qtbot.addWidget(dialog)
    assert dialog.count.text() == "The labels are being written…"
    assert not dialog.pdf.isEnabled()
    qtbot.waitUntil(dialog.pdf.isEnabled, timeout=10_000)
    assert len(dialog.labels) == 2 * len(design.cables)
    dialog.skip.setValue(3)  # another place on the sheet needs no other labels
    assert dialog.pdf.isEnabled()
    dialog.template.setText("{near_devise}")
    dialog.work_out()
    assert "near_device" in dialog.problem.text()
    dialog.template.setText("{near_device}")
    dialog.work_out()
    qtbot.waitUntil(dialog.pdf.isEnabled, timeout=10_000)
    assert dialog.labels[0].text == dialog.labels[0].device
    dialog.template.setText("{cable}")
    dialog.work_out()
    dialog.reject()  # what is still being written is for nobody
    assert not dialog._job.pending or dialog._job._next is None


def test_swapping_a_leaf_shows_what_is_lost_and_is_one_step(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = example.document.design
    leaf = next(d.id for d in design.devices.values() if d.name == "leaf-01")
    example.document.select([leaf])

    def use(dialog: SwapDialog) -> int:
        assert dialog.choose("nvidia-qm9790")
        assert dialog.kept
        assert dialog._ok.isEnabled()
        assert "kept" in dialog.summary.text()
        return 1

    monkeypatch.setattr(SwapDialog, "exec", use)
    steps = example.document.history.position
    trigger(example, qtbot, "parts.swap")
    assert example.document.design.devices[leaf].part == "nvidia-qm9790"
    assert example.document.history.position == steps + 1
    example.document.undo()
    assert example.document.design == design


def test_the_preview_of_a_swap_says_which_cables_go_dark() -> None:
    """A cable may fit and stay plugged, and yet its two ends speak no common rate any more."""
    catalog = load_bundled()
    draft = Draft(Design())
    row = edits.add_row(draft)
    rack = catalog.require("generic-48u-600")
    assert isinstance(rack, RackPart)
    rack_id = edits.add_rack(draft, rack, row, 0.0)
    switch, other, dac = (
        catalog[PartId(i)] for i in ("nvidia-qm9700", "arista-7060x6-32pe", "mcp4y10-n")
    )
    assert isinstance(switch, DevicePart)
    assert isinstance(other, DevicePart)
    assert isinstance(dac, CablePart)
    a, b = (edits.add_device(draft, switch, rack_id, u) for u in (10, 12))
    cable = edits.plug_cable(draft, dac, [CableEnd(0, a, "9"), CableEnd(1, b, "9")], 1.0)
    design, _ = draft.close("Build")
    assert len(design.links[cable]) == 2
    messages = [loss.message for kept in try_exchange(design, [a], other) for loss in kept.lost]
    names = [design.devices[d].name for d in (a, b)]
    where = f"from {names[0]} 9 to {names[1]} 9"
    assert messages == [f"the {dac.model} {where} stays plugged but carries no link any more"]


def test_in_a_narrow_panel_one_reads_how_many_and_how_long(panel: BomPanel, qtbot: QtBot) -> None:
    """Quantity and length come before the part number, and the search field can be read."""
    panel.resize(441, 274)
    qtbot.waitUntil(lambda: panel.tree.viewport().width() < 441)
    head = panel.tree.headerItem()
    titles = [head.text(n) for n in range(panel.tree.columnCount())]
    assert titles[:4] == ["Part", "Quantity", "Length", "Part number"]
    sizes = panel.tree.header()
    assert sizes.sectionViewportPosition(2) + sizes.sectionSize(2) < panel.tree.viewport().width()
    assert panel.search.width() >= 120
    assert panel.summary.width() > 400


def test_enter_closes_the_price_list_and_keeps_it(panel: BomPanel, qtbot: QtBot) -> None:
    prices = read_prices(b"part_number,price,currency\nMQM9700-NS2F,28000,USD\n")
    dialog = PricesDialog(panel.rows, prices, "prices.csv")
    qtbot.addWidget(dialog)
    assert not any(line.startswith("8 ×  ") for line in dialog.missing.toPlainText().splitlines())
    assert "8 × C13 to C14" in dialog.missing.toPlainText()
    dialog.show()
    qtbot.waitExposed(dialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert not dialog.remove_prices
    assert not dialog.another_wanted
