# SPDX-License-Identifier: Apache-2.0
"""Rackloom's library: draw AI-cluster fabrics, check them, and estimate what they will do.

The functions behind the commands, under their names::

    import rackloom

    design = rackloom.load("hall.rackloom").design
    rackloom.check(design), rackloom.estimate(design), rackloom.bom(design)

They are imported when first used, so that ``import rackloom`` stays quick.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rackloom.catalog import Catalog, load_bundled
    from rackloom.checks import run as check
    from rackloom.collectives import estimate
    from rackloom.design import Design, Draft, History
    from rackloom.fabric import Fabric
    from rackloom.files import FileError, load, save
    from rackloom.generate import generate as new
    from rackloom.generate import presets
    from rackloom.reports import bom, cable_schedule, summary

_WHERE = {
    "Catalog": ("rackloom.catalog", "Catalog"),
    "Design": ("rackloom.design", "Design"),
    "Draft": ("rackloom.design", "Draft"),
    "Fabric": ("rackloom.fabric", "Fabric"),
    "FileError": ("rackloom.files", "FileError"),
    "History": ("rackloom.design", "History"),
    "bom": ("rackloom.reports", "bom"),
    "cable_schedule": ("rackloom.reports", "cable_schedule"),
    "check": ("rackloom.checks", "run"),
    "estimate": ("rackloom.collectives", "estimate"),
    "load": ("rackloom.files", "load"),
    "load_bundled": ("rackloom.catalog", "load_bundled"),
    "load_catalog": ("rackloom.catalog", "load_catalog"),
    "new": ("rackloom.generate", "generate"),
    "presets": ("rackloom.generate", "presets"),
    "save": ("rackloom.files", "save"),
    "summary": ("rackloom.reports", "summary"),
}

__all__ = [
    "Catalog",
    "Design",
    "Draft",
    "Fabric",
    "FileError",
    "History",
    "__version__",
    "bom",
    "cable_schedule",
    "check",
    "estimate",
    "load",
    "load_bundled",
    "load_catalog",
    "new",
    "presets",
    "save",
    "summary",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _WHERE:
        raise AttributeError(f"module 'rackloom' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _WHERE[name]
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
