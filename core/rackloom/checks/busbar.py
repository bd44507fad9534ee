# SPDX-License-Identifier: Apache-2.0
"""Racks with a busbar: shelves that feed it, and what hangs on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, RackPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.catalog.words import Inlet
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.ids import RackId

if TYPE_CHECKING:
    from rackloom.design.ids import DeviceId


def _on_it(context: Context, rack_id: str) -> tuple[list[DeviceId], list[PowerShelfPart]]:
    """The devices of a rack that are fed by its busbar, and the shelves that feed that."""
    design = context.design
    devices, shelves = [], []
    for device in design.index.devices_in_rack.get(RackId(rack_id), ()):
        part = design.part(design.devices[device].part, DevicePart)
        if isinstance(part, PowerShelfPart):
            shelves.append(part)
        elif part.psu is not None and part.psu.inlet is Inlet.BUSBAR:
            devices.append(device)
    return devices, shelves


@rule(
    "power.no-busbar",
    Severity.ERROR,
    watches={"devices", "racks"},
    scope="rack",
    source="NVIDIA DGX GB200 user guide, hardware; OCP Open Rack V3",
)
def no_busbar(context: Context, rack_id: str) -> Iterator[Hit]:
    """A device that is fed by a busbar stands in a rack that has one, with a power shelf.

    Such devices have no inlet for a cord. What to do: put them into a busbar rack (Open Rack V3,
    NVL72) with a power shelf, or choose the variant with power supplies of its own.
    """
    devices, shelves = _on_it(context, rack_id)
    rack = context.design.racks[RackId(rack_id)]
    has_busbar = context.design.part(rack.part, RackPart).busbar_v is not None
    if not devices or (shelves and has_busbar):
        return
    names = ", ".join(called(d) for d in devices[:3])
    more = f" and {len(devices) - 3} more" if len(devices) > 3 else ""
    feeds = "is fed" if len(devices) == 1 else "are fed"
    lacks = "no power shelf" if has_busbar else "no busbar that we know of"
    yield Hit(
        (*devices, rack_id),
        f"{names}{more} {feeds} by a busbar, but {called(rack_id)} has {lacks}",
    )


@rule(
    "power.shelf-overload",
    Severity.ERROR,
    watches={"devices", "racks", "modules", "cables"},
    scope="rack",
    source="NVIDIA DGX GB200 user guide, hardware; OCP Open Rack V3",
    numbers=(58,),
)
def shelf_overload(context: Context, rack_id: str) -> Iterator[Hit]:
    """The power shelves of a rack carry what hangs on its busbar.

    All shelves feed one bar. Devices whose draw nobody published are left out of the sum, and the
    finding says how many. What to do: add a shelf, or take devices out.
    """
    devices, shelves = _on_it(context, rack_id)
    if not devices or not shelves:
        return
    draws = [context.loads.draw(device) for device in devices]
    load_kw = sum(draw.watts for draw in draws) / 1000
    usable_kw = sum(shelf.rated_kw for shelf in shelves)
    if load_kw > usable_kw + 0.0005:
        unknown = sum(draw.unknown for draw in draws)
        caveat = f" (draw of {unknown} devices unknown, not counted)" if unknown else ""
        yield Hit(
            (rack_id,),
            f"the devices on the busbar of {called(rack_id)} draw {load_kw:.1f} kW{caveat}, but "
            f"its power shelves give {usable_kw:.1f} kW",
        )
