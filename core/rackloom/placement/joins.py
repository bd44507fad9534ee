# SPDX-License-Identifier: Apache-2.0
"""Which parts can join two cages at all, whatever the distance: cables, or optics with a cord.

Worked out once for each pair of *kinds* of cage (all 32 cages of a switch are one kind) and
remembered, since a drag asks it for thousands of ports and rail wiring for a hundred thousand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import Lock

from rackloom.catalog.cages import Cage
from rackloom.catalog.fit import (
    Misfit,
    cable_misfits,
    cord_misfit,
    ends_lane_rate_misfit,
    optic_pair_misfit,
    transceiver_misfits,
)
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import CablePart, Part, PartId, TransceiverPart
from rackloom.catalog.words import CableTechnology, FormFactor, Medium, Protocol
from rackloom.design.value import Design
from rackloom.placement.lanes import Agreed, agree, direct_lanes, optical_lanes

TECHNOLOGY_ORDER: dict[CableTechnology, int] = {
    technology: rank
    for rank, technology in enumerate(
        (
            CableTechnology.TWISTED_PAIR,
            CableTechnology.DAC,
            CableTechnology.ACC,
            CableTechnology.AEC,
            CableTechnology.AOC,
            CableTechnology.FIBRE,
        )
    )
}
"""From what usually costs least to what costs most. The catalogue knows no prices."""

FIBRE_CAGES = frozenset(
    {FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX}
)
"""Cages that are fibre connectors themselves: the optics are inside the switch."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Cages that take the same plugs; ``cage`` stands for all of them. Compared by identity."""

    cage: Cage
    maker: str
    model: str

    @property
    def stands_for_many(self) -> bool:
        """Whether this is what all cages of the kind share, not one cage under its own name."""
        return self.cage.name == THIS_PORT


THIS_PORT = "this port"
"""What a cage is called in a sentence that is said of many."""

_KINDS: dict[tuple[object, ...], Kind] = {}
_LOCK = Lock()


@lru_cache(maxsize=1 << 17)
def kind_of(cage: Cage, maker: str, model: str) -> Kind:
    """The kind of a cage of a device by this maker, of this model."""
    key = (
        *(cage.form_factor, cage.shell, cage.takes, cage.accepts, cage.rate_gbps, cage.lanes),
        *(cage.lane_gbps, cage.lane_rates_gbps, cage.protocols, cage.modes),
        *(cage.role, cage.module_power_max_w, maker, model),
    )
    with _LOCK:
        return _KINDS.setdefault(key, Kind(replace(cage, name=THIS_PORT), maker, model))


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """One way to join two kinds of cage. ``a_end``/``b_end``: which end of the cable goes where."""

    part: CablePart
    a_end: int
    b_end: int
    a_module: TransceiverPart | None
    b_module: TransceiverPart | None
    link: Agreed
    reach_m: float
    """What the optics and the cable allow, or the longest stocked length."""
    least_m: float
    rank: tuple[int, ...]

    @property
    def rate_gbps(self) -> float:
        """Of one link over it."""
        return self.link.rate_gbps

    @property
    def technology(self) -> CableTechnology:
        """How the signal travels."""
        return self.part.technology

    def length_m(self, needed_m: float) -> float | None:
        """The next stocked length that does for a route; None where none does."""
        stocked_m = self.part.next_stocked_m(max(needed_m, self.least_m))
        return None if stocked_m is None or stocked_m > self.reach_m + 1e-9 else stocked_m


