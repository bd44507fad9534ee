# SPDX-License-Identifier: Apache-2.0
"""The open design: its history as Qt signals, and the one selection all views share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from rackloom.design import Change, Design, History, Step
from rackloom.design.ids import by_age
from rackloom.design.names import shortened

Selection = frozenset[str]
LONGEST_LABEL = 100
"""Steps are called after things, whose names may be of any length."""


class Document(QObject):
    """What panels and canvas share. Every edit goes through ``do``; nobody keeps a copy.

    ``changed`` comes once a turn of the event loop with the design and everything that changed
    since the last time, however many steps were made; ``flush`` sends it at once.
    """

    changed = Signal(object, object)
    """(Design, Change): the design is another one now."""
    stepped = Signal(object)
    """(Step) at once after every step, undo and redo: for the journal."""
    replaced = Signal(object)
    """(Design): another design altogether was opened; everything has to be built anew."""
    state_changed = Signal()
    """Undo text, clean state, path or title may have changed."""
    selection_changed = Signal(object)
    """(frozenset of ids)"""
    hover_changed = Signal(str)
    """The id under the pointer in any view, or an empty string."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = History()
        self._stop_listening = self._history.listen(self._on_step)
        self._pending: Change | None = None
        self._selection: Selection = frozenset()
        self._hover = ""
        self._path: Path | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.flush)

    # The design and its history

    @property
    def design(self) -> Design:
        """The design as it is now."""
        return self._history.design

    @property
    def history(self) -> History:
        """The history, for reading; edits go through ``do``."""
        return self._history

    @property
    def path(self) -> Path | None:
        """The file the design was opened from or saved to."""
        return self._path

    @property
    def title(self) -> str:
        """What the window is called: the file's name, or that there is none yet."""
        return self._path.name if self._path else self.tr("Untitled")

    @property
    def is_clean(self) -> bool:
        """Whether everything is saved."""
        return self._history.is_clean

    def open_design(self, design: Design, path: Path | None, *, clean: bool = True) -> None:
        """Show another design, with an empty history."""
        self._stop_listening()
        self._timer.stop()
        self._pending = None
        self._history = History(design)
        if not clean:
            self._history.mark_dirty()
        self._stop_listening = self._history.listen(self._on_step)
        self._path = path
        self._selection = frozenset()
        self._hover = ""
        self.replaced.emit(design)
        self.selection_changed.emit(self._selection)
        self.state_changed.emit()

    def hold(self) -> Design:
        """The design as it is now, to be saved while steps may go on."""
        self._history.hold()
        return self.design

    def held_saved_as(self, path: Path) -> None:
        """Say that the design as it was at `hold` is in this file."""
        self._path = path
        self._history.mark_held_clean()
        self.state_changed.emit()

    def do(
        self, label: str, edit: Callable[..., Any], *args: Any, merge_key: str = "", **kwargs: Any
    ) -> Any:
        """Run an edit as one undoable step; returns what it returned, raises EditError."""
        label = shortened(label, LONGEST_LABEL)
        return self._history.do(label, edit, *args, merge_key=merge_key, **kwargs)

    def undo(self) -> None:
        """Take the last step back."""
        self._history.undo()

    def redo(self) -> None:
        """Do the next undone step again."""
        self._history.redo()

    def go_to(self, position: int) -> None:
        """Undo or redo until this many steps are done."""
        self._history.go_to(position)

    @property
    def undo_label(self) -> str | None:
        """What undo would take back, or None."""
        history = self._history
        return history.steps[history.position - 1].label if history.can_undo() else None

    def undone(self) -> Callable[[], bool]:
        """Asks, later, whether the step done last has been undone."""
        position = self._history.position
        return lambda: self._history.position < position

    @property
    def redo_label(self) -> str | None:
        """What redo would do again, or None."""
        history = self._history
        return history.steps[history.position].label if history.can_redo() else None

    def _on_step(self, design: Design, step: Step) -> None:
        del design
        if self._pending is None:
            self._pending = step.change
            self._timer.start()
        else:
            self._pending = self._pending.then(step.change)
        self.stepped.emit(step)
        self.state_changed.emit()

    def flush(self) -> None:
        """Send the pending change now."""
        self._timer.stop()
        change, self._pending = self._pending, None
        if change is None:
            return
        self._prune_selection(change)
        self.changed.emit(self.design, change)

    # Selection and hover

    @property
    def selection(self) -> Selection:
        """Ids of what is selected: racks, devices, cables, modules, feeds, rows."""
        return self._selection

    def select(self, ids: Iterable[str]) -> None:
        """Select these and nothing else."""
        self._set_selection(frozenset(ids))

    def select_more(self, ids: Iterable[str]) -> None:
        """Add to the selection."""
        self._set_selection(self._selection.union(ids))

    def toggle(self, ids: Iterable[str]) -> None:
        """Select what is not selected, and the other way round."""
        self._set_selection(self._selection.symmetric_difference(ids))

    def _set_selection(self, selection: Selection) -> None:
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit(selection)

    def _prune_selection(self, change: Change) -> None:
        gone = {record.id for record in change if record.after is None}
        self._set_selection(self._selection - gone)

    def selected(self, table: str) -> list[str]:
        """The selected ids that are in one table of the design, oldest first."""
        rows = self.design.table(table)
        return sorted((i for i in self._selection if i in rows), key=by_age)

    @property
    def hover(self) -> str:
        """The id under the pointer, or an empty string."""
        return self._hover

    def set_hover(self, entity_id: str) -> None:
        """Say what the pointer is over."""
        if entity_id != self._hover:
            self._hover = entity_id
            self.hover_changed.emit(entity_id)
