# SPDX-License-Identifier: Apache-2.0
"""The fields of the form for own parts: what there is to fill in, and what each means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rackloom.catalog.parts import Part
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Inlet,
    Medium,
    Protocol,
    ScaleUpKind,
)
from rackloom_gui.panels.sheet_lines import QT_TRANSLATE_NOOP as _N
from rackloom_gui.panels.sheet_lines import label_of, tr
from rackloom_gui.widgets.quantity import (
    COUNT,
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

Values = Mapping[str, Any]
"""What the form holds, by key; None or empty: not known."""
KINDS = ("server", "switch", "pdu", "rack", "cable", "transceiver")
"""Kinds the form can make from nothing; others are made from a part that is there."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of the form."""

    key: str
    help: str
    type: Literal["text", "number", "choice", "yes"] = "text"
    family: UnitFamily = COUNT
    low: float = 0.0
    high: float = float("inf")
    needed: bool = False
    choices: tuple[str, ...] = ()
    whole: bool = False
    """An integer: how many of something."""
    label: str = ""
    """Where the data sheet has no name for it."""

    @property
    def title(self) -> str:
        """What the field is called."""
        return tr(self.label) if self.label else label_of(self.key)


def _count(key: str, help_: str, low: int, high: int, **more: Any) -> FieldSpec:
    return FieldSpec(key, help_, "number", COUNT, low, high, whole=True, **more)


CONNECTORS = tuple(
    f.value for f in (FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX)
)
CAGES = tuple(
    f.value for f in FormFactor if f.value not in {*CONNECTORS, FormFactor.NVLINK_BACKPLANE.value}
)
_PROTOCOLS = (Protocol.ETHERNET.value, Protocol.INFINIBAND.value, "ethernet, infiniband")

_HEAD = (
    FieldSpec("manufacturer", _N("DataSheet", "Who makes it, as on the order."), needed=True),
    FieldSpec("model", _N("DataSheet", "What the maker calls it."), needed=True),
    FieldSpec(
        "part_number", _N("DataSheet", "What it is ordered by; empty: not known, the bill says so.")
    ),
    FieldSpec("description", _N("DataSheet", "One line about it, shown below its name in lists."),
              label=_N("DataSheet", "Description")),
    FieldSpec("trust",
              _N("DataSheet", "The maker's data sheet, a secondary source (a reseller), or an "
                 "estimate."),
              "choice",
              choices=("datasheet", "secondary", "estimate"), needed=True,
              label=_N("DataSheet", "Figures are from")),
    FieldSpec("source", _N("DataSheet", "Where the figures are from: a document and its revision."),
              label=_N("DataSheet", "Source")),
)  # fmt: skip
_HEIGHT = FieldSpec(
    "rack_units", _N("DataSheet", "Rack units it takes up; halves are allowed."), "number",
    RACK_UNITS, 0.5, 60, needed=True,
)  # fmt: skip
_BODY = (
    FieldSpec("depth_mm", _N("DataSheet", "Of the chassis, without handles, plugs and cables."),
              "number", LENGTH_MM,
              20, 2000),
    FieldSpec("weight_kg", _N("DataSheet", "As installed; racks are checked with it."), "number",
              MASS_KG, 0.1, 3000),
    FieldSpec("airflow", _N("DataSheet", "Which way it blows; of a switch against its ports."),
              "choice",
              choices=("front-to-rear", "rear-to-front", "port-to-power", "power-to-port", "none")),
    FieldSpec("power_max_w", _N("DataSheet", "The most it draws; of a switch without optics."),
              "number", POWER_W, 1, 400_000),
    FieldSpec("power_typical_w", _N("DataSheet", "What it draws in usual work."), "number",
              POWER_W, 1, 400_000),
    _count("psu.count", _N("DataSheet", "How many power supplies are built in."), 1, 24),
    _count("psu.needed", _N("DataSheet", "How many of them carry it at full load."), 1, 24),
    FieldSpec("psu.inlet", _N("DataSheet", "The inlet of each: decides the cord and outlet."),
              "choice", choices=tuple(i.value for i in Inlet)),
)  # fmt: skip
PORTS = (
    _count("ports.count", _N("DataSheet", "Equal cages at one face; more groups in a file."),
           1, 1024, label=_N("DataSheet", "Ports: cages")),
    FieldSpec("ports.form_factor",
              _N("DataSheet", "The shape of the cage: decides which plugs fit."),
              "choice",
              choices=CAGES, label=_N("DataSheet", "Ports: form factor")),
    FieldSpec("ports.rate_gbps", _N("DataSheet", "What a whole cage carries, one direction."),
              "number", RATE_GBPS, 0.1, 3200, label=_N("DataSheet", "Ports: rate of a cage")),
    _count("ports.lanes", _N("DataSheet", "Electrical lanes of a cage: 8 of an OSFP, 4 of a QSFP."),
           1, 16, label=_N("DataSheet", "Ports: lanes of a cage")),
    FieldSpec("ports.protocol",
              _N("DataSheet", "What the ports speak; both, if they can be set to either."),
              "choice",
              choices=_PROTOCOLS, label=_N("DataSheet", "Ports: protocol")),
    _count("ports.split", _N("DataSheet", "The most logical ports a cage splits into: 1, 2, 4, 8."),
           1, 8, label=_N("DataSheet", "Ports: splits into")),
    FieldSpec("ports.side", _N("DataSheet", "The face of the chassis the ports are in."),
              "choice", choices=("front", "rear"), label=_N("DataSheet", "Ports: side")),
)  # fmt: skip

