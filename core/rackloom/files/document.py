# SPDX-License-Identifier: Apache-2.0
"""The JSON of a project file as plain values: no key twice, no NaN, not nested too deeply."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import pydantic_core

from rackloom.files.errors import FileError
from rackloom.files.limits import reasonable

FORMAT = "rackloom"


def read_document(data: bytes, newest: int) -> dict[str, Any]:
    """The plain JSON content, found to be a Rackloom project of a version up to ``newest``."""
    if not data.strip():
        raise FileError("the file is empty")
    try:
        pydantic_core.from_json(data)  # says the line, bounds the depth
        document = json.loads(
            data, object_pairs_hook=_no_key_twice, parse_constant=_no_constant, parse_float=_finite
        )
    except FileError:
        raise
    except (ValueError, RecursionError) as error:
        raise _not_json(data, str(error)) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError("this is JSON, but not a Rackloom project", advice="open another file")
    version = document.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileError("the format version is missing or not a number", place="format_version")
    if version > newest:
        raise FileError(
            f"a newer Rackloom wrote this file (format version {version}; this program reads up "
            f"to {newest})",
            advice="update Rackloom to open it",
        )
    return document


def _not_json(data: bytes, reason: str) -> FileError:
    head = data.lstrip()[:1]
    if head not in {b"{", b"["} or b"\0" in data[:4096]:
        return FileError("this is not a Rackloom project", advice="open another file")
    found = re.search(r"^(.*?) at line (\d+) column (\d+)$", reason, re.DOTALL)
    if found is None:
        return FileError("this is not JSON that can be read")
    problem, line, column = found[1], found[2], found[3]
    place = f"line {line}, column {column}"
    if problem.startswith("EOF"):
        return FileError("the file ends too early, as if it had been cut off", place=place)
    return FileError(f"this is not JSON that can be read ({problem})", place=place)


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise FileError(f"the field {twice[:40]!r} is there twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise FileError(f"{name} is not a number a design can hold")


def _finite(text: str) -> float:
    value = float(text)
    if not reasonable(value):
        raise FileError(f"{text[:24]} is not a number a design can hold")
    return value
