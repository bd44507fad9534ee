# SPDX-License-Identifier: Apache-2.0
"""Where devices and ports are in a rack, as one would measure them with a tape."""

import itertools

import numpy as np
import pytest
from tests.core.placement_parts import Room, pdu, rack, server, switch

from rackloom.catalog.load import load_bundled
from rackloom.catalog.parts import U_MM, RackPart
from rackloom.catalog.words import Side
from rackloom.design import EditError
from rackloom.placement.geometry import (
    PLINTH_MM,
    chassis_origin_mm,
    device_box_mm,
    inlet_places_mm,
    is_visible,
    outlet_places_mm,
    port_grid,
    port_place,
    rack_height_mm,
    rack_opening_mm,
    u_at_mm,
    u_bottom_mm,
)


def test_a_42u_opening_is_1866_9_mm_high() -> None:
    bottom_mm, top_mm = rack_opening_mm(rack(units=42))
    assert top_mm - bottom_mm == pytest.approx(1866.9)
    assert rack_height_mm(rack(units=42)) == pytest.approx(50 + 1866.9 + 60)


def test_a_stated_height_is_kept_and_holds_the_units() -> None:
    for part in load_bundled().of_kind(RackPart):
        bottom_mm, top_mm = rack_opening_mm(part)
        if part.height_mm is not None:
            assert rack_height_mm(part) == part.height_mm
        assert bottom_mm >= 0
        assert top_mm - bottom_mm == pytest.approx(part.rack_units * U_MM)


def test_every_u_is_found_again_at_its_height() -> None:
    part = rack()
    for u in range(1, part.rack_units + 1):
        assert u_at_mm(part, u_bottom_mm(part, u) + 1) == u
        assert u_at_mm(part, u_bottom_mm(part, u) + U_MM - 1) == u
    assert u_at_mm(part, 10) < 1


def test_a_server_at_u3_stands_two_units_above_the_plinth_in_the_middle() -> None:
    room = Room()
    box_id = room.device(room.rack(room.row(), 0), server(8), 3)
    box = device_box_mm(room.design(), box_id, Side.FRONT)
    assert box.z_mm == pytest.approx(PLINTH_MM + 2 * 44.45)
    assert box.height_mm == pytest.approx(8 * 44.45)
    assert box.width_mm == 482.6
    assert box.x_mm == pytest.approx((600 - 482.6) / 2)
    behind = device_box_mm(room.design(), box_id, Side.REAR)
    assert behind.width_mm == 440  # the ears are at the front rails
    assert behind.x_mm == pytest.approx(80)


def test_a_switch_port_is_where_its_cage_is_on_the_chassis() -> None:
    room = Room()
    device_id = room.device(room.rack(room.row(), 0), switch(), 40)
    place = port_place(room.design(), device_id, "1")
    assert place.side is Side.FRONT
    assert place.x_mm == pytest.approx(80 + 20)
    assert place.z_mm == pytest.approx(50 + 39 * 44.45 + 31)
    assert port_place(room.design(), device_id, "2").z_mm == pytest.approx(place.z_mm - 20)
    assert port_place(room.design(), device_id, "3").x_mm == pytest.approx(place.x_mm + 24)


def test_a_turned_switch_shows_its_front_at_the_racks_rear_in_the_same_order() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    ahead = room.device(rack_id, switch(), 1)
    turned = room.device(rack_id, switch(), 2, face=Side.REAR)
    design = room.design()
    place = port_place(design, turned, "1")
    assert place.side is Side.REAR
    # Walking round the rack one sees port 1 at the left again, as on any switch.
    assert place.x_mm == port_place(design, ahead, "1").x_mm
    assert device_box_mm(design, turned, Side.REAR).width_mm == 482.6
    assert device_box_mm(design, turned, Side.FRONT).width_mm == 440


