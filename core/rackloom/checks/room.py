# SPDX-License-Identifier: Apache-2.0
"""Room around racks: warm air, cords beside cables, the weight of cables in trays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, cast

from rackloom.bulk import copied
from rackloom.catalog.parts import CablePart, DevicePart, PduPart, RackPart
from rackloom.catalog.words import CableTechnology
from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.ids import DeviceId, RackId, RowId

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rackloom.catalog.parts import PartId
    from rackloom.design.change import Change
    from rackloom.design.entities import Cable
    from rackloom.design.value import Design

RECOMMENDED_C = 27.0
"""The warmest air that ASHRAE recommends at the inlets of data-centre equipment (18 to 27 °C)."""

APART_MM = 30.0
"""Between bundles of power and signal that run side by side."""

TRAY_CLASSES_KG_PER_M = {"AA": 37.2, "A": 74.4, "B": 111.6, "C": 148.8}
"""Load classes of cable trays: 25, 50, 75 and 100 pounds a foot, in kilograms a metre."""


@rule(
    "space.inlet-temperature",
    Severity.WARNING,
    watches={"devices"},
    scope="device",
    source="Juniper QFX5220 site guidelines; ASHRAE TC 9.9 (recommended inlet temperature)",
    numbers=(65,),
)
def inlet_temperature(context: Context, device_id: str) -> Iterator[Hit]:
    """A device takes in air as warm as a room recommended by ASHRAE may be.

    Reversed airflow can cost a good part of the range: a QFX5220 that blows from its ports to its
    power supplies stands 40 °C, the other way round 25 °C. Devices whose limit nobody published
    are left out. What to do: the variant with the other airflow, or a colder room (and accept it).
    """
    part = context.design.part(context.design.devices[cast("DeviceId", device_id)].part, DevicePart)
    if part.inlet_max_c is not None and part.inlet_max_c < RECOMMENDED_C:
        flow = f" with its {part.airflow} airflow" if part.airflow is not None else ""
        yield Hit(
            (device_id,),
            f"{called(device_id)} stands air of {part.inlet_max_c:g} °C at most{flow}; rooms are "
            f"run at up to {RECOMMENDED_C:g} °C",
        )


@rule(
    "space.power-beside-signal",
    Severity.INFO,
    watches={"devices", "racks", "cords", "cables"},
    scope="wiring",
    source="Ruijie hardware guides, cabling appendix",
    numbers=(71,),
)
def power_beside_signal(context: Context, rack_id: str) -> Iterator[Hit]:
    """Power cords and copper signal cables run more than 30 mm apart where they run in parallel.

    A rack without channels beside the rails has one space on each side; with PDUs on both, cords
    and cables share it. On which way the cords lie in the end nobody knows beforehand, so this is
    a note. Fibre does not mind. What to do: PDUs on one side and cables on the other, a rack of
    750 mm or more, or a divider.
    """
    design = context.design
    rack = design.racks[RackId(rack_id)]
    part = design.part(rack.part, RackPart)
    if part.side_channels:
        return
    devices = design.index.devices_in_rack.get(rack.id, ())
    posts = {
        (design.devices[d].mount or "left").partition("-")[0]
        for d in devices
        if isinstance(design.parts[design.devices[d].part], PduPart)
        and design.devices[d].bottom_u is None
        and design.index.cords_from_source.get(d)
    }
    if len(posts) < 2:
        return
    copper = {
        cable
        for d in devices
        for cable in design.index.cables_of_device.get(d, ())
        if _is_copper(design.part(design.cables[cable].part, CablePart))
    }
    if copper:
        count = len(copper)
        yield Hit(
            (rack_id,),
            f"{called(rack_id)} has no side channels and PDUs on both sides: keep the power cords "
            f"{APART_MM:g} mm from its {count} copper cable{'s' * (count > 1)}",
        )


def _is_copper(part: CablePart) -> bool:
    return part.technology not in {CableTechnology.FIBRE, CableTechnology.AOC}


@rule(
    "space.tray-load",
    Severity.WARNING,
    watches={"cables", "devices", "racks", "rows", "settings"},
    scope="row",
    source="DGX SuperPOD data centre design (weight of links); NEMA VE 1 (tray load classes)",
    numbers=(72,),
)
def tray_load(context: Context, row_id: str) -> Iterator[Hit]:
    """The cables over a row weigh no more than a tray of the lightest class carries.

    Copper weighs 0.045 kg a metre and fibre 0.009; NEMA's lightest class carries 37 kg a metre,
    the next ones 74, 112 and 149. The heaviest place of the row counts. Cables whose weight nobody
    published are left out, and the finding says how many. What to do: order trays of the class it
    names, or spread the cables over two trays.
    """
    row = RowId(row_id)
    devices = _devices_of(context, row)
    if sum(context.view(device).kg_per_m for device in devices) <= TRAY_CLASSES_KG_PER_M["AA"]:
        return  # not even all of them in one place
    kg_per_m, unknown, rack = _heaviest(context, row, devices)
    carries = TRAY_CLASSES_KG_PER_M
    if rack is None or kg_per_m <= carries["AA"]:
        return
    enough = next((name for name, kg in carries.items() if kg >= kg_per_m), None)
    caveat = f" ({unknown} of unknown weight not counted)" if unknown else ""
    advice = f"order class {enough} ({carries[enough]:.0f} kg/m)" if enough else "use several trays"
    yield Hit(
        (row_id, rack),
        f"the tray over {called(row_id)} carries up to {kg_per_m:.1f} kg/m of cables{caveat}, most "
        f"at {called(rack)}: {advice}",
    )


def _devices_of(context: Context, row: RowId) -> list[DeviceId]:
    index = context.design.index
    return [
        device
        for rack in index.racks_in_row.get(row, ())
        for device in index.devices_in_rack.get(rack, ())
    ]


def _heaviest(
    context: Context, row: RowId, devices: Iterable[DeviceId]
) -> tuple[float, int, RackId | None]:
    """The greatest weight a metre over a row, cables of unknown weight, and the rack below it.

    Cables go up and come down at the middle of their racks, and leave the row by the cross tray
    that makes their way shortest.
    """
    design = context.design
    places = _Places(design, row)
    by_id, cables_of = design.cables, design.index.cables_of_device
    spans: dict[_Span, int] = {}
    for device in devices:
        known = context.trays.get(device)
        if known is None:
            cables = [by_id[cable] for cable in cables_of.get(device, ())]
            known = context.trays[device] = _spans_of(places, device, cables)
        for span, count in known.items():
            spans[span] = spans.get(span, 0) + count
    steps: dict[float, float] = {}
    unknown = 0
    for (from_m, to_m, part), count in sorted(spans.items()):  # sums do not depend on the edits
        kg_per_m = design.part(part, CablePart).kg_per_m
        if from_m == to_m:
            continue
        if kg_per_m is None:
            unknown += count
            continue
        steps[from_m] = steps.get(from_m, 0.0) + kg_per_m * count
        steps[to_m] = steps.get(to_m, 0.0) - kg_per_m * count
    most, now, at_m = 0.0, 0.0, 0.0
    for x_m in sorted(steps):
        now += steps[x_m]
        if now > most + 1e-9:
            most, at_m = now, x_m
    return most, unknown, places.rack_at(at_m)


_Span = tuple[float, float, "PartId"]
"""From where to where along a row a cable of which part lies."""


def _spans_of(places: _Places, device: DeviceId, cables: Iterable[Cable]) -> Counter[_Span]:
    """How many cables of a device lie where; those within the row are told at their first end."""
    here = places.here
    # The branches of a breakout lie side by side: the last stands for all.
    ways = Counter(
        [
            (cable.ends[-1].device if first == device else first, cable.part)
            for cable in cables
            if (first := cable.ends[0].device) == device or first not in here
        ]
    )
    spans: Counter[_Span] = Counter()
    for (far, part), count in ways.items():
        spans[(*places.span(device, far), part)] += count
    return spans


def trays_after(
    trays: Mapping[DeviceId, Mapping[_Span, int]],
    before: Design,
    after: Design,
    change: Change,
    moved: Set[str],
) -> dict[DeviceId, Mapping[_Span, int]]:
    """What is still known of the cables of devices in trays after a change.

    ``moved``: devices that stand elsewhere, or beside others. Cables that but went are subtracted.
    """
    if "settings" in change.tables:
        return {}
    known = copied(trays)
    unknown = {DeviceId(device) for device in moved}
    # With a device that comes or goes its cables do: there is a record of each.
    stay = unknown & before.devices.keys() & after.devices.keys()
    unknown |= {
        end.device
        for design in (before, after)
        for device in stay
        for cable_id in design.index.cables_of_device.get(device, ())
        for end in design.cables[cable_id].ends
    }
    gone: dict[DeviceId, list[Cable]] = {}
    for record in change.of("cables"):
        for cable in (record.before, record.after):
            for device in {end.device for end in cable.ends} if cable is not None else ():
                if record.after is None:
                    gone.setdefault(device, []).append(record.before)
                else:
                    unknown.add(device)
    for device in unknown:
        known.pop(device, None)
    rows: dict[RowId, _Places] = {}
    for device, cables in gone.items():
        if device not in after.devices:
            known.pop(device, None)
        elif device in known:
            row = before.racks[before.devices[device].rack].row
            if row not in rows:
                rows[row] = _Places(before, row)
            left = Counter(known[device])
            left.subtract(_spans_of(rows[row], device, cables))
            known[device] = {span: count for span, count in left.items() if count}
    return known


class _Places:
    """Where, along a row, cables go up from its racks and leave for others."""

    def __init__(self, design: Design, row: RowId) -> None:
        self._design = design
        self._racks = {
            rack: design.racks[rack].position_m
            + design.part(design.racks[rack].part, RackPart).width_mm / 2000
            for rack in design.index.racks_in_row.get(row, ())
        }
        self._origin_m = design.rows[row].x_m
        crossings = [x - self._origin_m for x in design.settings.cross_trays_x_m]
        self._crossings = crossings or [0.0, max(self._racks.values(), default=0.0)]
        self.here: dict[DeviceId, float] = {
            device: x_m
            for rack, x_m in self._racks.items()
            for device in design.index.devices_in_rack.get(rack, ())
        }
        self._leaving: dict[tuple[float, RackId], float] = {}

    def span(self, device: DeviceId, far: DeviceId) -> tuple[float, float]:
        """From where to where a cable between two devices lies; equal where it does not."""
        x_m = self.here[device]
        far_m = self.here.get(far)
        if far_m is None:
            far_m = self._left_at(x_m, self._design.devices[far].rack)
        return (x_m, far_m) if x_m < far_m else (far_m, x_m)

    def _left_at(self, x_m: float, rack_id: RackId) -> float:
        """The cross tray that makes the way to a rack of another row shortest."""
        found = self._leaving.get((x_m, rack_id))
        if found is None:
            rack = self._design.racks[rack_id]
            far_m = self._design.rows[rack.row].x_m + rack.position_m - self._origin_m
            found = min(self._crossings, key=lambda c: abs(x_m - c) + abs(far_m - c))
            self._leaving[x_m, rack_id] = found
        return found

    def rack_at(self, x_m: float) -> RackId | None:
        """The rack nearest to a place."""
        racks = self._racks
        return min(racks, key=lambda r: (abs(racks[r] - x_m), racks[r]), default=None)
