# SPDX-License-Identifier: Apache-2.0
"""Lengths: what a route needs, what is stocked, and how far each medium carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity
from rackloom.checks.recable import other_technology
from rackloom.checks.registry import rule
from rackloom.design.edits import set_cable
from rackloom.design.ids import CableId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.checks.shape import Shape
    from rackloom.design.draft import Draft
    from rackloom.design.entities import Cable
    from rackloom.design.value import Design

TOLERANCE_M = 0.005
"""Half a centimetre: routes are computed to the millimetre, racks are not that exact."""

_ROUTED = {"cables", "modules", "devices", "racks", "rows", "settings"}


def _cable(context: Context, cable_id: str) -> tuple[Cable, CablePart]:
    cable = context.design.cables[CableId(cable_id)]
    return cable, context.design.part(cable.part, CablePart)


def odd_lengths(context: Context, cables: Iterable[str]) -> Iterator[str]:
    """Cables that are shorter than their route, longer than their medium, or not stocked so."""
    by_id, shape_of = context.design.cables, context.shape
    chosen = [CableId(cable) for cable in cables]
    odd: dict[tuple[int, float], bool] = {}  # by shape, of which the context keeps each
    for cable_id, needed_m in zip(chosen, context.measured(chosen), strict=True):
        cable = by_id[cable_id]
        shape = shape_of(cable)
        kind = id(shape), cable.length_m
        if kind not in odd:
            odd[kind] = not _carries(shape, cable.length_m)
        if odd[kind] or cable.length_m < needed_m - TOLERANCE_M:  # never, where it is NaN
            yield cable_id


def _carries(shape: Shape, length_m: float) -> bool:
    """Whether a cable plugged like this is stocked in a length, and works at it."""
    least_m, most_m = shape.least_m - TOLERANCE_M, shape.most_m + TOLERANCE_M
    return least_m <= length_m <= most_m and length_m in shape.part.lengths_m


def _set_length(cable_id: CableId, length_m: float, draft: Draft) -> None:
    set_cable(draft, cable_id, length_m=length_m, length_fixed=False)


def next_stocked(cable_id: CableId, design: Design) -> Sequence[Fix]:
    """Order the shortest stocked length that reaches; nothing where none does."""
    context = Context(design)
    cable, part = _cable(context, cable_id)
    needed_m = context.needed_m(cable_id)
    wanted_m = cable.length_m if needed_m is None else needed_m - TOLERANCE_M
    length_m = part.next_stocked_m(wanted_m)
    if length_m is None or abs(length_m - cable.length_m) < TOLERANCE_M:
        return ()
    number = part.part_number_for(length_m)
    label = f"Order {length_m:g} m" + (f" ({number})" if number else "")
    return (Fix(label, partial(_set_length, cable_id, length_m)),)


@rule(
    "reach.too-short",
    Severity.ERROR,
    watches=_ROUTED,
    scope="cable",
    among=odd_lengths,
    source="NVIDIA MCP4Y10 and MCP7Y00 product specifications (stocked lengths); geometry",
    numbers=(45,),
)
def too_short(context: Context, cable_id: str) -> Iterator[Hit]:
    """A cable is as long as its route from port to port, with the slack the site asks for.

    The route runs along the rack's cable manager and, between racks, over the trays; the slack at
    both ends lets the cable be dressed and a device be pulled out. What to do: order the next
    stocked length (the fix), or move the devices closer together.
    """
    cable, part = _cable(context, cable_id)
    needed_m = context.needed_m(cable.id)
    if needed_m is None or cable.length_m >= needed_m - TOLERANCE_M:
        return
    if part.next_stocked_m(needed_m - TOLERANCE_M) is None:
        return  # reach.no-stock says so
    yield Hit(
        (cable_id,),
        f"{context.cable(cable)} is {cable.length_m:g} m long, but its route needs "
        f"{needed_m:.1f} m with slack",
        partial(next_stocked, cable.id),
    )


@rule(
    "reach.no-stock",
    Severity.ERROR,
    watches=_ROUTED,
    scope="cable",
    among=odd_lengths,
    source="NVIDIA MCP4Y10 and MCP7Y00 product specifications (stocked lengths); geometry",
    numbers=(44, 45),
)
def no_stock(context: Context, cable_id: str) -> Iterator[Hit]:
    """The route is no longer than the longest stocked length of the cable's family.

    Copper ends at a few metres: 2 m and 3 m for passive 100G lanes, 5 m active, 7 m retimed. What
    to do: take the technology that reaches (the fix, where there is one), or move the devices.
    """
    cable, part = _cable(context, cable_id)
    needed_m = context.needed_m(cable.id)
    longest_m = part.lengths_m[-1]
    if needed_m is None or cable.length_m >= needed_m - TOLERANCE_M:
        return
    if needed_m - TOLERANCE_M <= longest_m:
        return
    yield Hit(
        (cable_id,),
        f"{context.cable(cable)} needs {needed_m:.1f} m with slack, but the longest "
        f"{part.technology} of this family is {longest_m:g} m",
        partial(other_technology, cable.id, context.catalog_given),
    )


@rule(
    "reach.beyond-medium",
    Severity.ERROR,
    watches={"cables", "modules", "devices"},
    scope="cable",
    among=odd_lengths,
    source="NVIDIA LinkX user guide, 100G-PAM4; structured cabling requirements (reach by fibre)",
    numbers=(32, 40, 44),
)
def beyond_medium(context: Context, cable_id: str) -> Iterator[Hit]:
    """A cable is no longer than its medium carries the signal.

    For fibre the shorter reach of the two transceivers counts, on the fibre type that is laid: SR4
    of 100G lanes reaches 50 m on OM4 and 30 m on OM3, DR4 reaches 100 or 500 m by model. What to
    do: a shorter cable, optics that reach further, or single-mode instead of multimode.
    """
    cable, part = _cable(context, cable_id)
    if part.max_length_m is not None and cable.length_m > part.max_length_m + TOLERANCE_M:
        yield Hit(
            (cable_id,),
            f"{context.cable(cable)} is {cable.length_m:g} m long, but {part.technology} of this "
            f"family carries {part.max_length_m:g} m at most",
            partial(other_technology, cable.id, context.catalog_given),
        )
        return
    if part.fibre is None:
        return
    kind = part.fibre.fibre_type
    limit = context.shape(cable).reach
    if limit is None:
        return  # no figure for this fibre: reach.medium speaks where it is the wrong one
    reach_m, module = limit
    if cable.length_m > reach_m + TOLERANCE_M:
        yield Hit(
            (cable_id,),
            f"{context.cable(cable)} is {cable.length_m:g} m of {kind}, but {module.model} "
            f"reaches {reach_m:g} m on it",
            partial(other_technology, cable.id, context.catalog_given),
        )


@rule(
    "reach.below-minimum",
    Severity.WARNING,
    watches={"cables", "modules", "devices"},
    scope="cable",
    among=odd_lengths,
    source="NVIDIA MMS4X00-NS product specifications (least distance 2 m)",
    numbers=(42,),
)
def below_minimum(context: Context, cable_id: str) -> Iterator[Hit]:
    """A fibre is at least as long as its transceivers ask for.

    NVIDIA's single-mode modules want 2 m at least, so that the receiver is not overdriven. What to
    do: order a longer cord (the fix) and coil the rest.
    """
    cable, _ = _cable(context, cable_id)
    least = context.shape(cable).least
    if least is None:
        return
    least_m, module = least
    if cable.length_m < least_m - TOLERANCE_M:
        yield Hit(
            (cable_id,),
            f"{context.cable(cable)} is {cable.length_m:g} m long, but {module.model} wants "
            f"{least_m:g} m of fibre at least",
            partial(_at_least, cable.id, least_m),
        )


def _at_least(cable_id: CableId, least_m: float, design: Design) -> Sequence[Fix]:
    _, part = _cable(Context(design), cable_id)
    length_m = part.next_stocked_m(least_m)
    if length_m is None:
        return ()
    return (Fix(f"Order {length_m:g} m", partial(_set_length, cable_id, length_m)),)


@rule(
    "reach.not-stocked",
    Severity.WARNING,
    watches={"cables"},
    scope="cable",
    among=odd_lengths,
    source="NVIDIA MCP4Y10 and MCP7Y00 product specifications (stocked lengths)",
    numbers=(45,),
)
def not_stocked(context: Context, cable_id: str) -> Iterator[Hit]:
    """A cable has a length that is sold.

    Lengths between the stocked ones are made to order, if at all. What to do: take the next
    stocked length (the fix), or ask the vendor for a custom one and accept this finding.
    """
    cable, part = _cable(context, cable_id)
    if any(abs(cable.length_m - m) < TOLERANCE_M for m in part.lengths_m):
        return
    yield Hit(
        (cable_id,),
        f"{context.cable(cable)} is {cable.length_m:g} m long, a length that is not stocked "
        f"(stocked: {', '.join(f'{m:g}' for m in part.lengths_m)} m)",
        partial(next_stocked, cable.id),
    )
