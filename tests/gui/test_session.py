# SPDX-License-Identifier: Apache-2.0
"""Opening, saving, recovering: nothing is lost, and every refusal is one sentence."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from threading import Event, current_thread, main_thread

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import Answers, WindowMaker, device_named, settle, trigger

from rackloom.design import edits
from rackloom.files import (
    Journal,
    Project,
    Recovery,
    discard,
    load,
    recover,
    save,
    waiting_journals,
)
from rackloom_gui.main_window import MainWindow
from rackloom_gui.session import named_as_project


def test_what_is_saved_opens_again_as_it_was(
    example: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    design = example.document.design
    answers.save_path = tmp_path / "fabric"
    example.actions_table.trigger("file.save")
    assert example.document.path == tmp_path / "fabric.rackloom"
    assert example.document.is_clean
    example.actions_table.trigger("file.close")
    assert not example.document.design.devices
    answers.open_path = tmp_path / "fabric.rackloom"
    example.actions_table.trigger("file.open")
    assert example.document.design == design
    assert example.document.is_clean


def test_opened_and_saved_files_are_recent(
    example: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    answers.save_path = tmp_path / "one.rackloom"
    example.session.save_as()
    save(tmp_path / "two.rackloom", example.document.design)
    example.session.open(tmp_path / "two.rackloom")
    assert [p.name for p in example.settings.recent()] == ["two.rackloom", "one.rackloom"]
    (tmp_path / "one.rackloom").unlink()
    example.bindings.fill_recent()
    entries = [a for a in example.actions_table.menu("recent").actions() if a.text()]
    assert entries[0].isEnabled()
    assert not entries[1].isEnabled()
    assert "missing" in entries[1].text()
    entries[0].trigger()
    assert example.document.path == tmp_path / "two.rackloom"
    trigger(example, qtbot, "file.clear_recent")
    assert example.settings.recent() == []


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b'{"format": "rackloom", "format_version": 99}', "newer"),
        (b"PK\x03\x04", "not a Rackloom"),
        (b'{"format": "rackloom", "format_vers', "too early"),
    ],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(
    example: MainWindow, tmp_path: Path, content: bytes, word: str
) -> None:
    before = example.document.design
    bad = tmp_path / "bad.rackloom"
    bad.write_bytes(content)
    assert not example.session.open(bad)
    assert word in example.banner.text
    assert "bad.rackloom" in example.banner.text
    assert "\n" not in example.banner.text
    assert example.document.design is before


def test_a_file_that_cannot_be_written_loses_nothing(
    example: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    answers.save_path = tmp_path / "no-such-folder" / "x.rackloom"
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    assert not example.session.save_as()
    assert "no-such-folder" in example.banner.text
    assert not example.document.is_clean
    assert example.document.design.name_of(device_named(example, "leaf-x")) == "leaf-x"


def test_a_file_somebody_else_wrote_is_not_overwritten_unasked(
    example: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    path = tmp_path / "shared.rackloom"
    answers.save_path = path
    example.session.save_as()
    theirs = path.read_bytes() + b"\n"
    path.write_bytes(theirs)
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    assert not example.session.save()
    assert path.read_bytes() == theirs
    answers.disk_answer = "overwrite"
    assert example.session.save()
    assert b"leaf-x" in path.read_bytes()


def test_a_read_only_file_opens_with_a_notice(
    example: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.rackloom"
    save(path, example.document.design)
    monkeypatch.setattr(os, "access", lambda *_args: False)  # root may write everywhere
    example.session.open(path)
    assert "another name" in example.banner.text
    assert example.document.design.devices


def test_fields_of_a_later_program_survive(
    window: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    source = tmp_path / "later.rackloom"
    source.write_bytes(b'{"format": "rackloom", "format_version": 1, "weather": {"sun": true}}')
    assert window.session.open(source)
    answers.save_path = tmp_path / "copy.rackloom"
    window.session.save_as()
    assert b'"sun":true' in (tmp_path / "copy.rackloom").read_bytes().replace(b" ", b"")


def test_nothing_waits_after_a_clean_close(example: MainWindow, state_folder: Path) -> None:
    example.document.do("Rename", edits.rename, device_named(example, "leaf-01"), "leaf-x")
    assert list((state_folder / "journals").iterdir())
    example.close()
    assert waiting_journals() == []


_KILLED = """
import os, sys
from pathlib import Path
from threading import current_thread, main_thread
from rackloom_gui.app import make_application, make_window
from rackloom.design import edits
app = make_application(["rackloom"])
window = make_window(app)
window.show()
if len(sys.argv) > 1:
    window.session.open(Path(sys.argv[1]))
