# SPDX-License-Identifier: Apache-2.0
"""The figures of a part in words: with units, with "unknown" where nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from rackloom.catalog.applies import applies
from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PduPart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import PanelPart
from rackloom.catalog.words import Side, Trust
from rackloom_gui.widgets.quantity import (
    CURRENT_A,
    LENGTH_M,
    LENGTH_MM,
    MASS_KG,
    POWER_W,
    RATE_GBPS,
    VOLTAGE_V,
    UnitFamily,
    format_quantity,
)

if TYPE_CHECKING:
    from rackloom.reports.power import PowerSum


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("Figures", text)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a part's data sheet."""

    label: str
    text: str
    known: bool = True
    trust: Trust | None = None
    """None where the line is a name and not a figure."""
    field: str = ""
    """Of the part; where it cannot have such a figure, the line is left out."""


def quantity(value: float | None, family: UnitFamily, decimals: int = 2) -> str:
    """A figure with its unit, or "unknown"."""
    return tr("unknown") if value is None else format_quantity(value, family, decimals)


def sum_text(power: PowerSum) -> str:
    """A sum of power, with how many devices are not wholly in it."""
    text = format_quantity(power.maximum_w, POWER_W, 1)
    match power.unknown_devices:
        case 0:
            return text
        case 1:
            return tr("{0}, unknown of 1 device").format(text)
    return tr("{0}, unknown of {1} devices").format(text, power.unknown_devices)


def number(value: float) -> str:
    """A number as the user's language writes it, without trailing zeros."""
    return QLocale().toString(value, "g", 10)


def units_text(rack_units: float) -> str:
    """Height in rack units: ``8U``, ``0U``."""
    return f"{rack_units:g}U"


def rate_text(rate_gbps: float) -> str:
    """A port speed as the field writes it: ``400G``, ``1.6T``."""
    return f"{rate_gbps / 1000:g}T" if rate_gbps > 1000 else f"{rate_gbps:g}G"


def ports_text(cages: Iterable[Cage]) -> str:
    """Logical ports by speed, fastest first: ``64 × 400G``; passive ones have no speed."""
    counts: Counter[float] = Counter()
    for cage in cages:
        if cage.passive:
            continue
        mode = cage.default_mode
        counts[mode.rate_gbps] += mode.ports
    return " + ".join(
        f"{counts[rate]} × {rate_text(rate)}" for rate in sorted(counts, reverse=True)[:2]
    )


def jacks_text(part: PanelPart) -> str:
    """Connectors of a panel, front and rear: ``72 × LC duplex – 12 × MPO-12``."""
    sides = []
    for side in (Side.FRONT, Side.REAR):
        counts = Counter(str(c.form_factor) for c in part.cages if c.side is side)
        if counts:
            sides.append(" + ".join(f"{n} × {name}" for name, n in counts.items()))
    return " – ".join(sides)


def lengths_text(lengths_m: tuple[float, ...]) -> str:
    """Stocked lengths: ``0.5 to 3 m``."""
    if len(lengths_m) == 1:
        return f"{lengths_m[0]:g} m"
    return tr("{0} to {1} m").format(f"{lengths_m[0]:g}", f"{lengths_m[-1]:g}")


def cable_shape(part: CablePart) -> str:
    """What a cable joins: ``OSFP – 2 × OSFP``; a trunk, ``8 × MPO-12 – 8 × MPO-12``."""
    side = part.connectors_per_side
    return " – ".join(
        " + ".join(f"{n} × {name}" if n > 1 else name for name, n in counts.items())
        for counts in (
            Counter(str(end.form_factor) for end in ends)
            for ends in (part.ends[:side], part.ends[side:])
        )
    )


