# SPDX-License-Identifier: Apache-2.0
"""What the user should know about a layout: groups across servers or pods, memory, imbalance."""

from __future__ import annotations

import numpy as np

from rackloom.fabric.arrays import Ints
from rackloom.workload.answer import Warned
from rackloom.workload.layers import Stage
from rackloom.workload.memory import Memory, stage_layers
from rackloom.workload.network import Channel

_GB = 1e9
_SHARED = 0.98
"""Below this share of its rate, a group is said to be slowed down by the others."""


def warnings_of(stage: Stage, memory: Memory, channels: tuple[Channel, ...]) -> tuple[Warned, ...]:
    """Everything there is to warn of, what hurts most first."""
    return (
        *_memory(memory),
        *_tensor_groups(stage),
        *_expert_groups(stage),
        *_shared(channels),
        *_imbalance(stage),
    )


def _memory(memory: Memory) -> list[Warned]:
    if memory.fits is None:
        return [Warned("memory-unknown", "the GPU's memory is not known: whether it fits is open")]
    if memory.fits or memory.available_bytes is None:
        return []
    return [
        Warned(
            "memory",
            f"{memory.total_bytes / _GB:,.0f} GB a GPU do not fit into "
            f"{memory.available_bytes / _GB:,.0f} GB: split the model further (tp, pp, zero 3), "
            "recompute activations or take smaller micro-batches",
        )
    ]


def _tensor_groups(stage: Stage) -> list[Warned]:
    rows = stage.layout.tp
    crossing = np.flatnonzero(stage.talk.nodes_of(rows) > 1)
    if rows.shape[1] < 2 or not len(crossing):
        return []
    first = rows[int(crossing[0])]
    names = " and ".join(stage.talk.node_names(first)[:2])
    return [
        Warned(
            "tp-crosses-servers",
            f"{len(crossing)} of {len(rows)} tensor parallel groups cross servers ({names}): "
            "every layer waits for the network",
            _devices(stage, first),
        )
    ]


def _expert_groups(stage: Stage) -> list[Warned]:
    rows = stage.layout.ep
    if rows.shape[1] < 2:
        return []
    pods = _pod_numbers(stage)[rows]
    known = (pods >= 0).all(axis=1)
    crossing = np.flatnonzero(known & (pods != pods[:, :1]).any(axis=1))
    if not len(crossing):
        return []
    first = rows[int(crossing[0])]
    names = ", ".join(list(stage.talk.pods_of(first))[:3])
    return [
        Warned(
            "ep-crosses-pods",
            f"{len(crossing)} of {len(rows)} expert parallel groups cross pods ({names}): their "
            "all-to-all passes the upper tiers",
            _devices(stage, first),
        )
    ]


def _pod_numbers(stage: Stage) -> Ints:
    """Number of the pod of each rank, -1 where the design names none."""
    talk = stage.talk
    design, ids = talk.fabric.design, talk.fabric.arrays.device_ids
    number: dict[str, int] = {}
    of_device = np.full(len(ids), -1, np.int64)
    for device in np.unique(talk.group.device).tolist():
        pod = design.devices[ids[device]].pod
        if pod is not None:
            of_device[device] = number.setdefault(pod, len(number))
    return of_device[talk.group.device]


def _devices(stage: Stage, row: Ints) -> tuple[str, ...]:
    ids = stage.talk.fabric.arrays.device_ids
    return tuple(str(ids[d]) for d in np.unique(stage.talk.group.device[row]).tolist())


def _shared(channels: tuple[Channel, ...]) -> list[Warned]:
    """The kind of group that suffers most from its like."""
    worst: dict[str, Channel] = {}
    for channel in channels:
        if channel.sharing < _SHARED:
            before = worst.setdefault(channel.kind, channel)
            worst[channel.kind] = min(before, channel, key=lambda c: c.sharing)
    return [
        Warned(
            "groups-share-links",
            f"all {c.groups} {c.kind} groups at once leave each {c.sharing:.0%} of the rate that "
            "one alone would have: the links between switches are shared",
            c.where,
        )
        for c in worst.values()
    ]


def _imbalance(stage: Stage) -> list[Warned]:
    parallel, layers = stage.parallel, stage.model.layers
    if layers % (parallel.pp * parallel.virtual) == 0:
        return []
    most = stage_layers(stage.model, parallel)
    return [
        Warned(
            "uneven-stages",
            f"{layers} layers do not divide evenly over {parallel.pp} x {parallel.virtual} "
            f"pipeline stages: the fullest GPU has {most}, the average {layers / parallel.pp:.3g}",
        )
    ]
