# SPDX-License-Identifier: Apache-2.0
"""Coolant distribution units of generated liquid-cooled racks."""

from __future__ import annotations

from math import ceil

from rackloom.catalog.site_parts import AccessoryPart
from rackloom.design.slots import height_u
from rackloom.generate.errors import GenerateError
from rackloom.generate.layout import Layout
from rackloom.generate.network import Request
from rackloom.generate.rack_systems import WholeRack

CDUS_PER_RACK = 6
"""So many in a rack of their own: 700 kg, with room between them for hoses and pumps."""


def place_cdus(request: Request, layout: Layout, system: WholeRack, racks: int) -> list[str]:
    """Racks of coolant distribution units: all the heat of the racks, and one unit to spare.

    How much of the heat goes into the air is an estimate in the sources (15 to 20 %), so the
    units are sized for all of it.
    """
    cdu: AccessoryPart = request.part("cdu", AccessoryPart)
    count: int | None = request.options["cdus"]
    heat_w = system.system.power_max_w
    if count is None:
        if cdu.cooling_kw is None or heat_w is None:
            raise GenerateError(
                f"how much heat {system.title} gives off or {cdu.title} takes is not known: say "
                "how many units, cdus=N"
            )
        count = ceil(racks * heat_w / 1000 / cdu.cooling_kw) + 1
    each = height_u(cdu)
    left = count
    while left:
        rack = layout.floor.rack()
        here = min(left, CDUS_PER_RACK, layout.rack_part.rack_units // each)
        for number in range(here):
            name = f"cdu-{count - left + number + 1:02d}"
            layout.builder.device(cdu, rack[0], 1 + number * each, name)
        left -= here
    return [
        f"{count} x {cdu.title}: their pumps have no power cords, as their inlets are unknown"
    ] * (count > 0)
