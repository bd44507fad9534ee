# SPDX-License-Identifier: Apache-2.0
"""Nothing is cut off or crossed out: legend of the chart, U numbers; and what can be turned off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import trigger

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import Side
from rackloom.design import Design, Draft
from rackloom.generate.example import example
from rackloom.placement.geometry import FACEPLATE_MM
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.cable_drawing import cable_width_px
from rackloom_gui.canvas.elevation_layout import ElevationLayout, numbers_room_mm
from rackloom_gui.canvas.racks import NUMBERS_FROM_PX_PER_U, strip_mm
from rackloom_gui.charts.legend import ChartLegend, Entry
from rackloom_gui.icons import Icons
from rackloom_gui.main_window import MainWindow
from rackloom_gui.settings import Settings


@pytest.mark.parametrize("width", [500, 160])
def test_the_legend_has_room_for_whole_letters(icons: Icons, qtbot: QtBot, width: int) -> None:
    """In a dock so low that every widget gets its least height and no more."""
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = QVBoxLayout(holder)
    legend = ChartLegend(icons, holder)
    layout.addWidget(QWidget(), 1)
    layout.addWidget(legend)
    legend.show_entries(
        [Entry("", name, QColor("red")) for name in ("expected", "ring", "tree", "nvls-tree")]
        + [Entry("log", "measured (page)", QColor("blue"), dot=True)]
    )
    holder.resize(width, legend.heightForWidth(width) + 10)
    holder.show()
    QApplication.processEvents()
    labels = legend.findChildren(QLabel)
    assert len(labels) == 5
    for label in labels:
        room = label.visibleRegion().boundingRect()
        assert room.height() >= label.fontMetrics().height(), label.text()
        assert room.width() >= label.fontMetrics().horizontalAdvance(label.text()) or width == 160


def _in_narrow_racks(design: Design) -> Design:
    """The same in racks 600 mm wide."""
    part: Any = load_bundled()["generic-48u-600"]  # type: ignore[index]
    draft = Draft(design)
    draft.embed(part)
    for n, rack in enumerate([*design.racks.values()]):
        draft.put(replace(rack, part=part.id, position_m=0.6 * n))
    return draft.close("narrow")[0]


@pytest.mark.parametrize("narrow", [False, True], ids=["800 mm", "600 mm"])
@pytest.mark.parametrize("side", [Side.FRONT, Side.REAR])
@pytest.mark.parametrize("scale", [NUMBERS_FROM_PX_PER_U / U_MM, 0.25, 0.3, 0.35, 0.5, 1.0])
def test_cables_in_the_managers_do_not_cross_out_the_u_numbers(
    side: Side, scale: float, narrow: bool, qtbot: QtBot
) -> None:
    del qtbot
    scene = SceneArrays(ElevationLayout(side))
    scene.build(_in_narrow_racks(example()) if narrow else example())
    segments, _owners = scene.layout.route(scene, np.flatnonzero(scene.legs.alive).astype(np.int32))
    upright = segments[(segments[:, 0] == segments[:, 2])]
    long = upright[np.abs(upright[:, 3] - upright[:, 1]) > 10 * U_MM]
    assert len(long) > (20 if side is Side.REAR else -1)
    for x, _y, width, _height in scene.racks["box"].tolist():
        margin = (width - FACEPLATE_MM) / 2
        strip = strip_mm(scale, 48, float(numbers_room_mm(margin)))
        half = cable_width_px(scale) / 2 / scale
        for left in (x + margin - strip, x + width - margin):
            inside = (long[:, 0] + half > left) & (long[:, 0] - half < left + strip)
            assert not inside.any()


@pytest.mark.parametrize("narrow", [False, True], ids=["800 mm", "600 mm"])
def test_bundles_in_racks_keep_clear_of_the_u_numbers(narrow: bool, qtbot: QtBot) -> None:
    del qtbot
    scene = SceneArrays(ElevationLayout(Side.REAR))
    scene.build(_in_narrow_racks(example()) if narrow else example())
    bundles, inside = scene.bundles.boxes, 0
    for x, y, width, height in scene.racks["box"].tolist():
        margin = (width - FACEPLATE_MM) / 2
        numbers = x + width - margin, x + width - margin + float(numbers_room_mm(margin))
        here = bundles[(bundles[:, 0] > x + width / 2) & (bundles[:, 0] < x + width)]
        here = here[(here[:, 1] > y) & (here[:, 1] + here[:, 3] < y + height)]
        inside += len(here)
        assert (here[:, 2] >= 3.0).all()
        assert (here[:, 0] >= numbers[1]).all()
        assert (here[:, 0] + here[:, 2] <= x + width).all()
    assert inside, "the example has cables that stay in their rack"


def test_overview_and_cords_are_turned_off_for_good(window: MainWindow, qtbot: QtBot) -> None:
    for action, name in (("view.overview", "overview"), ("view.cords", "cords")):
        assert window.actions_table.action(action).isChecked()
        trigger(window, qtbot, action)
        assert not window.actions_table.action(action).isChecked()
        assert not getattr(window.settings, name)
    assert not window.overview.wanted
    assert not any(pane.cords.wanted for pane in window.canvas.panes)
    window.settings.sync()
    path = window.settings._store.fileName()
    again = Settings(QSettings(path, QSettings.Format.IniFormat))
    assert not again.overview
    assert not again.cords
    trigger(window, qtbot, "view.overview")
    assert window.settings.overview
    assert window.overview.wanted
