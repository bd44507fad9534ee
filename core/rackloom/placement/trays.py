# SPDX-License-Identifier: Apache-2.0
"""What lies in the cable trays: how many cables, how heavy, how full, metre by metre.

An assembly counts once wherever at least one of its branches runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import CableTechnology, Trust
from rackloom.design.entities import SiteSettings
from rackloom.design.value import Design
from rackloom.placement.floor import footprints
from rackloom.placement.many_routes import TrayWays, runs_of, tray_ways

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

COPPER_KG_PER_M, COPPER_DIAMETER_MM = 0.045, 9.43
FIBRE_KG_PER_M, FIBRE_DIAMETER_MM = 0.009, 3.0
"""Planning averages for a copper cable, and for an AOC or fibre, where a part has no figures.

NVIDIA DGX SuperPOD Data Center Design (H100), Networking, table 18.
"""
_FIBRES = frozenset({CableTechnology.AOC, CableTechnology.FIBRE})
_ROUND_M = 6
"""Places that differ by less than a micrometre are one."""


@dataclass(frozen=True, slots=True)
class TraySegment:
    """A stretch of a tray with the same cables in it all along.

    ``from_m`` and ``to_m`` are room coordinates: x for a row's tray, y for a cross tray.
    """

    tray: str
    kind: str
    """``row`` or ``cross``."""
    from_m: float
    to_m: float
    cables: int
    kg_per_m: float
    area_mm2: float
    """Sum of the cables' cross-sections."""
    fill: float | None
    """That as a share of the tray's; None where the site does not say how large the trays are."""
    averaged: int
    """Cables whose weight or diameter is a planning average or another estimate."""
    verdict: str
    """``too heavy``, ``too full``, both, or empty."""
    at_m: float
    """The tray's other room coordinate: y of a row's tray, x of a cross tray."""

    @property
    def length_m(self) -> float:
        """Length of the stretch."""
        return self.to_m - self.from_m

    @property
    def weight_kg(self) -> float:
        """What lies on it."""
        return self.kg_per_m * self.length_m


@dataclass(frozen=True, slots=True)
class _Make:
    """What one cable of a part adds to a tray."""

    kg_per_m: float
    area_mm2: float
    averaged: bool


def _make(part: CablePart) -> _Make:
    """A part's own figures, else averages; a trunk counts as that many cords as its connectors."""
    fibre = part.technology in _FIBRES
    kg_per_m, diameter_mm, count = part.kg_per_m, part.diameter_mm, 1
    averaged = any(
        value is None or part.trust_of(name) is Trust.ESTIMATE
        for name, value in (("kg_per_m", kg_per_m), ("diameter_mm", diameter_mm))
    )
    if kg_per_m is None:
        average = FIBRE_KG_PER_M if fibre else COPPER_KG_PER_M
        kg_per_m = average * part.connectors_per_side
    if diameter_mm is None:
        diameter_mm = FIBRE_DIAMETER_MM if fibre else COPPER_DIAMETER_MM
        count = part.connectors_per_side
    return _Make(kg_per_m, count * pi * diameter_mm**2 / 4, averaged)


class _Stretches:
    """Which cable lies in which tray from where to where, as arrays."""

    def __init__(self, owner: Ints, tray: Ints, low_m: Floats, high_m: Floats) -> None:
        order = np.lexsort((owner, tray))
        owner, tray, low_m, high_m = owner[order], tray[order], low_m[order], high_m[order]
        first = np.flatnonzero(np.r_[True, (np.diff(owner) != 0) | (np.diff(tray) != 0)])
        if len(owner) == 0:
            first = np.empty(0, np.intp)
            self.owner, self.tray, self.low_m, self.high_m = owner, tray, low_m, high_m
            return
        # Branches of a cable in one tray share the place where they enter it: one stretch.
        self.owner, self.tray = owner[first], tray[first]
        self.low_m = np.minimum.reduceat(low_m, first)
        self.high_m = np.maximum.reduceat(high_m, first)

    def by_tray(self) -> Iterator[tuple[int, Ints, Floats, Floats]]:
        """Tray, cables and their ends, tray by tray."""
        long = self.high_m > self.low_m
        owner, tray = self.owner[long], self.tray[long]
        low_m, high_m = self.low_m[long], self.high_m[long]
        numbers, starts = np.unique(tray, return_index=True)  # they are in this order already
        ends = np.r_[starts[1:], len(tray)]
        for number, start, end in zip(numbers.tolist(), starts, ends[: len(starts)], strict=True):
            here = slice(start, end)
            yield number, owner[here], low_m[here], high_m[here]


