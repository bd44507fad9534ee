# SPDX-License-Identifier: Apache-2.0
"""Long work away from the window's thread: one job at a time, and only the latest result counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal, Slot

SLOW_MS = 200
"""After this long people see that something is being worked on."""


class _Mail(QObject):
    """Brings results from a thread to the window's.

    It has no parent: whoever holds it in Python, the thread among them, can rely on its being
    there, even when the window and the job are gone already.
    """

    came = Signal(int, bool, object)
    """(number of the job, whether it failed, its result or its exception)"""


def _run(mail: _Mail, number: int, work: Callable[[], Any]) -> None:
    """The life of a thread: work, and post what came of it.

    The thread is Python's own and not one of a `QThreadPool`, whose runnables belong half to Qt:
    the last reference to one could go in the window's thread while it still ran in the other.
    """
    try:
        result = work()
    except Exception as error:
        mail.came.emit(number, True, error)
    else:
        mail.came.emit(number, False, result)


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
        self._mail = _Mail()
        self._mail.came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._number = 0
        self._running: Thread | None = None
        self._running_number = 0
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
        if self._running is not None:
            self._running.join()
        self._running = None

    def _start(self) -> None:
        work, self._next = self._next, None
        if work is None or self._running is not None:
            return
        self._running_number = self._number
        self._running = Thread(
            target=_run, args=(self._mail, self._number, work), name="rackloom-job"
        )
        self._running.start()

    @Slot(int, bool, object)
    def _on_came(self, number: int, failed: bool, result: object) -> None:
        if self._running is None or number != self._running_number:
            return  # it was waited for: another job may be running by now
        self._running = None
        if number != self._number:  # overtaken, or no longer wanted
            self._delay.start()
            return
        self._rest()
        (self.failed if failed else self.done).emit(result)

    def _rest(self) -> None:
        self._slow.stop()
        self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        if busy != self._busy:
            self._busy = busy
            self.busy_changed.emit(busy)


class Errands(QObject):
    """Work of which nothing may be dropped, such as files to write: one after the other."""

    idle = Signal()
    """All is done, and whoever asked for it has been told."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mail = _Mail()
        self._mail.came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._waiting: deque[tuple[Callable[[], Any], Callable[[Any], object]]] = deque()
        self._number = 0

    @property
    def active(self) -> bool:
        """Whether anything is being done or waits to be."""
        return bool(self._waiting)

    def run(self, work: Callable[[], Any], then: Callable[[Any], object]) -> None:
        """Do this in a thread, and call ``then`` in this one with its result or its exception."""
        self._waiting.append((work, then))
        if len(self._waiting) == 1:
            self._start()

    def wait(self) -> None:
        """Return when all is done; windows are drawn meanwhile, but take no input.

        A file that is half written must not end with the program.
        """
        while self.active:
            loop = QEventLoop()
            self.idle.connect(loop.quit)
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)

    def _start(self) -> None:
        self._number += 1
        work = self._waiting[0][0]
        Thread(target=_run, args=(self._mail, self._number, work), name="rackloom-errand").start()

    @Slot(int, bool, object)
    def _on_came(self, _number: int, _failed: bool, result: object) -> None:
        _work, then = self._waiting.popleft()
        if self._waiting:
            self._start()
        try:
            then(result)
        finally:
            if not self._waiting:
                self.idle.emit()
