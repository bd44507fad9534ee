# SPDX-License-Identifier: Apache-2.0
"""``catalog add``: parts of the user's own, from our YAML files and NetBox device types."""

from __future__ import annotations

import argparse

from rackloom.cli.errors import CommandError
from rackloom.cli.output import say, say_json

KINDS = ("switch", "server", "panel", "accessory")
"""What a NetBox device type can be said to be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``catalog add``, but for ``--format``."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="catalogue files, or NetBox device types (YAML)"
    )
    parser.add_argument(
        "--replace", action="store_true", help="also where a part of the same id is there already"
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=KINDS,
        help="what the NetBox device types are (default: told from their ports, and said)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Add the files, print what is doubtful about each part; refused files end with status 2."""
    from rackloom.interop.add_parts import add_parts

    report = add_parts(arguments.files, replace=arguments.replace, kind=arguments.kind)
    if arguments.format == "json":
        say_json(report.to_json())
    elif report.added or len(report.refused) > 1:
        say(report.text())
    if not report.ok:
        first, *others = report.refused
        word = "file" if len(others) == 1 else "files"
        more = f" (and {len(others)} more {word} refused)" if others else ""
        raise CommandError(f"{first}{more}")
    return 0
