# SPDX-License-Identifier: Apache-2.0
"""Who draws what from which PDU, feed and busbar, as drawn and with one feed lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from rackloom.catalog.parts import DevicePart, PduPart, SwitchPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.catalog.words import Inlet, Trust
from rackloom.design.ids import DeviceId, FeedId, RackId
from rackloom.placement.draws import Draw, Load
from rackloom.placement.sold_racks import rack_as_sold, rack_systems

if TYPE_CHECKING:
    from rackloom.catalog.parts import Psu
    from rackloom.design.entities import Cord, Feed
    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Heat:
    """What devices give off at their greatest draw, by what carries it away."""

    air_w: float = 0.0
    liquid_w: float = 0.0
    unsaid_w: float = 0.0
    """Of devices whose way of cooling nobody published."""
    air_unknown: int = 0
    """Devices cooled by air whose draw is not, or not wholly, known."""


# Devices and circuits


def greatest_draw(part: DevicePart, plugs_w: float, plugs_unknown: bool) -> Draw:
    """The greatest draw of a device with what is plugged into it.

    Switches are published without optics: to them is added what their transceivers and active
    cables draw. Where only the figure with all optics is known, that is taken; where only a typical
    one, it is the known part of something unknown. Other devices are published as sold.
    """
    if not isinstance(part, SwitchPart):
        if part.power_max_w is not None:
            return Draw(part.power_max_w, False)
        return Draw(part.power_typical_w or 0.0, True)
    if part.power_max_w is not None:
        return Draw(part.power_max_w + plugs_w, plugs_unknown)
    if part.power_max_with_optics_w is not None:
        return Draw(part.power_max_with_optics_w, False)
    return Draw((part.power_typical_w or 0.0) + plugs_w, True)


def needs_power(part: DevicePart) -> bool:
    """Whether a device is one that power has to be brought to, as far as we know."""
    if isinstance(part, PduPart) or on_busbar(part):
        return False
    return part.psu is not None or part.power_max_w is not None or part.power_typical_w is not None


def liquid_share(part: DevicePart) -> float | None:
    """Share of a device's heat that goes into a liquid; None where nobody said how it is cooled.

    A device with an airflow and no such figure gives all of its heat to the air.
    """
    if part.liquid_share is not None:
        return part.liquid_share
    return None if part.airflow in {None, "none"} else 0.0


def on_busbar(part: DevicePart) -> bool:
    """Whether a device is fed by the busbar of its rack, or wired in by an electrician."""
    return part.psu is not None and part.psu.inlet in {Inlet.BUSBAR, Inlet.HARDWIRED}


def pdu_usable_w(part: PduPart, derating: float) -> float:
    """What a PDU may carry for good: its rating, or its breaker's with the derating, if less.

    Ratings of North American PDUs have the 80 % of the NEC in them, IEC ones have not.
    """
    rated_w = part.rated_kw * 1000
    if part.current_a is None:
        return rated_w
    return min(rated_w, circuit_w(part.voltage_v, part.current_a, part.phases) * derating)


def circuit_w(voltage_v: float, current_a: float, phases: int) -> float:
    """Power of a circuit at unity power factor; three-phase voltages are line to line."""
    return voltage_v * current_a * (sqrt(3) if phases == 3 else 1.0)


def feed_usable_w(feed: Feed, derating: float) -> float:
    """What a feed may carry for good."""
    return circuit_w(feed.voltage_v, feed.current_a, feed.phases) * derating


def cords_of(design: Design, device_id: DeviceId) -> list[Cord]:
    """The power cords at a device's inlets."""
    return [design.cords[c] for c in design.index.cords_of_device.get(device_id, ())]


def devices_on(design: Design, source: str) -> Iterator[DeviceId]:
    """Devices with a cord to a PDU or feed, each once."""
    seen: set[str] = set()
    for cord_id in design.index.cords_from_source.get(source, ()):
        device = design.cords[cord_id].device
        if device not in seen:
            seen.add(device)
            yield device


def pdus_in(design: Design, rack_id: str) -> list[DeviceId]:
    """The PDUs of a rack."""
    return [
        d
        for d in design.index.devices_in_rack.get(RackId(rack_id), ())
        if isinstance(design.parts[design.devices[d].part], PduPart)
    ]


def on_busbar_of(design: Design, rack_id: str) -> tuple[list[DeviceId], list[DeviceId]]:
    """The devices of a rack that are fed by its busbar, and the power shelves that feed that."""
    devices: list[DeviceId] = []
    shelves: list[DeviceId] = []
    for device in design.index.devices_in_rack.get(RackId(rack_id), ()):
        part = design.part(design.devices[device].part, DevicePart)
        if isinstance(part, PowerShelfPart):
            shelves.append(device)
        elif part.psu is not None and part.psu.inlet is Inlet.BUSBAR:
            devices.append(device)
    return devices, shelves


