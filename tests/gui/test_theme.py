# SPDX-License-Identifier: Apache-2.0
"""Can everything be read and told apart, in both themes, also by the colour-blind?"""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from rackloom_gui.style_sheet import style_sheet_of
from rackloom_gui.theme import Theme, ThemeChoice, apply_theme, palette_of, resolve_dark
from rackloom_gui.tokens import DARK, LIGHT, Tokens, contrast, mix

TEXT = 4.5  # WCAG 2.2, 1.4.3
MARK = 3.0  # WCAG 2.2, 1.4.11
AREAS = ("surface", "raised", "base", "base_alternate")
both_themes = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda t: t.name)


def too_weak(pairs: dict[str, tuple[QColor, QColor]], least: float) -> list[str]:
    return [
        f"{name}: {contrast(a, b):.2f} ({a.name()} on {b.name()})"
        for name, (a, b) in pairs.items()
        if contrast(a, b) < least
    ]


def test_contrast_is_wcags() -> None:
    # Figures of the W3C's own examples and of webaim.org's checker.
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21.0)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.005)
    assert contrast(QColor("#0000ff"), QColor("white")) == pytest.approx(8.59, abs=0.005)


@both_themes
def test_text_can_be_read(tokens: Tokens) -> None:
    names = ("text", "text_muted", "ok_text", "warning_text", "error_text", "info_text")
    pairs = {f"{n} on {a}": (getattr(tokens, n), getattr(tokens, a)) for n in names for a in AREAS}
    for severity in ("ok", "warning", "error", "info"):
        pairs[f"on {severity}"] = (tokens.on_severity(severity), tokens.severity(severity))
    pairs["selected"] = (tokens.selected_text, tokens.selected)
    pairs["tooltip"] = (tokens.tooltip_text, tokens.tooltip)
    for name in ("canvas_text", "rack_title", "row_label", "u_number"):
        pairs[f"{name} on canvas"] = (getattr(tokens, name), tokens.canvas)
    for place in ("rack_post", "rack_interior"):
        pairs[f"u_number on {place}"] = (tokens.u_number, getattr(tokens, place))
    for kind, device in tokens.devices.items():
        pairs[f"text on {kind}"] = (device.text, device.fill)
    assert too_weak(pairs, TEXT) == []


@both_themes
def test_marks_can_be_seen(tokens: Tokens) -> None:
    pairs: dict[str, tuple[QColor, QColor]] = {}
    for area in AREAS:
        for name in ("accent", "ok", "warning", "error", "info", "border_strong", "chart_limit"):
            pairs[f"{name} on {area}"] = (getattr(tokens, name), getattr(tokens, area))
        for number, colour in enumerate(tokens.series):
            pairs[f"series {number} on {area}"] = (colour, getattr(tokens, area))
    on_canvas = (
        "rack_frame", "selection", "hover", "guide", "ghost_ok", "ghost_refused", "band_inside",
        "band_touching", "port_can_take", "binding_cut", "unplugged", "bundle",
    )  # fmt: skip
    for place in ("canvas", "rack_interior"):
        for name in on_canvas:
            pairs[f"{name} on {place}"] = (getattr(tokens, name), getattr(tokens, place))
    pairs["allowed ghost"] = (tokens.ghost_ok, tokens.ghost_ok_fill)
    pairs["refused ghost"] = (tokens.ghost_refused, tokens.ghost_refused_fill)
    pairs["tray"] = (tokens.tray, tokens.floor_tile)
    assert too_weak(pairs, MARK) == []


@both_themes
def test_devices_ports_and_cables_can_be_seen(tokens: Tokens) -> None:
    pairs: dict[str, tuple[QColor, QColor]] = {}
    for kind, device in tokens.devices.items():
        pairs[f"edge of {kind} in the rack"] = (device.edge, tokens.rack_interior)
        pairs[f"edge of {kind} on its body"] = (device.edge, device.fill)
        pairs[f"selection on {kind}"] = (tokens.selection, device.fill)
        pairs[f"lit port on {kind}"] = (tokens.port_can_take, device.fill)
        for state, colour in tokens.ports.items():
            pairs[f"{state} port on {kind}"] = (colour, device.fill)
    for table in (tokens.fabrics, tokens.technologies):
        for name, colour in table.items():
            for place in ("canvas", "rack_interior", "floor_tile"):
                pairs[f"{name} cable on {place}"] = (colour, getattr(tokens, place))
    assert too_weak(pairs, MARK) == []


