# SPDX-License-Identifier: Apache-2.0
"""Power shelves: what they carry, with one rectifier or one feed lost, and what feeds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.checks.busbar import with_busbar
from rackloom.checks.context import Context
from rackloom.checks.finding import Fix, Hit, Severity, called, listed
from rackloom.checks.registry import rule
from rackloom.checks.sockets import unplug
from rackloom.design.draft import Draft
from rackloom.design.errors import EditError
from rackloom.design.ids import DeviceId, FeedId, RackId
from rackloom.placement.loads import on_busbar_of
from rackloom.placement.power import apply
from rackloom.placement.shelves import (
    add_shelves,
    circuit_for,
    draw_feeds,
    free_shelf_places,
    input_refusal,
    plan_shelf_feeds,
    spread_shelves,
)

if TYPE_CHECKING:
    from rackloom.design.value import Design

_LOAD = {"devices", "racks", "modules", "cables"}
_FED = {"devices", "racks", "modules", "cables", "cords", "feeds"}
_SOURCE = "NVIDIA DGX GB200 user guide, hardware; OCP Open Rack V3"
_MOST_SHELVES = 8
"""So many more a fix adds at most: an NVL72 has eight in all."""

Test = Callable[[Context, str], Iterator[Hit]]


def _shelf(design: Design, shelf: DeviceId) -> PowerShelfPart:
    return design.part(design.devices[shelf].part, PowerShelfPart)


# Rules


@rule(
    "power.shelf-overload",
    Severity.ERROR,
    watches=_LOAD,
    scope="supply",
    among=with_busbar,
    source=_SOURCE,
    numbers=(58,),
)
def shelf_overload(context: Context, rack_id: str) -> Iterator[Hit]:
    """The power shelves of a rack carry what hangs on its busbar.

    All shelves feed one bar. Devices whose draw nobody published are left out of the sum, and the
    finding says how many. What to do: add a shelf (the fix), or take devices out.
    """
    devices, shelves = on_busbar_of(context.design, rack_id)
    if not devices or not shelves:
        return
    load = context.loads.busbar(rack_id)
    usable_w = context.loads.shelves_w(shelves)
    if load.watts > usable_w + 0.5:
        yield Hit(
            (rack_id,),
            f"the devices on the busbar of {called(rack_id)} draw {load.kw:.1f} kW{load.caveat}, "
            f"but its power shelves give {usable_w / 1000:.1f} kW",
            partial(_more_shelves, shelf_overload, rack_id),
        )


@rule(
    "power.shelf-spare",
    Severity.WARNING,
    watches=_LOAD,
    scope="supply",
    among=with_busbar,
    source="OCP Open Rack V3 power shelves (5+1 and 6+0 rectifiers); NVIDIA power shelf pages",
    numbers=(63,),
)
def shelf_spare(context: Context, rack_id: str) -> Iterator[Hit]:
    """With one rectifier lost, the power shelves of a rack still carry its busbar (N+1).

    A shelf of 5+1 rectifiers gives its rating without one of them, a shelf of 6+0 does not: then
    the spare has to be in another shelf. Shelves whose rectifiers nobody published are taken at
    their rating. What to do: add a shelf (the fix), or take devices out.
    """
    design = context.design
    devices, shelves = on_busbar_of(design, rack_id)
    if not devices or not shelves:
        return
    load = context.loads.busbar(rack_id)
    usable_w = context.loads.shelves_w(shelves)
    losses = [
        (1000 * part.rated_kw - part.rated_less_one_w, shelf)
        for shelf in shelves
        if (part := _shelf(design, shelf)).rated_less_one_w is not None
    ]
    loss_w, worst = max(losses, key=lambda item: item[0], default=(0.0, None))
    if worst is None or not usable_w - loss_w + 0.5 < load.watts <= usable_w + 0.5:
        return
    yield Hit(
        (rack_id, worst),
        f"with one rectifier of {called(worst)} lost, the power shelves of {called(rack_id)} give "
        f"{(usable_w - loss_w) / 1000:.1f} kW, but the devices on its busbar draw "
        f"{load.kw:.1f} kW{load.caveat}",
        partial(_more_shelves, shelf_spare, rack_id),
    )


@rule(
    "power.unfed-shelf",
    Severity.WARNING,
    watches={"cords", "devices"},
    scope="supply",
    among=with_busbar,
    source="NEC: a circuit's rating is its breaker's",
    numbers=(58, 59),
)
def unfed_shelf(context: Context, rack_id: str) -> Iterator[Hit]:
    """A power shelf in use hangs on a feed of the building.

    Without it nobody can say which shelves fail together, or what the breakers carry. What to do:
    draw the feeds (A and B, voltage, amperes) and plug the shelves into them, half of them on
    each. The fix takes feeds that are there where they suit and have room, and else draws new ones
    that carry a shelf each.
    """
    devices, shelves = on_busbar_of(context.design, rack_id)
    unfed = [shelf for shelf in shelves if not context.cords(shelf)]
    if not devices or not unfed:
        return
    feed, hang = ("feeds", "hangs") if len(unfed) == 1 else ("feed", "hang")
    yield Hit(
        (*unfed, rack_id),
        f"{listed(unfed)} {feed} the busbar of {called(rack_id)}, but {hang} on no feed",
        partial(_plug_into_feeds, tuple(unfed)),
    )


@rule(
    "power.shelf-input",
    Severity.ERROR,
    watches={"cords", "devices", "feeds"},
    scope="supply",
    among=with_busbar,
    source="OCP Open Rack V3 power shelves (input); data sheets of the shelves",
    numbers=(62,),
)
def shelf_input(context: Context, rack_id: str) -> Iterator[Hit]:
    """A power shelf hangs on a circuit of the building that suits its input.

    Its rectifiers take so many phases and volts, and its whip goes to a circuit of its own, not
    into an outlet of a PDU. What to do: plug it into a feed that suits (the fix), or draw one.
    """
    design = context.design
    for shelf in on_busbar_of(design, rack_id)[1]:
        for cord in context.cords(shelf):
            feed = design.feeds.get(FeedId(cord.source))
            if feed is None:
                why = f"takes a circuit of its own, but hangs on {called(cord.source)}"
            else:
                why = input_refusal(_shelf(design, shelf), feed)
                why = f"{why} ({called(feed.id)})" if why else ""
            if why:
                yield Hit(
                    (shelf, cord.source, rack_id),
                    f"{called(shelf)} in {called(rack_id)} {why}",
                    partial(_other_feed, shelf, cord.id),
                )


@rule(
    "power.shelf-split",
    Severity.WARNING,
    watches=_FED,
    scope="supply",
    among=with_busbar,
    source="NVIDIA power shelf pages (N+N over eight shelves); Dell AI fabric rules (2N feeds)",
    numbers=(58, 63),
)
def shelf_split(context: Context, rack_id: str) -> Iterator[Hit]:
    """The power shelves of a rack are spread over feeds that fail independently.

    What to do: plug half of them into the other feed (the fix, where one suits and has room).
    """
    if not on_busbar_of(context.design, rack_id)[0]:
        return
    groups = context.loads.shelf_groups(rack_id)
    on = set[str]().union(*groups.values())
    if len(on) != 1:
        return
    feed = context.loads.group_words(next(iter(on)))
    all_of_them = "all" if len(groups) > 1 else "the only"
    shelves, hang = ("shelves", "hang") if len(groups) > 1 else ("shelf", "hangs")
    count = f" {len(groups)}" if len(groups) > 1 else ""
    yield Hit(
        (*groups, rack_id),
        f"{all_of_them}{count} power {shelves} of {called(rack_id)} {hang} on {feed}: the rack "
        "goes down with it",
        partial(_spread, shelf_split, rack_id),
    )


@rule(
    "power.shelf-feed-lost",
    Severity.ERROR,
    watches=_FED,
    scope="supply",
    among=with_busbar,
    source="NVIDIA power shelf pages (N+N over eight shelves); Dell AI fabric rules (2N feeds)",
    numbers=(58,),
)
def shelf_feed_lost(context: Context, rack_id: str) -> Iterator[Hit]:
    """With one feed lost, the power shelves on the others carry the busbar of the rack.

    Shelves without a feed carry nothing here. What to do: spread the shelves evenly over the
    feeds, or add some (the fixes).
    """
    worst = context.loads.shelves_left(rack_id)
    if worst is None:
        return  # power.shelf-split or power.unfed-shelf says so
    lost, left_w = worst
    groups = context.loads.shelf_groups(rack_id)
    load = context.loads.busbar(rack_id)
    if not left_w + 0.5 < load.watts <= context.loads.shelves_w(groups) + 0.5:
        return
    yield Hit(
        (rack_id, *groups),
        f"with {context.loads.group_words(lost)} lost, the power shelves of {called(rack_id)} give "
        f"{left_w / 1000:.1f} kW, but the devices on its busbar draw {load.kw:.1f} kW"
        f"{load.caveat}",
        partial(_spread_or_more, rack_id),
    )


# Fixes


def _clears(design: Design, test: Test, rack_id: str, edit: Callable[[Draft], object]) -> bool:
    """Whether an edit can be made and leaves a rule nothing to say about the rack."""
    draft = Draft(design)
    try:
        edit(draft)
        after, _ = draft.close("Try")
    except EditError:
        return False
    return not any(test(Context(after), rack_id))


def _more_shelves(test: Test, rack_id: str, design: Design) -> Sequence[Fix]:
    """The fewest further shelves that do, where the rack has room for them."""
    rack = RackId(rack_id)
    last = on_busbar_of(design, rack)[1][-1]
    part = _shelf(design, last)
    room = len(free_shelf_places(design, rack, part))
    for count in range(1, min(room, _MOST_SHELVES) + 1):
        edit = partial(_add, rack, part, count)
        if _clears(design, test, rack_id, edit):
            more = "another" if count == 1 else f"{count} ×"
            return (Fix(f"Add {more} {part.model}", edit),)
    return ()


def _add(rack: RackId, part: PowerShelfPart, count: int, draft: Draft) -> None:
    if len(add_shelves(draft, rack, part, count)) < count:
        raise EditError(f"{draft.racks[rack].name} has no room for {count} × {part.model}", (rack,))


def _spread(test: Test, rack_id: str, design: Design) -> Sequence[Fix]:
    edit = partial(_spread_edit, RackId(rack_id))
    if not _clears(design, test, rack_id, edit):
        return ()
    return (Fix("Spread the shelves over the feeds", edit),)


def _spread_edit(rack: RackId, draft: Draft) -> None:
    spread_shelves(draft, rack)


def _spread_or_more(rack_id: str, design: Design) -> Sequence[Fix]:
    spread = _spread(shelf_feed_lost, rack_id, design)
    return spread or _more_shelves(shelf_feed_lost, rack_id, design)


def _plug_into_feeds(shelves: tuple[DeviceId, ...], design: Design) -> Sequence[Fix]:
    """Into feeds that are there; where they have no room, into new ones, whose size is said."""
    plan = plan_shelf_feeds(design, shelves)
    alone = len(shelves) == 1
    if plan.cords and not plan.problems:

        def plug(draft: Draft) -> None:
            apply(draft, plan)

        return (Fix("Plug it into a feed" if alone else "Plug them into feeds", plug),)
    derating = design.settings.feed_derating
    circuits = {circuit_for(_shelf(design, shelf), derating) for shelf in shelves}
    size = ""
    if len(circuits) == 1:
        volts, amperes, _phases = circuits.pop()
        size = f" ({volts:g} V, {amperes:g} A)"
    what = "a feed for it" if alone else "a feed for each, on A and B"
    return (Fix(f"Draw {what}{size}", partial(_draw, shelves)),)


def _draw(shelves: tuple[DeviceId, ...], draft: Draft) -> None:
    draw_feeds(draft, shelves)


def _other_feed(shelf: DeviceId, cord_id: str, design: Design) -> Sequence[Fix]:
    plan = plan_shelf_feeds(design, [shelf], [shelf])
    if not plan.cords:
        return unplug("Remove the cord", (cord_id,), design)

    def replug(draft: Draft) -> None:
        for cord in design.index.cords_of_device.get(shelf, ()):
            if cord in draft.cords:
                draft.remove("cords", cord)
        apply(draft, plan)

    name = design.name_of(plan.cords[0].source)
    return (Fix(f"Plug it into {name}", replug),)
