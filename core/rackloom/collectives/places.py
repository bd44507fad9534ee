# SPDX-License-Identifier: Apache-2.0
"""Where a cap is: ids of servers, switches and cables, and links between switches in words."""

from __future__ import annotations

import numpy as np

from rackloom.collectives.group import device_id, device_name, more
from rackloom.fabric import Fabric
from rackloom.fabric.arrays import Ints

MOST_PLACES = 200
"""Ids a cap names at most; the text says how many places there are."""


def bundle_text(fabric: Fabric, worst: Ints) -> tuple[str, str, list[str]]:
    """Kind, text and switches of the tightest bundles."""
    bundles, tier = fabric.network.bundles, fabric.tiers.tier
    u, v = bundles.u[worst], bundles.v[worst]
    low = np.where(tier[u] <= tier[v], u, v)
    devices = fabric.network.switch_device
    lows = np.unique(low)
    first = int(low[0])
    name = device_name(fabric, int(devices[first]))
    alike = f" (and {more(len(lows) - 1, 'switch', 'switches')} alike)" if len(lows) > 1 else ""
    ids = [str(device_id(fabric, int(devices[x]))) for x in lows.tolist()]
    if tier[u[0]] == tier[v[0]]:
        far = int(v[0] if first == int(u[0]) else u[0])
        other = device_name(fabric, int(devices[far]))
        return "link", f"links between {name} and {other}{alike}", ids
    ratio = fabric.balance.oversubscription(first)
    over = f", {ratio:.3g}:1" if ratio is not None else ""
    return "uplink", f"{name} uplinks{over}{alike}", ids


def server_ids(fabric: Fabric, nics: Ints) -> list[str]:
    """Ids of the servers of these adapters, as many as a cap names."""
    found = np.zeros(len(fabric.arrays.device_ids), np.bool_)
    found[fabric.arrays.nic_device[nics]] = True
    return [str(device_id(fabric, d)) for d in np.flatnonzero(found)[:MOST_PLACES].tolist()]


def cable_ids(fabric: Fabric, links: Ints) -> list[str]:
    """Ids of the cables of these links, as many as a cap names."""
    found = np.zeros(len(fabric.arrays.cable_ids), np.bool_)
    found[fabric.arrays.link_cable[links]] = True
    return [str(fabric.arrays.cable_ids[c]) for c in np.flatnonzero(found)[:MOST_PLACES].tolist()]
