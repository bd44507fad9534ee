# SPDX-License-Identifier: Apache-2.0
"""The Qt binding itself must be sound on this Python: see the note beside it in pyproject.toml."""

import sys

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication


def test_calls_that_return_nothing_do_not_use_up_none(qapp: QApplication) -> None:
    action = QAction("x")
    before = sys.getrefcount(None)
    for _ in range(1000):
        action.setToolTip("y")
    assert sys.getrefcount(None) > before - 500, "this PySide6 crashes this Python; use another"
