# SPDX-License-Identifier: Apache-2.0
"""What a fix would change is told and shown before it is applied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle

from rackloom.design import Draft, edits
from rackloom_gui.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def shortened(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example with three cables cut to half a metre."""
    cables = [c for c in example.document.design.cables.values() if len(c.ends) == 2][:3]

    def cut(draft: Draft) -> None:
        for cable in cables:
            edits.set_cable(draft, cable.id, length_m=0.5)

    example.document.do("Cut", cut)
    settle(example, qtbot)
    example.show_panel("problems")
    return example


def choose(window: MainWindow, rule: str, qtbot: QtBot) -> None:
    panel = window.problems
    findings = window.analysis.findings
    assert findings is not None
    panel.choose(next(f for f in findings if f.rule == rule))
    qtbot.waitUntil(lambda: bool(panel._detail.told.text()), timeout=10_000)


def button(window: MainWindow, name: str) -> QPushButton:
    found = window.problems.findChild(QPushButton, name)
    assert found is not None
    return found


def hover(button: QPushButton, inside: bool) -> None:
    QApplication.sendEvent(button, QEvent(QEvent.Type.Enter if inside else QEvent.Type.Leave))


def test_the_first_fix_is_told_when_a_problem_is_chosen(
    shortened: MainWindow, qtbot: QtBot
) -> None:
    before = shortened.document.design
    choose(shortened, "reach.too-short", qtbot)
    text = shortened.problems._detail.told.text()
    assert text.startswith("1 cable replaced; +")
    assert text.endswith(" m of cable.")
    assert shortened.document.design is before
    assert shortened.canvas.marks.preview is None, "nothing is under the pointer yet"


def test_a_fix_under_the_pointer_is_shown_on_the_drawing(
    shortened: MainWindow, qtbot: QtBot
) -> None:
    choose(shortened, "reach.too-short", qtbot)
    finding = shortened.problems.current()
    assert finding is not None
    fix = button(shortened, "fixButton")
    hover(fix, inside=True)
    qtbot.waitUntil(lambda: shortened.canvas.marks.preview is not None, timeout=10_000)
    preview = shortened.canvas.marks.preview
    assert preview is not None
    cable = finding.where[0]
    assert cable in preview.changed | preview.gone
    design = shortened.document.design
    ends = {end.device for end in design.cables[cable].ends}  # type: ignore[index]
    assert ends <= preview.changed
    with_it = shortened.canvas.grab().toImage()
    hover(fix, inside=False)
    assert shortened.canvas.marks.preview is None
    assert shortened.canvas.grab().toImage() != with_it
    label = fix.text()
    qtbot.mouseClick(fix, LEFT)
    settle(shortened, qtbot)
    assert shortened.canvas.marks.preview is None
    assert shortened.document.history.steps[-1].label == label


def test_fix_all_says_how_many_and_is_one_step(shortened: MainWindow, qtbot: QtBot) -> None:
    choose(shortened, "reach.too-short", qtbot)
    every = button(shortened, "fixAllButton")
    assert every.text() == "Fix all 3 of this kind"
    told = shortened.problems._detail.told
    every.setFocus()
    hover(every, inside=True)
    qtbot.waitUntil(lambda: told.text().startswith("3 cables replaced; +"), timeout=10_000)
    steps = shortened.document.history.position
    qtbot.mouseClick(every, LEFT)
    settle(shortened, qtbot)
    assert shortened.document.history.position == steps + 1
    assert shortened.document.undo_label == "Fix 3 problems (reach.too-short)"
    findings = shortened.analysis.findings
    assert findings is not None
    assert not [f for f in findings if f.rule == "reach.too-short"]


def test_a_removed_device_is_crossed_out_and_a_new_one_gets_a_place(
    shortened: MainWindow, qtbot: QtBot
) -> None:
    from rackloom.catalog import load_bundled
    from rackloom.catalog.parts import DevicePart
    from rackloom.design.slots import first_free_u

    design = shortened.document.design
    part = load_bundled().require("nvidia-qm9700")
    assert isinstance(part, DevicePart)
    rack = next(iter(design.racks))
    free_u = first_free_u(design, part, rack)
    assert free_u is not None
    victim = next(d.id for d in design.devices.values() if d.name == "leaf-01")
    draft = Draft(design)
    edits.remove(draft, [victim])
    edits.add_device(draft, part, rack, free_u)
    plain = shortened.canvas.grab().toImage()
    shortened.canvas.set_preview(draft.close("Try")[1].change)
    preview = shortened.canvas.marks.preview
    assert preview is not None
    assert victim in preview.gone
    assert preview.slots == ((rack, free_u, free_u),)
    assert shortened.canvas.grab().toImage() != plain
    shortened.document.do("Rename", edits.rename, victim, "other")
    shortened.document.flush()
    assert shortened.canvas.marks.preview is None, "it was of the design before"


def test_a_fix_of_what_went_meanwhile_is_refused_in_a_sentence(shortened: MainWindow) -> None:
    """Findings of a great design come from a thread: what they are about may be gone by then."""
    said: list[str] = []
    shortened.editing.refused.connect(said.append)
    findings = shortened.analysis.findings
    assert findings is not None
    finding = next(f for f in findings if f.rule == "reach.too-short")
    fix = finding.fixes[0]
    shortened.document.do("Delete", edits.remove, {finding.where[0]})
    without = shortened.document.design
    shortened.editing.fix(finding, fix)
    assert said == ["What this fix is about is not there any more."]
    assert shortened.document.design is without
