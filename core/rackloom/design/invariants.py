# SPDX-License-Identifier: Apache-2.0
"""What no edit may break. A file that breaks one of the last three still opens, with a finding.

0. Numbers are of a magnitude that a site has.
1. Every reference leads somewhere.
2. One device in a slot of a rack, and none beyond the rack's top.
3. One plug in a socket, and one cord in an inlet or outlet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rackloom.catalog.parts import CablePart, DevicePart, PduPart, RackPart, TransceiverPart
from rackloom.design.bounds import wrong_number
from rackloom.design.change import Change
from rackloom.design.entities import Cable, Cord, Device, Module, Rack
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of
from rackloom.design.slots import occupant, top_u

if TYPE_CHECKING:
    from rackloom.design.value import Design


def check_invariants(design: Design, change: Change) -> None:
    """Raise EditError if a change broke an invariant; looks only at what it touched."""
    _check_numbers(change)
    check_references(design, change)
    for record in change.of("devices"):
        if record.after is not None and _moved(record.before, record.after):
            _check_slot(design, record.after)
    for record in change.of("racks"):
        if record.before is not None and record.after is not None:
            if record.before.part == record.after.part:
                continue
            for device_id in design.index.devices_in_rack.get(record.after.id, ()):
                _check_slot(design, design.devices[device_id])
    touched = {d for r in change.of("cables", "modules") for d in _devices(r.after)}
    for device_id in touched:
        _check_sockets(design, device_id)
    if any(r.after is not None for r in change.of("cords")):
        _check_cords(design, change)


def _check_numbers(change: Change) -> None:
    for record in change:
        if record.after is None or record.table == "parts":
            continue
        field = wrong_number(record.table, record.after)
        if field is not None:
            name = getattr(record.after, "name", "") or record.id
            raise EditError(
                f"{name}: the {field.rpartition('_')[0] or field} is not one a design can hold; "
                "choose a smaller one",
                (record.id,),
            )


def check_references(design: Design, change: Change) -> None:
    """Every id that a touched entity names exists, and nothing still names a removed one."""
    if any(record.before is not None for record in change.of("parts")):
        check_all_references(design)  # the new version of a part may lack ports that are in use
    for record in change:
        if record.after is not None:
            _check_entity(design, record.table, record.after)
            if record.table == "devices" and record.before is not None:
                _check_plugs_kept(design, record.before, record.after)
        elif record.table != "parts":
            _check_unused(design, record.table, record.id)


def _check_plugs_kept(design: Design, before: Device, after: Device) -> None:
    """A device that became another part still has the cages its plugs sit in."""
    if before.part == after.part and before.cards == after.cards:
        return
    for cable_id in design.index.cables_of_device.get(after.id, ()):
        _check_entity(design, "cables", design.cables[cable_id])
    for module_id in design.index.modules_of_device.get(after.id, ()):
        _check_entity(design, "modules", design.modules[module_id])


def check_all_references(design: Design) -> None:
    """Every reference of a whole design; for what came from outside. Raises EditError."""
    for table in ("racks", "devices", "modules", "cables", "cords"):
        for entity in design.table(table).values():
            _check_entity(design, table, entity)


def _check_entity(design: Design, table: str, entity: Any) -> None:
    match entity:
        case Rack():
            _need(design.rows, entity.row, entity, "row")
            _need_part(design, entity, entity.part, RackPart)
        case Device():
            _need(design.racks, entity.rack, entity, "rack")
            _need_part(design, entity, entity.part, DevicePart)
            for _, card in entity.cards:
                _need(design.parts, card, entity, "part")
        case Module():
            _need(design.devices, entity.device, entity, "device")
            _need_part(design, entity, entity.part, TransceiverPart)
            _need_cage(design, entity.id, entity.device, entity.cage)
        case Cable():
            _need_part(design, entity, entity.part, CablePart)
            last = len(design.part(entity.part, CablePart).ends) - 1
            for end in entity.ends:
                _need(design.devices, end.device, entity, "device")
                _need_cage(design, entity.id, end.device, end.cage)
                if not 0 <= end.end <= last:
                    raise EditError(
                        f"cable {entity.id} names end {end.end}, "
                        f"but {entity.part} has ends 0 to {last}",
                        (entity.id,),
                    )
        case Cord():
            _need(design.devices, entity.device, entity, "device")
            if entity.source not in design.devices and entity.source not in design.feeds:
                raise EditError(
                    f"power cord {entity.id} comes from {entity.source!r}, which is not there",
                    (entity.id,),
                )


def _need(table: Any, key: str, entity: Any, word: str) -> None:
    if key not in table:
        name = getattr(entity, "name", "") or entity.id
        raise EditError(
            f"{name} refers to {word} {key!r}, which is not in the design", (entity.id,)
        )


def _need_part(design: Design, entity: Any, part_id: str, kind: type) -> None:
    _need(design.parts, part_id, entity, "part")
    if not isinstance(design.parts[part_id], kind):  # type: ignore[index]
        name = getattr(entity, "name", "") or entity.id
        word = kind.__name__.removesuffix("Part").lower()
        raise EditError(f"{name} uses {part_id!r}, which is not a {word} part", (entity.id,))


def _need_cage(design: Design, entity_id: str, device_id: Any, cage: str) -> None:
    if cage not in cages_of(design, design.devices[device_id]):
        device = design.devices[device_id]
        raise EditError(
            f"{entity_id} is plugged into port {cage!r} of {device.name}, "
            f"which {design.device_part(device_id).title} does not have",
            (entity_id, device_id),
        )


def _check_unused(design: Design, table: str, key: str) -> None:
    index = design.index
    users: tuple[str, ...] = ()
    match table:
        case "rows":
            users = index.racks_in_row.get(key, ())  # type: ignore[call-overload]
        case "racks":
            users = index.devices_in_rack.get(key, ())  # type: ignore[call-overload]
        case "devices":
            users = (
                *index.cables_of_device.get(key, ()),  # type: ignore[call-overload]
                *index.modules_of_device.get(key, ()),  # type: ignore[call-overload]
                *index.cords_of_device.get(key, ()),  # type: ignore[call-overload]
                *index.cords_from_source.get(key, ()),
            )
        case "feeds":
            users = index.cords_from_source.get(key, ())
    if users:
        raise EditError(f"{key} cannot go while {design.name_of(users[0])} depends on it", users)


def _moved(before: Device | None, after: Device) -> bool:
    return before is None or (
        (before.rack, before.bottom_u, before.part, before.face, before.mount)
        != (after.rack, after.bottom_u, after.part, after.face, after.mount)
    )


def _check_slot(design: Design, device: Device) -> None:
    rack = design.racks[device.rack]
    if device.bottom_u is None:
        return
    top = top_u(design, device)
    units = design.part(rack.part, RackPart).rack_units
    if device.bottom_u < 1 or top > units:
        raise EditError(
            f"{device.name} would fill U{device.bottom_u} to U{top}, "
            f"but {rack.name} has U1 to U{units}",
            (device.id, rack.id),
        )
    other = occupant(design, device.rack, device.bottom_u, top, device, ignore={device.id})
    if other is not None:
        raise EditError(
            f"{device.name} does not fit at U{device.bottom_u} of {rack.name}: "
            f"{other.name} is there",
            (device.id, other.id),
        )


def _devices(entity: Cable | Module | None) -> tuple[Any, ...]:
    if entity is None:
        return ()
    if isinstance(entity, Module):
        return (entity.device,)
    return tuple(end.device for end in entity.ends)


def _check_sockets(design: Design, device_id: Any) -> None:
    name = design.devices[device_id].name
    module_in: dict[str, str] = {}
    for module_id in design.index.modules_of_device.get(device_id, ()):
        cage = design.modules[module_id].cage
        if cage in module_in:
            raise EditError(f"port {cage} of {name} already has a transceiver", (device_id,))
        module_in[cage] = module_id
    seen: dict[tuple[str, int], str] = {}
    for cable_id in design.index.cables_of_device.get(device_id, ()):
        for end in design.cables[cable_id].ends:
            if end.device != device_id:
                continue
            key = (end.cage, end.socket)
            if key in seen:
                raise EditError(
                    f"port {end.cage} of {name} is already taken by {design.name_of(seen[key])}",
                    (device_id, seen[key]),
                )
            seen[key] = cable_id


def _check_cords(design: Design, change: Change) -> None:
    for record in change.of("cords"):
        cord = record.after
        if cord is None:
            continue
        for other_id in design.index.cords_of_device.get(cord.device, ()):
            other = design.cords[other_id]
            if other_id != cord.id and other.inlet == cord.inlet:
                name = design.devices[cord.device].name
                raise EditError(f"inlet {cord.inlet} of {name} already has a cord", (cord.device,))
        if cord.source not in design.devices:
            continue
        pdu = design.device_part(cord.source)
        name = design.devices[cord.source].name
        if not isinstance(pdu, PduPart) or cord.outlet not in pdu.outlet_by_name:
            raise EditError(f"{name} has no outlet {cord.outlet!r}", (cord.source,))
        for other_id in design.index.cords_from_source.get(cord.source, ()):
            if other_id != cord.id and design.cords[other_id].outlet == cord.outlet:
                raise EditError(f"outlet {cord.outlet} of {name} is taken", (cord.source,))
