# SPDX-License-Identifier: Apache-2.0
"""What a job gets out of the fabric: the question, the worker that answers it, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.engine import load_engines
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.panels.workload_answer import WorkloadAnswer
from rackloom_gui.panels.workload_form import Wanted, WorkloadForm
from rackloom_gui.panels.workload_words import in_fields
from rackloom_gui.theme import Theme

if TYPE_CHECKING:
    from rackloom.workload import Workload

DELAY_MS = 120


class WorkloadPanel(QWidget):
    """Fields to the left, the answer to the right; worked out anew whenever either end changes."""

    show_ids = Signal(list)
    fault = Signal(object)
    """(Exception) that nobody expected."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source: Callable[[], Callable[[Wanted], Workload] | None] = lambda: None
        self._due = True
        self._job = LatestJob(self, delay_ms=DELAY_MS)
        self._job.done.connect(self._on_done)
        self._job.failed.connect(self._on_failed)
        self._models = LatestJob(self)
        self._models.done.connect(self._on_models)
        self._models.failed.connect(self.fault)
        self.form = WorkloadForm(self)
        self.form.changed.connect(lambda _wanted: self.ask())
        self.answer = WorkloadAnswer(theme, icons, self)
        self.answer.show_ids.connect(self.show_ids)
        self._job.busy_changed.connect(self.answer.spinner.setVisible)
        self._build()
        self.answer.show_nothing(self.tr("Put GPU servers in to see what a job gets."))

    def sizeHint(self) -> QSize:
        return QSize(560, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 140)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        panes = QSplitter(Qt.Orientation.Horizontal, self)
        panes.addWidget(_scrolled(self.form, self, 210))
        panes.addWidget(_scrolled(self.answer, self, 220))
        panes.setStretchFactor(1, 1)
        panes.setSizes([240, 400])
        panes.setChildrenCollapsible(False)
        panes.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panes)
        self.setFocusProxy(self.form.model)

    # -- asking -----------------------------------------------------------------------------------

    def set_source(self, source: Callable[[], Callable[[Wanted], Workload] | None]) -> None:
        """Where answers come from: ``source()`` gives a function for a worker over the design as
        it is now, or None where there is nothing to run a job on.
        """
        self._source = source

    def refresh(self) -> None:
        """The fabric changed: work the answer out anew, now or when the panel is seen again."""
        self.answer.set_stale(True)
        self._due = True
        if self.isVisible():
            self.ask()

    def ask(self) -> None:
        """Work out what the fields ask."""
        if not self.form.models:
            if not self._models.pending:
                self._models.ask(_load_models)
            return
        run = self._source()
        self._due = False
        if run is None:
            self._job.cancel()
            self.answer.show_nothing(self.tr("Put GPU servers in to see what a job gets."))
            return
        wanted = self.form.wanted()
        self.answer.set_stale(True)
        self._job.ask(lambda: run(wanted))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._due:
            self.ask()

    @property
    def pending(self) -> bool:
        """Whether an answer is to come."""
        return self._job.pending or self._models.pending

    def shut_down(self) -> None:
        """Wait for the threads; call before the window goes."""
        self._models.wait()
        self._job.wait()

    def _on_models(self, models: object) -> None:
        self.form.set_models(models)  # type: ignore[arg-type]
        self.ask()

    def _on_failed(self, error: Exception) -> None:
        from rackloom.workload import WorkloadError

        if not isinstance(error, WorkloadError):
            self.fault.emit(error)
            return
        self.answer.show_problem(in_fields(str(error)))

    def _on_done(self, result: Workload) -> None:
        self.answer.show_result(result)

    @property
    def result(self) -> Workload | None:
        """The latest answer."""
        return self.answer.result

    @property
    def is_stale(self) -> bool:
        """Whether what is shown belongs to an older design or question."""
        return self.answer.is_stale


def _scrolled(widget: QWidget, parent: QWidget, least: int) -> QScrollArea:
    if widget.layout() is not None and isinstance(widget, WorkloadForm):
        widget.layout().setContentsMargins(10, 6, 8, 8)  # type: ignore[union-attr]
    area = QScrollArea(parent)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setMinimumWidth(least)
    area.setWidget(widget)
    return area


def _load_models() -> object:
    load_engines()
    from rackloom.workload import models

    return models()
