# SPDX-License-Identifier: Apache-2.0
"""Heat: how much of a rack's power has to leave it by air."""

from __future__ import annotations

from collections.abc import Iterator

from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.ids import RackId

CONTAINED_KW = 30.0
"""Air without special measures: to about 25 to 30 kW a rack."""

AIR_LIMIT_KW = 56.0
"""The most that published reference designs cool by air, in contained aisles (DGX B300)."""

_DRAWING = {"devices", "modules", "cables", "racks"}


def _air_kw(context: Context, rack_id: str) -> tuple[float, int]:
    """Heat of the devices of a rack that we know to be cooled by air; and how many are unknown."""
    devices = context.design.index.devices_in_rack.get(RackId(rack_id), ())
    heat = context.loads.heat(devices)
    return heat.air_w / 1000, heat.air_unknown


def _caveat(unknown: int) -> str:
    return f" (draw of {unknown} device{'s' * (unknown > 1)} not wholly known)" if unknown else ""


@rule(
    "power.air-cooling",
    Severity.WARNING,
    watches=_DRAWING,
    scope="supply",
    source="DGX SuperPOD reference architectures H100 and B300; published air and liquid figures",
    numbers=(67,),
)
def air_cooling(context: Context, rack_id: str) -> Iterator[Hit]:
    """A rack gives off no more heat than air can carry away.

    Published reference designs stop at 56 kW a rack, in contained aisles. What to do: fewer
    devices in the rack, rear-door heat exchangers, or liquid-cooled devices.
    """
    heat_kw, unknown = _air_kw(context, rack_id)
    if heat_kw > AIR_LIMIT_KW:
        yield Hit(
            (rack_id,),
            f"{called(rack_id)} gives off up to {heat_kw:.1f} kW by air{_caveat(unknown)}; the "
            f"most that reference designs cool by air is {AIR_LIMIT_KW:g} kW",
        )


@rule(
    "power.contained-aisle",
    Severity.INFO,
    watches=_DRAWING,
    scope="supply",
    source="DGX SuperPOD reference architecture H100; published air and liquid figures",
    numbers=(67,),
)
def contained_aisle(context: Context, rack_id: str) -> Iterator[Hit]:
    """A rack above 30 kW by air needs a contained aisle and a room made for it.

    Ordinary rooms cool 25 to 30 kW a rack; 40 to 56 kW work in contained reference designs. What
    to do: ask whoever runs the room, or spread the devices over more racks.
    """
    heat_kw, unknown = _air_kw(context, rack_id)
    if CONTAINED_KW < heat_kw <= AIR_LIMIT_KW:
        yield Hit(
            (rack_id,),
            f"{called(rack_id)} gives off up to {heat_kw:.1f} kW by air{_caveat(unknown)}: more "
            f"than the {CONTAINED_KW:g} kW of an ordinary room",
        )