# Severe deficiency, linear RGB: Machado, Oliveira and Fernandes 2009, table for severity 1.0.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def lab_seen_with(deficiency: str, colour: QColor) -> np.ndarray:
    """CIE L*a*b* (D65) of a colour as someone with the deficiency sees it."""
    srgb = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear, 0.0, 1.0)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ seen / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@both_themes
@pytest.mark.parametrize("deficiency", sorted(DEFICIENCIES))
def test_statuses_differ_for_the_colour_blind(tokens: Tokens, deficiency: str) -> None:
    seen = {
        name: lab_seen_with(deficiency, tokens.severity(name))
        for name in ("ok", "warning", "error", "info")
    }
    alike = [
        f"{a} and {b}: {float(np.linalg.norm(seen[a] - seen[b])):.1f}"
        for a, b in combinations(seen, 2)
        if np.linalg.norm(seen[a] - seen[b]) < 10.0  # 2.3 is just noticeable
    ]
    assert alike == []


def test_the_setting_wins_then_the_platform_then_the_palette() -> None:
    light, dark = palette_of(LIGHT), palette_of(DARK)
    unknown = Qt.ColorScheme.Unknown
    assert resolve_dark(ThemeChoice.DARK, Qt.ColorScheme.Light, light)
    assert not resolve_dark(ThemeChoice.LIGHT, Qt.ColorScheme.Dark, dark)
    assert resolve_dark(ThemeChoice.SYSTEM, Qt.ColorScheme.Dark, light)
    assert not resolve_dark(ThemeChoice.SYSTEM, Qt.ColorScheme.Light, dark)
    assert resolve_dark(ThemeChoice.SYSTEM, unknown, dark)
    assert not resolve_dark(ThemeChoice.SYSTEM, unknown, light)


def test_a_change_reaches_widgets_and_listeners(
    qapp: QApplication, theme: Theme, qtbot: QtBot
) -> None:
    label = QLabel("x")
    qtbot.addWidget(label)
    heard: list[Tokens] = []
    theme.changed.connect(heard.append)
    again = apply_theme(qapp, ThemeChoice.DARK)
    assert again is theme
    assert heard[-1] is DARK
    assert theme.tokens is DARK
    assert label.palette().color(QPalette.ColorRole.Window) == DARK.surface
    theme.set_choice(ThemeChoice.LIGHT)
    assert label.palette().color(QPalette.ColorRole.Window) == LIGHT.surface
    theme.changed.disconnect(heard.append)


def test_unknown_kinds_still_have_a_colour() -> None:
    assert LIGHT.device("a thing from next year") is LIGHT.devices["other"]
    assert LIGHT.device("switch", "spine") is LIGHT.devices["spine"]
    assert LIGHT.fabric("nobody") == LIGHT.fabrics["other"]


def test_dimming_stays_opaque_and_ends_at_the_background() -> None:
    half = mix(QColor("#000000"), QColor("#ffffff"), 0.5)
    assert half.alpha() == 255
    assert half.red() == pytest.approx(128, abs=1)
    assert mix(LIGHT.error, LIGHT.canvas, 1.0).rgb() == LIGHT.canvas.rgb()


@both_themes
def test_pictures_of_the_style_sheet_exist_and_can_be_seen(tokens: Tokens) -> None:
    named = re.findall(r'url\("([^"]+)"\)', style_sheet_of(tokens))
    assert len(named) >= 7
    for path in named:
        assert Path(path).is_file(), path
        stroke = re.search(r'stroke="(#[0-9a-f]{6})"', Path(path).read_text("utf-8"))
        assert stroke is not None
        on_accent = Path(path).stem.split("-")[0] in {"check", "partly", "dot"}
        ground = tokens.accent if on_accent else tokens.raised
        assert contrast(QColor(stroke[1]), ground) >= MARK, path
