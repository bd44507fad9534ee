# SPDX-License-Identifier: Apache-2.0
"""NetBox device types as parts of ours.

A device type is an inventory record: it names ports and supplies, but knows no lanes, no breakouts,
no GPUs, no positions, and its height, ports and power are sometimes wrong or missing. What follows
from the file is taken; everything that does not is left unknown and said, one sentence a doubt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from rackloom.catalog import Catalog, CatalogError, DevicePart, Part
from rackloom.catalog.limits import OutOfBounds, check_plain
from rackloom.catalog.load import parse_part
from rackloom.catalog.words import FormFactor, Inlet
from rackloom.interop.netbox_panels import panel_fields
from rackloom.interop.netbox_ports import (
    PORT_TYPES,
    Found,
    Port,
    cage_groups,
    counted,
    list_of,
    read_interfaces,
    some_of,
    word_of,
)

Kind = Literal["switch", "server", "panel", "pdu", "accessory"]

SOURCE_KEY = "NETBOX"
"""Under which source the figures of a converted part are listed."""

_INLETS = {
    "iec-60320-c14": Inlet.C14,
    "iec-60320-c16": Inlet.C16,
    "iec-60320-c20": Inlet.C20,
    "iec-60320-c22": Inlet.C22,
    "hardwired": Inlet.HARDWIRED,
}
_AIRFLOWS = {
    "front-to-rear": "front-to-rear",
    "rear-to-front": "rear-to-front",
    "passive": "none",
}
_KG = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125}
_MOST_UNITS = 60
_SUPPLY_BAY = re.compile(r"\b(psu?|power|pem|pwr)", re.IGNORECASE)
_MANY_PORTS = 12
"""From this many data interfaces of one kind on, a box is taken for a switch."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A part made of a device type, and everything about it that is doubtful."""

    part: Part
    sources: dict[str, str]
    doubts: tuple[str, ...]


def is_device_type(document: object) -> bool:
    """Whether the content of a YAML file is a NetBox device type."""
    if not isinstance(document, dict) or "parts" in document:
        return False
    return {"manufacturer", "model"} <= document.keys() and bool(
        {"slug", "u_height", "interfaces", "power-ports", "rear-ports"} & document.keys()
    )


def convert(
    document: dict[str, Any], where: str, *, kind: Kind | None = None, known: Catalog | None = None
) -> Conversion:
    """A device type as a part; ``where`` names the file, ``known`` is compared with.

    ``kind`` says what it is, which NetBox does not. Raises CatalogError, with what to do, where no
    part can be made.
    """
    try:
        check_plain(document)  # integers beyond all floats, for one
    except OutOfBounds as error:
        raise CatalogError(f"{where}: {error}") from error
    return _Converter(document, where, known).convert(kind)


