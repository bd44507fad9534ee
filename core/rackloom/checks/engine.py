# SPDX-License-Identifier: Apache-2.0
"""Running the rules: over a whole design, or only where a change reached."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rackloom.bulk import copied, many_objects
from rackloom.checks.context import Context
from rackloom.checks.finding import Finding, Hit, Severity, State, called
from rackloom.checks.overrides import OFF, judged, severity_of
from rackloom.checks.places import Places
from rackloom.checks.registry import Rule, rules
from rackloom.checks.room import trays_after
from rackloom.checks.shape import cage_words
from rackloom.checks.shape_fixes import shape_fixer
from rackloom.checks.views import DeviceView, Memo

if TYPE_CHECKING:
    from rackloom.catalog.load import Catalog
    from rackloom.checks.topology import Topology
    from rackloom.design.change import Change
    from rackloom.design.entities import Cable, CableEnd
    from rackloom.design.ids import DeviceId
    from rackloom.design.value import Design

Found = dict[str, tuple[Hit, ...]]
"""Hits of one rule by place; places without any are left out."""

WHOLE = ""
"""The one place of rules that look at the whole design."""


def run(design: Design, catalog: Catalog | None = None) -> Findings:
    """Check a whole design. ``catalog`` is what fixes may choose parts from (default: bundled)."""
    wanted = _rules_on(design)
    context = Context(design, catalog)
    with many_objects():
        found = _look(context, wanted, _all_places(design, context))
    return Findings(
        design, catalog, context.memo, context.topology, context.views, context.trays, found
    )


class Findings:
    """What the checks have to say about one design. Immutable; ``patched`` gives the next one."""

    def __init__(
        self,
        design: Design,
        catalog: Catalog | None,
        memo: Memo,
        topology: Topology,
        views: dict[DeviceId, DeviceView],
        trays: dict[DeviceId, Mapping[Any, int]],
        found: Mapping[str, Found],
        order: Mapping[str, _Listed] | None = None,
    ) -> None:
        self.design = design
        self._catalog = catalog
        self._memo = memo
        self._topology = topology
        self._views = views
        self._trays = trays
        self._found = found
        self._order = dict(order or {})

    def patched(self, design: Design, change: Change) -> Findings:
        """The findings after ``change`` led to ``design``; equal to those of a full run."""
        with many_objects():
            return self._after(design, change)

    def _after(self, design: Design, change: Change) -> Findings:
        if design.mostly_new(change):
            return run(design, self._catalog)
        places = Places.of(self.design, design, change)
        if places.everything:
            return run(design, self._catalog)
        topology, nearby = self._topology.patched(self.design, design, places)
        views = copied(self._views)
        for device in places.devices:
            views.pop(device, None)  # type: ignore[call-overload]
        trays = trays_after(self._trays, self.design, design, change, places.moved)
        context = Context(design, self._catalog, self._memo, topology, views, trays, self._views)
        past = Context(self.design, self._catalog, self._memo, self._topology, self._views)
        found = copied(self._found)
        tables = change.tables
        wanted = _rules_on(design)
        for rule_id in self._found.keys() - wanted.keys():
            del found[rule_id]
        dirty: dict[str, Set[str]] = {
            "cable": places.cables,
            "shape": places.cables,
            "device": places.devices,
            "node": nearby.nodes,
            "peers": nearby.peers,
            "network": {WHOLE} if topology is not self._topology else set(),
            "rack": places.racks,
            "wiring": places.wired,
            "supply": places.supplied,
            "row": places.rows,
            "feed": places.feeds,
            "design": {WHOLE},
        }
        left = _Left(context, dirty)
        full: dict[str, Iterable[str]] | None = None
        for rule_id, rule in wanted.items():
            if rule_id not in self._found or ("settings" in tables and "settings" in rule.watches):
                full = full or _all_places(design, context)
                found |= _look(context, {rule_id: rule}, full)
                continue
            known = self._found[rule_id]
            if not (rule.watches & tables and dirty[rule.scope]):
                continue
            if not rule.concerned(change, not known):
                continue
            if rule.matter is not None and _same_matter(rule, past, context, nearby.nodes):
                continue
            fresh = _look_at(context, rule, left.of(rule.scope))
            stale = known.keys() & dirty[rule.scope] if known else ()
            if fresh or stale:
                found[rule_id] = kept = copied(known)
                for place in stale:
                    del kept[place]
                kept.update(fresh)
        return Findings(
            design, self._catalog, self._memo, topology, views, trays, found, self._order
        )

    @cached_property
    def all(self) -> tuple[Finding, ...]:
        """Every finding, accepted ones too, worst first."""
        known = rules()
        return judged(
            self.design, ((known[rule_id], self._listed(rule_id)) for rule_id in self._found)
        )

    def _listed(self, rule_id: str) -> Sequence[Hit]:
        """The hits of a rule in order; from edit to edit, only those that differ are sorted in."""
        found = self._found[rule_id]
        kept = self._order.get(rule_id)
        if kept is None:
            kept = self._order[rule_id] = _Listed.of(found)
        elif kept.found is not found:
            kept = self._order[rule_id] = kept.patched(found)
        return kept.hits

    @property
    def open(self) -> tuple[Finding, ...]:
        """Findings nobody accepted, worst first."""
        return tuple(f for f in self.all if f.accepted is None)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self.all == other.all

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Findings: {', '.join(f'{n} {name}' for name, n in self.counts.items())}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many are open of each severity, and how many are accepted."""
        counts = {severity.value: 0 for severity in Severity}
        counts["accepted"] = 0
        for finding in self.all:
            counts["accepted" if finding.accepted else finding.severity.value] += 1
        return counts

    @property
    def off(self) -> tuple[str, ...]:
        """Rules this project switched off."""
        return tuple(r for r in rules() if r not in self._found)

    def state(self, rule_id: str) -> State:
        """What became of a rule; KeyError where there is none of that id."""
        if rule_id not in rules():
            raise KeyError(rule_id)
        if rule_id not in self._found:
            return State.NOT_RUN
        return State.FINDINGS if self._found[rule_id] else State.PASS

    def of(self, entity_id: str) -> tuple[Finding, ...]:
        """Findings that concern an entity, worst first."""
        return tuple(f for f in self.all if entity_id in f.where)


