# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a project file to a Design.

A file in order goes straight from bytes to entities (pydantic, one pass). Only where something is
unknown or wrong is it read again, slowly, to keep the one and to say precisely what is the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

import pydantic_core
from pydantic import BaseModel, ConfigDict, ValidationError

from rackloom.bulk import many_objects
from rackloom.catalog.load import part_adapter
from rackloom.catalog.parts import NicPart, Part
from rackloom.design import Design, EditError
from rackloom.design.bounds import wrong_number
from rackloom.design.buying import wrong_price, wrong_share
from rackloom.design.entities import (
    ID_PREFIX,
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
from rackloom.design.invariants import check_all_references
from rackloom.files.batches import batches
from rackloom.files.document import FORMAT, read_document
from rackloom.files.errors import FileError
from rackloom.files.limits import (
    MAX_ID_LENGTH,
    check_part,
    check_plain,
)
from rackloom.files.migrations import FORMAT_VERSION, migrate
from rackloom.files.places import WORD_OF, refuse, refuse_twice, said

FILE_TABLES = (*TABLES, "parts")

Path = tuple[str | int, ...]
_UNKNOWN_FIELD = frozenset({"extra_forbidden", "unexpected_keyword_argument"})


@dataclass(frozen=True)
class Extras:
    """Fields of a file that this version does not know, kept for the next save.

    ``top``: whole unknown sections. ``fields``: by table and id, the path within the entity and
    the value there.
    """

    top: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[tuple[str, str], tuple[tuple[Path, Any], ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.top or self.fields)


class _Content(BaseModel):
    """A file of the present version. Parts stay raw until their figures are found bounded."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)

    format: Literal["rackloom"]
    format_version: Literal[1]
    settings: list[SiteSettings] = []
    rows: list[Row] = []
    racks: list[Rack] = []
    devices: list[Device] = []
    modules: list[Module] = []
    cables: list[Cable] = []
    feeds: list[Feed] = []
    cords: list[Cord] = []
    notes: list[Note] = []
    accepted: list[AcceptedFinding] = []
    severities: list[SeverityOverride] = []
    spares: list[SpareShare] = []
    prices: list[ListPrice] = []
    parts: list[dict[str, Any]] = []


def parse(data: bytes) -> tuple[Design, Extras]:
    """The design in the bytes of a project file, and what we do not know of it.

    Raises FileError, with the place, for anything that is not a whole, sound project.
    """
    with many_objects():
        data = data.removeprefix(b"\xef\xbb\xbf")
        extras = Extras()
        content = None
        if not _may_repeat_a_table(data):
            try:
                content = _content(data)
            except ValidationError:
                content = None
        if content is None:
            content, extras = _parse_slowly(data)
        design, part_extras = _build(content, data)
        if part_extras:
            extras = Extras(extras.top, {**extras.fields, **part_extras})
        return design, extras


def _content(data: bytes) -> _Content:
    """The file, checked; a great one of ours piece by piece."""
    pieces = batches(data)
    if pieces is None:
        return _Content.model_validate_json(data)
    whole = _Content(format="rackloom", format_version=1)
    for piece in pieces:
        part = _Content.model_validate_json(piece)
        for name in part.model_fields_set - {"format", "format_version"}:
            getattr(whole, name).extend(getattr(part, name))
    return whole


def parse_fragment(tables: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Entities by table and id from some lines of a file (a step of a journal).

    References are not looked at. Raises FileError.
    """
    head = {"format": FORMAT, "format_version": FORMAT_VERSION}
    try:
        check_plain(tables)
        content = _Content.model_validate_json(pydantic_core.to_json({**tables, **head}))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise FileError(said(problem), place=f"field {place}") from None
    found = {name: {e.id: e for e in getattr(content, name)} for name in TABLES}
    found["parts"] = _parts(content.parts, b"")[0]
    return {name: entities for name, entities in found.items() if entities}


def _may_repeat_a_table(data: bytes) -> bool:
    """Whether a table may be there twice (pydantic would silently take the last one).

    Counting is fast; only what occurs several times ("notes" is also a field of parts) is looked
    at more closely.
    """
    names = [name.encode() for name in FILE_TABLES]
    return any(
        data.count(b'"%s"' % name) > 1 and len(re.findall(rb'"%s"\s*:\s*\[' % name, data)) > 1
        for name in names
    )


def _build(
    content: _Content, data: bytes
) -> tuple[Design, dict[tuple[str, str], tuple[tuple[Path, Any], ...]]]:
    parts, extras = _parts(content.parts, data)
    tables: dict[str, dict[str, Any]] = {}
    for name in TABLES:
        entities = getattr(content, name)
        tables[name] = {entity.id: entity for entity in entities}
        if len(tables[name]) < len(entities):
            refuse_twice(name, [entity.id for entity in entities], data)
    tables["parts"] = parts
    if tables["settings"].keys() - {"site"}:
        other = next(iter(tables["settings"].keys() - {"site"}))
        refuse(data, "settings", other, "the settings' id must be 'site'")
    _check_ids(tables, data)
    _check_numbers(tables, data)
    design = Design(tables)
    _check_references(design, data)
    return design, extras


def _parts(
    entries: list[dict[str, Any]], data: bytes
) -> tuple[dict[str, Part], dict[tuple[str, str], tuple[tuple[Path, Any], ...]]]:
    parts: dict[str, Part] = {}
    extras: dict[tuple[str, str], tuple[tuple[Path, Any], ...]] = {}
    for number, entry in enumerate(entries):
        part_id = str(entry.get("id", ""))
        try:
            check_part(entry)
        except FileError as error:
            refuse(data, "parts", part_id or number, error.problem, error.place)
        part, unknown = _part(entry, data, part_id or number)
        if part.id in parts:
            refuse_twice("parts", [e.get("id") for e in entries], data)
        parts[part.id] = part
        if unknown:
            extras["parts", part.id] = unknown
    return parts, extras


def _part(entry: dict[str, Any], data: bytes, key: str | int) -> tuple[Part, Any]:
    """One part, and its unknown fields."""
    unknown: list[tuple[Path, Any]] = []
    while True:
        try:
            part = part_adapter().validate_json(pydantic_core.to_json(entry))
            _check_part_finite(part, data)
            return part, _in_order(unknown)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
            paths = [p["loc"][1:] for p in problems if p["type"] in _UNKNOWN_FIELD]
            if not paths:
                place = ".".join(str(step) for step in problems[0]["loc"][1:]) or "kind"
                refuse(data, "parts", key, said(problems[0]), f"field {place}")
            unknown += [(path, _take_out(entry, path)) for path in paths]


def _check_part_finite(part: Part, data: bytes) -> None:
    """Parts read numbers leniently: the text "inf" would pass for one."""
    try:
        check_plain(part.model_dump(mode="json"))
    except FileError as error:
        refuse(data, "parts", part.id, error.problem, error.place)


def _take_out(tree: Any, path: Path) -> Any:
    for step in path[:-1]:
        tree = tree[step]
    return tree.pop(path[-1])


def _check_ids(tables: dict[str, dict[str, Any]], data: bytes) -> None:
    for name in TABLES:
        ids = tables[name]
        if not ids:
            continue
        if "" in ids:
            refuse(data, name, "", "an id is empty")
        longest = max(ids, key=len)
        if len(longest) > MAX_ID_LENGTH:
            refuse(data, name, longest, f"an id is longer than {MAX_ID_LENGTH} characters")
    everything = [tables[name] for name in ID_PREFIX if tables[name]]
    if len(set().union(*everything)) < sum(map(len, everything)):
        seen: dict[str, str] = {}
        for name in ID_PREFIX:
            for key in tables[name]:
                if key in seen:
                    problem = f"the id is already that of a {WORD_OF[seen[key]]}"
                    refuse(data, name, key, problem)
                seen[key] = name


def _check_numbers(tables: dict[str, dict[str, Any]], data: bytes) -> None:
    """Finite they are (pydantic saw to that); here their magnitude."""
    for name in TABLES:
        for entity in tables[name].values():
            wrong_field = wrong_number(name, entity)
            if wrong_field is not None:
                problem = "the number is not one a design can hold"
                refuse(data, name, entity.id, problem, f"field {wrong_field}")
    for name, wrong in (("spares", wrong_share), ("prices", wrong_price)):
        for entity in tables[name].values():
            problem = wrong(entity)
            if problem:
                refuse(data, name, entity.id, problem)


def _check_references(design: Design, data: bytes) -> None:
    for device in design.devices.values():
        for _, card in device.cards:
            if card in design.parts and not isinstance(design.parts[card], NicPart):
                refuse(data, "devices", device.id, f"the card {card!r} is not a NIC part")
    try:
        check_all_references(design)
    except EditError as error:
        where = error.where[0] if error.where else ""
        table = next((n for n in FILE_TABLES if where in design.table(n)), "")
        refuse(data, table, where, str(error))


# The slow way


def _parse_slowly(data: bytes) -> tuple[_Content, Extras]:
    document = read_document(data, FORMAT_VERSION)
    version = document["format_version"]
    if version < FORMAT_VERSION:
        document = migrate(document, version)
    top: dict[str, Any] = {}
    fields: dict[tuple[str, str], list[tuple[Path, Any]]] = {}
    while True:
        try:
            text = pydantic_core.to_json(document, inf_nan_mode="constants")
            content = _Content.model_validate_json(text)
            break
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
            unknown = [p["loc"] for p in problems if p["type"] in _UNKNOWN_FIELD]
            if not unknown:
                _refuse_problem(document, data, problems[0])
            for loc in unknown:
                value = _take_out(document, loc)
                check_plain(value)
                if len(loc) == 1:
                    top[str(loc[0])] = value
                else:
                    entity = document[str(loc[0])][loc[1]]
                    key = (str(loc[0]), str(entity.get("id", "site")))
                    fields.setdefault(key, []).append((loc[2:], value))
    return content, Extras(top, {key: _in_order(found) for key, found in fields.items()})


def _in_order(found: list[tuple[Path, Any]]) -> tuple[tuple[Path, Any], ...]:
    return tuple(sorted(found, key=lambda item: [str(step) for step in item[0]]))


def _refuse_problem(document: dict[str, Any], data: bytes, problem: Any) -> NoReturn:
    loc = problem["loc"]
    table = str(loc[0]) if loc else ""
    key: str | int = ""
    if len(loc) > 1 and isinstance(loc[1], int):
        entity = document[table][loc[1]]
        given = entity.get("id") if isinstance(entity, dict) else None
        key = given if isinstance(given, str) and given else loc[1]
    place = ".".join(str(step) for step in loc[2:])
    refuse(data, table, key, said(problem), f"field {place}" if place else None)
