# SPDX-License-Identifier: Apache-2.0
"""Whole racks as sold: one edit that places a rack with all that stands in it."""

from __future__ import annotations

from collections.abc import Mapping

from rackloom.catalog.parts import DevicePart, Part, PartId, RackPart
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.design.draft import Draft
from rackloom.design.edits import add_device, add_rack
from rackloom.design.errors import EditError
from rackloom.design.ids import RackId, RowId


def add_rack_system(
    draft: Draft,
    system: RackSystemPart,
    parts: Mapping[PartId, Part],
    row: RowId,
    position_m: float,
    name: str | None = None,
) -> RackId:
    """A whole rack in a row, its left edge at ``position_m``; ``parts`` is where its parts are.

    Devices are named after the rack (``R1-tray-01``). Raises EditError where the contents are not
    public, a part is missing from the catalogue, or another rack stands there.
    """
    if system.rack is None:
        raise EditError(
            f"{system.title} cannot be placed: what stands in it is not published; place its "
            "trays in a rack of your own"
        )
    rack = parts.get(system.rack)
    if not isinstance(rack, RackPart):
        raise EditError(f"{system.title} stands in {system.rack!r}, which the catalogue lacks")
    draft.embed(system)  # what the whole rack draws is known, of its trays it is not
    rack_id = add_rack(draft, rack, row, position_m, name)
    rack_name = draft.racks[rack_id].name
    for item in system.items:
        part = parts.get(item.part)
        if not isinstance(part, DevicePart):
            raise EditError(f"{system.title} holds {item.part!r}, which the catalogue lacks")
        for number, bottom_u in enumerate(sorted(item.bottom_u), start=1):
            called = item.name.replace("{n}", f"{number:02d}")
            add_device(draft, part, rack_id, bottom_u, name=f"{rack_name}-{called}", face=item.face)
    return rack_id
