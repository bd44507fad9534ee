# SPDX-License-Identifier: Apache-2.0
"""Cords, outlets, PDUs and feeds: is everything powered, and does each circuit carry its load."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from rackloom.catalog.parts import DevicePart, PduPart
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.loads import (
    devices_on,
    feed_usable_w,
    needs_power,
    on_busbar,
    pdu_usable_w,
    pdus_in,
)
from rackloom.checks.recable import connect_pdu, connect_power
from rackloom.checks.registry import rule
from rackloom.checks.sockets import unplug
from rackloom.design.ids import DeviceId, FeedId
from rackloom.placement.outlets import OUTLETS_FOR

_POWER = {"cords", "devices", "modules", "cables", "feeds", "settings"}


@rule(
    "power.no-power",
    Severity.ERROR,
    watches={"cords", "devices"},
    scope="device",
    source="NVIDIA DGX H100 user guide (power supplies and inlets)",
)
def no_power(context: Context, device_id: str) -> Iterator[Hit]:
    """A device that draws power has a power cord.

    What to do: draw cords from its inlets to the PDUs of its rack; "Connect power" (the fix) does
    so where the rack has PDUs with free outlets of the right kind.
    """
    view = context.view(cast("DeviceId", device_id))
    if not needs_power(view.part) or context.cords(view.device.id):
        return
    if not _inlets_known(view.part):
        return
    count = view.part.psu.count if view.part.psu is not None else 1
    inlets = f"none of its {count} inlets has a cord" if count > 1 else "its inlet has no cord"
    yield Hit(
        (device_id,),
        f"{called(device_id)} has no power: {inlets}",
        partial(connect_power, view.device.id, context.catalog_given),
    )


def _inlets_known(part: DevicePart) -> bool:
    """Whether the part says which cord goes into it."""
    return part.psu is not None and part.psu.inlet is not None


@rule(
    "power.unpublished-inlets",
    Severity.WARNING,
    watches={"cords", "devices"},
    scope="device",
    source="figures that the makers of the bundled parts do not publish",
)
def unpublished_inlets(context: Context, device_id: str) -> Iterator[Hit]:
    """The catalogue says which cord a device takes, so that its power can be connected and checked.

    What to do: look the inlets up on the device or with its maker, and give it a part of your own
    that has them.
    """
    view = context.view(cast("DeviceId", device_id))
    if not needs_power(view.part) or context.cords(view.device.id) or _inlets_known(view.part):
        return
    yield Hit(
        (device_id,),
        f"the power inlets of {view.part.title} are not known, so {called(device_id)} has no cord "
        "and its supply is not checked",
    )


@rule(
    "power.few-inlets",
    Severity.ERROR,
    watches={"cords", "devices"},
    scope="device",
    source="NVIDIA DGX H100 and B200 user guides (power supplies needed)",
    numbers=(63,),
)
def few_inlets(context: Context, device_id: str) -> Iterator[Hit]:
    """As many power supplies have a cord as the device needs at full load.

    A DGX H100 needs four of its six supplies, a B200 five of six. What to do: bring cords to the
    other inlets ("Connect power" is the fix).
    """
    view = context.view(cast("DeviceId", device_id))
    psu = view.part.psu
    cords = len({c.inlet for c in context.cords(view.device.id)})
    if psu is None or on_busbar(view.part) or psu.needed is None or not 0 < cords < psu.needed:
        return
    yield Hit(
        (device_id,),
        f"{called(device_id)} needs {psu.needed} of its {psu.count} power supplies, but only "
        f"{cords} {'has a cord' if cords == 1 else 'have cords'}",
        partial(connect_power, view.device.id, context.catalog_given),
    )


@rule(
    "power.spare-inlet",
    Severity.WARNING,
    watches={"cords", "devices"},
    scope="device",
    source="NVIDIA DGX H100 and B200 user guides (power supplies)",
    numbers=(63,),
)
def spare_inlet(context: Context, device_id: str) -> Iterator[Hit]:
    """All power supplies have a cord: one without is no spare.

    What to do: bring cords to the other inlets ("Connect power" is the fix).
    """
    view = context.view(cast("DeviceId", device_id))
    psu = view.part.psu
    cords = len({c.inlet for c in context.cords(view.device.id)})
    if psu is None or not max(psu.needed or 1, 1) <= cords < psu.count:
        return
    yield Hit(
        (device_id,),
        f"{cords} of the {psu.count} power supplies of {called(device_id)} "
        f"{'has a cord' if cords == 1 else 'have cords'}",
        partial(connect_power, view.device.id, context.catalog_given),
    )


@rule(
    "power.outlet-kind",
    Severity.ERROR,
    watches={"cords", "devices"},
    scope="device",
    source="IEC 60320; NetBox device types (PDU outlets and PSU inlets)",
    numbers=(62,),
)
def outlet_kind(context: Context, device_id: str) -> Iterator[Hit]:
    """A cord joins an inlet with an outlet of its kind.

    C20 inlets (16 A) need C19 outlets, C14 inlets C13 ones; a C13 outlet (10 A) cannot feed a C20
    inlet. What to do: use an outlet of the right kind, or a PDU that has enough of them.
    """
    view = context.view(cast("DeviceId", device_id))
    psu = view.part.psu
    if psu is None or psu.inlet is None:
        return
    for cord in context.cords(view.device.id):
        pdu = context.design.devices.get(cast("DeviceId", cord.source))
        if pdu is None:
            continue
        part = context.design.parts[pdu.part]
        group = part.outlet_by_name.get(cord.outlet) if isinstance(part, PduPart) else None
        if group is None:
            yield Hit(
                (cord.id, device_id, pdu.id),
                f"inlet {cord.inlet} of {called(device_id)} is cabled to outlet "
                f"“{cord.outlet}” of {called(pdu.id)}, which does not exist",
                partial(unplug, "Remove the cord", (cord.id,)),
            )
        elif group.kind not in OUTLETS_FOR.get(psu.inlet, ()):
            wants = OUTLETS_FOR.get(psu.inlet, ())
            need = f"needs a {wants[0]} outlet" if wants else "takes no cord"
            yield Hit(
                (cord.id, device_id, pdu.id),
                f"inlet {cord.inlet} of {called(device_id)} is {psu.inlet} and {need}, but "
                f"{cord.outlet} of {called(pdu.id)} is {group.kind}",
                partial(unplug, "Remove the cord", (cord.id,)),
            )


@rule(
    "power.used-twice",
    Severity.ERROR,
    watches={"cords", "devices"},
    scope="device",
    source="definition: an inlet and an outlet take one cord",
    numbers=(62,),
)
def cord_twice(context: Context, device_id: str) -> Iterator[Hit]:
    """An inlet and an outlet take one cord each.

    The program refuses a second one, but a file can hold it. What to do: remove one of them (the
    fix takes the newer), or use another outlet.
    """
    design = context.design
    inlets: dict[int, list[str]] = {}
    for cord in context.cords(cast("DeviceId", device_id)):
        inlets.setdefault(cord.inlet, []).append(cord.id)
    outlets: dict[str, list[str]] = {}
    for cord_id in design.index.cords_from_source.get(device_id, ()):
        outlets.setdefault(design.cords[cord_id].outlet, []).append(cord_id)
    named = [(f"inlet {inlet}", ids) for inlet, ids in inlets.items()]
    named += [(f"outlet {outlet}", ids) for outlet, ids in outlets.items()]
    for what, ids in named:
        if len(ids) > 1:
            yield Hit(
                (device_id, *ids),
                f"{what} of {called(device_id)} has {len(ids)} cords",
                partial(unplug, "Remove the newer", tuple(ids[1:])),
            )


@rule(
    "power.unknown-inlet",
    Severity.ERROR,
    watches={"cords", "devices"},
    scope="device",
    source="definition: a cord ends in an inlet that is there",
)
def unknown_inlet(context: Context, device_id: str) -> Iterator[Hit]:
    """A cord ends in an inlet the device has.

    What to do: remove the cord (the fix), or choose one of the device's inlets.
    """
    view = context.view(cast("DeviceId", device_id))
    psu = view.part.psu
    if psu is None:
        return
    for cord in context.cords(view.device.id):
        if not 1 <= cord.inlet <= psu.count:
            yield Hit(
                (cord.id, device_id),
                f"a cord leads to inlet {cord.inlet} of {called(device_id)}, which has {psu.count}",
                partial(unplug, "Remove the cord", (cord.id,)),
            )


@rule(
    "power.unfed-pdu",
    Severity.WARNING,
    watches={"cords", "devices", "feeds"},
    scope="device",
    source="NEC: a circuit's rating is its breaker's",
    numbers=(58, 59),
)
def unfed_pdu(context: Context, device_id: str) -> Iterator[Hit]:
    """A PDU in use hangs on a feed of the building.

    Without it nobody can say which PDUs fail together, or what the breaker carries. What to do:
    draw the feeds (A and B, voltage, amperes) and a cord from the PDU to one of them.
    """
    design = context.design
    device = design.devices[cast("DeviceId", device_id)]
    if not isinstance(design.parts[device.part], PduPart):
        return
    on_it = sum(1 for _ in devices_on(design, device_id))
    if on_it and context.loads.group_of(device_id) == device_id:
        yield Hit(
            (device_id,),
            f"{called(device_id)} powers {on_it} device{'s' * (on_it > 1)}, but hangs on no feed",
            partial(connect_pdu, device.id),
        )


@rule(
    "power.rack-overload",
    Severity.ERROR,
    watches=_POWER,
    scope="supply",
    source="NEC, continuous loads: 80 % of the breaker; NVIDIA user guides (greatest draw)",
    numbers=(57, 58, 59, 60),
)
def rack_overload(context: Context, rack_id: str) -> Iterator[Hit]:
    """No PDU of a rack carries more than it may for good, with all feeds alive.

    The greatest draw of the devices counts, with all transceivers at their maximum; a breaker may
    be loaded to 80 % (a setting of the project). What to do: add PDUs or stronger ones, or move
    devices to another rack.
    """
    derating = context.design.settings.feed_derating
    for pdu in pdus_in(context.design, rack_id):
        part = context.design.part(context.design.devices[pdu].part, PduPart)
        load = context.loads.on(pdu)
        usable_w = pdu_usable_w(part, derating)
        if load.watts > usable_w + 0.5:
            yield Hit(
                (pdu, rack_id),
                f"{called(pdu)} in {called(rack_id)} would carry {load.kw:.1f} kW"
                f"{load.caveat}, but may carry {usable_w / 1000:.1f} kW",
            )


@rule(
    "power.feed-lost",
    Severity.ERROR,
    watches=_POWER,
    scope="supply",
    source="Dell AI fabric planning rules (2N feeds); NEC, continuous loads",
    numbers=(58, 59),
)
def feed_lost(context: Context, rack_id: str) -> Iterator[Hit]:
    """With one feed lost, the PDUs on the others carry the rack within their rating.

    With an A and a B feed, each alone must carry everything, so in normal operation neither is
    loaded beyond half. What to do: stronger PDUs, a third feed, or fewer devices in the rack.
    """
    derating = context.design.settings.feed_derating
    for pdu in pdus_in(context.design, rack_id):
        part = context.design.part(context.design.devices[pdu].part, PduPart)
        usable_w = pdu_usable_w(part, derating)
        if context.loads.on(pdu).watts > usable_w + 0.5:
            continue  # too much even with all feeds alive: power.rack-overload says so
        for group in context.loads.other_groups(pdu):
            load = context.loads.on(pdu, group)
            if load.watts > usable_w + 0.5:
                yield Hit(
                    (pdu, rack_id),
                    f"with {context.loads.group_words(group)} lost, {called(pdu)} in "
                    f"{called(rack_id)} would carry {load.kw:.1f} kW{load.caveat}, but may carry "
                    f"{usable_w / 1000:.1f} kW",
                )


@rule(
    "power.legs",
    Severity.WARNING,
    watches=_POWER,
    scope="supply",
    source="PDU leg maps; three-phase neutral current",
    numbers=(61,),
)
def legs(context: Context, rack_id: str) -> Iterator[Hit]:
    """No leg of a three-phase PDU carries more than its third of the rating.

    Outlets belong to a leg; a breaker trips on its fullest leg, whatever the sum says. PDUs whose
    outlets nobody assigned to legs are left out. What to do: move cords to outlets of another leg.
    """
    design = context.design
    derating = design.settings.feed_derating
    for pdu in pdus_in(design, rack_id):
        part = design.part(design.devices[pdu].part, PduPart)
        by_leg = context.loads.legs_of(pdu)
        usable_w = pdu_usable_w(part, derating)
        if not by_leg or sum(by_leg.values()) > usable_w:
            continue
        leg, watts = max(by_leg.items(), key=lambda item: (item[1], item[0]))
        if watts > usable_w / 3 + 0.5:
            yield Hit(
                (pdu, rack_id),
                f"leg {leg} of {called(pdu)} in {called(rack_id)} would carry "
                f"{watts / 1000:.1f} kW, but a leg may carry {usable_w / 3000:.1f} kW",
            )


@rule(
    "power.feed-overload",
    Severity.ERROR,
    watches=_POWER,
    scope="feed",
    source="NEC, continuous loads: 80 % of the breaker",
    numbers=(58, 59, 60),
)
def feed_overload(context: Context, feed_id: str) -> Iterator[Hit]:
    """A feed carries its PDUs within its derated rating, also when another feed is lost.

    Three-phase power is volts times amperes times the square root of three. What to do: a stronger
    feed, or spread the racks over more feeds.
    """
    feed = context.design.feeds[cast("FeedId", feed_id)]
    usable_w = feed_usable_w(feed, context.design.settings.feed_derating)
    cases: list[str | None] = [None, *context.loads.other_groups(feed_id)]
    for lost in cases:
        load = context.loads.on(feed_id, lost)
        if load.watts > usable_w + 0.5:
            when = f"with {context.loads.group_words(lost)} lost, " if lost else ""
            yield Hit(
                (feed_id,),
                f"{when}feed {called(feed_id)} would carry {load.kw:.1f} kW{load.caveat}, but "
                f"may carry {usable_w / 1000:.1f} kW",
            )
            return
