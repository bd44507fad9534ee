# SPDX-License-Identifier: Apache-2.0
"""What the program remembers of its user between two runs."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from rackloom_gui.theme import ThemeChoice

RECENT_FILES = 10
LAYOUT_VERSION = 2
"""Counts up when docks or tool bars change, so that an old layout is not forced on a new window."""


class Settings:
    """Typed access to the settings file; what cannot be read counts as never set."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Rackloom", "Rackloom"
        )

    def sync(self) -> None:
        """Write now."""
        self._store.sync()

    # The window

    @property
    def geometry(self) -> QByteArray:
        """Where the window stood; empty the first time."""
        return self._bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def layout(self) -> QByteArray:
        """Docks and tool bars; empty the first time."""
        return self._bytes("window/layout")

    @layout.setter
    def layout(self, value: QByteArray) -> None:
        self._store.setValue("window/layout", value)

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    @property
    def theme(self) -> ThemeChoice:
        """Light, dark or as the system."""
        text = str(self._store.value("view/theme", ThemeChoice.SYSTEM.value))
        return ThemeChoice(text) if text in set(ThemeChoice) else ThemeChoice.SYSTEM

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("view/theme", choice.value)

    @property
    def overview(self) -> bool:
        """Whether the corner of the drawing shows the whole of it."""
        return self._flag("view/overview")

    @overview.setter
    def overview(self, on: bool) -> None:
        self._store.setValue("view/overview", on)

    @property
    def cords(self) -> bool:
        """Whether the power cords of what is selected are drawn."""
        return self._flag("view/cords")

    @cords.setter
    def cords(self, on: bool) -> None:
        self._store.setValue("view/cords", on)

    @property
    def export_cords(self) -> bool:
        """Whether power cords are drawn in exported drawings."""
        return self._flag("export/cords", at_first=False)

    @export_cords.setter
    def export_cords(self, on: bool) -> None:
        self._store.setValue("export/cords", on)

    @property
    def export_colour(self) -> str:
        """What the colours of an exported cable schedule stand for, as `COLOURINGS` names it."""
        return str(self._store.value("export/colour", "cable"))

    @export_colour.setter
    def export_colour(self, by: str) -> None:
        self._store.setValue("export/colour", by)

    def _flag(self, key: str, *, at_first: bool = True) -> bool:
        """What was chosen last; a settings file holds words."""
        return str(self._store.value(key, at_first)).lower() not in {"false", "0"}

    # Files

    def recent(self) -> list[Path]:
        """Files opened or saved lately, newest first; some may be gone by now."""
        value = self._store.value("files/recent")
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list):
            return []
        return [Path(text) for text in texts if isinstance(text, str) and text][:RECENT_FILES]

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        path = path.absolute()
        rest = [p for p in self.recent() if p != path]
        self._set_recent([path, *rest][:RECENT_FILES])
        self.folder = path.parent

    def clear_recent(self) -> None:
        """Forget the recent files."""
        self._set_recent([])

    def _set_recent(self, paths: list[Path]) -> None:
        self._store.setValue("files/recent", [str(p) for p in paths])

    @property
    def folder(self) -> Path:
        """Where file dialogs open: the folder last used, else the home folder."""
        text = self._store.value("files/folder")
        folder = Path(text) if isinstance(text, str) and text else Path.home()
        return folder if folder.is_dir() else Path.home()

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._store.setValue("files/folder", str(folder))

    # The user

    @property
    def author(self) -> str:
        """Who accepts findings; empty if nobody said."""
        return str(self._store.value("user/author", "") or "")

    @author.setter
    def author(self, name: str) -> None:
        self._store.setValue("user/author", name)
