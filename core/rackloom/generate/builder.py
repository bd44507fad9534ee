# SPDX-License-Identifier: Apache-2.0
"""Writing a whole design quickly: entities straight into tables, checked once at the end.

A generated design has no history to record, so it needs no drafts; 131,072 GPUs are some
800,000 entities, and each must cost no more than making it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rackloom.catalog.parts import DevicePart, Part, PartId, RackPart, TransceiverPart
from rackloom.catalog.words import Side
from rackloom.design.entities import (
    ID_PREFIX,
    Cable,
    CableEnd,
    Cord,
    Device,
    Feed,
    Module,
    Rack,
    Row,
    SiteSettings,
)
from rackloom.design.ids import CableId, CordId, DeviceId, FeedId, ModuleId, RackId, RowId
from rackloom.design.value import ALL_TABLES, Design


class Builder:
    """Collects the entities of a new design."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {name: {} for name in ALL_TABLES}
        self.settings = SiteSettings()
        self._number = 0

    def _id(self, table: str) -> str:
        self._number += 1
        return f"{ID_PREFIX[table]}{self._number}"

    def embed(self, part: Part) -> None:
        """Make a part known to the design."""
        self.tables["parts"].setdefault(part.id, part)

    def row(self, name: str, x_m: float, y_m: float) -> RowId:
        """A row of racks."""
        row_id = RowId(self._id("rows"))
        self.tables["rows"][row_id] = Row(row_id, name, x_m, y_m)
        return row_id

    def rack(self, part: RackPart, row: RowId, position_m: float, name: str) -> RackId:
        """A rack; the caller keeps racks apart."""
        rack_id = RackId(self._id("racks"))
        self.embed(part)
        self.tables["racks"][rack_id] = Rack(rack_id, name, part.id, row, position_m)
        return rack_id

    def device(
        self,
        part: DevicePart,
        rack: RackId,
        bottom_u: int | None,
        name: str,
        *,
        face: Side = Side.FRONT,
        mount: str | None = None,
        role: str | None = None,
        fabric: str | None = None,
        pod: str | None = None,
        cards: tuple[tuple[str, PartId], ...] = (),
    ) -> DeviceId:
        """A device; the caller keeps slots apart, and embeds the parts of its cards."""
        device_id = DeviceId(self._id("devices"))
        self.embed(part)
        self.tables["devices"][device_id] = Device(
            device_id, name, part.id, rack, bottom_u, face, mount, role, fabric, pod, cards
        )
        return device_id

    def split(self, device_id: DeviceId, cage: str, mode: str) -> None:
        """Fix the breakout mode of a cage."""
        device = self.tables["devices"][device_id]
        modes = tuple(sorted({**dict(device.modes), cage: mode}.items()))
        if modes != device.modes:
            self.tables["devices"][device_id] = replace(device, modes=modes)

    def module(self, part: TransceiverPart, device: DeviceId, cage: str) -> ModuleId:
        """A transceiver in a cage."""
        module_id = ModuleId(self._id("modules"))
        self.tables["modules"][module_id] = Module(module_id, part.id, device, cage)
        return module_id

    def cable(
        self, part_id: Any, ends: tuple[CableEnd, ...], length_m: float, fabric: str
    ) -> CableId:
        """A cable; its part must have been embedded."""
        cable_id = CableId(self._id("cables"))
        self.tables["cables"][cable_id] = Cable(
            cable_id, part_id, ends, length_m, False, "", fabric
        )
        return cable_id

    def feed(
        self, name: str, group: str, voltage_v: float, current_a: float, phases: int
    ) -> FeedId:
        """A circuit from the building."""
        feed_id = FeedId(self._id("feeds"))
        self.tables["feeds"][feed_id] = Feed(feed_id, name, group, voltage_v, current_a, phases)
        return feed_id

    def cord(self, device: DeviceId, inlet: int, source: str, outlet: str = "") -> None:
        """A power cord."""
        cord_id = CordId(self._id("cords"))
        self.tables["cords"][cord_id] = Cord(cord_id, device, inlet, source, outlet)

    def design(self) -> Design:
        """What has been collected so far.

        Its tables are its own: what is worked out from a design is remembered by them, and these
        here are written to again.
        """
        self.tables["settings"]["site"] = self.settings
        return Design({name: rows.copy() for name, rows in self.tables.items()})
