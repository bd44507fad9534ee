# SPDX-License-Identifier: Apache-2.0
"""Ghosts: what is in the hand, drawn in true size where it would land, and its way back."""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QVariantAnimation

from rackloom_gui.canvas.faceplates import paint_face
from rackloom_gui.canvas.faces import Face
from rackloom_gui.canvas.look import Look, Window
from rackloom_gui.canvas.overlay import ghost_frame, speech
from rackloom_gui.canvas.pencil import CENTRE, Pencil
from rackloom_gui.tokens import DeviceColour, mix

Box = tuple[float, float, float, float]
FLIGHT_MS = 160


@dataclass(slots=True)
class Ghost:
    """One thing in the hand."""

    box: Box
    name: str
    face: Face | None = None
    colour: DeviceColour | None = None
    reason: str | None = None
    """Why it cannot land there; None where it can."""


@dataclass(slots=True)
class Hand:
    """All ghosts of a drag, and what is lit for it."""

    ghosts: list[Ghost] = field(default_factory=list)
    lit: list[Box] = field(default_factory=list)
    """Free ranges under the pointer."""
    pointer: tuple[float, float] = (0.0, 0.0)
    note: str = ""

    @property
    def reason(self) -> str | None:
        """The first reason against landing."""
        return next((g.reason for g in self.ghosts if g.reason), None)

    def draw(self, pencil: Pencil, window: Window, look: Look) -> None:
        """Draw lit ranges, ghosts and the reason."""
        tokens = look.tokens
        for box in self.lit:
            rect = pencil.rect(*box)
            pencil.painter.fillRect(rect, tokens.free_slots)
            pencil.frame_px(rect, mix(tokens.free_slots, tokens.ghost_ok, 0.5))
        for ghost in self.ghosts:
            draw_ghost(pencil, ghost, look)
        text = self.reason or self.note
        if text:
            corner = QPointF(pencil.px(self.pointer[0]) + 18, pencil.py(self.pointer[1]) + 18)
            inside = QRectF(
                pencil.px(window.x0), pencil.py(window.y0),
                (window.x1 - window.x0) * pencil.scale, (window.y1 - window.y0) * pencil.scale,
            )  # fmt: skip
            mark = tokens.ghost_refused if self.reason else tokens.ghost_ok
            speech(pencil.painter, corner, text, tokens, mark, inside)


def draw_ghost(pencil: Pencil, ghost: Ghost, look: Look) -> None:
    """One ghost: its faceplate where it has one, and its frame."""
    tokens = look.tokens
    if ghost.face is not None and ghost.colour is not None:
        paint_face(pencil.at(ghost.box[0], ghost.box[1]), ghost.face, ghost.colour, tokens)
    else:
        fill = tokens.ghost_ok_fill if ghost.reason is None else tokens.ghost_refused_fill
        pencil.painter.fillRect(pencil.rect(*ghost.box), fill)
    ghost_frame(pencil, ghost.box, ghost.reason is None, tokens)
    size = int(min(max(ghost.box[3] * pencil.scale * 0.5, 9), 13))
    rect = pencil.rect(*ghost.box)
    if rect.height() >= 9 and rect.width() > 40 and rect.height() < 6 * rect.width():
        colour = ghost.colour.text if ghost.colour is not None else tokens.canvas_text
        pencil.text_px(rect, ghost.name, size, colour, CENTRE, bold=True)


class Flight(QObject):
    """Ghosts fly back to where they came from; then ``landed`` is called."""

    def __init__(
        self,
        parent: QObject,
        ghosts: list[Ghost],
        home: list[Box],
        moved: Callable[[], None],
        landed: Callable[["Flight"], None],
    ) -> None:
        super().__init__(parent)
        self.ghosts = ghosts
        self._from = [g.box for g in ghosts]
        self._home = home
        self._moved = moved
        self._landed = landed
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(FLIGHT_MS)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._step)
        self._animation.finished.connect(self._done)
        self._animation.start()

    def _step(self, share: float) -> None:
        for ghost, start, end in zip(self.ghosts, self._from, self._home, strict=True):
            x, y, w, h = (a + (b - a) * share for a, b in zip(start, end, strict=True))
            ghost.box = (x, y, w, h)
        self._moved()

    def _done(self) -> None:
        self._landed(self)

    def stop(self) -> None:
        """Land at once."""
        self._animation.stop()
        self._landed(self)

    def draw(self, pencil: Pencil, look: Look) -> None:
        """Draw the ghosts where they are now."""
        for ghost in self.ghosts:
            draw_ghost(pencil, ghost, look)
