# SPDX-License-Identifier: Apache-2.0
"""Part types: one model a kind, each figure with its unit in its name.

``None`` in a figure means *unknown*: not zero, not a default. Anything that sums such figures has
to say how much of the sum is unknown.
"""

from functools import cached_property
from typing import Literal, NewType

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, model_validator

from rackloom.catalog.cages import Cage, CageGroup
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Inlet,
    Medium,
    PortCount,
    Protocol,
    ScaleUpKind,
    Shell,
    Side,
    Trust,
)

PartId = NewType("PartId", str)

U_MM = 44.45
"""Height of one rack unit (EIA-310)."""

Airflow = Literal["front-to-rear", "rear-to-front", "port-to-power", "power-to-port", "none"]


class Frozen(BaseModel):
    """Base of everything read from a catalogue file: immutable, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Part(Frozen):
    """Something one can order. ``sources`` are keys of the catalogue's source list."""

    id: PartId = Field(pattern=r"^[a-z0-9][a-z0-9.+\-]*$", max_length=80)
    manufacturer: str
    model: str
    part_number: str | None = None
    description: str = ""
    sources: tuple[str, ...] = ()
    trust: Trust = Trust.ESTIMATE
    estimates: tuple[str, ...] = ()
    """Fields whose figure is an estimate although the entry as a whole is better.

    ``cage_groups.storage`` means that group of cages only, ``all`` the whole entry.
    """
    notes: str = ""
    illustrative: bool = False
    """Stands for a kind of product of which none is public yet: to plan with, not to order."""

    def trust_of(self, field: str) -> Trust:
        """How far one figure can be trusted; ``cage_groups.storage`` asks for a part of a field."""
        listed = any(e in {field, "all"} or field.startswith(f"{e}.") for e in self.estimates)
        return Trust.ESTIMATE if listed else self.trust

    @property
    def title(self) -> str:
        """Maker and model, as one reads it in a list."""
        return f"{self.manufacturer} {self.model}"


class Psu(Frozen):
    """The power supplies of a device: ``needed`` of ``count`` carry it at full load."""

    count: PositiveInt
    needed: PositiveInt | None = None
    rated_w: PositiveFloat | None = None
    inlet: Inlet | None = None
    side: Side = Side.REAR

    @model_validator(mode="after")
    def _needed_fits(self) -> "Psu":
        if self.needed is not None and self.needed > self.count:
            raise ValueError(
                f"{self.needed} power supplies needed, but the device has {self.count}"
            )
        return self


class Slot(Frozen):
    """A PCIe slot that takes a NIC."""

    name: str
    pcie_gen: PositiveInt
    pcie_lanes: PositiveInt
    gpu: int | None = None
    rail: int | None = None
    holds: tuple[str, ...] = ()
    """Cages of the card that the entry has in it; another card put there takes their place."""


class DevicePart(Part):
    """What stands in a rack: outer measures, cages, power."""

    rack_units: float = Field(ge=0, le=60)
    """Height in U; 0 for what hangs beside the rails (0U PDUs)."""
    depth_mm: PositiveFloat | None = None
    half_depth: bool = False
    weight_kg: PositiveFloat | None = None
    airflow: Airflow | None = None
    inlet_max_c: PositiveFloat | None = None
    """Warmest air it may take in, in this direction of airflow."""
    liquid_share: float | None = Field(default=None, ge=0, le=1)
    """Share of its heat that goes into a liquid; None: not published, or cooled by air."""
    power_max_w: PositiveFloat | None = None
    """Greatest draw of the device as sold; for a switch without optics (they are summed apart)."""
    power_typical_w: PositiveFloat | None = None
    psu: Psu | None = None
    cage_groups: tuple[CageGroup, ...] = ()

    @cached_property
    def cages(self) -> tuple[Cage, ...]:
        """Every receptacle, in the order of the part's groups."""
        return tuple(cage for group in self.cage_groups for cage in group.expand())

    @cached_property
    def cage_by_name(self) -> dict[str, Cage]:
        """Cages by name; names are unique within a part."""
        return {cage.name: cage for cage in self.cages}

    @model_validator(mode="after")
    def _cage_names_unique(self) -> "DevicePart":
        names = [name for group in self.cage_groups for name in group.cage_names()]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two cages are named {twice!r}")
        return self


