# SPDX-License-Identifier: Apache-2.0
"""After a crash: which journals wait, and what they hold."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from rackloom.bulk import many_objects
from rackloom.design import Design, EditError
from rackloom.design.entities import TABLES
from rackloom.design.invariants import check_all_references
from rackloom.files.atomic import backup_path
from rackloom.files.errors import FileError
from rackloom.files.migrations import FORMAT_VERSION
from rackloom.files.project import Project, load, read_bytes
from rackloom.files.schema import parse, parse_fragment
from rackloom.files.state import (
    JOURNAL_SUFFIX,
    is_running,
    journal_beside,
    journal_folder,
    pointers,
    take_lock,
)

RUBBISH_AGE_S = 60.0
"""A journal without a step is somebody's who is about to write one, or, when older, rubbish."""
MAX_TIME_S = 253_402_300_800.0
"""The year 10000: no step was made later."""
MAX_LABEL = 400
"""So many characters of what a step is called are kept: a dialog shows it."""


@dataclass(frozen=True)
class WaitingJournal:
    """A journal that a program left behind when it ended badly.

    ``project`` is the file its steps go on from (None: never saved), ``time_s`` when it was last
    written to, in seconds since 1970.
    """

    journal: Path
    project: Path | None
    time_s: float


@dataclass(frozen=True)
class Recovery:
    """What a journal holds: the project as it was saved, and the design as it was at the end.

    ``labels`` are the steps in order; ``time_s`` is that of the last one (seconds since 1970).
    ``complete`` is False where the journal was damaged in its middle and only the steps before
    that are here. ``already_saved``: the file on disk holds the same, there is nothing to restore.
    ``sound_bytes``: so much of the journal was understood.
    """

    project: Project | None
    design: Design
    labels: tuple[str, ...]
    time_s: float
    complete: bool
    already_saved: bool
    sound_bytes: int

    @property
    def steps(self) -> int:
        """Number of steps since the last save."""
        return len(self.labels)


def waiting_journals(near: Iterable[Path] = ()) -> list[WaitingJournal]:
    """Journals that nobody is writing to, newest first.

    Looks into the state folder, and beside the projects ``near`` (recent files, say).
    """
    found: dict[Path, WaitingJournal] = {}
    for file in _candidates(near):
        if file in found or _is_live(file):
            continue
        header, has_step = _peek(file)
        with contextlib.suppress(OSError):
            time_s = file.stat().st_mtime
            if header is not None and has_step:
                base = header.get("base")
                found[file] = WaitingJournal(file, Path(base["path"]) if base else None, time_s)
            elif time.time() - time_s > RUBBISH_AGE_S:
                discard(file)
    return sorted(found.values(), key=lambda waiting: -waiting.time_s)


def recover(journal: Path) -> Recovery:
    """Replay a journal on the file it goes on from. Nothing is written or removed.

    A half-written last line is what a kill leaves, and is passed over. Raises FileError where the
    journal is in use, or cannot be replayed.
    """
    if _is_live(journal):
        raise FileError(
            "another running Rackloom is writing it", name=str(journal), advice="use that one"
        )
    with many_objects():
        lines = read_bytes(journal).split(b"\n")
        header = _header(lines[0], journal)
        project = _base_project(header, journal)
        design, labels, time_s, complete, sound = _replay(project, lines[1:], journal)
    present = _present_design(project)
    return Recovery(
        project,
        design,
        labels,
        time_s or header["started"],
        complete,
        present == design,
        len(lines[0]) + 1 + sound,
    )


def others_at_work(project: Path, own: Path | None = None) -> bool:
    """Whether another running program has unsaved steps on a file; ``own`` is our journal."""
    here = Path(os.path.realpath(project))
    for file in _candidates([here]):
        if file != own and _is_live(file):
            header, _has_step = _peek(file)
            base = header["base"] if header else None
            if base is not None and Path(base["path"]) == here:
                return True
    return False


def discard(journal: Path) -> None:
    """Remove a journal that is not wanted any more, and what points to it.

    One that a running program has taken over meanwhile is left to it.
    """
    if _is_live(journal):
        return
    with contextlib.suppress(OSError):
        journal.unlink()
    for pointer, target in pointers():
        if target == journal:
            with contextlib.suppress(OSError):
                pointer.unlink()


