# SPDX-License-Identifier: Apache-2.0
"""Rack systems from the palette, severities from the problems' menu, notes on the floor."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle, trigger

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.placement.routes import route_m
from rackloom.placement.trays import TraySegment
from rackloom_gui.canvas.floor_notes import length_text, tray_text
from rackloom_gui.canvas.tools.drop import PartDrop
from rackloom_gui.main_window import MainWindow

NVL72 = "gb200-nvl72-rack"


def expected(part: RackSystemPart) -> Counter[str]:
    return Counter({str(item.part): len(item.bottom_u) for item in part.items})


def system() -> RackSystemPart:
    part = load_bundled()[PartId(NVL72)]
    assert isinstance(part, RackSystemPart)
    return part


def test_a_whole_rack_is_put_in_with_all_that_stands_in_it(window: MainWindow) -> None:
    assert NVL72 in window.palette_panel.shown_parts()
    assert "amd-helios-rack" not in window.palette_panel.shown_parts()
    assert window.canvas.insert_part(NVL72)
    design = window.document.design
    assert Counter(str(d.part) for d in design.devices.values()) == expected(system())
    assert len(design.racks) == 1
    # 18 compute trays of 4 GPUs: that is where the 72 comes from.
    parts = [design.device_part(d.id) for d in design.devices.values()]
    assert sum(p.gpu.count for p in parts if isinstance(p, ServerPart) and p.gpu) == 72
    window.document.undo()
    assert not window.document.design.racks


def test_a_whole_rack_can_be_dropped_beside_another(window: MainWindow) -> None:
    window.canvas.insert_part("generic-48u-800")
    drop = window.canvas.front.drop_target
    assert isinstance(drop, PartDrop)
    drop.begin(system())
    band = window.canvas.front.drawing.bands[0]
    at = QPointF(1200.0, band.floor_mm - 500)
    assert drop.follow(at)
    assert drop.finish(at)
    design = window.document.design
    assert len(design.racks) == 2
    assert Counter(str(d.part) for d in design.devices.values()) == expected(system())


def test_a_rule_is_turned_off_and_on_again(example: MainWindow, qtbot: QtBot) -> None:
    findings = example.analysis.findings
    assert findings is not None
    rule = findings.open[0].rule
    example.show_panel("problems")
    view = example.problems.view
    menus: list[list[str]] = []

    def choose(text: str) -> None:
        """Open the menu of the rule's line with the right button, and take an entry."""
        place = view.visualRect(example.problems.model.index(0, 0)).center()
        view.customContextMenuRequested.emit(place)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menus.append([action.text() for action in menu.actions() if action.text()])
        next(action for action in menu.actions() if action.text() == text).trigger()
        menu.close()
        settle(example, qtbot)

    first = example.problems.model.groups[0].rule
    choose("Turn this rule off")
    assert example.document.design.severities[first].severity == "off"
    after = example.analysis.findings
    assert after is not None
    assert first not in {f.rule for f in after.open}
    assert rule
    assert "Severity: warning" in menus[0]
    example.document.undo()
    settle(example, qtbot)
    again = example.analysis.findings
    assert again is not None
    assert first in {f.rule for f in again.open}


def test_the_floor_says_how_long_a_selected_cable_is(example: MainWindow, qtbot: QtBot) -> None:
    design = example.document.design
    cable = next(iter(design.cables.values()))
    route = route_m(design, cable)
    assert route is not None
    text = length_text(route, cable.length_m)
    assert f"{route.needed_m:.2f} m" in text
    assert f"{cable.length_m - route.needed_m:.2f} m left" in text
    assert "0.50 m too short" in length_text(route, route.needed_m - 0.5)
    trigger(example, qtbot, "view.floor")
    qtbot.waitUntil(lambda: bool(example.floor_notes.segments), timeout=10_000)
    assert sum(s.cables for s in example.floor_notes.segments) >= 32
    example.document.select([])
    pane = example.canvas.floor
    qtbot.wait(50)
    before = pane.grab().toImage()
    example.document.select([cable.id])
    qtbot.wait(50)
    assert pane.grab().toImage() != before


def test_a_tray_across_the_rows_says_what_lies_in_it(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger(example, qtbot, "view.floor")
    notes = example.floor_notes
    qtbot.waitUntil(lambda: bool(notes.segments) and not notes.job.pending, timeout=10_000)
    said: list[tuple[str, bool]] = []
    draw = notes._note

    def listen(*args: Any, upright: bool = False) -> None:
        said.append((args[2], upright))
        draw(*args, upright=upright)

    monkeypatch.setattr(notes, "_note", listen)
    across = TraySegment("cross", "cross", -20.0, 20.0, 128, 5.76, 560.0, None, 0, "", 0.6)
    notes.segments = [across, replace(across, from_m=0.0, to_m=1.2), replace(across, to_m=-19.99)]
    example.canvas.floor.fit_rect(QRectF(-10_000.0, -10_000.0, 20_000.0, 20_000.0))
    example.canvas.floor.grab()
    # The whole text where there is room, how many cables where there is less, else nothing.
    assert ("128 cables, 5.76 kg/m", True) in said
    assert not [text for text, upright in said if not upright]


def test_a_tray_says_its_fill_only_where_its_size_is_known() -> None:
    segment = TraySegment("tray", "row", 0.0, 1.0, 8, 0.36, 560.0, None, 0, "", 0.6)
    assert tray_text(segment) == "8 cables, 0.36 kg/m"
    full = replace(segment, fill=0.52, verdict="too full")
    assert tray_text(full) == "8 cables, 0.36 kg/m, 52 % full: too full"