class Gpu(Frozen):
    """The accelerators inside a server."""

    model: str
    count: PositiveInt
    memory_gb: PositiveFloat | None = None
    tdp_w: PositiveFloat | None = None
    bf16_dense_tflops: PositiveFloat | None = None
    fp8_dense_tflops: PositiveFloat | None = None
    architecture: str | None = None
    """Name under which calibration data files know the generation (``hopper``, ``cdna3``)."""


class ScaleUp(Frozen):
    """The GPU-to-GPU network inside a server or rack."""

    kind: ScaleUpKind
    generation: str = ""
    bandwidth_gb_per_s: PositiveFloat
    """Per GPU and direction, as the vendor states it (half the bidirectional figure)."""
    links_per_gpu: PositiveInt | None = None
    domain_gpus: PositiveInt
    in_network_reduction: bool = False
    spans_rack: bool = False


class ServerPart(DevicePart):
    """A server: GPUs, NICs behind cages, what stands between them."""

    kind: Literal["server"] = "server"
    gpu: Gpu | None = None
    scale_up: ScaleUp | None = None
    pcie_gen: PositiveInt | None = None
    pcie_lanes_per_nic: PositiveInt | None = None
    gpu_direct_rdma: bool | None = None
    cpu_vendor: Literal["intel", "amd", "nvidia", "other"] | None = None
    slots: tuple[Slot, ...] = ()
    purpose: Literal["gpu", "cpu", "storage", "management"] = "cpu"
    airflow_cfm: PositiveFloat | None = None
    """Air that its fans move in usual work, in cubic feet a minute, as makers print it."""
    power_transient_ratio: PositiveFloat | None = None
    """Short peaks over the steady power."""

    @model_validator(mode="after")
    def _slots_hold_own_cages(self) -> "ServerPart":
        held = [cage for slot in self.slots for cage in slot.holds]
        if not held:
            return self
        own = {name for group in self.cage_groups for name in group.cage_names()}
        for cage in held:
            if cage not in own:
                raise ValueError(f"a slot holds cage {cage!r}, which there is not")
        if len(set(held)) < len(held):
            raise ValueError("two slots hold one cage")
        return self


class PipelineLimit(Frozen):
    """Every ``cages`` data cages, counted from the first, share at most ``ports_max`` ports."""

    cages: PositiveInt
    ports_max: PositiveInt


