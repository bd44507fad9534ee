# SPDX-License-Identifier: Apache-2.0
"""The draw of a design kept up with its edits: 20,000 devices are not added up for one cable."""

from __future__ import annotations

from collections.abc import Iterable

from rackloom.design import Design
from rackloom.design.change import Change, Record
from rackloom.design.ids import DeviceId, RackId
from rackloom.placement.sold_racks import RackAsSold, rack_as_sold, rack_systems
from rackloom.reports.power import (
    DevicePower,
    PowerSum,
    power_of,
    power_of_device,
    sum_powers,
)

MOST_TOUCHED = 256
"""Beyond so many devices adding all up anew is as quick."""


class PowerTotal:
    """Greatest draw of each device of a design, and what changes of it do to that.

    Worked out at the first question, so that nobody pays for what is not shown.
    """

    def __init__(self) -> None:
        self._design: Design | None = None
        self._powers: dict[DeviceId, DevicePower] = {}
        self._sold: dict[RackId, RackAsSold | None] | None = None

    def forget(self) -> None:
        """Another design: begin anew."""
        self._design = None

    def follow(self, design: Design, change: Change) -> None:
        """Take over an edit that led to this design."""
        if self._design is None:
            return
        if self._sold is not None:
            for rack_id in {rack for record in change for rack in _racks(record)}:
                self._sold.pop(rack_id, None)
        touched = {device for record in change for device in _devices(record)}
        if "parts" in change.tables or len(touched) > MOST_TOUCHED:
            self._design = None
            return
        self._design = design
        for device_id in touched:
            power = power_of_device(design, device_id) if device_id in design.devices else None
            if power is None:
                self._powers.pop(device_id, None)
            else:
                self._powers[device_id] = power

    def sum(self, design: Design, devices: Iterable[DeviceId] | None = None) -> PowerSum:
        """Greatest draw of these devices (default: all), as `power_sum` has it."""
        if self._design is not design:
            self._design, self._powers, self._sold = design, power_of(design), None
        powers = self._powers
        chosen = powers if devices is None else {d: powers[d] for d in devices if d in powers}
        return sum_powers(chosen, self._racks_as_sold(design))

    def _racks_as_sold(self, design: Design) -> list[RackAsSold]:
        systems = rack_systems(design)
        if not systems:
            return []
        if self._sold is None:
            self._sold = {}
        for rack_id in design.racks.keys() - self._sold.keys():
            self._sold[rack_id] = rack_as_sold(design, rack_id, systems)
        return [
            sold
            for rack_id, sold in self._sold.items()
            if sold is not None and rack_id in design.racks
        ]


def _racks(record: Record) -> Iterable[RackId]:
    """Racks in which a record may change what stands there."""
    for entity in (record.before, record.after):
        if entity is not None and record.table == "devices":
            yield entity.rack
        elif entity is not None and record.table == "racks":
            yield entity.id


def _devices(record: Record) -> Iterable[DeviceId]:
    """Devices whose draw a record may change."""
    for entity in (record.before, record.after):
        if entity is None:
            continue
        match record.table:
            case "devices":
                yield entity.id
            case "modules":
                yield entity.device
            case "cables":
                yield from (end.device for end in entity.ends)
