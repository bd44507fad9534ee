# SPDX-License-Identifier: Apache-2.0
"""Servers as a preset orders them: a part, and the network cards in its slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import NicPart, PartId, ServerPart
from rackloom.design.hardware import cages_with
from rackloom.generate.errors import GenerateError


@dataclass(frozen=True)
class Fitted:
    """A server part with cards in some of its slots, each as (slot, card)."""

    part: ServerPart
    cards: tuple[tuple[str, NicPart], ...] = ()

    @cached_property
    def cages(self) -> tuple[Cage, ...]:
        """Its receptacles, those of the cards among them."""
        return tuple(cages_with(self.part, self.cards).values())

    @property
    def card_ids(self) -> tuple[tuple[str, PartId], ...]:
        """The cards as a device names them."""
        return tuple(sorted((slot, card.id) for slot, card in self.cards))

    @property
    def title(self) -> str:
        """Maker and model of the server."""
        return self.part.title


def fitted(server: ServerPart, nic: NicPart | None) -> Fitted:
    """A server with this card in each slot of a rail, or, where it has no rails, in each slot.

    The cards it comes with give way. GenerateError where it has no slots.
    """
    if nic is None:
        return Fitted(server)
    slots = [slot for slot in server.slots if slot.rail is not None] or list(server.slots)
    if not slots:
        raise GenerateError(
            f"nic={nic.id}: {server.title} has no slots that its figures tell of, so it keeps its "
            "own network cards"
        )
    for slot in slots:
        if nic.pcie_lanes is not None and nic.pcie_lanes > slot.pcie_lanes:
            raise GenerateError(
                f"nic={nic.id}: {nic.title} has {nic.pcie_lanes} PCIe lanes, and {slot.name} of "
                f"{server.title} {slot.pcie_lanes}"
            )
    return Fitted(server, tuple((slot.name, nic) for slot in slots))
