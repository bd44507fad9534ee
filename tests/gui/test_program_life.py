# SPDX-License-Identifier: Apache-2.0
"""A whole life of the program in a process of its own, ended while everything is at work."""

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

_LIFE = """
import sys, traceback
from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QApplication, QDialog
from tests.gui.canvas_help import drag, middle
from rackloom_gui import app

make_window = app.make_window
seen = set()

def make_and_use(*arguments):
    window = make_window(*arguments)
    window.questions.unsaved = lambda title: "discard"
    QTimer.singleShot(500, lambda: use(window))
    return window

def put_away():
    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QDialog):
        seen.add(type(dialog).__name__)
        dialog.reject()
    else:
        QTimer.singleShot(50, put_away)

def do(window, *actions):
    for action in actions:
        window.refresh_actions()
        assert window.actions_table.action(action).isEnabled(), action
        window.actions_table.trigger(action)
        QApplication.processEvents()

def use(window):
    try:
        work(window)
    except BaseException:
        traceback.print_exc()
    window.close()

def work(window):
    do(window, "edit.select_all", "edit.copy_picture", "edit.copy", "help.contents")
    for action in ("help.shortcuts", "help.about", "edit.settings", "export.labels", "parts.new"):
        QTimer.singleShot(50, put_away)
        do(window, action)
    do(window, "parts.browse", "help.palette", "view.both", "view.fabric", "view.floor")
    floor, racks = window.canvas.floor, window.document.design.racks
    start = middle(floor, next(iter(racks)))
    drag(floor, start, start + QPointF(0, 7000))
    do(window, "edit.undo", "edit.redo", "edit.paste")
    for panel in ("failures", "workload", "power", "bom", "chart"):
        window.show_panel(panel)
    window.failures.run_button.click()
    print(len(seen), len(window.document.design.rows), len(window.document.design.racks))

app.make_window = make_and_use
sys.exit(app.main(sys.argv))
"""


def test_the_program_ends_well_while_everything_is_at_work(tmp_path: Path) -> None:
    """Copied, dragged, dialogs seen, help and browser open, charts and sweeps running: close."""
    example = files("rackloom_resources") / "examples" / "dgx-h100-4.rackloom"
    design = tmp_path / "hall.rackloom"
    design.write_bytes(example.read_bytes())
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "RACKLOOM_STATE_DIR": str(tmp_path / "state"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", _LIFE, str(design)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["5", "1", "4"]
    assert design.read_bytes() == example.read_bytes()
    assert not list(tmp_path.rglob("*journal"))
