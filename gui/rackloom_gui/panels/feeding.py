# SPDX-License-Identifier: Apache-2.0
"""Which feed of the building a PDU or power shelf hangs on: one that is there, or a new one."""

from math import sqrt

from rackloom.catalog.parts import PduPart
from rackloom.catalog.site_parts import PowerShelfPart
from rackloom.design import Design, Draft, EditError, edits
from rackloom.design.ids import DeviceId
from rackloom.design.names import next_name

NEW_FEED = ("A", "B")
"""Groups in which a new feed can be made from the inspector of a PDU."""


def feed_of(design: Design, pdu_id: DeviceId) -> str | None:
    """Id of the feed a PDU or power shelf is plugged into, or None."""
    for cord_id in design.index.cords_of_device.get(pdu_id, ()):
        if design.cords[cord_id].source in design.feeds:
            return design.cords[cord_id].source
    return None


def rated_current_a(part: PduPart) -> float:
    """Current of the circuit a PDU is made for; where only its kW are known, what they ask for."""
    if part.current_a is not None:
        return part.current_a
    phases = sqrt(3) if part.phases == 3 else 1.0
    return round(part.rated_kw * 1000 / (part.voltage_v * phases), 1)


def _circuit_for(draft: Draft, device_id: DeviceId) -> tuple[float, float, int]:
    """Volts, amperes and phases of a new feed for a PDU or shelf alone."""
    part = draft.device_part(device_id)
    if isinstance(part, PduPart):
        return part.voltage_v, rated_current_a(part), part.phases
    if not isinstance(part, PowerShelfPart):
        raise EditError(f"{draft.devices[device_id].name} is no PDU or power shelf", (device_id,))
    from rackloom.placement.shelves import circuit_for

    return circuit_for(part, draft.settings.feed_derating)


def hang_on(draft: Draft, pdu_id: DeviceId, feed: str | None) -> None:
    """Plug a PDU or shelf into a feed (id, ``new A``, ``new B``), or (None) into nothing."""
    for cord in draft.touching("cords_of_device", {pdu_id}):
        if cord.source in draft.feeds:
            draft.remove("cords", cord.id)
    if feed is None:
        return
    if feed.startswith("new "):
        group = feed.removeprefix("new ")
        volts, amperes, phases = _circuit_for(draft, pdu_id)
        rack = draft.racks[draft.devices[pdu_id].rack].name
        name = next_name(f"{rack}-{group}", (f.name for f in draft.feeds.values()), width=1)
        feed = edits.add_feed(draft, name, group, volts, amperes, phases)
    edits.plug_cord(draft, pdu_id, 1, feed)
