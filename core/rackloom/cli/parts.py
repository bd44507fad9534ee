# SPDX-License-Identifier: Apache-2.0
"""``catalog`` and ``presets``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rackloom.catalog import Catalog, Part, load_catalog
from rackloom.catalog.applies import applies
from rackloom.cli.output import note, say, say_json

SCHEMA = 1

_UNITS = ("_w", "_kw", "_kg", "_m", "_mm", "_ns", "_a", "_v", "_gbps", "_tbps", "_gb", "_db", "_nm")
"""Endings of fields that hold a figure: where it is missing, it is unknown and not just absent."""
_OF_SIGNALS = frozenset(
    {"rate_gbps", "lane_gbps", "modes", "module_power_max_w", "neighbour_pairs", "power_w"}
)
"""What a connector of fibre or of a panel has not got: nothing in it makes or reads a signal."""


def full_catalog() -> Catalog:
    """The bundled catalogue and the user's own parts; says which files of theirs are left out."""
    catalog = load_catalog()
    for problem in catalog.problems:
        note(f"rackloom: {problem}")
    return catalog


def _kind(part: Part) -> str:
    return str(getattr(part, "kind", "part"))


def list_parts(words: list[str], form: str) -> int:
    """Parts with all of these words, or all parts."""
    catalog = full_catalog()
    parts = catalog.find(" ".join(words)) if words else list(catalog.values())
    if form == "json":
        fields = ("id", "manufacturer", "model", "part_number", "description")
        listed = [
            {
                **{f: getattr(part, f) for f in fields},
                "kind": _kind(part),
                "trust": part.trust.value,
            }
            for part in parts
        ]
        say_json({"schema": SCHEMA, "parts": listed})
    else:
        if not parts:
            note("rackloom: no part of the catalogue has all of these words")
        width = max((len(part.id) for part in parts), default=0)
        say("".join(f"{p.id:<{width}}  {_kind(p):<11}  {p.title}\n" for p in parts))
    return 0


def show(part_id: str, form: str) -> int:
    """Everything about one part, unknown figures as such, and where they come from."""
    catalog = full_catalog()
    part = catalog.named(part_id)
    sources = {key: catalog.sources[key] for key in part.sources if key in catalog.sources}
    figures = _ordered(part.model_dump(mode="json"))
    if form == "json":
        say_json({"schema": SCHEMA, "part": figures, "sources": sources})
        return 0
    known = {
        key: inner for key, inner in figures.items() if inner is not None or applies(part, key)
    }
    lines = [part.title, *_lines(known, "")]
    lines += [f"source {key}: {source}" for key, source in sources.items()]
    say("\n".join(lines) + "\n")
    return 0


def _ordered(value: Any) -> Any:
    """Lists that were sets in one order, so that the output does not change from run to run."""
    if isinstance(value, dict):
        return {
            key: sorted(inner) if key == "protocols" else _ordered(inner)
            for key, inner in value.items()
        }
    return [_ordered(inner) for inner in value] if isinstance(value, list) else value


def _lines(value: dict[str, Any], indent: str) -> list[str]:
    lines = []
    for key, inner in value.items():
        match inner:
            case dict():
                lines += [f"{indent}{key}:", *_lines(inner, indent + "  ")]
            case [dict(), *_]:
                lines += [f"{indent}{key}:", *_items(inner, indent + "  ")]
            case None if key.endswith(_UNITS):
                lines.append(f"{indent}{key}: unknown")
            case [] | "" | None:
                continue
            case list():
                lines.append(f"{indent}{key}: {', '.join(str(item) for item in inner)}")
            case bool():
                lines.append(f"{indent}{key}: {'yes' if inner else 'no'}")
            case _:
                lines.append(f"{indent}{key}: {inner}")
    return lines


def _items(items: list[dict[str, Any]], indent: str) -> Iterator[str]:
    """One entry for each run of equal items, with how many they are."""
    for item, run in groupby(items):
        count = len(list(run))
        first, *rest = _lines(_without_signals(item), indent + "  ") or [""]
        yield f"{indent}- {first.strip()}" + (f"   ({count} times)" if count > 1 else "")
        yield from rest


def _without_signals(item: dict[str, Any]) -> dict[str, Any]:
    """A cage or cable end, without the figures that passive ones have not got."""
    dark = item.get("passive") is True or ("rate_gbps" in item and item["rate_gbps"] is None)
    if not dark:
        return item
    return {key: inner for key, inner in item.items() if key not in _OF_SIGNALS}


def list_presets(form: str) -> int:
    """Presets with their options."""
    from rackloom.generate import presets

    if form == "json":
        say_json({"schema": SCHEMA, "presets": [_preset(preset) for preset in presets()]})
        return 0
    lines = []
    for preset in presets():
        lines.append(f"{preset.name}: {preset.title}")
        width = max((len(option.key) for option in preset.options), default=0)
        lines += [
            f"  {option.key:<{width}}  {option.help} (default: {_default(option.default)})"
            for option in preset.options
        ]
    say("\n".join(lines) + "\n")
    return 0


def _default(value: Any) -> str:
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "none"


def _preset(preset: Any) -> dict[str, Any]:
    return {
        "name": preset.name,
        "title": preset.title,
        "options": [
            {
                "key": option.key,
                "kind": option.kind,
                "default": option.default,
                "minimum": option.minimum,
                "maximum": option.maximum,
                "help": option.help,
            }
            for option in preset.options
        ],
    }
