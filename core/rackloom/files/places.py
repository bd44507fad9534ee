# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a file, and where: the line, the entity, the field."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from rackloom.files.errors import FileError
from rackloom.files.limits import MAX_ID_LENGTH

WORD_OF = {
    "settings": "settings",
    "rows": "row",
    "racks": "rack",
    "devices": "device",
    "modules": "transceiver",
    "cables": "cable",
    "feeds": "feed",
    "cords": "power cord",
    "notes": "note",
    "accepted": "accepted finding",
    "severities": "severity",
    "spares": "spares",
    "prices": "price",
    "parts": "part",
}


def refuse_twice(table: str, ids: list[Any], data: bytes) -> NoReturn:
    """Raise FileError for the first id that occurs a second time."""
    seen: set[Any] = set()
    for key in ids:
        if key in seen:
            refuse(data, table, str(key), "the id is there twice")
        seen.add(key)
    raise AssertionError("no id is there twice")


def refuse(
    data: bytes, table: str, key: str | int, problem: str, place: str | None = None
) -> NoReturn:
    """Raise FileError about an entity, given by its id or its number in the table."""
    raise FileError(problem, place=_place(data, table, key, place or ""))


def _place(data: bytes, table: str, key: str | int, more: str) -> str:
    """Line, entity and field in words. The line is that of the entity's id in its table."""
    word = WORD_OF.get(table, "entity")
    steps = []
    if isinstance(key, str) and key:
        line = _line_of(data, table, key)
        if line:
            steps.append(f"line {line}")
        steps.append(f"{word} {key[:MAX_ID_LENGTH]}")
    elif isinstance(key, int):
        steps.append(f"{word} number {key + 1}")
    elif table:
        steps.append(f"section {table}")
    if more:
        steps.append(more)
    return ", ".join(steps)


def _line_of(data: bytes, table: str, key: str) -> int | None:
    start = re.search(rb'(?<!\\)"%s"\s*:\s*\[' % table.encode(), data) if table else None
    quoted = re.escape(json.dumps(key, ensure_ascii=False).encode("utf-8", "replace"))
    found = re.compile(rb'"id"\s*:\s*' + quoted).search(data, start.end() if start else 0)
    return data.count(b"\n", 0, found.start()) + 1 if found else None


def said(problem: Any) -> str:
    """A pydantic error in our words."""
    kind, loc = problem["type"], problem["loc"]
    if kind in {"missing", "missing_argument"}:
        return f"the field {loc[-1]!r} is missing"
    if kind == "union_tag_invalid":
        tag = str(problem.get("ctx", {}).get("tag", ""))[:40]
        return f"{tag!r} is not a kind of part this version knows"
    said = str(problem["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return said.replace("\n", " ")[:200]
