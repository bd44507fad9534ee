# SPDX-License-Identifier: Apache-2.0
"""The canvas under the mouse and the keyboard, with real events."""

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.canvas_help import (
    CATALOG,
    DAC,
    NODE,
    PDU,
    RACK,
    SERVER,
    U_MM,
    click,
    drag,
    made,
    middle,
    mouse,
    move,
    port,
    slot,
    small,
)  # fmt: skip

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom.design.hardware import cages_of
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.pane import TIP_MS
from rackloom_gui.canvas.tools.drop import PART_MIME
from rackloom_gui.document import Document
from rackloom_gui.theme import Theme

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


class Bench:
    """A canvas on the small design."""

    def __init__(self, qtbot: QtBot, theme: Theme, design: Design, ids: dict[str, Any]) -> None:
        self.document = Document()
        self.canvas = Canvas(self.document, CATALOG, theme)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(1200, 900)
        self.canvas.show()
        self.said: list[str] = []
        self.canvas.status.connect(self.said.append)
        self.document.open_design(design, None)
        self.ids = ids
        self.qtbot = qtbot
        QApplication.processEvents()

    def __getitem__(self, name: str) -> Any:
        return self.ids[name]

    @property
    def pane(self) -> Any:
        return self.canvas.shown_panes[0]

    @property
    def design(self) -> Design:
        return self.document.design

    def device(self, name: str) -> Any:
        return self.design.devices[self.ids[name]]

    def rear(self) -> None:
        self.canvas.set_side(Side.REAR)
        self.canvas.fit_all()
        QApplication.processEvents()

    def close_up(self, *names: str) -> None:
        self.canvas.fit_ids([self.ids[name] for name in names])
        QApplication.processEvents()

    def undo_labels(self) -> list[str]:
        return [step.label for step in self.document.history.steps]


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme) -> Bench:
    design, ids = made(small)
    return Bench(qtbot, theme, design, ids)


def test_click_selects_ctrl_toggles_shift_adds_empty_clears(bench: Bench) -> None:
    pane, document = bench.pane, bench.document
    click(pane, middle(pane, bench["server0"]))
    assert document.selection == {bench["server0"]}
    click(pane, middle(pane, bench["server1"]), SHIFT)
    assert document.selection == {bench["server0"], bench["server1"]}
    click(pane, middle(pane, bench["server0"]), CTRL)
    assert document.selection == {bench["server1"]}
    x0, y0, _, _ = pane.arrays.layout.bounds()
    click(pane, QPointF(x0 - 200, y0 - 200))
    assert document.selection == frozenset()


def test_rubber_band_inside_needs_the_whole_device_touching_does_not(bench: Bench) -> None:
    pane = bench.pane
    x, y, w, h = pane.arrays.box_of(bench["server1"])
    left_above = QPointF(x - 100, y - 40)
    half = QPointF(x + w + 100, y + h / 2)
    outside = QPointF(-150, left_above.y())
    drag(pane, outside, half)
    assert bench["server1"] not in bench.document.selection, "only half of it is inside"
    drag(pane, half + QPointF(1400, 0), left_above)
    assert bench["server1"] in bench.document.selection, "right to left takes what it touches"
    drag(pane, outside, QPointF(x + w + 100, y + h + 20))
    assert bench.document.selection == {bench["server1"]}


def test_dragging_a_device_moves_it_to_the_slot_under_the_pointer_as_one_step(bench: Bench) -> None:
    pane = bench.pane
    start = middle(pane, bench["node"])
    end = slot(pane, bench["rack0"], 30)
    drag(pane, start, end)
    assert (bench.device("node").rack, bench.device("node").bottom_u) == (bench["rack0"], 30)
    assert len(bench.document.history.steps) == 1
    bench.document.undo()
    assert (bench.device("node").rack, bench.device("node").bottom_u) == (bench["rack1"], 20)


def test_ghost_is_refused_where_another_device_stands_and_nothing_moves(bench: Bench) -> None:
    pane = bench.pane
    before = bench.design
    drag(pane, middle(pane, bench["node"]), slot(pane, bench["rack0"], 5), release=False)
    assert pane.hand is not None
    assert "gpu-01 fills U1 to U8" in (pane.hand.reason or "")
    mouse(pane, QEvent.Type.MouseButtonRelease, slot(pane, bench["rack0"], 5))
    assert bench.design is before
    assert any("gpu-01 fills" in text for text in bench.said), "the reason is in the status bar"


