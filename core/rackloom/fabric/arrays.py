# SPDX-License-Identifier: Apache-2.0
"""The network of a design as numpy arrays: devices, GPUs, NICs, links. Read once, patched after.

A NIC is one adapter; the ports of one adapter share its PCIe connection. A switch's management
port is an end point, not a way through the switch: it never joins two networks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import DevicePart, PartId, ServerPart, SwitchPart
from rackloom.catalog.words import CageRole, ScaleUpKind
from rackloom.design.change import Change
from rackloom.design.entities import Device
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.links import Link, PortRef
from rackloom.design.wiring import cage_mode

if TYPE_CHECKING:
    from rackloom.design.value import Design

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROLES: tuple[CageRole, ...] = tuple(CageRole)
ROLE_CODE: dict[CageRole, int] = {role: code for code, role in enumerate(ROLES)}

THROUGH = -1
"""In a link's NIC column: the end is a switch's data port, traffic goes on from there."""
MANAGEMENT = -2
"""In a link's NIC column: an end point that is no NIC (a switch's or PDU's management port)."""

MESHES = frozenset({ScaleUpKind.NVLINK_MESH, ScaleUpKind.XGMI_MESH, ScaleUpKind.ETHERNET_MESH})
"""Scale-up networks without a switch: each pair of GPUs has links of its own."""

_MANAGEMENT_ROLES = {CageRole.OUT_OF_BAND, CageRole.IN_BAND, CageRole.SERVICE, CageRole.CONSOLE}


_MOST_PORTS = 1024
"""More than any cage is split into."""


class DeviceKind(IntEnum):
    """What a device is to the network."""

    SERVER = 0
    SWITCH = 1
    OTHER = 2


@dataclass(frozen=True, slots=True)
class Nic:
    """An adapter as a server's parts describe it; ``gpu`` -1: near no particular GPU."""

    name: str
    gpu: int
    rail: int
    role: CageRole


@dataclass(frozen=True, slots=True, eq=False)
class FabricArrays:
    """Everything the network of a design consists of. Indices point into the columns here.

    ``link_a_nic``/``link_b_nic`` hold a NIC index, THROUGH or MANAGEMENT. Rates are in Gb/s.
    """

    device_ids: tuple[DeviceId, ...]
    device_kind: Ints
    device_halves: Ints
    """Independent switches in the box of a device: 1, or more where a part is partitioned."""
    gpu_device: Ints
    gpu_local: Ints
    gpu_base: Ints
    """First GPU of each device."""
    gpu_count: Ints
    nic_device: Ints
    nic_gpu: Ints
    """GPU (number in its server) that the adapter serves, -1 where it serves all alike."""
    nic_rail: Ints
    nic_role: Ints
    nic_names: tuple[str, ...]
    nic_base: Ints
    cable_ids: tuple[CableId, ...]
    link_cable: Ints
    link_number: Ints
    """Which of its cable's links a link is."""
    link_rate_gbps: Floats
    link_a: Ints
    link_b: Ints
    link_a_half: Ints
    """Which of the independent switches in its box the end of a link is on."""
    link_b_half: Ints
    link_a_port: Ints
    """Rank of the port an end is on among those of its device: in the order of the part's cages."""
    link_b_port: Ints
    link_a_nic: Ints
    link_b_nic: Ints
    link_role: Ints
    """Role of the cage at the end point of a link; of ``fabric`` between switches."""


class _Template:
    """What all devices of one part and card set have in common."""

    def __init__(self, design: Design, device: Device) -> None:
        part = design.part(device.part, DevicePart)
        self.kind = (
            DeviceKind.SERVER
            if isinstance(part, ServerPart)
            else DeviceKind.SWITCH
            if isinstance(part, SwitchPart)
            else DeviceKind.OTHER
        )
        self.halves = part.partitions if isinstance(part, SwitchPart) else 1
        self.half: dict[str, int] = {}
        self.gpus = part.gpu.count if isinstance(part, ServerPart) and part.gpu else 0
        self.nics: list[Nic] = []
        self.ends: dict[str, tuple[int, ...]] = {}
        self.cages = cages_of(design, device)
        self.order = {name: number for number, name in enumerate(self.cages)}
        self.roles: dict[str, int] = {}
        for name, cage in self.cages.items():
            self.roles[name] = ROLE_CODE[cage.role]
            if isinstance(part, SwitchPart):
                self.half[name] = part.partition_of(name)
            if self.kind is DeviceKind.SERVER:
                self.ends[name] = tuple(self._nic_of(name, cage))
            else:
                through = self.kind is DeviceKind.SWITCH and cage.role not in _MANAGEMENT_ROLES
                self.ends[name] = (THROUGH if through else MANAGEMENT,)
        self.nics = _near_gpus(self.nics, self.gpus)

    def _nic_of(self, cage_name: str, cage: Cage) -> Iterable[int]:
        """Adapters behind a cage, one a port; ports that name none share one of the cage's name."""
        known = {nic.name: number for number, nic in enumerate(self.nics)}
        numbers = []
        for spec in cage.ports:
            name = spec.nic or cage_name
            if name not in known:
                known[name] = len(self.nics)
                gpu = -1 if spec.gpu is None else spec.gpu
                rail = -1 if spec.rail is None else spec.rail
                self.nics.append(Nic(name, gpu, rail, cage.role))
            numbers.append(known[name])
        return numbers if len(set(numbers)) > 1 else numbers[:1]


