# SPDX-License-Identifier: Apache-2.0
"""A device as built: the cages of its part and of the cards in its slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import DevicePart, NicPart, PartId, ServerPart
from rackloom.catalog.words import Side
from rackloom.design.entities import Device

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design


def cages_of(design: Design | Draft, device: Device) -> Mapping[str, Cage]:
    """Every receptacle of a device by name; a card's are named after its slot (``slot2/1``)."""
    part = design.part(device.part, DevicePart)
    if not device.cards:
        return part.cage_by_name
    return cages_with(part, [(slot, design.part(card, NicPart)) for slot, card in device.cards])


def cages_with(part: DevicePart, cards: Iterable[tuple[str, NicPart]]) -> dict[str, Cage]:
    """The receptacles of a part with these cards in its slots, each as (slot, card).

    A card takes the place of the one that the part comes with in its slot, if it does.
    """
    cages = dict(part.cage_by_name)
    slots = {slot.name: slot for slot in part.slots} if isinstance(part, ServerPart) else {}
    for slot_name, card in cards:
        for held in slots[slot_name].holds if slot_name in slots else ():
            cages.pop(held, None)
        cages.update(_card_cages(part, slot_name, card))
    return cages


def _card_cages(part: DevicePart, slot_name: str, card: NicPart) -> dict[str, Cage]:
    return _card_cages_by_id(id(part), id(card), _Pair(part, card), slot_name)


class _Pair:
    """Keeps both parts alive while they are a key by identity (parts hash slowly by content)."""

    def __init__(self, part: DevicePart, card: NicPart) -> None:
        self.part = part
        self.card = card

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pair) and self.part is other.part and self.card is other.card


@lru_cache(maxsize=512)
def _card_cages_by_id(part_key: int, card_key: int, pair: _Pair, slot_name: str) -> dict[str, Cage]:
    part, card = pair.part, pair.card
    slots = part.slots if isinstance(part, ServerPart) else ()
    order = next((n for n, slot in enumerate(slots) if slot.name == slot_name), 0)
    slot = slots[order] if slots else None
    held = part.cage_by_name[slot.holds[0]] if slot and slot.holds else None
    height_mm = max(part.rack_units, 1) * 44.45
    cages: dict[str, Cage] = {}
    for number, cage in enumerate(card.cages, start=1):
        name = f"{slot_name}/{number}"
        ports = tuple(
            replace(
                port,
                name=name if len(cage.ports) == 1 else f"{name}/{p + 1}",
                nic=slot_name,
                gpu=slot.gpu if slot else None,
                rail=slot.rail if slot else None,
            )
            for p, port in enumerate(cage.ports)
        )
        # Cards stand in slots from left to right at the rear; the exact place is the chassis'.
        # Another card for a slot stands where the first did, its ports one below the other.
        place = (
            (60.0 + 60.0 * order + (number - 1) * 22.0, min(height_mm / 2, height_mm - 12.0))
            if held is None
            else (held.x_mm, held.y_mm - (number - 1) * (cage.height_mm + 2.0))
        )
        cages[name] = replace(
            cage,
            name=name,
            group=slot_name,
            x_mm=place[0],
            y_mm=place[1],
            side=cage.side if held is None else held.side,
            role=cage.role if held is None else held.role,
            ports=ports,
            neighbour=None,
        )
    return cages


def default_face(part: DevicePart) -> Side:
    """Which side of the rack a new device's front looks out of, so that it draws in cold air.

    Racks take air in at their front. A switch that blows from its power side to its ports is
    mounted with the ports at the rear, beside the servers' NICs; one whose airflow is not known
    looks out of the front.
    """
    from_its_rear = part.airflow in {"power-to-port", "rear-to-front"}
    return Side.REAR if from_its_rear else Side.FRONT


def fixed_mode(device: Device, cage: Cage) -> BreakoutMode | None:
    """The breakout mode the user fixed for a cage, or None where it follows what is plugged."""
    for name, mode in device.modes:
        if name == cage.name:
            return cage.mode(mode)
    return None


def part_ids_of(device: Device) -> tuple[PartId, ...]:
    """Every part a device is made of."""
    return (device.part, *(card for _, card in device.cards))
