# SPDX-License-Identifier: Apache-2.0
"""Which side of the racks there is something to see on: where cables and ports are."""

from __future__ import annotations

from itertools import islice

from rackloom.catalog.cages import Cage
from rackloom.catalog.words import CageRole, Side
from rackloom.design import Design
from rackloom.design.hardware import cages_of
from rackloom.placement.geometry import rack_side

ENOUGH = 400
"""Cables or devices looked at: what most of them do shows by then."""

_APART = frozenset({CageRole.CONSOLE, CageRole.OUT_OF_BAND, CageRole.SERVICE})


def side_of_cables(design: Design) -> Side | None:
    """The side most plugged ports face; None where nothing is plugged or the sides are even."""
    counts = dict.fromkeys(Side, 0)
    for cable in islice(design.cables.values(), ENOUGH):
        for end in cable.ends:
            device = design.devices[end.device]
            cage = cages_of(design, device)[end.cage]
            counts[rack_side(device, cage.side)] += 1
    return _greater(counts)


def side_of_ports(design: Design) -> Side | None:
    """The side most data ports face; None where there are none or the sides are even."""
    counts = dict.fromkeys(Side, 0)
    for device in islice(design.devices.values(), ENOUGH):
        for cage in cages_of(design, device).values():
            if _carries_data(cage):
                counts[rack_side(device, cage.side)] += 1
    return _greater(counts)


def ports_face(design: Design, side: Side) -> bool:
    """Whether any data port faces this side."""
    return any(
        _carries_data(cage) and rack_side(device, cage.side) is side
        for device in islice(design.devices.values(), ENOUGH)
        for cage in cages_of(design, device).values()
    )


def _carries_data(cage: Cage) -> bool:
    return cage.role not in _APART


def _greater(counts: dict[Side, int]) -> Side | None:
    front, rear = counts[Side.FRONT], counts[Side.REAR]
    if front == rear:
        return None
    return Side.FRONT if front > rear else Side.REAR
