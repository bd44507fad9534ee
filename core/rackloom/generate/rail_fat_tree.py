# SPDX-License-Identifier: Apache-2.0
"""The preset ``rail-fat-tree``: any server, any switches, rail-optimised, one to three tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import Any

from rackloom.catalog.cages import Cage
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, Part, PduPart, RackPart, ServerPart, SwitchPart
from rackloom.catalog.words import CageRole, Protocol, Side
from rackloom.design.entities import SiteSettings
from rackloom.design.ids import DeviceId
from rackloom.design.value import Design
from rackloom.generate.builder import Builder
from rackloom.generate.cabling import Bundle, Cabler, Port
from rackloom.generate.errors import GenerateError
from rackloom.generate.floor import Floor
from rackloom.generate.layout import Item, Layout
from rackloom.generate.options import Option
from rackloom.generate.tree import Tree, plan_tree

DEFAULT_SWITCHES = ("nvidia-qm9700", "nvidia-sn5600")
"""Tried in this order when no switch is named: the first whose three tiers are large enough."""

OPTIONS: tuple[Option, ...] = (
    Option("server", "part", "dgx-h100", "server part"),
    Option("switch", "part", None, "switch part of every tier (auto: by size)"),
    Option("spine_switch", "part", None, "switch part of the spines, if another one"),
    Option("core_switch", "part", None, "switch part of the cores, if another one"),
    Option("tiers", "int", None, "1, 2 or 3 (auto: as few as the servers need)", 1),
    Option("oversubscription", "float", 1.0, "server bandwidth over uplink bandwidth of a leaf", 1),
    Option("unit_servers", "int", None, "servers of a scalable unit (auto: a full leaf)", 1),
    Option("rails_per_leaf", "int", 1, "rails that share a leaf", 1),
    Option("leaf_uplinks", "int", None, "uplinks of a leaf (auto: what its servers need)", 1),
    Option("spines", "int", 1, "at least this many spines (two tiers)", 1),
    Option("servers_per_rack", "int", None, "servers in a rack (auto: by power and height)", 1),
    Option("switch_place", "text", "auto", "auto, network (own racks) or top (above the servers)"),
    Option("racks_per_row", "int", None, "racks in a row (auto: 20, in great halls a square)", 1),
    Option("row_pitch_m", "float", 3.0, "distance from row to row, front to front", 1.2),
    Option("rack", "part", "generic-48u-800", "rack part"),
    Option("pdu", "part", "generic-415-60", "PDU part of server racks"),
    Option("network_pdu", "part", "generic-415-32", "PDU part of network racks"),
    Option("feed_derating", "float", 0.8, "share of a feed that may be used continuously", 0.1),
    Option("name", "text", "", "project name"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What the preset was asked for: options by key, the number of servers, the catalogue."""

    catalog: Catalog
    servers: int
    options: Mapping[str, Any]

    def part(self, key: str, kind: type[Part]) -> Any:
        """The part an option names; GenerateError if it is of another kind."""
        part = self.catalog.require(self.options[key])
        if not isinstance(part, kind):
            word = kind.__name__.removesuffix("Part").lower()
            raise GenerateError(f"{key}={part.id}: that is not a {word} part")
        return part


@dataclass(slots=True)
class Network:
    """One generated fabric: its tree, its switches, and what is free on their ports."""

    name: str
    tree: Tree
    leaf: SwitchPart
    spine: SwitchPart
    core: SwitchPart
    rails: int
    rails_per_leaf: int
    notes: list[str] = field(default_factory=list)

    def leaf_name(self, unit: int, group: int) -> str:
        """Name of a leaf: unit and the rail (or group of rails) it serves, from 1."""
        if self.tree.tiers == 1:
            return "leaf-01"
        if self.tree.units == 1:
            return f"leaf-{group + 1:02d}"
        return f"leaf-{unit + 1:02d}-{group + 1:02d}"

    def spine_name(self, pod: int, number: int) -> str:
        """Name of a spine."""
        if self.tree.pods == 1:
            return f"spine-{number + 1:02d}"
        return f"spine-{pod + 1:02d}-{number + 1:02d}"

    def core_name(self, group: int, number: int) -> str:
        """Name of a core: group g joins spine g of every pod."""
        return f"core-{group + 1:02d}-{number + 1:02d}"