def key_figures(part: Part) -> str:
    """What tells a part from its neighbours in a list, in one short line."""
    match part:
        case RackPart():
            size = f"{part.width_mm:g} × {part.depth_mm:g} mm"
            return f"{part.rack_units}U · {size}"
        case ServerPart() | SwitchPart():
            power_w = part.power_max_w
            if power_w is None and isinstance(part, SwitchPart):
                power_w = part.power_max_with_optics_w
            power = (
                format_quantity(power_w, POWER_W, 1) if power_w is not None else tr("power unknown")
            )
            gpus = [f"{part.gpu.count} GPU"] if isinstance(part, ServerPart) and part.gpu else []
            words = [units_text(part.rack_units), *gpus, power, ports_text(part.cages)]
            return " · ".join(word for word in words if word)
        case PduPart():
            counts = Counter(name.rpartition("-")[0] for name, _ in part.outlet_names)
            outlets = " + ".join(f"{n} × {kind}" for kind, n in counts.items())
            return f"{units_text(part.rack_units)} · {part.rated_kw:g} kW · {outlets}"
        case NicPart():
            return ports_text(part.cages)
        case CablePart():
            lengths = lengths_text(part.lengths_m)
            rate = part.ends[0].rate_gbps
            speed = [rate_text(rate)] if rate else []
            return " · ".join([str(part.technology), *speed, cable_shape(part), lengths])
        case TransceiverPart():
            optic = f"{part.sockets} × {part.optic_class}" if part.sockets > 1 else part.optic_class
            return f"{part.form_factor} · {rate_text(part.rate_gbps)} · {optic}"
        case PanelPart():
            return f"{units_text(part.rack_units)} · {jacks_text(part) or part.description}"
        case DevicePart():
            words = [units_text(part.rack_units), ports_text(part.cages), part.description]
            return " · ".join(word for word in words if word)
        case _:
            return part.description


def part_figures(part: Part) -> list[Figure]:
    """Every figure of a part that a person asks for, in a fixed order."""
    number = part.part_number
    lines = [
        Figure(tr("Maker"), part.manufacturer),
        Figure(tr("Model"), part.model),
        Figure(tr("Part number"), number or tr("unknown"), bool(number), field="part_number"),
    ]
    match part:
        case DevicePart():
            lines += _device_figures(part)
        case RackPart():
            lines += _rack_figures(part)
        case CablePart():
            lines += _cable_figures(part)
        case TransceiverPart():
            lines += _optic_figures(part)
        case NicPart():
            lines += [
                Figure(tr("Ports"), ports_text(part.cages), trust=part.trust_of("cage_groups")),
                _figure(part, tr("Greatest power"), "power_max_w", POWER_W),
            ]
    return [line for line in lines if line.known or not line.field or applies(part, line.field)]


def _figure(part: Part, label: str, field: str, family: UnitFamily, decimals: int = 2) -> Figure:
    value: float | None = getattr(part, field)
    text = quantity(value, family, decimals)
    return Figure(label, text, value is not None, part.trust_of(field), field)


def _device_figures(part: DevicePart) -> list[Figure]:
    lines = [
        Figure(tr("Height"), units_text(part.rack_units), trust=part.trust_of("rack_units")),
        _figure(part, tr("Depth"), "depth_mm", LENGTH_MM),
        _figure(part, tr("Weight"), "weight_kg", MASS_KG),
        Figure(
            tr("Airflow"),
            part.airflow or tr("unknown"),
            bool(part.airflow),
            part.trust_of("airflow"),
            "airflow",
        ),
        _figure(part, tr("Greatest power"), "power_max_w", POWER_W),
        _figure(part, tr("Typical power"), "power_typical_w", POWER_W),
    ]
    if isinstance(part, SwitchPart) and part.power_max_with_optics_w is not None:
        label = tr("Greatest power with optics")
        lines.insert(-1, _figure(part, label, "power_max_with_optics_w", POWER_W))
    if part.psu is not None:
        inlet = part.psu.inlet or tr("inlet unknown")
        needed = (
            tr("{0} needed").format(part.psu.needed)
            if part.psu.needed is not None
            else tr("needed: unknown")
        )
        lines.append(
            Figure(tr("Power supplies"), f"{part.psu.count} × {inlet}, {needed}", True,
                   part.trust_of("psu"))
        )  # fmt: skip
    match part:
        case ServerPart():
            lines += _server_figures(part)
        case SwitchPart():
            lines += _switch_figures(part)
        case PduPart():
            lines += [
                _figure(part, tr("Voltage"), "voltage_v", VOLTAGE_V),
                _figure(part, tr("Current"), "current_a", CURRENT_A),
                Figure(tr("Rating"), f"{part.rated_kw:g} kW", trust=part.trust_of("rated_kw")),
                Figure(tr("Outlets"), str(len(part.outlet_names)), trust=part.trust_of("outlets")),
            ]
    ports = jacks_text(part) if isinstance(part, PanelPart) else ports_text(part.cages)
    if ports:
        lines.append(Figure(tr("Ports"), ports, trust=part.trust_of("cage_groups")))
    return lines


