# SPDX-License-Identifier: Apache-2.0
"""The verbs: every way to change a design. Each is a function on a draft; none knows of undo.

An edit raises EditError, with a sentence for the user, where it cannot be made; what the invariants
cover (slots, sockets, references) is left to the closing of the draft.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    RackPart,
    ServerPart,
    TransceiverPart,
)
from rackloom.catalog.words import Side
from rackloom.design import notes
from rackloom.design.draft import Draft
from rackloom.design.entities import (
    AcceptedFinding,
    Cable,
    CableEnd,
    Cord,
    Device,
    Feed,
    Module,
    Rack,
    Row,
    SeverityOverride,
)
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of, default_face
from rackloom.design.ids import (
    CableId,
    CordId,
    DeviceId,
    FeedId,
    ModuleId,
    RackId,
    RowId,
    by_age,
)
from rackloom.design.names import device_names, next_name, stem_for
from rackloom.design.value import Design

RACK_GAP_M = 1e-6
"""Racks may touch; rounding must not make neighbours overlap."""


# Rooms and racks


def add_row(draft: Draft, name: str | None = None, x_m: float = 0.0, y_m: float = 0.0) -> RowId:
    """A new, empty row whose left front corner is at (x, y)."""
    row_id = RowId(draft.new_id("rows"))
    name = name or next_name("Row ", (r.name for r in draft.rows.values()), width=1)
    draft.put(Row(row_id, name, x_m, y_m))
    return row_id


def add_rack(
    draft: Draft, part: RackPart, row: RowId, position_m: float, name: str | None = None
) -> RackId:
    """A rack in a row with its left edge at ``position_m``; EditError where another one stands."""
    rack_id = RackId(draft.new_id("racks"))
    draft.embed(part)
    name = name or next_name("R", (r.name for r in draft.racks.values()))
    rack = Rack(rack_id, name, part.id, row, position_m)
    _need_free_floor(draft, rack)
    draft.put(rack)
    return rack_id


def move_rack(draft: Draft, rack_id: RackId, row: RowId, position_m: float) -> None:
    """Put a rack, with all in it, elsewhere."""
    rack = replace(draft.racks[rack_id], row=row, position_m=position_m)
    _need_free_floor(draft, rack)
    draft.put(rack)


def rack_in_the_way(draft: Design | Draft, rack: Rack) -> Rack | None:
    """The rack of the same row that stands where ``rack`` would, if any."""
    width_m = draft.part(rack.part, RackPart).width_mm / 1000
    for other in draft.racks.values():
        if other.row != rack.row or other.id == rack.id:
            continue
        other_width_m = draft.part(other.part, RackPart).width_mm / 1000
        if (
            rack.position_m + width_m > other.position_m + RACK_GAP_M
            and other.position_m + other_width_m > rack.position_m + RACK_GAP_M
        ):
            return other
    return None


def _need_free_floor(draft: Draft, rack: Rack) -> None:
    other = rack_in_the_way(draft, rack)
    if other is not None:
        raise EditError(
            f"{rack.name} does not fit at {rack.position_m:g} m: {other.name} stands there",
            (rack.id, other.id),
        )


# Devices


def add_device(
    draft: Draft,
    part: DevicePart,
    rack: RackId,
    bottom_u: int | None,
    *,
    name: str | None = None,
    face: Side | None = None,
    mount: str | None = None,
    role: str | None = None,
    fabric: str | None = None,
    pod: str | None = None,
) -> DeviceId:
    """A device in a rack; ``bottom_u`` None and a ``mount`` for 0U devices.

    Without a ``face`` it is turned so that it draws in air at the rack's front.
    """
    face = face or default_face(part)
    if (part.rack_units == 0) != (bottom_u is None):
        raise EditError(
            f"{part.title} hangs beside the rails and takes no U"
            if part.rack_units == 0
            else f"{part.title} needs a U position"
        )
    device_id = DeviceId(draft.new_id("devices"))
    draft.embed(part)
    name = name or next_name(stem_for(part), device_names(draft))
    if bottom_u is None and mount is None:
        mount = free_mount(draft, rack)
    draft.put(Device(device_id, name, part.id, rack, bottom_u, face, mount, role, fabric, pod))
    return device_id


MOUNTS = ("left-1", "right-1", "left-2", "right-2")
"""Places for 0U devices at a rack's rear, in the order they fill: two each side at most."""


