# SPDX-License-Identifier: Apache-2.0
"""Cables and links by layer, switches by role, and how much more goes down than up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rackloom.catalog.parts import DevicePart, PduPart
from rackloom.fabric.arrays import ROLES, THROUGH, DeviceKind, Floats, Ints
from rackloom.fabric.network import Network
from rackloom.fabric.tiers import Tiers

if TYPE_CHECKING:
    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class FabricCounts:
    """One network in numbers. Keys of ``cables`` and ``links`` are layers: ``leaf-spine``."""

    name: str
    servers: int = 0
    gpus: int = 0
    switches: dict[str, int] = field(default_factory=dict)
    cables: dict[str, int] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layers:
    """Layer and network of every link, as indices into the lists of names."""

    layer: Ints
    layer_names: tuple[str, ...]
    network: Ints
    network_names: tuple[str, ...]


def find_layers(design: Design, network: Network, tiers: Tiers) -> Layers:
    """Which layer, and which network, each link belongs to."""
    arrays = network.arrays
    names = sorted(set(tiers.role) | {"server", "switch", "pdu", "device"})
    code = {name: n for n, name in enumerate(names)}
    word = np.array([code[_word(design, d, k)] for d, k in _devices(network)], np.int64)
    role = np.array([code[r] for r in tiers.role], np.int64)
    n = len(names)
    tier_of = np.concatenate([tiers.tier, [-1]])
    sides = []
    for device, switch, nic in (
        (arrays.link_a, network.switch_of_a, arrays.link_a_nic),
        (arrays.link_b, network.switch_of_b, arrays.link_b_nic),
    ):
        vertex = np.where(nic == THROUGH, switch, -1)
        through = vertex >= 0
        label = np.where(through, np.append(role, 0)[vertex], word[device])
        sides.append((label, np.where(through, tier_of[vertex] + 1, -1), vertex))
    (a, a_tier, a_vertex), (b, b_tier, b_vertex) = sides
    swap = (b_tier < a_tier) | ((b_tier == a_tier) & (b < a))
    low, high = np.where(swap, b, a), np.where(swap, a, b)
    used, layer = np.unique(low * n + high, return_inverse=True)
    layer_names = tuple(f"{names[u // n]}-{names[u % n]}" for u in used.tolist())
    networks, network_names = _link_networks(design, network, tiers, a_vertex, b_vertex)
    return Layers(layer.astype(np.int64), layer_names, networks, network_names)


def _devices(network: Network) -> list[tuple[str, int]]:
    arrays = network.arrays
    return list(zip(arrays.device_ids, arrays.device_kind.tolist(), strict=True))


def _word(design: Design, device: str, kind: int) -> str:
    """What an end point is called in a layer's name."""
    if kind == DeviceKind.SERVER:
        return "server"
    if kind == DeviceKind.SWITCH:
        return "switch"
    part = design.part(design.devices[device].part, DevicePart)  # type: ignore[index]
    return "pdu" if isinstance(part, PduPart) else "device"


def _link_networks(
    design: Design, network: Network, tiers: Tiers, a_vertex: Ints, b_vertex: Ints
) -> tuple[Ints, tuple[str, ...]]:
    arrays, cables = network.arrays, design.cables
    given = [cables[c].fabric for c in arrays.cable_ids]
    roles = [str(r) for r in ROLES]
    names = sorted({*tiers.network, *(g for g in given if g), *roles})
    code = {name: n for n, name in enumerate(names)}
    of_switch = np.array([*(code[x] for x in tiers.network), 0], np.int64)
    of_role = np.array([code[r] for r in roles], np.int64)
    vertex = np.where(a_vertex >= 0, a_vertex, b_vertex)
    found = np.where(vertex >= 0, of_switch[vertex], of_role[arrays.link_role])
    fixed = np.array([code[g] if g else -1 for g in given], np.int64)
    if len(fixed):
        fixed = fixed[arrays.link_cable]
        found = np.where(fixed >= 0, fixed, found)
    return found.astype(np.int64), tuple(names)


