# SPDX-License-Identifier: Apache-2.0
"""Pan, zoom and gestures of the canvas, driven by the events a mouse or touchpad sends."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QGraphicsRectItem, QGraphicsScene, QGraphicsView
from pytestqt.qtbot import QtBot

from rackloom_gui.canvas.gestures import BaseTool, CancelReason, Gesture, PointerEvent, RubberBand
from rackloom_gui.canvas.view import AUTO_SCROLL_MARGIN_PX, CanvasView
from rackloom_gui.tokens import LIGHT

HALL = QRectF(-2000, -500, 60_000, 20_000)  # mm: a row of racks
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
RIGHT = Qt.MouseButton.RightButton
NO_BUTTON, NO_KEYS = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class RecordingGesture:
    def __init__(self, log: list[tuple[str, object]]) -> None:
        self.log = log

    def move(self, event: PointerEvent) -> None:
        self.log.append(("move", event))

    def end(self, event: PointerEvent) -> None:
        self.log.append(("end", event))

    def cancel(self, reason: CancelReason) -> None:
        self.log.append(("cancel", reason))

    def paint(self, painter: QPainter, scale: float) -> None:
        pass


class RecordingTool(BaseTool):
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self) -> None:
        self.log: list[tuple[str, object]] = []
        self.takes_context = False

    def press(self, event: PointerEvent) -> Gesture | None:
        self.log.append(("press", event))
        return RecordingGesture(self.log)

    def hover(self, event: PointerEvent) -> None:
        self.log.append(("hover", event))

    def leave(self) -> None:
        self.log.append(("leave", None))

    def context(self, event: PointerEvent) -> bool:
        self.log.append(("context", event))
        return self.takes_context

    def deactivate(self) -> None:
        self.log.append(("deactivate", None))

    def names(self) -> list[str]:
        return [name for name, _what in self.log]

    def last(self, name: str) -> PointerEvent:
        found = [what for what_name, what in self.log if what_name == name][-1]
        assert isinstance(found, PointerEvent)
        return found


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[CanvasView]:
    view = CanvasView(unit_scale=0.5)
    view.set_content_rect(HALL, smallest_feature=5.0)
    qtbot.addWidget(view)
    view.resize(900, 700)
    with qtbot.waitExposed(view):
        view.show()
    view.setFocus()
    view.zoom_100()
    view.centre_on(QPointF(10_000, 8_000))
    yield view
    view.cancel_gesture(CancelReason.SCENE_CHANGED)


def mouse(
    view: CanvasView,
    kind: QEvent.Type,
    at: tuple[float, float],
    button: Qt.MouseButton = NO_BUTTON,
    buttons: Qt.MouseButton = NO_BUTTON,
    modifiers: Qt.KeyboardModifier = NO_KEYS,
) -> None:
    place = QPointF(*at)
    everywhere = QPointF(view.viewport().mapToGlobal(place.toPoint()))
    QApplication.sendEvent(
        view.viewport(), QMouseEvent(kind, place, everywhere, button, buttons, modifiers)
    )


def press(view: CanvasView, at: tuple[float, float], button: Qt.MouseButton = LEFT) -> None:
    mouse(view, QEvent.Type.MouseButtonPress, at, button, button)


def move(view: CanvasView, at: tuple[float, float], buttons: Qt.MouseButton = LEFT) -> None:
    mouse(view, QEvent.Type.MouseMove, at, NO_BUTTON, buttons)


def release(view: CanvasView, at: tuple[float, float], button: Qt.MouseButton = LEFT) -> None:
    mouse(view, QEvent.Type.MouseButtonRelease, at, button, NO_BUTTON)


def drag(
    view: CanvasView, a: tuple[float, float], b: tuple[float, float], button: Qt.MouseButton = LEFT
) -> None:
    press(view, a, button)
    for share in (0.3, 0.7, 1.0):
        move(view, (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share), button)
    release(view, b, button)


def wheel(
    view: CanvasView,
    at: tuple[float, float],
    angle: tuple[int, int] = (0, 0),
    pixels: tuple[int, int] = (0, 0),
    modifiers: Qt.KeyboardModifier = NO_KEYS,
) -> None:
    place = QPointF(*at)
    event = QWheelEvent(
        place,
        QPointF(view.viewport().mapToGlobal(place.toPoint())),
        QPoint(*pixels),
        QPoint(*angle),
        NO_BUTTON,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def pinch(view: CanvasView, at: tuple[float, float], value: float) -> None:
    place = QPointF(*at)
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        place,
        place,
        QPointF(view.viewport().mapToGlobal(place.toPoint())),
        value,
        QPointF(),
    )
    QApplication.sendEvent(view.viewport(), event)


def key(view: CanvasView, code: Qt.Key, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, code, modifiers))


def key_up(view: CanvasView, code: Qt.Key) -> None:
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyRelease, code, NO_KEYS))


def scroll(view: CanvasView) -> tuple[int, int]:
    return view.horizontalScrollBar().value(), view.verticalScrollBar().value()


# -- zoom ------------------------------------------------------------------------------------


def test_the_point_under_the_pointer_stays_within_a_pixel_all_the_way(view: CanvasView) -> None:
    at = (123.0, 456.0)
    fixed = view.to_scene(QPointF(*at))
    turns = np.random.default_rng(1).choice([120, -120, 15, -15, 7, 240, -240], 200)
    for turn in turns.tolist():
        wheel(view, at, (0, int(turn)), modifiers=CTRL)
        error = view.to_view(fixed) - QPointF(*at)
        assert abs(error.x()) <= 1.0
        assert abs(error.y()) <= 1.0


def test_our_mapping_is_qts(view: CanvasView) -> None:
    for point in (QPoint(0, 0), QPoint(317, 42), QPoint(800, 600)):
        ours, theirs = view.to_scene(QPointF(point)), view.mapToScene(point)
        assert abs(ours.x() - theirs.x()) < 1e-6
        assert abs(ours.y() - theirs.y()) < 1e-6
        assert view.mapFromScene(ours) == point


def test_four_notches_double_and_small_turns_add_up(view: CanvasView) -> None:
    start = view.zoom
    for _ in range(4):
        wheel(view, (300, 300), (0, 120), modifiers=CTRL)
    assert view.zoom == pytest.approx(2 * start)
    for _ in range(32):  # a touchpad's small steps
        wheel(view, (300, 300), (0, -15), modifiers=CTRL)
    assert view.zoom == pytest.approx(start)


def test_keys_zoom_as_a_notch_does(view: CanvasView) -> None:
    start = view.zoom
    view.zoom_in()
    by_key = view.zoom
    view.zoom_out()
    assert view.zoom == pytest.approx(start)
    wheel(view, (300, 300), (0, 120), modifiers=CTRL)
    assert view.zoom == pytest.approx(by_key)


def test_a_pinch_zooms_at_the_fingers(view: CanvasView) -> None:
    at = (250.0, 333.0)
    fixed = view.to_scene(QPointF(*at))
    start = view.zoom
    for _ in range(10):
        pinch(view, at, 0.05)
    assert view.zoom == pytest.approx(start * 1.05**10)
    error = view.to_view(fixed) - QPointF(*at)
    assert error.manhattanLength() <= 1.5
    pinch(view, at, -5.0)  # nonsense from a driver must not turn the drawing inside out
    assert view.zoom > 0


def test_zoom_stops_where_the_hall_or_a_port_is_100_px(view: CanvasView) -> None:
    for _ in range(100):
        wheel(view, (300, 300), (0, -240), modifiers=CTRL)
    assert view.scale_px * HALL.width() == pytest.approx(100.0)
    for _ in range(100):
        wheel(view, (300, 300), (0, 240), modifiers=CTRL)
    assert view.scale_px * 5.0 == pytest.approx(100.0)


def test_a_huge_hall_does_not_overflow_the_scroll_bars(view: CanvasView) -> None:
    view.set_content_rect(QRectF(0, 0, 3e9, 1e6), smallest_feature=0.1)
    view.zoom_to(view.zoom_limits[1])
    end = QPointF(3e9, 0)
    view.centre_on(end)
    assert (view.to_view(end) - QPointF(view.viewport().rect().center())).manhattanLength() < 3
    assert view.horizontalScrollBar().maximum() > view.horizontalScrollBar().minimum()


def test_zoom_is_told(view: CanvasView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.zoom_changed) as told:
        view.zoom_to(2.0)
    assert told.args == [pytest.approx(2.0)]
    assert view.scale_px == pytest.approx(1.0)  # unit_scale 0.5


# -- fit -----------------------------------------------------------------------------------------


def test_fit_all_shows_all_of_it_in_the_middle(view: CanvasView) -> None:
    view.fit_all()
    seen = view.visible_rect()
    assert seen.contains(HALL)
    assert HALL.width() / seen.width() > 0.9
    middle = QPointF(view.viewport().width(), view.viewport().height()) / 2
    off = view.to_view(HALL.center()) - middle
    assert off.manhattanLength() <= 2


def test_fit_rect_shows_a_part_but_not_absurdly_large(view: CanvasView) -> None:
    device = QRectF(5000, 5000, 450, 89)
    view.fit_rect(device)
    assert view.visible_rect().contains(device)
    assert view.zoom <= 4.0
    view.fit_rect(QRectF(5000, 5000, 0, 0))  # a point: no division by zero
    assert view.visible_rect().contains(QPointF(5000, 5000))


def test_a_fit_before_the_window_is_shown_happens_when_it_is(qtbot: QtBot) -> None:
    view = CanvasView()
    qtbot.addWidget(view)
    view.set_content_rect(HALL)
    view.fit_all()
    view.resize(640, 480)
    with qtbot.waitExposed(view):
        view.show()
    assert view.visible_rect().contains(HALL)


# -- scroll ----------------------------------------------------------------------------------


def test_one_can_scroll_one_viewport_beyond_on_all_sides(view: CanvasView) -> None:
    size = view.viewport().size()
    for zoom in (0.05, 1.0, 3.0):
        view.zoom_to(zoom)
        view.scroll_by(-(10**8), -(10**8))
        corner = view.to_view(HALL.topLeft())
        assert corner.x() == pytest.approx(size.width(), abs=2)
        assert corner.y() == pytest.approx(size.height(), abs=2)
        view.scroll_by(10**8, 10**8)
        corner = view.to_view(HALL.bottomRight())
        assert corner.x() == pytest.approx(0, abs=2)
        assert corner.y() == pytest.approx(0, abs=2)


def test_the_wheel_scrolls_shift_goes_sideways(view: CanvasView) -> None:
    x, y = scroll(view)
    wheel(view, (300, 300), (0, -120))
    assert scroll(view) == (x, y + 60)
    wheel(view, (300, 300), (0, -120), modifiers=SHIFT)
    assert scroll(view) == (x + 60, y + 60)


def test_two_fingers_scroll_both_ways_at_once(view: CanvasView) -> None:
    x, y = scroll(view)
    wheel(view, (300, 300), (-36, 60), pixels=(-12, 20))
    assert scroll(view) == (x + 12, y - 20)


def test_the_cad_habit_swaps_wheel_and_ctrl_wheel(view: CanvasView) -> None:
    view.wheel_zooms = True
    start, place = view.zoom, scroll(view)
    wheel(view, (300, 300), (0, 120))
    assert view.zoom > start
    zoomed, place = view.zoom, scroll(view)
    wheel(view, (300, 300), (0, 120), modifiers=CTRL)
    assert view.zoom == zoomed
    assert scroll(view) == (place[0], place[1] - 60)
    wheel(view, (300, 300), (0, 30), pixels=(0, 10))  # a touchpad still scrolls
    assert view.zoom == zoomed


@pytest.mark.parametrize("button", [MIDDLE, RIGHT])
def test_middle_and_right_button_drag_the_paper(view: CanvasView, button: Qt.MouseButton) -> None:
    menus: list[object] = []
    view.context_requested.connect(lambda *where: menus.append(where))
    grabbed = view.to_scene(QPointF(400, 300))
    drag(view, (400, 300), (250, 420), button)
    assert (view.to_view(grabbed) - QPointF(250, 420)).manhattanLength() <= 1
    assert menus == []


def test_space_and_left_button_drag_the_paper_in_every_tool(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    key(view, Qt.Key.Key_Space)
    assert view.viewport().cursor().shape() == Qt.CursorShape.OpenHandCursor
    grabbed = view.to_scene(QPointF(400, 300))
    drag(view, (400, 300), (300, 200))
    assert (view.to_view(grabbed) - QPointF(300, 200)).manhattanLength() <= 1
    assert "press" not in tool.names()
    key_up(view, Qt.Key.Key_Space)
    assert view.viewport().cursor().shape() == Qt.CursorShape.CrossCursor
    press(view, (300, 300))
    assert tool.names()[-1] == "press"


def test_arrows_pan_unless_they_move_a_selection(view: CanvasView) -> None:
    x, y = scroll(view)
    key(view, Qt.Key.Key_Right)
    key(view, Qt.Key.Key_Down)
    assert scroll(view) == (x + 60, y + 60)
    view.arrows_pan = lambda: False
    key(view, Qt.Key.Key_Right)
    assert scroll(view) == (x + 60, y + 60)


def test_resizing_keeps_the_top_left_corner(view: CanvasView) -> None:
    corner = view.to_scene(QPointF(0, 0))
    view.resize(600, 500)
    assert view.to_scene(QPointF(0, 0)) == corner


# -- tools -----------------------------------------------------------------------------------


def test_a_tool_hears_in_scene_units_and_learns_when_it_is_a_drag(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    here = view.to_scene(QPointF(200, 200))
    press(view, (200, 200))
    move(view, (202, 201))
    assert not tool.last("move").dragged, "a trembling hand drags nothing"
    move(view, (260, 240))
    release(view, (260, 240))
    end = tool.last("end")
    assert tool.names() == ["press", "move", "move", "end"]
    assert end.dragged
    assert end.press_scene == here
    assert end.scene == view.to_scene(QPointF(260, 240))
    assert end.scale == pytest.approx(0.5)
    move(view, (261, 240), NO_BUTTON)
    assert tool.names()[-1] == "hover"


def test_esc_cancels_a_gesture_once_and_only_then_the_selection(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    escaped: list[int] = []
    view.escaped.connect(lambda: escaped.append(1))
    press(view, (200, 200))
    move(view, (300, 300))
    key(view, Qt.Key.Key_Escape)
    assert tool.log[-1] == ("cancel", CancelReason.ESCAPE)
    assert escaped == []
    release(view, (300, 300))
    assert tool.names()[-1] == "cancel", "a release after Esc ends nothing"
    key(view, Qt.Key.Key_Escape)
    assert escaped == [1]


def test_losing_the_focus_or_the_tool_cancels(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    press(view, (200, 200))
    lost = QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.ActiveWindowFocusReason)
    QApplication.sendEvent(view, lost)
    assert tool.log[-1] == ("cancel", CancelReason.FOCUS_LOST)
    press(view, (200, 200))
    view.set_tool(BaseTool())
    assert tool.log[-2:] == [("cancel", CancelReason.TOOL_CHANGED), ("deactivate", None)]


def test_a_second_button_does_not_disturb_a_drag(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    press(view, (200, 200))
    mouse(view, QEvent.Type.MouseButtonPress, (210, 210), RIGHT, LEFT | RIGHT)
    mouse(view, QEvent.Type.MouseButtonRelease, (210, 210), RIGHT, LEFT)
    release(view, (220, 220))
    assert tool.names() == ["press", "end"]


def test_zooming_in_mid_drag_moves_the_gesture_along(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    press(view, (200, 200))
    move(view, (300, 300))
    wheel(view, (300, 300), (0, -120))
    assert tool.last("move").scene == view.to_scene(QPointF(300, 300))


def test_a_right_click_opens_the_menu_unless_the_tool_takes_it(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    menus: list[QPointF] = []
    view.context_requested.connect(lambda scene, _everywhere: menus.append(scene))
    press(view, (200, 200), RIGHT)
    release(view, (200, 200), RIGHT)
    assert menus == [view.to_scene(QPointF(200, 200))]
    tool.takes_context = True
    press(view, (200, 200), RIGHT)
    release(view, (200, 200), RIGHT)
    assert len(menus) == 1
    by_key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1))
    QApplication.sendEvent(view.viewport(), by_key)
    assert len(menus) == 2


def test_the_second_of_two_quick_clicks_is_a_press_for_simple_tools(view: CanvasView) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    press(view, (200, 200))
    release(view, (200, 200))
    mouse(view, QEvent.Type.MouseButtonDblClick, (204, 200), LEFT, LEFT)
    release(view, (204, 200))
    assert tool.names() == ["press", "end", "press", "end"]


def test_leaving_is_told(view: CanvasView, qtbot: QtBot) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    with qtbot.waitSignal(view.left):
        QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert tool.names() == ["leave"]


# -- auto-scroll -----------------------------------------------------------------------------


def test_speed_is_nought_inside_and_grows_towards_the_edge(view: CanvasView) -> None:
    width = view.viewport().width()
    assert view.edge_speed(QPointF(width / 2, 300)).isNull()
    assert view.edge_speed(QPointF(AUTO_SCROLL_MARGIN_PX, 300)).isNull()
    near, at, beyond = (view.edge_speed(QPointF(x, 300)).x() for x in (18, 0, -20))
    assert 0 > near > at > beyond
    assert view.edge_speed(QPointF(width - 5, 300)).x() > 0


def test_dragging_at_the_edge_scrolls_until_release(view: CanvasView, qtbot: QtBot) -> None:
    tool = RecordingTool()
    view.set_tool(tool)
    press(view, (300, 300))
    move(view, (view.viewport().width() - 4.0, 300))
    x = scroll(view)[0]
    qtbot.waitUntil(lambda: scroll(view)[0] > x + 30)
    assert tool.last("move").scene == view.to_scene(tool.last("move").view)
    release(view, (view.viewport().width() - 4.0, 300))
    x = scroll(view)[0]
    qtbot.wait(60)
    assert scroll(view)[0] == x


def test_esc_stops_auto_scroll_at_once(view: CanvasView, qtbot: QtBot) -> None:
    view.set_tool(RecordingTool())
    press(view, (300, 300))
    move(view, (300, 2))
    key(view, Qt.Key.Key_Escape)
    place = scroll(view)
    qtbot.wait(60)
    assert scroll(view) == place


def test_a_press_at_the_edge_without_a_drag_does_not_scroll(view: CanvasView, qtbot: QtBot) -> None:
    view.set_tool(RecordingTool())
    place = scroll(view)
    press(view, (300, 3))
    move(view, (301, 3))
    qtbot.wait(60)
    assert scroll(view) == place


# -- rubber band ---------------------------------------------------------------------------


class BandTool(BaseTool):
    def __init__(self) -> None:
        self.done: list[tuple[QRectF, bool, bool]] = []
        self.clicks = 0

    def press(self, event: PointerEvent) -> Gesture | None:
        return RubberBand(
            (QColor("#0000ff"), QColor("#00ff00")),
            lambda rect, touching, last: self.done.append((rect, touching, last.shift)),
            on_click=lambda _event: self.count(),
        )

    def count(self) -> None:
        self.clicks += 1


def test_left_to_right_is_inside_right_to_left_is_touching(view: CanvasView) -> None:
    tool = BandTool()
    view.set_tool(tool)
    a, b = view.to_scene(QPointF(100, 100)), view.to_scene(QPointF(300, 250))
    drag(view, (100, 100), (300, 250))
    drag(view, (300, 250), (100, 100))
    assert [touching for _rect, touching, _shift in tool.done] == [False, True]
    for rect, _touching, _shift in tool.done:
        assert rect == QRectF(a, b)
    drag(view, (100, 100), (101, 100))
    assert tool.clicks == 1
    assert len(tool.done) == 2


def grab(view: CanvasView) -> QImage:
    return view.viewport().grab().toImage()


def test_the_two_bands_look_different_and_esc_wipes_them_away(view: CanvasView) -> None:
    view.set_tool(BandTool())
    clean = grab(view)
    press(view, (100, 100))
    move(view, (300, 250))
    inside = grab(view)
    key(view, Qt.Key.Key_Escape)
    assert grab(view) == clean
    press(view, (300, 250))
    move(view, (100, 100))
    touching = grab(view)
    assert inside != clean
    assert touching != inside
    assert inside.pixelColor(200, 180).blue() > inside.pixelColor(200, 180).green()
    assert touching.pixelColor(200, 180).green() > touching.pixelColor(200, 180).blue()


# -- drops -----------------------------------------------------------------------------------


class Shelf:
    """A drop target that takes texts."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, QPointF]] = []

    def drag_enter(self, event: QDragEnterEvent, scene: QPointF) -> bool:
        self.heard.append(("enter", scene))
        return event.mimeData().hasText()

    def drag_move(self, event: QDragMoveEvent, scene: QPointF) -> bool:
        self.heard.append(("move", scene))
        return scene.x() > 10_000

    def drag_scrolled(self, scene: QPointF) -> None:
        self.heard.append(("scrolled", scene))

    def drag_leave(self) -> None:
        self.heard.append(("leave", QPointF()))

    def drop(self, event: QDropEvent, scene: QPointF) -> bool:
        self.heard.append((event.mimeData().text(), scene))
        return True


