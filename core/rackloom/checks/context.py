# SPDX-License-Identifier: Apache-2.0
"""What rules look at: a design, with the look-ups they share worked out once a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, partial
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

from rackloom.catalog.parts import CablePart
from rackloom.checks.finding import called
from rackloom.checks.loads import Loads, cords_of
from rackloom.checks.shape import Shape, ShapeEnd, stand_in
from rackloom.checks.topology import Topology
from rackloom.checks.views import DeviceView, Memo, look_at
from rackloom.design.wiring import plugged_as
from rackloom.placement.many_routes import needed_lengths_m

if TYPE_CHECKING:
    from rackloom.catalog.load import Catalog
    from rackloom.checks.nodes import Node
    from rackloom.design.entities import Cable, CableEnd, Cord
    from rackloom.design.ids import CableId, DeviceId
    from rackloom.design.value import Design

_T = TypeVar("_T")

Sieve = Callable[["Context", Iterable[str]], Iterable[str]]
"""Picks the places that a rule can have something to say about, cheaply."""


class Context:
    """A design and what rules share about it. Lives for one run."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog | None = None,
        memo: Memo | None = None,
        topology: Topology | None = None,
        views: dict[DeviceId, DeviceView] | None = None,
        trays: dict[DeviceId, Mapping[Any, int]] | None = None,
        former: Mapping[DeviceId, DeviceView] | None = None,
    ) -> None:
        self.design = design
        self.memo = memo or Memo()
        self.catalog_given = catalog
        """The catalogue the caller wants fixes to choose from; None for the bundled one."""
        self._topology = topology
        self.views: dict[DeviceId, DeviceView] = {} if views is None else views
        self._former = former or {}
        """Views before an edit, of devices that it touched."""
        self.trays: dict[DeviceId, Mapping[Any, int]] = {} if trays is None else trays
        """What cables of a device lie where in the tray of its row: see ``room.tray_load``."""
        self._cords: dict[DeviceId, list[Cord]] = {}
        self._shapes: dict[CableId, Shape] = {}
        self._needed_m: dict[CableId, float] = {}
        self._sifted: dict[tuple[Sieve, int], tuple[Iterable[str], list[str]]] = {}

    @property
    def topology(self) -> Topology:
        """The network of links, switch by switch."""
        if self._topology is None:
            self._topology = Topology.of(self.design)
        return self._topology

    @cached_property
    def loads(self) -> Loads:
        """Who draws what from where."""
        return Loads(self)

    def sifted(self, sieve: Sieve, places: Iterable[str]) -> list[str]:
        """What a sieve leaves of these places; worked out once for all rules that share it."""
        key = (sieve, id(places))
        if key not in self._sifted:
            self._sifted[key] = (places, list(sieve(self, places)))
        return self._sifted[key][1]

    def of_each(self, what: Callable[[Context, Node], _T]) -> Mapping[DeviceId, _T]:
        """What a rule asks of each device in the network, and of its node alone."""
        return self.topology.of_each(what, partial(what, self))

    # Devices and plugs

    def view(self, device_id: DeviceId) -> DeviceView:
        """A device with what is plugged into each of its cages."""
        view = self.views.get(device_id)
        if view is None:
            former = self._former.get(device_id)
            view = self.views[device_id] = look_at(self.design, self.memo, device_id, former)
        return view

    def cords(self, device_id: DeviceId) -> list[Cord]:
        """The cords in a device's inlets."""
        found = self._cords.get(device_id)
        if found is None:
            found = self._cords[device_id] = cords_of(self.design, device_id)
        return found

    # Cables

    def shape(self, cable: Cable) -> Shape:
        """How a cable is plugged; the same object for all cables plugged alike."""
        shape = self._shapes.get(cable.id)
        if shape is None:
            shape = self._shapes[cable.id] = self._find_shape(cable)
        return shape

    def _find_shape(self, cable: Cable) -> Shape:
        links = len(self.design.links.get(cable.id, ()))
        ends = sorted_ends(cable)
        # A kind stands for cage group, transceiver, mode and all that is plugged in.
        key = (cable.part, links, *plugged_as(self.design, ends))
        found = self.memo.shapes.get(key)
        if found is None:
            found = self.memo.shapes[key] = self._new_shape(cable, ends, links)
        return found

    def _new_shape(self, cable: Cable, ends: Iterable[CableEnd], links: int) -> Shape:
        part = self.design.part(cable.part, CablePart)
        states = [(end, self.view(end.device).states[end.cage]) for end in ends]
        plugged = tuple(
            ShapeEnd(
                end.end,
                part.ends[end.end],
                stand_in(state.cage, number),
                state.mode,
                state.mode_fixed,
                state.module,
                end.socket,
            )
            for number, (end, state) in enumerate(states)
        )
        return Shape(part, plugged, links)

    def needed_m(self, cable_id: CableId) -> float | None:
        """Length a cable needs on its route, with slack; None while an end hangs loose."""
        if cable_id not in self._needed_m:
            self.measure([cable_id])
        needed_m = self._needed_m[cable_id]
        return None if isnan(needed_m) else needed_m

    def measured(self, cable_ids: Collection[CableId]) -> list[float]:
        """The needed lengths of many cables, worked out at once; NaN while an end hangs loose."""
        self.measure(cable_ids)
        return [self._needed_m[cable_id] for cable_id in cable_ids]

    def measure(self, cable_ids: Iterable[CableId]) -> None:
        """Work out the needed lengths of many cables at once."""
        missing = [self.design.cables[c] for c in cable_ids if c not in self._needed_m]
        if missing:
            ids, needed_m = needed_lengths_m(self.design, missing)
            self._needed_m.update(zip(ids, needed_m.tolist(), strict=True))

    # Words

    @staticmethod
    def called(entity_id: str) -> str:
        """The name of an entity, as it stands in a sentence."""
        return called(entity_id)

    def port(self, device_id: str, cage: str) -> str:
        """``port 12 of leaf-01``."""
        return f"port {cage} of {called(device_id)}"

    def cable(self, cable: Cable) -> str:
        """What a person calls a cable: its label, or its model and where it is plugged."""
        if cable.label:
            return f"cable {cable.label}"
        model = self.design.part(cable.part, CablePart).model
        ends = sorted_ends(cable)
        if len(ends) < 2:
            return f"{model} at {self.port(ends[0].device, ends[0].cage)}" if ends else model
        first, *others = ends
        far = ", ".join(f"{called(e.device)} {e.cage}" for e in others[:2])
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        return f"{model} from {called(first.device)} {first.cage} to {far}{more}"


def sorted_ends(cable: Cable) -> list[CableEnd]:
    """The plugged ends of a cable, the trunk first."""
    ends = cable.ends
    if len(ends) == 2 and ends[0].end <= ends[1].end:
        return list(ends)
    return sorted(ends, key=_end_number)


def _end_number(end: CableEnd) -> int:
    return end.end
