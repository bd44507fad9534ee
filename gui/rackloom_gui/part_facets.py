# SPDX-License-Identifier: Apache-2.0
"""By what one narrows the catalogue down: facets of parts, and how many each value leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from rackloom.catalog.load import Catalog, order_numbers
from rackloom.catalog.parts import CablePart, DevicePart, NicPart, Part, PartId, TransceiverPart
from rackloom.catalog.words import CageRole, Protocol
from rackloom_gui.panels.figures import key_figures, rate_text


def tr(text: str) -> str:
    """A text of this module in the user's language."""
    return QCoreApplication.translate("PartFacets", text)


FACETS = ("kind", "maker", "speed", "form factor", "protocol", "height", "power", "origin")
"""In the order shown."""
POWER_BANDS_W: tuple[tuple[float, str], ...] = (
    (50.0, "up to 50 W"),
    (500.0, "50 to 500 W"),
    (2_000.0, "0.5 to 2 kW"),
    (6_000.0, "2 to 6 kW"),
    (15_000.0, "6 to 15 kW"),
    (float("inf"), "over 15 kW"),
)
"""Upper bound of a band, its own value included."""
UNKNOWN = "unknown"
_SERIAL = frozenset({CageRole.CONSOLE})
"""Ports nobody looks for by their speed."""
OWN, BUNDLED, ILLUSTRATIVE = "my own", "bundled", "illustrative"


def value_text(facet: str, value: str) -> str:
    """A facet's value as it is read: the catalogue's own words are written for files."""
    words: dict[str, dict[str, str]] = {
        "kind": {
            "accessory": tr("Accessories"),
            "cable": tr("Cables"),
            "consumable": tr("Consumables"),
            "gpu-board": tr("GPU boards"),
            "nic": tr("Network cards"),
            "panel": tr("Patch panels"),
            "pdu": tr("PDUs"),
            "power-shelf": tr("Power shelves"),
            "rack": tr("Racks"),
            "rack-system": tr("Whole racks"),
            "server": tr("Servers"),
            "switch": tr("Switches"),
            "transceiver": tr("Transceivers"),
        },
        "protocol": {
            "ethernet": "Ethernet",
            "infiniband": "InfiniBand",
            "nvlink": "NVLink",
            "ualink": "UALink",
        },
    }
    return words.get(facet, {}).get(value, value)


def facets_of(part: Part, *, own: bool = False) -> dict[str, frozenset[str]]:
    """The values of a part in each facet; none where a facet means nothing to its kind."""
    origin = {OWN if own else BUNDLED} | ({ILLUSTRATIVE} if part.illustrative else set())
    return {
        "kind": frozenset({str(getattr(part, "kind", "other"))}),
        "maker": frozenset({part.manufacturer}),
        "speed": frozenset(rate_text(rate) for rate in _rates(part)),
        "form factor": frozenset(_form_factors(part)),
        "protocol": frozenset(_protocols(part)),
        "height": frozenset(_heights(part)),
        "power": frozenset(_powers(part)),
        "origin": frozenset(origin),
    }


def _rates(part: Part) -> set[float]:
    if isinstance(part, DevicePart | NicPart):
        groups = (g for g in part.cage_groups if not g.passive and g.role not in _SERIAL)
        return {g.modes[0].rate_gbps for g in groups}
    if isinstance(part, TransceiverPart):
        return {part.rate_gbps}
    if isinstance(part, CablePart):
        return {end.rate_gbps for end in part.ends if end.rate_gbps}
    return set()


def _form_factors(part: Part) -> set[str]:
    if isinstance(part, DevicePart | NicPart):
        return {str(g.form_factor) for g in part.cage_groups}
    if isinstance(part, TransceiverPart):
        return {str(part.form_factor), str(part.connector)}
    if isinstance(part, CablePart):
        return {str(end.form_factor) for end in part.ends}
    return set()


def _protocols(part: Part) -> set[str]:
    if isinstance(part, DevicePart | NicPart):
        return {p.value for g in part.cage_groups for p in g.protocols}
    found: frozenset[Protocol] = getattr(part, "protocols", frozenset())
    return {p.value for p in found}


def _heights(part: Part) -> set[str]:
    units = getattr(part, "rack_units", None)
    return set() if units is None else {f"{units:g}U"}


def _powers(part: Part) -> set[str]:
    if "power_max_w" not in type(part).model_fields:
        return set()
    watts = getattr(part, "power_max_w", None)
    if watts is None:
        watts = getattr(part, "power_max_with_optics_w", None)
    if watts is None:
        return {UNKNOWN}
    return {next(name for bound, name in POWER_BANDS_W if watts <= bound)}


@dataclass(slots=True)
class PartIndex:
    """The catalogue with its facets and words worked out, to be narrowed down quickly."""

    parts: tuple[Part, ...] = ()
    facets: Mapping[PartId, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    words: Mapping[PartId, str] = field(default_factory=dict)

    @classmethod
    def of(cls, catalog: Catalog) -> PartIndex:
        """Index all parts of a catalogue."""
        parts = tuple(catalog.values())
        return cls(
            parts,
            {p.id: facets_of(p, own=p.id in catalog.own) for p in parts},
            {p.id: _words(p) for p in parts},
        )

    def narrowed(
        self, text: str, chosen: Mapping[str, Iterable[str]]
    ) -> tuple[list[Part], dict[str, Counter[str]]]:
        """Parts left by every word and facet, and how many parts each value stands for.

        Values of one facet add up, facets narrow each other down. A facet's own counts are those
        without it: what one would get by choosing another of its values.
        """
        wanted = text.casefold().split()
        picked = {name: frozenset(values) for name, values in chosen.items() if values}
        left: list[Part] = []
        counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
        for part in self.parts:
            if not all(word in self.words[part.id] for word in wanted):
                continue
            mine = self.facets[part.id]
            missed = [name for name, values in picked.items() if not mine[name] & values]
            if not missed:
                left.append(part)
                for name in FACETS:
                    counts[name].update(mine[name])
            elif len(missed) == 1:
                counts[missed[0]].update(mine[missed[0]])
        return left, counts


def _words(part: Part) -> str:
    kind = str(getattr(part, "kind", ""))
    words = (part.title, part.id, key_figures(part), part.description, kind)
    return " ".join((*words, value_text("kind", kind), *order_numbers(part))).casefold()


def value_order(facet: str, value: str) -> tuple[float, str]:
    """Sort key of a facet's values: speeds and heights as numbers, powers in their order."""
    if facet == "power":
        names = [name for _, name in POWER_BANDS_W]
        return (names.index(value) if value in names else len(names), value)
    if facet in {"speed", "height"}:
        digits = value.rstrip("GTU")
        factor = 1000.0 if value.endswith("T") else 1.0
        return (float(digits) * factor, value)
    return (0.0, value.casefold())
