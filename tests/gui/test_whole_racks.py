# SPDX-License-Identifier: Apache-2.0
"""Rack systems from the palette, and how bad rules are in a project."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle, trigger

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, ServerPart
from rackloom.catalog.site_parts import RackSystemPart
from rackloom_gui.canvas.tools.drop import PartDrop
from rackloom_gui.dialogs.rules import RulesDialog
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


def test_a_rule_is_turned_off_and_on_again(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = example.analysis.findings
    assert findings is not None
    rule = findings.open[0].rule

    def switch(level: str | None) -> None:
        def use(dialog: RulesDialog) -> int:
            box = dialog.boxes[rule]
            box.setFocus()
            while box.currentData() != level:
                before = box.currentIndex()
                key = Qt.Key.Key_Down if level else Qt.Key.Key_Up
                qtbot.keyClick(box, key)
                assert box.currentIndex() != before
            assert set(dialog.changed()) == {rule}
            return 1

        monkeypatch.setattr(RulesDialog, "exec", use)
        trigger(example, qtbot, "problems.rules")
        settle(example, qtbot)

    switch("off")
    assert example.document.design.severities[rule].severity == "off"
    after = example.analysis.findings
    assert after is not None
    assert rule not in {f.rule for f in after.open}
    switch(None)
    assert not example.document.design.severities
    again = example.analysis.findings
    assert again is not None
    assert rule in {f.rule for f in again.open}
