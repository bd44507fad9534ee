# SPDX-License-Identifier: Apache-2.0
"""How far the model is from published readings: figures, and the help page made of them.

``make accuracy`` writes the page and the figures that test_accuracy.py holds the model to.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from tests.accuracy.accuracy_systems import SYSTEMS, System, rows_of

from rackloom.collectives import case as case_module
from rackloom.collectives import estimate, parse_collective
from rackloom.collectives.calibration import Hardware, Libraries, load_hardware, load_libraries

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "resources" / "rackloom_resources" / "help" / "accuracy.md"
RECORD = Path(__file__).with_name("recorded.json")
LARGE = 256 << 20
PEAK_SIZE = 16 << 30
"""Charts that print a peak without its size are compared here."""


@dataclass(frozen=True)
class Gap:
    """One reading against the model."""

    system: str
    collective: str
    size_bytes: int
    measured: float
    modelled: float
    unit: str

    @property
    def relative(self) -> float:
        """Modelled over measured, less one; of bandwidths the sign says who is faster."""
        return self.modelled / self.measured - 1


@dataclass(frozen=True)
class Errors:
    """What the report says of a set of readings; None where it has none of that kind."""

    readings: int
    large_median: float | None
    large_worst: float | None
    geometric: float | None
    latency: float | None


def gaps_of(system: System) -> list[Gap]:
    """Every reading of a system against the model. Times where bandwidths round to nothing."""
    fabric = system.fabric()
    found = []
    for row in rows_of(system):
        size = row.get("size_bytes", PEAK_SIZE)
        if size < system.smallest:
            continue
        gpus = _gpus(row)
        answer = estimate(
            fabric,
            parse_collective(row["collective"]),
            [size],
            gpus=gpus if gpus < fabric.gpus else None,
            algorithm=_forced(row),
            settings=system.settings,
        )
        point = answer.points[0]
        collective = answer.collective.value
        if row.get("time_us") and size < LARGE:
            found.append(Gap(system.name, collective, size, row["time_us"], point.time_us, "us"))
        else:
            bus = row["busbw_gb_per_s"]
            found.append(Gap(system.name, collective, size, bus, point.busbw_gb_per_s, "GB/s"))
    return found


def _gpus(row: dict[str, Any]) -> int:
    return int(row["gpus_per_node"]) * int(row.get("nodes", 4))


def _forced(row: dict[str, Any]) -> str:
    """The algorithm a reading was forced to; what a library picked by itself is left to pick."""
    notes = row.get("notes", "")
    marks = ("NVLS_ENABLE=0", "no NVLS", "NVLS off", "ALGO=Ring")
    return "ring" if any(mark in notes for mark in marks) else "auto"


def errors_of(gaps: list[Gap]) -> Errors:
    """The figures of the report."""
    large = [abs(g.relative) for g in gaps if g.size_bytes >= LARGE]
    every = [abs(math.log(g.modelled / g.measured)) for g in gaps]
    small = [abs(g.relative) for g in gaps if g.size_bytes == 8]
    return Errors(
        len(gaps),
        median(large) if large else None,
        max(large) if large else None,
        math.exp(sum(every) / len(every)) - 1 if every else None,
        median(small) if small else None,
    )


@contextmanager
def left_out(system: System) -> Iterator[tuple[Hardware, Libraries]]:
    """The model as it would be had this system never been measured."""
    hardware, libraries = _without(load_hardware(), system), _unfitted(load_libraries(), system)
    with (
        patch.object(case_module, "load_hardware", lambda: hardware),
        patch.object(case_module, "load_libraries", lambda: libraries),
    ):
        yield hardware, libraries


ROWS = (
    "scale_up_efficiency",
    "transport_efficiency",
    "nvls_efficiency",
    "all_to_all_efficiency",
    "nvls_below",
)
_PIPELINES = ("tree", "nvls", "nvls_tree")


def _without(hardware: Hardware, system: System) -> Hardware:
    """Without the calibration rows, and the single constants, that came from a system.

    A kind that keeps no row falls back on what the model takes for kinds it has no rows of.
    """
    update: dict[str, Any] = {
        name: tuple(r for r in getattr(hardware, name) if not _came_from(r.system, system))
        for name in ROWS
    }
    if "sharp" in system.fits:
        one = {"value": 1.0}
        update["nvls_beyond_one_node"] = hardware.nvls_beyond_one_node.model_copy(update=one)
    # Not model_copy: it would take along the efficiencies that were worked out from all rows.
    every = {name: getattr(hardware, name) for name in Hardware.model_fields}
    return Hardware.model_construct(**{**every, **update})


def _came_from(row: str, system: System) -> bool:
    return bool(system.constants) and row.startswith(system.constants)


def _unfitted(libraries: Libraries, system: System) -> Libraries:
    """Without the pipeline rows of a system."""
    nccl = libraries.libraries["nccl"]
    update: dict[str, Any] = {}
    for name in _PIPELINES:
        terms = getattr(nccl, name)
        kept = tuple(r for r in terms.pipeline.rows if not _came_from(r.system, system))
        pipeline = terms.pipeline.model_copy(update={"rows": kept})
        update[name] = terms.model_copy(update={"pipeline": pipeline})
    changed = {**libraries.libraries, "nccl": nccl.model_copy(update=update)}
    return libraries.model_copy(update={"libraries": changed})


def all_gaps() -> tuple[dict[str, list[Gap]], dict[str, list[Gap]]]:
    """Of every system: with all constants, and with those it gave left out."""
    fitted, unseen = {}, {}
    for system in SYSTEMS:
        fitted[system.name] = gaps_of(system)
        with left_out(system):
            unseen[system.name] = gaps_of(system)
    return fitted, unseen


def overall(gaps: dict[str, list[Gap]]) -> Errors:
    """All readings alike; the latency is the median of the systems'."""
    return errors_of([gap for found in gaps.values() for gap in found])


