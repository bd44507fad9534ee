# SPDX-License-Identifier: Apache-2.0
"""What of the settings has no effect here, or was taken for granted, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from rackloom.collectives.algorithms import needs_sharp
from rackloom.collectives.calibration import load_libraries
from rackloom.collectives.case import FLOWS_PER_CONNECTION, Case
from rackloom.collectives.conventions import Collective
from rackloom.collectives.reduction import has_sharp
from rackloom.collectives.ring import Traffic

_ADDED_UP = {Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER}


def settings_notes(
    case: Case, kind: Collective, algorithms: Sequence[str], traffic: Traffic | None = None
) -> tuple[str, ...]:
    """Sentences without a full stop, in the order of the settings; none where all is plain.

    ``traffic``: that of the algorithm of the largest size.
    """
    settings, several = case.settings, case.group.nodes > 1
    found = [*_mixed(case), *_parted(case, kind, traffic)]
    if several and settings.flows_per_connection != FLOWS_PER_CONNECTION and not case.hashed:
        found.append(
            "the number of flows has no effect: links fill evenly unless a hash places flows (ecmp)"
        )
    if not several and (settings.routing != "auto" or settings.network_efficiency < 1):
        found.append("all GPUs are in one server: routing and state of the network have no effect")
    if settings.sharp:
        reason = _no_sharp(case, kind)
        if reason is not None:
            found.append(f"SHARP has no effect: {reason}")
    elif several and len(algorithms) == 1 and needs_sharp(algorithms[0], several):
        found.append(f"{algorithms[0]} takes SHARP between the servers: taken as switched on")
    return tuple(found)


def _mixed(case: Case) -> list[str]:
    """GPUs whose makers' libraries do not run together, in one group: it can only be reckoned."""
    known = load_libraries()
    first: dict[str, str] = {}
    for part in case.group.parts:
        row = known.architectures.get((part.gpu.architecture if part.gpu else None) or "")
        if row is not None:
            first.setdefault(row.library, part.title)
    if len(first) < 2:
        return []
    (one, a), (other, b) = list(first.items())[:2]
    return [
        f"{a} runs {one.upper()} and {b} {other.upper()}, which do not talk to each other: choose "
        "servers of one kind; this is what the wiring would give"
    ]


def _parted(case: Case, kind: Collective, traffic: Traffic | None) -> list[str]:
    """An all-to-all whose GPUs' own NICs do not all reach each other."""
    if kind is not Collective.ALL_TO_ALL or traffic is None or not traffic.by_channels:
        return []
    return [
        "rails are not joined and some server has no NIC on one that others use: a library "
        "cannot send between all GPUs; this is what the rails that all share would give"
    ]


def _no_sharp(case: Case, kind: Collective) -> str | None:
    if case.rings is None:
        return "all GPUs are in one server"
    if not has_sharp(case.fabric, case.rings):
        return "not all switches between the servers can add up"
    if kind not in _ADDED_UP:
        return f"libraries do not use it for {kind.value}"
    return None
