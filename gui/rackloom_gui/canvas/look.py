# SPDX-License-Identifier: Apache-2.0
"""How to draw and how much of it: theme, pixmaps at hand, the window, levels of detail."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtGui import QPixmap

from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.pointer import (
    FloatArray,
)
from rackloom_gui.canvas.segments import IntArray
from rackloom_gui.canvas.sprites import Sprites
from rackloom_gui.tokens import DeviceColour, Tokens

SPRITE_FROM_PX_PER_U = 5.0
"""Below, a device is a rectangle in the colour of its kind."""
LABELS_FROM_PX_PER_U = 12.0
PORTS_FROM_PX_PER_U = 7.0
VECTORS_FROM_PX_PER_MM = 2.0
MOST_NAMES = 900
"""More names than this say nothing any more, and cost a frame."""
MOST_LABELS_KEPT = 4000
SEGMENT_BUDGET = 3000
"""More cable segments than this in view are drawn as bundles."""


@dataclass(slots=True)
class Window:
    """The part of the drawing that is painted, in mm."""

    x0: float
    y0: float
    x1: float
    y1: float

    def touching(self, boxes: FloatArray) -> Any:
        """Which of (left, top, width, height) rows are in it."""
        return (
            (boxes[:, 0] <= self.x1)
            & (boxes[:, 0] + boxes[:, 2] >= self.x0)
            & (boxes[:, 1] <= self.y1)
            & (boxes[:, 1] + boxes[:, 3] >= self.y0)
        )


@dataclass(slots=True)
class Look:
    """How to draw: theme, pixmaps at hand, and what is turned on."""

    tokens: Tokens
    sprites: Sprites | None = None
    """None: draw vectors (exports)."""
    dark_ports: bool = True
    labels: dict[tuple[object, ...], QPixmap] = field(default_factory=dict)
    device_colours: list[DeviceColour] = field(default_factory=list)
    free_units: dict[str, tuple[tuple[object, ...], int]] = field(default_factory=dict)
    """Memo of the floor's backdrop: free units by rack, with what they were counted from."""

    def colours_of(self, scene: SceneArrays) -> list[DeviceColour]:
        """Colours by the scene's ``look`` numbers."""
        if len(self.device_colours) != len(scene.looks):
            self.device_colours = [self.tokens.device(kind, role) for kind, role in scene.looks]
        return self.device_colours


def visible_devices(scene: SceneArrays, window: Window) -> IntArray:
    """Rows of the devices that are seen in a window and not in the hand."""
    devices = scene.devices
    keep = window.touching(devices["box"]) & devices.alive & devices["shown"]
    if scene.hidden_devices:
        keep[devices.rows(scene.hidden_devices)] = False
    return np.flatnonzero(keep).astype(np.int32)
