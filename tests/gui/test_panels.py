# SPDX-License-Identifier: Apache-2.0
"""Palette, inspector, problems, history and tables, with real keys and clicks."""

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, settle, trigger

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    PartId,
    RackPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.catalog.words import Side
from rackloom.design import edits
from rackloom.design.slots import first_free_u
from rackloom.placement.routes import route_m
from rackloom.reports import summary
from rackloom_gui.dialogs.small import AcceptDialog
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.fields import ChoiceField, NumberField, TextField
from rackloom_gui.panels.figures import key_figures, part_figures
from rackloom_gui.panels.inspect_cable import CablePage
from rackloom_gui.panels.inspect_device import DevicePage
from rackloom_gui.panels.problems import ProblemsPanel

LEFT = Qt.MouseButton.LeftButton


def _field(window: MainWindow, name: str) -> TextField | NumberField | ChoiceField:
    """The inspector's field of a name."""
    page = window.inspector.page
    assert page is not None
    return next(
        f
        for f, _ in page._rows
        if f.accessibleName() == name  # type: ignore[return-value]
    )


# Palette


def test_searching_leaves_what_holds_every_word(window: MainWindow, qtbot: QtBot) -> None:
    field = window.palette_panel._search
    everything = window.palette_panel.shown_parts()
    placed = (DevicePart, RackPart, CablePart, TransceiverPart, NicPart)
    whole = {p.id for p in load_bundled().of_kind(RackSystemPart) if p.rack is not None}
    alone = {p.id for p in load_bundled().values() if isinstance(p, placed)}
    assert set(everything) == alone | whole
    qtbot.keyClicks(field, "dgx h100")
    qtbot.waitUntil(lambda: len(window.palette_panel.shown_parts()) < 5)
    assert window.palette_panel.shown_parts()[0] == "dgx-h100"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.palette_panel.shown_parts() == everything)


def test_the_number_of_one_length_finds_the_cable(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window.palette_panel._search, "980-9I432-00N001")
    qtbot.waitUntil(lambda: window.palette_panel.shown_parts() == ["mcp7y00-n"])


def test_enter_puts_a_rack_and_a_server_in(window: MainWindow, qtbot: QtBot) -> None:
    palette = window.palette_panel
    for part_id in ("generic-48u-600", "dgx-h100", "dgx-h100"):
        assert palette.show_part(part_id)
        qtbot.keyClick(palette.tree, Qt.Key.Key_Return)
    design = window.document.design
    assert [r.name for r in design.racks.values()] == ["R01"]
    assert [(d.name, d.bottom_u) for d in design.devices.values()] == [
        ("gpu-01", 1),
        ("gpu-02", 9),
    ]


def test_a_server_without_a_rack_is_refused_with_a_reason(window: MainWindow, qtbot: QtBot) -> None:
    window.palette_panel.show_part("dgx-h100")
    qtbot.keyClick(window.palette_panel.tree, Qt.Key.Key_Return)
    assert not window.document.design.devices
    assert "rack" in window.status.message.text()


def test_the_catalogue_says_unknown_and_never_zero() -> None:
    for part in load_bundled().values():
        for figure in part_figures(part):
            if not figure.known:
                assert figure.text == "unknown", (part.id, figure)
            assert not figure.text.startswith("0 W"), (part.id, figure)


def test_a_dgx_says_its_ten_kilowatts_and_its_rail_ports() -> None:
    part = load_bundled()[PartId("dgx-h100")]
    texts = {figure.label: figure.text for figure in part_figures(part)}
    assert texts["Greatest power"] == "10.2 kW"
    assert texts["Height"] == "8U"
    assert texts["GPUs"] == "8 × H100"


