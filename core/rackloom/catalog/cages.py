# SPDX-License-Identifier: Apache-2.0
"""Cages and the logical ports in them.

A catalogue entry describes cages in groups (32 equal OSFP cages are one group); ``expand`` yields
one :class:`Cage` for each receptacle, with its place on the chassis.
"""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from rackloom.catalog.words import CageRole, FormFactor, PortCount, Protocol, Shell, Side


@dataclass(frozen=True, slots=True, eq=False)
class BreakoutMode:
    """How a cage's lanes divide into ports: ``2x400`` is two ports of four 100G lanes.

    Compared by identity, as cages are: a group makes each of its modes once.
    """

    name: str
    ports: int
    rate_gbps: float
    lanes_per_port: int
    disables_neighbour: bool = False
    protocols: frozenset[Protocol] = frozenset()
    """What its ports speak, where that is less than the cage does; empty: all of it."""


@dataclass(frozen=True, slots=True)
class PortSpec:
    """A logical interface of a cage in its default mode, and what stands behind it."""

    name: str
    nic: str | None = None
    gpu: int | None = None
    rail: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cage:
    """One receptacle; compared by identity, since a part makes each of its cages once.

    ``x_mm``/``y_mm``: its centre from the chassis' left and bottom, seen from ``side``."""

    name: str
    group: str
    form_factor: FormFactor
    shell: Shell | None
    takes: PortCount | None
    accepts: tuple[FormFactor, ...]
    rate_gbps: float
    lanes: int
    lane_gbps: float
    lane_rates_gbps: tuple[float, ...]
    protocols: frozenset[Protocol]
    role: CageRole
    side: Side
    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    modes: tuple[BreakoutMode, ...]
    ports: tuple[PortSpec, ...]
    module_power_max_w: float | None
    neighbour: str | None
    passive: bool = False
    """A panel's coupler or jack: it has no rate and no protocol of its own."""
    forced_rates_gbps: tuple[float, ...] = ()

    @property
    def default_mode(self) -> BreakoutMode:
        """The mode of a cage that nobody configured."""
        return self.modes[0]

    def mode(self, name: str) -> BreakoutMode | None:
        """A breakout mode by name, or None where the cage does not offer it."""
        return next((mode for mode in self.modes if mode.name == name), None)

    def port_name(self, mode: BreakoutMode, index: int) -> str:
        """Name of a logical port: the catalogue's in the default mode, else cage/number."""
        if mode is self.modes[0] and index < len(self.ports):
            return self.ports[index].name
        return self.name if mode.ports == 1 else f"{self.name}/{index + 1}"


CAGE_SIZE_MM: dict[FormFactor, tuple[float, float]] = {
    FormFactor.OSFP: (22.9, 13.0),
    FormFactor.OSFP_XD: (22.9, 18.0),
    FormFactor.QSFP_DD: (18.4, 8.5),
    FormFactor.QSFP112: (18.4, 8.5),
    FormFactor.QSFP56: (18.4, 8.5),
    FormFactor.QSFP28: (18.4, 8.5),
    FormFactor.SFP112: (13.4, 8.5),
    FormFactor.SFP56: (13.4, 8.5),
    FormFactor.SFP28: (13.4, 8.5),
    FormFactor.SFP_PLUS: (13.4, 8.5),
    FormFactor.RJ45: (11.7, 8.3),
    FormFactor.MPO_12: (12.4, 7.6),
    FormFactor.MPO_16: (12.4, 7.6),
    FormFactor.MMC_12: (8.3, 5.7),
    FormFactor.LC_DUPLEX: (13.0, 11.0),
    FormFactor.NVLINK_BACKPLANE: (40.0, 20.0),
}
"""Size of a receptacle as drawn: nominal widths and heights of the plug (MSA outlines, rounded)."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class ModeSpec(_Frozen):
    """A breakout mode as the catalogue writes it."""

    name: str
    ports: PositiveInt = Field(le=64)
    rate_gbps: NonNegativeFloat
    lanes_per_port: PositiveInt
    disables_neighbour: bool = False
    only: Literal["odd", "even"] | None = None
    """Offered by the first, third, ... (``odd``) or second, fourth, ... cages of the group only."""
    protocols: frozenset[Protocol] = frozenset()
    """What the mode's ports speak, where that is less than the cage does; empty: all of it."""

    def offered_by(self, index: int) -> bool:
        """Whether the group's cage of this index (from 0) has the mode."""
        return self.only is None or (self.only == "odd") == (index % 2 == 0)


