# SPDX-License-Identifier: Apache-2.0
"""What a change does, in words: for the preview of a fix, and wherever else a step is explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from rackloom.design.entities import Cable, Cord, Device, Module

if TYPE_CHECKING:
    from rackloom.design.change import Change, Record

NOTHING = "nothing changes"

_NOUNS: dict[str, tuple[str, str]] = {
    "rows": ("row", "rows"),
    "racks": ("rack", "racks"),
    "devices": ("device", "devices"),
    "modules": ("transceiver", "transceivers"),
    "cables": ("cable", "cables"),
    "feeds": ("feed", "feeds"),
    "cords": ("power cord", "power cords"),
    "notes": ("note", "notes"),
    "accepted": ("acceptance", "acceptances"),
    "severities": ("severity", "severities"),
    "spares": ("category's spares", "categories' spares"),
    "prices": ("price", "prices"),
}
_SENTENCES = {"settings": "the project's settings changed"}
_TABLES = (
    *("devices", "racks", "rows", "cables", "modules", "cords", "feeds"),
    *("notes", "accepted", "severities", "spares", "prices", "settings"),
)
_VERBS = (
    *("removed", "replaced", "moved", "replugged", "split anew", "turned round", "renamed"),
    *("relabelled", "changed", "added"),
)


def described(change: Change) -> str:
    """What a change does: ``2 cables replaced, 1 transceiver added; +3 m of cable``.

    Metres are those to be ordered, more (+) or less (-) than before.
    """
    counts: dict[str, Counter[str]] = {}
    for table in _TABLES:
        records = list(change.of(table))
        if records:
            counts[table] = _counted(table, records)
    words = [
        _SENTENCES.get(table) or f"{count:,} {_NOUNS[table][count > 1]} {verb}"
        for table, found in counts.items()
        for verb in _VERBS
        if (count := found[verb])
    ]
    metres = _metres(change)
    if metres:
        words[-1:] = [f"{words[-1]}; {metres} of cable"]
    return ", ".join(words) or NOTHING


def _counted(table: str, records: Iterable[Record]) -> Counter[str]:
    found: Counter[str] = Counter()
    gone: list[Any] = []
    new: list[Any] = []
    for record in records:
        if record.after is None:
            gone.append(record.before)
        elif record.before is None:
            new.append(record.after)
        else:
            found[_VERB_OF.get(table, _changed)(record.before, record.after)] += 1
    pairs = _exchanged(gone, new, _PLACES[table]) if table in _PLACES else 0
    again = "replugged" if table == "cords" else "replaced"
    found[again] += pairs
    found["removed"] += len(gone) - pairs
    found["added"] += len(new) - pairs
    return found


# What was taken out and put in again at the same place is one thing exchanged.

_PLACES: dict[str, Callable[[Any], Iterable[Hashable]]] = {
    "cables": lambda cable: [(end.device, end.cage, end.socket) for end in cable.ends],
    "modules": lambda module: [(module.device, module.cage)],
    "cords": lambda cord: [(cord.device, cord.inlet)],
}


def _exchanged(gone: list[Any], new: list[Any], places: Callable[[Any], Iterable[Hashable]]) -> int:
    free: dict[Hashable, list[int]] = {}
    for number, entity in enumerate(gone):
        for place in places(entity):
            free.setdefault(place, []).append(number)
    used: set[int] = set()
    for entity in new:
        here = (n for place in places(entity) for n in free.get(place, ()) if n not in used)
        first = next(here, None)
        if first is not None:
            used.add(first)
    return len(used)


# What became of a thing that stays


def _changed(before: Any, after: Any) -> str:
    renamed = getattr(before, "name", None) != getattr(after, "name", None)
    return "renamed" if renamed else "changed"


def _device(before: Device, after: Device) -> str:
    if before.part != after.part:
        return "replaced"
    if (before.rack, before.bottom_u, before.mount) != (after.rack, after.bottom_u, after.mount):
        return "moved"
    if before.modes != after.modes:
        return "split anew"
    if before.face != after.face:
        return "turned round"
    return _changed(before, after)


def _cable(before: Cable, after: Cable) -> str:
    if (before.part, before.length_m) != (after.part, after.length_m):
        return "replaced"
    if before.ends != after.ends:
        return "replugged"
    return "relabelled" if before.label != after.label else "changed"


def _module(before: Module, after: Module) -> str:
    return "replaced" if before.part != after.part else "moved"


def _cord(before: Cord, after: Cord) -> str:
    del before, after
    return "replugged"


def _rack(before: Any, after: Any) -> str:
    if before.part != after.part:
        return "replaced"
    moved = (before.row, before.position_m) != (after.row, after.position_m)
    return "moved" if moved else _changed(before, after)


_VERB_OF: dict[str, Callable[[Any, Any], str]] = {
    "devices": _device,
    "cables": _cable,
    "modules": _module,
    "cords": _cord,
    "racks": _rack,
}


def _metres(change: Change) -> str:
    """The difference in cable to order; empty where it is none."""
    metres = sum(
        (record.after.length_m if record.after is not None else 0.0)
        - (record.before.length_m if record.before is not None else 0.0)
        for record in change.of("cables")
    )
    if abs(metres) < 0.005:
        return ""
    sign = "+" if metres > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(round(metres, 2)):,.10g} m"
