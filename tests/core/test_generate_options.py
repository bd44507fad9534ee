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


@pytest.mark.parametrize("preset", ["rail-fat-tree", "superpod-h100"])
def test_more_servers_than_fit_into_a_rack_are_refused(preset: str) -> None:
    options = {"servers_per_rack": "100"}
    with pytest.raises(GenerateError, match=r"gpu-007 does not fit into A\d\d: .* has 48U"):
        generate(preset, load_bundled(), servers=40, options=options)


def test_a_superpod_of_servers_with_two_rails_is_refused() -> None:
    options = {"server": "generic-1u", "switch": "nvidia-sn5600d"}
    with pytest.raises(GenerateError, match="UFM is cabled to 4 leaves"):
        generate("superpod-h100", load_bundled(), servers=1, options=options)


def test_supplies_without_an_outlet_are_counted_apart_from_unknown_inlets() -> None:
    """Six DGX H100 have 36 inlets; two pairs of AP8868 have 4 x 6 C19 outlets."""
    options = {"servers_per_rack": "6", "pdu": "apc-ap8868"}
    made = generate("rail-fat-tree", load_bundled(), servers=6, options=options)
    (note,) = [note for note in made.notes if "DGX H100" in note]
    assert note.startswith("12 power supplies of NVIDIA DGX H100 found no outlet: ")


def test_the_longest_rows_can_be_saved_and_opened(tmp_path: Path) -> None:
    options = {"racks_per_row": "1000", "row_pitch_m": "100"}
    made = generate("rail-fat-tree", load_bundled(), servers=8, options=options)
    save(tmp_path / "long.rackloom", made.design)
    assert load(tmp_path / "long.rackloom").design == made.design