def test_ghost_is_refused_beyond_the_top_of_the_rack(bench: Bench) -> None:
    pane = bench.pane
    drag(pane, middle(pane, bench["server0"]), slot(pane, bench["rack1"], 45, 8), release=False)
    assert "has U1 to U48" in (pane.hand.reason or "")


def test_escape_puts_a_dragged_device_back(bench: Bench) -> None:
    pane = bench.pane
    before = bench.design
    drag(pane, middle(pane, bench["node"]), slot(pane, bench["rack0"], 30), release=False)
    bench.qtbot.keyClick(pane, Qt.Key.Key_Escape)
    assert pane.hand is None
    assert not pane.arrays.hidden_devices
    mouse(pane, QEvent.Type.MouseButtonRelease, slot(pane, bench["rack0"], 30))
    assert bench.design is before


def test_several_devices_keep_their_places_to_each_other_or_stay(bench: Bench) -> None:
    pane, document = bench.pane, bench.document
    document.select([bench["server0"], bench["server1"]])
    grab = middle(pane, bench["server0"])
    # Only one of the two would fit above U20: none may move.
    drag(pane, grab, grab + QPointF(800.0, -34 * U_MM))
    assert bench.device("server0").bottom_u == 1
    assert bench.device("server1").bottom_u == 9
    drag(pane, grab, grab + QPointF(800.0, -22 * U_MM))
    assert (bench.device("server0").rack, bench.device("server0").bottom_u) == (bench["rack1"], 23)
    assert (bench.device("server1").rack, bench.device("server1").bottom_u) == (bench["rack1"], 31)
    assert len(document.history.steps) == 1


def test_alt_drag_makes_a_copy(bench: Bench) -> None:
    pane = bench.pane
    drag(pane, middle(pane, bench["node"]), slot(pane, bench["rack0"], 30), ALT)
    assert bench.device("node").bottom_u == 20
    copies = [d for d in bench.design.devices.values() if d.bottom_u == 30]
    assert [d.part for d in copies] == [NODE.id]
    assert bench.document.selection == {copies[0].id}
    assert copies[0].name != bench.device("node").name


def test_dragging_a_rack_by_its_frame_snaps_it_to_its_neighbour(bench: Bench) -> None:
    pane = bench.pane
    x, y, w, _ = pane.arrays.box_of(bench["rack1"])
    drag(pane, QPointF(x + w / 2, y + 20), QPointF(x + w / 2 + 2000, y + 20))
    assert bench.design.racks[bench["rack1"]].position_m == pytest.approx(2.8)
    x, y, w, _ = pane.arrays.box_of(bench["rack1"])
    drag(pane, QPointF(x + w / 2, y + 20), QPointF(x + w / 2 - 1920, y + 20))
    assert bench.design.racks[bench["rack1"]].position_m == pytest.approx(0.8), "0.08 m short"
    before = bench.design
    drag(pane, QPointF(x - 2000 + w / 2, y + 20), QPointF(x - 2400 + w / 2, y + 20))
    assert bench.design is before, "rack 0 stands there"


def test_arrows_nudge_by_one_u_and_merge_into_one_step(bench: Bench) -> None:
    bench.document.select([bench["node"]])
    pane = bench.pane
    for _ in range(3):
        bench.qtbot.keyClick(pane, Qt.Key.Key_Up)
    assert bench.device("node").bottom_u == 23
    assert len(bench.document.history.steps) == 1
    bench.qtbot.keyClick(pane, Qt.Key.Key_Down, SHIFT)
    assert bench.device("node").bottom_u == 13
    bench.qtbot.keyClick(pane, Qt.Key.Key_Left)
    assert bench.device("node").rack == bench["rack1"], "gpu-02 is in the way in rack 0"
    assert "fills" in bench.said[-1]


def test_delete_and_duplicate_by_key(bench: Bench) -> None:
    pane = bench.pane
    bench.document.select([bench["node"]])
    bench.qtbot.keyClick(pane, Qt.Key.Key_D, CTRL)
    copy = next(iter(bench.document.selection))
    assert bench.design.devices[copy].bottom_u == 21  # type: ignore[index]
    bench.qtbot.keyClick(pane, Qt.Key.Key_Delete)
    assert copy not in bench.design.devices
    assert bench["node"] in bench.design.devices


