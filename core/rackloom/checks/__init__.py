# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a design: rules, findings, fixes."""

from rackloom.checks.engine import Findings, run
from rackloom.checks.finding import Finding, Fix, Severity, State
from rackloom.checks.registry import Rule, rules
from rackloom.checks.report import as_json, as_text

__all__ = [
    "Finding",
    "Findings",
    "Fix",
    "Rule",
    "Severity",
    "State",
    "as_json",
    "as_text",
    "rules",
    "run",
]
