# SPDX-License-Identifier: Apache-2.0
"""Remembering what was worked out from a design's tables for as long as those tables last.

A design shares every table an edit left alone with the design before it, so what depends on racks
only survives the plugging of cables. Tables are told apart by identity: nobody writes to one once
its design is out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

from rackloom.design.value import Design

_R = TypeVar("_R")

KEPT = 8
"""Results kept for each function: the design at hand, some of its past, a snapshot in a worker."""


def per_tables(*names: str) -> Callable[[Callable[[Design], _R]], Callable[[Design], _R]]:
    """Remember a function of a design that looks at these tables only."""

    def decorate(function: Callable[[Design], _R]) -> Callable[[Design], _R]:
        results: OrderedDict[tuple[int, ...], tuple[tuple[Any, ...], _R]] = OrderedDict()
        lock = Lock()

        @wraps(function)
        def remembered(design: Design) -> _R:
            tables = tuple(getattr(design, name) for name in names)
            key = tuple(map(id, tables))
            with lock:
                hit = results.get(key)
                if hit is not None:
                    results.move_to_end(key)
                    return hit[1]
            result = function(design)
            with lock:
                results[key] = (tables, result)  # holds the tables: their ids stay theirs
                while len(results) > KEPT:
                    results.popitem(last=False)
            return result

        return remembered

    return decorate
