# SPDX-License-Identifier: Apache-2.0
"""Numbers of each tier and ways between groups of servers, for ``rackloom summary --tiers``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rackloom.design.ids import DeviceId
from rackloom.fabric import Fabric, TierNumbers, group_ways, tier_numbers
from rackloom.fabric.ways import WaysOfPairs

MOST_NAMED = 4
"""Switches of the worst ratio that the text names."""


def tier_report(fabric: Fabric) -> dict[str, Any]:
    """``tiers`` and ``ways`` as JSON; rates in Gb/s, null with nothing above or no way."""
    found = group_ways(fabric)
    return {
        "tiers": [_tier(numbers) for numbers in tier_numbers(fabric)],
        "ways": {
            "by": found.by,
            "groups": found.groups,
            "looked_at": found.looked_at,
            "pairs": [_pair(pair) for pair in found.pairs],
        },
    }


def _tier(numbers: TierNumbers) -> dict[str, Any]:
    return {
        "fabric": numbers.network,
        "tier": numbers.role,
        "switches": numbers.switches,
        "down_gbps": numbers.down_gbps,
        "up_gbps": numbers.up_gbps,
        "across_gbps": numbers.across_gbps,
        "oversubscription": numbers.oversubscription,
        "worst_oversubscription": numbers.worst_oversubscription,
        "worst_at": list(numbers.worst_at),
        "bisection_gbps": numbers.bisection_gbps,
    }


def _pair(pair: WaysOfPairs) -> dict[str, Any]:
    ways = pair.ways
    return {
        "within": pair.within,
        "pairs": pair.pairs,
        "hops": ways.hops if ways else None,
        "longest_hops": ways.longest_hops if ways else None,
        "paths": ways.paths if ways else 0,
        "example": list(pair.example),
    }


def tier_text(found: dict[str, Any], name_of: Callable[[DeviceId], str]) -> str:
    """What :func:`tier_report` found, for people."""
    lines = ["tier                 switches   down Tb/s     up Tb/s   over   bisection Tb/s"]
    for tier in found["tiers"]:
        over, cut = tier["oversubscription"], tier["bisection_gbps"]
        lines.append(
            f"{tier['fabric'] + ' ' + tier['tier']:<20} {tier['switches']:>8,}"
            f" {tier['down_gbps'] / 1000:>11,.2f} {tier['up_gbps'] / 1000:>11,.2f}"
            f" {'-' if over is None else f'{over:.3g}:1':>6}"
            f" {'-' if cut is None else f'{cut / 1000:,.2f}':>16}"
        )
        worst = tier["worst_oversubscription"]
        if worst is not None and worst > (over or worst) * 1.001:
            named = [name_of(device) for device in tier["worst_at"][:MOST_NAMED]]
            more = len(tier["worst_at"]) - len(named)
            tail = f" and {more:,} more" if more else ""
            lines.append(f"  worst {worst:.3g}:1 at {', '.join(named)}{tail}")
    ways = found["ways"]
    if not ways["pairs"]:
        return "\n".join(lines) + "\n"
    some = "" if ways["looked_at"] == ways["groups"] else f", {ways['looked_at']:,} looked at"
    groups = f"{ways['groups']:,} group{'' if ways['groups'] == 1 else 's'}"
    lines.append(f"ways between servers, {groups} by {ways['by']}{some}")
    for pair in ways["pairs"]:
        kind = "within a group" if pair["within"] else "between groups"
        a, b = (name_of(device) for device in pair["example"])
        if pair["hops"] is None:
            text = "no way"
        else:
            longest = pair["longest_hops"]
            far = f" to {longest}" if longest != pair["hops"] else ""
            text = f"{pair['hops']}{far} hops, {pair['paths']:,} shortest ways"
        lines.append(f"  {kind:<15}{pair['pairs']:>7,} x  {text}, as from {a} to {b}")
    return "\n".join(lines) + "\n"