def test_a_server_has_its_nics_behind() -> None:
    room = Room()
    device_id = room.device(room.rack(room.row(), 0), server(), 1)
    place = port_place(room.design(), device_id, "nic1")
    assert place == (Side.REAR, 80 + 300, 50 + 31)


def test_a_port_that_is_not_there_is_named() -> None:
    room = Room()
    device_id = room.device(room.rack(room.row(), 0), server(), 1)
    with pytest.raises(EditError, match="gpu-01 has no port 'nic9'"):
        port_place(room.design(), device_id, "nic9")


def test_vertical_pdus_hang_at_the_rear_posts_and_do_not_overlap() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    ids = [room.device(rack_id, pdu(), None) for _ in range(4)]
    design = room.design()
    rear = {design.devices[i].mount: device_box_mm(design, i, Side.REAR) for i in ids}
    assert rear["left-1"].x_mm < rear["left-2"].x_mm < rear["right-2"].x_mm < rear["right-1"].x_mm
    spans = sorted((b.x_mm, b.x_mm + b.width_mm) for b in rear.values())
    assert all(a[1] <= b[0] + 1e-9 for a, b in itertools.pairwise(spans))
    assert spans[1][1] <= (600 - 482.6) / 2 + 1e-9  # clear of the rails
    front = device_box_mm(design, ids[0], Side.FRONT)
    assert front.x_mm == pytest.approx(600 - rear["left-1"].width_mm)  # seen from the other side
    assert is_visible(design, ids[0], Side.REAR)
    assert not is_visible(design, ids[0], Side.FRONT)


def test_a_half_depth_switch_is_seen_from_its_face_only() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    half = room.device(rack_id, switch(half_depth=True), 1, face=Side.REAR)
    full = room.device(rack_id, switch(), 2, face=Side.REAR)
    design = room.design()
    assert not is_visible(design, half, Side.FRONT)
    assert is_visible(design, half, Side.REAR)
    assert is_visible(design, full, Side.FRONT)


def test_a_port_grid_agrees_with_the_places_of_single_ports() -> None:
    room = Room()
    device_id = room.device(room.rack(room.row(), 0), switch(), 7)
    design = room.design()
    device = design.devices[device_id]
    grid = port_grid(design, device, Side.FRONT)
    assert len(grid.cages) == 32
    left_mm, bottom_mm = chassis_origin_mm(design, device)
    for name in ("1", "17", "32"):
        place = port_place(design, device_id, name)
        row = grid.places[grid.row_of[name]]
        assert (left_mm + row[0], bottom_mm + row[1]) == pytest.approx(place[1:])
    assert len(port_grid(design, device, Side.REAR).cages) == 0
    assert port_grid(design, device, Side.FRONT) is grid  # one for all switches of the kind


def test_the_ports_of_real_switches_lie_on_their_chassis() -> None:
    from rackloom.catalog.parts import SwitchPart

    for part in load_bundled().of_kind(SwitchPart):
        for cage in part.cages:
            assert 0 < cage.x_mm < 445, (part.id, cage.name)
            assert 0 < cage.y_mm < max(part.rack_units, 1) * U_MM, (part.id, cage.name)


def test_outlets_and_inlets_lie_on_their_devices() -> None:
    room = Room()
    rack_id = room.rack(room.row(), 0)
    pdu_id = room.device(rack_id, pdu(), None)
    server_id = room.device(rack_id, server(), 1)
    design = room.design()
    box = device_box_mm(design, pdu_id, Side.REAR)
    outlets = outlet_places_mm(design, pdu_id)
    assert len(outlets) == 18
    assert len(np.unique(outlets, axis=0)) == 18
    assert ((outlets > (box.x_mm, box.z_mm)).all(axis=1)).all()
    assert (outlets < (box.x_mm + box.width_mm, box.z_mm + box.height_mm)).all()
    inlets = inlet_places_mm(design, server_id)
    assert len(inlets) == 6
    assert len(inlet_places_mm(design, pdu_id)) == 1
