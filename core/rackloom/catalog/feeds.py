# SPDX-License-Identifier: Apache-2.0
"""Circuits as buildings offer them: the table a feed is chosen from."""

from math import sqrt
from typing import Literal

from pydantic import PositiveFloat

from rackloom.catalog.parts import Frozen


class FeedType(Frozen):
    """A usual circuit: line-to-line volts, breaker amperes, phases, and where it is usual."""

    voltage_v: PositiveFloat
    current_a: PositiveFloat
    phases: Literal[1, 3]
    region: str
    transient_kw: PositiveFloat | None = None
    """Planning guard for loads with GPU transients: three quarters of the continuous load."""
    sources: tuple[str, ...] = ()

    @property
    def apparent_kva(self) -> float:
        """Volts times amperes, times the square root of three for three phases."""
        factor = sqrt(3) if self.phases == 3 else 1.0
        return self.voltage_v * self.current_a * factor / 1000

    def usable_kw(self, derating: float = 0.8) -> float:
        """Continuous load at a share of the breaker's rating (NEC: 0.8), at power factor 1."""
        return self.apparent_kva * derating

    @property
    def title(self) -> str:
        """As one reads it in a list: ``415 V 60 A three-phase (NA)``."""
        word = "three-phase" if self.phases == 3 else "single-phase"
        return f"{self.voltage_v:g} V {self.current_a:g} A {word} ({self.region})"