else:
    window.session.open_example()
leaf = next(d.id for d in window.document.design.devices.values() if d.name == "leaf-01")
window.document.do("Rename leaf-01", edits.rename, leaf, "renamed-once")
window.document.do("Rename leaf-01", edits.rename, leaf, "renamed-twice")
app.processEvents()
os.kill(os.getpid(), 9)
"""


def _killed_program(state_folder: Path, *arguments: str, script: str = _KILLED) -> None:
    env = dict(os.environ, RACKLOOM_STATE_DIR=str(state_folder), QT_QPA_PLATFORM="offscreen")
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=env, check=False, timeout=120
    )
    assert done.returncode == -9


def test_a_killed_program_loses_nothing_that_was_never_saved(
    state_folder: Path, make_window: WindowMaker, answers: Answers
) -> None:
    _killed_program(state_folder)
    started = make_window()
    answers.recovery_answer = "restore"
    assert started.session.offer_recovery()
    names = {d.name for d in started.document.design.devices.values()}
    assert "renamed-twice" in names
    assert len(names) > 8
    assert not started.document.is_clean
    assert "not saved" in started.banner.text


def test_great_work_is_recovered_beside_the_window(
    state_folder: Path,
    make_window: WindowMaker,
    answers: Answers,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rackloom_gui.saving.BIG_FILE_BYTES", 100)
    threads: list[bool] = []
    replay = recover

    def noting(journal: Path) -> Recovery:
        threads.append(current_thread() is main_thread())
        return replay(journal)

    monkeypatch.setattr("rackloom_gui.saving.recover", noting)
    _killed_program(state_folder)
    started = make_window()
    answers.recovery_answer = "restore"
    told: list[bool] = []

    def then(restored: bool) -> bool:
        told.append(restored)
        return restored

    assert started.session.offer_recovery(then)
    assert started.session.busy
    assert "being read" in started.status.work.text
    assert not told
    qtbot.waitUntil(lambda: bool(told))
    assert told == [True]
    assert threads == [False]
    assert not started.session.busy
    assert not started.status.work.text
    assert "renamed-twice" in {d.name for d in started.document.design.devices.values()}


def test_a_file_is_opened_after_its_great_journal_was_put_off(
    state_folder: Path, make_window: WindowMaker, answers: Answers, tmp_path: Path, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    source = files("rackloom_resources") / "examples" / "dgx-h100-4.rackloom"
    path = tmp_path / "mine.rackloom"
    path.write_bytes(source.read_bytes())
    _killed_program(state_folder, str(path))
    monkeypatch.setattr("rackloom_gui.saving.BIG_FILE_BYTES", 100)
    started = make_window()
    answers.recovery_answer = "later"
    assert started.session.open(path)
    qtbot.waitUntil(lambda: started.document.path == path)
    assert answers.asked == ["recover 1"]
    assert "renamed-twice" not in {d.name for d in started.document.design.devices.values()}
    assert started.document.is_clean


class Slow:
    """Reads great files when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = Event()
        monkeypatch.setattr("rackloom_gui.session.is_great", lambda *p: "great" in str(p[:1]))
        monkeypatch.setattr("rackloom_gui.session.load_warm", self._load)

    def _load(self, path: Path) -> Project:
        assert self.go.wait(30)
        return load(path)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    reader = Slow(monkeypatch)
    yield reader
    reader.go.set()


def _two_files(folder: Path) -> tuple[Path, Path]:
    source = files("rackloom_resources") / "examples" / "dgx-h100-4.rackloom"
    great, small = folder / "great.rackloom", folder / "small.rackloom"
    for path in (great, small):
        path.write_bytes(source.read_bytes())
    return great, small


def test_what_is_opened_last_stays_when_a_great_file_comes_late(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, slow: Slow
) -> None:
    """The great one came over the small one, and over all that was edited in it meanwhile."""
    great, small = _two_files(tmp_path)
    assert window.session.open(great)
    assert window.session.busy
    assert window.session.open(small)
    assert not window.session.busy
    assert not window.status.work.text
    window.document.do("Rename", edits.rename, device_named(window, "leaf-01"), "mine")
    slow.go.set()
    settle(window, qtbot)
    qtbot.wait(200)
    assert window.document.path == small
    assert device_named(window, "mine")
    assert window.session.open(great), "and it can be opened again"
    qtbot.waitUntil(lambda: window.document.path == great)


