# SPDX-License-Identifier: Apache-2.0
"""Whole racks as the catalogue lists them, placed many times over, with power."""

from __future__ import annotations

from dataclasses import dataclass, field

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import DevicePart, PduPart, RackPart, ServerPart, SwitchPart
from rackloom.catalog.site_parts import PowerShelfPart, RackItem, RackSystemPart
from rackloom.catalog.words import CageRole
from rackloom.design.ids import DeviceId, RackId
from rackloom.generate.builder import Builder
from rackloom.generate.busbar import feed_shelves, hangs_on_busbar
from rackloom.generate.errors import GenerateError
from rackloom.generate.layout import Layout
from rackloom.generate.power import hang_pair, plug_in


@dataclass(frozen=True, slots=True)
class WholeRack:
    """A rack system with its parts looked up: GPU trays of one part, and what else it holds."""

    system: RackSystemPart
    rack: RackPart
    items: tuple[tuple[RackItem, DevicePart], ...]
    server: ServerPart
    trays: int

    @property
    def gpus(self) -> int:
        """GPUs of one rack."""
        assert self.server.gpu is not None
        return self.trays * self.server.gpu.count

    @property
    def title(self) -> str:
        """Maker and model."""
        return self.system.title


def whole_rack(catalog: Catalog, part_id: str) -> WholeRack:
    """A rack system of the catalogue; GenerateError where it cannot be filled with GPUs."""
    system = catalog.require(part_id)
    if not isinstance(system, RackSystemPart):
        raise GenerateError(f"system={part_id}: that is not a rack system part")
    if system.rack is None:
        raise GenerateError(
            f"{system.title} cannot be placed: what stands in it is not published; choose another "
            "system"
        )
    rack = catalog.require(system.rack)
    assert isinstance(rack, RackPart)
    items: list[tuple[RackItem, DevicePart]] = []
    trays: dict[str, int] = {}
    for item in system.items:
        part = catalog.require(item.part)
        assert isinstance(part, DevicePart)
        items.append((item, part))
        if isinstance(part, ServerPart) and part.gpu is not None:
            trays[part.id] = trays.get(part.id, 0) + len(item.bottom_u)
    if len(trays) != 1:
        raise GenerateError(f"{system.title} has {len(trays)} kinds of GPU trays: one is wanted")
    ((server_id, count),) = trays.items()
    server = catalog.require(server_id)
    assert isinstance(server, ServerPart)
    return WholeRack(system, rack, tuple(items), server, count)


@dataclass(slots=True)
class SystemRacks:
    """Places racks of one system, powers them, and remembers what stands in each."""

    builder: Builder
    layout: Layout
    system: WholeRack
    pdu: PduPart
    trays: list[str] = field(default_factory=list)
    """Names of the GPU trays, rack by rack, from the bottom up."""
    managed: list[tuple[tuple[RackId, str], list[DeviceId], list[DeviceId]]] = field(
        default_factory=list
    )
    """Per rack: the rack, its management switches, and the devices to be managed."""

    def place(self, pod: str) -> None:
        """The next rack on the floor, with everything in it."""
        self.builder.embed(self.system.system)
        rack = self.layout.floor.rack(self.system.rack)
        managers: list[DeviceId] = []
        managed: list[DeviceId] = []
        shelves: list[tuple[PowerShelfPart, DeviceId]] = []
        corded: list[tuple[DeviceId, DevicePart]] = []
        for item, part in self.system.items:
            for number, bottom_u in enumerate(sorted(item.bottom_u), start=1):
                name = f"{rack[1]}-{item.name.replace('{n}', f'{number:02d}')}"
                device = self._device(item, part, rack[0], bottom_u, name, pod)
                if part is self.system.server:
                    self.trays.append(name)
                if isinstance(part, PowerShelfPart):
                    shelves.append((part, device))
                elif part.psu is not None and not hangs_on_busbar(part):
                    corded.append((device, part))
                if is_manager(part):
                    managers.append(device)
                elif any(cage.role is CageRole.OUT_OF_BAND for cage in part.cages):
                    managed.append(device)
        self.managed.append((rack, managers, managed))
        self._power(rack, shelves, corded)

    def _device(
        self, item: RackItem, part: DevicePart, rack: RackId, bottom_u: int, name: str, pod: str
    ) -> DeviceId:
        manager = is_manager(part)
        device = self.builder.device(
            part,
            rack,
            bottom_u,
            name,
            face=item.face,
            role="leaf" if manager else None,
            fabric=str(CageRole.OUT_OF_BAND) if manager else None,
            pod=pod if isinstance(part, ServerPart) else None,
        )
        self.layout.ids[name] = device
        return device

    def _power(
        self,
        rack: tuple[RackId, str],
        shelves: list[tuple[PowerShelfPart, DeviceId]],
        corded: list[tuple[DeviceId, DevicePart]],
    ) -> None:
        """Half of the shelves on A and half on B; a pair of PDUs for what has cords."""
        derating = self.layout.derating
        for kind in {shelf.id: shelf for shelf, _ in shelves}.values():
            mine = [device for shelf, device in shelves if shelf is kind]
            feed_shelves(self.builder, kind, rack[1], mine, derating)
        if corded:
            pair = hang_pair(self.builder, self.pdu, rack, 0)
            for device, part in corded:
                plug_in(self.builder, pair, device, part)


def is_manager(part: DevicePart) -> bool:
    """Whether a switch in a rack of GPUs is there for the management ports: it has RJ45 ones."""
    return isinstance(part, SwitchPart) and any(
        cage.form_factor.value == "RJ45" for cage in part.data_cages
    )
