# SPDX-License-Identifier: Apache-2.0
"""Front and rear ports of a NetBox device type as a panel of ours."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, NamedTuple

from rackloom.catalog import CatalogError
from rackloom.catalog.cages import CAGE_SIZE_MM
from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import FormFactor
from rackloom.interop.netbox_ports import CHASSIS_MM, counted, list_of, some_of, word_of

_CONNECTORS = {
    "8p8c": FormFactor.RJ45,
    "lc": FormFactor.LC_DUPLEX,
    "lc-upc": FormFactor.LC_DUPLEX,
    "lc-pc": FormFactor.LC_DUPLEX,
    "lc-apc": FormFactor.LC_DUPLEX,
    "mpo": FormFactor.MPO_12,
}
_PAIRS = {FormFactor.RJ45: 1, FormFactor.LC_DUPLEX: 1, FormFactor.MPO_12: 6}
_MPO_DOUBT = "NetBox does not tell MPO-12 from MPO-16: taken as MPO-12"


class _Key(NamedTuple):
    """Front ports that belong to one group: same connectors, same fan."""

    front: FormFactor
    rear: FormFactor
    fan: int


def panel_fields(
    document: dict[str, Any], rack_units: float, doubts: list[str], where: str
) -> dict[str, Any]:
    """``cage_groups`` and ``passes`` of a panel; adds to ``doubts``.

    Raises CatalogError where the ports cannot be paired by position.
    """
    rears = {
        word_of(r, "name"): (_connector(r, doubts), r.get("positions", 1))
        for r in list_of(document, "rear-ports")
    }
    fronts: dict[str, dict[int, str]] = defaultdict(dict)
    forms: dict[str, FormFactor | None] = {}
    lost: list[str] = []
    for entry in list_of(document, "front-ports"):
        name, rear = word_of(entry, "name"), word_of(entry, "rear_port")
        position = entry.get("rear_port_position", 1)
        if rear not in rears or not isinstance(position, int):
            lost.append(name)
            continue
        if position in fronts[rear]:
            raise CatalogError(
                f"{where}: front ports {fronts[rear][position]} and {name} share position "
                f"{position} of rear port {rear}"
            )
        fronts[rear][position] = name
        forms[name] = _connector(entry, doubts)
    if lost:
        doubts.append(f"{counted(len(lost), 'front port')} without a rear port ({some_of(lost)})")
    groups = _grouped(rears, fronts, forms, doubts)
    if not groups:
        raise CatalogError(f"{where}: no front port of this panel leads to a rear port we know")
    return _fields(groups, rack_units)


def _connector(entry: dict[str, Any], doubts: list[str]) -> FormFactor | None:
    kind = word_of(entry, "type").lower()
    form = _CONNECTORS.get(kind)
    if form is None:
        doubts.append(
            f"port {word_of(entry, 'name')} is of type {kind!r}, not known here: left out"
        )
    elif form is FormFactor.MPO_12:
        doubts.append(_MPO_DOUBT)
    return form


def _grouped(
    rears: dict[str, tuple[FormFactor | None, Any]],
    fronts: dict[str, dict[int, str]],
    forms: dict[str, FormFactor | None],
    doubts: list[str],
) -> dict[_Key, list[tuple[str, list[str]]]]:
    groups: dict[_Key, list[tuple[str, list[str]]]] = defaultdict(list)
    for rear, (rear_form, positions) in rears.items():
        at = fronts.get(rear, {})
        names = [at[position] for position in sorted(at)]
        front_forms = {forms[name] for name in names}
        if rear_form is None or None in front_forms or not names:
            if not names:
                doubts.append(f"rear port {rear} leads to no front port: left out")
            continue
        if len(front_forms) > 1 or sorted(at) != list(range(1, len(at) + 1)):
            doubts.append(f"rear port {rear} has mixed or missing front ports: left out")
            continue
        if len(at) > _PAIRS[rear_form]:
            # Some files count fibres, ours are pairs.
            doubts.append(
                f"rear port {rear} has {len(at)} front ports, more than the pairs of a {rear_form}:"
                " left out"
            )
            continue
        if isinstance(positions, int) and positions != len(at):
            doubts.append(
                f"rear port {rear} has {positions} positions and {counted(len(at), 'front port')}"
            )
        front_form = next(form for form in front_forms if form is not None)
        groups[_Key(front_form, rear_form, len(at))].append((rear, names))
    return groups


def _fields(groups: dict[_Key, list[tuple[str, list[str]]]], rack_units: float) -> dict[str, Any]:
    cage_groups: list[dict[str, Any]] = []
    passes: list[dict[str, Any]] = []
    share = CHASSIS_MM / len(groups)
    for number, (key, pairs) in enumerate(groups.items(), start=1):
        rear_names = [rear for rear, _ in pairs]
        front_names = [name for _, names in pairs for name in names]
        for side, form, names in (
            ("front", key.front, front_names),
            ("rear", key.rear, rear_names),
        ):
            cage_groups.append(
                {
                    "group": f"{side}{number}",
                    "form_factor": form.value,
                    "passive": True,
                    "lanes": _PAIRS[form],
                    "layout": _layout(side, form, len(names), rack_units, share, number - 1),
                    "cages": [{"name": name} for name in _apart(side, names, pairs)],
                }
            )
        passes.append(
            {"front": f"front{number}", "rear": f"rear{number}", "fronts_per_rear": key.fan}
        )
    return {"cage_groups": cage_groups, "passes": passes}


def _apart(side: str, names: list[str], pairs: list[tuple[str, list[str]]]) -> list[str]:
    """Names of ports; where front and rear ports are named alike, the rear ones say so."""
    fronts = {name for _, group in pairs for name in group}
    return [f"{name} rear" if side == "rear" and name in fronts else name for name in names]


def _layout(
    side: str, form: FormFactor, count: int, rack_units: float, share_mm: float, order: int
) -> dict[str, Any]:
    width, height = CAGE_SIZE_MM[form]
    height_mm = max(rack_units, 1) * U_MM
    columns = max(min(int((share_mm - 10) // (width + 1)), count), 1)
    rows = math.ceil(count / columns)
    pitch_y = min(height + 2, (height_mm - height) / max(rows - 1, 1)) if rows > 1 else height + 2
    return {
        "side": side,
        "rows": rows,
        "columns": columns,
        "x_mm": round(order * share_mm + 5 + width / 2, 1),
        "y_mm": round(height_mm / 2 + (rows - 1) * pitch_y / 2, 1),
        "pitch_x_mm": round(width + 1, 1),
        "pitch_y_mm": round(pitch_y, 2),
        "order": "rows",
    }
