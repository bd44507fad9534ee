# SPDX-License-Identifier: Apache-2.0
"""What people call things: from a name, label or id on the command line to an entity."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from rackloom.cli.errors import CommandError
from rackloom.design import Design

NEAR_MISSES = 3


def resolve(design: Design, names: Iterable[str]) -> frozenset[str]:
    """Ids of devices and cables given by name, label or id.

    Raises CommandError for a name that nothing or more than one thing has.
    """
    known = _known(design)
    found = set()
    for name in names:
        if name in design.devices or name in design.cables:
            found.add(name)
            continue
        ids = known.get(name, [])
        if not ids:
            raise CommandError(f"no device or cable is called {name!r}{near(name, known)}")
        if len(ids) > 1:
            some = ", ".join(ids[:NEAR_MISSES])
            raise CommandError(f"{len(ids)} things are called {name!r}: give an id ({some})")
        found.add(ids[0])
    return frozenset(found)


def _known(design: Design) -> dict[str, list[str]]:
    """Ids by name of the device, own label of the cable, or the label the schedule gives it."""
    known: dict[str, list[str]] = {}
    for device in design.devices.values():
        known.setdefault(device.name, []).append(device.id)
    for cable in design.cables.values():
        if cable.label:
            known.setdefault(cable.label, []).append(cable.id)
    return known


def near(name: str, known: Iterable[str]) -> str:
    """`` (did you mean ...?)`` with what comes close, or nothing."""
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    close = difflib.get_close_matches(name.lower(), lowered, n=NEAR_MISSES, cutoff=0.6)
    if not close:
        return ""
    return f" (did you mean {', '.join(lowered[candidate] for candidate in close)}?)"
