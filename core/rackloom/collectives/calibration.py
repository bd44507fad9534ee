# SPDX-License-Identifier: Apache-2.0
"""Measured and published constants, from the calibration files that ship with the program.

Constants belong to a kind of hardware or to a library, never to one system. Efficiencies are
medians of measured rows that are in the file; the error band of an estimate is the spread of those
rows.
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from statistics import median
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml reads the same, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

PROTOCOLS = ("LL", "LL128", "Simple")
"""NCCL's protocols, in the order of every triple in the files."""

Triple = tuple[float | None, float | None, float | None]
CpuVendor = Literal["intel", "amd", "other"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LinkGeneration(_Frozen):
    """One link of a scale-up network: GB/s per direction, as sold and as libraries reckon."""

    generation: str
    link_gb_per_s: float
    vendor_link_gb_per_s: float
    source: str


class Measured(_Frozen):
    """A measured peak bus bandwidth, and what the plain rates would give."""

    system: str
    measured_gb_per_s: float
    reckoned_gb_per_s: float
    source: str
    kind: str = ""
    transport: str = ""
    servers: int = 1
    generation: str = ""
    """Of the scale-up links."""
    port_gbps: float | None = None
    """Of the NICs' ports."""

    @property
    def ratio(self) -> float:
        """Measured over reckoned."""
        return self.measured_gb_per_s / self.reckoned_gb_per_s


class MeasuredNvls(Measured):
    """A peak of an NVLS all-reduce in one domain.

    Every GPU sends its S once to be added up and S/n to be spread, so of b GB/s the algorithm
    bandwidth is b / (1 + 1/n); ``reckoned_gb_per_s`` is b.
    """

    ranks: int

    @property
    def ratio(self) -> float:
        """What part of the links' rate was used."""
        n = self.ranks
        algbw = self.measured_gb_per_s * n / (2 * (n - 1))
        return algbw * (1 + 1 / n) / self.reckoned_gb_per_s


class Efficiency(_Frozen):
    """What part of a plain rate remains; ``band``: farthest row from the median, as a fraction."""

    value: float
    band: float
    rows: int
    most_servers: int


class _Ratio(_Frozen):
    ratio: float
    source: str


class _Value(_Frozen):
    value: float
    source: str


class _Nodes(_Frozen):
    nodes: int
    source: str


class MeasuredBelow(Measured):
    """What NVLS reached below a size, and its peak (``reckoned_gb_per_s``)."""

    below_gib: float


class PipelineRow(_Frozen):
    """What filling a pipeline took on one system, of one generation of GPU, in microseconds."""

    architecture: str
    system: str
    us: float
    source: str


class Pipeline(_Frozen):
    """What filling the pipeline of chunks adds to messages of ``mib`` and more."""

    mib: float
    rows: tuple[PipelineRow, ...]

    def whole_us(self, architecture: str) -> float:
        """The median of a generation's rows; of all rows where it has none."""
        own = [row.us for row in self.rows if row.architecture == architecture]
        found = own or [row.us for row in self.rows]
        return median(found) if found else 0.0


class _Extra(_Frozen):
    hop_us: float
    keeps_order: bool
    source: str


class _BandFactor(_Frozen):
    band_factor: float
    source: str


class _Band(_Frozen):
    band: float
    source: str


class _Pcie(_Frozen):
    lane_gb_per_s: dict[int, float]
    efficiency: float
    gpu_efficiency: float
    intel_peer_factor: float
    source: str
    efficiency_source: str
    gpu_efficiency_source: str


class _Reference(_Frozen):
    switches: int
    switch_latency_ns: float
    cable_m: float
    source: str


class _Network(_Frozen):
    switch_latency_ns: dict[str, float]
    switch_latency_source: dict[str, str]
    cable_ns_per_m: float
    cable_source: str
    reference: _Reference

    @property
    def reference_ns(self) -> float:
        """One-way delay that the libraries' network latency stands for."""
        path = self.reference
        return path.switches * path.switch_latency_ns + path.cable_m * self.cable_ns_per_m


class Hardware(_Frozen):
    """Links, PCIe, networks."""

    sources: dict[str, str]
    scale_up: tuple[LinkGeneration, ...]
    scale_up_other: _Ratio
    scale_up_efficiency: tuple[Measured, ...]
    transport_efficiency: tuple[Measured, ...]
    nvls_efficiency: tuple[MeasuredNvls, ...]
    nvls_beyond_one_node: _Value
    nvls_below: tuple[MeasuredBelow, ...]
    all_to_all_efficiency: tuple[Measured, ...]
    all_to_all_local_counts_from_nodes: _Nodes
    transport_extra: dict[str, _Extra]
    least_band: _Band
    below_large: _Band
    beyond_measured: _BandFactor
    unknown_gpu: _Band
    unmeasured: _Band
    over_pcie: _Band
    pcie: _Pcie
    network: _Network

    def generation(self, name: str) -> LinkGeneration | None:
        """Constants of a scale-up generation by its name in the catalogue."""
        return next((g for g in self.scale_up if g.generation == name), None)

    @cached_property
    def _efficiencies(self) -> dict[str, Efficiency]:
        groups: dict[str, list[Measured]] = {}
        for row in (
            *self.scale_up_efficiency,
            *self.transport_efficiency,
            *self.nvls_efficiency,
            *self.all_to_all_efficiency,
        ):
            groups.setdefault(row.kind or row.transport, []).append(row)
        found = {}
        for name, rows in groups.items():
            value = median(row.ratio for row in rows)
            band = max(abs(row.ratio / value - 1) for row in rows)
            most = max(row.servers for row in rows)
            found[name] = Efficiency(value=value, band=band, rows=len(rows), most_servers=most)
        return found

    def efficiency(self, kind: str) -> Efficiency:
        """Efficiency of a kind of link (``nvlink``, ``xgmi``), transport (``infiniband``) or use.

        NVLS rows are of ``nvls NVLink 4`` and its like, those of an all-to-all inside a domain of
        ``nvlink all-to-all``. A kind without rows has the poorest of its family: of links, of
        all-to-alls, of transports.
        """
        found = self._efficiencies.get(kind)
        return found or min(self._family(kind), key=lambda e: e.value)

    def _family(self, kind: str) -> list[Efficiency]:
        rows: tuple[Measured, ...] = self.scale_up_efficiency
        if kind.endswith("all-to-all"):
            rows = self.all_to_all_efficiency
        elif kind.startswith("nvls "):
            rows = self.nvls_efficiency
        elif kind in {"infiniband", "ethernet"}:
            rows = self.transport_efficiency
        return [self._efficiencies[name] for name in {row.kind or row.transport for row in rows}]

    def nvls(self, generation: str, spans_rack: bool) -> Efficiency:
        """Efficiency of NVLS; generations without rows have the poorest of the known ones."""
        return self.efficiency(self.nvls_kind(generation, spans_rack))

    @staticmethod
    def nvls_kind(generation: str, spans_rack: bool) -> str:
        """What rows of NVLS on such links are called."""
        return f"nvls {generation}{' rack' if spans_rack else ''}"

    def has_rows(self, kind: str) -> bool:
        """Whether anything was measured of a kind; else it has what its family has."""
        return kind in self._efficiencies

    def nvls_small(self, generation: str, spans_rack: bool) -> tuple[float, float]:
        """A size in bytes, and what part of its bandwidth NVLS has below it.

        Generations without a row have the median of the others.
        """
        kind = self.nvls_kind(generation, spans_rack)
        rows = [row for row in self.nvls_below if row.kind == kind] or list(self.nvls_below)
        if not rows:
            return 0.0, 1.0
        return median(r.below_gib for r in rows) * 2**30, median(r.ratio for r in rows)

    def pcie_gb_per_s(self, generation: int | None, lanes: int | None) -> float | None:
        """Wire rate of a PCIe connection, one direction; None where the part does not say."""
        lane = self.pcie.lane_gb_per_s.get(generation or 0)
        return None if lane is None or lanes is None else lane * lanes


class Ring(_Frozen):
    """The ring's terms of a library's cost model."""

    base_us: Triple
    nvlink_us: Triple
    pcie_us: Triple
    network_us: Triple
    bandwidth_ratio: Triple


class Tree(_Frozen):
    """The double binary tree's terms of a library's cost model (all-reduce only)."""

    base_us: Triple
    nvlink_us: Triple
    pcie_us: Triple
    network_us: Triple
    one_server_ratio: Triple
    servers_ratio: Triple
    two_servers_ratio: Triple | None = None
    max_per_channel: dict[str, tuple[float, float, float]] = {}
    ll128_max_per_channel: dict[str, tuple[float, float, float]] = {}
    pipeline: Pipeline | None = None
    """Adds to LL128 and Simple, for each level of the tree."""
    size_correction: tuple[tuple[float, ...], ...]

    def ratio(self, nodes: int) -> Triple:
        """What part of the bus bandwidth each protocol gets."""
        if nodes == 1:
            return self.one_server_ratio
        if nodes == 2 and self.two_servers_ratio is not None:
            return self.two_servers_ratio
        return self.servers_ratio


class InNetwork(_Frozen):
    """Terms of an algorithm that reduces in switches, Simple only; fields in microseconds.

    ``corrected``: the generations of GPU whose NVLS trees the library corrects by size as it does
    its other trees, on hosts with an x86 processor.
    """

    inside_us: float
    network_us: float
    pipeline: Pipeline | None = None
    max_per_channel: dict[str, tuple[float, float]] = {}
    corrected: tuple[str, ...] = ()


class Pat(_Frozen):
    """Parallel aggregated trees (one GPU a node): base + log2(k) network / hop + rank n."""

    base_us: float
    network_us: float
    hop_divisor: float
    rank_us: float
    bandwidth_ratio: float


class Library(_Frozen):
    """A collective library's cost model."""

    source: str
    ring: Ring
    tree: Tree
    nvls: InNetwork | None = None
    nvls_tree: InNetwork | None = None
    collnet_direct: InNetwork | None = None
    collnet_chain: InNetwork | None = None
    pat: Pat | None = None
    post_overhead_us: dict[str, float]
    post_overhead_simple_factor: float
    pipelined_from_bytes: float
    channels_per_nic: int
    one_server_channels: int = 1
    least_bytes_per_channel: dict[str, float] = {}
    """By protocol: with fewer bytes for each channel (a ring with LL: and rank), the library takes
    fewer channels."""
    ll_max_one_server: dict[str, float]
    ll_max_servers: dict[str, tuple[float, float]]
    ll128_max_per_channel: dict[str, float]
    pipelined_latency_factor: dict[str, float]


class Row(_Frozen):
    """Which library, and which row of its tables."""

    library: str
    row: str


class Libraries(_Frozen):
    """All cost models, and which GPU uses which."""

    sources: dict[str, str]
    libraries: dict[str, Library]
    architectures: dict[str, Row]
    unknown_architecture: Row


@cache
def load_hardware() -> Hardware:
    """The hardware constants that ship with the program."""
    return Hardware.model_validate(_read("hardware.yaml"))


@cache
def load_libraries() -> Libraries:
    """The cost models that ship with the program."""
    return Libraries.model_validate(_read("libraries.yaml"))


def _read(name: str) -> object:
    text = (files("rackloom_resources") / "calibration" / name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=_Loader)
