# SPDX-License-Identifier: Apache-2.0
"""The elevation drawing: where racks and rows stand on it."""

import numpy as np
import pytest
from tests.core.placement_parts import Room, pdu, rack, server, switch

from rackloom.catalog.words import Side
from rackloom.design import Draft
from rackloom.design.edits import move_rack, rename
from rackloom.placement.elevation import (
    device_box,
    device_boxes,
    elevation,
    port_point,
    rack_origins,
    row_bands,
)


def test_racks_of_a_row_stand_on_one_floor_at_their_positions() -> None:
    room = Room()
    row = room.row(x_m=1.0)
    low = room.rack(row, 0.0, rack(units=42))
    high = room.rack(row, 1.8, rack(units=52))
    origins = rack_origins(room.design())
    assert origins[low][0] == pytest.approx(1000)
    assert origins[high][0] == pytest.approx(2800)
    assert origins[low][1] == origins[high][1]


def test_rows_follow_one_another_downwards_as_they_stand_in_the_room() -> None:
    room = Room()
    behind = room.row(y_m=3.6)
    ahead = room.row(y_m=0.0)
    room.rack(behind, 0)
    room.rack(ahead, 0, rack(units=52))
    bands = row_bands(room.design())
    assert [band.row for band in bands] == [ahead, behind]
    assert bands[0].top_mm == 0
    assert bands[0].floor_mm < bands[1].top_mm < bands[1].tray_top_mm < bands[1].tray_bottom_mm
    layout = elevation(room.design())
    assert layout.rack_boxes[0, 1] > bands[0].tray_bottom_mm  # the tray is above the racks


def test_a_point_on_the_drawing_leads_to_its_rack_and_row() -> None:
    room = Room()
    row = room.row()
    first, second = room.rack(row, 0), room.rack(row, 0.6)
    layout = elevation(room.design())
    x_mm, y_mm = layout.origins[second]
    assert layout.rack_at(x_mm + 300, y_mm - 500) == second
    assert layout.rack_at(x_mm - 300, y_mm - 500) == first
    assert layout.rack_at(x_mm + 3000, y_mm - 500) is None
    band = layout.band_at(y_mm - 500)
    assert band is not None
    assert band.row == row
    assert layout.bounds.x1 == pytest.approx(1200 + 0)


def test_an_empty_row_has_room_to_drop_a_rack_into() -> None:
    room = Room()
    room.row()
    (band,) = row_bands(room.design())
    assert band.right_mm - band.left_mm > 600
    assert band.floor_mm - band.tray_bottom_mm > 1900


def test_arrays_hold_what_the_single_questions_answer() -> None:
    room = Room()
    row = room.row()
    ids = []
    for n in range(3):
        rack_id = room.rack(row, n * 0.6)
        ids += [
            room.device(rack_id, server(), 1 + n),
            room.device(rack_id, switch(half_depth=True), 41, face=Side.REAR),
            room.device(rack_id, pdu(), None),
        ]
    design = room.design()
    for side in Side:
        boxes = device_boxes(design, side)
        assert boxes.ids == tuple(ids)
        for n, device_id in enumerate(ids):
            assert tuple(boxes.boxes[n]) == pytest.approx(device_box(design, device_id, side))
    rear = device_boxes(design, Side.REAR)
    seen, x_mm, y_mm = port_point(design, ids[0], "nic0")
    assert seen is Side.REAR
    assert (rear.corners[0] + (100, -31)) == pytest.approx((x_mm, y_mm))
    assert np.count_nonzero(device_boxes(design, Side.FRONT).visible) == 3  # the servers


def test_the_drawing_is_remembered_until_a_rack_moves() -> None:
    room = Room()
    row = room.row()
    rack_id = room.rack(row, 0)
    device_id = room.device(rack_id, server(), 1)
    before = room.design()
    drawn = elevation(before)
    draft = Draft(before)
    rename(draft, device_id, "gpu-99")
    renamed, _ = draft.close("rename")
    assert elevation(renamed) is drawn
    draft = Draft(renamed)
    move_rack(draft, rack_id, row, 2.0)
    moved, _ = draft.close("move")
    assert rack_origins(moved)[rack_id][0] == pytest.approx(2000)