def test_tab_walks_devices_by_u_and_leaves_at_the_end(bench: Bench) -> None:
    order = []
    pane = bench.pane
    for _ in range(5):
        assert pane.walk(True)
        order.append(next(iter(bench.document.selection)))
    assert order == [bench[n] for n in ("leaf1", "leaf0", "server1", "server0", "node")]
    assert not pane.walk(True), "the focus moves on after the last device"
    assert pane.walk(False)
    assert bench.document.selection == {bench["server0"]}


def test_alt_arrows_walk_along_a_cable_and_back(bench: Bench) -> None:
    bench.document.select([bench["server0"]])
    pane = bench.pane
    bench.qtbot.keyClick(pane, Qt.Key.Key_Right, ALT)
    assert bench.document.selection == {bench["cable"]}
    bench.qtbot.keyClick(pane, Qt.Key.Key_Right, ALT)
    assert bench.document.selection == {bench["leaf0"]}
    bench.qtbot.keyClick(pane, Qt.Key.Key_Right, ALT)
    bench.qtbot.keyClick(pane, Qt.Key.Key_Right, ALT)
    assert bench.document.selection == {bench["server0"]}


# Cables


def test_cable_tool_plugs_from_click_to_click(bench: Bench) -> None:
    bench.rear()
    bench.close_up("rack0")
    bench.canvas.set_tool("cable")
    pane = bench.pane
    click(pane, port(pane, bench["server1"], "OSFP2"))
    move(pane, port(pane, bench["leaf1"], "3"))
    pane.viewport().repaint()
    click(pane, port(pane, bench["leaf1"], "3"))
    new = [c for c in bench.design.cables.values() if c.id != bench["cable"]]
    assert len(new) == 1
    assert {(e.device, e.cage) for e in new[0].ends} == {
        (bench["server1"], "OSFP2"), (bench["leaf1"], "3")
    }  # fmt: skip
    assert bench.document.selection == {new[0].id}
    assert bench.undo_labels() == ["Connect gpu-02 and switch-02"]


def test_cable_tool_plugs_by_drag_and_drops_the_loose_end_elsewhere(bench: Bench) -> None:
    bench.rear()
    bench.close_up("rack0")
    bench.canvas.set_tool("cable")
    pane = bench.pane
    start = port(pane, bench["server1"], "OSFP2")
    drag(pane, start, start + QPointF(0, 60))
    assert len(bench.design.cables) == 1
    assert pane.cable_tool.start is None
    drag(pane, start, port(pane, bench["leaf1"], "3"))
    assert len(bench.design.cables) == 2


def test_ports_that_cannot_take_the_cable_say_why(bench: Bench) -> None:
    bench.rear()
    bench.close_up("rack0")
    bench.canvas.set_tool("cable")
    pane = bench.pane
    click(pane, port(pane, bench["server1"], "OSFP2"))
    tip = pane._tip(port(pane, bench["server0"], "OSFP1"))
    assert "is taken by" in tip
    assert pane.cable_tool.why_not((bench["leaf1"], "3")) is None
    click(pane, port(pane, bench["server0"], "OSFP1"))
    assert len(bench.design.cables) == 1
    assert "is taken by" in bench.said[-1]
    bench.qtbot.keyClick(pane, Qt.Key.Key_Escape)
    assert pane.cable_tool.start is None
    assert bench.canvas.tool == "cable", "the first Esc drops the loose end only"
    bench.qtbot.keyClick(pane, Qt.Key.Key_Escape)
    assert bench.canvas.tool == "select"


def test_click_on_a_cable_selects_it_and_its_tip_names_both_ends(bench: Bench) -> None:
    bench.rear()
    bench.close_up("rack0")
    pane = bench.pane
    route = pane.arrays.route_of(bench["cable"])
    lengths = abs(route[:, 2] - route[:, 0]) + abs(route[:, 3] - route[:, 1])
    x1, y1, x2, y2 = route[int(lengths.argmax())]
    spot = QPointF((x1 + x2) / 2, (y1 + y2) / 2)
    click(pane, spot)
    assert bench.document.selection == {bench["cable"]}
    tip = pane._tip(spot)
    assert "gpu-01" in tip
    assert "switch-01" in tip
    assert DAC.model in tip


def test_port_tip_names_speed_peer_and_length(bench: Bench) -> None:
    bench.rear()
    bench.close_up("leaf0")
    pane = bench.pane
    tip = pane._tip(port(pane, bench["leaf0"], "1"))
    assert "switch-01 · 1" in tip
    assert "800 Gb/s" in tip
    assert "gpu-01 OSFP1" in tip
    assert f"{DAC.lengths_m[0]:g} m" in tip


