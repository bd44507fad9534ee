# SPDX-License-Identifier: Apache-2.0
"""The export menu: asks where, writes, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from rackloom.files.atomic import write_atomically
from rackloom.files.errors import FileError
from rackloom_gui.editing import sentence

if TYPE_CHECKING:
    from rackloom_gui.main_window import MainWindow


class Exporting(QObject):
    """Files for others: tables and drawings."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def _suggest(self, ending: str) -> Path:
        document = self._window.document
        folder = document.path.parent if document.path else self._window.settings.folder
        stem = document.path.stem if document.path else "fabric"
        return folder / f"{stem}{ending}"

    def ask(self, title: str, ending: str, filters: str) -> Path | None:
        """Where to write a file; None where nobody says."""
        ask: Callable[..., Path | None] = self._window.questions.path_to_export  # type: ignore[attr-defined]
        path = ask(title, self._suggest(ending), filters)
        # A name like "hall-2.5" or "drawing.csv" gets the ending that says what is in the file.
        if path is not None and f"*{path.suffix.lower()})" not in filters:
            path = path.with_name(f"{path.name}.{ending.rpartition('.')[2]}")
        return path

    def write(self, path: Path, make: Callable[[], Any]) -> None:
        """Make and write a file; a refusal is one sentence in the banner."""
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            made = make()
            if isinstance(made, bytes):
                write_atomically(path, [made])
        except FileError as error:
            self._window.banner.say("error", sentence(str(error)))
        except OSError as error:
            text = self.tr("{0} cannot be written: {1}").format(
                path, (error.strerror or "").lower()
            )
            self._window.banner.say("error", sentence(text))
        else:
            self._window.status.say(self.tr("Wrote {0}.").format(path))
        finally:
            QApplication.restoreOverrideCursor()

    def cables(self) -> None:
        """The cable schedule as CSV or XLSX."""
        from rackloom import reports

        path = self.ask(
            self.tr("Export Cable Schedule"), "-cables.csv",
            self.tr("CSV (*.csv);;Excel workbook (*.xlsx)"),
        )  # fmt: skip
        if path is not None:
            rows = reports.cable_schedule(self._window.document.design)
            self.write(path, lambda: table_bytes(rows, reports.CableRow, path, "Cables"))

    def drawing(self, kind: str) -> None:
        """The view on screen as SVG, PDF or PNG, the whole design."""
        from rackloom_gui.export import render

        window = self._window
        title = self.tr("Export Drawing as {0}").format(kind.upper())
        path = self.ask(title, f"-{window.canvas.view}.{kind}", f"{kind.upper()} (*.{kind})")
        if path is None:
            return
        side = window.canvas.side
        self.write(
            path,
            lambda: render(
                window.document.design,
                window.canvas.view,
                side.value if side is not None else "both",
                path,
                tokens=window.theme.tokens if kind == "png" else None,
            ),
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


def table_bytes(rows: Any, kind: Any, path: Path, title: str) -> bytes:
    """Rows as CSV, or as a workbook where the path asks for one."""
    from rackloom import reports

    if path.suffix.lower() == ".xlsx":
        return reports.xlsx_bytes(rows, kind, title)
    return reports.csv_bytes(rows, kind)
