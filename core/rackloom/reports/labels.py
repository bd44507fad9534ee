# SPDX-License-Identifier: Apache-2.0
"""Cable labels: one for every end, on sheets that go through a printer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from rackloom.bulk import many_objects
from rackloom.catalog.parts import CablePart
from rackloom.design import Design
from rackloom.design.ids import CableId
from rackloom.design.value import ALL_TABLES
from rackloom.reports.colouring import ColourBy, check_colouring, colours_of
from rackloom.reports.errors import ReportError
from rackloom.reports.label_text import (
    TIA_606,
    fill,
    place_text,
    place_tokens,
    template_problem,
)
from rackloom.reports.order import natural
from rackloom.reports.schedule import CableRow, cable_rails, cable_schedule, row_tokens


@dataclass(frozen=True, slots=True)
class Label:
    """A label for one end of a cable."""

    cable: str
    end: str
    """``a`` for the trunk end, ``b`` for the other one, ``b1``, ``b2``, ... for branches."""
    text: str
    rack: str
    u: str
    device: str
    port: str
    length_m: float
    part_number: str
    fabric: str
    rail: str
    colour: str
    """As ``#rrggbb``, or as the project names it; empty for none."""


def labels(design: Design, template: str | None = None, colour: ColourBy = "cable") -> list[Label]:
    """Two labels a cable, one for each end (a breakout has one for every branch), in rack order.

    ``template`` defaults to the project's, and that to :data:`TIA_606`. A cable with a label of
    its own carries that, unless the template asks for ``{label}`` itself. Ends that hang loose have
    none. Raises ReportError for a template with unknown tokens.
    """
    wanted = (design.settings.label_template if template is None else template) or TIA_606
    problem = template_problem(wanted)
    if problem:
        raise ReportError(problem)
    check_colouring(colour, "labels")
    with many_objects():
        return _coloured(_made(design, wanted), colour)


def _made(design: Design, template: str) -> list[Label]:
    """The labels in the cables' own colours."""
    from rackloom.fabric import Fabric

    fabric = Fabric.of(design)
    rails = cable_rails(design, fabric)
    rows: dict[CableId, list[CableRow]] = {}
    for row in cable_schedule(design, fabric):
        rows.setdefault(CableId(row.cable), []).append(row)
    found: list[Label] = []
    for cable_id, mine in rows.items():
        cable = design.cables[cable_id]
        if design.part(cable.part, CablePart).branches > 1:
            trunk = next((end.cage for end in cable.ends if end.end == 0), "")
            ends = _split_ends([replace(row, a_port=trunk) for row in mine])
        else:
            ends = _straight_ends(mine)
        rail = rails.get(cable_id, "")
        for end, near, fars, row in ends:
            if near.device:
                text = _text(template, row, cable.label, rail, near, fars)
                found.append(_label(row, end, near, text, rail))
    found.sort(key=lambda label: (natural(label.rack), natural(label.u), natural(label.port)))
    return found


class _Place(NamedTuple):
    rack: str
    u: str
    device: str
    port: str


def _places(row: CableRow) -> tuple[_Place, _Place]:
    return (
        _Place(row.a_rack, row.a_u, row.a_device, row.a_port),
        _Place(row.b_rack, row.b_u, row.b_device, row.b_port),
    )


_End = tuple[str, _Place, list[_Place], CableRow]


def _straight_ends(rows: list[CableRow]) -> Iterator[_End]:
    """Both ends of a cable; of a trunk cable, those of each of its connectors."""
    for number, row in enumerate(rows, start=1):
        a, b = _places(row)
        suffix = str(number) if len(rows) > 1 else ""
        yield f"a{suffix}", a, [b], row
        yield f"b{suffix}", b, [a], row


def _split_ends(rows: list[CableRow]) -> Iterator[_End]:
    """The trunk end of a breakout once, and every branch."""
    pairs = [_places(row) for row in rows]
    trunk, branches = pairs[0][0], [b for _, b in pairs]
    yield "a", trunk, branches, rows[0]
    for number, (row, branch) in enumerate(zip(rows, branches, strict=True), start=1):
        yield f"b{number}", branch, [trunk], row


def _text(
    template: str, row: CableRow, own: str, rail: str, near: _Place, fars: list[_Place]
) -> str:
    if own and "{label}" not in template:
        return own
    first, *others = fars
    far = place_text(*first)
    if len(others) == 1:
        far += f", {place_text(*others[0])}"
    elif others:
        far += f" +{len(others)}"
    if template == TIA_606:  # the usual one, and tokens of 100,000 labels take a while
        return f"{place_text(*near)} / {far}"
    tokens = row_tokens(row, own, rail)
    tokens |= {**place_tokens("near", *near), **place_tokens("far", *first), "far": far}
    return fill(template, tokens)


