# SPDX-License-Identifier: Apache-2.0
"""Traffic without relays: all-to-all with and without PXN, send-receive, and PAT's far steps.

All-to-all: every GPU sends S/n to every other, and takes it at its own NIC. With PXN a GPU hands
what is meant for GPU d of another server over the scale-up links to GPU d of its own server, whose
NIC sends it, where there is such a GPU; else, and without PXN, its own NIC sends (NVIDIA/nccl,
``ncclTopoGetNetDev`` and ``NCCL_P2P_PXN_LEVEL``). So servers and racks of uneven size use all the
NICs they have. Loads are worked out between leaves, never between GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from rackloom.collectives.doors import Doors, doors
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import Group
from rackloom.collectives.ring import Traffic, route
from rackloom.fabric import EdgeLoads, Fabric
from rackloom.fabric.arrays import Floats, Ints

_MOST_LEAVES = 6_000
"""Leaves between which loads may be held as a full matrix."""
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Who sends how many pieces of S/n by whose NIC. Destinations are sorted by target class."""

    target: Ints
    """Class of each rank as a destination: its number in its server with PXN, else one class."""
    exits: Floats
    """Ranks by classes: GPUs that send by this rank's NIC to a destination of the class."""
    sent: Floats
    """Pieces that leave by the NIC of each rank."""
    taken: Floats
    inside: Floats
    """By node: pieces that the busiest of its GPUs sends or takes over the inner links."""


def lay_all_to_all(fabric: Fabric, group: Group, rings: Traffic, pxn: bool) -> Traffic:
    """Loads of an all-to-all; 1 is what the busiest NIC port sends or takes."""
    ports = rings.ports
    pieces = _pieces(fabric, group, pxn)
    by = doors(fabric, group, ports)
    many = len(ports.nic)
    out = np.bincount(by.port, by.share * pieces.sent[by.rank], minlength=many)
    into = np.bincount(by.port, by.share * pieces.taken[by.rank], minlength=many)
    load = np.maximum(out, into)
    most = float(load.max())
    rows = _rows(by, pieces)
    source, target, demand = _between_leaves(group, ports.switch, by, rows)
    loads = fabric.ecmp.edge_loads(source, target, demand / most)
    if len(loads.unreachable):
        if pxn:
            return _lay_by_channels(fabric, group, rings, pieces)
        raise EstimateError(
            "rails are not joined, so an all-to-all without PXN cannot cross them: "
            "choose direct, or join the rails by spines"
        )
    used = np.flatnonzero(load > 0)
    return Traffic(
        "direct" if pxn else "direct-without-pxn",
        ports,
        used[:, None],
        (load[used] / most)[:, None],
        loads,
        float(out.sum()) / most,
        (group.ranks - 1) / most,
        connection=_connection(group, by, rows) / most,
        inside_pieces=pieces.inside,
        by_channels=False,
    )


