# SPDX-License-Identifier: Apache-2.0
"""What a project says about rules: other severities, and findings somebody accepted."""

from __future__ import annotations

from collections.abc import Iterable
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


def judged(design: Design, hits: Iterable[tuple[Rule, Hit]]) -> tuple[Finding, ...]:
    """Findings with this project's severities and acceptances, worst first.

    The one place where both are applied: window, command line and reports get the same.
    """
    accepted: dict[tuple[str, tuple[str, ...]], list[AcceptedFinding]] = {}
    for entry in design.accepted.values():
        accepted.setdefault((entry.rule, tuple(sorted(entry.where))), []).append(entry)
    severities: dict[str, Severity] = {}
    findings = []
    for rule, hit in hits:
        severity = severities.get(rule.id)
        if severity is None:
            severity = severities[rule.id] = Severity(severity_of(design, rule))
        finding = Finding(rule.id, severity, hit.where, hit.text, None, hit.fixer, design)
        for entry in accepted.get(finding.key, ()) if accepted else ():
            if entry.subject == finding.subject:
                finding = Finding(rule.id, severity, hit.where, hit.text, entry, hit.fixer, design)
                break
        findings.append(finding)
    findings.sort(key=lambda finding: finding.order)
    return tuple(findings)
