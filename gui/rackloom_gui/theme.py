# SPDX-License-Identifier: Apache-2.0
"""Light and dark look on Qt's Fusion style: palette, a small style sheet, and who is told.

The choice is: the user's setting, else what the platform says, else how light the palette
was that the program started with (X11 without a portal says nothing).
"""

from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from rackloom_gui.style_sheet import style_sheet_of
from rackloom_gui.tokens import DARK, LIGHT, DeviceColour, Tokens, contrast, mix

__all__ = [
    "DARK",
    "LIGHT",
    "DeviceColour",
    "Theme",
    "ThemeChoice",
    "Tokens",
    "apply_theme",
    "contrast",
    "mix",
    "palette_of",
    "resolve_dark",
]


class ThemeChoice(StrEnum):
    """What the user asked for in the settings."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def resolve_dark(choice: ThemeChoice, scheme: Qt.ColorScheme, start_palette: QPalette) -> bool:
    """Whether to be dark: setting, else platform, else the palette the program began with."""
    if choice is not ThemeChoice.SYSTEM:
        return choice is ThemeChoice.DARK
    if scheme != Qt.ColorScheme.Unknown:
        return scheme == Qt.ColorScheme.Dark
    window = start_palette.color(QPalette.ColorRole.Window)
    return window.lightness() < start_palette.color(QPalette.ColorRole.WindowText).lightness()


def palette_of(tokens: Tokens) -> QPalette:
    """The whole Fusion palette of a theme, with its disabled and inactive states."""
    role = QPalette.ColorRole
    group = QPalette.ColorGroup
    palette = QPalette(tokens.raised, tokens.surface)
    colours = {
        role.Window: tokens.surface,
        role.WindowText: tokens.text,
        role.Base: tokens.base,
        role.AlternateBase: tokens.base_alternate,
        role.Text: tokens.text,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.error_text,
        role.PlaceholderText: tokens.text_muted,
        role.Highlight: tokens.selected,
        role.HighlightedText: tokens.selected_text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: mix(tokens.accent, tokens.text_muted, 0.5),
        role.ToolTipBase: tokens.tooltip,
        role.ToolTipText: tokens.tooltip_text,
        role.Light: mix(tokens.raised, QColor("white"), 0.06 if tokens.dark else 0.8),
        role.Midlight: mix(tokens.raised, tokens.border, 0.3),
        role.Mid: tokens.border,
        role.Dark: tokens.border_strong,
        role.Shadow: QColor("#0a0b0c") if tokens.dark else tokens.border_strong,
    }
    for colour_role, colour in colours.items():
        palette.setColor(colour_role, colour)
    for colour_role in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText):
        palette.setColor(group.Disabled, colour_role, tokens.text_disabled)
    palette.setColor(group.Disabled, role.Base, tokens.surface)
    palette.setColor(group.Disabled, role.Highlight, tokens.border)
    palette.setColor(group.Disabled, role.HighlightedText, tokens.text_disabled)
    return palette


class Theme(QObject):
    """The look of the running program; `changed` carries the new `Tokens`."""

    changed = Signal(object)

    def __init__(self, app: QApplication, choice: ThemeChoice = ThemeChoice.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self._choice = choice
        self._start_palette = QPalette(app.palette())
        self._tokens = LIGHT
        self._applying = False
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        self._apply()

    @property
    def tokens(self) -> Tokens:
        """The colours in force."""
        return self._tokens

    @property
    def choice(self) -> ThemeChoice:
        """What was asked for, which may be "as the system"."""
        return self._choice

    def set_choice(self, choice: ThemeChoice) -> None:
        """Ask for light, dark or the system's; takes effect at once."""
        self._choice = ThemeChoice(choice)
        self._apply()

    def _on_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        if not self._applying:
            self._apply()

    def _apply(self) -> None:
        self._applying = True
        try:
            hints = QGuiApplication.styleHints()
            # Native title bars follow this where the platform can do it.
            asked = {
                ThemeChoice.SYSTEM: Qt.ColorScheme.Unknown,
                ThemeChoice.LIGHT: Qt.ColorScheme.Light,
                ThemeChoice.DARK: Qt.ColorScheme.Dark,
            }[self._choice]
            hints.setColorScheme(asked)
            dark = resolve_dark(self._choice, hints.colorScheme(), self._start_palette)
            self._tokens = DARK if dark else LIGHT
            self._app.setPalette(palette_of(self._tokens))
            self._app.setStyleSheet(style_sheet_of(self._tokens))
        finally:
            self._applying = False
        self.changed.emit(self._tokens)


def apply_theme(app: QApplication, choice: ThemeChoice = ThemeChoice.SYSTEM) -> Theme:
    """Dress the application; a second call changes the theme that is already on it."""
    theme = app.findChild(Theme)
    if theme is None:
        return Theme(app, choice)
    theme.set_choice(choice)
    return theme
