# SPDX-License-Identifier: Apache-2.0
"""Cables: what they are, where they go, how long they are and have to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QToolButton

from rackloom.catalog.parts import CablePart
from rackloom.design import Cable, Change, Design, Draft, PortRef, edits, port_name
from rackloom.design.ids import CableId
from rackloom.placement.routes import route_m
from rackloom_gui.panels.fields import CheckField, ChoiceField, NumberField, TextField
from rackloom_gui.panels.figures import key_figures, rate_text
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.widgets.quantity import LENGTH_M, format_quantity

FABRICS = ("compute", "storage", "in-band", "out-of-band", "front-end")


class CablePage(Page):
    """One cable, or several at once."""

    kind = "cables"

    def build(self) -> None:
        self._links: list[tuple[QToolButton, list[str]]] = []
        self._shape = self._shape_of(self.ids)
        cables = self.entities()
        parts = {c.part for c in cables}
        only = self.design.part(next(iter(parts)), CablePart) if len(parts) == 1 else None
        self.head("cable", self._title, lambda: key_figures(only) if only else self._kinds())
        self.section()
        if len(cables) == 1:
            label = self.tr("Label")
            self.field(label, TextField(label), lambda c: c.label, self._rename)
        self._length_fields(only)
        fabric = self.tr("Fabric")
        choices = [(None, self.tr("worked out")), *((f, f) for f in FABRICS)]
        self.field(
            fabric,
            ChoiceField(fabric, choices, editable=True),
            lambda c: c.fabric,
            self._setter("fabric"),
        )
        colour = self.tr("Jacket")
        self.field(colour, TextField(colour), lambda c: c.colour or "", self._setter("colour"),
                   self.tr("Colour of the jacket, for the cable schedule"))  # fmt: skip
        if len(cables) == 1:
            self.section(self.tr("From end to end"))
            for name, text, ids in self._ends(cables[0]):
                self._links.append((self.link(name, text, ids), ids))
        if only is not None:
            self.figures(only)

    def must_rebuild(self, design: Design, change: Change) -> bool:
        if super().must_rebuild(design, change):
            return True
        mine = set(self.ids)
        return any(
            r.id in mine
            and r.before is not None
            and (r.before.part, r.before.ends) != (r.after.part, r.after.ends)
            for r in change.of("cables")
            if r.after is not None
        )

    def _shape_of(self, ids: Sequence[str]) -> object:
        """What the form depends on: cables of the same shape are shown in the same form."""
        cables = [self.design.cables[CableId(i)] for i in ids if i in self.design.cables]
        ends = len(cables[0].ends) if len(cables) == 1 else 0
        return len(cables) == 1, ends, frozenset(c.part for c in cables)

    def adopt(self, ids: Sequence[str]) -> bool:
        if self._shape_of(ids) != self._shape:
            return False
        self.ids = list(ids)
        return True

    def refresh(self) -> None:
        super().refresh()
        cables = self.entities()
        if len(cables) != 1:
            return
        for (button, ids), (_name, text, leads_to) in zip(
            self._links, self._ends(cables[0]), strict=True
        ):
            self.name_link(button, text)
            ids[:] = leads_to

    def _title(self) -> str:
        cables = self.entities()
        if len(cables) == 1:
            return self._name(cables[0])
        return self.tr("{0} cables").format(len(cables))

    def _name(self, cable: Cable) -> str:
        """Its label; without one the devices it joins, for an id says nothing to anybody."""
        ends = sorted(cable.ends, key=lambda end: end.end)
        devices = dict.fromkeys(self.design.devices[end.device].name for end in ends)
        return cable.label or " – ".join(devices) or cable.id

    def _kinds(self) -> str:
        return self.tr("{0} kinds").format(len({c.part for c in self.entities()}))

    def _rename(self, text: str) -> None:
        cable = self.entities()[0]
        self.edit(self.tr("Label {0}").format(self._title()), edits.rename, cable.id, text)

    # -- length -----------------------------------------------------------------------------------

    def _length_fields(self, only: CablePart | None) -> None:
        length = self.tr("Length")
        high = only.max_length_m or max(only.lengths_m) * 10 if only else 100_000.0
        self.field(
            length,
            NumberField(length, LENGTH_M, low=0.01, high=high),
            lambda c: c.length_m,
            self._set_length,
            self.tr("The length to order; a length you set is kept when racks move"),
        )
        fixed = self.tr("Length is")
        self.field(
            fixed,
            CheckField(fixed, self.tr("set by hand")),
            lambda c: c.length_fixed,
            self._set_fixed,
        )
        if len(self.ids) == 1:
            self.text(self.tr("Needed"), self._needed,
                      self.tr("Along managers and trays, with slack at both ends"))  # fmt: skip
        self.text(self.tr("Part number"), self._numbers,
                  self.tr("What this length is ordered by"))  # fmt: skip
        self.text(self.tr("Carries"), self._carries)

    def _numbers(self) -> str:
        found = {
            self.design.part(c.part, CablePart).part_number_for(c.length_m) for c in self.entities()
        }
        known = sorted(number for number in found if number)
        return ", ".join([*known, *([self.tr("unknown")] if None in found else [])])

    def _needed(self) -> str:
        route = route_m(self.design, self.entities()[0])
        if route is None:
            return self.tr("an end hangs loose")
        return self.tr("{0}: route {1}, slack {2}").format(
            format_quantity(route.needed_m, LENGTH_M, 2),
            format_quantity(route.length_m, LENGTH_M, 2),
            format_quantity(route.needed_m - route.length_m, LENGTH_M, 2),
        )

    def _carries(self) -> str:
        from collections import Counter

        rates = Counter(
            link.rate_gbps for c in self.entities() for link in self.design.links.get(c.id, ())
        )
        if not rates:
            return self.tr("no link")
        return " + ".join(f"{n} × {rate_text(r)}" for r, n in sorted(rates.items()))

    def _set_length(self, value: float | None) -> None:
        if value is not None:
            self._set_all(self.tr("Set length of {0}"), length_m=value, length_fixed=True)

    def _set_fixed(self, fixed: bool) -> None:
        if fixed:
            self._set_all(self.tr("Fix length of {0}"), length_fixed=True)
            return
        design = self.design

        def free(draft: Draft) -> None:
            from rackloom.placement.lengths import next_length_m

            for cable in self.entities():
                fields: dict[str, Any] = {"length_fixed": False}
                length_m = next_length_m(design, cable.id)
                if length_m is not None:
                    fields["length_m"] = length_m
                edits.set_cable(draft, cable.id, **fields)

        self.edit(self.tr("Free length of {0}").format(self._title()), free)

    def _setter(self, name: str) -> Any:
        def commit(value: Any) -> None:
            self._set_all(self.tr("Change {0}"), **{name: value or None})

        return commit

    def _set_all(self, label: str, **fields: Any) -> None:
        def change(draft: Draft) -> None:
            for cable in self.entities():
                edits.set_cable(draft, cable.id, **fields)

        self.edit(label.format(self._title()), change)

    # -- ends -------------------------------------------------------------------------------------

    def _ends(self, cable: Cable) -> list[tuple[str, str, list[str]]]:
        """Name, place and what to select of each end."""
        lines = []
        links = self.design.links.get(cable.id, ())
        split = self.design.part(cable.part, CablePart).branches > 1
        for end in sorted(cable.ends, key=lambda e: e.end):
            device = self.design.devices[end.device]
            if split:
                branch = self.tr("Branch {0}").format(end.end)
                name = branch if end.end else self.tr("Trunk")
            else:
                name = self.tr("End {0}").format(end.end + 1)
            ports = dict.fromkeys(
                self._port(ref)
                for link in links
                for ref in (link.a, link.b)
                if (ref.device, ref.cage) == (end.device, end.cage)
            )
            rack = self.design.racks[device.rack].name
            port = ", ".join(ports) or end.cage
            lines.append((name, f"{device.name} {port} ({rack})", [str(device.id)]))
        return lines

    def _port(self, ref: PortRef) -> str:
        return port_name(self.design, ref)