def count_fabrics(network: Network, tiers: Tiers, layers: Layers) -> list[FabricCounts]:
    """Every network that has a switch or a link, the one with the most links first."""
    arrays = network.arrays
    per: dict[str, FabricCounts] = {}
    counted_boxes: set[tuple[int, str]] = set()  # two halves of a box are one switch to buy
    for vertex, device in enumerate(network.switch_device.tolist()):
        name = tiers.network[vertex]
        if device < 0 or (device, name) in counted_boxes:
            continue
        counted_boxes.add((device, name))
        counts = per.setdefault(name, FabricCounts(name)).switches
        counts[tiers.role[vertex]] = counts.get(tiers.role[vertex], 0) + 1
    many = len(layers.layer_names)
    key = layers.network * many + layers.layer
    links, link_counts = np.unique(key, return_counts=True)
    pairs = np.unique(np.stack([arrays.link_cable, key]), axis=1)[1] if len(key) else key
    cables, cable_counts = np.unique(pairs, return_counts=True)
    for found, counts_of, attribute in (
        (links, link_counts, "links"),
        (cables, cable_counts, "cables"),
    ):
        for k, count in zip(found.tolist(), counts_of.tolist(), strict=True):
            name = layers.network_names[k // many]
            fabric = per.setdefault(name, FabricCounts(name))
            getattr(fabric, attribute)[layers.layer_names[k % many]] = count
    ends = _end_devices(network, layers)
    counted = []
    for fabric in per.values():
        code = layers.network_names.index(fabric.name)
        devices = np.unique(ends[1][ends[0] == code])
        servers = devices[arrays.device_kind[devices] == DeviceKind.SERVER]
        gpus = int(arrays.gpu_count[servers].sum())
        counted.append(
            FabricCounts(
                fabric.name, len(servers), gpus, fabric.switches, fabric.cables, fabric.links
            )
        )
    return sorted(counted, key=lambda f: (-sum(f.links.values()), f.name))


def _end_devices(network: Network, layers: Layers) -> tuple[Ints, Ints]:
    """Network and device of every end point."""
    arrays = network.arrays
    networks, devices = [], []
    for device, nic in ((arrays.link_a, arrays.link_a_nic), (arrays.link_b, arrays.link_b_nic)):
        ends = np.flatnonzero(nic >= 0)
        networks.append(layers.network[ends])
        devices.append(device[ends])
    return np.concatenate(networks), np.concatenate(devices)


@dataclass(frozen=True, slots=True)
class Balance:
    """Rates into and out of every switch vertex, in Gb/s."""

    down_gbps: Floats
    """To end points and lower tiers."""
    up_gbps: Floats
    """To higher tiers."""
    across_gbps: Floats
    """To switches of the same tier."""

    def oversubscription(self, vertex: int) -> float | None:
        """Down over up; None for a switch with nothing above it."""
        up = float(self.up_gbps[vertex])
        return float(self.down_gbps[vertex]) / up if up > 0 else None


def find_balance(network: Network, tiers: Tiers) -> Balance:
    """What each switch has below, above and beside it, of the links that are alive."""
    n = network.switches
    arrays = network.arrays
    down = np.zeros(n)
    for nic, other_nic, other in (
        (arrays.link_a_nic, arrays.link_b_nic, network.switch_of_b),
        (arrays.link_b_nic, arrays.link_a_nic, network.switch_of_a),
    ):
        ends = (nic != THROUGH) & (other_nic == THROUGH) & network.link_alive
        np.add.at(down, other[ends], arrays.link_rate_gbps[ends])
    bundles = network.bundles
    u_tier, v_tier = tiers.tier[bundles.u], tiers.tier[bundles.v]
    up, across = np.zeros(n), np.zeros(n)
    for a, b, a_tier, b_tier in (
        (bundles.u, bundles.v, u_tier, v_tier),
        (bundles.v, bundles.u, v_tier, u_tier),
    ):
        del b
        np.add.at(up, a[a_tier < b_tier], bundles.rate_gbps[a_tier < b_tier])
        np.add.at(down, a[a_tier > b_tier], bundles.rate_gbps[a_tier > b_tier])
        np.add.at(across, a[a_tier == b_tier], bundles.rate_gbps[a_tier == b_tier])
    return Balance(down, up, across)
