# SPDX-License-Identifier: Apache-2.0
"""Names of 10,000 characters: shortened wherever they are shown, kept whole in the design."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle

from rackloom.design import Draft, edits
from rackloom.design.names import shortened
from rackloom_gui.canvas.pencil import text_width
from rackloom_gui.canvas.tips import cable_tip, device_tip, rack_tip
from rackloom_gui.export import render_bytes
from rackloom_gui.main_window import MainWindow

LONG = "x-" + "Very long name, " * 625


@pytest.fixture
def named(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example with such names on everything."""

    def rename(draft: Draft) -> None:
        for table in ("racks", "rows", "devices", "feeds", "cables"):
            for n, entity in enumerate([*draft.table(table)]):
                edits.rename(draft, entity, f"{LONG}{n}")
        edits.change_settings(draft, project=LONG, drawing=LONG, revision=LONG, author=LONG)

    example.document.do(f"Rename {LONG}", rename)
    example.document.flush()
    settle(example, qtbot)
    return example


def test_a_shortened_text_keeps_both_ends() -> None:
    assert shortened("leaf-01") == "leaf-01"
    short = shortened(f"{LONG}17", 40)
    assert len(short) == 40
    assert short.startswith("x-Very long name")
    assert short.endswith("17")


def test_names_stay_whole_in_the_design(named: MainWindow) -> None:
    assert all(d.name.startswith(LONG) for d in named.document.design.devices.values())


def test_nothing_in_the_window_grows_with_a_name(named: MainWindow, qtbot: QtBot) -> None:
    design, document = named.document.design, named.document
    width = named.width()
    assert len(document.undo_label or "") <= 100
    assert named.actions_table.action("edit.undo").text().count("") < 130
    for table in ("devices", "racks", "rows", "feeds", "cables"):
        document.select([next(iter(design.table(table)))])
        QApplication.processEvents()
        named.show_panel("inspector")
        settle(named, qtbot)
        page: Any = named.inspector.page
        assert page.minimumSizeHint().width() < 420, table
        for link in page.findChildren(QToolButton):
            assert len(link.text()) <= 41
            assert len(link.toolTip()) < 300
    assert named.width() == width
    model = named.problems.model
    for row in range(model.rowCount()):
        group = model.index(row, 0)
        for child in range(model.rowCount(group)):
            text = model.index(child, 0, group).data(Qt.ItemDataRole.DisplayRole)
            assert len(text) <= 700
    named.banner.say("error", LONG)
    assert named.banner.height() < 200


def test_tooltips_are_short(named: MainWindow) -> None:
    design = named.document.design
    for tip, table in ((device_tip, "devices"), (rack_tip, "racks"), (cable_tip, "cables")):
        assert len(tip(design, next(iter(design.table(table))))) < 1500


def test_a_name_is_no_html_in_a_tooltip(named: MainWindow) -> None:
    design = named.document.design
    rack = next(iter(design.racks))
    named.document.do("x", edits.rename, design.racks[rack].row, "<b>A</b> & B")
    named.document.flush()
    named.document.select([rack])
    QApplication.processEvents()
    page: Any = named.inspector.page
    links = [b for b in page.findChildren(QToolButton) if "A" in b.text()]
    assert [b.text() for b in links] == ["<b>A</b> && B"]
    assert "&lt;b&gt;A" in links[0].toolTip()


@pytest.mark.parametrize("view", ["racks", "fabric", "floor"])
def test_drawings_shorten_names(named: MainWindow, view: str) -> None:
    import xml.etree.ElementTree as ET

    design = named.document.design
    root = ET.fromstring(render_bytes(design, view, "front", "svg"))
    total = float(root.get("width", "0"))
    texts = [
        ("".join(node.itertext()), int(node.get("font-size", "0")), node.get("font-weight"))
        for node in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts
    for text, size, weight in texts:
        assert text_width(text, size, weight == "bold") <= total
    assert len(render_bytes(design, view, "front", "pdf")) < 500_000
