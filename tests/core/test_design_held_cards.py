# SPDX-License-Identifier: Apache-2.0
"""Servers sold with network cards in their slots: another card takes the place of one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rackloom.catalog import NicPart, PartId, ServerPart, load_bundled
from rackloom.catalog.parts import Slot
from rackloom.catalog.words import FormFactor, Side
from rackloom.checks import run
from rackloom.collectives import estimate
from rackloom.design import Design, EditError, edits
from rackloom.design.hardware import cages_of
from rackloom.design.history import History
from rackloom.design.ids import DeviceId
from rackloom.fabric import Fabric
from rackloom.generate import GenerateError, generate

CATALOG = load_bundled()
XE9680 = "dell-xe9680-h100"
WITH_SLOTS = [
    XE9680,
    "dell-xe9680-mi300x",
    "dell-xe9680l-b200",
    "supermicro-sys-821ge-tnhr",
    "supermicro-as-8125gs-tnmr2",
    "supermicro-as-8125gs-tnmr2-mi325x",
    "supermicro-as-a126gs-tnmr",
]


def server(part_id: str) -> ServerPart:
    part = CATALOG.require(part_id)
    assert isinstance(part, ServerPart)
    return part


def nic(part_id: str) -> NicPart:
    part = CATALOG.require(part_id)
    assert isinstance(part, NicPart)
    return part


def placed(part_id: str) -> tuple[History, DeviceId]:
    design = generate("rail-fat-tree", CATALOG, servers=1, options={"server": part_id}).design
    history = History(design)
    device = next(d.id for d in design.devices.values() if d.part == part_id)
    return history, device


def form_factors(design: Design, device: DeviceId) -> dict[int, FormFactor]:
    """By rail."""
    return {
        port.rail: cage.form_factor
        for cage in cages_of(design, design.devices[device]).values()
        for port in cage.ports
        if port.rail is not None
    }


@pytest.mark.parametrize("part_id", WITH_SLOTS)
def test_every_rail_has_a_slot_that_holds_the_card_it_comes_with(part_id: str) -> None:
    part = server(part_id)
    rails = [slot for slot in part.slots if slot.rail is not None]
    assert [slot.rail for slot in rails] == list(range(8))
    for slot in rails:
        assert slot.gpu == slot.rail
        (cage,) = slot.holds
        assert part.cage_by_name[cage].ports[0].rail == slot.rail


def test_the_xe9680_has_ten_slots() -> None:
    """Eight of ten PCIe 5 x16 slots hold the compute cards."""
    slots = server(XE9680).slots
    assert len(slots) == 10
    assert {(s.pcie_gen, s.pcie_lanes) for s in slots} == {(5, 16)}
    assert [s.holds for s in slots[8:]] == [("storage1",), ("storage2",)]


def test_another_card_takes_the_place_of_the_one_delivered() -> None:
    history, device = placed(XE9680)
    cables = set(history.design.cables)
    history.do("Bare", edits.remove, cables | set(history.design.modules))
    history.do("Card", edits.set_card, device, "slot3", nic("thor2-1x400"))
    design = history.design
    assert form_factors(design, device)[2] is FormFactor.QSFP112
    assert form_factors(design, device)[3] is FormFactor.OSFP
    cages = cages_of(design, design.devices[device])
    assert "NIC2" not in cages
    old = server(XE9680).cage_by_name["NIC2"]
    new = cages["slot3/1"]
    assert (new.x_mm, new.y_mm, new.side, new.role) == (
        old.x_mm,
        old.y_mm,
        Side.REAR,
        old.role,
    )
    history.do("As delivered", edits.set_card, device, "slot3", None)
    assert "NIC2" in cages_of(history.design, history.design.devices[device])


def test_a_card_whose_port_is_in_use_stays() -> None:
    history, device = placed(XE9680)
    with pytest.raises(EditError, match="unplug NIC2 of gpu-001 first: the card in slot3"):
        history.do("Card", edits.set_card, device, "slot3", nic("thor2-1x400"))


@pytest.mark.parametrize("card", ["bf3-b3140h", "thor2-1x400", "cx7-osfp-400"])
def test_presets_fit_servers_with_the_card_asked_for(card: str) -> None:
    design = generate(
        "rail-fat-tree", CATALOG, servers=8, options={"server": XE9680, "nic": card}
    ).design
    assert [f.message for f in run(design, CATALOG) if f.severity == "error"] == []
    servers = [d for d in design.devices.values() if d.part == XE9680]
    assert {d.cards for d in servers} == {tuple((f"slot{n}", PartId(card)) for n in range(1, 9))}
    links = [link for found in design.links.values() for link in found]
    assert len(links) == 64
    assert {link.rate_gbps for link in links} == {400.0}
    assert estimate(Fabric.of(design)).gpus == 64


def test_empty_slots_of_a_plain_server_are_filled() -> None:
    options = {"server": "generic-2u", "nic": "cx7-qsfp112-1x400"}
    design = generate("rail-fat-tree", CATALOG, servers=4, options=options).design
    assert len(design.cables) == 16
    with pytest.raises(GenerateError, match="has no slots that its figures tell of"):
        generate("rail-fat-tree", CATALOG, servers=4, options={"nic": "cx7-osfp-400"})


def test_a_slot_holds_cages_that_there_are_and_no_two_the_same() -> None:
    part, name = server(XE9680), "NIC0"
    for holds, sentence in (
        ((("no-such",),), "which there is not"),
        (((name,), (name,)), "two slots hold one cage"),
    ):
        slots = [
            Slot(name=f"s{n}", pcie_gen=5, pcie_lanes=16, holds=held).model_dump()
            for n, held in enumerate(holds)
        ]
        with pytest.raises(ValidationError, match=sentence):
            ServerPart.model_validate({**part.model_dump(), "slots": slots})
