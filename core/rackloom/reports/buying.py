# SPDX-License-Identifier: Apache-2.0
"""Spares and prices on a bill of materials."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil
from pathlib import Path

from rackloom.design import Design, ListPrice
from rackloom.design.buying import (
    ALL_OTHERS,
    MOST_LETTERS,
    MOST_PRICE,
    MOST_SPARES_PERCENT,
)
from rackloom.reports.bom import CATEGORIES, BomRow, bom
from rackloom.reports.errors import ReportError
from rackloom.reports.spreadsheet_text import (
    DecimalSign,
    decimal_sign,
    plain_number,
    sheet_of,
)
from rackloom.reports.tables import columns

MOST_PRICE_BYTES = 64 << 20
"""Greatest price list that is read."""

# Spares


def spares_of(texts: Iterable[str]) -> dict[str, Fraction]:
    """Spares by category from texts like ``cable=5`` or ``transceiver=2.5%``; ``all`` is the rest.

    Raises ReportError, with a sentence, for what is not such a text.
    """
    found: dict[str, Fraction] = {}
    for text in texts:
        category, equals, share = text.partition("=")
        category = " ".join(category.replace("-", " ").lower().split())
        number = share.strip().removesuffix("%").strip()
        if not equals or not category:
            raise ReportError(f"spares {text!r}: write them as CATEGORY=PERCENT, such as cable=5")
        percent = _decimal(number)
        if percent is None or not 0 <= percent <= MOST_SPARES_PERCENT:
            raise ReportError(
                f"spares of {category}: {share.strip()[:40]!r} is not a percentage from 0 to "
                f"{MOST_SPARES_PERCENT}"
            )
        found[category] = Fraction(percent)
    return found


def with_spares(rows: Iterable[BomRow], percent: Mapping[str, float | Fraction]) -> list[BomRow]:
    """The rows with spares on top: a percentage of each line by category, rounded up.

    A line is a part in a length, and spares are of use only as that: so each line is rounded up by
    itself. ``all`` stands for every category that is not named. One policy serves all designs: a
    category that this one happens not to have is passed over. Raises ReportError for what is no
    category at all: it would be a slip of the pen.
    """
    rows = list(rows)
    known = dict.fromkeys([*CATEGORIES, *(row.category for row in rows)])
    unknown = percent.keys() - known - {ALL_OTHERS}
    if unknown:
        wrong = min(unknown)
        near = difflib.get_close_matches(wrong, known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ReportError(
            f"{wrong!r} is no category of a bill{hint}; there are: {', '.join(known)}, all"
        )
    result = []
    for row in rows:
        share = Fraction(str(percent.get(row.category, percent.get(ALL_OTHERS, 0)))) / 100
        spares = ceil(row.quantity * share)
        result.append(replace(row, quantity=row.quantity + spares, spares=spares))
    return result


# Prices


@dataclass(frozen=True, slots=True)
class Price:
    """What one piece costs."""

    amount: Decimal
    currency: str


def read_price_file(path: Path, name: str = "") -> dict[str, Price]:
    """A price list from a file, as :func:`read_prices` has it; ``name`` is what to call it.

    Raises ReportError for a file that cannot be read, too.
    """
    name = name or path.name
    try:
        with path.open("rb") as source:
            data = source.read(MOST_PRICE_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise ReportError(f"{name}: {reason}; check the path of the price list") from error
    if len(data) > MOST_PRICE_BYTES:
        raise ReportError(
            f"{name} is larger than a price list can be ({MOST_PRICE_BYTES >> 20} MB)"
        )
    return read_prices(data, name)


def read_prices(data: bytes, name: str = "the price list") -> dict[str, Price]:
    """A price list: CSV with the columns ``part_number``, ``price`` and ``currency``.

    Further columns are ignored. Commas, semicolons or tabs may part them, or what a first line
    ``sep=;`` says; where commas do not, they may stand before decimals (``12,50``), as spreadsheets
    write them in much of Europe. UTF-8, UTF-16 with its mark and Windows-1252 are read. Raises
    ReportError with the line for anything that is not a price.
    """
    sheet = sheet_of(data, name)
    places = _places(next(sheet.rows, (0, []))[1], name)
    prices: dict[str, Price] = {}
    lines: dict[str, int] = {}
    signs: dict[DecimalSign, tuple[str, str]] = {}
    for line, cells in sheet.rows:
        where = f"line {line} of {name}"
        written = "".join(cells[places["price"] : places["price"] + 1]).strip()
        signs.setdefault(decimal_sign(written), (where, written))
        number, price = _price(cells, places, where, sheet.delimiter != ",")
        if number in prices and prices[number] != price:
            raise ReportError(f"{where}: {number} has another price than on line {lines[number]}")
        prices[number], lines[number] = price, line
    if DecimalSign.COMMA in signs and DecimalSign.POINT_OR_THOUSANDS in signs:
        where, written = signs[DecimalSign.POINT_OR_THOUSANDS]
        raise ReportError(
            f"{where}: {written!r} may part thousands or decimals, as this list has decimal "
            "commas: write it without thousands separators"
        )
    return prices


_PRICE_COLUMNS = ("part_number", "price", "currency")


def _places(head: Sequence[str], name: str) -> dict[str, int]:
    titles = [cell.strip().lower().replace(" ", "_") for cell in head]
    for column in _PRICE_COLUMNS:
        if titles.count(column) != 1:
            count = "two columns" if column in titles else "no column"
            raise ReportError(
                f"{name} has {count} {column!r}: its first line must name part_number, price "
                "and currency once each"
            )
    return {column: titles.index(column) for column in _PRICE_COLUMNS}


def _price(
    cells: Sequence[str], places: Mapping[str, int], where: str, decimal_comma: bool
) -> tuple[str, Price]:
    values = {
        column: cells[place].strip() if place < len(cells) else ""
        for column, place in places.items()
    }
    number, currency = values["part_number"], values["currency"].upper()
    amount = _decimal(plain_number(values["price"], decimal_comma=decimal_comma))
    if not number:
        raise ReportError(f"{where} has no part number")
    if len(number) > MOST_LETTERS:
        raise ReportError(f"{where}: a part number has up to {MOST_LETTERS} characters")
    if amount is None or not 0 <= amount <= MOST_PRICE:
        raise ReportError(
            f"{where}: {values['price'][:40]!r} is not a price: write it as 1234.50, without "
            "thousands separators"
        )
    if not currency or len(currency) > 8 or not currency.isalpha():
        raise ReportError(f"{where}: {currency[:40]!r} is not a currency such as EUR or USD")
    return number, Price(amount, currency)


_MOST_DIGITS = 30
"""Digits before or after the point that a figure people write may have."""


def _decimal(text: str) -> Decimal | None:
    """A plain number in ASCII digits, or None."""
    if not text.isascii() or "_" in text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return None  # 1e-9999 would be a fraction of ten thousand digits
    return number


@dataclass(frozen=True, slots=True)
class BomTotal:
    """A last line of a priced bill of materials: what is known to be paid in one currency."""

    currency: str
    total_price: float | None
    description: str
    category: str = "total"
    part_number: str = ""
    manufacturer: str = ""
    model: str = ""
    quantity: int | None = None
    unit: str = ""
    length_m: float | None = None
    unit_power_w: float | None = None
    notes: str = ""
    spares: int | None = None
    unit_price: float | None = None
    ids: tuple[str, ...] = field(default=())


def with_prices(rows: Iterable[BomRow], prices: Mapping[str, Price]) -> list[BomRow]:
    """The rows with what they cost, as far as the price list knows their part numbers."""
    return [_priced(row, prices.get(row.part_number) if row.part_number else None) for row in rows]


def _priced(row: BomRow, price: Price | None) -> BomRow:
    if price is None:
        return row
    return replace(
        row,
        unit_price=float(price.amount),
        currency=price.currency,
        total_price=float(price.amount * row.quantity),
    )


def totals(rows: Iterable[BomRow]) -> list[BomTotal]:
    """The sum for each currency, and last how many lines and pieces are without a price."""
    rows = list(rows)
    sums: dict[str, Decimal] = {}
    for row in rows:
        if row.total_price is not None:
            sums[row.currency] = sums.get(row.currency, Decimal(0)) + Decimal(str(row.total_price))
    unpriced = [row for row in rows if row.total_price is None]
    missing = ""
    if unpriced:
        pieces = sum(row.quantity for row in unpriced)
        lines = f"{len(unpriced)} line{'s' * (len(unpriced) > 1)}"
        missing = f"{lines} ({pieces:,} pcs) without a price"
    found = [
        BomTotal(currency, float(total), f"Total in {currency}", notes=f"not in it: {missing}")
        if missing
        else BomTotal(currency, float(total), f"Total in {currency}")
        for currency, total in sorted(sums.items())
    ]
    if missing and not found:
        found.append(BomTotal("", None, "Total", notes=missing))
    return found


# What the project says


def spares_of_project(design: Design) -> dict[str, Fraction]:
    """Spares that the project keeps, as exact percentages by category."""
    return {share.id: Fraction(str(share.percent)) for share in design.spares.values()}


def prices_of_project(design: Design) -> dict[str, Price] | None:
    """The price list that the project keeps; None where it has none."""
    if not design.settings.price_list:
        return None
    return {
        price.id: Price(Decimal(str(price.amount)), price.currency)
        for price in design.prices.values()
    }


def list_prices(prices: Mapping[str, Price]) -> list[ListPrice]:
    """Prices as a project keeps them."""
    return [
        ListPrice(number, float(price.amount), price.currency) for number, price in prices.items()
    ]


@dataclass(frozen=True, slots=True)
class Bill:
    """A bill of materials as it is handed on: with spares and prices where there are any."""

    rows: list[BomRow]
    totals: list[BomTotal]
    columns: tuple[str, ...]

    @property
    def lines(self) -> list[BomRow | BomTotal]:
        """Rows of a written table: the lines of the bill, then the totals."""
        return [*self.rows, *self.totals]


def bill(
    design: Design,
    spares: Mapping[str, Fraction] | None = None,
    prices: Mapping[str, Price] | None = None,
    *,
    priced: bool = True,
) -> Bill:
    """What the design is made of, with the project's spares and prices.

    ``spares`` and ``prices`` stand in the place of those of the project; empty ``spares`` are
    none, and ``priced`` False leaves prices away. Raises ReportError for what is no category in
    ``spares``.
    """
    if priced and prices is None:
        prices = prices_of_project(design)
    return bill_of(bom(design), design, spares, prices if priced else None)


def bill_of(
    rows: list[BomRow],
    design: Design,
    spares: Mapping[str, Fraction] | None,
    prices: Mapping[str, Price] | None,
) -> Bill:
    """The bill from the lines of :func:`~rackloom.reports.bom.bom`; ``prices`` None: without."""
    if spares is None:
        there = {row.category for row in rows} | {ALL_OTHERS}
        spares = {c: share for c, share in spares_of_project(design).items() if c in there}
    if spares:
        rows = with_spares(rows, spares)
    found: list[BomTotal] = []
    if prices is not None:
        rows = with_prices(rows, prices)
        found = totals(rows)
    return Bill(rows, found, bom_columns(spares=bool(spares), prices=prices is not None))


SPARE_COLUMNS = ("spares",)
PRICE_COLUMNS = ("unit_price", "currency", "total_price")


def bom_columns(*, spares: bool = False, prices: bool = False) -> tuple[str, ...]:
    """The columns of a written bill of materials: the usual ones, then those asked for."""
    extra = (*(SPARE_COLUMNS if spares else ()), *(PRICE_COLUMNS if prices else ()))
    return (*columns(BomRow), *extra)