def send_drag(view: CanvasView, kind: type[Any], at: tuple[float, float], mime: QMimeData) -> bool:
    place = QPointF(*at) if kind is QDropEvent else QPoint(int(at[0]), int(at[1]))
    event = kind(place, Qt.DropAction.CopyAction, mime, LEFT, NO_KEYS)
    QApplication.sendEvent(view.viewport(), event)
    return bool(event.isAccepted())


def test_a_part_dragged_in_reaches_the_target_in_scene_units(view: CanvasView) -> None:
    shelf = Shelf()
    view.drop_target = shelf
    mime = QMimeData()
    mime.setText("dgx-h100")
    assert send_drag(view, QDragEnterEvent, (30, 300), mime)
    assert not send_drag(view, QDragMoveEvent, (30, 300), mime)
    assert send_drag(view, QDragMoveEvent, (700, 300), mime)
    assert send_drag(view, QDropEvent, (700, 300), mime)
    assert shelf.heard[-1] == ("dgx-h100", view.to_scene(QPointF(700, 300)))


def test_a_drag_scrolls_at_the_edge_but_not_on_its_way_in(view: CanvasView, qtbot: QtBot) -> None:
    shelf = Shelf()
    view.drop_target = shelf
    mime = QMimeData()
    mime.setText("dgx-h100")
    place = scroll(view)
    send_drag(view, QDragEnterEvent, (3, 300), mime)
    send_drag(view, QDragMoveEvent, (5, 300), mime)
    qtbot.wait(60)
    assert scroll(view) == place
    send_drag(view, QDragMoveEvent, (300, 300), mime)
    send_drag(view, QDragMoveEvent, (5, 300), mime)
    qtbot.waitUntil(lambda: scroll(view)[0] < place[0] - 30)
    assert shelf.heard[-1] == ("scrolled", view.to_scene(QPointF(5, 300)))
    QApplication.sendEvent(view.viewport(), QDragLeaveEvent())
    place = scroll(view)
    qtbot.wait(60)
    assert scroll(view) == place


