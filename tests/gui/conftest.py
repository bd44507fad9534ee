# SPDX-License-Identifier: Apache-2.0
"""GUI tests: settings of their own for each test, one language, and the theme to draw with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import (  # noqa: F401  # fixtures for all tests of this folder
    answers,
    example,
    make_window,
    state_folder,
    window,
)

from rackloom_gui import clipboard
from rackloom_gui.icons import Icons
from rackloom_gui.theme import Theme, ThemeChoice, apply_theme

# The offscreen plugin says this about itself; it is nothing our code did wrong.
_PLUGIN_TALK = r"This plugin (does not support|supports) .*"


_PATIENCE_MS = 30_000
"""A slow machine, or one that runs other tests beside, is not a wrong program."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("qt_log_ignore", _PLUGIN_TALK)
    for wait in (QtBot.waitUntil, QtBot.waitSignal):
        defaults = wait.__kwdefaults__
        assert defaults is not None
        assert "timeout" in defaults
        defaults["timeout"] = _PATIENCE_MS


@pytest.fixture(autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test sees the settings that another one wrote."""
    folder = tmp_path_factory.mktemp("settings")
    before = QSettings.defaultFormat()
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        QSettings.setPath(QSettings.Format.IniFormat, scope, str(folder))
    yield folder
    QSettings.setDefaultFormat(before)


@pytest.fixture(autouse=True, scope="session")
def left_clipboard(qapp: QApplication) -> Iterator[None]:
    """As the program does when it ends."""
    del qapp
    yield
    clipboard.leave()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Numbers and keys are written the same on every machine."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The light theme on the application."""
    return apply_theme(qapp, ThemeChoice.LIGHT)


@pytest.fixture
def icons(theme: Theme) -> Icons:
    """Icons in that theme's colours."""
    return Icons(theme)
