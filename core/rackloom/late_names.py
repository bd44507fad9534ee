# SPDX-License-Identifier: Apache-2.0
"""Names of a package that are imported when they are first asked for (PEP 562).

A package that offers the names of all its modules would import all of them whenever one is wanted:
the window, which needs a dozen small ones to come up, would read every rule from disk before.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package: each name is found in the module it is said to be in.

    No name may be that of a module of the package too: importing the module would hide it.
    """

    def __getattr__(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{where[name]}"), name)

    return __getattr__
