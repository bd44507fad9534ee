# SPDX-License-Identifier: Apache-2.0
"""Copying: a part of a design taken out, and put in again with new ids and free names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rackloom.catalog.parts import DevicePart, PduPart, RackPart
from rackloom.design.draft import Draft
from rackloom.design.edits import MOUNTS, rack_in_the_way
from rackloom.design.entities import Cable, Cord, Device, Module, Note, Rack
from rackloom.design.errors import EditError
from rackloom.design.hardware import part_ids_of
from rackloom.design.ids import DeviceId, NoteId, RackId, RowId, by_age
from rackloom.design.names import device_names, name_after
from rackloom.design.notes import MOST_CHARACTERS, is_thing, plain_text
from rackloom.design.slots import height_u
from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Snippet:
    """Devices with what is plugged among them, the racks that were taken whole, and notes.

    ``design`` also holds the racks and rows the devices came from, so that it stands alone.
    """

    design: Design
    whole_racks: frozenset[RackId]

    def __bool__(self) -> bool:
        return bool(self.design.devices or self.whole_racks or self.design.notes)


def snippet(design: Design, ids: Collection[str]) -> Snippet:
    """What a selection comprises: racks with all in them, devices, the cables among them, notes.

    Cables with an end elsewhere stay behind, and so do transceivers whose fibres do.
    """
    racks = {RackId(i) for i in ids if i in design.racks}
    devices = {DeviceId(i) for i in ids if i in design.devices}
    for rack in racks:
        devices.update(design.index.devices_in_rack.get(rack, ()))
    cable_ids = {c for d in devices for c in design.index.cables_of_device.get(d, ())}
    cables = [
        design.cables[c]
        for c in sorted(cable_ids, key=by_age)
        if all(end.device in devices for end in design.cables[c].ends)
    ]
    lit = {(end.device, end.cage) for cable in cables for end in cable.ends}
    modules = [
        module
        for d in sorted(devices, key=by_age)
        for m in design.index.modules_of_device.get(d, ())
        if ((module := design.modules[m]).device, module.cage) in lit
    ]
    cords = [
        cord
        for d in sorted(devices, key=by_age)
        for c in design.index.cords_of_device.get(d, ())
        if (cord := design.cords[c]).source in devices
    ]
    notes = [design.notes[NoteId(i)] for i in sorted(ids, key=by_age) if i in design.notes]
    kept = _assemble(design, racks, devices, cables, modules, cords, notes)
    return Snippet(kept, frozenset(racks))


def _assemble(
    design: Design,
    racks: set[RackId],
    devices: set[DeviceId],
    cables: list[Cable],
    modules: list[Module],
    cords: list[Cord],
    notes: list[Note],
) -> Design:
    kept_devices = [design.devices[d] for d in sorted(devices, key=by_age)]
    rack_ids = racks | {d.rack for d in kept_devices}
    kept_racks = [design.racks[r] for r in sorted(rack_ids, key=by_age)]
    rows = dict.fromkeys(rack.row for rack in kept_racks)
    parts = {part for device in kept_devices for part in part_ids_of(device)}
    parts |= {e.part for group in (kept_racks, cables, modules) for e in group}
    parts |= {p.id for p in design.parts.values() if getattr(p, "rack", None) in parts}  # systems
    tables: dict[str, dict[str, Any]] = {
        "rows": {row: design.rows[row] for row in rows},
        "racks": {r.id: r for r in kept_racks},
        "devices": {d.id: d for d in kept_devices},
        "cables": {c.id: c for c in cables},
        "modules": {m.id: m for m in modules},
        "cords": {c.id: c for c in cords},
        "notes": {n.id: n for n in notes},
        "parts": {p: design.parts[p] for p in sorted(parts)},
    }
    return Design(tables)


def paste(draft: Draft, clip: Snippet, target: str | None = None) -> list[str]:
    """Put a snippet in; returns the new racks, devices and notes.

    Whole racks go behind the last rack of the target's row (or of the first row). Devices go into
    the target rack, or that of the target device, else into the rack they came from, at the free
    place nearest above the one they had. A note goes with the copy of what it was about, else
    beside the note it is a copy of. EditError where something finds no place.
    """
    for part in clip.design.parts.values():
        draft.embed(part)
    new: dict[str, str] = {}
    for rack_id in sorted(clip.whole_racks, key=by_age):
        new[rack_id] = _paste_rack(draft, clip.design.racks[rack_id], target)
    home = _target_rack(draft, target)
    used = _Used(draft)
    names = set(device_names(draft))
    for device in clip.design.devices.values():
        rack = new.get(device.rack) or home or device.rack
        if rack not in draft.racks:
            raise EditError(f"select a rack to paste {device.name} into")
        new[device.id] = _paste_device(draft, device, RackId(rack), used, names)
    _paste_plugs(draft, clip.design, new)
    return [*new.values(), *_paste_notes(draft, clip.design, new, target)]


def duplicate(draft: Draft, design: Design, ids: Collection[str]) -> list[str]:
    """Copies of a selection: devices in the next free U, racks behind the last of their row."""
    return paste(draft, snippet(design, ids))


class _Used:
    """Which U and mounts are taken, kept up while a snippet is pasted."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._slots: dict[RackId, list[bool]] = {}
        self._mounts: dict[RackId, set[str | None]] = {}
        for device in draft.devices.values():
            if device.bottom_u is None:
                self._mounts.setdefault(device.rack, set()).add(device.mount)
            else:
                self.fill(device.rack, device.bottom_u, height_u(self._part(device)))

    def _part(self, device: Device) -> DevicePart:
        return self._draft.part(device.part, DevicePart)

    def _row(self, rack: RackId) -> list[bool]:
        if rack not in self._slots:
            units = self._draft.part(self._draft.racks[rack].part, RackPart).rack_units
            self._slots[rack] = [False] * (units + 1)
        return self._slots[rack]

    def fill(self, rack: RackId, bottom_u: int, units: int) -> None:
        """Mark U as taken."""
        slots = self._row(rack)
        for u in range(max(bottom_u, 1), min(bottom_u + units, len(slots))):
            slots[u] = True

    def find(self, rack: RackId, near_u: int, units: int) -> int | None:
        """The free place nearest above ``near_u``, else the nearest below."""
        slots = self._row(rack)
        last = len(slots) - units

        def free(u: int) -> bool:
            return not any(slots[u : u + units])

        above = (u for u in range(max(near_u, 1), last + 1) if free(u))
        below = (u for u in range(min(near_u - 1, last), 0, -1) if free(u))
        return next(above, next(below, None))

    def mount(self, rack: RackId, wanted: str | None) -> str | None:
        """The wanted place for a 0U device where it is free, else the first free one."""
        taken = self._mounts.setdefault(rack, set())
        place = next((m for m in (wanted, *MOUNTS) if m and m not in taken), None)
        taken.add(place)
        return place


