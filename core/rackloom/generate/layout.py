# SPDX-License-Identifier: Apache-2.0
"""Which rack holds what: compute racks, network racks between them, PDUs in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rackloom.catalog.parts import DevicePart, PduPart, RackPart
from rackloom.catalog.words import Side
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.slots import height_u
from rackloom.generate.builder import Builder
from rackloom.generate.errors import GenerateError
from rackloom.generate.floor import Floor
from rackloom.generate.power import Pair, devices_per_pair, draw_w, hang_pair, plug_in
from rackloom.placement.loads import pdu_usable_w

SERVER_RACK_LIMIT_W = 45_000
"""What one air-cooled rack of servers is filled up to by default: the 40.8 kW of four DGX H100 that
the SuperPOD reference design shows, with a little room."""


@dataclass(frozen=True, slots=True)
class Item:
    """A device to place."""

    part: DevicePart
    name: str
    role: str | None = None
    fabric: str | None = None
    pod: str | None = None
    face: Side = Side.FRONT


@dataclass(slots=True)
class Layout:
    """Places items into racks and plugs them into PDUs."""

    builder: Builder
    floor: Floor
    rack_part: RackPart
    server_pdu: PduPart
    network_pdu: PduPart
    derating: float
    ids: dict[str, DeviceId] = field(default_factory=dict)
    """Device ids by name."""
    cordless: set[str] = field(default_factory=set)
    """Titles of parts whose inlets are unknown."""
    short: Counter[str] = field(default_factory=Counter)
    """By title of the part: power supplies for which the PDUs had no outlet left."""

    def servers_per_rack(self, part: DevicePart) -> int:
        """Four, two or one: what the limit, the height and two pairs of PDUs allow."""
        watts = draw_w(part)
        by_power = int(SERVER_RACK_LIMIT_W // watts) if watts else 4
        by_height = self.rack_part.rack_units // max(height_u(part), 1)
        by_cords = 2 * devices_per_pair(self.server_pdu, part, self.derating)
        most = min(by_power, by_height, by_cords)
        return next((n for n in (16, 8, 4, 2) if n <= most), 1)

    def switches_per_rack(self, part: DevicePart) -> int:
        """What a pair of PDUs carries, with a free U above each switch for its cables."""
        by_height = self.rack_part.rack_units // (height_u(part) + 1)
        return max(min(by_height, devices_per_pair(self.network_pdu, part, self.derating)), 1)

    def server_rack(self, servers: Sequence[Item], extra: Sequence[Item] = ()) -> None:
        """A rack with servers from the bottom up, and ``extra`` (switches) from the top down."""
        rack = self.floor.rack()
        fits = max(devices_per_pair(self.server_pdu, servers[0].part, self.derating), 1)
        half = (len(servers) + 1) // 2
        pairs = [self._pair(rack, 0, self.server_pdu)]
        if len(servers) > fits:
            pairs.append(self._pair(rack, 1, self.server_pdu))
        u = 1
        for number, item in enumerate(servers):
            pair = pairs[0] if len(pairs) == 1 or number < half else pairs[1]
            self._place(item, rack, u, pair)
            u += height_u(item.part)
        top = self.rack_part.rack_units
        for item in extra:
            top -= height_u(item.part) - 1
            if top < u:
                raise GenerateError(f"{item.name} finds no free U above the servers of {rack[1]}")
            self._place(item, rack, top, pairs[-1])
            top -= 2

    def fits_above(self, servers: Sequence[Item], extra: Sequence[Item]) -> bool:
        """Whether a pair of server PDUs and the rack's height also take these switches."""
        used_u = sum(height_u(i.part) for i in servers) + sum(height_u(i.part) + 1 for i in extra)
        watts = sum(draw_w(i.part) or 0.0 for i in (*servers, *extra))
        single = len(servers) <= devices_per_pair(self.server_pdu, servers[0].part, self.derating)
        limit = pdu_usable_w(self.server_pdu, self.derating)
        return used_u <= self.rack_part.rack_units and single and watts <= limit

    def network_racks(self, items: Iterable[Item]) -> None:
        """As many racks as these switches need, filled from the top down."""
        queue = list(items)
        while queue:
            rack = self.floor.rack()
            pair = self._pair(rack, 0, self.network_pdu)
            most = self.switches_per_rack(queue[0].part)
            top = self.rack_part.rack_units
            here, queue = queue[:most], queue[most:]
            for item in here:
                bottom = top - height_u(item.part) + 1
                self._place(item, rack, bottom, pair)
                top = bottom - 2

    def power_notes(self) -> list[str]:
        """What the user should know about supplies without a cord."""
        notes = []
        if self.cordless:
            names = ", ".join(sorted(self.cordless))
            notes.append(f"no power cords for {names}: the catalogue does not know their inlets")
        for title, count in sorted(self.short.items()):
            notes.append(
                f"{count} power supplies of {title} found no outlet: put fewer into a rack, or "
                "choose another PDU"
            )
        return notes

    def _pair(self, rack: tuple[RackId, str], number: int, pdu: PduPart) -> Pair:
        return hang_pair(self.builder, pdu, rack, number)

    def _place(self, item: Item, rack: tuple[RackId, str], bottom_u: int, pair: Pair) -> None:
        units = self.rack_part.rack_units
        if bottom_u < 1 or bottom_u + height_u(item.part) - 1 > units:
            raise GenerateError(
                f"{item.name} does not fit into {rack[1]}: {self.rack_part.title} has {units}U and "
                f"{item.part.title} takes {height_u(item.part)}U; choose fewer servers_per_rack, "
                "or another rack"
            )
        device = self.builder.device(
            item.part,
            rack[0],
            bottom_u,
            item.name,
            face=item.face,
            role=item.role,
            fabric=item.fabric,
            pod=item.pod,
        )
        self.ids[item.name] = device
        missing = plug_in(self.builder, pair, device, item.part)
        if missing and item.part.psu is not None and item.part.psu.inlet is not None:
            self.short[item.part.title] += missing
        elif missing:
            self.cordless.add(item.part.title)
