# SPDX-License-Identifier: Apache-2.0
"""Power by rack, row and site; what PDUs, feeds and busbars carry; which supplies are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rackloom.catalog.parts import DevicePart, PduPart
from rackloom.design import Design
from rackloom.design.ids import DeviceId, RackId, RowId
from rackloom.placement.draws import Draw, Load
from rackloom.placement.loads import (
    Heat,
    Loads,
    feed_usable_w,
    on_busbar_of,
    pdu_usable_w,
    pdus_in,
)
from rackloom.placement.sold_racks import RackAsSold, racks_as_sold
from rackloom.reports.order import natural
from rackloom.reports.power import DevicePower, power_of, sum_powers, typical_power_of
from rackloom.reports.tables import BESIDE_THE_TABLE

SCHEMA = 1
BTU_PER_H_PER_W = 3.412142
"""One watt in BTU/h (International Table BTU: 1055.05585 J, NIST SP 811)."""
_SLACK_W = 0.5
"""Rounding is no overload; the rules allow as much."""
_LEGS = ("L1", "L2", "L3")


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """What a rack, a row or the site draws.

    Sums hold what is known; the columns ``..._unknown`` count the devices that are not, or not
    wholly, in them. A sum of nothing but unknown draws is None, never zero. Heat is that of the
    greatest draw, parted by what carries it away.
    """

    place: str
    """``rack``, ``row`` or ``site``."""
    name: str
    devices: int
    """Those that draw power."""
    maximum_w: float | None
    maximum_unknown: int
    typical_w: float | None
    typical_unknown: int
    usable_w: float | None
    """What its PDUs and power shelves may carry with the feed lost whose loss hurts most.

    All of them where they hang on one feed. None where nothing supplies it, and for rows and sites.
    """
    heat_btu_per_h: float | None
    air_w: float | None
    liquid_w: float | None
    cooling_unknown_w: float | None
    id: str = field(default="", metadata=BESIDE_THE_TABLE)


@dataclass(frozen=True, slots=True)
class SupplyRow:
    """What a PDU, a feed or a busbar carries, against what it may carry for good."""

    supply: str
    """``pdu``, ``feed`` or ``busbar``."""
    name: str
    rack: str
    group: str
    usable_w: float
    load_w: float | None
    """What is known of it; None where nothing of what hangs on it has a published draw."""
    unknown: int
    lost: str
    """The feed group whose loss loads it most; empty where nothing on it hangs on another one."""
    lost_load_w: float | None
    leg_usable_w: float | None
    l1_w: float | None
    l2_w: float | None
    l3_w: float | None
    verdict: str
    id: str = field(default="", metadata=BESIDE_THE_TABLE)


@dataclass(frozen=True, slots=True)
class PsuRow:
    """A device's power supplies with the feed lost that most of them hang on."""

    device: str
    rack: str
    supplies: int
    corded: int
    needed: int | None
    groups: str
    left: int
    verdict: str
    id: str = field(default="", metadata=BESIDE_THE_TABLE)


@dataclass(frozen=True, slots=True)
class PowerBar:
    """A rack in the power chart."""

    id: str
    name: str
    typical_w: float | None
    maximum_w: float | None
    usable_w: float | None
    unknown: bool
    """The rack may draw more: not all of its devices have a published figure."""


@dataclass(frozen=True, slots=True)
class PowerReport:
    """All of it; rows in the order of the room, the site last."""

    places: list[PlaceRow]
    supplies: list[SupplyRow]
    psus: list[PsuRow]

    @property
    def bars(self) -> list[PowerBar]:
        """The racks, as a chart shows them."""
        return [
            PowerBar(p.id, p.name, p.typical_w, p.maximum_w, p.usable_w, p.maximum_unknown > 0)
            for p in self.places
            if p.place == "rack"
        ]

    def to_json(self) -> dict[str, Any]:
        """As JSON, version 1: the three tables, with ids."""
        return {
            "schema": SCHEMA,
            "places": [_json(row) for row in self.places],
            "supplies": [_json(row) for row in self.supplies],
            "psus": [_json(row) for row in self.psus],
        }


def _json(row: PlaceRow | SupplyRow | PsuRow) -> dict[str, Any]:
    return {k: round(v, 3) if isinstance(v, float) else v for k, v in asdict(row).items()}


def power_report(design: Design) -> PowerReport:
    """Power of a design by place, supply and device."""
    return _Writer(design).report()


