# SPDX-License-Identifier: Apache-2.0
"""Which NIC ports a GPU's point-to-point traffic takes, as libraries choose them.

A GPU uses the adapter it is wired to (NVIDIA/nccl ``ncclTopoGetLocalNet``), and both ends of a
connection count their ports by the same channel, so that the first port of one GPU talks to the
first of the other. A GPU without a working adapter of its own takes those of its server in turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rackloom.catalog.words import CageRole
from rackloom.collectives.group import Group
from rackloom.collectives.ports import Ports
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import ROLE_CODE, Bools, Floats, Ints

_MOST_SLOTS = 16
"""Channels that are told apart; beyond them the ends of a connection are paired at random."""


@dataclass(frozen=True, slots=True, eq=False)
class Doors:
    """Rows: this part of what a GPU sends or takes goes by this port, in this slot.

    In slot k of one GPU is what it exchanges with slot k of another; all slots are alike, and the
    shares of a GPU add up to 1.
    """

    slots: int
    rank: Ints
    slot: Ints
    port: Ints
    share: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """For each rank ``count`` ports from ``start`` on, to be taken in turn from ``turn`` on."""

    ports: Ints
    start: Ints
    count: Ints
    turn: Ints
    at_random: Bools
    """Ranks whose channels do not agree with those of others on which port is meant."""


def doors(fabric: Fabric, group: Group, ports: Ports) -> Doors:
    """The ports of every rank of a group of which each node has at least one."""
    lists = _lists(fabric, group, ports)
    slots = _slots(lists.count[~lists.at_random])
    paired = ~lists.at_random & (slots % lists.count == 0)
    ranks = np.flatnonzero(paired)
    rank, slot = np.repeat(ranks, slots), np.tile(np.arange(slots), len(ranks))
    place = (lists.turn[rank] + slot) % lists.count[rank]
    share = np.full(len(rank), 1 / slots)
    others = np.flatnonzero(~paired)
    many = lists.count[others] * slots
    far = np.repeat(others, many)
    step = np.arange(len(far)) - np.repeat(np.cumsum(many) - many, many)
    rank, slot = np.r_[rank, far], np.r_[slot, step // lists.count[far]]
    place = np.r_[place, step % lists.count[far]]
    share = np.r_[share, 1 / (slots * lists.count[far])]
    return Doors(slots, rank, slot, lists.ports[lists.start[rank] + place], share)


def _slots(counts: Ints) -> int:
    """The least number of slots over which most lists come out even, the most frequent first."""
    found, often = np.unique(counts, return_counts=True)
    slots = 1
    for count in found[np.argsort(-often, kind="stable")].tolist():
        together = math.lcm(slots, count)
        slots = together if together <= _MOST_SLOTS else slots
    return slots


def _lists(fabric: Fabric, group: Group, ports: Ports) -> _Lists:
    arrays, n = fabric.arrays, group.ranks
    at = arrays.nic_device[ports.nic]
    devices, nodes = len(arrays.device_ids), group.nodes
    own, whole = np.flatnonzero(ports.rank >= 0), np.flatnonzero(ports.rank < 0)
    ordered, starts, counts = [], [], []
    offset = 0
    for rows, key, many in (
        (own, ports.rank[own], n),
        (whole, at[whole], devices),
        (np.arange(len(at)), at, devices),
        (np.arange(len(at)), ports.node, nodes),
    ):
        count = np.bincount(key, minlength=many)
        ordered.append(rows[np.argsort(key, kind="stable")])
        starts.append(offset + np.cumsum(count) - count)
        counts.append(count)
        offset += len(rows)
    device = group.device
    levels = [(starts[0], counts[0], np.arange(n)), (starts[1], counts[1], device)]
    levels += [(starts[2], counts[2], device), (starts[3], counts[3], group.node)]
    start, count, level = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(n, -1)
    for number, (first, many_, index) in enumerate(levels):
        here = (count == 0) & (many_[index] > 0)
        start[here], count[here], level[here] = first[index[here]], many_[index[here]], number
    turn = np.zeros(n, np.int64)
    mine = level == 1
    turn[mine] = (_place(device) * count // np.bincount(device)[device])[mine]
    shared = _shared(fabric, group, level)
    takes = np.flatnonzero(shared >= 0)
    start[takes], count[takes] = start[shared[takes]], count[shared[takes]]
    return _Lists(np.concatenate(ordered), start, count, turn, (level >= 2) & (shared < 0))


def _shared(fabric: Fabric, group: Group, level: Ints) -> Ints:
    """The rank whose adapter one uses that was never meant to have its own; -1 for others.

    They are dealt to the adapters of their server in order, where that comes out even.
    """
    arrays = fabric.arrays
    compute = (arrays.nic_role == ROLE_CODE[CageRole.COMPUTE]) & (arrays.nic_gpu >= 0)
    meant = np.zeros(len(arrays.gpu_device), np.bool_)
    meant[arrays.gpu_base[arrays.nic_device[compute]] + arrays.nic_gpu[compute]] = True
    device, found = group.device, np.full(group.ranks, -1, np.int64)
    without = np.flatnonzero((level == 2) & ~meant[group.gpus])
    hosts = np.flatnonzero(level == 0)
    if not len(without):
        return found
    devices = len(arrays.device_ids)
    hosted = np.bincount(device[hosts], minlength=devices)
    first = np.cumsum(hosted) - hosted
    in_order = hosts[np.argsort(device[hosts], kind="stable")]
    guests = np.bincount(device[without], minlength=devices)
    place = _place(device[without])
    at = device[without]
    even = guests[at] % np.maximum(hosted[at], 1) == 0
    nth = place * hosted[at] // guests[at]
    found[without[even]] = in_order[(first[at] + nth)[even]]
    return found


def _place(key: Ints) -> Ints:
    """How many earlier entries have the same key."""
    order = np.argsort(key, kind="stable")
    count = np.unique(key, return_counts=True)[1]
    place = np.zeros(len(key), np.int64)
    place[order] = np.arange(len(key)) - np.repeat(np.cumsum(count) - count, count)
    return place
