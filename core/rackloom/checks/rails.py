# SPDX-License-Identifier: Apache-2.0
"""Rails: the network card of one index goes to the same leaf in every server of a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from rackloom.catalog.words import CageRole
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.checks.topology import Attachment, Topology
from rackloom.design.hardware import cages_of
from rackloom.design.ids import by_age
from rackloom.design.links import links_over, port_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.draft import Draft
    from rackloom.design.entities import Cable, CableEnd
    from rackloom.design.ids import CableId, DeviceId
    from rackloom.design.value import Design

Lane = tuple[int, int]
"""A rail, and which of a server's ports on that rail."""

Votes = dict[Lane, Counter["DeviceId"]]


def lanes(design: Design, topology: Topology, server: DeviceId) -> Mapping[Lane, Attachment]:
    """The linked compute ports of a server that have a rail."""
    known = topology.lanes.get(server)
    if known is None:
        known = topology.lanes[server] = _lanes(design, topology, server)
    return cast("Mapping[Lane, Attachment]", known)


def _lanes(design: Design, topology: Topology, server: DeviceId) -> dict[Lane, Attachment]:
    node = topology.nodes.get(server)
    if node is None:
        return {}
    cages = cages_of(design, design.devices[server])
    found: dict[Lane, Attachment] = {}
    seen: Counter[int] = Counter()
    for attachment in node.attached:
        if attachment.role is not CageRole.COMPUTE:
            continue
        ports = cages[attachment.port.cage].ports
        rail = ports[attachment.port.index].rail if attachment.port.index < len(ports) else None
        if rail is not None:
            found[rail, seen[rail]] = attachment
            seen[rail] += 1
    return found


def _votes(design: Design, topology: Topology, leaves: frozenset[DeviceId]) -> Votes:
    """To which leaf servers lead each rail; those count that share at least half these leaves."""
    known = topology.votes.get(leaves)
    if known is not None:
        return cast("Votes", known)
    servers = {
        device
        for leaf in leaves
        if leaf in topology.nodes
        for role, device in topology.nodes[leaf].served
        if role is CageRole.COMPUTE
    }
    votes: Votes = {}
    for server in sorted(servers, key=by_age):
        mine = lanes(design, topology, server)
        if 2 * len({a.peer for a in mine.values()} & leaves) < len(leaves):
            continue
        for lane, attachment in mine.items():
            votes.setdefault(lane, Counter())[attachment.peer] += 1
    topology.votes[leaves] = votes
    return votes


def wrong_rails(
    design: Design, topology: Topology, server: DeviceId
) -> Iterator[tuple[Lane, Attachment, DeviceId, int]]:
    """Ports of a server that are led elsewhere than those of its peers, and where those go."""
    mine = lanes(design, topology, server)
    leaves = frozenset(a.peer for a in mine.values())
    if len(leaves) < 2:
        return
    votes = _votes(design, topology, leaves)
    for lane, attachment in mine.items():
        leaf, count = votes[lane].most_common(1)[0]  # the oldest server's choice on a tie
        if leaf != attachment.peer and count >= votes[lane][attachment.peer] and count > 1:
            yield lane, attachment, leaf, count


@rule(
    "fabric.wrong-rail",
    Severity.WARNING,
    watches={"cables", "modules", "devices"},
    scope="peers",
    source="NVIDIA RA-11333-001, DGX SuperPOD reference architecture DGX H100",
    numbers=(53,),
)
def wrong_rail(context: Context, device_id: str) -> Iterator[Hit]:
    """Network card k of every server goes to the leaf of rail k.

    In a rail-optimised fabric, cards of one index reach each other over one switch. A swapped card
    works, but its traffic crosses the spine and shares links it need not. What to do: swap it with
    the card that sits in its place (the fix, where there is one).
    """
    design, topology = context.design, context.topology
    server = cast("DeviceId", device_id)
    wrong = list(wrong_rails(design, topology, server))
    for (rail, _), attachment, leaf, count in wrong:
        places = [
            other
            for _, other, wanted, _ in wrong
            if other.peer == leaf and wanted == attachment.peer
        ]
        yield Hit(
            (attachment.cable, server, attachment.peer, leaf),
            f"rail {rail} of {called(server)} ({port_name(design, attachment.port)}) goes to "
            f"{called(attachment.peer)}, but in {count} other servers it goes to {called(leaf)}",
            partial(swap_rails, server, attachment, places[0]) if places else None,
        )


def swap_rails(server: DeviceId, a: Attachment, b: Attachment, design: Design) -> Sequence[Fix]:
    """Exchange two cables' ends at the server, where both are alike."""
    ends = _swappable(design, server, a, b)
    if ends is None:
        return ()
    label = f"Swap {port_name(design, a.port)} and {port_name(design, b.port)}"
    return (Fix(label, partial(_swap, *ends)),)


_Ends = tuple["CableId", "CableEnd", "CableId", "CableEnd"]


def _swappable(design: Design, server: DeviceId, a: Attachment, b: Attachment) -> _Ends | None:
    """The two plugs at the server, where each carries its one port and both are alike."""
    first = _only_end(design.cables[cast("CableId", a.cable)], server, a.port.cage)
    second = _only_end(design.cables[cast("CableId", b.cable)], server, b.port.cage)
    if a.cable == b.cable or first is None or second is None:
        return None
    cables = design.cables[cast("CableId", a.cable)], design.cables[cast("CableId", b.cable)]
    alike = cables[0].part == cables[1].part and (first.end == 0) == (second.end == 0)
    carried = [
        sum(1 for link in links_over(design, c.id) if server in (link.a.device, link.b.device))
        for c in cables
    ]
    if not alike or carried != [1, 1]:
        return None
    return cables[0].id, first, cables[1].id, second


def _only_end(cable: Cable, server: DeviceId, cage: str) -> CableEnd | None:
    ends = [end for end in cable.ends if end.device == server and end.cage == cage]
    return ends[0] if len(ends) == 1 else None


def _swap(
    first: CableId,
    first_end: CableEnd,
    second: CableId,
    second_end: CableEnd,
    draft: Draft,
) -> None:
    for cable_id, mine, other in (
        (first, first_end, second_end),
        (second, second_end, first_end),
    ):
        cable = draft.cables[cable_id]
        moved = replace(mine, cage=other.cage, socket=other.socket)
        draft.put(replace(cable, ends=tuple(moved if end == mine else end for end in cable.ends)))
