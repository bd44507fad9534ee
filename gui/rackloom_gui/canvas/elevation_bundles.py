# SPDX-License-Identifier: Apache-2.0
"""Cables of the elevation drawn together: risers in the racks, runs in the trays, rows' ends."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rackloom.placement.elevation import TRAY_MM
from rackloom_gui.canvas.colours import FABRICS
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.layouts import Bundles
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.scene_reader import SceneReader

if TYPE_CHECKING:
    from rackloom_gui.canvas.elevation_layout import ElevationLayout

WIDEST_MM = 110.0
WIDEST_INSIDE_MM = 34.0
"""Inside a rack, where its manager has the room."""


def bundle_width(counts: FloatArray) -> FloatArray:
    """Drawn thickness in mm: a bundle's cross-section grows with the cables in it."""
    width: FloatArray = np.minimum(5.0 * np.sqrt(np.maximum(counts, 1.0)), WIDEST_MM)
    return width


class _Collector:
    """Boxes with the number of cables of each network in them."""

    def __init__(self) -> None:
        self.boxes: list[FloatArray] = []
        self.votes: list[FloatArray] = []

    def add(self, boxes: FloatArray, votes: FloatArray) -> None:
        some = votes.sum(axis=1) > 0
        self.boxes.append(boxes[some])
        self.votes.append(votes[some])

    def result(self) -> Bundles:
        if not self.boxes:
            return Bundles()
        votes = np.concatenate(self.votes)
        return Bundles(
            np.concatenate(self.boxes),
            np.zeros((0, 4)),
            votes.sum(axis=1).astype(np.int32),
            votes.argmax(axis=1).astype(np.uint8),
        )


def elevation_bundles(layout: "ElevationLayout", scene: SceneReader) -> Bundles:
    """Everything at once; seen from the outside, both sides of a rack count."""
    legs = np.flatnonzero(scene.legs.alive & (scene.legs["b_dev"] >= 0))
    count = len(scene.racks.ids)
    if not len(legs) or not count:
        return Bundles()
    a_dev, b_dev = scene.legs["a_dev"][legs], scene.legs["b_dev"][legs]
    rack = scene.devices["rack"]
    a, b = rack[a_dev], rack[b_dev]
    codes = np.minimum(scene.bundle_codes[scene.legs["cable"][legs]], 255).astype(np.int64)
    codes = np.where(codes < len(FABRICS), codes, 0)
    boxes = scene.racks["box"]
    found = _Collector()
    inside = a == b
    if inside.any():
        votes = _votes(a[inside], codes[inside], count)
        mid = scene.devices["box"][:, 1] + scene.devices["box"][:, 3] / 2
        top = np.full(count, np.inf)
        bottom = np.full(count, -np.inf)
        for end in (a_dev[inside], b_dev[inside]):
            np.minimum.at(top, rack[end], mid[end])
            np.maximum.at(bottom, rack[end], mid[end])
        some = votes.sum(axis=1) > 0
        top, bottom = np.where(some, top, 0.0), np.where(some, bottom, 0.0)
        first, room = layout.manager(scene, np.arange(count))
        width = np.minimum(bundle_width(votes.sum(axis=1)), np.minimum(room, WIDEST_INSIDE_MM))
        x = boxes[:, 0] + boxes[:, 2] - first - width
        found.add(np.stack([x, top, width, bottom - top], 1), votes)
    away = ~inside
    if away.any():
        _risers(layout, scene, found, a[away], b[away], codes[away])
    return found.result()


def _votes(rows: Any, codes: Any, count: int) -> FloatArray:
    flat = np.bincount(rows * len(FABRICS) + codes, minlength=count * len(FABRICS))
    return flat.reshape(count, len(FABRICS)).astype(np.float64)


def _risers(
    layout: "ElevationLayout",
    scene: SceneReader,
    found: _Collector,
    a: Any,
    b: Any,
    codes: Any,
) -> None:
    boxes = scene.racks["box"]
    count = len(boxes)
    bands = layout.bands
    middle = boxes[:, 0] + boxes[:, 2] - 0.14 * boxes[:, 2]  # clear of the rack's name
    tray_y = layout.tray_tops[bands] + TRAY_MM / 2
    votes = _votes(a, codes, count) + _votes(b, codes, count)
    width = bundle_width(votes.sum(axis=1))
    found.add(np.stack([middle - width / 2, tray_y, width, boxes[:, 1] - tray_y], 1), votes)
    left, _, right, _ = layout.bounds()
    beyond = {False: left - 120.0, True: right + 120.0}
    to_right = (middle[a] + middle[b]) / 2 >= (left + right) / 2
    # All trays' stops in one line, tray by tray: each run begins and ends within one tray, so one
    # sum along the line gives the loads of all of them.
    trays = [(int(band), np.flatnonzero(bands == band)) for band in distinct(bands)]
    sizes = [len(members) + 2 for _, members in trays]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    stops = np.zeros(starts[-1])
    at = np.zeros(count, dtype=np.int64)
    ends = np.zeros((len(layout.tray_tops), 2), dtype=np.int64)
    for (band, members), start, size in zip(trays, starts.tolist(), sizes, strict=False):
        line = stops[start : start + size]
        line[:] = [beyond[False], *np.sort(middle[members]), beyond[True]]
        at[members] = start + np.searchsorted(line, middle[members])
        ends[band] = start, start + size - 1
    a_band, b_band = bands[a], bands[b]
    apart = a_band != b_band
    side = to_right.astype(np.int64)
    near_end = np.where(apart, ends[a_band, side], at[b])
    low, high = np.minimum(at[a], near_end), np.maximum(at[a], near_end)
    far_end = ends[b_band[apart], side[apart]]
    low = np.concatenate([low, np.minimum(at[b[apart]], far_end)])
    high = np.concatenate([high, np.maximum(at[b[apart]], far_end)])
    both = np.concatenate([codes, codes[apart]])
    loads = np.cumsum(_votes(low, both, len(stops)) - _votes(high, both, len(stops)), axis=0)
    for (band, _members), start, size in zip(trays, starts.tolist(), sizes, strict=False):
        here = loads[start : start + size - 1]
        thick = bundle_width(here.sum(axis=1))
        y = layout.tray_tops[band] + TRAY_MM / 2
        line = stops[start : start + size]
        found.add(np.stack([line[:-1], y - thick / 2, np.diff(line), thick], 1), here)
    _between_rows(layout, found, a_band, b_band, to_right, codes, beyond)


def _between_rows(
    layout: "ElevationLayout",
    found: _Collector,
    a_band: Any,
    b_band: Any,
    to_right: Any,
    codes: Any,
    beyond: dict[bool, float],
) -> None:
    tops = layout.tray_tops + TRAY_MM / 2
    order = np.sort(tops)
    for side in (False, True):
        some = (a_band != b_band) & (to_right == side)
        if not some.any():
            continue
        rank = np.searchsorted(order, tops)
        one, other = rank[a_band[some]], rank[b_band[some]]
        change = _votes(np.minimum(one, other), codes[some], len(order))
        change -= _votes(np.maximum(one, other), codes[some], len(order))
        loads = np.cumsum(change, axis=0)[:-1]
        thick = bundle_width(loads.sum(axis=1))
        boxes = np.stack([beyond[side] - thick / 2, order[:-1], thick, np.diff(order)], 1)
        found.add(boxes, loads)
