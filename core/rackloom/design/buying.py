# SPDX-License-Identifier: Apache-2.0
"""What the project says about ordering: spares by category, and its price list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rackloom.design.draft import Draft
from rackloom.design.entities import ListPrice, SpareShare
from rackloom.design.errors import EditError

ALL_OTHERS = "all"
"""The category of spares that stands for every one that is not named."""
MOST_SPARES_PERCENT = 1000
"""More than ten times what is drawn is a slip of the finger."""
MOST_PRICE = 1e12
"""Greatest price of one piece, in any currency."""
MOST_LETTERS = 120
"""Greatest length of a part number in a price list, in characters."""
MOST_PRICES = 500_000
"""Greatest number of lines of a price list: it goes into the project file."""


def wrong_share(share: SpareShare) -> str:
    """What is wrong with spares of a category, as part of a sentence; empty where nothing is."""
    if 0 <= share.percent <= MOST_SPARES_PERCENT:
        return ""
    return f"{share.percent:g} is not a percentage from 0 to {MOST_SPARES_PERCENT}"


def wrong_price(price: ListPrice) -> str:
    """What is wrong with a price, as part of a sentence; empty where nothing is."""
    if not price.id or len(price.id) > MOST_LETTERS:
        return f"a part number has 1 to {MOST_LETTERS} characters"
    if not 0 <= price.amount <= MOST_PRICE:
        return f"{price.amount:g} is not a price"
    if not price.currency.isalpha() or len(price.currency) > 8:
        return f"{price.currency[:40]!r} is not a currency such as EUR or USD"
    return ""


def set_spares(draft: Draft, percent: Mapping[str, float]) -> None:
    """Order so many per cent more of these categories and of no others; 0 is none.

    Categories are those of the bill of materials; ``all`` stands for those not named, so that
    with it a category of 0 is kept: it says that this one has none. EditError for what is no
    percentage.
    """
    keeps_zero = percent.get(ALL_OTHERS, 0) > 0
    wanted = {
        category: SpareShare(category, float(share))
        for category, share in percent.items()
        if share != 0 or (keeps_zero and category != ALL_OTHERS)
    }
    for share in wanted.values():
        problem = wrong_share(share)
        if problem:
            raise EditError(f"spares of {share.id}: {problem}")
    _replace_all(draft, "spares", wanted)


def set_price_list(draft: Draft, name: str, prices: Iterable[ListPrice]) -> None:
    """Keep a price list in the project, in the place of the one before.

    ``name`` is what to call it, such as the name of its file. EditError for a list without a name
    or too long, or with what is not a price.
    """
    wanted = {price.id: price for price in prices}
    if not name.strip():
        raise EditError("a price list needs a name")
    if len(wanted) > MOST_PRICES:
        raise EditError(
            f"{name} has {len(wanted):,} prices; a project keeps up to {MOST_PRICES:,}: leave out "
            "what you do not order"
        )
    for price in wanted.values():
        problem = wrong_price(price)
        if problem:
            raise EditError(f"the price of {price.id[:MOST_LETTERS]}: {problem}")
    _replace_all(draft, "prices", wanted)
    _call_list(draft, name.strip())


def remove_price_list(draft: Draft) -> None:
    """Take the price list out of the project."""
    _replace_all(draft, "prices", {})
    _call_list(draft, "")


def _replace_all(
    draft: Draft, table: str, wanted: Mapping[str, SpareShare] | Mapping[str, ListPrice]
) -> None:
    now = draft.table(table)
    for key in [key for key in now if key not in wanted]:
        draft.remove(table, key)
    draft.put_all(entity for key, entity in wanted.items() if now.get(key) != entity)


def _call_list(draft: Draft, name: str) -> None:
    if draft.settings.price_list != name:
        draft.put(replace(draft.settings, price_list=name))
