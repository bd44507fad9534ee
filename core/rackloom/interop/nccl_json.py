# SPDX-License-Identifier: Apache-2.0
"""What nccl-tests (``-J``, src/util.cu, file versions 1 and 2) and rccl-tests write as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from rackloom.collectives import EstimateError, parse_collective
from rackloom.collectives.conventions import Collective
from rackloom.interop.nccl_log import (
    MeasuredRun,
    NcclLogError,
    Row,
    checked_point,
    collective_of,
    make_run,
    named_test,
)

_TYPE_BYTES = {"int8": 1, "uint8": 1, "half": 2, "bfloat16": 2, "float": 4, "int32": 4, "double": 8}


def read_json(text: str) -> tuple[MeasuredRun, ...]:
    """The runs of a JSON document; none where it is of another kind or no JSON at all."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        return _nccl_tests(document)
    if isinstance(document, list):
        return _rccl_tests(document)
    return ()


def _nccl_tests(document: Mapping[str, Any]) -> tuple[MeasuredRun, ...]:
    rows = [row for item in document["results"] if (row := _row(item)) is not None]
    if not rows:
        return ()
    arguments = document.get("args")
    program = arguments[0] if isinstance(arguments, list) and arguments else ""
    named, collective = named_test(str(program))
    config = document.get("config")
    devices = config.get("devices") if isinstance(config, dict) else None
    listed = devices if isinstance(devices, list) else []
    ranks = {d.get("rank") for d in listed if isinstance(d, dict)}
    if len(ranks) == 1 and len(listed) > 1:
        raise NcclLogError("each process ran alone as rank 0: build nccl-tests with MPI=1")
    rows.sort(key=lambda row: row.point.size_bytes)
    # without MPI the file lists the first device alone
    known = len(ranks) if len(ranks) > 1 else None
    return (make_run(collective if named else collective_of(rows), known, rows),)


def _row(item: object) -> Row | None:
    if not isinstance(item, dict):
        return None
    size, count = _number(item.get("size")), _number(item.get("count"))
    found = {}
    for place in ("out_of_place", "in_place"):
        body = item.get(place)
        if size is None or not isinstance(body, dict):
            continue
        figures = [_number(body.get(k)) for k in ("alg_bw", "bus_bw")]
        time_us = _number(body.get("time", body.get("cpu_time")))
        if time_us is None or figures[0] is None or figures[1] is None:
            continue
        point = checked_point(int(size), time_us, figures[0], figures[1])
        if point is not None:
            found[place] = (point, body.get("nwrong") is None)
    if not found or size is None:
        return None
    outside, inside = found.get("out_of_place"), found.get("in_place")
    void = inside is None or (outside is not None and inside[1] and not outside[1])
    chosen = outside if void and outside is not None else inside
    assert chosen is not None
    unchecked = all(pair[1] for pair in found.values())
    each = int(count or 0) * _TYPE_BYTES.get(str(item.get("type")), 0)
    redop = item.get("redop")
    return Row(
        chosen[0],
        per_rank=int(size) // each if each and int(size) % each == 0 else 0,
        reduces=None if redop is None else redop != "none",
        rooted=not str(item.get("root", "-1")).strip().startswith("-"),
        in_place=False if void else None if unchecked else True,
    )


def _rccl_tests(records: Iterable[object]) -> tuple[MeasuredRun, ...]:
    """A record for each size and place: ``name``, ``size``, ``inPlace``, ``time``, ``busBw``."""
    runs: dict[tuple[Collective | None, int | None], dict[int, tuple[bool, Row]]] = {}
    for record in records:
        if not isinstance(record, dict):
            continue
        numbers = [_number(record.get(k)) for k in ("size", "time", "algBw", "busBw")]
        if any(n is None for n in numbers):
            continue
        size, time_us, algbw, busbw = (float(n) for n in numbers if n is not None)
        point = checked_point(int(size), time_us, algbw, busbw)
        if point is None:
            continue
        try:
            collective = parse_collective(str(record.get("name", "")))
        except EstimateError:
            collective = None
        ranks = _number(record.get("ranks"))
        key = (collective, int(ranks) if ranks is not None and ranks > 1 else None)
        inside = bool(_number(record.get("inPlace")))
        rows = runs.setdefault(key, {})
        if inside or int(size) not in rows:
            rows[int(size)] = (inside, Row(point, 0, None, False, None))
    return tuple(
        make_run(collective, ranks, [rows[size][1] for size in sorted(rows)])
        for (collective, ranks), rows in runs.items()
    )


def _number(value: object) -> float | None:
    """A number, also one written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
