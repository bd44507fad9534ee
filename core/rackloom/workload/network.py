# SPDX-License-Identifier: Apache-2.0
"""How long the communication of a workload takes on the drawn fabric.

The collective engine answers for the groups that are really used. Groups of a kind look alike on
a regular fabric, so it is asked once for every sort of group that there is, the most spread-out
sorts first, and the slowest answer counts: nobody goes on before the slowest group is done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from rackloom.collectives import Collective, Estimate, EstimateError, estimate
from rackloom.collectives.calibration import load_hardware
from rackloom.collectives.group import Group, device_id, device_name, form_group
from rackloom.collectives.ports import usable_ports
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Ints
from rackloom.workload.contention import Contention
from rackloom.workload.errors import WorkloadError

MOST_SORTS = 3
"""Sorts of groups that the engine is asked about, per kind."""
_SMALL = 8
"""Bytes of the message whose time is all latency."""
_FLOW_KIND = {Collective.ALL_TO_ALL: "exchange", Collective.SEND_RECEIVE: "chain"}


@dataclass(frozen=True, slots=True)
class Channel:
    """A collective on one kind of groups, as it was asked for."""

    kind: str
    """``tp``, ``cp``, ``ep``, ``dp``, ``expert-dp`` or ``pp``."""
    collective: Collective
    ranks: int
    groups: int
    nodes: int
    """Servers (or racks that are one scale-up domain) that the most spread-out group touches."""
    size_bytes: int
    time_us: float
    busbw_gb_per_s: float
    sharing: float
    """What the group keeps of its rate when all groups of the kind talk at once."""
    limited_by: str
    where: tuple[str, ...]


class Communication:
    """Answers for the groups of one layout; remembers what it was asked."""

    def __init__(self, fabric: Fabric, gpus: int | None) -> None:
        self.fabric = fabric
        try:
            self.group: Group = form_group(fabric, gpus)
        except EstimateError as error:
            raise WorkloadError(str(error), error.where) from error
        hardware = load_hardware()
        self._contention = Contention(
            fabric, self.group, usable_ports(fabric, self.group, hardware)
        )
        self._sorts: dict[str, list[Ints]] = {}
        self.asked: dict[tuple[str, Collective, int], Channel] = {}

    def time_s(self, kind: str, collective: Collective, rows: Ints, size_bytes: float) -> float:
        """Seconds of one operation of the slowest group; 0 for groups of one.

        ``rows`` holds the groups, one a row; sizes are those of nccl-tests (gathered, reduced or
        per-rank total).
        """
        size = int(np.ceil(size_bytes))
        if rows.shape[1] < 2 or size <= 0:
            return 0.0
        key = (kind, collective, size)
        if key not in self.asked:
            self.asked[key] = self._ask(kind, collective, rows, size)
        return self.asked[key].time_us / 1e6

    def _ask(self, kind: str, collective: Collective, rows: Ints, size: int) -> Channel:
        if kind not in self._sorts:
            self._sorts[kind] = self._find_sorts(rows)
        answers = [self._one(kind, collective, rows, row, size) for row in self._sorts[kind]]
        return max(answers, key=lambda channel: channel.time_us)

    def _one(self, kind: str, collective: Collective, rows: Ints, row: Ints, size: int) -> Channel:
        pair = collective is Collective.SEND_RECEIVE
        asked = self._slowest_pair(row) if pair else row
        try:
            found = estimate(self.fabric, collective, (_SMALL, size), gpus=self._names(asked))
        except EstimateError as error:
            raise WorkloadError(f"{_WORDS[kind]} groups: {error}", error.where) from error
        flow = _FLOW_KIND.get(collective, "ring")
        sharing = self._contention.sharing(flow, rows, row)
        slow = _slowed(found, sharing)
        latency = min(found.points[0].time_us, found.points[1].time_us)
        time_us = latency + (found.points[1].time_us - latency) * slow
        return Channel(
            kind=kind,
            collective=collective,
            ranks=rows.shape[1],
            groups=rows.shape[0],
            nodes=len(np.unique(self.group.node[row])),
            size_bytes=size,
            time_us=time_us,
            busbw_gb_per_s=found.points[1].busbw_gb_per_s * found.points[1].time_us / time_us,
            sharing=sharing if slow > 1 else 1.0,
            limited_by=found.bottleneck.text,
            where=found.bottleneck.where,
        )

    def _slowest_pair(self, row: Ints) -> Ints:
        """Two neighbours of a pipeline, in different nodes where there are such."""
        node = self.group.node[row]
        apart = np.flatnonzero(node[1:] != node[:-1])
        first = int(apart[0]) if len(apart) else 0
        return row[first : first + 2]

    def _names(self, row: Ints) -> list[str]:
        """GPUs as the engine knows them; by id, unless another device has that for a name."""
        arrays, devices = self.fabric.arrays, self.fabric.design.devices
        taken = self._device_names
        names = []
        for rank in row.tolist():
            device = device_id(self.fabric, int(self.group.device[rank]))
            name = devices[device].name if device in taken else str(device)
            names.append(f"{name}/{int(arrays.gpu_local[self.group.gpus[rank]])}")
        return names

    @property
    def _device_names(self) -> set[str]:
        return {device.name for device in self.fabric.design.devices.values()}

    def _find_sorts(self, rows: Ints) -> list[Ints]:
        """One group of every sort: by nodes, members a node and switches, the widest first."""
        node = self.group.node[rows]
        spread = 1 + (np.diff(np.sort(node, axis=1), axis=1) != 0).sum(axis=1)
        leaf = np.sort(self._leaves[rows], axis=1)
        leaves = 1 + (np.diff(leaf, axis=1) != 0).sum(axis=1)
        rate = self._rates[rows].sum(axis=1)
        keys = np.stack([spread, leaves, -np.round(rate)], axis=1).astype(np.int64)
        _, first = np.unique(keys, axis=0, return_index=True)
        return [rows[int(at)] for at in first[::-1][:MOST_SORTS]]

    @property
    def _leaves(self) -> Ints:
        """First switch of each rank, -1 for none."""
        leaf = np.full(self.group.ranks, -1, np.int64)
        ports = self._contention.ports
        mine = ports.rank >= 0
        leaf[ports.rank[mine]] = ports.switch[mine]
        return leaf

    @property
    def _rates(self) -> Ints:
        """Gb/s of each rank's own ports."""
        ports = self._contention.ports
        mine = ports.rank >= 0
        weights = ports.rate_gbps[mine]
        found = np.bincount(ports.rank[mine], weights=weights, minlength=self.group.ranks)
        return found.astype(np.int64)

    def nodes_of(self, rows: Ints) -> Ints:
        """How many nodes each group touches."""
        node = np.sort(self.group.node[rows], axis=1)
        steps: Ints = (np.diff(node, axis=1) != 0).sum(axis=1)
        return 1 + steps

    def node_names(self, row: Ints) -> list[str]:
        """Names of the servers of a group, in order."""
        devices = dict.fromkeys(self.group.device[row].tolist())
        return [device_name(self.fabric, device) for device in devices]

    def pods_of(self, row: Ints) -> Counter[str]:
        """Pods that the servers of a group belong to, as far as the design says."""
        design, ids = self.fabric.design, self.fabric.arrays.device_ids
        pods = (design.devices[ids[d]].pod for d in self.group.device[row].tolist())
        return Counter(pod for pod in pods if pod is not None)


_WORDS = {
    "tp": "tensor parallel",
    "cp": "context parallel",
    "ep": "expert parallel",
    "dp": "data parallel",
    "expert-dp": "expert data parallel",
    "pp": "pipeline",
}


def _slowed(found: Estimate, sharing: float) -> float:
    """How much longer a message takes when the network keeps only a part of its rate.

    Where something inside the servers binds, the network has to lose more than its slack first.
    """
    if sharing >= 1:
        return 1.0
    network = [c.expected_gb_per_s for c in found.caps if c.kind != "scale-up"]
    inside = [c.expected_gb_per_s for c in found.caps if c.kind == "scale-up"]
    if not network:
        return 1.0
    now = min(network + inside)
    return max(1.0, now / (min(network) * sharing))
