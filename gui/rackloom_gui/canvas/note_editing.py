# SPDX-License-Identifier: Apache-2.0
"""Writing notes where they are: a small plain text field in the place of the note's plate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from rackloom.design import EditError, edits
from rackloom.design.notes import MOST_CHARACTERS, plain_text
from rackloom_gui.canvas.notes import PAD_PX, WRAP_PX, line_px, text_size, wrapped
from rackloom_gui.canvas.pencil import font_of
from rackloom_gui.canvas.tools.move import tr
from rackloom_gui.tokens import Tokens

if TYPE_CHECKING:
    from rackloom_gui.canvas.pane import Pane

WIDTH_PX = int(WRAP_PX) + 34
FEWEST_LINES, MOST_LINES = 3, 14
BESIDE_M = 0.06
"""A note that is added to what is selected lies this far beside it."""
_KEPT_OPEN = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


class NoteField(QPlainTextEdit):
    """Plain text. Ctrl+Enter or another place for the focus is yes, Escape is no."""

    def __init__(
        self,
        parent: QWidget,
        text: str,
        done: Callable[[str | None], None],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(parent)
        self._done, self._say = done, say
        self._closed = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("Text of the note"))
        self.setPlaceholderText(tr("Write a note. Ctrl+Enter keeps it, Esc does not."))
        self.setPlainText(plain_text(text))
        self.selectAll()

    def dress(self, tokens: Tokens, size: int) -> None:
        """Look like the note's plate."""
        self.setFont(font_of(size))
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {tokens.note_fill.name()};"
            f" color: {tokens.note_text.name()}; border: 2px solid {tokens.selection.name()};"
            f" border-radius: 3px; padding: {int(PAD_PX) - 4}px;"
            f" selection-background-color: {tokens.selected.name()};"
            f" selection-color: {tokens.selected_text.name()}; }}"
        )

    def close_with(self, *, keep: bool) -> None:
        """End the writing, once."""
        if not self._closed:
            self._closed = True
            self._done(self.toPlainText() if keep else None)

    # Keys: the window's shortcuts must not act on the drawing while somebody writes

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            key = cast("QKeyEvent", event)
            if self._is_mine(key):
                event.accept()
                return True
            result = super().event(event)
            if not event.isAccepted() and _is_command(key):
                self.close_with(keep=True)  # saving saves what was written
            return result
        return super().event(event)

    @staticmethod
    def _is_mine(event: QKeyEvent) -> bool:
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return event.key() == Qt.Key.Key_Escape or (ctrl and enter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._is_mine(event):
            self.close_with(keep=event.key() != Qt.Key.Key_Escape)
            event.accept()
            return
        writes = event.text().isprintable() or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.text() and writes and not self._room():
            self._say_full()
            event.accept()
            return
        super().keyPressEvent(event)
        event.accept()  # what is of no use here is of no use to the drawing behind either

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = plain_text(source.text())
        room = self._room()
        if len(text) > room:
            self._say_full()
        self.textCursor().insertText(text[:room])

    def _room(self) -> int:
        cursor = self.textCursor()
        chosen = cursor.selectionEnd() - cursor.selectionStart()
        return max(MOST_CHARACTERS - self.document().characterCount() + 1 + chosen, 0)

    def _say_full(self) -> None:
        self._say(tr("A note holds {count} characters.").format(count=MOST_CHARACTERS))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _KEPT_OPEN:
            self.close_with(keep=True)


def _is_command(event: QKeyEvent) -> bool:
    """Whether a key stands for something a window does, rather than for a letter."""
    modifiers = (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    alone = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)
    if event.key() in alone or (event.text() and event.text().isprintable()):
        return False
    function = Qt.Key.Key_F1 <= event.key() <= Qt.Key.Key_F35
    return function or bool(event.modifiers() & modifiers)


class NoteEditing(QObject):
    """Adds and edits notes in one view."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(pane)
        self.pane = pane
        self.field: NoteField | None = None
        self._place = QPointF()
        self.menu_place: QPointF | None = None
        """Where a context menu was opened last: a note from it goes there."""
        pane.view_changed.connect(self.follow)
        pane.document.replaced.connect(lambda _design: self.give_up())
        pane.document.changed.connect(lambda _design, _change: self._check())

    # Beginning

    def add(self) -> None:
        """Begin a new note at the pointer, else beside the one thing selected, else in the middle.

        Nothing is added before something is written.
        """
        pane = self.pane
        if not pane.can_edit:
            return
        self.finish()
        found = self._where()
        if found is None:
            pane.say(tr("Add a rack first: a note in this view goes with something in it."))
            return
        place, (x_m, y_m, about) = found

        def keep(text: str) -> None:
            new = pane.document.do(tr("Add note"), edits.add_note, text, x_m, y_m, about)
            pane.document.flush()
            pane.document.select([new])

        self._open(place, "", keep)

    def edit(self, note_id: str) -> bool:
        """Write in a note; False where it is not in this view."""
        pane = self.pane
        if not pane.can_edit:
            return False
        self.finish()
        pane.show_ids([note_id])
        plate = pane.arrays.notes.plate_of(note_id, pane.scale_px, whole=True)
        if plate is None:
            return False
        note = pane.document.design.notes[note_id]  # type: ignore[index]

        def keep(text: str) -> None:
            if text.strip() == plain_text(note.text).strip():
                return
            if text.strip():
                pane.document.do(tr("Write note"), edits.set_note_text, note_id, text)
            else:
                pane.document.do(tr("Delete note"), edits.remove, [note_id])
            pane.document.flush()

        pane.document.select([note_id])
        pane.arrays.notes.edited = note_id
        self._open(QPointF(plate.box[0], plate.box[1]), note.text, keep)
        return True

    def _open(self, place: QPointF, text: str, keep: Callable[[str], None]) -> None:
        pane = self.pane

        def done(text: str | None) -> None:
            self._close()
            if text is not None and (text.strip() or pane.arrays.notes.edited):
                try:
                    keep(text)
                except EditError as error:
                    pane.say(str(error))
            pane.arrays.notes.edited = ""
            pane.refresh()

        self._place = place
        self.field = NoteField(pane.viewport(), text, done, pane.say)
        self.field.textChanged.connect(self.follow)
        self.follow()
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        pane.refresh()

    # Ending

    def finish(self) -> None:
        """Keep what was written so far."""
        if self.field is not None:
            self.field.close_with(keep=True)

    def give_up(self) -> None:
        """Forget what was written."""
        if self.field is not None:
            self.field.close_with(keep=False)

    def _close(self) -> None:
        field, self.field = self.field, None
        if field is None:
            return
        had_focus = field.hasFocus()
        field.hide()
        field.deleteLater()
        if had_focus:
            self.pane.setFocus(Qt.FocusReason.OtherFocusReason)

    def _check(self) -> None:
        """The note that is being written may be gone, by another way."""
        edited = self.pane.arrays.notes.edited
        if edited and edited not in self.pane.document.design.notes:
            self.give_up()

    # Placing

    def follow(self) -> None:
        """Stay where the note is, as large as its text, wholly on screen."""
        field, pane = self.field, self.pane
        if field is None:
            return
        size = max(text_size(pane.scale_px), 12)
        field.dress(pane.look.tokens, size)
        lines, _ = wrapped(field.toPlainText()[:MOST_CHARACTERS], size)
        shown = min(max(len(lines), FEWEST_LINES), MOST_LINES)
        field.resize(WIDTH_PX, int(shown * line_px(size) + 2 * PAD_PX + 8))
        room = pane.viewport().size()
        at = pane.to_view(self._place)
        x = min(max(int(at.x()) - 1, 2), max(room.width() - field.width() - 2, 2))
        y = min(max(int(at.y()) - 1, 2), max(room.height() - field.height() - 2, 2))
        field.move(x, y)

    def _where(self) -> tuple[QPointF, tuple[float, float, str | None]] | None:
        """Where a new note goes: its place on the drawing, and that in the words of the design."""
        pane = self.pane
        pane.catch_up()
        pointer, self.menu_place = self.menu_place or pane.pointer_place(), None
        chosen = [i for i in pane.document.selection if pane.arrays.notes.base(i) is not None]
        if pane.arrays.layout.name == "floor":
            place = pointer or self._middle()
            return place, (round(place.x() / 1000, 3), round(place.y() / 1000, 3), None)
        if pointer is None and len(chosen) == 1:
            base = pane.arrays.notes.base(chosen[0])
            assert base is not None
            (x, y), _ = base
            place = QPointF(x + BESIDE_M * 1000, y)
            pane.show_ids(chosen)
            return place, (BESIDE_M, 0.0, chosen[0])
        place = pointer or self._middle()
        about = self._about(place)
        base = pane.arrays.notes.base(about) if about is not None else None
        if base is None:
            return None
        (x, y), _ = base
        return place, (round((place.x() - x) / 1000, 3), round((place.y() - y) / 1000, 3), about)

    def _middle(self) -> QPointF:
        return self.pane.visible_rect().center()

    def _about(self, place: QPointF) -> str | None:
        """What a note at a place is about: what is there, else the row or the nearest node."""
        pane = self.pane
        hit = pane.hit_at(place)
        found = hit.device or hit.cable or hit.rack
        if found is not None:
            return found
        if pane.arrays.layout.name == "racks":
            bands = pane.drawing.bands
            y = place.y()
            near = min(bands, key=lambda b: max(b.top_mm - y, y - b.floor_mm, 0.0), default=None)
            return None if near is None else near.row
        return pane.hits.nearest_device(place.x(), place.y())
