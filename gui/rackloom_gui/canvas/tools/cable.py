# SPDX-License-Identifier: Apache-2.0
"""The cable tool: click a port, then another one, or drag between them.

Ports that can take the other end are lit, the others dimmed; the tooltip of a dimmed port says why.
The part is the cheapest that reaches, unless one was dragged from the palette.

What chooses it is imported when a cable is begun: the window comes up without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from rackloom.catalog.parts import CablePart
from rackloom.design import EditError
from rackloom.design.ids import DeviceId
from rackloom_gui.canvas.gestures import BaseTool, CancelReason, Gesture, PointerEvent
from rackloom_gui.canvas.look import Window, visible_devices
from rackloom_gui.canvas.overlay import speech
from rackloom_gui.canvas.pencil import Pencil, solid_pen
from rackloom_gui.canvas.tools.move import tr
from rackloom_gui.tokens import mix

if TYPE_CHECKING:
    from rackloom.placement.cabling import Plan, Refusal
    from rackloom_gui.canvas.pane import Pane

Port = tuple[DeviceId, str]
MOST_DEVICES = 400
"""Ports of more devices than this in view are judged only when the pointer is on them."""


class CableTool(BaseTool):
    """Draws cables from port to port."""

    name = "cable"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self.part: CablePart | None = None
        self.start: Port | None = None
        self._takers: dict[Port, str | None] = {}
        self._asked: set[DeviceId] = set()
        self._pointer = QPointF()
        self._over: Port | None = None
        self._outcome: Plan | Refusal | None = None

    # What the pane asks

    def begin(self, part: CablePart | None, port: Port | None) -> None:
        """Use a part, and start at a port if one is given."""
        self.part = part
        self._forget()
        if port is not None:
            self._take(port)
        name = part.model if part is not None else tr("the cheapest cable that reaches")
        self.pane.say(tr("Cable tool, {name}: click a port, then another.").format(name=name))

    def draw(self, pencil: Pencil, window: Window) -> None:
        """Light up ports and draw the cable in hand; an overlay."""
        if self.start is None:
            return
        self._judge_visible(window)
        self._draw_ports(pencil)
        self._draw_cable(pencil, window)

    def why_not(self, port: Port) -> str | None:
        """Why a port cannot take the cable in hand; None where it can or nothing is in hand."""
        if self.start is None or port == self.start:
            return None
        self._judge([port[0]])
        return self._takers.get(port)

    # As a tool

    def press(self, event: PointerEvent) -> Gesture | None:
        port = self.pane.port_under(event.scene)
        if port is None:
            if self.start is not None and not self._over:
                self.pane.say(tr("The cable is still in hand: click a port, or press Esc."))
            return _CableDrag(self, None)
        return _CableDrag(self, port)

    def clicked(self, port: Port | None, _event: PointerEvent) -> None:
        """A click on a port: start there, or end there."""
        if port is None:
            return
        if self.start is None:
            self._take(port)
        elif port == self.start:
            self._forget()
        else:
            self.finish(port)
        self.pane.refresh()

    def dragged_to(self, start: Port, scene: QPointF) -> None:
        """A drag from a port ended here."""
        port = self.pane.port_under(scene)
        if port is None or port == start:
            self.pane.say(tr("The loose end was dropped: let go on a port."))
            self._forget()
        else:
            self.finish(port)
        self.pane.refresh()

    def finish(self, port: Port) -> None:
        """Plug it in, or say why not; the tool stays in hand for the next cable."""
        assert self.start is not None
        document = self.pane.document
        from rackloom.placement.cabling import Refusal

        outcome = self._plan(port)
        if isinstance(outcome, Refusal):
            self.pane.say(outcome.message)
            return
        name_a = document.design.devices[self.start[0]].name
        name_b = document.design.devices[port[0]].name
        label = tr("Connect {a} and {b}").format(a=name_a, b=name_b)
        try:
            cable = document.do(label, outcome.apply)
        except EditError as error:
            self.pane.say(str(error))
            return
        self._forget()
        document.flush()
        document.select([cable])
        self.pane.say(outcome.text)

    def hover(self, event: PointerEvent) -> None:
        self._pointer = event.scene
        self.pane.hover_at(event.scene)
        over = self.pane.port_under(event.scene)
        if over != self._over:
            self._over = over
            self._outcome = None
            if over is not None and self.start is not None and over != self.start:
                self._outcome = self._plan(over)
        if self.start is not None:
            self.pane.refresh()

    def leave(self) -> None:
        self.pane.hover_at(None)

    def context(self, _event: PointerEvent) -> bool:
        """The right button drops the loose end."""
        if self.start is None:
            return False
        self._forget()
        self.pane.refresh()
        return True

    def key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            if self.start is not None:
                self._forget()
                self.pane.say(tr("The loose end was dropped."))
                self.pane.refresh()
                return True
            self.pane.tool_wanted.emit("select")
            return True
        return False

    def deactivate(self) -> None:
        self.part = None
        self._forget()
        self.pane.hover_at(None)

    # Inside

    def _take(self, port: Port) -> None:
        self._forget()
        self.start = port
        box = self.pane.arrays.port_place(*port)
        if box is not None:
            self._pointer = QPointF(box[0] + box[2] / 2, box[1] + box[3] / 2)

    def _forget(self) -> None:
        self.start = None
        self._takers.clear()
        self._asked.clear()
        self._over = None
        self._outcome = None

    def design_changed(self) -> None:
        """The design is another one: judge the ports again, drop an end that is gone."""
        start, part = self.start, self.part
        self._forget()
        if start is not None and start[0] in self.pane.document.design.devices:
            self.start = start
        self.part = part

    def _plan(self, port: Port) -> Plan | Refusal:
        from rackloom.placement.cabling import choose

        assert self.start is not None
        return choose(
            self.pane.document.design,
            self.pane.catalog,
            self.start,
            port,
            part=self.part,
        )

    def _judge(self, devices: list[DeviceId]) -> None:
        from rackloom.placement.cabling import takers

        new = [
            d for d in devices if d not in self._asked and d in self.pane.document.design.devices
        ]
        if new and self.start is not None:
            self._asked.update(new)
            found: Mapping[Port, str | None] = takers(
                self.pane.document.design,
                self.pane.catalog,
                self.start,
                self.part,
                new,
            )
            self._takers.update(found)

    def _judge_visible(self, window: Window) -> None:
        rows = visible_devices(self.pane.arrays, window)
        if len(rows) <= MOST_DEVICES:
            ids = self.pane.arrays.devices.ids
            self._judge([DeviceId(ids[row]) for row in rows.tolist()])

    def _draw_ports(self, pencil: Pencil) -> None:
        tokens = self.pane.look.tokens
        lit: list[tuple[float, float, float, float]] = []
        dim: list[tuple[float, float, float, float]] = []
        for port, reason in self._takers.items():
            box = self.pane.arrays.port_place(*port)
            if box is not None and port != self.start:
                (dim if reason else lit).append(box)
        if dim:
            pencil.fill_many(np.array(dim), mix(tokens.port_cannot_take, tokens.canvas, 0.35))
        if lit:
            boxes = np.array(lit)
            pencil.fill_many(boxes + np.array([-1.2, -1.2, 2.4, 2.4]), tokens.port_can_take)
            pencil.fill_many(
                boxes + np.array([1.6, 1.6, -3.2, -3.2]),
                mix(tokens.port_can_take, tokens.canvas, 0.6),
            )

    def _draw_cable(self, pencil: Pencil, window: Window) -> None:
        assert self.start is not None
        tokens = self.pane.look.tokens
        box = self.pane.arrays.port_place(*self.start)
        if box is None:
            return
        pencil.frame_px(pencil.rect(*box).adjusted(-3, -3, 3, 3), tokens.selection, 2.0)
        painter = pencil.painter
        start = QPointF(pencil.px(box[0] + box[2] / 2), pencil.py(box[1] + box[3] / 2))
        end = QPointF(pencil.px(self._pointer.x()), pencil.py(self._pointer.y()))
        from rackloom.placement.cabling import Refusal

        refused = isinstance(self._outcome, Refusal)
        colour = tokens.ghost_refused if refused else tokens.selection
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        pen = solid_pen(colour, 2.5)
        if refused or self._over is None:
            pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        painter.drawLine(start, end)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._outcome is not None and self._over != self.start:
            plan = self._outcome
            text = plan.message if isinstance(plan, Refusal) else plan.text
            inside = QRectF(
                pencil.px(window.x0), pencil.py(window.y0),
                (window.x1 - window.x0) * pencil.scale, (window.y1 - window.y0) * pencil.scale,
            )  # fmt: skip
            mark = tokens.ghost_refused if refused else tokens.ghost_ok
            speech(painter, end + QPointF(18, 18), text, tokens, mark, inside)

    def track(self, scene: QPointF) -> None:
        """The pointer moved while the button is held."""
        self._pointer = scene
        over = self.pane.port_under(scene)
        if over != self._over:
            self._over = over
            self._outcome = None
            if over is not None and self.start is not None and over != self.start:
                self._outcome = self._plan(over)
        self.pane.refresh()


class _CableDrag:
    """Press on a port: a click unless the pointer leaves, then a drag."""

    def __init__(self, tool: CableTool, port: Port | None) -> None:
        self.tool, self.port = tool, port
        self._dragging = False

    def move(self, event: PointerEvent) -> None:
        if self.port is None or not event.dragged:
            return
        if not self._dragging:
            if self.tool.pane.port_under(event.scene) == self.port:
                return
            self._dragging = True
            self.tool._take(self.port)
        self.tool.track(event.scene)

    def end(self, event: PointerEvent) -> None:
        if self._dragging and self.port is not None:
            self.tool.dragged_to(self.port, event.scene)
        else:
            self.tool.clicked(self.port, event)

    def cancel(self, _reason: CancelReason) -> None:
        if self._dragging:
            self.tool._forget()
            self.tool.pane.refresh()

    def paint(self, _painter: QPainter, _scale: float) -> None:
        return None  # the overlay draws the cable