class _Writer:
    def __init__(self, design: Design) -> None:
        self.design = design
        self.maximum = power_of(design)
        self.typical = typical_power_of(design)
        self.sold = dict(racks_as_sold(design))
        self.loads = Loads(design, self._draw)

    def _draw(self, device_id: DeviceId) -> Draw:
        power = self.maximum.get(device_id)
        return Draw(0.0, False) if power is None else Draw(power.known_w, not power.complete)

    def report(self) -> PowerReport:
        """The three tables."""
        rows = self.design.rows
        racks = sorted(
            self.design.racks.values(),
            key=lambda rack: (natural(rows[rack.row].name), rack.row, rack.position_m, rack.id),
        )
        places: list[PlaceRow] = []
        everything: list[DeviceId] = []
        by_row: dict[RowId, tuple[list[RackId], list[DeviceId]]] = {}
        for rack in racks:
            here = list(self.design.index.devices_in_rack.get(rack.id, ()))
            usable_w = self._usable_w(rack.id)
            places.append(self._place("rack", rack.name, rack.id, [rack.id], here, usable_w))
            of_row = by_row.setdefault(rack.row, ([], []))
            of_row[0].append(rack.id)
            of_row[1].extend(here)
            everything += here
        for row_id, (row_racks, here) in by_row.items():
            places.append(self._place("row", rows[row_id].name, row_id, row_racks, here, None))
        name = self.design.settings.project or "Site"
        rack_ids = [rack.id for rack in racks]
        places.append(self._place("site", name, "site", rack_ids, everything, None))
        return PowerReport(places, list(self._supplies(rack_ids)), list(self._psus(rack_ids)))

    # Places

    def _place(
        self,
        place: str,
        name: str,
        key: str,
        racks: Iterable[RackId],
        devices: list[DeviceId],
        usable_w: float | None,
    ) -> PlaceRow:
        drawing = [device for device in devices if device in self.maximum]
        heat: Heat = self.loads.heat(drawing)
        sold = [self.sold[rack] for rack in racks if rack in self.sold]
        maximum_w, maximum_unknown = _sum(self.maximum, drawing, sold)
        typical_w, typical_unknown = _sum(self.typical, drawing, sold, typical=True)
        nothing = maximum_w is None
        # What a rack sold whole draws beyond its trays' own figures: nobody says how it is cooled.
        known_w = sum(self.maximum[device].known_w for device in drawing)
        unsaid_w = heat.unsaid_w + max((maximum_w or 0.0) - known_w, 0.0)
        return PlaceRow(
            place,
            name,
            len(drawing),
            maximum_w,
            maximum_unknown,
            typical_w,
            typical_unknown,
            usable_w,
            None if nothing else (maximum_w or 0.0) * BTU_PER_H_PER_W,
            None if nothing else heat.air_w,
            None if nothing else heat.liquid_w,
            None if nothing else unsaid_w,
            key,
        )

    def _usable_w(self, rack_id: RackId) -> float | None:
        loads = self.loads
        pdus = pdus_in(self.design, rack_id)
        shelves = on_busbar_of(self.design, rack_id)[1]
        if not pdus and not shelves:
            return None
        sources = [(frozenset({loads.group_of(pdu)}), self._pdu_usable_w(pdu)) for pdu in pdus]
        corded = loads.shelf_groups(rack_id)
        sources += [(on, loads.shelves_w([shelf])) for shelf, on in corded.items()]
        groups = frozenset[str]().union(*(on for on, _ in sources))
        if len(groups) < 2:
            return sum(map(self._pdu_usable_w, pdus)) + loads.shelves_w(shelves)
        return min(sum(watts for on, watts in sources if on != {lost}) for lost in groups)

    def _pdu_usable_w(self, pdu: DeviceId) -> float:
        part = self.design.part(self.design.devices[pdu].part, PduPart)
        return pdu_usable_w(part, self.design.settings.feed_derating)

    # Supplies

    def _supplies(self, rack_ids: list[RackId]) -> Iterator[SupplyRow]:
        design = self.design
        for rack_id in rack_ids:
            rack = design.racks[rack_id].name
            for pdu in pdus_in(design, rack_id):
                yield self._supply("pdu", design.devices[pdu].name, rack, pdu)
            devices, shelves = on_busbar_of(design, rack_id)
            if devices or shelves:
                yield self._busbar(rack, rack_id, shelves)
        for feed in sorted(design.feeds.values(), key=lambda f: (f.group, natural(f.name))):
            yield self._supply("feed", feed.name, "", feed.id)

    def _busbar(self, rack: str, rack_id: RackId, shelves: list[DeviceId]) -> SupplyRow:
        """A busbar: with a feed lost it is not the load that changes, but what its shelves give."""
        load, usable_w = self.loads.busbar(rack_id), self.loads.shelves_w(shelves)
        lost, left_w = self.loads.shelves_left(rack_id) or ("", usable_w)
        verdict = _verdict(usable_w, load, "", None, None)
        if not shelves:
            verdict = "no power shelf"
        elif left_w + _SLACK_W < load.watts <= usable_w + _SLACK_W:
            verdict = f"overloaded with {self._group_name(lost)} lost"
        return SupplyRow(
            "busbar",
            f"busbar of {rack}",
            rack,
            "",
            usable_w,
            _known_w(load),
            load.unknown,
            self._group_name(lost) if lost else "",
            _known_w(load) if lost else None,
            None,
            None,
            None,
            None,
            verdict,
            rack_id,
        )

    def _supply(self, kind: str, name: str, rack: str, source: str) -> SupplyRow:
        design, loads = self.design, self.loads
        feed = design.feeds.get(source)  # type: ignore[call-overload]
        legs: Mapping[str, float] | None = None
        if feed is not None:
            usable_w = feed_usable_w(feed, design.settings.feed_derating)
        else:
            usable_w = self._pdu_usable_w(DeviceId(source))
            legs = loads.legs_of(DeviceId(source))
        load, worst = loads.on(source), loads.worst_loss(source)
        group = loads.group_of(source)
        lost = "" if worst is None else self._group_name(worst[0])
        l1_w, l2_w, l3_w = (None if legs is None else legs.get(leg, 0.0) for leg in _LEGS)
        return SupplyRow(
            kind,
            name,
            rack,
            "" if group == source else group,
            usable_w,
            _known_w(load),
            load.unknown,
            lost,
            None if worst is None else _known_w(worst[1]),
            None if legs is None else usable_w / 3,
            l1_w,
            l2_w,
            l3_w,
            _verdict(usable_w, load, lost, None if worst is None else worst[1], legs),
            source,
        )

    def _group_name(self, group: str) -> str:
        """A feed group, or the name of the PDU that has no feed."""
        return self.design.name_of(group)

    # Power supplies

    def _psus(self, rack_ids: list[RackId]) -> Iterator[PsuRow]:
        design = self.design
        for rack_id in rack_ids:
            here = (design.devices[d] for d in design.index.devices_in_rack.get(rack_id, ()))
            for device in sorted(here, key=lambda d: (d.bottom_u or 0, natural(d.name))):
                supplies = self.loads.supplies_of(device.id)
                part = design.part(device.part, DevicePart)
                if supplies is None or part.psu is None:
                    continue
                groups = supplies[1]
                corded = sum(groups.values())
                left = corded - max(groups.values())
                words = ", ".join(f"{self._group_name(g)} {n}" for g, n in sorted(groups.items()))
                needed = part.psu.needed
                yield PsuRow(
                    device.name,
                    design.racks[rack_id].name,
                    part.psu.count,
                    corded,
                    needed,
                    words,
                    left,
                    _psu_verdict(corded, left, needed),
                    device.id,
                )


