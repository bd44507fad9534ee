# SPDX-License-Identifier: Apache-2.0
"""What a check has to say: findings, and the fixes they offer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING

from rackloom.design.entities import AcceptedFinding
from rackloom.design.ids import number_of

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design


class Severity(StrEnum):
    """How bad it is: does not work, works with a loss or a risk, or good to know."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANK[self]


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


class State(StrEnum):
    """What became of a rule."""

    NOT_RUN = "not-run"
    PASS = "pass"
    FINDINGS = "findings"


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that clears a finding, and what to call it on a button.

    The edit raises EditError where, by then, it cannot be made.
    """

    label: str
    edit: Callable[[Draft], None]


Fixer = Callable[["Design"], Sequence[Fix]]
"""Works out the fixes of a finding for the design as it is when somebody asks for them."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule yields: a place, and a sentence in which ``called`` marks what has a name.

    ``where`` begins with what the finding is about most.
    """

    where: tuple[str, ...]
    text: str
    fixer: Fixer | None = field(default=None, compare=False, repr=False)

    @property
    def order(self) -> tuple[int, tuple[str, ...], str]:
        """Sort key within a rule: what is oldest first."""
        return (number_of(self.where[0]) if self.where else 0), self.where, self.text


_MARK = re.compile("\x02([^\x02\x03]*)\x03")


def called(entity_id: str) -> str:
    """Stands in a sentence for the name of an entity, so that renaming it needs no new check."""
    return f"\x02{entity_id}\x03"


def listed(entity_ids: Sequence[str], most: int = 3) -> str:
    """The names of some entities, as they stand in a sentence: ``a, b, c and 4 more``."""
    names = ", ".join(called(e) for e in entity_ids[:most])
    more = len(entity_ids) - most
    return f"{names} and {more} more" if more > 0 else names


def rendered(text: str, design: Design) -> str:
    """A sentence with the names filled in."""
    return _MARK.sub(lambda mark: design.name_of(mark[1]), text)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check has to say about a design."""

    rule: str
    severity: Severity
    where: tuple[str, ...]
    """Ids of what it is about, the most telling first; empty for the whole design."""
    text: str
    accepted: AcceptedFinding | None = None
    fixer: Fixer | None = field(default=None, compare=False, repr=False)
    design: Design | None = field(default=None, compare=False, repr=False)

    @property
    def message(self) -> str:
        """The sentence for the user, with the names as they are now."""
        return self.text if self.design is None else rendered(self.text, self.design)

    @property
    def subject(self) -> str:
        """Digest of what the finding says, without names: changes when its numbers or parts do."""
        return blake2b(f"{self.rule}\n{self.text}".encode(), digest_size=8).hexdigest()

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Edits that clear it, the best first."""
        if self.fixer is None or self.design is None:
            return ()
        return tuple(self.fixer(self.design))

    @property
    def has_fix(self) -> bool:
        """Whether there is an edit that clears it."""
        return bool(self.fixes)

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """Rule and sorted ids: what an acceptance refers to."""
        return self.rule, tuple(sorted(self.where))
