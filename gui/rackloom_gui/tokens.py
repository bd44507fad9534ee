# SPDX-License-Identifier: Apache-2.0
"""Every colour of the program by what it means, once for light and once for dark.

Canvas layers, widgets and charts read colours here and nowhere else. Status colours are the
Okabe-Ito set, darkened on white where the original misses the contrast that WCAG 2.2 asks for:
4.5:1 for text (1.4.3), 3:1 for marks (1.4.11). Status is never told by colour alone: shapes go
with it. Okabe and Ito: https://jfly.uni-koeln.de/color/
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtGui import QColor


def relative_luminance(color: QColor) -> float:
    """How bright an opaque sRGB colour is, 0 to 1, after WCAG 2.2's definition."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return (
        0.2126 * linear(color.redF())
        + 0.7152 * linear(color.greenF())
        + 0.0722 * linear(color.blueF())
    )


def contrast(a: QColor, b: QColor) -> float:
    """WCAG contrast ratio of two opaque colours, 1 (equal) to 21 (black on white)."""
    bright, dark = sorted((relative_luminance(a), relative_luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def mix(a: QColor, b: QColor, share_b: float) -> QColor:
    """The opaque colour between two: 0 gives `a`, 1 gives `b`.

    Dimming on the canvas is mixing towards the background: alpha costs 7 to 10 times as much
    in bulk drawing.
    """
    share_a = 1.0 - share_b
    return QColor.fromRgbF(
        a.redF() * share_a + b.redF() * share_b,
        a.greenF() * share_a + b.greenF() * share_b,
        a.blueF() * share_a + b.blueF() * share_b,
    )


@dataclass(frozen=True, slots=True, eq=False)
class DeviceColour:
    """How a device is drawn: body, outline and kind stripe, and the text on the body."""

    fill: QColor
    edge: QColor
    text: QColor


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The colours of one theme. Read-only: copy a `QColor` before changing it."""

    name: str
    dark: bool

    # Window
    surface: QColor
    """Panels, menus, dialogs."""
    raised: QColor
    """Tool bars, buttons, headers."""
    base: QColor
    """Text fields, lists, tables."""
    base_alternate: QColor
    text: QColor
    text_muted: QColor
    text_disabled: QColor
    border: QColor
    """Quiet separator between areas; never the only sign of anything."""
    border_strong: QColor
    """Outline of something one can type into or press (3:1)."""
    accent: QColor
    """Focus, the tool in hand, links (3:1)."""
    selected: QColor
    """Fill of selected rows."""
    selected_text: QColor
    tooltip: QColor
    tooltip_text: QColor

    # Status: marks (3:1), text (4.5:1), and text upon the mark colour (4.5:1)
    ok: QColor
    warning: QColor
    error: QColor
    info: QColor
    ok_text: QColor
    warning_text: QColor
    error_text: QColor
    info_text: QColor
    on_ok: QColor
    on_warning: QColor
    on_error: QColor
    on_info: QColor

    # Canvas
    canvas: QColor
    canvas_text: QColor
    grid: QColor
    grid_major: QColor
    rack_frame: QColor
    rack_post: QColor
    rack_interior: QColor
    rack_slot_line: QColor
    """Faint line between two free U."""
    rack_title: QColor
    u_number: QColor
    row_label: QColor
    floor_tile: QColor
    tray: QColor
    bundle: QColor
    note_fill: QColor
    note_edge: QColor
    note_text: QColor

    # What the hand touches
    selection: QColor
    hover: QColor
    guide: QColor
    ghost_ok: QColor
    ghost_ok_fill: QColor
    ghost_refused: QColor
    ghost_refused_fill: QColor
    free_slots: QColor
    """Lit range of free U under a dragged part."""
    band_inside: QColor
    band_touching: QColor
    port_can_take: QColor
    port_cannot_take: QColor
    binding_cut: QColor
    """The cut that limits throughput."""
    unplugged: QColor

    # By kind; look up with the methods below, which answer for unknown keys too
    devices: Mapping[str, DeviceColour]
    ports: Mapping[str, QColor]
    fabrics: Mapping[str, QColor]
    technologies: Mapping[str, QColor]
    series: tuple[QColor, ...]
    """Chart series in order."""
    chart_limit: QColor
    chart_grid: QColor

    def device(self, kind: str, role: str = "") -> DeviceColour:
        """Colours of a device: by role ("leaf", "spine") if known, else by kind ("switch")."""
        return self.devices.get(role) or self.devices.get(kind) or self.devices["other"]

    def port(self, state: str) -> QColor:
        """Colour of a port that is `used`, `free`, `disabled` or `faulty`."""
        return self.ports.get(state, self.ports["free"])

    def fabric(self, name: str) -> QColor:
        """Colour of a cable by the network it serves ("compute", "storage", ...)."""
        return self.fabrics.get(name, self.fabrics["other"])

    def technology(self, name: str) -> QColor:
        """Colour of a cable by how it carries its signal ("DAC", "AOC", "fibre", ...)."""
        return self.technologies.get(name, self.technologies["other"])

    def severity(self, name: str) -> QColor:
        """Mark colour of "ok", "info", "warning" or "error"."""
        return self._status(name)[0]

    def severity_text(self, name: str) -> QColor:
        """Text colour of a severity on `surface` and `base`."""
        return self._status(name)[1]

    def on_severity(self, name: str) -> QColor:
        """Text colour upon the severity's mark colour."""
        return self._status(name)[2]

    def _status(self, name: str) -> tuple[QColor, QColor, QColor]:
        return {
            "ok": (self.ok, self.ok_text, self.on_ok),
            "info": (self.info, self.info_text, self.on_info),
            "warning": (self.warning, self.warning_text, self.on_warning),
            "error": (self.error, self.error_text, self.on_error),
        }[name]


def _c(text: str) -> QColor:
    return QColor(text)


def _colours(**by_key: str) -> Mapping[str, QColor]:
    return MappingProxyType({_key(key): _c(value) for key, value in by_key.items()})


def _key(name: str) -> str:
    return name.replace("_", "-")


def _devices(text: str, **by_kind: tuple[str, str]) -> Mapping[str, DeviceColour]:
    return MappingProxyType(
        {
            _key(kind): DeviceColour(_c(fill), _c(edge), _c(text))
            for kind, (fill, edge) in by_kind.items()
        }
    )


def _technologies(by_name: dict[str, str]) -> Mapping[str, QColor]:
    return MappingProxyType({name: _c(value) for name, value in by_name.items()})


LIGHT = Tokens(
    name="light",
    dark=False,
    surface=_c("#f3f4f6"),
    raised=_c("#fafbfc"),
    base=_c("#ffffff"),
    base_alternate=_c("#f6f7f9"),
    text=_c("#1b1f24"),
    text_muted=_c("#57606a"),
    text_disabled=_c("#959da6"),
    border=_c("#d3d8de"),
    border_strong=_c("#868e98"),
    accent=_c("#0a66b0"),
    selected=_c("#0a66b0"),
    selected_text=_c("#ffffff"),
    tooltip=_c("#2b3036"),
    tooltip_text=_c("#f3f4f6"),
    ok=_c("#00805c"),
    warning=_c("#b07500"),
    error=_c("#b02a0a"),
    info=_c("#0072b2"),
    ok_text=_c("#00694c"),
    warning_text=_c("#7d5200"),
    error_text=_c("#a32608"),
    info_text=_c("#005f96"),
    on_ok=_c("#ffffff"),
    on_warning=_c("#120c00"),
    on_error=_c("#ffffff"),
    on_info=_c("#ffffff"),
    canvas=_c("#fbfbfc"),
    canvas_text=_c("#1b1f24"),
    grid=_c("#eef0f2"),
    grid_major=_c("#e2e5e9"),
    rack_frame=_c("#6b737d"),
    rack_post=_c("#d9dde2"),
    rack_interior=_c("#eceef1"),
    rack_slot_line=_c("#dfe3e7"),
    rack_title=_c("#1b1f24"),
    u_number=_c("#535b65"),
    row_label=_c("#57606a"),
    floor_tile=_c("#f0f2f4"),
    tray=_c("#94773a"),
    bundle=_c("#6b7682"),
    note_fill=_c("#fff6cf"),
    note_edge=_c("#9a7400"),
    note_text=_c("#2b2200"),
    selection=_c("#0a66b0"),
    hover=_c("#2f86d1"),
    guide=_c("#b5507f"),
    ghost_ok=_c("#007a58"),
    ghost_ok_fill=_c("#cfeae0"),
    ghost_refused=_c("#b02a0a"),
    ghost_refused_fill=_c("#f7d9cc"),
    free_slots=_c("#dcefe7"),
    band_inside=_c("#0a66b0"),
    band_touching=_c("#007a58"),
    port_can_take=_c("#007a58"),
    port_cannot_take=_c("#b3bac2"),
    binding_cut=_c("#a83a78"),
    unplugged=_c("#b02a0a"),
    devices=_devices(
        "#14181d",
        gpu_server=("#cfe0d2", "#3f7a4d"),
        cpu_server=("#d9dee4", "#5e6b79"),
        storage_server=("#e6dcc8", "#80683a"),
        server=("#d9dee4", "#5e6b79"),
        leaf=("#cddff1", "#2b6ca6"),
        spine=("#d6d5f0", "#5a55a8"),
        core=("#e4d3ea", "#83519a"),
        switch=("#cddff1", "#2b6ca6"),
        management_switch=("#d5e4e6", "#3d7379"),
        pdu=("#e3dfda", "#756b5c"),
        patch_panel=("#ece6d4", "#7d6f3c"),
        blanking_panel=("#e2e5e9", "#7b838c"),
        other=("#dde0e4", "#666f79"),
    ),
    ports=_colours(used="#00694c", free="#4f5863", disabled="#6d747c", faulty="#b02a0a"),
    fabrics=_colours(
        compute="#0072b2",
        storage="#9a6700",
        in_band="#00805d",
        front_end="#a83a78",
        out_of_band="#6b7280",
        console="#8a6d52",
        service="#6b7280",
        scale_up="#5a55a8",
        power="#8c3b12",
        other="#57606a",
    ),
    technologies=_technologies(
        {
            "DAC": "#30363d",
            "ACC": "#8a5a00",
            "AEC": "#a83a78",
            "AOC": "#c2561a",
            "fibre": "#007b93",
            "twisted pair": "#5a55a8",
            "power": "#8c3b12",
            "other": "#57606a",
        }
    ),
    series=tuple(_c(v) for v in ("#0072b2", "#c24e00", "#00805d", "#a83a78", "#8a6400", "#3f7fa8")),
    chart_limit=_c("#57606a"),
    chart_grid=_c("#e2e5e9"),
)

DARK = Tokens(
    name="dark",
    dark=True,
    surface=_c("#272a2f"),
    raised=_c("#2f3339"),
    base=_c("#191b1e"),
    base_alternate=_c("#1e2124"),
    text=_c("#e3e6ea"),
    text_muted=_c("#a4acb6"),
    text_disabled=_c("#6d757f"),
    border=_c("#3f454c"),
    border_strong=_c("#7c858f"),
    accent=_c("#58a6e8"),
    selected=_c("#22609c"),
    selected_text=_c("#ffffff"),
    tooltip=_c("#3a4047"),
    tooltip_text=_c("#eef0f2"),
    ok=_c("#16a67c"),
    warning=_c("#e69f00"),
    error=_c("#f0692a"),
    info=_c("#56b4e9"),
    ok_text=_c("#35c499"),
    warning_text=_c("#f0b429"),
    error_text=_c("#ff8f5c"),
    info_text=_c("#74c3ef"),
    on_ok=_c("#04130e"),
    on_warning=_c("#1a1200"),
    on_error=_c("#1a0800"),
    on_info=_c("#04121b"),
    canvas=_c("#16181a"),
    canvas_text=_c("#e3e6ea"),
    grid=_c("#1d2023"),
    grid_major=_c("#272b30"),
    rack_frame=_c("#858d97"),
    rack_post=_c("#33383e"),
    rack_interior=_c("#0e1011"),
    rack_slot_line=_c("#1b1e21"),
    rack_title=_c("#e3e6ea"),
    u_number=_c("#a8b0ba"),
    row_label=_c("#a4acb6"),
    floor_tile=_c("#1d2023"),
    tray=_c("#8a7748"),
    bundle=_c("#8b95a1"),
    note_fill=_c("#3b3419"),
    note_edge=_c("#c9a63c"),
    note_text=_c("#f5ecc9"),
    selection=_c("#6cb6f5"),
    hover=_c("#9ccdf5"),
    guide=_c("#e08bb4"),
    ghost_ok=_c("#35c499"),
    ghost_ok_fill=_c("#163a2f"),
    ghost_refused=_c("#ff8f5c"),
    ghost_refused_fill=_c("#4a2314"),
    free_slots=_c("#17302a"),
    band_inside=_c("#6cb6f5"),
    band_touching=_c("#35c499"),
    port_can_take=_c("#4fd6ab"),
    port_cannot_take=_c("#565e67"),
    binding_cut=_c("#e58fc0"),
    unplugged=_c("#ff8f5c"),
    devices=_devices(
        "#f0f2f4",
        gpu_server=("#28402f", "#6fb584"),
        cpu_server=("#343a42", "#8b98a6"),
        storage_server=("#433926", "#b59b63"),
        server=("#343a42", "#8b98a6"),
        leaf=("#233e58", "#5fa3dc"),
        spine=("#33325c", "#9591e6"),
        core=("#452f50", "#c08fd6"),
        switch=("#233e58", "#5fa3dc"),
        management_switch=("#26454a", "#6fb0b8"),
        pdu=("#3a3632", "#a0968a"),
        patch_panel=("#413b26", "#b5a467"),
        blanking_panel=("#2a2e33", "#7f8892"),
        other=("#353a40", "#929ba5"),
    ),
    ports=_colours(used="#4fd6ab", free="#b9c1ca", disabled="#9199a2", faulty="#ff8f5c"),
    fabrics=_colours(
        compute="#56b4e9",
        storage="#e69f00",
        in_band="#2fc196",
        front_end="#dc8bb6",
        out_of_band="#9aa3ae",
        console="#c09c7c",
        service="#9aa3ae",
        scale_up="#9f9bf0",
        power="#e08250",
        other="#a4acb6",
    ),
    technologies=_technologies(
        {
            "DAC": "#d5dae0",
            "ACC": "#e0b040",
            "AEC": "#dc8bb6",
            "AOC": "#f08a4b",
            "fibre": "#4fc3d9",
            "twisted pair": "#9f9bf0",
            "power": "#e08250",
            "other": "#a4acb6",
        }
    ),
    series=tuple(_c(v) for v in ("#56b4e9", "#f0863c", "#2fc196", "#dc8bb6", "#f0e442", "#9ab7d3")),
    chart_limit=_c("#a4acb6"),
    chart_grid=_c("#2c3035"),
)
