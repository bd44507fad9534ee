# SPDX-License-Identifier: Apache-2.0
"""The power panel: tables that add up, the bars, what is over its limit, and clicks that select."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from tests.gui.design_kit import example_design

from rackloom.design import edits
from rackloom.design.ids import RackId
from rackloom.reports.power_report import PowerBar, power_report
from rackloom_gui.charts.power_bars import PowerBars, nice_step
from rackloom_gui.document import Document
from rackloom_gui.icons import Icons
from rackloom_gui.panels.power import PowerPanel, watts
from rackloom_gui.theme import Theme


@pytest.fixture
def panel(theme: Theme, icons: Icons, qtbot: QtBot) -> Iterator[PowerPanel]:
    document = Document()
    document.open_design(example_design(), None)
    made = PowerPanel(document, theme, icons)
    qtbot.addWidget(made)
    document.setParent(made)
    made.resize(1100, 300)
    made.show()
    qtbot.waitExposed(made)
    qtbot.waitUntil(lambda: made.report is not None and made.up_to_date, timeout=10_000)
    yield made
    made.stop()


def cell(panel: PowerPanel, table: str, row: int, title: str) -> str:
    model = panel.tables[table].rows_model
    titles = [column.title for column in model.columns]
    return str(model.data(model.index(row, titles.index(title))))


def test_places_add_up_to_the_site(panel: PowerPanel) -> None:
    places = panel.tables["places"].rows_model.rows
    racks = [row for row in places if row.place == "rack"]
    site = places[-1]
    assert site.place == "site"
    assert site.maximum_w == pytest.approx(sum(row.maximum_w for row in racks))
    # 4 DGX H100 of 10.2 kW are most of it; a watt makes 3.412 BTU an hour.
    assert site.maximum_w > 4 * 10_200
    assert site.heat_btu_per_h == pytest.approx(site.maximum_w * 3.412, rel=1e-3)
    assert cell(panel, "places", len(places) - 1, "Greatest").endswith("kW")
    unknown = site.typical_unknown
    assert f"+ {unknown} ?" in cell(panel, "places", len(places) - 1, "Typical")


def test_the_tables_are_chosen_and_sorted(panel: PowerPanel, qtbot: QtBot) -> None:
    assert panel.tables["places"].isVisible()
    panel.choice.setFocus()
    qtbot.keyClick(panel.choice, Qt.Key.Key_Down)
    assert panel.table_name == "supplies"
    assert panel.tables["supplies"].isVisible()
    assert not panel.tables["places"].isVisible()
    table = panel.tables["supplies"]
    table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    loads = [row.load_w for row in table.rows_model.rows]
    assert loads == sorted(loads, reverse=True)


def test_a_click_on_a_row_or_a_bar_selects(panel: PowerPanel, qtbot: QtBot) -> None:
    table = panel.tables["places"]
    rect = table.visualRect(table.rows_model.index(0, 0))
    with qtbot.waitSignal(panel.select_requested) as told:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    first = table.rows_model.rows[0]
    assert told.args[0] == [first.id]
    with qtbot.waitSignal(panel.select_requested) as told:
        qtbot.mouseClick(panel.bars, Qt.MouseButton.LeftButton, pos=QPoint(100, 26 + 24 + 12))
    assert told.args[0] == [panel.bars.bars[1].id]
    with qtbot.waitSignal(panel.select_requested) as told:
        qtbot.keyClick(panel.bars, Qt.Key.Key_Up)
    assert told.args[0] == [panel.bars.bars[0].id]


def test_an_edit_is_followed(panel: PowerPanel, qtbot: QtBot) -> None:
    document = panel._document
    rack = RackId(panel.bars.bars[0].id)
    before = panel.bars.bars[0].maximum_w
    servers = [
        d for d in document.design.index.devices_in_rack[rack]
        if document.design.devices[d].part == "dgx-h100"
    ]  # fmt: skip
    document.do("Delete", edits.remove, {servers[0]})
    document.flush()
    assert before is not None
    qtbot.waitUntil(lambda: (panel.bars.bars[0].maximum_w or 0.0) < before, timeout=10_000)
    report = power_report(document.design)
    assert panel.bars.bars == report.bars


def test_a_rack_over_its_limit_is_told_by_more_than_colour(theme: Theme, qtbot: QtBot) -> None:
    bars = PowerBars(theme)
    qtbot.addWidget(bars)
    bars.resize(420, 120)
    good = PowerBar("r1", "R1", 5_000.0, 9_000.0, 10_000.0, False)
    bad = PowerBar("r2", "R2", 5_000.0, 12_000.0, 10_000.0, True)
    alone = PowerBar("r3", "R3", 0.0, 1_000.0, None, False)
    bars.show_bars([good, bad, alone])
    assert [bars.over(bar) for bar in (good, bad, alone)] == [False, True, False]
    assert "12 kW" in bars.text(bad)
    assert "not all figures" in bars.text(bad)
    assert "nothing supplies it" in bars.text(alone)
    bars.show()
    picture = bars.grab().toImage()
    ratio = picture.devicePixelRatio()
    # Hatched beyond the limit: two colours along one line of the bar.
    wide = 420 - 76 - 78 - 12
    scale = wide / (12_000 * 1.04)
    y = int((26 + 24 + 12) * ratio)
    line = range(int((76 + 10_300 * scale) * ratio), int((76 + 11_900 * scale) * ratio))
    assert len({picture.pixelColor(x, y).rgb() for x in line}) > 1


@pytest.mark.parametrize(
    ("span", "most", "step"), [(23_000.0, 6, 5_000.0), (9.0, 6, 2.0), (23_000.0, 1, 50_000.0)]
)
def test_steps_of_the_scale_are_round(span: float, most: int, step: float) -> None:
    assert nice_step(span, most) == pytest.approx(step)
    assert nice_step(0.0) == 1.0


def test_a_narrow_panel_gives_the_table_all_its_width(panel: PowerPanel, qtbot: QtBot) -> None:
    panel.resize(440, 260)
    qtbot.waitUntil(lambda: not panel.bars.isVisible())
    qtbot.waitUntil(lambda: panel.tables["places"].width() > 400)
    panel.choice.setCurrentIndex(panel.choice.count() - 1)
    assert panel.bars.isVisible()
    assert not panel.tables["places"].isVisible()
    assert panel.table_name == "places"
    panel.choice.setCurrentIndex(0)
    panel.resize(1000, 260)
    qtbot.waitUntil(lambda: panel.bars.isVisible() and panel.tables["places"].isVisible())


def test_a_rack_of_unknown_draw_is_not_drawn_as_one_of_nothing(theme: Theme, qtbot: QtBot) -> None:
    bars = PowerBars(theme)
    qtbot.addWidget(bars)
    bars.show_bars([PowerBar("r1", "R1", None, None, 10_000.0, True)])
    text = bars.text(bars.bars[0])
    assert "at most unknown" in text
    assert "typically unknown" in text
    assert "0 W" not in text
    assert not bars.over(bars.bars[0])
    bars.resize(420, 80)
    bars.grab()
    assert watts(None, 3) == "unknown"
    assert watts(0.0) == "0 W"
