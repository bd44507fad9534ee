# SPDX-License-Identifier: Apache-2.0
"""Where to look again after a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rackloom.checks.loads import draws_for_plugs
from rackloom.design.entities import Cable, Device, Module
from rackloom.design.ids import DeviceId, RackId, RowId
from rackloom.design.paths import touched_paths
from rackloom.design.relinking import affected_cables, rewired_devices
from rackloom.design.wiring import wiring
from rackloom.placement.floor import standings
from rackloom.placement.loads import on_busbar_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackloom.design.change import Change, Record
    from rackloom.design.ids import CordId
    from rackloom.design.value import Design


@dataclass(slots=True)
class Places:
    """Places that a change can have altered, by scope."""

    everything: bool = False
    """A part was replaced: nothing remembered can be trusted."""
    cables: set[str] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)
    racks: set[str] = field(default_factory=set)
    """Racks in which something came, went or moved."""
    wired: set[str] = field(default_factory=set)
    """These, and racks where a cable or cord was plugged or pulled."""
    supplied: set[str] = field(default_factory=set)
    """Racks of whose PDUs, cords, shelves or draws one may be another."""
    rows: set[str] = field(default_factory=set)
    feeds: set[str] = field(default_factory=set)
    relinked: set[str] = field(default_factory=set)
    """Cables whose links may be other ones."""
    moved: set[str] = field(default_factory=set)
    """Devices that stand elsewhere."""

    @classmethod
    def of(cls, before: Design, after: Design, change: Change) -> Places:
        """What to look at again after ``change`` led from one design to the other."""
        places = cls()
        if any(r.before is not None and r.after is not None for r in change.of("parts")):
            places.everything = True
            return places
        places._rooms(before, after, change)
        for record in change.of("devices"):
            places._device(before, after, record)
        places._plugs(before, after, change)
        places._power(before, after, change)
        places._rows_of_cables(before, after)
        return places

    def _rooms(self, before: Design, after: Design, change: Change) -> None:
        racks = {r.id for r in change.of("racks")}
        self.racks |= racks
        rows = [RowId(r.id) for r in change.of("rows")]
        self.rows |= set(rows)
        if not racks and not rows:
            return
        # A row's ends, and who stands beside whom, decide routes too.
        old, new = standings(before), standings(after)
        for design, here, there in ((before, old, new), (after, new, old)):
            self.rows |= {design.racks[RackId(r)].row for r in racks & design.racks.keys()}
            for rack, standing in here.items():
                if there.get(rack) != standing:
                    self.rows.add(standing.row)
                    self._move(design, design.index.devices_in_rack.get(rack, ()))

    def _move(self, design: Design, devices: tuple[str, ...]) -> None:
        self.moved |= set(devices)
        for device in devices:
            self.cables |= set(design.index.cables_of_device.get(device, ()))  # type: ignore[call-overload]

    def _rows_of_cables(self, before: Design, after: Design) -> None:
        """Rows over whose trays a cable may run that changed, moved, came or went."""
        for design in (before, after):
            racks = {
                design.devices[end.device].rack
                for cable in self.cables & design.cables.keys()
                for end in design.cables[cable].ends  # type: ignore[index]
            }
            self.rows |= {design.racks[rack].row for rack in racks}

    def _device(self, before: Design, after: Design, record: Record) -> None:
        self.devices.add(record.id)
        for design, device in ((before, record.before), (after, record.after)):
            if device is not None:
                self.racks.add(device.rack)
                if _place(record.before) != _place(record.after):
                    self._move(design, (record.id,))

    def _plugs(self, before: Design, after: Design, change: Change) -> None:
        self.relinked |= set(affected_cables(after, change))
        cages: dict[DeviceId, set[str]] = {}
        for record in change.of("cables", "modules"):
            for entity in (record.before, record.after):
                if isinstance(entity, Module):
                    cages.setdefault(entity.device, set()).add(entity.cage)
                elif isinstance(entity, Cable):
                    self.cables.add(entity.id)
                    for end in entity.ends:
                        cages.setdefault(end.device, set()).add(end.cage)
        self.devices |= cages.keys()
        if before.panels or after.panels:  # what hangs on the same fibres, beyond the panels
            for design, towards in ((after, change), (before, change.inverse)):
                path = touched_paths(design, towards, rewired_devices(towards) or ())
                self.cables |= path.cables
                self.devices |= path.devices
        # What else sits in these cages, since the mode of a cage follows its plugs.
        for device, names in cages.items():
            if device in after.devices:
                seats = wiring(after, device).seats
                for name in names & seats.keys():
                    self.cables |= {cable.id for cable, _ in seats[name].plugs}
        for record in change.of("devices"):
            old, new = record.before, record.after
            if old is not None and new is not None and _build(old) != _build(new):
                self.cables |= set(after.index.cables_of_device.get(new.id, ()))

    def _power(self, before: Design, after: Design, change: Change) -> None:
        """Racks and feeds whose load may be another one.

        A device that draws more, or hangs elsewhere, changes what its PDUs carry; a PDU that
        changes feed changes what is left to the other PDUs of its devices.
        """
        sources = {r.id for r in change.of("feeds")}
        supplied: set[str] = {r.id for r in change.of("devices")}
        for record in change.of("cords"):
            for cord in (record.before, record.after):
                if cord is not None:
                    supplied.add(cord.device)
                    sources.add(cord.source)
        for design in (before, after):
            for feed in sources & design.feeds.keys():
                for cord_id in design.index.cords_from_source.get(feed, ()):
                    supplied.add(design.cords[cord_id].device)
        self.devices |= supplied
        for design in (before, after):
            devices = self.devices & design.devices.keys()
            drawing = {d for d in devices if d in supplied or draws_for_plugs(design, DeviceId(d))}
            near = _reach(
                design, _reach(design, drawing | sources | _shelves_beside(design, drawing))
            )
            self.feeds |= near & design.feeds.keys()
            for device in near & design.devices.keys():
                self.supplied.add(design.devices[DeviceId(device)].rack)
            for device in devices | (sources & design.devices.keys()):
                self.wired.add(design.devices[DeviceId(device)].rack)
        # PDUs say how many devices hang on them, and outlets who hangs there.
        self.devices |= sources
        self.wired |= self.racks
        self.supplied |= self.racks


def _shelves_beside(design: Design, devices: set[str]) -> set[str]:
    """The power shelves in the racks of these devices: they share one busbar's load."""
    racks = {design.devices[d].rack for d in devices & design.devices.keys()}  # type: ignore[index]
    return {shelf for rack in racks for shelf in on_busbar_of(design, rack)[1]}


def _reach(design: Design, things: set[str]) -> set[str]:
    """Devices, PDUs and feeds one cord away from these, and these."""
    cords, feeds = design.cords, design.feeds
    into: Mapping[str, tuple[CordId, ...]] = design.index.cords_of_device  # type: ignore[assignment]
    out = design.index.cords_from_source
    sources = {cords[c].source for thing in things for c in into.get(thing, ())}
    pdus = {source for source in sources if source not in feeds}
    near = {cords[c].source for pdu in pdus for c in into.get(pdu, ())}
    giving = pdus | {thing for thing in things if thing not in feeds}
    near |= {cords[c].device for source in giving for c in out.get(source, ())}
    return near | sources | things


def _place(device: Device | None) -> object:
    """What of a device decides where its ports are."""
    if device is None:
        return None
    return (
        device.rack,
        device.bottom_u,
        device.face,
        device.mount,
        device.part,
        device.cards,
    )


def _build(device: Device) -> object:
    """What of a device decides what its cages are and do."""
    return device.part, device.cards, device.modes