def _sum(
    powers: Mapping[DeviceId, DevicePower],
    devices: Iterable[DeviceId],
    sold: Iterable[RackAsSold],
    *,
    typical: bool = False,
) -> tuple[float | None, int]:
    """Watts that are known, None where nothing is, and how many devices are not wholly in them."""
    found = sum_powers({device: powers[device] for device in devices}, sold, typical=typical)
    known_w, unknown = found.maximum_w, found.unknown_devices
    return (None if unknown and not known_w else known_w), unknown


def _known_w(load: Load) -> float | None:
    return None if load.unknown and not load.watts else load.watts


def _verdict(
    usable_w: float, load: Load, lost: str, after: Load | None, legs: Mapping[str, float] | None
) -> str:
    """What to say of a supply: the worst first. Unknown draws may make a good one a bad one."""
    if load.watts > usable_w + _SLACK_W:
        return "overloaded"
    if after is not None and after.watts > usable_w + _SLACK_W:
        return f"overloaded with {lost} lost"
    fullest = max(legs.items(), key=lambda leg: leg[1], default=None) if legs else None
    if fullest is not None and fullest[1] > usable_w / 3 + _SLACK_W:
        return f"leg {fullest[0]} overloaded"
    return "carries what is known" if load.unknown else "carries it"


def _psu_verdict(corded: int, left: int, needed: int | None) -> str:
    if needed is not None and corded < needed:
        return "too few corded"
    if left == 0:
        return "goes down"
    if needed is None:
        return "number needed not known"
    return "runs on" if left >= needed else "throttled or down"
