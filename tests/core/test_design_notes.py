# SPDX-License-Identifier: Apache-2.0
"""Notes: plain text of bounded length, with the thing they are about or on the floor."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import small_design

from rackloom.design import Design, EditError, History, edits
from rackloom.design.copying import duplicate, paste, snippet
from rackloom.design.notes import MOST_CHARACTERS, first_line, plain_text


def _with_note(about: str | None = None, text: str = "mind the door") -> tuple[History, Any]:
    history = History(small_design())
    return history, history.do("Note", edits.add_note, text, 0.4, 0.2, about)


def _server(design: Design) -> Any:
    return next(d.id for d in design.devices.values() if d.bottom_u is not None)


def test_a_note_is_added_written_and_moved_as_one_step_each() -> None:
    history, note = _with_note()
    before = history.position
    history.do("Write", edits.set_note_text, note, "two\nlines")
    history.do("Move", edits.move_notes, {note: (1.5, -2.0, None)})
    assert history.position == before + 2
    kept = history.design.notes[note]
    assert (kept.text, kept.x_m, kept.y_m, kept.about) == ("two\nlines", 1.5, -2.0, None)
    history.undo()
    assert history.design.notes[note].x_m == 0.4


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\t"])
def test_a_note_without_text_is_refused(text: str) -> None:
    with pytest.raises(EditError, match="needs a text"):
        History(small_design()).do("Note", edits.add_note, text)


def test_a_note_that_is_too_long_is_refused_with_the_bound() -> None:
    with pytest.raises(EditError, match=str(MOST_CHARACTERS)):
        History(small_design()).do("Note", edits.add_note, "x" * (MOST_CHARACTERS + 1))


def test_a_note_about_nothing_is_refused() -> None:
    with pytest.raises(EditError, match="d99999"):
        History(small_design()).do("Note", edits.add_note, "hm", 0.0, 0.0, "d99999")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a    b"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("bell\x07 escape\x1b[31m nul\x00", "bell\ufffd escape\ufffd[31m nul\ufffd"),
        ("file\u202egnp.exe", "file\ufffdgnp.exe"),
        ("half \ud800", "half \ufffd"),
        ("Grüße, 機架, \U0001f468\u200d\U0001f469\u200d\U0001f467", None),
        ("<b>not bold</b> &amp;", None),
    ],
)
def test_only_what_controls_something_is_replaced(text: str, shown: str | None) -> None:
    assert plain_text(text) == (text if shown is None else shown)


@given(st.text())
def test_plain_text_stays_what_it_is(text: str) -> None:
    once = plain_text(text)
    assert plain_text(once) == once
    assert not {c for c in once if ord(c) < 32} - {"\n"}


def test_a_note_is_called_after_its_first_line() -> None:
    history, note = _with_note(text="\n  \nAsk the landlord\nabout the door")
    assert history.design.name_of(note) == "Ask the landlord"
    assert first_line("x" * 500) == "x" * 59 + "…"


def test_a_note_goes_with_what_it_is_about() -> None:
    history = History(small_design())
    server = _server(history.design)
    rack = history.design.devices[server].rack
    about = [
        history.do("Note", edits.add_note, "one", 0.0, 0.0, i)
        for i in (server, rack, history.design.racks[rack].row)
    ]
    floor = history.do("Note", edits.add_note, "floor")
    history.do("Remove", edits.remove, [server])
    assert about[0] not in history.design.notes
    history.do("Remove", edits.remove, [history.design.racks[rack].row])
    assert not history.design.notes.keys() & set(about)
    assert floor in history.design.notes
    history.undo()
    history.undo()
    assert set(about) <= history.design.notes.keys()


def test_a_note_about_a_cable_goes_with_a_device_at_its_end() -> None:
    history = History(small_design())
    cable = next(iter(history.design.cables.values()))
    note = history.do("Note", edits.add_note, "spare", 0.0, 0.0, cable.id)
    history.do("Remove", edits.remove, [cable.ends[0].device])
    assert cable.id not in history.design.cables
    assert note not in history.design.notes


def test_a_note_is_deleted_like_anything_else() -> None:
    history, note = _with_note()
    history.do("Remove", edits.remove, [note])
    assert note not in history.design.notes


def test_a_copied_note_lies_beside_its_original() -> None:
    history, note = _with_note()
    (new,) = history.do("Duplicate", duplicate, history.design, [note])
    old, copied = history.design.notes[note], history.design.notes[new]
    assert copied.text == old.text
    assert copied.x_m > old.x_m
    assert copied.y_m > old.y_m


def test_a_note_copied_with_its_device_goes_with_the_copy() -> None:
    history = History(small_design())
    server = _server(history.design)
    note = history.do("Note", edits.add_note, "one", 0.4, 0.2, server)
    clip = snippet(history.design, [server, note])
    new = history.do("Paste", paste, clip)
    copied = history.design.notes[next(i for i in new if i in history.design.notes)]
    assert copied.about in new
    assert copied.about != server
    assert (copied.x_m, copied.y_m) == (0.4, 0.2)


def test_a_note_pasted_where_its_thing_is_not_goes_with_the_target() -> None:
    history, note = _with_note(_server(small_design()))
    clip = snippet(history.design, [note])
    other = History(Design())
    row = other.do("Row", edits.add_row)
    (new,) = other.do("Paste", paste, clip)
    assert other.design.notes[new].about == row
