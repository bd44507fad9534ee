# SPDX-License-Identifier: Apache-2.0
"""The Fabric: the network of one design, as drawn, with whatever of it failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rackloom.design.change import Change
from rackloom.design.ids import DeviceId
from rackloom.design.relinking import links_cut
from rackloom.fabric.arrays import FabricArrays, Floats, patched_arrays, read_arrays
from rackloom.fabric.counts import (
    Balance,
    FabricCounts,
    Layers,
    count_fabrics,
    find_balance,
    find_layers,
)
from rackloom.fabric.network import Network
from rackloom.fabric.routing import Ecmp
from rackloom.fabric.tiers import Tiers, find_tiers

if TYPE_CHECKING:
    import networkx

    from rackloom.design.value import Design


class Fabric:
    """Tiers, networks, counts and routes of a design; immutable, worked out when asked for.

    ``failed`` holds ids of devices and cables that are taken to be dead. They keep their tier and
    stay in the counts (they are still drawn and bought), but carry nothing.
    """

    def __init__(
        self, design: Design, arrays: FabricArrays, failed: frozenset[str] = frozenset()
    ) -> None:
        self.design = design
        self.arrays = arrays
        self.failed = failed

    @classmethod
    def of(cls, design: Design, failed: Iterable[str] = ()) -> Fabric:
        """The fabric of a design."""
        return cls(design, read_arrays(design), frozenset(failed))

    def patched(self, design: Design, change: Change) -> Fabric:
        """The fabric after a change that led from this one's design to ``design``."""
        arrays = patched_arrays(self.arrays, self.design, design, change)
        return Fabric(design, arrays, self.failed)

    def without(self, failed: Iterable[str]) -> Fabric:
        """The same drawing with more devices and cables dead; the design is not edited."""
        more = self.failed | frozenset(failed)
        if more == self.failed:
            return self
        after = Fabric(self.design, self.arrays, more)
        for name in ("drawn", "tiers", "layers", "counts", "cable_delays_ns"):
            if name in self.__dict__:
                after.__dict__[name] = self.__dict__[name]
        return after

    @cached_property
    def drawn(self) -> Network:
        """The network as drawn, failures left out of account."""
        return Network(self.arrays)

    @cached_property
    def cable_delays_ns(self) -> Floats:
        """Delay of each cable once somebody has looked it up, NaN until then; filled in place."""
        return np.full(len(self.arrays.cable_ids), np.nan)

    @cached_property
    def network(self) -> Network:
        """The network that works: without what failed."""
        if not self.failed:
            return self.drawn
        return Network(self.arrays, self.failed, links_cut(self.design, self.failed))

    @cached_property
    def tiers(self) -> Tiers:
        """Tier, role and network of each switch vertex of ``drawn``."""
        return find_tiers(self.design, self.drawn)

    @cached_property
    def layers(self) -> Layers:
        """Layer and network of each link."""
        return find_layers(self.design, self.drawn, self.tiers)

    @cached_property
    def counts(self) -> tuple[FabricCounts, ...]:
        """Switches by role, cables and links by layer, one entry a network, the largest first."""
        return tuple(count_fabrics(self.drawn, self.tiers, self.layers))

    @property
    def fabrics(self) -> tuple[str, ...]:
        """Names of the networks in the design, the one with the most links first."""
        return tuple(counts.name for counts in self.counts)

    @cached_property
    def balance(self) -> Balance:
        """Rates down and up at each switch vertex, of the links that are alive."""
        return find_balance(self.drawn if not self.failed else self.network, self._tiers_alive)

    @property
    def _tiers_alive(self) -> Tiers:
        """Tiers for the vertices of ``network`` (server-to-server vertices may be fewer)."""
        tiers = self.tiers
        n = self.network.switches
        return Tiers(tiers.tier[:n], tiers.role[:n], tiers.network[:n])

    @cached_property
    def ecmp(self) -> Ecmp:
        """Equal-cost routes over the links that are alive."""
        return Ecmp(self.network)

    @cached_property
    def graph(self) -> networkx.MultiGraph[str]:
        """The fabric for scripts, as networkx has it (see ``rackloom.fabric.graph``)."""
        from rackloom.fabric.graph import build_graph

        return build_graph(self)

    def vertex_of(self, device: DeviceId) -> int | None:
        """Switch vertex of a device (its first, if it holds several), None for no switch."""
        index = self._device_index.get(device)
        if index is None:
            return None
        vertex = int(self.drawn.switch_of_device[index])
        return vertex if vertex >= 0 else None

    def vertices_of(self, device: DeviceId) -> range:
        """All switch vertices of a device: one each for the independent switches in its box."""
        first = self.vertex_of(device)
        if first is None:
            return range(0)
        return range(first, first + int(self.arrays.device_halves[self._device_index[device]]))

    @cached_property
    def _device_index(self) -> dict[DeviceId, int]:
        return {device: n for n, device in enumerate(self.arrays.device_ids)}

    def tier_of(self, device: DeviceId) -> str | None:
        """Role of a switch: ``leaf``, ``spine``, ``core`` or what the design calls it."""
        vertex = self.vertex_of(device)
        return None if vertex is None else self.tiers.role[vertex]

    def network_of(self, device: DeviceId) -> str | None:
        """Name of the network a switch belongs to."""
        vertex = self.vertex_of(device)
        return None if vertex is None else self.tiers.network[vertex]

    def oversubscription_of(self, device: DeviceId) -> float | None:
        """Rate down over rate up at a switch, the worst in its box; None with nothing above it."""
        found = [self.balance.oversubscription(v) for v in self.vertices_of(device)]
        return max((ratio for ratio in found if ratio is not None), default=None)

    @property
    def gpus(self) -> int:
        """GPUs in servers that have not failed."""
        return int((~self.network.device_dead[self.arrays.gpu_device]).sum())

    def same_as(self, other: Fabric) -> bool:
        """Whether two fabrics hold the same, in whatever order; what a patch is tested by."""
        return self.failed == other.failed and _canonical(self.arrays) == _canonical(other.arrays)


