# SPDX-License-Identifier: Apache-2.0
"""What breaks if I unplug this? One failure of every kind, ranked by what it costs.

Kinds come from colour refinement of the whole network: two cables are of one kind when the wiring
cannot tell their ends apart. One of each is taken out and the collective estimated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from rackloom.catalog.words import CageRole
from rackloom.collectives.answer import Estimate
from rackloom.collectives.case import Settings
from rackloom.collectives.conventions import Collective
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.estimate import estimate
from rackloom.collectives.group import GpuChoice
from rackloom.collectives.refine import Hashes, capacity_matrix, refined
from rackloom.design import Design
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import ROLE_CODE, Bools, DeviceKind, Ints

MOST_KINDS = 60
"""Kinds of failure that are tried unless more are asked for; those with most members first."""

_SIZE = 1 << 30
_MBPS = 1000


@dataclass(frozen=True, slots=True)
class FailureEffect:
    """What the failure of any one member of a kind costs."""

    kind: str
    """``leaf``, ``spine``, ``server``, ``server-leaf cable``, ``leaf-spine cable``."""
    members: tuple[str, ...]
    """Ids of the devices or cables that are alike."""
    example: str
    """The one that was taken out, by name."""
    busbw_gb_per_s: float
    """With it out; 0 where the collective cannot run at all."""
    lost: float
    """Part of the whole fabric's bus bandwidth that is gone, 0 to 1 (below 0: it became faster)."""
    text: str
    """What binds then, or why nothing runs."""


@dataclass(frozen=True, slots=True)
class FailureSweep:
    """All kinds of failure, the worst first."""

    collective: Collective
    size_bytes: int
    busbw_gb_per_s: float
    """With nothing failed."""
    effects: tuple[FailureEffect, ...]
    left_out: int
    """Kinds that were not tried: the wiring has too many."""


def failure_sweep(
    drawn: Design | Fabric,
    collective: str | Collective = Collective.ALL_REDUCE,
    size_bytes: int = _SIZE,
    gpus: GpuChoice = None,
    settings: Settings | None = None,
    most_kinds: int = MOST_KINDS,
    on_step: Callable[[int, int], object] | None = None,
    algorithm: str = "auto",
    protocol: str = "auto",
) -> FailureSweep:
    """Every single failure by kind. Raises EstimateError where even the whole fabric has no answer.

    ``size_bytes``: what bandwidth is compared at; small messages feel latency, great ones links.
    A group given by names stays as it is: it cannot run once one of its servers has failed.
    ``on_step`` hears how many kinds are done and how many there are; what it raises stops the
    sweep.
    """
    fabric = drawn if isinstance(drawn, Fabric) else Fabric.of(drawn)

    def with_out(failed: list[str]) -> Estimate:
        return estimate(
            fabric, collective, [size_bytes], gpus, failed, algorithm, protocol, settings
        )

    whole = with_out([])
    before = whole.points[0].busbw_gb_per_s
    kinds = failure_kinds(fabric)
    kinds.sort(key=lambda kind: -len(kind[1]))
    effects = []
    for done, (kind, members) in enumerate(kinds[:most_kinds]):
        if on_step is not None:
            on_step(done, min(len(kinds), most_kinds))
        try:
            found = with_out([members[0]])
            after, text = found.points[0].busbw_gb_per_s, found.bottleneck.text
        except EstimateError as error:
            after, text = 0.0, str(error)
        lost = 1 - after / before if before > 0 else 0.0
        name = _name(fabric, members[0])
        effects.append(FailureEffect(kind, tuple(members), name, after, lost, text))
    effects.sort(key=lambda effect: (-effect.lost, effect.kind))
    return FailureSweep(
        whole.collective, size_bytes, before, tuple(effects), max(len(kinds) - most_kinds, 0)
    )


def _name(fabric: Fabric, item: str) -> str:
    design = fabric.design
    if item in design.devices:
        return design.devices[item].name  # type: ignore[index]
    cable = design.cables[item]  # type: ignore[index]
    ends = [f"{design.devices[end.device].name} {end.cage}" for end in cable.ends[:2]]
    return cable.label or " to ".join(ends)


