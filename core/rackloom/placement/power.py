# SPDX-License-Identifier: Apache-2.0
"""Power cords: from the inlets of devices to the PDUs of their rack, alternately over A and B.

First a preview, then one edit, as for data cables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import PduPart, ServerPart, SwitchPart
from rackloom.catalog.words import Inlet
from rackloom.design.draft import Draft
from rackloom.design.edits import plug_cord
from rackloom.design.entities import Device, Feed
from rackloom.design.ids import CordId, DeviceId, RackId
from rackloom.design.value import Design
from rackloom.placement.outlets import (
    OUTLETS_FOR,
    Strip,
    fitting_outlets,
    take_outlet,
    watts_per_inlet,
)
from rackloom.placement.plans import Refusal, counted
from rackloom.placement.wiring import by_name

FEED_VOLTAGE_TOLERANCE = 0.1
"""A PDU runs on a feed within 10 % of its own voltage (400 V equipment on 415 V)."""


@dataclass(frozen=True, slots=True)
class PlannedCord:
    """One cord to plug: from an inlet to an outlet of a PDU, or (outlet empty) to a feed."""

    device: DeviceId
    inlet: int
    source: str
    outlet: str
    group: str


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Cords to plug, and the inlets that are left over with the reasons."""

    cords: tuple[PlannedCord, ...]
    problems: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What would be plugged, in one sentence."""
        if not self.cords and not self.problems:
            return self.notes[0] if self.notes else "every inlet has its cord"
        groups = Counter(cord.group for cord in self.cords)
        text = counted(len(self.cords), "power cord")
        if groups:
            text += f" ({', '.join(f'{n} on {group}' for group, n in sorted(groups.items()))})"
        if self.problems:
            more = f", and {len(self.problems) - 1} more" if len(self.problems) > 1 else ""
            text += f"; left over: {self.problems[0].message}{more}"
        return text


def apply(draft: Draft, plan: PowerPlan) -> list[CordId]:
    """Plug all cords of a plan, as one edit."""
    return [plug_cord(draft, c.device, c.inlet, c.source, c.outlet) for c in plan.cords]


# Groups


def pdu_groups(design: Design, rack_id: RackId) -> dict[DeviceId, str]:
    """The PDUs of a rack and whether each is A or B.

    That of the feed it hangs on; without one, the left post is A and the right post B; for PDUs
    that fill a U, alternately in the order of their names.
    """
    pdus = [
        design.devices[d]
        for d in design.index.devices_in_rack.get(rack_id, ())
        if isinstance(design.device_part(d), PduPart)
    ]
    groups: dict[DeviceId, str] = {}
    upright = 0
    for pdu in sorted(pdus, key=by_name):
        feed = feed_of(design, pdu.id)
        if feed is not None:
            groups[pdu.id] = feed.group
        elif pdu.mount is not None:
            groups[pdu.id] = "A" if pdu.mount.startswith("left") else "B"
        else:
            groups[pdu.id] = "AB"[upright % 2]
            upright += 1
    return groups


def feed_of(design: Design, pdu_id: DeviceId) -> Feed | None:
    """The feed a PDU is plugged into, or None."""
    for cord_id in design.index.cords_of_device.get(pdu_id, ()):
        source = design.cords[cord_id].source
        if source in design.feeds:
            return design.feeds[source]  # type: ignore[index]
    return None


# PSUs to PDUs


def _strip(design: Design, pdu_id: DeviceId) -> Strip:
    strip = Strip(pdu_id, design.part(design.devices[pdu_id].part, PduPart))
    for cord_id in design.index.cords_from_source.get(pdu_id, ()):
        cord = design.cords[cord_id]
        strip.occupy(cord.outlet, watts_per_inlet(design.device_part(cord.device)))
    return strip


def plan_power(design: Design, catalog: Catalog, device_ids: Collection[DeviceId]) -> PowerPlan:
    """Cords for the inlets that have none: odd ones to A, even ones to B, legs loaded evenly.

    Only PDUs of the device's own rack are used. ``catalog`` serves to name a PDU that would help
    where outlets are missing.
    """
    cords: list[PlannedCord] = []
    problems: list[Refusal] = []
    notes: list[str] = []
    by_rack: dict[RackId, list[Device]] = {}
    for device_id in device_ids:
        device = design.devices[device_id]
        if not isinstance(design.device_part(device_id), PduPart):
            by_rack.setdefault(device.rack, []).append(device)
    for rack_id, devices in by_rack.items():
        groups = pdu_groups(design, rack_id)
        strips: dict[str, list[Strip]] = {}
        for pdu_id, group in groups.items():
            strips.setdefault(group, []).append(_strip(design, pdu_id))
        if len(strips) == 1:
            notes.append(
                f"{design.racks[rack_id].name} has PDUs on {next(iter(strips))} only: "
                f"nothing there survives the loss of that feed"
            )
        for device in sorted(devices, key=lambda d: (d.bottom_u or 0, by_name(d))):
            _plan_device(design, catalog, device, strips, cords, problems, notes)
    return PowerPlan(tuple(cords), tuple(problems), tuple(dict.fromkeys(notes)))


def _plan_device(
    design: Design,
    catalog: Catalog,
    device: Device,
    strips: dict[str, list[Strip]],
    cords: list[PlannedCord],
    problems: list[Refusal],
    notes: list[str],
) -> None:
    part = design.device_part(device.id)
    if part.psu is None and not isinstance(part, ServerPart | SwitchPart):
        return  # panels, blanking plates and the like take no power
    if part.psu is None or part.psu.inlet is None:
        notes.append(f"the catalogue does not know the power inlets of {part.title}")
        return
    if part.psu.inlet not in OUTLETS_FOR:
        notes.append(f"{part.title} is fed by {part.psu.inlet}: it takes no cord")
        return
    done = {design.cords[c].inlet for c in design.index.cords_of_device.get(device.id, ())}
    names = sorted(strips)
    for inlet in range(1, part.psu.count + 1):
        if inlet in done:
            continue
        group = names[(inlet - 1) % len(names)] if names else ""
        found = take_outlet(strips.get(group, []), part.psu.inlet, watts_per_inlet(part))
        if found is None:
            problems.append(_missing(design, catalog, device, inlet, part.psu.inlet, group))
        else:
            cords.append(PlannedCord(device.id, inlet, *found, group))


def _missing(
    design: Design,
    catalog: Catalog,
    device: Device,
    inlet: int,
    kind: Inlet,
    group: str,
) -> Refusal:
    rack = design.racks[device.rack]
    what = f"inlet {inlet} of {device.name} ({kind})"
    if not group:
        fitting = (part for part in catalog.of_kind(PduPart) if fitting_outlets(part, kind))
        most = max(fitting, key=lambda part: part.rated_kw, default=None)
        hint = f", for example {most.title}" if most else ""
        return Refusal(
            f"{what} finds no PDU in {rack.name}: hang one at each side{hint}", (device.id, rack.id)
        )
    return Refusal(
        f"{what} finds no free {OUTLETS_FOR[kind][0]} outlet on the {group} PDUs of {rack.name}",
        (device.id, rack.id),
    )


# PDUs to feeds


def plan_pdu_feeds(design: Design, pdu_ids: Collection[DeviceId] | None = None) -> PowerPlan:
    """Cords from PDUs that have no supply to feeds of their group, the least used feed first.

    Left PDUs go to A, right ones to B (see :func:`pdu_groups`). A feed takes PDUs up to its current
    and has to agree in phases and voltage. All PDUs by default.
    """
    cords: list[PlannedCord] = []
    problems: list[Refusal] = []
    used_a = {
        feed_id: sum(
            _pdu_amperes(design, design.cords[c].device, feed)
            for c in design.index.cords_from_source.get(feed_id, ())
        )
        for feed_id, feed in design.feeds.items()
    }
    chosen = design.devices if pdu_ids is None else pdu_ids
    pdus = [design.devices[d] for d in chosen if isinstance(design.device_part(d), PduPart)]
    groups: dict[RackId, dict[DeviceId, str]] = {}
    for pdu in sorted(pdus, key=lambda d: (by_name_of_rack(design, d.rack), by_name(d))):
        if feed_of(design, pdu.id) is not None:
            continue
        if pdu.rack not in groups:
            groups[pdu.rack] = pdu_groups(design, pdu.rack)
        group = groups[pdu.rack][pdu.id]
        part = design.part(pdu.part, PduPart)
        feeds = [
            feed for feed in design.feeds.values() if feed.group == group and _suits(part, feed)
        ]
        roomy = [
            feed
            for feed in feeds
            if used_a[feed.id] + _pdu_amperes(design, pdu.id, feed) <= feed.current_a + 1e-6
        ]
        if not roomy:
            problems.append(_no_feed(design, pdu, part, group, bool(feeds)))
            continue
        feed = min(roomy, key=lambda f: used_a[f.id] / f.current_a)
        used_a[feed.id] += _pdu_amperes(design, pdu.id, feed)
        cords.append(PlannedCord(pdu.id, 1, feed.id, "", group))
    return PowerPlan(tuple(cords), tuple(problems))


def by_name_of_rack(design: Design, rack_id: RackId) -> tuple[str, float]:
    """Sort key: racks row by row, from the left."""
    rack = design.racks[rack_id]
    return rack.row, rack.position_m


def _pdu_amperes(design: Design, device_id: DeviceId, feed: Feed) -> float:
    """What a PDU takes of a feed; where its current is unknown, the whole of it."""
    part = design.device_part(device_id)
    known = part.current_a if isinstance(part, PduPart) else None
    return feed.current_a if known is None else known


def _suits(part: PduPart, feed: Feed) -> bool:
    close = abs(feed.voltage_v - part.voltage_v) <= FEED_VOLTAGE_TOLERANCE * part.voltage_v
    return close and feed.phases == part.phases


def _no_feed(design: Design, pdu: Device, part: PduPart, group: str, some: bool) -> Refusal:
    rack = design.racks[pdu.rack].name
    wanted = f"{part.phases}-phase {part.voltage_v:g} V"
    if some:
        amperes = f"{part.current_a:g} A" if part.current_a else "a feed of its own"
        why = f"the {group} feeds have no room for {amperes}"
    else:
        why = f"there is no {group} feed of {wanted}"
    return Refusal(f"{pdu.name} in {rack} gets no supply: {why}", (pdu.id,))
