# SPDX-License-Identifier: Apache-2.0
"""The fields of the form for own parts: what each means, what is nonsense, what file they make."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Literal

from rackloom.catalog.cages import CAGE_SIZE_MM
from rackloom.catalog.parts import U_MM, Part
from rackloom.catalog.words import (
    CableTechnology,
    CageRole,
    FormFactor,
    Inlet,
    Medium,
    Protocol,
    ScaleUpKind,
)
from rackloom.placement.geometry import CHASSIS_MM
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


class Nonsense(ValueError):
    """Values that cannot be, in one sentence; ``key`` is the field to look at."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


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


_CONNECTORS = tuple(
    f.value for f in (FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12, FormFactor.LC_DUPLEX)
)
_CAGES = tuple(
    f.value for f in FormFactor if f.value not in {*_CONNECTORS, FormFactor.NVLINK_BACKPLANE.value}
)
MOST_LANES = {
    FormFactor.OSFP: 8,
    FormFactor.OSFP_XD: 16,
    FormFactor.QSFP_DD: 8,
    FormFactor.QSFP112: 4,
    FormFactor.QSFP56: 4,
    FormFactor.QSFP28: 4,
    FormFactor.SFP112: 1,
    FormFactor.SFP56: 1,
    FormFactor.SFP28: 1,
    FormFactor.SFP_PLUS: 1,
    FormFactor.RJ45: 4,
}
"""Electrical lanes of a cage by its MSA; of RJ45 its pairs."""
_PROTOCOLS = (Protocol.ETHERNET.value, Protocol.INFINIBAND.value, "ethernet, infiniband")

