# SPDX-License-Identifier: Apache-2.0
"""Racks that stand as they are sold whole, and what such a rack draws all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, PartId
from rackloom.catalog.site_parts import RackSystemPart
from rackloom.catalog.words import Inlet
from rackloom.design.ids import DeviceId, RackId
from rackloom.placement.draws import Draw, Load

if TYPE_CHECKING:
    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class RackAsSold:
    """A rack with all that its system has on the busbar.

    Makers of such systems publish what the rack draws, not what each tray does.
    """

    system: RackSystemPart
    devices: frozenset[DeviceId]
    """What the system's figures are about; what else hangs in the rack draws beside them."""
    on_busbar: frozenset[DeviceId]
    """Those of them that its busbar feeds."""

    def sum(
        self, draws: Mapping[DeviceId, Draw], about: frozenset[DeviceId], whole_w: float | None
    ) -> Load:
        """What devices draw, where ``whole_w`` is the figure for ``about`` all together.

        It stands for them where one of them has none; devices beside them are added.
        """
        inside = [draws[device] for device in about if device in draws]
        beside = [draw for device, draw in draws.items() if device not in about]
        inside_w, unknown = sum(d.watts for d in inside), sum(d.unknown for d in inside)
        if unknown and whole_w is not None:
            inside_w, unknown = max(inside_w, whole_w), 0
        return Load(
            inside_w + sum(d.watts for d in beside), unknown + sum(d.unknown for d in beside)
        )


def rack_systems(design: Design) -> Mapping[PartId, list[RackSystemPart]]:
    """The systems that a design knows, by the rack part they stand in."""
    found: dict[PartId, list[RackSystemPart]] = {}
    for part in design.parts.values():
        if isinstance(part, RackSystemPart) and part.rack is not None:
            found.setdefault(part.rack, []).append(part)
    return found


def rack_as_sold(
    design: Design, rack_id: str, systems: Mapping[PartId, list[RackSystemPart]] | None = None
) -> RackAsSold | None:
    """The system that a rack is; None where it is none, or a tray of it is missing.

    ``systems``: what :func:`rack_systems` says, where the caller has it.
    """
    systems = rack_systems(design) if systems is None else systems
    rack = design.racks.get(RackId(rack_id)) if systems else None
    if rack is None or rack.part not in systems:
        return None
    by_part: dict[PartId, list[DeviceId]] = {}
    for device in design.index.devices_in_rack.get(rack.id, ()):
        by_part.setdefault(design.devices[device].part, []).append(device)
    for system in systems[rack.part]:
        found = _as_sold(design, system, by_part)
        if found is not None:
            return found
    return None


def _as_sold(
    design: Design, system: RackSystemPart, by_part: Mapping[PartId, list[DeviceId]]
) -> RackAsSold | None:
    counts: dict[PartId, int] = {}
    for item in system.items:
        counts[item.part] = counts.get(item.part, 0) + len(item.bottom_u)
    devices: set[DeviceId] = set()
    on_busbar: set[DeviceId] = set()
    for part_id, count in counts.items():
        here = sorted(by_part.get(part_id, ()))[:count]
        part = design.parts.get(part_id)
        on = isinstance(part, DevicePart) and part.psu is not None
        on = on and part.psu.inlet is Inlet.BUSBAR  # type: ignore[union-attr]
        if on:
            on_busbar.update(here)
        if len(here) < count and (on or part is None):
            return None
        devices.update(here)
    return RackAsSold(system, frozenset(devices), frozenset(on_busbar)) if on_busbar else None


def racks_as_sold(design: Design) -> Iterator[tuple[RackId, RackAsSold]]:
    """All of a design; none where it knows no systems, which costs nothing then."""
    systems = rack_systems(design)
    if not systems:
        return
    for rack_id in design.racks:
        found = rack_as_sold(design, rack_id, systems)
        if found is not None:
            yield rack_id, found
