# SPDX-License-Identifier: Apache-2.0
"""Designs for tests: a small one that holds some of everything, and a big one for sizes.

Parts come from the bundled catalogue where it matters that they are real; the server is made here,
so that these tests do not depend on one vendor's entry.
"""

from __future__ import annotations

from functools import cache

from rackloom.catalog import Catalog, load_bundled
from rackloom.catalog.cages import CageEntry, CageGroup, Layout, ModeSpec, PortEntry
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    Gpu,
    NicPart,
    PartId,
    PduPart,
    Psu,
    RackPart,
    ScaleUp,
    ServerPart,
    Slot,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.words import (
    CageRole,
    FormFactor,
    Inlet,
    PortCount,
    Protocol,
    ScaleUpKind,
    Shell,
    Side,
)
from rackloom.design import Cable, CableEnd, Design, Device, Draft, Module, Rack, Row, edits
from rackloom.design.ids import CableId, DeviceId, ModuleId, RackId, RowId

GPUS_PER_SERVER = 8


@cache
def catalog() -> Catalog:
    """The catalogue that ships with the program."""
    return load_bundled()


@cache
def gpu_server() -> ServerPart:
    """8 GPUs, 8 single-port 400G OSFP cages N1 to N8 in rail order, one free slot, 10.2 kW."""
    nics = CageGroup(
        group="compute",
        form_factor=FormFactor.OSFP,
        shell=Shell.RHS,
        takes=PortCount.SINGLE,
        rate_gbps=400,
        lanes=4,
        lane_gbps=100,
        protocols=frozenset({Protocol.INFINIBAND, Protocol.ETHERNET}),
        role=CageRole.COMPUTE,
        layout=Layout(side=Side.REAR, columns=8, x_mm=40, y_mm=300, pitch_x_mm=50),
        cages=tuple(
            CageEntry(name=f"N{n}", ports=(PortEntry(name=f"N{n}", gpu=n - 1, rail=n - 1),))
            for n in range(1, GPUS_PER_SERVER + 1)
        ),
        modes=(ModeSpec(name="1x400", ports=1, rate_gbps=400, lanes_per_port=4),),
    )
    return ServerPart(
        id=PartId("test-server-8gpu"),
        manufacturer="Any",
        model="Server 8 GPU",
        part_number="SRV-8",
        description="8 GPUs, 8 NICs",
        rack_units=8,
        depth_mm=900,
        power_max_w=10_200,
        psu=Psu(count=6, needed=4, rated_w=3300, inlet=Inlet.C20),
        cage_groups=(nics,),
        gpu=Gpu(model="H100", count=GPUS_PER_SERVER, architecture="hopper"),
        scale_up=ScaleUp(
            kind=ScaleUpKind.NVLINK_SWITCHED,
            bandwidth_gb_per_s=450,
            domain_gpus=GPUS_PER_SERVER,
            in_network_reduction=True,
        ),
        pcie_gen=5,
        pcie_lanes_per_nic=16,
        gpu_direct_rdma=True,
        slots=(Slot(name="slot1", pcie_gen=5, pcie_lanes=16),),
        purpose="gpu",
    )


def leaf_part() -> SwitchPart:
    """A QM9700: 32 twin-port OSFP cages, 1 to 32."""
    part = catalog()[PartId("nvidia-qm9700")]
    assert isinstance(part, SwitchPart)
    return part


def small_design() -> Design:
    """Two servers and a leaf in rack 1, a spine and a PDU; DAC splitter, optics, cords, notes.

    Server gpu-01 hangs on the leaf by a 1:2 DAC (N1, N2), gpu-02 by optics and fibre (N1); the leaf
    reaches the spine by optics. Every table has something in it.
    """
    draft = Draft(Design())
    row = edits.add_row(draft)
    rack_part = catalog()[PartId("generic-48u-600")]
    assert isinstance(rack_part, RackPart)
    rack1 = edits.add_rack(draft, rack_part, row, 0.0)
    rack2 = edits.add_rack(draft, rack_part, row, 0.6)
    server1 = edits.add_device(draft, gpu_server(), rack1, 1)
    server2 = edits.add_device(draft, gpu_server(), rack1, 9)
    leaf = edits.add_device(
        draft, leaf_part(), rack1, 40, name="leaf-01", face=Side.REAR, role="leaf"
    )
    spine = edits.add_device(draft, leaf_part(), rack2, 40, name="spine-01", role="spine")
    pdu_part = catalog()[PartId("generic-415-60")]
    assert isinstance(pdu_part, PduPart)
    pdu = edits.add_device(draft, pdu_part, rack1, None)
    nic = catalog()[PartId("cx7-osfp-400")]
    assert isinstance(nic, NicPart)
    edits.set_card(draft, server1, "slot1", nic)
    _plug_cables(draft, server1, server2, leaf, spine)
    feed = edits.add_feed(draft, "A1", "A", 415.0, 60.0)
    edits.plug_cord(draft, pdu, 1, feed)
    edits.plug_cord(draft, server1, 1, pdu, "C19-1" if _has(pdu_part, "C19-1") else "C13-1")
    edits.change_settings(draft, project="Test hall", cross_trays_x_m=(0.0, 6.5))
    edits.add_note(draft, "mind the door", 1.5, 2.25, about=rack1)
    edits.accept_finding(draft, "power.no-b-feed", [server1], "abc", "lab only", "Ann")
    edits.set_severity(draft, "space.weight", "info")
    edits.set_mode(draft, leaf, "20", "4x200")
    design, _ = draft.close("Build")
    return design


