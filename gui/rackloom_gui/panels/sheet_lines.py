# SPDX-License-Identifier: Apache-2.0
"""Every figure that the catalogue holds of a part, as lines of a data sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QCoreApplication

from rackloom.catalog.applies import applies
from rackloom.catalog.cages import CageGroup
from rackloom.catalog.parts import OutletGroup, Part, PartId, PlugSpec, Slot, Stock
from rackloom.catalog.site_parts import PanelPass, RackItem
from rackloom.catalog.words import Trust
from rackloom_gui.panels.figures import number, quantity, rate_text
from rackloom_gui.widgets.quantity import (
    CURRENT_A,
    LENGTH_M,
    LENGTH_MM,
    MASS_KG,
    POWER_W,
    RACK_UNITS,
    RATE_GBPS,
    VOLTAGE_V,
    UnitFamily,
)


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("DataSheet", text)


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for translation."""
    return text


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One figure: what it is, its value with unit, and how far to trust it."""

    label: str
    text: str
    known: bool
    trust: Trust | None
    """None where there is nothing to trust: a name, or an unknown figure."""


_N = QT_TRANSLATE_NOOP
LABELS: Mapping[str, str] = {
    "id": _N("DataSheet", "Id"),
    "manufacturer": _N("DataSheet", "Maker"),
    "model": _N("DataSheet", "Model"),
    "part_number": _N("DataSheet", "Part number"),
    "rack_units": _N("DataSheet", "Height"),
    "width_mm": _N("DataSheet", "Width"),
    "depth_mm": _N("DataSheet", "Depth"),
    "height_mm": _N("DataSheet", "Outer height"),
    "half_depth": _N("DataSheet", "Half depth"),
    "mounting_depth_mm": _N("DataSheet", "Mounting depth"),
    "weight_kg": _N("DataSheet", "Weight"),
    "static_load_kg": _N("DataSheet", "Static load"),
    "dynamic_load_kg": _N("DataSheet", "Rolling load"),
    "side_channels": _N("DataSheet", "Room beside the rails"),
    "airflow": _N("DataSheet", "Airflow"),
    "airflow_cfm": _N("DataSheet", "Air it moves"),
    "inlet_max_c": _N("DataSheet", "Warmest inlet air"),
    "liquid_share": _N("DataSheet", "Heat into liquid"),
    "power_max_w": _N("DataSheet", "Greatest power"),
    "power_typical_w": _N("DataSheet", "Typical power"),
    "power_max_with_optics_w": _N("DataSheet", "Greatest power with optics"),
    "power_transient_ratio": _N("DataSheet", "Short peaks over steady power"),
    "psu": _N("DataSheet", "Power supplies"),
    "psu.count": _N("DataSheet", "Power supplies: built in"),
    "psu.needed": _N("DataSheet", "Power supplies: needed"),
    "psu.rated_w": _N("DataSheet", "Power supplies: rating of each"),
    "psu.inlet": _N("DataSheet", "Power supplies: inlet"),
    "psu.side": _N("DataSheet", "Power supplies: side"),
    "gpu": _N("DataSheet", "GPUs"),
    "gpu.model": _N("DataSheet", "GPU"),
    "gpu.count": _N("DataSheet", "GPU: how many"),
    "gpu.memory_gb": _N("DataSheet", "GPU: memory"),
    "gpu.tdp_w": _N("DataSheet", "GPU: thermal design power"),
    "gpu.bf16_dense_tflops": _N("DataSheet", "GPU: BF16, dense"),
    "gpu.fp8_dense_tflops": _N("DataSheet", "GPU: FP8, dense"),
    "gpu.architecture": _N("DataSheet", "GPU: architecture"),
    "scale_up": _N("DataSheet", "Scale-up"),
    "scale_up.kind": _N("DataSheet", "Scale-up: kind"),
    "scale_up.generation": _N("DataSheet", "Scale-up: generation"),
    "scale_up.bandwidth_gb_per_s": _N("DataSheet", "Scale-up: per GPU and direction"),
    "scale_up.links_per_gpu": _N("DataSheet", "Scale-up: links per GPU"),
    "scale_up.domain_gpus": _N("DataSheet", "Scale-up: GPUs in the domain"),
    "scale_up.in_network_reduction": _N("DataSheet", "Scale-up: reduces in the network"),
    "scale_up.spans_rack": _N("DataSheet", "Scale-up: across the rack"),
    "pcie_gen": _N("DataSheet", "PCIe generation"),
    "pcie_lanes": _N("DataSheet", "PCIe lanes"),
    "pcie_lanes_per_nic": _N("DataSheet", "PCIe lanes per NIC"),
    "gpu_direct_rdma": _N("DataSheet", "GPUDirect RDMA"),
    "cpu_vendor": _N("DataSheet", "Processor maker"),
    "slots": _N("DataSheet", "Slots"),
    "purpose": _N("DataSheet", "Purpose"),
    "asic": _N("DataSheet", "Switch chip"),
    "protocol": _N("DataSheet", "Protocol"),
    "protocols": _N("DataSheet", "Protocols"),
    "capacity_tbps": _N("DataSheet", "Capacity, one direction"),
    "latency_ns": _N("DataSheet", "Latency"),
    "logical_port_limit": _N("DataSheet", "Most logical ports"),
    "pipeline_limit": _N("DataSheet", "Pipelines"),
    "pipeline_limit.cages": _N("DataSheet", "Pipelines: cages of each"),
    "pipeline_limit.ports_max": _N("DataSheet", "Pipelines: most ports of each"),
    "partitions": _N("DataSheet", "Switches in the box"),
    "in_network_reduction": _N("DataSheet", "Reduces in the network"),
    "cage_groups": _N("DataSheet", "Ports"),
    "card_format": _N("DataSheet", "Card format"),
    "phases": _N("DataSheet", "Phases"),
    "voltage_v": _N("DataSheet", "Voltage, line to line"),
    "current_a": _N("DataSheet", "Current"),
    "rated_kw": _N("DataSheet", "Rating"),
    "input_plug": _N("DataSheet", "Input plug"),
    "outlets": _N("DataSheet", "Outlets"),
    "technology": _N("DataSheet", "Technology"),
    "ends": _N("DataSheet", "Ends"),
    "connectors_per_side": _N("DataSheet", "Connectors at each side"),
    "lanes": _N("DataSheet", "Lanes"),
    "lane_gbps": _N("DataSheet", "Lane rate"),
    "stock": _N("DataSheet", "Lengths to order"),
    "max_length_m": _N("DataSheet", "Greatest length"),
    "min_length_m": _N("DataSheet", "Least length"),
    "length_m": _N("DataSheet", "Length"),
    "fibre": _N("DataSheet", "Fibre"),
    "fibre.fibre_type": _N("DataSheet", "Fibre: type"),
    "fibre.fibres": _N("DataSheet", "Fibre: how many"),
    "fibre.polish": _N("DataSheet", "Fibre: polish"),
    "fibre.polarity": _N("DataSheet", "Fibre: polarity"),
    "fibre.pinned": _N("DataSheet", "Fibre: pinned"),
    "fibre.loss_per_mate_db": _N("DataSheet", "Fibre: loss of a mated pair"),
    "diameter_mm": _N("DataSheet", "Diameter"),
    "bend_radius_mm": _N("DataSheet", "Least bend radius"),
    "kg_per_m": _N("DataSheet", "Weight per metre"),
    "delay_ns_per_m": _N("DataSheet", "Delay per metre"),
    "restricted_to": _N("DataSheet", "Only for"),
    "form_factor": _N("DataSheet", "Form factor"),
    "shell": _N("DataSheet", "Shell"),
    "port_count": _N("DataSheet", "Port engines"),
    "rate_gbps": _N("DataSheet", "Rate"),
    "optical_lanes": _N("DataSheet", "Optical lanes"),
    "optical_lane_gbps": _N("DataSheet", "Optical lane rate"),
    "optic_class": _N("DataSheet", "Optic"),
    "connector": _N("DataSheet", "Connector"),
    "connectors": _N("DataSheet", "Connectors"),
    "sockets": _N("DataSheet", "Sockets"),
    "medium": _N("DataSheet", "Medium"),
    "polish": _N("DataSheet", "Polish"),
    "pinned": _N("DataSheet", "Pinned"),
    "reach_m": _N("DataSheet", "Reach"),
    "wavelength_nm": _N("DataSheet", "Wavelength"),
    "channel_loss_db": _N("DataSheet", "Loss budget of the channel"),
    "fec": _N("DataSheet", "FEC"),
    "pairs_with": _N("DataSheet", "Pairs with"),
    "busbar_v": _N("DataSheet", "Busbar voltage"),
    "busbar_a": _N("DataSheet", "Busbar rating"),
    "input_phases": _N("DataSheet", "Input phases"),
    "backplane": _N("DataSheet", "Backplane"),
    "backplane.scale_up": _N("DataSheet", "Backplane: joins"),
    "backplane.generation": _N("DataSheet", "Backplane: generation"),
    "backplane.domain_gpus": _N("DataSheet", "Backplane: most GPUs"),
    "passes": _N("DataSheet", "Passes"),
    "bays": _N("DataSheet", "Bays"),
    "rectifier_w": _N("DataSheet", "Rectifier rating"),
    "rectifiers": _N("DataSheet", "Rectifiers"),
    "rectifiers_needed": _N("DataSheet", "Rectifiers needed for the rating"),
    "output_v": _N("DataSheet", "Output voltage"),
    "input_voltage_v": _N("DataSheet", "Greatest input voltage, line to line"),
    "input_text": _N("DataSheet", "Input"),
    "cooling_kw": _N("DataSheet", "Cooling power"),
    "cooling": _N("DataSheet", "Cooling"),
    "gpu_count": _N("DataSheet", "GPUs"),
    "switch_chips": _N("DataSheet", "Scale-up switch chips"),
    "links": _N("DataSheet", "Links"),
    "nics": _N("DataSheet", "Network cards"),
    "rack": _N("DataSheet", "Stands in"),
    "items": _N("DataSheet", "Holds"),
}
"""What each field is called; a test finds none of any kind of part missing."""

ASIDE = frozenset({"kind", "description", "sources", "trust", "estimates", "notes", "illustrative"})
"""Fields shown elsewhere on the sheet."""
_NAMES = frozenset({"id", "manufacturer", "model"})
_UNITS: tuple[tuple[str, UnitFamily], ...] = (
    ("_mm", LENGTH_MM),
    ("_kg", MASS_KG),
    ("_gbps", RATE_GBPS),
    ("_w", POWER_W),
    ("_v", VOLTAGE_V),
    ("_a", CURRENT_A),
    ("_m", LENGTH_M),
)
_SUFFIXES = {
    "weight_per_m": "kg/m",
    "kg_per_m": "kg/m",
    "delay_ns_per_m": "ns/m",
    "bandwidth_gb_per_s": "GB/s",
    "_tbps": "Tb/s",
    "_cfm": "CFM",
    "_tflops": "TFLOP/s",
    "_ns": "ns",
    "_nm": "nm",
    "_kw": "kW",
    "_db": "dB",
    "_gb": "GB",
    "_c": "°C",
}


def sheet_lines(part: Part, parts: Mapping[PartId, Part] | None = None) -> list[SheetLine]:
    """Every field of a part in the order the catalogue writes them; unknown is said.

    What such a part cannot have is left out: a panel's power is not unknown, there is none.
    ``parts`` gives the names of parts that this one is made of; without it they go by their ids.
    """
    return [
        line
        for name in type(part).model_fields
        if name not in ASIDE
        for line in _lines(part, name, _named(getattr(part, name), name, parts or {}))
        if line.known or applies(part, name)
    ]


def _named(value: Any, field: str, parts: Mapping[PartId, Part]) -> Any:
    """A value with the names of parts where it holds their ids."""

    def title(part_id: PartId) -> str:
        found = parts.get(part_id)
        return found.title if found is not None else part_id

    match value:
        case (RackItem(), *_):
            return tuple(f"{len(item.bottom_u)} × {title(item.part)}" for item in value)
        case tuple() if field == "pairs_with":
            return tuple(title(PartId(name)) for name in value)
        case str() if field == "rack":
            return title(PartId(value))
    return value


def label_of(name: str) -> str:
    """What a field is called, in the user's language."""
    return tr(LABELS.get(name, name.replace("_", " ")))


