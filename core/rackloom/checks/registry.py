# SPDX-License-Identifier: Apache-2.0
"""The rules, by id. A rule is one small function; its docstring is what the user reads about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rackloom.checks.finding import Severity

if TYPE_CHECKING:
    from rackloom.checks.context import Context, Sieve
    from rackloom.checks.shape import Shape, ShapeHit
    from rackloom.design.change import Change
    from rackloom.design.ids import DeviceId

Scope = Literal[
    "cable",
    "shape",
    "device",
    "node",
    "peers",
    "network",
    "rack",
    "wiring",
    "supply",
    "row",
    "feed",
    "design",
]
"""What a rule looks at once for each:

``cable``  a cable as it lies; ``shape``  only what is plugged into what, worked out once for all
cables plugged alike; ``device``  a device and its plugs; ``node``  a device in the network of
links; ``peers``  the same, beside others below one switch or on the same leaves; ``network``  all
links together; ``rack``  a rack and what stands in it; ``wiring``  the cables and cords in a rack;
``supply``  what a rack draws, and from where; ``row``; ``feed``; ``design``  the whole.
"""

FAMILIES = ("port", "reach", "space", "power", "fabric", "name")
"""First words of rule ids, in the order the reference lists them."""

COLLECTED = 74
"""How many compatibility rules were collected from vendors' documents before any was written."""

_MODULES = (
    "breakout",
    "busbar",
    "capacity",
    "channels",
    "cooling",
    "fabric_rules",
    "management",
    "name",
    "pairs",
    "plugs",
    "power",
    "rails",
    "reach",
    "redundancy",
    "room",
    "scale_up",
    "shelves",
    "signals",
    "single_points",
    "sockets",
    "space",
    "trunks",
)


def _always(change: Change, clean: bool) -> bool:
    del change, clean
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as registered."""

    id: str
    severity: Severity
    watches: frozenset[str]
    scope: Scope
    source: str
    run: Callable[..., Iterable[Any]] = field(compare=False)
    numbers: tuple[int, ...] = ()
    """Which of the collected compatibility rules it covers."""
    among: Sieve | None = field(default=None, compare=False)
    """Picks the places worth looking at; None: all."""
    concerned: Callable[[Change, bool], bool] = field(default=_always, compare=False)
    """Whether a change of the tables it watches is of the kind it asks about; the second says that
    it had found nothing before."""
    matter: Callable[[Context, DeviceId], object] | None = field(default=None, compare=False)
    """For a rule on the network: all that it asks of one device, as something to compare, None
    for a device that it passes over. Without it, any other link calls for another look."""

    @property
    def family(self) -> str:
        """The first word of the id."""
        return self.id.partition(".")[0]

    @property
    def title(self) -> str:
        """What it demands, in one sentence."""
        return self.explanation.partition("\n")[0]

    @property
    def explanation(self) -> str:
        """What it demands, why it matters, what to do: paragraphs with an empty line between."""
        text = inspect.cleandoc(self.run.__doc__ or "")
        paragraphs = [" ".join(block.split()) for block in text.split("\n\n")]
        return "\n\n".join(paragraphs).replace(" What to do: ", "\n\nWhat to do: ")

    def shape_hits(self, shape: Shape) -> tuple[ShapeHit, ...]:
        """Run it on one way of plugging a cable."""
        return tuple(self.run(shape))


_RULES: dict[str, Rule] = {}

F = TypeVar("F", bound=Callable[..., Iterable[Any]])


def rule(
    rule_id: str,
    severity: Severity,
    *,
    watches: set[str],
    scope: Scope,
    source: str,
    numbers: tuple[int, ...] = (),
    among: Sieve | None = None,
    concerned: Callable[[Change, bool], bool] = _always,
    matter: Callable[[Context, DeviceId], object] | None = None,
) -> Callable[[F], F]:
    """Register the function below as a rule; the id stays for ever."""

    def register(function: F) -> F:
        if rule_id in _RULES:
            raise ValueError(f"two rules are called {rule_id}")
        if rule_id.partition(".")[0] not in FAMILIES:
            raise ValueError(f"{rule_id} belongs to no family")
        if not function.__doc__:
            raise ValueError(f"{rule_id} has no explanation")
        _RULES[rule_id] = Rule(
            rule_id,
            severity,
            frozenset(watches),
            scope,
            source,
            function,
            numbers,
            among,
            concerned,
            matter,
        )
        return function

    return register


def rules() -> Mapping[str, Rule]:
    """Every rule by id, by family and then alphabetically."""
    for name in _MODULES:
        import_module(f"rackloom.checks.{name}")
    ordered = sorted(_RULES.values(), key=lambda r: (FAMILIES.index(r.family), r.id))
    return {r.id: r for r in ordered}


def by_number() -> Mapping[int, tuple[str, ...]]:
    """Which rules cover each of the collected compatibility rules, by its number from 1."""
    return {
        number: tuple(rule.id for rule in rules().values() if number in rule.numbers)
        for number in range(1, COLLECTED + 1)
    }
