# SPDX-License-Identifier: Apache-2.0
"""Single points of failure of the compute fabric: one switch, one cable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from rackloom.catalog.words import CageRole
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called, listed
from rackloom.checks.nodes import has_gpus
from rackloom.checks.registry import rule
from rackloom.design.ids import by_age
from rackloom.design.relinking import links_over

if TYPE_CHECKING:
    from rackloom.design.ids import CableId, DeviceId

_LINKED = {"cables", "modules", "devices"}

MOST_LINKS_OF_A_CABLE = 8
"""The finest breakout there is; a switch with more uplinks has more than one cable."""


@rule(
    "fabric.single-leaf",
    Severity.WARNING,
    watches=_LINKED,
    scope="peers",
    source="public design guides for AI fabrics (no single point of failure)",
    numbers=(54,),
)
def single_leaf(context: Context, device_id: str) -> Iterator[Hit]:
    """The compute ports of a GPU server are spread over two switches at least.

    Where all of them hang on one, that switch takes the server out of every job when it fails or
    is updated. Rail-optimised wiring spreads them over eight. A fabric of one switch is left out:
    there is no other. What to do: lead rails to different leaves; accept it where racks are meant
    to fail as a whole.
    """
    topology = context.topology
    leaf = topology.nodes.get(cast("DeviceId", device_id))
    if leaf is None or not leaf.serves_compute or not leaf.between:
        return
    alone = []
    for (role, server), bundle in leaf.served.items():
        if (
            role is CageRole.COMPUTE
            and bundle.links > 1
            and len(topology.nodes[server].near) == 1
            and has_gpus(context.design, server)
        ):
            alone.append(server)
    if alone:
        alone.sort(key=by_age)
        one = len(alone) == 1
        yield Hit(
            (device_id, *alone),
            f"all compute ports of {listed(alone)} hang on {called(device_id)}: without it, "
            f"{'it is' if one else 'they are'} cut off",
        )


@rule(
    "fabric.single-cable",
    Severity.WARNING,
    watches=_LINKED,
    scope="node",
    source="public design guides for AI fabrics (no single point of failure)",
    numbers=(54,),
)
def single_cable(context: Context, device_id: str) -> Iterator[Hit]:
    """Several links of a GPU server, or of a switch upwards, do not share one cable.

    A twin-port or breakout cable carries several links, and all of them go down with it. What to
    do: spread the links over two cables.
    """
    topology = context.topology
    node = topology.nodes[cast("DeviceId", device_id)]
    what = "links upwards"
    cables: list[str] = []
    if node.is_switch:
        up = topology.up(node.device)
        if 1 < sum(bundle.links for bundle in up.values()) <= MOST_LINKS_OF_A_CABLE:
            cables = [
                link.cable
                for cable in context.design.index.cables_of_device.get(node.device, ())
                for link in links_over(context.design, cable)
                if {link.a.device, link.b.device} & up.keys()
            ]
    elif has_gpus(context.design, node.device):
        what = "compute links"
        cables = [a.cable for a in node.attached if a.role is CageRole.COMPUTE]
    if len(cables) > 1 and len(set(cables)) == 1:
        cable = context.design.cables[cast("CableId", cables[0])]
        yield Hit(
            (device_id, cable.id),
            f"all {len(cables)} {what} of {called(device_id)} run over one cable, "
            f"{context.cable(cable)}",
        )
