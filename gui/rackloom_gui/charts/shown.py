# SPDX-License-Identifier: Apache-2.0
"""What is laid over the chart besides the present curve: pinned ones and measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rackloom_gui.charts.series import AnyPoint

if TYPE_CHECKING:
    from rackloom.interop.nccl_log import MeasuredRun


class Curve(Protocol):
    """What a pinned curve is drawn from: an estimate, or the points of one that were kept."""

    @property
    def points(self) -> Sequence[AnyPoint]:
        """Sizes in rising order."""


@dataclass(frozen=True, slots=True)
class KeptPoint:
    """One point of a curve that was kept."""

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class KeptCurve:
    """The points of an estimate, as they come back from the disk."""

    points: tuple[KeptPoint, ...]


@dataclass(frozen=True, slots=True)
class Pin:
    """A curve that was kept, with the name it was given."""

    name: str
    estimate: Curve
    colour: int
    """Number of its colour among the series."""
    home: Path | None = None
    """The project it belongs to, None for one without a file."""


@dataclass(frozen=True, slots=True)
class Log:
    """A measured run, with the name of its file."""

    name: str
    run: MeasuredRun
    colour: int


def free_colour(taken: set[int], colours: int) -> int:
    """The first colour that nobody has; number 0 is the present curve's."""
    return next((n for n in range(1, colours) if n not in taken), 1 + len(taken) % (colours - 1))
