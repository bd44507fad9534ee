# SPDX-License-Identifier: Apache-2.0
"""Another part in the place of several devices or cables at once, and all that this costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rackloom.catalog.parts import CablePart, DevicePart
from rackloom.catalog.words import CableTechnology
from rackloom.design.draft import Draft
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.kept import Kept
from rackloom.design.recabling import fewer_links, fitting_ends, swap_cable
from rackloom.design.relinking import links_over
from rackloom.design.swapping import swap_device
from rackloom.design.value import Design


def exchange(draft: Draft, ids: Sequence[str], part: DevicePart | CablePart) -> list[Kept]:
    """Make devices (or cables, for the part of a cable) another part; one report for each."""
    if isinstance(part, CablePart):
        return [swap_cable(draft, CableId(i), part) for i in ids]
    return [swap_device(draft, DeviceId(i), part) for i in ids]


def try_exchange(design: Design, ids: Sequence[str], part: DevicePart | CablePart) -> list[Kept]:
    """What an exchange would keep and lose, without making it.

    EditError where it would be refused. Cables that would stay plugged but carry fewer links are
    among the losses; they are the last report.
    """
    draft = Draft(design)
    kept = exchange(draft, ids, part)
    after, _ = draft.close("Try the exchange")
    return [*kept, darkened(design, after, cables_at(design, ids))]


def cables_at(design: Design, ids: Iterable[str]) -> list[CableId]:
    """The cables among some ids and those plugged into the devices among them, each once."""
    found: dict[CableId, None] = {}
    for entity_id in ids:
        if entity_id in design.cables:
            found[CableId(entity_id)] = None
        found.update(dict.fromkeys(design.index.cables_of_device.get(DeviceId(entity_id), ())))
    return list(found)


def darkened(before: Design, after: Design, cables: Iterable[CableId]) -> Kept:
    """As losses, the cables that stay plugged through an edit but carry fewer links after it.

    ``links_lost`` counts the links of all these cables that are gone, of whatever cause.
    """
    report = Kept()
    had: set[object] = set()
    has: set[object] = set()
    for cable_id in cables:
        had.update(links_over(before, cable_id))
        if cable_id in after.cables:
            has.update(links_over(after, cable_id))
        message = fewer_links(before, after, cable_id)
        if message is not None:
            report.lose(message, cable_id)
    report.links_lost = max(len(had) - len(has), 0)
    return report


def fits_everywhere(design: Design, cable_ids: Iterable[str], part: CablePart) -> bool:
    """Whether every one of some cables could be this part, as it is plugged.

    A part of as many ends that stay plugged, and that takes or needs no transceivers: a fibre is
    not like copper.
    """
    draft = Draft(design)
    cables = (design.cables[CableId(i)] for i in cable_ids)
    return all(
        _alike(design.part(cable.part, CablePart), part)
        and fitting_ends(draft, cable, part) == len(cable.ends)
        for cable in cables
    )


def _alike(old: CablePart, new: CablePart) -> bool:
    fibre = CableTechnology.FIBRE
    return len(old.ends) == len(new.ends) and (old.technology is fibre) == (new.technology is fibre)
