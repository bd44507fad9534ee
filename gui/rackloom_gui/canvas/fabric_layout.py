# SPDX-License-Identifier: Apache-2.0
"""The fabric as a diagram: servers in the middle, the tiers of the largest network above them, the
other networks' below. Every node shows its ports; links are straight lines from edge to edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from rackloom.catalog.parts import DevicePart, PduPart, ServerPart
from rackloom.catalog.words import Side
from rackloom.design import Change, Design, Device
from rackloom.design.hardware import cages_of
from rackloom.design.ids import by_age
from rackloom_gui.canvas.colours import FABRICS
from rackloom_gui.canvas.faces import Face, FaceBook
from rackloom_gui.canvas.layouts import Bundles, Places
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.scene_reader import SceneReader
from rackloom_gui.canvas.segments import IntArray, Segments

if TYPE_CHECKING:  # brings scipy along, which the start can do without
    from rackloom.fabric.value import Fabric

NODE_W, NODE_H = 440.0, 110.0
GAP_X, GAP_Y = 60.0, 90.0
PITCH = NODE_W + GAP_X
POD_GAP = 320.0
TIER_MM = 900.0
"""From one tier to the next: room for the links."""
TITLE_MM = 1100.0
"""Room at the left for the names of the tiers."""
CHUNK = 32
"""Servers, and switches, whose links are drawn as one bundle where single ones are too many.

