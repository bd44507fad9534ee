# SPDX-License-Identifier: Apache-2.0
"""Which part joins two ports, in which length, and what speaks against it.

The chooser takes what carries the full rate of both ports and reaches, in this order: technology
(twisted pair, DAC, ACC, AEC, AOC, then optics with a fibre cord; multimode before single-mode),
parts of the devices' own makers before others, fewer ends left hanging, and the shorter length.
Prices are unknown to the catalogue: the order of technologies stands in for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.edits import remove
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.value import Design
from rackloom.placement.joins import Join, Joiner, JoinSet, Kind, joiner
from rackloom.placement.lengths import needed_m, next_length_m, refit_length, refit_lengths
from rackloom.placement.loose_ends import cable_text, has_loose_end, next_pair, plug_loose_end
from rackloom.placement.many_routes import route_lengths_m
from rackloom.placement.misses import nearest_miss
from rackloom.placement.plans import (
    EMPTY,
    Filled,
    Plan,
    Refusal,
    apply_plans,
    filled_cages,
    kind_at,
    kind_here,
    named_kind,
    plan_of,
    port_text,
)
from rackloom.placement.routes import PortAt, route_m

__all__ = [
    "Plan",
    "Refusal",
    "apply_plans",
    "choose",
    "needed_m",
    "next_length_m",
    "plan_cable",
    "plan_of",
    "rechoose",
    "refit_length",
    "refit_lengths",
    "takers",
    "too_far",
]

# Choosing


def choose(
    design: Design,
    catalog: Catalog,
    a: PortAt,
    b: PortAt,
    technology: CableTechnology | None = None,
    part: CablePart | None = None,
) -> Plan | Refusal:
    """The part that joins two ports, in the next stocked length; see the module for the order.

    A transceiver that sits in a cage is used, at its first free socket. A port that holds one end
    of a breakout gets the next loose end of it, and a trunk cable asked for by ``part`` the next
    pair of its connectors. ``technology`` or ``part`` narrow the choice, and
    then allow parts that run below the ports' full rate.
    """
    if a == b:
        return Refusal(f"both ends of a cable cannot go into {port_text(design, a)}", (a[0],))
    fills = tuple(filled_cages(design, port[0]).get(port[1], EMPTY) for port in (a, b))
    for here, there, fill in ((a, b, fills[0]), (b, a, fills[1])):
        if fill.cables and not fill.free_sockets:
            return plug_loose_end(design, catalog, here, there, fill, technology, part)
    if part is not None and part.connectors_per_side > 1:
        more = next_pair(design, part, a, b)
        if more is not None:
            return more
    needed_m = route_m(design, (a, b)).needed_m
    work = joiner(design, catalog)
    kinds = kind_at(design, a, fills[0]), kind_at(design, b, fills[1])
    modules = fills[0].module, fills[1].module
    joins = work.between(*kinds, *modules).of(technology, part)
    best = joins.for_length(needed_m)
    if best is None:
        return _why_not(design, work, a, b, modules, joins, needed_m, technology, part)
    join, length_m = best
    sockets = tuple(fill.free_sockets[0] if fill.free_sockets else 0 for fill in fills)
    return plan_of(design, join, a, b, sockets, (fills[0], fills[1]), length_m, needed_m)


def plan_cable(
    design: Design, catalog: Catalog, part: CablePart, a: PortAt, b: PortAt
) -> Plan | Refusal:
    """How a cable of a given part joins two ports; its further branches by plans that follow."""
    return choose(design, catalog, a, b, part=part)


# Why not


def _why_not(
    design: Design,
    work: Joiner,
    a: PortAt,
    b: PortAt,
    modules: tuple[TransceiverPart | None, TransceiverPart | None],
    joins: JoinSet,
    needed_m: float,
    technology: CableTechnology | None,
    part: CablePart | None,
) -> Refusal:
    where = (a[0], b[0])
    if joins.longest is not None:
        between = f"{port_text(design, a)} and {port_text(design, b)}"
        return Refusal(f"between {between} it is {too_far(joins.longest, needed_m)}", where)
    message = nearest_miss(
        work, named_kind(design, a), named_kind(design, b), *modules, part, technology
    )
    return Refusal(message, where)


def too_far(longest: Join, needed_m: float) -> str:
    """How far it is, and how far the longest part that fits goes: half a sentence."""
    with_optics = f" with {longest.a_module.model}" if longest.a_module else ""
    return (
        f"{needed_m:.1f} m with slack, and the longest part that fits, "
        f"{longest.part.model}{with_optics}, comes in {longest.reach_m:g} m at most"
    )


# Which ports would take the other end


def takers(
    design: Design,
    catalog: Catalog,
    from_: PortAt,
    part: CablePart | None = None,
    devices: Iterable[DeviceId] | None = None,
) -> Mapping[PortAt, str | None]:
    """For each port of ``devices`` (all by default): None where a cable from ``from_`` may go.

    Else the reason why not, in one sentence; the canvas dims such ports and shows it on hovering.
    """
    chosen = list(design.devices if devices is None else devices)
    found: dict[PortAt, str | None] = {}
    here = filled_cages(design, from_[0]).get(from_[1], EMPTY)
    if here.cables and not here.free_sockets:
        return _loose_end_takers(design, catalog, from_, part, chosen)
    work = joiner(design, catalog)
    kind = kind_at(design, from_, here)
    verdicts: dict[tuple[Kind, str | None], tuple[str | None, Join | None]] = {}
    far: list[tuple[PortAt, Join]] = []
    for device_id in chosen:
        filled = filled_cages(design, device_id)
        device = design.devices[device_id]
        for name, cage in cages_of(design, device).items():
            port = (device_id, name)
            fill = filled.get(name, EMPTY)
            if port == from_:
                found[port] = "this is where the cable starts"
                continue
            if fill.cables and not fill.free_sockets:
                found[port] = _busy(design, catalog, port, from_, fill, here, part)
                continue
            there = kind_here(design, device, cage, fill)
            key = (there, fill.module.id if fill.module else None)
            if key not in verdicts:
                joins = work.between(kind, there, here.module, fill.module).of(None, part)
                why = None
                if not joins.joins:
                    why = nearest_miss(work, kind, there, here.module, fill.module, part)
                verdicts[key] = (why, joins.longest)
            why, longest = verdicts[key]
            found[port] = why
            if longest is not None:
                far.append((port, longest))
    ports = [port for port, _ in far]
    lengths_m = route_lengths_m(design, [from_] * len(ports), ports).tolist()
    slack_m = 2 * design.settings.slack_m
    for (port, longest), length_m in zip(far, lengths_m, strict=True):
        if length_m + slack_m > longest.reach_m + 1e-9:
            found[port] = f"it is {too_far(longest, length_m + slack_m)}"
    return found


def _busy(
    design: Design,
    catalog: Catalog,
    port: PortAt,
    from_: PortAt,
    fill: Filled,
    here: Filled,
    part: CablePart | None,
) -> str | None:
    """A full port still takes a free one when a breakout in it has an end left."""
    if any(has_loose_end(design, cable_id) for _, cable_id in fill.cables) and not here.cables:
        outcome = plug_loose_end(design, catalog, port, from_, fill, None, part)
        return None if isinstance(outcome, Plan) else outcome.message
    return f"{port_text(design, port)} is taken by {cable_text(design, fill.cables[0][1])}"


def _loose_end_takers(
    design: Design,
    catalog: Catalog,
    from_: PortAt,
    part: CablePart | None,
    devices: list[DeviceId],
) -> dict[PortAt, str | None]:
    """Takers for the loose end of a breakout; they are asked one by one only where one is loose."""
    fill = filled_cages(design, from_[0])[from_[1]]
    loose = any(has_loose_end(design, cable_id) for _, cable_id in fill.cables)
    taken = f"{port_text(design, from_)} is taken by {cable_text(design, fill.cables[0][1])}"
    found: dict[PortAt, str | None] = {}
    for device_id in devices:
        for name in cages_of(design, design.devices[device_id]):
            port = (device_id, name)
            if not loose or port == from_:
                found[port] = taken
                continue
            outcome = plug_loose_end(design, catalog, from_, port, fill, None, part)
            found[port] = None if isinstance(outcome, Plan) else outcome.message
    return found


# Another part


def rechoose(
    design: Design, catalog: Catalog, cable_id: CableId
) -> Callable[[Draft], CableId] | Refusal:
    """An edit that joins the two ports of a straight cable by the part that suits them now.

    Its transceivers go with it unless another cable uses them; label, fabric and colour stay.
    """
    cable = design.cables[cable_id]
    if len(cable.ends) != 2:
        return Refusal("only a cable with two plugged ends can be replaced as a whole", (cable_id,))
    draft = Draft(design)
    remove(draft, [cable_id])
    without, _ = draft.close("take out")
    a, b = ((end.device, end.cage) for end in cable.ends)
    plans = _as_many_links(without, catalog, (a, b), len(design.links.get(cable_id, ())))
    if isinstance(plans, Refusal):
        return plans
    found = plans

    def replug(draft: Draft) -> CableId:
        remove(draft, [cable_id])
        new = [plan.apply(draft) for plan in found]
        for new_id in new:
            fresh = draft.cables[new_id]
            draft.put(replace(fresh, label=cable.label, fabric=cable.fabric, colour=cable.colour))
        return new[0]

    return replug


def _as_many_links(
    design: Design, catalog: Catalog, ports: tuple[PortAt, PortAt], links: int
) -> list[Plan] | Refusal:
    """Cables that together carry this many links: two cords for a twin-port cable."""
    plans: list[Plan] = []
    carried = 0
    while not plans or carried < links:
        plan = choose(design, catalog, *ports)
        if isinstance(plan, Refusal):
            return plans or plan
        draft = Draft(design)
        new_id = plan.apply(draft)
        design, _ = draft.close("try")
        plans.append(plan)
        gained = len(design.links.get(new_id, ()))
        if gained == 0:
            break
        carried += gained
    return plans
