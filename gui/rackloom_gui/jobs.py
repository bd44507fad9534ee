# SPDX-License-Identifier: Apache-2.0
"""Long work away from the window's thread: one job at a time, and only the latest result counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal, Slot

SLOW_MS = 200
"""After this long people see that something is being worked on."""


class _Signals(QObject):
    done = Signal(int, object)
    failed = Signal(int, object)


class _Task(QRunnable):
    def __init__(self, number: int, work: Callable[[], Any]) -> None:
        super().__init__()
        self._number = number
        self._work = work
        self.signals = _Signals()

    def run(self) -> None:
        try:
            result = self._work()
        except Exception as error:
            self._tell(self.signals.failed, error)
        else:
            self._tell(self.signals.done, result)

    def _tell(self, signal: Any, value: object) -> None:
        try:
            signal.emit(self._number, value)
        except RuntimeError:  # the window is gone, and with it whoever wanted to know
            return


class LatestJob(QObject):
    """Runs what was asked for last; what is overtaken is dropped, its result never shown."""

    done = Signal(object)
    """The result of the latest job."""
    failed = Signal(object)
    """The exception the latest job ended with."""
    busy_changed = Signal(bool)
    """Work has gone on for `SLOW_MS`, or is over."""

    def __init__(self, parent: QObject | None = None, *, delay_ms: int = 0) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._number = 0
        self._running: _Task | None = None
        self._next: Callable[[], Any] | None = None
        self._busy = False
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(delay_ms)
        self._delay.timeout.connect(self._start)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW_MS)
        self._slow.timeout.connect(lambda: self._set_busy(True))

    @property
    def pending(self) -> bool:
        """Whether a result is still to come."""
        return self._running is not None or self._next is not None

    def ask(self, work: Callable[[], Any]) -> None:
        """Do this soon, instead of whatever was asked for before."""
        self._number += 1
        self._next = work
        if not self._slow.isActive() and not self._busy:
            self._slow.start()
        if self._running is None:
            self._delay.start()

    def cancel(self) -> None:
        """Forget what was asked for."""
        self._number += 1
        self._next = None
        self._delay.stop()
        self._rest()

    def wait(self) -> None:
        """Cancel, and return when the thread is idle: before the program ends."""
        self.cancel()
        self._pool.waitForDone()
        self._running = None

    def _start(self) -> None:
        work, self._next = self._next, None
        if work is None or self._running is not None:
            return
        task = _Task(self._number, work)
        task.setAutoDelete(False)
        task.signals.done.connect(self._on_done)
        task.signals.failed.connect(self._on_failed)
        self._running = task
        self._pool.start(task)

    @Slot(int, object)
    def _on_done(self, number: int, result: object) -> None:
        self._running = None
        if number == self._number:
            self._rest()
            self.done.emit(result)
        else:
            self._delay.start()

    @Slot(int, object)
    def _on_failed(self, number: int, error: object) -> None:
        self._running = None
        if number == self._number:
            self._rest()
            self.failed.emit(error)
        else:
            self._delay.start()

    def _rest(self) -> None:
        self._slow.stop()
        self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        if busy != self._busy:
            self._busy = busy
            self.busy_changed.emit(busy)
