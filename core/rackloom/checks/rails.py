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
from rackloom.checks.finding import Fix, Hit, Severity, called, listed
from rackloom.checks.registry import rule
from rackloom.design.hardware import cages_of
from rackloom.design.ids import by_age
from rackloom.design.links import port_name
from rackloom.design.relinking import links_over

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.checks.nodes import Attachment
    from rackloom.checks.topology import Topology
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
    rails = _rails(design, topology, server)
    found: dict[Lane, Attachment] = {}
    for attachment in node.attached:
        rail = rails.get((attachment.port.cage, attachment.port.index))
        if rail is not None:
            number = 0
            while (rail, number) in found:
                number += 1
            found[rail, number] = attachment
    return found


def _rails(design: Design, topology: Topology, server: DeviceId) -> dict[tuple[str, int], int]:
    """The rail of each compute port; looked up once for all servers that are built alike."""
    built = design.devices[server]
    key = ("rails", built.part, built.cards)
    known = topology.of_build.get(key)
    if known is None:
        known = topology.of_build[key] = {
            (cage.name, index): port.rail
            for cage in cages_of(design, built).values()
            if cage.role is CageRole.COMPUTE
            for index, port in enumerate(cage.ports)
            if port.rail is not None
        }
    return cast("dict[tuple[str, int], int]", known)


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


@rule(
    "fabric.crossed-planes",
    Severity.WARNING,
    watches={"cables", "modules", "devices"},
    scope="peers",
    source="DGX SuperPOD reference architecture; public dual-plane designs (planes stay apart)",
    numbers=(53,),
)
def crossed_planes(context: Context, device_id: str) -> Iterator[Hit]:
    """A switch has links up to the switches of its own plane or group only.

    Switches that share at least half of the switches above them form a group. A link of one of
    them to a switch that none of the others has, and that serves another group, crosses two planes
    or pods: traffic leaks from one into the other, and the group lacks a link of its own. What to
    do: move the link to the switch of its plane.
    """
    topology = context.topology
    device = cast("DeviceId", device_id)
    node = topology.nodes.get(device)
    if node is None or not node.is_switch:
        return
    mine = frozenset(topology.up(device))
    if len(mine) < 2:
        return
    shared, peers = _group(topology, mine)
    odd = [above for above in mine if shared[above] == 1 and len(topology.down(above)) > 2]
    if peers < 3 or not odd or 2 * len(odd) > len(mine):
        return
    for above in sorted(odd, key=by_age):
        others = sorted(topology.down(above).keys() - {device}, key=by_age)
        yield Hit(
            (device_id, above),
            f"{called(device_id)} has a link to {called(above)}, which none of the {peers - 1} "
            f"switches beside it has: it belongs to {listed(others, 1)}",
        )


def _group(topology: Topology, above: frozenset[DeviceId]) -> tuple[Counter[DeviceId], int]:
    """How many of the switches that share half of these above them have each; and their number."""
    known = topology.groups.get(("shared", above))
    if known is not None:
        return cast("tuple[Counter[DeviceId], int]", known)
    shared: Counter[DeviceId] = Counter()
    peers = 0
    for peer in {p for top in above for p in topology.down(top)}:
        theirs = topology.up(peer).keys()
        common = theirs & above
        if 2 * len(common) >= max(len(theirs), len(above)):
            peers += 1
            shared.update(common)
    topology.groups["shared", above] = (shared, peers)
    return shared, peers


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
