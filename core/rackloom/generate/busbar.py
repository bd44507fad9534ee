# SPDX-License-Identifier: Apache-2.0
"""Racks with a busbar: the shelves that feed it, their circuits, and servers that hang on one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, PartId, RackPart, ServerPart
from rackloom.catalog.site_parts import PowerShelfPart, RackSystemPart
from rackloom.catalog.words import Inlet
from rackloom.design.ids import DeviceId
from rackloom.design.slots import height_u
from rackloom.generate.builder import Builder
from rackloom.generate.errors import GenerateError
from rackloom.generate.power import draw_w
from rackloom.placement.shelves import circuit_for


class _Placed(Protocol):
    @property
    def part(self) -> DevicePart: ...


def hangs_on_busbar(part: DevicePart) -> bool:
    """Whether a device is fed by the busbar of its rack, not by cords."""
    return part.psu is not None and part.psu.inlet is Inlet.BUSBAR


@dataclass(frozen=True, slots=True)
class Busbar:
    """A rack with a busbar, and what feeds it."""

    rack: RackPart
    shelf: PowerShelfPart

    def shelves_for(self, servers: Sequence[_Placed]) -> int:
        """Shelves on feed A that carry all of them, and as many on feed B.

        Servers of unknown draw count with nothing: two shelves at least.
        """
        watts = sum(draw_w(item.part) or 0.0 for item in servers)
        return 2 * max(ceil(watts / (self.shelf.rated_kw * 1000)), 1)

    def servers_by_height(self, part: DevicePart) -> int:
        """How many of these servers leave room for the shelves they need."""
        watts, units = draw_w(part) or 0.0, max(height_u(part), 1)
        count = self.rack.rack_units // units
        while count > 1:
            pairs = max(ceil(count * watts / (self.shelf.rated_kw * 1000)), 1)
            if count * units + 2 * pairs * height_u(self.shelf) <= self.rack.rack_units:
                break
            count -= 1
        return count


def feed_shelves(
    builder: Builder,
    part: PowerShelfPart,
    rack_name: str,
    shelves: Iterable[DeviceId],
    derating: float,
) -> None:
    """A circuit of its own for each shelf, A and B by turns, that carries it at its rating."""
    for number, shelf in enumerate(shelves):
        group = "AB"[number % 2]
        name = f"Feed {rack_name}-shelf-{group}{number // 2 + 1}"
        builder.cord(shelf, 1, builder.feed(name, group, *circuit_for(part, derating)))


def system_of(catalog: Catalog, server: PartId) -> RackSystemPart | None:
    """The rack that is sold with such servers in it, if there is one."""
    systems = (part for part in catalog.of_kind(RackSystemPart) if part.rack is not None)
    return next((s for s in systems if any(item.part == server for item in s.items)), None)


def refuse_trays(catalog: Catalog, server: ServerPart) -> None:
    """GenerateError for servers that work in a rack with a scale-up backplane only."""
    if server.scale_up is None or not server.scale_up.spans_rack:
        return
    system = system_of(catalog, server.id)
    if system is None:
        raise GenerateError(
            f"{server.title} needs a rack whose backplane joins it to others, and no preset fills "
            "one: place such racks in the editor"
        )
    raise GenerateError(
        f"{server.title} comes in whole racks only: take the preset nvl72 with system={system.id}"
    )
