# SPDX-License-Identifier: Apache-2.0
"""How fast a collective is on a drawn fabric: the curve, the limit, and what binds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rackloom.catalog.parts import SwitchPart
from rackloom.catalog.words import Protocol
from rackloom.collectives.answer import Bottleneck, ErrorBand, Estimate, Point
from rackloom.collectives.calibration import (
    PROTOCOLS,
    Hardware,
    Library,
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
from rackloom.collectives.ports import Ports, usable_ports
from rackloom.collectives.ring import Traffic, lay_rings
from rackloom.collectives.tree import lay_trees
from rackloom.design import Design
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Floats

ALGORITHMS = ("auto", "ring", "tree")
"""What can be asked for; ``auto`` takes the fastest of all that are modelled."""

_BY_RING = (Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER)


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
    case = _case(fabric.without(_failed_ids(fabric, failed)), gpus)
    names = _algorithms(kind, algorithm)
    limit = find_limit(case.fabric, case.group, case.ports, case.hardware)
    curves: list[Curve] = []
    caps: dict[str, list[Cap]] = {}
    for name in names:
        caps[name], found = _answer(case, name, kind, np.array(size_list, np.float64), limit)
        curves += [curve for curve in found if protocol in {"auto", curve.protocol}]
    if not curves:
        raise EstimateError(
            f"{protocol} is not used by {' or '.join(names)} on {case.group.parts[0].title}: "
            "choose auto"
        )
    points = _points(kind, case.group.ranks, size_list, curves, limit.busbw_gb_per_s)
    deciding = caps[max(points, key=lambda point: point.size_bytes).algorithm]
    tightest = deciding[0]
    return Estimate(
        collective=kind,
        gpus=case.group.ranks,
        points=points,
        bottleneck=Bottleneck(tightest.kind, tightest.where, tightest.text),
        limit=limit,
        band=_band(case, tightest),
        caps=tuple(deciding),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """One group on one fabric, and the constants that go with it."""

    fabric: Fabric
    group: Group
    ports: Ports
    rings: Traffic | None
    """None where all GPUs are in one node."""
    transport: str
    hardware: Hardware
    library: Library
    row: str
    known: bool
    """False where no constants are known for the GPUs' generation."""
    delays: Delays


def _case(fabric: Fabric, gpus: GpuChoice) -> _Case:
    hardware, libraries = load_hardware(), load_libraries()
    group = form_group(fabric, gpus)
    ports = usable_ports(fabric, group, hardware)
    rings = lay_rings(fabric, group, ports) if group.nodes > 1 else None
    gpu = group.parts[0].gpu
    found = libraries.architectures.get((gpu.architecture if gpu else None) or "")
    row = found or libraries.unknown_architecture
    return _Case(
        fabric=fabric,
        group=group,
        ports=ports,
        rings=rings,
        transport=_transport(fabric, rings),
        hardware=hardware,
        library=libraries.libraries[row.library],
        row=row.row,
        known=found is not None,
        delays=Delays(fabric, hardware),
    )


def _algorithms(kind: Collective, asked: str) -> list[str]:
    if asked.lower() != "auto":
        return [asked.lower()]
    return ["ring", "tree"] if kind is Collective.ALL_REDUCE else ["ring"]


def _answer(
    case: _Case, name: str, kind: Collective, sizes: Floats, limit: Limit
) -> tuple[list[Cap], list[Curve]]:
    """Caps and curves of one algorithm.

    The limit is that of a reduce-scatter and an all-gather. Where one corner of a fabric is much
    weaker than the rest, a tree that has it as a leaf could pass that limit, sending up and down at
    once; we do not promise that of a library.
    """
    group = case.group
    traffic = case.rings
    if name == "tree" and traffic is not None:
        traffic = lay_trees(case.fabric, group, traffic)
    caps = caps_of(case.fabric, group, traffic, case.hardware, case.transport, name)
    if not caps:
        part = group.parts[0]
        raise EstimateError(
            f"nothing is known of what joins the GPUs of {part.title}: give the part a scale-up "
            "network or a PCIe generation",
            (part.id,),
        )
    cpu = group.parts[0].cpu_vendor
    shape = Shape(
        ranks=group.ranks,
        nodes=group.nodes,
        channels=traffic.channels if traffic is not None else 1,
        bandwidth_gb_per_s=min(caps[0].expected_gb_per_s, limit.busbw_gb_per_s),
        over_nvlink=all(has_scale_up(p) for p in group.parts),
        network_extra_us=case.delays.extra_us(traffic),
        row=case.row,
        cpu=cpu if cpu in {"intel", "amd"} else "other",
    )
    if name == "tree":
        return caps, tree_curves(case.library, shape, sizes)
    return caps, ring_curves(case.library, kind, shape, sizes)


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


def _band(case: _Case, tightest: Cap) -> ErrorBand:
    """The spread of the measured rows behind the efficiency that binds."""
    name = inside_kind(case.group) if tightest.kind == "scale-up" else case.transport
    efficiency = case.hardware.efficiency(name)
    band = efficiency.band
    words = {"infiniband": "InfiniBand", "ethernet": "Ethernet", "nvlink": "NVLink", "xgmi": "xGMI"}
    rests_on = f"{efficiency.rows} {words[name]} measurements"
    if name == case.transport:
        rests_on += f" on up to {efficiency.most_servers} servers"
        if case.group.nodes > efficiency.most_servers:
            band *= case.hardware.beyond_measured.band_factor
            rests_on += f"; {case.group.nodes} servers are beyond them, so the band is widened"
    if not case.known:
        band = max(band, case.hardware.unknown_gpu.band)
        rests_on += "; nothing measured on this GPU generation"
    return ErrorBand(band, rests_on)