class JoinSet:
    """All ways to join two kinds of cage, the best first."""

    def __init__(self, joins: Iterable[Join]) -> None:
        self.joins = tuple(sorted(joins, key=lambda join: join.rank))

    @cached_property
    def best(self) -> tuple[Join, ...]:
        """The joins that carry a link as fast as any of them does."""
        top = max((join.rate_gbps for join in self.joins), default=0.0)
        return tuple(join for join in self.joins if join.rate_gbps >= top - 1e-6)

    @cached_property
    def _menu(self) -> tuple[list[float], list[tuple[Join, float]]]:
        """Up to which needed length which join of full rate is the best, and in which length.

        The choice changes at stocked lengths only, so a table answers for any length.
        """
        steps = sorted({m for join in self.best for m in join.part.lengths_m})
        breaks: list[float] = []
        choices: list[tuple[Join, float]] = []
        for step_m in steps:
            offers = [
                ((*join.rank[:4], length_m, *join.rank[4:]), join, length_m)
                for join in self.best
                if (length_m := join.length_m(step_m)) is not None
            ]
            if offers:
                breaks.append(step_m)
                choices.append(min(offers, key=lambda offer: offer[0])[1:])
        return breaks, choices

    def for_length(self, needed_m: float) -> tuple[Join, float] | None:
        """The best join that is stocked long enough, and the length; None where none is."""
        breaks, choices = self._menu
        place = bisect_left(breaks, needed_m - 1e-9)
        return choices[place] if place < len(choices) else None

    @cached_property
    def longest(self) -> Join | None:
        """The join of full rate that goes farthest."""
        return max(self.best, key=lambda join: join.reach_m, default=None)

    def of(
        self, technology: CableTechnology | None = None, part: CablePart | None = None
    ) -> JoinSet:
        """Those of one technology or part only; slower ones too, as somebody asked for them."""
        if technology is None and part is None:
            return self
        return JoinSet(
            join
            for join in self.joins
            if (technology is None or join.technology is technology)
            and (part is None or join.part.id == part.id)
        )


