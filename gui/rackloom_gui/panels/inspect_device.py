# SPDX-License-Identifier: Apache-2.0
"""Servers, switches and PDUs: where they stand, what they are, and their ports."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLabel

from rackloom.catalog.parts import DevicePart, NicPart, PduPart, ServerPart, SwitchPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design, Device, Draft, edits
from rackloom.design.exchanging import cables_at, darkened
from rackloom.design.ids import DeviceId, RackId
from rackloom_gui.panels.feeding import NEW_FEED, feed_of, hang_on
from rackloom_gui.panels.fields import ChoiceField, NumberField, TextField
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.panels.ports import PortTable, port_lines
from rackloom_gui.widgets.quantity import RACK_UNITS

_ROLES = ("leaf", "spine", "core", "super-spine", "border")
_ICONS = {"server": "server", "switch": "switch", "pdu": "pdu"}


class DevicePage(Page):
    """One device, or several at once."""

    kind = "devices"
    _table: PortTable | None = None

    def build(self) -> None:
        devices = self.entities()
        parts = {d.part: self.design.part(d.part, DevicePart) for d in devices}
        only = next(iter(parts.values())) if len(parts) == 1 else None
        icon = _ICONS.get(getattr(only, "kind", ""), "server")
        self.head(icon, self._title, self._below)
        self.section()
        if len(devices) == 1:
            name = self.tr("Name")
            self.field(name, TextField(name, needed=True), lambda d: d.name, self._rename)
        self._place_fields(only)
        if only is not None and isinstance(only, SwitchPart | ServerPart):
            self._network_fields(isinstance(only, SwitchPart))
        if len(devices) == 1 and isinstance(only, ServerPart) and only.slots:
            self._card_fields(devices[0].id, only)
        if len(devices) == 1 and only is not None:
            self._ports(devices[0].id, only)
            self._power(only)
        if only is not None:
            self.figures(only)

    def must_rebuild(self, design: Design, change: Change) -> bool:
        if super().must_rebuild(design, change):
            return True
        mine = set(self.ids)
        return any(
            r.id in mine and (r.before is None or r.before.part != r.after.part)
            for r in change.of("devices")
            if r.after is not None
        ) or bool(change.tables & {"parts", "feeds"} and len(self.ids) == 1)

    def refresh(self) -> None:
        super().refresh()
        if self._table is not None and self.entities():
            self._table.show_lines(port_lines(self.design, DeviceId(self.ids[0])))
            self._show_modes()

    # -- head -------------------------------------------------------------------------------------

    def _title(self) -> str:
        devices = self.entities()
        if len(devices) == 1:
            return str(devices[0].name)
        return self.tr("{0} devices").format(len(devices))

    def _below(self) -> str:
        parts = {d.part for d in self.entities()}
        if len(parts) != 1:
            return self.tr("{0} kinds").format(len(parts))
        return self.design.part(next(iter(parts)), DevicePart).title

    def _rename(self, text: str) -> None:
        device = self.entities()[0]
        self.edit(self.tr("Rename {0}").format(device.name), edits.rename, device.id, text)

    # -- place ------------------------------------------------------------------------------------

    def _place_fields(self, only: DevicePart | None) -> None:
        rack = self.tr("Rack")
        racks = sorted(self.design.racks.values(), key=lambda r: r.name)[:2000]
        self.field(
            rack,
            ChoiceField(rack, [(r.id, r.name) for r in racks]),
            lambda d: d.rack,
            self._move_to_rack,
        )
        if only is None or only.rack_units:
            if len(self.ids) == 1:
                lowest = self.tr("Lowest U")
                self.field(
                    lowest,
                    NumberField(lowest, RACK_UNITS, decimals=0, low=1, high=60),
                    lambda d: d.bottom_u,
                    self._move_to_u,
                )
            face = self.tr("Front looks")
            sides = [(Side.FRONT, self.tr("to the front")), (Side.REAR, self.tr("to the rear"))]
            self.field(face, ChoiceField(face, sides), lambda d: d.face, self._turn,
                       self.tr("Ports beside the servers' NICs: to the rear"))  # fmt: skip
        else:
            self.text(self.tr("Hangs at"), lambda: str(self.entities()[0].mount or ""))

    def _move_to_rack(self, rack: RackId) -> None:
        places = {d.id: (rack, d.bottom_u) for d in self.entities()}
        label = self.tr("Move {0}").format(self._title())
        self.edit(label, edits.move_devices, places)

    def _move_to_u(self, value: float | None) -> None:
        device = self.entities()[0]
        if value is not None:
            label = self.tr("Move {0}").format(device.name)
            self.edit(label, edits.move_device, device.id, device.rack, round(value))

    def _turn(self, side: Side) -> None:
        self.edit(self.tr("Turn {0}").format(self._title()), self._set_all, {"face": side})

    def _set_all(self, draft: Draft, fields: dict[str, Any]) -> None:
        for device in self.entities():
            edits.set_device(draft, device.id, **fields)

    # -- network ----------------------------------------------------------------------------------

    def _network_fields(self, is_switch: bool) -> None:
        if is_switch:
            role = self.tr("Role")
            choices = [(None, self.tr("worked out")), *((r, r) for r in _ROLES)]
            self.field(role, ChoiceField(role, choices), lambda d: d.role, self._setter("role"),
                       self.tr("Tier of the network; else worked out from the cables"))  # fmt: skip
            fabric = self.tr("Fabric")
            self.field(
                fabric, TextField(fabric), lambda d: d.fabric or "", self._setter("fabric"),
                self.tr("Name of the network; worked out where empty"),
            )  # fmt: skip
        pod = self.tr("Pod")
        self.field(pod, TextField(pod), lambda d: d.pod or "", self._setter("pod"),
                   self.tr("Scalable unit the device belongs to"))  # fmt: skip

    def _setter(self, name: str) -> Any:
        def commit(value: Any) -> None:
            label = self.tr("Change {0} of {1}").format(name, self._title())
            self.edit(label, self._set_all, {name: value or None})

        return commit

    def _card_fields(self, device_id: DeviceId, server: ServerPart) -> None:
        self.section(self.tr("Cards"))
        cards = [(p.id, p.title) for p in self.tools.catalog.of_kind(NicPart)]
        known = {part_id for part_id, _ in cards}
        own = {card for _, card in self.design.devices[device_id].cards} - known
        cards += [(c, self.design.part(c, NicPart).title) for c in own]
        for slot in server.slots:
            self.field(
                slot.name,
                ChoiceField(
                    slot.name,
                    [(None, self.tr("as delivered") if slot.holds else self.tr("empty")), *cards],
                ),
                partial(_card_in, slot.name),
                partial(self._set_card, slot.name),
            )

    def _set_card(self, slot: str, card_id: str | None) -> None:
        device = self.entities()[0]
        card = None
        if card_id is not None:
            found = self.tools.catalog.get(card_id) or self.design.parts.get(card_id)  # type: ignore[call-overload]
            card = found if isinstance(found, NicPart) else None
        label = self.tr("Change card of {0}").format(device.name)
        self.edit(label, edits.set_card, device.id, slot, card)

    # -- ports ------------------------------------------------------------------------------------

    def _ports(self, device_id: DeviceId, part: DevicePart) -> None:
        lines = port_lines(self.design, device_id)
        if not lines:
            return
        self.section(self.tr("Ports"))
        self._table = PortTable(self.tr("Ports of {0}").format(self._title()), self)
        self._table.show_lines(lines)
        self._table.doubleClicked.connect(lambda _index: self._show_cables())
        self._table.activated.connect(lambda _index: self._show_cables())
        self._table.selectionModel().selectionChanged.connect(lambda _a, _b: self._show_modes())
        self.box.addWidget(self._table)
        row = QHBoxLayout()
        label = QLabel(self.tr("Split of the chosen ports"), self)
        self._quiet(label)
        modes = dict.fromkeys(m.name for line in lines for m in line.cage.modes)
        self._modes = ChoiceField(
            self.tr("Split of the chosen ports"),
            [(None, self.tr("as plugged")), *((m, m) for m in modes)],
            self,
        )
        self._modes.committed.connect(self._set_mode)
        row.addWidget(label)
        row.addWidget(self._modes, 1)
        self.box.addLayout(row)
        self._modes.setEnabled(False)
        del part

    def _show_modes(self) -> None:
        if self._table is None:
            return
        chosen = self._table.chosen()
        self._modes.setEnabled(bool(chosen))
        if chosen:
            self._modes.show_values([line.mode if line.fixed else None for line in chosen])

    def _set_mode(self, mode: str | None) -> None:
        assert self._table is not None
        device = self.entities()[0]
        cages = [line.cage.name for line in self._table.chosen()]

        def split(draft: Draft) -> None:
            for cage in cages:
                edits.set_mode(draft, device.id, cage, mode)

        before = self.design
        ports = cages[0] if len(cages) == 1 else self.tr("{0} ports").format(len(cages))
        label = self.tr("Split {0} of {1}").format(ports, device.name)
        self.edit(label, split)
        dark = darkened(before, self.design, cables_at(before, [device.id]))
        self.tools.editing.unkept.emit(label, [dark])

    def _show_cables(self) -> None:
        assert self._table is not None
        ids = [cable for line in self._table.chosen() for cable in line.cables]
        if ids:
            self.tools.show_ids(ids)

    # -- power ------------------------------------------------------------------------------------

    def _power(self, part: DevicePart) -> None:
        if part.psu is None and not isinstance(part, PduPart | PowerShelfPart):
            return
        self.section(self.tr("Power"))
        if isinstance(part, PduPart):
            self.text(self.tr("Outlets used"), lambda: self._outlets(part))
        if isinstance(part, PduPart | PowerShelfPart):
            self._feed_field()
        else:
            self.text(self.tr("Fed from"), self._sources)

    def _feed_field(self) -> None:
        label = self.tr("Feed")
        feeds = [(f.id, f"{f.name} ({f.group})") for f in self.design.feeds.values()]
        new = [(f"new {g}", self.tr("new feed {0}").format(g)) for g in NEW_FEED]
        self.field(
            label,
            ChoiceField(label, [(None, self.tr("none")), *feeds, *new]),
            lambda d: feed_of(self.design, d.id),
            self._hang_on,
            self.tr("Circuit of the building; A and B fail independently"),
        )

    def _hang_on(self, feed: str | None) -> None:
        pdu = self.entities()[0]
        self.edit(self.tr("Feed {0}").format(pdu.name), hang_on, pdu.id, feed)

    def _outlets(self, part: PduPart) -> str:
        used = len(self.design.index.cords_from_source.get(self.ids[0], ()))
        return f"{used} / {len(part.outlet_names)}"

    def _sources(self) -> str:
        design = self.design
        cords = [design.cords[c] for c in design.index.cords_of_device.get(self.ids[0], ())]  # type: ignore[call-overload]
        if not cords:
            return self.tr("nothing")
        cords.sort(key=lambda cord: cord.inlet)
        return ", ".join(
            f"{cord.inlet}: {design.name_of(cord.source)} {cord.outlet}".strip() for cord in cords
        )


def _card_in(slot: str, device: Device) -> str | None:
    return dict(device.cards).get(slot)
