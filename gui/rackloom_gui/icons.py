# SPDX-License-Identifier: Apache-2.0
"""Our own line icons, coloured from the theme when they are loaded.

The SVG files are drawn on a 24 x 24 grid with `currentColor`; here that becomes a token's
colour, and the result is kept by name, colour, size and device pixel ratio.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from rackloom_gui.theme import Theme, Tokens

ICON_SIZES = (16, 20, 24)
"""Logical sizes kept ready in every `QIcon`: menus and lists, tool bar, large buttons."""


@cache
def _folder() -> Traversable:
    """Where the icons are; finding that out takes longer than reading one."""
    return files("rackloom_resources") / "icons"


@cache
def icon_names() -> frozenset[str]:
    """Names of all icons that are shipped."""
    return frozenset(
        entry.name.removesuffix(".svg")
        for entry in _folder().iterdir()
        if entry.name.endswith(".svg") and entry.name != "rackloom.svg"
    )


@cache
def _source(name: str) -> str:
    if name not in icon_names():
        raise KeyError(f"no icon {name!r} in rackloom_resources/icons")
    return (_folder() / f"{name}.svg").read_text("utf-8")


def _renderer(name: str, color: QColor) -> QSvgRenderer:
    svg = _source(name).replace("currentColor", color.name())
    return QSvgRenderer(QByteArray(svg.encode()))


def _paint(renderer: QSvgRenderer, size: int, ratio: float) -> QPixmap:
    edge = max(1, round(size * ratio))
    pixmap = QPixmap(edge, edge)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, edge, edge))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def _tinted(pixmap: QPixmap, color: QColor) -> QPixmap:
    """The same drawing in another colour, much cheaper than drawing it again."""
    tinted = QPixmap(pixmap)
    painter = QPainter(tinted)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(tinted.rect(), QColor(color.name()))
    painter.end()
    return tinted


def render_icon(name: str, color: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """One icon as a pixmap of `size` logical pixels at a device pixel ratio, not cached."""
    return _paint(_renderer(name, color), size, ratio)


class Icons(QObject):
    """Icons in the colours of the theme; after `changed`, ask again for what is on screen."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tokens = theme.tokens
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, int, int, float], QPixmap] = {}
        theme.changed.connect(self._on_theme_changed)

    def icon(self, name: str, token: str = "text") -> QIcon:
        """The icon in a token's colour ("text", "error", "accent", ...), greyed when disabled."""
        known = self._icons.get((name, token))
        if known is not None:
            return known
        icon = QIcon()
        renderer = _renderer(name, getattr(self._tokens, token))
        for ratio in _ratios():
            for size in ICON_SIZES:
                drawn = _paint(renderer, size, ratio)
                icon.addPixmap(drawn, QIcon.Mode.Normal)
                icon.addPixmap(_tinted(drawn, self._tokens.text_disabled), QIcon.Mode.Disabled)
                icon.addPixmap(_tinted(drawn, self._tokens.selected_text), QIcon.Mode.Selected)
        self._icons[name, token] = icon
        return icon

    def pixmap(self, name: str, color: QColor, size: int, ratio: float = 1.0) -> QPixmap:
        """The icon as a pixmap of `size` logical pixels in any colour."""
        key = (name, color.rgba(), size, ratio)
        known = self._pixmaps.get(key)
        if known is None:
            known = self._pixmaps[key] = render_icon(name, color, size, ratio)
        return known

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._icons.clear()
        self._pixmaps.clear()
        self.changed.emit()


def _ratios() -> list[float]:
    """The device pixel ratios of all screens, so that no icon is ever scaled."""
    return sorted({screen.devicePixelRatio() for screen in QGuiApplication.screens()} | {1.0})


def window_icon() -> QIcon:
    """The program's own icon, at the sizes desktops ask for."""
    data = (_folder() / "rackloom.svg").read_bytes()
    renderer = QSvgRenderer(QByteArray(data))
    icon = QIcon()
    for edge in (16, 32, 48, 128):
        pixmap = QPixmap(edge, edge)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, edge, edge))
        painter.end()
        icon.addPixmap(pixmap)
    return icon
