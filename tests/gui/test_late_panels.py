# SPDX-License-Identifier: Apache-2.0
"""Panels behind tabs: made when they are first seen, at rest while they are not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QTabBar
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import WindowMaker, device_named, settle, trigger

from rackloom.design import edits
from rackloom_gui.action_list import PANELS
from rackloom_gui.late import Late
from rackloom_gui.main_window import MainWindow

IN_FRONT = {"palette", "inspector", "problems", "chart"}
"""Of a window that nobody rearranged."""


def late(window: MainWindow, name: str) -> Late[Any]:
    found = window.panels.by_name()[name]
    assert isinstance(found, Late)
    return found


def made(window: MainWindow) -> set[str]:
    panels = window.panels.by_name().items()
    return {name for name, panel in panels if not isinstance(panel, Late) or panel.made}


def test_only_panels_in_front_are_made_at_the_start(window: MainWindow) -> None:
    assert {name for name, _title, _icon in PANELS if window.docks.in_front(name)} == IN_FRONT
    assert made(window) == IN_FRONT


@pytest.mark.parametrize("name", sorted({name for name, _t, _i in PANELS} - IN_FRONT))
def test_a_panel_is_made_when_it_is_first_shown(window: MainWindow, name: str) -> None:
    window.show_panel(name)
    panel = late(window, name).made
    assert panel is not None
    assert panel.isVisible()
    assert window.docks.in_front(name)
    assert made(window) == IN_FRONT | {name}


def test_a_click_on_a_tab_makes_the_panel_behind_it(window: MainWindow, qtbot: QtBot) -> None:
    title = window.actions_table.title("panel.devices")
    bars = [b for b in window.findChildren(QTabBar) if b.isVisible()]
    bar, number = next(
        (b, n) for b in bars for n in range(b.count()) if b.tabText(n).replace("&", "") == title
    )
    at: QPoint = bar.tabRect(number).center()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: late(window, "devices").made is not None)
    assert not window.problems.isVisible()


def test_a_panel_that_was_in_front_is_there_again_after_a_restart(
    make_window: WindowMaker, qtbot: QtBot
) -> None:
    first = make_window()
    first.show_panel("bom")
    first.close()
    second = make_window()
    qtbot.waitUntil(lambda: late(second, "bom").made is not None)
    assert second.bom_panel.isVisible()
    assert not second.problems.isVisible()


def test_a_late_panel_shows_what_became_known_before_it(example: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not example.speed.pending)
    assert late(example, "explain").made is None
    example.show_panel("explain")
    estimate = example.analysis.estimate
    lines = example.explain.rows()
    assert any("binds" in what for what, _value, _why in lines)
    assert any(what == "Tiers" for what, _value, _why in lines)
    assert estimate is not None
    example.show_panel("devices")
    assert example.devices_table.model.rowCount() == len(example.document.design.devices)


def test_a_late_explanation_says_why_there_is_none(window: MainWindow) -> None:
    window.show_panel("explain")
    said = [label.text() for label in window.explain.findChildren(QLabel) if label.isVisible()]
    assert any("Put GPU servers in" in text for text in said)


def test_a_panel_behind_a_tab_does_not_work_until_it_is_seen_again(
    example: MainWindow, qtbot: QtBot
) -> None:
    example.show_panel("bom")
    bill = example.bom_panel
    qtbot.waitUntil(lambda: bill.up_to_date)
    pieces = sum(row.quantity for row in bill.rows)
    example.show_panel("problems")
    assert not bill.isVisible()
    cable = next(iter(example.document.design.cables))
    example.document.do("Remove", edits.remove, {cable})
    settle(example, qtbot)
    assert not bill.up_to_date
    assert sum(row.quantity for row in bill.rows) == pieces
    example.show_panel("bom")
    qtbot.waitUntil(lambda: bill.up_to_date)
    assert sum(row.quantity for row in bill.rows) < pieces


def test_the_key_of_a_panel_in_front_among_tabs_hides_it(window: MainWindow, qtbot: QtBot) -> None:
    trigger(window, qtbot, "panel.inspector")
    assert window.dock("inspector").isHidden()
    trigger(window, qtbot, "panel.inspector")
    assert window.inspector.isVisible()
    trigger(window, qtbot, "panel.history")  # it was behind: now it is in front
    assert window.docks.in_front("history")
    assert not window.docks.in_front("inspector")


def test_a_click_on_a_late_panel_goes_where_it_leads(example: MainWindow, qtbot: QtBot) -> None:
    """What hangs on a panel hangs on it however late it is made."""
    example.show_panel("devices")
    leaf = device_named(example, "leaf-01")
    row = example.devices_table.model.row_of(leaf)
    assert row is not None
    example.devices_table.view.selectRow(row)
    assert example.document.selection == {leaf}
    zoomed = example.canvas.zoom
    example.devices_table.go_to.emit([leaf])
    qtbot.waitUntil(lambda: example.canvas.zoom != zoomed)


_START = """
import json, sys, threading, time
from PySide6.QtCore import QSettings
from rackloom_gui.app import make_application, make_window
from rackloom_gui.settings import Settings

class Importers:
    by_window, by_others = set(), set()
    def find_spec(self, name, path=None, target=None):
        mine = threading.current_thread() is threading.main_thread()
        (self.by_window if mine else self.by_others).add(name)

sys.meta_path.insert(0, Importers())
app = make_application(["rackloom"])
window = make_window(app, Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
window.show()
for _ in range(5):
    app.processEvents()
at_start = sorted(sys.modules.keys() - Importers.by_others)
window.session.open_example()
end = time.time() + 60
while window.chart.plot is None and time.time() < end:
    app.processEvents()
    time.sleep(0.005)
print(json.dumps([at_start, sorted(sys.modules), sorted(Importers.by_window)]))
window.close()
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> list[set[str]]:
    """Of a fresh program: modules the window had at the start, all there are with the first
    estimate, and which of them the window imported.
    """
    folder = tmp_path_factory.mktemp("start")
    environment = dict(os.environ)
    environment["RACKLOOM_STATE_DIR"] = str(folder)
    environment["QT_QPA_PLATFORM"] = "offscreen"
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    run = subprocess.run(
        [sys.executable, "-c", _START, str(folder / "s.ini")],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
        env=environment,
    )
    return [set(names) for names in json.loads(run.stdout.splitlines()[-1])]


def test_an_empty_window_loads_nothing_that_reckons_or_draws_charts(
    modules: list[set[str]],
) -> None:
    """Each of these costs the start between 0.1 and 0.9 s."""
    heavy = {
        "scipy", "networkx", "pyqtgraph", "openpyxl", "shapely",
        "rackloom.collectives", "rackloom.fabric", "rackloom.workload", "rackloom_gui.panels.bom",
        "rackloom.checks.engine", "rackloom.checks.reach", "rackloom.placement.cabling",
        "rackloom.reports", "rackloom_gui.panels.inspect_device",
    }  # fmt: skip
    assert not heavy & modules[0]


def test_the_window_does_not_wait_for_engines_and_charts_to_be_loaded(
    modules: list[set[str]],
) -> None:
    _, loaded, by_window = modules
    heavy = {"pyqtgraph", "rackloom.collectives", "rackloom_gui.charts.plot"}
    assert heavy <= loaded
    assert not heavy & by_window