def _percent(value: float | None) -> str:
    return (
        "-" if value is None else f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"
    )


def _line(name: str, seen: Errors, unseen: Errors) -> str:
    cells = [
        name,
        str(seen.readings),
        *(
            f"{_percent(a)} / {_percent(b)}" if a is not None else "-"
            for a, b in (
                (seen.large_median, unseen.large_median),
                (seen.large_worst, unseen.large_worst),
                (seen.geometric, unseen.geometric),
                (seen.latency, unseen.latency),
            )
        ),
    ]
    return f"| {' | '.join(cells)} |"


def table(fitted: dict[str, list[Gap]], unseen: dict[str, list[Gap]]) -> str:
    """The table of the help page."""
    lines = [
        "| system | readings | median from 256 MB | worst from 256 MB | whole range | at 8 B |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(s, errors_of(fitted[s]), errors_of(unseen[s])) for s in fitted]
    lines.append(_line("**all**", overall(fitted), overall(unseen)))
    return "\n".join(lines)


def worst_gaps(gaps: dict[str, list[Gap]], count: int = 12) -> str:
    """The readings the model misses most, one line each."""
    every = [gap for found in gaps.values() for gap in found]
    every.sort(key=lambda g: -abs(math.log(g.modelled / g.measured)))
    lines = [
        "| system | collective | size | measured | modelled | off by |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {g.system} | {g.collective} | {_size(g.size_bytes)} | {g.measured:g} {g.unit} "
        f"| {g.modelled:.4g} {g.unit} | {100 * g.relative:+.0f} % |"
        for g in every[:count]
    ]
    return "\n".join(lines)


def _size(size: int) -> str:
    for unit, step in (("GB", 30), ("MB", 20), ("KB", 10)):
        if size >= 1 << step:
            return f"{size / (1 << step):g} {unit}"
    return f"{size} B"


def record(fitted: dict[str, list[Gap]], unseen: dict[str, list[Gap]]) -> dict[str, Any]:
    """The figures the test compares with."""

    def figures(errors: Errors) -> dict[str, float | int | None]:
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in (
                ("readings", errors.readings),
                ("large_median", errors.large_median),
                ("large_worst", errors.large_worst),
                ("geometric", errors.geometric),
                ("latency", errors.latency),
            )
        }

    return {
        "overall": {"fitted": figures(overall(fitted)), "left_out": figures(overall(unseen))},
        "systems": {
            name: {
                "fitted": figures(errors_of(fitted[name])),
                "left_out": figures(errors_of(unseen[name])),
            }
            for name in fitted
        },
    }


def main(write: bool) -> None:
    """Print the table; with ``write`` also write the page and the record."""
    fitted, unseen = all_gaps()
    print(table(fitted, unseen))  # noqa: T201
    print()  # noqa: T201
    print(worst_gaps(fitted, 30 if not write else 12))  # noqa: T201
    if write:
        from tests.accuracy.accuracy_page import page

        PAGE.write_text(page(fitted, unseen), encoding="utf-8")
        text = json.dumps(record(fitted, unseen), indent=1)
        RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main("--write" in sys.argv)
