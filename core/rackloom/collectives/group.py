# SPDX-License-Identifier: Apache-2.0
"""Which GPUs take part, in which order, and what joins them inside a server or rack.

Ranks follow the names of the servers in natural order (``gpu-2`` before ``gpu-10``), as a host
list does; inside a server they follow the number of the GPU. A *node* is what a library treats as
one: a server, or all servers of a rack-wide scale-up domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from rackloom.catalog.parts import ScaleUp, ServerPart
from rackloom.collectives.errors import EstimateError
from rackloom.design.ids import DeviceId
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Bools, Ints

GpuChoice = int | str | Iterable[str] | None
"""All GPUs (None), the first N, or names: ``gpu-01`` for a server, ``gpu-01/3`` for one GPU,
``pod:NAME`` for a pod. As one string also ``every:8`` (GPUs 0, 8, 16, ... in rank order) and
``one-per-server``."""

ONE_PER_SERVER = "one-per-server"
_EVERY = re.compile(r"every:(\d{1,9})")

_DIGITS = re.compile(r"(\d{1,4000})")
_MOST_DIGITS = 18
"""Longer numbers are no count of GPUs; Python refuses to convert some thousands of digits."""


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key under which numbers in a name count as numbers."""
    return tuple(
        (0, int(piece), "") if piece.isdecimal() else (1, 0, piece)
        for piece in _DIGITS.split(name)
        if piece
    )


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The ranks of a collective. GPU and device numbers are those of the fabric's arrays."""

    gpus: Ints
    """GPU of each rank."""
    device: Ints
    """Device of each rank."""
    node: Ints
    """Node of each rank, counted from 0 in the order of the ranks."""
    domain: Ints
    """Scale-up domain of each rank."""
    nodes: int
    node_size: Ints
    """Ranks in each node."""
    node_device: Ints
    """First device of each node."""
    parts: tuple[ServerPart, ...]
    """The server parts that take part."""
    part_of_node: Ints

    @property
    def ranks(self) -> int:
        """Number of GPUs."""
        return len(self.gpus)


def form_group(fabric: Fabric, choice: GpuChoice = None) -> Group:
    """The GPUs of a choice; EstimateError where there are fewer than two, or one is unknown."""
    gpus = _chosen(fabric, choice)
    if len(gpus) == 0:
        raise EstimateError(
            _no_gpu(fabric)
            if not len(fabric.arrays.gpu_device)
            else "every GPU has failed: nothing is left to estimate"
        )
    if len(gpus) == 1:
        raise EstimateError("one GPU has nobody to talk to: choose at least two")
    return _grouped(fabric, gpus)


def _no_gpu(fabric: Fabric) -> str:
    """Why there is none: no server for GPUs, or one whose part does not say what is in it."""
    design = fabric.design
    parts = {device.part for device in design.devices.values()}
    found = (design.parts[part] for part in sorted(parts))
    undescribed = [p for p in found if isinstance(p, ServerPart) and p.purpose == "gpu"]
    if not undescribed:
        return "there is no GPU to estimate for: put a GPU server into the design"
    return (
        f"the part {undescribed[0].title} does not say which GPUs are in it: describe them in a "
        "part of your own, or take another server"
    )


def _server_order(fabric: Fabric) -> list[int]:
    arrays, devices = fabric.arrays, fabric.design.devices
    servers = np.flatnonzero(arrays.gpu_count > 0).tolist()
    return sorted(servers, key=lambda d: natural(devices[arrays.device_ids[d]].name))


def _all_gpus(fabric: Fabric) -> Ints:
    """Every living GPU in rank order."""
    arrays, dead = fabric.arrays, fabric.network.device_dead
    order = np.array([d for d in _server_order(fabric) if not dead[d]], np.int64)
    count = arrays.gpu_count[order]
    first = np.repeat(arrays.gpu_base[order] - (np.cumsum(count) - count), count)
    return first + np.arange(int(count.sum()))


def _chosen(fabric: Fabric, choice: GpuChoice) -> Ints:
    if isinstance(choice, str):
        text = choice.strip()
        if text == ONE_PER_SERVER or _EVERY.fullmatch(text):
            return _spaced(fabric, text)
        number = text.isdecimal() and len(text) <= _MOST_DIGITS
        choice = int(text) if number else [t for t in text.split(",") if t.strip()]
        if choice == []:
            raise EstimateError(f"{text!r} names no GPU: give a number, or names of servers")
    everyone = _all_gpus(fabric)
    if choice is None:
        return everyone
    if isinstance(choice, Integral):
        count = int(choice)
        if len(everyone) < 2:
            return everyone  # there are none to choose from, which is what is to be said
        if count < 1 or count > len(everyone):
            raise EstimateError(
                f"the design has {len(everyone)} working GPUs, not {str(count)[:20]}: ask for 2 to "
                f"{len(everyone)}"
            )
        return everyone[:count]
    if not isinstance(choice, Iterable):
        raise EstimateError(f"{str(choice)[:40]} names no GPU: give a whole number, or names")
    wanted = _named(fabric, [str(name).strip() for name in choice])
    return everyone[wanted[everyone]]