# Dropping parts


def _drop(pane: Any, part_id: str, scene: QPointF, release: bool = True) -> bool:
    mime = QMimeData()
    mime.setData(PART_MIME, part_id.encode())
    place = pane.to_view(scene)
    args = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton)
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place.toPoint(), *args, none)
    QApplication.sendEvent(pane.viewport(), enter)
    if not enter.isAccepted():
        return False
    over = QDragMoveEvent(QPoint(place.toPoint()), *args, none)
    QApplication.sendEvent(pane.viewport(), over)
    if release:
        QApplication.sendEvent(pane.viewport(), QDropEvent(place, *args, none))
    return True


def test_a_rack_dropped_on_an_empty_design_makes_a_row(qtbot: QtBot, theme: Theme) -> None:
    bench = Bench(qtbot, theme, Design(), {})
    pane = bench.pane
    assert _drop(pane, RACK.id, QPointF(500, 500))
    assert [r.part for r in bench.design.racks.values()] == [RACK.id]
    assert len(bench.design.rows) == 1
    rack = next(iter(bench.design.racks))
    assert bench.document.selection == {rack}
    assert _drop(pane, SERVER.id, slot(pane, rack, 5, 8))
    device = next(iter(bench.design.devices.values()))
    assert (device.rack, device.bottom_u) == (rack, 5)


def test_a_device_dropped_where_it_does_not_fit_is_refused_with_the_reason(bench: Bench) -> None:
    pane = bench.pane
    before = bench.design
    assert _drop(pane, SERVER.id, slot(pane, bench["rack0"], 3, 8), release=False)
    assert "fills U1 to U8" in (pane.hand.reason or "")
    assert pane.hand.lit, "free ranges of the rack are lit"
    assert _drop(pane, SERVER.id, slot(pane, bench["rack0"], 3, 8))
    assert bench.design is before
    assert "fills U1 to U8" in bench.said[-1]
    assert pane.hand is None


def test_a_pdu_hangs_at_the_rear_posts(bench: Bench) -> None:
    bench.rear()
    assert _drop(bench.pane, PDU.id, slot(bench.pane, bench["rack1"], 30))
    pdu = next(d for d in bench.design.devices.values() if d.part == PDU.id)
    assert pdu.bottom_u is None
    assert pdu.rack == bench["rack1"]


def test_network_cards_dropped_on_a_server_fill_its_slots_and_then_are_refused(
    bench: Bench,
) -> None:
    """A server as it is bought: an empty 2U chassis, and cards to choose."""
    pane = bench.pane
    assert _drop(pane, "generic-2u", slot(pane, bench["rack1"], 30, 2))
    node = next(d for d in bench.design.devices.values() if d.part == "generic-2u")
    for _ in range(4):
        assert _drop(pane, "cx7-osfp-400", slot(pane, bench["rack1"], 30, 2))
    cards = bench.design.devices[node.id].cards
    assert cards == tuple((f"slot{n}", "cx7-osfp-400") for n in range(1, 5))
    cage = cages_of(bench.design, bench.design.devices[node.id])["slot3/1"]
    assert cage.default_mode.rate_gbps == 400
    before = bench.design
    assert _drop(pane, "cx7-osfp-400", slot(pane, bench["rack1"], 30, 2))
    assert bench.design is before
    assert "all slots of" in bench.said[-1]
    bench.document.undo()
    assert len(bench.design.devices[node.id].cards) == 3


def test_a_cable_part_dropped_on_a_port_starts_the_cable_tool(bench: Bench) -> None:
    bench.rear()
    bench.close_up("rack0")
    pane = bench.pane
    assert _drop(pane, DAC.id, port(pane, bench["server1"], "OSFP3"))
    assert bench.canvas.tool == "cable"
    assert pane.cable_tool.start == (bench["server1"], "OSFP3")
    assert pane.cable_tool.part is DAC


def test_what_is_no_part_is_not_taken(bench: Bench) -> None:
    assert not _drop(bench.pane, "no-such-part", QPointF(100, 100))
    assert "no-such-part" in bench.said[-1]


def test_read_only_lets_nothing_move_or_drop(bench: Bench) -> None:
    bench.canvas.set_read_only(True)
    pane, before = bench.pane, bench.design
    drag(pane, middle(pane, bench["node"]), slot(pane, bench["rack0"], 30))
    bench.document.select([bench["node"]])
    bench.qtbot.keyClick(pane, Qt.Key.Key_Delete)
    bench.qtbot.keyClick(pane, Qt.Key.Key_Up)
    assert not _drop(pane, RACK.id, QPointF(500, 500))
    assert bench.design is before


