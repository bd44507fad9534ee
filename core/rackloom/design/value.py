# SPDX-License-Identifier: Apache-2.0
"""The Design: what is drawn, as one immutable value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from rackloom.bulk import many_objects
from rackloom.catalog.parts import DevicePart, Part, PartId
from rackloom.design.change import Change, Record
from rackloom.design.entities import (
    ID_PREFIX,
    NAMED_BY_ID,
    TABLES,
    AcceptedFinding,
    Cable,
    Cord,
    Device,
    Feed,
    ListPrice,
    Module,
    Note,
    Rack,
    Row,
    SeverityOverride,
    SiteSettings,
    SpareShare,
)
from rackloom.design.ids import (
    CableId,
    CordId,
    DeviceId,
    FeedId,
    ModuleId,
    NoteId,
    RackId,
    RowId,
    number_of,
)
from rackloom.design.notes import first_line

if TYPE_CHECKING:
    from rackloom.design.index import DesignIndex
    from rackloom.design.links import Link
    from rackloom.design.paths import Patching
    from rackloom.design.wiring import Wiring, WiringMemo

ALL_TABLES = (*TABLES, "parts")

_BULK = 2_000
"""Records of a change below which what was derived is always carried along."""

P = TypeVar("P", bound=Part)


class Design:
    """Tables of entities by id, and the parts they use. Nobody writes to it once it is out.

    Two designs are equal when their tables are. ``Design()`` is an empty one.
    """

    __slots__ = ("__dict__", "_tables")

    _tables: dict[str, dict[str, Any]]

    def __init__(self, tables: Mapping[str, dict[str, Any]] | None = None) -> None:
        given = tables or {}
        self._tables = {name: given.get(name, {}) for name in ALL_TABLES}
        if not self._tables["settings"]:
            self._tables["settings"] = {"site": SiteSettings()}

    def table(self, name: str) -> Mapping[str, Any]:
        """One table by name, read-only."""
        return MappingProxyType(self._tables[name])

    def copy_of(self, name: str) -> dict[str, Any]:
        """A copy of one table, to write to; copying through a read-only view is far slower."""
        return self._tables[name].copy()

    def alike(self) -> Design:
        """An equal design with next to nothing derived yet, sharing the tables.

        For a thread that edits on: memos of this design may be written to by the others.
        """
        other = Design(self._tables)
        other.__dict__["next_number"] = self.next_number  # new ids are those this one would give
        return other

    @property
    def settings(self) -> SiteSettings:
        """The project's settings."""
        settings: SiteSettings = self._tables["settings"]["site"]
        return settings

    @property
    def rows(self) -> Mapping[RowId, Row]:
        """Rows by id."""
        return self._tables["rows"]  # type: ignore[return-value]

    @property
    def racks(self) -> Mapping[RackId, Rack]:
        """Racks by id."""
        return self._tables["racks"]  # type: ignore[return-value]

    @property
    def devices(self) -> Mapping[DeviceId, Device]:
        """Devices by id."""
        return self._tables["devices"]  # type: ignore[return-value]

    @property
    def modules(self) -> Mapping[ModuleId, Module]:
        """Transceivers by id."""
        return self._tables["modules"]  # type: ignore[return-value]

    @property
    def cables(self) -> Mapping[CableId, Cable]:
        """Cables by id."""
        return self._tables["cables"]  # type: ignore[return-value]

    @property
    def feeds(self) -> Mapping[FeedId, Feed]:
        """Power feeds by id."""
        return self._tables["feeds"]  # type: ignore[return-value]

    @property
    def cords(self) -> Mapping[CordId, Cord]:
        """Power cords by id."""
        return self._tables["cords"]  # type: ignore[return-value]

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """Notes by id."""
        return self._tables["notes"]  # type: ignore[return-value]

    @property
    def accepted(self) -> Mapping[str, AcceptedFinding]:
        """Accepted findings by id."""
        return self._tables["accepted"]

    @property
    def severities(self) -> Mapping[str, SeverityOverride]:
        """Severity overrides by rule id."""
        return self._tables["severities"]

    @property
    def spares(self) -> Mapping[str, SpareShare]:
        """Spares of the project by category; ``all`` is for the categories not named."""
        return self._tables["spares"]

    @property
    def prices(self) -> Mapping[str, ListPrice]:
        """The project's price list by part number."""
        return self._tables["prices"]

    @property
    def parts(self) -> Mapping[PartId, Part]:
        """Catalogue parts this design uses, by id."""
        return self._tables["parts"]  # type: ignore[return-value]

    def part(self, part_id: PartId, kind: type[P]) -> P:
        """An embedded part of a known type; raises KeyError or TypeError on a broken design."""
        part = self._tables["parts"][part_id]
        if not isinstance(part, kind):
            raise TypeError(f"{part_id} is a {type(part).__name__}, not a {kind.__name__}")
        return part

    def device_part(self, device_id: DeviceId) -> DevicePart:
        """What a device is."""
        return self.part(self.devices[device_id].part, DevicePart)

    def name_of(self, entity_id: str) -> str:
        """What a person calls the entity of this id: its name, label or first line, else its id."""
        for table in ("devices", "racks", "rows", "feeds", "cables"):
            entity = self._tables[table].get(entity_id)
            if entity is not None:
                return getattr(entity, "name", "") or getattr(entity, "label", "") or entity_id
        note = self._tables["notes"].get(entity_id)
        return first_line(note.text) if note is not None else entity_id

    def find(self, entity_id: str) -> tuple[str, Any] | None:
        """Table name and entity of an id, or None."""
        for table, rows in self._tables.items():
            if table not in NAMED_BY_ID and entity_id in rows:
                return table, rows[entity_id]
        return None

    @cached_property
    def index(self) -> DesignIndex:
        """Derived look-ups; built once, and carried along by edits."""
        from rackloom.design.index import DesignIndex

        with many_objects():
            return DesignIndex.build(self)

    @cached_property
    def links(self) -> Mapping[CableId, tuple[Link, ...]]:
        """The links each cable carries; cables that carry none are not in it."""
        from rackloom.design.links import build_links

        return build_links(self)

    @cached_property
    def links_via(self) -> Mapping[CableId, tuple[Link, ...]]:
        """Links through panels, by each of their cables; ask ``relinking.links_over``."""
        from rackloom.design.relinking import via_of

        return via_of(self)

    @cached_property
    def panels(self) -> frozenset[DeviceId]:
        """Devices that are patch panels."""
        from rackloom.design.paths import panels_of

        return panels_of(self)

    @cached_property
    def patchings(self) -> dict[DeviceId, Patching]:
        """Memo of ``paths.patching``; ask that."""
        return {}

    @cached_property
    def wirings(self) -> dict[DeviceId, Wiring]:
        """Memo of ``wiring.wiring``; ask that."""
        return {}

    @cached_property
    def wiring_memo(self) -> WiringMemo:
        """Memo of what parts say about plugs; kept until a part is replaced."""
        from rackloom.design.wiring import WiringMemo

        return WiringMemo()

    @cached_property
    def next_number(self) -> int:
        """The number the next new id ends in; greater than that of every entity here."""
        return 1 + max(
            (number_of(key) for name in ID_PREFIX for key in self._tables[name]), default=0
        )

    def apply(self, change: Change) -> Design:
        """The design after a change; tables the change leaves alone are shared.

        The change must have been made against this design (or be the inverse of the one that
        made it): ``before`` of each record is what this design holds.
        """
        written: dict[str, dict[str, Any]] = {}
        for record in change:
            rows = written.get(record.table)
            if rows is None:
                rows = written[record.table] = self.copy_of(record.table)
            if record.after is None:
                rows.pop(record.id, None)
            else:
                rows[record.id] = record.after
        return self.followed_by(written, change)

    def followed_by(
        self,
        written: Mapping[str, dict[str, Any]],
        change: Change,
        check: Callable[[Design, Change], None] | None = None,
    ) -> Design:
        """The design with some tables in the place of its own; ``change`` says how they differ.

        What was derived from this design is carried along as far as the change allows. ``check``
        sees the design first, with its index: what it refuses, nothing else is derived from.
        """
        after = Design({**self._tables, **written})
        if "next_number" in self.__dict__:
            made = max(
                (number_of(r.id) for r in change if r.before is None and r.table in ID_PREFIX),
                default=0,
            )
            after.__dict__["next_number"] = max(self.next_number, made + 1)
        anew = after.mostly_new(change)
        if "index" in self.__dict__ and not anew:
            after.__dict__["index"] = self.index.patched(change)
        if check is not None:
            check(after, change)
        if not anew:
            self._carry(after, change)
        return after

    def _carry(self, after: Design, change: Change) -> None:
        """Give the design after a change what was derived from this one and still holds."""
        if "panels" in self.__dict__ and not change.tables & {"devices", "parts"}:
            after.__dict__["panels"] = self.panels
        if "patchings" in self.__dict__:
            repatched = {
                end.device
                for record in change.of("cables")
                for cable in (record.before, record.after)
                if cable is not None
                for end in cable.ends
            }
            after.__dict__["patchings"] = {
                device: plugged
                for device, plugged in self.patchings.items()
                if device not in repatched
            }
        from rackloom.design.relinking import patched_links, patched_via, rewirings

        if "wirings" in self.__dict__:
            if any(r.before is not None for r in change.of("parts")):
                after.__dict__["wirings"] = {}
            else:
                after.__dict__["wiring_memo"] = self.wiring_memo
                after.__dict__["wirings"] = rewirings(self, after, change)
        if "links" in self.__dict__:
            after.__dict__["links"] = patched_links(self.links, after, change)
            if "links_via" in self.__dict__:
                after.__dict__["links_via"] = patched_via(self, after, change)

    def mostly_new(self, change: Change) -> bool:
        """Whether a change that led here touched so much that deriving all anew is faster.

        Clearing a hall, and taking that back, are such changes.
        """
        if len(change) < _BULK:
            return False
        return 2 * len(change) > sum(len(rows) for rows in self._tables.values())

    def diff(self, later: Design) -> Change:
        """The change that leads from this design to another one."""
        records = []
        for name in ALL_TABLES:
            mine, theirs = self._tables[name], later._tables[name]
            if mine is theirs:
                continue
            records += [
                Record(name, key, mine.get(key), theirs.get(key))
                for key in mine.keys() | theirs.keys()
                if mine.get(key) != theirs.get(key)
            ]
        return Change(tuple(sorted(records, key=lambda r: (ALL_TABLES.index(r.table), r.id))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Design) and self._tables == other._tables

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{len(rows)} {name}"
            for name, rows in self._tables.items()
            if rows and name not in {"settings", "parts"}
        )
        return f"<Design: {counts or 'empty'}>"