def _canonical(arrays: FabricArrays) -> tuple[Any, ...]:
    """All columns in an order that does not depend on the history of the design."""
    by_id = sorted(range(len(arrays.device_ids)), key=arrays.device_ids.__getitem__)
    rank = np.zeros(len(by_id), np.int64)
    rank[by_id] = np.arange(len(by_id))
    nic = np.concatenate(
        [np.arange(len(arrays.nic_device)) - arrays.nic_base[arrays.nic_device], [-2, -1]]
    )
    links = sorted(
        zip(
            (arrays.cable_ids[c] for c in arrays.link_cable.tolist()),
            arrays.link_number.tolist(),
            arrays.link_rate_gbps.tolist(),
            rank[arrays.link_a].tolist(),
            rank[arrays.link_b].tolist(),
            nic[arrays.link_a_nic].tolist(),
            nic[arrays.link_b_nic].tolist(),
            arrays.link_role.tolist(),
            arrays.link_a_half.tolist(),
            arrays.link_b_half.tolist(),
            arrays.link_a_port.tolist(),
            arrays.link_b_port.tolist(),
            strict=True,
        )
    )
    by_device = sorted(
        zip(
            arrays.device_ids,
            arrays.device_kind.tolist(),
            arrays.gpu_count.tolist(),
            arrays.device_halves.tolist(),
            strict=True,
        )
    )
    nics = sorted(
        zip(
            rank[arrays.nic_device].tolist(),
            arrays.nic_names,
            arrays.nic_gpu.tolist(),
            arrays.nic_rail.tolist(),
            arrays.nic_role.tolist(),
            strict=True,
        )
    )
    assert len(fields(arrays)) == 26  # a new column belongs in here
    return sorted(arrays.cable_ids), links, by_device, nics
