# SPDX-License-Identifier: Apache-2.0
"""Tooltips: what a port, cable, device or rack is, in a few lines of rich text."""

from collections.abc import Callable, Iterable
from html import escape as escaped

from PySide6.QtCore import QCoreApplication

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.design import Cable, Design, Device
from rackloom.design.hardware import cages_of
from rackloom.design.links import port_name
from rackloom.design.names import shortened
from rackloom.design.slots import free_ranges, height_u
from rackloom.design.wiring import cage_mode
from rackloom_gui.widgets.quantity import POWER_W, format_quantity


def tr(text: str) -> str:
    """A text in the user's language."""
    return QCoreApplication.translate("Canvas", text)


def escape(text: str) -> str:
    """A name as rich text shows it: letter by letter, and not longer than a tooltip is wide."""
    return escaped(shortened(text))


def rate_text(rate_gbps: float) -> str:
    """A port's speed as one says it: ``800 Gb/s``, ``1.6 Tb/s``, ``115.2 kb/s``."""
    if rate_gbps >= 1000:
        return f"{rate_gbps / 1000:g} Tb/s"
    if rate_gbps >= 1:
        return f"{rate_gbps:g} Gb/s"
    if rate_gbps >= 1e-3:
        return f"{rate_gbps * 1e3:g} Mb/s"
    return f"{rate_gbps * 1e6:g} kb/s"


def _lines(*lines: str) -> str:
    return "<br>".join(line for line in lines if line)


def port_tip(design: Design, device_id: str, cage_name: str, why_not: str | None = None) -> str:
    """Name, speed, optic, peer, cable and length of a port."""
    device = design.devices[device_id]  # type: ignore[index]
    cage = cages_of(design, device)[cage_name]
    mode = cage_mode(design, device, cage)
    speed = rate_text(cage.rate_gbps)
    if mode.ports > 1:
        speed = f"{speed} ({mode.ports} × {rate_text(mode.rate_gbps)})"
    head = f"<b>{escape(device.name)} · {escape(cage_name)}</b>"
    shell = f" {cage.shell}" if cage.shell else ""
    lines = [head, f"{cage.form_factor}{shell}, {speed}"]
    modules = [
        design.part(design.modules[m].part, TransceiverPart)
        for m in design.index.modules_of_device.get(device.id, ())
        if design.modules[m].cage == cage_name
    ]
    lines += [escape(f"{module.model} ({module.optic_class})") for module in modules]
    cables = [
        design.cables[c]
        for c in design.index.cables_of_device.get(device.id, ())
        if any(e.device == device.id and e.cage == cage_name for e in design.cables[c].ends)
    ]
    for cable in cables:
        lines += cable_lines(design, cable, device_id)
    if not cables and why_not is None:
        lines.append(f"<i>{tr('free')}</i>")
    if why_not is not None:
        lines.append(f"<i>{escape(why_not)}</i>")
    return _lines(*lines)


def cable_lines(design: Design, cable: Cable, seen_from: str | None = None) -> list[str]:
    """What a cable is and where it goes."""
    part = design.part(cable.part, CablePart)
    title = cable.label or cable.id
    lines = [escape(f"{title}: {part.model}, {part.technology}, {cable.length_m:g} m")]
    ends = [end for end in cable.ends if end.device != seen_from] or list(cable.ends)
    names = [f"{design.devices[end.device].name} {end.cage}" for end in ends[:8]]
    arrow = "→ " if seen_from else "↔ "
    if names:
        lines.append(escape(arrow + ", ".join(names)))
    loose = len(part.ends) - len(cable.ends)
    if loose > 0:
        lines.append(tr("{n} loose").format(n=loose))
    return lines


def cable_tip(design: Design, cable_id: str) -> str:
    """A cable with its ends and the links it carries."""
    cable = design.cables[cable_id]  # type: ignore[index]
    lines = cable_lines(design, cable)
    lines[0] = f"<b>{lines[0]}</b>"
    links = design.links.get(cable.id, ())
    for link in links[:4]:
        a, b = port_name(design, link.a), port_name(design, link.b)
        lines.append(escape(f"{a} – {b}: {rate_text(link.rate_gbps)}"))
    if len(links) > 4:
        lines.append("…")
    if not links:
        lines.append(f"<i>{tr('carries no link')}</i>")
    return _lines(*lines)


def with_load(tip: str, cables: Iterable[str], text_of: Callable[[str], str] | None) -> str:
    """A tooltip with what its cables carry below it, where loads are shown."""
    if text_of is None:
        return tip
    texts = [text_of(cable) for cable in cables]
    return _lines(tip, *(escape(text) for text in texts[:4]))


def _power_text(design: Design, device: Device) -> str:
    """The greatest draw as everywhere else: of a switch with the optics plugged into it."""
    from rackloom.reports.power import power_of_device  # all reports: not for the window's start

    power = power_of_device(design, device.id)
    if power is None:
        return ""
    text = format_quantity(power.known_w, POWER_W, 1)
    if not power.complete:
        if not power.known_w:
            return tr("power unknown")
        return tr("{power}, and what nobody published").format(power=text)
    part = design.device_part(device.id)
    if isinstance(part, SwitchPart) and power.known_w > (part.power_max_w or 0.0):
        return tr("{power} with optics").format(power=text)
    return text


def device_tip(design: Design, device_id: str) -> str:
    """A device: what it is, where it stands, what it draws."""
    device = design.devices[device_id]  # type: ignore[index]
    part = design.part(device.part, DevicePart)
    rack = design.racks[device.rack].name
    place = rack
    if device.bottom_u is not None:
        top = device.bottom_u + height_u(part) - 1
        units = f"U{device.bottom_u}" if top == device.bottom_u else f"U{device.bottom_u}–U{top}"
        place = f"{rack}, {units}"
    power = escape(_power_text(design, device))
    lines = [f"<b>{escape(device.name)}</b>", escape(part.title), escape(place), power]
    if isinstance(part, ServerPart) and part.gpu is not None:
        lines.insert(2, escape(f"{part.gpu.count} × {part.gpu.model}"))
    return _lines(*lines)


def rack_tip(design: Design, rack_id: str) -> str:
    """A rack: what it is and how full it is."""
    rack = design.racks[rack_id]  # type: ignore[index]
    part = design.part(rack.part, RackPart)
    free = sum(high - low + 1 for low, high in free_ranges(design, rack.id))
    used = part.rack_units - free
    return _lines(
        f"<b>{escape(rack.name)}</b>",
        escape(part.title),
        tr("{used} of {all} U used").format(used=used, all=part.rack_units),
    )
