# SPDX-License-Identifier: Apache-2.0
"""Load colours, the explanation and the words for a what-if that changes nothing."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, settle, trigger

from rackloom.fabric import Fabric
from rackloom_gui.fabric_keeper import FabricKeeper
from rackloom_gui.main_window import MainWindow


def _calm(window: MainWindow, qtbot: QtBot) -> None:
    settle(window, qtbot)
    qtbot.waitUntil(lambda: not window.speed.pending, timeout=20_000)


def _cables(window: MainWindow, a: str, b: str) -> list[str]:
    ends = {device_named(window, a), device_named(window, b)}
    cables = window.document.design.cables.values()
    return [c.id for c in cables if {e.device for e in c.ends} == ends]


def test_links_take_the_colour_of_their_load(example: MainWindow, qtbot: QtBot) -> None:
    trigger(example, qtbot, "view.loads")
    _calm(example, qtbot)
    assert example.load_legend.isVisible()
    assert "All-reduce" in example.load_legend.title
    arrays = example.canvas.shown_panes[0].arrays
    classes = arrays.load_codes
    assert classes is not None
    busy = _cables(example, "gpu-001", "leaf-01")[0]
    idle = _cables(example, "leaf-01", "spine-01")[0]  # rings of a rail stay under its leaf
    assert classes[arrays.cables.row_of[busy]] == 4
    assert classes[arrays.cables.row_of[idle]] == 0
    trigger(example, qtbot, "view.loads")
    assert arrays.load_codes is None
    assert not example.load_legend.isVisible()


def test_the_tooltip_of_a_cable_says_what_it_carries(example: MainWindow, qtbot: QtBot) -> None:
    trigger(example, qtbot, "view.loads")
    _calm(example, qtbot)
    text_of = example.canvas.marks.load_text
    assert text_of is not None
    answer = example.chart.estimate
    assert answer is not None
    assert answer.loads is not None
    busy = _cables(example, "gpu-001", "leaf-01")[0]
    share = answer.loads.by_cable[busy]  # type: ignore[index]
    assert f"({share * 100:.0f} %)" in text_of(busy)
    assert " of 400 Gb/s" in text_of(busy)
    assert "nothing" in text_of(_cables(example, "leaf-01", "spine-01")[0])


def test_a_leaf_with_fewer_uplinks_than_downlinks_is_marked(
    example: MainWindow, qtbot: QtBot
) -> None:
    trigger(example, qtbot, "view.loads")
    _calm(example, qtbot)
    assert example.canvas.marks.oversubscribed == {}
    example.analysis.unplug(_cables(example, "leaf-01", "spine-01"))
    _calm(example, qtbot)
    assert example.canvas.marks.oversubscribed == {
        device_named(example, "leaf-01"): pytest.approx(2.0)
    }


def test_a_what_if_that_changes_nothing_says_why(example: MainWindow, qtbot: QtBot) -> None:
    example.analysis.unplug(_cables(example, "leaf-01", "spine-01")[:1])
    settle(example, qtbot)
    assert "changes nothing" in example.chart.note
    assert "stays under the leaves" in example.chart.note
    example.analysis.plug_in(example.analysis.unplugged)
    settle(example, qtbot)
    assert example.chart.note == ""


def test_a_what_if_that_costs_something_says_how_much(example: MainWindow, qtbot: QtBot) -> None:
    example.analysis.unplug([device_named(example, "leaf-01")])
    settle(example, qtbot)
    whole, now = example.analysis.baseline, example.chart.estimate
    assert whole is not None
    assert now is not None
    lost = now.peak.busbw_gb_per_s / whole.peak.busbw_gb_per_s - 1
    assert f"({lost * 100:+.0f} %)" in example.chart.note


def test_the_chain_of_caps_starts_with_the_one_that_binds(
    example: MainWindow, qtbot: QtBot
) -> None:
    _calm(example, qtbot)
    answer = example.chart.estimate
    assert answer is not None
    example.show_panel("explain")
    rows = example.explain.rows()
    texts = [why for _, _, why in rows]
    assert "binds" in rows[1][0]
    for number, cap in enumerate(answer.caps):
        assert texts[1 + number].startswith(cap.text)
    assert any(answer.band.rests_on in why for why in texts)
    assert any("leaf of compute" in what and value == "1:1" for what, value, _ in rows)
    # 4 servers on one pair of leaves, four rails a leaf: 2 x 4 x 4 pairs of ports two hops apart
    assert ("Within a group", "", "2 to 4 hops, 32 shortest ways") in rows
    group = example.explain.view.topLevelItem(0)
    assert group is not None
    binding = group.child(0)
    assert binding is not None
    place = example.explain.view.visualItemRect(binding).center()
    qtbot.mouseClick(example.explain.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert example.document.selection == set(answer.caps[0].where)


def test_sentences_of_the_explanation_are_whole(example: MainWindow, qtbot: QtBot) -> None:
    """The narrower the column, the taller the row: what cannot be read explains nothing."""
    _calm(example, qtbot)
    example.show_panel("explain")
    view = example.explain.view
    group = view.topLevelItem(0)
    assert group is not None
    binding = group.child(0)
    assert binding is not None
    metrics = view.fontMetrics()
    for width in (900, 260, 130):
        view.header().setStretchLastSection(False)
        view.header().resizeSection(2, width)
        qtbot.wait(20)
        lines = metrics.horizontalAdvance(binding.text(2)) // width + 1
        height = view.visualItemRect(binding).height()
        assert lines * metrics.height() <= height <= (lines + 2) * metrics.height() + 8


def test_the_network_is_patched_from_edit_to_edit(example: MainWindow) -> None:
    from rackloom.design import edits

    document = example.document
    keeper = FabricKeeper(document.design)
    document.changed.connect(keeper.note)
    first = keeper.fabric(document.design)
    for cable in _cables(example, "leaf-01", "spine-01")[:3]:
        document.do("Delete", edits.remove, {cable})
        document.flush()
    now = keeper.fabric(document.design)
    assert now is not first
    assert now.same_as(Fabric.of(document.design))
    document.undo()
    document.flush()
    assert keeper.fabric(document.design).same_as(Fabric.of(document.design))
