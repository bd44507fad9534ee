# SPDX-License-Identifier: Apache-2.0
"""Journals that go on, and several programs on one file: nothing is taken from anybody."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from tests.builders import small_design

from rackloom.design import Design, History, edits
from rackloom.files import (
    FileError,
    Journal,
    Project,
    atomic,
    discard,
    load,
    others_at_work,
    recover,
    recovery,
    save,
    waiting_journals,
)
from rackloom.files import journal as journal_module
from rackloom.files.state import take_lock


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    folder = tmp_path / "state"
    monkeypatch.setenv("RACKLOOM_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A saved small project."""
    (tmp_path / "work").mkdir()
    return save(tmp_path / "work" / "hall.rackloom", small_design())


def begun(base: Project | None, design: Design, journal: Journal | None = None) -> History:
    """A history that is journalled."""
    history = History(design)
    history.listen((journal or Journal(base, design)).append)
    return history


def crashed(project: Project) -> Path:
    """Two steps of a program that then crashed."""
    journal = Journal(project, project.design)
    history = begun(project, project.design, journal)
    history.do("One", edits.rename, "d6", "leaf-a")
    history.do("Two", edits.rename, "d4", "gpu-x")
    journal.abandon()
    assert journal.path is not None
    return journal.path


def files_below(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("crashes", [1, 3])
def test_restored_work_goes_on_in_its_journal(
    project: Project, tmp_path: Path, crashes: int
) -> None:
    crashed(project)
    for number in range(crashes):
        (waiting,) = waiting_journals()
        found = recover(waiting.journal)
        journal = Journal.resume(found, waiting.journal)
        history = begun(found.project, found.design, journal)
        assert not waiting_journals(), "it is not offered to another program"
        history.do("More", edits.rename, "d6", f"leaf-{number}")
        journal.abandon()
    (waiting,) = waiting_journals()
    found = recover(waiting.journal)
    assert found.labels == ("One", "Two", *["More"] * crashes)
    assert found.design.devices["d6"].name == f"leaf-{crashes - 1}"  # type: ignore[index]
    assert found.design.devices["d4"].name == "gpu-x"  # type: ignore[index]
    journal = Journal.resume(found, waiting.journal)
    assert project.path is not None
    journal.saved(save(project.path, found.design))
    assert files_below(tmp_path) == ["hall.rackloom", "hall.rackloom.bak"]


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_half_written_line_is_cut_off_when_its_journal_goes_on(
    project: Project, cut: int
) -> None:
    path = crashed(project)
    path.write_bytes(path.read_bytes()[:-cut])
    found = recover(path)
    history = begun(None, found.design, journal := Journal.resume(found, path))
    history.do("More", edits.rename, "d6", "leaf-z")
    journal.abandon()
    again = recover(path)
    assert again.complete
    assert again.labels == (*found.labels, "More")
    assert again.design == history.design


def test_a_damaged_journal_goes_on_from_its_sound_part(project: Project) -> None:
    path = crashed(project)
    path.write_bytes(path.read_bytes().replace(b'"label":"Two"', b'"label":Two') + b"\n\n{}\n")
    found = recover(path)
    assert not found.complete
    history = begun(None, found.design, journal := Journal.resume(found, path))
    history.do("More", edits.rename, "d6", "leaf-z")
    journal.abandon()
    again = recover(path)
    assert again.complete
    assert again.labels == ("One", "More")


def test_a_journal_that_goes_on_says_whose_it_is(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk knows no locks, the process number in the first line has to do."""
    path = crashed(project)
    first, rest = path.read_bytes().split(b"\n", 1)
    dead = json.dumps({**json.loads(first), "pid": 3}).encode().ljust(len(first))
    path.write_bytes(dead + b"\n" + rest)
    for module in (journal_module, recovery):
        monkeypatch.setattr(module, "take_lock", lambda _handle: None)
    monkeypatch.setattr(recovery, "is_running", lambda pid: pid == os.getpid())
    found = recover(path)
    journal = Journal.resume(found, path)
    with pytest.raises(FileError, match="another running Rackloom"):
        recover(path)
    discard(path)
    assert path.is_file()
    journal.close()
    assert not path.exists()


def test_restoring_works_where_the_journal_cannot_be_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed(project)
    found = recover(path)
    real = os.open

    def read_only(file: str, flags: int, *more: int) -> int:
        if Path(file) == path and flags & os.O_RDWR:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(file, flags, *more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", read_only)
        journal = Journal.resume(found, path)
        history = begun(found.project, found.design, journal)
        history.do("More", edits.rename, "d6", "leaf-z")
        journal.abandon()
    assert journal.path not in {None, path}
    designs = [recover(w.journal).design for w in waiting_journals()]
    assert history.design in designs
    assert found.design in designs


def test_a_new_journal_waits_for_somebody_who_only_looks_at_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program on its start tries the lock of every journal it finds."""
    looked = threading.Event()

    def take_while_looked_at(handle: int) -> bool | None:
        if not looked.is_set():
            looked.set()
            assert project.path is not None
            (beside,) = project.path.parent.glob(".*journal")
            other = os.open(beside, os.O_RDWR)
            assert take_lock(other)
            threading.Timer(0.1, os.close, [other]).start()
        return take_lock(handle)

    monkeypatch.setattr(journal_module, "take_lock", take_while_looked_at)
    journal = Journal(project, project.design)
    begun(project, project.design, journal).do("One", edits.rename, "d6", "leaf-a")
    assert looked.is_set()
    assert journal.failure is None
    assert not waiting_journals(), "it is locked, or another program would take it for a dead one's"
    journal.close()


def test_a_journal_that_cannot_be_locked_is_not_kept_unlocked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "take_lock", lambda _handle: False)
    monkeypatch.setattr(journal_module, "CLAIM_WAIT_S", 0.0)
    journal = Journal(project, project.design)
    history = begun(project, project.design, journal)
    history.do("One", edits.rename, "d6", "leaf-a")
    assert history.design.devices["d6"].name == "leaf-a"  # type: ignore[index]
    assert journal.failure is not None
    assert "no recovery file is kept" in journal.failure
    assert "another program holds it" in journal.failure
    journal.close()
    assert files_below(tmp_path) == ["hall.rackloom"]


def test_others_on_the_same_file_are_noticed(project: Project, tmp_path: Path) -> None:
    assert project.path is not None
    assert not others_at_work(project.path)
    ours, theirs = Journal(project, project.design), Journal(project, project.design)
    begun(project, project.design, ours).do("One", edits.rename, "d6", "leaf-a")
    assert not others_at_work(project.path, ours.path)
    assert others_at_work(project.path)
    begun(project, project.design, theirs).do("One", edits.rename, "d6", "leaf-b")
    assert others_at_work(project.path, ours.path)
    assert others_at_work(project.path, theirs.path)
    elsewhere = save(tmp_path / "other.rackloom", small_design())
    assert elsewhere.path is not None
    assert not others_at_work(elsewhere.path)
    theirs.abandon()
    assert not others_at_work(project.path, ours.path), "it waits, but nobody is at work"
    ours.close()
    theirs.close()


def test_steps_made_while_the_file_was_written_are_safe(project: Project, tmp_path: Path) -> None:
    journal = Journal(project, project.design)
    history = begun(project, project.design, journal)
    history.do("Before", edits.rename, "d6", "leaf-a")
    held = history.design
    steps = []
    history.listen(lambda _design, step: steps.append(step))
    history.do("Meanwhile", edits.rename, "d6", "leaf-b")
    history.do("And then", edits.rename, "d4", "gpu-x")
    assert project.path is not None
    saved = save(project.path, held)
    before = journal.path
    journal.saved(saved, steps)
    assert journal.path != before
    assert before is not None
    assert not before.exists()
    history.do("Later", edits.rename, "d4", "gpu-y")
    journal.abandon()
    (waiting,) = waiting_journals()
    found = recover(waiting.journal)
    assert found.labels == ("Meanwhile", "And then", "Later")
    assert found.design == history.design
    assert found.project is not None
    assert found.project.design == held


def test_the_old_journal_stays_where_the_new_one_cannot_be_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(project, project.design)
    history = begun(project, project.design, journal)
    history.do("Before", edits.rename, "d6", "leaf-a")
    steps = []
    history.listen(lambda _design, step: steps.append(step))
    held = history.design
    history.do("Meanwhile", edits.rename, "d6", "leaf-b")
    assert project.path is not None
    saved = save(project.path, held)
    before = journal.path
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_open", _no_space)
        journal.saved(saved, steps)
    assert journal.path == before
    history.do("Later", edits.rename, "d4", "gpu-y")
    journal.abandon()
    assert before is not None
    found = recover(before)
    assert found.labels == ("Before", "Meanwhile", "Later")
    assert found.design == history.design


def _no_space(*_arguments: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


# Saving


@pytest.mark.parametrize("length", [100, 240])
def test_a_long_name_is_no_trouble_for_the_temporary_files(tmp_path: Path, length: int) -> None:
    """A name may have 255 bytes; ``.bak`` is the longest thing we add to it."""
    path = tmp_path / ("x" * length + ".rackloom")
    save(path, small_design())
    save(path, Design())
    assert load(path).design == Design()
    assert load(atomic.backup_path(path)).design == small_design()
    assert len(files_below(tmp_path)) == 2


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission denied"),
    ],
)
def test_what_goes_wrong_in_the_middle_leaves_the_old_file(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    assert project.path is not None
    before = project.path.read_bytes()
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(FileError, match=words) as error:
        save(project.path, Design())
    assert "hall.rackloom" in str(error.value)
    assert "\n" not in str(error.value)
    assert project.path.read_bytes() == before
    assert files_below(tmp_path) == ["hall.rackloom"]


def test_saving_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[float] = []
    save(tmp_path / "a.rackloom", small_design(), progress=told.append)
    assert told == sorted(told)
    assert len(told) > 3
    assert 0 <= told[0] < 0.5
    assert told[-1] == 1.0
