# SPDX-License-Identifier: Apache-2.0
"""Importing the engines late, for the window's start, and never twice at once.

Two threads that import modules of one package at the same time may each wait for what the other
has begun: Python then raises a deadlock error in one of them.
"""

from __future__ import annotations

from threading import Lock

_IMPORTING = Lock()


def load_checks() -> None:
    """Import all rules, and what they look at; at once where that was done before."""
    with _IMPORTING:
        import rackloom.checks.engine
        import rackloom.checks.registry

        rackloom.checks.registry.rules()


def load_fabric() -> None:
    """Import what rules and estimates share; at once where that was done before."""
    with _IMPORTING:
        import rackloom.fabric  # noqa: F401


def load_engines() -> None:
    """Import everything that tells how fast a design is. For workers: it takes a while."""
    with _IMPORTING:
        import rackloom.collectives
        import rackloom.workload  # noqa: F401


def load_chart() -> None:
    """Import what draws curves, before the first one comes. For workers: it takes 0.4 s."""
    with _IMPORTING:
        import rackloom_gui.charts.plot  # noqa: F401
