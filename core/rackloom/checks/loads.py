# SPDX-License-Identifier: Apache-2.0
"""Who draws what from which PDU and feed, for the rules: see ``placement.loads``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

from rackloom.catalog.parts import DevicePart, SwitchPart
from rackloom.checks.finding import called
from rackloom.placement import loads
from rackloom.placement.draws import Draw, Load
from rackloom.placement.loads import (
    circuit_w,
    cords_of,
    devices_on,
    feed_usable_w,
    needs_power,
    on_busbar,
    pdu_usable_w,
    pdus_in,
)

if TYPE_CHECKING:
    from rackloom.checks.context import Context
    from rackloom.design.ids import DeviceId
    from rackloom.design.value import Design

__all__ = [
    "Draw",
    "Load",
    "Loads",
    "circuit_w",
    "cords_of",
    "devices_on",
    "draws_for_plugs",
    "feed_usable_w",
    "needs_power",
    "on_busbar",
    "pdu_usable_w",
    "pdus_in",
]


class Loads(loads.Loads):
    """Draws and loads of a design, each worked out once a run."""

    def __init__(self, context: Context) -> None:
        # A weak reference: in a circle with its context, the design of every edit would stay in
        # memory until the collector goes round, some megabytes each.
        super().__init__(context.design, partial(_work_out, ref(context)))

    def group_words(self, group: str) -> str:
        """``feed A``, or the PDU that has no feed."""
        return called(group) if group in self._design.devices else f"feed {group}"


def draws_for_plugs(design: Design, device_id: DeviceId) -> bool:
    """Whether what a device draws depends on what is plugged into it.

    What a server draws was published with its network cards at work.
    """
    return isinstance(design.parts[design.devices[device_id].part], SwitchPart)


def _work_out(context_ref: Callable[[], Context | None], device_id: DeviceId) -> Draw:
    context = context_ref()
    assert context is not None, "draws are asked for while the rules run"
    part = context.design.part(context.design.devices[device_id].part, DevicePart)
    if not draws_for_plugs(context.design, device_id):
        return loads.greatest_draw(part, 0.0, False)
    kinds = [state.kind for state in context.view(device_id).states.values()]
    plugs_w = sum(kind.plug_w for kind in kinds)
    return loads.greatest_draw(part, plugs_w, any(kind.plug_w_unknown for kind in kinds))
