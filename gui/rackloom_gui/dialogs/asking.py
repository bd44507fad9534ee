# SPDX-License-Identifier: Apache-2.0
"""Running a dialog, and letting it go afterwards."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog


def run(dialog: QDialog) -> int:
    """Run a dialog; what its ``exec`` returns. Its fields can be read until the caller returns.

    A dialog with a parent lives as long as that: a hundred of them would stay with the window, and
    with them every design they showed.
    """
    try:
        return dialog.exec()
    finally:
        dialog.deleteLater()


def ask(dialog: QDialog) -> bool:
    """As `run`; whether the dialog was accepted."""
    return run(dialog) == QDialog.DialogCode.Accepted
