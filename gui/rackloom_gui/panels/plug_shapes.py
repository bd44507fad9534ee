# SPDX-License-Identifier: Apache-2.0
"""Outlines of plugs, connectors and sockets, seen from above: their widths to one scale."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from rackloom.catalog.cages import CAGE_SIZE_MM
from rackloom.catalog.fit import FIBRE_CONNECTORS
from rackloom.catalog.words import FormFactor, PortCount, Shell
from rackloom_gui.theme import Tokens, mix

PX_PER_MM = 1.2
PLUG_PX = 54.0
"""Length of a pluggable shell as drawn; those of connectors are shorter."""
_CONNECTOR_PX = 34.0
_TONGUE_PX = 9.0
_BOOT_PX = 8.0
_FINS = 5
_CONTACTS = 6
_SLANT_PX = 4.0
"""How far the 8 degrees of an APC ferrule lean, exaggerated so that they are seen."""


@dataclass(frozen=True, slots=True)
class PlugShape:
    """What is drawn of one end: its kind, and what tells it from others of its kind."""

    form_factor: FormFactor
    shell: Shell | None = None
    port_count: PortCount | None = None
    angled: bool = False
    """An APC ferrule."""
    pinned: bool | None = None

    @property
    def is_connector(self) -> bool:
        """A fibre connector, or a plug of twisted pair; else a module's shell."""
        return self.form_factor in FIBRE_CONNECTORS or self.form_factor is FormFactor.RJ45

    @property
    def length_px(self) -> float:
        """From the mating face to where the cable leaves it."""
        return (_CONNECTOR_PX if self.is_connector else PLUG_PX) + _BOOT_PX

    @property
    def height_px(self) -> float:
        """Across."""
        return CAGE_SIZE_MM[self.form_factor][0] * PX_PER_MM


def paint_plug(
    painter: QPainter, shape: PlugShape, left: float, middle: float, tokens: Tokens, cable: QColor
) -> None:
    """A plug whose mating face looks to the left; turn the painter round for the other way."""
    painter.save()
    painter.translate(left, middle)
    if shape.form_factor is FormFactor.LC_DUPLEX:
        half = shape.height_px / 2
        for y in (-half / 2 - 0.5, half / 2 + 0.5):
            _connector(painter, shape, y, half - 2, tokens, cable)
    elif shape.is_connector:
        _connector(painter, shape, 0.0, shape.height_px, tokens, cable)
    else:
        _module(painter, shape, tokens, cable)
    painter.restore()


def _pen(tokens: Tokens) -> QPen:
    return QPen(tokens.border_strong, 1.0)


def _module(painter: QPainter, shape: PlugShape, tokens: Tokens, cable: QColor) -> None:
    """A tongue with its contacts, the shell, its fins if it has any, a boot."""
    half = shape.height_px / 2
    metal = mix(tokens.base, tokens.text_muted, 0.28)
    painter.setPen(_pen(tokens))
    painter.setBrush(tokens.base)
    tongue = QRectF(0.0, -half * 0.72, _TONGUE_PX, half * 1.44)
    painter.drawRect(tongue)
    painter.setPen(QPen(tokens.warning, 1.4))
    for n in range(_CONTACTS):
        y = tongue.top() + tongue.height() * (n + 0.5) / _CONTACTS
        painter.drawLine(QLineF(2.0, y, _TONGUE_PX - 2.0, y))
    painter.setPen(_pen(tokens))
    painter.setBrush(metal)
    shell = QRectF(_TONGUE_PX, -half, PLUG_PX - _TONGUE_PX, 2 * half)
    painter.drawRoundedRect(shell, 2.0, 2.0)
    if shape.shell is Shell.IHS:
        painter.setPen(QPen(mix(metal, tokens.text, 0.35), 1.0))
        for n in range(_FINS):
            y = -half + 2 * half * (n + 1) / (_FINS + 1)
            painter.drawLine(QLineF(shell.left() + 5, y, shell.right() - 8, y))
    if shape.port_count is PortCount.TWIN:
        painter.setPen(QPen(tokens.border_strong, 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(shell.left() + 3, 0.0, shell.right() - 3, 0.0))
    painter.setPen(_pen(tokens))
    painter.setBrush(cable)
    painter.drawRoundedRect(QRectF(PLUG_PX, -half * 0.45, _BOOT_PX, half * 0.9), 2.0, 2.0)


def _connector(
    painter: QPainter, shape: PlugShape, y: float, height: float, tokens: Tokens, cable: QColor
) -> None:
    """A ferrule (slanted, if APC; with pins, if it has any), a housing, a boot."""
    half = height / 2
    lean = _SLANT_PX if shape.angled else 0.0
    painter.setPen(_pen(tokens))
    painter.setBrush(tokens.base)
    narrow = half * 0.62
    painter.drawPolygon(
        QPolygonF(
            [
                QPointF(lean, y - narrow), QPointF(9.0, y - narrow),
                QPointF(9.0, y + narrow), QPointF(0.0, y + narrow),
            ]
        )
    )  # fmt: skip
    if shape.pinned:
        for pin in (y - narrow * 0.6, y + narrow * 0.6):
            painter.drawLine(QLineF(-3.0, pin, 2.0, pin))
    painter.setBrush(mix(tokens.base, cable, 0.45))
    painter.drawRoundedRect(QRectF(9.0, y - half, _CONNECTOR_PX - 9.0, height), 2.0, 2.0)
    painter.setBrush(cable)
    boot = QRectF(_CONNECTOR_PX, y - half * 0.4, _BOOT_PX, half * 0.8)
    painter.drawRoundedRect(boot, 1.5, 1.5)


def paint_socket(
    painter: QPainter, connector: FormFactor, left: float, middle: float, tokens: Tokens
) -> None:
    """A receptacle in a module's nose, open to the right; a duplex one has two openings."""
    height = CAGE_SIZE_MM[connector][0] * PX_PER_MM * 1.2
    painter.setPen(_pen(tokens))
    painter.setBrush(mix(tokens.base, tokens.text_muted, 0.45))
    painter.drawRoundedRect(QRectF(left, middle - height / 2, 20.0, height), 2.0, 2.0)
    painter.setBrush(tokens.base)
    count = 2 if connector is FormFactor.LC_DUPLEX else 1
    share = (height - 4) / count
    for n in range(count):
        top = middle - height / 2 + 2 + n * share
        painter.drawRect(QRectF(left + 10.0, top + (count - 1), 10.0, share - 2 * (count - 1)))
