# SPDX-License-Identifier: Apache-2.0
"""Where the power supplies of a device and their inlets are drawn on its face.

The catalogue has their number and side, not their places: servers carry them along their lower
edge, switches at both ends.
"""

from rackloom.catalog.parts import U_MM, PduPart, SwitchPart
from rackloom_gui.canvas.faces import Face

Box = tuple[float, float, float, float]
PSU_MM = 38.0
"""Height of a row of power supplies as drawn."""


def psus_here(face: Face) -> bool:
    """Whether a device's supplies are on this face."""
    psu = face.part.psu
    return psu is not None and psu.side is face.side and not isinstance(face.part, PduPart)


def psu_height(face: Face) -> float:
    """Height of the strip of supplies at the lower edge of a face."""
    return min(PSU_MM, face.height_mm * (0.42 if face.height_mm > 1.5 * U_MM else 0.86))


def is_low(face: Face) -> bool:
    """Whether a face has its supplies at both ends rather than along its lower edge."""
    low = isinstance(face.part, SwitchPart) or face.height_mm < 1.5 * U_MM
    return low and not bool(face.seen.any())


def inner(face: Face) -> tuple[float, float]:
    """Left edge and width of what is between the ears."""
    return face.ear_mm + 5.0, face.width_mm - 2 * face.ear_mm - 8.0


def columns_at_ends(face: Face, count: int) -> tuple[int, float]:
    """How many columns of supplies stand at each end of a low face, and how wide they are."""
    rows = _rows_at_ends(face, count)
    left = (count + 1) // 2
    return (-(-left // rows) if left else 0), min(inner(face)[1] / 5, 74.0)


def _rows_at_ends(face: Face, count: int) -> int:
    return max(-(-count // 2) if face.height_mm >= 1.5 * U_MM else 1, 1)


def psu_boxes(face: Face) -> list[Box]:
    """Every supply on this face, in the order of its inlets; empty where they are elsewhere."""
    if not psus_here(face) or face.part.psu is None:
        return []
    count, h = face.part.psu.count, face.height_mm
    x, w = inner(face)
    if is_low(face):
        rows = _rows_at_ends(face, count)
        _, psu_w = columns_at_ends(face, count)
        psu_h = (h - 4.0) / rows
        boxes = []
        for n in range(count):
            at_left, k = n % 2 == 0, n // 2
            column, row = divmod(k, rows)
            px = x + column * psu_w if at_left else x + w - (column + 1) * psu_w
            boxes.append((px + 0.8, 2.0 + row * psu_h, psu_w - 1.6, psu_h - 1.0))
        return boxes
    psu_h = psu_height(face)
    slot = w / max(count, 4) if h >= 1.5 * U_MM else min(w / 6, 46.0)
    start = x if h >= 1.5 * U_MM else x + w - slot * count
    return [(start + n * slot + 0.8, h - psu_h - 2.0, slot - 1.6, psu_h) for n in range(count)]


def inlet_box(psu: Box) -> Box:
    """The inlet of a supply."""
    x, y, w, h = psu
    inlet_w, inlet_h = min(w * 0.34, 24.0), min(h * 0.5, 17.0)
    return x + 4, y + (h - inlet_h) / 2, inlet_w, inlet_h
