# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of rail-optimised fat trees: how many leaves, spines, cores, and what joins what.

Pure numbers; no parts, no places. The spine rule is the one that reproduces the published
two-tier counts: the smallest s >= ceil(all uplinks / k) that divides the uplinks of a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from rackloom.generate.errors import GenerateError


@dataclass(frozen=True, slots=True)
class Tree:
    """A fat tree in numbers. Leaf ``r`` of scalable unit ``u`` serves rail ``r`` of its servers.

    ``pods`` group scalable units under one set of spines; with two tiers there is one pod.
    """

    tiers: int
    rails: int
    links_per_rail: int
    """Links of one server to its leaf of a rail."""
    servers: int
    unit_servers: tuple[int, ...]
    """Servers in each scalable unit."""
    pod_units: tuple[int, ...]
    """Scalable units in each pod."""
    leaf_uplinks: int
    spines_per_pod: int
    spine_uplinks: int
    core_groups: int
    cores_per_group: int

    @property
    def units(self) -> int:
        """Number of scalable units."""
        return len(self.unit_servers)

    @property
    def pods(self) -> int:
        """Number of pods."""
        return len(self.pod_units)

    @property
    def leaves(self) -> int:
        """Number of leaf switches (with one tier: the only switches)."""
        return 1 if self.tiers == 1 else self.units * self.rails

    @property
    def spines(self) -> int:
        """Number of spine switches."""
        return self.pods * self.spines_per_pod if self.tiers > 1 else 0

    @property
    def cores(self) -> int:
        """Number of core switches."""
        return self.core_groups * self.cores_per_group

    @property
    def server_links(self) -> int:
        """Links between servers and leaves."""
        return self.servers * self.rails * self.links_per_rail

    @property
    def leaf_spine_links(self) -> int:
        """Links between leaves and spines."""
        return self.leaves * self.leaf_uplinks if self.tiers > 1 else 0

    @property
    def spine_core_links(self) -> int:
        """Links between spines and cores."""
        return self.spines * self.spine_uplinks

    def links_leaf_to_spine(self) -> int:
        """Parallel links of each leaf to each spine of its pod."""
        return self.leaf_uplinks // self.spines_per_pod


def spines_needed(leaves: int, uplinks: int, ports_down: int, at_least: int = 1) -> int:
    """The spine rule: the smallest s >= ceil(leaves x uplinks / ports) with uplinks % s == 0.

    Raises GenerateError if there is none (more uplinks in all than ``uplinks`` spines can take).
    """
    for count in range(max(ceil(leaves * uplinks / ports_down), at_least), uplinks + 1):
        if uplinks % count == 0:
            return count
    raise GenerateError(
        f"{leaves} leaves with {uplinks} uplinks each need more than {uplinks} spines of "
        f"{ports_down} ports, so a leaf could not reach them all"
    )


