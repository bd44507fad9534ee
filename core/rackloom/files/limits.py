# SPDX-License-Identifier: Apache-2.0
"""How much a project file may hold: bounds against files that would eat the machine.

Generous beside the greatest designs we measure (131,072 GPUs: about 0.1 GB and 10^6 entities).
"""

from typing import Any

from rackloom.catalog import limits
from rackloom.catalog.limits import reasonable
from rackloom.files.errors import FileError

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_ID_LENGTH",
    "check_part",
    "check_plain",
    "reasonable",
]

MAX_FILE_BYTES = 1 << 30
"""Greatest project file or journal that is read."""
MAX_ID_LENGTH = 120
"""Greatest length of an id, in characters."""


def check_part(raw: Any) -> None:
    """Refuse a part entry that the catalogue would refuse as well.

    Raises FileError with the field as its place.
    """
    try:
        limits.check_part(raw)
    except limits.OutOfBounds as error:
        raise FileError(error.problem, place=f"field {error.place}") from None


def check_plain(value: Any) -> None:
    """Refuse NaN, infinities, absurd numbers and deep nesting in plain JSON values."""
    try:
        limits.check_plain(value)
    except limits.OutOfBounds as error:
        raise FileError(error.problem, place=f"field {error.place}") from None
