# SPDX-License-Identifier: Apache-2.0
"""Spares and prices on a bill of materials, worked out by hand."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace

import pytest
from openpyxl import load_workbook
from tests.builders import big_design, small_design

from rackloom.reports import BomRow, ReportError, bom, csv_text, xlsx_bytes
from rackloom.reports.buying import (
    bom_columns,
    read_prices,
    spares_of,
    totals,
    with_prices,
    with_spares,
)


def line(number: str, category: str, quantity: int) -> BomRow:
    return BomRow(number, "Any", number, category, "", quantity, "pcs", None, None, "")


LINES = [line("C-1", "cable", 100), line("C-2", "cable", 3), line("", "switch", 2)]


def test_every_line_can_be_traced_to_what_it_counts() -> None:
    for design in (small_design(), big_design(64)):
        rows = bom(design)
        assert all(len(row.ids) == row.quantity for row in rows)
        traced = Counter(i for row in rows for i in row.ids)
        cards = Counter(d.id for d in design.devices.values() for _ in d.cards)
        cords = [c.id for c in design.cords.values() if c.source not in design.feeds]
        tables = (design.racks, design.devices, design.modules, design.cables)
        assert traced == Counter(i for table in tables for i in table) + cards + Counter(cords)
    (odd,) = [r for r in bom(small_design()) if r.category == "fibre" and r.length_m == 3]
    assert odd.ids == ("c14",)


def test_spares_are_rounded_up_line_by_line() -> None:
    rows = with_spares(LINES, spares_of(["cable=7"]))
    # 7 % of 100 is 7, and no more (in floats it is 7.000000000000001); 7 % of 3 is 0.21: one.
    assert [(row.quantity, row.spares) for row in rows] == [(107, 7), (4, 1), (2, 0)]


def test_all_is_for_every_category_that_is_not_named() -> None:
    rows = with_spares(LINES, spares_of(["all=50%", "cable=0"]))
    assert [row.spares for row in rows] == [0, 0, 1]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["cable"], "CATEGORY=PERCENT"),
        (["=5"], "CATEGORY=PERCENT"),
        (["cable=-1"], "not a percentage"),
        (["cable=nan"], "not a percentage"),
        (["cable=five"], "not a percentage"),
        (["cable=1e9"], "not a percentage"),
        (["cabel=5"], "'cabel' is no category of a bill .did you mean 'cable'.*server, switch"),
    ],
)
def test_spares_that_make_no_sense_are_refused(texts: list[str], says: str) -> None:
    with pytest.raises(ReportError, match=says):
        with_spares(LINES, spares_of(texts))


def test_one_policy_of_spares_serves_designs_without_some_of_its_categories() -> None:
    """A bill of fibres only has no line of the category ``cable``: that is no mistake."""
    rows = with_spares(LINES, spares_of(["cable=7", "transceiver=2.5", "fibre=3", "nic=10"]))
    assert rows == with_spares(LINES, spares_of(["cable=7"]))


def test_prices_add_up_by_currency_and_what_has_none_is_said() -> None:
    prices = read_prices(b"part_number,price,currency,remark\nC-1,0.10,eur,x\nC-2,12.50,USD,\n")
    rows = with_prices(with_spares(LINES, spares_of(["cable=7"])), prices)
    # 107 * 0.10 = 10.70; 4 * 12.50 = 50
    assert [(r.unit_price, r.currency, r.total_price) for r in rows] == [
        (0.1, "EUR", 10.7),
        (12.5, "USD", 50.0),
        (None, "", None),
    ]
    assert [(t.currency, t.total_price) for t in totals(rows)] == [("EUR", 10.7), ("USD", 50.0)]
    assert all("1 line (2 pcs) without a price" in t.notes for t in totals(rows))
    assert totals(rows[:2])[0].notes == ""
    (none,) = totals(rows[2:])
    assert (none.total_price, none.notes) == (None, "1 line (2 pcs) without a price")


def test_a_price_list_may_come_from_a_spreadsheet_with_semicolons() -> None:
    data = "\ufeffPrice;Currency;Part number\r\n5;CHF;A\r\n\r\n5;CHF;A\r\n".encode()
    prices = read_prices(data)
    assert list(prices) == ["A"]
    assert (float(prices["A"].amount), prices["A"].currency) == (5.0, "CHF")


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_european_spreadsheet_writes_decimals_after_a_comma(delimiter: str) -> None:
    lines = ["part_number;price;currency", "A;12,50;EUR", "B;1250;EUR", "C;0,0125;EUR"]
    prices = read_prices("\n".join(lines).replace(";", delimiter).encode())
    assert [float(price.amount) for price in prices.values()] == [12.5, 1250.0, 0.0125]
    with pytest.raises(ReportError, match=r"line 2 .*'1,250' is not a price"):  # or a thousand?
        read_prices(f"part_number{delimiter}price{delimiter}currency\nA{delimiter}1,250".encode())


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("parted", [";", "\t", "sep=;", '"sep=;"', "sep=\t", "SEP=|"])
def test_every_way_a_spreadsheet_saves_a_price_list_is_read(
    encoding: str, end: str, parted: str
) -> None:
    """The note is written in letters that differ from one encoding to the next."""
    lines = [
        "Part number;Note;Price;Currency",
        "K\u00fc-1;M\u00fcnchen;12,50;eur",
        "B;;1.250,5;EUR",
    ]
    separator = parted.strip('"')[-1]
    lines = [line.replace(";", separator) for line in lines]
    text = end.join([*([parted] if "=" in parted else []), *lines, ""])
    marked = "\ufeff" if encoding in {"utf-16-le", "utf-16-be"} else ""  # others write their own
    prices = read_prices((marked + text).encode(encoding))
    assert {number: float(price.amount) for number, price in prices.items()} == {
        "K\u00fc-1": 12.5,
        "B": 1250.5,
    }


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("1.234,50", 1234.5),
        ("1,234.50", 1234.5),
        ("1'234.50", 1234.5),
        ("1 234,50", 1234.5),
        ("1\u202f234\u202f567,5", 1234567.5),
        ("12,50", 12.5),
        ("1234.5", 1234.5),
        ("1.234", 1.234),  # a point has always stood before decimals here
    ],
)
def test_thousands_may_be_set_apart_where_nothing_can_be_mistaken(
    written: str, amount: float
) -> None:
    data = f"part_number\tprice\tcurrency\nA\t{written}\tEUR\n".encode()
    assert float(read_prices(data)["A"].amount) == amount


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column 'part_number'"),
        ("part_number,price,price,currency\nA,1,2,EUR\n", "two columns 'price'"),
        ("part_number,price\nA,1\n", "no column 'currency'"),
        ("part_number,price,currency\nA,1,EUR\nA,2,EUR\n", "line 3 .* than on line 2"),
        ('part_number,price,currency\nA,"1,200",EUR\n', "line 2 .*'1,200' is not a price"),
        ('part_number,price,currency\nA,"1,20,0.00",EUR\n', "'1,20,0.00' is not a price"),
        ("sep=;\npart_number;price;currency\nA;free;EUR\n", "line 3 .*'free' is not a price"),
        ("sep=;\n", "no column 'part_number'"),
        ("part_number;price;currency\nA;1.234;EUR\nB;12,50;EUR\n", "line 2 .*'1.234' may part"),
        ("part_number,price,currency\nA,-1,EUR\n", "not a price"),
        ("part_number,price,currency\nA,NaN,EUR\n", "not a price"),
        ("part_number,price,currency\nA\n", "not a price"),
        ("part_number,price,currency\n,1,EUR\n", "no part number"),
        ("part_number,price,currency\nA,1,\n", "not a currency"),
        ("part_number,price,currency\nA,1,=1+1\n", "not a currency"),
    ],
)
def test_a_broken_price_list_is_refused_with_the_line(text: str, says: str) -> None:
    with pytest.raises(ReportError, match=says):
        read_prices(text.encode())
    for data in (b"\xff\xfep", b"part_number,price,currency\nA,1\0,EUR\n", b"part_number\x81"):
        with pytest.raises(ReportError, match=r"is not text: save it .* as CSV UTF-8"):
            read_prices(data)


def test_the_written_table_has_its_usual_columns_first_and_totals_as_numbers() -> None:
    usual = bom_columns()
    assert usual == bom_columns(spares=True, prices=True)[: len(usual)]
    names = bom_columns(spares=True, prices=True)
    assert names[len(usual) :] == ("spares", "unit_price", "currency", "total_price")
    prices = read_prices(b"part_number,price,currency\nC-1,2.5,EUR\n")
    rows = with_prices([replace(LINES[0], model="=1+1")], prices)
    table = [*rows, *totals(rows)]
    assert csv_text(table, names).splitlines()[1:] == [
        "C-1,Any,'=1+1,cable,,100,pcs,,,,0,2.5,EUR,250",
        ",,,total,Total in EUR,,,,,,,,EUR,250",
    ]
    sheet = load_workbook(io.BytesIO(xlsx_bytes(table, names, "BOM")))["BOM"]
    assert [cell.value for cell in sheet[3]][-1] == 250
    assert sheet[3][-1].data_type == "n"