# -- frame -----------------------------------------------------------------------------------


def test_set_up_for_layers_not_for_items(view: CanvasView) -> None:
    assert view.scene().itemIndexMethod() == QGraphicsScene.ItemIndexMethod.NoIndex
    full = QGraphicsView.ViewportUpdateMode.FullViewportUpdate
    assert view.viewportUpdateMode() == full
    assert view.scene().sceneRect() == HALL
    assert not view.isInteractive()


def test_the_keyboard_focus_shows_when_it_came_by_keyboard(view: CanvasView) -> None:
    view.set_tokens(LIGHT)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.MouseFocusReason)
    assert grab(view).pixelColor(1, 1) == LIGHT.canvas
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert grab(view).pixelColor(1, 1) == LIGHT.accent


def test_tab_walks_things_before_it_leaves(view: CanvasView) -> None:
    ways: list[bool] = []

    def walk(forward: bool) -> bool:
        ways.append(forward)
        return True

    view.walk = walk
    key(view, Qt.Key.Key_Tab)
    key(view, Qt.Key.Key_Backtab, SHIFT)
    assert ways == [True, False]
    assert view.hasFocus()


def test_what_is_drawn_is_where_the_mapping_says(view: CanvasView) -> None:
    box = QGraphicsRectItem(QRectF(9_800, 7_900, 300, 120))
    box.setBrush(QColor("#ff0000"))
    box.setPen(QColor("#ff0000"))
    view.scene().addItem(box)
    inside = view.to_view(QPointF(9_810, 7_910)).toPoint()
    outside = view.to_view(QPointF(9_790, 7_890)).toPoint()
    image = grab(view)
    assert image.pixelColor(inside) == QColor("#ff0000")
    assert image.pixelColor(outside) != QColor("#ff0000")
    view.scene().removeItem(box)