def _has(part: PduPart, outlet: str) -> bool:
    return outlet in dict(part.outlet_names)


def _plug_cables(
    draft: Draft, server1: DeviceId, server2: DeviceId, leaf: DeviceId, spine: DeviceId
) -> None:
    splitter = catalog()[PartId("mcp7y00-n")]
    fibre = catalog()[PartId("mfp7e10")]
    twin = catalog()[PartId("mma4z00-ns")]
    single = catalog()[PartId("mma4z00-ns400")]
    assert isinstance(splitter, CablePart)
    assert isinstance(fibre, CablePart)
    assert isinstance(twin, TransceiverPart)
    assert isinstance(single, TransceiverPart)
    edits.plug_cable(
        draft,
        splitter,
        [CableEnd(0, leaf, "1"), CableEnd(1, server1, "N1"), CableEnd(2, server1, "N2")],
        2.0,
        label="=DANGER()",
        fabric="compute",
        colour="black",
    )
    for device, part, cage in (
        (leaf, twin, "2"),
        (server2, single, "N1"),
        (leaf, twin, "17"),
        (spine, twin, "1"),
    ):
        edits.insert_module(draft, part, device, cage)
    edits.plug_cable(draft, fibre, [CableEnd(0, leaf, "2"), CableEnd(1, server2, "N1")], 3.0)
    for socket in (0, 1):
        edits.plug_cable(
            draft,
            fibre,
            [CableEnd(0, leaf, "17", socket), CableEnd(1, spine, "1", socket)],
            5.0,
            length_fixed=socket == 1,
        )


def big_design(gpus: int) -> Design:
    """A three-tier fabric of optics and fibre with one link a GPU on every tier, for sizes.

    Valid in every reference and socket, but placed and routed without any thought.
    """
    servers = gpus // GPUS_PER_SERVER
    parts: dict[str, object] = {
        part.id: part
        for part in (
            gpu_server(),
            leaf_part(),
            *(catalog()[PartId(p)] for p in _BIG_PARTS),
        )
    }
    build = _Builder()
    server_ids = [build.device(gpu_server(), f"gpu-{n + 1:05d}", 4) for n in range(servers)]
    ports = [(device, f"N{n}", 0) for device in server_ids for n in range(1, GPUS_PER_SERVER + 1)]
    leaves = build.tier("leaf", -(-gpus // 32))
    spines = build.tier("spine", -(-gpus // 32))
    cores = build.tier("core", -(-gpus // 64))
    for lower, upper in ((ports, leaves[0]), (leaves[1], spines[0]), (spines[1], cores[2])):
        for a, b in zip(upper, lower, strict=False):
            build.fibre(a, b)
    row = Row(RowId("row1"), "Row 1")
    tables = {**build.tables, "rows": {row.id: row}, "parts": parts}
    return Design(tables)  # type: ignore[arg-type]


_BIG_PARTS = ("generic-48u-600", "mma4z00-ns", "mma4z00-ns400", "mfp7e10")
_Socket = tuple[DeviceId, str, int]


class _Builder:
    """Fills tables directly: an edit at a time would spend its time on names."""

    def __init__(self) -> None:
        self.number = 1
        self.racks: dict[str, Rack] = {}
        self.devices: dict[str, Device] = {}
        self.modules: dict[str, Module] = {}
        self.cables: dict[str, Cable] = {}
        self.modules_in: set[tuple[DeviceId, str]] = set()
        self.used = 0
        self.tables = {
            "racks": self.racks,
            "devices": self.devices,
            "modules": self.modules,
            "cables": self.cables,
        }

    def _id(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}{self.number}"

    def device(self, part: DevicePart, name: str, in_rack: int) -> DeviceId:
        """The next device from the bottom up, in a new rack after ``in_rack`` of its kind."""
        slot = self.used % in_rack
        if slot == 0:
            rack_id = RackId(self._id("r"))
            number = len(self.racks)
            rack = Rack(rack_id, f"R{number + 1:04d}", PartId("generic-48u-600"), RowId("row1"), 0)
            self.racks[rack_id] = Rack(rack.id, rack.name, rack.part, rack.row, number * 0.6)
        self.used += 1
        rack_id = RackId(next(reversed(self.racks)))
        device_id = DeviceId(self._id("d"))
        bottom_u = 1 + slot * int(part.rack_units)
        self.devices[device_id] = Device(device_id, name, part.id, rack_id, bottom_u)
        return device_id

    def tier(self, name: str, count: int) -> tuple[list[_Socket], list[_Socket], list[_Socket]]:
        """Switches; their lower, upper and all sockets."""
        self.used = 0
        ids = [self.device(leaf_part(), f"{name}-{n + 1:04d}", 32) for n in range(count)]
        self.used = 0
        down, up = (
            [(d, str(cage), socket) for d in ids for cage in cages for socket in (0, 1)]
            for cages in (range(1, 17), range(17, 33))
        )
        return down, up, down + up

    def fibre(self, a: _Socket, b: _Socket) -> None:
        """Optics at both ends, and a cord between."""
        for device, cage, _ in (a, b):
            if (device, cage) not in self.modules_in:
                self.modules_in.add((device, cage))
                part = "mma4z00-ns400" if cage.startswith("N") else "mma4z00-ns"
                module_id = ModuleId(self._id("m"))
                self.modules[module_id] = Module(module_id, PartId(part), device, cage)
        cable_id = CableId(self._id("c"))
        ends = (CableEnd(0, *a), CableEnd(1, *b))
        self.cables[cable_id] = Cable(cable_id, PartId("mfp7e10"), ends, 10.0)