class Joiner:
    """What a set of parts can join. Parts are told apart by their id."""

    def __init__(self, parts: Iterable[Part]) -> None:
        parts = list(parts)
        cables = [part for part in parts if isinstance(part, CablePart)]
        self.direct = [c for c in cables if c.technology is not CableTechnology.FIBRE]
        self.cords = [c for c in cables if c.technology is CableTechnology.FIBRE]
        self.modules = [part for part in parts if isinstance(part, TransceiverPart)]
        self._order = {part.id: n for n, part in enumerate(parts)}
        self._ends: dict[tuple[Kind, PartId, int], tuple[Misfit, ...]] = {}
        self._fitting: dict[Kind, tuple[TransceiverPart, ...]] = {}
        self._cord_ends: dict[PartId, dict[PartId, tuple[int, ...]]] = {}
        self._pairs: dict[tuple[PartId, PartId, int], Misfit | None] = {}
        self.reasons: dict[tuple[object, ...], str] = {}
        """Sentences about kinds of cage that nothing joins, for :mod:`.misses` to look up."""
        self._sets: dict[tuple[Kind, PartId | None, Kind, PartId | None], JoinSet] = {}

    def between(
        self,
        a: Kind,
        b: Kind,
        a_module: TransceiverPart | None = None,
        b_module: TransceiverPart | None = None,
    ) -> JoinSet:
        """The ways to join two kinds of cage, given the transceivers that already sit in them."""
        key = (a, a_module.id if a_module else None, b, b_module.id if b_module else None)
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = JoinSet(self._all(a, b, a_module, b_module))
        return found

    def _all(
        self, a: Kind, b: Kind, a_module: TransceiverPart | None, b_module: TransceiverPart | None
    ) -> Iterator[Join]:
        if not _common(a.cage.protocols, b.cage.protocols):
            return
        if a_module is None and b_module is None:
            yield from self._direct(a, b)
        for at_a in self.lights_for(a, a_module):
            for at_b in self.lights_for(b, b_module):
                yield from self._optical(a, at_a, b, at_b)

    def lights_for(
        self, kind: Kind, module: TransceiverPart | None
    ) -> tuple[TransceiverPart | None, ...]:
        """What a fibre at a cage may see: the module in it, one that fits, or (None) a coupler."""
        if module is not None:
            return (module,)
        return (None,) if kind.cage.passive else self.modules_for(kind)

    # Cables with plugs on them

    def end_misfits(self, kind: Kind, cable: CablePart, end: int) -> tuple[Misfit, ...]:
        """What speaks against one end of a cable in a kind of cage."""
        if not kind.stands_for_many:
            return cable_misfits(kind.cage, cable, end, owner=kind.model)
        key = (kind, cable.id, end)
        found = self._ends.get(key)
        if found is None:
            found = cable_misfits(kind.cage, cable, end, owner=kind.model)
            self._ends[key] = found
        return found

    def _direct(self, a: Kind, b: Kind) -> Iterator[Join]:
        for cable in self.direct:
            for a_end, b_end in end_pairs(cable):
                if self.end_misfits(a, cable, a_end) or self.end_misfits(b, cable, b_end):
                    continue
                if ends_lane_rate_misfit(a.cage, b.cage, cable=cable):
                    continue
                if not _common(a.cage.protocols, b.cage.protocols, cable.protocols):
                    continue
                link = agree(
                    a.cage,
                    direct_lanes(a.cage, b.cage, cable, a_end),
                    b.cage,
                    direct_lanes(b.cage, a.cage, cable, b_end),
                )
                if link is None:
                    continue
                reach_m = _within(cable.lengths_m, cable.max_length_m)
                strange = (a.maker != cable.manufacturer) + (b.maker != cable.manufacturer)
                rank = (
                    *(TECHNOLOGY_ORDER[cable.technology], 0, strange, len(cable.ends) - 1),
                    *(int(reach_m * 10), self._order[cable.id], a_end),
                )
                yield Join(cable, a_end, b_end, None, None, link, reach_m, 0.0, rank)

    # Optics with a cord

    def modules_for(self, kind: Kind) -> tuple[TransceiverPart, ...]:
        """The transceivers that a kind of cage takes."""
        found = self._fitting.get(kind)
        if found is None:
            found = self._fitting[kind] = tuple(
                module
                for module in self.modules
                if not transceiver_misfits(kind.cage, module, owner=kind.model)
            )
        return found

    def cord_ends(self, module: TransceiverPart) -> dict[PartId, tuple[int, ...]]:
        """The cords that go onto a module, and with which of their ends (0 and 1 stand for all)."""
        found = self._cord_ends.get(module.id)
        if found is None:
            found = {
                cord.id: ends
                for cord in self.cords
                if (
                    ends := tuple(
                        e for e, _ in end_pairs(cord, both=True) if not cord_misfit(module, cord, e)
                    )
                )
            }
            self._cord_ends[module.id] = found
        return found

    def coupler_ends(self, kind: Kind) -> dict[PartId, tuple[int, ...]]:
        """The cords that go into a coupler of a panel, and with which of their ends."""
        return {
            cord.id: ends
            for cord in self.cords
            if (
                ends := tuple(
                    e
                    for e, _ in end_pairs(cord, both=True)
                    if cord.ends[e].form_factor is kind.cage.form_factor
                )
            )
        }

    def pair_misfit(
        self, trunk: TransceiverPart, far: TransceiverPart, branches: int
    ) -> Misfit | None:
        """Why two modules do not see each other over a cord with this many far ends."""
        key = (trunk.id, far.id, branches)
        if key not in self._pairs:
            self._pairs[key] = optic_pair_misfit(trunk, far, branches=branches)
        return self._pairs[key]

    def _optical(
        self, a: Kind, at_a: TransceiverPart | None, b: Kind, at_b: TransceiverPart | None
    ) -> Iterator[Join]:
        modules = [module for module in (at_a, at_b) if module is not None]
        spoken = (module.protocols for module in modules)
        if len({module.medium for module in modules}) > 1 or not _common(
            a.cage.protocols, b.cage.protocols, *spoken
        ):
            return
        ends_a = self.cord_ends(at_a) if at_a else self.coupler_ends(a)
        ends_b = self.cord_ends(at_b) if at_b else self.coupler_ends(b)
        for cord in self.cords:
            if cord.id not in ends_a or cord.id not in ends_b:
                continue
            for a_end, b_end in end_pairs(cord):
                if a_end not in ends_a[cord.id] or b_end not in ends_b[cord.id]:
                    continue
                if at_a is not None and at_b is not None:
                    trunk, far = (at_a, at_b) if a_end == 0 else (at_b, at_a)
                    if self.pair_misfit(trunk, far, cord.branches):
                        continue
                link = agree(
                    a.cage,
                    optical_lanes(cord, a_end, at_a),
                    b.cage,
                    optical_lanes(cord, b_end, at_b),
                )
                reach_m = optical_reach_m(cord, at_a, at_b)
                if link is not None and reach_m is not None:
                    rank = self._optical_rank(a, at_a, a_end, b, at_b, cord, reach_m)
                    least_m = max((m.min_length_m or 0.0 for m in modules), default=0.0)
                    yield Join(cord, a_end, b_end, at_a, at_b, link, reach_m, least_m, rank)

    def _optical_rank(
        self,
        a: Kind,
        at_a: TransceiverPart | None,
        a_end: int,
        b: Kind,
        at_b: TransceiverPart | None,
        cord: CablePart,
        reach_m: float,
    ) -> tuple[int, ...]:
        assert cord.fibre is not None
        strange = sum(
            module is not None and kind.maker != module.manufacturer
            for kind, module in ((a, at_a), (b, at_b))
        )
        return (
            TECHNOLOGY_ORDER[CableTechnology.FIBRE],
            int(cord.fibre.medium is Medium.SMF),
            strange,
            len(cord.ends) - 1,
            int(reach_m * 10),
            *(self._order[part.id] if part else -1 for part in (at_a, at_b, cord)),
            a_end,
        )


