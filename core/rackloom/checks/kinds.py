# SPDX-License-Identifier: Apache-2.0
"""Findings of one kind taken together: those that say the same of one place after another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rackloom.checks.finding import Finding
from rackloom.design.entities import Cable
from rackloom.design.ids import CableId
from rackloom.design.value import Design

MANY = 4
"""So many findings that say the same are told together; fewer are each told for themselves."""

_NAME = re.compile("\x02[^\x02\x03]*\x03")
_PORT = re.compile("\\bport [^\x02\x03,;:]+? of (?=\x02)")
_ENDS = re.compile(" from \x02\x03 [^ ]+ to \x02\x03 [^ ,]+(?:, \x02\x03 [^ ,]+)*")
"""Which port of a thing is as much a matter of the place as which thing: ``port 3 of leaf-01``, or
of a cable ``from leaf-01 3 to spine-01 7``."""
_NAMED = 3
"""Places that are named before the others are counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """One finding, or many of one rule that differ in nothing but the place."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that stands for all."""
        return self.findings[0]

    @property
    def message(self) -> str:
        """The sentence of the first, and where else it holds."""
        if len(self.findings) == 1:
            return self.first.message
        places = list(dict.fromkeys(f.where[0] for f in self.findings[1:] if f.where))
        design = self.first.design
        if design is None or not places:
            return f"{self.first.message} ({len(self.findings)} times)"
        return f"{self.first.message}; the same at {_listed(places, design)}"

    @property
    def where(self) -> tuple[str, ...]:
        """Ids of all that its findings are about, each once."""
        return tuple(dict.fromkeys(i for finding in self.findings for i in finding.where))


def _listed(places: list[str], design: Design) -> str:
    names = ", ".join(_named(place, design) for place in places[:_NAMED])
    more = len(places) - _NAMED
    return f"{names} and {more:,} more" if more > 0 else names


def _named(place: str, design: Design) -> str:
    """A name; of a cable without one, the devices it joins."""
    cable = design.cables.get(CableId(place))
    if cable is None or cable.label:
        return design.name_of(place)
    return " – ".join(dict.fromkeys(design.name_of(end.device) for end in cable.ends)) or place


def kinds(findings: Iterable[Finding], many: int = MANY) -> list[Kind]:
    """The findings by kind, each where its first one was; fewer than ``many`` stay apart."""
    groups: dict[object, list[Finding]] = {}
    order = list(findings)
    keys = [kind_key(finding) for finding in order]
    for finding, key in zip(order, keys, strict=True):
        groups.setdefault(key, []).append(finding)
    found: list[Kind] = []
    for finding, key in zip(order, keys, strict=True):
        group = groups.get(key)
        if group is None:
            continue
        if len(group) < many:
            found.append(Kind((finding,)))
        else:
            found.append(Kind(tuple(group)))
            del groups[key]
    return found


def kind_key(finding: Finding) -> tuple[object, ...]:
    """Equal for findings that differ in nothing but the place."""
    said = _ENDS.sub("", _PORT.sub("", _NAME.sub("\x02\x03", finding.text)))
    for cable in _labelled(finding):
        said = said.replace(f"cable {cable.label}", "cable")
    accepted = finding.accepted
    reason = None if accepted is None else (accepted.reason, accepted.author, accepted.date)
    return finding.rule, finding.severity, reason, said


def _labelled(finding: Finding) -> list[Cable]:
    design = finding.design
    if design is None:
        return []
    cables = (design.cables.get(CableId(place)) for place in finding.where)
    return [cable for cable in cables if cable is not None and cable.label]
