# SPDX-License-Identifier: Apache-2.0
"""Racks one after the other along rows, rows one behind the other."""

from __future__ import annotations

from rackloom.catalog.parts import RackPart
from rackloom.design.ids import RackId, RowId
from rackloom.generate.builder import Builder


def row_letters(number: int) -> str:
    """Row names as halls have them: A, B, ..., Z, AA, AB, ..."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


class Floor:
    """Hands out racks in order; the name says row and place (``B07``)."""

    def __init__(
        self, builder: Builder, part: RackPart, racks_per_row: int, row_pitch_m: float
    ) -> None:
        self._builder = builder
        self._part = part
        self.racks_per_row = racks_per_row
        self._row_pitch_m = row_pitch_m
        self._row: RowId | None = None
        self._rows = 0
        self._in_row = 0
        self._next_m = 0.0
        self.alike = True
        """All racks are of one width. If not, each row is filled from the same end."""

    def rack(self, part: RackPart | None = None) -> tuple[RackId, str]:
        """The next rack and its name; begins a new row where the last one is full."""
        part = part or self._part
        if self._row is None or self._in_row >= self.racks_per_row:
            letters = row_letters(self._rows)
            self._row = self._builder.row(f"Row {letters}", 0.0, self._rows * self._row_pitch_m)
            self._rows += 1
            self._in_row = 0
            self._next_m = 0.0
        # Every other row is filled from its far end, so that what follows stays near.
        backwards = self.alike and self._rows % 2 == 0
        place = self.racks_per_row - 1 - self._in_row if backwards else self._in_row
        name = f"{row_letters(self._rows - 1)}{place + 1:02d}"
        at_m = place * part.width_mm / 1000 if self.alike else self._next_m
        self._in_row += 1
        self._next_m += part.width_mm / 1000
        return self._builder.rack(part, self._row, round(at_m, 6), name), name
