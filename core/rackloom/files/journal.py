# SPDX-License-Identifier: Apache-2.0
"""The recovery journal: every step since the last save, written down as it happens.

One line a step, in a hidden file beside the project (or in the state folder, for a design that was
never saved). The first line says which file the steps go on from. Undo and redo are just further
steps. The file is there only while there is something to lose: it begins with the first step, and
goes with a good save and with a clean close.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rackloom.design import Design, Step
from rackloom.files.atomic import cannot_write, sync_folder
from rackloom.files.errors import FileError
from rackloom.files.migrations import FORMAT_VERSION
from rackloom.files.project import Project
from rackloom.files.state import (
    JOURNAL_SUFFIX,
    POINTER_SUFFIX,
    journal_beside,
    journal_folder,
    pointers,
    take_lock,
)
from rackloom.files.text import entity_line

if TYPE_CHECKING:
    from rackloom.files.recovery import Recovery

SYNC_INTERVAL_S = 1.0
"""How long a written step may wait for fsync: what a power cut (not a crash) can cost."""
DIRECT_RECORDS = 2000
"""Steps of up to so many records are written at once (some ms); greater ones by the thread."""
CLAIM_TRIES, CLAIM_WAIT_S = 50, 0.01
"""Who looks for journals that nobody writes to locks each for a moment: a new one tries again."""
PID_ROOM = b" " * 8
"""Room behind the first line for a longer process number, when another program goes on in it."""


class Journal:
    """Writes down what happens to one open design.

    ``base`` is the project as it is on disk (None: never saved), ``design`` the design as it is
    now. Give :meth:`append` to ``History.listen``; call :meth:`saved` after each good save and
    :meth:`close` when the design is closed without anything left to save, or thrown away.

    A journal that cannot be written must not stop the work: ``failure`` then holds the sentence,
    and nothing more is written until the next save.
    """

    def __init__(self, base: Project | None, design: Design) -> None:
        self.failure: str | None = None
        self.path: Path | None = None
        self._base = base
        self._start = design
        self._handle: int | None = None
        self._pointer: Path | None = None
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self._waiting = 0
        self._unsynced = False
        self._thread: threading.Thread | None = None

    def append(self, design: Design, step: Step) -> None:
        """Write a step down; ``design`` is the design after it."""
        del design  # the step says it all
        if self.failure is not None:
            return
        with self._lock:
            size = len(step.change) + (0 if self._handle is not None else self._opening_size())
            if self._waiting == 0 and size <= DIRECT_RECORDS:
                self._write(step)
            else:  # much, or behind something that waits already
                self._waiting += 1
                self._queue.put(step)
        self._need_thread()

    @classmethod
    def resume(cls, recovery: Recovery, path: Path) -> Journal:
        """Go on in the journal that was recovered: it holds all that is not in the file.

        So the work is as safe as before at every moment, and after another crash there is one
        journal to offer, not an older one besides. What could not be read in it is cut off.
        Where it cannot be written a new one begins with the next step. Raises FileError where
        another program has taken it.
        """
        journal = cls(recovery.project, recovery.design)
        try:
            handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            if not _locked(handle):
                os.close(handle)
                raise FileError(
                    "another running Rackloom is writing it", name=str(path), advice="use that one"
                )
            journal._handle = handle
            _take_over(handle, recovery.sound_bytes)
        except OSError:
            journal._release()
            return journal
        journal.path = path
        journal._start = Design()  # not needed any more, and it may be big
        journal._pointer = next((p for p, target in pointers() if target == path), None)
        return journal

    def flush(self) -> None:
        """Wait until everything is written and on the disk."""
        while self._waiting and self.failure is None:
            time.sleep(0.005)
        self._sync()

    def saved(self, project: Project, since: Sequence[Step] = ()) -> None:
        """The design was saved: its journal goes, and begins anew from that file.

        ``since`` are the steps that were made while the file was being written, and are not in it:
        the new journal has them before the old one goes. Where it cannot be written the old one
        stays and goes on, from what is the ``.bak`` now.
        """
        self._stop()
        before = self._base, self._start, self._handle, self.path, self._pointer
        self.failure = None
        self._base, self._start = project, project.design
        self._handle = self.path = self._pointer = None
        for step in since:
            self._write(step)
        if self.failure is not None:
            self._remove()
            self._base, self._start, self._handle, self.path, self._pointer = before
            self.failure = None
            return
        self._sync()
        _remove_files(*before[2:])
        if since:
            self._need_thread()

    def close(self) -> None:
        """Nothing is left to lose: the journal goes."""
        self._stop()
        self._remove()

    def abandon(self) -> None:
        """Let go of the file and leave it, as a crash would (steps still waiting are written)."""
        self.flush()
        self._stop()
        self._release()

    # The file

    def _opening_size(self) -> int:
        """About how many records the opening step has (see ``_begin``)."""
        if self._base is not None and self._start is self._base.design:
            return 0
        return len(self._start.cables) + len(self._start.modules) + len(self._start.devices)

    def _write(self, step: Step) -> None:
        """Append one line. Called under the lock, or by the thread for what waits."""
        try:
            if self._handle is None:
                self._begin()
            assert self._handle is not None
            _write_all(self._handle, step_line(step))
            self._unsynced = True
        except OSError as error:
            where = self.path or journal_folder()
            self.failure = f"no recovery file is kept: {cannot_write(where, error)}"
        except FileError as error:
            self.failure = f"no recovery file is kept: {error}"

    def _begin(self) -> None:
        """Make the file with its first line, and a step for what differs from the base."""
        base, base_design = self._base, self._base.design if self._base else Design()
        self._handle = self._open()
        header: dict[str, Any] = {
            "journal": "rackloom",
            "format_version": FORMAT_VERSION,
            "pid": os.getpid(),
            "started": time.time(),
            "base": None,
        }
        if base is not None and base.path is not None:
            header["base"] = {"path": os.path.realpath(base.path), "digest": base.digest}
        lines = json.dumps(header).encode() + PID_ROOM + b"\n"
        if self._start is not base_design:
            change = base_design.diff(self._start)
            if change:
                lines += step_line(Step("Unsaved work", change))
        _write_all(self._handle, lines)
        self._start = Design()  # not needed any more, and it may be big

    def _open(self) -> int:
        """A new journal file: beside the project where that is possible."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        if self._base is not None and self._base.path is not None:
            beside = journal_beside(Path(os.path.realpath(self._base.path)))
            # A journal that is there is another program's, or waits to be recovered.
            with contextlib.suppress(OSError):
                handle = os.open(beside, flags, 0o600)
                if _claim(handle, beside):
                    self.path = beside
                    self._pointer = _point_to(beside)
                    return handle
        folder = journal_folder()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{uuid.uuid4().hex}{JOURNAL_SUFFIX}"
        handle = os.open(path, flags, 0o600)
        if not _claim(handle, path):
            raise FileError("another program holds it", name=str(path), advice="save often")
        self.path = path
        return handle

    def _release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _remove(self) -> None:
        _remove_files(self._handle, self.path, self._pointer)
        self._handle = self.path = self._pointer = None

    # The thread: big steps, and fsync

    def _need_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, args=(self._queue,), name="rackloom-journal", daemon=True
            )
            self._thread.start()

    def _run(self, work: queue.SimpleQueue[Step | None]) -> None:
        first = True
        while True:
            try:
                step = work.get(timeout=SYNC_INTERVAL_S)
            except queue.Empty:
                self._sync()
                if first and self.path is not None:
                    sync_folder(self.path.parent)
                    first = False
                continue
            if step is None:
                return
            self._write(step)
            with self._lock:
                self._waiting -= 1

    def _sync(self) -> None:
        handle = self._handle
        if self._unsynced and handle is not None:
            self._unsynced = False
            with contextlib.suppress(OSError):
                os.fsync(handle)

    def _stop(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None


def step_line(step: Step) -> bytes:
    """A step as one line: what it is called, when it was, what it put and what it removed."""
    put: dict[str, list[bytes]] = {}
    removed: dict[str, list[str]] = {}
    for record in step.change:
        if record.after is None:
            removed.setdefault(record.table, []).append(record.id)
        else:
            put.setdefault(record.table, []).append(entity_line(record.table, record.after))
    tables = b",".join(b'"%s":[%s]' % (t.encode(), b",".join(lines)) for t, lines in put.items())
    label = json.dumps(step.label).encode()
    return b'{"label":%s,"time":%.3f,"remove":%s,"put":{%s}}\n' % (
        label,
        time.time(),
        json.dumps(removed).encode(),
        tables,
    )


def _take_over(handle: int, sound_bytes: int) -> None:
    """Make a dead program's journal ours: our process number, and only lines that are whole."""
    os.ftruncate(handle, sound_bytes)
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "r+b") as file:
        line = file.readline().rstrip(b"\n")
        ours = json.dumps({**json.loads(line), "pid": os.getpid()}).encode()
        if len(ours) <= len(line):  # else its system gives numbers like no other
            file.seek(0)
            file.write(ours.ljust(len(line)))
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")
    os.lseek(handle, 0, os.SEEK_END)