class SwitchPart(DevicePart):
    """A switch: one protocol, cages that split."""

    kind: Literal["switch"] = "switch"
    asic: str = ""
    protocol: Protocol
    capacity_tbps: PositiveFloat | None = None
    """Sum of port rates, one direction."""
    latency_ns: PositiveFloat | None = None
    logical_port_limit: PositiveInt | None = None
    pipeline_limit: PipelineLimit | None = None
    """How many logical ports the cages of one forwarding pipeline may make."""
    partitions: PositiveInt = 1
    """Independent switches in one box: its data cages in equal runs, no way from one to another."""
    power_max_with_optics_w: PositiveFloat | None = None
    in_network_reduction: bool = False

    @cached_property
    def data_cages(self) -> tuple[Cage, ...]:
        """The cages that traffic passes between, in order."""
        return tuple(cage for cage in self.cages if cage.role is CageRole.FABRIC)

    def partition_of(self, cage: str) -> int:
        """Number (from 0) of the independent switch a data cage belongs to; 0 for other cages."""
        return self._share_of(cage, len(self.data_cages) // self.partitions)

    def pipeline_of(self, cage: str) -> int | None:
        """Number (from 0) of a data cage's pipeline; None where pipelines limit nothing here."""
        limit = self.pipeline_limit
        if limit is None or cage not in self._order:
            return None
        return self._share_of(cage, limit.cages)

    @cached_property
    def _order(self) -> dict[str, int]:
        return {cage.name: number for number, cage in enumerate(self.data_cages)}

    def _share_of(self, cage: str, size: int) -> int:
        return self._order.get(cage, 0) // max(size, 1)

    @model_validator(mode="after")
    def _partitions_are_equal(self) -> "SwitchPart":
        groups = [g for g in self.cage_groups if g.role is CageRole.FABRIC]
        data = sum(len(group.cage_names()) for group in groups)
        if data % self.partitions:
            raise ValueError(f"{data} data cages do not divide into {self.partitions} switches")
        return self


class NicPart(Part):
    """A network card; it brings its cages to the server it sits in."""

    kind: Literal["nic"] = "nic"
    cage_groups: tuple[CageGroup, ...]
    protocols: frozenset[Protocol]
    pcie_gen: PositiveInt | None = None
    pcie_lanes: PositiveInt | None = None
    power_max_w: PositiveFloat | None = None
    power_typical_w: PositiveFloat | None = None
    card_format: str = ""

    @cached_property
    def cages(self) -> tuple[Cage, ...]:
        """The card's receptacles."""
        return tuple(cage for group in self.cage_groups for cage in group.expand())


class OutletGroup(Frozen):
    """Outlets of one kind on one leg of a PDU."""

    kind: Literal["C13", "C19", "C13/C19", "5-20R"]
    count: PositiveInt = Field(le=200)
    leg: Literal["L1", "L2", "L3"] | None = None
    """``None``: the sources do not say which leg, so legs of this PDU are not summed."""


class PduPart(DevicePart):
    """A rack PDU; ``rack_units`` is 0 for the vertical kind."""

    kind: Literal["pdu"] = "pdu"
    phases: Literal[1, 3] = 3
    voltage_v: PositiveFloat
    """Line-to-line."""
    current_a: PositiveFloat | None = None
    rated_kw: PositiveFloat
    input_plug: str = ""
    outlets: tuple[OutletGroup, ...]

    @cached_property
    def outlet_names(self) -> tuple[tuple[str, OutletGroup], ...]:
        """Every outlet, numbered per kind in the order of the groups: ``C19-1``, ``C13-12``."""
        counters: dict[str, int] = {}
        named: list[tuple[str, OutletGroup]] = []
        for group in self.outlets:
            for _ in range(group.count):
                counters[group.kind] = counters.get(group.kind, 0) + 1
                named.append((f"{group.kind}-{counters[group.kind]}", group))
        return tuple(named)

    @cached_property
    def outlet_by_name(self) -> dict[str, OutletGroup]:
        """The group of each outlet, by the outlet's name."""
        return dict(self.outlet_names)


class PlugSpec(Frozen):
    """One end of a cable: what it plugs into and how much it carries there."""

    form_factor: FormFactor
    shell: Shell | None = None
    port_count: PortCount | None = None
    rate_gbps: PositiveFloat | None = None
    lanes: PositiveInt | None = None
    power_w: float | None = None


class Stock(Frozen):
    """A length that can be ordered, and its part number where it is known."""

    length_m: PositiveFloat
    part_number: str | None = None


class FibreSpec(Frozen):
    """What decides whether two optics see each other through a cord."""

    fibre_type: Literal["OM3", "OM4", "OM5", "OS2"]
    fibres: PositiveInt
    polish: Literal["APC", "UPC", "APC/UPC"]
    polarity: str = ""
    pinned: bool | None = None
    loss_per_mate_db: PositiveFloat | None = None

    @property
    def medium(self) -> Medium:
        """Multimode or single-mode."""
        return Medium.SMF if self.fibre_type == "OS2" else Medium.MMF


class CablePart(Part):
    """A family of assemblies in several stocked lengths. End 0 is the trunk, 1..n the branches.

    A trunk cable with n connectors at each side lists the n of side A, then the n of side B;
    connector k of one side runs straight to connector k of the other.
    """

    kind: Literal["cable"] = "cable"
    technology: CableTechnology
    ends: tuple[PlugSpec, ...] = Field(min_length=2)
    connectors_per_side: PositiveInt = 1
    """More than 1 for a trunk cable with several connectors at each side."""
    lane_gbps: PositiveFloat | None = None
    stock: tuple[Stock, ...] = Field(min_length=1)
    max_length_m: PositiveFloat | None = None
    protocols: frozenset[Protocol] = frozenset()
    """Empty: carries any (passive fibre)."""
    fibre: FibreSpec | None = None
    diameter_mm: PositiveFloat | None = None
    bend_radius_mm: PositiveFloat | None = None
    kg_per_m: PositiveFloat | None = None
    delay_ns_per_m: PositiveFloat | None = None
    restricted_to: str = ""

    @cached_property
    def lengths_m(self) -> tuple[float, ...]:
        """Stocked lengths, ascending."""
        return tuple(sorted(s.length_m for s in self.stock))

    @property
    def branches(self) -> int:
        """Number of far ends of one: 1 for a straight or trunk cable, n for a 1:n breakout."""
        return 1 if self.connectors_per_side > 1 else len(self.ends) - 1

    def far_ends(self, end: int) -> range:
        """The ends that an end runs to: of a breakout, the trunk or all branches."""
        side = self.connectors_per_side
        if side > 1:
            far = end + side if end < side else end - side
            return range(far, far + 1)
        return range(1) if end else range(1, len(self.ends))

    def part_number_for(self, length_m: float) -> str | None:
        """The number to order this length by, where known."""
        for stock in self.stock:
            if abs(stock.length_m - length_m) < 1e-6:
                return stock.part_number or self.part_number
        return None

    def next_stocked_m(self, needed_m: float) -> float | None:
        """The shortest stocked length of at least ``needed_m``, or None where none is that long."""
        return next((m for m in self.lengths_m if m >= needed_m - 1e-9), None)

    @model_validator(mode="after")
    def _fibre_or_electrical(self) -> "CablePart":
        if (self.technology is CableTechnology.FIBRE) != (self.fibre is not None):
            raise ValueError("a fibre cable, and only a fibre cable, has a 'fibre' section")
        return self

    @model_validator(mode="after")
    def _trunk_has_two_sides(self) -> "CablePart":
        side = self.connectors_per_side
        if side > 1 and len(self.ends) != 2 * side:
            raise ValueError(
                f"{side} connectors at each side make {2 * side} ends, not {len(self.ends)}"
            )
        return self


class TransceiverPart(Part):
    """A pluggable optic. ``sockets`` fibre connectors share its lanes evenly."""

    kind: Literal["transceiver"] = "transceiver"
    form_factor: FormFactor
    shell: Shell | None = None
    port_count: PortCount | None = None
    rate_gbps: PositiveFloat
    lanes: PositiveInt
    lane_gbps: PositiveFloat
    optical_lanes: PositiveInt
    optical_lane_gbps: PositiveFloat
    optic_class: str
    """Wavelength plan and lane count at one socket: ``SR4``, ``DR4``, ``FR4``. Equal ends pair."""
    connector: FormFactor
    sockets: PositiveInt = 1
    medium: Medium
    polish: Literal["APC", "UPC"] | None = None
    pinned: bool | None = None
    reach_m: dict[str, PositiveFloat] = {}
    """Greatest length by fibre type."""
    wavelength_nm: PositiveFloat | None = None
    protocols: frozenset[Protocol]
    power_max_w: PositiveFloat | None = None
    power_typical_w: PositiveFloat | None = None
    channel_loss_db: PositiveFloat | None = None
    min_length_m: PositiveFloat | None = None
    fec: str = ""
    pairs_with: tuple[str, ...] = ()

    @property
    def plug(self) -> PlugSpec:
        """How the module sits in a cage."""
        return PlugSpec(
            form_factor=self.form_factor,
            shell=self.shell,
            port_count=self.port_count,
            rate_gbps=self.rate_gbps,
            lanes=self.lanes,
            power_w=self.power_max_w,
        )


class Backplane(Frozen):
    """What a rack brings to join the scale-up network of the devices in it: nothing to cable."""

    scale_up: ScaleUpKind
    generation: str = ""
    """Name under which the devices list it (``NVLink 5``); empty: any of the kind."""
    domain_gpus: PositiveInt
    """The most GPUs that one rack joins."""


class RackPart(Part):
    """A rack or cabinet."""

    kind: Literal["rack"] = "rack"
    rack_units: PositiveInt
    width_mm: PositiveFloat
    depth_mm: PositiveFloat
    height_mm: PositiveFloat | None = None
    mounting_depth_mm: PositiveFloat | None = None
    weight_kg: PositiveFloat | None = None
    static_load_kg: PositiveFloat | None = None
    dynamic_load_kg: PositiveFloat | None = None
    side_channels: bool = False
    """Wide enough (750 mm and more) for cable managers beside the rails."""
    busbar_v: PositiveFloat | None = None
    """Voltage of a DC busbar at the rear; None: the rack has none, or it is not known."""
    busbar_a: PositiveFloat | None = None
    """Current that the busbar may carry for good; None: not known."""
    backplane: Backplane | None = None
