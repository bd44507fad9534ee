# SPDX-License-Identifier: Apache-2.0
"""Tables as spreadsheets save them: in which letters, parted by what, with which decimal sign."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from rackloom.reports.errors import ReportError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16's: so it is looked for before
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GUESSES = ("utf-8", "cp1252")
"""Without a byte order mark: what is no UTF-8 was saved in the letters of Windows."""


def text_of(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, UTF-16 or UTF-32 by its byte order mark, else UTF-8 or cp1252.

    Raises ReportError for what is no text in any of them; ``name`` is what to call the file.
    """
    marked = [(mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)]
    tries = [marked[0]] if marked else [(b"", encoding) for encoding in _GUESSES]
    for mark, encoding in tries:
        try:
            text = data[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise ReportError(f"{name} is not text: save it from the spreadsheet as CSV UTF-8")


_SAYS_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?[,;|\t]*', re.IGNORECASE)
"""A first line that tells Excel what parts the cells; it is no row of the table."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table that is being read."""

    delimiter: str
    rows: Iterator[tuple[int, list[str]]]
    """Number of the line that a row ends on, from 1, and its cells; blank rows are left out.
    Raises ReportError for what is not CSV."""


def sheet_of(data: bytes, name: str) -> Sheet:
    """The rows of a CSV file, parted by what its first line says or holds most of.

    ``sep=;`` as a first line is obeyed; else a comma, a semicolon or a tab is found.
    """
    lines = io.StringIO(text_of(data, name), newline="")  # ends lines at CR, LF and CR LF
    first = lines.readline()
    said = _SAYS_SEPARATOR.fullmatch(first.rstrip("\r\n"))
    if said is None:
        lines.seek(0)
        while first and not first.strip():
            first = lines.readline()
        lines.seek(0)
    delimiter = said[1] if said else max(",;\t", key=first.count)
    return Sheet(delimiter, _rows(lines, delimiter, 1 if said else 0, name))


def _rows(
    lines: io.StringIO, delimiter: str, skipped: int, name: str
) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num + skipped, cells
    except csv.Error as error:
        line = reader.line_num + skipped
        raise ReportError(f"line {line} of {name} is not CSV: {error}") from error


_GROUPED = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:(?P<group>[.,'\u2019 \u00a0\u202f])[0-9]{3})(?:(?P=group)[0-9]{3})*)"
    r"(?P<point>[.,])(?P<rest>[0-9]+)"
)
"""Thousands set apart and a decimal sign behind them: nothing to mistake."""
_WITH_COMMA = re.compile(r"[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})")
"""A decimal comma; with three digits after it, it might as well part thousands."""


def plain_number(text: str, *, decimal_comma: bool) -> str:
    """A figure from a cell, as Python writes it: ``1.234,50`` and ``1,234.50`` are 1234.50.

    ``12,50`` is 12.50 only where ``decimal_comma`` says that commas may stand there; what could be
    read in two ways stays as it is, and is no number.
    """
    text = text.strip()
    grouped = _GROUPED.fullmatch(text)
    if grouped is not None and grouped["group"] != grouped["point"]:
        return f"{grouped['whole'].replace(grouped['group'], '')}.{grouped['rest']}"
    if decimal_comma and _WITH_COMMA.fullmatch(text):
        return text.replace(",", ".")
    return text


class DecimalSign(Enum):
    """Which sign stands before the decimals of a figure."""

    NONE = auto()
    POINT = auto()
    COMMA = auto()
    POINT_OR_THOUSANDS = auto()
    """``1.234``: among figures with a comma this is more likely a thousand."""


_POINT_OF_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")


def decimal_sign(text: str) -> DecimalSign:
    """What a figure tells about the sign that its list writes before decimals."""
    if _POINT_OF_THOUSANDS.fullmatch(text):
        return DecimalSign.POINT_OR_THOUSANDS
    grouped = _GROUPED.fullmatch(text)
    point = grouped["point"] if grouped else "," if _WITH_COMMA.fullmatch(text) else None
    if point is None:
        return DecimalSign.POINT if "." in text else DecimalSign.NONE
    return DecimalSign.COMMA if point == "," else DecimalSign.POINT
