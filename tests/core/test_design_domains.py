# SPDX-License-Identifier: Apache-2.0
"""Whole racks, and which GPUs share a scale-up network."""

from __future__ import annotations

import pytest

from rackloom.catalog import DevicePart, RackPart, RackSystemPart, load_bundled
from rackloom.design import EditError, History, edits
from rackloom.design.domains import scale_up_domains
from rackloom.design.kits import add_rack_system

CATALOG = load_bundled()


def placed(system_id: str = "gb200-nvl72-rack") -> tuple[History, str]:
    history = History()
    system = CATALOG.require(system_id)
    assert isinstance(system, RackSystemPart)
    row = history.do("row", edits.add_row)
    return history, history.do("rack", add_rack_system, system, CATALOG, row, 0.0)


def put(history: History, part_id: str, rack: str, u: int) -> str:
    part = CATALOG.require(part_id)
    assert isinstance(part, DevicePart)
    device: str = history.do("add", edits.add_device, part, rack, u)
    return device


@pytest.mark.parametrize("system", ["gb200-nvl72-rack", "gb300-nvl72-rack"])
def test_an_nvl72_rack_is_one_domain_of_72_gpus(system: str) -> None:
    history, rack = placed(system)
    (domain,) = scale_up_domains(history.design)
    assert (domain.gpus, len(domain.servers), len(domain.switches)) == (72, 18, 9)
    assert domain.rack == rack
    assert domain.scale_up.bandwidth_gb_per_s == 900
    assert len(history.design.devices) == 18 + 9 + 8 + 2
    names = [device.name for device in history.design.devices.values()]
    assert len(set(names)) == len(names)


def test_undo_takes_the_whole_rack_back() -> None:
    history, _ = placed()
    history.undo()
    assert not history.design.devices
    assert not history.design.racks


def test_two_racks_are_two_domains() -> None:
    history, rack = placed()
    system = CATALOG.require("gb200-nvl72-rack")
    assert isinstance(system, RackSystemPart)
    row = history.design.racks[rack].row  # type: ignore[index]
    history.do("rack", add_rack_system, system, CATALOG, row, 0.6)
    assert [d.gpus for d in scale_up_domains(history.design)] == [72, 72]
    with pytest.raises(EditError, match="stands there"):
        history.do("rack", add_rack_system, system, CATALOG, row, 0.3)


def test_trays_without_backplane_or_switches_stay_alone() -> None:
    history = History()
    row = history.do("row", edits.add_row)
    for n, rack_id in enumerate(("generic-48u-800", "nvl72-mgx")):
        part = CATALOG.require(rack_id)
        assert isinstance(part, RackPart)
        rack = history.do("rack", edits.add_rack, part, row, float(n))
        for u in (1, 2):
            put(history, "gb200-compute-tray", rack, u)
    assert [d.gpus for d in scale_up_domains(history.design)] == [4, 4, 4, 4]
    put(history, "nvidia-nvlink5-switch-tray", rack, 3)
    assert sorted(d.gpus for d in scale_up_domains(history.design)) == [4, 4, 8]


def test_a_backplane_joins_no_more_gpus_than_it_has_places_for() -> None:
    history, rack = placed()
    put(history, "gb200-compute-tray", rack, 45)
    assert sorted(d.gpus for d in scale_up_domains(history.design)) == [4, 72]


def test_other_generations_do_not_join() -> None:
    history, rack = placed()
    put(history, "generic-ualink-tray", rack, 45)
    put(history, "generic-ualink-switch-tray", rack, 46)
    assert sorted(d.gpus for d in scale_up_domains(history.design)) == [4, 72]


def test_servers_with_a_domain_of_their_own() -> None:
    history = History()
    row = history.do("row", edits.add_row)
    part = CATALOG.require("generic-48u-800")
    assert isinstance(part, RackPart)
    rack = history.do("rack", edits.add_rack, part, row, 0.0)
    dgx = put(history, "dgx-h100", rack, 1)
    put(history, "cpu-node-1u", rack, 20)
    (domain,) = scale_up_domains(history.design)
    assert (domain.servers, domain.gpus, domain.rack) == ((dgx,), 8, None)


def test_a_rack_whose_contents_are_not_public_is_refused_with_a_way_out() -> None:
    with pytest.raises(EditError, match="place its trays in a rack of your own"):
        placed("amd-helios-rack")
