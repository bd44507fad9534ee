# SPDX-License-Identifier: Apache-2.0
"""Cabling a generated design: many equal links at once, lengths worked out in one go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.cages import Cage
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design.entities import CableEnd
from rackloom.design.ids import DeviceId
from rackloom.generate.builder import Builder
from rackloom.generate.errors import GenerateError, UplinkError
from rackloom.placement.joins import Join, Joiner, JoinSet, Kind, kind_of
from rackloom.placement.many_routes import route_lengths_m
from rackloom.placement.misses import nearest_miss

Port = tuple[DeviceId, str, int]
"""Device, cage, number of the port in the cage."""


@dataclass(slots=True)
class Bundle:
    """Links of one kind: both ends of all of them are cages of the same two kinds."""

    name: str
    a: tuple[DevicePart, Cage]
    b: tuple[DevicePart, Cage]
    pairs: list[tuple[Port, Port]]
    fabric: str
    split: tuple[int, int]
    """Into how many ports either cage is divided."""
    uplinks: bool = False
    """Switches at both ends."""
    rate_gbps: float | None = None
    """Of each link; None: as fast as the cages allow."""

    def joins(self, ways: JoinSet) -> Sequence[Join]:
        """Those that run the links at their rate; where there is none, the fastest."""
        if self.rate_gbps is None:
            return ways.best
        return [j for j in ways.joins if j.rate_gbps >= self.rate_gbps - 1e-6] or ways.best

    def error(self, why: str) -> GenerateError:
        """That they cannot be cabled, and why."""
        kind = UplinkError if self.uplinks else GenerateError
        return kind(f"{self.name}: {why}")


@dataclass(slots=True)
class Cabler:
    """Turns bundles into transceivers and cables."""

    builder: Builder
    catalog: Catalog
    _modules: dict[tuple[DeviceId, str], str] = field(default_factory=dict)

    def cable(self, bundles: Sequence[Bundle]) -> None:
        """Choose media and lengths for every link and plug them.

        One cable a link: fibre from its own socket, or a direct cable where a cage holds one port.
        Where nothing does that, a splitter from each cage of the switch to the ports it divides
        into.
        """
        joiner = Joiner(self.catalog.values())
        for bundle in bundles:
            if not bundle.pairs:
                continue
            a, b = (
                kind_of(cage, part.manufacturer, part.model) for part, cage in (bundle.a, bundle.b)
            )
            ways = bundle.joins(joiner.between(a, b))
            needed_m = self._needed_m(bundle)
            usable = one_link_joins(ways, bundle.split)
            if usable:
                usable = self._one_optic(bundle, usable, float(needed_m.max()))
                self._plug(bundle, usable, *_ordered(bundle, usable, needed_m))
                continue
            usable = splitter_joins(ways, bundle.split)
            if not usable:
                raise bundle.error(no_join(joiner, a, b))
            groups, needed_m = _by_trunk(bundle.pairs, needed_m)
            self._split(bundle, groups, usable, *_ordered(bundle, usable, needed_m))

    def _one_optic(self, bundle: Bundle, usable: Sequence[Join], longest_m: float) -> list[Join]:
        """Direct cables, and the one pair of optics that reaches the farthest link.

        All fibres of a layer get the same optics, as one orders them; a transceiver with two
        sockets could not hold two kinds anyway.
        """
        placed_a = {m for a, _ in bundle.pairs if (m := self._modules.get((a[0], a[1])))}
        placed_b = {m for _, b in bundle.pairs if (m := self._modules.get((b[0], b[1])))}
        direct = [join for join in usable if join.a_module is None]
        optics = [
            join
            for join in usable
            if join.a_module is not None
            and join.b_module is not None
            and placed_a <= {join.a_module.id}
            and placed_b <= {join.b_module.id}
            and join.length_m(longest_m) is not None
        ]
        return [*direct, *optics[:1]]

    def _needed_m(self, bundle: Bundle) -> NDArray[np.float64]:
        design = self.builder.design()
        lengths_m = route_lengths_m(
            design,
            [(a[0], a[1]) for a, _ in bundle.pairs],
            [(b[0], b[1]) for _, b in bundle.pairs],
        )
        return lengths_m + 2 * design.settings.slack_m

    def _plug(
        self,
        bundle: Bundle,
        usable: Sequence[Join],
        lengths_m: NDArray[np.float64],
        choice: NDArray[np.intp],
    ) -> None:
        self._embed(usable, choice)
        cable = self.builder.cable
        for (a, b), length_m, which in zip(
            bundle.pairs, lengths_m.tolist(), choice.tolist(), strict=True
        ):
            join = usable[which]
            at_a = CableEnd(join.a_end, a[0], a[1], self._socket(join.a_module, a))
            at_b = CableEnd(join.b_end, b[0], b[1], self._socket(join.b_module, b))
            cable(join.part.id, (at_a, at_b), length_m, bundle.fabric)
            self._set_modes(join, a, b)

    def _split(
        self,
        bundle: Bundle,
        groups: Mapping[tuple[DeviceId, str], Sequence[tuple[Port, Port]]],
        usable: Sequence[Join],
        lengths_m: NDArray[np.float64],
        choice: NDArray[np.intp],
    ) -> None:
        """A splitter for each cage of the switch; branches that no port is left for hang loose."""
        self._embed(usable, choice)
        for ((device, cage), pairs), length_m, which in zip(
            groups.items(), lengths_m.tolist(), choice.tolist(), strict=True
        ):
            join = usable[which]
            trunk = CableEnd(0, device, cage, 0)
            branches = (CableEnd(b[2] + 1, a[0], a[1], 0) for a, b in pairs)
            self.builder.cable(join.part.id, (trunk, *branches), length_m, bundle.fabric)
            self._set_modes(join, *pairs[0])

    def _set_modes(self, join: Join, a: Port, b: Port) -> None:
        for port, mode in ((a, join.link.a_mode), (b, join.link.b_mode)):
            if mode is not None:
                self.builder.split(port[0], port[1], mode)

    def _embed(self, usable: Sequence[Join], choice: NDArray[np.intp]) -> None:
        """Make known to the design what is plugged."""
        for which in np.unique(choice).tolist():
            join = usable[which]
            for part in (join.part, join.a_module, join.b_module):
                if part is not None:
                    self.builder.embed(part)

    def _socket(self, module: TransceiverPart | None, port: Port) -> int:
        """The socket of a port's fibre; puts the transceiver into the cage when it is the first."""
        if module is None:
            return 0
        key = (port[0], port[1])
        if key not in self._modules:
            self._modules[key] = module.id
            self.builder.module(module, port[0], port[1])
        return port[2]