class PortEntry(_Frozen):
    """A named logical port as the catalogue writes it."""

    name: str
    nic: str | None = None
    gpu: int | None = Field(default=None, ge=0)
    rail: int | None = Field(default=None, ge=0)


class CageEntry(_Frozen):
    """One cage of a group whose ports are not just numbered through."""

    name: str
    ports: tuple[PortEntry, ...] = ()


class Layout(_Frozen):
    """A grid of cages on one face, counted down its columns or along its rows."""

    side: Side
    rows: PositiveInt = 1
    columns: PositiveInt = 1
    x_mm: float
    """Centre of the first column, from the left edge seen from ``side``."""
    y_mm: float
    """Centre of the top row, from the chassis' bottom."""
    pitch_x_mm: PositiveFloat = 20.0
    pitch_y_mm: PositiveFloat = 20.0
    order: str = Field(default="columns", pattern="^(columns|rows)$")
    gap_every: PositiveInt | None = None
    gap_mm: float = 0.0


class CageGroup(_Frozen):
    """Equal cages on one face of a part."""

    group: str
    form_factor: FormFactor
    shell: Shell | None = None
    takes: PortCount | None = None
    """Which OSFP plugs the cage's firmware and wiring allow; None: either."""
    accepts: tuple[FormFactor, ...] = ()
    """Other plugs that work in it, at their own speed (a QSFP112 cage takes QSFP56)."""
    passive: bool = False
    """Couplers or jacks of a panel: ``rate_gbps``, ``protocols`` and ``role`` may be left out."""
    rate_gbps: NonNegativeFloat
    """0 for passive cages, and only for those."""
    lanes: PositiveInt
    """Of a passive cage: the pairs of its connector."""
    lane_gbps: NonNegativeFloat
    """May be left out of a file: rate divided by lanes."""
    lane_rates_gbps: tuple[float, ...] = ()
    """Other lane rates the cage can run at, besides ``lane_gbps``."""
    protocols: frozenset[Protocol]
    role: CageRole
    layout: Layout
    count: PositiveInt | None = Field(default=None, le=1024)
    name: str = "{n}"
    """Pattern of the cage names; ``{n}`` counts from ``first``."""
    first: int = 1
    port_name: str = "{cage}/{p}"
    """Pattern of the port names where a cage has several; ``{p}`` counts from 1."""
    cages: tuple[CageEntry, ...] = ()
    """Cages named one by one, instead of ``count``."""
    modes: tuple[ModeSpec, ...] = Field(min_length=1)
    """The default mode first. May be left out of a file: one port over all lanes."""
    module_power_max_w: PositiveFloat | None = None
    neighbour_pairs: bool = False
    """Cages 1+2, 3+4, ... are neighbours: the finest split of one switches the other off."""
    forced_rates_gbps: tuple[float, ...] = ()
    """Port rates at which it offers no auto-negotiation: speed and FEC are set by hand."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any) -> Any:
        """Spare files what follows from rate and lanes."""
        if not isinstance(data, dict):
            return data
        if data.get("passive") is True:
            data = {"rate_gbps": 0.0, "protocols": (), "role": CageRole.FABRIC, **data}
        rate, lanes = data.get("rate_gbps"), data.get("lanes")
        if not (isinstance(rate, int | float) and isinstance(lanes, int) and lanes > 0):
            return data  # the fields themselves are refused, with their names
        whole = {
            "name": f"1x{rate:g}" if rate else "passive",
            "ports": 1,
            "rate_gbps": rate,
            "lanes_per_port": lanes,
        }
        return {"lane_gbps": rate / lanes, "modes": [whole], **data}

    @model_validator(mode="after")
    def _default_mode_everywhere(self) -> "CageGroup":
        if self.modes[0].only is not None:
            raise ValueError(
                f"the default mode {self.modes[0].name!r} must be offered by all cages"
            )
        if self.count is None and not self.cages:
            raise ValueError(f"cage group {self.group!r} needs a 'count' or a list of 'cages'")
        rates = [self.rate_gbps, self.lane_gbps, *(mode.rate_gbps for mode in self.modes)]
        if any((rate > 0) == self.passive for rate in rates):
            raise ValueError("a rate is more than 0, except in a passive cage, which has none")
        return self

    def cage_names(self) -> list[str]:
        """Names of the group's cages, without building them."""
        if self.cages:
            return [entry.name for entry in self.cages]
        return [self.name.replace("{n}", str(self.first + i)) for i in range(self.count or 0)]

    def expand(self) -> list[Cage]:
        """One :class:`Cage` for each receptacle, placed on the chassis."""
        everywhere = [
            BreakoutMode(
                m.name, m.ports, m.rate_gbps, m.lanes_per_port, m.disables_neighbour, m.protocols
            )
            for m in self.modes
        ]
        parities = tuple(
            tuple(b for b, m in zip(everywhere, self.modes, strict=True) if m.offered_by(parity))
            for parity in (0, 1)
        )
        entries = self.cages or tuple(CageEntry(name=name) for name in self.cage_names())
        width_mm, height_mm = CAGE_SIZE_MM[self.form_factor]
        cages = []
        for index, entry in enumerate(entries):
            x_mm, y_mm = self._place(index)
            modes = parities[index % 2]
            cages.append(
                Cage(
                    name=entry.name,
                    group=self.group,
                    form_factor=self.form_factor,
                    shell=self.shell,
                    takes=self.takes,
                    accepts=self.accepts,
                    rate_gbps=self.rate_gbps,
                    lanes=self.lanes,
                    lane_gbps=self.lane_gbps,
                    lane_rates_gbps=tuple(sorted({self.lane_gbps, *self.lane_rates_gbps})),
                    protocols=self.protocols,
                    role=self.role,
                    side=self.layout.side,
                    x_mm=x_mm,
                    y_mm=y_mm,
                    width_mm=width_mm,
                    height_mm=height_mm,
                    modes=modes,
                    ports=self._ports(entry, modes[0]),
                    module_power_max_w=self.module_power_max_w,
                    neighbour=self._neighbour(entries, index),
                    passive=self.passive,
                    forced_rates_gbps=self.forced_rates_gbps,
                )
            )
        return cages

    def _place(self, index: int) -> tuple[float, float]:
        grid = self.layout
        if grid.order == "columns":
            column, row = divmod(index, grid.rows)
        else:
            row, column = divmod(index, grid.columns)
        gaps = column // grid.gap_every if grid.gap_every else 0
        x_mm = grid.x_mm + column * grid.pitch_x_mm + gaps * grid.gap_mm
        return x_mm, grid.y_mm - row * grid.pitch_y_mm

    def _ports(self, entry: CageEntry, mode: BreakoutMode) -> tuple[PortSpec, ...]:
        if entry.ports:
            return tuple(PortSpec(p.name, p.nic, p.gpu, p.rail) for p in entry.ports)
        if mode.ports == 1:
            return (PortSpec(entry.name),)
        pattern = self.port_name.replace("{cage}", entry.name)
        return tuple(PortSpec(pattern.replace("{p}", str(p + 1))) for p in range(mode.ports))

    def _neighbour(self, entries: tuple[CageEntry, ...], index: int) -> str | None:
        if not self.neighbour_pairs:
            return None
        other = index ^ 1
        return entries[other].name if other < len(entries) else None
