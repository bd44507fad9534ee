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


_NAMED = ("devices", "racks", "rows", "feeds")


def _named_anew(change: Change, clean: bool) -> bool:
    """Whether something with a name got another one, came or went."""
    return _differ(change, _NAMED, "name", clean)


def _labelled_anew(change: Change, clean: bool) -> bool:
    """Whether a cable got another label, or one with a label came or went."""
    return _differ(change, ("cables",), "label", clean)


def _differ(change: Change, tables: tuple[str, ...], field: str, clean: bool) -> bool:
    """Whether names came or went; that they only went does not matter where none stood twice."""
    return any(
        _of(r.before, field) != (name := _of(r.after, field)) and not (clean and not name)
        for r in change.of(*tables)
    )


def _of(entity: object, field: str) -> str:
    return getattr(entity, field, "")


def _twice(names: list[str], ids: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that several ids bear, with the ids, oldest first; empty names are none."""
    filled = [name for name in names if name]
    if len(set(filled)) == len(filled):
        return
    holders: dict[str, str] = {}
    doubles: dict[str, list[str]] = {}
    for entity_id, name in zip(ids, names, strict=True):
        if not name:
            continue
        first = holders.setdefault(name, entity_id)
        if first is not entity_id:
            doubles.setdefault(name, [first]).append(entity_id)
    for name, bearers in doubles.items():
        yield name, tuple(sorted(bearers, key=by_age))


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
    for table in _NAMED:
        entities = design.table(table)
        for name, ids in _twice([e.name for e in entities.values()], entities):
            yield Hit(
                ids, f"{len(ids)} {table} are called “{name}”", partial(_renamed, ids[1:], table)
            )


@rule(
    "name.duplicate-label",
    Severity.WARNING,
    watches={"cables"},
    scope="design",
    concerned=_labelled_anew,
    source="TIA-606: identifiers are unique within a site",
)
def duplicate_label(context: Context, place: str) -> Iterator[Hit]:
    """Cables have labels of their own.

    The label is what an installer finds at both ends. What to do: label one of them anew (the fix
    counts the newer ones on).
    """
    del place
    cables = context.design.cables
    for label, ids in _twice([c.label for c in cables.values()], cables):
        yield Hit(
            ids,
            f"{len(ids)} cables are labelled “{label}”",
            partial(_renamed, ids[1:], "cables"),
        )
