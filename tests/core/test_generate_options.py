# SPDX-License-Identifier: Apache-2.0
"""Options of presets: what no fabric or floor can have is refused with the bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from rackloom.catalog import load_bundled
from rackloom.files import load, save
from rackloom.generate import GenerateError, generate


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("tiers", "4", "tiers=4: the most is 3"),
        ("feed_derating", "80", "feed_derating=80: the most is 1"),
        ("racks_per_row", "999999", "racks_per_row=999999: the most is 1000"),
        ("row_pitch_m", "1e9", "row_pitch_m=1e9: the most is 100"),
    ],
)
def test_more_than_there_can_be_is_refused(key: str, value: str, sentence: str) -> None:
    """A derating of 80 (percent) would switch every power check off without a word."""
    with pytest.raises(GenerateError, match=sentence):
        generate("rail-fat-tree", load_bundled(), servers=4, options={key: value})


def test_the_longest_rows_can_be_saved_and_opened(tmp_path: Path) -> None:
    options = {"racks_per_row": "1000", "row_pitch_m": "100"}
    made = generate("rail-fat-tree", load_bundled(), servers=8, options=options)
    save(tmp_path / "long.rackloom", made.design)
    assert load(tmp_path / "long.rackloom").design == made.design
