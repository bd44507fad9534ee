# SPDX-License-Identifier: Apache-2.0
"""What lies in the cable trays, as a table and as text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from rackloom.design import Design
from rackloom.design.entities import SiteSettings
from rackloom.placement.trays import tray_segments
from rackloom.reports.power_words import shorten

SCHEMA = 1
_LIMITS = ("tray_width_mm", "tray_depth_mm", "tray_fill_limit", "tray_limit_kg_per_m")


@dataclass(frozen=True, slots=True)
class TrayRow:
    """A stretch of a tray; see :class:`rackloom.placement.trays.TraySegment`."""

    tray: str
    kind: str
    from_m: float
    to_m: float
    cables: int
    kg_per_m: float
    weight_kg: float
    area_mm2: float
    fill: float | None
    averaged: int
    verdict: str


def tray_rows(design: Design) -> list[TrayRow]:
    """Every stretch of a tray that holds cables."""
    return [
        TrayRow(
            s.tray,
            s.kind,
            s.from_m,
            s.to_m,
            s.cables,
            s.kg_per_m,
            s.weight_kg,
            s.area_mm2,
            s.fill,
            s.averaged,
            s.verdict,
        )
        for s in tray_segments(design)
    ]


def tray_json(rows: list[TrayRow], settings: SiteSettings) -> dict[str, Any]:
    """As JSON, version 1: the limits of the site (null: not known) and the stretches."""
    return {
        "schema": SCHEMA,
        "limits": {name: getattr(settings, name) for name in _LIMITS},
        "segments": [
            {k: round(v, 6) if isinstance(v, float) else v for k, v in asdict(row).items()}
            for row in rows
        ],
    }


def tray_text(rows: list[TrayRow], settings: SiteSettings) -> str:
    """One line a tray: what it holds in all, and its heaviest place."""
    if not rows:
        return "no cable runs in a tray\n"
    lines = [f"{'tray':<30}{'length':>9}{'weight':>10}  heaviest place"]
    for tray, group in groupby(rows, key=lambda row: row.tray):
        mine = list(group)
        worst = max(mine, key=lambda row: (row.kg_per_m, row.area_mm2))
        length_m = sum(row.to_m - row.from_m for row in mine)
        weight_kg = sum(row.weight_kg for row in mine)
        fill = f"{worst.area_mm2:,.0f} mm2" if worst.fill is None else f"{worst.fill:.0%} full"
        bad = {word for row in mine for word in row.verdict.split(", ") if word}
        verdict = f": {', '.join(sorted(bad))}" if bad else ""
        lines.append(
            f"{shorten(tray, 29):<30}{length_m:>7.1f} m{weight_kg:>7.1f} kg  "
            f"{worst.kg_per_m:.2f} kg/m, {worst.cables:,} cables, {fill}, from "
            f"{'x' if worst.kind == 'row' else 'y'} = {worst.from_m:.2f} to {worst.to_m:.2f} m"
            f"{verdict}"
        )
    lines += _notes(rows, settings)
    return "\n".join(lines) + "\n"


def _notes(rows: list[TrayRow], settings: SiteSettings) -> list[str]:
    notes = []
    if any(row.averaged for row in rows):
        notes.append(
            "weights and diameters that nobody published are planning averages: 0.045 kg/m and "
            "9.43 mm for copper, 0.009 kg/m and 3 mm for fibre (DGX SuperPOD data centre design)"
        )
    unknown = [
        words
        for name, words in (
            ("tray_limit_kg_per_m", "load"),
            ("tray_width_mm", "width"),
            ("tray_depth_mm", "depth"),
            ("tray_fill_limit", "greatest fill"),
        )
        if getattr(settings, name) is None
    ]
    if unknown:
        notes.append(f"not checked against the trays' {', '.join(unknown)}: the project has none")
    return ["", *notes] if notes else []
