# SPDX-License-Identifier: Apache-2.0
"""What an edit would change, shown on the drawing before it is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from rackloom.catalog.parts import DevicePart
from rackloom.design import Cable, Change, Cord, Design, Device, Module, Rack
from rackloom.design.slots import height_u
from rackloom.placement.elevation import Elevation
from rackloom_gui.canvas.cable_drawing import cable_width_px
from rackloom_gui.canvas.look import Window
from rackloom_gui.canvas.overlay import MOST_CABLES, Overlay, ghost_frame
from rackloom_gui.canvas.pencil import Pencil, solid_pen
from rackloom_gui.canvas.tools.places import span_box

Port = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Preview:
    """What goes, what changes where it is, and what comes."""

    gone: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    """Also the devices at which something is plugged or unplugged, and racks that get a device."""
    ports: tuple[Port, ...] = ()
    lines: tuple[tuple[Port, ...], ...] = ()
    """The ends of each new cable."""
    slots: tuple[tuple[str, int, int], ...] = ()
    """Ranges of U that new or moved devices fill: rack, lowest, highest."""

    @classmethod
    def of(cls, design: Design, change: Change) -> Preview:
        """The preview of a change of this design."""
        gone: set[str] = set()
        changed: set[str] = set()
        ports: dict[Port, None] = {}
        lines: list[tuple[Port, ...]] = []
        slots: list[tuple[str, int, int]] = []
        parts = dict(design.parts)
        parts.update({r.id: r.after for r in change.of("parts") if r.after is not None})  # type: ignore[misc]
        for record in change:
            (gone if record.after is None else changed).add(record.id)
            for entity in (record.before, record.after):
                changed.update(_beside(entity))
            match record.after:
                case Cable() as cable:
                    ends = tuple((str(end.device), end.cage) for end in cable.ends)
                    ports.update(dict.fromkeys(ends))
                    if record.before is None or record.before.ends != cable.ends:
                        lines.append(ends)
                case Module() as module:
                    ports[module.device, module.cage] = None
                case Device() as device if device.bottom_u is not None and (
                    record.before is None
                    or (record.before.rack, record.before.bottom_u)
                    != (device.rack, device.bottom_u)
                ):
                    part = parts[device.part]
                    units = height_u(part) if isinstance(part, DevicePart) else 1
                    slots.append((device.rack, device.bottom_u, device.bottom_u + units - 1))
                    changed.add(device.rack)
        return cls(
            frozenset(gone), frozenset(changed - gone), tuple(ports), tuple(lines), tuple(slots)
        )

    def draw(
        self,
        pencil: Pencil,
        window: Window,
        overlay: Overlay,
        design: Design,
        drawing: Elevation | None,
    ) -> None:
        """Draw it over one view; ``drawing`` is the elevation where that is what it shows."""
        tokens = overlay.look.tokens
        overlay.highlight(pencil, window, self.changed, tokens.ghost_ok)
        overlay.cross_out(pencil, window, self.gone, tokens.ghost_refused)
        if drawing is not None:
            for rack, low, high in self.slots:
                if rack in design.racks:
                    ghost_frame(pencil, span_box(design, drawing, rack, low, high), True, tokens)
        painter = pencil.painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        pen = solid_pen(tokens.ghost_ok, cable_width_px(pencil.scale) + 1.0)
        pen.setDashPattern([4.0, 2.0])
        painter.setPen(pen)
        for ends in self.lines[:MOST_CABLES]:
            places = [p for end in ends if (p := _middle(overlay, *end)) is not None]
            for near, far in zip(places[:1] * len(places), places[1:], strict=False):
                painter.drawLine(_px(pencil, near), _px(pencil, far))
        painter.setPen(solid_pen(tokens.ghost_ok, 2.0))
        for device, cage in self.ports[:MOST_CABLES]:
            box = overlay.scene.port_place(device, cage)
            if box is not None:
                painter.drawRoundedRect(pencil.rect(*box).adjusted(-2, -2, 2, 2), 2.5, 2.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _beside(entity: object) -> Iterable[str]:
    """What is drawn beside a thing that itself is not: the devices it is plugged into."""
    match entity:
        case Cable():
            return [end.device for end in entity.ends]
        case Module():
            return [entity.device]
        case Cord():
            return [entity.device, entity.source]
        case Device():
            return [entity.rack]
        case Rack():
            return [entity.row]
    return ()


def _middle(overlay: Overlay, device: str, cage: str) -> tuple[float, float] | None:
    """The middle of a port, else of its device; None where that is not drawn."""
    box = overlay.scene.port_place(device, cage) or overlay.scene.box_of(device)
    return None if box is None else (box[0] + box[2] / 2, box[1] + box[3] / 2)


def _px(pencil: Pencil, place: tuple[float, float]) -> QPointF:
    return QPointF(pencil.px(place[0]), pencil.py(place[1]))
