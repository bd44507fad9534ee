# SPDX-License-Identifier: Apache-2.0
"""What the tables of devices and cables show."""

from PySide6.QtCore import QCoreApplication

from rackloom.catalog.parts import CablePart, DevicePart, Part, SwitchPart
from rackloom.design import Cable, CableEnd, Design, Device, port_name
from rackloom.design.hardware import cages_of
from rackloom.reports.power import draws_power, power_of_device
from rackloom_gui.panels.figures import rate_text
from rackloom_gui.panels.tables import Column
from rackloom_gui.widgets.quantity import LENGTH_M, POWER_W, format_quantity


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("Tables", text)


def ports_used(design: Design, device: Device) -> tuple[int, int]:
    """Cages with something in them, and all cages of a device."""
    used = {plug.cage for plug in design.index.plugs(design, device.id)}
    return len(used), len(cages_of(design, device))


def device_columns() -> list[Column]:
    """Columns of the table of devices."""
    return [
        Column(tr("Name"), lambda _design, d: d.name, width=120),
        Column(tr("Part"), lambda design, d: design.part(d.part, DevicePart).title, width=180),
        Column(tr("Rack"), lambda design, d: design.racks[d.rack].name, width=70),
        Column(tr("U"), lambda _design, d: d.bottom_u or 0, _u_text, 50, right=True),
        Column(tr("Face"), lambda _design, d: d.face.value, width=60),
        Column(tr("Role"), lambda _design, d: d.role or "", width=70),
        Column(tr("Fabric"), lambda _design, d: d.fabric or "", width=90),
        Column(tr("Ports used"), ports_used, lambda v: f"{v[0]} / {v[1]}", 80, right=True),
        Column(
            tr("Greatest power"),
            _power,
            lambda w: format_quantity(w, POWER_W, 1) if w else "",
            100,
            right=True,
        ),
    ]


def _power(design: Design, device: Device) -> float | None:
    """What sums count: of a switch with its optics; None where it is not known, 0 for none."""
    part = design.part(device.part, DevicePart)
    if not draws_power(part):
        return 0.0
    if not isinstance(part, SwitchPart):
        return part.power_max_w  # as sold: what is plugged in adds nothing
    power = power_of_device(design, device.id)
    return power.known_w if power is not None and power.complete else None


def _u_text(u: int) -> str:
    return f"U{u}" if u else tr("0U")


def _end(design: Design, ends: list[CableEnd]) -> str:
    return ", ".join(dict.fromkeys(design.devices[e.device].name for e in ends))


def _ports(design: Design, cable: Cable, ends: list[CableEnd]) -> str:
    """Ports at these ends, as the schedule names them; the cage where an end carries no link."""
    links = design.links.get(cable.id, ())
    names: dict[str, None] = {}
    for end in ends:
        place = (end.device, end.cage)
        refs = [ref for link in links for ref in (link.a, link.b) if ref[:2] == place]
        names.update(dict.fromkeys(port_name(design, ref) for ref in refs))
        if not refs:
            names[end.cage] = None
    return ", ".join(names)


def near(cable: Cable) -> list[CableEnd]:
    """The trunk end, if it is plugged."""
    return [e for e in cable.ends if e.end == 0]


def far(cable: Cable) -> list[CableEnd]:
    """The branches that are plugged."""
    return [e for e in cable.ends if e.end != 0]


def cable_rate_gbps(design: Design, cable: Cable) -> float:
    """Sum of the rates of the links a cable carries; 0 while it carries none."""
    return sum(link.rate_gbps for link in design.links.get(cable.id, ()))


def cable_columns() -> list[Column]:
    """Columns of the table of cables."""
    return [
        Column(tr("Cable"), lambda _design, c: c.label or c.id, width=70),
        Column(tr("From"), lambda design, c: _end(design, near(c)), width=90),
        Column(tr("Port"), lambda design, c: _ports(design, c, near(c)), width=80),
        Column(tr("To"), lambda design, c: _end(design, far(c)), width=90),
        Column(tr("Port"), lambda design, c: _ports(design, c, far(c)), width=60),
        Column(
            tr("Length"),
            lambda _design, c: c.length_m,
            lambda m: format_quantity(m, LENGTH_M),
            70,
            right=True,
        ),
        Column(
            tr("Rate"),
            cable_rate_gbps,
            lambda r: rate_text(r) if r else tr("no link"),
            70,
            right=True,
        ),
        Column(tr("Part"), lambda design, c: design.part(c.part, Part).model, width=140),
        Column(
            tr("Kind"),
            lambda design, c: str(design.part(c.part, CablePart).technology),
            width=60,
        ),
        Column(tr("Fabric"), lambda _design, c: c.fabric or "", width=90),
    ]
