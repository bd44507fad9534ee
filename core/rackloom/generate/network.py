# SPDX-License-Identifier: Apache-2.0
"""Which switches a generated network is made of, and what is free on their ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import Part, ServerPart, SwitchPart
from rackloom.catalog.words import CageRole, Side
from rackloom.generate.cabling import no_join, one_link_joins, splitter_joins
from rackloom.generate.errors import GenerateError
from rackloom.generate.fitted import Fitted
from rackloom.generate.tree import Tree, plan_tree
from rackloom.placement.joins import Joiner, kind_of

DEFAULT_SWITCHES = (
    "nvidia-qm9700",
    "nvidia-qm8700",
    "nvidia-q3400-ra",
    "nvidia-sn5600",
    "nvidia-sn4600c",
    "nvidia-sn3700",
)
"""Tried in this order when no switch is named: the first whose ports suit the servers' and whose
three tiers are large enough."""

_ROLES = (CageRole.COMPUTE, CageRole.IN_BAND, CageRole.STORAGE, CageRole.FRONT_END)
"""Networks of a server that the preset can be about: the first it has ports for."""


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
    rate_gbps: float
    """Of a server's port: switches' cages split as far as that asks for."""
    split: str
    """The mode of a leaf's cages towards the servers."""
    uplink_gbps: float | None = None
    """Rate of the links between switches; None: as their cages come (:func:`mode_used`)."""
    role: CageRole = CageRole.COMPUTE
    prefix: str = ""
    """What the names of its switches begin with, where a design has several networks."""
    notes: list[str] = field(default_factory=list)

    def leaf_name(self, unit: int, group: int) -> str:
        """Name of a leaf: unit and the rail (or group of rails) it serves, from 1."""
        if self.tree.tiers == 1:
            return f"{self.prefix}leaf-01"
        if self.tree.units == 1:
            return f"{self.prefix}leaf-{group + 1:02d}"
        return f"{self.prefix}leaf-{unit + 1:02d}-{group + 1:02d}"

    def spine_name(self, pod: int, number: int) -> str:
        """Name of a spine."""
        if self.tree.pods == 1:
            return f"{self.prefix}spine-{number + 1:02d}"
        return f"{self.prefix}spine-{pod + 1:02d}-{number + 1:02d}"

    def core_name(self, group: int, number: int) -> str:
        """Name of a core: group g joins spine g of every pod."""
        return f"{self.prefix}core-{group + 1:02d}-{number + 1:02d}"

    @property
    def switches(self) -> tuple[SwitchPart, ...]:
        """The parts of its switches, tier by tier."""
        return self.leaf, self.spine, self.core

    def down_mode(self, cage: Cage) -> BreakoutMode:
        """How a cage of a leaf is split towards the servers."""
        return cage.mode(self.split) or mode_used(cage, self.rate_gbps)

    def up_mode(self, cage: Cage) -> BreakoutMode:
        """How a cage of a switch is split towards other switches."""
        modes = [m for m in cage.modes if m.rate_gbps == self.uplink_gbps]
        usable = [m for m in modes if not m.disables_neighbour]
        return max(usable, key=lambda m: m.ports, default=mode_used(cage, self.rate_gbps))

    def up_ports(self, switch: SwitchPart) -> list[tuple[Cage, int]]:
        """Ports of a switch towards other switches, in the order of the faceplate."""
        return [
            (cage, index) for cage in switch.data_cages for index in range(self.up_mode(cage).ports)
        ]

    def down_ports(self) -> list[tuple[Cage, int]]:
        """Ports of a leaf towards the servers, in the order of the faceplate."""
        return [
            (cage, index)
            for cage in self.leaf.data_cages
            for index in range(self.down_mode(cage).ports)
        ]


def rail_ports(server: Fitted, role: CageRole | None = None) -> list[tuple[Cage, int, int]]:
    """Ports of a server's network as (cage, port, rail), by rail; GenerateError where it has none.

    NICs that belong to no GPU make a rail each, in their order. Without a ``role``, the network is
    the first that the server has ports for.
    """
    cages = server_cages(server, role)
    nics: dict[str, int] = {}
    ports = [
        (
            cage,
            index,
            nics.setdefault(port.nic or port.name, len(nics)) if port.rail is None else port.rail,
        )
        for cage in cages
        for index, port in enumerate(cage.ports)
    ]
    return sorted(ports, key=lambda p: (p[2], p[1], p[0].name))


