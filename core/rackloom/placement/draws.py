# SPDX-License-Identifier: Apache-2.0
"""Watts with what is not known of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draw:
    """Power of a device. ``watts`` leaves out what is unknown."""

    watts: float
    unknown: bool
    """Nobody published a figure, or only one that leaves something out."""


@dataclass(frozen=True, slots=True)
class Load:
    """What hangs on a PDU, a feed or a busbar."""

    watts: float
    unknown: int
    """Devices whose draw is not, or not wholly, in the sum."""

    @property
    def kw(self) -> float:
        """Kilowatts."""
        return self.watts / 1000

    @property
    def caveat(self) -> str:
        """What to add to a sentence about the sum."""
        if not self.unknown:
            return ""
        return f" (draw of {self.unknown} device{'s' * (self.unknown > 1)} unknown, not counted)"
