# SPDX-License-Identifier: Apache-2.0
"""The bill of materials: what to order, by part and length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PartId,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import PanelPart
from rackloom.catalog.words import CableTechnology, Inlet, Trust
from rackloom.design import Cord, Design
from rackloom.reports.order import natural
from rackloom.reports.tables import BESIDE_THE_TABLE

UNIT = "pcs"
CORD = "power cord"
CATEGORIES = (
    *("server", "switch", "pdu", "power shelf", "rack", "panel", "accessory"),
    *("nic", "transceiver", "cable", "fibre", CORD),
)
"""Values of the ``category`` column, in the order of the rows; kinds not named here follow."""


@dataclass(frozen=True, slots=True)
class BomRow:
    """One line of the bill of materials; None where a figure does not apply or is not known.

    ``quantity`` is what to order, ``spares`` how many of those no place of the drawing needs.
    """

    part_number: str
    manufacturer: str
    model: str
    category: str
    description: str
    quantity: int
    unit: str
    length_m: float | None
    unit_power_w: float | None
    notes: str
    spares: int = field(default=0, metadata=BESIDE_THE_TABLE)
    unit_price: float | None = field(default=None, metadata=BESIDE_THE_TABLE)
    currency: str = field(default="", metadata=BESIDE_THE_TABLE)
    total_price: float | None = field(default=None, metadata=BESIDE_THE_TABLE)
    ids: tuple[str, ...] = field(default=(), metadata=BESIDE_THE_TABLE)
    """What the line counts: racks, devices (twice where two cards of one sit in it), transceivers,
    cables or cords, in the order of the drawing."""


def bom(design: Design) -> list[BomRow]:
    """What the design is made of, counted by part and length, sorted by kind and model."""
    rows = [*_whole_parts(design), *_cables(design), *_cords(design)]
    return sorted(
        rows,
        key=lambda row: (
            CATEGORIES.index(row.category) if row.category in CATEGORIES else len(CATEGORIES),
            row.category,
            row.manufacturer.lower(),
            natural(row.model),
            row.length_m or 0.0,
            row.notes,
        ),
    )


def _whole_parts(design: Design) -> Iterator[BomRow]:
    """Everything that has no length: racks, devices, cards, transceivers."""
    found: dict[PartId, list[str]] = {}
    for rack in design.racks.values():
        found.setdefault(rack.part, []).append(rack.id)
    for device in design.devices.values():
        found.setdefault(device.part, []).append(device.id)
        for _, card in device.cards:
            found.setdefault(card, []).append(device.id)
    for module in design.modules.values():
        found.setdefault(module.part, []).append(module.id)
    for part_id, ids in found.items():
        part = design.parts[part_id]
        power_w = _power_w(part)
        notes = _notes(part, power_w)
        yield _row(part, part.part_number, ids, None, power_w, notes)


def _power_w(part: Part) -> float | None:
    """Greatest power of one piece; of a switch without optics where that is known."""
    if isinstance(part, SwitchPart) and part.power_max_w is None:
        return part.power_max_with_optics_w
    return getattr(part, "power_max_w", None)


def _cables(design: Design) -> Iterator[BomRow]:
    found: dict[tuple[PartId, float], list[str]] = {}
    for cable in design.cables.values():
        found.setdefault((cable.part, cable.length_m), []).append(cable.id)
    for (part_id, length_m), ids in found.items():
        part = design.part(part_id, CablePart)
        number = part.part_number_for(length_m)
        notes = []
        if not any(abs(stocked - length_m) < 1e-6 for stocked in part.lengths_m):
            number = None
            notes.append("not a stocked length")
        powers = [end.power_w for end in part.ends]
        known = [power for power in powers if power is not None]
        power_w = sum(known) if len(known) == len(powers) else None
        yield _row(part, number, ids, length_m, power_w, [*notes, *_notes(part, power_w)])


def _row(
    part: Part,
    number: str | None,
    ids: list[str],
    length_m: float | None,
    power_w: float | None,
    notes: list[str],
) -> BomRow:
    if number is None:
        notes = [*notes, "part number not known"]
    return BomRow(
        number or "",
        part.manufacturer,
        part.model,
        _category(part),
        part.description,
        len(ids),
        UNIT,
        length_m,
        power_w,
        "; ".join(dict.fromkeys(notes)),
        ids=tuple(ids),
    )


def _notes(part: Part, power_w: float | None) -> list[str]:
    """What a buyer should know about the figures of a row."""
    notes = ["not a product: stands for its kind"] if _is_illustrative(part) else []
    if isinstance(part, ServerPart | SwitchPart | NicPart | TransceiverPart):
        if power_w is None:
            notes.append("power not known")
        elif _is_estimate(part):
            notes.append("power is an estimate")
        if isinstance(part, SwitchPart) and power_w is not None:
            optics = "without" if part.power_max_w is not None else "with all"
            notes.append(f"power {optics} optics")
    if isinstance(part, PanelPart) and part.bays is not None:
        kind = f"up to {part.bays} cassettes or adapter panels"
        if any(step.fronts_per_rear > 1 for step in part.passes):
            kind = f"{part.bays} cassettes"
        elif part.passes:
            kind = f"{part.bays} adapter panels"
        notes.append(f"takes {kind}, ordered apart: their part numbers are not known")
    if isinstance(part, CablePart) and part.restricted_to:
        notes.append(f"only for {part.restricted_to}")
    return notes


def _is_estimate(part: Part) -> bool:
    field = "power_max_w"
    if isinstance(part, SwitchPart) and part.power_max_w is None:
        field = "power_max_with_optics_w"
    return part.trust_of(field) is Trust.ESTIMATE


def _is_illustrative(part: Part) -> bool:
    return bool(getattr(part, "illustrative", False))


def _category(part: Part) -> str:
    if isinstance(part, CablePart) and part.technology is CableTechnology.FIBRE:
        return "fibre"
    return str(getattr(part, "kind", "other")).replace("-", " ")


_CONNECTOR = {Inlet.C14: "C13", Inlet.C16: "C15", Inlet.C20: "C19", Inlet.C22: "C21"}
"""What plugs into an inlet (IEC 60320): the cord's device end."""
_PLUG = {"C13": "C14", "C19": "C20", "5-20R": "NEMA 5-20P"}
"""What plugs into a PDU outlet: the cord's other end. C13/C19 outlets take either."""


def _cords(design: Design) -> Iterator[BomRow]:
    """Power cords by the kind of both ends. A PDU's own input cord belongs to the PDU."""
    found: dict[tuple[str | None, str | None], list[str]] = {}
    for cord in design.cords.values():
        if cord.source not in design.feeds:
            found.setdefault(_cord_ends(design, cord), []).append(cord.id)
    for (connector, plug), ids in found.items():
        model = f"{connector or '?'} to {plug or '?'}"
        unknown = [] if connector and plug else ["inlet or outlet not known"]
        notes = "; ".join([*unknown, "length to be chosen", "part number not known"])
        text = f"Power cord, {model}"
        yield BomRow("", "", model, CORD, text, len(ids), UNIT, None, None, notes, ids=tuple(ids))


def _cord_ends(design: Design, cord: Cord) -> tuple[str | None, str | None]:
    device = design.devices[cord.device]
    psu = design.part(device.part, DevicePart).psu
    connector = _CONNECTOR.get(psu.inlet) if psu is not None and psu.inlet else None
    kind = cord.outlet.rpartition("-")[0]
    if kind == "C13/C19":
        kind = "C19" if connector in {"C19", "C21"} else "C13"
    return connector, _PLUG.get(kind)
