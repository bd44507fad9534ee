# SPDX-License-Identifier: Apache-2.0
"""Sorting as people sort: R2 before R10, port 9 before port 10/1."""

import re
from functools import lru_cache

_DIGITS = re.compile(r"(\d+)")


@lru_cache(maxsize=65536)
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that counts numbers within a text as numbers."""
    return tuple(
        (0, int(piece), "") if piece.isdecimal() and len(piece) < 19 else (1, 0, piece.lower())
        for piece in _DIGITS.split(text)
        if piece
    )
