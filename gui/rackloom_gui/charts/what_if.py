# SPDX-License-Identifier: Apache-2.0
"""What unplugging changes, in a sentence, and why where it changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rackloom.catalog.parts import SwitchPart
from rackloom_gui.charts.sizes import bandwidth_text

if TYPE_CHECKING:
    from rackloom.collectives import Estimate
    from rackloom.design import Design

SAME = 0.005
"""Changes of less than this are none: they are far below the error band."""


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("WhatIf", text)


def what_if_text(design: Design, before: Estimate, now: Estimate, unplugged: frozenset[str]) -> str:
    """Compare an estimate with things unplugged to that of the whole fabric."""
    was, is_ = before.peak.busbw_gb_per_s, now.peak.busbw_gb_per_s
    change = is_ / was - 1 if was > 0 else 0.0
    if abs(change) >= SAME:
        text = tr("Unplugged: {0} instead of {1} ({2} %).").format(
            bandwidth_text(is_), bandwidth_text(was), f"{change * 100:+.0f}"
        )
        if now.gpus != before.gpus:
            text += " " + tr("{0} GPUs take part instead of {1}.").format(now.gpus, before.gpus)
        return text
    return tr("Unplugging changes nothing:") + " " + _why_not(design, before, now, unplugged)


def _why_not(design: Design, before: Estimate, now: Estimate, unplugged: frozenset[str]) -> str:
    cables = {c for c in unplugged if c in design.cables}
    for device in unplugged:
        cables.update(design.index.cables_of_device.get(device, ()))  # type: ignore[call-overload]
    links = {c for c in cables if design.links.get(c)}  # type: ignore[call-overload]
    if not links:
        return tr("none of it carries a link of the network.")
    loads = before.loads.by_cable if before.loads is not None else {}
    busy = {c: loads[c] for c in links if c in loads}  # type: ignore[index]
    algorithm = before.points[-1].algorithm
    if not busy:
        if all(_between_switches(design, c) for c in links):
            return tr(
                "the traffic of this {0} ({1}) stays under the leaves, so these links between"
                " switches carry none of it."
            ).format(before.collective.value, algorithm)
        return tr("these links carry nothing of this {0} ({1}).").format(
            before.collective.value, algorithm
        )
    most = max(busy.values())
    fell = now.limit.busbw_gb_per_s < before.limit.busbw_gb_per_s * (1 - SAME)
    text = tr(
        "these links carried up to {0} % of their rate, the others take that over, and what binds"
        " is still: {1}."
    ).format(f"{most * 100:.0f}", now.bottleneck.text.rstrip("."))
    if fell:
        text += " " + tr("Only the limit falls, to {0}.").format(
            bandwidth_text(now.limit.busbw_gb_per_s)
        )
    return text


def _between_switches(design: Design, cable: str) -> bool:
    ends = design.cables[cable].ends  # type: ignore[index]
    return all(isinstance(design.device_part(end.device), SwitchPart) for end in ends)
