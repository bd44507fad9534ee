# SPDX-License-Identifier: Apache-2.0
"""Identity of what is drawn. Ids never change and are never shown; names are for people."""

from typing import NewType

RowId = NewType("RowId", str)
RackId = NewType("RackId", str)
DeviceId = NewType("DeviceId", str)
ModuleId = NewType("ModuleId", str)
CableId = NewType("CableId", str)
FeedId = NewType("FeedId", str)
CordId = NewType("CordId", str)
NoteId = NewType("NoteId", str)

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
