# SPDX-License-Identifier: Apache-2.0
"""Logs of nccl-tests and rccl-tests: the table of each run as points.

The columns are taken from the table's own heading (NVIDIA/nccl-tests, src/common.cu), so older and
newer versions read alike; what launchers put before each line (``[1,0]<stdout>:``, ``0: ``) is
dropped.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rackloom.collectives import EstimateError, parse_collective
from rackloom.collectives.conventions import Collective, busbw_factor

_PREFIX = re.compile(r"^\s*(?:\[[^\]]*\](?:<\w+>)?:?|\d+:|\S+\.\S+:(?=\s))\s?")
_TEST = re.compile(r"\b(\w+)_perf\b")
_RANK = re.compile(r"#\s*Rank\s+(\d+)\b")
_PLAIN = ("size", "count", "type", "redop", "root", *("time", "algbw", "busbw", "#wrong") * 2)
_MOST_CHARACTERS = 64 << 20


class NcclLogError(ValueError):
    """A log that holds no table; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One line of a table, in the units of :class:`rackloom.collectives.Point`.

    In-place columns, where the log has them (the first out-of-place lines carry warm-up spikes).
    """

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One table."""

    collective: Collective | None
    """None where the log does not name its test."""
    ranks: int | None
    points: tuple[MeasuredPoint, ...]


def read_nccl_log(text: str) -> tuple[MeasuredRun, ...]:
    """All tables of a log. NcclLogError where there is none."""
    if len(text) > _MOST_CHARACTERS:
        raise NcclLogError("the log is larger than 64 MB: cut it down to the table")
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    runs = reader.done()
    if not runs:
        raise NcclLogError(
            "no table of nccl-tests is in there: give what all_reduce_perf or its like printed"
        )
    return runs


class _Reader:
    def __init__(self) -> None:
        self._runs: list[MeasuredRun] = []
        self._start()

    def _start(self) -> None:
        self._collective: Collective | None = None
        self._ranks: set[int] = set()
        self._columns: tuple[str, ...] = _PLAIN
        self._points: dict[int, MeasuredPoint] = {}

    def line(self, raw: str) -> None:
        line = raw if raw.lstrip().startswith("#") else _PREFIX.sub("", raw, count=1)
        if line.lstrip().startswith("#") or "_perf" in line:
            self._comment(line)
            return
        point = self._point(line.split())
        if point is not None:
            self._points[point.size_bytes] = point

    def _comment(self, line: str) -> None:
        words = line.replace("#wrong", "wrong").replace("#", " ").split()
        test, rank = _TEST.search(line), _RANK.search(line)
        if (test or rank) and self._points:
            self._finish()
        if test:
            try:
                self._collective = parse_collective(test[1])
            except EstimateError:  # a test of something else (hypercube, gather)
                self._collective = None
        if rank:
            self._ranks.add(int(rank[1]))
        if words[:2] == ["size", "count"]:
            if self._points:
                self._finish()
            self._columns = tuple("#wrong" if w in {"wrong", "error"} else w for w in words)

    def _point(self, words: list[str]) -> MeasuredPoint | None:
        if len(words) != len(self._columns) or not words[0].isdecimal():
            return None
        at = [n for n, name in enumerate(self._columns) if name == "time"]
        for first in reversed(at):
            names = self._columns[first : first + 3]
            if names != ("time", "algbw", "busbw"):
                continue
            try:
                time_us, algbw, busbw = (float(w) for w in words[first : first + 3])
            except ValueError:  # N/A: the test has no in-place run
                continue
            if all(math.isfinite(x) and x >= 0 for x in (time_us, algbw, busbw)) and time_us > 0:
                return MeasuredPoint(int(words[0]), time_us, algbw, busbw)
        return None

    def _finish(self) -> None:
        if self._points:
            points = tuple(self._points[size] for size in sorted(self._points))
            ranks = len(self._ranks) or _ranks_by_factor(self._collective, points)
            self._runs.append(MeasuredRun(self._collective, ranks, points))
        self._start()

    def done(self) -> tuple[MeasuredRun, ...]:
        self._finish()
        return tuple(self._runs)


def _ranks_by_factor(
    collective: Collective | None, points: tuple[MeasuredPoint, ...]
) -> int | None:
    """How many ranks bus over algorithm bandwidth tells of, where it tells them apart."""
    best = max(points, key=lambda p: p.algbw_gb_per_s)
    if collective is None or best.algbw_gb_per_s < 10:
        return None
    ratio = best.busbw_gb_per_s / best.algbw_gb_per_s
    fits = [
        n
        for n in range(2, 129)
        if abs(busbw_factor(collective, n) - ratio) <= 0.011 / best.algbw_gb_per_s * (1 + ratio)
    ]
    return fits[0] if len(fits) == 1 else None
