# SPDX-License-Identifier: Apache-2.0
"""Cables and transceivers are drawn in their data sheet: plugs, fan-out, lengths, sockets."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from rackloom.catalog import PartId, load_bundled
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom_gui.panels.cable_picture import CablePicture
from rackloom_gui.panels.faceplate_view import FaceplateView
from rackloom_gui.theme import Theme

CATALOG = load_bundled()
WIDTH = 400


def picture_of(part_id: str) -> CablePicture:
    part = CATALOG[PartId(part_id)]
    assert isinstance(part, CablePart | TransceiverPart)
    return CablePicture(part)


def painted(picture: CablePicture, theme: Theme) -> QImage:
    image = QImage(WIDTH, round(picture.height_px), QImage.Format.Format_RGB32)
    image.fill(theme.tokens.base)
    painter = QPainter(image)
    picture.paint(painter, WIDTH, theme.tokens)
    painter.end()
    return image


def runs(image: QImage, x: int, colour: QColor) -> int:
    """How many strands of a colour a vertical line crosses."""
    column = [image.pixelColor(x, y) == colour for y in range(image.height())]
    return sum(now and not before for before, now in zip([False, *column], column, strict=False))


@pytest.mark.parametrize(
    ("part_id", "left", "right"),
    [
        ("mcp4y10-n", 1, 1),  # straight
        ("mcp7y00-n", 1, 2),  # 800G to two of 400G
        ("mcp7y40-n", 1, 4),
        ("mpo12-4xlc-sm", 1, 4),
        ("trunk-24-os2", 2, 2),  # two MPO-12 at either side
    ],
)
def test_as_many_strands_leave_a_cable_as_it_has_ends(
    part_id: str, left: int, right: int, theme: Theme
) -> None:
    picture = picture_of(part_id)
    assert [len(side) for side in picture.sides] == [left, right]
    image = painted(picture, theme)
    colour = theme.tokens.technology(str(picture.part.technology))  # type: ignore[union-attr]
    crossed = [runs(image, x, colour) for x in (80, WIDTH // 2, WIDTH - 80)]
    # In the middle a trunk is one jacket again; a breakout has just begun to part.
    assert (crossed[0], crossed[2]) == (left, right)
    assert crossed[1] == 1


def test_each_end_says_what_plugs_there_and_what_it_carries() -> None:
    dac = picture_of("mcp7y00-n")
    assert [dac.words(end) for end in range(3)] == [
        "OSFP finned, twin-port · 800G", "OSFP flat-top · 400G", "OSFP flat-top · 400G",
    ]  # fmt: skip
    optic = picture_of("mma4z00-ns")
    assert optic.sides == ([0], [0, 1])
    assert optic.words(0) == "MPO-12 APC · SR4"


def test_many_connectors_are_drawn_as_a_few_and_dots() -> None:
    trunk = picture_of("trunk-288-os2")
    left, right = trunk.sides
    assert isinstance(trunk.part, CablePart)
    assert len(left) == len(right) == 4 < trunk.part.connectors_per_side
    assert right[-1] == len(trunk.part.ends) - 1
    assert trunk.height_px < 300


def test_every_cable_and_transceiver_has_a_drawing(theme: Theme, qtbot: QtBot) -> None:
    view = FaceplateView(theme)
    qtbot.addWidget(view)
    view.resize(WIDTH, 10)
    blank = theme.tokens.base
    parts: list[CablePart | TransceiverPart] = [*CATALOG.of_kind(CablePart)]
    parts += [*CATALOG.of_kind(TransceiverPart)]
    assert len(parts) > 120
    for part in parts:
        view.show_part(part)
        assert not view.isHidden(), part.id
        assert view.accessibleName() == f"Drawing of {part.title}"
        assert view.height() == round(CablePicture(part).height_px)
        image = painted(CablePicture(part), theme)
        inked = {image.pixelColor(x, y).name() for x in range(0, WIDTH, 3)
                 for y in range(0, image.height(), 3)} - {blank.name()}  # fmt: skip
        assert len(inked) > 3, part.id
        edge = [image.pixelColor(x, y) for x in (0, WIDTH - 1) for y in range(image.height())]
        assert {c.name() for c in edge} == {blank.name()}, f"{part.id} is cut at the edge"
