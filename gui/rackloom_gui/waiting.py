# SPDX-License-Identifier: Apache-2.0
"""The pointer that says: a moment, please."""

import contextlib
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication


@contextlib.contextmanager
def wait_cursor() -> Iterator[None]:
    """Show that the program is at work, for something too short to show more."""
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QApplication.restoreOverrideCursor()
