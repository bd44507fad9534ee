# SPDX-License-Identifier: Apache-2.0
"""Look-ups derived from a design: who stands where, what is plugged into what.

Keyed by rack and by device only, so that a patch copies small dicts (20,000 devices) and never the
400,000 cables.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from rackloom.bulk import copied
from rackloom.design.change import Change
from rackloom.design.entities import Cable, Cord, Device, Module, Rack
from rackloom.design.ids import (
    CableId,
    CordId,
    DeviceId,
    ModuleId,
    RackId,
    RowId,
    by_age,
    in_order,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackloom.design.value import Design


@dataclass(frozen=True, slots=True)
class Plug:
    """What sits in a cage, or in one socket of the transceiver in it."""

    cage: str
    socket: int
    cable: CableId | None
    """The cable, or None for a transceiver without one."""
    end: int
    module: ModuleId | None
    """The transceiver, or None for a cable plugged directly."""


class _Turnover(NamedTuple):
    """What goes from under a key, and what comes."""

    gone: set[str]
    new: set[str]


def _listed(table: Mapping[Any, object], field: str) -> dict[str, tuple[str, ...]]:
    """The ids of a table under what a field of its entities says, oldest first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, entity_id in zip(map(attrgetter(field), table.values()), table, strict=True):
        groups[key].append(entity_id)
    return _oldest_first(groups, in_order(table))


def _cables_by_device(cables: Mapping[CableId, Cable]) -> dict[str, tuple[str, ...]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for cable_id, cable in cables.items():
        for device in _devices_of(cable):
            groups[device].append(cable_id)
    return _oldest_first(groups, in_order(cables))


def _oldest_first(groups: Mapping[str, list[str]], they_are: bool) -> dict[str, tuple[str, ...]]:
    if not they_are:
        for ids in groups.values():
            ids.sort(key=by_age)
    return {key: tuple(ids) for key, ids in groups.items()}


class DesignIndex:
    """Who stands in a rack, which cables, modules and cords touch a device.

    Values are tuples of ids, oldest first.
    """

    __slots__ = (
        "cables_of_device",
        "cords_from_source",
        "cords_of_device",
        "devices_in_rack",
        "modules_of_device",
        "racks_in_row",
    )

    devices_in_rack: Mapping[RackId, tuple[DeviceId, ...]]
    racks_in_row: Mapping[RowId, tuple[RackId, ...]]
    cables_of_device: Mapping[DeviceId, tuple[CableId, ...]]
    modules_of_device: Mapping[DeviceId, tuple[ModuleId, ...]]
    cords_of_device: Mapping[DeviceId, tuple[CordId, ...]]
    """Cords that feed the device (at its inlets)."""
    cords_from_source: Mapping[str, tuple[CordId, ...]]
    """Cords that leave a PDU or feed."""

    @classmethod
    def build(cls, design: Design) -> DesignIndex:
        """All look-ups from scratch."""
        index = cls()
        index.devices_in_rack = _listed(design.devices, "rack")  # type: ignore[assignment]
        index.racks_in_row = _listed(design.racks, "row")  # type: ignore[assignment]
        index.cables_of_device = _cables_by_device(design.cables)  # type: ignore[assignment]
        index.modules_of_device = _listed(design.modules, "device")  # type: ignore[assignment]
        index.cords_of_device = _listed(design.cords, "device")  # type: ignore[assignment]
        index.cords_from_source = _listed(design.cords, "source")  # type: ignore[assignment]
        return index

    def patched(self, change: Change) -> DesignIndex:
        """The index of the design after a change, sharing what did not change."""
        touched: dict[str, dict[str, _Turnover]] = {}
        for record in change:
            for name, key in memberships(record.before):
                touched.setdefault(name, {}).setdefault(key, _Turnover(set(), set())).gone.add(
                    record.id
                )
            for name, key in memberships(record.after):
                touched.setdefault(name, {}).setdefault(key, _Turnover(set(), set())).new.add(
                    record.id
                )
        index = DesignIndex()
        for name in self.__slots__:
            setattr(index, name, getattr(self, name))
        for name, keys in touched.items():
            setattr(index, name, self._patch(name, keys))
        return index

    def _patch(self, name: str, keys: Mapping[str, _Turnover]) -> dict[str, tuple[str, ...]]:
        """One look-up with these keys worked out again."""
        new = copied(getattr(self, name))
        for key, (gone, come) in keys.items():
            old = new.get(key, ())
            ids = [i for i in old if i not in gone or i in come]
            if fresh := come.difference(old):
                ids = sorted([*ids, *fresh], key=by_age)
            if ids:
                new[key] = tuple(ids)
            else:
                new.pop(key, None)
        return new

    def plugs(self, design: Design, device_id: DeviceId) -> tuple[Plug, ...]:
        """Everything plugged into a device, transceivers with and without a cable."""
        modules = {design.modules[m].cage: m for m in self.modules_of_device.get(device_id, ())}
        plugs = [
            Plug(end.cage, end.socket, cable_id, end.end, modules.get(end.cage))
            for cable_id in self.cables_of_device.get(device_id, ())
            for end in design.cables[cable_id].ends
            if end.device == device_id
        ]
        cabled = {plug.cage for plug in plugs}
        plugs += [
            Plug(cage, 0, None, 0, module) for cage, module in modules.items() if cage not in cabled
        ]
        return tuple(plugs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DesignIndex) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]


TABLE_OF_LOOKUP = {
    "devices_in_rack": "devices",
    "racks_in_row": "racks",
    "cables_of_device": "cables",
    "modules_of_device": "modules",
    "cords_of_device": "cords",
    "cords_from_source": "cords",
}


def _devices_of(cable: Cable) -> tuple[DeviceId, ...]:
    """The devices a cable touches, each once, in the order of its ends."""
    ends = cable.ends
    if len(ends) == 2 and ends[0].device != ends[1].device:
        return ends[0].device, ends[1].device
    return tuple(dict.fromkeys(end.device for end in cable.ends))


def memberships(entity: object) -> list[tuple[str, str]]:
    """Under which look-up and key an entity is listed."""
    match entity:
        case Device():
            return [("devices_in_rack", entity.rack)]
        case Cable():
            return [("cables_of_device", device) for device in _devices_of(entity)]
        case Module():
            return [("modules_of_device", entity.device)]
        case Cord():
            return [("cords_of_device", entity.device), ("cords_from_source", entity.source)]
        case Rack():
            return [("racks_in_row", entity.row)]
        case _:
            return []
