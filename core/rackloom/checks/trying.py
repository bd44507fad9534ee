# SPDX-License-Identifier: Apache-2.0
"""What fixes would do, found by doing them: on drafts, which leave no trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rackloom.design.change import Change
from rackloom.design.describing import NOTHING, described
from rackloom.design.draft import Draft
from rackloom.design.errors import EditError

if TYPE_CHECKING:
    from rackloom.checks.finding import Finding, Fix
    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one fix, or of the first fix of each of some findings."""

    change: Change
    """From the design that was asked about to the one with everything done."""
    done: int
    left: int
    """Findings without a fix, or whose fix cannot be made (any more)."""
    refusal: str = ""
    """Why a single fix cannot be made."""

    @property
    def sentence(self) -> str:
        """What it does, in a few words, or why it cannot be done."""
        return self.refusal or (described(self.change) if self.change else NOTHING)


def try_fix(design: Design, fix: Fix) -> Outcome:
    """What one fix would do to a design."""
    draft = Draft(design)
    try:
        fix.edit(draft)
        _, step = draft.close(fix.label)
    except EditError as error:
        return Outcome(Change(()), 0, 1, str(error))
    except KeyError:  # what it was about is gone
        return Outcome(Change(()), 0, 1, "what it was about is not there any more")
    return Outcome(step.change, 1, 0)


def try_all(design: Design, findings: Sequence[Finding]) -> Outcome:
    """What the first fix of each finding would do, one after the other.

    Accepted findings are left out. A fix that an earlier one made impossible is left alone.
    """
    change, done, left = Change(()), 0, 0
    for finding in findings:
        if finding.accepted is not None:
            continue
        draft = Draft(design)
        try:
            fixes = finding.fixes
            if not fixes:
                left += 1
                continue
            fixes[0].edit(draft)
            design, step = draft.close(fixes[0].label)
        except (EditError, KeyError):
            left += 1
            continue
        change = change.then(step.change)
        done += 1
    return Outcome(change, done, left)


def try_all_apart(findings: Sequence[Finding]) -> Outcome:
    """As :func:`try_all` on the findings' own design, in a thread of its own.

    It works on a design alike, since what is derived from one is worked out when asked for.
    """
    design = next((f.design for f in findings if f.design is not None), None)
    if design is None:
        return Outcome(Change(()), 0, len(findings))
    apart = design.alike()
    return try_all(apart, [replace(finding, design=apart) for finding in findings])
