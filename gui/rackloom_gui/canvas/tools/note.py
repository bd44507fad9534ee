# SPDX-License-Identifier: Apache-2.0
"""Dragging notes. They lie anywhere; what a note is about stays what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from rackloom.design import Design, EditError, edits
from rackloom.design.ids import NoteId
from rackloom.design.notes import Spot
from rackloom_gui.canvas.gestures import CancelReason, PointerEvent
from rackloom_gui.canvas.notes import Spot as NoteSpot
from rackloom_gui.canvas.tools.move import tr

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane


class MoveNotes:
    """The selected notes in the hand; one step when the button is released."""

    def __init__(self, pane: Pane, pressed: str) -> None:
        self.pane, self.pressed = pane, pressed
        self._ids: list[str] = []

    def move(self, event: PointerEvent) -> None:
        if not self._ids:
            if not event.dragged:
                return
            self._take(event)
        offset = event.scene - event.press_scene
        self.pane.arrays.notes.shifted = dict.fromkeys(self._ids, (offset.x(), offset.y()))
        self.pane.refresh()

    def _take(self, event: PointerEvent) -> None:
        pane, document = self.pane, self.pane.document
        if self.pressed not in document.selection:
            if event.ctrl or event.shift:
                document.select_more([self.pressed])
            else:
                document.select([self.pressed])
        self._ids = notes_to_move(pane, document.selected("notes"))
        pane.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def end(self, event: PointerEvent) -> None:
        self.move(event)
        ids, self._ids = self._ids, []
        self.pane.arrays.notes.shifted = {}
        self.pane.update_cursor()
        if not ids:
            self.pane.click(self.pressed, event)
            return
        offset = event.scene - event.press_scene
        shift_notes(self.pane, ids, offset.x() / 1000, offset.y() / 1000)

    def cancel(self, _reason: CancelReason) -> None:
        self._ids = []
        self.pane.arrays.notes.shifted = {}
        self.pane.update_cursor()
        self.pane.refresh()

    def paint(self, _painter: object, _scale: float) -> None:
        return None  # the notes are drawn where they are carried to


def notes_to_move(pane: Pane, ids: list[str]) -> list[str]:
    """Those of these notes that have a place of their own in this view."""
    spots: dict[str, NoteSpot] = {s.note.id: s for s in pane.arrays.notes.spots()}
    return [i for i in ids if i in spots and not spots[i].docked]


def shift_notes(
    pane: Pane, ids: list[str], right_m: float, down_m: float, merge_key: str = ""
) -> None:
    """Move notes by so much, as one step."""
    document = pane.document
    if not ids or not (right_m or down_m):
        return
    label = tr("Move note")
    if len(ids) > 1:
        label = tr("Move {count} notes").format(count=len(ids))
    spots = shifted(document.design, ids, right_m, down_m)
    try:
        document.do(label, edits.move_notes, spots, merge_key=merge_key)
    except EditError as error:
        pane.say(str(error))
    document.flush()
    pane.refresh()


def shifted(design: Design, ids: list[str], right_m: float, down_m: float) -> dict[str, Spot]:
    """Places of notes after a move, to the millimetre."""
    spots: dict[str, Spot] = {}
    for note_id in ids:
        note = design.notes[NoteId(note_id)]
        x_m, y_m = round(note.x_m + right_m, 3), round(note.y_m + down_m, 3)
        spots[note_id] = (x_m, y_m, note.about)
    return spots
