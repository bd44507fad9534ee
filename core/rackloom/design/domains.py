# SPDX-License-Identifier: Apache-2.0
"""Scale-up domains: which GPUs see each other without the network, in a box or across a rack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackloom.catalog.parts import Backplane, RackPart, ScaleUp, ServerPart, SwitchPart
from rackloom.catalog.words import Protocol, ScaleUpKind
from rackloom.design.entities import Device
from rackloom.design.ids import DeviceId, RackId, by_age

if TYPE_CHECKING:
    from rackloom.design.value import Design

_SWITCHED = {
    ScaleUpKind.NVLINK_SWITCHED: Protocol.NVLINK,
    ScaleUpKind.UALINK_SWITCHED: Protocol.UALINK,
}
"""What the switches of a domain across a rack speak."""


@dataclass(frozen=True, slots=True)
class Domain:
    """GPUs on one scale-up network."""

    servers: tuple[DeviceId, ...]
    """Lowest in the rack first."""
    gpus: int
    scale_up: ScaleUp
    rack: RackId | None = None
    """The rack whose backplane joins them; None for a domain inside one server."""
    switches: tuple[DeviceId, ...] = ()
    """Switch trays of that rack."""


def scale_up_domains(design: Design) -> tuple[Domain, ...]:
    """Every domain of a design: servers alone, and trays that the backplane of a rack joins.

    Trays made to span a rack stay alone in a rack without a fitting backplane, without switch
    trays, and beyond the number of GPUs that the backplane joins.
    """
    alone: list[Domain] = []
    spanning: dict[tuple[RackId, ScaleUp], list[Device]] = {}
    for device in design.devices.values():
        part = design.parts[device.part]
        if not isinstance(part, ServerPart) or part.gpu is None or part.scale_up is None:
            continue
        if part.scale_up.kind in {ScaleUpKind.NONE, ScaleUpKind.PCIE}:
            continue
        if part.scale_up.spans_rack:
            spanning.setdefault((device.rack, part.scale_up), []).append(device)
        else:
            alone.append(_alone(device, part))
    joined = [
        domain
        for (rack, scale_up), devices in spanning.items()
        for domain in _across(design, rack, scale_up, devices)
    ]
    return tuple(sorted((*alone, *joined), key=lambda d: by_age(d.servers[0])))


def _across(
    design: Design, rack: RackId, scale_up: ScaleUp, devices: list[Device]
) -> Iterator[Domain]:
    """The trays of one kind in one rack: one domain as far as it goes, the rest alone."""
    devices = sorted(devices, key=lambda d: (d.bottom_u or 0, by_age(d.id)))
    backplane = design.part(design.racks[rack].part, RackPart).backplane
    switches = _switches(design, rack, scale_up)
    room = backplane.domain_gpus if backplane and _fits(backplane, scale_up) else 0
    if scale_up.kind in _SWITCHED and not switches:
        room = 0
    members: list[DeviceId] = []
    gpus = 0
    for device in devices:
        part = design.part(device.part, ServerPart)
        count = part.gpu.count if part.gpu else 0
        if gpus + count > room:
            yield _alone(device, part)
            continue
        members.append(device.id)
        gpus += count
    if members:
        yield Domain(tuple(members), gpus, scale_up, rack, switches)


def _alone(device: Device, part: ServerPart) -> Domain:
    assert part.gpu is not None
    assert part.scale_up is not None
    return Domain((device.id,), part.gpu.count, part.scale_up)


def _fits(backplane: Backplane, scale_up: ScaleUp) -> bool:
    return backplane.scale_up is scale_up.kind and (
        not backplane.generation or backplane.generation == scale_up.generation
    )


def _switches(design: Design, rack: RackId, scale_up: ScaleUp) -> tuple[DeviceId, ...]:
    spoken = _SWITCHED.get(scale_up.kind)
    return tuple(
        device_id
        for device_id in design.index.devices_in_rack.get(rack, ())
        if isinstance(part := design.parts[design.devices[device_id].part], SwitchPart)
        and part.protocol is spoken
    )