def rail_ports(server: ServerPart) -> list[tuple[Cage, int, int]]:
    """Compute ports of a server as (cage, port, rail), by rail; GenerateError where it has none."""
    ports = [
        (cage, index, port.rail)
        for cage in server.cages
        if cage.role is CageRole.COMPUTE
        for index, port in enumerate(cage.ports)
        if port.rail is not None
    ]
    if not ports:
        raise GenerateError(f"{server.title} has no compute ports, so there is nothing to cable")
    return sorted(ports, key=lambda p: (p[2], p[1], p[0].name))


def data_ports(switch: SwitchPart) -> list[tuple[Cage, int]]:
    """Fabric ports of a switch in their default modes, in the order of the faceplate."""
    return [
        (cage, index)
        for cage in switch.cages
        if cage.role is CageRole.FABRIC
        for index in range(cage.default_mode.ports)
    ]


def generate(request: Request) -> tuple[Design, list[str]]:
    """The design, and what the user should know about it."""
    server: ServerPart = request.part("server", ServerPart)
    network = plan_network(request, server)
    builder, layout = begin(request, network, server)
    place(request, network, server, layout)
    cabler = Cabler(builder, request.catalog)
    cabler.cable(bundles(network, server, layout))
    notes = [*network.notes]
    if layout.cordless:
        names = ", ".join(sorted(layout.cordless))
        notes.append(f"no power cords for {names}: the catalogue does not know their inlets")
    return builder.design(), notes


