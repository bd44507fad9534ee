# SPDX-License-Identifier: Apache-2.0
"""Identity of what is drawn. Ids never change and are never shown; names are for people."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NewType, TypeVar

RowId = NewType("RowId", str)
RackId = NewType("RackId", str)
DeviceId = NewType("DeviceId", str)
ModuleId = NewType("ModuleId", str)
CableId = NewType("CableId", str)
FeedId = NewType("FeedId", str)
CordId = NewType("CordId", str)
NoteId = NewType("NoteId", str)

_Id = TypeVar("_Id", bound=str)
_T = TypeVar("_T")

EntityId = str
"""Any of the above, where the table is known from elsewhere."""


def number_of(entity_id: str) -> int:
    """The number an id ends in, 0 where it has none; new ids count on from the greatest."""
    digits = entity_id.lstrip("abcdefghijklmnopqrstuvwxyz-_")
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def by_age(entity_id: str) -> tuple[int, str]:
    """Sort key: the order in which entities were made."""
    digits = entity_id[1:]
    if digits.isdecimal() and "a" <= entity_id[0] <= "z" and digits.isascii():
        return int(digits), entity_id  # as we make them ourselves
    return number_of(entity_id), entity_id


_ONE_KIND = re.compile(r"([a-z]+)[1-9][0-9]*(?:\n\1[1-9][0-9]*)*+")
"""Ids of one table as we give them, a line each."""


def in_order(table: Collection[str]) -> bool:
    """Whether the ids of a table come oldest first, as in tables that we filled ourselves."""
    ages: list[tuple[int, str]]
    if _ONE_KIND.fullmatch("\n".join(table)):
        ages = list(zip(map(len, table), table, strict=True))  # without numbers, as it is faster
    else:
        ages = [by_age(entity_id) for entity_id in table]
    return ages == sorted(ages)


def oldest_first(table: Mapping[_Id, _T]) -> Iterable[_T]:
    """The entities of a table in the order in which they were made."""
    if in_order(table):
        return table.values()
    return [table[entity_id] for entity_id in sorted(table, key=by_age)]