def server_cages(server: Fitted, role: CageRole | None = None) -> list[Cage]:
    """The cages that the preset cables: the compute network's, or the first other's there are."""
    for wanted in _ROLES if role is None else (role,):
        cages = [cage for cage in server.cages if cage.role is wanted]
        if cages:
            return cages
    kind = "network" if role is None else role
    raise GenerateError(f"{server.title} has no {kind} ports, so there is nothing to cable")


def switch_face(server: Fitted) -> Side:
    """Which way switches look: their ports beside the servers' compute cages."""
    return rail_ports(server)[0][0].side


def server_names(servers: int, server: ServerPart) -> list[str]:
    """gpu-001, gpu-002, ...: as many digits as the last one needs, three at least."""
    stem = "gpu" if server.gpu is not None else "node"
    width = max(len(str(servers)), 3)
    return [f"{stem}-{i + 1:0{width}d}" for i in range(servers)]


def mode_used(cage: Cage, rate_gbps: float) -> BreakoutMode:
    """How the preset splits a switch's cage in a network of servers' ports of this rate.

    As it comes, but coarser where its ports would be slower than the servers'. Towards the
    servers, cages of a leaf may be split further: see :func:`split_for`.
    """
    plain = cage.default_mode
    if plain.rate_gbps >= rate_gbps:
        return plain
    coarser = (
        mode for mode in cage.modes if mode.rate_gbps >= rate_gbps and mode.ports < plain.ports
    )
    return max(coarser, key=lambda mode: mode.ports, default=plain)


def split_for(
    joiner: Joiner, server: Fitted, cage: Cage, switch: SwitchPart, *, finer: bool = True
) -> BreakoutMode:
    """How a leaf's cages are split towards servers.

    As in the whole network (:func:`mode_used`), or finer, into as many ports of the servers' rate
    as have a cable each: a cage of 800G with two fibre sockets serves two ports of 400G. Where
    nothing gives each link a cable, as a splitter from the cage to the servers has branches.
    """
    there = switch.data_cages[0]
    rate_gbps = cage.default_mode.rate_gbps
    plain = mode_used(there, rate_gbps)
    split = [
        mode
        for mode in there.modes
        if finer
        and mode.ports > plain.ports
        and mode.rate_gbps >= rate_gbps
        and not mode.disables_neighbour
        and _within_limits(switch, mode)
    ]
    split.sort(key=lambda mode: -mode.ports)
    a = kind_of(cage, server.part.manufacturer, server.part.model)
    b = kind_of(there, switch.manufacturer, switch.model)
    best = joiner.between(a, b).best
    own = cage.default_mode.ports
    for mode in (*split, plain):
        if one_link_joins(best, (own, mode.ports)):
            return mode
    by_branches = (mode for mode in (*split, plain) if splitter_joins(best, (own, mode.ports)))
    return next(by_branches, plain)


def _within_limits(switch: SwitchPart, mode: BreakoutMode) -> bool:
    """Whether all cages of a switch may be split like this at once."""
    cages = len(switch.data_cages)
    limit, pipeline = switch.logical_port_limit, switch.pipeline_limit
    return (limit is None or cages * mode.ports <= limit) and (
        pipeline is None or pipeline.cages * mode.ports <= pipeline.ports_max
    )


