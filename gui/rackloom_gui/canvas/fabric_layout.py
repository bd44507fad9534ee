# SPDX-License-Identifier: Apache-2.0
"""The fabric as a diagram: servers in the middle, the tiers of the largest network above them, the
other networks' below. Every node shows its ports; links are straight lines from edge to edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from rackloom.catalog.parts import DevicePart, PduPart, SwitchPart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design, Device
from rackloom.design.hardware import cages_of
from rackloom.design.ids import by_age
from rackloom.fabric.tiers import tier_name
from rackloom.fabric.value import Fabric
from rackloom_gui.canvas.arrays import Bundles, Places, SceneArrays
from rackloom_gui.canvas.colours import FABRICS
from rackloom_gui.canvas.drawing import SEGMENT_BUDGET
from rackloom_gui.canvas.faces import Face, FaceBook
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.segments import IntArray, Segments

NODE_W, NODE_H = 440.0, 110.0
GAP_X, GAP_Y = 60.0, 90.0
TIER_MM = 900.0
"""From one tier to the next: room for the links."""
CHUNK = 32
"""Servers, and switches, whose links are drawn as one bundle where single ones are too many."""


@dataclass(frozen=True, slots=True)
class TierBand:
    """A tier of a network on the diagram."""

    title: str
    left: float
    top: float
    right: float
    bottom: float


class FabricLayout:
    """Nodes by tier."""

    name = "fabric"
    orthogonal = False
    draws_devices = True
    side = Side.FRONT

    def __init__(self) -> None:
        self.bands: list[TierBand] = []
        self._fabric: Fabric | None = None
        self._ids: list[str] = []
        self._spots: FloatArray = np.zeros((0, 2))
        self._row: dict[str, int] = {}
        self._group: dict[str, int] = {}

    def prepare(self, design: Design) -> None:
        if self._fabric is None or self._fabric.design is not design:
            self._fabric = Fabric.of(design)
        self._arrange(design, self._fabric)

    def _arrange(self, design: Design, fabric: Fabric) -> None:
        tiers = fabric.tiers
        ids = fabric.arrays.device_ids
        networks = {name: n for n, name in enumerate(fabric.fabrics)}
        levels: dict[tuple[int, int], list[str]] = {}
        placed: set[str] = set()
        for vertex, device in enumerate(fabric.drawn.switch_device.tolist()):
            if device < 0:
                continue
            network = networks.get(tiers.network[vertex], len(networks))
            levels.setdefault((network, max(int(tiers.tier[vertex]), 0)), []).append(ids[device])
            placed.add(ids[device])
        servers = [
            device.id
            for device in design.devices.values()
            if device.id not in placed and not isinstance(design.parts[device.part], PduPart)
        ]
        self._ids, spots, self.bands, self._group = [], [], [], {}
        pods = {d: design.devices[d].pod or "" for d in servers}
        servers.sort(key=lambda d: (pods[d], by_age(d)))
        width = self._columns(len(servers), max((len(m) for m in levels.values()), default=1))
        bottom = self._block(spots, servers, width, 0.0, "Servers", up=False)
        names = list(fabric.fabrics)
        y_up = -TIER_MM
        for (network, tier), members in sorted(levels.items()):
            if network == 0:
                members.sort(key=lambda d: (design.devices[d].pod or "", by_age(d)))  # type: ignore[index]
                title = f"{names[0]}: {tier_name(tier)}" if names else tier_name(tier)
                y_up = self._block(spots, members, width, y_up, title, up=True) - TIER_MM
        y_down = bottom + TIER_MM
        for (network, tier), members in sorted(levels.items()):
            if network != 0:
                members.sort(key=by_age)
                name = names[network] if network < len(names) else "unconnected"
                y_down = (
                    self._block(spots, members, width, y_down, f"{name}: {tier_name(tier)}", up=False)
                    + TIER_MM * 0.7
                )
        self._spots = np.array(spots).reshape(-1, 2)
        self._row = {device: n for n, device in enumerate(self._ids)}

    def _columns(self, servers: int, switches: int) -> int:
        """Nodes in a line: a diagram some three times as wide as high."""
        if max(servers, switches) <= 24:
            return max(servers, switches, 1)
        return max(24, ceil(sqrt(servers * 5)), ceil(sqrt(switches * 8)))

    def _block(
        self, spots: list[Any], members: list[str], width: int, y: float, title: str, *, up: bool
    ) -> float:
        """Place nodes in lines of at most ``width``, centred; returns the far edge."""
        if not members:
            return y
        lines = -(-len(members) // width)
        step = (NODE_H + GAP_Y) * (-1 if up else 1)
        first = len(self.bands) * 100000
        pitch = NODE_W + GAP_X
        per_line = -(-len(members) // lines)
        full = (width * pitch) if lines == 1 else per_line * pitch
        spread = pitch
        if lines == 1 and len(members) > 1:  # few switches spread over the width of the servers
            spread = min(max(full / len(members), pitch), pitch * 2.2)
        for n, device in enumerate(members):
            line, column = divmod(n, per_line)
            here = min(per_line, len(members) - line * per_line)
            x = (column - here / 2 + 0.5) * spread - NODE_W / 2
            spots.append((x, y + line * step - (NODE_H if up else 0.0)))
            self._ids.append(device)
            self._group[device] = first + n // CHUNK
        far = y + (lines - 1) * step + (-NODE_H if up else NODE_H)
        half = per_line * spread / 2
        self.bands.append(TierBand(title, -half, min(y, far), half, max(y, far)))
        return far

    def racks(self, _design: Design) -> tuple[Sequence[str], FloatArray]:
        return (), np.zeros((0, 4))

    def places(self, design: Design, book: FaceBook, ids: Sequence[str] | None) -> Places:
        chosen = list(design.devices) if ids is None else list(ids)
        boxes = np.zeros((len(chosen), 4))
        boxes[:, 2:] = (NODE_W, NODE_H)
        shown = np.zeros(len(chosen), dtype=np.bool_)
        faces = np.empty(len(chosen), dtype=np.int32)
        for n, device_id in enumerate(chosen):
            row = self._row.get(device_id)
            if row is not None:
                boxes[n, :2] = self._spots[row]
                shown[n] = True
            faces[n] = _node_face(design, design.devices[device_id], book)  # type: ignore[index]
        return Places(chosen, boxes, faces, shown)

    def stale(self, before: Design, design: Design, change: Change) -> set[str] | None:
        old = (self._ids, self._spots.tobytes())
        if self._fabric is not None and self._fabric.design is before:
            self._fabric = self._fabric.patched(design, change)
        self.prepare(design)
        if (self._ids, self._spots.tobytes()) != old:
            return None
        return {r.id for r in change.of("devices") if r.after is not None}

    def bounds(self) -> tuple[float, float, float, float]:
        if not self.bands:
            return 0.0, 0.0, 2000.0, 1000.0
        return (
            min(b.left for b in self.bands) - 300.0,
            min(b.top for b in self.bands) - 260.0,
            max(b.right for b in self.bands),
            max(b.bottom for b in self.bands),
        )

    def route(self, scene: SceneArrays, legs: IntArray) -> Segments:
        a, a_seen, _ = scene.ports("a_dev", "a_cage", legs)
        b, b_seen, _ = scene.ports("b_dev", "b_cage", legs)
        boxes = scene.devices["box"]
        a_box = boxes[scene.legs["a_dev"][legs]]
        b_box = boxes[np.maximum(scene.legs["b_dev"][legs], 0)]
        both = a_seen & b_seen
        y1, y2 = _edges(a_box, b_box)
        segments = np.stack([a[:, 0], y1, b[:, 0], y2], axis=1)
        return segments[both], legs[both]

    def bundles(self, scene: SceneArrays) -> Bundles:
        legs = np.flatnonzero(scene.legs.alive & (scene.legs["b_dev"] >= 0))
        shown = scene.devices["shown"]
        a, b = scene.legs["a_dev"][legs], scene.legs["b_dev"][legs]
        keep = shown[a] & shown[b]
        legs, a, b = legs[keep], a[keep], b[keep]
        if not len(legs):
            return Bundles()
        codes = scene.cables["code"][scene.legs["cable"][legs]].astype(np.int64)
        codes = np.where(codes < len(FABRICS), codes, 0)
        boxes = scene.devices["box"]
        low, high = np.minimum(a, b), np.maximum(a, b)
        pairs, index = np.unique(low.astype(np.int64) << 32 | high, return_inverse=True)
        if len(pairs) <= SEGMENT_BUDGET:
            a_box, b_box = boxes[pairs >> 32], boxes[pairs & 0xFFFFFFFF]
        else:
            a_box, b_box, index = self._grouped(scene, low, high)
        y1, y2 = _edges(a_box, b_box)
        count = len(a_box)
        lines = np.stack([a_box[:, 0] + a_box[:, 2] / 2, y1, b_box[:, 0] + b_box[:, 2] / 2, y2], 1)
        votes = np.bincount(index * len(FABRICS) + codes, minlength=count * len(FABRICS))
        votes = votes.reshape(count, len(FABRICS))
        return Bundles(
            np.zeros((0, 4)), lines, votes.sum(axis=1).astype(np.int32),
            votes.argmax(axis=1).astype(np.uint8),
        )  # fmt: skip

    def _grouped(self, scene: SceneArrays, a: Any, b: Any) -> tuple[FloatArray, FloatArray, Any]:
        """Bundles between groups of nodes instead of between nodes."""
        group = np.array([self._group.get(i, -1) for i in scene.devices.ids], dtype=np.int64)
        names, row = np.unique(group, return_inverse=True)
        boxes = scene.devices["box"]
        low = np.full((len(names), 2), np.inf)
        high = np.full((len(names), 2), -np.inf)
        np.minimum.at(low, row, boxes[:, :2])
        np.maximum.at(high, row, boxes[:, :2] + boxes[:, 2:])
        around = np.concatenate([low, high - low], axis=1)
        pairs, index = np.unique(row[a] << 32 | row[b], return_inverse=True)
        return around[pairs >> 32], around[pairs & 0xFFFFFFFF], index


def _edges(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Heights where a link leaves and enters: the edges of the nodes that face each other."""
    a_top, a_bottom = a[:, 1], a[:, 1] + a[:, 3]
    b_top, b_bottom = b[:, 1], b[:, 1] + b[:, 3]
    y1 = np.where(a_top >= b_bottom, a_top, np.where(b_top >= a_bottom, a_bottom, a_top))
    y2 = np.where(a_top >= b_bottom, b_bottom, np.where(b_top >= a_bottom, b_top, b_top))
    return y1, y2


