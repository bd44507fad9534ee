# SPDX-License-Identifier: Apache-2.0
"""Small designs and real mouse events for the tests of the canvas."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import U_MM, DevicePart, RackPart
from rackloom.catalog.words import Side
from rackloom.design import Design, Draft, History, edits
from rackloom.design.entities import CableEnd
from rackloom_gui.canvas.pane import Pane

# Ids are plain strings here, and parts are whatever they are: the tests read better so.
CATALOG: Any = load_bundled()
RACK: Any = CATALOG["generic-48u-800"]
SERVER: Any = CATALOG["dgx-h100"]
SWITCH: Any = CATALOG["nvidia-qm9700"]
NODE: Any = CATALOG["cpu-node-1u"]
PDU: Any = CATALOG["apc-ap8886"]
DAC: Any = next(
    p
    for p in CATALOG.values()
    if p.kind == "cable" and p.branches == 1 and p.technology == "DAC"
    and p.ends[0].form_factor == "OSFP" and p.ends[1].form_factor == "OSFP"
)  # fmt: skip


def made(edit: Callable[[Draft], Any]) -> tuple[Design, Any]:
    """A design made by one edit, and what the edit returned."""
    history = History()
    result = history.do("make", edit)
    return history.design, result


def small(draft: Draft) -> dict[str, Any]:
    """Two racks; servers and switches in the first, ports to the rear, one cable."""
    row = edits.add_row(draft)
    ids: dict[str, Any] = {"row": row}
    for n, position in enumerate((0.0, 0.8)):
        ids[f"rack{n}"] = edits.add_rack(draft, RACK, row, position)
    ids["server0"] = edits.add_device(draft, SERVER, ids["rack0"], 1)
    ids["server1"] = edits.add_device(draft, SERVER, ids["rack0"], 9)
    ids["leaf0"] = edits.add_device(draft, SWITCH, ids["rack0"], 40, face=Side.REAR, role="leaf")
    ids["leaf1"] = edits.add_device(draft, SWITCH, ids["rack0"], 42, face=Side.REAR, role="leaf")
    ids["node"] = edits.add_device(draft, NODE, ids["rack1"], 20)
    ends = [CableEnd(0, ids["server0"], "OSFP1"), CableEnd(1, ids["leaf0"], "1")]
    ids["cable"] = edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])
    return ids


def mouse(
    pane: Pane,
    kind: QEvent.Type,
    scene: QPointF,
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    buttons: Qt.MouseButton = Qt.MouseButton.LeftButton,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """One mouse event at a place of the scene, through Qt's own dispatch."""
    place = pane.to_view(scene)
    viewport = pane.viewport()
    event = QMouseEvent(
        kind, place, QPointF(viewport.mapToGlobal(place.toPoint())), button, buttons, modifiers
    )
    QApplication.sendEvent(viewport, event)


def click(pane: Pane, scene: QPointF, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    """Press and release at a place."""
    mouse(pane, QEvent.Type.MouseButtonPress, scene, modifiers=modifiers)
    mouse(
        pane, QEvent.Type.MouseButtonRelease, scene, buttons=Qt.MouseButton.NoButton,
        modifiers=modifiers,
    )  # fmt: skip


def move(pane: Pane, scene: QPointF, held: bool = False, modifiers: Any = None) -> None:
    """Move the pointer, with or without the left button."""
    mouse(
        pane, QEvent.Type.MouseMove, scene, Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton if held else Qt.MouseButton.NoButton,
        modifiers or Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip


def drag(
    pane: Pane,
    start: QPointF,
    end: QPointF,
    modifiers: Any = Qt.KeyboardModifier.NoModifier,
    release: bool = True,
) -> None:
    """Press, move in steps, release."""
    mouse(pane, QEvent.Type.MouseButtonPress, start, modifiers=modifiers)
    for share in (0.2, 0.6, 1.0):
        move(pane, start + (end - start) * share, held=True, modifiers=modifiers)
    if release:
        mouse(
            pane, QEvent.Type.MouseButtonRelease, end, buttons=Qt.MouseButton.NoButton,
            modifiers=modifiers,
        )  # fmt: skip


def middle(pane: Pane, entity_id: str) -> QPointF:
    """The middle of a thing on the drawing."""
    box = pane.arrays.box_of(entity_id)
    assert box is not None
    return QPointF(box[0] + box[2] / 2, box[1] + box[3] / 2)


def slot(pane: Pane, rack: str, bottom_u: int, units: int = 1) -> QPointF:
    """The middle of a range of U of a rack."""
    from rackloom_gui.canvas.tools.places import span_box

    box = span_box(pane.document.design, pane.drawing, rack, bottom_u, bottom_u + units - 1)
    return QPointF(box[0] + box[2] / 2, box[1] + box[3] / 2)


def port(pane: Pane, device: str, cage: str) -> QPointF:
    """The middle of a port that is seen."""
    box = pane.arrays.port_place(device, cage)
    assert box is not None, f"{cage} of {device} is not seen from this side"
    return QPointF(box[0] + box[2] / 2, box[1] + box[3] / 2)


__all__ = [
    "CATALOG", "DAC", "NODE", "PDU", "RACK", "SERVER", "SWITCH", "U_MM", "DevicePart", "QPoint",
    "RackPart", "click", "drag", "made", "middle", "mouse", "move", "port", "slot", "small",
]  # fmt: skip