def failure_kinds(fabric: Fabric) -> list[tuple[str, list[str]]]:
    """Devices and cables that the wiring cannot tell apart, with what each kind is called."""
    arrays, network = fabric.arrays, fabric.network
    alive = network.link_alive
    rate = np.round(arrays.link_rate_gbps * _MBPS).astype(np.int64)
    parts = np.array([fabric.design.devices[d].part for d in arrays.device_ids])
    start = np.unique(parts, return_inverse=True)[1].ravel().astype(np.uint64)
    colour, a_end, b_end = _colours(fabric, start, rate)
    gpus = arrays.gpu_count > 0
    # what no GPU server is plugged into or reaches carries no collective
    used = _used(fabric, gpus)
    found = [
        (_role(fabric, int(members[0])), [str(arrays.device_ids[d]) for d in members.tolist()])
        for members in _classes(np.flatnonzero(used & ~network.device_dead), colour)
    ]
    links = np.flatnonzero(alive & used[arrays.link_a] & used[arrays.link_b])
    a, b = a_end[links], b_end[links]
    key = np.stack([np.minimum(a, b), np.maximum(a, b), rate[links]])
    _, kind = np.unique(key, axis=1, return_inverse=True)
    for members in _classes(np.arange(len(links)), kind.ravel()):
        cables = np.unique(arrays.link_cable[links[members]])
        layer = fabric.layers.layer_names[int(fabric.layers.layer[links[members[0]]])]
        found.append((f"{layer} cable", [str(arrays.cable_ids[c]) for c in cables.tolist()]))
    return found


def _colours(fabric: Fabric, start: Hashes, rate: Ints) -> tuple[Ints, Ints, Ints]:
    """Classes of devices, and of what is at either end of each link.

    The switches in one box are told apart; to keep them together they are joined for the colouring.
    """
    arrays, alive = fabric.arrays, fabric.network.link_alive
    halves = arrays.device_halves
    first = np.cumsum(halves) - halves
    u, v = first[arrays.link_a] + arrays.link_a_half, first[arrays.link_b] + arrays.link_b_half
    beside = np.flatnonzero(np.diff(np.repeat(np.arange(len(halves)), halves)) == 0)
    u, v = np.concatenate([u[alive], beside]), np.concatenate([v[alive], beside + 1])
    capacity = np.concatenate([rate[alive], np.full(len(beside), 1, np.int64)])
    matrix = capacity_matrix(u, v, capacity, int(halves.sum()))
    colour = refined(matrix, np.repeat(start, halves))
    several = np.flatnonzero(halves > 1)
    whole = colour[first]
    for device in several.tolist():
        mine = np.sort(colour[first[device] : first[device] + halves[device]])
        whole[device] = np.bitwise_xor.reduce(mine * np.arange(1, len(mine) + 1, dtype=np.uint64))
    ends = np.unique(colour, return_inverse=True)[1].ravel().astype(np.int64)
    classes = np.unique(whole, return_inverse=True)[1].ravel().astype(np.int64)
    a = first[arrays.link_a] + arrays.link_a_half
    return classes, ends[a], ends[first[arrays.link_b] + arrays.link_b_half]


def _used(fabric: Fabric, gpus: Bools) -> Bools:
    """Devices that belong to a network which compute ports of GPU servers are plugged into."""

    arrays, network = fabric.arrays, fabric.network
    plugged = network.attachments
    compute = arrays.nic_role[plugged.nic] == ROLE_CODE[CageRole.COMPUTE]
    compute &= gpus[arrays.nic_device[plugged.nic]]
    components = np.unique(network.components[plugged.switch[compute]])
    used = gpus.copy()
    vertices = np.flatnonzero(np.isin(network.components, components))
    at = network.switch_device[vertices]
    used[at[at >= 0]] = True
    return used


def _classes(items: Ints, label: Ints) -> Iterable[Ints]:
    """Items by equal labels (``label`` is looked up by item)."""
    if not len(items):
        return []
    mine = label[items]
    order = np.argsort(mine, kind="stable")
    cuts = np.flatnonzero(np.diff(mine[order])) + 1
    return np.split(items[order], cuts)


def _role(fabric: Fabric, device: int) -> str:
    if fabric.arrays.device_kind[device] == DeviceKind.SWITCH:
        return fabric.tier_of(fabric.arrays.device_ids[device]) or "switch"
    return "server"
