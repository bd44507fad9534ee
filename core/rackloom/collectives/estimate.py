# SPDX-License-Identifier: Apache-2.0
"""How fast a collective is on a drawn fabric: the curve, the limit, and what binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.collectives.calibration import (
    PROTOCOLS,
    CpuVendor,
    Hardware,
    load_hardware,
    load_libraries,
)
from rackloom.collectives.capacity import has_scale_up
from rackloom.collectives.caps import Cap, caps_of, inside_kind
from rackloom.collectives.conventions import (
    DEFAULT_SIZES,
    MAX_BYTES,
    Collective,
    busbw_factor,
    parse_collective,
    parse_sizes,
)
from rackloom.collectives.cost_model import Curve, Shape, ring_curves, tree_curves
from rackloom.collectives.delays import Delays
from rackloom.collectives.errors import EstimateError
from rackloom.collectives.group import GpuChoice, Group, form_group
from rackloom.collectives.limit import Limit, find_limit
from rackloom.collectives.ports import usable_ports
from rackloom.collectives.ring import Traffic, lay_rings
from rackloom.collectives.tree import lay_trees
from rackloom.design import Design
from rackloom.fabric import Fabric

ALGORITHMS = ("auto", "ring", "tree")
"""What can be asked for; ``auto`` takes the fastest of all that are modelled."""

_BY_RING = (Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER)


@dataclass(frozen=True, slots=True)
class Point:
    """One size of the curve, as nccl-tests would print it."""

    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    algorithm: str
    protocol: str
    limit_busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What binds at the largest size: kind, ids of the places, and a phrase."""

    kind: str
    where: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ErrorBand:
    """How far a measurement may be off at large sizes, as a fraction, and what that rests on."""

    fraction: float
    rests_on: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer for one collective on one group of GPUs."""

    collective: Collective
    gpus: int
    points: tuple[Point, ...]
    bottleneck: Bottleneck
    limit: Limit
    band: ErrorBand
    caps: tuple[Cap, ...]
    """Every resource on the way of the algorithm of the largest size, the tightest first."""

    @property
    def peak(self) -> Point:
        """The point with the greatest bus bandwidth."""
        return max(self.points, key=lambda point: point.busbw_gb_per_s)

    def to_json(self) -> dict[str, Any]:
        """The answer as ``rackloom estimate --format json`` prints it (schema 1)."""
        return {
            "schema": 1,
            "collective": self.collective.value,
            "gpus": self.gpus,
            "points": [
                {
                    "size_bytes": p.size_bytes,
                    "time_us": p.time_us,
                    "algbw_gb_per_s": p.algbw_gb_per_s,
                    "busbw_gb_per_s": p.busbw_gb_per_s,
                    "algorithm": p.algorithm,
                    "protocol": p.protocol,
                    "limit_busbw_gb_per_s": p.limit_busbw_gb_per_s,
                }
                for p in self.points
            ],
            "bottleneck": {
                "kind": self.bottleneck.kind,
                "where": list(self.bottleneck.where),
                "text": self.bottleneck.text,
            },
            "limit": {
                "busbw_gb_per_s": self.limit.busbw_gb_per_s,
                "cut": list(self.limit.cut),
                "text": self.limit.text,
            },
        }


def estimate(
    drawn: Design | Fabric,
    collective: str | Collective = Collective.ALL_REDUCE,
    sizes: str | Sequence[int] = DEFAULT_SIZES,
    gpus: GpuChoice = None,
    failed: Iterable[str] = frozenset(),
    algorithm: str = "auto",
    protocol: str = "auto",
) -> Estimate:
    """What a collective library would reach on this fabric, and what no schedule can beat.

    ``gpus``: all (None), the first N, or names. ``failed``: ids or names of devices and cables that
    are taken to be dead. Raises EstimateError with one sentence where there is no answer.
    """
    kind = _modelled(collective, algorithm, protocol)
    size_list = _checked(sizes)
    fabric = drawn if isinstance(drawn, Fabric) else Fabric.of(drawn)
    fabric = fabric.without(_failed_ids(fabric, failed))
    hardware = load_hardware()
    group = form_group(fabric, gpus)
    ports = usable_ports(fabric, group, hardware)
    rings = lay_rings(fabric, group, ports) if group.nodes > 1 else None
    transport = _transport(fabric, rings)
    sizes_bytes = np.array(size_list, np.float64)
    algorithms = ["ring", "tree"] if kind is Collective.ALL_REDUCE else ["ring"]
    if algorithm.lower() != "auto":
        algorithms = [algorithm.lower()]
    curves: list[Curve] = []
    caps: dict[str, list[Cap]] = {}
    library, known = _library(group)
    delays = Delays(fabric, hardware)
    for name in algorithms:
        traffic = rings
        if name == "tree" and rings is not None:
            traffic = lay_trees(fabric, group, rings)
        caps[name] = caps_of(fabric, group, traffic, hardware, transport, name)
        if not caps[name]:
            raise EstimateError(
                f"nothing is known of what joins the GPUs of {group.parts[0].title}: give the "
                "part a scale-up network or a PCIe generation",
                (group.parts[0].id,),
            )
        bandwidth = caps[name][0].expected_gb_per_s
        shape = _shape(group, traffic, bandwidth, delays)
        if name == "tree":
            curves += tree_curves(library, shape, sizes_bytes)
        else:
            curves += ring_curves(library, kind, shape, sizes_bytes)
    wanted = [c for c in curves if protocol in {"auto", c.protocol}]
    if not wanted:
        raise EstimateError(
            f"{protocol} is not used by {' or '.join(algorithms)} on {group.parts[0].title}; "
            f"there are {', '.join(c.protocol for c in curves) or 'none'}"
        )
    limit = find_limit(fabric, group, ports, hardware)
    points = _points(kind, group.ranks, size_list, wanted, limit.busbw_gb_per_s)
    deciding = caps[max(points, key=lambda p: p.size_bytes).algorithm]
    tightest = deciding[0]
    return Estimate(
        collective=kind,
        gpus=group.ranks,
        points=points,
        bottleneck=Bottleneck(tightest.kind, tightest.where, tightest.text),
        limit=limit,
        band=_band(group, tightest, transport, known, hardware),
        caps=tuple(deciding),
    )


def _modelled(collective: str | Collective, algorithm: str, protocol: str) -> Collective:
    kind = collective if isinstance(collective, Collective) else parse_collective(collective)
    if kind not in _BY_RING:
        raise EstimateError(
            f"{kind} cannot be estimated yet; there are {', '.join(c.value for c in _BY_RING)}"
        )
    if algorithm.lower() not in ALGORITHMS:
        raise EstimateError(
            f"no algorithm is called {algorithm!r}; there are {', '.join(ALGORITHMS)}"
        )
    if protocol not in {"auto", *PROTOCOLS}:
        raise EstimateError(
            f"no protocol is called {protocol!r}; there are auto, {', '.join(PROTOCOLS)}"
        )
    if algorithm.lower() == "tree" and kind is not Collective.ALL_REDUCE:
        raise EstimateError(f"libraries run {kind} by rings, not by trees: choose ring or auto")
    return kind


def _checked(sizes: str | Sequence[int]) -> tuple[int, ...]:
    found = parse_sizes(sizes) if isinstance(sizes, str) else tuple(int(s) for s in sizes)
    if not found:
        raise EstimateError("there is no message size to estimate for: give at least one")
    for size in found:
        if not 0 <= size <= MAX_BYTES:
            raise EstimateError(f"{size} is not a message size: give 0 to {MAX_BYTES} bytes")
    return found


def _failed_ids(fabric: Fabric, failed: Iterable[str]) -> set[str]:
    """Ids of what failed, given by id, device name or cable label."""
    design = fabric.design
    ids: set[str] = set()
    names: dict[str, set[str]] = {}
    for item in failed:
        if item in design.devices or item in design.cables:
            ids.add(item)
            continue
        if not names:
            for device in design.devices.values():
                names.setdefault(device.name, set()).add(device.id)
            for cable in design.cables.values():
                if cable.label:
                    names.setdefault(cable.label, set()).add(cable.id)
        if item not in names:
            raise EstimateError(f"nothing is called {item!r}: give a device's or a cable's name")
        ids |= names[item]
    return ids


def _transport(fabric: Fabric, rings: Traffic | None) -> str:
    """What the switches between the nodes speak; the slower kind where they differ."""
    if rings is None:
        return Protocol.INFINIBAND.value
    vertices = np.unique(rings.ports.switch[rings.channel_ports])
    devices = np.unique(fabric.network.switch_device[vertices])
    arrays, design = fabric.arrays, fabric.design
    spoken = {
        design.part(design.devices[arrays.device_ids[d]].part, SwitchPart).protocol
        for d in devices.tolist()
        if d >= 0
    }
    return Protocol.INFINIBAND.value if spoken == {Protocol.INFINIBAND} else Protocol.ETHERNET.value


def _library(group: Group) -> tuple[Any, bool]:
    """Cost model for the GPUs of the group; False where their generation is not known."""
    libraries = load_libraries()
    gpu = group.parts[0].gpu
    row = libraries.architectures.get((gpu.architecture if gpu else None) or "")
    return libraries.libraries[(row or libraries.unknown_architecture).library], row is not None


def _shape(group: Group, traffic: Traffic | None, bandwidth: float, delays: Delays) -> Shape:
    libraries = load_libraries()
    part = group.parts[0]
    gpu = part.gpu
    row = libraries.architectures.get((gpu.architecture if gpu else None) or "")
    cpu: CpuVendor = (
        "intel" if part.cpu_vendor == "intel" else "amd" if part.cpu_vendor == "amd" else "other"
    )
    return Shape(
        ranks=group.ranks,
        nodes=group.nodes,
        channels=traffic.channels if traffic is not None else 1,
        bandwidth_gb_per_s=bandwidth,
        over_nvlink=all(has_scale_up(p) for p in group.parts),
        network_extra_us=delays.extra_us(traffic),
        row=(row or libraries.unknown_architecture).row,
        cpu=cpu,
    )


def _points(
    kind: Collective, ranks: int, sizes: tuple[int, ...], curves: list[Curve], limit: float
) -> tuple[Point, ...]:
    """The fastest curve at each size."""
    times = np.stack([curve.time_us for curve in curves])
    best = times.argmin(axis=0)
    factor = busbw_factor(kind, ranks)
    points = []
    for number, size in enumerate(sizes):
        curve = curves[int(best[number])]
        time_us = float(times[best[number], number])
        algbw = size / time_us / 1000
        points.append(
            Point(size, time_us, algbw, algbw * factor, curve.algorithm, curve.protocol, limit)
        )
    return tuple(points)


def _band(
    group: Group, tightest: Cap, transport: str, known: bool, hardware: Hardware
) -> ErrorBand:
    """The spread of the measured rows behind the efficiency that binds."""
    name = inside_kind(group) if tightest.kind == "scale-up" else transport
    efficiency = hardware.efficiency(name)
    band = efficiency.band
    words = {"infiniband": "InfiniBand", "ethernet": "Ethernet", "nvlink": "NVLink", "xgmi": "xGMI"}
    rests_on = f"{efficiency.rows} {words[name]} measurements"
    if name == transport:
        rests_on += f" on up to {efficiency.most_servers} servers"
        if group.nodes > efficiency.most_servers:
            band *= hardware.beyond_measured.band_factor
            rests_on += f"; {group.nodes} servers are beyond them, so the band is widened"
    if not known:
        band = max(band, hardware.unknown_gpu.band)
        rests_on += "; nothing measured on this GPU generation"
    return ErrorBand(band, rests_on)
