# SPDX-License-Identifier: Apache-2.0
"""Networks for tests of fabric and collectives: plain parts, wired port by port or as fat trees.

Tables are filled directly, so that a fabric of 16,384 GPUs takes a second.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

from rackloom.catalog.cages import CageEntry, CageGroup, Layout, ModeSpec, PortEntry
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    Gpu,
    Part,
    PartId,
    PlugSpec,
    RackPart,
    ScaleUp,
    ServerPart,
    Stock,
    SwitchPart,
)
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Protocol,
    ScaleUpKind,
    Side,
)
from rackloom.design import Cable, CableEnd, Design, Device, Rack, Row
from rackloom.design.ids import CableId, DeviceId, RackId, RowId

BOTH = frozenset({Protocol.INFINIBAND, Protocol.ETHERNET})


def _group(
    group: str,
    rate_gbps: float,
    role: CageRole,
    count: int = 0,
    cages: tuple[CageEntry, ...] = (),
) -> CageGroup:
    return CageGroup(
        group=group,
        form_factor=FormFactor.QSFP112,
        rate_gbps=rate_gbps,
        lanes=4,
        lane_gbps=rate_gbps / 4,
        protocols=BOTH,
        role=role,
        layout=Layout(side=Side.REAR, columns=64, x_mm=5, y_mm=20, pitch_x_mm=6),
        count=count or None,
        cages=cages,
        modes=(ModeSpec(name="whole", ports=1, rate_gbps=rate_gbps, lanes_per_port=4),),
    )


@cache
def server_part(
    gpus: int = 8,
    nics: int | None = None,
    nic_gbps: float = 400,
    scale_up_gb_per_s: float | None = 450,
    kind: ScaleUpKind = ScaleUpKind.NVLINK_SWITCHED,
    generation: str = "NVLink 4",
    links_per_gpu: int | None = 18,
    architecture: str | None = "hopper",
    pcie_gen: int | None = 5,
    ports_per_nic: int = 1,
    nvls: bool = False,
    cpu_vendor: Literal["intel", "amd"] = "intel",
) -> ServerPart:
    """A GPU server with ``nics`` adapters (one a GPU unless told), NIC n on cages ``n`` or ``n.p``.

    Adapters are dealt to GPUs in order; each adapter's rail is its number.
    """
    nics = gpus if nics is None else nics
    cages = tuple(
        CageEntry(
            name=f"{n}" if ports_per_nic == 1 else f"{n}.{p}",
            ports=(
                PortEntry(
                    name=f"{n}.{p}",
                    nic=f"nic{n}",
                    gpu=n * gpus // nics if gpus else None,
                    rail=n,
                ),
            ),
        )
        for n in range(nics)
        for p in range(ports_per_nic)
    )
    groups = [_group("bmc", 1, CageRole.OUT_OF_BAND, cages=(CageEntry(name="BMC"),))]
    if cages:
        groups.append(_group("compute", nic_gbps, CageRole.COMPUTE, cages=cages))
    return ServerPart(
        id=PartId(
            f"server-{gpus}g-{nics}x{ports_per_nic}x{nic_gbps:g}-{scale_up_gb_per_s}-{kind.name}"
            f"-{generation}-{architecture}-{pcie_gen}".lower()
            .replace(" ", "")
            .replace("_", "")
        ),
        manufacturer="Any",
        model="GPU server",
        rack_units=1,
        cage_groups=tuple(groups),
        gpu=Gpu(model="any", count=gpus, architecture=architecture) if gpus else None,
        scale_up=ScaleUp(
            kind=kind,
            generation=generation,
            bandwidth_gb_per_s=scale_up_gb_per_s,
            links_per_gpu=links_per_gpu,
            domain_gpus=gpus,
            in_network_reduction=nvls,
        )
        if gpus and scale_up_gb_per_s
        else None,
        pcie_gen=pcie_gen,
        pcie_lanes_per_nic=16 if pcie_gen else None,
        gpu_direct_rdma=True,
        cpu_vendor=cpu_vendor,
        purpose="gpu" if gpus else "cpu",
    )


@cache
def switch_part(
    ports: int = 64,
    gbps: float = 400,
    protocol: Protocol = Protocol.INFINIBAND,
    latency_ns: float | None = None,
    slow_ports: int = 0,
) -> SwitchPart:
    """A switch with ports 1 to n, a management port MGMT, and slow ones of 100G from n + 1 on."""
    return SwitchPart(
        id=PartId(f"switch-{ports}x{gbps:g}-{protocol.value}-{latency_ns or 0:g}-{slow_ports}"),
        manufacturer="Any",
        model=f"Switch {ports}",
        rack_units=1,
        protocol=protocol,
        latency_ns=latency_ns,
        cage_groups=(
            _group("data", gbps, CageRole.FABRIC, count=ports),
            _group("management", 1, CageRole.OUT_OF_BAND, cages=(CageEntry(name="MGMT"),)),
            *([_slow_group(ports, slow_ports)] if slow_ports else []),
        ),
    )


def _slow_group(after: int, count: int) -> CageGroup:
    cages = tuple(CageEntry(name=f"{after + 1 + n}") for n in range(count))
    return _group("slow", 100, CageRole.FABRIC, cages=cages)


@cache
def cable_part() -> CablePart:
    """Straight copper, one link, 4.5 ns/m."""
    return CablePart(
        id=PartId("dac"),
        manufacturer="Any",
        model="DAC",
        technology=CableTechnology.DAC,
        ends=(PlugSpec(form_factor=FormFactor.QSFP112, lanes=4),) * 2,
        stock=(Stock(length_m=2),),
        delay_ns_per_m=4.5,
    )


@cache
def rack_part() -> RackPart:
    """A rack with room for all that tests put into it."""
    return RackPart(
        id=PartId("rack"),
        manufacturer="Any",
        model="Rack",
        rack_units=48,
        width_mm=600,
        depth_mm=1200,
    )


class Cluster:
    """A design in the making. Cages of a switch are taken in order unless named."""

    def __init__(self) -> None:
        self.devices: dict[DeviceId, Device] = {}
        self.racks: dict[RackId, Rack] = {}
        self.cables: dict[CableId, Cable] = {}
        self.parts: dict[PartId, Part] = {}
        self._free: dict[DeviceId, int] = {}
        self._number = 0
        self._units = 48
        for part in (rack_part(), cable_part()):
            self.parts[part.id] = part

    def device(
        self,
        part: DevicePart,
        name: str,
        role: str | None = None,
        fabric: str | None = None,
        pod: str | None = None,
    ) -> DeviceId:
        """A device in the next free U."""
        if self._units >= 48:
            self._units = 0
            rack = RackId(f"r{len(self.racks) + 1}")
            self.racks[rack] = Rack(rack, str(rack), rack_part().id, RowId("row1"), len(self.racks))
        self._number += 1
        self._units += 1
        device_id = DeviceId(f"d{self._number}")
        self.parts[part.id] = part
        self.devices[device_id] = Device(
            device_id,
            name,
            part.id,
            next(reversed(self.racks)),
            self._units,
            role=role,
            fabric=fabric,
            pod=pod,
        )
        return device_id

    def new_rack(self) -> None:
        """The next device starts another rack."""
        self._units = 48

    def port(self, device: DeviceId) -> str:
        """The next free cage of a switch."""
        self._free[device] = self._free.get(device, 0) + 1
        return str(self._free[device])

    def link(
        self,
        a: DeviceId,
        b: DeviceId,
        a_cage: str | None = None,
        b_cage: str | None = None,
        length_m: float = 2.0,
        fabric: str | None = None,
    ) -> CableId:
        """One cable with one link."""
        cable = CableId(f"c{len(self.cables) + 1}")
        ends = (CableEnd(0, a, a_cage or self.port(a)), CableEnd(1, b, b_cage or self.port(b)))
        self.cables[cable] = Cable(cable, cable_part().id, ends, length_m, fabric=fabric)
        return cable

    def links(self, a: DeviceId, b: DeviceId, count: int) -> list[CableId]:
        """Parallel cables between two switches."""
        return [self.link(a, b) for _ in range(count)]

    def design(self) -> Design:
        """What was built so far."""
        row = Row(RowId("row1"), "Row 1")
        tables = {
            "rows": {row.id: row},
            "racks": dict(self.racks),
            "devices": dict(self.devices),
            "cables": dict(self.cables),
            "parts": dict(self.parts),
        }
        return Design(tables)  # type: ignore[arg-type]


def star(servers: int, part: ServerPart | None = None, switch: SwitchPart | None = None) -> Cluster:
    """Servers on one switch per adapter port plane: everything one hop away."""
    part = part or server_part()
    cluster = Cluster()
    leaf = cluster.device(switch or switch_part(512), "leaf-01")
    for n in range(servers):
        server = cluster.device(part, f"gpu-{n + 1:03d}")
        for cage in _compute_cages(part):
            cluster.link(server, leaf, a_cage=cage)
    return cluster


def _compute_cages(part: ServerPart) -> list[str]:
    return [c.name for c in part.cages if c.role is CageRole.COMPUTE]


def rail_pods(
    pods: int,
    servers_per_pod: int,
    uplinks_per_leaf: int,
    spines: int | None = None,
    part: ServerPart | None = None,
    switch: SwitchPart | None = None,
) -> Cluster:
    """Two tiers: one leaf a rail in each pod, uplinks dealt evenly over the spines.

    ``uplinks_per_leaf`` against ``servers_per_pod`` is the oversubscription.
    """
    part, switch = part or server_part(), switch or switch_part(512)
    cluster = Cluster()
    cages = _compute_cages(part)
    leaves = {
        (pod, cage): cluster.device(switch, f"leaf-{pod + 1:02d}-{cage}")
        for pod in range(pods)
        for cage in cages
    }
    tops = [
        cluster.device(switch, f"spine-{n + 1:02d}")
        for n in range(uplinks_per_leaf if spines is None else spines)
    ]
    for pod in range(pods):
        for n in range(servers_per_pod):
            server = cluster.device(part, f"gpu-{pod + 1:02d}-{n + 1:03d}", pod=f"pod-{pod + 1}")
            for cage in cages:
                cluster.link(server, leaves[pod, cage], a_cage=cage)
    for leaf in leaves.values():
        for n in range(uplinks_per_leaf):
            cluster.link(leaf, tops[n % len(tops)], length_m=20)
    return cluster


def three_tiers(
    gpus: int, radix: int = 64, part: ServerPart | None = None, gbps: float = 400
) -> Cluster:
    """A full three-tier fat tree, rail-aligned: pods of radix/2 leaves and radix/2 spines.

    Each pod holds radix²/4 GPUs; spine j of every pod reaches the cores of plane j.
    """
    part = part or server_part()
    switch = switch_part(radix, gbps)
    half = radix // 2
    cages = _compute_cages(part)
    per_pod = half * half // len(cages)
    pods = -(-gpus // (half * half))
    cluster = Cluster()
    cores_per_plane = max(1, -(-pods * half // radix))
    planes = [
        [cluster.device(switch, f"core-{j + 1:02d}-{n + 1:02d}") for n in range(cores_per_plane)]
        for j in range(half)
    ]
    servers = gpus // len(cages)
    for pod in range(pods):
        leaves = [cluster.device(switch, f"leaf-{pod + 1:03d}-{n + 1:02d}") for n in range(half)]
        spines = [cluster.device(switch, f"spine-{pod + 1:03d}-{n + 1:02d}") for n in range(half)]
        rails = len(cages)
        for n in range(min(per_pod, servers - pod * per_pod)):
            server = cluster.device(part, f"gpu-{pod * per_pod + n + 1:05d}", pod=f"pod-{pod + 1}")
            for rail, cage in enumerate(cages):
                cluster.link(server, leaves[n // half * rails + rail], a_cage=cage)
        for leaf in leaves:
            for spine in spines:
                cluster.link(leaf, spine, length_m=10)
        for j, spine in enumerate(spines):
            for n in range(half):
                cluster.link(spine, planes[j][n % cores_per_plane], length_m=30)
    return cluster


def with_part_of(cluster: Cluster, device: DeviceId, part: DevicePart) -> None:
    """Make a device another part."""
    cluster.parts[part.id] = part
    cluster.devices[device] = replace(cluster.devices[device], part=part.id)