def free_mount(draft: Draft, rack: RackId) -> str:
    """The first free place for a 0U device; EditError where all are taken."""
    here = draft.touching("devices_in_rack", {rack})
    taken = {device.mount for device in here if device.bottom_u is None}
    for mount in MOUNTS:
        if mount not in taken:
            return mount
    raise EditError(
        f"{draft.racks[rack].name} has no place left for a 0U device ({len(MOUNTS)} hang there)",
        (rack,),
    )


def move_device(
    draft: Draft, device_id: DeviceId, rack: RackId, bottom_u: int | None, face: Side | None = None
) -> None:
    """Put a device into another slot; its cables stay plugged and get new routes."""
    device = draft.devices[device_id]
    mount = device.mount
    if bottom_u is None and rack != device.rack:
        mount = free_mount(draft, rack)
    draft.put(replace(device, rack=rack, bottom_u=bottom_u, face=face or device.face, mount=mount))


def move_devices(draft: Draft, places: Mapping[DeviceId, tuple[RackId, int | None]]) -> None:
    """Move several devices at once; either all fit or nothing happens."""
    for device_id, (rack, bottom_u) in places.items():
        move_device(draft, device_id, rack, bottom_u)


def flip_devices(draft: Draft, device_ids: Iterable[DeviceId]) -> None:
    """Turn devices round: what looked out of the front looks out of the rear."""
    for device_id in device_ids:
        device = draft.devices[device_id]
        draft.put(replace(device, face=device.face.other))


def set_device(draft: Draft, device_id: DeviceId, **fields: Any) -> None:
    """Change role, fabric, pod or face of a device."""
    draft.put(replace(draft.devices[device_id], **fields))


def set_mode(draft: Draft, device_id: DeviceId, cage: str, mode: str | None) -> None:
    """Fix the breakout mode of a cage, or (None) let it follow what is plugged."""
    device = draft.devices[device_id]
    receptacle = cages_of(draft, device)[cage]
    if mode is not None and receptacle.mode(mode) is None:
        offered = ", ".join(m.name for m in receptacle.modes)
        raise EditError(f"port {cage} of {device.name} offers {offered}, not {mode}", (device_id,))
    modes = dict(device.modes)
    modes.pop(cage, None)
    if mode is not None:
        modes[cage] = mode
    draft.put(replace(device, modes=tuple(sorted(modes.items()))))


def set_card(draft: Draft, device_id: DeviceId, slot: str, card: NicPart | None) -> None:
    """Put a NIC into a slot, or (None) take it out; EditError while cables are plugged into it."""
    device = draft.devices[device_id]
    part = draft.part(device.part, DevicePart)
    slots = part.slots if isinstance(part, ServerPart) else ()
    if slot not in {s.name for s in slots}:
        raise EditError(f"{part.title} has no slot {slot!r}", (device_id,))
    cards = dict(device.cards)
    cards.pop(slot, None)
    if card is not None:
        cards[slot] = draft.embed(card)
    changed = replace(device, cards=tuple(sorted(cards.items())))
    gone = cages_of(draft, device).keys() - cages_of(draft, changed).keys()
    modules, cables = draft.seated({(device_id, cage) for cage in gone})
    ends = {(end.device, end.cage) for cable in cables for end in cable.ends}
    ends |= {(module.device, module.cage) for module in modules}
    plugged = sorted(cage for device, cage in ends if device == device_id and cage in gone)
    if plugged:
        raise EditError(
            f"unplug {', '.join(plugged)} of {device.name} first: the card in {slot} would go, and "
            "its ports with it",
            (device_id,),
        )
    draft.put(changed)


