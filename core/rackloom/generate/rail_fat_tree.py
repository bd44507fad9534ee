# SPDX-License-Identifier: Apache-2.0
"""The preset ``rail-fat-tree``: any server, any switches, rail-optimised, one to three tiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

from rackloom.catalog.parts import NicPart, PduPart, RackPart, ServerPart, SwitchPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.catalog.words import Side
from rackloom.design.entities import SiteSettings
from rackloom.design.value import Design
from rackloom.generate.builder import Builder
from rackloom.generate.busbar import Busbar, hangs_on_busbar, refuse_trays
from rackloom.generate.cabling import Cabler
from rackloom.generate.errors import GenerateError, UplinkError
from rackloom.generate.fitted import Fitted, fitted
from rackloom.generate.floor import Floor
from rackloom.generate.layout import Item, Layout
from rackloom.generate.network import (
    Network,
    Request,
    plan_network,
    server_names,
    slower_uplinks,
    switch_face,
)
from rackloom.generate.options import Option
from rackloom.generate.tree import Tree
from rackloom.generate.wires import bundles

OPTIONS: tuple[Option, ...] = (
    Option("server", "part", "dgx-h100", "server part", of=ServerPart),
    Option("nic", "part", None, "network card in their slots (auto: as they come)", of=NicPart),
    Option(
        "switch", "part", None, "switch part of every tier (auto: by ports and size)", of=SwitchPart
    ),
    Option(
        "spine_switch", "part", None, "switch part of the spines, if another one", of=SwitchPart
    ),
    Option("core_switch", "part", None, "switch part of the cores, if another one", of=SwitchPart),
    Option("tiers", "int", None, "1, 2 or 3 (auto: as few as the servers need)", 1, 3),
    Option("oversubscription", "float", 1.0, "server bandwidth over uplink bandwidth of a leaf", 1),
    Option("unit_servers", "int", None, "servers of a scalable unit (auto: a full leaf)", 1),
    Option("rails_per_leaf", "int", 1, "rails that share a leaf", 1),
    Option("breakout", "bool", True, "split ports of leaves that are faster than the servers'"),
    Option("leaf_uplinks", "int", None, "uplinks of a leaf (auto: what its servers need)", 1),
    Option("uplink_gbps", "float", None, "rate of links between switches (auto: whole cages)", 1),
    Option("spines", "int", 1, "at least this many spines (two tiers)", 1),
    Option("servers_per_rack", "int", None, "servers in a rack (auto: by power and height)", 1),
    Option("switch_place", "text", "auto", "auto, network (own racks) or top (above the servers)"),
    Option(
        "racks_per_row", "int", None, "racks in a row (auto: 20, in great halls a square)", 1, 1000
    ),
    Option("row_pitch_m", "float", 3.0, "distance from row to row, front to front", 1.2, 100),
    Option("rack", "part", "generic-48u-800", "rack part", of=RackPart),
    Option(
        "busbar_rack", "part", "ocp-orv3", "rack part of servers that hang on a busbar", of=RackPart
    ),
    Option(
        "shelf", "part", "orv3-hpr-33", "power shelf part of racks with a busbar", of=PowerShelfPart
    ),
    Option("pdu", "part", "generic-415-60", "PDU part of server racks", of=PduPart),
    Option("network_pdu", "part", "generic-415-32", "PDU part of network racks", of=PduPart),
    Option("feed_derating", "float", 0.8, "share of a feed that may be used continuously", 0.1, 1),
    Option("name", "text", "", "project name"),
)


def generate(request: Request) -> tuple[Design, list[str]]:
    """The design, and what the user should know about it."""
    server = servers_of(request)
    return with_uplinks(request, plan_network(request, server), partial(_generate, server=server))


def with_uplinks(
    request: Request, network: Network, build: Callable[[Request], tuple[Design, list[str]]]
) -> tuple[Design, list[str]]:
    """What ``build`` makes; where its switches cannot be joined, with slower links if there are."""
    try:
        return build(request)
    except UplinkError:
        slower = None if request.options["uplink_gbps"] else slower_uplinks(network)
        if slower is None:
            raise
    options = {**request.options, "uplink_gbps": slower}
    design, notes = build(Request(request.catalog, request.servers, options))
    note = f"links between switches run at {slower:g}G, as nothing faster joins them or goes so far"
    return design, [*notes, note]


def _generate(request: Request, server: Fitted) -> tuple[Design, list[str]]:
    network = plan_network(request, server)
    builder, layout = begin(request, network, server)
    place(request, network, server, layout)
    cabler = Cabler(builder, request.catalog)
    cabler.cable(bundles(network, server, layout))
    return builder.design(), [*network.notes, *layout.power_notes()]


def servers_of(request: Request) -> Fitted:
    """The servers asked for, with their cards; GenerateError for those of another preset."""
    server: ServerPart = request.part("server", ServerPart)
    refuse_trays(request.catalog, server)
    nic = request.part("nic", NicPart) if request.options["nic"] else None
    return fitted(server, nic)


def begin(request: Request, network: Network, server: Fitted) -> tuple[Builder, Layout]:
    """An empty room with the settings and the equipment of the request."""
    options = request.options
    rack: RackPart = request.part("rack", RackPart)
    builder = Builder()
    for _, card in server.cards:
        builder.embed(card)
    floor = Floor(builder, rack, SHORT_ROW, options["row_pitch_m"])
    layout = Layout(
        builder,
        floor,
        rack,
        request.part("pdu", PduPart),
        request.part("network_pdu", PduPart),
        options["feed_derating"],
    )
    layout.load(network.switches, request.catalog)
    if hangs_on_busbar(server.part):
        busbar_rack: RackPart = request.part("busbar_rack", RackPart)
        if rack.busbar_v is not None:
            busbar_rack = rack
        elif busbar_rack.busbar_v is None:
            raise GenerateError(
                f"busbar_rack={busbar_rack.id}: it has no busbar, and {server.title} needs one"
            )
        layout.busbar = Busbar(busbar_rack, request.part("shelf", PowerShelfPart))
        floor.alike = busbar_rack.width_mm == rack.width_mm
    per_row = options["racks_per_row"] or racks_per_row(
        _racks(network, server.part, layout, options["servers_per_rack"]),
        rack.width_mm / 1000,
        options["row_pitch_m"],
    )
    floor.racks_per_row = per_row
    builder.settings = SiteSettings(
        project=options["name"] or f"{request.servers} servers",
        feed_derating=options["feed_derating"],
        cross_trays_x_m=cross_trays_m(per_row, rack.width_mm / 1000),
    )
    return builder, layout


SHORT_ROW = 20
"""Racks in a row, and between two cross trays of a longer one."""


def _racks(network: Network, server: ServerPart, layout: Layout, per_rack: int | None) -> int:
    """About how many racks the design will fill."""
    servers = ceil(network.tree.servers / (per_rack or layout.servers_per_rack(server)))
    tree = network.tree
    switches = tree.leaves + tree.spines + tree.cores
    return servers + ceil(switches / layout.switches_per_rack(network.leaf))


def racks_per_row(racks: int, width_m: float, pitch_m: float) -> int:
    """Rows as long as the hall is deep, so that the longest cable is short; 20 at least."""
    return max(SHORT_ROW, ceil(sqrt(racks * pitch_m / width_m)))


def cross_trays_m(per_row: int, width_m: float) -> tuple[float, ...]:
    """Cross trays at both ends of the rows (nothing to say) and, in longer rows, between."""
    if per_row <= SHORT_ROW:
        return ()
    spans = ceil(per_row / SHORT_ROW)
    return tuple(round(per_row * width_m * i / spans, 3) for i in range(spans + 1))


def place(request: Request, network: Network, server: Fitted, layout: Layout) -> None:
    """Servers unit by unit, their leaves in their midst, spines amid their pod, cores amid all."""
    tree = network.tree
    options = request.options
    per_rack = options["servers_per_rack"] or layout.servers_per_rack(server.part)
    names = server_names(request.servers, server.part)
    face = switch_face(server)
    items = switch_items(network, face)
    racks = _server_racks(tree, names, server, per_rack)
    if _place_on_top(request, layout, racks, items):
        return
    spines_after = {(pod, tree.pod_units[pod] // 2): items.spines[pod] for pod in range(tree.pods)}
    unit = 0
    for pod, pod_units in enumerate(tree.pod_units):
        if pod == tree.pods // 2 and items.cores:
            layout.network_racks(items.cores)
        for number in range(pod_units):
            if number == pod_units // 2 and pod_units > 1:
                layout.network_racks(spines_after[pod, number])
            here = racks[unit]
            middle = len(here) // 2
            for rack in here[:middle]:
                layout.server_rack(rack)
            extra = spines_after[pod, 0] if pod_units == 1 else []
            layout.network_racks([*items.leaves[unit], *extra])
            for rack in here[middle:]:
                layout.server_rack(rack)
            unit += 1


@dataclass(slots=True)
class Switches:
    """The switches of a network as items to place: leaves by unit, spines by pod."""

    leaves: list[list[Item]]
    spines: list[list[Item]]
    cores: list[Item]

    def all(self) -> list[Item]:
        """All of them, tier by tier."""
        return [
            *(i for unit in self.leaves for i in unit),
            *(i for pod in self.spines for i in pod),
            *self.cores,
        ]


def switch_items(network: Network, face: Side) -> Switches:
    """The switches of a network, named, with their roles."""
    tree = network.tree
    groups = 1 if tree.tiers == 1 else tree.rails

    def item(part: SwitchPart, name: str, role: str, pod: str | None) -> Item:
        return Item(part, name, role, network.name, pod, face)

    pods = [pod for pod, units in enumerate(tree.pod_units) for _ in range(units)]
    return Switches(
        [
            [
                item(network.leaf, network.leaf_name(unit, g), "leaf", f"SU{unit + 1}")
                for g in range(groups)
            ]
            for unit in range(len(pods))
        ],
        [
            [
                item(network.spine, network.spine_name(pod, n), "spine", f"pod {pod + 1}")
                for n in range(tree.spines_per_pod)
            ]
            for pod in range(tree.pods)
        ],
        [
            item(network.core, network.core_name(g, n), "core", None)
            for g in range(tree.core_groups)
            for n in range(tree.cores_per_group)
        ],
    )


def _server_racks(
    tree: Tree, names: Sequence[str], server: Fitted, per_rack: int
) -> list[list[list[Item]]]:
    """Per unit, per rack: the servers."""
    racks: list[list[list[Item]]] = []
    first = 0
    for unit, count in enumerate(tree.unit_servers):
        here = [
            Item(server.part, name, None, None, f"SU{unit + 1}", cards=server.card_ids)
            for name in names[first : first + count]
        ]
        racks.append([here[i : i + per_rack] for i in range(0, count, per_rack)])
        first += count
    return racks


def _place_on_top(
    request: Request, layout: Layout, racks: list[list[list[Item]]], items: Switches
) -> bool:
    """Switches above the servers, where asked for or where a small design has the room."""
    place_word = request.options["switch_place"]
    if place_word not in {"auto", "network", "top"}:
        raise GenerateError(f"switch_place={place_word}: there are auto, network and top")
    if place_word == "network":
        return False
    flat = [rack for unit in racks for rack in unit]
    switches = items.all()
    shares = [switches[i :: len(flat)] for i in range(len(flat))]
    fits = all(layout.fits_above(r, s) for r, s in zip(flat, shares, strict=True))
    if place_word == "auto" and not (fits and len(switches) <= 2 * len(flat)):
        return False
    if not fits:
        raise GenerateError(
            "switch_place=top: the switches do not fit above the servers, by height, power or the "
            "side they blow their hot air to; take switch_place=network"
        )
    for rack, share in zip(flat, shares, strict=True):
        layout.server_rack(rack, share)
    return True
