# SPDX-License-Identifier: Apache-2.0
"""Signals and makers: error correction, linear optics, brands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rackloom.catalog.parts import CablePart, SwitchPart
from rackloom.catalog.words import CableTechnology
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.checks.shape import Shape, ShapeHit
from rackloom.checks.views import CageState
from rackloom.design.ids import DeviceId

_PLUGGED = {"cables", "modules", "devices"}
_LINEAR = re.compile(r"\b(LPO|LRO|TRO)\b")
_ANY_MAKER = frozenset({"generic", "various", "any"})


@rule(
    "port.fec",
    Severity.INFO,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA Cumulus Linux, switch port attributes (FEC)",
    numbers=(21,),
)
def fec(shape: Shape) -> Iterator[ShapeHit]:
    """Optics with error correction of their own need the port's switched off.

    100G DR1 and FR1 modules correct errors inside; with the port's FEC on as well, the link stays
    down. What to do: set FEC to "off" on that port, and leave it on at a DR4 partner.
    """
    for number, end in enumerate(shape.ends):
        if end.module is not None and "must be off" in end.module.fec:
            yield ShapeHit(
                (number,),
                f"switch FEC off at {{p{number}}}: {end.module.model} corrects errors itself",
            )


@rule(
    "port.linear-optics",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="shape",
    source="public optics and cabling notes (LPO and LRO)",
    numbers=(29,),
)
def linear_optics(shape: Shape) -> Iterator[ShapeHit]:
    """Linear optics (LPO, LRO) work only between ports whose makers list them.

    They have no retimer of their own and leave the signal to the switch chip; beside a retimed
    module at the other end nobody promises anything. What to do: check the pair in both makers'
    lists, or use retimed modules.
    """
    for a, b in shape.pairs():
        modules = [end.module for end in (shape.ends[a], shape.ends[b]) if end.module is not None]
        linear = {m.model for m in modules if _LINEAR.search(m.model)}
        if not linear:
            continue
        mixed = any(not _LINEAR.search(m.model) for m in modules)
        why = "the other end is retimed" if mixed else "only listed pairs of ports work with it"
        yield ShapeHit((a, b), f"{min(linear)} joins {{p{a}}} and {{p{b}}}: {why}")


@rule(
    "port.mixed-brands",
    Severity.INFO,
    watches=_PLUGGED,
    scope="device",
    source="public optics and cabling notes (vendor locks)",
    numbers=(28,),
)
def mixed_brands(context: Context, device_id: str) -> Iterator[Hit]:
    """Transceivers and active cables come from the maker of the switch, or are known to be allowed.

    Some makers refuse foreign modules by their identification, others run them without support.
    What to do: ask for the maker's compatibility list, or order coded modules.
    """
    view = context.view(DeviceId(device_id))
    if not isinstance(view.part, SwitchPart):
        return
    foreign: dict[str, int] = {}
    for state in view.states.values():
        for maker in _makers(context, state):
            if maker != view.part.manufacturer and maker.lower() not in _ANY_MAKER:
                foreign[maker] = foreign.get(maker, 0) + 1
    if foreign:
        words = ", ".join(f"{count} of {maker}" for maker, count in sorted(foreign.items()))
        yield Hit(
            (device_id,),
            f"{called(device_id)} ({view.part.manufacturer}) holds parts of other makers: {words}",
        )


def _makers(context: Context, state: CageState) -> Iterator[str]:
    if state.module is not None:
        yield state.module.manufacturer
        return
    for cable, _ in state.plugs:
        part = context.design.part(cable.part, CablePart)
        if part.technology not in _PASSIVE:
            yield part.manufacturer


_PASSIVE = frozenset({CableTechnology.FIBRE, CableTechnology.DAC, CableTechnology.TWISTED_PAIR})