def _spaced(fabric: Fabric, text: str) -> Ints:
    """Every k-th of all GPUs, or the first of each server."""
    everyone = _all_gpus(fabric)
    every = _EVERY.fullmatch(text)
    if every is None:
        first: Ints = everyone[fabric.arrays.gpu_local[everyone] == 0]
        return first
    step = int(every[1])
    if step < 1:
        raise EstimateError(f"{text} takes no GPU: write every:8 for each eighth one")
    return everyone[::step]


def _named(fabric: Fabric, names: list[str]) -> Bools:
    """Mask of the GPUs with these names; EstimateError for a name that is no GPU's."""
    arrays = fabric.arrays
    index: dict[str, int] = {}
    for number, device in enumerate(arrays.device_ids):
        index[fabric.design.devices[device].name] = number
    for number, device in enumerate(arrays.device_ids):
        index.setdefault(device, number)
    wanted = np.zeros(len(arrays.gpu_device), np.bool_)
    for name in names:
        if name.startswith("pod:") and name not in index:
            wanted |= _of_pod(fabric, name.removeprefix("pod:"))
            continue
        server, _, gpu = name.rpartition("/") if "/" in name else (name, "", "")
        number = index.get(server, -1)
        local = gpu.lower().removeprefix("gpu")
        count = int(arrays.gpu_count[number]) if number >= 0 else 0
        if count == 0 or (local and not _is_below(local, count)):
            raise EstimateError(
                f"no GPU server or GPU is called {name[:80]!r}: write a server's name, or name/0 "
                "for its first GPU"
            )
        if fabric.network.device_dead[number]:
            raise EstimateError(f"{server} has failed, so {name} cannot take part")
        base = int(arrays.gpu_base[number])
        wanted[base + int(local) if local else slice(base, base + count)] = True
    return wanted


def _is_below(text: str, count: int) -> bool:
    return text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) < count


def _of_pod(fabric: Fabric, pod: str) -> Bools:
    """Mask of the GPUs of a pod."""
    arrays, devices = fabric.arrays, fabric.design.devices
    pods = [devices[d].pod for d in arrays.device_ids]
    mine = np.array([p == pod for p in pods], np.bool_)[arrays.gpu_device]
    if not mine.any():
        known = sorted({p for p in pods if p}, key=natural)
        there = f"there are {', '.join(known[:12])}" if known else "the design names none"
        raise EstimateError(f"no pod with GPUs is called {pod!r}; {there}")
    return mine


def _grouped(fabric: Fabric, gpus: Ints) -> Group:
    arrays, design = fabric.arrays, fabric.design
    device = arrays.gpu_device[gpus]
    devices, first = np.unique(device, return_index=True)
    devices = devices[np.argsort(first)]
    parts: dict[str, int] = {}
    found: list[ServerPart] = []
    node_key: dict[object, int] = {}
    node_of = np.zeros(len(arrays.device_ids), np.int64)
    part_of = np.zeros(len(arrays.device_ids), np.int64)
    for d in devices.tolist():
        placed = design.devices[arrays.device_ids[d]]
        if placed.part not in parts:
            parts[placed.part] = len(found)
            found.append(design.part(placed.part, ServerPart))
        part_of[d] = parts[placed.part]
        scale_up = found[part_of[d]].scale_up
        whole_rack = scale_up is not None and scale_up.spans_rack
        key: object = (placed.rack, placed.part) if whole_rack else placed.id
        node_of[d] = node_key.setdefault(key, len(node_key))
    node = node_of[device]
    order = np.argsort(node, kind="stable")  # a rack's servers become neighbours
    gpus, device, node = gpus[order], device[order], node[order]
    size = np.bincount(node)
    starts = np.cumsum(size) - size
    node_device = device[starts]
    domain = _domains(found, part_of[device], node, size, starts)
    return Group(
        gpus=gpus,
        device=device,
        node=node,
        domain=domain,
        nodes=len(size),
        node_size=size.astype(np.int64),
        node_device=node_device,
        parts=tuple(found),
        part_of_node=part_of[node_device],
    )


def _domains(parts: list[ServerPart], part_of: Ints, node: Ints, size: Ints, starts: Ints) -> Ints:
    """Scale-up domain of each rank: nodes cut into pieces of the part's domain size."""
    sizes = np.array([p.scale_up.domain_gpus if p.scale_up else 1 for p in parts], np.int64)
    place = np.arange(len(node)) - starts[node]
    piece = place // sizes[part_of]
    return np.unique(node * (int(size.max()) + 1) + piece, return_inverse=True)[1].astype(np.int64)


def device_name(fabric: Fabric, device: int) -> str:
    """What a person calls a device of the arrays."""
    return fabric.design.devices[fabric.arrays.device_ids[device]].name


def more(count: int, one: str, many: str = "") -> str:
    """``1 more server``, ``27 more servers``."""
    return f"{count:,} more {one if count == 1 else many or one + 's'}"


def device_id(fabric: Fabric, device: int) -> DeviceId:
    """Id of a device of the arrays."""
    return fabric.arrays.device_ids[device]


def scale_up_of(group: Group, node: int) -> ScaleUp | None:
    """The scale-up network of a node."""
    return group.parts[int(group.part_of_node[node])].scale_up
