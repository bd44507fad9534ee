# SPDX-License-Identifier: Apache-2.0
"""The small widgets: numbers with units, badges, search, labels that shorten themselves."""

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QValidator, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, ThemeChoice
from rackloom_gui.widgets import (
    ElidedLabel,
    EmptyState,
    QuantityEdit,
    SearchField,
    SeverityBadge,
    UnitSpinBox,
    format_quantity,
    parse_quantity,
)
from rackloom_gui.widgets.quantity import (
    CURRENT_A,
    LENGTH_M,
    LENGTH_MM,
    MASS_KG,
    PERCENT,
    POWER_W,
    RACK_UNITS,
    RATE_GBPS,
    TIME_US,
    UnitFamily,
)

EVERY_FAMILY = (
    LENGTH_M, LENGTH_MM, POWER_W, RATE_GBPS, MASS_KG, RACK_UNITS, PERCENT, TIME_US, CURRENT_A,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "family", "value"),
    [
        ("400 G", RATE_GBPS, 400.0),
        ("400gbe", RATE_GBPS, 400.0),
        ("1.6T", RATE_GBPS, 1600.0),
        ("1.2 kW", POWER_W, 1200.0),
        ("10200", POWER_W, 10_200.0),
        ("30 ft", LENGTH_M, 9.144),  # NIST SP 811: 1 ft = 0.3048 m exactly
        ("2.5 m", LENGTH_M, 2.5),
        ("19 in", LENGTH_MM, 482.6),  # EIA-310: the 19-inch rack
        ("1 lb", MASS_KG, 0.45359237),
        ("42 U", RACK_UNITS, 42.0),
        ("42RU", RACK_UNITS, 42.0),
        ("80 %", PERCENT, 80.0),
        ("1.5 ms", TIME_US, 1500.0),
        ("-3", LENGTH_M, -3.0),
        ("1e3", POWER_W, 1000.0),
    ],
)
def test_typed_quantities_are_understood(text: str, family: UnitFamily, value: float) -> None:
    assert parse_quantity(text, family) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "m", "three m", "3 W", "3 parsec", "1,5 m", "2 m 3", "--1"])
def test_nonsense_is_refused_not_guessed(text: str) -> None:
    assert parse_quantity(text, LENGTH_M) is None


def test_numbers_are_read_and_written_in_the_users_locale() -> None:
    german = QLocale(QLocale.Language.German, QLocale.Country.Germany)
    assert parse_quantity("2,5 m", LENGTH_M, german) == 2.5
    assert parse_quantity("2.5 m", LENGTH_M, german) == 2.5  # pasted from a data sheet
    assert format_quantity(2.5, LENGTH_M, 3, german) == "2,5 m"
    assert format_quantity(12_345.6, LENGTH_M, 1, german) == "12.345,6 m"


@pytest.mark.parametrize("family", EVERY_FAMILY, ids=lambda f: f.base)
def test_what_is_shown_reads_back(family: UnitFamily) -> None:
    for value in (0.0, 0.5, 3.0, 400.0, 9_999.0, 12_500.0, 2_000_000.0):
        text = format_quantity(value, family, 6)
        assert parse_quantity(text, family) == pytest.approx(value, rel=1e-9), text


def test_large_figures_are_shown_in_larger_units() -> None:
    assert format_quantity(10_200, POWER_W) == "10.2 kW"
    assert format_quantity(950, POWER_W) == "950 W"
    assert format_quantity(51_200, RATE_GBPS) == "51.2 Tb/s"
    assert format_quantity(3.0, LENGTH_M) == "3 m"


# -- spin box ----------------------------------------------------------------------------------


@pytest.fixture
def form(qtbot: QtBot) -> QWidget:
    form = QWidget()
    QVBoxLayout(form)
    qtbot.addWidget(form)
    return form


def show(form: QWidget, qtbot: QtBot, *children: QWidget) -> None:
    layout = form.layout()
    assert layout is not None
    for child in children:
        layout.addWidget(child)
    with qtbot.waitExposed(form):
        form.show()


def turn_wheel(widget: QWidget) -> bool:
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_a_spin_box_takes_other_units_and_shows_its_own(form: QWidget, qtbot: QtBot) -> None:
    box = UnitSpinBox(LENGTH_M, high=100)
    show(form, qtbot, box)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "30 ft")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == pytest.approx(9.144)
    assert box.text() == "9.144 m"
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert box.value() == pytest.approx(10.144)


def test_a_spin_box_keeps_its_value_when_nonsense_is_typed(form: QWidget, qtbot: QtBot) -> None:
    box = UnitSpinBox(POWER_W)
    box.setValue(700)
    show(form, qtbot, box)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "lots")
    assert box.validate("lots", 0)[0] == QValidator.State.Intermediate
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == 700
    assert box.text() == "700 W"
    box.selectAll()
    qtbot.keyClicks(box, "5000 MW")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == box.maximum(), "out of range: the nearest that is allowed"


def test_the_wheel_changes_nothing_without_the_focus(form: QWidget, qtbot: QtBot) -> None:
    box, other = UnitSpinBox(POWER_W), QLineEdit()
    box.setValue(700)
    show(form, qtbot, other, box)
    other.setFocus()
    assert not turn_wheel(box), "the form behind must scroll"
    assert box.value() == 700
    box.setFocus()
    turn_wheel(box)
    assert box.value() == 701


# -- quantity edit -----------------------------------------------------------------------------


def test_unknown_is_empty_never_nought(form: QWidget, qtbot: QtBot) -> None:
    edit = QuantityEdit(POWER_W)
    show(form, qtbot, edit)
    assert edit.value is None
    assert edit.text() == ""
    assert edit.placeholderText() == "unknown"
    edit.set_value(0.0)
    assert edit.text() == "0 W"
    edit.setFocus()
    edit.selectAll()
    with qtbot.waitSignal(edit.committed) as told:
        qtbot.keyClick(edit, Qt.Key.Key_Delete)
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert told.args == [None]


