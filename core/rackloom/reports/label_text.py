# SPDX-License-Identifier: Apache-2.0
"""What a cable label says: templates with tokens in braces.

Tokens are looked up, never evaluated: templates come with project files of other people.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

TIA_606 = "{near} / {far}"
"""The usual label, after TIA-606: where this end is, then where the other one is."""

LONGEST = 400
"""Characters of a template; a label holds far fewer."""

_ENDS = {"a": "the trunk end", "b": "the other end", "near": "this end", "far": "the far end"}
_PLACE = {
    "": "rack, unit and port: `R01-U40:12/1`",
    "_rack": "its rack",
    "_u": "its lowest unit, `U40`, or where a 0U device hangs",
    "_device": "its device",
    "_port": "its port",
}
TOKENS: Mapping[str, str] = {
    **{
        f"{end}{part}": f"{who}: {what}"
        for end, who in _ENDS.items()
        for part, what in _PLACE.items()
    },
    "cable": "the cable's id",
    "label": "the cable's own label",
    "part_number": "its part number",
    "type": "its technology and split: `DAC 1:2`",
    "length": "its length in metres",
    "fabric": "the network it belongs to",
    "rail": "the rail, or rails, of the server ports it reaches, counted from 0",
    "rate": "the sum of its link rates in Gb/s",
    "colour": "its colour",
}
"""Every token and what it stands for."""

_TOKEN = re.compile(r"\{([^{}]*)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its tokens filled in; what is no token stays as it is written."""
    return _TOKEN.sub(lambda found: values.get(found[1], found[0]), template)


def template_problem(template: str) -> str | None:
    """What is wrong with a template, in one sentence; None where nothing is."""
    if len(template) > LONGEST:
        return f"a label template has {LONGEST} characters at most, not {len(template)}"
    if any(ord(letter) < 32 and letter != "\n" for letter in template):
        return "a label template holds a character that cannot be printed"
    for name in _TOKEN.findall(template):
        if name not in TOKENS:
            near = difflib.get_close_matches(name, TOKENS, n=1)
            hint = f"did you mean {{{near[0]}}}?" if near else "see the help, Ordering"
            return f"{{{name[:40]}}} is no token of a label template: {hint}"
    return None


def place_text(rack: str, u: str, device: str, port: str) -> str:
    """``R01-U40:12/1``: rack, unit, port; ``loose`` without a device."""
    return f"{rack}-{unit_text(u)}:{port}" if device else "loose"


def unit_text(u: str) -> str:
    """``U40`` for a unit, a 0U device's mount as it is."""
    return f"U{u}" if u.isdecimal() else u


def place_tokens(end: str, rack: str, u: str, device: str, port: str) -> dict[str, str]:
    """The tokens of one end (``a``, ``b``, ``near``, ``far``)."""
    return {
        end: place_text(rack, u, device, port),
        f"{end}_rack": rack,
        f"{end}_u": unit_text(u),
        f"{end}_device": device,
        f"{end}_port": port,
    }
