# SPDX-License-Identifier: Apache-2.0
"""What a view has to know to be drawn: where things are, which way cables run, what is bundled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from rackloom.catalog.words import Side
from rackloom.design import Change, Design
from rackloom_gui.canvas.faces import FaceBook
from rackloom_gui.canvas.pointer import FloatArray
from rackloom_gui.canvas.segments import IntArray, Segments

if TYPE_CHECKING:
    from rackloom_gui.canvas.scene_reader import SceneReader


@dataclass(slots=True)
class Places:
    """Where devices are: one row a device."""

    ids: Sequence[str]
    boxes: FloatArray
    """(left, top, width, height) in mm, y downwards."""
    faces: IntArray
    shown: npt.NDArray[np.bool_]


@dataclass(slots=True)
class Bundles:
    """Cables drawn together where single ones would be too many."""

    boxes: FloatArray = field(default_factory=lambda: np.zeros((0, 4)))
    """Axis-parallel bundles as (left, top, width, height) in mm."""
    lines: FloatArray = field(default_factory=lambda: np.zeros((0, 4)))
    """Bundles of other directions as (x1, y1, x2, y2) in mm."""
    counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Cables in each; first those of ``boxes``, then those of ``lines``."""
    codes: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))


class Layout(Protocol):
    """Where things are in one view."""

    name: str
    side: Side
    orthogonal: bool
    draws_devices: bool
    most_segments: int
    """More than this in view are bundled, if the budget does not say so before."""
    label_mm: float
    """Height of the lowest thing with a name: decides when names and ports are drawn."""

    def prepare(self, design: Design) -> None:
        """Work out the arrangement."""

    def racks(self, design: Design) -> tuple[Sequence[str], FloatArray]:
        """Ids and rectangles of the racks; empty where the view has none."""

    def places(self, design: Design, book: FaceBook, ids: Sequence[str] | None) -> Places:
        """Where these devices are (default: all)."""

    def stale(self, before: Design, design: Design, change: Change) -> set[str] | None:
        """Devices to place anew after a change; None: everything."""

    def route(self, scene: "SceneReader", legs: IntArray) -> Segments:
        """The segments of these legs."""

    def bundles(self, scene: "SceneReader") -> Bundles:
        """All cables, drawn together."""

    def bounds(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) of the drawing."""

    def row_corner(self, design: Design, row: str) -> tuple[float, float] | None:
        """The corner of a row that notes about it keep to; None where the view has no rows."""
