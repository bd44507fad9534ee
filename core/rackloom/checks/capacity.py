# SPDX-License-Identifier: Apache-2.0
"""Whether network bandwidth is spread evenly: over the ports of a server, servers, pods, tiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING, cast

from rackloom.catalog.parts import ServerPart
from rackloom.catalog.words import CageRole
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called, listed
from rackloom.checks.nodes import has_gpus
from rackloom.checks.registry import rule
from rackloom.design.hardware import cages_of
from rackloom.design.ids import DeviceId, by_age

if TYPE_CHECKING:
    from rackloom.checks.nodes import Node
    from rackloom.checks.topology import Topology

_LINKED = {"cables", "modules", "devices"}
_SAME = 1 + 1e-6


@rule(
    "fabric.uneven-nics",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="definition: a collective waits for its slowest network card",
    numbers=(54,),
)
def uneven_nics(context: Context, device_id: str) -> Iterator[Hit]:
    """The compute ports of a GPU server run at one speed.

    Collectives give every network card the same share, and wait for the slowest. What to do: use
    the same cables and switch ports for all cards of the server.
    """
    device = cast("DeviceId", device_id)
    if not has_gpus(context.design, device):
        return
    attached = context.topology.nodes[device].attached
    rates = Counter(a.rate_gbps for a in attached if a.role is CageRole.COMPUTE)
    if len(rates) > 1:
        words = " and ".join(f"{count} at {gbps:g} Gb/s" for gbps, count in sorted(rates.items()))
        yield Hit((device_id,), f"the compute ports of {called(device_id)} are uneven: {words}")


_Kind = tuple[ServerPart, int, list["Node"]]


def _kinds(context: Context) -> Iterable[_Kind]:
    """GPU servers in the network by what they are built of: part, compute ports, nodes."""
    design = context.design
    known = context.topology.votes.get("kinds")
    if known is not None:
        return cast("list[_Kind]", known)
    found: dict[object, _Kind] = {}
    for device, node in context.topology.nodes.items():
        if node.is_switch:
            continue
        entry = found.get(node.built)
        if entry is None:
            part = design.parts[node.built[0]]
            if not isinstance(part, ServerPart) or part.gpu is None:
                continue
            entry = found[node.built] = (part, compute_ports(context, device), [])
        entry[2].append(node)
    kinds = context.topology.votes["kinds"] = list(found.values())
    return kinds


def compute_ports(context: Context, device: DeviceId) -> int:
    """Ports of a server that are meant for the compute fabric."""
    cages = cages_of(context.design, context.design.devices[device])
    return sum(
        max(len(c.ports), c.default_mode.ports)
        for c in cages.values()
        if c.role is CageRole.COMPUTE
    )


def _server_matter(context: Context, device: DeviceId) -> object:
    """What rules on servers beside servers ask of a device."""
    node = context.topology.nodes[device]
    return None if node.is_switch else (node.built, node.compute_links, node.compute_gbps)


def _tier_matter(context: Context, device: DeviceId) -> object:
    """What rules on tiers and pods ask of a device."""
    topology = context.topology
    if device not in topology.compute_switches:
        return None
    node = topology.nodes[device]
    return topology.tiers.get(device), node.served_gbps, node.between


@rule(
    "fabric.uneven-servers",
    Severity.WARNING,
    watches=_LINKED,
    scope="network",
    matter=_server_matter,
    source="definition: a collective waits for its slowest member",
    numbers=(54,),
)
def uneven_servers(context: Context, place: str) -> Iterator[Hit]:
    """All GPU servers of a project give a GPU the same network bandwidth.

    A job that spans both kinds runs at the pace of the slower. Ports without a link are left to
    another rule: here, each linked port stands for all of its server's. What to do: keep jobs to
    servers of one kind, or equip and cable them alike.
    """
    del place
    by_rate: dict[float, list[DeviceId]] = {}
    for part, ports, nodes in _kinds(context):
        assert part.gpu is not None
        alike: dict[tuple[int, float], list[DeviceId]] = {}
        for node in nodes:
            alike.setdefault((node.compute_links, node.compute_gbps), []).append(node.device)
        for (linked, together_gbps), devices in alike.items():
            if linked:
                gbps = together_gbps / linked * max(ports, linked) / part.gpu.count
                by_rate.setdefault(round(gbps, 3), []).extend(devices)
    if len(by_rate) < 2:
        return
    most = max(by_rate, key=lambda gbps: (len(by_rate[gbps]), gbps))
    rest = sorted((d for gbps, ds in by_rate.items() if gbps != most for d in ds), key=by_age)
    words = ", ".join(
        f"{len(devices)} with {gbps:g} Gb/s" for gbps, devices in sorted(by_rate.items())
    )
    yield Hit(
        tuple(rest),
        f"GPU servers differ in network bandwidth for each GPU: {words}; the odd ones are "
        f"{listed(rest)}",
    )


@rule(
    "fabric.shared-nics",
    Severity.INFO,
    watches=_LINKED,
    scope="network",
    matter=_server_matter,
    source="DGX SuperPOD reference architectures (one network port for each GPU)",
    numbers=(54,),
)
def shared_nics(context: Context, place: str) -> Iterator[Hit]:
    """Each GPU of a server has a network port of its own.

    Reference designs give every GPU a port; where several share one, what leaves the scale-up
    domain is that much slower than what stays inside. What to do: add network cards, or keep the
    traffic between servers low (tensor-parallel groups inside the box).
    """
    del place
    for part, ports, nodes in _kinds(context):
        assert part.gpu is not None
        if not 0 < ports < part.gpu.count:
            continue
        inside = part.scale_up.bandwidth_gb_per_s if part.scale_up is not None else None
        rates = [n.compute_gbps for n in nodes if n.compute_gbps]
        text = f"the {part.gpu.count} GPUs of a {part.model} share {ports} compute ports"
        if inside and rates:
            outside = max(rates) / 8 / part.gpu.count
            text += (
                f": {outside:.3g} GB/s a GPU to the network, {inside:g} GB/s to its neighbours "
                f"({inside / outside:.2g}:1)"
            )
        yield Hit(tuple(sorted((n.device for n in nodes), key=by_age)), text)


def _endpoints_gbps(topology: Topology, switches: Iterable[DeviceId]) -> float:
    """What the compute ports on some switches bring in."""
    return sum(topology.nodes[switch].served_gbps for switch in switches)


def _out_gbps(topology: Topology, pod: Set[DeviceId]) -> float:
    """What links the switches of a pod to those above it."""
    return sum(
        bundle.rate_gbps
        for switch in pod
        for other, bundle in topology.up(switch).items()
        if other not in pod
    )


def _tapers(topology: Topology, switch: DeviceId) -> bool:
    """Whether a switch has less capacity up than compute ports and lower switches bring in."""
    down_gbps = topology.nodes[switch].served_gbps + topology.down_gbps(switch)
    return down_gbps > topology.up_gbps(switch) * _SAME


def _by_tier(topology: Topology) -> dict[int, list[DeviceId]]:
    known = topology.votes.get("tiers")
    if known is not None:
        return cast("dict[int, list[DeviceId]]", known)
    found: dict[int, list[DeviceId]] = {}
    for switch in topology.compute_switches:
        tier = topology.tiers.get(switch)
        if tier is not None:
            found.setdefault(tier, []).append(switch)
    topology.votes["tiers"] = found
    return found


def _tbps(gbps: float) -> str:
    return f"{gbps / 1000:.4g} Tb/s" if gbps >= 1000 else f"{gbps:g} Gb/s"


_TIER_NAMES = {1: "leaves", 2: "spines", 3: "cores"}


@rule(
    "fabric.oversubscribed-fabric",
    Severity.INFO,
    watches=_LINKED,
    scope="network",
    matter=_tier_matter,
    source="Juniper validated designs for AI data centres; DGX SuperPOD reference architecture",
    numbers=(54,),
)
def oversubscribed_fabric(context: Context, place: str) -> Iterator[Hit]:
    """The compute fabric as a whole has as much capacity at each tier as its servers bring in.

    The sum over all leaves, and over all spines: what an all-to-all over everything gets. What to
    do: more uplinks or spines, or know the figure when sizing jobs.
    """
    del place
    topology = context.topology
    tiers = _by_tier(topology)
    down_gbps = _endpoints_gbps(topology, topology.compute_switches)
    for tier in sorted(tiers)[:-1]:
        up_gbps = sum(topology.up_gbps(switch) for switch in tiers[tier])
        if up_gbps and down_gbps > up_gbps * _SAME:
            names = (_TIER_NAMES.get(t, f"tier {t}") for t in (tier, tier + 1))
            yield Hit(
                (),
                f"the compute fabric is oversubscribed {down_gbps / up_gbps:.3g}:1 between its "
                f"{' and '.join(names)}: {_tbps(down_gbps)} of server ports, {_tbps(up_gbps)} up",
            )


@rule(
    "fabric.oversubscribed-pod",
    Severity.INFO,
    watches=_LINKED,
    scope="network",
    matter=_tier_matter,
    source="Juniper validated designs for AI data centres; DGX SuperPOD reference architecture",
    numbers=(54,),
)
def oversubscribed_pod(context: Context, place: str) -> Iterator[Hit]:
    """A pod has as much capacity to the core as its servers bring in.

    A pod is what hangs together below the top tier of a fabric of three tiers. What to do: more
    links from its spines to the cores, or keep jobs inside pods.
    """
    del place
    topology = context.topology
    tiers = _by_tier(topology)
    top = max(tiers, default=0)
    if top < 3:
        return
    below = {s for tier, switches in tiers.items() if tier < top for s in switches}
    # A pod in which no switch does cannot taper.
    for start in [switch for switch in below if _tapers(topology, switch)]:
        if start not in below:
            continue  # in a pod that was looked at
        below.discard(start)
        pod = frontier = {start}
        while frontier:
            near = [topology.nodes[d].between.keys() for d in frontier]
            frontier = set().union(*near) & below
            below -= frontier
            pod = pod | frontier
        down_gbps, up_gbps = _endpoints_gbps(topology, pod), _out_gbps(topology, pod)
        if up_gbps and down_gbps > up_gbps * _SAME:
            oldest = min(pod, key=by_age)
            yield Hit(
                (oldest,),
                f"the pod of {called(oldest)} ({len(pod)} switches) is oversubscribed "
                f"{down_gbps / up_gbps:.3g}:1 towards the cores: {_tbps(down_gbps)} of server "
                f"ports, {_tbps(up_gbps)} up",
            )
