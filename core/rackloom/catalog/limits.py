# SPDX-License-Identifier: Apache-2.0
"""How large the figures of a part may be: the same bounds in catalogues and in project files.

A part that the catalogue took and a project file refused would make a design that cannot be opened
again once it is saved.
"""

from __future__ import annotations

import math
from typing import Any

MAX_DEPTH = 64
"""Greatest nesting of lists and objects."""
MAX_NUMBER = 1e12
"""Greatest magnitude of a number: nothing in a machine room needs more."""
MIN_FIGURE = 1e-9
"""Least figure of a part that is not 0: a link of a bit a second would never be done."""
MAX_MM = 1e5
"""Greatest dimension of a part, in mm: what is larger cannot be drawn beside a rack."""
MAX_COUNT = 4096
"""Greatest number of equal things (cages, ports, outlets) one catalogue entry may ask for."""
MAX_RACK_UNITS = 100
"""Greatest height of a rack, in U."""

_COUNTS = frozenset({"count", "ports"})


class OutOfBounds(Exception):
    """A value nobody's machine room has: ``problem`` says what is wrong, ``place`` which field."""

    def __init__(self, problem: str, place: str) -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.place = place


def check_part(raw: Any) -> None:
    """Refuse a part entry whose figures would make us build without bound.

    Raises OutOfBounds.
    """
    _check(raw, "", 0, True, set())


def check_plain(value: Any) -> None:
    """Refuse NaN, infinities, absurd numbers and deep nesting in plain values; OutOfBounds."""
    _check(value, "", 0, False, set())


def _check(value: Any, place: str, depth: int, is_part: bool, seen: set[int]) -> None:
    if isinstance(value, dict | list | tuple):
        if id(value) in seen:  # YAML may name one list a billion times
            return
        seen.add(id(value))
    if depth > MAX_DEPTH:
        raise OutOfBounds(f"it is nested deeper than {MAX_DEPTH} levels", place[:80])
    if isinstance(value, dict):
        for key, inner in value.items():
            inner_place = f"{place}.{key}".lstrip(".")
            if is_part:
                _check_part_field(str(key), inner, inner_place)
            _check(inner, inner_place, depth + 1, is_part, seen)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _check(inner, f"{place}.{number}".lstrip("."), depth + 1, is_part, seen)
    elif isinstance(value, int | float) and (
        not reasonable(value) or (is_part and 0 < abs(value) < MIN_FIGURE)
    ):
        raise OutOfBounds("the number is not one a design can hold", place)


def _check_part_field(key: str, value: Any, place: str) -> None:
    bound: float | None = (
        MAX_RACK_UNITS if key == "rack_units" else MAX_COUNT if key in _COUNTS else None
    )
    if key.endswith("_mm"):
        bound = MAX_MM
    if bound is None:
        return
    for number in value if isinstance(value, list) else (value,):
        if isinstance(number, int | float | str) and _number(number) > bound:
            raise OutOfBounds(f"{number} is more than the {bound:g} allowed", place)


def _number(value: float | str) -> float:
    """A number, or what a text would be taken for where one is wanted (YAML reads 1e9 as text)."""
    try:
        return float(value)
    except ValueError:
        return 0.0  # no number, and refused as such later
    except OverflowError:
        return math.inf


def reasonable(value: float) -> bool:
    """Whether a number is finite and of a magnitude that occurs in a machine room."""
    try:
        return math.isfinite(value) and abs(value) <= MAX_NUMBER
    except OverflowError:  # an int beyond the floats
        return False