def test_insert_part_without_the_mouse(bench: Bench) -> None:
    bench.document.select([bench["rack1"]])
    assert bench.canvas.insert_part(NODE.id)
    new = next(iter(bench.document.selection))
    assert bench.design.devices[new].rack == bench["rack1"]  # type: ignore[index]
    assert bench.design.devices[new].bottom_u == 1  # type: ignore[index]
    assert bench.canvas.insert_part(RACK.id)
    assert len(bench.design.racks) == 3


# Views


def test_one_selection_in_all_views(bench: Bench) -> None:
    bench.document.select([bench["server0"]])
    bench.canvas.set_view("fabric")
    pane = bench.pane
    click(pane, middle(pane, bench["leaf1"]))
    assert bench.document.selection == {bench["leaf1"]}
    bench.canvas.set_view("floor")
    pane = bench.pane
    click(pane, middle(pane, bench["rack1"]) + QPointF(0, -350))
    assert bench.document.selection == {bench["rack1"]}


def test_edits_made_elsewhere_show_up_in_a_view_when_it_is_shown(bench: Bench) -> None:
    bench.canvas.set_view("fabric")
    bench.document.select([bench["node"]])
    bench.canvas.set_view("racks")
    bench.qtbot.keyClick(bench.pane, Qt.Key.Key_Delete)
    bench.canvas.set_view("fabric")
    assert bench["node"] not in bench.pane.arrays.devices


def test_both_sides_show_the_same_place(bench: Bench) -> None:
    bench.canvas.set_side("both")
    QApplication.processEvents()
    bench.canvas.fit_ids([bench["server0"]])
    front, rear = bench.canvas.shown_panes
    assert front.zoom == pytest.approx(rear.zoom)
    gap = front.visible_rect().center() - rear.visible_rect().center()
    assert abs(gap.x()) < 10
    assert abs(gap.y()) < 10


def test_going_to_a_hidden_pdu_turns_the_rack_round(bench: Bench) -> None:
    bench.canvas.set_side("front")
    assert _drop(bench.pane, PDU.id, slot(bench.pane, bench["rack1"], 30))
    pdu = next(d.id for d in bench.design.devices.values() if d.part == PDU.id)
    assert str(bench.canvas.side) == "front"
    bench.canvas.zoom_to([pdu])
    assert str(bench.canvas.side) == "rear"


def test_devices_are_not_dragged_or_dropped_where_they_have_no_place(bench: Bench) -> None:
    before = bench.design
    for view in ("fabric", "floor"):
        bench.canvas.set_view(view)
        QApplication.processEvents()
        pane = bench.pane
        thing = bench["server0"] if view == "fabric" else bench["rack1"]
        start = middle(pane, thing) + (QPointF(0, -350) if view == "floor" else QPointF())
        if view == "fabric":
            drag(pane, start, start + QPointF(1500, 900))
        assert _drop(pane, SERVER.id, start)
        assert bench.design is before
        assert "rack view" in bench.said[-1]


def test_marks_set_while_a_design_opens_stay(bench: Bench) -> None:
    marks = {bench["server0"]: "warning"}
    other, _ = made(small)
    # Checks may be done before the canvas hears of the new design.
    bench.canvas.set_problem_marks(marks)
    bench.document.open_design(other, None)
    assert bench.canvas.marks.problems == marks


def test_the_first_rack_is_brought_into_view(qtbot: QtBot, theme: Theme) -> None:
    bench = Bench(qtbot, theme, Design(), {})
    assert _drop(bench.pane, RACK.id, QPointF(900, 900))
    box = bench.pane.rect_of(bench.design.racks)
    assert box is not None
    assert bench.pane.visible_rect().contains(box)


def test_a_resting_pointer_gets_a_tip_after_half_a_second(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = bench.pane
    shown: list[str] = []
    monkeypatch.setattr(
        "rackloom_gui.canvas.pane.QToolTip.showText", lambda _at, text, _on: shown.append(text)
    )
    monkeypatch.setattr(pane.viewport(), "underMouse", lambda: True, raising=False)
    move(pane, middle(pane, bench["server0"]))
    assert not shown
    bench.qtbot.waitUntil(lambda: bool(shown))
    assert TIP_MS == 500
    assert "gpu-01" in shown[0]
