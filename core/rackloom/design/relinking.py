# SPDX-License-Identifier: Apache-2.0
"""Links after an edit, and links by the cables they run through."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from rackloom.bulk import copied
from rackloom.design.change import Change
from rackloom.design.ids import CableId, DeviceId, by_age
from rackloom.design.links import Link, cable_links
from rackloom.design.paths import touched_paths
from rackloom.design.wiring import Wiring, carried_wirings, rewired_cages, wiring

if TYPE_CHECKING:
    from rackloom.design.value import Design


def patched_links(
    links: Mapping[CableId, tuple[Link, ...]], after: Design, change: Change
) -> Mapping[CableId, tuple[Link, ...]]:
    """The links after a change, worked out again only for the cables it can have touched."""
    cables = dict.fromkeys(affected_cables(after, change))
    if not cables:
        return links
    new = copied(links)
    for cable_id in cables:
        cable = after.cables.get(cable_id)
        found = cable_links(after, cable) if cable is not None else ()
        if found:
            new[cable_id] = found
        else:
            new.pop(cable_id, None)
    return new


def rewired_devices(change: Change) -> set[DeviceId] | None:
    """Devices whose cages a change can have altered; None for all (a part was replaced)."""
    cages = rewired_cages(change)
    return None if cages is None else set(cages)


def affected_cables(after: Design, change: Change) -> Iterator[CableId]:
    """Cables whose links a change can have altered: touched themselves, or in a touched cage.

    A cable that comes or goes can change the mode of its cages, and so its neighbours' links.
    Through panels, all cables of a path are affected by what happens to any of them.
    """
    rewired = rewired_cages(change)
    for record in change.of("cables"):
        yield CableId(record.id)
    if rewired is None:
        yield from after.cables
        return
    panels = after.panels
    for device_id, names in rewired.items():
        if device_id in panels or device_id not in after.devices:
            continue
        if names is None:
            yield from after.index.cables_of_device.get(device_id, ())
            continue
        seats = wiring(after, device_id).seats
        for name in names & seats.keys():
            for cable, _ in seats[name].plugs:
                yield cable.id
    yield from touched_paths(after, change, rewired).cables


def rewirings(before: Design, after: Design, change: Change) -> dict[DeviceId, Wiring]:
    """What is still known of the cages of a design after a change that replaced no part."""
    if not before.panels and not after.panels:
        return carried_wirings(before, after, change)
    # Fibres lead on through panels, so cages at the far ends of their paths may be split anew.
    rewired = rewired_devices(change) or set()
    known = copied(before.wirings)
    for device_id in rewired | touched_paths(after, change, rewired).devices:
        known.pop(device_id, None)
    return known


def links_over(design: Design, cable_id: CableId) -> tuple[Link, ...]:
    """All links that run over a cable: its own, and those of other cables that pass through it."""
    own = design.links.get(cable_id, ())
    passing = design.links_via.get(cable_id)
    if passing is None:
        return own
    return (*passing, *(link for link in own if not link.via))


def links_cut(design: Design, failed: Collection[str]) -> set[tuple[CableId, int]]:
    """Links through panels that are down when these cables and panels are.

    Each as the cable it is listed under and its number there. Links of one cable are not among
    them: they go with their cable.
    """
    cut: set[tuple[CableId, int]] = set()
    for cable_id, links in design.links_via.items():
        dead = cable_id in failed
        for link in links:
            if dead or _passes(design, link, failed):
                cut.add((link.cable, design.links[link.cable].index(link)))
    return cut


def _passes(design: Design, link: Link, failed: Collection[str]) -> bool:
    """Whether a link runs through one of some panels: from cable to cable there."""
    touched = [{end.device for end in design.cables[cable].ends} for cable in link.via]
    between = (a & b for a, b in pairwise(touched))
    return any(d in failed and d in design.panels for both in between for d in both)


def via_of(design: Design) -> dict[CableId, tuple[Link, ...]]:
    """Links by each cable of structured runs; ask ``links_over``."""
    if not design.panels:
        return {}
    return _with_links({}, (link for links in design.links.values() for link in links))


def patched_via(
    before: Design, after: Design, change: Change
) -> Mapping[CableId, tuple[Link, ...]]:
    """``via_of`` after a change, from what it was before."""
    if not after.panels and not before.links_via:
        return before.links_via
    touched = list(dict.fromkeys(affected_cables(after, change)))
    old = {link for c in touched for link in before.links.get(c, ()) if link.via}
    new = [link for c in touched for link in after.links.get(c, ())]
    kept = copied(before.links_via)
    for cable_id in {c for link in old for c in link.cables}:
        left = tuple(link for link in kept.pop(cable_id, ()) if link not in old)
        if left:
            kept[cable_id] = left
    return _with_links(kept, new)


def _with_links(
    via: dict[CableId, tuple[Link, ...]], links: Iterable[Link]
) -> dict[CableId, tuple[Link, ...]]:
    """Links through panels added to each of their cables, in one order whatever came first."""
    fresh: dict[CableId, list[Link]] = {}
    for link in links:
        if link.via:
            for cable_id in dict.fromkeys(link.via):
                fresh.setdefault(cable_id, []).append(link)
    for cable_id, found in fresh.items():
        both = [*via.get(cable_id, ()), *found]
        via[cable_id] = tuple(sorted(both, key=_by_place))
    return via


def _by_place(link: Link) -> tuple[object, ...]:
    return (*by_age(link.cable), link.a.device, link.a.cage, link.a.index)