def _leaf_down(ports: int, ratio: float, each: int = 1) -> int:
    """Ports of a leaf that face servers, at ``ratio`` links down to one up.

    An uplink takes the place of ``each`` of them, and none is shared.
    """
    down = int(ports * ratio / (each + ratio) + 1e-9)
    return max(min(down, ports - each) // each * each, 1)


def plan_tree(
    servers: int,
    rails: int,
    *,
    links_per_rail: int = 1,
    leaf_ports: int,
    spine_ports: int,
    core_ports: int | None = None,
    tiers: int | None = None,
    ratio: float = 1.0,
    unit_size: int | None = None,
    units: tuple[int, ...] | None = None,
    leaf_uplinks: int | None = None,
    spines_at_least: int = 1,
    uplink_ports: int = 1,
) -> Tree:
    """The smallest rail-optimised fat tree for this many servers.

    ``ratio`` is the leaf's oversubscription (2 for 2:1). ``unit_size`` fixes the servers of a
    scalable unit (``units`` those of each one), ``leaf_uplinks`` the uplinks of a leaf, which are
    otherwise what its servers need. An uplink takes the place of ``uplink_ports`` of the
    ``leaf_ports``: 2 where cages are split towards the servers and whole towards the spines.
    Raises GenerateError with the limit.
    """
    core_ports = core_ports or spine_ports
    if servers < 1:
        raise GenerateError(f"a fabric needs at least one server, not {servers}")
    if not 1 <= ratio <= 1000:
        raise GenerateError(f"oversubscription must be between 1 and 1000, not {ratio:g}")
    wanted = servers * rails * links_per_rail
    if tiers is None and units is None and wanted <= leaf_ports:
        tiers = 1
    if tiers == 1:
        if wanted > leaf_ports:
            raise GenerateError(
                f"{servers} servers need {wanted} ports, but one switch has {leaf_ports}"
            )
        return Tree(1, rails, links_per_rail, servers, (servers,), (1,), 0, 0, 0, 0, 0)
    down = _leaf_down(leaf_ports, ratio, uplink_ports)
    unit = min(unit_size or down // links_per_rail, down // links_per_rail)
    if unit < 1:
        raise GenerateError(f"a leaf of {leaf_ports} ports has no room for a server at this ratio")
    units = units or _split(servers, unit)
    fullest = max(units) * links_per_rail
    needed = leaf_uplinks or max(ceil(fullest / ratio - 1e-9), 1)
    room = (leaf_ports - fullest) // uplink_ports
    if needed > room:
        places = "" if uplink_ports == 1 else f", {uplink_ports} for an uplink"
        raise GenerateError(
            f"{fullest} server ports and {needed} uplinks do not fit a leaf of {leaf_ports} ports"
            f"{places}"
        )
    most_up = needed if leaf_uplinks else room
    if tiers != 3:
        two = _fewest_spines(len(units) * rails, (needed, most_up), spine_ports, spines_at_least)
        if two is not None:
            up, spines = two
            return Tree(
                2, rails, links_per_rail, servers, units, (len(units),), up, spines, 0, 0, 0
            )
        if tiers == 2:
            most = unit * (spine_ports // rails)
            raise GenerateError(
                f"two tiers of these switches join at most {most} servers, not {servers}: "
                "use three tiers or switches with more ports"
            )
    shape = (servers, rails, links_per_rail)
    return _three_tiers(shape, units, (needed, most_up), (spine_ports, core_ports))


def _fewest_spines(
    leaves: int, uplinks: tuple[int, int], ports: int, at_least: int = 1
) -> tuple[int, int] | None:
    """(uplinks of a leaf, spines) with the fewest spines; None where none of ``uplinks`` works.

    A unit that is not full leaves ports over; a few more uplinks can save many spines (31 servers
    with 31 uplinks would need 31 spines, with 32 uplinks four do).
    """
    found: list[tuple[int, int]] = []
    for up in range(uplinks[0], uplinks[1] + 1):
        try:
            found.append((spines_needed(leaves, up, ports, at_least), up))
        except GenerateError:
            continue
    if not found:
        return None
    spines, up = min(found)
    return up, spines


def _split(total: int, size: int) -> tuple[int, ...]:
    """Units filled in order, the last one with what is left."""
    full, rest = divmod(total, size)
    return (size,) * full + ((rest,) if rest else ())


def _three_tiers(
    shape: tuple[int, int, int],
    units: tuple[int, ...],
    uplinks: tuple[int, int],
    ports: tuple[int, int],
) -> Tree:
    servers, rails, links_per_rail = shape
    spine_ports, core_ports = ports
    half = spine_ports // 2
    for units_per_pod in range(half // rails, 0, -1):
        pods = _split(len(units), units_per_pod)
        found = _fewest_spines(max(pods) * rails, uplinks, half)
        if found is not None:
            break
    else:
        raise GenerateError(
            f"a pod of {rails} rails does not fit the {half} ports a spine has towards its leaves"
        )
    up, spines = found
    # As many ports up as down, so that only the leaf's ratio limits.
    spine_up = max(pods) * rails * up // spines
    try:
        per_group = spines_needed(len(pods), spine_up, core_ports)
    except GenerateError as error:
        most = core_ports * units_per_pod * max(units)
        raise GenerateError(
            f"three tiers of these switches join at most {most} servers, not {servers}: "
            "use switches with more ports"
        ) from error
    return Tree(
        3,
        rails,
        links_per_rail,
        servers,
        units,
        pods,
        up,
        spines,
        spine_up,
        spines,
        per_group,
    )
