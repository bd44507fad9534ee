# SPDX-License-Identifier: Apache-2.0
"""The main job from an empty design to the files one hands on, on a real display.

The mouse and the keys go in at the window system's end: Qt finds the widgets, the shortcuts and
the drop targets itself. Palette drags are real drags of the X server.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt, QTimer
from PySide6.QtGui import QImage, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from rackloom.catalog import load_bundled
from rackloom.collectives import estimate
from rackloom.design import Design
from rackloom.files import load, waiting_journals
from rackloom.placement.routes import route_m
from rackloom_gui.dialogs.connect import ConnectDialog
from rackloom_gui.dialogs.questions import RecoveryDialog
from rackloom_gui.main_window import MainWindow
from rackloom_gui.settings import Settings
from rackloom_gui.theme import ThemeChoice, apply_theme

pytestmark = pytest.mark.xvfb

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Hands:
    """A mouse and a keyboard over one main window."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window = window
        self.qtbot = qtbot

    @property
    def handle(self) -> QWindow:
        """The window of the window system."""
        handle = self.window.windowHandle()
        assert handle is not None
        return handle

    def at(self, widget: QWidget, point: QPoint | QPointF) -> QPoint:
        """A widget's point in the window."""
        here = point.toPoint() if isinstance(point, QPointF) else point
        return widget.mapTo(self.window, here)

    def on_canvas(self, x_mm: float, y_mm: float) -> QPoint:
        """A place of the drawing in the window; it must be in sight."""
        pane = self.window.canvas.pane
        spot = pane.to_view(QPointF(x_mm, y_mm))
        assert pane.viewport().rect().contains(spot.toPoint()), (x_mm, y_mm, spot)
        return self.at(pane.viewport(), spot)

    def click(self, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Move there and click."""
        QTest.mouseMove(self.handle, point)
        QTest.mouseClick(self.handle, LEFT, modifiers, point)
        QApplication.processEvents()

    def drag(self, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Press, move in steps, release."""
        QTest.mouseMove(self.handle, start)
        QTest.mousePress(self.handle, LEFT, modifiers, start)
        for step in range(1, 9):
            QTest.mouseMove(self.handle, start + (end - start) * (step / 8))
            QApplication.processEvents()
        QTest.mouseRelease(self.handle, LEFT, modifiers, end)
        QApplication.processEvents()

    def key(self, key: Qt.Key | str, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Press a key, wherever the focus is."""
        QTest.keyClick(self.handle, key, modifiers)  # type: ignore[arg-type]
        QApplication.processEvents()

    def drag_part(self, part_id: str, end: QPoint, look: Callable[[], None] | None = None) -> None:
        """Drag a part from the palette; `look` is called over the place, before the release."""
        tree = self.window.palette_panel.tree
        assert self.window.palette_panel.show_part(part_id)
        QApplication.processEvents()
        start = self.at(tree.viewport(), tree.visualRect(tree.currentIndex()).center())
        plan: list[Callable[[], None]] = [
            lambda p=start + (end - start) * (n / 6): QTest.mouseMove(self.handle, p)  # type: ignore[misc]
            for n in range(2, 7)
        ]
        plan.append(lambda: QTest.mouseMove(self.handle, end + QPoint(1, 0)))
        plan.append(lambda: QTest.mouseMove(self.handle, end))
        if look is not None:
            plan.append(look)
        plan.append(lambda: QTest.mouseRelease(self.handle, LEFT, NONE, end))
        problems: list[BaseException] = []
        steps = iter(plan)

        def step() -> None:
            try:
                do = next(steps, None)
                if do is None:
                    timer.stop()
                else:
                    do()
            except BaseException as problem:  # a failed check must not leave the drag hanging
                problems.append(problem)
                QTest.mouseRelease(self.handle, LEFT, NONE, end)

        QTest.mouseMove(self.handle, start)
        QTest.mousePress(self.handle, LEFT, NONE, start)
        timer = QTimer()
        timer.timeout.connect(step)
        timer.start(40)
        QTest.mouseMove(self.handle, start + QPoint(12, 2))
        QTest.mouseMove(self.handle, start + QPoint(30, 4))  # the drag runs in here
        self.qtbot.waitUntil(lambda: not timer.isActive())
        QApplication.processEvents()
        if problems:
            raise problems[0]

    def in_dialog(self, start: Callable[[], None], work: Callable[[QDialog], None]) -> None:
        """Do what opens a dialog, and work in it."""
        problems: list[BaseException] = []
        until = time.monotonic() + 30

        def look() -> None:
            dialog = QApplication.activeModalWidget()
            if not isinstance(dialog, QDialog) or not dialog.isVisible():
                if time.monotonic() < until:
                    QTimer.singleShot(50, look)
                return
            # Its own event loop must run before it can be ended.
            QTimer.singleShot(150, lambda: carry_on(dialog))

        def carry_on(dialog: QDialog) -> None:
            try:
                work(dialog)
            except BaseException as problem:
                problems.append(problem)
                dialog.reject()

        def give_up() -> None:
            """No dialog may hold the test for ever."""
            dialog = QApplication.activeModalWidget()
            if isinstance(dialog, QDialog):
                problems.append(TimeoutError(f"{dialog} is still open"))
                dialog.reject()

        QTimer.singleShot(50, look)
        watch = QTimer()
        watch.setSingleShot(True)
        watch.timeout.connect(give_up)
        watch.start(25_000)
        start()
        watch.stop()
        QApplication.processEvents()
        if problems:
            raise problems[0]
        self.window.activateWindow()  # there is no window manager that would do it
        self.qtbot.waitUntil(self.window.isActiveWindow)

    def type_path(self, path: Path) -> Callable[[QDialog], None]:
        """Type a path into a file dialog and press Enter."""

        def work(dialog: QDialog) -> None:
            assert isinstance(dialog, QFileDialog)
            edit = dialog.findChild(QLineEdit, "fileNameEdit")
            assert edit is not None
            edit.setFocus()
            edit.selectAll()
            QTest.keyClicks(edit, str(path))
            QApplication.processEvents()
            completer = edit.completer()
            if completer is not None:  # its list would take the Enter for itself
                popup = completer.popup()
                assert popup is not None
                popup.hide()
            assert edit.text() == str(path)
            box = dialog.findChild(QDialogButtonBox)
            assert box is not None
            kinds = QDialogButtonBox.StandardButton
            button = box.button(kinds.Save) or box.button(kinds.Open)
            QTest.mouseClick(button, LEFT)

        return work

    def settle(self) -> None:
        """Wait for checks and estimate."""
        self.window.document.flush()
        self.qtbot.waitUntil(lambda: self.window.analysis.up_to_date, timeout=30_000)
        QApplication.processEvents()

    def wait_for(self, action_id: str) -> None:
        """Wait until an action can be done."""
        action = self.window.actions_table.action(action_id)
        self.qtbot.waitUntil(action.isEnabled, timeout=10_000)


def _raise(error: Exception) -> None:
    raise error


@pytest.fixture
def hands(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Hands]:
    theme = apply_theme(qapp, ThemeChoice.LIGHT)
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings = Settings(store)
    settings.folder = tmp_path
    window = MainWindow(theme, load_bundled(), settings)
    window.analysis.fault.connect(_raise)
    window.setGeometry(0, 0, 1900, 1150)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=10_000)
    yield Hands(window, qtbot)
    window.document.open_design(Design(), None)
    window.close()
    window.deleteLater()
    QApplication.processEvents()


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("RACKLOOM_STATE_DIR", str(folder))
    return folder


def rack_slot(hands: Hands, rack: str, u: int) -> QPoint:
    """The middle of a U of a rack, in the window."""
    from rackloom.catalog.parts import U_MM, RackPart
    from rackloom.placement.geometry import u_bottom_mm

    design = hands.window.document.design
    entity = next(r for r in design.racks.values() if r.name == rack)
    part = design.part(entity.part, RackPart)
    box = hands.window.canvas.pane.arrays.box_of(entity.id)
    assert box is not None
    left, top, width, height = box
    return hands.on_canvas(left + width / 2, top + height - u_bottom_mm(part, u) - U_MM / 2)


def show_field(field: QWidget) -> None:
    """Scroll to a field of a panel, as one does with the wheel."""
    above = field.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(field)
        above = above.parentWidget()


def device(hands: Hands, name: str) -> str:
    design = hands.window.document.design
    return next(d.id for d in design.devices.values() if d.name == name)


def middle(hands: Hands, entity_id: str) -> QPoint:
    """The middle of a thing on the drawing, in the window."""
    box = hands.window.canvas.pane.arrays.box_of(entity_id)
    assert box is not None
    return hands.on_canvas(box[0] + box[2] / 2, box[1] + box[3] / 2)


def port(hands: Hands, device_id: str, cage: str) -> QPoint:
    """A port on the drawing, in the window."""
    box = hands.window.canvas.pane.arrays.port_place(device_id, cage)
    assert box is not None
    return hands.on_canvas(box[0] + box[2] / 2, box[1] + box[3] / 2)


def test_the_main_job(hands: Hands, tmp_path: Path, own_state: Path) -> None:
    """Steps 2 to 7 of the main job, one after the other in one window."""
    build(hands)
    cable(hands)
    connect(hands)
    problems(hands)
    saved = tmp_path / "hall.rackloom"
    save_close_open(hands, saved)
    what_if(hands)
    exports(hands, tmp_path)
    kill_and_recover(hands, saved, own_state)


def build(hands: Hands) -> None:
    """Drag a rack and servers in; move, duplicate, delete, undo, redo."""
    window, canvas = hands.window, hands.window.canvas
    design = lambda: window.document.design  # noqa: E731
    centre = canvas.pane.viewport().rect().center()
    hands.drag_part("generic-48u-600", hands.at(canvas.pane.viewport(), centre))
    assert [r.name for r in design().racks.values()] == ["R01"]
    assert not window.welcome.isVisible()
    hands.key(Qt.Key.Key_Home)

    def fits() -> None:
        hand = canvas.pane.hand
        assert hand is not None
        assert hand.reason is None

    hands.drag_part("dgx-h100", rack_slot(hands, "R01", 5), fits)
    (server,) = design().devices.values()
    assert server.bottom_u is not None

    def does_not_fit() -> None:
        hand = canvas.pane.hand
        assert hand is not None
        assert hand.reason is not None
        assert server.name in hand.reason

    hands.drag_part("dgx-h100", rack_slot(hands, "R01", server.bottom_u + 7), does_not_fit)
    assert len(design().devices) == 1
    assert server.name in window.status.message.text()

    hands.drag_part("generic-48u-600", rack_beside(hands, "R01"))
    assert len(design().racks) == 2
    hands.key(Qt.Key.Key_Home)
    second = next(r for r in design().racks.values() if r.name == "R02")
    hands.drag(middle(hands, server.id), rack_slot(hands, "R02", 5))
    assert design().devices[server.id].rack == second.id
    hands.key(Qt.Key.Key_D, CTRL)
    assert len(design().devices) == 2
    hands.key(Qt.Key.Key_Delete)
    assert len(design().devices) == 1
    hands.key(Qt.Key.Key_Z, CTRL)
    assert len(design().devices) == 2
    hands.key(Qt.Key.Key_Z, CTRL)
    hands.key(Qt.Key.Key_Z, CTRL)
    assert len(design().devices) == 1
    assert design().devices[server.id].rack != second.id
    hands.wait_for("edit.redo")
    hands.key(Qt.Key.Key_Y, CTRL)
    hands.wait_for("edit.redo")
    hands.key(Qt.Key.Key_Y, CTRL)
    assert len(design().devices) == 2
    labels = window.history.labels()
    assert len(labels) == 1 + len(window.document.history.steps)
    assert any("DGX H100" in label for label in labels)


def rack_beside(hands: Hands, name: str) -> QPoint:
    """A place on the drawing to the right of a rack."""
    design = hands.window.document.design
    rack = next(r for r in design.racks.values() if r.name == name)
    box = hands.window.canvas.pane.arrays.box_of(rack.id)
    assert box is not None
    return hands.on_canvas(box[0] + box[2] * 1.6, box[1] + box[3] / 2)


def cable(hands: Hands) -> None:
    """Put a leaf in and draw a cable from port to port."""
    window, canvas = hands.window, hands.window.canvas
    design = lambda: window.document.design  # noqa: E731
    canvas.setFocus()
    hands.key(Qt.Key.Key_Escape)
    hands.key("2")
    assert window.actions_table.action("view.rear").isChecked()
    hands.key(Qt.Key.Key_Home)
    hands.drag_part("nvidia-qm9700", rack_slot(hands, "R02", 30))
    leaf = next(d for d in design().devices.values() if d.part == "nvidia-qm9700")
    assert leaf.face.value == "rear"
    server = next(d for d in design().devices.values() if d.part == "dgx-h100")
    window.canvas.zoom_to([leaf.id, server.id])
    QApplication.processEvents()
    canvas.setFocus()
    hands.key("c")
    assert window.canvas.tool == "cable"
    hands.click(port(hands, leaf.id, "1"))
    takers = canvas.pane.cable_tool._takers
    assert takers.get((server.id, "OSFP1")) is None
    assert (server.id, "OSFP1") in takers
    refused = [why for why in takers.values() if why]
    assert refused, "ports of another speed are dimmed, with the reason"
    hands.click(port(hands, server.id, "OSFP1"))
    (drawn,) = design().cables.values()
    route = route_m(design(), drawn)
    assert route is not None
    assert drawn.length_m >= route.needed_m
    assert len(design().links[drawn.id]) >= 1
    hands.key(Qt.Key.Key_Escape)
    hands.key("v")
    assert window.canvas.tool == "select"
    hands.key(Qt.Key.Key_Z, CTRL)
    assert not design().cables


def connect(hands: Hands) -> None:
    """Servers to their leaf, after a preview, as one step."""
    window = hands.window
    before = window.document.history.position
    hands.key(Qt.Key.Key_A, CTRL)
    hands.wait_for("connect.rails")

    def accept(dialog: QDialog) -> None:
        assert isinstance(dialog, ConnectDialog)
        assert dialog.plan.links == 16
        assert dialog.table.rowCount() == 16
        QTest.keyClick(dialog, Qt.Key.Key_Return)

    hands.in_dialog(lambda: hands.key(Qt.Key.Key_L, CTRL), accept)
    design = window.document.design
    assert sum(len(links) for links in design.links.values()) == 16
    assert window.document.history.position == before + 1
    hands.settle()
    assert window.chart.estimate is not None, window.status.throughput.toolTip()
    assert window.chart.estimate.gpus == 16
    assert "GB/s" in window.status.throughput.text()


def problems(hands: Hands) -> None:
    """Make a cable too short in the inspector; find it, go to it, mend it with a click."""
    window = hands.window
    chosen = next(iter(window.document.design.cables))
    window.document.select([chosen])
    page = window.inspector.page
    assert page is not None
    field = next(f for f, _ in page._rows if f.accessibleName() == "Length")
    assert isinstance(field, QLineEdit)
    show_field(field)
    hands.settle()
    hands.click(hands.at(field, field.rect().center()))
    field.selectAll()
    for letter in "0.5 m":
        hands.key(letter)
    hands.key(Qt.Key.Key_Return)
    hands.settle()
    assert window.document.design.cables[chosen].length_m == 0.5
    rules = []
    for _ in range(window.problems.shown_count):
        hands.wait_for("problems.next")
        hands.key(Qt.Key.Key_F8)
        finding = window.problems.current()
        assert finding is not None
        rules.append(finding.rule)
        if finding.rule == "reach.too-short":
            break
    assert rules[-1] == "reach.too-short"
    assert chosen in window.document.selection
    pane = window.canvas.pane
    rect = pane.rect_of([chosen])
    assert rect is not None
    assert pane.visible_rect().intersects(rect)
    QApplication.processEvents()
    button = window.problems.findChild(QPushButton, "fixButton")
    assert button is not None
    hands.click(hands.at(button, button.rect().center()))
    hands.settle()
    after = window.document.design.cables[chosen]
    route = route_m(window.document.design, after)
    assert route is not None
    assert after.length_m >= route.needed_m


def save_close_open(hands: Hands, path: Path) -> None:
    """Save, close, open again: the same design."""
    window = hands.window
    design = window.document.design
    hands.in_dialog(lambda: hands.key(Qt.Key.Key_S, CTRL), hands.type_path(path))
    assert path.is_file()
    assert not window.windowTitle().startswith("*")
    hands.key(Qt.Key.Key_W, CTRL)
    assert not window.document.design.devices
    hands.in_dialog(lambda: hands.key(Qt.Key.Key_O, CTRL), hands.type_path(path))
    assert window.document.design == design
    assert load(path).design == design


def what_if(hands: Hands) -> None:
    """Unplug an uplink of the example, then a server's link: the chart answers within a moment."""
    window = hands.window
    assert window.session.open_example()
    hands.settle()
    whole = window.chart.estimate
    assert whole is not None
    hands.key("7", Qt.KeyboardModifier.AltModifier)  # the table of cables
    hands.qtbot.waitUntil(window.cables_table.isVisible)
    design = window.document.design
    leaf = device(hands, "leaf-01")
    ends = {c.id: {e.device for e in c.ends} for c in design.cables.values()}

    def between(name: str) -> str:
        other = device(hands, name)
        return next(c for c, devices in ends.items() if devices == {leaf, other})

    click_in_table(hands, between("spine-01"))
    hands.wait_for("connect.unplug")
    started = time.monotonic()
    hands.key(Qt.Key.Key_U, CTRL)
    hands.settle()
    assert time.monotonic() - started < 5
    answer = window.chart.estimate
    assert answer is not None
    assert answer is not whole
    assert answer.points == estimate(design, failed={between("spine-01")}).points
    click_in_table(hands, between("gpu-001"))
    hands.wait_for("connect.unplug")
    hands.key(Qt.Key.Key_U, CTRL)
    hands.settle()
    fewer = window.chart.estimate
    assert fewer is not None
    assert fewer.peak.busbw_gb_per_s < 0.95 * whole.peak.busbw_gb_per_s
    assert "gpu-001" in window.chart.reason
    assert window.document.is_clean
    window.document.select(window.analysis.unplugged)
    hands.wait_for("connect.plug")
    hands.key(Qt.Key.Key_U, CTRL | SHIFT)
    hands.settle()
    assert window.chart.estimate is not None
    assert window.chart.estimate.peak == whole.peak


def click_in_table(hands: Hands, cable_id: str) -> None:
    """Choose a cable in the table of cables."""
    table = hands.window.cables_table
    row = table.model.row_of(cable_id)
    assert row is not None
    index = table.model.index(row, 0)
    table.view.scrollTo(index)
    QApplication.processEvents()
    hands.click(hands.at(table.view.viewport(), table.view.visualRect(index).center()))
    assert hands.window.document.selection == {cable_id}


def exports(hands: Hands, folder: Path) -> None:
    """BOM, cable schedule and the three kinds of drawings."""
    window = hands.window
    heads = {
        "export.bom": ("bom.csv", b"part_number,"),
        "export.cables": ("cables.csv", b"cable,label,"),
        "export.svg": ("racks.svg", b"<?xml"),
        "export.pdf": ("racks.pdf", b"%PDF-"),
        "export.png": ("racks.png", b"\x89PNG"),
    }
    for action, (name, head) in heads.items():
        path = folder / name
        hands.wait_for(action)
        hands.in_dialog(lambda a=action: window.actions_table.trigger(a), hands.type_path(path))  # type: ignore[misc]
        hands.qtbot.waitUntil(path.is_file)
        assert path.read_bytes().startswith(head), name
    with (folder / "cables.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["cable"] for row in rows} == set(window.document.design.cables)
    image = QImage(str(folder / "racks.png"))
    assert image.width() > 800
    assert "leaf-01" in (folder / "racks.svg").read_text(encoding="utf-8")


_WORKER = """
import sys
from PySide6.QtCore import QTimer
from rackloom_gui import app as program

def work(window):
    # The work of a user who is interrupted: three edits, and then nothing more comes.
    document = window.document
    from rackloom.design import edits
    names = [d.id for d in document.design.devices.values()]
    for number, device in enumerate(names[:3]):
        document.do(f"Rename {number}", edits.rename, device, f"kept-{number}")
    print("ready", flush=True)

made = program.make_window
def make(app, settings=None):
    window = made(app, settings)
    def wait():
        if window.document.design.devices:
            work(window)
        else:
            QTimer.singleShot(50, wait)
    QTimer.singleShot(50, wait)
    return window
program.make_window = make
sys.exit(program.main(["rackloom", *sys.argv[1:]]))
"""


def kill_and_recover(hands: Hands, path: Path, state: Path) -> None:
    """Kill the program in mid-work; the next start offers what it saved."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WORKER, str(path)],
        env=dict(os.environ, RACKLOOM_STATE_DIR=str(state)),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    assert len(waiting_journals([path])) == 1
    window = hands.window

    def restore(dialog: QDialog) -> None:
        assert isinstance(dialog, RecoveryDialog)
        text = dialog._list.item(0).text()
        assert path.name in text
        assert "3 steps" in text
        QTest.mouseClick(dialog.restore_button, LEFT)

    def offer() -> None:
        assert window.session.offer_recovery()

    hands.in_dialog(offer, restore)
    names = {d.name for d in window.document.design.devices.values()}
    assert {"kept-0", "kept-1", "kept-2"} <= names
    assert window.windowTitle().startswith("*hall.rackloom")
    hands.key(Qt.Key.Key_S, CTRL)
    assert waiting_journals([path]) == []
    assert {d.name for d in load(path).design.devices.values()} == names
