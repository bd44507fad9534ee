# SPDX-License-Identifier: Apache-2.0
"""Reports as CSV and XLSX. Nothing of ours is ever run by a spreadsheet as a formula."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from rackloom.reports.xlsx import workbook

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What neither XML nor UTF-8 can hold."""
_BLANK = "[\\s\u200b-\u200f\u2060\ufeff]"
"""Blanks, and what is as good as one: an import may trim them and then see what follows."""
_RISKY = re.compile(
    f"{_BLANK}*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]|.*{_CONTROL.pattern}", re.DOTALL
)
"""Texts a spreadsheet takes for a formula (full-width signs included), or that need cleaning."""


BESIDE_THE_TABLE: Mapping[str, Any] = {"column": False}
"""Metadata of a row's field that is no column unless it is asked for by name."""

Columns = type | Sequence[str]
"""What names the columns of a table: a row type, or the names themselves."""


def columns(kind: Columns) -> tuple[str, ...]:
    """Column names of a row type; fields marked :data:`BESIDE_THE_TABLE` are left out."""
    if not isinstance(kind, type):
        return tuple(kind)
    fields = dataclasses.fields(kind)
    return tuple(field.name for field in fields if field.metadata.get("column", True))


def safe_text(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run; plain numbers stay."""
    if _RISKY.match(text) is None:
        return text
    text = _CONTROL.sub("\ufffd", text)
    if _RISKY.match(text) is None or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return safe_text(value)
    if value is None:
        return ""
    # 13 digits: sums of money to the cent, without the noise of binary fractions.
    return f"{value:.13g}" if isinstance(value, float) else safe_text(str(value))


def csv_text(rows: Sequence[Any], kind: Columns) -> str:
    """Rows of a dataclass as CSV (RFC 4180, lines end in CR LF); ``kind`` names the columns.

    At least two columns: that is how the rows are read.
    """
    names = columns(kind)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(names)
    values = attrgetter(*names)
    writer.writerows([_cell(value) for value in values(row)] for row in rows)
    return buffer.getvalue()


def csv_bytes(rows: Sequence[Any], kind: Columns) -> bytes:
    """The CSV as UTF-8. Without a byte order mark, so that scripts see the first column's name."""
    return csv_text(rows, kind).encode("utf-8")


def xlsx_bytes(rows: Sequence[Any], kind: Columns, title: str) -> bytes:
    """The same data as an Excel workbook: numbers as numbers, the header frozen."""
    names = columns(kind)
    values = attrgetter(*names)
    return workbook(names, ([_xlsx_value(value) for value in values(row)] for row in rows), title)


def _xlsx_value(value: Any) -> str | float | None:
    if value is None or isinstance(value, int | float):
        return value
    # Carriage returns do not survive XML.
    return safe_text(str(value)).replace("\r\n", "\n").replace("\r", "\n")
