# SPDX-License-Identifier: Apache-2.0
"""The preset ``nvl72``: whole racks of 72 GPUs, their scale-out rails, and the networks beside.

The racks come as the catalogue's rack system lists them: compute trays, NVLink switch trays, power
shelves, management switches. Published scalable unit (DGX SuperPOD GB200, NDR): eight racks, a leaf
for each rail of each rack with 18 links down and 18 up, two to each of nine spines: 32 leaves, 576
cables to the trays and 576 to the spines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import PduPart, RackPart, SwitchPart
from rackloom.catalog.site_parts import AccessoryPart, RackSystemPart
from rackloom.catalog.words import CageRole, Side
from rackloom.design.entities import SiteSettings
from rackloom.design.value import Design
from rackloom.generate import rail_fat_tree as tree_preset
from rackloom.generate.builder import Builder
from rackloom.generate.cabling import Cabler
from rackloom.generate.cooling import place_cdus
from rackloom.generate.errors import GenerateError
from rackloom.generate.fitted import Fitted
from rackloom.generate.floor import Floor
from rackloom.generate.layout import Item, Layout
from rackloom.generate.network import Network, Request, plan_network, switch_face
from rackloom.generate.options import Option
from rackloom.generate.out_of_band import OutOfBand
from rackloom.generate.rack_systems import SystemRacks, WholeRack, whole_rack
from rackloom.generate.wires import bundles

SU_RACKS = 8
"""Racks of a scalable unit of the reference design; their leaves stand in their midst."""

_TREE = {option.key: option for option in tree_preset.OPTIONS}

OPTIONS: tuple[Option, ...] = (
    Option(
        "system",
        "part",
        "gb200-nvl72-rack",
        "rack system: what each rack of GPUs holds",
        of=RackSystemPart,
    ),
    Option("racks", "int", None, "racks of GPUs (auto: as many as the size asked for fills)", 1),
    Option("scale_out", "bool", True, "cable the compute ports of the trays to leaves and spines"),
    _TREE["switch"],
    _TREE["spine_switch"],
    _TREE["core_switch"],
    _TREE["tiers"],
    _TREE["oversubscription"],
    Option("racks_per_leaf", "int", None, "racks that share a leaf (auto: as its ports allow)", 1),
    _TREE["rails_per_leaf"],
    _TREE["breakout"],
    _TREE["leaf_uplinks"],
    _TREE["uplink_gbps"],
    _TREE["spines"],
    Option("front_end", "bool", True, "cable the in-band ports of the trays"),
    Option(
        "front_end_switch", "part", "nvidia-sn5600", "switch part of the front end", of=SwitchPart
    ),
    Option("front_end_oversubscription", "float", 3.0, "bandwidth down over up there", 1),
    Option("storage", "bool", False, "cable the storage ports of the trays, as the front end"),
    Option("out_of_band", "bool", True, "cable the management ports, in the racks and above"),
    Option(
        "management_switch",
        "part",
        "nvidia-sn2201",
        "management switch of network racks",
        of=SwitchPart,
    ),
    Option(
        "management_spine",
        "part",
        "nvidia-sn4600c",
        "switch that joins management switches",
        of=SwitchPart,
    ),
    Option("cdu", "part", "cdu-4u-250", "coolant distribution unit", of=AccessoryPart),
    Option("cdus", "int", None, "such units (auto: all the racks' heat, and one more)", 0),
    _TREE["racks_per_row"],
    _TREE["row_pitch_m"],
    Option("rack", "part", "generic-48u-800", "rack part of switches", of=RackPart),
    _TREE["network_pdu"],
    Option(
        "rack_pdu",
        "part",
        "generic-415-32",
        "PDU part of what has cords in racks of GPUs",
        of=PduPart,
    ),
    _TREE["feed_derating"],
    _TREE["name"],
)


def trays_asked(
    catalog: Catalog, options: Mapping[str, Any], servers: int | None, gpus: int | None
) -> int:
    """How many trays a size or the option ``racks`` stands for; GenerateError with what would do.

    Racks come full: sizes are whole numbers of them.
    """
    system = whole_rack(catalog, options["system"])
    racks = options["racks"]
    sizes = [
        (amount, each, word)
        for amount, each, word in (
            (racks, 1, "racks"),
            (servers, system.trays, "trays"),
            (gpus, system.gpus, "GPUs"),
        )
        if amount is not None
    ]
    if len(sizes) != 1:
        raise GenerateError("the size is needed once: gpus, servers (trays) or the option racks")
    amount, each, word = sizes[0]
    if amount < 1 or amount % each:
        below, above = amount - amount % each, amount + -amount % each
        near = f"{max(above, each)}" if below < 1 else f"{below} or {above}"
        raise GenerateError(f"{amount} {word} do not fill racks of {each}: take {near}")
    return int(amount // each * system.trays)


def generate(request: Request) -> tuple[Design, list[str]]:
    """The design, and what the user should know about it."""
    system = whole_rack(request.catalog, request.options["system"])
    networks = _networks(request, system)
    if not networks:
        return _generate(request, system)
    return tree_preset.with_uplinks(request, networks[0], partial(_generate, system=system))


def _generate(request: Request, system: WholeRack) -> tuple[Design, list[str]]:
    racks = request.servers // system.trays
    networks = _networks(request, system)
    builder, layout = _room(request, system, racks)
    for network in networks:
        layout.load(network.switches, request.catalog)
    placed = SystemRacks(builder, layout, system, request.part("rack_pdu", PduPart))
    _place(racks, system, networks, layout, placed)
    notes = place_cdus(request, layout, system, racks)
    # Ways depend on where rows end: no rack is placed once the first cable has been measured.
    cabler = Cabler(builder, request.catalog)
    if request.options["out_of_band"]:
        notes += OutOfBand(request, layout, placed).build(cabler)
    for network in networks:
        cabler.cable(bundles(network, Fitted(system.server), layout, placed.trays))
        notes += network.notes
    return builder.design(), [*notes, *layout.power_notes()]


def _networks(request: Request, system: WholeRack) -> list[Network]:
    """The networks asked for: the rails first, then what carries storage and the front end."""
    options = request.options
    found: list[Network] = []
    if options["scale_out"]:
        found.append(_plan(request, system, CageRole.COMPUTE, options))
    beside = {
        **options,
        "switch": options["front_end_switch"],
        "oversubscription": options["front_end_oversubscription"],
        **dict.fromkeys(
            (
                *("spine_switch", "core_switch", "tiers", "racks_per_leaf", "leaf_uplinks"),
                "uplink_gbps",
            ),
            None,
        ),
        "rails_per_leaf": 1,
        "spines": 2,
    }
    for key, role in (("front_end", CageRole.IN_BAND), ("storage", CageRole.STORAGE)):
        if options[key]:
            network = _plan(request, system, role, beside)
            network.prefix = f"{role}-"
            found.append(network)
    return found


def _plan(
    request: Request, system: WholeRack, role: CageRole, options: Mapping[str, Any]
) -> Network:
    """A network whose units are whole racks: as many as a leaf has ports for."""
    per_leaf = options["racks_per_leaf"]
    wanted = {**options, "unit_servers": per_leaf and per_leaf * system.trays}
    network = plan_network(
        Request(request.catalog, request.servers, wanted), Fitted(system.server), role=role
    )
    fullest = max(network.tree.unit_servers)
    if network.tree.units > 1 and fullest % system.trays:
        if per_leaf or fullest < system.trays:
            raise GenerateError(
                f"a leaf of {network.leaf.title} takes {fullest} trays of a rail, and racks have "
                f"{system.trays}: choose switches with more ports, or fewer racks or rails_per_leaf"
            )
        whole = {**wanted, "unit_servers": fullest // system.trays * system.trays}
        network = plan_network(
            Request(request.catalog, request.servers, whole), Fitted(system.server), role=role
        )
    return network


def _room(request: Request, system: WholeRack, racks: int) -> tuple[Builder, Layout]:
    options = request.options
    rack: RackPart = request.part("rack", RackPart)
    network_pdu: PduPart = request.part("network_pdu", PduPart)
    builder = Builder()
    floor = Floor(builder, rack, tree_preset.SHORT_ROW, options["row_pitch_m"])
    floor.alike = rack.width_mm == system.rack.width_mm
    floor.racks_per_row = options["racks_per_row"] or tree_preset.racks_per_row(
        2 * racks, system.rack.width_mm / 1000, options["row_pitch_m"]
    )
    builder.settings = SiteSettings(
        project=options["name"] or f"{racks} x {system.title}",
        feed_derating=options["feed_derating"],
        cross_trays_x_m=tree_preset.cross_trays_m(floor.racks_per_row, rack.width_mm / 1000),
    )
    layout = Layout(builder, floor, rack, network_pdu, network_pdu, options["feed_derating"])
    if options["out_of_band"]:
        layout.reserve = request.part("management_switch", SwitchPart)
    return builder, layout


@dataclass(slots=True)
class _Block:
    """Racks of GPUs that stand together, with the leaves of their rails in the middle."""

    racks: int
    switches: list[Item]


def _place(
    racks: int,
    system: WholeRack,
    networks: Sequence[Network],
    layout: Layout,
    placed: SystemRacks,
) -> None:
    """Scalable units one after the other; spines amid their pod, the rest amid all."""
    face = switch_face(Fitted(system.server))
    rails = next((n for n in networks if n.role is CageRole.COMPUTE), None)
    blocks = [_Block(min(SU_RACKS, racks - at), []) for at in range(0, racks, SU_RACKS)]
    middle = blocks[len(blocks) // 2].switches
    if rails is not None:
        _rail_switches(rails, system, blocks, face)
    for network in networks:
        if network is not rails:
            found = tree_preset.switch_items(network, face)
            middle.extend(found.all())
    for number, block in enumerate(blocks):
        for _ in range(block.racks // 2):
            placed.place(f"SU{number + 1}")
        layout.network_racks(block.switches)
        for _ in range(block.racks - block.racks // 2):
            placed.place(f"SU{number + 1}")


def _rail_switches(
    network: Network, system: WholeRack, blocks: Sequence[_Block], face: Side
) -> None:
    """Give each block the leaves of its units, and those in the middle the spines and cores."""
    found = tree_preset.switch_items(network, face)
    at, block_of_unit = 0, []
    for servers in network.tree.unit_servers:
        middle = at + servers // system.trays // 2
        block_of_unit.append(min(middle // SU_RACKS, len(blocks) - 1))
        at += servers // system.trays
    for unit, leaves in enumerate(found.leaves):
        blocks[block_of_unit[unit]].switches.extend(leaves)
    first = 0
    for pod, units in enumerate(network.tree.pod_units):
        blocks[block_of_unit[first + units // 2]].switches.extend(found.spines[pod])
        first += units
    blocks[len(blocks) // 2].switches.extend(found.cores)