def _candidates(near: Iterable[Path]) -> Iterator[Path]:
    for project in near:
        beside = journal_beside(Path(os.path.realpath(project)))
        if beside.is_file():
            yield beside
    with contextlib.suppress(OSError):
        yield from sorted(journal_folder().glob(f"*{JOURNAL_SUFFIX}"))
    for pointer, target in pointers():
        if target.is_file():
            yield target
        else:
            with contextlib.suppress(OSError):
                pointer.unlink()


def _is_live(journal: Path) -> bool:
    """Whether a running program holds the journal."""
    try:
        handle = os.open(journal, os.O_RDWR)
    except OSError:
        return False
    try:
        taken = take_lock(handle)
    finally:
        os.close(handle)
    if taken is None:  # no locks here: the number of the process has to do
        header, _ = _peek(journal)
        return header is not None and is_running(int(header.get("pid", 0)))
    return not taken


def _peek(journal: Path) -> tuple[dict[str, Any] | None, bool]:
    """The first line, and whether there is a second one."""
    try:
        with journal.open("rb") as file:
            first = file.readline(1 << 16)
            return _header(first, journal), b"\n" in file.read(1 << 20) or bool(file.read(1))
    except (OSError, FileError):
        return None, False


def _header(line: bytes, journal: Path) -> dict[str, Any]:
    try:
        header = json.loads(line)
        base = header["base"]
        sound = header["journal"] == "rackloom" and _is_time(header["started"])
        if base is not None:
            sound = sound and _is_file_name(base["path"]) and isinstance(base["digest"], str)
        version = header["format_version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        sound, header, version = False, {}, 0
    if not sound:
        raise FileError(
            "this is not a recovery journal", name=str(journal), advice="remove it if it is yours"
        )
    if version != FORMAT_VERSION:
        raise FileError(
            f"another version of Rackloom wrote it (format version {version})",
            name=str(journal),
            advice="recover with that version",
        )
    return dict(header)


def _is_time(value: Any) -> bool:
    """Whether a value can be a moment in seconds since 1970 that a calendar has a date for."""
    return isinstance(value, int | float) and 0 <= value < MAX_TIME_S


def _is_file_name(value: Any) -> bool:
    """Whether a value can be the path of a file: a text that names something."""
    return isinstance(value, str) and "\0" not in value and bool(Path(value).name)


def _base_project(header: dict[str, Any], journal: Path) -> Project | None:
    """The saved project the steps go on from, found by its content.

    When a save was cut off just before it could remove the journal, that is the ``.bak``.
    """
    base = header["base"]
    if base is None:
        return None
    named = Path(base["path"])
    beside = journal.with_name(named.name)  # the folder may have been moved
    for path in (named, beside):
        for file in (path, backup_path(path)):
            with contextlib.suppress(FileError):
                data = read_bytes(file)
                if sha256(data).hexdigest() == base["digest"]:
                    design, extras = parse(data)
                    return Project(path, design, extras, base["digest"])
    raise FileError(
        f"{named} is not the file any more that its steps go on from",
        name=str(journal),
        advice="put that version back to recover them",
    )


def _replay(
    project: Project | None, lines: list[bytes], journal: Path
) -> tuple[Design, tuple[str, ...], float, bool, int]:
    base = project.design if project else Design()
    tables = {name: dict(base.table(name)) for name in (*TABLES, "parts")}
    labels: list[str] = []
    time_s, complete, sound = 0.0, True, 0
    for number, line in enumerate(lines):
        if not line:
            sound += number < len(lines) - 1  # the last one is what follows the last line end
            continue
        try:
            step = json.loads(line)
            put = parse_fragment(step["put"])
            removed = {table: list(ids) for table, ids in step["remove"].items()}
            if removed.keys() - tables.keys():
                raise KeyError
            if not _is_time(step["time"]):
                raise ValueError
            label, time_s = str(step["label"])[:MAX_LABEL], float(step["time"])
            for table, ids in removed.items():
                for key in ids:
                    tables[table].pop(key, None)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            complete = number == len(lines) - 1  # the last line is just not finished
            break
        for table, entities in put.items():
            tables[table].update(entities)
        labels.append(label)
        sound += len(line) + (number < len(lines) - 1)
    design = Design(tables)
    try:
        check_all_references(design)
    except EditError as error:
        raise FileError(
            f"its steps lead to a design that does not hold together ({error})",
            name=str(journal),
            advice="the saved project is still there",
        ) from None
    return design, tuple(labels), time_s, complete, sound


def _present_design(project: Project | None) -> Design | None:
    if project is None or project.path is None:
        return None
    try:
        if sha256(read_bytes(project.path)).hexdigest() == project.digest:
            return project.design
        return load(project.path).design
    except FileError:
        return None
