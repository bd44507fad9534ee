# SPDX-License-Identifier: Apache-2.0
"""Where a generator puts its racks: cables of great halls must stay within stocked lengths."""

import itertools

import pytest

from rackloom.catalog import RackPart, load_bundled
from rackloom.generate.builder import Builder
from rackloom.generate.floor import Floor, row_letters
from rackloom.generate.rail_fat_tree import cross_trays_m, racks_per_row


def test_rows_are_named_as_halls_name_them() -> None:
    assert [row_letters(n) for n in (0, 25, 26, 27, 701, 702)] == [
        "A", "Z", "AA", "AB", "ZZ", "AAA",
    ]  # fmt: skip


def test_racks_that_follow_one_another_stand_near_also_across_rows() -> None:
    """Rows are filled to and fro: a scalable unit that begins a new row stays together."""
    part = load_bundled().require("generic-48u-800")
    assert isinstance(part, RackPart)
    builder = Builder()
    floor = Floor(builder, part, racks_per_row=5, row_pitch_m=3.0)
    names = [floor.rack()[1] for _ in range(12)]
    assert names[:7] == ["A01", "A02", "A03", "A04", "A05", "B05", "B04"]
    design = builder.design()
    racks = list(design.racks.values())
    for one, other in itertools.pairwise(racks):
        assert abs(one.position_m - other.position_m) <= 0.8 + 1e-9


@pytest.mark.parametrize("racks", [1, 40, 666, 4736])
def test_a_hall_is_as_wide_as_deep_and_no_way_over_its_trays_beyond_150_m(racks: int) -> None:
    """4,736 racks are 131,072 GPUs; the longest cord in stock has 150 m.

    From the middle to a corner: half the width, half the depth, up and down 2 x 2.7 m, and half a
    span between cross trays there and back.
    """
    per_row = racks_per_row(racks, 0.8, 3.0)
    width_m = per_row * 0.8
    depth_m = 3.0 * -(-racks // per_row)
    crosses = cross_trays_m(per_row, 0.8) or (0.0, width_m)
    span_m = max(b - a for a, b in itertools.pairwise(crosses))
    assert crosses[0] == 0.0
    assert crosses[-1] == pytest.approx(width_m)
    assert width_m / 2 + depth_m / 2 + 2 * 2.7 + span_m <= 150
