# SPDX-License-Identifier: Apache-2.0
"""How a cable is plugged, without where: one Shape for all cables plugged alike.

A fabric of 50,000 cables has a dozen shapes, so rules that ask only what sits in what run a dozen
times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from rackloom.catalog.cages import BreakoutMode, Cage
from rackloom.catalog.parts import CablePart, PlugSpec, TransceiverPart
from rackloom.catalog.words import CableTechnology


@dataclass(frozen=True, slots=True)
class ShapeEnd:
    """One plugged end: the plug, the cage, and the transceiver between them, if any.

    The cage stands for all of its group, so it has no name of its own: see ``stand_in``.
    """

    end: int
    plug: PlugSpec
    cage: Cage
    mode: BreakoutMode
    mode_fixed: bool
    module: TransceiverPart | None
    socket: int


@dataclass(frozen=True)
class Shape:
    """A cable part and its plugged ends, trunk first."""

    part: CablePart
    ends: tuple[ShapeEnd, ...]
    link_count: int
    """Links that the cable carries as it is plugged."""
    cache: dict[str, tuple[ShapeHit, ...]] = field(default_factory=dict, compare=False)

    @cached_property
    def is_fibre(self) -> bool:
        """Passive fibre between transceivers."""
        return self.part.technology is CableTechnology.FIBRE

    @cached_property
    def reach(self) -> tuple[float, TransceiverPart] | None:
        """How far the weaker of the transceivers reaches on this fibre; None where no one says."""
        if self.part.fibre is None:
            return None
        kind = self.part.fibre.fibre_type
        known = [
            (reach_m, end.module)
            for end in self.ends
            if end.module is not None and (reach_m := end.module.reach_m.get(kind)) is not None
        ]
        return min(known, key=lambda pair: pair[0], default=None)

    @cached_property
    def least(self) -> tuple[float, TransceiverPart] | None:
        """The least length of fibre its transceivers want; None where they want none."""
        known = [
            (end.module.min_length_m, end.module)
            for end in self.ends
            if self.is_fibre and end.module is not None and end.module.min_length_m is not None
        ]
        return max(known, key=lambda pair: pair[0], default=None)

    @cached_property
    def most_m(self) -> float:
        """The length that neither cable nor transceivers allow to pass; infinite where unknown."""
        known = [self.part.max_length_m or inf, self.reach[0] if self.reach else inf]
        return min(known)

    @cached_property
    def least_m(self) -> float:
        """The least length; 0 where nothing asks for one."""
        return self.least[0] if self.least else 0.0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Positions of the ends that face each other: a trunk and its branches, or two sides."""
        position = {end.end: number for number, end in enumerate(self.ends)}
        for number, end in enumerate(self.ends):
            for far in self.part.far_ends(end.end):
                if far > end.end and far in position:
                    yield number, position[far]


@dataclass(frozen=True, slots=True)
class ShapeHit:
    """What a shape rule yields. In the text ``{c0}`` and ``{d0}`` stand for the cage and the device
    of the first plugged end, ``{p0}`` for both ("port 12 of leaf-01"), ``{cable}`` for the cable.
    """

    ends: tuple[int, ...]
    """Positions of the ends it is about."""
    text: str
    fix: str = ""
    """Name of a fix in ``shape_fixes``, or empty."""


def stand_in(cage: Cage, number: int) -> Cage:
    """A cage for a Shape: like its group, with a mark that becomes the name of the real one."""
    return replace(cage, name=f"{{c{number}}}", neighbour=None)


def cage_words(name: str) -> str:
    """A cage's name as it stands in a sentence: ``OSFP1``, but ``cage 12``."""
    return f"cage {name}" if name.isdigit() else name