class _Listed(NamedTuple):
    """The hits of a rule in the order in which they are listed."""

    found: Found
    keys: list[_Order]
    hits: list[Hit]

    @classmethod
    def of(cls, found: Found) -> _Listed:
        """All of them sorted."""
        hits = sorted((hit for place in found.values() for hit in place), key=_order)
        return cls(found, [hit.order for hit in hits], hits)

    def patched(self, found: Found) -> _Listed:
        """As ``of``; quick where most hits are the same objects as before."""
        stale = [
            h for place, hits in self.found.items() if found.get(place) is not hits for h in hits
        ]
        fresh = [
            h for place, hits in found.items() if self.found.get(place) is not hits for h in hits
        ]
        if 8 * (len(stale) + len(fresh)) > len(self.hits):
            return _Listed.of(found)
        gone = set(map(id, stale))
        left = [at for at, hit in enumerate(self.hits) if id(hit) not in gone]
        keys, hits = [self.keys[at] for at in left], [self.hits[at] for at in left]
        for hit in fresh:
            at = bisect_right(keys, hit.order)
            keys.insert(at, hit.order)
            hits.insert(at, hit)
        return _Listed(found, keys, hits)


_Order = tuple[int, tuple[str, ...], str]


def _order(hit: Hit) -> _Order:
    return hit.order


def _same_matter(rule: Rule, past: Context, context: Context, nodes: Iterable[DeviceId]) -> bool:
    """Whether nothing that a rule on the network asks for is another than before an edit."""
    matter, before, after = rule.matter, past.topology.nodes, context.topology.nodes
    assert matter is not None
    return all(
        (matter(past, device) if device in before else None)
        == (matter(context, device) if device in after else None)
        for device in nodes
    )


def _rules_on(design: Design) -> dict[str, Rule]:
    return {rule_id: rule for rule_id, rule in rules().items() if severity_of(design, rule) != OFF}


