# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a design: rules, findings, fixes."""

from typing import TYPE_CHECKING

from rackloom.late_names import late_names

if TYPE_CHECKING:
    from rackloom.checks.engine import Findings, run
    from rackloom.checks.finding import Finding, Fix, Severity, State
    from rackloom.checks.registry import Rule, rules
    from rackloom.checks.report import as_json, as_text
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("Findings", "run"), "engine"),
            **dict.fromkeys(("Finding", "Fix", "Severity", "State"), "finding"),
            **dict.fromkeys(("Rule", "rules"), "registry"),
            **dict.fromkeys(("as_json", "as_text"), "report"),
        },
    )

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