class _Converter:
    """Collects the fields of a part, and doubts, from one device type."""

    def __init__(self, document: dict[str, Any], where: str, known: Catalog | None) -> None:
        self.document = document
        self.where = where
        self.known = known
        self.doubts: list[str] = []

    def convert(self, kind: Kind | None) -> Conversion:
        fields = self._identity()
        if word_of(self.document, "subdevice_role").lower() == "child":
            raise CatalogError(
                f"{self.where}: {fields['model']} goes into the bay of a chassis, not into a rack; "
                "add the chassis"
            )
        ports, unread = read_interfaces(self.document)
        self.doubts += unread
        kind = kind or self._kind(ports)
        fields["kind"] = kind
        fields |= self._body()
        match kind:
            case "pdu":
                raise CatalogError(
                    f"{self.where}: {fields['model']} is a PDU, and NetBox does not say its "
                    "voltage and rating: write it as a catalogue file (kind: pdu, voltage_v, "
                    "rated_kw, outlets)"
                )
            case "panel":
                fields |= panel_fields(self.document, fields["rack_units"], self.doubts, self.where)
            case "accessory":
                fields["purpose"] = "other"
            case _:
                fields |= self._ports(ports, kind, fields["rack_units"])
        self._power(fields)
        self._left_out(kind)
        sources = {SOURCE_KEY: f"NetBox device type {self.where}"}
        fields["sources"] = [SOURCE_KEY]
        fields["trust"] = "secondary"
        if fields.get("cage_groups"):
            fields["estimates"] = ["cage_groups"]
        part = parse_part(fields, self.where)
        if isinstance(part, DevicePart):
            self._compare(part)
        return Conversion(part, sources, tuple(dict.fromkeys(self.doubts)))

    # What it is

    def _identity(self) -> dict[str, Any]:
        names = {}
        for key in ("manufacturer", "model"):
            value = self.document.get(key)
            if not isinstance(value, str | int | float) or not str(value).strip():
                raise CatalogError(f"{self.where}: the device type has no {key}")
            names[key] = str(value).strip()
        slug = self.document.get("slug")
        if not isinstance(slug, str) or not slug.strip():
            slug = f"{names['manufacturer']}-{names['model']}"
        part_id = re.sub(r"[^a-z0-9.+]+", "-", slug.lower()).strip("-.+")[:80]
        if not part_id:
            raise CatalogError(f"{self.where}: the slug {slug[:40]!r} makes no id: use letters")
        number = self.document.get("part_number")
        return {
            "id": part_id,
            **names,
            "part_number": str(number) if isinstance(number, str | int) else None,
        }

    def _kind(self, ports: list[Port]) -> Kind:
        if list_of(self.document, "power-outlets"):
            return "pdu"
        if list_of(self.document, "front-ports") or list_of(self.document, "rear-ports"):
            return "panel"
        data = Counter(p.type for p in ports if not p.management and p.type in PORT_TYPES)
        if not data and not ports and not list_of(self.document, "power-ports"):
            self.doubts.append(
                "it has neither interfaces nor power ports: taken as an accessory that fills "
                "rack units"
            )
            return "accessory"
        most, count = data.most_common(1)[0] if data else ("", 0)
        if count >= _MANY_PORTS:
            self.doubts.append(
                f"NetBox does not say what it is: taken as a switch, for its {count} interfaces of "
                f"type {most}"
            )
            return "switch"
        self.doubts.append(
            "NetBox does not say what it is: taken as a server, for it has fewer than "
            f"{_MANY_PORTS} data interfaces of one type"
        )
        return "server"

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = {}
        height = self.document.get("u_height")
        if height is None:
            height = 1.0
            self.doubts.append("it has no u_height: taken as 1U, NetBox' default")
        if isinstance(height, bool) or not isinstance(height, int | float):
            raise CatalogError(f"{self.where}: u_height is not a number")
        if not 0 <= height <= _MOST_UNITS:
            raise CatalogError(f"{self.where}: a u_height of {height:g} fits no rack")
        body["rack_units"] = float(height)
        if height == 0:
            self.doubts.append("a height of 0U: it hangs beside the rails, or is not for a rack")
        if self.document.get("is_full_depth") is False:
            body["half_depth"] = True
        airflow = word_of(self.document, "airflow")
        if airflow in _AIRFLOWS:
            body["airflow"] = _AIRFLOWS[airflow]
        elif airflow:
            self.doubts.append(f"the airflow {airflow!r} has no equal here: left unknown")
        weight, unit = self.document.get("weight"), word_of(self.document, "weight_unit")
        if isinstance(weight, int | float) and not isinstance(weight, bool) and weight > 0:
            if unit in _KG:
                body["weight_kg"] = round(weight * _KG[unit], 3)
            else:
                self.doubts.append(f"the weight {weight:g} has no known unit: left unknown")
        else:
            self.doubts.append("weight unknown")
        self.doubts.append("depth unknown: NetBox does not record it")
        return body

    # What it has

    def _ports(self, ports: list[Port], kind: Kind, rack_units: float) -> dict[str, Any]:
        switch = kind == "switch"
        found = cage_groups(ports, rack_units, switch=switch)
        self.doubts += found.doubts
        fields: dict[str, Any] = {"cage_groups": found.groups}
        if not found.groups:
            self.doubts.append("it has no ports that can be cabled")
        else:
            face = found.groups[0]["layout"]["side"]
            self.doubts.append(
                f"NetBox gives no places of ports: drawn in rows on the {face}, and no breakouts: "
                "ports run whole until modes are added"
            )
        if switch:
            fields["protocol"] = self._protocol(found)
        else:
            fields["purpose"] = "cpu"
            self.doubts.append(
                "NetBox knows no GPUs, no scale-up and no networks of ports: a server without "
                "GPUs, its ports in-band, until you write 'gpu', 'scale_up' and roles"
            )
        return fields

    def _protocol(self, found: Found) -> str:
        spoken = Counter[str]()
        for kind, count in found.data_types.items():
            spoken[PORT_TYPES[kind].protocol.value] += count
        if len(spoken) > 1:
            self.doubts.append(
                "it has InfiniBand and Ethernet data interfaces: the more frequent is taken as "
                "what the switch speaks"
            )
        return spoken.most_common(1)[0][0] if spoken else "ethernet"

    def _power(self, fields: dict[str, Any]) -> None:
        entries = list_of(self.document, "power-ports")
        bays = [
            word_of(bay, "name")
            for bay in list_of(self.document, "module-bays")
            if _SUPPLY_BAY.search(word_of(bay, "name"))
        ]
        if not entries:
            if bays:
                fields["psu"] = {"count": len(bays)}
                self.doubts.append(
                    f"power unknown: it hides in the modules of {counted(len(bays), 'bay')} "
                    f"({some_of(bays)})"
                )
            elif fields["kind"] in {"switch", "server"}:
                self.doubts.append("power unknown, and no power ports: it cannot be fed yet")
            return
        inlets = {word_of(entry, "type").lower() for entry in entries}
        psu: dict[str, Any] = {"count": len(entries)}
        if len(inlets) == 1 and (inlet := _INLETS.get(next(iter(inlets)))) is not None:
            psu["inlet"] = inlet.value
        else:
            self.doubts.append(
                f"the power ports are of type {some_of(sorted(i or 'none' for i in inlets))}: "
                "inlet left unknown"
            )
        fields["psu"] = psu
        draws = [_positive(entry.get("maximum_draw")) for entry in entries]
        if len(entries) == 1 and draws[0] is not None:
            fields["power_max_w"] = draws[0]
        elif any(draw is not None for draw in draws):
            known = sorted({f"{draw:g} W" for draw in draws if draw is not None})
            self.doubts.append(
                f"each of {len(entries)} power ports lists {some_of(known)}: whether the box draws "
                "that once or on each is not said; power left unknown"
            )
        else:
            self.doubts.append("power unknown: the power ports list no maximum draw")
        if len(entries) > 1:
            self.doubts.append("how many supplies carry it at full load is not said")

    def _left_out(self, kind: Kind) -> None:
        for key, word in (
            ("console-ports", "console port"),
            ("module-bays", "module bay"),
            ("device-bays", "device bay"),
            ("inventory-items", "inventory item"),
        ):
            count = len(list_of(self.document, key))
            if count:
                self.doubts.append(f"{counted(count, word)} left out: what is in there is not read")
        if kind == "panel" and list_of(self.document, "interfaces"):
            self.doubts.append("the interfaces of a panel are left out")

    # What we know of it already

    def _compare(self, part: DevicePart) -> None:
        """Differences to the entry of the bundled catalogue that is the same product."""
        other = self._same_product(part)
        if other is None:
            return
        if other.rack_units != part.rack_units:
            self.doubts.append(
                f"the file says {part.rack_units:g}U, our entry {other.id!r} {other.rack_units:g}U"
            )
        mine, theirs = _fast_ports(part), _fast_ports(other)
        for form in sorted(mine.keys() | theirs.keys()):
            if mine[form] != theirs[form]:
                self.doubts.append(
                    f"the file makes {counted(mine[form], f'{form} port')}, our entry {other.id!r} "
                    f"has {theirs[form]}"
                )

    def _same_product(self, part: DevicePart) -> DevicePart | None:
        if self.known is None:
            return None
        wanted = {_plain(name) for name in (part.part_number, part.model) if name}
        for other in self.known.of_kind(DevicePart):
            names = {_plain(n) for n in (other.part_number, other.model, *other.model.split()) if n}
            maker = _plain(other.manufacturer)
            names |= {name.removeprefix(maker) for name in names}
            if other.id == part.id or any(len(name) > 4 for name in wanted & names):
                return other
        return None


def _fast_ports(part: DevicePart) -> Counter[FormFactor]:
    """Ports in default mode by cage form, without copper jacks."""
    return Counter(
        {
            form: sum(len(c.ports) for c in part.cages if c.form_factor is form)
            for form in {c.form_factor for c in part.cages} - {FormFactor.RJ45}
        }
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return float(value)


def doubts_text(doubts: Iterable[str]) -> str:
    """Doubts as lines for a terminal."""
    return "".join(f"  ? {doubt}\n" for doubt in doubts)
