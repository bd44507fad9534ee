# SPDX-License-Identifier: Apache-2.0
"""Odd designs in every view, at every zoom: nothing may fail while it is painted or pointed at."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import CATALOG, DAC, NODE, PDU, RACK, SERVER, SWITCH, made, small

from rackloom.catalog.words import Side
from rackloom.design import edits
from rackloom.design.entities import CableEnd
from rackloom_gui.canvas.canvas import VIEWS, Canvas
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme

SPLITTER = next(p for p in CATALOG.values() if p.kind == "cable" and p.branches == 2)
OPTIC = next(p for p in CATALOG.values() if p.kind == "transceiver" and p.form_factor == "OSFP")


def empty(draft: Any) -> None:
    del draft


def a_row_without_racks(draft: Any) -> None:
    edits.add_row(draft)


def an_empty_rack(draft: Any) -> None:
    edits.add_rack(draft, RACK, edits.add_row(draft), 0.0)


def loose_ends(draft: Any) -> None:
    ids = small(draft)
    edits.plug_cable(draft, SPLITTER, [CableEnd(0, ids["leaf0"], "9")], SPLITTER.lengths_m[0])
    ends = [CableEnd(1, ids["server0"], "OSFP3"), CableEnd(2, ids["server1"], "OSFP3")]
    edits.plug_cable(draft, SPLITTER, ends, SPLITTER.lengths_m[0])
    edits.insert_module(draft, OPTIC, ids["leaf1"], "5")


def three_rows(draft: Any) -> None:
    spine = None
    for n in range(3):
        row = edits.add_row(draft, y_m=n * 3.0, x_m=n * 1.2)
        rack = edits.add_rack(draft, CATALOG["generic-42u-600"], row, 1.2)
        leaf = edits.add_device(draft, SWITCH, rack, 30, face=Side.REAR)
        server = edits.add_device(draft, SERVER, rack, 2)
        edits.plug_cable(
            draft, DAC, [CableEnd(0, server, "OSFP1"), CableEnd(1, leaf, "1")], DAC.lengths_m[0]
        )
        if spine is None:
            spine = edits.add_device(draft, SWITCH, rack, 34, face=Side.REAR, role="spine")
        ends = [CableEnd(0, leaf, "31"), CableEnd(1, spine, str(10 + n))]
        edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])


def every_kind_of_device(draft: Any) -> None:
    row = edits.add_row(draft)
    for n, rack_id in enumerate(("ocp-orv3", "nvl72-mgx", "generic-52u-800")):
        rack = edits.add_rack(draft, CATALOG[rack_id], row, 1.0 * n)
        for _ in range(4):
            edits.add_device(draft, PDU, rack, None)
        edits.add_device(draft, NODE, rack, 1)
        edits.add_device(draft, CATALOG["apc-ap7526"], rack, 3)  # a PDU that takes a U
        edits.add_device(draft, CATALOG["nvidia-sn2201"], rack, 5, face=Side.REAR)


ODD: list[Callable[[Any], None]] = [
    empty, a_row_without_racks, an_empty_rack, loose_ends, three_rows, every_kind_of_device,
]  # fmt: skip


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_every_view_paints_and_answers(
    qtbot: QtBot, theme: Theme, make: Callable[[Any], None]
) -> None:
    design, _ = made(make)
    document = Document()
    canvas = Canvas(document, CATALOG, theme)
    qtbot.addWidget(canvas)
    canvas.resize(700, 500)
    canvas.show()
    document.open_design(design, None)
    things = [*design.racks, *design.devices, *design.cables]
    document.select(things)
    canvas.set_problem_marks(dict.fromkeys(things, "warning"))
    canvas.set_unplugged(things)
    for view in VIEWS:
        canvas.set_view(view)
        for side in ("front", "rear", "both"):
            canvas.set_side(side)
            canvas.fit_all()
            QApplication.processEvents()
            for pane in canvas.shown_panes:
                for zoom in (pane.zoom, 0.05, 0.3, 1.0, 6.0):
                    pane.zoom_to(zoom)
                    pane.viewport().repaint()
                    centre = pane.visible_rect().center()
                    pane.hover_at(centre)
                    pane._tip(centre)
                    assert pane.hit_at(centre) is not None
                pane.hover_at(QPointF(-1e6, -1e6))
        canvas.fit_ids(things)
        canvas.zoom_to(things[:1])
        QApplication.processEvents()
    canvas.set_link_loads(dict.fromkeys(things, 0.4))
    for pane in canvas.shown_panes:
        pane.viewport().repaint()
        for thing in things:
            if thing in design.cables:
                assert pane.arrays.cables.row_of[thing] >= 0
