# SPDX-License-Identifier: Apache-2.0
"""How nccl-tests counts: sizes, algorithm bandwidth, bus bandwidth (NVIDIA/nccl-tests 2.19.6,
doc/PERFORMANCE.md). 1 GB is 1e9 bytes; K, M and G in a size are powers of 1024.
"""

from __future__ import annotations

import re
from enum import StrEnum

from rackloom.collectives.errors import EstimateError

DEFAULT_SIZES = "8:16G:2"
MAX_SIZES = 1000
MAX_BYTES = 1 << 62

_SUFFIX = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_MOST_DIGITS = 30
"""Longer numbers are refused unread: Python refuses to convert some thousands of digits."""
_SIZE = re.compile(rf"(\d{{1,{_MOST_DIGITS}}})([KMGT]?)(?:I?B)?", re.IGNORECASE)


class Collective(StrEnum):
    """What the GPUs do together."""

    ALL_REDUCE = "all-reduce"
    ALL_GATHER = "all-gather"
    REDUCE_SCATTER = "reduce-scatter"
    BROADCAST = "broadcast"
    REDUCE = "reduce"
    ALL_TO_ALL = "all-to-all"
    SEND_RECEIVE = "send-receive"


_OTHER_NAMES = {
    "allreduce": Collective.ALL_REDUCE,
    "allgather": Collective.ALL_GATHER,
    "reducescatter": Collective.REDUCE_SCATTER,
    "broadcast": Collective.BROADCAST,
    "reduce": Collective.REDUCE,
    "alltoall": Collective.ALL_TO_ALL,
    "sendrecv": Collective.SEND_RECEIVE,
    "sendreceive": Collective.SEND_RECEIVE,
}


def parse_collective(name: str) -> Collective:
    """A collective by our name or by that of its test (``all_reduce``, ``alltoall_perf``)."""
    plain = name.strip().lower().removesuffix("_perf").replace("-", "").replace("_", "")
    found = _OTHER_NAMES.get(plain)
    if found is None:
        known = ", ".join(Collective)
        raise EstimateError(f"no collective is called {name!r}; there are {known}")
    return found


def busbw_factor(collective: Collective, ranks: int) -> float:
    """What algorithm bandwidth is multiplied with to give bus bandwidth."""
    match collective:
        case Collective.ALL_REDUCE:
            return 2 * (ranks - 1) / ranks
        case Collective.ALL_GATHER | Collective.REDUCE_SCATTER | Collective.ALL_TO_ALL:
            return (ranks - 1) / ranks
        case _:
            return 1.0


def parse_size(text: str) -> int:
    """Bytes of ``8``, ``64K``, ``16G``."""
    match = _SIZE.fullmatch(text.strip())
    size = int(match[1]) * _SUFFIX[match[2].upper()] if match else -1
    if not 0 <= size <= MAX_BYTES:
        raise EstimateError(
            f"{text.strip()[:40]!r} is not a message size: give bytes, with K, M or G for powers "
            "of 1024 (64K, 16G)"
        )
    return size


def whole_size(size: object) -> int:
    """Bytes of a number or a text; EstimateError for what is not a whole number in bounds."""
    if isinstance(size, str):
        return parse_size(size)
    try:
        whole = int(size)  # type: ignore[call-overload]
        if whole == size and 0 <= whole <= MAX_BYTES:
            return int(whole)
    except (TypeError, ValueError, OverflowError):  # no number, NaN, infinity
        pass
    raise EstimateError(f"{str(size)[:40]} is not a message size: give 0 to {MAX_BYTES} bytes")


def parse_sizes(text: str = DEFAULT_SIZES) -> tuple[int, ...]:
    """Sizes as nccl-tests steps through them: ``start:stop:factor`` (``8:16G:2``).

    The factor is 2 where left out; ``+`` before it makes it a step in bytes (``1M:8M:+1M``). Single
    sizes and lists with commas are taken as they are.
    """
    sizes: list[int] = []
    for piece in text.split(","):
        sizes.extend(_range(piece) if ":" in piece else [parse_size(piece)])
        if len(sizes) > MAX_SIZES:
            break
    if len(sizes) > MAX_SIZES:
        raise EstimateError(
            f"{text[:40]!r} makes more than {MAX_SIZES} sizes: take a greater factor"
        )
    return tuple(sizes)


def _range(piece: str) -> list[int]:
    parts = piece.split(":")
    if len(parts) > 3:
        raise EstimateError(f"{piece[:40]!r} is not start:stop:factor, as in {DEFAULT_SIZES}")
    size, stop = parse_size(parts[0]), parse_size(parts[1])
    rule = parts[2].strip() if len(parts) == 3 else "2"
    step = parse_size(rule[1:]) if rule.startswith("+") else 0
    factor = int(rule) if not step and rule.isdecimal() and len(rule) <= _MOST_DIGITS else 0
    if size > stop or (step == 0 and (factor < 2 or size == 0)):
        raise EstimateError(
            f"{piece[:40]!r} does not lead from a size up to a greater one: write "
            f"start:stop:factor with a factor of 2 or more, as in {DEFAULT_SIZES}"
        )
    sizes: list[int] = []
    while size <= stop and len(sizes) <= MAX_SIZES:
        sizes.append(size)
        size = size + step if step else size * factor
    return sizes
