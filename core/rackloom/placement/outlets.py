# SPDX-License-Identifier: Apache-2.0
"""Which outlet of a PDU a cord takes: of the right kind, on the leg that carries least so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rackloom.catalog.parts import DevicePart, PduPart
from rackloom.catalog.words import Inlet
from rackloom.design.ids import DeviceId
from rackloom.placement.loads import greatest_draw

OUTLETS_FOR: dict[Inlet, tuple[str, ...]] = {
    Inlet.C14: ("C13", "C13/C19"),
    Inlet.C16: ("C13", "C13/C19"),
    Inlet.C20: ("C19", "C13/C19"),
    Inlet.C22: ("C19", "C13/C19"),
}
"""Outlets that a cord to an inlet plugs into, the plain ones first. IEC 60320 pairs C13 with C14
and C19 with C20; C16 and C22 are their hot variants, on cords with the same plug at the PDU."""


def fitting_outlets(part: PduPart, inlet: Inlet) -> int:
    """How many outlets of a PDU take the cord of an inlet."""
    kinds = OUTLETS_FOR.get(inlet, ())
    return sum(group.count for group in part.outlets if group.kind in kinds)


def watts_per_inlet(part: DevicePart) -> float:
    """An even share of the greatest draw without plugs; 0 where it is unknown (cords count too)."""
    return greatest_draw(part, 0.0, False).watts / (part.psu.count if part.psu else 1)


@dataclass(slots=True)
class _Leg:
    """Load on one leg of one PDU: watts where they are known, and how many cords."""

    watts: float = 0.0
    cords: int = 0


@dataclass(slots=True)
class Strip:
    """A PDU being filled: its free outlets by kind and leg, and the load of its legs."""

    pdu: DeviceId
    part: PduPart
    _free: dict[str, dict[str | None, list[tuple[int, str]]]] = field(default_factory=dict)
    _legs: dict[str | None, _Leg] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, (name, group) in enumerate(self.part.outlet_names):
            self._legs.setdefault(group.leg, _Leg())
            self._free.setdefault(group.kind, {}).setdefault(group.leg, []).append((place, name))

    def occupy(self, outlet: str, watts: float) -> None:
        """Say that a cord is in an outlet already; one that the part does not have is no matter."""
        for legs in self._free.values():
            for leg, outlets in legs.items():
                for entry in outlets:
                    if entry[1] == outlet:
                        outlets.remove(entry)
                        self._load(leg, watts)
                        return

    def _load(self, leg: str | None, watts: float) -> None:
        self._legs[leg].watts += watts
        self._legs[leg].cords += 1


def take_outlet(strips: Iterable[Strip], inlet: Inlet, watts: float) -> tuple[DeviceId, str] | None:
    """The first free outlet on the least loaded leg; plain outlets before combined ones.

    Between legs that carry the same the order of the strips and of their outlets decides.
    """
    strips = tuple(strips)
    for kind in OUTLETS_FOR.get(inlet, ()):
        best: tuple[tuple[float, int, int, int], Strip, str | None] | None = None
        for number, strip in enumerate(strips):
            for leg, outlets in strip._free.get(kind, {}).items():
                if outlets:
                    load = strip._legs[leg]
                    score = (load.watts, load.cords, number, outlets[0][0])
                    if best is None or score < best[0]:
                        best = (score, strip, leg)
        if best is not None:
            _, strip, leg = best
            _, name = strip._free[kind][leg].pop(0)
            strip._load(leg, watts)
            return strip.pdu, name
    return None
