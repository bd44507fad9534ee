# SPDX-License-Identifier: Apache-2.0
"""Joins the estimate to chart, explanation, load colours, failures and workload of a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from rackloom.catalog.parts import ServerPart
from rackloom.design import Change, Design
from rackloom_gui.analysis import ESTIMATE_TABLES
from rackloom_gui.charts.asked import sweep_failures
from rackloom_gui.charts.sizes import bandwidth_text, collective_text
from rackloom_gui.charts.throughput import limit_sentence
from rackloom_gui.engine import load_engines
from rackloom_gui.jobs import LatestJob
from rackloom_gui.loads import NetworkFacts, network_facts

if TYPE_CHECKING:
    from rackloom.collectives import Estimate, FailureSweep
    from rackloom.workload import Workload
    from rackloom_gui.main_window import MainWindow
    from rackloom_gui.panels.explain import ExplainPanel
    from rackloom_gui.panels.failures import FailuresPanel
    from rackloom_gui.panels.workload import WorkloadPanel
    from rackloom_gui.panels.workload_form import Wanted

MOST_SELECTED = 4096
"""More selected servers than this are not followed while one drags a rubber band."""


class ThroughputWiring(QObject):
    """Everything that is about speed in one main window; made once its parts are there."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._facts: NetworkFacts | None = None
        self._loads_shown = False
        self._facts_job = LatestJob(self)
        self._facts_job.done.connect(self._on_facts)
        self._facts_job.failed.connect(window.analysis.fault)
        self._no_estimate = ""
        analysis, chart = window.analysis, window.chart
        window.canvas.fabric_layout.known = lambda: analysis.fabric
        analysis.estimate_changed.connect(self._on_estimate)
        analysis.estimate_failed.connect(self._on_no_estimate)
        analysis.estimate_stale.connect(self._on_stale)
        analysis.busy_changed.connect(chart.set_busy)
        chart.controls.asked_changed.connect(analysis.ask)
        chart.show_ids.connect(window.show_ids)
        chart.cut_toggled.connect(lambda _on: self._paint_cut())
        chart.open_log_requested.connect(self.open_log)
        chart.told.connect(window.status.say)
        chart.reading.connect(lambda text: window.status.set_work("log", text, -1.0))
        self._explain, self._failures = window.panels.explain, window.panels.failures
        self._workload = window.panels.workload
        self._explain.then(self._wire_explain)
        self._failures.then(self._wire_failures)
        self._workload.then(self._wire_workload)
        analysis.unplugged_changed.connect(lambda _ids: self._refresh_workload())
        chart.controls.asked_changed.connect(lambda _asked: self._outdate_failures())
        window.document.selection_changed.connect(self._on_selection)
        window.document.changed.connect(self._on_changed)
        window.document.replaced.connect(self._on_replaced)
        window.document.state_changed.connect(self._on_state)
        self._on_design(window.document.design)
        chart.kept.follow(window.document.path)

    # -- panels that are made late ----------------------------------------------------------------

    def _wire_explain(self, explain: ExplainPanel) -> None:
        explain.show_ids.connect(self._window.show_ids)
        estimate = self._window.chart.estimate
        if estimate is not None:
            explain.show_estimate(estimate)
        else:
            explain.show_failure(self._no_estimate)
        if self._facts is not None:
            explain.show_tiers(self._facts.tiers, self._facts.ways)
        if self._window.analysis.estimate_due:
            explain.set_stale()

    def _wire_failures(self, failures: FailuresPanel) -> None:
        failures.run_requested.connect(self.run_sweep)
        failures.show_ids.connect(self._window.show_ids)
        failures.unplug_requested.connect(self._unplug_only)
        failures.fault.connect(self._window.analysis.fault)

    def _wire_workload(self, workload: WorkloadPanel) -> None:
        workload.set_source(self._job_source)
        workload.show_ids.connect(self._window.show_ids)
        workload.fault.connect(self._window.analysis.fault)

    def _refresh_workload(self) -> None:
        if self._workload.made is not None:
            self._workload.made.refresh()

    def _outdate_failures(self) -> None:
        if self._failures.made is not None:
            self._failures.made.set_stale()

    @property
    def pending(self) -> bool:
        """Whether colours, tiers, a sweep or a workload are still being worked out."""
        failures, workload = self._failures.made, self._workload.made
        return (
            self._facts_job.pending
            or (failures is not None and failures.running)
            or (workload is not None and workload.pending)
        )

    def shut_down(self) -> None:
        """Wait for the threads; call before the window goes."""
        self._facts_job.wait()
        self._window.chart.shut_down()

    # -- what is asked ----------------------------------------------------------------------------

    def _on_selection(self, selection: frozenset[str]) -> None:
        design = self._window.document.design
        if len(selection) > MOST_SELECTED:
            return
        servers = tuple(
            sorted(
                i
                for i in selection
                if i in design.devices and isinstance(design.device_part(i), ServerPart)  # type: ignore[arg-type]
            )
        )
        self._window.chart.controls.set_selection(servers)

    def _on_design(self, design: Design) -> None:
        pods = sorted({d.pod for d in design.devices.values() if d.pod})
        self._window.chart.controls.set_pods(tuple(pods))

    def _on_changed(self, design: Design, change: Change) -> None:
        if "devices" in change.tables:
            self._on_design(design)
        if change.tables & ESTIMATE_TABLES:
            self._outdate_failures()
            self._refresh_workload()

    def _on_state(self) -> None:
        self._window.chart.kept.moved_to(self._window.document.path)

    def _on_replaced(self, design: Design) -> None:
        self._window.chart.kept.follow(self._window.document.path)
        self._on_design(design)
        if self._failures.made is not None:
            self._failures.made.clear()
        self._refresh_workload()

    def run_sweep(self) -> None:
        """Try every kind of failure on the design as it is, on the group and network of the
        chart.
        """
        analysis, design = self._window.analysis, self._window.document.design
        keeper, asked, failed = analysis.keeper, analysis.asked, analysis.unplugged
        size, collective = self._window.failures.size_bytes, self._window.failures.collective

        def sweep(on_step: Callable[[int, int], object]) -> FailureSweep:
            load_engines()
            return sweep_failures(keeper.fabric(design), asked, failed, on_step, size, collective)

        self._window.failures.start(sweep)

    def _unplug_only(self, ids: list[str]) -> None:
        analysis = self._window.analysis
        analysis.plug_in(analysis.unplugged - set(ids))
        analysis.unplug(ids)
        self._window.show_panel("chart")

    def _job_source(self) -> Callable[[Wanted], Workload] | None:
        design, analysis = self._window.document.design, self._window.analysis
        if not design.devices:
            return None
        keeper, failed = analysis.keeper, analysis.unplugged

        def work_out(wanted: Wanted) -> Workload:
            load_engines()
            return wanted.work_out(keeper.fabric(design), failed)

        return work_out

    def open_log(self) -> None:
        """Ask for a log of nccl-tests and lay it over the chart."""
        window = self._window
        dialog = QFileDialog(window, self.tr("Open a Log of nccl-tests or rccl-tests"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [self.tr("Logs (*.log *.txt *.out *.json)"), self.tr("All files (*)")]
        )
        dialog.fileSelected.connect(lambda name: self.load_log(Path(name)))
        dialog.open()

    def load_log(self, path: Path) -> bool:
        """Lay a log over the chart and bring the chart to the front."""
        window = self._window
        window.show_panel("chart")
        return window.chart.load_log(path)

    # -- answers ----------------------------------------------------------------------------------

    def _on_estimate(self, estimate: Estimate) -> None:
        window, analysis = self._window, self._window.analysis
        if not analysis.asked.group and not analysis.unplugged:
            window.chart.total_gpus = estimate.gpus
        window.chart.show_also(analysis.also)
        window.chart.show_estimate(estimate, analysis.baseline, analysis.note)
        if self._explain.made is not None:
            self._explain.made.show_estimate(estimate)
        window.status.set_stale(False)
        name = collective_text(estimate.collective.value)
        text = f"{name} {bandwidth_text(estimate.peak.busbw_gb_per_s)}"
        if analysis.unplugged:
            text += self.tr(", {0} unplugged").format(len(analysis.unplugged))
        window.status.set_throughput(text, limit_sentence(estimate))
        self._paint_cut()
        fabric, failed = analysis.fabric, analysis.unplugged
        self._facts_job.ask(lambda: network_facts(fabric, failed, estimate))

    def _on_no_estimate(self, sentence: str) -> None:
        window = self._window
        text = sentence[:1].upper() + sentence[1:].rstrip(".") + "."
        window.chart.show_failure(text)
        self._no_estimate = text
        if self._explain.made is not None:
            self._explain.made.show_failure(text)
        window.status.set_stale(False)
        window.status.set_throughput("", text)
        window.canvas.set_cut(())
        self._facts_job.cancel()
        self._facts = None
        self._paint_loads()

    def _on_stale(self) -> None:
        self._window.chart.set_stale()
        if self._explain.made is not None:
            self._explain.made.set_stale()
        self._window.status.set_stale(True)

    def _paint_cut(self) -> None:
        window = self._window
        estimate = window.chart.estimate
        shown = window.chart.cut_shown and estimate is not None
        window.canvas.set_cut(estimate.limit.cut if shown and estimate is not None else ())

    # -- colours of the drawing -------------------------------------------------------------------

    def _on_facts(self, facts: NetworkFacts) -> None:
        self._facts = facts
        if self._explain.made is not None:
            self._explain.made.show_tiers(facts.tiers, facts.ways)
        self._paint_loads()

    @property
    def loads_shown(self) -> bool:
        """Whether cables are coloured by load."""
        return self._loads_shown

    def show_loads(self, on: bool) -> None:
        """Colour cables by load, or by network again."""
        self._loads_shown = on
        self._paint_loads()

    def _paint_loads(self) -> None:
        canvas = self._window.canvas
        facts = self._facts if self._loads_shown else None
        if facts is None:
            canvas.set_link_loads(None)
            canvas.set_load_texts(None)
            canvas.set_oversubscribed({})
            self._window.load_legend.hide()
            return
        canvas.set_link_loads(facts.loads)
        canvas.set_load_texts(facts.load_text)
        canvas.set_oversubscribed(facts.oversubscribed)
        self._window.load_legend.show_for(facts.title, len(facts.oversubscribed))