def rename(draft: Draft, entity_id: str, name: str) -> None:
    """Give a row, rack, device or feed another name, or a cable another label."""
    name = name.strip()
    for table in ("rows", "racks", "devices", "feeds"):
        entity = draft.table(table).get(entity_id)
        if entity is not None:
            if not name:
                raise EditError("a name cannot be empty", (entity_id,))
            draft.put(replace(entity, name=name))
            return
    cable = draft.cables.get(CableId(entity_id))
    if cable is None:
        raise EditError(f"{entity_id} has no name to change", (entity_id,))
    draft.put(replace(cable, label=name))


# Cables


def insert_module(draft: Draft, part: TransceiverPart, device_id: DeviceId, cage: str) -> ModuleId:
    """Put a transceiver into a cage."""
    module_id = ModuleId(draft.new_id("modules"))
    draft.embed(part)
    draft.put(Module(module_id, part.id, device_id, cage))
    return module_id


def plug_cable(
    draft: Draft,
    part: CablePart,
    ends: Iterable[CableEnd],
    length_m: float,
    *,
    label: str = "",
    fabric: str | None = None,
    colour: str | None = None,
    length_fixed: bool = False,
) -> CableId:
    """A cable between ports; the length is the one to order."""
    cable_id = CableId(draft.new_id("cables"))
    draft.embed(part)
    draft.put(Cable(cable_id, part.id, tuple(ends), length_m, length_fixed, label, fabric, colour))
    return cable_id


def replug_cable(draft: Draft, cable_id: CableId, ends: Iterable[CableEnd]) -> None:
    """Move the ends of a cable to other ports."""
    draft.put(replace(draft.cables[cable_id], ends=tuple(ends)))


def set_cable(draft: Draft, cable_id: CableId, **fields: Any) -> None:
    """Change length, label, fabric, colour or ``part`` (a CablePart) of a cable."""
    part = fields.pop("part", None)
    if part is not None:
        fields["part"] = draft.embed(part)
    draft.put(replace(draft.cables[cable_id], **fields))


def swap_module(draft: Draft, module_id: ModuleId, part: TransceiverPart) -> None:
    """Put another transceiver in the place of one; the fibres stay plugged."""
    draft.put(replace(draft.modules[module_id], part=draft.embed(part)))


# Power


def add_feed(
    draft: Draft,
    name: str,
    group: str,
    voltage_v: float,
    current_a: float,
    phases: int = 3,
) -> FeedId:
    """A circuit from the building."""
    feed_id = FeedId(draft.new_id("feeds"))
    draft.put(Feed(feed_id, name, group, voltage_v, current_a, phases))
    return feed_id


def plug_cord(
    draft: Draft, device_id: DeviceId, inlet: int, source: str, outlet: str = ""
) -> CordId:
    """A power cord from an inlet to a PDU outlet, or from a PDU to a feed."""
    cord_id = CordId(draft.new_id("cords"))
    draft.put(Cord(cord_id, device_id, inlet, source, outlet))
    return cord_id


# The project


def change_settings(draft: Draft, **fields: Any) -> None:
    """Change settings of the project (fields of SiteSettings)."""
    draft.put(replace(draft.settings, **fields))


add_note = notes.add_note
set_note_text = notes.set_note_text
move_notes = notes.move_notes


def accept_finding(
    draft: Draft,
    rule: str,
    where: Iterable[str],
    subject: str,
    reason: str,
    author: str = "",
    date: str = "",
) -> str:
    """Accept one finding with a reason; it stays listed, and returns when its subject changes."""
    if not reason.strip():
        raise EditError("accepting a finding needs a reason", tuple(where))
    accepted_id = draft.new_id("accepted")
    draft.put(
        AcceptedFinding(accepted_id, rule, tuple(sorted(where)), reason, subject, author, date)
    )
    return accepted_id