def _label(row: CableRow, end: str, near: _Place, text: str, rail: str) -> Label:
    return Label(
        row.cable, end, text, *near, row.length_m, row.part_number, row.fabric, rail, row.colour
    )


def _coloured(found: list[Label], by: ColourBy) -> list[Label]:
    """The labels in the colours of what they belong to; the same design gives the same colours."""
    if by == "cable":
        return found
    if by == "none":
        return [replace(label, colour="") for label in found]
    colours = colours_of(getattr(label, by) for label in found)
    return [replace(label, colour=colours.get(getattr(label, by), "")) for label in found]


def preview(design: Design, template: str, count: int = 4) -> list[str]:
    """What the first cables' labels would say at both ends; raises ReportError as :func:`labels`.

    A design without cables shows an example.
    """
    problem = template_problem(template)
    if problem:
        raise ReportError(problem)
    sample = islice(design.cables.values(), count)
    few: dict[str, Any] = {cable.id: cable for cable in sample}
    if few:
        tables: dict[str, dict[str, Any]] = {n: dict(design.table(n)) for n in ALL_TABLES}
        tables["cables"] = few
        return [label.text for label in labels(Design(tables), template)]
    a, b = _Place("R01", "40", "leaf-01", "1/1"), _Place("R02", "40", "spine-01", "1/1")
    row = CableRow("c1", "", "MCP4Y10-N001", "DAC", 1.0, *a, *b, 400.0, "compute", "")
    both = ((a, [b]), (b, [a]))
    return [_text(template or TIA_606, row, "", "0", near, fars) for near, fars in both]


# Sheets


@dataclass(frozen=True, slots=True)
class LabelSheet:
    """A sheet of labels in equal steps, centred on its page; all measures in mm.

    ``pitch``: from the left (top) edge of one label to that of the next.
    """

    name: str
    title: str
    page_mm: tuple[float, float]
    columns: int
    rows: int
    label_mm: tuple[float, float]
    pitch_mm: tuple[float, float]

    @property
    def count(self) -> int:
        """Labels on a sheet."""
        return self.columns * self.rows

    def place(self, number: int) -> tuple[int, float, float]:
        """Sheet (from 0) of a label, and its left upper corner; row by row."""
        sheet, index = divmod(number, self.count)
        row, column = divmod(index, self.columns)
        used = [
            (n - 1) * pitch + size
            for n, pitch, size in zip(
                (self.columns, self.rows), self.pitch_mm, self.label_mm, strict=True
            )
        ]
        left, top = ((page - u) / 2 for page, u in zip(self.page_mm, used, strict=True))
        return sheet, left + column * self.pitch_mm[0], top + row * self.pitch_mm[1]


_A4 = (210.0, 297.0)
_LETTER = (215.9, 279.4)
_INCH = 25.4

SHEETS: dict[str, LabelSheet] = {
    sheet.name: sheet
    for sheet in (
        LabelSheet("a4-3x8", "A4, 3 x 8, 70 x 37 mm", _A4, 3, 8, (70, 37), (70, 37)),
        LabelSheet("a4-3x7", "A4, 3 x 7, 63.5 x 38.1 mm", _A4, 3, 7, (63.5, 38.1), (66.04, 38.1)),
        LabelSheet("a4-5x13", "A4, 5 x 13, 38.1 x 21.2 mm", _A4, 5, 13, (38.1, 21.2), (40.6, 21.2)),
        LabelSheet(
            "letter-3x10",
            "Letter, 3 x 10, 2 5/8 x 1 inch",
            _LETTER,
            3,
            10,
            (2.625 * _INCH, _INCH),
            (2.75 * _INCH, _INCH),
        ),
        LabelSheet(
            "letter-4x20",
            "Letter, 4 x 20, 1 3/4 x 1/2 inch",
            _LETTER,
            4,
            20,
            (1.75 * _INCH, 0.5 * _INCH),
            (2.0625 * _INCH, 0.5 * _INCH),
        ),
    )
}
"""Usual sheets for laser printers, by name."""


def sheet_named(name: str) -> LabelSheet:
    """A sheet by name; ReportError where there is none."""
    if name not in SHEETS:
        raise ReportError(f"there is no label sheet {name!r}; there are {', '.join(SHEETS)}")
    return SHEETS[name]
