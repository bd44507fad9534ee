# SPDX-License-Identifier: Apache-2.0
"""The arrays of a design that is being opened, read in the thread that reads its file.

Reading 16,384 GPUs into arrays takes 0.4 s: the window would stand still for it. Nothing of it
needs the window. What was read travels with the design, and goes with it where nobody shows it.
"""

from __future__ import annotations

from rackloom.catalog.words import Side
from rackloom.design import Design
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.canvas.scene_reader import SceneReader
from rackloom_gui.canvas.sides import side_of_cables

_KEY = "_scene_read_ahead"


def read_ahead(design: Design) -> None:
    """Read the side of the racks on which a design is opened. For workers."""
    scene = SceneReader(ElevationLayout(side_of_cables(design) or Side.FRONT))
    scene.build(design)
    _ = scene.bundles  # drawn at first, when all of a great design is in view
    scene.design = Design()  # or the design would hold itself
    vars(design)[_KEY] = scene


def take_ahead(design: Design, layout: object) -> SceneReader | None:
    """What was read ahead of a design for such a layout, once: arrays are not shared by views."""
    scene = vars(design).get(_KEY)
    if not isinstance(scene, SceneReader) or not isinstance(layout, ElevationLayout):
        return None
    if not isinstance(scene.layout, ElevationLayout) or scene.layout.side is not layout.side:
        return None
    del vars(design)[_KEY]
    return scene
