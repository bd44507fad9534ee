# SPDX-License-Identifier: Apache-2.0
"""Racks, rows and feeds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from rackloom.catalog.parts import DevicePart, RackPart
from rackloom.design import Draft, edits
from rackloom.design.ids import FeedId, RowId
from rackloom.design.slots import free_ranges
from rackloom_gui.panels.fields import ChoiceField, NumberField, TextField
from rackloom_gui.panels.figures import sum_text
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.widgets.quantity import (
    CURRENT_A,
    LENGTH_M,
    MASS_KG,
    VOLTAGE_V,
    format_quantity,
)


class RackPage(Page):
    """One rack, or several at once."""

    kind = "racks"

    def build(self) -> None:
        racks = self.entities()
        parts = {r.part for r in racks}
        only = self.design.part(next(iter(parts)), RackPart) if len(parts) == 1 else None
        self.head("rack", self._title, lambda: only.title if only else self.tr("several kinds"))
        self.section()
        if len(racks) == 1:
            name = self.tr("Name")
            self.field(name, TextField(name, needed=True), lambda r: r.name, self._rename)
        row = self.tr("Row")
        rows = [(r.id, r.name) for r in self.design.rows.values()]
        self.field(row, ChoiceField(row, rows), lambda r: r.row, self._move_to_row)
        if len(racks) == 1:
            place = self.tr("Place in row")
            self.field(
                place,
                NumberField(place, LENGTH_M, low=0.0, high=1000.0),
                lambda r: r.position_m,
                self._move_along,
                self.tr("Left edge of the rack from the beginning of the row"),
            )
            self.link("", self.design.rows[racks[0].row].name, [racks[0].row])
        self.section(self.tr("Content"))
        self.text(self.tr("Devices"), lambda: str(len(self._devices())))
        self.text(self.tr("Free"), self._free)
        self.text(self.tr("Greatest power"), self._power)
        self.text(self.tr("Weight"), self._weight)
        if only is not None:
            self.figures(only)

    def _title(self) -> str:
        racks = self.entities()
        if len(racks) == 1:
            return str(racks[0].name)
        return self.tr("{0} racks").format(len(racks))

    def _rename(self, text: str) -> None:
        rack = self.entities()[0]
        self.edit(self.tr("Rename {0}").format(rack.name), edits.rename, rack.id, text)

    def _move_to_row(self, row: RowId) -> None:
        def move(draft: Draft) -> None:
            for rack in self.entities():
                ends = [
                    r.position_m + draft.part(r.part, RackPart).width_mm / 1000
                    for r in draft.racks.values()
                    if r.row == row and r.id != rack.id
                ]
                edits.move_rack(draft, rack.id, row, round(max(ends, default=0.0), 6))

        self.edit(self.tr("Move {0}").format(self._title()), move)

    def _move_along(self, value: float | None) -> None:
        rack = self.entities()[0]
        if value is not None:
            label = self.tr("Move {0}").format(rack.name)
            self.edit(label, edits.move_rack, rack.id, rack.row, value)

    def _devices(self) -> list[Any]:
        index = self.design.index.devices_in_rack
        return [self.design.devices[d] for r in self.ids for d in index.get(r, ())]  # type: ignore[call-overload]

    def _free(self) -> str:
        free = total = 0
        runs: list[tuple[int, int]] = []
        for rack in self.entities():
            runs = free_ranges(self.design, rack.id)
            free += sum(high - low + 1 for low, high in runs)
            total += self.design.part(rack.part, RackPart).rack_units
        text = self.tr("{0} of {1} U").format(free, total)
        if len(self.ids) == 1 and runs:
            shown = [f"U{a}" if a == b else f"U{a}–{b}" for a, b in reversed(runs)][:6]
            text += f" ({', '.join(shown)}{', …' if len(runs) > 6 else ''})"
        return text

    def _power(self) -> str:
        return sum_text(
            self.tools.power.sum(self.design, [device.id for device in self._devices()])
        )

    def _weight(self) -> str:
        from rackloom.placement.sold_racks import rack_as_sold

        known_kg, unknown = 0.0, 0
        covered: set[str] = set()
        for rack in self.entities():
            sold = rack_as_sold(self.design, rack.id)  # its maker weighs it loaded, not the trays
            if sold is not None and sold.system.weight_kg is not None:
                known_kg += sold.system.weight_kg
                covered |= sold.devices
        for device in self._devices():
            if device.id in covered:
                continue
            weight_kg = self.design.part(device.part, DevicePart).weight_kg
            if weight_kg is None:
                unknown += 1
            else:
                known_kg += weight_kg
        text = format_quantity(known_kg, MASS_KG, 1)
        if covered:
            text = self.tr("{0} with the rack as sold").format(text)
        return self.tr("{0}, unknown of {1} devices").format(text, unknown) if unknown else text


class RowPage(Page):
    """A row of racks."""

    kind = "rows"

    def build(self) -> None:
        self.head("racks", self._title, self._below)
        self.section()
        if len(self.ids) == 1:
            name = self.tr("Name")
            self.field(name, TextField(name, needed=True), lambda r: r.name, self._rename)
        for label, axis in ((self.tr("From the left"), "x_m"), (self.tr("From the front"), "y_m")):
            self.field(
                label,
                NumberField(label, LENGTH_M, low=-1000.0, high=10_000.0),
                attrgetter(axis),
                partial(self._place, axis),
                self.tr("Where the row's left front corner is on the floor"),
            )

    def _title(self) -> str:
        rows = self.entities()
        return str(rows[0].name) if len(rows) == 1 else self.tr("{0} rows").format(len(rows))

    def _below(self) -> str:
        index = self.design.index.racks_in_row
        count = sum(len(index.get(RowId(r), ())) for r in self.ids)
        return self.tr("{0} racks").format(count)

    def _rename(self, text: str) -> None:
        row = self.entities()[0]
        self.edit(self.tr("Rename {0}").format(row.name), edits.rename, row.id, text)

    def _place(self, axis: str, value: float | None) -> None:
        def move(draft: Draft) -> None:
            for row in self.entities():
                draft.put(replace(row, **{axis: value}))

        if value is not None:
            self.edit(self.tr("Move {0}").format(self._title()), move)


class FeedPage(Page):
    """A circuit from the building."""

    kind = "feeds"

    def build(self) -> None:
        self.head("power", self._title, self._below)
        self.section()
        if len(self.ids) == 1:
            name = self.tr("Name")
            self.field(name, TextField(name, needed=True), lambda f: f.name, self._rename)
        group = self.tr("Group")
        self.field(
            group, ChoiceField(group, [("A", "A"), ("B", "B")]), lambda f: f.group,
            self._setter("group"), self.tr("Feeds of different groups fail independently"),
        )  # fmt: skip
        volts, amps, phases = self.tr("Voltage"), self.tr("Breaker"), self.tr("Phases")
        self.field(volts, NumberField(volts, VOLTAGE_V, low=100, high=1000),
                   lambda f: f.voltage_v, self._setter("voltage_v"))  # fmt: skip
        self.field(amps, NumberField(amps, CURRENT_A, low=1, high=1000),
                   lambda f: f.current_a, self._setter("current_a"))  # fmt: skip
        self.field(phases, ChoiceField(phases, [(1, "1"), (3, "3")]),
                   lambda f: f.phases, self._setter("phases"))  # fmt: skip
        self.section(self.tr("Feeds"))
        for cord_id in self.design.index.cords_from_source.get(self.ids[0], ())[:24]:
            device = self.design.devices[self.design.cords[cord_id].device]
            self.link("", device.name, [device.id])

    def _title(self) -> str:
        feeds = self.entities()
        return str(feeds[0].name) if len(feeds) == 1 else self.tr("{0} feeds").format(len(feeds))

    def _below(self) -> str:
        return self.tr("Feed from the building")

    def _rename(self, text: str) -> None:
        feed = self.entities()[0]
        self.edit(self.tr("Rename {0}").format(feed.name), edits.rename, FeedId(feed.id), text)

    def _setter(self, name: str) -> Any:
        def commit(value: Any) -> None:
            def change(draft: Draft) -> None:
                for feed in self.entities():
                    draft.put(replace(feed, **{name: value}))

            if value is not None:
                self.edit(self.tr("Change {0}").format(self._title()), change)

        return commit
