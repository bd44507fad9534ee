# SPDX-License-Identifier: Apache-2.0
"""The network of a design: oversubscription, balance, islands, single points of failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import CageRole, Protocol
from rackloom.checks.capacity import compute_ports
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.nodes import has_gpus
from rackloom.checks.registry import rule
from rackloom.design.ids import by_age
from rackloom.design.relinking import links_over

if TYPE_CHECKING:
    from rackloom.checks.nodes import Bundle, Node
    from rackloom.checks.topology import Topology
    from rackloom.design.ids import DeviceId

_LINKED = {"cables", "modules", "devices"}
_SAME = 1e-6


def _switch(context: Context, device_id: str) -> Node | None:
    node = context.topology.nodes.get(cast("DeviceId", device_id))
    return node if node is not None and node.is_switch else None


def _sum(bundles: Iterable[Bundle]) -> tuple[int, float]:
    links, rate_gbps = 0, 0.0
    for bundle in bundles:
        links, rate_gbps = links + bundle.links, rate_gbps + bundle.rate_gbps
    return links, rate_gbps


def _rate(rate_gbps: float) -> str:
    return f"{rate_gbps / 1000:g} Tb/s" if rate_gbps >= 1000 else f"{rate_gbps:g} Gb/s"


def _oversubscribed(context: Context, device_id: str, compute: bool) -> Iterator[Hit]:
    node = _switch(context, device_id)
    topology = context.topology
    if node is None or topology.tier(node.device) is None:
        return
    up_links, up_gbps = _sum(topology.up(node.device).values())
    down_links, down_gbps = _sum([*node.served.values(), *topology.down(node.device).values()])
    if not up_links or down_gbps <= up_gbps * (1 + _SAME):
        return
    if (node.device in topology.compute_switches) is not compute:
        return
    yield Hit(
        (device_id,),
        f"{called(device_id)} is oversubscribed {down_gbps / up_gbps:.3g}:1: {down_links} links "
        f"down ({_rate(down_gbps)}), {up_links} up ({_rate(up_gbps)})",
    )


@rule(
    "fabric.oversubscribed",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="Juniper validated designs for AI data centres; DGX SuperPOD reference architecture",
    numbers=(54,),
)
def oversubscribed(context: Context, device_id: str) -> Iterator[Hit]:
    """A switch of the compute fabric has as much capacity up as down.

    Training moves as much between leaves as under them; with 2:1 the collectives that cross run at
    half the speed. What to do: add uplinks, or fewer servers for each leaf. A tapered fabric that
    is meant so can be accepted with a reason.
    """
    yield from _oversubscribed(context, device_id, compute=True)


@rule(
    "fabric.oversubscribed-other",
    Severity.INFO,
    watches=_LINKED,
    scope="node",
    source="Juniper validated designs for AI data centres (front-end 3:1)",
    numbers=(54,),
)
def oversubscribed_other(context: Context, device_id: str) -> Iterator[Hit]:
    """How far storage, front-end and management switches are oversubscribed, for the record.

    Reference designs run these networks at up to 3:1. What to do: nothing, unless the number
    surprises you.
    """
    yield from _oversubscribed(context, device_id, compute=False)


@rule(
    "fabric.uneven-uplinks",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="DGX SuperPOD reference architecture (equal links to every spine)",
    numbers=(54,),
)
def uneven_uplinks(context: Context, device_id: str) -> Iterator[Hit]:
    """A switch has equally many links to each switch above it.

    Routing spreads traffic evenly over the switches above, not over the links; the one with fewer
    links fills first and holds everything up. What to do: even the links out.
    """
    node = _switch(context, device_id)
    if node is None:
        return
    up = context.topology.up(node.device)
    rates = {bundle.rate_gbps for bundle in up.values()}
    if len(up) < 2 or max(rates) - min(rates) <= _SAME:
        return
    few = min(up, key=lambda d: (up[d].rate_gbps, by_age(d)))
    many = max(up, key=lambda d: (up[d].rate_gbps, [-n for n in by_age(d)[:1]]))
    yield Hit(
        (device_id, few),
        f"the uplinks of {called(device_id)} are uneven: {up[few].links} "
        f"({_rate(up[few].rate_gbps)}) to {called(few)}, {up[many].links} "
        f"({_rate(up[many].rate_gbps)}) to {called(many)}",
    )


@rule(
    "fabric.missing-uplink",
    Severity.WARNING,
    watches=_LINKED,
    scope="peers",
    source="DGX SuperPOD reference architecture (every leaf reaches every spine of its group)",
    numbers=(54,),
)
def missing_uplink(context: Context, device_id: str) -> Iterator[Hit]:
    """A switch reaches every switch above that its neighbours reach.

    Switches that share at least half of the switches above them form a group; one with a link
    missing reaches the rest of the group by fewer ways than they reach each other. What to do:
    plug the missing link in.
    """
    node = _switch(context, device_id)
    if node is None:
        return
    topology = context.topology
    mine = set(topology.up(node.device))
    if not mine:
        return
    votes, peers = _beside(topology, frozenset(mine))
    peers -= 1  # the switch itself
    missing = sorted((a for a, n in votes.items() if 2 * n > peers), key=by_age)
    if missing:
        names = ", ".join(called(a) for a in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        yield Hit(
            (device_id, *missing),
            f"{called(device_id)} has no link to {names}{more}, but {votes[missing[0]]} of the "
            f"{peers} switches beside it have",
        )


def _beside(topology: Topology, above: frozenset[DeviceId]) -> tuple[dict[DeviceId, int], int]:
    """Which further switches those reach that share half of these above them; and their number."""
    known = topology.groups.get(("beside", above))
    if known is not None:
        return cast("tuple[dict[DeviceId, int], int]", known)
    votes: dict[DeviceId, int] = {}
    peers = 0
    for peer in {p for top in above for p in topology.down(top)}:
        theirs = topology.up(peer).keys()
        if 2 * len(theirs & above) < max(len(theirs), len(above)):
            continue
        peers += 1
        for other in theirs - above:
            votes[other] = votes.get(other, 0) + 1
    topology.groups["beside", above] = (votes, peers)
    return votes, peers


@rule(
    "fabric.single-spine",
    Severity.WARNING,
    watches=_LINKED,
    scope="peers",
    source="public design guides for AI fabrics (no single point of failure)",
    numbers=(54,),
)
def single_spine(context: Context, device_id: str) -> Iterator[Hit]:
    """A leaf hangs on more than one switch above it.

    Otherwise that switch takes all traffic between leaves down with it. What to do: spread the
    uplinks over two spines at least.
    """
    node = _switch(context, device_id)
    if node is None:
        return
    up = context.topology.up(node.device)
    if len(up) == 1 and len(context.topology.down(above := next(iter(up)))) > 1:
        links = up[above].links
        yield Hit(
            (device_id, above),
            f"{'the only uplink' if links == 1 else f'all {links} uplinks'} of "
            f"{called(device_id)} {'goes' if links == 1 else 'go'} to {called(above)}: a single "
            f"point of failure",
        )


@rule(
    "fabric.few-spines",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="Juniper validated designs for AI data centres",
    numbers=(54,),
)
def few_spines(context: Context, device_id: str) -> Iterator[Hit]:
    """An Ethernet leaf for GPU traffic has at least four switches above it.

    RoCE spreads its few large flows by load balancing over paths; with two or three of them, flows
    that collide halve each other. What to do: use more, smaller spines, or split the uplinks.
    """
    node = _switch(context, device_id)
    if node is None or not any(role is CageRole.COMPUTE for role, _ in node.served):
        return
    part = context.design.part(context.design.devices[node.device].part, SwitchPart)
    count = len(context.topology.up(node.device))
    if part.protocol is Protocol.ETHERNET and 1 < count < 4:
        yield Hit(
            (device_id,),
            f"{called(device_id)} has {count} switches above it; RoCE load balancing wants four "
            f"at least",
        )


@rule(
    "fabric.odd-downlinks",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="Juniper validated designs for AI data centres",
    numbers=(54,),
)
def odd_downlinks(context: Context, device_id: str) -> Iterator[Hit]:
    """An Ethernet leaf for GPU traffic has an even number of links down.

    With an odd number the uplinks cannot match them evenly. What to do: one server more or less on
    this leaf.
    """
    node = _switch(context, device_id)
    if node is None or not context.topology.up(node.device):
        return
    part = context.design.part(context.design.devices[node.device].part, SwitchPart)
    links = sum(b.links for (role, _), b in node.served.items() if role is CageRole.COMPUTE)
    if part.protocol is Protocol.ETHERNET and links % 2:
        yield Hit((device_id,), f"{called(device_id)} has {links} links down, an odd number")


@rule(
    "fabric.island",
    Severity.WARNING,
    watches=_LINKED,
    scope="network",
    source="definition: GPUs of one job have to reach each other",
)
def island(context: Context, place: str) -> Iterator[Hit]:
    """All GPU servers reach each other over the compute fabric.

    Servers that do not are islands: a job cannot span them. What to do: join their leaves by a
    spine, or accept it where two clusters are drawn in one project.
    """
    del place
    islands = context.topology.islands
    if len(islands) < 2:
        return
    groups = [
        sorted((d for d in members if has_gpus(context.design, d)), key=by_age)
        for members in islands
    ]
    groups = [members for members in groups if members]
    groups.sort(key=lambda g: (-len(g), by_age(g[0])))
    for small in groups[1:]:
        count = len(small)
        who = called(small[0]) if count == 1 else f"{called(small[0])} and {count - 1} more"
        yield Hit(
            (small[0], groups[0][0]),
            f"{who} cannot reach {called(groups[0][0])} over the compute fabric: "
            f"{len(groups)} islands, the largest of {len(groups[0])} GPU servers",
        )


@rule(
    "fabric.unused-nics",
    Severity.INFO,
    watches=_LINKED,
    scope="node",
    source="NVIDIA RA-11333-001, DGX SuperPOD reference architecture DGX H100",
)
def unused_nics(context: Context, device_id: str) -> Iterator[Hit]:
    """Every compute port of a GPU server is linked.

    GPUs whose network card is dark share the others'. What to do: cable the ports, or accept it
    where the server is meant to run with fewer.
    """
    device = cast("DeviceId", device_id)
    if not has_gpus(context.design, device):
        return
    ports = compute_ports(context, device)
    node = context.topology.nodes[device]
    used = len({(a.port.cage, a.port.index) for a in node.attached if a.role is CageRole.COMPUTE})
    dark = ports - used
    if not used and ports > 1:
        yield Hit(
            (device_id,), f"none of the {ports} compute ports of {called(device_id)} has a link"
        )
    elif dark > 0:
        verb = "has" if dark == 1 else "have"
        yield Hit(
            (device_id,),
            f"{dark} of the {ports} compute ports of {called(device_id)} {verb} no link",
        )


@rule(
    "fabric.two-in-one",
    Severity.INFO,
    watches=_LINKED,
    scope="node",
    source="NVIDIA networking documentation, Q3200-RA",
    numbers=(14,),
)
def two_in_one(context: Context, device_id: str) -> Iterator[Hit]:
    """A box that holds several independent switches does not switch between them.

    The two halves of a Q3200 share the chassis and nothing else. What to do: think of them as two
    switches: a rail or a plane on each, and links to the spines from both.
    """
    node = _switch(context, device_id)
    if node is None:
        return
    part = context.design.part(context.design.devices[node.device].part, SwitchPart)
    if part.partitions < 2:
        return
    used = {
        part.partition_of(port.cage)
        for cable in context.design.index.cables_of_device.get(node.device, ())
        for link in links_over(context.design, cable)
        for port in (link.a, link.b)
        if port.device == node.device
    }
    if len(used) > 1:
        yield Hit(
            (device_id,),
            f"{called(device_id)} is {part.partitions} switches in one box; ports of one of them "
            f"do not reach those of another inside it",
        )