def test_mixed_commits_nothing_until_someone_types(form: QWidget, qtbot: QtBot) -> None:
    edit, other = QuantityEdit(LENGTH_M), QLineEdit()
    show(form, qtbot, edit, other)
    heard: list[float | None] = []
    edit.committed.connect(heard.append)
    edit.set_mixed()
    assert edit.placeholderText() == "mixed"
    edit.setFocus()
    other.setFocus()
    assert heard == []
    edit.setFocus()
    qtbot.keyClicks(edit, "6 ft")
    other.setFocus()
    assert heard == [pytest.approx(1.8288)]
    assert edit.text() == "1.829 m"
    assert edit.value == pytest.approx(1.8288), "what is shown is rounded, what is kept is not"


def test_what_cannot_be_read_is_marked_and_not_committed(form: QWidget, qtbot: QtBot) -> None:
    edit, other = QuantityEdit(LENGTH_M, low=0.5, high=100), QLineEdit()
    show(form, qtbot, edit, other)
    heard: list[float | None] = []
    edit.committed.connect(heard.append)
    edit.set_value(3.0)
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "3 parsec")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert "“3 parsec” is not a quantity" in edit.problem
    assert edit.toolTip() == edit.problem
    edit.selectAll()
    qtbot.keyClicks(edit, "300")
    assert edit.problem == "It must be between 0.5 m and 100 m."
    other.setFocus()
    assert heard == []
    assert edit.text() == "3 m"
    assert edit.problem == ""


def test_esc_puts_the_old_value_back(form: QWidget, qtbot: QtBot) -> None:
    edit = QuantityEdit(POWER_W)
    edit.set_value(700)
    show(form, qtbot, edit)
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "9")
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == "700 W"


def test_a_needed_value_cannot_be_left_empty(form: QWidget, qtbot: QtBot) -> None:
    edit = QuantityEdit(POWER_W, optional=False)
    edit.set_value(700)
    show(form, qtbot, edit)
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    assert edit.problem == "A value is needed here."


# -- badge, search, label, empty state -----------------------------------------------------------


def test_a_badge_shows_severity_by_colour_and_shape(
    theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    images = []
    for severity in ("error", "warning", "info", "ok"):
        badge = SeverityBadge(severity, theme, icons)
        qtbot.addWidget(badge)
        badge.set_count(3)
        badge.resize(badge.sizeHint())
        image = badge.grab().toImage()
        assert image.pixelColor(image.width() // 2, 1) == theme.tokens.severity(severity)
        images.append(image)
    assert all(a != b for n, a in enumerate(images) for b in images[n + 1 :])


def test_a_badge_of_nought_is_quiet_and_names_itself(
    theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    badge = SeverityBadge("error", theme, icons)
    qtbot.addWidget(badge)
    badge.set_count(0)
    badge.resize(badge.sizeHint())
    quiet = badge.grab().toImage()
    assert quiet.pixelColor(quiet.width() // 2, 1) != theme.tokens.error
    badge.set_count(12_345)
    assert badge.text == "12,345"
    assert badge.accessibleName() == "Errors 12,345"
    assert badge.sizeHint().width() > quiet.width()


def test_a_badge_is_clicked_by_mouse_and_keyboard(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    badge = SeverityBadge("warning", theme, icons, text="2")
    qtbot.addWidget(badge)
    clicks: list[int] = []
    badge.clicked.connect(lambda: clicks.append(1))
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    qtbot.keyClick(badge, Qt.Key.Key_Space)
    qtbot.keyClick(badge, Qt.Key.Key_Return)
    assert len(clicks) == 3


def test_search_waits_for_a_pause_and_clears_at_once(icons: Icons, qtbot: QtBot) -> None:
    field = SearchField(icons)
    qtbot.addWidget(field)
    heard: list[str] = []
    field.searched.connect(heard.append)
    with qtbot.waitSignal(field.searched):
        qtbot.keyClicks(field, "dgx")
    assert heard == ["dgx"]
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert heard == ["dgx"], "nothing new to search for"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert heard == ["dgx", ""]
    qtbot.keyClicks(field, "q")
    with qtbot.waitSignal(field.down_pressed):
        qtbot.keyClick(field, Qt.Key.Key_Down)
    assert heard[-1] == "q"


def test_a_long_label_is_cut_and_says_the_rest_in_its_tip(qtbot: QtBot) -> None:
    text = "su-01-rack-A07-dgx-h100-of-the-long-name"
    label = ElidedLabel(text)
    qtbot.addWidget(label)
    label.resize(120, 20)
    label.show()
    assert label.shown_text().endswith("…")
    assert label.fontMetrics().horizontalAdvance(label.shown_text()) <= 120
    assert label.toolTip() == text
    label.resize(600, 20)
    assert label.shown_text() == text
    assert label.toolTip() == ""


def test_an_empty_state_offers_what_to_do(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    done: list[int] = []
    action = QAction("&Open Example")
    action.triggered.connect(lambda _checked=False: done.append(1))
    empty = EmptyState("chart", "Nothing yet", "Draw.", theme, icons, actions=(action,))
    qtbot.addWidget(empty)
    empty.show()
    button = empty.findChild(QPushButton)
    assert button is not None
    assert button.text() == "Open Example"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == [1]
    action.setEnabled(False)
    assert not button.isEnabled()
    theme.set_choice(ThemeChoice.DARK)
    text = empty._text
    assert text.palette().color(text.foregroundRole()) == theme.tokens.text_muted
