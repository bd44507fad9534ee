# SPDX-License-Identifier: Apache-2.0
"""Findings as text and as JSON (schema 1, which scripts depend on)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rackloom.checks.finding import Severity
from rackloom.checks.kinds import MANY, kinds
from rackloom.checks.registry import rules

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings


def as_json(findings: Findings) -> dict[str, Any]:
    """What ``rackloom check --format json`` prints.

    ``counts`` holds open findings by severity, and the accepted ones; ``off`` the rules that this
    project switched off, so that a clean report cannot hide them.
    """
    return {
        "schema": 1,
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.severity.value,
                "where": list(finding.where),
                "message": finding.message,
                "fix": finding.has_fix,
                "accepted": finding.accepted is not None,
            }
            for finding in findings.all
        ],
        "counts": findings.counts,
        "off": list(findings.off),
    }


def as_text(findings: Findings, *, each: bool = False) -> str:
    """What ``rackloom check`` prints: a line for each kind of finding, then the sums.

    Many findings that differ in nothing but the place share a line; ``each`` gives every one its
    own.
    """
    lines = []
    for kind in kinds(findings.all, many=len(findings.all) + 1 if each else MANY):
        line = f"{kind.first.severity.value:<8}{kind.message} [{kind.first.rule}]"
        if kind.first.accepted is not None:
            line += f" (accepted: {kind.first.accepted.reason})"
        lines.append(line)
    lines.append(summary(findings))
    if findings.off:
        lines.append(f"rules switched off in this project: {', '.join(findings.off)}")
    return "\n".join(lines) + "\n"


def summary(findings: Findings) -> str:
    """``2 errors, 1 warning`` in one line; says so where nothing was found."""
    counts = findings.counts
    words = [
        f"{counts[key]} {word}{'' if counts[key] == 1 else plural}"
        for key, word, plural in (
            (Severity.ERROR.value, "error", "s"),
            (Severity.WARNING.value, "warning", "s"),
            (Severity.INFO.value, "note", "s"),
            ("accepted", "accepted", ""),
        )
        if counts[key]
    ]
    checked = len(rules()) - len(findings.off)
    return f"{', '.join(words) or 'no findings'} ({checked} rules checked)"


def worst(findings: Findings) -> Severity | None:
    """The worst severity among open findings; None where there are none."""
    return min((f.severity for f in findings.open), key=lambda s: s.rank, default=None)
