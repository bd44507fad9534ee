# SPDX-License-Identifier: Apache-2.0
"""Logs of nccl-tests and rccl-tests: the table of each run as points.

The columns are taken from the table's own heading (NVIDIA/nccl-tests, src/common.cu and
src/util.cu; versions 2.0 to 2.20), so older and newer versions read alike, with cputime, statistics
of iterations and timestamps too. A row is found by how it begins (size, count, type), so whatever
launchers and log collectors put before a line does not matter. What ``-J`` and rccl-tests write as
JSON is read as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from rackloom.collectives import EstimateError, parse_collective
from rackloom.collectives.conventions import Collective, busbw_factor

_GLUED = re.compile(r"^\s*(?:\[[^\]]*\](?:<\w+>)?:?|[\w.@-]+:)(?=\d)")
"""What launchers put before a line without a blank: ``[1,0]<stdout>:8``, ``0:8``."""
_TEST = re.compile(r"\b([a-z]+(?:_[a-z]+)*)_perf(?:_mpi)?\b")
_RANK = re.compile(r"#\s*Rank\s+(\d{1,9})\b(?:\s+Group\s+(\d{1,9})\b)?")
_TIMES = ("time", "algbw", "busbw", "#wrong")
_PLAIN = ("size", "count", "type", "redop", "root", *_TIMES * 2)
"""The columns of a table that came without its heading."""
_TYPE_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "int32": 4, "uint32": 4, "int": 4, "int64": 8, "uint64": 8,
    "half": 2, "float": 4, "double": 8, "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1,
    "fp8_e5m2": 1,
}  # fmt: skip
_TYPES = frozenset(_TYPE_BYTES)
_MOST_CHARACTERS = 64 << 20
_TIMES_US = (1e-3, 1e15)
"""No collective takes less than a nanosecond, and none thirty years."""
_MOST_DIGITS = 19
_LARGE_GB_PER_S = 10
"""From here on bus over algorithm bandwidth tells the number of ranks, printed with two digits."""


class NcclLogError(ValueError):
    """A log that holds no table; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One line of a table, in the units of :class:`rackloom.collectives.Point`.

    In-place columns, where the test has such a run (the first out-of-place lines carry warm-up
    spikes).
    """

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One table."""

    collective: Collective | None
    """None where neither the log nor its columns tell which test it was."""
    ranks: int | None
    points: tuple[MeasuredPoint, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table with what tells one test from another."""

    point: MeasuredPoint
    per_rank: int
    """How many times the count goes into the size: the ranks, where each has a part of it."""
    reduces: bool | None
    rooted: bool
    in_place: bool | None
    """Whether the test has a run in place; None where the line does not tell."""


def decoded(data: bytes) -> str:
    """The text of a log file: UTF-8, or UTF-16 as Windows shells write what they redirect."""
    utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if utf_16 else "utf-8", errors="replace")


def read_nccl_log(text: str) -> tuple[MeasuredRun, ...]:
    """All tables of a log. NcclLogError where there is none."""
    if len(text) > _MOST_CHARACTERS:
        raise NcclLogError("the log is larger than 64 MB: cut it down to the table")
    if text.lstrip()[:1] in {"{", "["}:
        from rackloom.interop.nccl_json import read_json

        runs = read_json(text)
        if runs:
            return runs
    reader = _Reader()
    for line in text.splitlines():
        reader.line(line)
    runs = reader.done()
    if not runs:
        raise NcclLogError(
            "no table of nccl-tests is in there: give what all_reduce_perf or its like printed"
        )
    return runs


def named_test(text: str) -> tuple[bool, Collective | None]:
    """Whether a test is named in a line, and its collective (None: of a kind not modelled)."""
    names = [match[1] for match in _TEST.finditer(text)]
    for name in names:
        try:
            return True, parse_collective(name)
        except EstimateError:  # a folder, or a test of something else (hypercube, gather)
            continue
    return bool(names), None


class _Reader:
    def __init__(self) -> None:
        self._runs: list[MeasuredRun] = []
        self._start()

    def _start(self) -> None:
        self._named = False
        self._collective: Collective | None = None
        self._ranks: Counter[tuple[int, int]] = Counter()
        self._columns: tuple[str, ...] | None = None
        self._rows: dict[int, Row] = {}

    def line(self, raw: str) -> None:
        if "#" in raw or "_perf" in raw:
            self._comment(raw[max(raw.find("#"), 0) :] if "#" in raw else raw)
            return
        words = raw.split()
        if _TYPES.isdisjoint(words):  # quickly past the other lines of a long log
            return
        row = self._row(words)
        if row is None and (glued := _GLUED.match(raw)) is not None:
            row = self._row(raw[glued.end() :].split())
        if row is not None:
            self._rows[row.point.size_bytes] = row

    def _comment(self, line: str) -> None:
        words = line.replace("#wrong", "wrong").replace("#", " ").split()
        rank = _RANK.search(line)
        named, collective = named_test(line)
        if named and "concluded" in line:
            self._finish()
            return
        if self._rows and (rank or (named and ("start" in line or collective != self._collective))):
            self._finish()
        if named:
            self._named, self._collective = True, collective
        if rank:
            self._ranks[int(rank[2] or 0), int(rank[1])] += 1
        if words[:2] in (["size", "count"], ["bytes", "N"]):
            if self._rows:
                self._finish()
            self._columns = ("size", "count", *map(_column, words[2:]))

    def _row(self, words: list[str]) -> Row | None:
        for first in range(len(words) - 6):
            size, count, kind = words[first : first + 3]
            if kind in _TYPE_BYTES and _whole(size) and _whole(count):
                return self._read(words[first:])
        return None

    def _read(self, words: list[str]) -> Row | None:
        columns = self._columns
        if columns is None:  # without a heading: older tables have no root
            rooted = len(words) > 4 and words[4].lstrip("-").isdecimal()
            columns = _PLAIN if rooted else tuple(c for c in _PLAIN if c != "root")
        size, count = int(words[0]), int(words[1])
        runs = [
            (_point(size, words[at : at + 3]), words[at + 3 : at + 4])
            for at in range(3, len(columns) - 2)
            if columns[at : at + 3] == _TIMES[:3]
        ]
        if not runs:
            return None
        # "N/A" as wrong elements of the second run alone: the test has no in-place run, and what
        # older versions print of it is of no use
        unchecked = [wrong == ["N/A"] for _, wrong in runs]
        void = len(runs) > 1 and (runs[1][0] is None or unchecked == [False, True])
        point = runs[0][0] if void or len(runs) == 1 else runs[1][0]
        if point is None:
            return None
        given = dict(zip(columns, words, strict=False))
        redop = given.get("redop", given.get("op"))
        root = given.get("root", "-1")
        return Row(
            point,
            per_rank=_parts(size, count, words[2]),
            reduces=None if redop is None else redop != "none",
            rooted=not root.startswith("-"),
            in_place=False if void else None if all(unchecked) else True,
        )

    def _finish(self) -> None:
        if self._rows:
            rows = [self._rows[size] for size in sorted(self._rows)]
            group = min(self._ranks, default=(0, 0))[0]
            listed = [(rank, times) for (g, rank), times in self._ranks.items() if g == group]
            if len(listed) == 1 and listed[0][1] > 1:
                raise NcclLogError(
                    f"all {listed[0][1]} processes call themselves rank 0, so each ran alone: "
                    "build nccl-tests with MPI=1"
                )
            collective = self._collective if self._named else collective_of(rows)
            self._runs.append(make_run(collective, len(listed) or None, rows))
        self._start()

    def done(self) -> tuple[MeasuredRun, ...]:
        self._finish()
        return tuple(self._runs)


def make_run(collective: Collective | None, ranks: int | None, rows: list[Row]) -> MeasuredRun:
    """A run of rows; the ranks from size and count or the bandwidths where no list has them."""
    points = tuple(row.point for row in rows)
    parts = {row.per_rank for row in rows if row.point.size_bytes}
    if ranks is None and collective is not None and len(parts) == 1 and min(parts) > 1:
        ranks = min(parts)  # each rank has a part of the size
    return MeasuredRun(collective, ranks or _ranks_by_factor(collective, points), points)


def collective_of(rows: list[Row]) -> Collective | None:
    """Which test a table is of, by its columns: older versions do not print its name."""
    row = max(rows, key=lambda r: (r.point.algbw_gb_per_s, r.point.size_bytes))
    algbw, busbw = row.point.algbw_gb_per_s, row.point.busbw_gb_per_s
    if row.per_rank == 1:
        if row.reduces is True:
            return Collective.REDUCE if row.rooted else Collective.ALL_REDUCE
        if row.reduces is False:
            return Collective.BROADCAST if row.rooted else Collective.SEND_RECEIVE
        return None
    factor = busbw_factor(Collective.ALL_GATHER, max(row.per_rank, 1))
    sliced = row.per_rank > 1 and abs(busbw - algbw * factor) <= 0.01 * (1 + algbw)
    if not sliced or row.rooted:  # gather and scatter have a root
        return None
    if row.reduces:
        return Collective.REDUCE_SCATTER
    if row.in_place is None:
        return None
    return Collective.ALL_GATHER if row.in_place else Collective.ALL_TO_ALL


def _column(word: str) -> str:
    """The newest name of a column."""
    return {"wrong": "#wrong", "error": "#wrong", "res": "#wrong", "cputime": "time"}.get(
        word, word
    )


def _whole(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS


def _parts(size: int, count: int, kind: str) -> int:
    """How many buffers of ``count`` elements make up the size; 0 where that is no whole number."""
    each = count * _TYPE_BYTES.get(kind, 0)
    return size // each if each and size % each == 0 else 0


def _point(size: int, words: list[str]) -> MeasuredPoint | None:
    try:
        time_us, algbw, busbw = (float(w) for w in words)
    except ValueError:  # N/A: the test has no such run
        return None
    return checked_point(size, time_us, algbw, busbw)


def checked_point(size: int, time_us: float, algbw: float, busbw: float) -> MeasuredPoint | None:
    """A point, unless the figures are none."""
    shortest, longest = _TIMES_US
    measured = all(math.isfinite(x) and x >= 0 for x in (time_us, algbw, busbw))
    if measured and shortest <= time_us <= longest:
        return MeasuredPoint(size, time_us, algbw, busbw)
    return None


def _ranks_by_factor(
    collective: Collective | None, points: tuple[MeasuredPoint, ...]
) -> int | None:
    """How many ranks bus over algorithm bandwidth tells of, where it tells them apart."""
    best = max(points, key=lambda p: p.algbw_gb_per_s)
    if collective is None or best.algbw_gb_per_s < _LARGE_GB_PER_S:
        return None
    ratio = best.busbw_gb_per_s / best.algbw_gb_per_s
    fits = [
        n
        for n in range(2, 129)
        if abs(busbw_factor(collective, n) - ratio) <= 0.011 / best.algbw_gb_per_s * (1 + ratio)
    ]
    return fits[0] if len(fits) == 1 else None
