# SPDX-License-Identifier: Apache-2.0
"""Starting the program: application, theme, window, and what happens to unexpected errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from rackloom.bulk import many_objects
from rackloom_gui.icons import window_icon
from rackloom_gui.settings import Settings
from rackloom_gui.theme import apply_theme

if TYPE_CHECKING:
    from rackloom_gui.main_window import MainWindow

APP_ID = "rackloom"


SWITCH_S = 0.001
"""How long a worker may keep Python from the window's thread, which asks for it at every event:
with Python's own 5 ms, 40 ms of work in the window last half a second beside an estimate."""


def make_application(argv: Sequence[str]) -> QApplication:
    """The one QApplication, named so that desktops find our icon and window."""
    sys.setswitchinterval(SWITCH_S)
    known = QApplication.instance()
    if isinstance(known, QApplication):
        return known
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    app = QApplication(list(argv))
    QCoreApplication.setApplicationName("Rackloom")
    QCoreApplication.setOrganizationName("Rackloom")
    QGuiApplication.setDesktopFileName(APP_ID)
    app.setWindowIcon(window_icon())
    return app


def make_window(app: QApplication, settings: Settings | None = None) -> MainWindow:
    """A main window with the bundled catalogue and the user's own parts."""
    with many_objects():  # modules, widgets and parts stay: there is nothing to collect
        from rackloom.catalog import load_catalog
        from rackloom_gui.main_window import MainWindow

        settings = settings or Settings()
        theme = apply_theme(app, settings.theme)
        return MainWindow(theme, load_catalog(), settings)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the editor, on the first argument if there is one; returns the exit status."""
    arguments = list(sys.argv if argv is None else argv)
    app = make_application(arguments)
    window = make_window(app)
    from rackloom_gui import clipboard
    from rackloom_gui.faults import Faults

    faults = Faults(window.banner.say)
    faults.install()
    window.analysis.fault.connect(faults.report)
    window.show()
    name = next((a for a in arguments[1:] if not a.startswith("-")), None)

    def after_recovery(restored: bool) -> bool:
        if name is None:
            return restored
        if restored:
            text = QCoreApplication.translate(
                "Session",
                "{0} was not opened, since unsaved work was restored; open it when you are done.",
            )
            window.banner.say("info", text.format(Path(name).name))
            return True
        return window.session.open(Path(name))

    QTimer.singleShot(0, window, lambda: window.session.offer_recovery(after_recovery))
    try:
        return app.exec()
    finally:
        clipboard.leave()
        faults.uninstall()
