# SPDX-License-Identifier: Apache-2.0
"""Live findings and throughput: up to date after every step, never a stale number unmarked."""

import gc
import sys
from functools import partial
from threading import Event, current_thread, main_thread
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, settle, trigger

from rackloom.checks import run
from rackloom.checks.engine import Findings
from rackloom.collectives import estimate
from rackloom.design import Change, Design, edits
from rackloom.fabric import Fabric
from rackloom_gui import analysis
from rackloom_gui.jobs import LatestJob
from rackloom_gui.main_window import MainWindow


def _uplink(window: MainWindow) -> str:
    """A cable from leaf-01 to a spine."""
    design = window.document.design
    leaf = device_named(window, "leaf-01")
    spines = {device_named(window, "spine-01"), device_named(window, "spine-02")}
    return next(
        c.id
        for c in design.cables.values()
        if (ends := {e.device for e in c.ends}) and leaf in ends and ends & spines
    )


def test_findings_follow_every_step_and_its_undo(example: MainWindow, qtbot: QtBot) -> None:
    cable = next(iter(example.document.design.cables))
    before = example.analysis.findings
    example.document.do("Shorten", edits.set_cable, cable, length_m=0.5)
    example.document.flush()
    now = example.analysis.findings
    assert now == run(example.document.design, example.editing.catalog)
    assert now is not None
    assert [f for f in now.of(cable) if f.rule == "reach.too-short"]
    example.document.undo()
    example.document.flush()
    assert example.analysis.findings == before


def _shorten(window: MainWindow, count: int) -> None:
    """Edits one by one, each a change of its own to whoever listens."""
    for cable in list(window.document.design.cables)[:count]:
        window.document.do("Shorten", edits.set_cable, cable, length_m=0.5)
        window.document.flush()