def begin(request: Request, network: Network, server: ServerPart) -> tuple[Builder, Layout]:
    """An empty room with the settings and the equipment of the request."""
    options = request.options
    rack: RackPart = request.part("rack", RackPart)
    builder = Builder()
    floor = Floor(builder, rack, SHORT_ROW, options["row_pitch_m"])
    layout = Layout(
        builder,
        floor,
        rack,
        request.part("pdu", PduPart),
        request.part("network_pdu", PduPart),
        options["feed_derating"],
    )
    per_row = options["racks_per_row"] or _racks_per_row(
        _racks(network, server, layout, options["servers_per_rack"]),
        rack.width_mm / 1000,
        options["row_pitch_m"],
    )
    floor.racks_per_row = per_row
    builder.settings = SiteSettings(
        project=options["name"] or f"{request.servers} servers",
        feed_derating=options["feed_derating"],
        cross_trays_x_m=_cross_trays_m(per_row, rack.width_mm / 1000),
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


def _racks_per_row(racks: int, width_m: float, pitch_m: float) -> int:
    """Rows as long as the hall is deep, so that the longest cable is short; 20 at least."""
    return max(SHORT_ROW, ceil(sqrt(racks * pitch_m / width_m)))


def _cross_trays_m(per_row: int, width_m: float) -> tuple[float, ...]:
    """Cross trays at both ends of the rows (nothing to say) and, in longer rows, between."""
    if per_row <= SHORT_ROW:
        return ()
    spans = ceil(per_row / SHORT_ROW)
    return tuple(round(per_row * width_m * i / spans, 3) for i in range(spans + 1))


def plan_network(
    request: Request, server: ServerPart, units: tuple[int, ...] | None = None
) -> Network:
    """Which switches, how many, in how many tiers; ``units`` fixes the servers of each unit."""
    options = request.options
    ports = rail_ports(server)
    rails = len({rail for _, _, rail in ports})
    per_leaf = min(options["rails_per_leaf"], rails)
    groups = ceil(rails / per_leaf)
    links = ceil(len(ports) / groups)
    named = options["switch"]
    speaks = ports[0][0].protocols
    candidates = (named,) if named else _speaking(request.catalog, speaks)
    error: GenerateError | None = None
    for part_id in candidates:
        leaf = _switch(request, part_id)
        spine = _switch(request, options["spine_switch"] or part_id)
        core = _switch(request, options["core_switch"] or options["spine_switch"] or part_id)
        try:
            tree = plan_tree(
                request.servers,
                groups,
                links_per_rail=links,
                leaf_ports=len(data_ports(leaf)),
                spine_ports=len(data_ports(spine)),
                core_ports=len(data_ports(core)),
                tiers=options["tiers"],
                ratio=options["oversubscription"],
                unit_size=options["unit_servers"],
                units=units,
                leaf_uplinks=options["leaf_uplinks"],
                spines_at_least=options["spines"],
            )
        except GenerateError as reason:
            error = reason
            continue
        return Network("compute", tree, leaf, spine, core, rails, per_leaf)
    assert error is not None
    raise GenerateError(f"{error} (with {candidates[-1]})")


def _speaking(catalog: Catalog, protocols: frozenset[Protocol]) -> tuple[str, ...]:
    """Of the switches tried by default those that speak what the servers' NICs do."""
    found = tuple(
        part_id
        for part_id in DEFAULT_SWITCHES
        if (part := catalog.require(part_id)) and isinstance(part, SwitchPart)
        if part.protocol in protocols
    )
    if not found:
        raise GenerateError("no default switch speaks what these servers do; name one: switch=...")
    return found


def _switch(request: Request, part_id: str) -> SwitchPart:
    part = request.catalog.require(part_id)
    if not isinstance(part, SwitchPart):
        raise GenerateError(f"{part_id} is not a switch part")
    if not data_ports(part):
        raise GenerateError(f"{part.title} has no fabric ports")
    return part


def switch_face(server: ServerPart) -> Side:
    """Which way switches look: their ports beside the servers' compute cages."""
    return rail_ports(server)[0][0].side


def server_names(servers: int, server: ServerPart) -> list[str]:
    """gpu-001, gpu-002, ...: as many digits as the last one needs, three at least."""
    stem = "gpu" if server.gpu is not None else "node"
    width = max(len(str(servers)), 3)
    return [f"{stem}-{i + 1:0{width}d}" for i in range(servers)]


def place(request: Request, network: Network, server: ServerPart, layout: Layout) -> None:
    """Servers unit by unit, their leaves in their midst, spines amid their pod, cores amid all."""
    tree = network.tree
    options = request.options
    per_rack = options["servers_per_rack"] or layout.servers_per_rack(server)
    names = server_names(request.servers, server)
    face = switch_face(server)
    items = _switch_items(network, face)
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
class _Switches:
    leaves: list[list[Item]]
    spines: list[list[Item]]
    cores: list[Item]

    def all(self) -> list[Item]:
        return [
            *(i for unit in self.leaves for i in unit),
            *(i for pod in self.spines for i in pod),
            *self.cores,
        ]


def _switch_items(network: Network, face: Side) -> _Switches:
    tree = network.tree
    groups = 1 if tree.tiers == 1 else tree.rails

    def item(part: SwitchPart, name: str, role: str, pod: str | None) -> Item:
        return Item(part, name, role, network.name, pod, face)

    pods = [pod for pod, units in enumerate(tree.pod_units) for _ in range(units)]
    return _Switches(
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
    tree: Tree, names: Sequence[str], server: ServerPart, per_rack: int
) -> list[list[list[Item]]]:
    """Per unit, per rack: the servers."""
    racks: list[list[list[Item]]] = []
    first = 0
    for unit, count in enumerate(tree.unit_servers):
        here = [
            Item(server, name, None, None, f"SU{unit + 1}") for name in names[first : first + count]
        ]
        racks.append([here[i : i + per_rack] for i in range(0, count, per_rack)])
        first += count
    return racks


def _place_on_top(
    request: Request, layout: Layout, racks: list[list[list[Item]]], items: _Switches
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
        raise GenerateError("switch_place=top: the switches do not fit above the servers")
    for rack, share in zip(flat, shares, strict=True):
        layout.server_rack(rack, share)
    return True


def bundles(network: Network, server: ServerPart, layout: Layout) -> list[Bundle]:
    """All links of the network, layer by layer."""
    tree, ids = network.tree, layout.ids
    wires = _Wires(network, ids)
    found = [*wires.servers(server)]
    if tree.tiers > 1:
        found.append(wires.leaf_spine())
    if tree.tiers > 2:
        found.append(wires.spine_core())
    if network.leaf.protocol is not Protocol.INFINIBAND:
        network.notes.append(f"the network is Ethernet: {network.leaf.title}")
    return found


@dataclass(slots=True)
class _Wires:
    """Which port goes to which. Leaves fill towards servers from their first port, and towards
    spines from their last; spines and cores are filled in order."""

    network: Network
    ids: Mapping[str, DeviceId]

    def servers(self, server: ServerPart) -> list[Bundle]:
        network, tree = self.network, self.network.tree
        ports = rail_ports(server)
        names = server_names(tree.servers, server)
        down = data_ports(network.leaf)
        by_kind: dict[str, Bundle] = {}
        first = 0
        for unit, count in enumerate(tree.unit_servers):
            used: dict[str, int] = {}
            for name in names[first : first + count]:
                for cage, index, rail in ports:
                    group = 0 if tree.tiers == 1 else rail // network.rails_per_leaf
                    leaf = network.leaf_name(unit, group)
                    at = used.get(leaf, 0)
                    used[leaf] = at + 1
                    leaf_cage, leaf_port = down[at]
                    bundle = by_kind.get(cage.group)
                    if bundle is None:
                        bundle = self._bundle(
                            "server to leaf", (server, cage), (network.leaf, leaf_cage)
                        )
                        by_kind[cage.group] = bundle
                    bundle.pairs.append(
                        (
                            (self.ids[name], cage.name, index),
                            (self.ids[leaf], leaf_cage.name, leaf_port),
                        )
                    )
            first += count
        return list(by_kind.values())

    def leaf_spine(self) -> Bundle:
        network, tree = self.network, self.network.tree
        up = data_ports(network.leaf)[-tree.leaf_uplinks :]
        down = data_ports(network.spine)
        bundle = self._bundle(
            "leaf to spine", (network.leaf, up[0][0]), (network.spine, down[0][0])
        )
        each = tree.links_leaf_to_spine()
        unit = 0
        for pod, pod_units in enumerate(tree.pod_units):
            used = [0] * tree.spines_per_pod
            for _ in range(pod_units):
                for group in range(tree.rails):
                    leaf = self.ids[network.leaf_name(unit, group)]
                    for number, (cage, port) in enumerate(up):
                        # Links to one spine stay together, so that a cage faces one spine.
                        spine = number // each
                        spine_cage, spine_port = down[used[spine]]
                        used[spine] += 1
                        there = self.ids[network.spine_name(pod, spine)]
                        bundle.pairs.append(
                            ((leaf, cage.name, port), (there, spine_cage.name, spine_port))
                        )
                unit += 1
        return bundle

    def spine_core(self) -> Bundle:
        network, tree = self.network, self.network.tree
        up = data_ports(network.spine)[-tree.spine_uplinks :]
        down = data_ports(network.core)
        bundle = self._bundle(
            "spine to core", (network.spine, up[0][0]), (network.core, down[0][0])
        )
        each = tree.spine_uplinks // tree.cores_per_group
        used: dict[tuple[int, int], int] = {}
        for pod in range(tree.pods):
            for group in range(tree.core_groups):
                spine = self.ids[network.spine_name(pod, group)]
                for number, (cage, port) in enumerate(up):
                    core = (group, number // each)
                    at = used.get(core, 0)
                    used[core] = at + 1
                    core_cage, core_port = down[at]
                    there = self.ids[network.core_name(*core)]
                    bundle.pairs.append(
                        ((spine, cage.name, port), (there, core_cage.name, core_port))
                    )
        return bundle

    def _bundle(self, name: str, a: tuple[DevicePart, Cage], b: tuple[DevicePart, Cage]) -> Bundle:
        pairs: list[tuple[Port, Port]] = []
        return Bundle(name, a, b, pairs, self.network.name)
