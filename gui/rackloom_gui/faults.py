# SPDX-License-Identifier: Apache-2.0
"""Unexpected errors: one sentence for the user, the details in a log file, and the work goes on."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from rackloom.files.state import journal_folder

LOG_BYTES = 1_000_000
_log = logging.getLogger("rackloom")

Say = Callable[[str, str], None]


def log_path() -> Path:
    """The log of this user, beside the recovery journals."""
    return journal_folder().parent / "rackloom.log"


class Faults(QObject):
    """Catches what nobody caught, on any thread, and tells it in the window."""

    _caught = Signal(str, str)
    """(one sentence, details); queued to the window's thread."""

    def __init__(self, say: Say, path: Path | None = None) -> None:
        super().__init__()
        self._say = say
        self.path = path or log_path()
        self._handler: logging.Handler | None = None
        self._before: Any = None
        self._caught.connect(self._tell)

    def install(self) -> None:
        """Catch from now on."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._handler = RotatingFileHandler(
                self.path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
            )
        except OSError:
            self._handler = logging.StreamHandler()
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        _log.addHandler(self._handler)
        _log.propagate = False
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook
        self._before = qInstallMessageHandler(self._qt_message)

    def uninstall(self) -> None:
        """Let go of the hooks again."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        qInstallMessageHandler(self._before)
        if self._handler is not None:
            _log.removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def report(self, error: BaseException) -> None:
        """Tell and log an exception that was caught somewhere else."""
        self._hook(type(error), error, error.__traceback__)

    def _hook(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        self._caught.emit(f"{kind.__name__}: {error}" if str(error) else kind.__name__, details)

    def _thread_hook(self, hook: threading.ExceptHookArgs) -> None:
        if hook.exc_value is not None:
            self._hook(hook.exc_type, hook.exc_value, hook.exc_traceback)

    def _tell(self, short: str, details: str) -> None:
        _log.error("%s", details.rstrip())
        text = self.tr(
            "Something unexpected went wrong ({0}). Your design is as before; details are in {1}."
        ).format(short[:200], self.path)
        self._say("error", text)

    def _qt_message(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        levels = {
            QtMsgType.QtDebugMsg: logging.DEBUG,
            QtMsgType.QtInfoMsg: logging.INFO,
            QtMsgType.QtWarningMsg: logging.WARNING,
        }
        _log.log(levels.get(kind, logging.ERROR), "Qt: %s", text)
