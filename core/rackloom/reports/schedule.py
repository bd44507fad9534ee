# SPDX-License-Identifier: Apache-2.0
"""The cable schedule: from where to where every cable goes, one row a pair of ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rackloom.bulk import many_objects
from rackloom.catalog.cages import Cage
from rackloom.catalog.parts import CablePart, TransceiverPart
from rackloom.catalog.words import CableTechnology
from rackloom.design import Cable, CableEnd, Design, Link
from rackloom.design.hardware import cages_of
from rackloom.design.ids import CableId, DeviceId
from rackloom.design.links import PortRef
from rackloom.design.wiring import Wiring, wiring
from rackloom.reports.colouring import ColourBy, check_colouring, colours_of
from rackloom.reports.label_text import fill, place_text, place_tokens
from rackloom.reports.order import natural

if TYPE_CHECKING:
    from rackloom.fabric import Fabric


@dataclass(frozen=True, slots=True)
class CableRow:
    """A pair of ends of one cable; a 1:2 breakout has two rows with the same ``cable``.

    ``a`` is the trunk end. Ends that hang loose are empty; ``rate_gbps`` is the sum over the links
    between the two ends, None where there is none.
    """

    cable: str
    label: str
    part_number: str
    type: str
    length_m: float
    a_rack: str
    a_u: str
    a_device: str
    a_port: str
    b_rack: str
    b_u: str
    b_device: str
    b_port: str
    rate_gbps: float | None
    fabric: str
    colour: str


class _Place(NamedTuple):
    rack: str
    u: str
    device: str
    port: str
    label: str
    """``R01-U40:12/1``, after the manner of TIA-606: rack, unit, port."""


class _Site(NamedTuple):
    """What all ports of a device share."""

    rack: str
    u: str
    name: str
    prefix: str
    cages: Mapping[str, Cage]
    wiring: Wiring


_LOOSE = _Place("", "", "", "", place_text("", "", "", ""))


def cable_schedule(
    design: Design, fabric: Fabric | None = None, colour: ColourBy = "cable"
) -> list[CableRow]:
    """Every cable, sorted by rack, unit and port of the trunk end.

    The label is the cable's own, or what the project's label template says at the trunk end; by
    default both ends. See :func:`rackloom.reports.labels.labels`. ``fabric``: the design's, where
    the caller has it. ``colour``: a cable that was given no colour gets that of its fabric or its
    rail (``none``: no cable has any). Raises ReportError for another way of colouring.
    """
    check_colouring(colour, "cables")
    with many_objects():
        writer = _Writer(design, fabric)
        rows = [row for cable in design.cables.values() for row in writer.rows(cable)]
        rows.sort(key=_order)
        return rows if colour == "cable" else _coloured(rows, design, fabric, colour)


def _coloured(
    rows: list[CableRow], design: Design, fabric: Fabric | None, by: ColourBy
) -> list[CableRow]:
    if by == "none":
        return [replace(row, colour="") for row in rows]
    if by == "rail":
        rails = cable_rails(design, fabric)
        keys = [rails.get(CableId(row.cable), "") for row in rows]
    else:
        keys = [row.fabric for row in rows]
    colours = colours_of(keys)
    return [
        row if row.colour else replace(row, colour=colours.get(key, ""))
        for row, key in zip(rows, keys, strict=True)
    ]


def _order(row: CableRow) -> tuple[object, ...]:
    return (
        natural(row.a_rack),
        natural(row.a_u),
        natural(row.a_port),
        natural(row.b_rack),
        natural(row.b_u),
        natural(row.b_port),
        len(row.cable),  # ids count up: the shorter one is the older
        row.cable,
    )


class _Writer:
    """Turns cables into rows, with what many of them share worked out once."""

    def __init__(self, design: Design, fabric: Fabric | None) -> None:
        self.design = design
        self.template = design.settings.label_template
        fabric = fabric or _fabric_of(design)
        self.rails = cable_rails(design, fabric) if "{rail}" in self.template else {}
        self.fabric_of = cable_fabrics(design, fabric)
        self.sockets = {
            (m.device, m.cage): design.part(m.part, TransceiverPart).sockets
            for m in design.modules.values()
        }
        self.orders: dict[tuple[str, float], tuple[str, str]] = {}
        self.sites: dict[DeviceId, _Site] = {}

    def rows(self, cable: Cable) -> list[CableRow]:
        """The rows of one cable."""
        part = self.design.part(cable.part, CablePart)
        links = self.design.links.get(cable.id, ())
        pairs = end_pairs(part, cable.ends)
        if len(pairs) == 1 and None not in pairs[0]:
            return [self._row(cable, part, *pairs[0], links)]
        return [
            self._row(cable, part, a, b, tuple(link for link in links if _joins(link, a, b)))
            for a, b in pairs
        ]

    def _row(
        self,
        cable: Cable,
        part: CablePart,
        trunk: CableEnd | None,
        branch: CableEnd | None,
        links: tuple[Link, ...],
    ) -> CableRow:
        a = self._place(trunk, [link.a for link in links])
        b = self._place(branch, [link.b for link in links])
        label = cable.label
        number, kind = self._ordered(part, cable.length_m)
        row = CableRow(
            cable.id,
            label or f"{a.label} / {b.label}",
            number,
            kind,
            cable.length_m,
            a.rack,
            a.u,
            a.device,
            a.port,
            b.rack,
            b.u,
            b.device,
            b.port,
            sum([link.rate_gbps for link in links]) if links else None,
            cable.fabric or self.fabric_of.get(cable.id, ""),
            cable.colour or "",
        )
        if self.template and (not label or "{label}" in self.template):
            tokens = row_tokens(row, label, self.rails.get(cable.id, ""))
            tokens |= place_tokens("near", *a[:4])
            tokens |= place_tokens("far", *b[:4])
            row = replace(row, label=fill(self.template, tokens))
        return row

    def _place(self, end: CableEnd | None, ports: list[PortRef]) -> _Place:
        if end is None:
            return _LOOSE
        site = self.sites.get(end.device) or self._site(end.device)
        if len(ports) == 1:
            port = self._port(ports[0])
        elif self.sockets.get((end.device, end.cage), 1) > 1:
            port = f"{end.cage}/{end.socket + 1}"
        else:
            port = end.cage
        return _Place(site.rack, site.u, site.name, port, f"{site.prefix}{port}")

    def _port(self, port: PortRef) -> str:
        """The name of a logical port, as :func:`rackloom.design.port_name` has it."""
        site = self.sites.get(port.device) or self._site(port.device)
        cage = site.cages[port.cage]
        return cage.port_name(site.wiring.mode(cage), port.index)

    def _ordered(self, part: CablePart, length_m: float) -> tuple[str, str]:
        """Part number and type."""
        known = self.orders.get((part.id, length_m))
        if known is None:
            known = part.part_number_for(length_m) or "", cable_type(part)
            self.orders[part.id, length_m] = known
        return known

    def _site(self, device_id: DeviceId) -> _Site:
        device = self.design.devices[device_id]
        u = device.mount or "" if device.bottom_u is None else str(device.bottom_u)
        rack = self.design.racks[device.rack].name
        cages, wires = cages_of(self.design, device), wiring(self.design, device_id)
        prefix = place_text(rack, u, device.name, "")
        site = self.sites[device_id] = _Site(rack, u, device.name, prefix, cages, wires)
        return site


def _joins(link: Link, a: CableEnd | None, b: CableEnd | None) -> bool:
    """Whether a link runs between two ends; ends in one cage share what that cage has."""
    if a is None or b is None:
        return False
    near, far = (link.a.device, link.a.cage), (link.b.device, link.b.cage)
    return {near, far} == {(a.device, a.cage), (b.device, b.cage)}


def end_pairs(
    part: CablePart, ends: tuple[CableEnd, ...]
) -> list[tuple[CableEnd | None, CableEnd | None]]:
    """Which ends face each other: the trunk and each branch, or the connectors of both sides.

    A loose end is None; a cable that hangs loose altogether is one pair of them.
    """
    if len(ends) == 2 and len(part.ends) == 2:
        first, second = ends
        return [(first, second)] if first.end == 0 else [(second, first)]
    plugged = {end.end: end for end in ends}
    side = part.connectors_per_side
    if side > 1:
        pairs = [(plugged.get(k), plugged.get(k + side)) for k in range(side)]
        pairs = [pair for pair in pairs if pair != (None, None)]
    else:
        trunk = plugged.pop(0, None)
        pairs = [(trunk, plugged[k]) for k in sorted(plugged)]
        if not pairs and trunk is not None:
            pairs = [(trunk, None)]
    return pairs or [(None, None)]


def cable_type(part: CablePart) -> str:
    """Technology, fibre type, and the split: ``DAC 1:2``, ``fibre OM4``."""
    words = [part.technology.value]
    if part.technology is CableTechnology.FIBRE and part.fibre is not None:
        words.append(part.fibre.fibre_type)
    if part.branches > 1:
        words.append(f"1:{part.branches}")
    return " ".join(words)


def row_tokens(row: CableRow, label: str, rail: str) -> dict[str, str]:
    """The tokens of a label template that do not depend on which end it is for."""
    return {
        **place_tokens("a", row.a_rack, row.a_u, row.a_device, row.a_port),
        **place_tokens("b", row.b_rack, row.b_u, row.b_device, row.b_port),
        "cable": row.cable,
        "label": label,
        "part_number": row.part_number,
        "type": row.type,
        "length": f"{row.length_m:g}",
        "fabric": row.fabric,
        "rail": rail,
        "rate": "" if row.rate_gbps is None else f"{row.rate_gbps:g}",
        "colour": row.colour,
    }


def cable_fabrics(design: Design, fabric: Fabric | None = None) -> Mapping[CableId, str]:
    """The network each cable that carries a link belongs to; ``fabric``: the design's, if known."""
    fabric = fabric or _fabric_of(design)
    arrays, layers = fabric.arrays, fabric.layers
    names = layers.network_names
    found = {
        arrays.cable_ids[cable]: names[network]
        for cable, network in zip(arrays.link_cable.tolist(), layers.network.tolist(), strict=True)
    }
    for cable_id, links in design.links_via.items():  # the middle of a run through panels
        for link in links:
            if link.cable in found:
                found.setdefault(cable_id, found[link.cable])
    return found


def _fabric_of(design: Design) -> Fabric:
    from rackloom.fabric import Fabric

    return Fabric.of(design)


def cable_rails(design: Design, fabric: Fabric | None = None) -> Mapping[CableId, str]:
    """The rails, counted from 0, of the server ports that each cable's links reach: ``2+3``.

    ``fabric``: the design's, if known.
    """
    arrays = (fabric or _fabric_of(design)).arrays
    rails: dict[CableId, set[int]] = {}
    for nics in (arrays.link_a_nic, arrays.link_b_nic):
        served = np.flatnonzero(nics >= 0)
        numbers = arrays.nic_rail[nics[served]]
        for cable, rail in zip(arrays.link_cable[served].tolist(), numbers.tolist(), strict=True):
            if rail >= 0:
                rails.setdefault(arrays.cable_ids[cable], set()).add(rail)
    for cable_id, links in design.links_via.items():
        for link in links:
            if link.cable in rails:
                rails.setdefault(cable_id, set()).update(rails[link.cable])
    return {cable_id: "+".join(map(str, sorted(found))) for cable_id, found in rails.items()}