def _lines(part: Part, name: str, value: Any) -> Iterator[SheetLine]:
    trust = None if name in _NAMES else part.trust_of(name)
    label = label_of(name)
    match value:
        case None:
            yield SheetLine(label, tr("unknown"), False, None)
        case BaseModel():
            for inner in type(value).model_fields:
                key = f"{name}.{inner}"
                inner_value = getattr(value, inner)
                if inner_value is None:
                    yield SheetLine(label_of(key), tr("unknown"), False, None)
                elif inner_value != "":
                    yield SheetLine(label_of(key), _text(inner, inner_value), True, trust)
        case tuple() if value and isinstance(value[0], CageGroup):
            for group in value:
                yield SheetLine(
                    f"{label}: {group.group}",
                    group_text(group),
                    True,
                    part.trust_of(f"cage_groups.{group.group}"),
                )
        case "" | () | frozenset():
            return  # nothing of the kind: no figure that somebody failed to publish
        case _:
            yield SheetLine(label, _text(name, value), True, trust)


def group_text(group: CageGroup) -> str:
    """A group of equal cages: how many of what, how they split, and where they look."""
    count = len(group.cage_names())
    text = f"{count} × {group.form_factor}"
    if group.shell:
        text += f" {group.shell}"
    if not group.passive:
        rate = group.rate_gbps
        words = [rate_text(rate) if rate >= 0.1 else f"{rate * 1e6:g} kb/s"]
        words += sorted(p.value for p in group.protocols)
        text += ", " + ", ".join(words)
        splits = [f"{m.ports} × {rate_text(m.rate_gbps)}" for m in group.modes if m.ports > 1]
        if splits:
            text += ", " + tr("splits into {0}").format(" / ".join(splits))
        text += f", {group.role}"
    text += ", " + tr("at the {0}").format(group.layout.side)
    if group.module_power_max_w is not None:
        limit = quantity(group.module_power_max_w, POWER_W)
        text += ", " + tr("modules up to {0}").format(limit)
    return text


