# SPDX-License-Identifier: Apache-2.0
"""The rule reference among the help pages, written from the rules themselves."""

from __future__ import annotations

from rackloom.checks.registry import COLLECTED, FAMILIES, Rule, by_number, rules

_FAMILY_TITLES = {
    "port": "Ports and plugs",
    "reach": "Lengths and media",
    "space": "Racks",
    "power": "Power",
    "fabric": "Networks",
    "name": "Names",
}

_SCOPES = {
    "cable": "each cable",
    "shape": "each cable",
    "device": "each device",
    "node": "each device in the network",
    "peers": "each device in the network",
    "rack": "each rack",
    "wiring": "each rack",
    "supply": "each rack",
    "row": "each row",
    "feed": "each feed",
    "network": "the whole design",
    "design": "the whole design",
}

_HEAD = """\
# Rules

Rackloom checks a design while you draw. An **error** does not work; a **warning** works with a loss
or a risk; a **note** (info) is good to know. A project can change the severity of a rule or switch
it off, and a single finding can be accepted with a reason: it stays listed, and returns when what
it is about changes.
"""

_TABLE_HEAD = f"""\
## The collected rules

Before any check was written, {COLLECTED} compatibility rules were collected from vendors'
documents, reference designs and standards. Each is covered by at least one rule:

| Number | Covered by |
| ---: | --- |"""


def markdown() -> str:
    """The whole page."""
    known = rules()
    parts = [_HEAD]
    for family in FAMILIES:
        mine = [rule for rule in known.values() if rule.family == family]
        parts.append(f"## {_FAMILY_TITLES[family]}\n")
        parts.extend(_section(rule) for rule in mine)
    parts.append(_TABLE_HEAD)
    for number, covered in by_number().items():
        parts.append(f"| {number} | {', '.join(f'`{rule_id}`' for rule_id in covered)} |")
    return "\n".join(parts) + "\n"


def _section(rule: Rule) -> str:
    text = rule.explanation.replace("What to do:", "**What to do:**")
    numbers = f" (collected rules {', '.join(map(str, rule.numbers))})" if rule.numbers else ""
    return (
        f"### `{rule.id}`\n\n{text}\n\n"
        f"{rule.severity.value.capitalize()}, checked for {_SCOPES[rule.scope]}. "
        f"Source: {rule.source}{numbers}.\n"
    )


def write() -> None:
    """Put the page where the program and its help window find it."""
    from importlib.resources import as_file, files

    with as_file(files("rackloom_resources") / "help" / "rules.md") as path:
        path.write_text(markdown(), encoding="utf-8")


if __name__ == "__main__":
    write()