def one_link_joins(joins: Iterable[Join], split: tuple[int, int]) -> list[Join]:
    """Those that carry just one link of cages divided into so many ports.

    A fibre ends in the socket of its own port; a direct cable fills a cage, which then must be one
    port.
    """
    return [join for join in joins if _one_link(join, split)]


def splitter_joins(joins: Iterable[Join], split: tuple[int, int]) -> list[Join]:
    """Direct cables whose trunk fills a cage of the second kind, and each branch one of the first.

    They have as many branches as the cage divides into ports.
    """
    return [
        join
        for join in joins
        if join.technology is not CableTechnology.FIBRE
        and (join.b_end, join.part.branches) == (0, split[1])
        and split[0] == join.link.links == 1 < split[1]
    ]


def no_join(joiner: Joiner, a: Kind, b: Kind) -> str:
    """Why the preset has no cable for links between two kinds of cage."""
    if joiner.between(a, b).joins:
        return (
            f"one cable between {a.model} and {b.model} carries several links, and the preset "
            "draws a cable for each: draw these in the editor"
        )
    return nearest_miss(joiner, a, b)


def _one_link(join: Join, split: tuple[int, int]) -> bool:
    if join.part.branches > 1:
        return False
    if join.technology is not CableTechnology.FIBRE:
        return split == (1, 1)
    modules = (join.a_module, join.b_module)
    return all(
        module is None or ports <= module.sockets
        for module, ports in zip(modules, split, strict=True)
    )


def _by_trunk(
    pairs: Sequence[tuple[Port, Port]], needed_m: NDArray[np.float64]
) -> tuple[dict[tuple[DeviceId, str], list[tuple[Port, Port]]], NDArray[np.float64]]:
    """Links by the cage at their second end, and the longest way of each."""
    groups: dict[tuple[DeviceId, str], list[tuple[Port, Port]]] = {}
    longest_m: dict[tuple[DeviceId, str], float] = {}
    for (a, b), metres in zip(pairs, needed_m.tolist(), strict=True):
        key = (b[0], b[1])
        groups.setdefault(key, []).append((a, b))
        longest_m[key] = max(longest_m.get(key, 0.0), metres)
    return groups, np.array(list(longest_m.values()))


def _ordered(
    bundle: Bundle, usable: Sequence[Join], needed_m: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """What :func:`_stocked` finds; GenerateError where a way is too long for all of it."""
    lengths_m, choice = _stocked(usable, needed_m)
    if (choice < 0).any():
        raise bundle.error(
            f"the longest way is {needed_m.max():.0f} m, and nothing in the catalogue that fits is "
            "stocked that long; more servers in a rack, rows nearer to each other, or other "
            "switches would help"
        )
    return lengths_m, choice


def _stocked(
    usable: Sequence[Join], needed_m: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Length to order and number of the first kit that reaches, for each link; -1 for none."""
    lengths_m = np.zeros(len(needed_m))
    choice = np.full(len(needed_m), -1, dtype=np.intp)
    for which, join in enumerate(usable):
        stock = np.array([m for m in join.part.lengths_m if join.length_m(m) == m])
        if not len(stock):
            continue
        at = np.searchsorted(stock, np.maximum(needed_m, join.least_m) - 1e-9)
        reach = (at < len(stock)) & (choice < 0)
        lengths_m[reach] = stock[at[reach]]
        choice[reach] = which
    return lengths_m, choice
