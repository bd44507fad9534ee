# SPDX-License-Identifier: Apache-2.0
"""A part is found by what stands on the order: every number of it, its model, its title."""

from __future__ import annotations

import pytest

from rackloom.catalog import CatalogError, load_bundled
from rackloom.catalog.load import order_numbers
from rackloom.cli import main

CATALOG = load_bundled()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("nvidia-qm9700", "nvidia-qm9700"),
        ("MQM9700-NS2F", "nvidia-qm9700"),
        ("mqm9700-ns2f", "nvidia-qm9700"),
        ("QM9700", "nvidia-qm9700"),
        ("NVIDIA Quantum-2 QM9700", "nvidia-qm9700"),
        ("MFP7E10-N005", "mfp7e10"),
        ("980-9I432-00N001", "mcp7y00-n"),
        ("DGX H100", "dgx-h100"),
    ],
)
def test_a_part_goes_by_number_model_and_title(text: str, part: str) -> None:
    assert CATALOG.named(text).id == part


def test_every_order_number_finds_its_part_in_a_search() -> None:
    for part in CATALOG.values():
        for number in order_numbers(part):
            assert part in CATALOG.find(number), number
    assert {p.id for p in CATALOG.find("switch qm97")} == {"nvidia-qm9700", "nvidia-qm9790"}


@pytest.mark.parametrize("text", ["QM97", "OSFP", "rack", "", "no such thing"])
def test_a_name_of_none_or_many_is_refused(text: str) -> None:
    with pytest.raises(CatalogError, match="no part is called"):
        CATALOG.named(text)


def test_the_command_line_takes_an_order_number(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "show", "MFP7E10-N005"]) == 0
    assert capfd.readouterr().out.startswith("NVIDIA MFP7E10-Nxxx\nid: mfp7e10\n")


def test_a_search_without_a_hit_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "list", "no", "such", "thing"]) == 0
    out, err = capfd.readouterr()
    assert (out, err) == ("", "rackloom: no part of the catalogue has all of these words\n")
