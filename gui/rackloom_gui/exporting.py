# SPDX-License-Identifier: Apache-2.0
"""The export menu: asks where, writes, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from rackloom.files.atomic import write_atomically
from rackloom.files.errors import FileError
from rackloom.files.project import entity_count
from rackloom_gui.editing import sentence
from rackloom_gui.jobs import Errands
from rackloom_gui.saving import AT_ONCE
from rackloom_gui.waiting import wait_cursor

if TYPE_CHECKING:
    from rackloom.reports.colouring import ColourBy
    from rackloom_gui.main_window import MainWindow


class Exporting(QObject):
    """Files for others: tables and drawings."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._errands = Errands(self)

    def _suggest(self, ending: str) -> Path:
        document = self._window.document
        folder = document.path.parent if document.path else self._window.settings.folder
        stem = document.path.stem if document.path else "fabric"
        return folder / f"{stem}{ending}"

    def ask(self, title: str, ending: str, filters: str) -> Path | None:
        """Where to write a file; None where nobody says."""
        ask: Callable[..., Path | None] = self._window.questions.path_to_export  # type: ignore[attr-defined]
        path = ask(title, self._suggest(ending), filters)
        return None if path is None else _with_ending(path, ending, filters)

    def _ask_for_racks(self, title: str, ending: str, filters: str) -> tuple[Path, bool] | None:
        """Where to write a drawing of racks, and whether with power cords."""
        settings = self._window.settings
        ask: Callable[..., tuple[Path, bool] | None] = self._window.questions.drawing_to_export  # type: ignore[attr-defined]
        answer = ask(title, self._suggest(ending), filters, settings.export_cords)
        if answer is None:
            return None
        path, settings.export_cords = answer
        return _with_ending(path, ending, filters), answer[1]

    def write(self, path: Path, make: Callable[[], Any], *, slow: bool = False) -> None:
        """Make and write a file; a refusal is one sentence in the banner.

        ``make`` returns the bytes, or writes them itself. For a great design, or where it is
        ``slow``, it runs in a thread while the work goes on: it may use what does not change, and
        no widget.
        """
        work = partial(_make_and_write, path, make)
        if not slow and entity_count(self._window.document.design) <= AT_ONCE:
            with wait_cursor():
                outcome = _outcome(work)
            self._on_written(path, outcome)
            return
        text = self.tr("{0} is being written.").format(path.name)
        self._window.status.set_work(str(path), text, -1.0)
        self._errands.run(work, partial(self._on_written, path))

    def _on_written(self, path: Path, outcome: Exception | None) -> None:
        window = self._window
        window.status.set_work(str(path), "", 1.0)
        if outcome is None:
            window.status.say(self.tr("Wrote {0}.").format(path))
        elif isinstance(outcome, FileError):
            window.banner.say("error", sentence(str(outcome)))
        elif isinstance(outcome, OSError):
            text = self.tr("{0} cannot be written: {1}").format(
                path, (outcome.strerror or "").lower()
            )
            window.banner.say("error", sentence(text))
        else:
            raise outcome

    def wait(self) -> None:
        """Return when every file is written."""
        self._errands.wait()

    def cables(self) -> None:
        """The cable schedule as CSV or XLSX, its colours as one likes."""
        from rackloom import reports

        settings, ending = self._window.settings, "-cables.csv"
        filters = self.tr("CSV (*.csv);;Excel workbook (*.xlsx)")
        ask: Callable[..., tuple[Path, ColourBy] | None] = self._window.questions.schedule_to_export  # type: ignore[attr-defined]
        title = self.tr("Export Cable Schedule")
        answer = ask(title, self._suggest(ending), filters, settings.export_colour)
        if answer is None:
            return
        path, colour = _with_ending(answer[0], ending, filters), answer[1]
        settings.export_colour = colour
        design = self._window.document.design
        self.write(
            path,
            lambda: table_bytes(
                reports.cable_schedule(design, colour=colour), reports.CableRow, path, "Cables"
            ),
        )

    def drawing(self, kind: str) -> None:
        """The view on screen as SVG, PDF or PNG, the whole design; what was written is kept."""
        from rackloom_gui.export import render

        window = self._window
        window.canvas.finish_note()
        title = self.tr("Export Drawing as {0}").format(kind.upper())
        ending, filters = f"-{window.canvas.view}.{kind}", f"{kind.upper()} (*.{kind})"
        cords, path = False, None
        if window.canvas.view == "racks":
            path, cords = self._ask_for_racks(title, ending, filters) or (None, False)
        else:
            path = self.ask(title, ending, filters)
        if path is None:
            return
        side = window.canvas.side
        self.write(
            path,
            partial(
                render,
                window.document.design,
                window.canvas.view,
                side.value if side is not None else "both",
                path,
                tokens=window.theme.tokens if kind == "png" else None,
                cords=cords,
            ),
            slow=kind == "png",  # a hundred million dots take seconds, however little is drawn
        )

    def copy_picture(self) -> None:
        """The selection as SVG, PNG and text on the clipboard at once."""
        from rackloom_gui.export.picture import picture_mime

        window = self._window
        mime = picture_mime(
            window.document.design,
            window.document.selection,
            window.canvas.side,
            window.theme.tokens,
        )
        if mime is None:
            window.status.say(self.tr("Select racks or devices to copy a picture of them."))
            return
        QApplication.clipboard().setMimeData(mime)
        window.status.say(self.tr("Copied as picture."))


def _with_ending(path: Path, ending: str, filters: str) -> Path:
    """A name like "hall-2.5" or "drawing.csv" gets the ending that says what is in the file."""
    if f"*{path.suffix.lower()})" in filters:
        return path
    return path.with_name(f"{path.name}.{ending.rpartition('.')[2]}")


def _make_and_write(path: Path, make: Callable[[], Any]) -> None:
    made = make()
    if isinstance(made, bytes):
        write_atomically(path, [made])


def _outcome(work: Callable[[], None]) -> Exception | None:
    """None if it was done, else why not; what nobody expected is raised."""
    try:
        work()
    except (FileError, OSError) as error:
        return error
    return None


def table_bytes(rows: Any, kind: Any, path: Path, title: str) -> bytes:
    """Rows as CSV, or as a workbook where the path asks for one."""
    from rackloom import reports

    if path.suffix.lower() == ".xlsx":
        return reports.xlsx_bytes(rows, kind, title)
    return reports.csv_bytes(rows, kind)
