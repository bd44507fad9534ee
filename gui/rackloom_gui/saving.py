# SPDX-License-Identifier: Apache-2.0
"""Project files in threads: great designs are written and read while the window stays alive."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from rackloom.bulk import set_heap_apart
from rackloom.design import Design
from rackloom.files import (
    Extras,
    FileError,
    Project,
    Recovery,
    WaitingJournal,
    load,
    recover,
    save,
)
from rackloom.files.project import entity_count
from rackloom.placement.elevation import elevation
from rackloom_gui.canvas.ahead import read_ahead
from rackloom_gui.jobs import Errands
from rackloom_gui.waiting import wait_cursor

BIG_FILE_BYTES = 2_000_000
"""Greater files are read in a thread, so that the window stays alive."""
AT_ONCE = 10_000
"""Designs of so many things are written in some tens of ms: no thread is worth while."""
TELL_S = 0.1
"""So often the progress is told."""

Outcome = Project | FileError | None
"""The saved project, or why it is not; None: somebody else has written the file since."""


class Saver(QObject):
    """Writes one file at a time. A design is immutable, so edits may go on meanwhile."""

    progress = Signal(float)
    """How much of the file is written, from 0 to 1."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._errands = Errands(self)

    @property
    def active(self) -> bool:
        """Whether a file is being written by the thread."""
        return self._errands.active

    def wait(self) -> None:
        """Return when nothing is being written; see `Errands.wait`."""
        self._errands.wait()

    def write(
        self,
        path: Path,
        design: Design,
        extras: Extras | None,
        known: Project | None,
        then: Callable[[Outcome], bool],
    ) -> bool:
        """Write, and hand the outcome to ``then``: before this returns, or later for great designs.

        Where ``known`` is given, a file that is not as it was then is left alone. Returns what
        ``then`` returned, or True where that is still to come.
        """
        work = partial(_write, path, design, extras, known)
        if entity_count(design) <= AT_ONCE:
            with wait_cursor():
                outcome = work(None)
            return then(outcome)
        self.progress.emit(0.0)
        self._errands.run(partial(work, _seldom(self.progress.emit)), partial(_told, then))
        return True


Recovered = list[tuple[WaitingJournal, "Recovery | FileError"]]
"""What each journal holds, or why it cannot be told."""


def load_warm(path: Path) -> Project:
    """Read a big file, and work out in the same thread what the window would stop for."""
    project = load(path)
    _warm(project.design)
    set_heap_apart()
    return project


def is_great(*paths: Path | None) -> bool:
    """Whether reading these files takes longer than a window may stand still."""
    size_bytes = 0
    for path in paths:
        with contextlib.suppress(OSError):
            size_bytes += path.stat().st_size if path is not None else 0
    return size_bytes > BIG_FILE_BYTES


def recover_all(waiting: Sequence[WaitingJournal]) -> Recovered:
    """Replay journals that wait."""
    found: Recovered = []
    for journal in waiting:
        try:
            found.append((journal, recover(journal.journal)))
        except FileError as error:
            found.append((journal, error))
    return found


def recover_warm(waiting: Sequence[WaitingJournal]) -> Recovered:
    """Replay great journals, and work out in the same thread what the window would stop for."""
    found = recover_all(waiting)
    for _, recovery in found:
        if isinstance(recovery, Recovery) and not recovery.already_saved:
            _warm(recovery.design)
    set_heap_apart()
    return found


def _warm(design: Design) -> None:
    _ = design.index, design.links, design.next_number, elevation(design)
    read_ahead(design)


def _told(then: Callable[[Outcome], bool], outcome: Outcome | Exception) -> None:
    """Hand the outcome on; what nobody expected is a fault of ours besides."""
    if isinstance(outcome, Exception) and not isinstance(outcome, FileError):
        then(FileError("cannot be written", advice="save elsewhere"))
        raise outcome
    then(outcome)


def _write(
    path: Path,
    design: Design,
    extras: Extras | None,
    known: Project | None,
    progress: Callable[[float], None] | None,
) -> Outcome:
    try:
        if known is not None and known.changed_on_disk():
            return None
        return save(path, design, extras, progress=progress)
    except FileError as error:
        return error


def _seldom(tell: Callable[[float], None]) -> Callable[[float], None]:
    """Tell now and then only: each telling is an event for the window."""
    last_s = time.monotonic()

    def told(fraction: float) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        if now_s - last_s >= TELL_S:
            last_s = now_s
            tell(fraction)

    return told
