# SPDX-License-Identifier: Apache-2.0
"""Names for what is new: short, counted on, and free."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, PduPart, ServerPart, SwitchPart

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.value import Design

_TAIL = re.compile(r"^(.*?)(\d+)$", re.DOTALL)


def stem_for(part: DevicePart) -> str:
    """What the names of devices of this part begin with."""
    match part:
        case ServerPart():
            return {"gpu": "gpu-", "storage": "stor-", "management": "mgmt-"}.get(
                part.purpose, "node-"
            )
        case SwitchPart():
            return "switch-"
        case PduPart():
            return "pdu-"
        case _:
            return "device-"


def next_name(stem: str, taken: Iterable[str], width: int = 2) -> str:
    """``stem`` with the number after the greatest one in use."""
    greatest = 0
    for name in taken:
        if name.startswith(stem) and name[len(stem) :].isdecimal():
            greatest = max(greatest, int(name[len(stem) :]))
    return f"{stem}{greatest + 1:0{width}d}"


def name_after(name: str, taken: Iterable[str]) -> str:
    """A free name for a copy: counts on from its number (``gpu-07``, then ``gpu-08``)."""
    match = _TAIL.match(name)
    stem, width = (match[1], len(match[2])) if match else (f"{name}-", 1)
    return next_name(stem, taken, width)


def shortened(text: str, most: int = 80) -> str:
    """A text of at most so many characters, for where a longer one would push all else aside.

    The middle is left out: names differ at their beginning and at their end.
    """
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def device_names(design: Design | Draft) -> Iterable[str]:
    """Names of all devices."""
    return (device.name for device in design.devices.values())