FIELDS: Mapping[str, tuple[FieldSpec, ...]] = {
    "server": (
        *_HEAD, _HEIGHT, *_BODY,
        FieldSpec("purpose",
                  _N("DataSheet", "What it is for: GPU servers compute, others serve or manage."),
                  "choice",
                  choices=("gpu", "cpu", "storage", "management"), needed=True),
        FieldSpec("gpu.model", _N("DataSheet", "The accelerator; empty for a server without.")),
        _count("gpu.count", _N("DataSheet", "Accelerators in the server."), 1, 144),
        FieldSpec("scale_up.kind",
                  _N("DataSheet", "How its GPUs are joined inside: through switches, or each with "
                     "each."),
                  "choice",
                  choices=tuple(k.value for k in ScaleUpKind)),
        FieldSpec("scale_up.bandwidth_gb_per_s",
                  _N("DataSheet", "GB/s of one GPU in one direction: half of the usual figure."),
                  "number", COUNT, 1, 20_000),
        *PORTS,
        FieldSpec("ports.role", _N("DataSheet", "The network these ports are for."), "choice",
                  choices=tuple(r.value for r in CageRole if r is not CageRole.FABRIC),
                  label=_N("DataSheet", "Ports: network")),
        FieldSpec("ports.rails", _N("DataSheet", "Port k serves GPU k and rail k."), "yes",
                  label=_N("DataSheet", "Ports: one for each GPU")),
    ),
    "switch": (
        *_HEAD, _HEIGHT, *_BODY,
        FieldSpec("protocol", _N("DataSheet", "What it switches."), "choice", needed=True,
                  choices=tuple(p.value for p in Protocol)),
        FieldSpec("capacity_tbps", _N("DataSheet", "Tb/s, the sum of the port rates once."),
                  "number", COUNT, 0.001, 1000),
        FieldSpec("latency_ns", _N("DataSheet", "Port to port, in ns."), "number", COUNT,
                  1, 100_000),
        *PORTS,
    ),
    "pdu": (
        *_HEAD,
        FieldSpec("rack_units", _N("DataSheet", "0 for the kind that hangs beside the rails."),
                  "number", RACK_UNITS, 0, 10, needed=True),
        FieldSpec("phases", _N("DataSheet", "Phases of its input: 1, or 3."),
                  "choice", choices=("1", "3"), needed=True),
        FieldSpec("voltage_v", _N("DataSheet", "Line to line for three phases."), "number",
                  VOLTAGE_V, 100, 600, needed=True),
        FieldSpec("current_a", _N("DataSheet", "Rated current of each line, before derating."),
                  "number", CURRENT_A,
                  1, 1000),
        FieldSpec("rated_kw", _N("DataSheet", "What it carries, in kW, before derating."),
                  "number", COUNT, 0.1, 1000, needed=True),
        FieldSpec("input_plug", _N("DataSheet", "Its own plug, such as IEC 60309 3P+N+E 63 A.")),
        _count("outlets.C13", _N("DataSheet", "How many C13 outlets."), 0, 200,
               label=_N("DataSheet", "C13 outlets")),
        _count("outlets.C19", _N("DataSheet", "How many C19 outlets."), 0, 200,
               label=_N("DataSheet", "C19 outlets")),
        FieldSpec("weight_kg", _N("DataSheet", "As installed."), "number", MASS_KG, 0.1, 200),
    ),
    "rack": (
        *_HEAD,
        _count("rack_units", _N("DataSheet", "Rack units inside."), 1, 60, needed=True),
        FieldSpec("width_mm",
                  _N("DataSheet", "Outside: 600 or 800 mm as a rule; 750 and more has room for "
                     "cables."),
                  "number",
                  LENGTH_MM, 450, 1500, needed=True),
        FieldSpec("depth_mm", _N("DataSheet", "Outside, with its doors."),
                  "number", LENGTH_MM, 300, 2000,
                  needed=True),
        FieldSpec("height_mm", _N("DataSheet", "Outside, with feet or castors."), "number",
                  LENGTH_MM, 200, 3500),
        FieldSpec("mounting_depth_mm", _N("DataSheet", "Greatest distance of front to rear posts."),
                  "number", LENGTH_MM, 200, 2000),
        FieldSpec("weight_kg", _N("DataSheet", "Of the empty rack, with doors and sides."),
                  "number",
                  MASS_KG, 5, 1000),
        FieldSpec("static_load_kg", _N("DataSheet", "What it carries standing on its feet."),
                  "number", MASS_KG, 10, 5000),
        FieldSpec("dynamic_load_kg", _N("DataSheet", "What it carries while it rolls."),
                  "number", MASS_KG, 10, 5000),
        FieldSpec("busbar_v",
                  _N("DataSheet", "Voltage of a DC busbar at the rear; empty: it has none."),
                  "number", VOLTAGE_V, 10, 1000),
        FieldSpec("busbar_a", _N("DataSheet", "The current the busbar may carry day and night."),
                  "number",
                  CURRENT_A, 10, 20_000),
    ),
    "cable": (
        *_HEAD,
        FieldSpec("technology",
                  _N("DataSheet", "DAC: passive copper; ACC, AEC: active copper; AOC: with optics; "
                     "fibre: passive."),
                  "choice", choices=tuple(t.value for t in CableTechnology), needed=True),
        FieldSpec("ends.a", _N("DataSheet", "The plug at the trunk end."), "choice",
                  choices=(*CAGES, *CONNECTORS), needed=True,
                  label=_N("DataSheet", "Trunk end")),
        FieldSpec("ends.b", _N("DataSheet", "The plug at the far end, or at each branch."),
                  "choice", choices=(*CAGES, *CONNECTORS), needed=True,
                  label=_N("DataSheet", "Far end")),
        _count("ends.branches", _N("DataSheet", "1 for a straight cable, n for a breakout."),
               1, 8, needed=True, label=_N("DataSheet", "Branches")),
        FieldSpec("ends.rate_gbps", _N("DataSheet", "At the trunk end; empty for passive fibre."),
                  "number", RATE_GBPS, 0.1, 3200, label=_N("DataSheet", "Rate")),
        _count("ends.lanes", _N("DataSheet", "At the trunk end; empty for passive fibre."), 1, 16,
               label=_N("DataSheet", "Lanes")),
        FieldSpec("lengths", _N("DataSheet", "Lengths to order, in m: 0.5, 1, 1.5, 2"),
                  needed=True, label=_N("DataSheet", "Lengths to order")),
        FieldSpec("protocols",
                  _N("DataSheet", "What it may carry; unknown: anything, as passive fibre does."),
                  "choice",
                  choices=_PROTOCOLS),
        FieldSpec("fibre.fibre_type",
                  _N("DataSheet", "OM3 to OM5 are multimode, OS2 is single-mode; of a fibre cable "
                     "only."),
                  "choice",
                  choices=("OM3", "OM4", "OM5", "OS2")),
        _count("fibre.fibres", _N("DataSheet", "How many fibres are in it; of a fibre cable only."),
                  1, 288),
        FieldSpec("fibre.polish",
                  _N("DataSheet", "How its connectors are polished: APC and UPC never mate."),
                  "choice",
                  choices=("APC", "UPC", "APC/UPC")),
        FieldSpec("diameter_mm", _N("DataSheet", "Of the jacket: for the fill of trays."),
                  "number", LENGTH_MM,
                  0.5, 40),
        FieldSpec("bend_radius_mm", _N("DataSheet", "The least it may be bent to."), "number",
                  LENGTH_MM, 3, 500),
    ),
    "transceiver": (
        *_HEAD,
        FieldSpec("form_factor", _N("DataSheet", "The shape of the module."), "choice",
                  choices=CAGES, needed=True),
        FieldSpec("rate_gbps", _N("DataSheet", "Of the whole module, one direction."), "number",
                  RATE_GBPS, 0.1, 3200, needed=True),
        _count("lanes", _N("DataSheet", "Electrical lanes: 8 of an OSFP, 4 of a QSFP."),
                  1, 16, needed=True),
        _count("optical_lanes", _N("DataSheet", "Lanes on the fibre, of all sockets together."),
               1, 16, needed=True),
        FieldSpec("optic_class", _N("DataSheet", "Of one socket: SR4, DR4, FR4. Equal ends pair."),
                  needed=True),
        FieldSpec("connector", _N("DataSheet", "What plugs into it."), "choice",
                  choices=(*CONNECTORS, FormFactor.RJ45.value), needed=True),
        _count("sockets", _N("DataSheet", "Connectors of the module: 2 of a twin-port one."),
               1, 4, needed=True),
        FieldSpec("medium", _N("DataSheet", "Multimode (MMF) or single-mode (SMF)."), "choice",
                  choices=tuple(m.value for m in Medium), needed=True),
        FieldSpec("reach", _N("DataSheet", "How far it sees, over the best fibre of its kind."),
                  "number", LENGTH_M, 1, 200_000, label=_N("DataSheet", "Reach")),
        FieldSpec("protocols", _N("DataSheet", "What it carries: InfiniBand, Ethernet, or either."),
                  "choice", choices=_PROTOCOLS,
                  needed=True),
        FieldSpec("power_max_w", _N("DataSheet", "The most it draws; cages have a limit."),
                  "number", POWER_W, 0.1, 100),
    ),
}  # fmt: skip
"""What the form asks for, by kind; a kind that is not here shows what all parts have."""


def fields_of(kind: str, *, copied: bool) -> tuple[FieldSpec, ...]:
    """Fields of a kind's form. A copy keeps what the form cannot show: ports, ends, outlets."""
    specs = FIELDS.get(kind, _HEAD)
    if not copied:
        return specs
    return tuple(s for s in specs if s.key.partition(".")[0] not in WHOLE and s.key not in WHOLE)


WHOLE = frozenset({"ports", "outlets", "ends", "lengths", "reach"})
"""Fields that stand for a list in the file."""


def values_of(part: Part, specs: tuple[FieldSpec, ...]) -> dict[str, Any]:
    """What a part says for the fields of a form."""
    found: dict[str, Any] = {}
    for spec in specs:
        outer, _, inner = spec.key.partition(".")
        value = getattr(part, outer, None)
        if inner:
            value = getattr(value, inner, None)
        if spec.key == "protocols" and value is not None:
            value = ", ".join(sorted(word.value for word in value))
        found[spec.key] = str(value) if spec.type == "choice" and value is not None else value
    return found
