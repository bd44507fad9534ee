# SPDX-License-Identifier: Apache-2.0
"""Faceplates and number strips as pixmaps at the scale in force, the least used ones dropped.

A frame may render new pixmaps for a few milliseconds only; while zooming, the rest is drawn from
pixmaps of another scale, and ``incomplete`` asks for one more frame once the view rests.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import perf_counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from rackloom_gui.canvas.pencil import Pencil

MAX_SPRITE_PX = 1024
MAX_STRIP_PX = 6000
KEPT = 60
FRAME_BUDGET_S = 0.012


class Sprites:
    """Pixmaps by what they show and their scale in device pixels per millimetre."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Hashable, float], QPixmap] = OrderedDict()
        self._latest: dict[Hashable, float] = {}
        self._spent_s = 0.0
        self.incomplete = False

    def clear(self) -> None:
        """Forget all: the theme changed."""
        self._kept.clear()
        self._latest.clear()

    def begin_frame(self) -> None:
        """A new frame has its own budget."""
        self._spent_s = 0.0
        self.incomplete = False

    def get(
        self,
        key: Hashable,
        size_mm: tuple[float, float],
        scale: float,
        ratio: float,
        paint: Callable[[Pencil], None],
        longest_px: int = MAX_SPRITE_PX,
        *,
        opaque: bool = False,
    ) -> tuple[QPixmap, float] | None:
        """The pixmap, and the factor from its pixels to logical ones; None if it would be large.

        ``opaque``: ``paint`` covers all of it, so that it can be copied instead of blended.
        """
        device_scale = scale * ratio
        width, height = (max(1, round(mm * device_scale)) for mm in size_mm)
        if max(width, height) > longest_px * max(ratio, 1.0):
            return None
        full = (key, device_scale)
        found = self._kept.get(full)
        if found is not None:
            self._kept.move_to_end(full)
            return found, 1.0 / ratio
        other = self._latest.get(key)
        if self._spent_s > FRAME_BUDGET_S and other is not None:
            stand_in = self._kept.get((key, other))
            if stand_in is not None and 0.4 < device_scale / other < 2.5:
                self.incomplete = True
                return stand_in, device_scale / other / ratio
        start = perf_counter()
        pixmap = QPixmap(width, height)
        pixmap.fill(Qt.GlobalColor.black if opaque else Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint(Pencil(painter, device_scale))
        painter.end()
        self._spent_s += perf_counter() - start
        self._kept[full] = pixmap
        self._latest[key] = device_scale
        while len(self._kept) > KEPT:
            (old_key, old_scale), _ = self._kept.popitem(last=False)
            if self._latest.get(old_key) == old_scale:
                del self._latest[old_key]
        return pixmap, 1.0 / ratio

    def __len__(self) -> int:
        return len(self._kept)


def nearly(a: float, b: float) -> bool:
    """Whether two scales are the same but for rounding."""
    return math.isclose(a, b, rel_tol=1e-9)
