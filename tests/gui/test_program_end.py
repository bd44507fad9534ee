# SPDX-License-Identifier: Apache-2.0
"""The whole program in a process of its own, down to its exit status: ending must not crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rackloom_resources

_EXAMPLE = Path(rackloom_resources.__file__).parent / "examples" / "dgx-h100-4.rackloom"
_LIFE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from rackloom_gui import app

make_window = app.make_window

def make_and_use(*arguments):
    window = make_window(*arguments)
    QTimer.singleShot(500, lambda: use(window))
    return window

def use(window):
    table = window.actions_table
    table.trigger("edit.select_all")
    window.refresh_actions()
    table.trigger(sys.argv[2])
    QApplication.processEvents()
    if window.analysis.up_to_date and QGuiApplication.clipboard().mimeData().formats():
        window.close()
    else:
        QTimer.singleShot(100, lambda: use(window))

app.make_window = make_and_use
sys.exit(app.main(sys.argv[:2]))
"""


@pytest.mark.parametrize("action", ["edit.copy", "edit.copy_picture"])
def test_the_program_ends_well_with_something_on_the_clipboard(action: str, tmp_path: Path) -> None:
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "RACKLOOM_STATE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        [sys.executable, "-c", _LIFE, str(_EXAMPLE), action],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
