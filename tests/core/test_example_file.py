# SPDX-License-Identifier: Apache-2.0
"""The example that ships is what the preset makes today."""

from importlib.resources import files
from pathlib import Path

from rackloom.files import load
from rackloom.generate.example import EXAMPLE_FILE, example


def bundled() -> Path:
    return Path(str(files("rackloom_resources") / "examples" / EXAMPLE_FILE))


def test_the_bundled_example_is_up_to_date() -> None:
    assert load(bundled()).design == example()


def test_the_example_is_32_gpus_in_two_racks_with_switches_pdus_and_cords() -> None:
    design = load(bundled()).design
    assert len(design.racks) == 2
    servers = [d for d in design.devices.values() if d.part == "dgx-h100"]
    assert len(servers) * 8 == 32
    assert sorted(d.role for d in design.devices.values() if d.role) == [
        "leaf", "leaf", "spine", "spine",
    ]  # fmt: skip
    assert sum(len(links) for links in design.links.values()) == 64
    assert all(len(design.index.cords_of_device[d.id]) == 6 for d in servers)
