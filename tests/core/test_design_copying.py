# SPDX-License-Identifier: Apache-2.0
"""Copy, paste and duplicate."""

import pytest

from rackloom.catalog import CablePart, Catalog, DevicePart, RackPart, TransceiverPart, load_bundled
from rackloom.design import CableEnd, EditError, History, edits
from rackloom.design.copying import duplicate, paste, snippet

CATALOG: Catalog = load_bundled()


def part(part_id: str) -> DevicePart:
    found = CATALOG.require(part_id)
    assert isinstance(found, DevicePart)
    return found


@pytest.fixture
def room() -> tuple[History, dict[str, str]]:
    """A rack with a DGX, a switch and a PDU, cabled and corded, and an empty rack beside it."""
    history = History()
    rack_part = CATALOG.require("generic-48u-800")
    fibre, flat, finned = (CATALOG.require(i) for i in ("mfp7e10", "mma4z00-ns-flt", "mma4z00-ns"))
    assert isinstance(rack_part, RackPart)
    assert isinstance(fibre, CablePart)
    assert isinstance(flat, TransceiverPart)
    assert isinstance(finned, TransceiverPart)
    ids = {"row": history.do("row", edits.add_row)}
    for n in (0, 1):
        ids[f"rack{n}"] = history.do("rack", edits.add_rack, rack_part, ids["row"], 0.8 * n)
    ids["dgx"] = history.do("dgx", edits.add_device, part("dgx-h100"), ids["rack0"], 1)
    ids["leaf"] = history.do("leaf", edits.add_device, part("nvidia-qm9700"), ids["rack0"], 48)
    ids["pdu"] = history.do("pdu", edits.add_device, part("generic-415-60"), ids["rack0"], None)
    history.do("optic", edits.insert_module, flat, ids["dgx"], "OSFP1")
    history.do("optic", edits.insert_module, finned, ids["leaf"], "1")
    ends = [CableEnd(0, ids["dgx"], "OSFP1"), CableEnd(1, ids["leaf"], "1")]
    history.do("fibre", edits.plug_cable, fibre, ends, 3.0)
    history.do("cord", edits.plug_cord, ids["dgx"], 1, ids["pdu"], "C19-1")
    return history, ids


def test_a_duplicated_server_stands_in_the_next_free_u_without_cables(
    room: tuple[History, dict[str, str]],
) -> None:
    history, ids = room
    (copy,) = history.do("Duplicate", duplicate, history.design, {ids["dgx"]})
    device = history.design.devices[copy]
    assert (device.rack, device.bottom_u, device.name) == (ids["rack0"], 9, "gpu-02")
    assert len(history.design.cables) == 1
    assert len(history.design.modules) == 2


def test_a_duplicated_rack_brings_its_devices_cables_and_cords(
    room: tuple[History, dict[str, str]],
) -> None:
    history, ids = room
    history.do("Duplicate", duplicate, history.design, {ids["rack0"]})
    design = history.design
    assert [r.position_m for r in design.racks.values()] == pytest.approx([0.0, 0.8, 1.6])
    assert len(design.devices) == 6
    assert len({d.name for d in design.devices.values()}) == 6
    assert (len(design.cables), len(design.modules), len(design.cords)) == (2, 4, 2)
    assert sum(len(links) for links in design.links.values()) == 2


def test_pasting_into_another_rack_keeps_the_u(room: tuple[History, dict[str, str]]) -> None:
    history, ids = room
    clip = snippet(history.design, {ids["dgx"], ids["leaf"]})
    new = history.do("Paste", paste, clip, ids["rack1"])
    placed = [history.design.devices[i] for i in new]
    assert [(d.rack, d.bottom_u) for d in placed] == [(ids["rack1"], 1), (ids["rack1"], 48)]
    assert len(history.design.cables) == 2, "the cable between them came along"


def test_a_cable_to_something_not_copied_stays_behind(
    room: tuple[History, dict[str, str]],
) -> None:
    history, ids = room
    clip = snippet(history.design, {ids["dgx"]})
    assert not clip.design.cables
    assert not clip.design.modules


def test_a_full_rack_refuses_with_a_sentence(room: tuple[History, dict[str, str]]) -> None:
    history, ids = room
    for _ in range(4):
        history.do("Duplicate", duplicate, history.design, {ids["dgx"]})
    before = history.design
    with pytest.raises(EditError, match="has no 8 free U for gpu-01"):
        history.do("Duplicate", duplicate, history.design, {ids["dgx"]})
    assert history.design is before


def test_pasting_into_an_empty_design_without_a_rack_says_what_is_missing(
    room: tuple[History, dict[str, str]],
) -> None:
    history, ids = room
    clip = snippet(history.design, {ids["dgx"]})
    with pytest.raises(EditError, match="select a rack"):
        History().do("Paste", paste, clip)
