# SPDX-License-Identifier: Apache-2.0
"""How much a project file may hold: bounds against files that would eat the machine.

Generous beside the greatest designs we measure (131,072 GPUs: about 0.1 GB and 10^6 entities).
"""

import math
import re
from typing import Any

from rackloom.files.errors import FileError

MAX_FILE_BYTES = 1 << 30
"""Greatest project file or journal that is read."""
MAX_DEPTH = 64
"""Greatest nesting of lists and objects in what we do not know ourselves."""
MAX_ID_LENGTH = 120
"""Greatest length of an id, in characters."""
MAX_NUMBER = 1e12
"""Greatest magnitude of a number in a file: nothing in a machine room needs more."""
MAX_PLACE = 1e5
"""Greatest magnitude of a place, in m or U: far greater drawings have no pixels Qt can count."""
MAX_MM = 1e5
"""Greatest dimension of a part, in mm: what is larger cannot be drawn beside a rack."""
MAX_COUNT = 4096
"""Greatest number of equal things (cages, ports, outlets) one catalogue entry may ask for."""
MAX_RACK_UNITS = 100
"""Greatest height of a rack, in U."""

_COUNTS = frozenset({"count", "ports"})
_SAFE_PATTERN = re.compile(r"(?:[^{}]|\{(?:n|p|cage)(?::0?\d{1,2}d?)?\})*")


def check_part(raw: Any) -> None:
    """Refuse a part entry whose figures or name patterns would make us build without bound.

    Raises FileError with the field as its place.
    """
    _check(raw, "", 0, is_part=True)


def check_plain(value: Any) -> None:
    """Refuse NaN, infinities, absurd numbers and deep nesting in plain JSON values."""
    _check(value, "", 0, is_part=False)


def _check(value: Any, place: str, depth: int, is_part: bool) -> None:
    if depth > MAX_DEPTH:
        raise FileError(f"it is nested deeper than {MAX_DEPTH} levels", place=f"field {place[:80]}")
    if isinstance(value, dict):
        for key, inner in value.items():
            inner_place = f"{place}.{key}".lstrip(".")
            if is_part:
                _check_part_field(str(key), inner, inner_place)
            _check(inner, inner_place, depth + 1, is_part)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check(inner, f"{place}.{number}".lstrip("."), depth + 1, is_part)
    elif isinstance(value, int | float) and not reasonable(value):
        raise FileError("the number is not one a design can hold", place=f"field {place}")


def _check_part_field(key: str, value: Any, place: str) -> None:
    bound: float | None = (
        MAX_RACK_UNITS if key == "rack_units" else MAX_COUNT if key in _COUNTS else None
    )
    if key.endswith("_mm"):
        bound = MAX_MM
        for number in value if isinstance(value, list) else ():
            _check_part_field(key, number, place)
    if bound is not None and isinstance(value, int | float | str):
        if isinstance(value, str):  # "4096" would be taken for the number
            raise FileError("should be a number", place=f"field {place}")
        if value > bound:
            raise FileError(f"{value} is more than the {bound:g} allowed", place=f"field {place}")
    is_pattern = key in {"name", "port_name"} and isinstance(value, str) and "{" in value
    if is_pattern and not _SAFE_PATTERN.fullmatch(value):
        raise FileError(f"{value[:40]!r} is not a name pattern", place=f"field {place}")


def reasonable(value: float) -> bool:
    """Whether a number is finite and of a magnitude that occurs in a machine room."""
    try:
        return math.isfinite(value) and abs(value) <= MAX_NUMBER
    except OverflowError:  # an int beyond the floats
        return False
