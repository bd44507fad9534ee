# SPDX-License-Identifier: Apache-2.0
"""The workload panel: the answer of the core, live, with what does not fit said at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named

from rackloom.workload import Given, Parallel, Settings, find_model, own_model, workload
from rackloom.workload.settings import OVERLAPS as CORE_OVERLAPS
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.workload_taken import OVERLAPS
from rackloom_gui.panels.workload_words import gb_text, in_fields, seconds_text


def _answered(window: MainWindow, qtbot: QtBot) -> None:
    window.document.flush()
    qtbot.waitUntil(lambda: not window.workload.pending, timeout=30_000)


@pytest.fixture
def job(example: MainWindow, qtbot: QtBot) -> MainWindow:
    """The example with its workload panel open and answered."""
    example.show_panel("workload")
    qtbot.waitUntil(lambda: example.workload.result is not None, timeout=30_000)
    _answered(example, qtbot)
    return example


def test_the_answer_is_that_of_the_core(job: MainWindow) -> None:
    panel = job.workload
    expected = workload(job.document.design, "llama-3-8b", Parallel(), Settings())
    assert panel.result is not None
    assert panel.result.step_s == pytest.approx(expected.step_s)
    assert seconds_text(expected.step_s) in panel.answer.head.text()
    assert f"{expected.mfu * 100:.1f} %" in panel.answer.figures["mfu"].text()
    spent = {part.name: part.value for part in panel.answer.split.parts}
    assert sum(spent.values()) == pytest.approx(expected.step_s)
    held = sum(part.value for part in panel.answer.memory.parts)
    assert held == pytest.approx(expected.memory.total_bytes)


def test_memory_that_does_not_fit_is_a_warning(job: MainWindow) -> None:
    result = job.workload.result
    assert result is not None
    assert result.memory.fits is False
    notes = job.workload.findChildren(QLabel, "note.warning")
    assert any("do not fit" in note.text() for note in notes)


def test_groups_that_do_not_divide_are_told_at_once(job: MainWindow, qtbot: QtBot) -> None:
    panel = job.workload
    field = panel.form.counts["tp"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "5")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    _answered(job, qtbot)
    assert panel.answer.problem.isVisibleTo(panel)
    assert "32 GPUs do not divide into groups of 5" in panel.answer.problem.text()
    assert "--" not in panel.answer.problem.text()
    assert panel.is_stale
    field.selectAll()
    qtbot.keyClicks(field, "8")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    _answered(job, qtbot)
    assert not panel.answer.problem.isVisibleTo(panel)
    assert not panel.is_stale
    assert panel.result is not None
    assert panel.result.parallel.tp == 8
    assert panel.result.parallel.dp == 4


def test_the_difference_to_the_kept_answer_follows_the_fabric(
    job: MainWindow, qtbot: QtBot
) -> None:
    panel = job.workload
    before = panel.result
    assert before is not None
    qtbot.mouseClick(panel.answer.pin_button, Qt.MouseButton.LeftButton)
    assert "±0 %" in panel.answer.head.text()
    job.analysis.unplug([device_named(job, "gpu-001")])
    assert panel.is_stale
    _answered(job, qtbot)
    now = panel.result
    assert now is not None
    assert now.gpus == 24
    change = now.tokens_per_s / before.tokens_per_s - 1
    assert change == pytest.approx(-0.25, abs=0.02)
    assert f"({change * 100:+.1f} %)" in panel.answer.figures["tokens"].text()


def test_a_group_that_lost_its_links_is_told(job: MainWindow, qtbot: QtBot) -> None:
    job.workload.form.counts["tp"].setValue(8)
    _answered(job, qtbot)
    job.analysis.unplug([device_named(job, "leaf-01")])
    _answered(job, qtbot)
    assert "Data parallel groups: gpu-001 has no working link" in job.workload.answer.problem.text()
    assert job.workload.is_stale


def test_a_shape_of_ones_own(job: MainWindow, qtbot: QtBot) -> None:
    panel = job.workload
    panel.form.shape["layers"].setValue(16)
    _answered(job, qtbot)
    own = own_model(find_model("llama-3-8b"), layers=16)
    assert panel.result is not None
    assert panel.result.model.parameters == own.parameters


def test_what_is_taken_can_be_said_better(job: MainWindow, qtbot: QtBot) -> None:
    taken = job.workload.form.taken
    assert set(taken.hidden) == set(OVERLAPS) == set(CORE_OVERLAPS)
    taken.fold.click()
    taken.figures["efficiency_percent"].setValue(40)
    taken.figures["memory_gb"].setValue(141)
    taken.hidden["dp"].setValue(0)
    _answered(job, qtbot)
    result = job.workload.result
    expected = workload(
        job.document.design,
        "llama-3-8b",
        Parallel(),
        Settings(given=Given(efficiency=0.4, memory_gb=141), overlap={"dp": 0.0}),
    )
    assert result is not None
    assert result.step_s == pytest.approx(expected.step_s)
    assert result.efficiency == 0.4
    assert result.memory.fits is True
    taken.figures["efficiency_percent"].setValue(0)
    _answered(job, qtbot)
    assert job.workload.result is not None
    assert job.workload.result.efficiency > 0.5  # as known again


def test_decoding_reads_memory(job: MainWindow, qtbot: QtBot) -> None:
    mode = job.workload.form.mode
    mode.setCurrentIndex(mode.findData("decode"))
    mode.activated.emit(mode.currentIndex())
    _answered(job, qtbot)
    assert job.workload.result is not None
    assert job.workload.result.mode == "decode"
    assert "a token" in job.workload.answer.head.text()


def test_a_hidden_panel_waits_until_it_is_seen(job: MainWindow, qtbot: QtBot) -> None:
    job.dock("workload").hide()
    job.analysis.unplug([device_named(job, "gpu-001")])
    assert not job.workload._job.pending
    assert job.workload.is_stale
    job.show_panel("workload")
    qtbot.waitUntil(lambda: not job.workload.is_stale, timeout=30_000)
    assert job.workload.result is not None
    assert job.workload.result.gpus == 24


def test_words_of_the_command_line_do_not_reach_the_fields() -> None:
    said = "32 GPUs do not divide: change one, or take fewer GPUs with --gpus"
    assert in_fields(said) == "32 GPUs do not divide: change one."
    assert in_fields("stages need a pipeline: give --pp 2 or more, or leave them") == (
        "Stages need a pipeline: give pp 2 or more, or leave them."
    )
    unknown = "nothing is known of X: give --efficiency, as a fraction of the peak"
    assert in_fields(unknown) == "Nothing is known of X: give Efficiency under Assumptions."
    assert in_fields("not known: give --memory-gb-per-s") == (
        "Not known: give Memory rate under Assumptions."
    )


def test_numbers_are_as_fine_as_needed() -> None:
    assert seconds_text(2.314) == "2.31 s"
    assert seconds_text(0.0481) == "48.1 ms"
    assert seconds_text(0.00091) == "910 µs"
    assert gb_text(96.1e9) == "96.1 GB"
