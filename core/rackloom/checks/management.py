# SPDX-License-Identifier: Apache-2.0
"""Who runs the fabric: the out-of-band network, and the subnet manager of InfiniBand."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

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


def _management_port(context: Context, node: Node) -> str:
    """The cage of the first out-of-band port of a device, empty where there is none."""
    ports = context.topology.of_build.setdefault("out-of-band ports", {})
    known = cast("dict[object, str]", ports)
    port = known.get(node.built)
    if port is None:
        design = context.design
        cages = cages_of(design, design.devices[node.device])
        names = (c.name for c in cages.values() if c.role is CageRole.OUT_OF_BAND)
        port = known[node.built] = next(names, "")
    return port


def _out_of_band(context: Context, device: DeviceId) -> object:
    """What ``no_management`` asks of a device."""
    node = context.topology.nodes[device]
    return _is_on_it(node) or (node.is_switch, node.built)


def _is_on_it(node: Node) -> bool:
    """Whether a device is on the out-of-band network, or makes it: its switches carry others."""
    out_of_band = CageRole.OUT_OF_BAND
    return out_of_band in node.roles or out_of_band in node.served_roles


_Reach = Literal["managed", "loose switch", "loose server", ""]
"""How a device with a management port stands to the out-of-band network; empty: it does not."""


def _reach(context: Context, node: Node) -> _Reach:
    if CageRole.OUT_OF_BAND in node.roles:
        return "managed"
    if _is_on_it(node) or not _management_port(context, node):
        return ""
    return "loose switch" if node.is_switch else "loose server"


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
    reaches = context.of_each(_reach)
    switches = [device for device, reach in reaches.items() if reach == "loose switch"]
    servers = [device for device, reach in reaches.items() if reach == "loose server"]
    if "managed" not in reaches.values():
        if switches or servers:
            yield Hit(
                (),
                "no out-of-band network is drawn: the management ports of "
                f"{_counted(len(switches), 'switch', 'switches')} and "
                f"{_counted(len(servers), 'server', 'servers')} lead nowhere",
            )
        return
    for switch in switches:
        port = context.port(switch, _management_port(context, context.topology.nodes[switch]))
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
    if node.is_switch:
        return _infiniband(context, node)
    part = context.design.parts[node.built[0]]
    if isinstance(part, ServerPart) and part.purpose == "management":
        return tuple(sorted({a.peer for a in node.attached}))
    return None


class _Infiniband(NamedTuple):
    """A switch that is linked into an InfiniBand fabric."""

    is_leaf: bool
    has_room: bool
    """Whether fewer of its ports are linked than there are."""
    can_manage: bool
    """Whether it has a management port, and so a subnet manager of its own."""


def _infiniband(context: Context, node: Node) -> _Infiniband | None:
    if not node.is_switch or not node.fabric_links:
        return None
    part = context.design.part(node.built[0], SwitchPart)
    if part.protocol is not Protocol.INFINIBAND:
        return None
    port = _management_port(context, node)
    return _Infiniband(node.serves, _ports_of(context, part) > node.fabric_links, bool(port))


def _ports_of(context: Context, part: SwitchPart) -> int:
    """How many links the data cages of a switch take as they come."""
    known = cast("dict[PartId, int]", context.topology.of_build.setdefault("switch ports", {}))
    if part.id not in known:
        known[part.id] = sum(cage.default_mode.ports for cage in part.data_cages)
    return known[part.id]


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
    switches = {d: kind for d, kind in context.of_each(_infiniband).items() if kind is not None}
    if not switches or _is_managed(context, switches.keys()):
        return
    leaves = [kind for kind in switches.values() if kind.is_leaf]
    text = (
        "no subnet manager is linked to the "
        f"{_counted(len(switches), 'InfiniBand switch', 'InfiniBand switches')}"
    )
    if not any(kind.can_manage for kind in switches.values()):
        text += ", and none of them can run one itself"
    if leaves and not any(kind.has_room for kind in leaves):
        text += "; no leaf has a port left for one"
    yield Hit((min(switches, key=by_age),), text)


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
