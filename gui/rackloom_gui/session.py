# SPDX-License-Identifier: Apache-2.0
"""Opening, saving and closing the design of a window, and keeping its recovery journal."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from rackloom.design import Design, Step
from rackloom.files import (
    SUFFIX,
    FileError,
    Journal,
    Project,
    Recovery,
    WaitingJournal,
    discard,
    load,
    others_at_work,
    waiting_journals,
)
from rackloom_gui.document import Document
from rackloom_gui.editing import sentence
from rackloom_gui.jobs import LatestJob
from rackloom_gui.saving import (
    Outcome,
    Recovered,
    Saver,
    is_great,
    load_warm,
    recover_all,
    recover_warm,
)
from rackloom_gui.settings import Settings
from rackloom_gui.waiting import wait_cursor

EXAMPLE = "dgx-h100-4.rackloom"


class Questions(Protocol):
    """What a session asks its user."""

    def path_to_open(self, folder: Path) -> Path | None:
        """Which file; None: given up."""

    def path_to_save(self, suggestion: Path) -> Path | None:
        """Under which name; None: given up."""

    def unsaved(self, title: str) -> str:
        """``save``, ``discard`` or ``cancel``."""

    def changed_on_disk(self, title: str) -> str:
        """Somebody else wrote the file: ``overwrite``, ``save_as`` or ``cancel``."""

    def recovered(self, found: list[tuple[WaitingJournal, Recovery]]) -> list[tuple[Any, str]]:
        """For each of what was found ``restore``, ``discard`` or ``later``; one restore at most."""


class Session(QObject):
    """The life of the file behind a document."""

    banner = Signal(str, str)
    """(severity, sentence) to show above the drawing; an empty sentence hides what is there."""
    recent_changed = Signal()
    busy_changed = Signal(str)
    """What is going on that forbids edits, or an empty string."""
    working = Signal(str, str, float)
    """(which work, what is being done or "" when it is over, how much of it or -1 for unknown)"""

    def __init__(
        self,
        document: Document,
        settings: Settings,
        questions: Questions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._settings = settings
        self._questions = questions
        self._project: Project | None = None
        self._journal = Journal(None, document.design)
        self._saver = Saver(self)
        self._saver.progress.connect(self._on_progress)
        self._saving_to: Path | None = None
        self._since: list[Step] = []
        """Steps that were made while the file was being written."""
        self._save_again = False
        self._read_only = False
        self._busy = ""
        self._told_failure = self._told_others = False
        self._loader = LatestJob(self)
        self._loading: bool | None = None
        """Whether the file that is being read is to be remembered; None: none is being read."""
        self._left: Design | None = None
        """What somebody agreed to leave last."""
        self._loader.done.connect(self._on_loaded)
        self._loader.failed.connect(self._on_load_failed)
        self._recoverer = LatestJob(self)
        self._recovered_then: Callable[[bool], bool] = bool
        self._recoverer.done.connect(self._on_recovered)
        self._recoverer.failed.connect(self._on_recovery_failed)
        document.stepped.connect(self._on_step)

    # -- state ------------------------------------------------------------------------------------

    @property
    def busy(self) -> str:
        """What is going on that forbids edits."""
        return self._busy

    @property
    def read_only(self) -> bool:
        """Whether the design may be looked at only."""
        return self._read_only

    def _set_busy(self, text: str) -> None:
        if text != self._busy:
            self._busy = text
            self.busy_changed.emit(text)

    def _on_step(self, step: Step) -> None:
        if self._saver.active:
            self._since.append(step)
        self._journal.append(self._document.design, step)
        if not self._told_others:
            self._told_others = True
            self._tell_of_others()
        if self._journal.failure and not self._told_failure:
            self._told_failure = True
            self.banner.emit("warning", sentence(self._journal.failure))

    def _tell_of_others(self) -> None:
        """Say it where another running program has unsaved steps on our file."""
        path = self._project.path if self._project else None
        if path is not None and others_at_work(path, self._journal.path):
            text = self.tr(
                "{0} is being edited in another Rackloom too: whoever saves second is asked"
                " before anything is overwritten."
            )
            self.banner.emit("warning", text.format(path.name))

    def _follow(
        self, project: Project | None, design: Design, clean: bool, journal: Journal | None = None
    ) -> None:
        """Show a design, and journal it from now on, in a new journal or one that goes on."""
        self._stop_reading()
        self._journal.close()
        # A project without a file is none to the journal: it has to write all of it down.
        base = project if project and project.path else None
        self._journal = journal or Journal(base, design)
        self._told_failure = self._told_others = False
        self._project = project
        self._read_only = False
        self.banner.emit("", "")
        self._document.open_design(design, project.path if project else None, clean=clean)

    # -- new and open -----------------------------------------------------------------------------

    def may_leave(self) -> bool:
        """Ask about unsaved changes; False: the user wants to stay. What is being saved is waited
        for.
        """
        self._saver.wait()
        may = self._document.is_clean
        if not may:
            answer = self._questions.unsaved(self._document.title)
            may = answer == "discard"
            if answer == "save":
                begun = self.save()
                self._saver.wait()
                may = begun and self._document.is_clean
        self._left = self._document.design if may else None
        return may

    def _may_leave_still(self) -> bool:
        """As `may_leave`, after a while: asks only about what was done since."""
        self._saver.wait()
        return self._document.design is self._left or self.may_leave()

    def new_empty(self) -> bool:
        """Begin with nothing."""
        if not self.may_leave():
            return False
        self.begin_empty()
        return True

    def begin_empty(self) -> None:
        """Begin with nothing; what was open has been asked about."""
        self._follow(None, Design(), clean=True)

    def new_from(self, design: Design, step: Step) -> None:
        """Begin with a generated design; ``step`` leads to it from an empty one."""
        self._follow(None, design, clean=False)
        self._journal.close()
        self._journal = Journal(None, Design())
        self._journal.append(design, step)

    def open_dialog(self) -> bool:
        """Ask for a file and open it."""
        path = self._questions.path_to_open(self._settings.folder)
        return path is not None and self.open(path)

    def open(self, path: Path) -> bool:
        """Open a file, or say in the banner why not; the design on screen stays then."""
        if not self.may_leave():
            return False
        waiting = [w for w in waiting_journals([path]) if w.project and _same(w.project, path)]
        if not waiting:
            return self._load(path, remember=True)
        return self._offer(waiting, lambda restored: restored or self._load(path, remember=True))

    def open_example(self) -> bool:
        """Open the bundled example as a design of its own, to be saved elsewhere."""
        if not self.may_leave():
            return False
        source = files("rackloom_resources") / "examples" / EXAMPLE
        with as_file(source) as path:
            try:
                project = load(path)
            except FileError as error:
                self.banner.emit("error", sentence(str(error)))
                return False
        self._follow(Project(None, project.design, project.extras), project.design, clean=True)
        return True

    def _load(self, path: Path, *, remember: bool) -> bool:
        if is_great(path):
            self._loading = remember
            self._begin_reading(self.tr("{0} is being read.").format(path.name))
            self._loader.ask(lambda: load_warm(path))
            return True
        try:
            with wait_cursor():
                project = load(path)
        except FileError as error:
            self.banner.emit("error", sentence(str(error)))
            return False
        self._show(project, remember)
        return True

    def _begin_reading(self, text: str) -> None:
        self._set_busy(text)
        self.working.emit("load", text, -1.0)

    def _end_reading(self) -> None:
        self._set_busy("")
        self.working.emit("load", "", 1.0)

    def _stop_reading(self) -> None:
        """Something else is shown from now on: what was still being read is not wanted any more."""
        if self._loading is not None:
            self._loading = None
            self._loader.cancel()
            self._end_reading()

    def _on_loaded(self, project: Project) -> None:
        self._end_reading()
        remember, self._loading = self._loading, None
        if remember is not None and self._may_leave_still():
            self._show(project, remember)

    def _on_load_failed(self, error: Exception) -> None:
        self._end_reading()
        self._loading = None
        self.banner.emit("error", sentence(str(error)))
        if not isinstance(error, FileError):
            raise error

    def _show(self, project: Project, remember: bool) -> None:
        self._follow(project, project.design, clean=True)
        if project.path is not None:
            if remember:
                self._settings.add_recent(project.path)
                self.recent_changed.emit()
            if not _writable(project.path):
                self.banner.emit(
                    "info",
                    self.tr("{0} cannot be written; save it under another name.").format(
                        project.path.name
                    ),
                )
            self._tell_of_others()

    # -- save and close ---------------------------------------------------------------------------

    def save(self) -> bool:
        """Save to the file it came from, else ask where; True: it is saved, or being saved."""
        if self._saver.active:
            self._save_again = True  # with the steps that came since
            return True
        project = self._project
        if project is None or project.path is None:
            return self.save_as()
        return self._write(project.path, project)

    def save_as(self) -> bool:
        """Ask for a name and save."""
        here = self._document.path
        suggestion = here or self._settings.folder / f"{self._title_word()}{SUFFIX}"
        path = self._questions.path_to_save(suggestion)
        if path is None:
            return False
        self._saver.wait()
        return self._write(named_as_project(path), None)

    def _write(self, path: Path, known: Project | None) -> bool:
        """Save to a file; with ``known`` only if nobody else has written it since."""
        self._saving_to = path
        self._since.clear()
        extras = self._project.extras if self._project else None
        return self._saver.write(path, self._document.hold(), extras, known, self._on_written)

    def _on_progress(self, fraction: float) -> None:
        if self._saving_to is not None:
            text = self.tr("{0} is being saved.").format(self._saving_to.name)
            self.working.emit("save", text, fraction)

    def _on_written(self, outcome: Outcome) -> bool:
        """A file was written or not; False, with a sentence and nothing lost, where not."""
        path, self._saving_to = self._saving_to, None
        again, self._save_again = self._save_again, False
        self.working.emit("save", "", 1.0)
        if isinstance(outcome, FileError):
            self.banner.emit("error", sentence(str(outcome)))
            return False
        assert path is not None
        if outcome is None:
            answer = self._questions.changed_on_disk(path.name)
            if answer == "save_as":
                return self.save_as()
            return answer == "overwrite" and self._write(path, None)
        self._journal.saved(outcome, self._since)
        self._told_failure = self._told_others = False
        self._project = outcome
        self._document.held_saved_as(path)
        self._settings.add_recent(path)
        self.recent_changed.emit()
        self.banner.emit("", "")
        if again and not self._document.is_clean:
            return self.save()
        return True

    def _title_word(self) -> str:
        name = self._document.design.settings.project.strip()
        return "".join(c if c.isalnum() or c in " -_" else "-" for c in name) or "fabric"

    def close(self) -> bool:
        """Close the design, after asking; an empty one is there then."""
        return self.new_empty()

    def shut_down(self) -> None:
        """The window goes, and what was not saved was given up: no journal stays behind."""
        self._saver.wait()
        self._loader.wait()
        self._recoverer.wait()
        self._journal.close()

    # -- recovery ---------------------------------------------------------------------------------

    def offer_recovery(self, then: Callable[[bool], bool] = bool) -> bool:
        """On start: ask about what a crash left behind, and say whether something was restored.

        ``then`` is told the same: before this returns, or later where great journals have to be
        read; returns what ``then`` returned, or True where that is still to come.
        """
        return self._offer(waiting_journals(self._settings.recent()), then)

    def _offer(self, waiting: list[WaitingJournal], then: Callable[[bool], bool]) -> bool:
        if is_great(*(path for w in waiting for path in (w.journal, w.project))):
            self._recovered_then = then
            self._begin_reading(self.tr("Work that was not saved is being read."))
            self._recoverer.ask(lambda: recover_warm(waiting))
            return True
        return then(self._ask_about(recover_all(waiting)))

    def _on_recovered(self, recovered: Recovered) -> None:
        self._end_reading()
        self._recovered_then(self._ask_about(recovered))

    def _on_recovery_failed(self, error: Exception) -> None:
        self._end_reading()
        self._recovered_then(False)
        raise error

    def _ask_about(self, recovered: Recovered) -> bool:
        """Ask which of these to restore; whether one was."""
        found: list[tuple[WaitingJournal, Recovery]] = []
        for journal, recovery in recovered:
            if isinstance(recovery, FileError):
                self.banner.emit("warning", sentence(str(recovery)))
            elif recovery.already_saved:
                discard(journal.journal)
            else:
                found.append((journal, recovery))
        if not found:
            return False
        restored = False
        for (journal, recovery), answer in self._questions.recovered(found):
            if answer == "discard":
                discard(journal.journal)
            elif answer == "restore" and not restored:
                restored = self._restore(journal, recovery)
        return restored

    def _restore(self, waiting: WaitingJournal, recovery: Recovery) -> bool:
        """Show what was recovered, and go on in its journal; False where another program has it."""
        if not self._may_leave_still():
            return False
        try:
            journal = Journal.resume(recovery, waiting.journal)
        except FileError as error:
            self.banner.emit("warning", sentence(str(error)))
            return False
        self._follow(recovery.project, recovery.design, clean=False, journal=journal)
        text = self.tr("Restored {0} steps that were not saved. Save to keep them.")
        if not recovery.complete:
            text = self.tr(
                "Restored {0} steps; the recovery file was damaged after them. Save to keep them."
            )
        self.banner.emit("info", text.format(recovery.steps))
        return True


def named_as_project(path: Path) -> Path:
    """The path with our ending, whatever dots its name has (``hall-2.5``)."""
    return path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX)


def _same(a: Path, b: Path) -> bool:
    return Path(a).resolve() == Path(b).resolve()


def _writable(path: Path) -> bool:
    import os

    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