def set_severity(draft: Draft, rule: str, severity: str | None) -> None:
    """Override a rule's severity for this project, or (None) go back to its own."""
    if severity is None:
        if rule in draft.table("severities"):
            draft.remove("severities", rule)
    else:
        draft.put(SeverityOverride(rule, severity))


# Taking away


def remove(draft: Draft, entity_ids: Collection[str]) -> None:
    """Remove entities and what cannot stay without them.

    With a device go its transceivers, cords and cables (a breakout keeps its other branches); with
    a rack go its devices, with a row its racks. Transceivers left without any cable go too, and so
    do notes about what goes.
    """
    doomed = set(entity_ids)
    doomed |= {rack.id for rack in draft.touched("racks_in_row", doomed)}
    doomed |= {device.id for device in draft.touched("devices_in_rack", doomed)}
    freed = _remove_cables(draft, doomed)
    _remove_modules(draft, doomed, freed)
    cords = {c.id for c in draft.touched("cords_of_device", doomed)}
    cords |= {c.id for c in draft.touched("cords_from_source", doomed)}
    cords |= doomed & draft.cords.keys()
    for cord_id in sorted(cords, key=by_age):
        draft.remove("cords", cord_id)
    for table in ("notes", "accepted", "feeds", "devices", "racks", "rows"):
        rows = draft.table(table)
        for entity_id in sorted((i for i in doomed if i in rows), key=by_age):
            draft.remove(table, entity_id)
    notes.remove_notes_about_nothing(draft, doomed)


def _remove_cables(draft: Draft, doomed: set[str]) -> set[tuple[DeviceId, str]]:
    """Cables that were named or lost an end they need; returns the cages they leave."""
    cables = {cable.id: cable for cable in draft.touching("cables_of_device", doomed)}
    cables |= {CableId(i): draft.cables[CableId(i)] for i in doomed & draft.cables.keys()}
    freed: set[tuple[DeviceId, str]] = set()
    for cable in cables.values():
        kept = tuple(end for end in cable.ends if end.device not in doomed)
        if cable.id not in doomed and _still_joins(draft.part(cable.part, CablePart), kept):
            draft.put(replace(cable, ends=kept))
        else:
            freed |= {(end.device, end.cage) for end in cable.ends}
            draft.remove("cables", cable.id)
    return freed


def _still_joins(part: CablePart, ends: Collection[CableEnd]) -> bool:
    """Whether two of these ends are joined by the cable: a trunk and a branch, or both of a leg."""
    plugged = {end.end for end in ends}
    return any(not plugged.isdisjoint(part.far_ends(end)) for end in plugged)


def _remove_modules(draft: Draft, doomed: set[str], freed: set[tuple[DeviceId, str]]) -> None:
    """Transceivers that were named, stand in a doomed device, or lost their last cable."""
    left = {(device, cage) for device, cage in freed if device not in doomed}
    seated, cabled = draft.seated(left)
    emptied = left - {(end.device, end.cage) for cable in cabled for end in cable.ends}
    orphaned = [module for module in seated if (module.device, module.cage) in emptied]
    orphaned.sort(key=lambda module: by_age(module.id))
    housed = draft.touching("modules_of_device", doomed)
    named = [draft.modules[ModuleId(i)] for i in sorted(doomed & draft.modules.keys(), key=by_age)]
    for module in named:
        if module.device not in doomed:
            _unplug_fibres(draft, module)
    for module in {m.id: m for m in (*orphaned, *housed, *named)}.values():
        draft.remove("modules", module.id)


def _unplug_fibres(draft: Draft, module: Module) -> None:
    """Fibres in a transceiver that goes lose their end there, and go when none is left."""
    for cable in draft.touching("cables_of_device", {module.device}):
        kept = tuple(
            end for end in cable.ends if (end.device, end.cage) != (module.device, module.cage)
        )
        if len(kept) == len(cable.ends):
            continue
        if len(kept) >= 2:
            draft.put(replace(cable, ends=kept))
        else:
            draft.remove("cables", cable.id)
