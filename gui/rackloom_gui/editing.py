# SPDX-License-Identifier: Apache-2.0
"""What the menus do to the design: core edits with the selection, a label and a sentence if not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, NicPart, Part, RackPart, ServerPart

from rackloom.checks.finding import Finding, Fix
from rackloom.design import Design, Draft, EditError, edits
from rackloom.design.copying import duplicate, paste
from rackloom.design.ids import DeviceId, RackId, RowId
from rackloom.design.slots import first_free_u
from rackloom.files.errors import FileError
from rackloom_gui import clipboard
from rackloom_gui.document import Document


class Editing(QObject):
    """Every edit that a menu, key or panel makes; each is one undoable step."""

    refused = Signal(str)
    """Why an edit was not made, in one sentence."""
    told = Signal(str)
    """What was done, where that is not plain to see."""

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
        """Copy the selected racks and devices with the cables among them."""
        count = clipboard.copy(self._document.design, self._document.selection)
        if not count:
            self.refused.emit(self.tr("Only racks and devices can be copied."))

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
        new = self.run(self.tr("Paste {0} things").format(count), put)
        if new:
            self._document.select(self._top_level(new))

    def _target_id(self) -> str | None:
        racks = self._document.selected("racks")
        devices = self._document.selected("devices")
        return racks[-1] if racks else devices[-1] if devices else None

    def duplicate(self) -> None:
        """Copies in the next free U, or behind the last rack of the row."""
        design, ids = self._document.design, self._document.selection
        new = self.run(self.tr("Duplicate {0}").format(self._what()), duplicate, design, ids)
        if new:
            self._document.select(self._top_level(new))

    def _top_level(self, new: Sequence[str]) -> list[str]:
        """Of new things the racks, else the devices: what to select after pasting."""
        racks = [i for i in new if i in self._document.design.racks]
        return racks or list(new)

    # -- deleting, turning, moving ----------------------------------------------------------------

    def delete(self) -> None:
        """Delete what is selected and what cannot stay without it."""
        ids = self._document.selection
        if ids:
            self.run(self.tr("Delete {0}").format(self._what()), edits.remove, ids)

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

    def nudge(self, by_u: int) -> None:
        """Move the selected devices up or down, all of them or none."""
        design = self._document.design
        places = {
            d: (design.devices[d].rack, bottom + by_u)
            for d in self._devices()
            if (bottom := design.devices[d].bottom_u) is not None
        }
        if places:
            label = self.tr("Move {0}").format(self._what(places))
            self.run(label, edits.move_devices, places, merge_key=f"nudge {sorted(places)}")

    def nudge_rack(self, by: int) -> None:
        """Move the selected devices to the next rack on the right (1) or left (-1)."""
        design = self._document.design
        places: dict[DeviceId, tuple[RackId, int | None]] = {}
        for device_id in self._devices():
            device = design.devices[device_id]
            rack = neighbour(design, device.rack, by)
            if rack is None:
                self.refused.emit(self.tr("There is no rack on that side."))
                return
            places[device_id] = (rack, device.bottom_u)
        if places:
            label = self.tr("Move {0}").format(self._what(places))
            self.run(label, edits.move_devices, places, merge_key=f"nudge {sorted(places)}")

    def select_all(self) -> None:
        """Everything of the kind that is selected; devices where nothing is."""
        design = self._document.design
        for table in ("devices", "racks", "cables"):
            if self._document.selected(table):
                self._document.select(design.table(table))
                return
        self._document.select(design.devices or design.racks)

    # -- putting in -------------------------------------------------------------------------------

    def insert(self, part: Part) -> None:
        """Put a part of the catalogue in where it fits best, as Enter in the palette does."""
        match part:
            case RackPart():
                rack = self.run(self.tr("Add {0}").format(part.title), add_rack_at_end, part,
                                self._row())  # fmt: skip
                if rack:
                    self._document.select([rack])
            case DevicePart():
                self._insert_device(part)
            case NicPart():
                self._insert_card(part)
            case _:
                self.refused.emit(
                    self.tr("Take the cable tool or drag {0} to a port.").format(part.title)
                )

    def _row(self) -> RowId | None:
        design = self._document.design
        target = self._target_id()
        if target is None:
            return None
        rack = target if target in design.racks else design.devices[DeviceId(target)].rack
        return design.racks[RackId(rack)].row

    def _insert_device(self, part: DevicePart) -> None:
        design = self._document.design
        if not design.racks:
            self.refused.emit(self.tr("Add a rack first: {0} stands in one.").format(part.title))
            return
        target = self._target_id()
        if target is not None:
            rack = target if target in design.racks else design.devices[DeviceId(target)].rack
            candidates = [RackId(rack)]
        else:
            candidates = list(design.racks)
        for rack_id in candidates:
            bottom_u = first_free_u(design, part, rack_id) if part.rack_units else None
            if part.rack_units and bottom_u is None:
                continue
            label = self.tr("Add {0}").format(part.title)
            new = self.run(label, edits.add_device, part, rack_id, bottom_u)
            if new:
                self._document.select([new])
            return
        name = design.racks[candidates[0]].name
        where = name if len(candidates) == 1 else self.tr("any rack")
        self.refused.emit(
            self.tr("There are no {0} free U together in {1}.").format(
                f"{part.rack_units:g}", where
            )
        )

    def _insert_card(self, part: NicPart) -> None:
        design = self._document.design
        for device_id in self._devices():
            server = design.device_part(device_id)
            if not isinstance(server, ServerPart):
                continue
            taken = {slot for slot, _ in design.devices[device_id].cards}
            free = next((s.name for s in server.slots if s.name not in taken), None)
            if free is not None:
                name = design.name_of(device_id)
                label = self.tr("Add {0} to {1}").format(part.title, name)
                self.run(label, edits.set_card, device_id, free, part)
                return
        self.refused.emit(self.tr("Select a server with a free slot for {0}.").format(part.title))

    # -- findings ---------------------------------------------------------------------------------

    def fix(self, finding: Finding, fix: Fix) -> None:
        """Apply a fix."""
        del finding
        self.run(fix.label, fix.edit)

    def fix_all(self, label: str, findings: Sequence[Finding]) -> tuple[int, int]:
        """Apply the first fix of each finding as one step; (fixed, left alone)."""
        done = left = 0
        key = f"fix-all {id(findings)}"
        for finding in findings:
            if finding.accepted is not None:
                continue
            try:
                fixes = finding.fixes
                if not fixes:
                    left += 1
                    continue
                self._document.do(label, fixes[0].edit, merge_key=key)
                done += 1
            except (EditError, KeyError):  # an earlier fix took away what this one was about
                left += 1
        self.told.emit(self.tr("{0} fixed, {1} left.").format(done, left))
        return done, left


def add_rack_at_end(draft: Draft, part: RackPart, row: RowId | None) -> RackId:
    """A rack behind the last one of a row; of the last row, or a new one, where none is given."""
    if row is None:
        row = next(reversed(draft.rows)) if draft.rows else edits.add_row(draft)
    ends = [
        rack.position_m + draft.part(rack.part, RackPart).width_mm / 1000
        for rack in draft.racks.values()
        if rack.row == row
    ]
    return edits.add_rack(draft, part, row, round(max(ends, default=0.0), 6))


def neighbour(design: Design, rack_id: RackId, by: int) -> RackId | None:
    """The next rack of the same row on the right (1) or left (-1)."""
    row = design.index.racks_in_row[design.racks[rack_id].row]
    ordered = sorted(row, key=lambda r: design.racks[r].position_m)
    place = ordered.index(rack_id) + by
    return ordered[place] if 0 <= place < len(ordered) else None


def sentence(text: str) -> str:
    """A reason of the core as a sentence of its own."""
    text = text.strip()
    if not text:
        return text
    return text if text.endswith((".", "!", "?")) else f"{text}."


