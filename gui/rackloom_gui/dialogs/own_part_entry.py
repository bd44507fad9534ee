# SPDX-License-Identifier: Apache-2.0
"""The catalogue entry that a filled form for own parts makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from rackloom.catalog.cages import CAGE_SIZE_MM
from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import CableTechnology, FormFactor
from rackloom.placement.geometry import CHASSIS_MM
from rackloom_gui.dialogs.own_part_checks import (
    Nonsense,
    check,
    check_lanes,
    check_together,
    lengths_of,
)
from rackloom_gui.dialogs.own_part_fields import (
    CONNECTORS,
    PORTS,
    WHOLE,
    FieldSpec,
    Values,
    fields_of,
)
from rackloom_gui.panels.sheet_lines import label_of, tr


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
        check(spec, values.get(spec.key))
    check_together(values)
    entry: dict[str, Any] = dict(base or {})
    entry.update({"id": part_id, "kind": kind})
    for spec in specs:
        outer, _, inner = spec.key.partition(".")
        if outer in WHOLE or spec.key == "source":
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
            title = next(s.title for s in PORTS if s.key == f"ports.{key}")
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
        if (shape.value in CONNECTORS) != fibre:
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
