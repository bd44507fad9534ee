# SPDX-License-Identifier: Apache-2.0
"""Power shelves: which feeds suit them, how they are spread over A and B, and more of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import ceil
from typing import TYPE_CHECKING

from rackloom.catalog.parts import PduPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.design.edits import add_device, add_feed, plug_cord
from rackloom.design.ids import DeviceId, FeedId, RackId
from rackloom.design.names import device_names, next_name, stem_for
from rackloom.design.slots import free_ranges, height_u
from rackloom.placement.loads import circuit_w, on_busbar_of
from rackloom.placement.plans import Refusal
from rackloom.placement.power import PlannedCord, PowerPlan

if TYPE_CHECKING:
    from rackloom.design.draft import Draft
    from rackloom.design.entities import Device, Feed
    from rackloom.design.value import Design


def input_refusal(part: PowerShelfPart, feed: Feed) -> str:
    """What speaks against a shelf on a feed, as part of a sentence; empty where nothing does.

    What nobody published about the shelf's input speaks against nothing.
    """
    if part.input_phases is not None and feed.phases != part.input_phases:
        words = {1: "single-phase", 3: "three-phase"}
        has = words.get(feed.phases, f"{feed.phases}-phase")
        return f"takes {words[part.input_phases]} power, but the feed is {has}"
    if part.input_voltage_v is not None and feed.voltage_v > part.input_voltage_v + 0.5:
        return f"takes up to {part.input_voltage_v:g} V, but the feed has {feed.voltage_v:g} V"
    return ""


def feed_amperes(design: Design, device_id: DeviceId, feed: Feed) -> float:
    """What a shelf or PDU takes of a feed; where that is unknown, the whole of it.

    A shelf counts with its rating: what its rectifiers lose is not published.
    """
    part = design.device_part(device_id)
    if isinstance(part, PowerShelfPart):
        return part.rated_kw * 1000 / circuit_w(feed.voltage_v, 1.0, feed.phases)
    known = part.current_a if isinstance(part, PduPart) else None
    return feed.current_a if known is None else known


SHELF_FEED_V = 415.0
"""Volts of a new feed for a shelf that takes them, or whose input nobody published: the highest
of the usual circuits in the catalogue."""


def circuit_for(part: PowerShelfPart, derating: float) -> tuple[float, float, int]:
    """Volts, amperes and phases of a circuit that carries one shelf at its rating for good.

    What its rectifiers lose is not published: it is to be added where it is known.
    """
    volts = min(SHELF_FEED_V, part.input_voltage_v or SHELF_FEED_V)
    phases = part.input_phases or 3
    full_a = part.rated_kw * 1000 / circuit_w(volts, 1.0, phases)
    return volts, float(ceil(full_a / derating)), phases


def draw_feeds(draft: Draft, shelf_ids: Iterable[DeviceId]) -> None:
    """A new feed for each of these shelves, A and B by turns from the bottom of each rack."""
    design = draft.base.apply(draft.change())
    for rack_id, shelves in _by_rack(design, shelf_ids).items():
        count = _groups_of_rack(design, rack_id, ())
        for shelf in shelves:
            group = min("AB", key=lambda g: count[g])
            count[group] += 1
            part = design.part(shelf.part, PowerShelfPart)
            names = (feed.name for feed in draft.feeds.values())
            name = next_name(f"{design.racks[rack_id].name}-{group}", names, width=1)
            circuit = circuit_for(part, draft.settings.feed_derating)
            plug_cord(draft, shelf.id, 1, add_feed(draft, name, group, *circuit))


def plan_shelf_feeds(
    design: Design, shelf_ids: Collection[DeviceId], moved: Collection[DeviceId] = ()
) -> PowerPlan:
    """Cords from shelves without one to feeds that suit them, evenly over the groups of a rack.

    The least used feed of a group comes first; a feed takes shelves up to its current. Cords of
    the shelves in ``moved``, which are among the others, count as not there.
    """
    gone = set(moved)
    cords: list[PlannedCord] = []
    problems: list[Refusal] = []
    used_a = {
        feed.id: sum(
            feed_amperes(design, design.cords[cord].device, feed)
            for cord in design.index.cords_from_source.get(feed.id, ())
            if design.cords[cord].device not in gone
        )
        for feed in design.feeds.values()
    }
    for rack_id, shelves in _by_rack(design, shelf_ids).items():
        count = _groups_of_rack(design, rack_id, gone)
        for shelf in shelves:
            if _is_fed(design, shelf.id) and shelf.id not in gone:
                continue
            part = design.part(shelf.part, PowerShelfPart)
            fitting = [
                feed
                for feed in design.feeds.values()
                if not input_refusal(part, feed)
                and used_a[feed.id] + feed_amperes(design, shelf.id, feed) <= feed.current_a + 1e-6
            ]
            if not fitting:
                problems.append(
                    Refusal(f"no feed that suits has room for {shelf.name}", (shelf.id, rack_id))
                )
                continue
            best = min(
                fitting,
                key=lambda f: (count[f.group], used_a[f.id] / f.current_a, f.group, f.name),
            )
            used_a[best.id] += feed_amperes(design, shelf.id, best)
            count[best.group] += 1
            cords.append(PlannedCord(shelf.id, 1, best.id, "", best.group))
    return PowerPlan(tuple(cords), tuple(problems))


def _by_rack(design: Design, shelf_ids: Iterable[DeviceId]) -> dict[RackId, list[Device]]:
    found: dict[RackId, list[Device]] = {}
    for shelf_id in shelf_ids:
        shelf = design.devices[shelf_id]
        found.setdefault(shelf.rack, []).append(shelf)
    for shelves in found.values():
        shelves.sort(key=lambda d: (d.bottom_u or 0, d.id))
    return found


def _is_fed(design: Design, device_id: DeviceId) -> bool:
    return bool(design.index.cords_of_device.get(device_id))


def _groups_of_rack(design: Design, rack_id: RackId, gone: Collection[DeviceId]) -> Counter[str]:
    """How many shelves of a rack hang on each group already."""
    found: Counter[str] = Counter()
    for shelf in on_busbar_of(design, rack_id)[1]:
        if shelf in gone:
            continue
        for cord in design.index.cords_of_device.get(shelf, ()):
            feed = design.feeds.get(FeedId(design.cords[cord].source))
            if feed is not None:
                found[feed.group] += 1
    return found


def spread_shelves(draft: Draft, rack_id: RackId) -> None:
    """Plug the shelves of a rack anew, evenly over the groups of the feeds that suit them.

    A shelf that finds no feed with room keeps the cord it has.
    """
    design = draft.base.apply(draft.change())
    shelves = on_busbar_of(design, rack_id)[1]
    plan = plan_shelf_feeds(design, shelves, shelves)
    replugged = {cord.device for cord in plan.cords}
    for shelf in replugged:
        for cord_id in design.index.cords_of_device.get(shelf, ()):
            draft.remove("cords", cord_id)
    for cord in plan.cords:
        plug_cord(draft, cord.device, cord.inlet, cord.source, cord.outlet)


def free_shelf_places(design: Design, rack_id: RackId, part: PowerShelfPart) -> list[int]:
    """Lowest U where a further shelf fits, those nearest to the rack's shelves first."""
    units = height_u(part)
    places = [
        u
        for low, high in free_ranges(design, rack_id)
        for u in range(low, high - units + 2, max(units, 1))
    ]
    others = [design.devices[s].bottom_u or 0 for s in on_busbar_of(design, rack_id)[1]]
    return sorted(places, key=lambda u: (min((abs(u - o) for o in others), default=0), u))


def add_shelves(draft: Draft, rack_id: RackId, part: PowerShelfPart, count: int) -> list[DeviceId]:
    """More shelves of a kind in a rack, as far as there is room, each on a feed where one suits."""
    design = draft.base.apply(draft.change())
    made = []
    for bottom_u in free_shelf_places(design, rack_id, part)[:count]:
        name = next_name(stem_for(part), device_names(draft))
        made.append(add_device(draft, part, rack_id, bottom_u, name=name))
    after = draft.base.apply(draft.change())
    for cord in plan_shelf_feeds(after, made).cords:
        plug_cord(draft, cord.device, cord.inlet, cord.source, cord.outlet)
    return made
