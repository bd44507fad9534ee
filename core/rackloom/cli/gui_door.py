# SPDX-License-Identifier: Apache-2.0
"""The only door from the library to the window: opened by the commands that draw.

Nothing on the other side is imported before one of these functions is called.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rackloom.bulk import many_objects
from rackloom.cli.errors import CommandError
from rackloom.design import Design

if TYPE_CHECKING:
    from rackloom.reports.labels import Label, LabelSheet


def open_editor(arguments: Sequence[str]) -> int:
    """Run the editor on the given files; returns its exit status."""
    _need_qt("the editor")
    _need_display()
    with many_objects():  # a hundred modules of Qt, numpy and ours, and no garbage
        from rackloom_gui.app import main

    return int(main(["rackloom", *arguments]))


def render(design: Design, view: str, side: str, path: Path, *, cords: bool = False) -> None:
    """Draw a view of a design into an SVG, PDF or PNG file; of racks with power cords if asked."""
    _need_qt("drawing")
    from rackloom_gui.export import render as draw

    draw(design, view, side, path, cords=cords)


def label_sheet(labels: Sequence[Label], sheet: LabelSheet, title: str, skip: int) -> bytes:
    """Cable labels as a PDF to print."""
    _need_qt("drawing labels")
    from rackloom_gui.export import label_sheet_pdf

    return label_sheet_pdf(labels, sheet, title=title, skip=skip)


def _need_display() -> None:
    """Without a display Qt would abort the whole process."""
    if not sys.platform.startswith("linux"):
        return
    if not any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        raise CommandError(
            "there is no display to open the editor on; the commands do without one "
            "(see rackloom --help)"
        )


def _need_qt(what: str) -> None:
    for module in ("PySide6", "rackloom_gui"):
        if importlib.util.find_spec(module) is None:
            raise CommandError(
                f"{what} needs PySide6, which is not installed: pip install 'rackloom[gui]'"
            )
