# SPDX-License-Identifier: Apache-2.0
"""Recovery: whatever ends the program, at most the last step is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import big_design, leaf_part, small_design

from rackloom.design import Design, Draft, EditError, History, ListPrice, Step, edits
from rackloom.design.buying import set_price_list, set_spares
from rackloom.files import (
    FileError,
    Journal,
    Project,
    discard,
    load,
    recover,
    save,
    waiting_journals,
)
from rackloom.files import journal as journal_module

ROOT = Path(__file__).parents[2]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    folder = tmp_path / "state"
    monkeypatch.setenv("RACKLOOM_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, state: Path) -> Project:
    """A saved small project."""
    (tmp_path / "work").mkdir()
    return save(tmp_path / "work" / "hall.rackloom", small_design())


class Session:
    """A history with its journal, as the window has them."""

    def __init__(self, base: Project | None, design: Design | None = None) -> None:
        start = design or (base.design if base else Design())
        self.history = History(start)
        self.journal = Journal(base, start)
        self.history.listen(self.journal.append)


@pytest.fixture
def session(project: Project) -> Iterator[Session]:
    """The small project, open."""
    session = Session(project)
    yield session
    session.journal.close()


def journals(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.name.endswith("journal"))


def test_spares_and_prices_come_back(session: Session) -> None:
    session.history.do("Set spares", set_spares, {"cable": 2.5})
    session.history.do("Take list", set_price_list, "x.csv", [ListPrice("A", 0.1, "EUR")])
    wanted = session.history.design
    session.journal.abandon()
    (waiting,) = waiting_journals()
    assert recover(waiting.journal).design == wanted


def test_steps_come_back_in_order(session: Session, project: Project) -> None:
    session.history.do("Rename the leaf", edits.rename, "d6", "leaf-a")
    session.history.do("Remove a note", edits.remove, ["n20"])
    session.history.undo()
    session.history.do("Cut a cable", edits.remove, ["c9"])
    session.journal.abandon()
    (waiting,) = waiting_journals()
    assert waiting.project == project.path
    assert abs(waiting.time_s - time.time()) < 60
    found = recover(waiting.journal)
    assert found.design == session.history.design
    assert found.labels == ("Rename the leaf", "Remove a note", "Remove a note", "Cut a cable")
    assert found.steps == 4
    assert found.complete
    assert not found.already_saved
    assert found.project is not None
    assert found.project.path == project.path
    assert abs(found.time_s - time.time()) < 60
    assert waiting.journal.is_file()  # until somebody says otherwise
    discard(waiting.journal)
    assert not waiting_journals()
    assert not list((waiting.journal.parent.parent / "state" / "journals").iterdir())


def test_the_journal_is_a_hidden_file_beside_the_project(
    session: Session, project: Project
) -> None:
    assert project.path is not None
    assert not journals(project.path.parent)  # nothing to lose yet
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    (file,) = journals(project.path.parent)
    assert file.name == ".hall.rackloom-journal"
    assert file.stat().st_mode & 0o077 == 0
    session.journal.close()
    assert not journals(project.path.parent)


def test_a_good_save_starts_afresh(session: Session, project: Project, tmp_path: Path) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    assert project.path is not None
    again = save(project.path, session.history.design)
    session.journal.saved(again)
    assert not journals(tmp_path)
    session.history.do("Rename again", edits.rename, "d6", "leaf-b")
    session.journal.abandon()
    found = recover(waiting_journals()[0].journal)
    assert found.labels == ("Rename again",)
    assert found.design == session.history.design


def test_a_design_that_was_never_saved_is_in_the_state_folder(state: Path) -> None:
    session = Session(None, small_design())
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    session.journal.abandon()
    (file,) = journals(state)
    (waiting,) = waiting_journals()
    assert waiting.journal == file
    assert waiting.project is None
    found = recover(file)
    assert found.design == session.history.design
    assert found.project is None
    assert found.labels == ("Unsaved work", "Rename")


def test_a_recovered_design_is_safe_at_once(session: Session, project: Project) -> None:
    """Recover, go on, crash again: nothing of the first session is lost."""
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    session.journal.abandon()
    first = recover(waiting_journals()[0].journal)
    old = waiting_journals()[0].journal
    second = Session(first.project, first.design)
    second.history.do("Rename a server", edits.rename, "d4", "gpu-x")
    second.journal.abandon()
    discard(old)
    (waiting,) = waiting_journals()
    assert recover(waiting.journal).design == second.history.design


def test_a_running_program_keeps_its_journal_to_itself(session: Session, project: Project) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    assert session.journal.path is not None
    assert not waiting_journals([project.path] if project.path else [])
    with pytest.raises(FileError, match="another running Rackloom"):
        recover(session.journal.path)
    # A second window on the same file keeps one of its own.
    other = Session(project)
    other.history.do("Rename", edits.rename, "d6", "leaf-b")
    assert other.journal.path != session.journal.path
    other.journal.close()
    assert session.journal.path.is_file()


def test_a_waiting_journal_is_not_overwritten(session: Session, project: Project) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    kept = session.history.design
    session.journal.abandon()
    other = Session(project)
    other.history.do("Rename", edits.rename, "d6", "leaf-b")
    other.journal.abandon()
    found = [recover(w.journal).design for w in waiting_journals()]
    assert kept in found
    assert other.history.design in found


def test_it_is_found_beside_the_project_without_a_pointer(
    session: Session, project: Project, state: Path
) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    session.journal.abandon()
    for pointer in (state / "journals").iterdir():
        pointer.unlink()
    assert project.path is not None
    assert not waiting_journals()
    assert len(waiting_journals([project.path])) == 1


def test_a_save_cut_off_before_the_journal_went_is_noticed(
    session: Session, project: Project
) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    assert project.path is not None
    save(project.path, session.history.design)  # and then the power went
    session.journal.abandon()
    found = recover(waiting_journals()[0].journal)
    assert found.design == session.history.design
    assert found.already_saved


def test_a_project_that_changed_since_is_not_mixed_up(session: Session, project: Project) -> None:
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    session.journal.abandon()
    assert project.path is not None
    save(project.path, Design())
    save(project.path, Design())
    (waiting,) = waiting_journals()
    with pytest.raises(FileError, match="not the file any more"):
        recover(waiting.journal)
    assert waiting.journal.is_file()


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_half_written_last_line_is_passed_over(session: Session, cut: int) -> None:
    session.history.do("One", edits.rename, "d6", "leaf-a")
    first = session.history.design
    session.history.do("Two", edits.rename, "d6", "leaf-b")
    session.journal.abandon()
    file = waiting_journals()[0].journal
    data = file.read_bytes()
    file.write_bytes(data[: len(data) - 1 - cut])
    found = recover(file)
    assert found.design == first
    assert found.labels == ("One",)
    assert found.complete


def test_damage_in_the_middle_keeps_what_was_before(session: Session) -> None:
    session.history.do("One", edits.rename, "d6", "leaf-a")
    first = session.history.design
    session.history.do("Two", edits.rename, "d6", "leaf-b")
    session.history.do("Three", edits.rename, "d4", "gpu-b")
    session.journal.abandon()
    file = waiting_journals()[0].journal
    file.write_bytes(file.read_bytes().replace(b'"label":"Two"', b'"label":Two'))
    found = recover(file)
    assert found.design == first
    assert not found.complete


@given(st.data())
@settings(max_examples=60)
def test_no_damage_raises_anything_but_a_file_error(data: st.DataObject) -> None:
    file = Path(os.environ["XDG_STATE_HOME"]) / "x.rackloom-journal"
    whole = _JOURNAL or _write_journal(file)
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    file.write_bytes(whole[:a] + data.draw(st.binary(max_size=8)) + whole[b:])
    try:
        recover(file)
    except FileError as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base", {"path": "", "digest": ""}),
        ("base", {"path": "/", "digest": ""}),
        ("base", {"path": "a\0b", "digest": ""}),
        ("started", float("nan")),
        ("started", 1e300),
        ("started", 10**400),
    ],
)
def test_a_first_line_with_nonsense_is_no_journal(session: Session, field: str, value: Any) -> None:
    """Nothing on the way may fail on it: looking for journals, replaying, showing the date."""
    session.history.do("One", edits.rename, "d6", "leaf-a")
    session.journal.abandon()
    file = waiting_journals()[0].journal
    first, rest = file.read_bytes().split(b"\n", 1)
    file.write_bytes(json.dumps({**json.loads(first), field: value}).encode() + b"\n" + rest)
    assert waiting_journals() == []
    with pytest.raises(FileError, match="not a recovery journal"):
        recover(file)


@pytest.mark.parametrize("moment", [float("nan"), float("inf"), 10**400, -1e30, "now"])
def test_a_step_at_an_impossible_moment_ends_the_replay(session: Session, moment: Any) -> None:
    session.history.do("One", edits.rename, "d6", "leaf-a")
    first = session.history.design
    session.history.do("Two", edits.rename, "d6", "leaf-b")
    session.history.do("Three", edits.rename, "d6", "leaf-c")
    session.journal.abandon()
    file = waiting_journals()[0].journal
    lines = file.read_bytes().split(b"\n")
    lines[2] = json.dumps({**json.loads(lines[2]), "time": moment}).encode()
    file.write_bytes(b"\n".join(lines))
    found = recover(file)
    assert found.design == first
    assert not found.complete


_JOURNAL: bytes = b""


def _write_journal(file: Path) -> bytes:
    global _JOURNAL  # noqa: PLW0603
    session = Session(None, small_design())
    session.history.do("Rename", edits.rename, "d6", "leaf-a")
    session.history.do("Remove", edits.remove, ["d5"])
    session.journal.abandon()
    assert session.journal.path is not None
    _JOURNAL = session.journal.path.read_bytes()
    discard(session.journal.path)
    return _JOURNAL


def test_what_is_no_journal_is_refused_and_stays(state: Path) -> None:
    folder = state / "journals"
    folder.mkdir(parents=True)
    file = folder / "x.rackloom-journal"
    file.write_text("hello\nworld\n")
    assert not waiting_journals()
    assert file.is_file()
    with pytest.raises(FileError, match="not a recovery journal"):
        recover(file)
    file.write_text('{"journal": "rackloom", "format_version": 9, "started": 1, "base": null}\n')
    with pytest.raises(FileError, match="another version"):
        recover(file)


def test_an_old_journal_without_a_step_is_cleared_away(state: Path) -> None:
    folder = state / "journals"
    folder.mkdir(parents=True)
    file = folder / "x.rackloom-journal"
    file.write_text("")
    assert not waiting_journals()
    assert file.is_file()  # perhaps somebody is about to write
    os.utime(file, (1, 1))
    assert not waiting_journals()
    assert not file.exists()


def test_the_work_goes_on_where_no_journal_can_be_written(project: Project, state: Path) -> None:
    session = Session(None)
    state.write_text("a file where the folder should be")
    session.history.do("Add", edits.add_row)
    assert len(session.history.design.rows) == 1
    assert session.journal.failure is not None
    assert "no recovery file is kept" in session.journal.failure
    session.journal.close()


def test_a_full_disk_is_said_once_and_ends_with_the_next_save(
    session: Session, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        session.history.do("Rename", edits.rename, "d6", "leaf-a")
    assert session.journal.failure is not None
    assert "no space left" in session.journal.failure
    assert project.path is not None
    session.journal.saved(save(project.path, session.history.design))
    assert session.journal.failure is None
    session.history.do("Rename", edits.rename, "d6", "leaf-b")
    session.journal.abandon()
    assert recover(waiting_journals()[0].journal).design == session.history.design


def test_great_steps_are_written_behind_and_in_order(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "DIRECT_RECORDS", 5)
    session = Session(None)
    big = big_design(64)

    def add_all(draft: Draft) -> None:
        for table in ("rows", "racks", "devices", "modules", "cables", "parts"):
            for entity in big.table(table).values():
                if table == "parts":
                    draft.embed(entity)
                else:
                    draft.put(entity)

    session.history.do("Generate", add_all)
    device = next(iter(big.devices))
    session.history.do("Rename", edits.rename, device, "first")
    session.history.undo()
    session.history.do("Rename", edits.rename, device, "second")
    session.journal.abandon()
    found = recover(waiting_journals()[0].journal)
    assert found.design == session.history.design
    assert found.labels == ("Generate", "Rename", "Rename", "Rename")


def test_a_great_design_that_was_never_saved_is_written_behind(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "DIRECT_RECORDS", 5)
    writers: list[str] = []
    line_of = journal_module.step_line

    def step_line(step: Step) -> bytes:
        writers.append(threading.current_thread().name)
        return line_of(step)

    monkeypatch.setattr(journal_module, "step_line", step_line)
    session = Session(None, big_design(64))
    device = next(iter(session.history.design.devices))
    session.history.do("Rename", edits.rename, device, "first")
    session.journal.flush()
    session.history.do("Rename", edits.rename, device, "second")
    session.journal.abandon()
    assert writers == ["rackloom-journal", "rackloom-journal", threading.current_thread().name]
    assert recover(waiting_journals()[0].journal).design == session.history.design


# Any history

_MOVES = st.lists(
    st.tuples(
        st.sampled_from(["rename", "remove", "add", "undo", "redo", "note", "rack", "cut"]),
        st.integers(0, 30),
        st.text(max_size=8),
    ),
    max_size=14,
)


def play(history: History, moves: list[tuple[str, int, str]]) -> None:
    """Do what comes; what cannot be done is refused, as for a user."""
    for move, number, text in moves:
        design = history.design

        def pick(table: str, number: int = number, design: Design = design) -> list[str]:
            ids = sorted(design.table(table))
            return [ids[number % len(ids)]] if ids else []

        try:
            match move:
                case "rename":
                    for device in pick("devices"):
                        history.do("Rename", edits.rename, device, text)
                case "remove":
                    history.do("Remove", edits.remove, pick("devices"))
                case "cut":
                    history.do("Cut", edits.remove, pick("cables"))
                case "rack":
                    history.do("Remove rack", edits.remove, pick("racks"))
                case "add":
                    for rack in pick("racks"):
                        history.do("Add", edits.add_device, leaf_part(), rack, 1 + number)
                case "note":
                    history.do("Note", edits.add_note, text)
                case "undo":
                    history.undo()
                case "redo":
                    history.redo()
        except EditError:
            continue


@given(_MOVES, _MOVES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_replaying_equals_the_history(
    before: list[tuple[str, int, str]], after: list[tuple[str, int, str]]
) -> None:
    folder = Path(os.environ["XDG_STATE_HOME"])
    start = History(small_design())
    play(start, before)
    project = save(folder / "any.rackloom", start.design)
    session = Session(project)
    play(session.history, after)
    session.journal.abandon()
    path = session.journal.path
    if path is None:
        assert session.history.design == project.design
        return
    found = recover(path)
    discard(path)
    assert found.design == session.history.design


# A kill

KILLED = """
import sys
from pathlib import Path
from rackloom.design import History, edits
from rackloom.files import Journal, load

project = load(sys.argv[1])
history = History(project.design)
journal = Journal(project, project.design)
history.listen(journal.append)
for n in range(100000):
    history.do(f"Step {n}", edits.rename, "d6", f"leaf-{n}")
    print(n, flush=True)
"""


def test_a_kill_loses_at_most_the_last_step(project: Project, state: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'core'}:{ROOT / 'resources'}"}
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(project.path)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert child.stdout is not None
    with child.stdout as output:
        while int(output.readline()) < 40:
            pass
        child.kill()
        child.wait()
        reported = output.read().split()
    last = int(reported[-1]) if reported else 40
    (waiting,) = waiting_journals()
    found = recover(waiting.journal)
    assert found.steps in {last + 1, last + 2}  # one more may have been done but not reported
    assert found.design.devices["d6"].name == f"leaf-{found.steps - 1}"  # type: ignore[index]
    assert project.path is not None
    assert load(project.path).design == project.design
