# SPDX-License-Identifier: Apache-2.0
"""Interfaces of a NetBox device type as cages.

A NetBox interface type names a cage and a speed. Where it leaves something open (lane rate of a
400G OSFP, the cage of an NDR port), the doubt is said; nothing is filled in without a word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rackloom.catalog.cages import CAGE_SIZE_MM
from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import FormFactor, Protocol, Shell

CHASSIS_MM = 440.0
"""Width of what goes between the posts of a 19-inch rack."""
_ROW_PITCH_MM = 20.0
"""Two rows of cages to a U, as boxes are built."""
_GAP_MM = 0.9


class PortType(NamedTuple):
    """What a NetBox interface type says about the cage."""

    form_factor: FormFactor
    rate_gbps: float
    lanes: int
    protocol: Protocol = Protocol.ETHERNET
    shell: Shell | None = None
    doubt: str = ""
    """What the type leaves open, as a sentence without its subject."""
    twin: bool = False
    """Two interfaces of this type may share one twin-port cage."""


_NDR_DOUBT = "NetBox does not name the cage of an NDR port: taken as OSFP with four lanes of 100G"
_XDR_DOUBT = "NetBox does not name the cage of an XDR port: taken as OSFP with four lanes of 200G"
_OSFP400_DOUBT = (
    "a 400G OSFP type does not tell eight lanes of 50G from four of 100G: taken as eight of 50G"
)
_IB = Protocol.INFINIBAND

PORT_TYPES: dict[str, PortType] = {
    "100base-tx": PortType(FormFactor.RJ45, 0.1, 1),
    "1000base-t": PortType(FormFactor.RJ45, 1, 1),
    "1000base-tx": PortType(FormFactor.RJ45, 1, 1),
    "2.5gbase-t": PortType(FormFactor.RJ45, 2.5, 1),
    "5gbase-t": PortType(FormFactor.RJ45, 5, 1),
    "10gbase-t": PortType(FormFactor.RJ45, 10, 1),
    "10gbase-x-sfpp": PortType(FormFactor.SFP_PLUS, 10, 1),
    "25gbase-x-sfp28": PortType(FormFactor.SFP28, 25, 1),
    "50gbase-x-sfp56": PortType(FormFactor.SFP56, 50, 1),
    "100gbase-x-qsfp28": PortType(FormFactor.QSFP28, 100, 4),
    "200gbase-x-qsfp56": PortType(FormFactor.QSFP56, 200, 4),
    "400gbase-x-qsfp112": PortType(FormFactor.QSFP112, 400, 4),
    "400gbase-x-qsfpdd": PortType(FormFactor.QSFP_DD, 400, 8),
    "800gbase-x-qsfpdd": PortType(FormFactor.QSFP_DD, 800, 8),
    "400gbase-x-osfp": PortType(FormFactor.OSFP, 400, 8, doubt=_OSFP400_DOUBT),
    "400gbase-x-osfp-rhs": PortType(FormFactor.OSFP, 400, 4, shell=Shell.RHS),
    "800gbase-x-osfp": PortType(
        FormFactor.OSFP,
        800,
        8,
        doubt="NetBox has no type for OSFP cages of 1.6T, none for twin-port cages and tells no "
        "finned from flat-top cage above 400G: check the cages of 800G",
    ),
    "infiniband-edr": PortType(FormFactor.QSFP28, 100, 4, _IB),
    "infiniband-hdr": PortType(FormFactor.QSFP56, 200, 4, _IB),
    "infiniband-ndr": PortType(FormFactor.OSFP, 400, 4, _IB, doubt=_NDR_DOUBT, twin=True),
    "infiniband-xdr": PortType(FormFactor.OSFP, 800, 4, _IB, doubt=_XDR_DOUBT, twin=True),
}
"""Interface types that name a cage we know. Others are left out of the part, and said."""

_PORTS_OF_A_CAGE = 8
"""No cage splits into more; longer runs of last numbers are counted through."""
_NO_CAGE = frozenset({"virtual", "bridge", "lag"})
_NUMBER = re.compile(r"\d+")


@dataclass
class Found:
    """Cage groups made of interfaces, as a catalogue file writes them, and what is doubtful."""

    groups: list[dict[str, Any]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    data_types: dict[str, int] = field(default_factory=dict)
    """How many interfaces of each type carry data (are not for management only)."""


class Port(NamedTuple):
    """An interface of the file."""

    name: str
    type: str
    management: bool


class _Cage(NamedTuple):
    name: str
    ports: tuple[str, ...]


def read_interfaces(document: dict[str, Any]) -> tuple[list[Port], list[str]]:
    """The interfaces of a device type, and a sentence for each that cannot be read."""
    ports: list[Port] = []
    doubts: list[str] = []
    seen: set[str] = set()
    for number, entry in enumerate(list_of(document, "interfaces"), start=1):
        name = entry.get("name")
        kind = entry.get("type")
        if not isinstance(name, str | int) or not isinstance(kind, str):
            doubts.append(f"interface {number} has no name or no type: left out")
            continue
        if str(name) in seen:
            doubts.append(f"two interfaces are named {str(name)!r}: the second is left out")
            continue
        seen.add(str(name))
        ports.append(Port(str(name), kind.strip().lower(), entry.get("mgmt_only") is True))
    return ports, doubts


def cage_groups(ports: Sequence[Port], rack_units: float, *, switch: bool) -> Found:
    """Cages for interfaces: a group for each type, drawn in rows on one face."""
    found = Found()
    by_type: dict[tuple[str, bool], list[str]] = {}
    unknown: dict[str, list[str]] = {}
    for port in ports:
        if port.type in _NO_CAGE:
            continue
        if port.type in PORT_TYPES:
            by_type.setdefault((port.type, port.management), []).append(port.name)
            if not port.management:
                found.data_types[port.type] = found.data_types.get(port.type, 0) + 1
        else:
            unknown.setdefault(port.type, []).append(port.name)
    for kind, names in unknown.items():
        found.doubts.append(
            f"{counted(len(names), 'interface')} of type {kind!r} ({some_of(names)}): a type whose "
            "cage is not known here; left out, add the cages by hand"
        )
    made = [
        _group(found, kind, management, names, switch)
        for (kind, management), names in by_type.items()
    ]
    _name_groups(made)
    _place(found, made, rack_units, face_of_ports(switch=switch))
    found.groups = made
    return found


def face_of_ports(*, switch: bool) -> str:
    """The face that ports are drawn on; NetBox does not say which."""
    return "front" if switch else "rear"


def _group(
    found: Found, kind: str, management: bool, names: list[str], switch: bool
) -> dict[str, Any]:
    port = PORT_TYPES[kind]
    if port.doubt:
        found.doubts.append(f"{counted(len(names), 'interface')} of type {kind}: {port.doubt}")
    gaps = _gaps(names)
    if gaps:
        found.doubts.append(
            f"the numbers of the {kind} interfaces have gaps: {some_of(gaps)} "
            f"{'is' if len(gaps) == 1 else 'are'} not in the file; nothing was added, check it "
            "against the data sheet"
        )
    cages = [_Cage(name, (name,)) for name in names]
    twin = port.twin and switch and (cages_of_two := _pairs(names)) is not None
    if twin and cages_of_two:
        cages = cages_of_two
        found.doubts.append(
            f"interfaces {' and '.join(cages[0].ports)} and their like are taken as the two ports "
            f"of one twin-port cage: {counted(len(cages), 'cage')} for {len(names)} interfaces"
        )
    ports = 2 if twin else 1
    entry: dict[str, Any] = {
        "group": kind,
        "form_factor": port.form_factor.value,
        "rate_gbps": port.rate_gbps * ports,
        "lanes": port.lanes * ports,
        "protocols": [port.protocol.value],
        "role": "out-of-band" if management else "fabric" if switch else "in-band",
        "cages": [
            {"name": cage.name, "ports": [{"name": name} for name in cage.ports]} for cage in cages
        ],
    }
    if port.shell is not None:
        entry["shell"] = port.shell.value
    if twin:
        entry["takes"] = "twin-port"
        entry["modes"] = [
            {
                "name": f"2x{port.rate_gbps:g}",
                "ports": 2,
                "rate_gbps": port.rate_gbps,
                "lanes_per_port": port.lanes,
            }
        ]
    return entry


def _name_groups(groups: Iterable[dict[str, Any]]) -> None:
    """Management groups of a type that data uses too get a name of their own."""
    seen: set[str] = set()
    for group in groups:
        if group["group"] in seen:
            group["group"] = f"{group['group']} {group['role']}"
        seen.add(group["group"])


def _pairs(names: Sequence[str]) -> list[_Cage] | None:
    """Interfaces in twos by all but their last number (``1/1``, ``1/2``); None where they are not.

    A cage of which one port is missing in the file keeps the one it has.
    """
    cages: dict[str, list[str]] = {}
    for name in names:
        split = re.fullmatch(r"(.*\d)\D+(\d+)", name)
        if split is None:
            return None
        cages.setdefault(split[1], []).append(name)
    sizes = [len(ports) for ports in cages.values()]
    if max(sizes) != 2 or sizes.count(2) * 2 < len(sizes):
        return None
    return [_Cage(name, tuple(ports)) for name, ports in cages.items()]


def _gaps(names: Sequence[str]) -> list[str]:
    """Names that would complete the numbering: of each number by all its last numbers."""
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for name in names:
        numbers = tuple(int(n) for n in _NUMBER.findall(name))
        if numbers and all(n < 10_000 for n in numbers):
            shapes.setdefault(_NUMBER.sub("#", name), set()).add(numbers)
    missing: list[str] = []
    for shape, present in shapes.items():
        depth = shape.count("#")
        if len(present) < 4 or depth > 2:
            continue
        firsts = sorted({n[0] for n in present})
        whole: set[tuple[int, ...]] = {(n,) for n in range(firsts[0], firsts[-1] + 1)}
        if depth == 2:
            lasts = sorted({n[1] for n in present})
            if len(firsts) == 1 or len(lasts) > _PORTS_OF_A_CAGE:  # a slot and its ports
                lasts = list(range(lasts[0], lasts[-1] + 1))
            whole = {(*first, last) for first in whole for last in lasts}
        lost = sorted(whole - present)
        if len(lost) * 4 <= len(present):  # with more holes it is a numbering of its own
            missing += [_filled(shape, numbers) for numbers in lost]
    return missing


def _filled(shape: str, numbers: tuple[int, ...]) -> str:
    parts = iter(numbers)
    return re.sub("#", lambda _: str(next(parts)), shape)


def _place(found: Found, groups: list[dict[str, Any]], rack_units: float, side: str) -> None:
    """Rows of cages beside one another; says so where they cannot fit on the face."""
    height_mm = max(rack_units, 1) * U_MM
    most = max(int(height_mm // _ROW_PITCH_MM), 1)
    sizes = [CAGE_SIZE_MM[FormFactor(g["form_factor"])] for g in groups]
    counts = [len(g["cages"]) for g in groups]
    rows = next(
        (r for r in range(1, most + 1) if _width_mm(sizes, counts, r) <= CHASSIS_MM - 10), None
    )
    squeeze = 1.0
    if rows is None:
        rows = most
        squeeze = (CHASSIS_MM - 10) / _width_mm(sizes, counts, rows)
        total = sum(counts)
        found.doubts.append(
            f"{total} cages do not fit on one face of a box of {rack_units:g}U: is the height "
            "right?"
        )
    x_mm = 5.0
    for group, (width, _), count in zip(groups, sizes, counts, strict=True):
        columns = math.ceil(count / rows)
        pitch = (width + _GAP_MM) * squeeze
        used = min(rows, count)
        group["layout"] = {
            "side": side,
            "rows": rows,
            "columns": columns,
            "x_mm": round(x_mm + width / 2, 1),
            "y_mm": round(height_mm / 2 + (used - 1) * _ROW_PITCH_MM / 2, 1),
            "pitch_x_mm": round(pitch, 2),
            "pitch_y_mm": _ROW_PITCH_MM,
        }
        x_mm += columns * pitch


def _width_mm(sizes: Sequence[tuple[float, float]], counts: Sequence[int], rows: int) -> float:
    return sum(math.ceil(n / rows) * (w + _GAP_MM) for (w, _), n in zip(sizes, counts, strict=True))


def list_of(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """A list of mappings of the file; anything else in it is passed over."""
    entries = document.get(key)
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def word_of(entry: dict[str, Any], key: str) -> str:
    """A word or number of an entry as text; empty where it is something else."""
    value = entry.get(key)
    return str(value) if isinstance(value, str | int) else ""


def counted(number: int, word: str) -> str:
    """``1 interface``, ``3 interfaces``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def some_of(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