def _all_places(design: Design, context: Context) -> dict[str, Iterable[str]]:
    return {
        "cable": design.cables,
        "shape": design.cables,
        "device": design.devices,
        "node": context.topology.nodes,
        "peers": context.topology.nodes,
        "rack": design.racks,
        "wiring": design.racks,
        "supply": design.racks,
        "row": design.rows,
        "feed": design.feeds,
        "network": (WHOLE,),
        "design": (WHOLE,),
    }


class _Left:
    """Which of the places where to look again are there after a change."""

    def __init__(self, context: Context, places: Mapping[str, Set[str]]) -> None:
        self._context = context
        self._places = places
        self._known: dict[str, Iterable[str]] = {"network": (WHOLE,), "design": (WHOLE,)}

    def of(self, scope: str) -> Iterable[str]:
        """Those of one scope."""
        known = self._known.get(scope)
        if known is None:
            there: Container[str] = self._context.topology.nodes
            if scope not in {"node", "peers"}:
                there = self._context.design.table(_TABLE[scope])
            known = self._known[scope] = [p for p in self._places[scope] if p in there]
        return known


_TABLE = {
    "cable": "cables",
    "shape": "cables",
    "device": "devices",
    "rack": "racks",
    "wiring": "racks",
    "supply": "racks",
    "row": "rows",
    "feed": "feeds",
}


def _look(
    context: Context, wanted: Mapping[str, Rule], places: Mapping[str, Iterable[str]]
) -> dict[str, Found]:
    shapes = {i: r for i, r in wanted.items() if r.scope == "shape"}
    found: dict[str, Found] = {}
    if shapes:
        found |= _shape_hits(context, shapes, places["shape"])
    for rule_id, rule in wanted.items():
        if rule.scope != "shape":
            found[rule_id] = _look_at(context, rule, places[rule.scope])
    return found


def _look_at(context: Context, rule: Rule, places: Iterable[str]) -> Found:
    if rule.scope == "shape":
        return _shape_hits(context, {rule.id: rule}, places)[rule.id]
    function = rule.run
    if rule.among is not None:
        places = context.sifted(rule.among, places)
    return {place: hits for place in places if (hits := tuple(function(context, place)))}


def _shape_hits(
    context: Context, wanted: Mapping[str, Rule], places: Iterable[str]
) -> dict[str, Found]:
    """Shape rules: once for each shape; a clean shape costs its cables one look-up."""
    found: dict[str, dict[str, tuple[Hit, ...]]] = {rule_id: {} for rule_id in wanted}
    faulty: dict[int, list[str]] = {}
    cables, catalog = context.design.cables, context.catalog_given
    for place in places:
        cable = cables[place]  # type: ignore[index]
        shape = context.shape(cable)
        bad = faulty.get(id(shape))
        if bad is None:
            bad = faulty[id(shape)] = []
            for rule_id, rule in wanted.items():
                if rule_id not in shape.cache:
                    shape.cache[rule_id] = rule.shape_hits(shape)
                if shape.cache[rule_id]:
                    bad.append(rule_id)
        if not bad:
            continue
        ends = sorted(cable.ends, key=lambda end: end.end)
        filled = partial(_filled, _words(context, cable, ends))
        for rule_id in bad:
            found[rule_id][place] = tuple(
                Hit(
                    (place, *dict.fromkeys(ends[i].device for i in hit.ends)),
                    _MARKS.sub(filled, hit.text),
                    shape_fixer(hit.fix, place, hit.ends, catalog) if hit.fix else None,
                )
                for hit in shape.cache[rule_id]
            )
    return found


_MARKS = re.compile(r"\{([cdp]\d+|cable)\}")


def _filled(words: Mapping[str, str], mark: re.Match[str]) -> str:
    return words[mark[1]]


def _words(context: Context, cable: Cable, ends: Sequence[CableEnd]) -> dict[str, str]:
    """What the marks in the text of a shape rule stand for at this cable."""
    words = {"cable": context.cable(cable)}
    for number, end in enumerate(ends):
        words[f"c{number}"] = cage_words(end.cage)
        words[f"d{number}"] = called(end.device)
        words[f"p{number}"] = context.port(end.device, end.cage)
    return words
