# SPDX-License-Identifier: Apache-2.0
"""Designs for tests of single panels."""

from importlib.resources import as_file, files

from rackloom.design import Design
from rackloom.files import load


def example_design() -> Design:
    """The bundled example: 32 GPUs in two racks."""
    folder = files("rackloom_resources") / "examples"
    found = next(f for f in folder.iterdir() if f.name.endswith(".rackloom"))
    with as_file(found) as path:
        return load(path).design
