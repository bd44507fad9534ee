# SPDX-License-Identifier: Apache-2.0
"""Where edits happen: a draft closes into a new design and a Step, or leaves no trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeVar

from rackloom.bulk import many_objects
from rackloom.catalog.parts import DevicePart, Part, PartId
from rackloom.design.change import Change, Record, Step
from rackloom.design.entities import (
    ID_PREFIX,
    TABLE_OF,
    Cable,
    Cord,
    Device,
    Entity,
    Feed,
    Module,
    Rack,
    Row,
    SiteSettings,
)
from rackloom.design.ids import CableId, CordId, DeviceId, FeedId, ModuleId, RackId, RowId, by_age
from rackloom.design.index import TABLE_OF_LOOKUP, memberships
from rackloom.design.invariants import check_invariants
from rackloom.design.value import Design
from rackloom.design.wiring import wiring

P = TypeVar("P", bound=Part)


class Draft:
    """A design being edited. Reads see what the draft has written so far.

    A table is copied when it is first written to, so a draft costs what it touches.
    """

    def __init__(self, base: Design) -> None:
        self.base = base
        self._tables: dict[str, dict[str, Any]] = {}
        self._before: dict[tuple[str, str], Any] = {}
        self._written: dict[str, set[str]] = {}
        self._next_number = base.next_number
        self._closed = False

    # Reading

    def table(self, name: str) -> Mapping[str, Any]:
        """One table as the draft stands."""
        written = self._tables.get(name)
        return self.base.table(name) if written is None else written

    @property
    def settings(self) -> SiteSettings:
        """The project's settings."""
        settings: SiteSettings = self.table("settings")["site"]
        return settings

    @property
    def rows(self) -> Mapping[RowId, Row]:
        """Rows by id."""
        return self.table("rows")  # type: ignore[return-value]

    @property
    def racks(self) -> Mapping[RackId, Rack]:
        """Racks by id."""
        return self.table("racks")  # type: ignore[return-value]

    @property
    def devices(self) -> Mapping[DeviceId, Device]:
        """Devices by id."""
        return self.table("devices")  # type: ignore[return-value]

    @property
    def modules(self) -> Mapping[ModuleId, Module]:
        """Transceivers by id."""
        return self.table("modules")  # type: ignore[return-value]

    @property
    def cables(self) -> Mapping[CableId, Cable]:
        """Cables by id."""
        return self.table("cables")  # type: ignore[return-value]

    @property
    def feeds(self) -> Mapping[FeedId, Feed]:
        """Power feeds by id."""
        return self.table("feeds")  # type: ignore[return-value]

    @property
    def cords(self) -> Mapping[CordId, Cord]:
        """Power cords by id."""
        return self.table("cords")  # type: ignore[return-value]

    @property
    def parts(self) -> Mapping[PartId, Part]:
        """Embedded parts by id."""
        return self.table("parts")  # type: ignore[return-value]

    def part(self, part_id: PartId, kind: type[P]) -> P:
        """An embedded part of a known type."""
        part = self.parts[part_id]
        if not isinstance(part, kind):
            raise TypeError(f"{part_id} is a {type(part).__name__}, not a {kind.__name__}")
        return part

    def device_part(self, device_id: DeviceId) -> DevicePart:
        """What a device is."""
        return self.part(self.devices[device_id].part, DevicePart)

    def touching(self, lookup: str, keys: Iterable[str]) -> list[Any]:
        """Entities that a look-up of the index lists under these keys, as the draft stands.

        ``lookup`` is the name of one of DesignIndex' tables, such as ``cables_of_device``. The
        oldest come first.
        """
        return sorted(self.touched(lookup, keys), key=_age)

    def touched(self, lookup: str, keys: Iterable[str]) -> list[Any]:
        """As ``touching``, in no order."""
        table = TABLE_OF_LOOKUP[lookup]
        wanted = set(keys)
        listed: Mapping[str, tuple[str, ...]] = getattr(self.base.index, lookup)
        rows, written = self.table(table), self._written.get(table, set())
        ids = {i for key in wanted for i in listed.get(key, ())} - written
        for i in written:
            entity = rows.get(i)
            if entity is not None and any(
                name == lookup and key in wanted for name, key in memberships(entity)
            ):
                ids.add(i)
        return [rows[i] for i in ids]

    def seated(self, cages: Set[tuple[DeviceId, str]]) -> tuple[list[Module], list[Cable]]:
        """Transceivers and cables in some cages, as the draft stands, in no order."""
        modules: list[Module] = []
        cables: list[Cable] = []
        moved, replugged = (self._written.get(table, set()) for table in ("modules", "cables"))
        for device, cage in cages:
            seats = wiring(self.base, device).seats if device in self.base.devices else {}
            if (seat := seats.get(cage)) is not None:
                modules += [self.base.modules[m] for m in seat.modules if m not in moved]
                cables += [cable for cable, _ in seat.plugs if cable.id not in replugged]
        modules += [
            module
            for i in moved
            if (module := self.modules.get(ModuleId(i))) is not None
            and (module.device, module.cage) in cages
        ]
        cables += [
            cable
            for i in replugged
            if (cable := self.cables.get(CableId(i))) is not None
            and any((end.device, end.cage) in cages for end in cable.ends)
        ]
        return modules, cables

    # Writing

    def new_id(self, table: str) -> str:
        """A fresh id for a table."""
        number = self._next_number
        self._next_number += 1
        return f"{ID_PREFIX[table]}{number}"

    def put(self, entity: Entity) -> None:
        """Add an entity, or replace the one of the same id."""
        self._write(TABLE_OF[type(entity)], entity.id, entity)

    def put_all(self, entities: Iterable[Entity]) -> None:
        """Add or replace many entities."""
        for entity in entities:
            self._write(TABLE_OF[type(entity)], entity.id, entity)

    def remove(self, table: str, entity_id: str) -> None:
        """Take an entity out; that it exists is the caller's knowledge (KeyError otherwise)."""
        if entity_id not in self.table(table):
            raise KeyError(f"{table} holds no {entity_id}")
        self._write(table, entity_id, None)

    def embed(self, part: Part) -> PartId:
        """Make a catalogue part available to this design; an embedded one of that id stays."""
        if part.id not in self.parts:
            self._write("parts", part.id, part)
        return part.id

    def replace_part(self, part: Part) -> None:
        """Put a newer version of an embedded part in the place of the old one."""
        self._write("parts", part.id, part)

    def take(self, change: Change) -> None:
        """Write what another draft of the same design, or of one alike, has changed."""
        for record in change:
            self._write(record.table, record.id, record.after)

    def _write(self, table: str, key: str, value: Any) -> None:
        if self._closed:
            raise RuntimeError("this draft is closed: its tables belong to a design now")
        rows = self._tables.get(table)
        if rows is None:
            rows = self._tables[table] = self.base.copy_of(table)
        self._before.setdefault((table, key), rows.get(key))
        self._written.setdefault(table, set()).add(key)
        if value is None:
            del rows[key]
        else:
            rows[key] = value

    # Closing

    def change(self) -> Change:
        """What the draft has changed so far."""
        return Change(
            tuple(
                Record(table, key, before, after)
                for (table, key), before in self._before.items()
                if before != (after := self._tables[table].get(key))
            )
        )

    def close(self, label: str, merge_key: str = "") -> tuple[Design, Step]:
        """The edited design and the step that made it.

        Raises EditError, and leaves everything as it was, if the result would break an invariant:
        a reference to nothing, two devices in one slot, two plugs in one socket.
        """
        change = self.change()
        self._closed = True
        with many_objects():
            after = self.base.followed_by(self._tables, change, check_invariants)
        return after, Step(label, change, merge_key)


def _age(entity: Any) -> tuple[int, str]:
    return by_age(entity.id)
