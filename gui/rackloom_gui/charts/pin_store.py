# SPDX-License-Identifier: Apache-2.0
"""Pinned curves on the disk: one small file a project, in the folder of the program's state.

They are the user's notes on a project, not part of it: keeping one does not change the project
file. What cannot be read is taken for none.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from rackloom.files import FileError
from rackloom.files.atomic import write_atomically
from rackloom.files.state import journal_folder
from rackloom_gui.charts.shown import KeptCurve, KeptPoint, Pin

_SCHEMA = 1
MOST_PINS = 24
"""Curves that are kept for one project at most, the latest."""
_MOST_BYTES = 4 << 20
_MOST_POINTS = 200


def store_of(project: Path) -> Path:
    """The file that holds the curves of a project."""
    name = sha256(str(project.resolve()).encode()).hexdigest()[:32]
    return journal_folder().parent / "curves" / f"{name}.json"


def read_pins(project: Path) -> list[Pin]:
    """The curves that were kept for a project, in the order they were kept."""
    path = store_of(project)
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        if path.stat().st_size > _MOST_BYTES:
            return []
        found = json.loads(path.read_text("utf-8"))
        if found["schema"] != _SCHEMA:
            return []
        return [_pin(entry, project) for entry in found["curves"][-MOST_PINS:]]
    return []


def _pin(entry: dict[str, Any], project: Path) -> Pin:
    points = tuple(
        KeptPoint(int(size), *(_number(value) for value in (time, algbw, busbw)))
        for size, time, algbw, busbw in entry["points"][:_MOST_POINTS]
    )
    if not points or not isinstance(entry["name"], str):
        raise ValueError("a curve has a name and points")
    return Pin(entry["name"][:60], KeptCurve(points), int(entry["colour"]), home=project)


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError("a curve's numbers are finite")
    return number


def write_pins(project: Path, pins: Sequence[Pin]) -> None:
    """Keep these curves for a project, and none other. Raises FileError where that fails."""
    path = store_of(project)
    try:
        if not pins:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    curves = [
        {
            "name": pin.name,
            "colour": pin.colour,
            "points": [
                [p.size_bytes, p.time_us, p.algbw_gb_per_s, p.busbw_gb_per_s]
                for p in pin.estimate.points
            ],
        }
        for pin in pins[-MOST_PINS:]
    ]
    document = {"schema": _SCHEMA, "project": str(project), "curves": curves}
    write_atomically(path, [json.dumps(document, indent=1).encode()])
