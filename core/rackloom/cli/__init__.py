# SPDX-License-Identifier: Apache-2.0
"""The command line. Everything heavy is imported by the command that needs it."""

from rackloom.cli.main import main

__all__ = ["main"]
