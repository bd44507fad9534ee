# SPDX-License-Identifier: Apache-2.0
"""Parts of the room around servers and switches: panels, power shelves, accessories, kits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from rackloom.catalog.parts import (
    DevicePart,
    Frozen,
    Gpu,
    Part,
    PartId,
    ScaleUp,
)
from rackloom.catalog.words import Side


class PanelPass(Frozen):
    """Ports of a front group joined to ports of a rear group, by position.

    ``fronts_per_rear`` 1: couplers, each front port runs to the rear port of the same number.
    n: cassettes, rear port k fans out to front ports n·k to n·k+n-1, one pair each.
    """

    front: str
    """Name of the cage group at the front."""
    rear: str
    fronts_per_rear: PositiveInt = 1
    loss_db: PositiveFloat | None = None
    """Greatest insertion loss of one pass, its joints included."""
    polarity: Literal["A", "B", "C", ""] = ""
    """How it crosses the fibres; empty: straight through a coupler, or the maker's own map."""


@dataclass(frozen=True, slots=True)
class Passage:
    """From a port of a panel to another one: ``width`` pairs from ``near`` on come out at ``far``.

    ``width`` None: all of them.
    """

    cage: str
    near: int
    far: int
    width: int | None
    loss_db: float | None


class PanelPart(DevicePart):
    """A patch panel: fibre couplers, cassettes, or copper jacks. Cords plug straight into it."""

    kind: Literal["panel"] = "panel"
    passes: tuple[PanelPass, ...] = ()
    """Empty for a housing whose cassettes are ordered apart."""
    bays: PositiveInt | None = None
    """Places for cassettes or adapter panels."""

    @cached_property
    def passages(self) -> Mapping[str, tuple[Passage, ...]]:
        """From each port to the ports its fibres come out at."""
        groups = {group.group: group.cage_names() for group in self.cage_groups}
        found: dict[str, list[Passage]] = {}
        for step in self.passes:
            fan = step.fronts_per_rear
            width = None if fan == 1 else 1
            for number, front in enumerate(groups[step.front]):
                rear = groups[step.rear][number // fan]
                pair = number % fan
                found.setdefault(front, []).append(Passage(rear, 0, pair, width, step.loss_db))
                found.setdefault(rear, []).append(Passage(front, pair, 0, width, step.loss_db))
        return {cage: tuple(steps) for cage, steps in found.items()}

    @model_validator(mode="after")
    def _passes_join_groups(self) -> PanelPart:
        groups = {group.group: group for group in self.cage_groups}
        for step in self.passes:
            for name in (step.front, step.rear):
                if name not in groups:
                    raise ValueError(f"a pass names the cage group {name!r}, which is not there")
            front, rear = groups[step.front], groups[step.rear]
            fronts, rears = len(front.cage_names()), len(rear.cage_names())
            if fronts != rears * step.fronts_per_rear:
                raise ValueError(
                    f"{rears} rear ports with {step.fronts_per_rear} front ports each do not make "
                    f"the {fronts} ports of {step.front!r}"
                )
            if step.fronts_per_rear > rear.lanes:
                raise ValueError(
                    f"a rear port of {rear.lanes} pairs does not reach {step.fronts_per_rear} ports"
                )
        if any(not group.passive for group in self.cage_groups):
            raise ValueError("the cage groups of a panel are passive: write 'passive: true'")
        return self


class PowerShelfPart(DevicePart):
    """A shelf of rectifiers that feeds the busbar of the rack it stands in."""

    kind: Literal["power-shelf"] = "power-shelf"
    rated_kw: PositiveFloat
    """All rectifiers together; see ``rectifiers_needed``."""
    rectifier_w: PositiveFloat | None = None
    rectifiers: PositiveInt | None = None
    rectifiers_needed: PositiveInt | None = None
    """How many carry ``rated_kw``; None where the sources do not say."""
    output_v: PositiveFloat | None = None
    input_voltage_v: PositiveFloat | None = None
    """Greatest line-to-line voltage."""
    input_phases: Literal[1, 3] | None = None
    input_text: str = ""

    @property
    def rated_less_one_w(self) -> float | None:
        """What it gives with one rectifier lost; None where nobody published its rectifiers."""
        if self.rectifiers is None or self.rectifier_w is None:
            return None
        return min(self.rated_kw * 1000, (self.rectifiers - 1) * self.rectifier_w)


class AccessoryPart(DevicePart):
    """What fills rack units, or hangs beside them, without ports of its own."""

    kind: Literal["accessory"] = "accessory"
    purpose: Literal["blanking", "cable-manager", "cooling", "shelf", "other"]
    cooling_kw: PositiveFloat | None = None
    """Heat that a cooling unit takes."""


class ConsumablePart(Part):
    """What is ordered by the piece and never drawn: power cords, dust caps, cleaning pens."""

    kind: Literal["consumable"] = "consumable"
    purpose: Literal["power-cord", "dust-cap", "cleaning", "label", "other"]
    length_m: PositiveFloat | None = None
    connectors: tuple[str, ...] = ()
    """Of a cord: the device end, then the supply end (``C19``, ``C20``)."""


class GpuBoardPart(Part):
    """A GPU baseboard that server makers build in."""

    kind: Literal["gpu-board"] = "gpu-board"
    gpu_count: PositiveInt
    switch_chips: NonNegativeInt
    """Scale-up switches on the board; 0 for a mesh."""
    weight_kg: PositiveFloat | None = None
    links: str = ""
    nics: str = ""


class RackItem(Frozen):
    """Devices of one part in a kit: one at each of these lowest U."""

    part: PartId
    bottom_u: tuple[PositiveInt, ...] = Field(min_length=1)
    name: str = Field(default="{n}", pattern=r"^[^{}]*\{n\}[^{}]*$")
    """Pattern of the device names; ``{n}`` counts from 1, upwards."""
    face: Side = Side.FRONT


class RackSystemPart(Part):
    """A whole rack as sold: which rack, and what stands where in it.

    ``rack`` and ``items`` are empty where the contents are not public: it can be looked up, not
    placed.
    """

    kind: Literal["rack-system"] = "rack-system"
    rack: PartId | None = None
    items: tuple[RackItem, ...] = ()
    weight_kg: PositiveFloat | None = None
    """Loaded."""
    power_max_w: PositiveFloat | None = None
    power_typical_w: PositiveFloat | None = None
    power_transient_ratio: PositiveFloat | None = None
    """Short peaks over the steady power."""
    cooling: str = ""
    gpu: Gpu | None = None
    scale_up: ScaleUp | None = None

    @model_validator(mode="after")
    def _items_stand_in_a_rack(self) -> RackSystemPart:
        if bool(self.items) != (self.rack is not None):
            raise ValueError(
                "a rack system names both its 'rack' and the 'items' in it, or neither"
            )
        return self
