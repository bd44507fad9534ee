# SPDX-License-Identifier: Apache-2.0
"""Every icon is there, drawn, inside its box, and takes the theme's colour."""

import re
from importlib.resources import files
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from rackloom_gui.action_layout import MENUS
from rackloom_gui.action_list import ACTIONS, PANELS
from rackloom_gui.icons import Icons, icon_names, render_icon
from rackloom_gui.theme import Theme, ThemeChoice
from rackloom_gui.tokens import DARK

ASKED_FOR = {
    "select", "hand", "cable", "connect", "rack-add", "server", "switch", "pdu", "undo", "redo",
    "save", "open", "new", "export", "zoom-in", "zoom-out", "zoom-fit", "front", "rear", "fabric",
    "floor", "error", "warning", "info", "ok", "search", "settings", "history", "chart", "copy",
    "paste", "delete", "unplug", "lock", "eye", "play", "help", "bom", "table", "theme-light",
    "theme-dark",
}  # fmt: skip


def pixels(pixmap: QPixmap) -> np.ndarray:
    image = pixmap.toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()].copy()


def test_all_that_is_used_is_there() -> None:
    used = {spec.icon for spec in ACTIONS if spec.icon} | {icon for _n, _t, icon in PANELS}
    used |= {menu.icon for menu in MENUS if menu.icon}
    assert (used | ASKED_FOR) - icon_names() == set()


@pytest.mark.parametrize("name", sorted(icon_names()))
def test_an_icon_is_a_stroke_drawing_inside_its_grid(qapp: QApplication, name: str) -> None:
    source = (files("rackloom_resources") / "icons" / f"{name}.svg").read_text("utf-8")
    root = fromstring(source)
    assert root.get("viewBox") == "0 0 24 24"
    assert root.get("stroke") == "currentColor"
    assert not re.search(r"#[0-9a-f]{3}|<style|<text|<image", source)
    alpha = pixels(render_icon(name, QColor("#123456"), 24, 2.0))[..., 3]
    assert (alpha > 200).sum() > 40, "nothing to see"
    edge = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    assert edge.max() < 200, "cut off at the edge"


def test_colour_and_size_are_those_asked_for(qapp: QApplication) -> None:
    pixmap = render_icon("close", QColor("#d55e00"), 20, 2.0)
    assert pixmap.width() == 40
    assert pixmap.devicePixelRatio() == 2.0
    drawn = pixels(pixmap)
    solid = drawn[drawn[..., 3] == 255]
    assert len(solid) > 0
    assert (solid[:, :3] == [0xD5, 0x5E, 0x00]).all()


def test_icons_follow_the_theme_and_grey_when_disabled(
    theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    def colour(icon: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> tuple[int, ...]:
        drawn = pixels(icon.pixmap(QSize(24, 24), mode))
        return tuple(drawn[drawn[..., 3] == 255][0, :3].tolist())

    before = icons.icon("save")
    assert icons.icon("save").cacheKey() == before.cacheKey()
    assert colour(before, QIcon.Mode.Disabled) != colour(before)
    with qtbot.waitSignal(icons.changed):
        theme.set_choice(ThemeChoice.DARK)
    after = icons.icon("save")
    text = DARK.text
    assert colour(after) == (text.red(), text.green(), text.blue())
    assert colour(after) != colour(before)


def test_an_unknown_icon_is_named(qapp: QApplication) -> None:
    with pytest.raises(KeyError, match="no-such-thing"):
        render_icon("no-such-thing", QColor("black"), 16)