def _near_gpus(nics: list[Nic], gpus: int) -> list[Nic]:
    """Adapters with GPU and rail filled in where the part leaves them out.

    Where no compute adapter says which GPU it serves, they are dealt out evenly in order.
    """
    compute = [n for n, nic in enumerate(nics) if nic.role is CageRole.COMPUTE]
    silent = gpus and all(nics[n].gpu < 0 for n in compute)
    filled = list(nics)
    for order, n in enumerate(compute):
        nic = nics[n]
        gpu = order * gpus // len(compute) if silent else nic.gpu
        rail = nic.rail if nic.rail >= 0 else (gpu if gpu >= 0 and not silent else order)
        filled[n] = Nic(nic.name, gpu if gpu < gpus else -1, rail, nic.role)
    return filled


class _Reader:
    """Turns devices and links of one design into rows."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._templates: dict[tuple[PartId, tuple[tuple[str, PartId], ...]], _Template] = {}
        self.place: dict[DeviceId, tuple[int, _Template, int]] = {}

    def template(self, device: Device) -> _Template:
        key = (device.part, device.cards)
        found = self._templates.get(key)
        if found is None:
            found = self._templates[key] = _Template(self.design, device)
        return found

    def devices(self) -> dict[str, Any]:
        ids: list[DeviceId] = []
        kinds, halves, gpu_counts, nic_counts = [], [], [], []
        nics: list[Nic] = []
        for device in self.design.devices.values():
            template = self.template(device)
            if not template.cages and not template.gpus:
                continue
            self.place[device.id] = (len(ids), template, len(nics))
            ids.append(device.id)
            kinds.append(int(template.kind))
            halves.append(template.halves)
            gpu_counts.append(template.gpus)
            nic_counts.append(len(template.nics))
            nics.extend(template.nics)
        gpu_count = np.array(gpu_counts, np.int64)
        order = np.arange(len(ids))
        gpu_base = np.concatenate([[0], np.cumsum(gpu_count)])[: len(ids)].astype(np.int64)
        gpu_device = np.repeat(order, gpu_count)
        nic_count = np.array(nic_counts, np.int64)
        nic_base = np.concatenate([[0], np.cumsum(nic_count)])[: len(ids)].astype(np.int64)
        return {
            "device_ids": tuple(ids),
            "device_kind": np.array(kinds, np.int64),
            "device_halves": np.array(halves, np.int64),
            "gpu_device": gpu_device,
            "gpu_local": np.arange(len(gpu_device)) - gpu_base[gpu_device],
            "gpu_base": gpu_base,
            "gpu_count": gpu_count,
            "nic_device": np.repeat(order, nic_count),
            "nic_gpu": np.array([n.gpu for n in nics], np.int64),
            "nic_rail": np.array([n.rail for n in nics], np.int64),
            "nic_role": np.array([ROLE_CODE[n.role] for n in nics], np.int64),
            "nic_names": tuple(n.name for n in nics),
            "nic_base": nic_base,
        }

    def links(self, items: Iterable[tuple[CableId, tuple[Link, ...]]]) -> dict[str, Any]:
        cables: list[CableId] = []
        rows: list[tuple[int, int, float, *tuple[int, ...]]] = []
        for cable_id, links in items:
            cable = len(cables)
            cables.append(cable_id)
            for number, link in enumerate(links):
                a, a_nic, a_role = self._end(link.a, link)
                b, b_nic, b_role = self._end(link.b, link)
                role = b_role if a_nic == THROUGH else a_role
                halves = self._half(link.a), self._half(link.b)
                ports = self._port(link.a), self._port(link.b)
                ends = (a, b, a_nic, b_nic, role, *halves, *ports)
                rows.append((cable, number, link.rate_gbps, *ends))
        columns = list(zip(*rows, strict=True)) if rows else [()] * 12
        return {
            "cable_ids": tuple(cables),
            "link_cable": np.array(columns[0], np.int64),
            "link_number": np.array(columns[1], np.int64),
            "link_rate_gbps": np.array(columns[2], np.float64),
            "link_a": np.array(columns[3], np.int64),
            "link_b": np.array(columns[4], np.int64),
            "link_a_nic": np.array(columns[5], np.int64),
            "link_b_nic": np.array(columns[6], np.int64),
            "link_role": np.array(columns[7], np.int64),
            "link_a_half": np.array(columns[8], np.int64),
            "link_b_half": np.array(columns[9], np.int64),
            "link_a_port": np.array(columns[10], np.int64),
            "link_b_port": np.array(columns[11], np.int64),
        }

    def _half(self, port: PortRef) -> int:
        return self.place[port.device][1].half.get(port.cage, 0)

    def _port(self, port: PortRef) -> int:
        return self.place[port.device][1].order[port.cage] * _MOST_PORTS + port.index

    def _end(self, port: PortRef, link: Link) -> tuple[int, int, int]:
        index, template, base = self.place[port.device]
        ends = template.ends[port.cage]
        first = ends[0]
        role = template.roles[port.cage]
        if first < 0:
            return index, first, role
        if len(ends) > 1:
            first = ends[self._spec(port, link, template.cages[port.cage], len(ends))]
        return index, base + first, role

    def _spec(self, port: PortRef, link: Link, cage: Cage, specs: int) -> int:
        """Which named port of a cage a port belongs to; finer modes split the named ones."""
        if port.index < specs and link.lanes * specs >= cage.lanes:
            return port.index
        mode = cage_mode(self.design, self.design.devices[port.device], cage)
        return min(port.index * specs // max(mode.ports, specs), specs - 1)


def read_arrays(design: Design) -> FabricArrays:
    """The arrays of a design, from scratch."""
    reader = _Reader(design)
    devices = reader.devices()
    return FabricArrays(**devices, **reader.links(design.links.items()))


_DEVICE_FIELDS_THAT_COUNT = ("part", "cards", "modes")


def patched_arrays(
    arrays: FabricArrays, before: Design, after: Design, change: Change
) -> FabricArrays:
    """The arrays after a change; what the change leaves alone is shared.

    Cables are patched; a device that comes, goes or becomes another part means a fresh reading.
    """
    if any(True for _ in change.of("parts")):
        return read_arrays(after)
    for record in change.of("devices"):
        if record.before is None or record.after is None:
            return read_arrays(after)
        if any(
            getattr(record.before, f) != getattr(record.after, f) for f in _DEVICE_FIELDS_THAT_COUNT
        ):
            return read_arrays(after)
    if before.links is after.links or not change.tables & {"cables", "modules"}:
        return arrays
    touched = _touched_cables(before, after, change)
    if not touched:
        return arrays
    position = {cable: n for n, cable in enumerate(arrays.cable_ids) if cable in touched}
    gone = np.zeros(len(arrays.cable_ids), np.bool_)
    gone[list(position.values())] = True
    reader = _Reader(after)
    reader.devices()
    fresh = reader.links([(c, after.links[c]) for c in sorted(touched) if c in after.links])
    return _spliced(arrays, gone, fresh)


def _touched_cables(before: Design, after: Design, change: Change) -> set[CableId]:
    from rackloom.design.relinking import affected_cables

    candidates = set(affected_cables(after, change)) | set(affected_cables(before, change.inverse))
    return {c for c in candidates if before.links.get(c) != after.links.get(c)}


def _spliced(arrays: FabricArrays, gone: Bools, fresh: dict[str, Any]) -> FabricArrays:
    """The arrays without the links of some cables, and with fresh rows at the end."""
    kept = ~gone[arrays.link_cable] if len(gone) else np.zeros(0, np.bool_)
    new_number = np.cumsum(~gone) - 1
    kept_cables = tuple(
        c for c, out in zip(arrays.cable_ids, gone.tolist(), strict=True) if not out
    )
    columns = dict[str, Any]()
    for name, rows in fresh.items():
        if name not in {"cable_ids", "link_cable"}:
            columns[name] = np.concatenate([getattr(arrays, name)[kept], rows])
    return replace(
        arrays,
        **columns,
        link_cable=np.concatenate(
            [new_number[arrays.link_cable[kept]], fresh["link_cable"] + len(kept_cables)]
        ),
        cable_ids=kept_cables + fresh["cable_ids"],
    )
