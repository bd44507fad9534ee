# SPDX-License-Identifier: Apache-2.0
"""The preview of many cables at once, and the edit that plugs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count

from rackloom.design.draft import Draft
from rackloom.design.ids import CableId
from rackloom.design.value import Design
from rackloom.placement.plans import Plan, Refusal, apply_plans, port_text


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One pair of ports of a preview."""

    a: str
    b: str
    part: str
    length_m: float


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
        cables = "cable" if len(self.plans) == 1 else "cables"
        text = f"{len(self.plans)} {cables}"
        if parts:
            text += f": {', '.join(parts)}"
        if self.problems:
            more = f", and {len(self.problems) - 1} more" if len(self.problems) > 1 else ""
            text += f"; not connected: {self.problems[0].message}{more}"
        return text

    def rows(self, design: Design) -> list[PlannedRow]:
        """Every pair of ports, with what joins them."""
        return [
            PlannedRow(
                port_text(design, (plan.ends[0].device, plan.ends[0].cage)),
                port_text(design, (end.device, end.cage)),
                plan.part.model,
                plan.length_m,
            )
            for plan in self.plans
            for end in plan.ends[1:]
        ]


def apply(draft: Draft, plan: ConnectPlan) -> list[CableId]:
    """Plug all cables of a plan, as one edit; they get running labels (``compute-0017``)."""
    labels = {cable.label for cable in draft.cables.values() if cable.label}
    numbers: dict[str, Iterable[int]] = {}
    labelled = []
    for one in plan.plans:
        label = one.label
        if one.extends is None and not label:
            stem = one.fabric or "link"
            running = numbers.setdefault(stem, count(1))
            label = next(t for n in running if (t := f"{stem}-{n:04d}") not in labels)
        labelled.append(replace(one, label=label))
    return apply_plans(draft, labelled)