def _server_figures(part: ServerPart) -> list[Figure]:
    lines = []
    if part.gpu is not None:
        lines.append(
            Figure(tr("GPUs"), f"{part.gpu.count} × {part.gpu.model}", trust=part.trust_of("gpu"))
        )
    if part.scale_up is not None:
        rate = f"{part.scale_up.bandwidth_gb_per_s:g} GB/s"
        lines.append(
            Figure(
                tr("Scale-up"),
                f"{part.scale_up.kind}, {rate}",
                trust=part.trust_of("scale_up"),
            )
        )
    known = part.gpu_direct_rdma is not None
    answer = {True: tr("yes"), False: tr("no"), None: tr("unknown")}[part.gpu_direct_rdma]
    if part.gpu is not None:
        lines.append(Figure(tr("GPUDirect RDMA"), answer, known, part.trust_of("gpu_direct_rdma")))
    return lines


def _switch_figures(part: SwitchPart) -> list[Figure]:
    latency = tr("unknown") if part.latency_ns is None else f"{part.latency_ns:g} ns"
    capacity = tr("unknown") if part.capacity_tbps is None else f"{part.capacity_tbps:g} Tb/s"
    return [
        Figure(tr("Protocol"), _PROTOCOL.get(part.protocol.value, part.protocol.value)),
        Figure(
            tr("Capacity"), capacity, part.capacity_tbps is not None, part.trust_of("capacity_tbps")
        ),
        Figure(tr("Latency"), latency, part.latency_ns is not None, part.trust_of("latency_ns")),
    ]


_PROTOCOL: Mapping[str, str] = {
    "infiniband": "InfiniBand",
    "ethernet": "Ethernet",
    "nvlink": "NVLink",
}


def _rack_figures(part: RackPart) -> list[Figure]:
    return [
        Figure(tr("Height"), units_text(part.rack_units), trust=part.trust_of("rack_units")),
        _figure(part, tr("Width"), "width_mm", LENGTH_MM),
        _figure(part, tr("Depth"), "depth_mm", LENGTH_MM),
        _figure(part, tr("Outer height"), "height_mm", LENGTH_MM),
        _figure(part, tr("Mounting depth"), "mounting_depth_mm", LENGTH_MM),
        _figure(part, tr("Weight"), "weight_kg", MASS_KG),
        _figure(part, tr("Static load"), "static_load_kg", MASS_KG),
        _figure(part, tr("Rolling load"), "dynamic_load_kg", MASS_KG),
    ]


def _cable_figures(part: CablePart) -> list[Figure]:
    return [
        Figure(tr("Technology"), str(part.technology)),
        Figure(tr("Joins"), cable_shape(part), trust=part.trust_of("ends")),
        _figure(part, tr("Lane rate"), "lane_gbps", RATE_GBPS),
        Figure(
            tr("Stocked lengths"),
            ", ".join(f"{m:g}" for m in part.lengths_m) + " m",
            trust=part.trust_of("stock"),
        ),
        _figure(part, tr("Greatest length"), "max_length_m", LENGTH_M),
        _figure(part, tr("Bend radius"), "bend_radius_mm", LENGTH_MM),
        _figure(part, tr("Diameter"), "diameter_mm", LENGTH_MM),
    ]


def _optic_figures(part: TransceiverPart) -> list[Figure]:
    reach = ", ".join(f"{m:g} m {fibre}" for fibre, m in part.reach_m.items())
    return [
        Figure(tr("Form factor"), f"{part.form_factor} {part.shell or ''}".rstrip()),
        _figure(part, tr("Rate"), "rate_gbps", RATE_GBPS),
        Figure(tr("Optic"), f"{part.sockets} × {part.optic_class}", trust=part.trust_of("reach_m")),
        Figure(tr("Connector"), str(part.connector)),
        Figure(tr("Reach"), reach or tr("unknown"), bool(reach), part.trust_of("reach_m")),
        _figure(part, tr("Greatest power"), "power_max_w", POWER_W),
    ]