def _target_rack(draft: Draft, target: str | None) -> RackId | None:
    if target is None:
        return None
    if target in draft.racks:
        return RackId(target)
    device = draft.devices.get(DeviceId(target))
    return device.rack if device is not None else None


def _paste_rack(draft: Draft, rack: Rack, target: str | None) -> str:
    row = _target_row(draft, rack, target)
    ends = [
        r.position_m + draft.part(r.part, RackPart).width_mm / 1000
        for r in draft.racks.values()
        if r.row == row
    ]
    name = name_after(rack.name, (r.name for r in draft.racks.values()))
    copied = replace(
        rack,
        id=RackId(draft.new_id("racks")),
        name=name,
        row=row,
        position_m=round(max(ends, default=0.0), 6),
    )
    assert rack_in_the_way(draft, copied) is None
    draft.put(copied)
    return copied.id


def _target_row(draft: Draft, rack: Rack, target: str | None) -> RowId:
    home = _target_rack(draft, target)
    if home is not None:
        return draft.racks[home].row
    if rack.row in draft.rows:
        return rack.row
    if draft.rows:
        return next(iter(draft.rows))
    raise EditError(f"there is no row to paste rack {rack.name} into: add one first")


def _paste_device(draft: Draft, device: Device, rack: RackId, used: _Used, names: set[str]) -> str:
    part = draft.part(device.part, DevicePart)
    bottom_u, mount = None, None
    if device.bottom_u is not None:
        bottom_u = used.find(rack, device.bottom_u, height_u(part))
        if bottom_u is None:
            raise EditError(
                f"{draft.racks[rack].name} has no {height_u(part)} free U for {device.name}",
                (rack,),
            )
        used.fill(rack, bottom_u, height_u(part))
    else:
        mount = used.mount(rack, device.mount)
        if mount is None:
            raise EditError(f"{draft.racks[rack].name} has no place for {device.name}", (rack,))
    name = name_after(device.name, names) if device.name in names else device.name
    names.add(name)
    copied = replace(
        device,
        id=DeviceId(draft.new_id("devices")),
        name=name,
        rack=rack,
        bottom_u=bottom_u,
        mount=mount,
    )
    draft.put(copied)
    return copied.id


def _paste_plugs(draft: Draft, source: Design, new: Mapping[str, str]) -> None:
    for module in source.modules.values():
        device = DeviceId(new[module.device])
        draft.put(replace(module, id=draft.new_id("modules"), device=device))  # type: ignore[arg-type]
    for cable in source.cables.values():
        ends = tuple(replace(end, device=DeviceId(new[end.device])) for end in cable.ends)
        draft.put(replace(cable, id=draft.new_id("cables"), ends=ends, label=""))  # type: ignore[arg-type]
    for cord in source.cords.values():
        if not isinstance(source.device_part(DeviceId(cord.source)), PduPart):
            continue
        draft.put(
            replace(
                cord,
                id=draft.new_id("cords"),  # type: ignore[arg-type]
                device=DeviceId(new[cord.device]),
                source=new[cord.source],
            )
        )


NOTE_STEP_M = 0.12
"""A copied note lies this far right of and below the one it was copied from."""


def _paste_notes(
    draft: Draft, source: Design, new: Mapping[str, str], target: str | None
) -> list[str]:
    """Copies of the notes: about the new things, else about what they were about, or the target."""
    pasted: list[str] = []
    for note in source.notes.values():
        about, step = note.about, NOTE_STEP_M
        if about is not None and about in new:
            about, step = new[about], 0.0
        elif about is not None and not is_thing(draft, about):
            about = target if target is not None else next(iter(draft.rows), None)
        copied = replace(
            note,
            id=NoteId(draft.new_id("notes")),
            text=plain_text(note.text)[:MOST_CHARACTERS],
            x_m=note.x_m + step,
            y_m=note.y_m + step,
            about=about,
        )
        draft.put(copied)
        pasted.append(copied.id)
    return pasted
