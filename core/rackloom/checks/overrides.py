# SPDX-License-Identifier: Apache-2.0
"""What a project says about rules: other severities, and findings somebody accepted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rackloom.checks.finding import Finding, Hit, Severity

if TYPE_CHECKING:
    from rackloom.checks.registry import Rule
    from rackloom.design.entities import AcceptedFinding
    from rackloom.design.value import Design

OFF = "off"
"""The severity that switches a rule off."""


def severity_of(design: Design, rule: Rule) -> str:
    """A rule's severity in this project: ``error``, ``warning``, ``info`` or ``off``.

    An override that is none of these (from a foreign file) leaves the rule's own.
    """
    override = design.severities.get(rule.id)
    if override is None or override.severity not in {*Severity, OFF}:
        return rule.severity
    return override.severity


def judged(design: Design, hits: Iterable[tuple[Rule, Sequence[Hit]]]) -> tuple[Finding, ...]:
    """Findings with this project's severities and acceptances, worst first, then by rule.

    The one place where both are applied: window, command line and reports get the same. The hits
    of each rule come in the order in which they are to be listed.
    """
    accepted: dict[tuple[str, tuple[str, ...]], list[AcceptedFinding]] = {}
    for entry in design.accepted.values():
        accepted.setdefault((entry.rule, tuple(sorted(entry.where))), []).append(entry)
    ranked = [(Severity(severity_of(design, rule)), rule.id, found) for rule, found in hits]
    ranked.sort(key=lambda item: (item[0].rank, item[1]))
    findings: list[Finding] = []
    for severity, rule_id, found in ranked:
        for hit in found:
            finding = Finding(rule_id, severity, hit.where, hit.text, None, hit.fixer, design)
            for entry in accepted.get(finding.key, ()) if accepted else ():
                if entry.subject == finding.subject:
                    finding = replace(finding, accepted=entry)
                    break
            findings.append(finding)
    return tuple(findings)
