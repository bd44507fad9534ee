# SPDX-License-Identifier: Apache-2.0
"""Cutting a great project file into small ones, so that a thread that reads it lets others work.

Validating a file of 100 MB in one call would hold up every other thread for seconds. Only files
laid out as ours are (one entity a line) are cut; any other is read in one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rackloom.files.document import FORMAT
from rackloom.files.migrations import FORMAT_VERSION

FROM_BYTES = 4_000_000
"""Smaller files are read fast enough in one piece."""
LINES = 4000
_HEAD = (b'{"format": "%s",' % FORMAT.encode(), b'"format_version": %d,' % FORMAT_VERSION)
_TABLE = re.compile(rb'"(\w+)": \[')


def batches(data: bytes) -> Iterator[bytes] | None:
    """Files that together hold what ``data`` does, in its order; None where it is not ours."""
    if len(data) < FROM_BYTES:
        return None
    lines = data.split(b"\n")
    tables = _tables(lines)
    return None if tables is None else _files(lines, tables)


def _tables(lines: list[bytes]) -> list[tuple[bytes, int, int]] | None:
    """Every table with its first line and the one behind its last; None if anything else is there.

    JSON strings hold no line ends, so a line that looks like the end of a table is one.
    """
    if tuple(lines[:2]) != _HEAD:
        return None
    found: list[tuple[bytes, int, int]] = []
    at = 2
    while at < len(lines):
        head = _TABLE.fullmatch(lines[at])
        if head is None or head[1] in [name for name, _, _ in found]:
            return None
        end = at + 1
        while end < len(lines) and lines[end].startswith(b"{"):
            end += 1
        rows = lines[at + 1 : end]
        if not rows or not all(row.endswith(b"},") for row in rows[:-1]):
            return None
        if not rows[-1].endswith(b"}"):
            return None
        found.append((head[1], at + 1, end))
        if lines[end:] == [b"]", b"}", b""]:
            return found
        if lines[end : end + 1] != [b"],"]:
            return None
        at = end + 1
    return None


def _files(lines: list[bytes], tables: list[tuple[bytes, int, int]]) -> Iterator[bytes]:
    head = b"\n".join(_HEAD)
    for name, first, end in tables:
        for at in range(first, end, LINES):
            rows = b"\n".join(lines[at : min(at + LINES, end)])
            yield b'%s\n"%s": [\n%s\n]\n}' % (head, name, rows.removesuffix(b","))