def tray_segments(design: Design) -> list[TraySegment]:
    """Every stretch of a tray that holds cables: row by row, then the cross trays from the left.

    Loose cables, and those that stay in their rack or pass through side panels, are in no tray.
    """
    parts = [cable.part for cable in design.cables.values()]
    owners, a_refs, b_refs = runs_of(design, design.cables.values())
    if not len(owners):
        return []
    ways = tray_ways(design, a_refs, b_refs)
    makes = {part_id: _make(design.part(part_id, CablePart)) for part_id in dict.fromkeys(parts)}
    figures = np.array(
        [[1.0, m.kg_per_m, m.area_mm2, m.averaged] for m in (makes[p] for p in parts)]
    )
    tell = _teller(design.settings)
    middles = _middles_m(design)
    names = [row.name for row in design.rows.values()]
    segments: list[TraySegment] = []
    for row, cables, low_m, high_m in _in_rows(ways, owners).by_tray():
        found = _profile(figures, cables, low_m, high_m)
        segments += [tell(f"tray of {names[row]}", "row", middles[row], *f) for f in found]
    crossings, stretches = _across(ways, owners, middles)
    for cross, cables, low_m, high_m in stretches.by_tray():
        x_m = float(crossings[cross])
        found = _profile(figures, cables, low_m, high_m)
        segments += [tell(f"cross tray at x = {x_m:g} m", "cross", x_m, *f) for f in found]
    return segments


def _middles_m(design: Design) -> dict[int, float]:
    """Where the tray of each row with racks runs: over the middle of its deepest rack (y)."""
    prints = footprints(design)
    numbers = {row_id: n for n, row_id in enumerate(design.rows)}
    middles: dict[int, float] = {}
    for rack_id, place in prints.items():
        row = numbers[design.racks[rack_id].row]
        middles[row] = max(middles.get(row, -np.inf), place.y_m + place.depth_m / 2)
    return middles


def _in_rows(ways: TrayWays, owners: Ints) -> _Stretches:
    """What lies in the trays above the rows."""
    over, other = ways.over, ways.over & (ways.a_row != ways.b_row)
    owner = np.r_[owners[over], owners[other]]
    tray = np.r_[ways.a_row[over], ways.b_row[other]]
    start_m = np.r_[ways.up_m[over], ways.cross_m[other]]
    end_m = np.r_[ways.cross_m[over], ways.down_m[other]]
    low_m, high_m = np.minimum(start_m, end_m), np.maximum(start_m, end_m)
    return _Stretches(owner, tray, low_m, high_m)


def _across(ways: TrayWays, owners: Ints, middles: dict[int, float]) -> tuple[Floats, _Stretches]:
    """The cross trays that are used (x), and what lies in them."""
    used = ways.over & (ways.a_row != ways.b_row)
    crossings, tray = np.unique(np.round(ways.cross_m[used], _ROUND_M), return_inverse=True)
    table = np.zeros(max(middles, default=-1) + 1)
    table[list(middles)] = list(middles.values())
    a_m, b_m = table[ways.a_row[used]], table[ways.b_row[used]]
    low_m, high_m = np.minimum(a_m, b_m), np.maximum(a_m, b_m)
    return crossings, _Stretches(owners[used], tray.astype(np.intp), low_m, high_m)


_Found = tuple[float, float, Floats]


def _profile(figures: Floats, owner: Ints, low_m: Floats, high_m: Floats) -> Iterator[_Found]:
    """From where to where a tray holds the same, and the sums of the figures there."""
    low_m, high_m = np.round(low_m, _ROUND_M), np.round(high_m, _ROUND_M)
    places = np.unique(np.r_[low_m, high_m])
    steps = np.zeros((len(places), figures.shape[1]))
    np.add.at(steps, np.searchsorted(places, low_m), figures[owner])
    np.subtract.at(steps, np.searchsorted(places, high_m), figures[owner])
    sums = np.cumsum(steps, axis=0)
    for n in np.flatnonzero(np.round(sums[:-1, 0])):
        yield float(places[n]), float(places[n + 1]), sums[n]


def _teller(settings: SiteSettings) -> Callable[..., TraySegment]:
    """What puts figures beside the limits of the site."""
    room_mm2 = None
    if settings.tray_width_mm and settings.tray_depth_mm:
        room_mm2 = settings.tray_width_mm * settings.tray_depth_mm

    def tell(
        tray: str, kind: str, at_m: float, from_m: float, to_m: float, sums: Floats
    ) -> TraySegment:
        cables, kg_per_m, area_mm2, averaged = sums.tolist()
        fill = area_mm2 / room_mm2 if room_mm2 else None
        heavy, full = settings.tray_limit_kg_per_m, settings.tray_fill_limit
        words = []
        if heavy is not None and kg_per_m > heavy + 1e-9:
            words.append("too heavy")
        if full is not None and fill is not None and fill > full + 1e-9:
            words.append("too full")
        return TraySegment(
            tray,
            kind,
            from_m,
            to_m,
            round(cables),
            round(kg_per_m, 9),  # sums of differences end in tiny remainders
            round(area_mm2, 6),
            fill,
            round(averaged),
            ", ".join(words),
            at_m,
        )

    return tell
