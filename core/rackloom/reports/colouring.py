# SPDX-License-Identifier: Apache-2.0
"""Colours by fabric or by rail, for labels and for the jackets of cables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rackloom.reports.errors import ReportError
from rackloom.reports.order import natural

ColourBy = Literal["cable", "fabric", "rail", "none"]
COLOURINGS: tuple[ColourBy, ...] = ("cable", "fabric", "rail", "none")

PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7"),
    *("#56b4e9", "#d55e00", "#f0e442", "#999999"),
)
"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008)."""


def check_colouring(by: str, what: str) -> None:
    """Refuse what is no way of colouring, with a sentence."""
    if by not in COLOURINGS:
        raise ReportError(f"{what} are coloured by {', '.join(COLOURINGS)}, not {by!r}")


def colours_of(keys: Iterable[str]) -> dict[str, str]:
    """A colour for each name but the empty one; the same names get the same colours."""
    ordered = sorted({key for key in keys if key}, key=natural)
    return {key: PALETTE[n % len(PALETTE)] for n, key in enumerate(ordered)}
