# SPDX-License-Identifier: Apache-2.0
"""From a Design to the text of a project file: one entity a line, fields sorted.

Equal designs make equal files, whatever their history, so that a version control diff shows what
changed and nothing else. Fields at their default are left out.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from rackloom.catalog.parts import Part
from rackloom.design import Design
from rackloom.design.entities import NAMED_BY_ID, TABLES, CableEnd
from rackloom.design.ids import by_age
from rackloom.files.document import FORMAT
from rackloom.files.errors import FileError
from rackloom.files.migrations import FORMAT_VERSION
from rackloom.files.places import WORD_OF
from rackloom.files.schema import Extras, Path

_REQUIRED = object()
_BATCH = 2000


def file_chunks(design: Design, extras: Extras | None = None) -> Iterator[bytes]:
    """The text of a project file, in pieces of some 100 kB."""
    extras = extras or Extras()
    yield b'{"format": "%s",\n"format_version": %d' % (FORMAT.encode(), FORMAT_VERSION)
    for table in (*TABLES, "parts"):
        rows = design.table(table)
        if rows:
            yield b',\n"%s": [\n' % table.encode()
            yield from _lines(table, rows, extras)
            yield b"\n]"
    for key in sorted(extras.top):
        yield b",\n" + _json(key) + b": " + _json(extras.top[key])
    yield b"\n}\n"


def entity_line(table: str, entity: Any) -> bytes:
    """One entity as it stands in a file, without a line end."""
    plain = plain_part(entity) if table == "parts" else plain_entity(entity)
    try:
        line = _json(plain)
    except (PydanticSerializationError, ValueError) as error:
        raise FileError(
            "it holds something that cannot be written",
            place=f"{WORD_OF[table]} {entity.id}",
        ) from error
    if b"NaN" in line or b"Infinity" in line:  # perhaps only in a name
        _check_finite(table, entity.id, plain)
    return line


def _lines(table: str, rows: Mapping[str, Any], extras: Extras) -> Iterator[bytes]:
    order = sorted(rows) if table in NAMED_BY_ID else sorted(rows, key=by_age)
    batch: list[bytes] = []
    first = True
    for key in order:
        line = entity_line(table, rows[key])
        unknown = extras.fields.get((table, key))
        batch.append(_with_unknown(line, unknown) if unknown else line)
        if len(batch) == _BATCH:
            yield (b"" if first else b",\n") + b",\n".join(batch)
            batch, first = [], False
    if batch:
        yield (b"" if first else b",\n") + b",\n".join(batch)


def _with_unknown(line: bytes, unknown: tuple[tuple[Path, Any], ...]) -> bytes:
    """The line with fields put back that we did not understand, where their place still exists."""
    tree = json.loads(line)
    for path, value in reversed(unknown):
        place = tree
        try:
            for step in path[:-1]:
                place = place[step]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(place, dict):
            place.setdefault(path[-1], value)
    return _json(_sorted(tree))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value


def _json(value: Any) -> bytes:
    try:
        return to_json(value, fallback=_fallback)
    except (PydanticSerializationError, UnicodeError):
        return to_json(_without_surrogates(value), fallback=_fallback)


def _fallback(value: Any) -> Any:
    """numpy scalars, which generators may leave in a design, are the numbers they hold."""
    if hasattr(value, "item"):
        return value.item()
    raise ValueError(f"cannot write a {type(value).__name__}")


def _without_surrogates(value: Any) -> Any:
    """Half of a UTF-16 pair cannot be written as UTF-8; a replacement character is."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
        case list() | tuple():
            return [_without_surrogates(inner) for inner in value]
        case _:
            return value


def _check_finite(table: str, key: str, value: Any, place: str = "") -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_finite(table, key, inner, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _check_finite(table, key, inner, f"{place}.{number}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise FileError(
            f"{value} is not a number that can be saved",
            place=f"{WORD_OF[table]} {key}, field {place}",
            advice="correct it and save again",
        )


def _plainer(kind: type) -> Callable[[Any], dict[str, Any]]:
    """A function from an entity to a dict of its fields in sorted order, without defaults."""
    fields = sorted(dataclasses.fields(kind), key=lambda f: f.name)
    names = tuple(f.name for f in fields)
    values = attrgetter(*names)
    defaults = tuple(_REQUIRED if f.default is dataclasses.MISSING else f.default for f in fields)

    def plain(entity: Any) -> dict[str, Any]:
        return {
            name: value
            for name, value, default in zip(names, values(entity), defaults, strict=True)
            if value is not default and value != default
        }

    return plain


_PLAINERS = {kind: _plainer(kind) for kind in TABLES.values()}
_PLAIN_END = _plainer(CableEnd)


def plain_entity(entity: Any) -> dict[str, Any]:
    """An entity as a JSON object: fields sorted, defaults left out."""
    plain = _PLAINERS[type(entity)](entity)
    if "ends" in plain:
        plain["ends"] = [_PLAIN_END(end) for end in plain["ends"]]
    if "id" not in plain:  # the settings' id is its default, but a line needs its id
        plain = dict(sorted({"id": entity.id, **plain}.items()))
    return plain


def plain_part(part: Part) -> dict[str, Any]:
    """A part as a JSON object: fields and sets sorted, defaults left out, its kind kept."""
    plain = _plain_model(part)
    plain["kind"] = part.kind  # type: ignore[attr-defined]
    return dict(sorted(plain.items()))


def _plain_model(model: BaseModel) -> dict[str, Any]:
    plain = {}
    for name, info in sorted(type(model).model_fields.items()):
        value = getattr(model, name)
        if info.is_required() or value != info.get_default(call_default_factory=True):
            plain[name] = _plain_value(value)
    return plain


def _plain_value(value: Any) -> Any:
    match value:
        case BaseModel():
            return _plain_model(value)
        case Enum():
            return value.value
        case frozenset() | set():
            return sorted(_plain_value(inner) for inner in value)
        case tuple() | list():
            return [_plain_value(inner) for inner in value]
        case dict():
            return {key: _plain_value(value[key]) for key in sorted(value)}
        case _:
            return value