def _claim(handle: int, path: Path) -> bool:
    """Lock a new journal; False, and it is gone, where another program has it and keeps it."""
    if _locked(handle):
        return True
    _remove_files(handle, path)
    return False


def _locked(handle: int) -> bool:
    """Lock a journal; False where somebody else has it for more than a look."""
    for _ in range(CLAIM_TRIES):
        if take_lock(handle) is not False:  # None: no locks here, the process number has to do
            return True
        time.sleep(CLAIM_WAIT_S)
    return False


def _remove_files(handle: int | None, *files: Path | None) -> None:
    """Close and remove; the file goes first, so that nobody takes it for one left behind."""
    there = [file for file in files if file is not None]
    for file in there:
        with contextlib.suppress(OSError):  # Windows keeps what is open
            file.unlink()
    if handle is not None:
        os.close(handle)
        for file in there:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def _write_all(handle: int, data: bytes) -> None:
    """One write as a rule, so that a kill leaves whole lines."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _point_to(journal: Path) -> Path | None:
    """Note in the state folder where a journal lies, for the next start to find it."""
    with contextlib.suppress(OSError):
        folder = journal_folder()
        folder.mkdir(parents=True, exist_ok=True)
        pointer = folder / f"{uuid.uuid4().hex}{POINTER_SUFFIX}"
        pointer.write_text(json.dumps({"journal": str(journal)}), encoding="utf-8")
        return pointer
    return None