def test_a_switch_whose_power_is_known_with_optics_only_is_not_called_unknown() -> None:
    checked = 0
    for part in load_bundled().values():
        if (
            isinstance(part, SwitchPart)
            and part.power_max_w is None
            and part.power_max_with_optics_w is not None
        ):
            checked += 1
            assert "power unknown" not in key_figures(part), part.id
            texts = {figure.label: figure.text for figure in part_figures(part)}
            assert texts["Greatest power with optics"] != "unknown", part.id
    assert checked


# Inspector


@pytest.mark.parametrize("chosen", ["the project", "both racks"])
def test_the_inspector_and_the_summary_give_the_same_power(
    example: MainWindow, chosen: str
) -> None:
    design = example.document.design
    maximum_w = summary(design)["power_w"]["maximum"]
    assert maximum_w == 4 * 10_200 + 4 * 1_720  # four DGX H100, four QM9700 with all optics
    example.document.select(list(design.racks) if chosen == "both racks" else [])
    shown = [label.text() for label in example.inspector.findChildren(QLabel)]
    assert "47.7 kW" in shown


def test_renaming_a_device_in_the_inspector(example: MainWindow, qtbot: QtBot) -> None:
    leaf = device_named(example, "leaf-01")
    example.document.select([leaf])
    field = _field(example, "Name")
    assert isinstance(field, TextField)
    field.selectAll()
    qtbot.keyClicks(field, "leaf-north")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert example.document.design.name_of(leaf) == "leaf-north"
    assert example.document.undo_label == "Rename leaf-01"


def test_a_taken_slot_is_refused_and_the_field_shows_the_truth(
    example: MainWindow, qtbot: QtBot
) -> None:
    example.document.select([device_named(example, "leaf-01")])
    before = example.document.design
    field = _field(example, "Lowest U")
    assert isinstance(field, NumberField)
    field.selectAll()
    qtbot.keyClicks(field, "46")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert example.document.design is before
    assert "spine-01" in example.status.message.text()
    assert field.text() == "48 U"


def test_several_devices_show_mixed_and_change_together(example: MainWindow, qtbot: QtBot) -> None:
    leaves = [device_named(example, "leaf-01"), device_named(example, "spine-01")]
    example.document.select(leaves)
    field = _field(example, "Role")
    assert isinstance(field, ChoiceField)
    assert field.currentIndex() == -1
    assert field.placeholderText() == "mixed"
    index = next(n for n in range(field.count()) if field.itemText(n) == "border")
    field.setCurrentIndex(index)
    field.activated.emit(index)
    roles = {example.document.design.devices[d].role for d in leaves}
    assert roles == {"border"}
    assert len(example.document.history.steps) == 1


def test_a_cable_length_in_feet(example: MainWindow, qtbot: QtBot) -> None:
    design = example.document.design
    cable = next(iter(design.cables))
    example.document.select([cable])
    field = _field(example, "Length")
    assert isinstance(field, NumberField)
    field.selectAll()
    qtbot.keyClicks(field, "30 ft")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    after = example.document.design.cables[cable]
    assert after.length_m == pytest.approx(9.144, abs=1e-9)
    assert after.length_fixed


def test_a_cable_says_how_long_it_has_to_be(example: MainWindow) -> None:
    design = example.document.design
    cable = next(iter(design.cables.values()))
    example.document.select([cable.id])
    page = example.inspector.page
    assert isinstance(page, CablePage)
    route = route_m(design, cable)
    assert route is not None
    texts = [label.text() for label, _ in page._texts]
    assert any(t.startswith(f"{route.needed_m:.2f}".rstrip("0").rstrip(".")) for t in texts)


def test_the_ports_of_a_leaf_name_their_peers(example: MainWindow) -> None:
    example.document.select([device_named(example, "leaf-01")])
    page = example.inspector.page
    assert isinstance(page, DevicePage)
    assert page._table is not None
    lines = {line.cage.name: line for line in page._table.ports.lines}
    assert "gpu-001" in lines["1"].peers
    assert lines["1"].rate == "2 × 400G"
    plugged = {
        plug.cage
        for plug in example.document.design.index.plugs(
            example.document.design, device_named(example, "leaf-01")
        )
    }
    assert {name for name, line in lines.items() if line.peers} == plugged