def test_a_great_design_is_checked_beside_the_window(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BIG_DESIGN", 10)
    where: list[bool] = []
    patched = Findings.patched

    def noting(self: Findings, *args: Any) -> Findings:
        where.append(current_thread() is main_thread())
        return patched(self, *args)

    monkeypatch.setattr(Findings, "patched", noting)
    before = example.analysis.findings
    _shorten(example, 1)
    assert example.analysis.findings is before
    assert not example.analysis.up_to_date
    settle(example, qtbot)
    assert example.analysis.findings == run(example.document.design, example.editing.catalog)
    assert example.analysis.findings != before
    assert where == [False]


def test_no_findings_of_an_old_design_are_shown(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of the first of five edits ends when all are made: nobody hears of it, but the
    next one goes on from there, with the other four in one go.
    """
    monkeypatch.setattr(analysis, "BIG_DESIGN", 10)
    go_on, changes = Event(), list[int]()
    patched = Findings.patched

    def slow(self: Findings, design: Design, change: Change) -> Findings:
        assert go_on.wait(30)
        changes.append(len(change))
        return patched(self, design, change)

    monkeypatch.setattr(Findings, "patched", slow)
    heard: list[bool] = []
    example.analysis.findings_changed.connect(
        lambda found: heard.append(found.design is example.document.design)
    )
    _shorten(example, 1)
    qtbot.wait(50)
    _shorten(example, 5)
    go_on.set()
    settle(example, qtbot)
    assert heard == [True]
    assert changes == [1, 4]
    assert example.analysis.findings == run(example.document.design, example.editing.catalog)


def test_findings_are_grey_while_a_long_check_goes_on(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BIG_DESIGN", 10)
    go_on, patched = Event(), Findings.patched

    def slow(self: Findings, *args: Any) -> Findings:
        assert go_on.wait(30)
        return patched(self, *args)

    monkeypatch.setattr(Findings, "patched", slow)
    _shorten(example, 1)
    assert not example.problems._stale  # no flicker where it takes a moment only
    qtbot.waitUntil(lambda: example.problems._stale)
    go_on.set()
    settle(example, qtbot)
    assert not example.problems._stale


def test_unplugging_uplinks_lowers_the_limit_and_is_no_edit(
    example: MainWindow, qtbot: QtBot
) -> None:
    whole = example.chart.estimate
    assert whole is not None
    design = example.document.design
    leaf, ends = device_named(example, "leaf-01"), {}
    for cable in design.cables.values():
        ends[cable.id] = {e.device for e in cable.ends}
    spines = {device_named(example, f"spine-0{n}") for n in (1, 2)}
    uplinks = [c for c, e in ends.items() if leaf in e and e & spines]
    example.document.select(uplinks[: len(uplinks) * 3 // 4])
    trigger(example, qtbot, "connect.unplug")
    settle(example, qtbot)
    fewer = example.chart.estimate
    assert fewer is not None
    assert fewer.limit.busbw_gb_per_s <= whole.limit.busbw_gb_per_s
    expected = estimate(design, failed=example.analysis.unplugged)
    assert fewer.peak.busbw_gb_per_s == pytest.approx(expected.peak.busbw_gb_per_s)
    assert "unplugged" in example.status.throughput.text()
    assert "as drawn" in example.chart._head.text()
    assert example.document.is_clean
    trigger(example, qtbot, "connect.plug")
    settle(example, qtbot)
    again = example.chart.estimate
    assert again is not None
    assert again.peak == whole.peak
    assert "as drawn" not in example.chart._head.text()


def test_unplugging_a_server_leaves_the_others(example: MainWindow, qtbot: QtBot) -> None:
    example.document.select([device_named(example, "gpu-001")])
    trigger(example, qtbot, "connect.unplug")
    settle(example, qtbot)
    assert example.chart.estimate is not None
    assert example.chart.estimate.gpus == 24


def test_what_is_deleted_is_not_unplugged_any_more(example: MainWindow, qtbot: QtBot) -> None:
    cable = _uplink(example)
    example.analysis.unplug([cable])
    example.document.do("Delete", edits.remove, {cable})
    settle(example, qtbot)
    assert example.analysis.unplugged == frozenset()


def test_an_old_number_is_grey_until_the_new_one_comes(example: MainWindow, qtbot: QtBot) -> None:
    plot = example.chart.plot
    assert plot is not None
    example.document.do("Delete", edits.remove, {_uplink(example)})
    example.document.flush()
    assert plot.is_stale
    assert not example.status.throughput.isEnabled()
    settle(example, qtbot)
    assert not plot.is_stale
    assert example.status.throughput.isEnabled()


def test_a_design_without_gpus_says_so(example: MainWindow, qtbot: QtBot) -> None:
    example.session.begin_empty()
    settle(example, qtbot)
    assert example.chart.estimate is None
    assert "GPU" in example.status.throughput.toolTip()


def test_changes_that_cannot_matter_do_not_start_the_estimate(
    example: MainWindow, qtbot: QtBot
) -> None:
    seen = []
    example.analysis.estimate_stale.connect(lambda: seen.append(1))
    example.document.do("Note", edits.add_note, "mind the door")
    example.document.flush()
    assert not seen


def test_only_the_latest_of_several_jobs_is_heard(qtbot: QtBot) -> None:
    job = LatestJob()
    results: list[object] = []
    job.done.connect(results.append)
    for number in range(20):
        job.ask(partial(int, number))
    qtbot.waitUntil(lambda: not job.pending)
    qtbot.wait(50)
    assert results == [19]


def test_a_job_that_fails_says_how(qtbot: QtBot) -> None:
    job = LatestJob()
    errors: list[Exception] = []
    job.failed.connect(errors.append)

    def fail() -> None:
        raise ValueError("no")

    job.ask(fail)
    qtbot.waitUntil(lambda: bool(errors))
    assert str(errors[0]) == "no"


def test_a_job_that_was_waited_for_does_not_end_the_next_one(qtbot: QtBot) -> None:
    """The result of the first is still in the post when the second runs."""
    job, end_first, go_on = LatestJob(), Event(), Event()
    results: list[object] = []
    job.done.connect(results.append)
    job.ask(lambda: end_first.wait(20) and "first")
    qtbot.waitUntil(lambda: job._running is not None)
    end_first.set()
    job.wait()
    job.ask(lambda: go_on.wait(20) and "second")
    qtbot.wait(50)
    assert job._running is not None
    go_on.set()
    qtbot.waitUntil(lambda: not job.pending)
    assert results == ["second"]


def test_a_job_outlives_whoever_asked_for_it(qtbot: QtBot) -> None:
    """A window goes while its threads work: they end by themselves, with nobody to tell."""
    go_on = Event()
    threads = []
    for _ in range(50):
        job = LatestJob()
        job.ask(lambda: go_on.wait(20))
        qtbot.waitUntil(lambda job=job: job._running is not None)  # type: ignore[misc]
        threads.append(job._running)
        job.deleteLater()
        del job
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    go_on.set()
    for thread in threads:
        assert thread is not None
        thread.join(20)
        assert not thread.is_alive()
    QCoreApplication.processEvents()


def test_a_rule_that_breaks_does_not_break_the_edit(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rackloom.checks.engine import Findings

    def broken(*_arguments: object) -> Findings:
        raise RuntimeError("a rule is broken")

    told: list[Exception] = []
    example.analysis.fault.disconnect()
    example.analysis.fault.connect(told.append)
    leaf = device_named(example, "leaf-01")
    with monkeypatch.context() as patch:
        patch.setattr(Findings, "patched", broken)
        example.document.do("Rename", edits.rename, leaf, "leaf-x")
        example.document.flush()
    assert example.document.design.name_of(leaf) == "leaf-x"
    assert [str(error) for error in told] == ["a rule is broken"]
    assert example.problems.model._stale
    example.document.do("Rename", edits.rename, leaf, "leaf-y")
    settle(example, qtbot)
    assert example.analysis.findings == run(example.document.design, example.editing.catalog)


def test_the_fabric_view_shows_the_network_that_was_estimated(
    example: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading it anew holds the window up for most of a second at 16,384 GPUs."""

    def again(*_arguments: object) -> Fabric:
        raise AssertionError("the network is known already")

    monkeypatch.setattr(Fabric, "of", again)
    example.actions_table.trigger("view.fabric")
    QApplication.processEvents()
    leaf = device_named(example, "leaf-01")
    assert leaf in example.canvas.fabric.arrays.devices.row_of


def test_the_collector_has_no_rounds_to_make_over_a_big_design(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full round holds every thread for 0.6 s at 16,384 GPUs; an edit later adds little."""
    monkeypatch.setattr("rackloom_gui.analysis.SMALL_DESIGN", 0)
    gc.unfreeze()
    try:
        assert window.session.open_example()
        settle(window, qtbot)
        kept = gc.get_freeze_count()
        assert kept > 10_000
        leaf = device_named(window, "leaf-01")
        window.document.do("Rename", edits.rename, leaf, "leaf-x")
        settle(window, qtbot)
        assert gc.get_freeze_count() <= kept  # what edits leave behind can still be collected
    finally:
        gc.unfreeze()


def test_workers_hand_python_over_soon(qapp: QApplication) -> None:
    """At Python's own 5 ms each event of the window may wait 5 ms beside an estimate."""
    from rackloom_gui.app import make_application

    before = sys.getswitchinterval()
    try:
        assert make_application([]) is qapp
        assert sys.getswitchinterval() <= 0.001
    finally:
        sys.setswitchinterval(before)
