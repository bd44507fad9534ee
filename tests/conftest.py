# SPDX-License-Identifier: Apache-2.0
"""What every test run has in common: a home of its own, and a display or a reason why not.

Nothing here imports Qt: tests/core also runs in an environment that has none.
"""

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

# Settings, state and recovery files go to a directory that is thrown away afterwards. This must
# happen before anything asks Qt or platformdirs where to write, hence at import and not in a
# fixture. Child processes inherit it. (QStandardPaths' own test mode would be worse on Linux: it
# ignores these variables and writes to ~/.qttest.)
_HOME = Path(tempfile.mkdtemp(prefix="rackloom-tests-"))
for _variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
    os.environ[_variable] = str(_HOME / _variable.removeprefix("XDG_").lower())
    Path(os.environ[_variable]).mkdir()
if "XDG_RUNTIME_DIR" not in os.environ:  # Qt warns without it, and warnings fail tests
    os.environ["XDG_RUNTIME_DIR"] = str(_HOME / "runtime")
    Path(os.environ["XDG_RUNTIME_DIR"]).mkdir(mode=0o700)

# Times are for tests/benchmarks; a slow machine is not a wrong program.
hypothesis.settings.register_profile("rackloom", deadline=None, print_blob=True)
hypothesis.settings.load_profile("rackloom")

_HAS_PYTEST_QT = importlib.util.find_spec("pytestqt") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let pyproject.toml's settings for pytest-qt stand where pytest-qt is not installed."""
    if not _HAS_PYTEST_QT:
        for name in ("qt_api", "qt_log_level_fail"):
            parser.addini(name, "belongs to pytest-qt, which is not installed here")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the Qt platform: offscreen, or the X display when only xvfb tests are asked for."""
    wants_display = config.option.markexpr == "xvfb" and "DISPLAY" in os.environ
    os.environ.setdefault("QT_QPA_PLATFORM", "xcb" if wants_display else "offscreen")
    if sys.platform != "linux" and _HAS_PYTEST_QT:  # the XDG variables mean nothing there
        from PySide6.QtCore import QStandardPaths

        QStandardPaths.setTestModeEnabled(True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a real window where there is none, and say how to get one."""
    if "DISPLAY" in os.environ and os.environ["QT_QPA_PLATFORM"] == "xcb":
        return
    reason = (
        "needs an X display: make test runs it, or"
        " xvfb-run -a -s '-screen 0 1920x1200x24' pytest -m xvfb"
    )
    for item in items:
        if item.get_closest_marker("xvfb"):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_unconfigure() -> None:
    """Remove the throw-away home."""
    shutil.rmtree(_HOME, ignore_errors=True)