def _text(name: str, value: Any) -> str:
    match value:
        case bool():
            return tr("yes") if value else tr("no")
        case int() | float():
            return _number(name, float(value))
        case str():
            return str(value)
        case frozenset():
            return ", ".join(sorted(_text(name, inner) for inner in value))
        case dict():
            return ", ".join(f"{key}: {quantity(m, LENGTH_M)}" for key, m in value.items())
        case tuple():
            return _listed(value)
        case _:
            return str(value)


def _number(name: str, value: float) -> str:
    if name == "liquid_share":
        return f"{value * 100:g} %"
    if name == "rack_units":
        return quantity(value, RACK_UNITS)
    for suffix, unit in _SUFFIXES.items():
        if name.endswith(suffix):
            return f"{number(value)} {unit}"
    for suffix, family in _UNITS:
        if name.endswith(suffix):
            return quantity(value, family)
    return number(value)


def _listed(values: tuple[Any, ...]) -> str:
    if all(isinstance(v, Stock) for v in values):
        return ", ".join(
            f"{v.length_m:g} m" + (f" ({v.part_number})" if v.part_number else "") for v in values
        )
    if all(isinstance(v, OutletGroup) for v in values):
        return ", ".join(f"{v.count} × {v.kind}" + (f" {v.leg}" if v.leg else "") for v in values)
    texts = Counter(_one(v) for v in values)
    return ", ".join(f"{n} × {text}" if n > 1 else text for text, n in texts.items())


def _one(value: Any) -> str:
    match value:
        case PlugSpec():
            words = [str(value.form_factor), str(value.shell or "")]
            words.append(rate_text(value.rate_gbps) if value.rate_gbps else "")
            words.append(quantity(value.power_w, POWER_W) if value.power_w else "")
            return " ".join(word for word in words if word)
        case Slot():
            return f"PCIe {value.pcie_gen} x{value.pcie_lanes}"
        case PanelPass():
            loss = "" if value.loss_db is None else f", {value.loss_db:g} dB"
            return f"{value.front} – {value.rear}{loss}"
        case _:
            return str(value)
