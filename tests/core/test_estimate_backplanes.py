# SPDX-License-Identifier: Apache-2.0
"""Racks whose backplane joins the accelerators: every kind the catalogue sells can be estimated."""

from __future__ import annotations

import pytest

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import PartId, RackPart, ServerPart, SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.collectives import estimate
from rackloom.collectives.calibration import load_hardware
from rackloom.design import Design, Draft, edits

RACKS = (
    ("nvl72-mgx", "gb200-compute-tray", "nvidia-nvlink5-switch-tray", 900.0),
    ("generic-ualink-rack-48u", "generic-ualink-tray", "generic-ualink-switch-tray", None),
)
"""Rack, tray, switch tray; GB/s of a GPU and direction where the maker says so."""


def backplane_rack(rack: str, tray: str, switch: str, trays: int) -> Design:
    """A rack with trays and two switch trays above them, nothing cabled."""
    catalog = load_bundled()
    draft = Draft(Design())
    rack_part = catalog[PartId(rack)]
    assert isinstance(rack_part, RackPart)
    place = edits.add_rack(draft, rack_part, edits.add_row(draft), 0.0)
    for number in range(trays):
        part = catalog[PartId(tray)]
        assert isinstance(part, ServerPart)
        edits.add_device(draft, part, place, 1 + number)
    for number in range(2):
        part = catalog[PartId(switch)]
        assert isinstance(part, SwitchPart)
        edits.add_device(draft, part, place, 20 + number)
    return draft.close("draw a rack")[0]


def test_a_switch_of_any_protocol_has_a_usual_latency() -> None:
    network = load_hardware().network
    assert set(network.switch_latency_ns) == {p.value for p in Protocol}
    assert set(network.switch_latency_source) == {p.value for p in Protocol}


@pytest.mark.parametrize(("rack", "tray", "switch", "stated"), RACKS)
def test_a_rack_joined_by_its_backplane_is_estimated(
    rack: str, tray: str, switch: str, stated: float | None
) -> None:
    found = estimate(backplane_rack(rack, tray, switch, trays=3), sizes=[1 << 30])
    part = load_bundled()[PartId(tray)]
    assert isinstance(part, ServerPart)
    assert part.scale_up is not None
    if stated is not None:
        assert part.scale_up.bandwidth_gb_per_s == stated
    assert found.gpus == 12
    (point,) = found.points
    # Without network cards in use, the bus bandwidth is what the backplane gives one GPU, or less;
    # in-network reduction may make it up to twice that.
    assert 0 < point.busbw_gb_per_s <= 2 * part.scale_up.bandwidth_gb_per_s
