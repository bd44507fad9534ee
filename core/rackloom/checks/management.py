# SPDX-License-Identifier: Apache-2.0
"""Who runs the fabric: the out-of-band network, and the subnet manager of InfiniBand."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.catalog.words import CageRole, Protocol
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, listed
from rackloom.checks.registry import rule
from rackloom.design.hardware import cages_of
from rackloom.design.ids import by_age

if TYPE_CHECKING:
    from rackloom.catalog.parts import PartId
    from rackloom.checks.nodes import Node
    from rackloom.design.ids import DeviceId

_LINKED = {"cables", "modules", "devices"}


class _Ports:
    """The first out-of-band port of devices, looked up once for all that are built alike."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[object, str] = {}

    def of(self, node: Node) -> str:
        """The name of its cage, empty where there is none."""
        port = self._known.get(node.built)
        if port is None:
            design = self._context.design
            cages = cages_of(design, design.devices[node.device])
            ports = (c.name for c in cages.values() if c.role is CageRole.OUT_OF_BAND)
            port = self._known[node.built] = next(ports, "")
        return port


def _out_of_band(context: Context, device: DeviceId) -> object:
    """What ``no_management`` asks of a device."""
    node = context.topology.nodes[device]
    return _is_on_it(node) or (node.is_switch, node.built)


def _is_on_it(node: Node) -> bool:
    """Whether a device is on the out-of-band network, or makes it: its switches carry others."""
    out_of_band = CageRole.OUT_OF_BAND
    return out_of_band in node.roles or out_of_band in node.served_roles


@rule(
    "fabric.no-management",
    Severity.INFO,
    watches=_LINKED,
    scope="network",
    matter=_out_of_band,
    source="DGX SuperPOD reference architecture (out-of-band network)",
)
def no_management(context: Context, place: str) -> Iterator[Hit]:
    """The management ports of switches and GPU servers are joined to the out-of-band network.

    Without it, a switch that lost its configuration or a server that hangs has to be visited.
    Where nothing at all is on such a network, that is said once, for it may not be drawn yet. The
    switches that make the network are managed over it. What to do: cable the management ports to
    an out-of-band switch.
    """
    del place
    ports, nodes = _Ports(context), context.topology.nodes
    loose = [node for node in nodes.values() if not _is_on_it(node) and ports.of(node)]
    switches = [node.device for node in loose if node.is_switch]
    servers = [node.device for node in loose if not node.is_switch]
    used = any(CageRole.OUT_OF_BAND in node.roles for node in nodes.values())
    if not used:
        if switches or servers:
            yield Hit(
                (),
                "no out-of-band network is drawn: the management ports of "
                f"{_counted(len(switches), 'switch', 'switches')} and "
                f"{_counted(len(servers), 'server', 'servers')} lead nowhere",
            )
        return
    for switch in switches:
        port = context.port(switch, ports.of(nodes[switch]))
        yield Hit((switch,), f"{port} leads nowhere: the switch is not on the out-of-band network")
    if servers:
        servers.sort(key=by_age)
        many = len(servers) > 1
        yield Hit(
            tuple(servers),
            f"{listed(servers)} {'are' if many else 'is'} not on the out-of-band network: nothing "
            f"reaches {'them' if many else 'it'} when {'they hang' if many else 'it hangs'}",
        )


def _subnet_manager(context: Context, device: DeviceId) -> object:
    """What ``no_subnet_manager`` asks of a device."""
    node = context.topology.nodes[device]
    part = context.design.parts[node.built[0]]
    if not node.is_switch:
        if isinstance(part, ServerPart) and part.purpose == "management":
            return tuple(sorted({a.peer for a in node.attached}))
        return None
    if not node.fabric_links or not _is_infiniband(part):
        return None
    return node.serves, node.serves and _has_free_port(context, node, {}), node.built


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


@rule(
    "fabric.no-subnet-manager",
    Severity.INFO,
    watches=_LINKED,
    scope="network",
    matter=_subnet_manager,
    source="NVIDIA RA-11333-001, DGX SuperPOD reference architecture DGX H100 (UFM)",
    numbers=(52,),
)
def no_subnet_manager(context: Context, place: str) -> Iterator[Hit]:
    """An InfiniBand fabric has a subnet manager, and leaf ports are left for it.

    A small fabric can run the one inside a managed switch; switches without a management port have
    none, and larger fabrics use UFM appliances. Each takes leaf ports, which is why a scalable unit
    of a DGX H100 SuperPOD holds 31 servers and not 32. What to do: link a management server (a
    UFM) to a leaf, or run the subnet manager of a switch and accept this.
    """
    del place
    design, topology = context.design, context.topology
    infiniband = {part_id for part_id, part in design.parts.items() if _is_infiniband(part)}
    if not infiniband:
        return
    switches = [
        node
        for node in topology.nodes.values()
        if node.fabric_links and node.built[0] in infiniband
    ]
    if not switches or _is_managed(context, {node.device for node in switches}):
        return
    ports = _Ports(context)
    managed = any(ports.of(node) for node in switches)
    leaves = [n for n in switches if n.serves]
    text = (
        "no subnet manager is linked to the "
        f"{_counted(len(switches), 'InfiniBand switch', 'InfiniBand switches')}"
        f"{'' if managed else ', and none of them can run one itself'}"
    )
    room: dict[PartId, int] = {}
    if leaves and not any(_has_free_port(context, n, room) for n in leaves):
        text += "; no leaf has a port left for one"
    yield Hit((min((n.device for n in switches), key=by_age),), text)


def _is_infiniband(part: object) -> bool:
    return isinstance(part, SwitchPart) and part.protocol is Protocol.INFINIBAND


def _is_managed(context: Context, switches: Set[DeviceId]) -> bool:
    """Whether a management server is linked to one of these switches."""
    design, nodes = context.design, context.topology.nodes
    boxes = {
        part.id
        for part in design.parts.values()
        if isinstance(part, ServerPart) and part.purpose == "management"
    }
    if not boxes:
        return False
    found = (node for node in nodes.values() if node.built[0] in boxes)
    return any(a.peer in switches for node in found for a in node.attached)


def _has_free_port(context: Context, node: Node, room: dict[PartId, int]) -> bool:
    """Whether fewer links are in use than there are ports; ``room`` remembers those of a part."""
    part_id = node.built[0]
    if part_id not in room:
        part = context.design.part(part_id, SwitchPart)
        room[part_id] = sum(cage.default_mode.ports for cage in part.data_cages)
    return room[part_id] > node.fabric_links
