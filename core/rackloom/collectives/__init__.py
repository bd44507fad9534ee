# SPDX-License-Identifier: Apache-2.0
"""How fast: the physical limit of a wiring, and what a collective library makes of it."""

from rackloom.collectives.answer import Bottleneck, ErrorBand, Estimate, Point
from rackloom.collectives.caps import Cap
from rackloom.collectives.case import Settings
from rackloom.collectives.conventions import (
    DEFAULT_SIZES,
    Collective,
    busbw_factor,
    parse_collective,
    parse_sizes,
)
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.estimate import ALGORITHMS, estimate
from rackloom.collectives.limit import Limit
from rackloom.collectives.loads import CableLoads
from rackloom.collectives.sweep import FailureEffect, FailureSweep, failure_sweep

__all__ = [
    "ALGORITHMS",
    "DEFAULT_SIZES",
    "Bottleneck",
    "CableLoads",
    "Cap",
    "Collective",
    "ErrorBand",
    "Estimate",
    "EstimateError",
    "FailureEffect",
    "FailureSweep",
    "Limit",
    "Point",
    "Settings",
    "busbw_factor",
    "estimate",
    "failure_sweep",
    "parse_collective",
    "parse_sizes",
]
