# SPDX-License-Identifier: Apache-2.0
"""Spares and the price list as the project keeps them: edits, undo, files, bills."""

from __future__ import annotations

import string
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import small_design

from rackloom.design import Design, Draft, EditError, History, ListPrice, Step
from rackloom.design.buying import remove_price_list, set_price_list, set_spares
from rackloom.files import FileError, load, save, schema
from rackloom.files.text import file_chunks
from rackloom.reports import ReportError, bill, bom, read_prices
from rackloom.reports.buying import list_prices, prices_of_project, spares_of_project

SHARES = st.dictionaries(
    st.sampled_from(["all", "cable", "fibre", "server", "transceiver", "no such"]),
    st.decimals(0, 1000, places=1).map(float),
)
LISTS = st.dictionaries(
    st.text(string.printable, min_size=1, max_size=20).filter(str.strip),
    st.tuples(st.decimals(0, 10**9, places=2), st.sampled_from(["EUR", "USD"])),
    max_size=8,
)
PRICES = [ListPrice("SRV-8", 250_000.0, "USD"), ListPrice("MFP7E10-N003", 0.1, "EUR")]


@given(SHARES, LISTS, st.text(min_size=1, max_size=9).filter(str.strip))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_kept_comes_back_from_the_file_and_goes_with_undo(
    shares: dict[str, float], prices: dict[str, tuple[Decimal, str]], name: str
) -> None:
    start = small_design()
    history = History(start)
    kept = [ListPrice(number, float(amount), money) for number, (amount, money) in prices.items()]
    history.do("Set spares", set_spares, shares)
    history.do("Take price list", set_price_list, name, kept)
    back, extras = schema.parse(b"".join(file_chunks(history.design)))
    assert back == history.design
    assert not extras
    said = {category: Fraction(str(share)) for category, share in shares.items() if share}
    assert {c: s for c, s in spares_of_project(back).items() if s} == said
    found = prices_of_project(back)
    assert found is not None
    assert {n: (p.amount, p.currency) for n, p in found.items()} == prices
    assert back.settings.price_list == name.strip()
    history.undo()
    assert not history.design.prices
    assert history.design.settings == start.settings
    history.undo()
    assert history.design == start


def test_a_list_in_the_place_of_another_leaves_nothing_of_it() -> None:
    history = History(small_design())
    history.do("Take list", set_price_list, "spring.csv", PRICES)
    steps: list[Step] = []
    history.listen(lambda _design, step: steps.append(step))
    history.do("Take list", set_price_list, "autumn.csv", [PRICES[0], ListPrice("X", 1.0, "EUR")])
    assert set(history.design.prices) == {"SRV-8", "X"}
    assert history.design.settings.price_list == "autumn.csv"
    (step,) = steps  # one step, of what differs
    assert {(r.table, r.id) for r in step.change} == {
        ("prices", "MFP7E10-N003"), ("prices", "X"), ("settings", "site"),
    }  # fmt: skip
    history.do("Remove list", remove_price_list)
    assert prices_of_project(history.design) is None
    # A list without a line is a list: everything is without a price.
    history.do("Take list", set_price_list, "empty.csv", [])
    assert prices_of_project(history.design) == {}


def test_none_for_one_category_stands_beside_all_others() -> None:
    history = History(small_design())
    history.do("Set spares", set_spares, {"all": 50.0, "server": 0.0})
    rows = bill(history.design).rows
    assert {row.spares for row in rows if row.category == "server"} == {0}
    assert all(row.spares == -(-row.quantity // 3) for row in rows if row.category == "fibre")
    history.do("Set spares", set_spares, {"all": 0.0, "server": 0.0})
    assert not history.design.spares


@pytest.mark.parametrize("percent", [-0.5, 1000.5, float("nan"), float("inf")])
def test_no_percentage_is_refused(percent: float) -> None:
    with pytest.raises(EditError, match=r"spares of cable: .* from 0 to 1000"):
        set_spares(Draft(Design()), {"cable": percent})


@pytest.mark.parametrize(
    ("price", "says"),
    [
        (ListPrice("A", -1.0, "EUR"), "the price of A: -1 is not a price"),
        (ListPrice("A", float("nan"), "EUR"), "not a price"),
        (ListPrice("A", 1.0, "=1+1"), "not a currency"),
        (ListPrice("A" * 121, 1.0, "EUR"), "1 to 120 characters"),
    ],
)
def test_no_price_is_refused_by_the_edit_and_in_a_file(
    price: ListPrice, says: str, tmp_path: Path
) -> None:
    with pytest.raises(EditError, match=says):
        set_price_list(Draft(Design()), "list", [price])
    file = tmp_path / "x.rackloom"
    if price.amount == price.amount:  # what is no number is not even saved
        save(file, Design({"prices": {price.id: price}}))
        with pytest.raises(FileError, match=rf"price {price.id[:9]}"):
            load(file)


def test_the_bill_uses_what_the_project_keeps_unless_told_otherwise() -> None:
    history = History(small_design())
    plain = bill(history.design)
    assert (plain.rows, plain.totals) == (bom(history.design), [])
    history.do("Set spares", set_spares, {"server": 10.0, "no such": 5.0})
    history.do("Take list", set_price_list, "spring.csv", PRICES)
    kept = bill(history.design)
    server = next(row for row in kept.rows if row.category == "server")
    # Two servers, 10 % of them rounded up: three of 250,000 USD.
    assert (server.quantity, server.spares, server.total_price) == (3, 1, 750_000.0)
    assert {total.currency for total in kept.totals} == {"EUR", "USD"}
    assert {"spares", "total_price"} <= set(kept.columns)
    other = bill(
        history.design, {"server": Fraction(0)}, read_prices(b"part_number,price,currency")
    )
    server = next(row for row in other.rows if row.category == "server")
    assert (server.quantity, server.total_price) == (2, None)
    assert bill(history.design, {}, priced=False) == plain
    with pytest.raises(ReportError, match="there are: server"):
        bill(history.design, {"rocks": Fraction(5)})


def test_a_read_list_is_kept_to_the_cent() -> None:
    prices = read_prices(b"part_number,price,currency\nA,123456789.95,eur\nB,0.1,usd\n")
    history = History(Design())
    history.do("Take list", set_price_list, "x", list_prices(prices))
    assert prices_of_project(history.design) == prices
