# SPDX-License-Identifier: Apache-2.0
"""A few parts and rooms that the placement tests build on; figures are round on purpose."""

from __future__ import annotations

from rackloom.catalog.cages import CageEntry, CageGroup, Layout, ModeSpec, PortEntry
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    OutletGroup,
    PartId,
    PduPart,
    PlugSpec,
    Psu,
    RackPart,
    ServerPart,
    Stock,
    SwitchPart,
)
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Inlet,
    PortCount,
    Protocol,
    Shell,
    Side,
)
from rackloom.design import Design, Draft
from rackloom.design.edits import add_device, add_rack, add_row
from rackloom.design.ids import DeviceId, RackId, RowId

INFINIBAND = frozenset({Protocol.INFINIBAND})


def rack(width_mm: float = 600, depth_mm: float = 1200, units: int = 42) -> RackPart:
    """A rack without a stated height: 42 U are 1866.9 mm, 50 below, 60 above."""
    return RackPart(
        id=PartId(f"rack-{units}u-{width_mm:g}"),
        manufacturer="Any",
        model=f"{units}U",
        rack_units=units,
        width_mm=width_mm,
        depth_mm=depth_mm,
    )


def twin_cages(
    columns: int, side: Side = Side.FRONT, rows: int = 2, x_mm: float = 20, pitch_mm: float = 24
) -> CageGroup:
    """Twin-port OSFP cages as a Quantum-2 switch has them, two rows high."""
    return CageGroup(
        group="data",
        form_factor=FormFactor.OSFP,
        shell=Shell.IHS,
        takes=PortCount.TWIN,
        rate_gbps=800,
        lanes=8,
        lane_gbps=100,
        protocols=INFINIBAND,
        role=CageRole.FABRIC,
        layout=Layout(
            side=side, rows=rows, columns=columns, x_mm=x_mm, y_mm=31, pitch_x_mm=pitch_mm
        ),
        count=columns * rows,
        modes=(
            ModeSpec(name="2x400", ports=2, rate_gbps=400, lanes_per_port=4),
            ModeSpec(name="4x200", ports=4, rate_gbps=200, lanes_per_port=2),
        ),
    )


def switch(columns: int = 16, units: float = 1, half_depth: bool = False) -> SwitchPart:
    """A switch of 1U with its ports in front and two C14 inlets behind."""
    return SwitchPart(
        id=PartId(f"switch-{columns}" + ("-half" if half_depth else "")),
        manufacturer="Any",
        model="Switch",
        rack_units=units,
        half_depth=half_depth,
        protocol=Protocol.INFINIBAND,
        psu=Psu(count=2, inlet=Inlet.C14),
        cage_groups=(twin_cages(columns),),
    )


def nic_cage(x_mm: float, name: str, rail: int) -> CageGroup:
    """One single-port 400G cage at the rear, 31 mm above the chassis' bottom."""
    return CageGroup(
        group=name,
        form_factor=FormFactor.OSFP,
        shell=Shell.RHS,
        takes=PortCount.SINGLE,
        rate_gbps=400,
        lanes=4,
        lane_gbps=100,
        protocols=INFINIBAND,
        role=CageRole.COMPUTE,
        layout=Layout(side=Side.REAR, columns=1, x_mm=x_mm, y_mm=31, pitch_x_mm=20),
        cages=(CageEntry(name=name, ports=(PortEntry(name=name, nic=name, rail=rail),)),),
        modes=(ModeSpec(name="1x400", ports=1, rate_gbps=400, lanes_per_port=4),),
    )


def server(units: float = 8) -> ServerPart:
    """A server with two NIC cages at its rear: 100 and 300 mm from the left as seen there."""
    return ServerPart(
        id=PartId(f"server-{units:g}u"),
        manufacturer="Any",
        model="Server",
        rack_units=units,
        purpose="gpu",
        psu=Psu(count=6, needed=4, inlet=Inlet.C20),
        cage_groups=(nic_cage(100, "nic0", 0), nic_cage(300, "nic1", 1)),
    )


def pdu() -> PduPart:
    """A vertical PDU: twelve C13, six C19, two of each on every leg."""
    legs = ("L1", "L2", "L3")
    return PduPart(
        id=PartId("pdu"),
        manufacturer="Any",
        model="PDU",
        rack_units=0,
        voltage_v=400,
        current_a=32,
        rated_kw=22,
        outlets=(
            *(OutletGroup(kind="C13", count=4, leg=leg) for leg in legs),
            *(OutletGroup(kind="C19", count=2, leg=leg) for leg in legs),
        ),
    )


class Room:
    """A design being furnished, with short words for it."""

    def __init__(self) -> None:
        self.draft = Draft(Design())

    def row(self, x_m: float = 0.0, y_m: float = 0.0) -> RowId:
        """A row at a place of the floor."""
        return add_row(self.draft, x_m=x_m, y_m=y_m)

    def rack(self, row: RowId, position_m: float, part: RackPart | None = None) -> RackId:
        """A rack in a row."""
        return add_rack(self.draft, part or rack(), row, position_m)

    def device(
        self,
        rack_id: RackId,
        part: DevicePart,
        bottom_u: int | None,
        face: Side = Side.FRONT,
        mount: str | None = None,
    ) -> DeviceId:
        """A device in a rack."""
        return add_device(self.draft, part, rack_id, bottom_u, face=face, mount=mount)

    def design(self) -> Design:
        """What stands there now; furnishing may go on."""
        design, _ = self.draft.close("furnish")
        self.draft = Draft(design)
        return design


def plug(shell: Shell, count: PortCount, rate_gbps: float, lanes: int) -> PlugSpec:
    """An OSFP plug."""
    return PlugSpec(
        form_factor=FormFactor.OSFP,
        shell=shell,
        port_count=count,
        rate_gbps=rate_gbps,
        lanes=lanes,
        power_w=0.1,
    )


def straight_dac(lengths_m: tuple[float, ...] = (0.5, 1, 1.5, 2)) -> CablePart:
    """Twin-port finned OSFP to the same, passive copper, 100G lanes."""
    twin = plug(Shell.IHS, PortCount.TWIN, 800, 8)
    return CablePart(
        id=PartId("dac-straight"),
        manufacturer="Any",
        model="DAC straight",
        technology=CableTechnology.DAC,
        ends=(twin, twin),
        lane_gbps=100,
        stock=tuple(Stock(length_m=m) for m in lengths_m),
        max_length_m=max(lengths_m),
        protocols=INFINIBAND,
    )


def breakout_dac(lengths_m: tuple[float, ...] = (1, 1.5, 2, 2.5, 3)) -> CablePart:
    """Twin-port finned OSFP to two flat single-port OSFP of 400G."""
    single = plug(Shell.RHS, PortCount.SINGLE, 400, 4)
    return CablePart(
        id=PartId("dac-breakout"),
        manufacturer="Any",
        model="DAC 1:2",
        technology=CableTechnology.DAC,
        ends=(plug(Shell.IHS, PortCount.TWIN, 800, 8), single, single),
        lane_gbps=100,
        stock=tuple(Stock(length_m=m) for m in lengths_m),
        max_length_m=max(lengths_m),
        protocols=INFINIBAND,
    )
