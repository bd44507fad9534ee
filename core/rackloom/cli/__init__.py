# SPDX-License-Identifier: Apache-2.0
"""The command line. Everything heavy is imported by the command that needs it."""

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or the editor; returns the exit status (see ``rackloom --help``)."""
    try:
        from rackloom.cli.entry import main as run
    except KeyboardInterrupt:  # Ctrl+C while still importing
        return 130
    return run(argv)
