# SPDX-License-Identifier: Apache-2.0
"""The power report as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from rackloom.reports.power_report import PlaceRow, PowerReport, PsuRow, SupplyRow


def power_text(report: PowerReport) -> str:
    """The report as text: places, supplies, and the devices that do not survive a lost feed."""
    lines = _columns(
        [("", "maximum", "typical", "may carry", "heat", "air", "liquid", "not said")]
        + [_place_cells(row) for row in report.places]
    )
    if report.supplies:
        head = ("supply", "load", "may carry", "with a feed lost")
        cells = [head, *(_supply_cells(row) for row in report.supplies)]
        lines += ["", *_columns(cells, words_last=True)]
    weak = [row for row in report.psus if row.verdict != "runs on"]
    if report.psus:
        lines += ["", f"power supplies: {_psu_words(report.psus)}"]
        lines += [
            f"  {row.device:<22}{row.rack:<10}{row.left} of {row.supplies} left, needs "
            f"{'?' if row.needed is None else row.needed}: {row.verdict}"
            for row in weak[:20]
        ]
        if len(weak) > 20:
            lines.append(f"  and {len(weak) - 20:,} more (--format csv --table psus lists them)")
    if any(row.maximum_unknown or row.typical_unknown for row in report.places):
        lines += ["", "+n: n devices are not, or not wholly, in the sum: nobody published a figure"]
    return "\n".join(lines) + "\n"


def _kw(watts: float | None, unknown: int = 0) -> str:
    """A sum in kilowatts; a dash where there is none, in words where nothing of it is known."""
    if watts is None:
        return f"unknown +{unknown}" if unknown else "-"
    return f"{watts / 1000:,.1f} kW" + (f" +{unknown}" if unknown else "")


def _place_cells(row: PlaceRow) -> tuple[str, ...]:
    indent = {"rack": "    ", "row": "  "}.get(row.place, "")
    heat = row.heat_btu_per_h
    return (
        shorten(f"{indent}{row.name}", 36),
        _kw(row.maximum_w, row.maximum_unknown),
        _kw(row.typical_w, row.typical_unknown),
        _kw(row.usable_w),
        "-" if heat is None else f"{heat:,.0f} BTU/h",
        _kw(row.air_w),
        _kw(row.liquid_w),
        _kw(row.cooling_unknown_w),
    )


def _supply_cells(row: SupplyRow) -> tuple[str, ...]:
    name = f"{row.rack} {row.name}" if row.rack and row.supply == "pdu" else row.name
    lost = f"{_kw(row.lost_load_w, row.unknown)} without {row.lost}, " if row.lost else ""
    return (
        shorten(f"{row.supply} {name}", 36),
        _kw(row.load_w, row.unknown),
        _kw(row.usable_w),
        f"{lost}{row.verdict}",
    )


def _columns(rows: Sequence[tuple[str, ...]], *, words_last: bool = False) -> list[str]:
    """Lines of a table: names to the left, figures to the right, each column as wide as it needs.

    With ``words_last`` the last column holds words.
    """
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    left = {0, len(widths) - 1} if words_last else {0}
    return [
        "  ".join(
            f"{cell:<{width}}" if n in left else f"{cell:>{width}}"
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def shorten(text: str, width: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _psu_words(rows: list[PsuRow]) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    return "with one feed lost, " + ", ".join(f"{n:,} {words}" for words, n in counts.items())
