# SPDX-License-Identifier: Apache-2.0
"""The bundled example, as the preset makes it; the file among the resources is this design.

A test compares the two; the file is written anew with ``rackloom new rail-fat-tree`` and these
options.
"""

from rackloom.catalog.load import load_bundled
from rackloom.design.value import Design
from rackloom.generate.presets import generate

EXAMPLE_FILE = "dgx-h100-4.rackloom"
EXAMPLE_SERVERS = 4
EXAMPLE_OPTIONS = {
    "server": "dgx-h100",
    "switch": "nvidia-qm9700",
    "tiers": "2",
    "rails_per_leaf": "4",
    "spines": "2",
    "servers_per_rack": "2",
    "switch_place": "top",
    "name": "32 GPUs, DGX H100, rail-optimised",
}


def example() -> Design:
    """Four DGX H100 in two racks, two leaves of four rails each, two spines, 1:1."""
    preset = generate(
        "rail-fat-tree", load_bundled(), servers=EXAMPLE_SERVERS, options=EXAMPLE_OPTIONS
    )
    return preset.design
