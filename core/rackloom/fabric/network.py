# SPDX-License-Identifier: Apache-2.0
"""Which links are alive, and the graph of switches they make.

Parallel links between two switches are one bundle with a count and a summed rate. A link between
two servers runs through a switch that is not there: a vertex of no device and no latency.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rackloom.design.ids import CableId
from rackloom.fabric.arrays import THROUGH, Bools, DeviceKind, FabricArrays, Floats, Ints


@dataclass(frozen=True, slots=True)
class Bundles:
    """Parallel links between two switches, ``u`` < ``v``, as one edge."""

    u: Ints
    v: Ints
    count: Ints
    rate_gbps: Floats
    """Sum of the rates of the links."""
    slowest_gbps: Floats
    """Rate of the slowest link."""
    of_link: Ints
    """Bundle of each link of the fabric, -1 for links to end points and dead ones."""

    @property
    def hashed_gbps(self) -> Floats:
        """What the bundle carries when flows are spread evenly over its links.

        Uneven links fill up at the slowest one: that is how ECMP by link differs from the sum.
        """
        return self.count * self.slowest_gbps


@dataclass(frozen=True, slots=True)
class Attachments:
    """Links from a NIC to a switch."""

    nic: Ints
    switch: Ints
    rate_gbps: Floats
    link: Ints


class Network:
    """The living part of a fabric's arrays: switches, bundles, attachments."""

    def __init__(
        self,
        arrays: FabricArrays,
        failed: Set[str] = frozenset(),
        cut: Set[tuple[CableId, int]] = frozenset(),
    ) -> None:
        """``cut``: links through panels that are down with what failed, by cable and number."""
        self.arrays = arrays
        self.failed = frozenset(failed)
        self._cut = cut

    @cached_property
    def device_dead(self) -> Bools:
        """Devices that failed."""
        ids = self.arrays.device_ids
        dead = np.zeros(len(ids), np.bool_)
        if self.failed:
            dead[[n for n, device in enumerate(ids) if device in self.failed]] = True
        return dead

    @cached_property
    def link_alive(self) -> Bools:
        """Links whose cable and both devices work and that have a rate."""
        arrays = self.arrays
        alive: Bools = arrays.link_rate_gbps > 0
        if self.failed:
            cables = arrays.cable_ids
            dead = np.zeros(len(cables), np.bool_)
            dead[[n for n, cable in enumerate(cables) if cable in self.failed]] = True
            alive = alive & ~dead[arrays.link_cable]
            if self._cut:
                pairs = zip(arrays.link_cable.tolist(), arrays.link_number.tolist(), strict=True)
                cut = [(cables[cable], number) in self._cut for cable, number in pairs]
                alive &= ~np.array(cut, np.bool_)
            alive &= ~self.device_dead[arrays.link_a] & ~self.device_dead[arrays.link_b]
        return alive

    @cached_property
    def switch_device(self) -> Ints:
        """Device of each switch vertex; -1 for the vertices of server-to-server links.

        A box that holds several independent switches is as many vertices, one after another.
        """
        real = np.flatnonzero(self.arrays.device_kind == DeviceKind.SWITCH)
        real = np.repeat(real, self.arrays.device_halves[real])
        return np.concatenate([real, np.full(len(self._direct), -1, np.int64)])

    @cached_property
    def switch_of_device(self) -> Ints:
        """Switch vertex of each device (the first of a partitioned one), -1 for others."""
        table = np.full(len(self.arrays.device_ids), -1, np.int64)
        real = np.flatnonzero(self.arrays.device_kind == DeviceKind.SWITCH)
        table[real] = np.cumsum(self.arrays.device_halves[real]) - self.arrays.device_halves[real]
        return table

    @cached_property
    def switch_of_a(self) -> Ints:
        """Switch vertex at the first end of each link, -1 where that is no switch."""
        return self._vertices(self.arrays.link_a, self.arrays.link_a_half)

    @cached_property
    def switch_of_b(self) -> Ints:
        """Switch vertex at the second end of each link, -1 where that is no switch."""
        return self._vertices(self.arrays.link_b, self.arrays.link_b_half)

    def _vertices(self, device: Ints, half: Ints) -> Ints:
        first = self.switch_of_device[device]
        return np.where(first >= 0, first + half, -1)

    @cached_property
    def _direct(self) -> Ints:
        """Living links from server NIC to server NIC."""
        arrays = self.arrays
        both = (arrays.link_a_nic >= 0) & (arrays.link_b_nic >= 0)
        return np.flatnonzero(both & self.link_alive)

    @property
    def switches(self) -> int:
        """Number of switch vertices."""
        return len(self.switch_device)

    @cached_property
    def bundles(self) -> Bundles:
        """Edges between switches."""
        arrays = self.arrays
        through = (arrays.link_a_nic == THROUGH) & (arrays.link_b_nic == THROUGH)
        apart = self.switch_of_a != self.switch_of_b
        links = np.flatnonzero(through & self.link_alive & apart)
        a, b = self.switch_of_a[links], self.switch_of_b[links]
        n = max(self.switches, 1)
        key = np.minimum(a, b) * n + np.maximum(a, b)
        unique, inverse = np.unique(key, return_inverse=True)
        rate = arrays.link_rate_gbps[links]
        slowest = np.full(len(unique), np.inf)
        np.minimum.at(slowest, inverse, rate)
        of_link = np.full(len(arrays.link_cable), -1, np.int64)
        of_link[links] = inverse
        return Bundles(
            u=unique // n,
            v=unique % n,
            count=np.bincount(inverse, minlength=len(unique)).astype(np.int64),
            rate_gbps=np.bincount(inverse, weights=rate, minlength=len(unique)).astype(np.float64),
            slowest_gbps=slowest,
            of_link=of_link,
        )

    @cached_property
    def attachments(self) -> Attachments:
        """Edges between NICs and switches, those of server-to-server links last."""
        arrays = self.arrays
        parts = []
        for nic, other_nic, other in (
            (arrays.link_a_nic, arrays.link_b_nic, self.switch_of_b),
            (arrays.link_b_nic, arrays.link_a_nic, self.switch_of_a),
        ):
            links = np.flatnonzero((nic >= 0) & (other_nic == THROUGH) & self.link_alive)
            parts.append((nic[links], other[links], links))
        direct = self._direct
        middle = np.arange(len(direct)) + (self.switches - len(direct))
        parts.append((arrays.link_a_nic[direct], middle, direct))
        parts.append((arrays.link_b_nic[direct], middle, direct))
        nics, switches, links = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((links, nics))
        links = links[order]
        return Attachments(nics[order], switches[order], arrays.link_rate_gbps[links], links)

    @cached_property
    def components(self) -> Ints:
        """Number of the connected network that each switch vertex belongs to."""
        bundles, n = self.bundles, self.switches
        if n == 0:
            return np.zeros(0, np.int64)
        ones = np.ones(len(bundles.u), np.int8)
        graph = csr_array((ones, (bundles.u, bundles.v)), shape=(n, n))
        return connected_components(graph, directed=False)[1].astype(np.int64)

    @cached_property
    def adjacency(self) -> csr_array:
        """Switches by switches, holding the number of parallel links."""
        bundles, n = self.bundles, self.switches
        both = np.concatenate([bundles.count, bundles.count])
        rows = np.concatenate([bundles.u, bundles.v])
        columns = np.concatenate([bundles.v, bundles.u])
        return csr_array((both, (rows, columns)), shape=(n, n))