def _node_face(design: Design, device: Device, book: FaceBook) -> int:
    """A plain box with the ports in one or two lines along its lower half."""
    key = (device.part, device.cards, Side.FRONT, NODE_W, NODE_H)
    known = book.known(key)
    if known is not None and book.faces[known].part is design.parts[device.part]:
        return known
    part = design.part(device.part, DevicePart)
    cages = tuple(cages_of(design, device).values())
    count = len(cages)
    lines = 2 if count > 24 else 1
    columns = max(-(-count // lines), 1)
    pitch = min((NODE_W - 24.0) / columns, 24.0)
    size = min(pitch * 0.78, 16.0)
    left = (NODE_W - columns * pitch) / 2
    boxes = np.empty((count, 4))
    order = np.arange(count)
    column, line = (order // 2, order % 2) if lines == 2 else (order, order * 0)
    boxes[:, 0] = left + (column + 0.5) * pitch - size / 2
    boxes[:, 1] = NODE_H - 12.0 - lines * (size + 4.0) + line * (size + 4.0)
    boxes[:, 2:] = size
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    face = Face(
        key, part, Side.FRONT, NODE_W, NODE_H, cages,
        {cage.name: n for n, cage in enumerate(cages)},
        boxes, centres, np.ones(count, dtype=np.bool_), centres[:, 1].copy(),
        np.zeros((0, 2)), plain=True,
    )  # fmt: skip
    return book.add(face)


def is_switch(part: object) -> bool:
    """Whether a part is a switch."""
    return isinstance(part, SwitchPart)
