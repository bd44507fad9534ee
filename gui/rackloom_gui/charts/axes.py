# SPDX-License-Identifier: Apache-2.0
"""The axes of the chart: message sizes below, bandwidths or times to the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped,unused-ignore]

from rackloom_gui.charts.sizes import short_size


class SizeAxis(pg.AxisItem):  # type: ignore[misc,unused-ignore]
    """Powers of two as message sizes: every second, fourth or eighth, as there is room."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        """Whole powers only."""
        span = max(maxVal - minVal, 1e-6)
        step = next((s for s in (1, 2, 4, 5, 10) if span / s * 46 <= size), 10)
        first = int(np.ceil(minVal / step)) * step
        ticks = [float(v) for v in range(first, int(np.floor(maxVal)) + 1, step)]
        return [(float(step), ticks)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """The sizes as on the command line of nccl-tests."""
        del scale, spacing
        return [short_size(2.0**v) for v in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc,unused-ignore]
    """Bandwidths as they are, times by their powers of ten."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._powers = False

    def set_powers(self, on: bool) -> None:
        """Whether the values are log10 of microseconds."""
        if on != self._powers:
            self._powers = on
            self.picture = None
            self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        """Whole powers of ten where values are powers."""
        if not self._powers:
            ticks: list[Any] = super().tickValues(minVal, maxVal, size)
            return ticks
        step = max(1, int(np.ceil((maxVal - minVal) * 22 / max(size, 1))))
        first = int(np.ceil(minVal - 1e-9))
        return [(float(step), [float(v) for v in range(first, int(maxVal + 1e-9) + 1, step)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Times with their units."""
        if not self._powers:
            texts: list[str] = super().tickStrings(values, scale, spacing)
            return texts
        return [power_text(round(v)) for v in values]


def power_text(power: int) -> str:
    """A power of ten of microseconds: ``100 µs``, ``1 ms``, ``10 s``."""
    for least, unit in ((6, "s"), (3, "ms"), (0, "µs")):
        if power >= least:
            return f"{10 ** (power - least)} {unit}"
    return f"{10.0**power:g} µs"
