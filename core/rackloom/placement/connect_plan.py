# SPDX-License-Identifier: Apache-2.0
"""The preview of many cables at once, and the edit that plugs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rackloom.catalog.cages import Cage
from rackloom.catalog.words import CageRole
from rackloom.design.draft import Draft
from rackloom.design.entities import Cable, CableEnd
from rackloom.design.errors import EditError
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId
from rackloom.design.links import Link, PortRef, port_name
from rackloom.design.value import Design
from rackloom.placement.plans import Plan, Refusal, apply_plans, counted, port_text

_NIC_ROLES = frozenset({CageRole.COMPUTE, CageRole.STORAGE, CageRole.IN_BAND, CageRole.OUT_OF_BAND})
"""What the ports of a server are for; those of a switch have no rail."""


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One pair of cable ends of a preview; ``a`` and ``b`` name the logical ports they join."""

    a: str
    b: str
    rails: tuple[int, ...]
    """Rails of the server's ports, from 0; empty where no server is joined."""
    part: str
    needed_m: float
    """The route with the slack at both ends."""
    length_m: float
    """The next length this part is made in."""


def rails_of_nics(cages: Iterable[Cage], role: CageRole) -> dict[tuple[str, int], int]:
    """The rail of each port of a network, by cage and number.

    Where the part names no rails, the ports are counted through.
    """
    ports = ((cage, n) for cage in cages if cage.role is role for n in range(len(cage.ports)))
    rails: dict[tuple[str, int], int] = {}
    for number, (cage, index) in enumerate(ports):
        rail = cage.ports[index].rail
        rails[cage.name, index] = number if rail is None else rail
    return rails


@dataclass(frozen=True, slots=True)
class ConnectPlan:
    """Cables to plug, and what cannot be connected, with the reasons. Nothing has happened yet."""

    plans: tuple[Plan, ...]
    problems: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def links(self) -> int:
        """Pairs of ends that the cables join: a splitter with two branches counts twice."""
        return sum(len(plan.ends) - 1 for plan in self.plans)

    @property
    def by_part(self) -> Counter[tuple[str, float]]:
        """How many cables of which model and length."""
        return Counter((plan.part.model, plan.length_m) for plan in self.plans)

    @property
    def optics(self) -> Counter[str]:
        """How many transceivers of which model."""
        return Counter(
            module.model
            for _, module in dict(m for plan in self.plans for m in plan.modules).items()
        )

    @property
    def summary(self) -> str:
        """What would be plugged, in one sentence."""
        if not self.plans and not self.problems:
            return self.notes[0] if self.notes else "nothing to connect"
        kinds = Counter[str]()
        for (model, _), number in self.by_part.items():
            kinds[model] += number
        parts = [f"{number} x {model}" for model, number in (kinds + self.optics).most_common()]
        text = counted(len(self.plans), "cable")
        if parts:
            text += f": {', '.join(parts)}"
        if self.problems:
            more = f", and {len(self.problems) - 1} more" if len(self.problems) > 1 else ""
            text += f"; not connected: {self.problems[0].message}{more}"
        return text

    def rows(self, design: Design, most: int | None = None) -> list[PlannedRow]:
        """Every pair of ports (at most ``most``), with what joins them.

        The names of the ports are those they have once everything shown is plugged, since cables
        split cages.
        """
        plans = self.plans if most is None else self.plans[:most]
        after, cables = _plugged(design, plans)
        rows = [
            row
            for plan, cable in zip(plans, cables, strict=True)
            for row in _rows(after, plan, cable)
        ]
        return rows[:most]


def _plugged(design: Design, plans: Sequence[Plan]) -> tuple[Design, list[Cable | None]]:
    """The design with these plans plugged; as it is where something has been taken since."""
    draft = Draft(design)
    try:
        ids = apply_plans(draft, plans)
        after, _ = draft.close("preview")
    except EditError:
        return design, [None] * len(plans)
    return after, [after.cables[cable] for cable in ids]


def _rows(design: Design, plan: Plan, cable: Cable | None) -> Iterator[PlannedRow]:
    links = design.links.get(cable.id, ()) if cable is not None else ()
    near = plan.ends[0]
    for far in plan.ends[1:]:
        pairs = [pair for link in links if (pair := _between(link, near, far)) is not None]
        ports = [ref for pair in pairs for ref in pair]
        yield PlannedRow(
            _named(design, near, [a for a, _ in pairs]),
            _named(design, far, [b for _, b in pairs]),
            tuple(sorted({rail for ref in ports if (rail := _rail(design, ref)) is not None})),
            plan.part.model,
            plan.needed_m,
            plan.length_m,
        )


def _between(link: Link, near: CableEnd, far: CableEnd) -> tuple[PortRef, PortRef] | None:
    """The ports of a link at these two ends of its cable, or None where it ends elsewhere."""
    wanted = (near.device, near.cage), (far.device, far.cage)
    for a, b in ((link.a, link.b), (link.b, link.a)):
        if ((a.device, a.cage), (b.device, b.cage)) == wanted:
            return a, b
    return None


def _named(design: Design, end: CableEnd, ports: Sequence[PortRef]) -> str:
    """``port 1/2 of leaf-03``; the cage where the cable carries no link."""
    if not ports:
        return port_text(design, (end.device, end.cage))
    names = ", ".join(dict.fromkeys(port_name(design, ref) for ref in ports))
    stem = "port " if names[0].isdigit() else ""
    return f"{stem}{names} of {design.devices[end.device].name}"


def _rail(design: Design, port: PortRef) -> int | None:
    cages = cages_of(design, design.devices[port.device])
    role = cages[port.cage].role
    if role not in _NIC_ROLES:
        return None
    return rails_of_nics(cages.values(), role).get((port.cage, port.index))


def apply(draft: Draft, plan: ConnectPlan) -> list[CableId]:
    """Plug all cables of a plan, as one edit.

    They get no label of their own: schedule and labels name both their ends, as the project's
    template has it.
    """
    return apply_plans(draft, plan.plans)
