# SPDX-License-Identifier: Apache-2.0
"""From older format versions to the present one.

Each step is a pure function ``migrate_N_to_M(document) -> document`` on the plain JSON content of
a file, entered in ``MIGRATIONS`` under N. Every version that was ever released has a frozen sample
in ``tests/data/files`` that must go on loading.
"""

from collections.abc import Callable, Mapping
from typing import Any

FORMAT_VERSION = 1
"""The version this program writes, and the newest it reads."""

Migration = Callable[[dict[str, Any]], dict[str, Any]]

MIGRATIONS: Mapping[int, Migration] = {}
"""By the version they start from. Version 1 is the first, so there is nothing to migrate yet."""


def migrate(
    document: dict[str, Any],
    version: int,
    to: int = FORMAT_VERSION,
    steps: Mapping[int, Migration] = MIGRATIONS,
) -> dict[str, Any]:
    """A document of an older version in the form of version ``to``; the argument is left alone.

    Raises LookupError where no step leads on (a gap in the chain is a mistake of ours).
    """
    while version < to:
        step = steps.get(version)
        if step is None:
            raise LookupError(f"no migration from format version {version}")
        document = {**step(document), "format_version": version + 1}
        version += 1
    return document
