# SPDX-License-Identifier: Apache-2.0
"""How large the numbers of a design may be: for edits and for files the same.

An edit that made a number no file may hold would make a design that cannot be opened again.
"""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

from rackloom.catalog.limits import MAX_NUMBER
from rackloom.design.entities import TABLES, Cable, SiteSettings

MAX_PLACE = 1e5
"""Greatest magnitude of a place, in m or U: far greater drawings have no pixels Qt can count."""
MOST_SOCKETS = 1024
"""More fibre connectors than any plug has."""

_PLACES = frozenset({"x_m", "y_m", "position_m", "bottom_u", "tray_height_m"})


def _numbers(kind: type) -> tuple[tuple[str, float], ...]:
    """The fields of an entity that hold a number (or None), each with its greatest magnitude."""
    return tuple(
        (field.name, MAX_PLACE if field.name in _PLACES else MAX_NUMBER)
        for field in dataclasses.fields(kind)
        if {field.type, *get_args(field.type)} & {int, float} and not _is_tuple(field.type)
    )


def _is_tuple(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is tuple


_NUMBERS = {table: _numbers(kind) for table, kind in TABLES.items()}


def wrong_number(table: str, entity: Any) -> str | None:
    """The field of an entity whose number no design can hold, or None where all is well."""
    for name, most in _NUMBERS[table]:
        value = getattr(entity, name)
        if value is not None and not -most <= value <= most:  # NaN is not
            return name
    if isinstance(entity, SiteSettings):
        if not all(-MAX_PLACE <= x_m <= MAX_PLACE for x_m in entity.cross_trays_x_m):
            return "cross_trays_x_m"
    elif isinstance(entity, Cable) and not all(0 <= e.socket < MOST_SOCKETS for e in entity.ends):
        return "socket"
    return None