def end_pairs(cable: CablePart, *, both: bool = False) -> tuple[tuple[int, int], ...]:
    """Which ends of a cable go to two ports: (at a, at b); turned round where that differs.

    Branches of a breakout are alike, as are the connectors of a trunk cable: one stands for all.
    """
    far = cable.far_ends(0)[0]
    turned = both or cable.branches > 1 or cable.ends[0] != cable.ends[far]
    return ((0, far), (far, 0)) if turned else ((0, far),)


def optical_reach_m(
    cord: CablePart, a: TransceiverPart | None, b: TransceiverPart | None
) -> float | None:
    """The longest stocked cord that two modules carry; None where they do not carry its fibre.

    A module whose reach is unknown sets no limit.
    """
    assert cord.fibre is not None
    reach_m = cord.max_length_m
    for module in (a, b):
        if module is None or not module.reach_m:
            continue
        own_m = module.reach_m.get(cord.fibre.fibre_type)
        if own_m is None:
            return None
        reach_m = own_m if reach_m is None else min(reach_m, own_m)
    return _within(cord.lengths_m, reach_m) or None


def _within(lengths_m: tuple[float, ...], limit_m: float | None) -> float:
    """The longest of these lengths that keeps to a limit; 0 where none does."""
    return max((m for m in lengths_m if limit_m is None or m <= limit_m + 1e-9), default=0.0)


def _common(*sides: Iterable[Protocol]) -> bool:
    """Whether all sides speak one protocol; an empty side carries anything."""
    spoken = [set(side) for side in sides if side]
    return not spoken or bool(set.intersection(*spoken))


_JOINERS: OrderedDict[tuple[int, ...], tuple[object, Joiner]] = OrderedDict()
_JOINERS_KEPT = 8


def joiner(design: Design, catalog: Catalog) -> Joiner:
    """The joiner of a catalogue and of the cables and optics a design brings along.

    Where both have a part of one id, the design's own counts: plugging it would keep that one.
    """
    own = [p for p in design.parts.values() if isinstance(p, CablePart | TransceiverPart)]
    key = (id(catalog), *map(id, own))
    with _LOCK:
        hit = _JOINERS.get(key)
        if hit is None:
            known = {part.id: part for part in own}
            parts = [known.pop(p.id, p) for p in catalog.values()]
            hit = _JOINERS[key] = ((catalog, own), Joiner([*parts, *known.values()]))
            while len(_JOINERS) > _JOINERS_KEPT:
                _JOINERS.popitem(last=False)
        else:
            _JOINERS.move_to_end(key)
    return hit[1]
