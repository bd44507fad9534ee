# SPDX-License-Identifier: Apache-2.0
"""Which rack holds what: compute racks, network racks between them, PDUs in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, PartId, PduPart, RackPart, SwitchPart
from rackloom.catalog.words import Side
from rackloom.checks.space import blows_to
from rackloom.design.ids import DeviceId, RackId
from rackloom.design.slots import height_u
from rackloom.generate.builder import Builder
from rackloom.generate.busbar import Busbar, feed_shelves
from rackloom.generate.errors import GenerateError
from rackloom.generate.floor import Floor
from rackloom.generate.power import Pair, devices_per_pair, draw_w, hang_pair, loaded_w, plug_in
from rackloom.placement.joins import Joiner
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
    cards: tuple[tuple[str, PartId], ...] = ()
    """Network cards in its slots, known to the design."""

    def blows_to(self) -> Side | None:
        """The side of the rack it blows its hot air out of; None where unknown."""
        return blows_to(self.part, self.face)


@dataclass(slots=True)
class NetworkRack:
    """A rack of switches, filled from the top down."""

    rack: tuple[RackId, str]
    pair: Pair
    items: list[Item]
    next_u: int
    """The highest U that a further device may take, with a free one above it."""


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
    network: list[NetworkRack] = field(default_factory=list)
    reserve: DevicePart | None = None
    """A device that finds room in each rack of switches afterwards (:meth:`below`)."""
    loaded: dict[PartId, float] = field(default_factory=dict)
    """Greatest draw of switches with what will be plugged into them, where that is known."""
    busbar: Busbar | None = None
    """What racks of servers that hang on a busbar are made of."""

    def load(self, switches: Iterable[SwitchPart], catalog: Catalog) -> None:
        """Find out what these switches will draw with their optics."""
        joiner = Joiner(catalog.values())
        for part in switches:
            if part.id not in self.loaded and (watts := loaded_w(part, joiner)):
                self.loaded[part.id] = watts

    def servers_per_rack(self, part: DevicePart) -> int:
        """Four, two or one: what the limit, the height and two pairs of PDUs allow."""
        watts = draw_w(part)
        by_power = int(SERVER_RACK_LIMIT_W // watts) if watts else 4
        if self.busbar is not None:
            return max(min(by_power, self.busbar.servers_by_height(part)), 1)
        by_height = self.rack_part.rack_units // max(height_u(part), 1)
        by_cords = 2 * devices_per_pair(self.server_pdu, part, self.derating, watts)
        most = min(by_power, by_height, by_cords)
        return next((n for n in (16, 8, 4, 2) if n <= most), 1)

    def switches_per_rack(self, part: DevicePart) -> int:
        """What a pair of PDUs carries, with a free U above each switch for its cables."""
        kept_u = 0 if self.reserve is None else height_u(self.reserve) + 1
        kept_w = 0.0 if self.reserve is None else self._watts(self.reserve) or 0.0
        by_height = (self.rack_part.rack_units - kept_u) // (height_u(part) + 1)
        fits = devices_per_pair(self.network_pdu, part, self.derating, self._watts(part), kept_w)
        return max(min(by_height, fits), 1)

    def _watts(self, part: DevicePart) -> float | None:
        return self.loaded.get(part.id) or draw_w(part)

    def server_rack(self, servers: Sequence[Item], extra: Sequence[Item] = ()) -> None:
        """A rack with servers from the bottom up, and ``extra`` (switches) from the top down."""
        if self.busbar is not None:
            self._busbar_rack(self.busbar, servers)
            return
        rack = self.floor.rack()
        part = servers[0].part
        fits = max(devices_per_pair(self.server_pdu, part, self.derating, draw_w(part)), 1)
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
        """Whether a pair of server PDUs and the rack's height also take these switches.

        They have to blow to the side that the servers blow to.
        """
        blows = {i.blows_to() for i in (*servers, *extra)} - {None}
        if self.busbar is not None or len(blows) > 1:
            return False
        used_u = sum(height_u(i.part) for i in servers) + sum(height_u(i.part) + 1 for i in extra)
        watts = sum(self._watts(i.part) or 0.0 for i in (*servers, *extra))
        part = servers[0].part
        fits = devices_per_pair(self.server_pdu, part, self.derating, draw_w(part))
        single = len(servers) <= fits
        limit = pdu_usable_w(self.server_pdu, self.derating)
        return used_u <= self.rack_part.rack_units and single and watts <= limit

    def network_racks(self, items: Iterable[Item]) -> None:
        """As many racks as these switches need, filled from the top down."""
        queue = list(items)
        while queue:
            rack = self.floor.rack()
            pair = self._pair(rack, 0, self.network_pdu)
            here = self._rackful(queue)
            queue = queue[len(here) :]
            top = self.rack_part.rack_units
            for item in here:
                bottom = top - height_u(item.part) + 1
                self._place(item, rack, bottom, pair)
                top = bottom - 2
            self.network.append(NetworkRack(rack, pair, here, top))

    def _rackful(self, queue: Sequence[Item]) -> list[Item]:
        """The first of these that share a rack: one at least, all blowing to one side."""
        here: list[Item] = []
        share = 0.0
        for item in queue:
            share += 1 / self.switches_per_rack(item.part)
            blows = {i.blows_to() for i in (*here, item)} - {None}
            if here and (share > 1 + 1e-9 or len(blows) > 1):
                break
            here.append(item)
        return here

    def has_room(self, rack: NetworkRack, items: Sequence[Item]) -> bool:
        """Whether these switches fit under those of a rack, beside what is kept free there."""
        share = sum(1 / self.switches_per_rack(i.part) for i in (*rack.items, *items))
        blows = {i.blows_to() for i in (*rack.items, *items)} - {None}
        return share <= 1 + 1e-9 and len(blows) <= 1

    def below(self, rack: NetworkRack, item: Item) -> None:
        """A further device under the switches of a rack."""
        bottom = rack.next_u - height_u(item.part) + 1
        self._place(item, rack.rack, bottom, rack.pair)
        rack.next_u = bottom - 2
        rack.items.append(item)

    def _busbar_rack(self, busbar: Busbar, servers: Sequence[Item]) -> None:
        """Servers from the bottom up, and the shelves that feed them at the top."""
        rack = self.floor.rack(busbar.rack)
        units = busbar.rack.rack_units
        count = busbar.shelves_for(servers)
        u = 1
        for item in servers:
            if u + height_u(item.part) - 1 > units - count * height_u(busbar.shelf):
                raise GenerateError(
                    f"{item.name} does not fit into {rack[1]}: {busbar.rack.title} has {units}U, "
                    f"and {count} power shelves take their share; choose fewer servers_per_rack"
                )
            self.ids[item.name] = self.builder.device(
                item.part, rack[0], u, item.name, face=item.face, pod=item.pod, cards=item.cards
            )
            u += height_u(item.part)
        top = units
        shelves = []
        for number in range(count):
            bottom = top - height_u(busbar.shelf) + 1
            name = f"{rack[1]}-shelf-{number + 1:02d}"
            shelves.append(self.builder.device(busbar.shelf, rack[0], bottom, name))
            top = bottom - 1
        feed_shelves(self.builder, busbar.shelf, rack[1], shelves, self.derating)

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
            cards=item.cards,
        )
        self.ids[item.name] = device
        missing = plug_in(self.builder, pair, device, item.part)
        if missing and item.part.psu is not None and item.part.psu.inlet is not None:
            self.short[item.part.title] += missing
        elif missing:
            self.cordless.add(item.part.title)
