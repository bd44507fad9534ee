# SPDX-License-Identifier: Apache-2.0
"""Which feed of the building a PDU hangs on: one that is there, or a new one of its own."""

from math import sqrt

from rackloom.catalog.parts import PduPart
from rackloom.design import Design, Draft, EditError, edits
from rackloom.design.ids import DeviceId
from rackloom.design.names import next_name

NEW_FEED = ("A", "B")
"""Groups in which a new feed can be made from the inspector of a PDU."""


def feed_of(design: Design, pdu_id: DeviceId) -> str | None:
    """Id of the feed a PDU is plugged into, or None."""
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


def hang_on(draft: Draft, pdu_id: DeviceId, feed: str | None) -> None:
    """Plug a PDU into a feed (its id, or ``new A`` or ``new B``), or (None) into nothing."""
    for cord in list(draft.cords.values()):
        if cord.device == pdu_id and cord.source in draft.feeds:
            draft.remove("cords", cord.id)
    if feed is None:
        return
    if feed.startswith("new "):
        group = feed.removeprefix("new ")
        part = draft.device_part(pdu_id)
        if not isinstance(part, PduPart):
            raise EditError(f"{draft.devices[pdu_id].name} is not a PDU", (pdu_id,))
        rack = draft.racks[draft.devices[pdu_id].rack].name
        name = next_name(f"{rack}-{group}", (f.name for f in draft.feeds.values()), width=1)
        feed = edits.add_feed(
            draft, name, group, part.voltage_v, rated_current_a(part), part.phases
        )
    edits.plug_cord(draft, pdu_id, 1, feed)
