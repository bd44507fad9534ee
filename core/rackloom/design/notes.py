# SPDX-License-Identifier: Apache-2.0
"""Notes on the drawing: plain text at a place of the floor, or about a thing.

A note without ``about`` lies on the floor at ``x_m``, ``y_m``. One about a row, rack, device or
cable goes where that goes: ``x_m``, ``y_m`` say how far its upper left corner is to the right of
and below the thing's upper right corner (of a row its upper left corner, of a cable the middle of
its longest run) on the rack and fabric drawings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rackloom.design.entities import Note
from rackloom.design.errors import EditError
from rackloom.design.ids import NoteId

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design

MOST_CHARACTERS = 4000
"""More than two pages: what is longer is a document and belongs beside the design."""

HARMLESS = "\N{REPLACEMENT CHARACTER}"
TAB = "    "
ABOUT = ("devices", "racks", "rows", "cables")
"""Tables whose entities a note can be about."""

Spot = tuple[float, float, str | None]
"""``x_m``, ``y_m`` and ``about`` of a note."""

_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that would show a text in another order than it is stored in."""


def plain_text(text: str) -> str:
    """A text as it is shown: lines end in ``\\n``, tabs are spaces, nothing else controls anything.

    Control characters, halves of surrogate pairs and marks that turn the reading order round are
    replaced; letters of all scripts, marks on them and joined emoji stay.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n").replace("\t", TAB)
    if text.isprintable():
        return text
    return "".join(c if c == "\n" or _is_harmless(c) else HARMLESS for c in text)


def _is_harmless(character: str) -> bool:
    if character.isprintable():
        return True
    return unicodedata.category(character) not in {"Cc", "Cs"} and character not in _REORDERING


def first_line(text: str, most: int = 60) -> str:
    """What a note is called in lists: its first line that says something, shortened."""
    lines = (line.strip() for line in plain_text(text[: MOST_CHARACTERS * 2]).splitlines())
    line = next((line for line in lines if line), "")
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def add_note(
    draft: Draft, text: str, x_m: float = 0.0, y_m: float = 0.0, about: str | None = None
) -> NoteId:
    """A note on the drawing."""
    note_id = NoteId(draft.new_id("notes"))
    _check_about(draft, about)
    draft.put(Note(note_id, _checked(text), x_m, y_m, about))
    return note_id


def set_note_text(draft: Draft, note_id: str, text: str) -> None:
    """Write another text into a note."""
    draft.put(replace(_note(draft, note_id), text=_checked(text)))


def move_notes(draft: Draft, spots: Mapping[str, Spot]) -> None:
    """Put notes elsewhere, or say that they are about something else."""
    for note_id, (x_m, y_m, about) in spots.items():
        note = _note(draft, note_id)
        if about != note.about:
            _check_about(draft, about)
        draft.put(replace(note, x_m=x_m, y_m=y_m, about=about))


def remove_notes_about_nothing(draft: Draft, gone: Collection[str]) -> None:
    """Take away the notes about things that an edit removed (``gone``, or what went with them)."""
    for note in [*draft.table("notes").values()]:
        if note.about is None or note.id in gone:
            continue
        known = note.about in gone or is_thing(draft.base, note.about)
        if known and not is_thing(draft, note.about):
            draft.remove("notes", note.id)


def _note(draft: Draft, note_id: str) -> Note:
    note: Note | None = draft.table("notes").get(note_id)
    if note is None:
        raise EditError(f"there is no note {note_id!r}", (note_id,))
    return note


def _checked(text: str) -> str:
    text = plain_text(text).strip("\n").rstrip()
    if not text.strip():
        raise EditError("a note needs a text")
    if len(text) > MOST_CHARACTERS:
        raise EditError(
            f"a note holds {MOST_CHARACTERS} characters, and this text has {len(text)}: "
            "shorten it, or make two notes of it"
        )
    return text


def _check_about(draft: Draft, about: str | None) -> None:
    if about is not None and not is_thing(draft, about):
        raise EditError(f"there is nothing called {about!r} that a note could be about", (about,))


def is_thing(design: Design | Draft, entity_id: Any) -> bool:
    """Whether an id is that of a row, rack, device or cable: what a note can be about."""
    return any(entity_id in design.table(table) for table in ABOUT)