def test_splitting_ports_is_one_step(example: MainWindow, qtbot: QtBot) -> None:
    leaf = device_named(example, "leaf-01")
    example.document.select([leaf])
    page = example.inspector.page
    assert isinstance(page, DevicePage)
    table = page._table
    assert table is not None
    rows = QItemSelectionModel.SelectionFlag.Rows | QItemSelectionModel.SelectionFlag.Select
    free = [n for n, line in enumerate(table.ports.lines) if line.cage.name in {"29", "30"}]
    for row in free:
        table.selectionModel().select(table.ports.index(row, 0), rows)
    page._modes.activated.emit(
        next(n for n in range(page._modes.count()) if page._modes.itemText(n) == "4x200")
    )
    assert dict(example.document.design.devices[leaf].modes) == {"29": "4x200", "30": "4x200"}
    assert len(example.document.history.steps) == 1


def test_nothing_selected_shows_the_project(example: MainWindow, qtbot: QtBot) -> None:
    example.document.select([])
    field = _field(example, "Revision")
    assert isinstance(field, TextField)
    qtbot.keyClicks(field, "B")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert example.document.design.settings.revision == "B"


# Problems


@pytest.fixture
def faulty(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example with a cable that is too short, and a duplicate name."""
    design = example.document.design
    cable = next(iter(design.cables.values()))
    example.document.do("Shorten", edits.set_cable, cable.id, length_m=0.5)
    example.document.do("Rename", edits.rename, device_named(example, "leaf-02"), "leaf-01")
    settle(example, qtbot)
    return example


def test_f8_goes_through_all_problems_and_round(faulty: MainWindow, qtbot: QtBot) -> None:
    panel = faulty.problems
    seen = []
    for _ in range(panel.shown_count + 1):
        trigger(faulty, qtbot, "problems.next")
        finding = panel.current()
        assert finding is not None
        seen.append(finding.key)
        assert set(faulty.document.selection) <= set(finding.where)
    assert len(set(seen)) == panel.shown_count
    assert seen[0] == seen[-1]
    trigger(faulty, qtbot, "problems.previous")
    current = panel.current()
    assert current is not None
    assert current.key == seen[-2]


@pytest.mark.parametrize("width", [260, 420, 1200])
def test_every_problem_can_be_read_whole_in_the_list(
    faulty: MainWindow, qtbot: QtBot, width: int
) -> None:
    panel = ProblemsPanel(faulty.theme, faulty.icons)
    qtbot.addWidget(panel)
    findings = faulty.problems._findings
    assert findings is not None
    panel.resize(width, 400)
    panel.show()
    panel.set_findings(findings)
    panel.view.expandAll()
    panel.view.setFixedWidth(width)
    QApplication.processEvents()
    heights = set()
    index = panel.view.model().index(0, 0)
    while index.isValid():
        panel.view.scrollTo(index)
        rect = panel.view.visualRect(index)
        text = str(index.data())
        metrics = panel.view.fontMetrics()
        room = rect.width() - 24  # the icon stands before the text
        wrapped = metrics.boundingRect(0, 0, room, 9999, int(Qt.TextFlag.TextWordWrap), text)
        assert rect.height() >= wrapped.height(), text
        assert rect.width() <= panel.view.viewport().width()
        heights.add(rect.height())
        index = panel.view.indexBelow(index)
    assert len(heights) > 1 or width > 1000  # long sentences took more lines


def _click(panel_view: object, index: QModelIndex, qtbot: QtBot) -> None:
    view = panel_view
    rect = view.visualRect(index)  # type: ignore[attr-defined]
    qtbot.mouseClick(view.viewport(), LEFT, pos=rect.center())  # type: ignore[attr-defined]


def _finding(window: MainWindow, rule: str) -> QModelIndex:
    model = window.problems.model
    for top, group in enumerate(model.groups):
        if group.rule == rule:
            index = model.index(0, 0, model.index(top, 0))
            window.problems.view.expand(model.index(top, 0))
            window.problems.view.scrollTo(index)
            QApplication.processEvents()
            return index
    raise AssertionError(f"no finding of {rule}: {[g.rule for g in model.groups]}")


def test_a_click_selects_and_a_fix_mends(faulty: MainWindow, qtbot: QtBot) -> None:
    cable = next(iter(faulty.document.design.cables.values()))
    index = _finding(faulty, "reach.too-short")
    _click(faulty.problems.view, index, qtbot)
    assert cable.id in faulty.document.selection
    button = faulty.problems.findChild(QPushButton, "fixButton")
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    settle(faulty, qtbot)
    after = faulty.document.design.cables[cable.id]
    route = route_m(faulty.document.design, after)
    assert route is not None
    assert after.length_m >= route.needed_m
    findings = faulty.analysis.findings
    assert findings is not None
    assert not [f for f in findings.of(cable.id) if f.rule == "reach.too-short"]
    faulty.document.undo()
    assert faulty.document.design.cables[cable.id].length_m == 0.5


def test_severity_filter_and_search(faulty: MainWindow, qtbot: QtBot) -> None:
    panel = faulty.problems
    findings = faulty.analysis.findings
    assert findings is not None
    assert panel.shown_count == len(findings)
    qtbot.mouseClick(faulty.status.badges["error"], LEFT)
    assert panel.shown_count == findings.counts["error"] > 0
    qtbot.mouseClick(faulty.status.badges["error"], LEFT)
    assert panel.shown_count == len(findings)
    qtbot.keyClicks(panel._search, "no finding says this")
    qtbot.waitUntil(lambda: panel.shown_count == 0)


def test_accepting_needs_a_reason_and_stays_listed(
    faulty: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = _finding(faulty, "reach.too-short")
    _click(faulty.problems.view, index, qtbot)

    def answer(dialog: AcceptDialog) -> QDialog.DialogCode:
        assert not dialog._ok.isEnabled()
        qtbot.keyClicks(dialog.reason_edit, "lab only")
        dialog.author_edit.setText("Ann")
        assert dialog._ok.isEnabled()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AcceptDialog, "exec", answer)
    button = faulty.problems.findChild(QPushButton, "acceptButton")
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    settle(faulty, qtbot)
    accepted = list(faulty.document.design.accepted.values())
    assert [(a.reason, a.author) for a in accepted] == [("lab only", "Ann")]
    findings = faulty.analysis.findings
    assert findings is not None
    assert findings.counts["accepted"] == 1
    assert faulty.problems.shown_count == len(findings)


# History


def test_a_click_in_the_history_goes_there(example: MainWindow, qtbot: QtBot) -> None:
    leaf = device_named(example, "leaf-01")
    for name in ("one", "two", "three"):
        example.document.do(f"Rename to {name}", edits.rename, leaf, name)
    example.show_panel("history")
    QApplication.processEvents()
    view = example.history.view
    labels = example.history.labels()
    assert labels[1:] == ["Rename to one", "Rename to two", "Rename to three"]
    _click(view, view.model().index(1, 0), qtbot)
    assert example.document.design.name_of(leaf) == "one"
    _click(view, view.model().index(3, 0), qtbot)
    assert example.document.design.name_of(leaf) == "three"


# Tables


def test_the_tables_share_the_selection(example: MainWindow, qtbot: QtBot) -> None:
    example.show_panel("devices")
    QApplication.processEvents()
    table = example.devices_table
    spine = device_named(example, "spine-01")
    example.document.select([spine])
    rows = {i.row() for i in table.view.selectionModel().selectedRows()}
    assert [table.model.ids[r] for r in rows] == [spine]
    leaf = table.model.row_of(device_named(example, "leaf-02"))
    assert leaf is not None
    _click(table.view, table.model.index(leaf, 0), qtbot)
    assert example.document.selection == {device_named(example, "leaf-02")}


def test_a_column_sorts_names_as_people_count(example: MainWindow, qtbot: QtBot) -> None:
    names = ("leaf-10", "leaf-9")
    for device, name in zip(("leaf-01", "leaf-02"), names, strict=True):
        example.document.do("Rename", edits.rename, device_named(example, device), name)
    example.show_panel("devices")
    QApplication.processEvents()
    table = example.devices_table
    table.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    shown = [example.document.design.name_of(i) for i in table.model.ids]
    assert shown.index("leaf-9") < shown.index("leaf-10")


def test_delete_works_in_a_table(example: MainWindow, qtbot: QtBot) -> None:
    example.show_panel("cables")
    QApplication.processEvents()
    table = example.cables_table
    table.view.setFocus()
    count = len(example.document.design.cables)
    table.view.selectRow(0)
    trigger(example, qtbot, "edit.delete")
    assert len(example.document.design.cables) == count - 1
    assert table.view.model().rowCount() == count - 1


def test_a_switch_put_in_while_one_sees_the_rear_looks_to_the_rear(
    example: MainWindow, qtbot: QtBot
) -> None:
    trigger(example, qtbot, "view.rear")
    example.palette_panel.show_part("nvidia-qm9700")
    qtbot.keyClick(example.palette_panel.tree, Qt.Key.Key_Return)
    (new,) = example.document.selection
    assert example.document.design.devices[new].face is Side.REAR  # type: ignore[index]


def test_a_pdu_gets_a_feed_of_its_own_and_takes_another_ones(
    example: MainWindow, qtbot: QtBot
) -> None:
    pdu = device_named(example, "A01-A1")
    design = example.document.design
    before = set(design.feeds)
    example.document.select([pdu])
    for text, expected in (("new feed B", None), ("Feed A02-B1 (B)", "Feed A02-B1"), ("none", "")):
        field = _field(example, "Feed")
        assert isinstance(field, ChoiceField)
        index = next(n for n in range(field.count()) if field.itemText(n) == text)
        field.activated.emit(index)
        example.document.flush()
        design = example.document.design
        sources = [design.cords[c].source for c in design.index.cords_of_device.get(pdu, ())]
        if expected is None:
            (source,) = sources
            feed = design.feeds[source]  # type: ignore[index]
            assert feed.id not in before
            part = design.device_part(pdu)
            assert (feed.group, feed.voltage_v) == ("B", part.voltage_v)  # type: ignore[attr-defined]
        else:
            assert [design.name_of(s) for s in sources] == ([expected] if expected else [])
    assert len(example.document.history.steps) == 3


def test_a_power_shelf_gets_a_feed_that_carries_it(example: MainWindow, qtbot: QtBot) -> None:
    shelf_part = load_bundled().require("nvl72-shelf")
    assert isinstance(shelf_part, DevicePart)
    rack = next(iter(example.document.design.racks))
    free_u = first_free_u(example.document.design, shelf_part, rack)
    shelf = example.document.do("Add", edits.add_device, shelf_part, rack, free_u)
    example.document.flush()
    example.document.select([shelf])
    field = _field(example, "Feed")
    assert isinstance(field, ChoiceField)
    index = next(n for n in range(field.count()) if field.itemText(n) == "new feed A")
    field.activated.emit(index)
    design = example.document.design
    (cord,) = (design.cords[c] for c in design.index.cords_of_device[shelf])
    feed = design.feeds[cord.source]  # type: ignore[index]
    # 33 kW at 415 V three-phase are 45.9 A, which a breaker may carry for good from 57.4 A on.
    assert (feed.group, feed.voltage_v, feed.current_a, feed.phases) == ("A", 415.0, 58.0, 3)
