# SPDX-License-Identifier: Apache-2.0
"""Drawing needs a Qt application; a command line has none, and often no display either."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication, QPaintDevice, QPainter
from PySide6.QtWidgets import QApplication

_own: list[QCoreApplication] = []


def need_application() -> QGuiApplication:
    """The running application, else one without windows that needs no display."""
    app = QCoreApplication.instance()
    if app is None:
        before = os.environ.get("QT_QPA_PLATFORM")
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        try:
            app = QApplication(["rackloom"])
        finally:
            if before is None:
                del os.environ["QT_QPA_PLATFORM"]
            else:
                os.environ["QT_QPA_PLATFORM"] = before
        _own.append(app)  # Qt wants it to outlive everything it drew
    if not isinstance(app, QGuiApplication):
        raise RuntimeError("drawing needs a QGuiApplication, but another kind is running")
    return app


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter that ends with the block, however: a device that goes before it crashes Qt."""
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()
