# SPDX-License-Identifier: Apache-2.0
"""Racks with a busbar: shelves that feed it, and what hangs on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rackloom.catalog.parts import RackPart, ServerPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.ids import RackId
from rackloom.placement.loads import on_busbar_of


def with_busbar(context: Context, rack_ids: Iterable[str]) -> Iterator[str]:
    """Racks with something that hangs on a busbar, or feeds one: few halls have any."""
    for rack_id in rack_ids:
        devices, shelves = on_busbar_of(context.design, rack_id)
        if devices or shelves:
            yield rack_id


@rule(
    "power.no-busbar",
    Severity.ERROR,
    watches={"devices", "racks"},
    scope="rack",
    among=with_busbar,
    source="NVIDIA DGX GB200 user guide, hardware; OCP Open Rack V3",
)
def no_busbar(context: Context, rack_id: str) -> Iterator[Hit]:
    """A device that is fed by a busbar stands in a rack that has one, with a power shelf.

    Such devices have no inlet for a cord. What to do: put them into a busbar rack (Open Rack V3,
    NVL72) with a power shelf, or choose the variant with power supplies of its own.
    """
    devices, shelves = on_busbar_of(context.design, rack_id)
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
    "power.transient",
    Severity.WARNING,
    watches={"devices", "racks", "modules", "cables"},
    scope="supply",
    among=with_busbar,
    source="DGX SuperPOD reference architecture GB200 (components)",
    numbers=(66,),
)
def transient(context: Context, rack_id: str) -> Iterator[Hit]:
    """The power shelves of a rack also carry the short peaks of its GPUs.

    An NVL72 draws 1.4 times its steady power for moments, whenever all GPUs begin to compute at
    once. Devices whose draw or peak nobody published count with what is known. What to do: add a
    shelf, or cap the power of the GPUs.
    """
    devices, shelves = on_busbar_of(context.design, rack_id)
    if not devices or not shelves:
        return
    peak_w, steady_w, unknown = 0.0, 0.0, 0
    for device in devices:
        part = context.design.parts[context.design.devices[device].part]
        draw = context.loads.draw(device)
        ratio = part.power_transient_ratio if isinstance(part, ServerPart) else None
        steady_w += draw.watts
        peak_w += draw.watts * (ratio or 1.0)
        unknown += draw.unknown
    parts = (context.design.devices[shelf].part for shelf in shelves)
    usable_w = 1000 * sum(context.design.part(part, PowerShelfPart).rated_kw for part in parts)
    if steady_w <= usable_w + 0.5 < peak_w:
        caveat = f" (draw of {unknown} devices not wholly known)" if unknown else ""
        yield Hit(
            (rack_id,),
            f"the devices on the busbar of {called(rack_id)} peak at {peak_w / 1000:.1f} kW for "
            f"moments{caveat}, but its power shelves give {usable_w / 1000:.1f} kW",
        )


@rule(
    "power.busbar-overload",
    Severity.ERROR,
    watches={"devices", "racks", "modules", "cables"},
    scope="supply",
    among=with_busbar,
    source="definition: a conductor carries its rated current; OCP Open Rack V3 (busbar)",
)
def busbar_overload(context: Context, rack_id: str) -> Iterator[Hit]:
    """The busbar of a rack carries the current of what hangs on it.

    The draw of the devices over the busbar's voltage is held against its rating. The bundled racks
    come with bars of several ratings and say none: give yours a part of your own with the
    rating it was ordered with. What to do: a stronger bar, or fewer devices.
    """
    design = context.design
    part = design.part(design.racks[RackId(rack_id)].part, RackPart)
    if part.busbar_a is None or part.busbar_v is None:
        return
    load = context.loads.busbar(rack_id)
    current_a = load.watts / part.busbar_v
    if current_a > part.busbar_a + 0.5:
        yield Hit(
            (rack_id,),
            f"the devices on the busbar of {called(rack_id)} draw {current_a:,.0f} A{load.caveat}, "
            f"but it is rated for {part.busbar_a:,.0f} A",
        )