def plan_network(
    request: Request,
    server: Fitted,
    units: tuple[int, ...] | None = None,
    role: CageRole | None = None,
) -> Network:
    """Which switches, how many, in how many tiers; ``units`` fixes the servers of each unit."""
    options = request.options
    ports = rail_ports(server, role)
    first = ports[0][0]
    rate_gbps = first.default_mode.rate_gbps
    rails = len({rail for _, _, rail in ports})
    per_leaf = min(options["rails_per_leaf"], rails)
    groups = ceil(rails / per_leaf)
    # Where the rails do not divide evenly, the fullest leaf decides.
    links = max(Counter(rail // per_leaf for _, _, rail in ports).values())
    named = options["switch"]
    error: GenerateError | None = None
    joiner = Joiner(request.catalog.values())
    for part_id in (named,) if named else _suiting(joiner, request.catalog, server, first):
        leaf = _switch(request, part_id)
        spine = _switch(request, options["spine_switch"] or part_id)
        core = _switch(request, options["core_switch"] or options["spine_switch"] or part_id)
        down = split_for(joiner, server, first, leaf, finer=options["breakout"])
        network = Network(
            str(first.role), _NO_TREE, leaf, spine, core, rails, per_leaf, rate_gbps, down.name
        )
        network.uplink_gbps = options["uplink_gbps"] or _common_rate(network)
        try:
            network.tree = plan_tree(
                request.servers,
                groups,
                links_per_rail=links,
                leaf_ports=len(network.down_ports()),
                spine_ports=len(network.up_ports(spine)),
                core_ports=len(network.up_ports(core)),
                tiers=options["tiers"],
                ratio=options["oversubscription"] * _uplinks_faster(network),
                unit_size=options["unit_servers"],
                units=units,
                leaf_uplinks=options["leaf_uplinks"],
                spines_at_least=options["spines"],
                uplink_ports=max(down.ports // network.up_mode(leaf.data_cages[0]).ports, 1),
            )
        except GenerateError as reason:
            error = error or GenerateError(f"{reason} (with {part_id})")
            continue
        network.role = first.role
        if role is None and first.role is not CageRole.COMPUTE:
            network.notes.append(
                f"{server.title} has no compute ports: its {first.role} ports are cabled"
            )
        return network
    assert error is not None
    raise error


def slower_uplinks(network: Network) -> float | None:
    """The rate to try where nothing joins the switches as their cages come; None for no other.

    The next finer split that the servers' links do not outrun: two fibres of 400G go farther than
    one cable of 800G.
    """
    cages = [part.data_cages[0] for part in network.switches]
    now = min(network.up_mode(cage).rate_gbps for cage in cages)
    finer = {
        mode.rate_gbps
        for cage in cages
        for mode in cage.modes
        if network.rate_gbps <= mode.rate_gbps < now
    }
    return max(finer, default=None)


def _common_rate(network: Network) -> float | None:
    """The rate that all tiers have ports of, where those of their cages as they come differ."""
    rates = {
        mode_used(part.data_cages[0], network.rate_gbps).rate_gbps for part in network.switches
    }
    return min(rates) if len(rates) > 1 else None


_NO_TREE = Tree(0, 0, 0, 0, (), (), 0, 0, 0, 0, 0)


def _uplinks_faster(network: Network) -> float:
    """How many times as fast as a server's link an uplink is: so many times fewer are needed.

    Oversubscription is of bandwidths; a plan of the tree counts ports. Uplinks that are slower than
    the servers' links are counted as equal: what is split then is for the designer to see.
    """
    rate_gbps = network.rate_gbps
    down = min(network.down_mode(network.leaf.data_cages[0]).rate_gbps, rate_gbps)
    up = min(
        network.up_mode(part.data_cages[-1]).rate_gbps for part in (network.leaf, network.spine)
    )
    return max(up / down, 1.0) if down > 0 else 1.0


def _suiting(joiner: Joiner, catalog: Catalog, server: Fitted, cage: Cage) -> Iterator[str]:
    """Default switches for a server's cage: first those of its own rate, then others it joins at
    full rate, then those it joins at all. GenerateError where nothing joins it to any."""
    kind = kind_of(cage, server.part.manufacturer, server.part.model)
    rate_gbps = cage.default_mode.rate_gbps
    ranked: list[tuple[int, str]] = []
    misses: list[str] = []
    for part_id in DEFAULT_SWITCHES:
        switch = catalog.require(part_id)
        assert isinstance(switch, SwitchPart)
        there = switch.data_cages[0]
        mode = split_for(joiner, server, cage, switch)
        other = kind_of(there, switch.manufacturer, switch.model)
        split = (cage.default_mode.ports, mode.ports)
        best = joiner.between(kind, other).best
        joins = one_link_joins(best, split) or splitter_joins(best, split)
        if not joins:
            if switch.protocol in cage.protocols:
                misses.append(no_join(joiner, kind, other))
            continue
        slower = joins[0].rate_gbps < rate_gbps
        by_splitter = 4 * (joins[0].part.branches > 1)
        ranked.append((by_splitter + (2 if slower else int(mode.rate_gbps != rate_gbps)), part_id))
    if not ranked:
        why = misses[0] if misses else f"none of them speaks what {server.title} does"
        raise GenerateError(f"no default switch takes these servers; name one, switch=... ({why})")
    yield from (part_id for _, part_id in sorted(ranked, key=lambda found: found[0]))


def _switch(request: Request, part_id: str) -> SwitchPart:
    part = request.catalog.require(part_id)
    if not isinstance(part, SwitchPart):
        raise GenerateError(f"{part_id} is not a switch part")
    if not part.data_cages:
        raise GenerateError(f"{part.title} has no fabric ports")
    return part
