# SPDX-License-Identifier: Apache-2.0
"""The preset ``superpod-h100``: DGX SuperPOD of DGX H100 on QM9700, as the reference shows it.

Scalable units of 32 servers and eight leaves with all 32 uplinks wired; one server slot of the pod
is given up for UFM, whose two appliances take four leaf ports (RA-11333-001). So 31 servers make
252 cables to the leaves, and 256 from leaves to spines.
"""

from __future__ import annotations

from dataclasses import replace

from rackloom.catalog.parts import ServerPart
from rackloom.catalog.words import CageRole
from rackloom.design.value import Design
from rackloom.generate import rail_fat_tree as tree_preset
from rackloom.generate.cabling import Bundle, Cabler
from rackloom.generate.errors import GenerateError
from rackloom.generate.layout import Item
from rackloom.generate.network import Request, plan_network, switch_face
from rackloom.generate.options import Option
from rackloom.generate.wires import bundles

UNIT_SERVERS = 32
LEAF_UPLINKS = 32
UFM_PART = "generic-ufm-appliance"
UFM_APPLIANCES = 2
UFM_PORTS = 4

_FIXED = {"unit_servers": UNIT_SERVERS, "leaf_uplinks": LEAF_UPLINKS, "rails_per_leaf": 1}

_TREE = {option.key: option for option in tree_preset.OPTIONS}

OPTIONS: tuple[Option, ...] = tuple(
    {
        "switch": replace(
            _TREE["switch"], default="nvidia-qm9700", help="switch part of every tier"
        ),
        "switch_place": replace(_TREE["switch_place"], default="network", help="network or top"),
    }.get(option.key, option)
    for option in tree_preset.OPTIONS
    if option.key not in {*_FIXED, "tiers", "oversubscription", "spines"}
)


def units_of(servers: int) -> tuple[int, ...]:
    """Servers of each scalable unit: 32, and at most 31 in the last but for UFM's place."""
    if servers < 1:
        raise GenerateError(f"a SuperPOD needs at least one server, not {servers}")
    full, rest = divmod(servers, UNIT_SERVERS)
    if rest:
        return (UNIT_SERVERS,) * full + (rest,)
    return (UNIT_SERVERS,) * (full - 1) + (UNIT_SERVERS - 1, 1)


def generate(request: Request) -> tuple[Design, list[str]]:
    """The design, and what the user should know about it."""
    options = {
        **request.options,
        **_FIXED,
        "tiers": None,
        "oversubscription": 1.0,
        "spines": 1,
        "name": request.options["name"] or f"DGX SuperPOD H100, {request.servers} servers",
    }
    request = Request(request.catalog, request.servers, options)
    server = tree_preset.servers_of(request)
    network = plan_network(request, server, units_of(request.servers))
    if network.tree.rails < UFM_PORTS:
        raise GenerateError(
            f"UFM is cabled to {UFM_PORTS} leaves of a unit, and {server.title} has rails for "
            f"{network.tree.rails}: take the preset rail-fat-tree"
        )
    builder, layout = tree_preset.begin(request, network, server)
    tree_preset.place(request, network, server, layout)
    ufm = request.catalog.require(UFM_PART)
    assert isinstance(ufm, ServerPart)
    names = [f"ufm-{n + 1:02d}" for n in range(UFM_APPLIANCES)]
    layout.network_racks(
        [Item(ufm, name, "ufm", None, None, switch_face(server)) for name in names]
    )
    cages = [cage for cage in ufm.cages if cage.role in {CageRole.COMPUTE, CageRole.FABRIC}]
    # The last unit has a free slot, so its leaves have a free port facing the servers.
    unit = network.tree.units - 1
    cage, port = network.down_ports()[UNIT_SERVERS - 1]
    per_box = UFM_PORTS // UFM_APPLIANCES
    links = [
        (
            (layout.ids[names[n // per_box]], cages[n % per_box].name, 0),
            (layout.ids[network.leaf_name(unit, n)], cage.name, port),
        )
        for n in range(UFM_PORTS)
    ]
    found = bundles(network, server, layout)
    split = (cages[0].default_mode.ports, network.down_mode(cage).ports)
    ends = (ufm, cages[0]), (network.leaf, cage)
    found.append(Bundle("UFM to leaf", *ends, links, network.name, split))
    Cabler(builder, request.catalog).cable(found)
    return builder.design(), [*network.notes, *layout.power_notes()]