# Loads


class Loads:
    """Loads of a design, each worked out once; ``draw`` says what a device draws.

    Power shelves draw what hangs on their busbar.
    """

    def __init__(self, design: Design, draw: Callable[[DeviceId], Draw]) -> None:
        self._design = design
        self._draw_of = draw
        self._draws: dict[DeviceId, Draw] = {}
        self._groups: dict[str, str] = {}
        self._loads: dict[tuple[str, str | None], Load] = {}
        self._hung: dict[DeviceId, list[tuple[str, str]]] = {}
        self._hanging: dict[str, list[tuple[DeviceId, bool]]] = {}
        self._systems = rack_systems(design)
        self._has_shelves = any(isinstance(p, PowerShelfPart) for p in design.parts.values())

    def draw(self, device_id: DeviceId) -> Draw:
        """Greatest draw of a device; for a switch with its transceivers and active cables."""
        found = self._draws.get(device_id)
        if found is None:
            found = self._draws[device_id] = self._draw_of(device_id)
        return found

    def group_of(self, source: str) -> str:
        """Feed group (``A``, ``B``) that a PDU or feed hangs on.

        A PDU without a feed is a group of its own: nobody said that it fails with another one.
        """
        found = self._groups.get(source)
        if found is None:
            found = self._groups[source] = self._find_group(source)
        return found

    def _find_group(self, source: str) -> str:
        design = self._design
        feed = design.feeds.get(FeedId(source))
        if feed is not None:
            return feed.group
        for cord_id in design.index.cords_of_device.get(DeviceId(source), ()):
            feed = design.feeds.get(FeedId(design.cords[cord_id].source))
            if feed is not None:
                return feed.group
        return source

    def _hung_on(self, device_id: DeviceId) -> list[tuple[str, str]]:
        """The source of each cord of a device, and the feed group of that."""
        found = self._hung.get(device_id)
        if found is None:
            cords = cords_of(self._design, device_id)
            found = self._hung[device_id] = [(c.source, self.group_of(c.source)) for c in cords]
        return found

    def _hanging_on(self, source: str) -> list[tuple[DeviceId, bool]]:
        """What hangs on a PDU or feed, each with whether it is a PDU."""
        found = self._hanging.get(source)
        if found is None:
            devices, parts = self._design.devices, self._design.parts
            found = self._hanging[source] = [
                (device, isinstance(parts[devices[device].part], PduPart))
                for device in devices_on(self._design, source)
            ]
        return found

    def on(self, source: str, lost: str | None = None) -> Load:
        """What a PDU or feed carries when every device shares its draw evenly over its live cords.

        With ``lost``, the feeds of that group are dead and the other cords take their share.
        """
        found = self._loads.get((source, lost))
        if found is None:
            found = self._loads[source, lost] = self._sum(source, lost)
        return found

    def _sum(self, source: str, lost: str | None) -> Load:
        design = self._design
        if lost is not None and self.group_of(source) == lost:
            return Load(0.0, 0)
        watts, unknown = 0.0, 0
        for device, is_pdu in self._hanging_on(source):
            if is_pdu:
                if source in design.feeds:  # a PDU behind a PDU carries nothing we could know
                    below = self.on(device, lost)
                    watts, unknown = watts + below.watts, unknown + below.unknown
                continue
            here = live = 0
            for at, group in self._hung_on(device):
                if group != lost:
                    live += 1
                    here += at == source
            drawn = self._drawn(device, lost)
            watts += drawn.watts * here / live
            unknown += drawn.unknown
        return Load(watts, unknown)

    def _drawn(self, device_id: DeviceId, lost: str | None) -> Draw:
        """What a device draws; a power shelf its share of the busbar, less what the others carry.

        Shelves that are alive share the bar evenly. Their own losses were not published, so what
        they draw is never wholly known.
        """
        design = self._design
        if not self._is_shelf(device_id):
            return self.draw(device_id)
        alive = sum(
            any(group != lost for _, group in self._hung_on(shelf))
            for shelf in self._sharers(device_id)
        )
        return Draw(self.busbar(design.devices[device_id].rack).watts / alive, True)

    def _is_shelf(self, device_id: DeviceId) -> bool:
        if not self._has_shelves:
            return False
        part = self._design.parts[self._design.devices[device_id].part]
        return isinstance(part, PowerShelfPart)

    def _sharers(self, device_id: DeviceId) -> list[DeviceId]:
        """Who takes over when a device has no power: all shelves of a busbar, else nobody."""
        if not self._is_shelf(device_id):
            return [device_id]
        return on_busbar_of(self._design, self._design.devices[device_id].rack)[1]

    def other_groups(self, source: str) -> list[str]:
        """Feed groups that the devices on a PDU or feed also hang on."""
        found: set[str] = set()
        for device, is_pdu in self._hanging_on(source):
            if is_pdu:
                if source in self._design.feeds:
                    found.update(self.other_groups(device))
                continue
            for sharer in self._sharers(device):
                found.update([group for _, group in self._hung_on(sharer)])
        return sorted(found - {self.group_of(source)})

    def worst_loss(self, source: str) -> tuple[str, Load] | None:
        """The feed group whose loss loads a PDU or feed most, and that load; None without one."""
        losses = [(group, self.on(source, group)) for group in self.other_groups(source)]
        return max(losses, key=lambda loss: loss[1].watts, default=None)

    def legs_of(self, pdu: DeviceId) -> Mapping[str, float] | None:
        """Watts on each leg of a three-phase PDU, all feeds alive; empty where nothing hangs on it.

        None for a single-phase PDU, and where nobody assigned its outlets to legs.
        """
        design = self._design
        part = design.part(design.devices[pdu].part, PduPart)
        if part.phases != 3 or any(group.leg is None for group in part.outlets):
            return None
        outlets = part.outlet_by_name
        loads: dict[str, float] = {}
        for device, _ in self._hanging_on(pdu):
            cords = cords_of(design, device)
            share_w = self._drawn(device, None).watts / len(cords)
            for cord in cords:
                group = outlets.get(cord.outlet) if cord.source == pdu else None
                if group is not None and group.leg is not None:
                    loads[group.leg] = loads.get(group.leg, 0.0) + share_w
        return loads

    def supplies_of(self, device_id: DeviceId) -> tuple[Psu, Mapping[str, int]] | None:
        """A device's power supplies, and how many of them hang on each feed group.

        None for a PDU, for a device without supplies or with a single one, and for one no cord
        leads to.
        """
        design = self._design
        part = design.part(design.devices[device_id].part, DevicePart)
        if isinstance(part, PduPart) or part.psu is None or part.psu.count < 2:
            return None
        groups: dict[str, int] = {}
        for _, group in self._hung_on(device_id):
            groups[group] = groups.get(group, 0) + 1
        return (part.psu, groups) if groups else None

    def busbar(self, rack_id: str) -> Load:
        """What hangs on the busbar of a rack.

        Where trays of a rack sold whole have no figures of their own, the rack's stands for them if
        it was published: nothing is called overloaded for an estimate.
        """
        draws = {device: self.draw(device) for device in on_busbar_of(self._design, rack_id)[0]}
        if self._systems and any(draw.unknown for draw in draws.values()):
            sold = rack_as_sold(self._design, rack_id, self._systems)
            if sold is not None and sold.system.trust_of("power_max_w") is not Trust.ESTIMATE:
                return sold.sum(draws, sold.on_busbar, sold.system.power_max_w)
        return Load(
            sum(draw.watts for draw in draws.values()), sum(d.unknown for d in draws.values())
        )

    def shelf_groups(self, rack_id: str) -> Mapping[DeviceId, frozenset[str]]:
        """Feed groups that the power shelves of a rack hang on; those without a cord left out."""
        groups = {
            shelf: frozenset(group for _, group in self._hung_on(shelf))
            for shelf in on_busbar_of(self._design, rack_id)[1]
        }
        return {shelf: on for shelf, on in groups.items() if on}

    def shelves_w(self, shelves: Iterable[DeviceId]) -> float:
        """What power shelves give together."""
        parts = (self._design.devices[shelf].part for shelf in shelves)
        return sum(self._design.part(p, PowerShelfPart).rated_kw * 1000 for p in parts)

    def shelves_left(self, rack_id: str) -> tuple[str, float] | None:
        """The feed group whose loss costs a busbar most, and what its shelves give without it.

        None where its shelves hang on less than two groups: then nothing is left, or nobody knows.
        """
        groups = self.shelf_groups(rack_id)
        every = set[str]().union(*groups.values())
        if len(every) < 2:
            return None
        left = [(g, self.shelves_w(s for s, on in groups.items() if on != {g})) for g in every]
        return min(left, key=lambda item: (item[1], item[0]))

    def heat(self, device_ids: Iterable[DeviceId]) -> Heat:
        """What devices give off; not PDUs, which lose next to nothing."""
        air_w = liquid_w = unsaid_w = 0.0
        air_unknown = 0
        for device_id in device_ids:
            part = self._design.part(self._design.devices[device_id].part, DevicePart)
            if isinstance(part, PduPart):
                continue
            draw, share = self.draw(device_id), liquid_share(part)
            if share is None:
                unsaid_w += draw.watts
                continue
            air_w += draw.watts * (1 - share)
            liquid_w += draw.watts * share
            air_unknown += draw.unknown and share < 1
        return Heat(air_w, liquid_w, unsaid_w, air_unknown)
