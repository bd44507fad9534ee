# SPDX-License-Identifier: Apache-2.0
"""A generated design says the same in the program that made it and when it is opened again."""

from pathlib import Path

import pytest

from rackloom.catalog import load_bundled
from rackloom.catalog.parts import RackPart, ServerPart
from rackloom.checks import run
from rackloom.files import load, save
from rackloom.generate import generate
from rackloom.generate.builder import Builder
from rackloom.placement.elevation import rack_origins
from rackloom.placement.routes import route_m

CATALOG = load_bundled()


def test_racks_that_come_later_are_in_what_was_worked_out_before() -> None:
    """Lengths are asked for while a design is made: what they rest on is looked up afresh."""
    builder = Builder()
    row = builder.row("A", 0.0, 0.0)
    rack_part = CATALOG.require("generic-48u-800")
    server = CATALOG.require("dgx-h100")
    assert isinstance(rack_part, RackPart)
    assert isinstance(server, ServerPart)
    racks = [builder.rack(rack_part, row, 0.0, "R1")]
    ends = [(builder.device(server, racks[0], 1, "one"), server.cages[0].name)]
    assert len(rack_origins(builder.design())) == 1
    racks.append(builder.rack(rack_part, row, 8.0, "R2"))
    ends.append((builder.device(server, racks[1], 1, "two"), server.cages[0].name))
    design = builder.design()
    assert len(rack_origins(design)) == 2
    assert route_m(design, (ends[0], ends[1])).length_m > 8.0


@pytest.mark.parametrize(
    ("preset", "sizes"),
    [
        ("rail-fat-tree", {"servers": 40}),
        ("superpod-h100", {"servers": 64}),
        ("nvl72", {"gpus": 144}),
    ],
)
def test_findings_are_those_of_the_saved_file(
    preset: str, sizes: dict[str, int], tmp_path: Path
) -> None:
    design = generate(preset, CATALOG, **sizes).design  # type: ignore[arg-type]
    path = tmp_path / "generated.rackloom"
    save(path, design)
    opened = load(path).design
    assert opened == design
    assert run(opened, CATALOG) == run(design, CATALOG)
