# SPDX-License-Identifier: Apache-2.0
"""Frames of the canvas at 1,024 and 16,384 GPUs: building, repainting, panning, zooming, editing.

Targets (DESIGN.md 9): a pan or zoom frame 16 ms and 33 ms, one edit 16 ms and 50 ms.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from rackloom.catalog import load_bundled
from rackloom.catalog.words import Side
from rackloom.design import Design, edits
from rackloom.generate import generate
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.canvas import Canvas
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.document import Document
from rackloom_gui.theme import ThemeChoice, apply_theme

SIZES = (1024, 16384)

# The offscreen plugin says this about itself; it is nothing our code did wrong.
pytestmark = pytest.mark.qt_log_ignore(r"This plugin (does not support|supports) .*")


@cache
def design_of(gpus: int) -> Design:
    return generate("rail-fat-tree", load_bundled(), gpus=gpus).design


@pytest.fixture(params=SIZES, ids=[f"{n}-gpus" for n in SIZES])
def canvas(request: Any, qapp: QApplication) -> Iterator[Canvas]:
    theme = apply_theme(qapp, ThemeChoice.LIGHT)
    document = Document()
    shown = Canvas(document, load_bundled(), theme)
    shown.resize(1920, 1080)
    shown.show()
    document.open_design(design_of(request.param), None)
    shown.set_side(Side.REAR)
    shown.fit_all()
    QApplication.processEvents()
    yield shown
    shown.close()
    shown.deleteLater()


def _frame(canvas: Canvas) -> None:
    canvas.shown_panes[0].viewport().repaint()


@pytest.mark.parametrize("gpus", SIZES)
def test_scene_arrays(benchmark: Any, gpus: int) -> None:
    design = design_of(gpus)

    def build() -> SceneArrays:
        scene = SceneArrays(ElevationLayout(Side.REAR))
        scene.build(design)
        return scene

    scene = benchmark.pedantic(build, rounds=3)
    assert len(scene.cables) == len(design.cables)


@pytest.mark.parametrize("view", ["racks", "fabric", "floor"])
def test_repaint_with_all_in_view(benchmark: Any, canvas: Canvas, view: str) -> None:
    canvas.set_view(view)
    canvas.fit_all()
    _frame(canvas)
    benchmark.pedantic(_frame, (canvas,), rounds=10)


@pytest.mark.parametrize("zoom", [0.2, 0.6, 2.0])
def test_repaint_near(benchmark: Any, canvas: Canvas, zoom: float) -> None:
    pane = canvas.shown_panes[0]
    x, y, w, h = pane.arrays.box_of(next(iter(canvas.document.design.racks)))  # type: ignore[misc]
    pane.centre_on(QPointF(x + w / 2 + 1500, y + h / 2))
    pane.zoom_to(zoom)
    _frame(canvas)
    benchmark.pedantic(_frame, (canvas,), rounds=10)


def test_pan_step(benchmark: Any, canvas: Canvas) -> None:
    pane = canvas.shown_panes[0]
    pane.zoom_to(0.3)

    def step() -> None:
        pane.scroll_by(18, 10)
        _frame(canvas)

    step()
    benchmark.pedantic(step, rounds=20)


def test_zoom_step(benchmark: Any, canvas: Canvas) -> None:
    pane = canvas.shown_panes[0]
    factors = [1.19] * 16

    def step() -> None:
        pane.zoom_by(factors.pop())
        _frame(canvas)

    benchmark.pedantic(step, rounds=12)


def _median_of_edit(canvas: Canvas, edit: Callable[[], None], benchmark: Any) -> None:
    def step() -> None:
        edit()
        canvas.document.flush()
        _frame(canvas)

    step()
    benchmark.pedantic(step, rounds=8)


def test_one_edit_until_it_is_on_screen(benchmark: Any, canvas: Canvas) -> None:
    """Move a server to another U and back; checks are not part of this figure."""
    document = canvas.document
    design = document.design
    server = next(d for d in design.devices.values() if d.bottom_u and d.cards == ())
    rack = server.rack
    canvas.fit_ids([rack])
    QApplication.processEvents()
    free = edits_free(design, server)
    places = [free, server.bottom_u] * 20

    def edit() -> None:
        document.do("move", edits.move_device, server.id, rack, places.pop())

    _median_of_edit(canvas, edit, benchmark)


def edits_free(design: Design, server: Any) -> int:
    from rackloom.catalog.parts import DevicePart
    from rackloom.design.slots import first_free_u

    part = design.part(server.part, DevicePart)
    free = first_free_u(design, part, server.rack)
    assert free is not None
    return free


def test_hit(benchmark: Any, canvas: Canvas) -> None:
    pane = canvas.shown_panes[0]
    rect = pane.visible_rect()
    spot = QPointF(rect.center())
    benchmark.pedantic(pane.hit_at, (spot,), rounds=50)
