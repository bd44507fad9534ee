# SPDX-License-Identifier: Apache-2.0
"""Sockets: one plug in each, and no plug that leads nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.parts import CablePart
from rackloom.catalog.words import CableTechnology
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity
from rackloom.checks.registry import rule
from rackloom.checks.views import CageState
from rackloom.design.edits import remove
from rackloom.design.ids import CableId, DeviceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.entities import Cable
    from rackloom.design.value import Design


def _take_out(ids: tuple[str, ...], draft: Draft) -> None:
    remove(draft, ids)


def unplug(label: str, ids: tuple[str, ...], design: Design) -> Sequence[Fix]:
    """Take entities away, as a fix."""
    del design
    return (Fix(label, partial(_take_out, ids)),)


@rule(
    "port.used-twice",
    Severity.ERROR,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="definition: a receptacle takes one plug",
)
def used_twice(context: Context, device_id: str) -> Iterator[Hit]:
    """A cage takes one plug, and a socket of a transceiver one fibre.

    Such a drawing cannot be made in the program, but a file can hold one. What to do: take one of
    the two away (the fix takes the newer) or plug it elsewhere.
    """
    for state in context.view(DeviceId(device_id)).doubled:
        yield from _twice(context, device_id, state)


def _twice(context: Context, device_id: str, state: CageState) -> Iterator[Hit]:
    port = context.port(device_id, state.cage.name)
    if len(state.modules) > 1:
        yield Hit(
            (device_id, *state.modules),
            f"{port} holds {len(state.modules)} transceivers",
            partial(unplug, "Take the newer ones out", tuple(state.modules[1:])),
        )
    in_socket: dict[int, list[str]] = {}
    for cable, end in state.plugs:
        in_socket.setdefault(end.socket, []).append(cable.id)
    for socket, cables in in_socket.items():
        if len(cables) > 1:
            place = port if not state.modules else f"socket {socket + 1} of {port}"
            names = " and ".join(context.cable(context.design.cables[c]) for c in cables)  # type: ignore[index]
            yield Hit(
                (device_id, *cables),
                f"{place} is used twice: by {names}",
                partial(unplug, "Remove the newer", tuple(cables[1:])),
            )
    if state.module is None:
        return
    for cable, _ in state.plugs:
        part = context.design.part(cable.part, CablePart)
        if part.technology is not CableTechnology.FIBRE:
            yield Hit(
                (device_id, cable.id, *state.modules),
                f"{port} is used twice: {part.model} plugs in directly, but a "
                f"{state.module.model} sits there",
                partial(unplug, f"Take the {state.module.model} out", tuple(state.modules)),
            )


def not_whole(context: Context, cables: Iterable[str]) -> Iterator[str]:
    """Cables with an end that is not plugged in."""
    parts = context.design.parts.items()
    ends = {part_id: len(part.ends) for part_id, part in parts if isinstance(part, CablePart)}
    by_id = context.design.cables
    for cable_id in cables:
        cable = by_id[CableId(cable_id)]
        if len(cable.ends) < ends.get(cable.part, 0):
            yield cable_id


@rule(
    "port.loose-cable",
    Severity.WARNING,
    watches={"cables"},
    scope="cable",
    among=not_whole,
    source="definition: a cable joins two ports",
)
def loose_cable(context: Context, cable_id: str) -> Iterator[Hit]:
    """A cable is plugged in at its trunk end and at one other end at least.

    Otherwise it carries nothing, but is ordered and pulled. What to do: plug it in, or remove it
    (the fix).
    """
    cable = context.design.cables[CableId(cable_id)]
    if _joins(context, cable):
        return
    what = "hangs loose at one end" if len(cable.ends) == 1 else "hangs loose at its trunk end"
    if not cable.ends:
        what = "hangs loose at both ends"
    yield Hit(
        (cable_id, *dict.fromkeys(end.device for end in cable.ends)),
        f"{context.cable(cable)} {what}",
        partial(unplug, "Remove the cable", (cable_id,)),
    )


@rule(
    "port.spare-branch",
    Severity.INFO,
    watches={"cables"},
    scope="cable",
    among=not_whole,
    source="definition: a breakout serves as many ports as it has branches",
)
def spare_branch(context: Context, cable_id: str) -> Iterator[Hit]:
    """All branches of a breakout or splitter are plugged in.

    A free branch is ready for another device, but needs to be parked and labelled, and the lanes
    behind it are paid for. What to do: plug it in, or choose a cable with fewer branches.
    """
    cable = context.design.cables[CableId(cable_id)]
    part = context.design.part(cable.part, CablePart)
    loose = len(part.ends) - len(cable.ends)
    if not _joins(context, cable):
        return
    hang = "hangs loose" if loose == 1 else "hang loose"
    ends = "ends" if part.connectors_per_side > 1 else "branches"
    count = len(part.ends) if part.connectors_per_side > 1 else part.branches
    yield Hit((cable_id,), f"{context.cable(cable)} has {count} {ends}, of which {loose} {hang}")


def _joins(context: Context, cable: Cable) -> bool:
    """Whether two plugged ends of a cable face each other."""
    part = context.design.part(cable.part, CablePart)
    plugged = {end.end for end in cable.ends}
    return any(far in plugged for end in plugged for far in part.far_ends(end))


@rule(
    "port.idle-transceiver",
    Severity.INFO,
    watches={"cables", "modules", "devices"},
    scope="device",
    source="definition: a transceiver without a fibre carries nothing",
)
def idle_transceiver(context: Context, device_id: str) -> Iterator[Hit]:
    """A transceiver has a fibre.

    One without is ordered and draws power all the same. What to do: plug a fibre in, or take the
    transceiver out (the fix).
    """
    for state in context.view(DeviceId(device_id)).states.values():
        if state.module is not None and not state.plugs:
            yield Hit(
                (state.modules[-1], device_id),
                f"the {state.module.model} in {context.port(device_id, state.cage.name)} "
                f"has no fibre",
                partial(unplug, "Take it out", (state.modules[-1],)),
            )
