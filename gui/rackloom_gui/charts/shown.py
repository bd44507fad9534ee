# SPDX-License-Identifier: Apache-2.0
"""What is laid over the chart besides the present curve: pinned ones and measured runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.interop.nccl_log import MeasuredRun


@dataclass(frozen=True, slots=True)
class Pin:
    """A curve that was kept, with the name it was given."""

    name: str
    estimate: Estimate
    colour: int
    """Number of its colour among the series."""


@dataclass(frozen=True, slots=True)
class Log:
    """A measured run, with the name of its file."""

    name: str
    run: MeasuredRun
    colour: int


def free_colour(taken: set[int], colours: int) -> int:
    """The first colour that nobody has; number 0 is the present curve's."""
    return next((n for n in range(1, colours) if n not in taken), 1 + len(taken) % (colours - 1))
