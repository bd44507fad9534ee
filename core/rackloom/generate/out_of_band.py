# SPDX-License-Identifier: Apache-2.0
"""The out-of-band network beside generated racks: a management switch where devices stand.

Management ports go to a switch in their own rack; these switches go to a pair of larger ones, in
great halls to a pair for each group of them, and these to two more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import DevicePart, PartId, SwitchPart
from rackloom.catalog.words import CageRole, FormFactor, Side
from rackloom.design.ids import DeviceId
from rackloom.generate.builder import Builder
from rackloom.generate.cabling import Bundle, Cabler
from rackloom.generate.layout import Item, Layout
from rackloom.generate.network import Request
from rackloom.generate.rack_systems import SystemRacks

FABRIC = str(CageRole.OUT_OF_BAND)

MOST_LINKS = 8
"""Links of a switch that joins management switches to each of the two above it, at most."""


@dataclass(slots=True)
class _Access:
    """A management switch, and which of its access ports is the next free one."""

    device: DeviceId
    part: SwitchPart
    used: int = 0

    @property
    def ports(self) -> list[Cage]:
        """Those that management ports go to."""
        return [cage for cage in self.part.data_cages if cage.form_factor is FormFactor.RJ45]

    @property
    def uplinks(self) -> list[Cage]:
        """Its faster ports."""
        return [cage for cage in self.part.data_cages if cage.form_factor is not FormFactor.RJ45]


@dataclass(slots=True)
class OutOfBand:
    """Places management switches and cables what is managed."""

    request: Request
    layout: Layout
    racks: SystemRacks
    _bundles: dict[tuple[str, PartId, str, PartId, str], Bundle] = field(default_factory=dict)
    _left: int = 0

    def build(self, cabler: Cabler) -> list[str]:
        """Switches and cables; returns what the user should know."""
        joint: SwitchPart = self.request.part("management_spine", SwitchPart)
        joints, cores = self._place_joints(joint)
        access = [*self._in_racks_of_gpus(), *self._in_network_racks()]
        if joints:
            self._join(access, joint, joints, cores)
        elif len(access) > 1:
            self._star(access)
        cabler.cable(list(self._bundles.values()))
        notes = []
        if self._left:
            notes.append(
                f"{self._left} management ports are not cabled: their racks' management switches "
                "have no port left"
            )
        if len(joints) > 2 and not cores:
            notes.append(
                f"the {len(joints) // 2} groups of the out-of-band network are not joined: "
                f"{joint.title} has too few ports to join them all"
            )
        return notes

    # Switches

    def _place_joints(self, part: SwitchPart) -> tuple[list[DeviceId], list[DeviceId]]:
        """Pairs of switches that join management switches, and the two above the pairs."""
        racks = len(self.racks.managed)
        managers = len(self.racks.managed[0][1]) if racks else 0
        access = racks * managers + len(self.layout.network)
        if access <= self._star_size():
            return [], []
        # A rack made for the joints has a management switch too.
        access += 1
        ports = len(part.data_cages)
        groups = 1 if access <= ports else ceil(access / (ports - 2 * MOST_LINKS))
        up = 0 if groups == 1 else min(MOST_LINKS, ports // (2 * groups))
        names = [
            f"oob-spine-{g + 1:02d}-{n + 1}" if groups > 1 else f"oob-spine-{n + 1}"
            for g in range(groups)
            for n in range(2)
        ]
        tops = ["oob-core-1", "oob-core-2"] if up else []
        roles = [*((n, "spine") for n in names), *((n, "core") for n in tops)]
        face = self._face()
        items = [Item(part, name, role, FABRIC, None, face) for name, role in roles]
        roomy = (rack for rack in self.layout.network if self.layout.has_room(rack, items))
        rack = next(roomy, None)
        if rack is None:
            self.layout.network_racks(items)
        else:
            for item in items:
                self.layout.below(rack, item)
        return [self.layout.ids[n] for n in names], [self.layout.ids[n] for n in tops]

    def _star_size(self) -> int:
        """So many management switches can hang on one of them by its faster ports."""
        return 1 + len(_Access(DeviceId(""), self._part()).uplinks)

    def _part(self) -> SwitchPart:
        part: SwitchPart = self.request.part("management_switch", SwitchPart)
        return part

    def _face(self) -> Side:
        return self.layout.network[0].items[0].face if self.layout.network else Side.FRONT

    def _in_racks_of_gpus(self) -> Iterator[_Access]:
        """The management switches of each rack, with half of its devices each."""
        for _, managers, managed in self.racks.managed:
            here = [_Access(device, self._switch(device)) for device in managers]
            for number, device in enumerate(managed):
                self._manage(device, here[number % len(here)] if here else None)
            yield from here

    def _in_network_racks(self) -> Iterator[_Access]:
        """A management switch for each rack of switches, under them."""
        part = self._part()
        for rack in self.layout.network:
            managed = [self.layout.ids[item.name] for item in rack.items]
            item = Item(part, f"{rack.rack[1]}-mgmt-01", "leaf", FABRIC, None, rack.items[0].face)
            blows = {i.blows_to() for i in (item, *rack.items)} - {None}
            if len(blows) > 1:
                item = replace(item, face=item.face.other)
            self.layout.below(rack, item)
            here = _Access(self.layout.ids[item.name], part)
            for device in managed:
                self._manage(device, here)
            yield here

    # Cables

    def _switch(self, device: DeviceId) -> SwitchPart:
        part = self._device_part(device)
        assert isinstance(part, SwitchPart)
        return part

    def _device_part(self, device: DeviceId) -> DevicePart:
        tables = self.builder.tables
        part = tables["parts"][tables["devices"][device].part]
        assert isinstance(part, DevicePart)
        return part

    @property
    def builder(self) -> Builder:
        """Where the design is being written."""
        return self.layout.builder

    def _manage(self, device: DeviceId, access: _Access | None) -> None:
        """Cable the first management port of a device to a management switch."""
        part = self._device_part(device)
        cage = next((c for c in part.cages if c.role is CageRole.OUT_OF_BAND), None)
        if cage is None:
            return
        if access is None or access.used >= len(access.ports):
            self._left += 1
            return
        port = access.ports[access.used]
        access.used += 1
        self._link("management port", (device, part, cage), (access.device, access.part, port))

    def _star(self, access: Sequence[_Access]) -> None:
        """A few management switches: all on the last one, which stands among the switches."""
        hub = access[-1]
        for port, other in zip(hub.uplinks, access[:-1], strict=False):
            ends = (other.device, other.part, other.uplinks[0]), (hub.device, hub.part, port)
            self._link("management switches", *ends)

    def _join(
        self,
        access: Sequence[_Access],
        part: SwitchPart,
        joints: Sequence[DeviceId],
        cores: Sequence[DeviceId],
    ) -> None:
        """Each management switch to both of its group's, and these to both above them."""
        cages = part.data_cages
        groups = len(joints) // 2
        per_group = ceil(len(access) / groups)
        for number, switch in enumerate(access):
            group, place = divmod(number, per_group)
            for side, uplink in enumerate(switch.uplinks[:2]):
                there = (joints[2 * group + side], part, cages[place])
                self._link("management switches", (switch.device, switch.part, uplink), there)
        if not cores:
            return
        each = min(MOST_LINKS, len(cages) // len(joints))
        for number, joint in enumerate(joints):
            for side, core in enumerate(cores):
                for link in range(each):
                    up = cages[len(cages) - 1 - side * each - link]
                    there = (core, part, cages[number * each + link])
                    self._link("management switches", (joint, part, up), there)

    def _link(
        self,
        name: str,
        a: tuple[DeviceId, DevicePart, Cage],
        b: tuple[DeviceId, DevicePart, Cage],
    ) -> None:
        key = (name, a[1].id, a[2].group, b[1].id, b[2].group)
        bundle = self._bundles.get(key)
        if bundle is None:
            bundle = Bundle(name, (a[1], a[2]), (b[1], b[2]), [], FABRIC, (1, 1))
            self._bundles[key] = bundle
        bundle.pairs.append(((a[0], a[2].name, 0), (b[0], b[2].name, 0)))
