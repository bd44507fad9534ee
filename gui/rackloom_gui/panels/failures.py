# SPDX-License-Identifier: Apache-2.0
"""What breaks if I unplug this? One failure of every kind, the worst first."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from rackloom_gui.charts.asked import COLLECTIVES
from rackloom_gui.charts.sizes import bandwidth_text, collective_text, size_text
from rackloom_gui.icons import Icons
from rackloom_gui.jobs import LatestJob
from rackloom_gui.panels.failure_table import NOTHING, Effects
from rackloom_gui.theme import Theme
from rackloom_gui.widgets.text import ElidedLabel, EmptyState

if TYPE_CHECKING:
    from rackloom.collectives import FailureSweep

MOST_SHOWN = 200
"""Members of a kind that a click selects at most."""

SIZES = tuple(1 << power for power in (3, 10, 15, 20, 23, 26, 28, 30, 32, 34))
"""Message sizes to choose from, 8 B to 16 GiB."""
USUAL_SIZE = 1 << 30

Sweep = Callable[[Callable[[int, int], object]], "FailureSweep"]
"""Works the sweep out; calls what it is given after each kind."""


class _Cancelled(Exception):
    """The user stopped the sweep."""


class FailuresPanel(QWidget):
    """A button that starts the sweep, its progress, and the ranked table."""

    show_ids = Signal(list)
    unplug_requested = Signal(list)
    """(ids): see the whole curve without these."""
    run_requested = Signal()
    """The button was pressed: whoever knows the design calls `start`."""
    fault = Signal(object)
    """(Exception) that nobody expected."""
    _stepped = Signal(int, int)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._sweep: FailureSweep | None = None
        self._stop = Event()
        self._stale = False
        self._job = LatestJob(self)
        self._job.done.connect(self._on_done)
        self._job.failed.connect(self._on_failed)
        self._stepped.connect(self._on_step)
        self.run_button = QPushButton(self.tr("Try Every Failure"), self)
        self.run_button.clicked.connect(lambda _on=False: self.run_requested.emit())
        self.collectives = self._chooser(self.tr("Collective of the sweep"), self.tr("As Chart"))
        for name in COLLECTIVES:
            self.collectives.addItem(collective_text(name), name)
        self.sizes = self._chooser(self.tr("Message size of the sweep"))
        for size in SIZES:
            self.sizes.addItem(size_text(size), size)
        self.sizes.setCurrentIndex(SIZES.index(USUAL_SIZE))
        for chooser in (self.collectives, self.sizes):
            chooser.activated.connect(lambda _index: self.set_stale())
        self.stop_button = QPushButton(self.tr("Stop"), self)
        self.stop_button.clicked.connect(lambda _on=False: self.stop())
        self.unplug_button = QPushButton(self.tr("Unplug"), self)
        self.unplug_button.setToolTip(self.tr("See the whole curve without the chosen one"))
        self.unplug_button.clicked.connect(lambda _on=False: self._unplug())
        self.progress = QProgressBar(self)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(8)
        self._head = ElidedLabel(parent=self)
        self._detail = QLabel(self)
        self.model = Effects(theme, icons, self)
        self.view = QTableView(self)
        self._empty = EmptyState("unplug", "", "", theme, icons, self)
        self._stack = QStackedWidget(self)
        self._build()
        icons.changed.connect(self._load_icons)
        self._load_icons()
        self._show_running(False)
        self._say(self.tr("What breaks if I unplug this?"),
                  self.tr("One of each kind of device and cable is taken out in thought, and a"
                          " collective estimated again at one message size."))  # fmt: skip

    def _chooser(self, name: str, first: str = "") -> QComboBox:
        chooser = QComboBox(self)
        chooser.setAccessibleName(name)
        chooser.setToolTip(name)
        chooser.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        chooser.setMinimumContentsLength(7)
        if first:
            chooser.addItem(first, "")
        return chooser

    @property
    def size_bytes(self) -> int:
        """The message size that was chosen."""
        return int(self.sizes.currentData())

    @property
    def collective(self) -> str:
        """The collective that was chosen; empty: that of the chart."""
        return str(self.collectives.currentData())

    def _build(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setAccessibleName(self.tr("Failures, the worst first"))
        view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(24)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        for column in range(4):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        view.setTabKeyNavigation(False)
        view.clicked.connect(self._go)
        view.activated.connect(self._go)
        view.selectionModel().currentRowChanged.connect(lambda now, _old: self._on_row(now))
        self._detail.setWordWrap(True)
        self._detail.setTextFormat(Qt.TextFormat.PlainText)
        self._detail.setContentsMargins(8, 4, 8, 6)
        self._detail.hide()
        bar, question = QHBoxLayout(), QHBoxLayout()
        bar.setContentsMargins(8, 6, 6, 2)
        question.setContentsMargins(8, 2, 6, 4)
        for line in (bar, question):
            line.setSpacing(8)
        bar.addWidget(self.run_button)
        bar.addWidget(self.stop_button)
        bar.addWidget(self.progress, 1)
        bar.addStretch()
        bar.addWidget(self.unplug_button)
        question.addWidget(self.collectives)
        question.addWidget(self.sizes)
        question.addWidget(self._head, 1)
        self._stack.addWidget(view)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addLayout(question)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._detail)
        self.setFocusProxy(self.run_button)
        self.unplug_button.setEnabled(False)

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 120)

    def _load_icons(self) -> None:
        self.run_button.setIcon(self._icons.icon("play"))
        self.stop_button.setIcon(self._icons.icon("close"))
        self.unplug_button.setIcon(self._icons.icon("unplug"))

    def _say(self, title: str, text: str) -> None:
        self._on_row(QModelIndex())
        self._empty.set_text(title, text)
        self._stack.setCurrentWidget(self._empty)

    # -- running ----------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a sweep is going on."""
        return self._job.pending

    @property
    def sweep(self) -> FailureSweep | None:
        """The latest result."""
        return self._sweep

    @property
    def is_stale(self) -> bool:
        """Whether the result belongs to an older design or another collective."""
        return self._stale

    def start(self, sweep: Sweep) -> None:
        """Run a sweep in a thread; one that is running is stopped."""
        self._stop.set()
        self._stop = stop = Event()

        def on_step(done: int, all_: int) -> None:
            if stop.is_set():
                raise _Cancelled
            self._stepped.emit(done, all_)

        self.progress.setRange(0, 0)
        self._show_running(True)
        self._job.ask(lambda: sweep(on_step))

    def stop(self) -> None:
        """Stop after the kind that is being tried."""
        self._stop.set()
        self._job.cancel()
        self._show_running(False)

    def shut_down(self) -> None:
        """Wait for the thread; call before the window goes."""
        self._stop.set()
        self._job.wait()

    def set_stale(self) -> None:
        """The design or the question changed: what is listed is of an older one."""
        if self._sweep is not None and not self._stale:
            self._stale = True
            self.model.set_stale(True)
            self._show_head()

    def clear(self) -> None:
        """Another design was opened."""
        self.stop()
        self._sweep = None
        self._stale = False
        self.model.show(())
        self._head.setText("")
        self._say(self.tr("What breaks if I unplug this?"), self.tr("Press Try Every Failure."))

    def _show_running(self, on: bool) -> None:
        self.run_button.setVisible(not on)
        self.stop_button.setVisible(on)
        self.progress.setVisible(on)

    def _on_step(self, done: int, all_: int) -> None:
        if self._job.pending:
            self.progress.setRange(0, all_)
            self.progress.setValue(done)
            self._head.setText(self.tr("{0} of {1} kinds").format(done, all_))

    def _on_done(self, sweep: FailureSweep) -> None:
        self._show_running(False)
        self._sweep = sweep
        self._stale = False
        self.model.show(sweep.effects)
        self.model.set_stale(False)
        self._show_head()
        if sweep.effects:
            self._stack.setCurrentWidget(self.view)
            self.view.setCurrentIndex(self.model.index(0, 0))
        else:
            self._say(self.tr("Nothing to unplug"), self.tr("The design has no network yet."))

    def _on_failed(self, error: Exception) -> None:
        self._show_running(False)
        if isinstance(error, _Cancelled):
            return
        from rackloom.collectives import EstimateError

        if not isinstance(error, EstimateError):
            self.fault.emit(error)
            return
        text = str(error)
        self._head.setText("")
        self._say(self.tr("No estimate"), text[:1].upper() + text[1:].rstrip(".") + ".")

    def _show_head(self) -> None:
        sweep = self._sweep
        if sweep is None:
            return
        hurt = sum(1 for effect in sweep.effects if effect.lost >= NOTHING)
        text = self.tr("{0} of {1}: {2} as it is; {3} of {4} kinds cost something").format(
            collective_text(sweep.collective.value), size_text(sweep.size_bytes),
            bandwidth_text(sweep.busbw_gb_per_s), hurt, len(sweep.effects),
        )  # fmt: skip
        if sweep.left_out:
            text += self.tr("; {0} rarer kinds were not tried").format(sweep.left_out)
        if self._stale:
            text = self.tr("Out of date. {0}").format(text)
        self._head.setText(text)

    def _on_row(self, index: QModelIndex) -> None:
        """Say the chosen one in a whole sentence: in the table it is mostly cut."""
        effect = self.model.effect(index.row()) if index.isValid() else None
        self.unplug_button.setEnabled(effect is not None)
        self._detail.setVisible(effect is not None)
        if effect is not None:
            text = self.tr("Without {0}: {1}.") if effect.busbw_gb_per_s > 0 else "{1}."
            self._detail.setText(text.format(effect.example, effect.text.rstrip(".")))

    @property
    def detail(self) -> str:
        """The sentence on the chosen row; empty where none is chosen."""
        return "" if self._detail.isHidden() else self._detail.text()

    # -- what a click does ------------------------------------------------------------------------

    def _go(self, index: QModelIndex) -> None:
        effect = self.model.effect(index.row())
        if effect is not None:
            self.show_ids.emit(list(effect.members[:MOST_SHOWN]))

    def _unplug(self) -> None:
        effect = self.model.effect(self.view.currentIndex().row())
        if effect is not None:
            self.unplug_requested.emit([effect.members[0]])