Those of a pod are one bundle, however many they are.
"""


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
    label_mm = NODE_H * 0.62
    most_segments = 700
    draws_devices = True
    side = Side.FRONT

    def __init__(self) -> None:
        self.bands: list[TierBand] = []
        self._fabric: Fabric | None = None
        self._ids: list[str] = []
        self._spots: FloatArray = np.zeros((0, 2))
        self._row: dict[str, int] = {}
        self._group: dict[str, int] = {}
        self.known: Callable[[], Fabric | None] = lambda: None
        """The network that was last worked out elsewhere: reading it anew may take a second."""

    def prepare(self, design: Design) -> None:
        from rackloom.fabric.value import Fabric

        known = self.known()
        if known is not None and known.design is design:
            self._fabric = known
        if self._fabric is None or self._fabric.design is not design:
            self._fabric = Fabric.of(design)
        self._arrange(design, self._fabric)

    def _arrange(self, design: Design, fabric: Fabric) -> None:
        from rackloom.fabric.tiers import tier_name

        tiers = fabric.tiers
        ids = fabric.arrays.device_ids
        networks = {name: n for n, name in enumerate(fabric.fabrics)}
        levels: dict[tuple[int, int], list[str]] = {}
        placed: set[str] = set()
        for vertex, device in enumerate(fabric.drawn.switch_device.tolist()):
            if device < 0 or ids[device] in placed:  # a box of two switches is drawn once
                continue
            network = networks.get(tiers.network[vertex], len(networks))
            levels.setdefault((network, max(int(tiers.tier[vertex]), 0)), []).append(ids[device])
            placed.add(ids[device])
        servers: list[str] = [
            device.id
            for device in design.devices.values()
            if device.id not in placed and _has_network(design, device)
        ]
        servers.sort(key=lambda d: (_pod(design, d), by_age(d)))
        spots: list[tuple[float, float]] = []
        self._ids, self.bands, self._group = [], [], {}
        pod_of = {d: _pod(design, d) for level in levels.values() for d in level}
        pod_of.update((d, _pod(design, d)) for d in servers)
        columns = _Columns.of(servers, levels, pod_of)
        names = list(fabric.fabrics)
        bottom = self._block(spots, columns, servers, pod_of, 0.0, "servers", up=False)
        y_up = -TIER_MM
        y_down = bottom + TIER_MM
        for (network, tier), members in sorted(levels.items()):
            members.sort(key=lambda d: (pod_of[d], by_age(d)))
            name = names[network] if network < len(names) else "unconnected"
            title = f"{name}: {tier_name(tier)}"
            if network == 0:
                far = self._block(spots, columns, members, pod_of, y_up, title, up=True)
                y_up = far - TIER_MM * columns.stretch
            else:
                far = self._block(spots, columns, members, pod_of, y_down, title, up=False)
                y_down = far + TIER_MM * 0.7
        self._spots = np.array(spots).reshape(-1, 2)
        self._row = {device: n for n, device in enumerate(self._ids)}

    def _block(
        self,
        spots: list[tuple[float, float]],
        columns: _Columns,
        members: list[str],
        pod_of: dict[str, str],
        y: float,
        title: str,
        *,
        up: bool,
    ) -> float:
        """Place the nodes of a tier, pod by pod; returns the far edge."""
        if not members:
            return y
        groups: dict[str, list[str]] = {}
        for device in members:
            pod = pod_of[device] if pod_of[device] in columns.left else ""
            groups.setdefault(pod, []).append(device)
        step = (NODE_H + GAP_Y) * (-1 if up else 1)
        lines = 1
        for pod, group in groups.items():
            left, width = columns.span(pod)
            fitting = max(int((width + GAP_X) // PITCH), 1)
            here = -(-len(group) // fitting)
            per_line = -(-len(group) // here)
            spread = min(max(width / per_line, PITCH), PITCH * 2.2)
            lines = max(lines, here)
            first = len(self._group)
            # Side by side and never one behind the other: there bundles would lie on each other.
            chunks = 1 if pod else min(-(-len(group) // CHUNK), per_line)
            for n, device in enumerate(group):
                line, column = divmod(n, per_line)
                count = min(per_line, len(group) - line * per_line)
                x = left + width / 2 + (column - count / 2 + 0.5) * spread - NODE_W / 2
                spots.append((x, y + line * step - (NODE_H if up else 0.0)))
                self._ids.append(device)
                self._group[device] = first + column * chunks // per_line
        far = y + (lines - 1) * step + (-NODE_H if up else NODE_H)
        self.bands.append(TierBand(title, 0.0, min(y, far), columns.total, max(y, far)))
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

    def row_corner(self, design: Design, row: str) -> tuple[float, float] | None:
        del design, row
        return None

    def bounds(self) -> tuple[float, float, float, float]:
        if not self.bands:
            return 0.0, 0.0, 2000.0, 1000.0
        return (
            min(b.left for b in self.bands) - TITLE_MM,
            min(b.top for b in self.bands) - 150.0,
            max(b.right for b in self.bands) + 200.0,
            max(b.bottom for b in self.bands) + 150.0,
        )

    def route(self, scene: SceneReader, legs: IntArray) -> Segments:
        a, a_seen, _ = scene.ports("a_dev", "a_cage", legs)
        b, b_seen, _ = scene.ports("b_dev", "b_cage", legs)
        boxes = scene.devices["box"]
        a_box = boxes[scene.legs["a_dev"][legs]]
        b_box = boxes[np.maximum(scene.legs["b_dev"][legs], 0)]
        both = a_seen & b_seen
        y1, y2 = _edges(a_box, b_box)
        segments = np.stack([a[:, 0], y1, b[:, 0], y2], axis=1)
        return segments[both], legs[both]

    def bundles(self, scene: SceneReader) -> Bundles:
        legs = np.flatnonzero(scene.legs.alive & (scene.legs["b_dev"] >= 0))
        shown = scene.devices["shown"]
        a, b = scene.legs["a_dev"][legs], scene.legs["b_dev"][legs]
        keep = shown[a] & shown[b]
        legs, a, b = legs[keep], a[keep], b[keep]
        if not len(legs):
            return Bundles()
        codes = scene.bundle_codes[scene.legs["cable"][legs]].astype(np.int64)
        codes = np.where(codes < len(FABRICS), codes, 0)
        boxes = scene.devices["box"]
        low, high = np.minimum(a, b), np.maximum(a, b)
        pairs, index = np.unique(low.astype(np.int64) << 32 | high, return_inverse=True)
        if len(pairs) <= self.most_segments:
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

    def _grouped(self, scene: SceneReader, a: Any, b: Any) -> tuple[FloatArray, FloatArray, Any]:
        """Bundles between groups of nodes instead of between nodes."""
        group = np.array([self._group.get(i, -1) for i in scene.devices.ids], dtype=np.int64)
        names, row = np.unique(group, return_inverse=True)
        boxes = scene.devices["box"]
        low = np.full((len(names), 2), np.inf)
        high = np.full((len(names), 2), -np.inf)
        np.minimum.at(low, row, boxes[:, :2])
        np.maximum.at(high, row, boxes[:, :2] + boxes[:, 2:])
        around = np.concatenate([low, high - low], axis=1)
        one, other = np.minimum(row[a], row[b]), np.maximum(row[a], row[b])
        pairs, index = np.unique(one << 32 | other, return_inverse=True)
        return around[pairs >> 32], around[pairs & 0xFFFFFFFF], index


def _has_network(design: Design, device: Device) -> bool:
    """Whether a device belongs on the diagram: no power shelf, coolant unit or blanking plate."""
    part = design.parts[device.part]
    if isinstance(part, PduPart):
        return False
    return isinstance(part, ServerPart) or bool(cages_of(design, device))


def _pod(design: Design, device_id: str) -> str:
    return design.devices[device_id].pod or ""  # type: ignore[index]


@dataclass(slots=True)
class _Columns:
    """The share of the diagram's width that each pod has; without pods there is one for all."""

    left: dict[str, tuple[float, float]]
    """Left edge and width by pod."""
    total: float

    @property
    def stretch(self) -> float:
        """Tiers stand further apart on a wide diagram, so that the links stay readable."""
        return min(max(self.total / 12000.0, 1.0), 4.0)

    def span(self, pod: str) -> tuple[float, float]:
        """Left edge and width of a pod, or of everything."""
        return self.left.get(pod, (0.0, self.total))

    @classmethod
    def of(
        cls,
        servers: list[str],
        levels: dict[tuple[int, int], list[str]],
        pod_of: dict[str, str],
    ) -> _Columns:
        """Columns for the pods of the servers: a diagram some three times as wide as high."""
        pods: dict[str, int] = {}
        for device in servers:
            pods[pod_of[device]] = pods.get(pod_of[device], 0) + 1
        pods.pop("", None)
        switches = max((len(members) for members in levels.values()), default=1)
        if len(pods) < 2:
            count = max(len(servers), 1)
            across = count if count <= 24 else max(24, ceil(sqrt(count * 5)))
            across = max(across, switches if switches <= 24 else max(24, ceil(sqrt(switches * 8))))
            return cls({}, across * PITCH)
        most = max(pods.values())

        def misfit(across: int) -> float:
            width = len(pods) * (across * PITCH + POD_GAP)
            height = -(-most // across) * (NODE_H + GAP_Y) + 3 * TIER_MM
            return abs(width / height - 3.0) if width < 3 * height else width / height - 3.0

        across = min(range(1, 17), key=misfit)
        width = across * PITCH
        left = {pod: (n * (width + POD_GAP), width) for n, pod in enumerate(sorted(pods))}
        return cls(left, len(pods) * (width + POD_GAP) - POD_GAP)


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
