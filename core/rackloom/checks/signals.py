# SPDX-License-Identifier: Apache-2.0
"""Signals and makers: error correction, linear optics, brands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart, SwitchPart
from rackloom.catalog.words import CableTechnology, Protocol
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.checks.shape import Shape, ShapeHit
from rackloom.checks.views import CageState
from rackloom.design.edits import set_cable
from rackloom.design.ids import CableId, DeviceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.value import Design

_PLUGGED = {"cables", "modules", "devices"}
_LINEAR = re.compile(r"\b(LPO|LRO|TRO)\b")
_ANY_MAKER = frozenset({"generic", "various", "any"})

_SPOKEN = {
    Protocol.ETHERNET: "Ethernet",
    Protocol.INFINIBAND: "InfiniBand",
    Protocol.NVLINK: "NVLink",
    Protocol.UALINK: "UALink",
}

NO_FEC_M = 3.0
"""The longest passive copper of 25G lanes without RS-FEC (25GBASE-CR-S; CA-N and CA-S cables)."""


def long_slow_copper(context: Context, cables: Iterable[str]) -> Iterator[str]:
    """Passive copper of 25G lanes that carries Ethernet and is longer than it may without FEC."""
    design = context.design
    slow = {
        part.id
        for part in design.parts.values()
        if isinstance(part, CablePart)
        and part.technology is CableTechnology.DAC
        and part.lane_gbps == 25
        and Protocol.ETHERNET in part.protocols
    }
    if not slow:
        return
    for cable_id in cables:
        cable = design.cables[CableId(cable_id)]
        if cable.part in slow and cable.length_m > NO_FEC_M + 1e-6:
            yield cable_id


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
    Severity.WARNING,
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


@rule(
    "port.copper-fec",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="cable",
    among=long_slow_copper,
    source="IEEE 802.3by and 802.3bj; NVIDIA Cumulus Linux, switch port attributes (FEC)",
    numbers=(21, 22),
)
def copper_fec(context: Context, cable_id: str) -> Iterator[Hit]:
    """Passive copper of 25G lanes longer than 3 m needs RS-FEC at both ends.

    Such cables come in three classes: CA-N needs no error correction, CA-S the base-R one, both
    end at 3 m; CA-L goes to 5 m and needs RS-FEC. Which class a shorter cable has is in its order
    code, so nothing is said about those. What to do: set FEC to RS on both ports, or order 3 m
    where that reaches.
    """
    cable = context.design.cables[CableId(cable_id)]
    yield Hit(
        (cable_id,),
        f"{context.cable(cable)} is {cable.length_m:g} m long: set RS-FEC at both ends, since 25G "
        f"lanes carry {NO_FEC_M:g} m of copper without",
        partial(_shorter, cable.id),
    )


def _shorter(cable_id: CableId, design: Design) -> Sequence[Fix]:
    """The longest stocked length that needs no error correction, where the route allows it."""
    cable = design.cables[cable_id]
    part = design.part(cable.part, CablePart)
    needed_m = Context(design).needed_m(cable_id) or 0.0
    lengths_m = [m for m in part.lengths_m if needed_m <= m <= NO_FEC_M]
    if not lengths_m:
        return ()
    return (Fix(f"Order {lengths_m[-1]:g} m", partial(_set_length, cable_id, lengths_m[-1])),)


def _set_length(cable_id: CableId, length_m: float, draft: Draft) -> None:
    set_cable(draft, cable_id, length_m=length_m, length_fixed=False)


@rule(
    "port.forced-speed",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA Cumulus Linux, switch port attributes (auto-negotiation)",
    numbers=(23,),
)
def forced_speed(shape: Shape) -> Iterator[ShapeHit]:
    """Where a port offers no auto-negotiation, speed and FEC are forced at both ends.

    The 400G ports of an SN4700 are such. The other end keeps waiting for a partner that talks, and
    the link stays down. What to do: set speed and FEC by hand on both ports.
    """
    if shape.link_count == 0:
        return
    for a, b in shape.pairs():
        forced = [n for n in (a, b) if _is_forced(shape, n)]
        if forced:
            mode = shape.ends[forced[0]].mode
            yield ShapeHit(
                (a, b),
                f"set speed and FEC by hand at {{p{a}}} and {{p{b}}}: {{p{forced[0]}}} does not "
                f"negotiate {mode.rate_gbps:g} Gb/s",
            )


def _is_forced(shape: Shape, number: int) -> bool:
    end = shape.ends[number]
    return end.mode.rate_gbps in end.cage.forced_rates_gbps


@rule(
    "port.mode-protocol",
    Severity.WARNING,
    watches=_PLUGGED,
    scope="shape",
    source="NVIDIA ConnectX-8 SuperNIC firmware release notes v40.44 (link speeds)",
    numbers=(26,),
)
def mode_protocol(shape: Shape) -> Iterator[ShapeHit]:
    """A port runs in a mode that exists for the protocol it is cabled for.

    ConnectX-8 gives one port of 800 Gb/s on InfiniBand only; on Ethernet it is two of 400 Gb/s.
    What to do: set the port to the mode that Ethernet has (the fix), and the switch port likewise.
    """
    for a, b in shape.pairs():
        spoken = shape.ends[a].cage.protocols & shape.ends[b].cage.protocols
        for number in (a, b):
            end = shape.ends[number]
            offered = end.mode.protocols
            if not spoken or not offered or offered & spoken:
                continue
            words = " or ".join(sorted(_SPOKEN[p] for p in spoken))
            can = [m.name for m in end.cage.modes if not m.protocols or m.protocols & spoken]
            yield ShapeHit(
                (number, b if number == a else a),
                f"{{p{number}}} runs as {end.mode.name}, which it does not offer on {words}"
                + (f" ({', '.join(can)} it does)" if can else ""),
                "other-mode",
            )


_PASSIVE = frozenset({CableTechnology.FIBRE, CableTechnology.DAC, CableTechnology.TWISTED_PAIR})