_HEAD = (
    FieldSpec("manufacturer", _N("DataSheet", "Who makes it, as on the order."), needed=True),
    FieldSpec("model", _N("DataSheet", "What the maker calls it."), needed=True),
    FieldSpec(
        "part_number", _N("DataSheet", "What it is ordered by; empty: not known, the bill says so.")
    ),
    FieldSpec("description", _N("DataSheet", "One line about it."),
              label=_N("DataSheet", "Description")),
    FieldSpec("trust", _N("DataSheet", "How far its figures can be trusted."), "choice",
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
    FieldSpec("depth_mm", _N("DataSheet", "Without handles and cables."), "number", LENGTH_MM,
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
_PORTS = (
    _count("ports.count", _N("DataSheet", "Equal cages at one face; more groups in a file."),
           1, 1024, label=_N("DataSheet", "Ports: cages")),
    FieldSpec("ports.form_factor", _N("DataSheet", "The shape of the cage."), "choice",
              choices=_CAGES, label=_N("DataSheet", "Ports: form factor")),
    FieldSpec("ports.rate_gbps", _N("DataSheet", "What a whole cage carries, one direction."),
              "number", RATE_GBPS, 0.1, 3200, label=_N("DataSheet", "Ports: rate of a cage")),
    _count("ports.lanes", _N("DataSheet", "Electrical lanes of a cage: 8 of an OSFP, 4 of a QSFP."),
           1, 16, label=_N("DataSheet", "Ports: lanes of a cage")),
    FieldSpec("ports.protocol", _N("DataSheet", "What the ports speak."), "choice",
              choices=_PROTOCOLS, label=_N("DataSheet", "Ports: protocol")),
    _count("ports.split", _N("DataSheet", "The most logical ports a cage splits into: 1, 2, 4, 8."),
           1, 8, label=_N("DataSheet", "Ports: splits into")),
    FieldSpec("ports.side", _N("DataSheet", "The face of the chassis the ports are in."),
              "choice", choices=("front", "rear"), label=_N("DataSheet", "Ports: side")),
)  # fmt: skip

FIELDS: Mapping[str, tuple[FieldSpec, ...]] = {
    "server": (
        *_HEAD, _HEIGHT, *_BODY,
        FieldSpec("purpose", _N("DataSheet", "What it is for."), "choice",
                  choices=("gpu", "cpu", "storage", "management"), needed=True),
        FieldSpec("gpu.model", _N("DataSheet", "The accelerator; empty for a server without.")),
        _count("gpu.count", _N("DataSheet", "Accelerators in the server."), 1, 144),
        FieldSpec("scale_up.kind", _N("DataSheet", "How its GPUs are joined inside."), "choice",
                  choices=tuple(k.value for k in ScaleUpKind)),
        FieldSpec("scale_up.bandwidth_gb_per_s",
                  _N("DataSheet", "GB/s of one GPU in one direction: half of the usual figure."),
                  "number", COUNT, 1, 20_000),
        *_PORTS,
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
        *_PORTS,
    ),
    "pdu": (
        *_HEAD,
        FieldSpec("rack_units", _N("DataSheet", "0 for the kind that hangs beside the rails."),
                  "number", RACK_UNITS, 0, 10, needed=True),
        FieldSpec("phases", _N("DataSheet", "1 or 3."), "choice", choices=("1", "3"), needed=True),
        FieldSpec("voltage_v", _N("DataSheet", "Line to line for three phases."), "number",
                  VOLTAGE_V, 100, 600, needed=True),
        FieldSpec("current_a", _N("DataSheet", "Of each line, not derated."), "number", CURRENT_A,
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
        FieldSpec("width_mm", _N("DataSheet", "Outside: 600 or 800 mm as a rule."), "number",
                  LENGTH_MM, 450, 1500, needed=True),
        FieldSpec("depth_mm", _N("DataSheet", "Outside."), "number", LENGTH_MM, 300, 2000,
                  needed=True),
        FieldSpec("height_mm", _N("DataSheet", "Outside, with feet or castors."), "number",
                  LENGTH_MM, 200, 3500),
        FieldSpec("mounting_depth_mm", _N("DataSheet", "Greatest distance of front to rear posts."),
                  "number", LENGTH_MM, 200, 2000),
        FieldSpec("weight_kg", _N("DataSheet", "Empty."), "number", MASS_KG, 5, 1000),
        FieldSpec("static_load_kg", _N("DataSheet", "What it carries standing on its feet."),
                  "number", MASS_KG, 10, 5000),
        FieldSpec("dynamic_load_kg", _N("DataSheet", "What it carries while it rolls."),
                  "number", MASS_KG, 10, 5000),
    ),
    "cable": (
        *_HEAD,
        FieldSpec("technology", _N("DataSheet", "Copper, active copper, active optical, fibre."),
                  "choice", choices=tuple(t.value for t in CableTechnology), needed=True),
        FieldSpec("ends.a", _N("DataSheet", "The plug at the trunk end."), "choice",
                  choices=(*_CAGES, *_CONNECTORS), needed=True,
                  label=_N("DataSheet", "Trunk end")),
        FieldSpec("ends.b", _N("DataSheet", "The plug at the far end, or at each branch."),
                  "choice", choices=(*_CAGES, *_CONNECTORS), needed=True,
                  label=_N("DataSheet", "Far end")),
        _count("ends.branches", _N("DataSheet", "1 for a straight cable, n for a breakout."),
               1, 8, needed=True, label=_N("DataSheet", "Branches")),
        FieldSpec("ends.rate_gbps", _N("DataSheet", "At the trunk end; empty for passive fibre."),
                  "number", RATE_GBPS, 0.1, 3200, label=_N("DataSheet", "Rate")),
        _count("ends.lanes", _N("DataSheet", "At the trunk end; empty for passive fibre."), 1, 16,
               label=_N("DataSheet", "Lanes")),
        FieldSpec("lengths", _N("DataSheet", "Lengths to order, in m: 0.5, 1, 1.5, 2"),
                  needed=True, label=_N("DataSheet", "Lengths to order")),
        FieldSpec("protocols", _N("DataSheet", "Empty: carries any."), "choice",
                  choices=_PROTOCOLS),
        FieldSpec("fibre.fibre_type", _N("DataSheet", "Of a fibre cable only."), "choice",
                  choices=("OM3", "OM4", "OM5", "OS2")),
        _count("fibre.fibres", _N("DataSheet", "Fibres in it."), 1, 288),
        FieldSpec("fibre.polish", _N("DataSheet", "How its connectors are polished."), "choice",
                  choices=("APC", "UPC", "APC/UPC")),
        FieldSpec("diameter_mm", _N("DataSheet", "For the fill of trays."), "number", LENGTH_MM,
                  0.5, 40),
        FieldSpec("bend_radius_mm", _N("DataSheet", "The least it may be bent to."), "number",
                  LENGTH_MM, 3, 500),
    ),
    "transceiver": (
        *_HEAD,
        FieldSpec("form_factor", _N("DataSheet", "The shape of the module."), "choice",
                  choices=_CAGES, needed=True),
        FieldSpec("rate_gbps", _N("DataSheet", "Of the whole module, one direction."), "number",
                  RATE_GBPS, 0.1, 3200, needed=True),
        _count("lanes", _N("DataSheet", "Electrical lanes."), 1, 16, needed=True),
        _count("optical_lanes", _N("DataSheet", "Lanes on the fibre, of all sockets together."),
               1, 16, needed=True),
        FieldSpec("optic_class", _N("DataSheet", "Of one socket: SR4, DR4, FR4. Equal ends pair."),
                  needed=True),
        FieldSpec("connector", _N("DataSheet", "What plugs into it."), "choice",
                  choices=(*_CONNECTORS, FormFactor.RJ45.value), needed=True),
        _count("sockets", _N("DataSheet", "Connectors of the module: 2 of a twin-port one."),
               1, 4, needed=True),
        FieldSpec("medium", _N("DataSheet", "Multimode (MMF) or single-mode (SMF)."), "choice",
                  choices=tuple(m.value for m in Medium), needed=True),
        FieldSpec("reach", _N("DataSheet", "How far it sees, over the best fibre of its kind."),
                  "number", LENGTH_M, 1, 200_000, label=_N("DataSheet", "Reach")),
        FieldSpec("protocols", _N("DataSheet", "What it carries."), "choice", choices=_PROTOCOLS,
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
    return tuple(s for s in specs if s.key.partition(".")[0] not in _WHOLE and s.key not in _WHOLE)


_WHOLE = frozenset({"ports", "outlets", "ends", "lengths", "reach"})
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


def slug(*words: str) -> str:
    """An id from words: lower case, joined by hyphens."""
    text = "-".join(words).lower()
    return re.sub(r"[^a-z0-9.+]+", "-", text).strip("-.+")[:80]


def entry_of(
    kind: str, part_id: str, values: Values, base: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The catalogue entry of a filled form; Nonsense with a sentence for what cannot be."""
    specs = fields_of(kind, copied=base is not None)
    for spec in specs:
        _check(spec, values.get(spec.key))
    _check_together(values)
    entry: dict[str, Any] = dict(base or {})
    entry.update({"id": part_id, "kind": kind})
    for spec in specs:
        outer, _, inner = spec.key.partition(".")
        if outer in _WHOLE or spec.key == "source":
            continue
        value = _plain(spec, values.get(spec.key))
        if inner:
            _put_inner(entry, outer, inner, value)
        elif value is None:
            entry.pop(outer, None)
        else:
            entry[outer] = value
    _tidy_inner(entry, values)
    if base is None:
        _MAKERS.get(kind, _nothing)(entry, values)
    return entry


def _check(spec: FieldSpec, value: Any) -> None:
    if value in (None, ""):
        if spec.needed:
            raise Nonsense(spec.key, tr("{0} is needed.").format(spec.title))
        return
    if spec.type == "number":
        if spec.whole and float(value) != int(value):
            raise Nonsense(spec.key, tr("{0} is a whole number.").format(spec.title))
        if not spec.low <= value <= spec.high:
            unit = spec.family.base
            text = tr("{0} is between {1} and {2} {3}, not {4}.")
            raise Nonsense(
                spec.key,
                text.format(spec.title, f"{spec.low:g}", f"{spec.high:g}", unit, f"{value:g}")
                .replace("  ", " ").replace(" ,", ","),
            )  # fmt: skip


def _check_together(values: Values) -> None:
    greatest, typical = values.get("power_max_w"), values.get("power_typical_w")
    if greatest and typical and typical > greatest:
        raise Nonsense(
            "power_typical_w",
            tr("The typical power of {0} W is more than the greatest of {1} W.").format(
                f"{typical:g}", f"{greatest:g}"
            ),
        )
    count, needed = values.get("psu.count"), values.get("psu.needed")
    if needed and not count:
        raise Nonsense("psu.count", tr("Say how many power supplies there are."))
    if count and needed and needed > count:
        raise Nonsense(
            "psu.needed",
            tr("{0} power supplies are needed, but only {1} are built in.").format(
                int(needed), int(count)
            ),
        )
    standing, rolling = values.get("static_load_kg"), values.get("dynamic_load_kg")
    if standing and rolling and rolling > standing:
        raise Nonsense("dynamic_load_kg", tr("A rack carries no more rolling than standing still."))
    inside, outside = values.get("mounting_depth_mm"), values.get("depth_mm")
    if inside and outside and inside > outside:
        raise Nonsense("mounting_depth_mm", tr("The posts stand within the rack's depth."))
    _check_rating(values)


_VOLTAGE_SPREAD = 1.06
"""Ratings are written for 415 V where 400 V is listed, or 240 V where 230 V is."""


def _check_rating(values: Values) -> None:
    voltage, current, rated = (values.get(k) for k in ("voltage_v", "current_a", "rated_kw"))
    if not (voltage and current and rated):
        return
    most_kw = voltage * current * (sqrt(3) if values.get("phases") == "3" else 1.0) / 1000
    if rated > most_kw * _VOLTAGE_SPREAD:
        raise Nonsense(
            "rated_kw",
            tr("{0} V at {1} A carry {2} kW at most, not {3} kW.").format(
                f"{voltage:g}", f"{current:g}", f"{most_kw:.1f}", f"{rated:g}"
            ),
        )


def _plain(spec: FieldSpec, value: Any) -> Any:
    if value in (None, ""):
        return None
    if spec.whole or spec.key == "phases":
        return int(value)
    if spec.key == "protocols":
        return [word.strip() for word in str(value).split(",")]
    return value


def _put_inner(entry: dict[str, Any], outer: str, inner: str, value: Any) -> None:
    held = dict(entry.get(outer) or {})
    if value is None:
        held.pop(inner, None)
    else:
        held[inner] = value
    entry[outer] = held


def _tidy_inner(entry: dict[str, Any], values: Values) -> None:
    """Sections without what makes them are left out; half of one is refused."""
    if entry.get("psu") is not None and "count" not in entry["psu"]:
        if entry["psu"]:
            raise Nonsense("psu.count", tr("Say how many power supplies there are."))
        del entry["psu"]
    gpu = entry.get("gpu")
    if gpu is not None and not ("model" in gpu and "count" in gpu):
        if gpu:
            raise Nonsense("gpu.model", tr("Say both which GPU it is and how many there are."))
        del entry["gpu"]
    scale_up = entry.get("scale_up")
    if scale_up is not None:
        if not scale_up or scale_up.get("kind") == "none":
            del entry["scale_up"]
        elif "kind" not in scale_up or "bandwidth_gb_per_s" not in scale_up:
            raise Nonsense(
                "scale_up.bandwidth_gb_per_s",
                tr("A scale-up network needs both its kind and its bandwidth."),
            )
        elif "gpu" not in entry:
            raise Nonsense("gpu.model", tr("A scale-up network joins GPUs: say which."))
        else:
            scale_up.setdefault("domain_gpus", entry["gpu"]["count"])
    fibre = entry.get("fibre")
    if fibre is not None and not fibre:
        del entry["fibre"]
    elif fibre is not None and entry.get("technology") != CableTechnology.FIBRE.value:
        raise Nonsense("technology", tr("Only a fibre cable has fibre figures."))
    if entry.get("technology") == CableTechnology.FIBRE.value:
        lacks = [k for k in ("fibre_type", "fibres", "polish") if k not in entry.get("fibre", {})]
        if lacks:
            name = label_of(f"fibre.{lacks[0]}")
            raise Nonsense(f"fibre.{lacks[0]}", tr("{0} is needed.").format(name))
    del values


# Lists in the file


def _nothing(_entry: dict[str, Any], _values: Values) -> None:
    return


def _ports(entry: dict[str, Any], values: Values) -> None:
    """One group of equal cages on a grid that fits the chassis."""
    keys = ("count", "form_factor", "rate_gbps", "lanes", "protocol")
    given: dict[str, Any] = {key: values.get(f"ports.{key}") for key in keys}
    if not given["count"]:
        return
    for key, value in given.items():
        if not value:
            title = next(s.title for s in _PORTS if s.key == f"ports.{key}")
            raise Nonsense(f"ports.{key}", tr("{0} is needed.").format(title))
    shape = FormFactor(given["form_factor"])
    count, lanes, rate = int(given["count"]), int(given["lanes"]), float(given["rate_gbps"])
    check_lanes("ports.lanes", shape, lanes)
    is_switch = entry["kind"] == "switch"
    group: dict[str, Any] = {
        "group": "data" if is_switch else "nic",
        "form_factor": shape.value,
        "rate_gbps": rate,
        "lanes": lanes,
        "protocols": [word.strip() for word in str(given["protocol"]).split(",")],
        "role": "fabric" if is_switch else values.get("ports.role") or "compute",
        "layout": _grid(shape, count, float(entry["rack_units"]), values.get("ports.side")),
        "modes": _modes(rate, lanes, int(values.get("ports.split") or 1)),
    }
    if is_switch:
        group["count"] = count
    else:
        gpus = int((entry.get("gpu") or {}).get("count", 0))
        rails = bool(values.get("ports.rails"))
        if rails and gpus != count:
            raise Nonsense(
                "ports.rails",
                tr("One port for each GPU needs as many cages as GPUs: {0} and {1}.").format(
                    count, gpus
                ),
            )
        group["cages"] = [
            {
                "name": f"nic{n}",
                "ports": [{"name": f"nic{n}", **({"gpu": n, "rail": n} if rails else {})}],
            }
            for n in range(count)
        ]  # fmt: skip
    entry["cage_groups"] = [group]


def check_lanes(key: str, shape: FormFactor, lanes: int) -> None:
    """Refuse more lanes than the shape has contacts for."""
    most = MOST_LANES.get(shape)
    if most is not None and lanes > most:
        raise Nonsense(
            key, tr("{0} has {1} lanes at most, not {2}.").format(shape.value, most, lanes)
        )


def _modes(rate: float, lanes: int, split: int) -> list[dict[str, Any]]:
    if split not in (1, 2, 4, 8) or lanes % split:
        raise Nonsense(
            "ports.split",
            tr("{0} lanes do not divide into {1} ports.").format(lanes, split),
        )
    counts = [n for n in (1, 2, 4, 8) if n <= split]
    return [
        {
            "name": f"{n}x{rate / n:g}",
            "ports": n,
            "rate_gbps": rate / n,
            "lanes_per_port": lanes // n,
        }
        for n in counts
    ]


def _grid(shape: FormFactor, count: int, rack_units: float, side: Any) -> dict[str, Any]:
    """Cages in as few rows as hold them, in the middle of the face."""
    width, height = CAGE_SIZE_MM[shape]
    pitch_x, pitch_y = width + 1.0, height + 4.0
    across = int((CHASSIS_MM - 20.0) // pitch_x)
    most_rows = max(int((rack_units * U_MM - 4.0) // pitch_y), 1)
    rows = ceil(count / across)
    if rows > most_rows:
        raise Nonsense(
            "ports.count",
            tr("{0} cages of {1} do not fit on {2} rack units: {3} do.").format(
                count, shape.value, f"{rack_units:g}", most_rows * across
            ),
        )
    columns = ceil(count / rows)
    middle = rack_units * U_MM / 2
    return {
        "side": side or "front",
        "rows": rows,
        "columns": columns,
        "x_mm": round((CHASSIS_MM - (columns - 1) * pitch_x) / 2, 2),
        "y_mm": round(middle + (rows - 1) * pitch_y / 2, 2),
        "pitch_x_mm": pitch_x,
        "pitch_y_mm": pitch_y,
    }


def _outlets(entry: dict[str, Any], values: Values) -> None:
    counts = {kind: int(values.get(f"outlets.{kind}") or 0) for kind in ("C13", "C19")}
    if not any(counts.values()):
        raise Nonsense("outlets.C13", tr("A PDU has outlets: say how many."))
    entry["outlets"] = [{"kind": kind, "count": n} for kind, n in counts.items() if n]


def lengths_of(text: str) -> list[float]:
    """Lengths in metres from a text such as ``0.5, 1, 1.5``; Nonsense for anything else."""
    words = [w for w in re.split(r"[;,\s]+", text.replace(" m", " ").strip()) if w]
    try:
        found = sorted({float(word.removesuffix("m")) for word in words})
    except ValueError:
        found = []
    if not found or found[0] <= 0 or found[-1] > 100_000:
        raise Nonsense(
            "lengths", tr("Write the lengths in metres with commas between: 0.5, 1, 1.5")
        )
    return found


_COPPER_M = 20.0
"""No twinaxial assembly is this long: a slip of the pen."""


def _cable(entry: dict[str, Any], values: Values) -> None:
    lengths = lengths_of(str(values.get("lengths") or ""))
    technology = CableTechnology(values["technology"])
    copper = {CableTechnology.DAC, CableTechnology.ACC, CableTechnology.AEC}
    if technology in copper and lengths[-1] > _COPPER_M:
        raise Nonsense(
            "lengths", tr("No {0} is {1} m long.").format(technology.value, f"{lengths[-1]:g}")
        )
    shapes = [FormFactor(values[f"ends.{end}"]) for end in "ab"]
    fibre = technology is CableTechnology.FIBRE
    for key, shape in zip(("ends.a", "ends.b"), shapes, strict=True):
        if (shape.value in _CONNECTORS) != fibre:
            text = tr("A fibre cable ends in fibre connectors, and only that one does.")
            raise Nonsense(key, text)
    branches = int(values["ends.branches"])
    near: dict[str, Any] = {"form_factor": shapes[0].value}
    far: dict[str, Any] = {"form_factor": shapes[1].value}
    rate, lanes = values.get("ends.rate_gbps"), values.get("ends.lanes")
    if not fibre:
        if not rate or not lanes:
            raise Nonsense("ends.rate_gbps", tr("Say the rate and the lanes of the trunk end."))
        lanes = int(lanes)
        check_lanes("ends.lanes", shapes[0], lanes)
        if lanes % branches:
            text = tr("{0} lanes do not divide into {1} branches.").format(lanes, branches)
            raise Nonsense("ends.branches", text)
        check_lanes("ends.b", shapes[1], lanes // branches)
        near.update(rate_gbps=rate, lanes=lanes)
        far.update(rate_gbps=rate / branches, lanes=lanes // branches)
        entry["lane_gbps"] = rate / lanes
    entry["ends"] = [near, *(dict(far) for _ in range(branches))]
    entry["stock"] = [{"length_m": m} for m in lengths]
    entry["max_length_m"] = lengths[-1]


_BEST_FIBRE = {"MMF": "OM4", "SMF": "OS2"}


def _optic(entry: dict[str, Any], values: Values) -> None:
    rate, lanes, optical = (values[k] for k in ("rate_gbps", "lanes", "optical_lanes"))
    check_lanes("lanes", FormFactor(values["form_factor"]), int(lanes))
    entry["lane_gbps"] = rate / lanes
    entry["optical_lane_gbps"] = rate / optical
    if int(optical) % int(values["sockets"]):
        raise Nonsense(
            "sockets",
            tr("{0} optical lanes do not divide among {1} sockets.").format(
                int(optical), int(values["sockets"])
            ),
        )
    if values.get("reach"):
        entry["reach_m"] = {_BEST_FIBRE[str(values["medium"])]: values["reach"]}


_MAKERS: Mapping[str, Callable[[dict[str, Any], Values], None]] = {
    "server": _ports,
    "switch": _ports,
    "pdu": _outlets,
    "cable": _cable,
    "transceiver": _optic,
}
