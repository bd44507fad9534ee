# SPDX-License-Identifier: Apache-2.0
"""What is left of a device's power supplies when one feed is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rackloom.checks.context import Context
from rackloom.checks.finding import Hit, Severity, called
from rackloom.checks.registry import rule
from rackloom.design.ids import RackId

if TYPE_CHECKING:
    from rackloom.catalog.parts import Psu
    from rackloom.design.ids import DeviceId

_CORDED = {"cords", "devices", "feeds"}


def _supplies(context: Context, rack_id: str) -> Iterator[tuple[DeviceId, Psu, Mapping[str, int]]]:
    """Devices of a rack with several supplies, and how many hang on each feed group."""
    design = context.design
    for device in design.index.devices_in_rack.get(RackId(rack_id), ()):
        supplies = context.loads.supplies_of(device)
        if supplies is not None:
            yield device, *supplies


@rule(
    "power.psu-split",
    Severity.WARNING,
    watches=_CORDED,
    scope="supply",
    source="NVIDIA DGX user guides (supplies needed); Dell AI fabric planning rules (2N feeds)",
    numbers=(63,),
)
def psu_split(context: Context, rack_id: str) -> Iterator[Hit]:
    """The power supplies of a device are spread over the feeds so that one may fail.

    Two supplies on one feed are no spare. What to do: move cords to a PDU of the other feed, half
    of them on each.
    """
    for device, psu, groups in _supplies(context, rack_id):
        corded = sum(groups.values())
        if len(groups) == 1 and corded > 1:
            yield Hit(
                (device, rack_id),
                f"all {corded} corded power supplies of {called(device)} hang on "
                f"{context.loads.group_words(next(iter(groups)))}: it goes down with it",
            )
            continue
        worst, most = max(groups.items(), key=lambda item: (item[1], item[0]))
        if len(groups) == 1:
            continue  # a single cord: power.spare-inlet and power.few-inlets say so
        evenly = -(-corded // len(groups))
        needed = psu.needed or 1
        if corded - most < needed <= corded - evenly:
            yield Hit(
                (device, rack_id),
                f"with {context.loads.group_words(worst)} lost, {called(device)} has "
                f"{corded - most} power supplies left and needs {needed}: {most} of {corded} "
                f"hang there, {evenly} would do",
            )


@rule(
    "power.psu-throttle",
    Severity.WARNING,
    watches=_CORDED,
    scope="supply",
    source="NVIDIA DGX H100, B200 user guides; DGX SuperPOD reference architecture B300",
    numbers=(63,),
)
def psu_throttle(context: Context, rack_id: str) -> Iterator[Hit]:
    """With one feed lost, the power supplies left carry their device at full load.

    How many are needed is a matter of the model: 4 of 6 for DGX H100, 5 of 6 for B200. Over two
    feeds three are left, and the server runs throttled or goes down; over three feeds (as NVIDIA
    draws them) four are left. What to do: a third feed, or accept it with a reason.
    """
    worst: dict[tuple[str, int, int], list[DeviceId]] = {}
    for device, psu, groups in _supplies(context, rack_id):
        corded = sum(groups.values())
        evenly = -(-corded // len(groups))
        needed = psu.needed or 1
        if len(groups) > 1 and needed > corded - evenly and corded >= needed:
            part = context.design.devices[device].part
            worst.setdefault((part, corded - max(groups.values()), needed), []).append(device)
    for (part_id, left, needed), devices in worst.items():
        names = ", ".join(called(d) for d in devices[:3])
        more = f" and {len(devices) - 3} more" if len(devices) > 3 else ""
        model = context.design.parts[part_id].model  # type: ignore[index]
        have = "has" if len(devices) == 1 else "have"
        yield Hit(
            (*devices, rack_id),
            f"with one feed lost, {names}{more} {have} {left} power supplies left, and "
            f"{model} needs {needed}",
        )
