# SPDX-License-Identifier: Apache-2.0
"""Notes: their text, what they are about, and where they lie."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from rackloom.design import Draft, edits
from rackloom.design.notes import first_line
from rackloom_gui.panels.fields import NumberField, TextArea
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.widgets.quantity import LENGTH_M

REACH_M = 10_000.0


class NotePage(Page):
    """One note, or several at once."""

    kind = "notes"

    def build(self) -> None:
        notes = self.entities()
        self.head("note", self._title, self._below)
        self.section()
        text = self.tr("Text")
        self.field(text, TextArea(text), attrgetter("text"), self._write)
        abouts = {note.about for note in notes}
        only = next(iter(abouts)) if len(abouts) == 1 else None
        if only is not None and self.design.name_of(only) != only:
            self.link(self.tr("About"), self.design.name_of(only), [only])
        if len(abouts) != 1:
            return
        across, down = self.tr("From the left"), self.tr("From the front")
        tip = self.tr("Where the note is on the floor")
        if only is not None:
            across, down = self.tr("To the right"), self.tr("Below")
            tip = self.tr("How far from the upper right corner of what the note is about")
        for label, axis in ((across, "x_m"), (down, "y_m")):
            self.field(
                label,
                NumberField(label, LENGTH_M, low=-REACH_M, high=REACH_M),
                attrgetter(axis),
                partial(self._place, axis),
                tip,
            )

    def _title(self) -> str:
        notes = self.entities()
        if len(notes) == 1:
            return first_line(notes[0].text)
        return self.tr("{0} notes").format(len(notes))

    def _below(self) -> str:
        return self.tr("On the floor") if self._on_floor() else self.tr("Note")

    def _on_floor(self) -> bool:
        return all(note.about is None for note in self.entities())

    def _write(self, text: str) -> None:
        def write(draft: Draft) -> None:
            for note in self.entities():
                edits.set_note_text(draft, note.id, text)

        self.edit(self.tr("Write note"), write)

    def _place(self, axis: str, value: float | None) -> None:
        if value is None:
            return
        spots = {
            note.id: (
                value if axis == "x_m" else note.x_m,
                value if axis == "y_m" else note.y_m,
                note.about,
            )
            for note in self.entities()
        }
        self.edit(self.tr("Move note"), edits.move_notes, spots)
