# SPDX-License-Identifier: Apache-2.0
"""What the menus do to the design: core edits with the selection, a label and a sentence if not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from rackloom.catalog.load import Catalog
from rackloom.checks.finding import Finding, Fix
from rackloom.checks.trying import try_all
from rackloom.design import Draft, EditError, edits
from rackloom.design.copying import paste
from rackloom.design.ids import DeviceId
from rackloom.files.errors import FileError
from rackloom_gui import clipboard
from rackloom_gui.document import Document


class Editing(QObject):
    """Every edit that a menu, key or panel makes; each is one undoable step."""

    refused = Signal(str)
    """Why an edit was not made, in one sentence."""
    told = Signal(str)
    """What was done, where that is not plain to see."""
    unkept = Signal(str, object)
    """(label of a step, list of Kept): what it could not keep."""

    def __init__(self, document: Document, catalog: Catalog, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.catalog = catalog

    def run(
        self, label: str, edit: Callable[..., Any], *args: Any, merge_key: str = "", **kwargs: Any
    ) -> Any:
        """Make an edit; None, with the reason told, where it is refused."""
        try:
            return self._document.do(label, edit, *args, merge_key=merge_key, **kwargs)
        except EditError as error:
            self.refused.emit(sentence(str(error)))
            return None

    # -- naming what is selected ------------------------------------------------------------------

    def _what(self, ids: Iterable[str] | None = None) -> str:
        """What a selection is called in the history: a name, or how many of what."""
        design = self._document.design
        chosen = list(self._document.selection if ids is None else ids)
        if len(chosen) == 1:
            return design.name_of(chosen[0])
        words = {
            "racks": self.tr("racks"),
            "devices": self.tr("devices"),
            "cables": self.tr("cables"),
            "notes": self.tr("notes"),
        }
        counts = [
            f"{count} {word}"
            for table, word in words.items()
            if (count := sum(1 for i in chosen if i in design.table(table)))
        ]
        return ", ".join(counts) or self.tr("{0} things").format(len(chosen))

    def _devices(self) -> list[DeviceId]:
        return [DeviceId(i) for i in self._document.selected("devices")]

    # -- clipboard --------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the selected racks and devices with the cables among them, and notes."""
        count = clipboard.copy(self._document.design, self._document.selection)
        if not count:
            self.refused.emit(self.tr("Only racks, devices and notes can be copied."))

    def cut(self) -> None:
        """Copy, then delete."""
        if clipboard.copy(self._document.design, self._document.selection):
            self.run(
                self.tr("Cut {0}").format(self._what()), edits.remove, self._document.selection
            )

    def paste(self) -> None:
        """Put the clipboard into the selected rack, or where the things came from."""
        try:
            clip = clipboard.read()
        except FileError as error:
            self.refused.emit(sentence(str(error)))
            return
        if not clip:
            self.refused.emit(self.tr("The clipboard holds nothing of a Rackloom design."))
            return

        def put(draft: Draft) -> list[str]:
            if not draft.rows:
                edits.add_row(draft)
            return paste(draft, clip, self._target_id())

        count = len(clip.whole_racks) or len(clip.design.devices)
        count += len(clip.design.notes)
        new = self.run(self.tr("Paste {0} things").format(count), put)
        if new:
            self._document.select(self._top_level(new))

    def _target_id(self) -> str | None:
        racks = self._document.selected("racks")
        devices = self._document.selected("devices")
        return racks[-1] if racks else devices[-1] if devices else None

    def _top_level(self, new: Sequence[str]) -> list[str]:
        """Of new things the racks, else the devices: what to select after pasting."""
        racks = [i for i in new if i in self._document.design.racks]
        return racks or list(new)

    # -- unplugging, turning ----------------------------------------------------------------------

    def disconnect(self) -> None:  # type: ignore[override]
        """Delete the selected cables and those of the selected devices."""
        design = self._document.design
        cables = set(self._document.selected("cables"))
        for device in self._devices():
            cables.update(design.index.cables_of_device.get(device, ()))
        if cables:
            self.run(self.tr("Disconnect {0} cables").format(len(cables)), edits.remove, cables)
        else:
            self.refused.emit(self.tr("No cable is plugged there."))

    def flip_face(self) -> None:
        """Mount the selected devices facing the other side of the rack."""
        self.run(
            self.tr("Turn {0}").format(self._what(self._devices())),
            edits.flip_devices,
            self._devices(),
        )

    # -- findings ---------------------------------------------------------------------------------

    def fix(self, finding: Finding, fix: Fix) -> None:
        """Apply a fix. Of a great design it may be an older one's: its findings come later."""
        del finding
        try:
            self.run(fix.label, fix.edit)
        except KeyError:
            self.refused.emit(self.tr("What this fix is about is not there any more."))

    def fix_all(self, label: str, findings: Sequence[Finding]) -> tuple[int, int]:
        """Apply the first fix of each finding as one step; (fixed, left alone).

        ``label`` may have a ``{0}`` for the number of those that were fixed.
        """
        outcome = try_all(self._document.design, findings)
        if outcome.change:
            self.run(label.format(outcome.done), Draft.take, outcome.change)
        self.told.emit(self.tr("{0} fixed, {1} left.").format(outcome.done, outcome.left))
        return outcome.done, outcome.left


def sentence(text: str) -> str:
    """A reason of the core as a sentence of its own."""
    text = sentence_case(text.strip())
    if not text:
        return text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def sentence_case(text: str) -> str:
    """A capital at the beginning, unless the first word is a name (``leaf-01``, ``gpu_3``)."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
