# SPDX-License-Identifier: Apache-2.0
"""Cabling a generated design: many equal links at once, lengths worked out in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rackloom.catalog.cages import Cage
from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import TransceiverPart
from rackloom.design.entities import CableEnd
from rackloom.design.ids import DeviceId
from rackloom.generate.builder import Builder
from rackloom.generate.errors import GenerateError
from rackloom.placement.cabling import Kit, kits
from rackloom.placement.routes import route_lengths_m

Port = tuple[DeviceId, str, int]
"""Device, cage, number of the port in the cage."""


@dataclass(slots=True)
class Bundle:
    """Links of one kind: both ends of all of them are cages of the same two kinds."""

    name: str
    a_cage: Cage
    b_cage: Cage
    pairs: list[tuple[Port, Port]]
    fabric: str


@dataclass(slots=True)
class Cabler:
    """Turns bundles into transceivers and cables."""

    builder: Builder
    catalog: Catalog
    notes: list[str] = field(default_factory=list)
    _modules: dict[tuple[DeviceId, str], str] = field(default_factory=dict)

    def cable(self, bundles: Sequence[Bundle]) -> None:
        """Choose media and lengths for every link and plug them.

        One cable a link: fibre from its own socket, or a direct cable where a cage holds one port.
        """
        for bundle in bundles:
            if not bundle.pairs:
                continue
            usable = [
                kit
                for kit in kits(self.catalog, bundle.a_cage, bundle.b_cage)
                if kit.cable.branches == 1 and kit.links == 1
            ]
            if not usable:
                raise GenerateError(
                    f"{bundle.name}: nothing in the catalogue joins a "
                    f"{_describe(bundle.a_cage)} cage and a {_describe(bundle.b_cage)} cage"
                )
            needed_m = self._needed_m(bundle)
            usable = self._one_optic(bundle, usable, float(needed_m.max()))
            lengths_m, choice = _stocked(usable, needed_m)
            if (choice < 0).any():
                raise GenerateError(
                    f"{bundle.name}: the longest way is {needed_m.max():.0f} m, "
                    "and nothing in the catalogue that fits is stocked that long"
                )
            self._plug(bundle, usable, lengths_m, choice)

    def _one_optic(self, bundle: Bundle, usable: Sequence[Kit], longest_m: float) -> list[Kit]:
        """Direct cables, and the one pair of optics that reaches the farthest link.

        All fibres of a layer get the same optics, as one orders them; a transceiver with two
        sockets could not hold two kinds anyway.
        """
        placed_a = {m for a, _ in bundle.pairs if (m := self._modules.get((a[0], a[1])))}
        placed_b = {m for _, b in bundle.pairs if (m := self._modules.get((b[0], b[1])))}
        direct = [kit for kit in usable if kit.module_a is None]
        optics = [
            kit
            for kit in usable
            if kit.module_a is not None
            and kit.module_b is not None
            and placed_a <= {kit.module_a.id}
            and placed_b <= {kit.module_b.id}
            and kit.max_length_m >= longest_m
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
        usable: Sequence[Kit],
        lengths_m: NDArray[np.float64],
        choice: NDArray[np.intp],
    ) -> None:
        for kit in usable:
            for part in (kit.cable, kit.module_a, kit.module_b):
                if part is not None:
                    self.builder.embed(part)
        cable = self.builder.cable
        for (a, b), length_m, which in zip(
            bundle.pairs, lengths_m.tolist(), choice.tolist(), strict=True
        ):
            kit = usable[which]
            socket_a = self._socket(kit.module_a, a)
            socket_b = self._socket(kit.module_b, b)
            ends = (CableEnd(0, a[0], a[1], socket_a), CableEnd(1, b[0], b[1], socket_b))
            cable(kit.cable.id, ends, length_m, bundle.fabric)

    def _socket(self, module: TransceiverPart | None, port: Port) -> int:
        """The socket of a port's fibre; puts the transceiver into the cage when it is the first."""
        if module is None:
            return 0
        key = (port[0], port[1])
        if key not in self._modules:
            self._modules[key] = module.id
            self.builder.module(module, port[0], port[1])
        return port[2]


def _describe(cage: Cage) -> str:
    shell = f" {cage.shell}" if cage.shell else ""
    return f"{cage.form_factor}{shell} {cage.rate_gbps:g}G"


def _stocked(
    usable: Sequence[Kit], needed_m: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Length to order and number of the first kit that reaches, for each link; -1 for none."""
    lengths_m = np.zeros(len(needed_m))
    choice = np.full(len(needed_m), -1, dtype=np.intp)
    for which, kit in enumerate(usable):
        stock = np.array([m for m in kit.cable.lengths_m if m <= kit.max_length_m + 1e-9])
        if not len(stock):
            continue
        at = np.searchsorted(stock, needed_m - 1e-9)
        reach = (at < len(stock)) & (choice < 0)
        lengths_m[reach] = stock[at[reach]]
        choice[reach] = which
    return lengths_m, choice
