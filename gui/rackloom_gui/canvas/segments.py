# SPDX-License-Identifier: Apache-2.0
"""Finds the cable segments in a rectangle without looking at all of them.

Orthogonal routes are kept twice sorted: the horizontal ones by their y, the vertical ones by their
x. A rectangle is then a slice of each and a comparison, which at 2 million segments takes well
under a millisecond when zoomed in; the same look-up answers what is under the pointer. Routes that
were changed since the last sort stand in a short list beside, and are compared one by one.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rackloom_gui.canvas.pointer import FloatArray

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
Segments = tuple[FloatArray, IntArray]
"""Rows of (x1, y1, x2, y2) in mm, and the leg each belongs to."""

_STRIDE = 16384
RECENT_MAX = 8192
"""So many changed segments are compared one by one; beyond that, sort again."""


def _none() -> Segments:
    return np.zeros((0, 4)), np.zeros(0, dtype=np.int32)


class _Sorted:
    """Segments along one axis: sorted by where they lie across it."""

    def __init__(self, across: Any, low: Any, high: Any, owner: Any) -> None:
        order = np.argsort(across, kind="stable")
        self.across = np.ascontiguousarray(across[order], dtype=np.float32)
        self.low = np.ascontiguousarray(low[order], dtype=np.float32)
        self.high = np.ascontiguousarray(high[order], dtype=np.float32)
        self.owner = np.ascontiguousarray(owner[order], dtype=np.int32)

    def within(self, a0: float, a1: float, l0: float, l1: float) -> Any:
        first = int(np.searchsorted(self.across, np.float32(a0), "left"))
        last = int(np.searchsorted(self.across, np.float32(a1), "right"))
        hit = (self.high[first:last] >= l0) & (self.low[first:last] <= l1)
        return np.flatnonzero(hit) + first

    def more_than(self, most: int, a0: float, a1: float, l0: float, l1: float) -> bool:
        """Whether a rectangle touches more than so many; looks no further than it must."""
        first = int(np.searchsorted(self.across, np.float32(a0), "left"))
        last = int(np.searchsorted(self.across, np.float32(a1), "right"))
        found = 0
        for start in range(first, last, _STRIDE):
            stop = min(start + _STRIDE, last)
            hit = (self.high[start:stop] >= l0) & (self.low[start:stop] <= l1)
            found += int(np.count_nonzero(hit))
            if found > most:
                return True
        return False


class SegmentIndex:
    """Axis-parallel segments of cable legs, with what changed since they were sorted."""

    def __init__(self) -> None:
        self._flat = _Sorted(*(np.zeros(0, dtype=np.float32),) * 4)
        self._upright = _Sorted(*(np.zeros(0, dtype=np.float32),) * 4)
        self._stale: BoolArray = np.zeros(0, dtype=np.bool_)
        self._recent: list[Segments] = []
        self._recent_count = 0

    def __len__(self) -> int:
        return len(self._flat.owner) + len(self._upright.owner) + self._recent_count

    def build(self, segments: FloatArray, owners: IntArray, legs: int) -> None:
        """Sort all segments; ``legs`` is the number of legs there are."""
        x1, y1, x2, y2 = (segments[:, k] for k in range(4))
        flat = (y1 == y2) & (x1 != x2)
        upright = (x1 == x2) & (y1 != y2)
        left, right = np.minimum(x1, x2), np.maximum(x1, x2)
        top, bottom = np.minimum(y1, y2), np.maximum(y1, y2)
        self._flat = _Sorted(y1[flat], left[flat], right[flat], owners[flat])
        self._upright = _Sorted(x1[upright], top[upright], bottom[upright], owners[upright])
        self._stale = np.zeros(legs, dtype=np.bool_)
        self._recent = []
        self._recent_count = 0

    def forget(self, legs: IntArray, count: int) -> None:
        """These legs' sorted segments are no longer true; ``count`` legs exist now."""
        if count > len(self._stale):
            grown = np.zeros(count, dtype=np.bool_)
            grown[: len(self._stale)] = self._stale
            self._stale = grown
        self._stale[legs] = True
        kept = []
        for segments, owners in self._recent:
            keep = ~np.isin(owners, legs)
            if keep.all():
                kept.append((segments, owners))
            elif keep.any():
                kept.append((segments[keep], owners[keep]))
        self._recent = kept
        self._recent_count = sum(len(owners) for _, owners in kept)

    def add(self, segments: FloatArray, owners: IntArray) -> None:
        """New segments of legs that were forgotten before or are new."""
        real = (segments[:, 0] != segments[:, 2]) | (segments[:, 1] != segments[:, 3])
        if real.any():
            self._recent.append((segments[real], owners[real]))
            self._recent_count += int(real.sum())

    @property
    def wants_sorting(self) -> bool:
        """Whether so much changed that sorting again pays."""
        return self._recent_count > RECENT_MAX

    def crowded(self, most: int, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether certainly more than ``most`` segments touch a rectangle; cheap to ask."""
        stale = int(np.count_nonzero(self._stale)) * 9  # segments of one leg, at most
        return self._flat.more_than(most + stale, y0, y1, x0, x1) or self._upright.more_than(
            most + stale, x0, x1, y0, y1
        )

    def within(self, x0: float, y0: float, x1: float, y1: float) -> Segments:
        """The segments that touch a rectangle."""
        parts: list[Segments] = []
        rows = self._flat.within(y0, y1, x0, x1)
        rows = rows[~self._stale[self._flat.owner[rows]]] if len(rows) else rows
        if len(rows):
            kept = self._flat
            y = kept.across[rows]
            parts.append((_stack(kept.low[rows], y, kept.high[rows], y), kept.owner[rows]))
        rows = self._upright.within(x0, x1, y0, y1)
        rows = rows[~self._stale[self._upright.owner[rows]]] if len(rows) else rows
        if len(rows):
            kept = self._upright
            x = kept.across[rows]
            parts.append((_stack(x, kept.low[rows], x, kept.high[rows]), kept.owner[rows]))
        parts += [
            p for p in (_touching(s, o, x0, y0, x1, y1) for s, o in self._recent) if len(p[1])
        ]
        return _joined(parts)


class LineIndex:
    """Segments of any direction (the fabric view's): compared with the rectangle one by one."""

    def __init__(self) -> None:
        self._segments, self._owners = _none()

    def __len__(self) -> int:
        return len(self._owners)

    def build(self, segments: FloatArray, owners: IntArray, legs: int) -> None:
        """Take all segments; ``legs`` is the number of legs there are."""
        del legs
        self._segments = np.ascontiguousarray(segments, dtype=np.float64)
        self._owners = owners.astype(np.int32)

    def forget(self, legs: IntArray, count: int) -> None:
        """These legs' segments are no longer true."""
        del count
        keep = ~np.isin(self._owners, legs)
        self._segments, self._owners = self._segments[keep], self._owners[keep]

    def add(self, segments: FloatArray, owners: IntArray) -> None:
        """New segments."""
        self._segments = np.concatenate([self._segments, segments])
        self._owners = np.concatenate([self._owners, owners.astype(np.int32)])

    @property
    def wants_sorting(self) -> bool:
        """Never: nothing is sorted."""
        return False

    def crowded(self, most: int, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Never certain: asking costs as much as looking."""
        del most, x0, y0, x1, y1
        return False

    def within(self, x0: float, y0: float, x1: float, y1: float) -> Segments:
        """The segments whose bounding box touches a rectangle."""
        return _touching(self._segments, self._owners, x0, y0, x1, y1)


def _stack(a: Any, b: Any, c: Any, d: Any) -> FloatArray:
    out = np.empty((len(a), 4))
    out[:, 0], out[:, 1], out[:, 2], out[:, 3] = a, b, c, d
    return out


def _touching(
    segments: FloatArray, owners: IntArray, x0: float, y0: float, x1: float, y1: float
) -> Segments:
    hit = (
        (np.maximum(segments[:, 0], segments[:, 2]) >= x0)
        & (np.minimum(segments[:, 0], segments[:, 2]) <= x1)
        & (np.maximum(segments[:, 1], segments[:, 3]) >= y0)
        & (np.minimum(segments[:, 1], segments[:, 3]) <= y1)
    )
    return segments[hit], owners[hit]


def _joined(parts: list[Segments]) -> Segments:
    if not parts:
        return _none()
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([s for s, _ in parts]), np.concatenate([o for _, o in parts])


def distance(segments: FloatArray, x: float, y: float) -> FloatArray:
    """Distance in mm of a place from each segment."""
    ax, ay = segments[:, 0], segments[:, 1]
    dx, dy = segments[:, 2] - ax, segments[:, 3] - ay
    length2 = dx * dx + dy * dy
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(length2 > 0, ((x - ax) * dx + (y - ay) * dy) / length2, 0.0)
    t = np.clip(t, 0.0, 1.0)
    away: FloatArray = np.hypot(ax + t * dx - x, ay + t * dy - y)
    return away
