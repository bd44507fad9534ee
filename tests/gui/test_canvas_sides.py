# SPDX-License-Identifier: Apache-2.0
"""Where one looks at first: where cables and ports can be seen."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from rackloom.catalog import RackPart, load_bundled
from rackloom.catalog.parts import DevicePart
from rackloom.catalog.words import Side
from rackloom.design import Design, History, edits
from rackloom.generate.example import example
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.sides import ports_face, side_of_cables, side_of_ports
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme


def one(part_id: str, **options: Any) -> Design:
    catalog = load_bundled()
    rack, part = catalog.require("generic-42u-600"), catalog.require(part_id)
    assert isinstance(rack, RackPart)
    assert isinstance(part, DevicePart)
    history = History()
    row = history.do("row", edits.add_row)
    at = history.do("rack", edits.add_rack, rack, row, 0.0)
    history.do("device", edits.add_device, part, at, 1, **options)
    return history.design


def test_the_example_is_shown_from_the_rear_where_its_cables_are() -> None:
    assert side_of_cables(example()) is Side.REAR


def test_an_empty_design_has_no_side_to_prefer() -> None:
    assert side_of_cables(Design()) is None
    assert side_of_ports(Design()) is None
    assert not ports_face(Design(), Side.FRONT)


def test_the_ports_of_a_dgx_are_at_the_rear_and_none_is_at_the_front() -> None:
    design = one("dgx-h100")
    assert side_of_ports(design) is Side.REAR
    assert not ports_face(design, Side.FRONT)


def test_management_ports_do_not_count() -> None:
    """A QM9700 with its ports to the front has data ports there, whatever its MGMT port does."""
    assert side_of_ports(one("nvidia-qm9700", face=Side.FRONT)) is Side.FRONT


def test_opening_a_design_reads_only_the_view_that_is_shown(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each view of a great design takes seconds; the others are read when they are looked at."""
    document = Document()
    canvas = Canvas(document, load_bundled(), theme)
    qtbot.addWidget(canvas)
    canvas.resize(900, 700)
    canvas.show()
    built: list[str] = []
    build = SceneArrays.build

    def counted(self: SceneArrays, design: Design) -> None:
        built.append(f"{self.layout.name} {self.layout.side}")
        build(self, design)

    monkeypatch.setattr(SceneArrays, "build", counted)
    document.open_design(example(), None)
    assert built == ["racks rear"]
    canvas.set_view("fabric")
    assert len(built) == 2
    canvas.set_view("racks")
    assert len(built) == 2
    canvas.set_side(None)
    assert sorted(built)[1:] == ["racks front", "racks rear"]