@pytest.mark.parametrize("answer", ["cancel", "discard"])
def test_what_was_done_while_a_great_file_is_read_is_asked_about(
    answer: str, window: MainWindow, qtbot: QtBot, tmp_path: Path, slow: Slow, answers: Answers
) -> None:
    great, small = _two_files(tmp_path)
    assert window.session.open(small)
    assert window.session.open(great)
    window.document.do("Rename", edits.rename, device_named(window, "leaf-01"), "mine")
    answers.unsaved_answer = answer
    slow.go.set()
    qtbot.waitUntil(lambda: answers.asked == ["unsaved small.rackloom"])
    qtbot.waitUntil(lambda: not window.session.busy)
    if answer == "discard":
        qtbot.waitUntil(lambda: window.document.path == great)
    else:
        assert window.document.path == small
        assert device_named(window, "mine")


def test_recovered_work_waits_until_it_is_saved(
    state_folder: Path, make_window: WindowMaker, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    started = make_window()
    started.session.open_example()
    settle(started, qtbot)
    path = tmp_path / "mine.rackloom"
    save(path, started.document.design)
    started.close()
    _killed_program(state_folder, str(path))
    again = make_window()
    again.settings.add_recent(path)
    answers.recovery_answer = "later"
    assert not again.session.offer_recovery()
    assert waiting_journals([path])
    answers.recovery_answer = "restore"
    assert again.session.offer_recovery()
    assert again.document.path == path
    assert list(tmp_path.glob(".*journal")), "kept until the save, should restoring crash"
    assert again.session.save()
    assert waiting_journals([path]) == []
    names = {d.name for d in load(path).design.devices.values()}
    assert "renamed-twice" in names


_RESTORED = """
import os, sys
from pathlib import Path
from threading import current_thread, main_thread
from rackloom_gui.app import make_application, make_window
from rackloom.design import edits
app = make_application(["rackloom"])
window = make_window(app)
window.show()
window.questions.recovered = lambda found: [(entry, "restore") for entry in found]
assert window.session.offer_recovery()
for name in sys.argv[1:]:
    leaf = next(d.id for d in window.document.design.devices.values() if d.name.startswith("ren"))
    window.document.do("Rename", edits.rename, leaf, name)
app.processEvents()
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("was_saved", "more"), [(False, []), (True, ["renamed-after-all"])])
def test_two_crashes_leave_one_journal_with_all_of_the_work(
    state_folder: Path, make_window: WindowMaker, answers: Answers, tmp_path: Path,
    was_saved: bool, more: list[str],
) -> None:  # fmt: skip
    """Restore, crash before anything is saved, restore, save: nothing older is offered again."""
    given: list[str] = []
    if was_saved:
        source = files("rackloom_resources") / "examples" / "dgx-h100-4.rackloom"
        (tmp_path / "mine.rackloom").write_bytes(source.read_bytes())
        given = [str(tmp_path / "mine.rackloom")]
    _killed_program(state_folder, *given)
    _killed_program(state_folder, *more, script=_RESTORED)
    (waiting,) = waiting_journals()
    steps = (not was_saved) + 2 + len(more)
    assert recover(waiting.journal).steps == steps
    again = make_window()
    answers.recovery_answer = "restore"
    assert again.session.offer_recovery()
    assert answers.asked == ["recover 1"]
    names = {d.name for d in again.document.design.devices.values()}
    assert (more or ["renamed-twice"])[-1] in names
    answers.save_path = tmp_path / "mine.rackloom"
    assert again.session.save()
    again.close()
    assert not list(tmp_path.rglob("*journal"))
    later = make_window()
    assert not later.session.offer_recovery()
    assert answers.asked.count("recover 1") == 1


def test_work_that_another_program_restored_meanwhile_is_left_to_it(
    state_folder: Path, make_window: WindowMaker, answers: Answers
) -> None:
    """Both offered it on their start; the second one to answer must not take or remove it."""
    _killed_program(state_folder)
    found = waiting_journals()
    journal = found[0].journal
    first = Journal.resume(recover(journal), journal)
    second = make_window()
    answers.recovery_answer = "restore"
    assert not second.session._restore(found[0], Recovery(
        None, second.document.design, (), 0.0, True, False, 0
    ))  # fmt: skip
    assert "another running Rackloom" in second.banner.text
    assert not second.document.design.devices
    discard(journal)
    assert journal.is_file()
    first.close()
    assert not journal.exists()


def test_two_programs_on_one_file_are_told_and_neither_loses_its_work(
    make_window: WindowMaker, answers: Answers, tmp_path: Path
) -> None:
    path = tmp_path / "shared.rackloom"
    source = files("rackloom_resources") / "examples" / "dgx-h100-4.rackloom"
    path.write_bytes(source.read_bytes())
    first, second, third = make_window(), make_window(), make_window()
    assert first.session.open(path)
    assert second.session.open(path)
    assert not second.banner.text, "nobody has changed anything yet"
    leaf, spine = device_named(first, "leaf-01"), device_named(first, "spine-01")
    first.document.do("Rename", edits.rename, leaf, "leaf-of-first")
    assert not first.banner.text
    second.document.do("Rename", edits.rename, spine, "spine-of-second")
    assert "shared.rackloom is being edited in another Rackloom too" in second.banner.text
    assert third.session.open(path)
    assert "another Rackloom" in third.banner.text
    assert first.session.save()
    assert not second.session.save(), "asked, and the answer was to cancel"
    assert answers.asked[-1] == "changed shared.rackloom"
    answers.disk_answer, answers.save_path = "save_as", tmp_path / "second.rackloom"
    assert second.session.save()
    assert b"leaf-of-first" in path.read_bytes()
    assert b"spine-of-second" in answers.save_path.read_bytes()
    assert first.document.is_clean
    assert second.document.is_clean


def test_discarded_work_is_gone(
    state_folder: Path, make_window: WindowMaker, answers: Answers
) -> None:
    _killed_program(state_folder)
    started = make_window()
    answers.recovery_answer = "discard"
    assert not started.session.offer_recovery()
    assert waiting_journals() == []
    assert not started.document.design.devices


_STARTED = """
import sys
from PySide6.QtCore import QTimer
from rackloom_gui import app as program
made = program.make_window
def make(app, settings=None):
    window = made(app, settings)
    def look():
        if not window.banner.text:
            QTimer.singleShot(100, look)
            return
        print(window.banner.text, len(window.document.design.devices), sep="|", flush=True)
        window.close()
    QTimer.singleShot(400, look)
    return window
program.make_window = make
sys.exit(program.main(["rackloom", *sys.argv[1:]]))
"""


@pytest.mark.parametrize("content", [None, b"not a design"])
def test_starting_with_a_bad_file_shows_a_window_that_says_so(
    tmp_path: Path, state_folder: Path, content: bytes | None
) -> None:
    path = tmp_path / "given.rackloom"
    if content is not None:
        path.write_bytes(content)
    env = dict(os.environ, RACKLOOM_STATE_DIR=str(state_folder), QT_QPA_PLATFORM="offscreen")
    done = subprocess.run(
        [sys.executable, "-c", _STARTED, str(path)],
        env=env, check=False, timeout=120, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said, _, devices = done.stdout.strip().rpartition("|")
    assert "given.rackloom" in said
    assert devices == "0"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("typed", "saved"),
    [
        ("hall", "hall.rackloom"),
        ("hall-2.5", "hall-2.5.rackloom"),
        ("hall.rackloom", "hall.rackloom"),
        ("Hall.RACKLOOM", "Hall.RACKLOOM"),
    ],
)
def test_a_saved_file_has_our_ending_whatever_dots_its_name_has(typed: str, saved: str) -> None:
    assert named_as_project(Path("/halls") / typed) == Path("/halls") / saved


def test_a_big_design_is_warm_when_it_comes(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Index, links and numbers are worked out where it was read, not in the window's thread; and
    the collector, which holds up every thread, has no rounds to make over it."""
    path = tmp_path / "big.rackloom"
    assert window.session.open_example()
    save(path, window.document.design)
    monkeypatch.setattr("rackloom_gui.saving.BIG_FILE_BYTES", 100)
    seen: list[set[str]] = []
    window.document.replaced.connect(lambda design: seen.append(set(vars(design))))
    gc.unfreeze()
    try:
        assert window.session.open(path)
        qtbot.waitUntil(lambda: bool(seen), timeout=10_000)
        assert {"index", "links", "next_number"} <= seen[0]
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
