# SPDX-License-Identifier: Apache-2.0
"""Names: one thing, one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity
from rackloom.checks.registry import rule
from rackloom.design.edits import rename
from rackloom.design.ids import by_age
from rackloom.design.names import name_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackloom.design.change import Change
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design


def _named_anew(change: Change) -> bool:
    """Whether something got another name or label, came or went."""
    return any(_name(record.before) != _name(record.after) for record in change)


def _name(entity: object) -> str:
    return getattr(entity, "label", "") or getattr(entity, "name", "")


def _twice(names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that several ids bear, with the ids, oldest first."""
    holders: dict[str, str] = {}
    doubles: dict[str, list[str]] = {}
    for entity_id, name in names:
        first = holders.setdefault(name, entity_id)
        if first is not entity_id:
            doubles.setdefault(name, [first]).append(entity_id)
    for name, ids in doubles.items():
        yield name, tuple(sorted(ids, key=by_age))


def _rename(ids: tuple[str, ...], table: str, draft: Draft) -> None:
    field = "label" if table == "cables" else "name"
    for entity_id in ids:
        taken = [getattr(entity, field) for entity in draft.table(table).values()]
        rename(draft, entity_id, name_after(getattr(draft.table(table)[entity_id], field), taken))


def _renamed(ids: tuple[str, ...], table: str, design: Design) -> Sequence[Fix]:
    del design
    return (Fix("Rename the newer", partial(_rename, ids, table)),)


@rule(
    "name.duplicate",
    Severity.WARNING,
    watches={"devices", "racks", "feeds", "rows"},
    scope="design",
    concerned=_named_anew,
    source="TIA-606: identifiers are unique within a site",
)
def duplicate(context: Context, place: str) -> Iterator[Hit]:
    """Devices have names of their own; so have racks, rows and feeds.

    Schedules, labels and people find things by name. What to do: rename one of them (the fix
    counts the newer ones on).
    """
    del place
    design = context.design
    for table, word in (
        ("devices", "devices"),
        ("racks", "racks"),
        ("rows", "rows"),
        ("feeds", "feeds"),
    ):
        for name, ids in _twice((e.id, e.name) for e in design.table(table).values()):
            yield Hit(
                ids, f"{len(ids)} {word} are called “{name}”", partial(_renamed, ids[1:], table)
            )


@rule(
    "name.duplicate-label",
    Severity.WARNING,
    watches={"cables"},
    scope="design",
    concerned=_named_anew,
    source="TIA-606: identifiers are unique within a site",
)
def duplicate_label(context: Context, place: str) -> Iterator[Hit]:
    """Cables have labels of their own.

    The label is what an installer finds at both ends. What to do: label one of them anew (the fix
    counts the newer ones on).
    """
    del place
    cables = context.design.cables.values()
    for label, ids in _twice((c.id, c.label) for c in cables if c.label):
        yield Hit(
            ids,
            f"{len(ids)} cables are labelled “{label}”",
            partial(_renamed, ids[1:], "cables"),
        )
