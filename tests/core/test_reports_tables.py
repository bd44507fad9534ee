# SPDX-License-Identifier: Apache-2.0
"""CSV and XLSX: the same data, and nothing in it that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from rackloom.reports import csv_bytes, csv_text, xlsx_bytes
from rackloom.reports.order import natural
from rackloom.reports.tables import safe_text
from rackloom.reports.xlsx import workbook


@dataclass(frozen=True)
class Line:
    """A row of a test table."""

    name: str
    count: int
    length_m: float | None


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1;2)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "\u00a0=1",
        "\u2028=1",
        "\ufeff+1",
        "\uff1d1",
        '=HYPERLINK("x")',
    ],
)
def test_a_formula_is_only_text(text: str) -> None:
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+5", "-0.5", "-1e-3", "1-2", "a=b", "", "R01-U40:1"])
def test_plain_texts_and_negative_numbers_stay(text: str) -> None:
    assert safe_text(text) == text


@given(st.text())
def test_no_text_begins_like_a_formula(text: str) -> None:
    safe = safe_text(text)
    if safe.lstrip(" ")[:1] in tuple("=+-@\t\r"):
        float(safe)  # only a number may
    assert safe_text(safe) == safe


@given(st.lists(st.builds(Line, st.text(), st.integers(-9, 9), st.none() | st.floats(0, 99))))
def test_csv_reads_back(lines: list[Line]) -> None:
    read = list(csv.DictReader(io.StringIO(csv_bytes(lines, Line).decode(), newline="")))
    assert [row["name"] for row in read] == [safe_text(line.name) for line in lines]
    assert [int(row["count"]) for row in read] == [line.count for line in lines]
    for row, line in zip(read, lines, strict=True):
        if line.length_m is None:
            assert row["length_m"] == ""
        else:
            assert float(row["length_m"]) == pytest.approx(line.length_m, rel=1e-9)


def test_csv_has_its_columns_even_without_rows() -> None:
    assert csv_text([], Line) == "name,count,length_m\r\n"


def test_sums_of_money_keep_their_cents() -> None:
    # The optics of one big hall; ten digits would lose the cents, and all 17 show the binary.
    rows = [Line("total", 1, 1_234_567_890.12), Line("metres", 1, 0.1 + 0.2)]
    assert csv_text(rows, Line).splitlines()[1:] == ["total,1,1234567890.12", "metres,1,0.3"]


def test_xlsx_holds_numbers_as_numbers_and_formulas_as_text() -> None:
    lines = [
        Line("=1+1", -3, 1.5),
        Line('a & <b> \x00"c"\nd', 2, None),
        Line("  spaces  ", 0, 0.1),
        Line("-5", 1, 3.0),
    ]
    sheet = load_workbook(io.BytesIO(xlsx_bytes(lines, Line, "Cables")))["Cables"]
    rows = [tuple(row) for row in sheet.iter_rows(values_only=True)]
    assert rows == [
        ("name", "count", "length_m"),
        ("'=1+1", -3, 1.5),
        ('a & <b> \ufffd"c"\nd', 2, None),
        ("  spaces  ", 0, 0.1),
        ("-5", 1, 3),
    ]
    assert sheet.freeze_panes == "A2"
    assert all(cell.font.b for cell in sheet[1])
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)


def test_names_sort_as_people_sort() -> None:
    names = ["R10", "R2", "r1", "10/1", "9", "A", "", "9" * 40]
    assert sorted(names, key=natural) == ["", "9", "10/1", "9" * 40, "A", "r1", "R2", "R10"]


def test_a_wide_sheet_has_columns_beyond_z() -> None:
    names = [f"column{n}" for n in range(60)]
    sheet = load_workbook(io.BytesIO(workbook(names, [range(60)], "Wide")))["Wide"]
    assert [cell.value for cell in sheet[2]] == list(range(60))
    assert sheet["BH1"].value == "column59"


def test_equal_tables_make_equal_workbooks() -> None:
    assert xlsx_bytes([Line("a", 1, 2.5)], Line, "T") == xlsx_bytes([Line("a", 1, 2.5)], Line, "T")


def test_more_rows_than_a_sheet_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rackloom.reports.xlsx.ROW_LIMIT", 3)
    assert workbook(["a"], [[1], [2]], "T")
    with pytest.raises(ValueError, match="write CSV instead"):
        workbook(["a"], [[1], [2], [3]], "T")