def _pieces(fabric: Fabric, group: Group, pxn: bool) -> _Pieces:
    """Counts of pieces. A GPU hands on only what goes by a GPU of its server and domain."""
    n, size = group.ranks, group.node_size.astype(np.float64)
    taken = n - size[group.node]
    if not pxn:
        nothing = np.zeros(n, np.int64)
        return _Pieces(nothing, np.ones((n, 1)), taken, taken, size - 1)
    local = fabric.arrays.gpu_local[group.gpus]
    numbers, target = np.unique(local, return_inverse=True)
    classes = len(numbers)
    together = group.device * (int(group.domain.max()) + 1) + group.domain
    cell = np.unique(together, return_inverse=True)[1]
    members = np.bincount(cell)
    there = np.zeros((len(members), classes), np.bool_)
    there[cell, target] = True
    ranks = np.arange(n)
    exits = np.where(there[cell], 0.0, 1.0)
    exits[ranks, target] = members[cell]
    key = group.node * classes + target
    in_node = np.bincount(key, minlength=group.nodes * classes).reshape(group.nodes, classes)
    away = (np.bincount(target, minlength=classes) - in_node)[group.node].astype(np.float64)
    own = away[ranks, target]
    handed_on = (there[cell] * away).sum(axis=1) - own
    handed_in = (members[cell] - 1) * own
    inside = np.zeros(group.nodes)
    np.maximum.at(inside, group.node, np.maximum(handed_on, handed_in))
    return _Pieces(target, exits, (exits * away).sum(axis=1), taken, inside + size - 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Entries of doors by class of destination and slot: what is in a row goes to its others."""

    count: int
    out_row: Ints
    out_door: Ints
    out: Floats
    in_row: Ints
    into: Floats
    """Of what is sent to a rank in the slot, the part that each door takes."""


def _rows(by: Doors, pieces: _Pieces) -> _Rows:
    door, class_ = np.nonzero(pieces.exits[by.rank])
    return _Rows(
        count=pieces.exits.shape[1] * by.slots,
        out_row=class_ * by.slots + by.slot[door],
        out_door=door,
        out=by.share[door] * pieces.exits[by.rank[door], class_],
        in_row=pieces.target[by.rank] * by.slots + by.slot,
        into=by.share * by.slots,
    )


def _between_leaves(
    group: Group, switch: Ints, by: Doors, rows: _Rows
) -> tuple[Ints, Ints, Floats]:
    """Pairs of switches and the pieces between them, same switch left out."""
    leaves, at = np.unique(switch[by.port], return_inverse=True)
    many = len(leaves)

    def table(row: Ints, leaf: Ints, values: Floats, count: int) -> csr_array:
        return csr_array(coo_array((values, (row, leaf)), shape=(count, many)))

    at_out = at[rows.out_door]
    first, second, amount = _product(
        table(rows.out_row, at_out, rows.out, rows.count),
        table(rows.in_row, at, rows.into, rows.count),
    )
    # what a node would send itself stays inside
    node = group.node[by.rank] * rows.count
    cells = group.nodes * rows.count
    sends = table(node[rows.out_door] + rows.out_row, at_out, rows.out, cells)
    stays = (sends.T @ table(node + rows.in_row, at, rows.into, cells)).tocoo()
    key = np.r_[first * many + second, stays.coords[0].astype(np.int64) * many + stays.coords[1]]
    found, where = np.unique(key, return_inverse=True)
    left = np.bincount(where, np.r_[amount, -stays.data], minlength=len(found))
    source, target = found // many, found % many
    real = (source != target) & (left > _NOTHING)
    return leaves[source[real]], leaves[target[real]], left[real].astype(np.float64)


def _product(out: csr_array, into: csr_array) -> tuple[Ints, Ints, Floats]:
    """Entries of the transposed first by the second, in order."""
    many = out.shape[1]
    work = float((np.diff(out.indptr).astype(np.float64) * np.diff(into.indptr)).sum())
    if many <= _MOST_LEAVES and work > many * many / 4:
        whole: NDArray[np.float64] = out.toarray().T @ into.toarray()
        first, second = np.nonzero(whole)
        return first, second, whole[first, second]
    found = csr_array(out.T @ into)
    found.sort_indices()
    pairs = found.tocoo()
    first, second = (c.astype(np.int64) for c in pairs.coords)
    return first, second, np.asarray(pairs.data, np.float64)


def _connection(group: Group, by: Doors, rows: _Rows) -> float:
    """Pieces of the connection between two doors that the average piece is in."""
    node = group.node[by.rank] * rows.count
    shape = group.nodes, rows.count
    sums = []
    for power in (1, 2):
        out = np.bincount(
            node[rows.out_door] + rows.out_row, rows.out**power, minlength=shape[0] * shape[1]
        ).reshape(shape)
        into = np.bincount(
            node + rows.in_row, rows.into**power, minlength=shape[0] * shape[1]
        ).reshape(shape)
        sums.append(float(out.sum(axis=0) @ into.sum(axis=0) - (out * into).sum()))
    return sums[1] / sums[0]


def _lay_by_channels(fabric: Fabric, group: Group, rings: Traffic, pieces: _Pieces) -> Traffic:
    """The same on the channels of the rings, where GPUs' own NICs do not all reach each other.

    Every node spreads what it sends evenly over the ports that the channels found.
    """
    table, ports = rings.channel_ports, rings.ports
    size = group.node_size.astype(np.float64)
    remote = size * (group.ranks - size)
    most = float(remote.max())
    nodes, channels = table.shape
    port_load = np.repeat((remote / most)[:, None], channels, axis=1)
    weight = np.repeat(size[:, None], channels, axis=1).ravel()
    channel = np.tile(np.arange(channels), nodes)
    leaves, at = np.unique(ports.switch[table.ravel()], return_inverse=True)
    per = coo_array((weight, (channel, at)), shape=(channels, len(leaves))).tocsr()
    first, second, amount = _product(per, per)
    away = first != second
    loads = fabric.ecmp.edge_loads(leaves[first[away]], leaves[second[away]], amount[away] / most)
    flow = float(port_load.sum())
    return Traffic(
        "direct",
        ports,
        table,
        port_load,
        loads,
        flow,
        (group.ranks - 1) / most,
        connection=flow / (nodes * (nodes - 1) * channels),
        inside_pieces=pieces.inside,
    )


def lay_neighbours(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """Send-receive round the ranks: of a node's GPUs only the last sends away, by its own NICs."""
    table, ports = rings.channel_ports, rings.ports
    each = max(1, table.shape[1] // int(group.node_size.max()))
    source, target = table[:, -each:], np.roll(table, -1, axis=0)[:, -each:]
    loads = route(fabric, ports, source.ravel(), target.ravel(), np.ones(source.size))
    return Traffic("direct", ports, source, np.ones(source.shape), loads, float(source.size), 1.0)


def lay_far_steps(fabric: Fabric, group: Group, rings: Traffic) -> Traffic:
    """PAT: in step d every node exchanges d pieces with the node d places on, d = 1, 2, 4, ...

    (NVIDIA/nccl, parallel aggregated trees; all n - 1 pieces add up to a load of 1.)
    """
    table, ports = rings.channel_ports, rings.ports
    nodes = group.nodes
    sources, targets, demands = [], [], []
    distance = 1
    while distance < nodes:
        pieces = min(distance, nodes - distance)
        sources.append(table.ravel())
        targets.append(np.roll(table, -distance, axis=0).ravel())
        demands.append(np.full(table.size, pieces / (nodes - 1)))
        distance *= 2
    loads: EdgeLoads = route(
        fabric, ports, np.concatenate(sources), np.concatenate(targets), np.concatenate(demands)
    )
    return Traffic("pat", ports, table, np.ones(table.shape), loads, float(table.size), 1.0)
