# SPDX-License-Identifier: Apache-2.0
"""What the inspector does: once a turn, only while it is seen, and with the forms it has."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, settle, trigger

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.design import edits
from rackloom.design.kits import add_rack_system
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.inspect_cable import CablePage
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.panels.inspect_site import SitePage


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kinds of the forms that are made from now on."""
    kinds: list[str] = []
    begin = Page.__init__

    def noting(self: Page, *args: object) -> None:
        kinds.append(type(self).__name__)
        begin(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Page, "__init__", noting)
    return kinds


def _like(window: MainWindow) -> tuple[str, str]:
    """Two cables of one part that end at different devices."""
    cables = list(window.document.design.cables.values())
    one = cables[0]
    other = next(
        c
        for c in cables
        if c.part == one.part and {e.device for e in c.ends} != {e.device for e in one.ends}
    )
    return one.id, other.id


def test_deleting_a_cable_makes_no_form_twice(
    example: MainWindow, qtbot: QtBot, built: list[str]
) -> None:
    assert isinstance(example.inspector.page, SitePage)
    built.clear()
    example.document.select([next(iter(example.document.design.cables))])
    QApplication.processEvents()
    assert built == ["CablePage"]
    trigger(example, qtbot, "edit.delete")
    settle(example, qtbot)
    assert isinstance(example.inspector.page, SitePage)
    assert built == ["CablePage"]  # that of the project was still there


def test_many_selections_in_one_turn_make_one_form(example: MainWindow, built: list[str]) -> None:
    built.clear()
    for device in list(example.document.design.devices):
        example.document.select([device])
    QApplication.processEvents()
    assert built == ["DevicePage"]


def test_a_cable_like_the_last_one_is_shown_in_its_form(
    example: MainWindow, qtbot: QtBot, built: list[str]
) -> None:
    one, other = _like(example)
    example.document.select([one])
    page = example.inspector.page
    example.document.select([other])
    assert example.inspector.page is page
    assert isinstance(page, CablePage)
    fresh = CablePage(page.tools, [other])
    qtbot.addWidget(fresh)
    fresh.refresh()
    assert _words(page) == _words(fresh)
    link = page._links[0][0]
    link.click()
    ends = {end.device for end in example.document.design.cables[other].ends}  # type: ignore[index]
    assert example.document.selection <= ends


def _words(page: CablePage) -> list[str]:
    texts = [label.text() for label, _text in page._texts]
    return texts + [button.text() for button in page.findChildren(QToolButton)]


def test_two_cables_are_not_shown_in_the_form_of_one(example: MainWindow) -> None:
    """A label and the ends belong to one; the form for several has neither."""
    one, other = _like(example)
    example.document.select([one])
    single = example.inspector.page
    example.document.select([one, other])
    several = example.inspector.page
    assert isinstance(single, CablePage)
    assert isinstance(several, CablePage)
    assert several is not single
    assert not several._links
    assert several._texts[0][0].text() == "2 cables"


def test_the_form_of_the_project_follows_what_happens_while_it_is_away(
    example: MainWindow, qtbot: QtBot
) -> None:
    page = example.inspector.page
    assert isinstance(page, SitePage)
    gone = device_named(example, "gpu-001")
    example.document.select([gone])
    assert example.inspector.page is not page
    trigger(example, qtbot, "edit.delete")
    assert example.inspector.page is page
    assert page._counts()[0] == 3
    assert "3" in [label.text() for label, _text in page._texts]


def test_a_new_row_gets_its_line_in_the_form_of_the_project(example: MainWindow) -> None:
    page = example.inspector.page
    example.document.do("Add a row", edits.add_row, name="Hall B")
    example.document.flush()
    assert example.inspector.page is not page
    names = [b.text() for b in example.inspector.findChildren(QToolButton)]
    assert len(names) >= 2


def test_an_inspector_behind_a_tab_rests(
    example: MainWindow, qtbot: QtBot, built: list[str]
) -> None:
    example.show_panel("history")
    built.clear()
    example.document.select([device_named(example, "leaf-01")])
    for _ in range(3):
        QApplication.processEvents()
    assert not built
    example.show_panel("inspector")
    qtbot.waitUntil(lambda: built == ["DevicePage"])


def test_a_rack_sold_whole_weighs_and_draws_what_its_maker_says(
    window: MainWindow, qtbot: QtBot
) -> None:
    """A DGX GB200 NVL72 rack: 1.36 t loaded (its user guide), 132 kW at most."""
    catalog = load_bundled()
    system = catalog.require(PartId("gb200-nvl72-rack"))
    assert isinstance(system, RackSystemPart)
    row = window.document.do("Row", edits.add_row)
    rack = window.document.do("Rack", add_rack_system, system, catalog, row, 0.0)

    def shown() -> str:
        window.document.select([rack])
        window.document.flush()
        QApplication.processEvents()
        page = window.inspector.page
        assert page is not None
        return " ".join(label.text() for label in page.findChildren(QLabel))

    qtbot.waitUntil(lambda: "132 kW" in shown())
    assert "1,360 kg with the rack as sold" in shown()
    tray = next(d.id for d in window.document.design.devices.values() if "tray-01" in d.name)
    window.document.do("Take out", edits.remove, [tray])
    assert "unknown of" in shown()
    assert "1,360 kg" not in shown()
