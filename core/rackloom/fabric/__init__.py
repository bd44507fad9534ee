# SPDX-License-Identifier: Apache-2.0
"""The network of a design: graph, tiers, counts, routes."""

from rackloom.fabric.arrays import FabricArrays
from rackloom.fabric.counts import FabricCounts
from rackloom.fabric.network import Network
from rackloom.fabric.routing import Ecmp, EdgeLoads
from rackloom.fabric.tier_numbers import TierNumbers, tier_numbers
from rackloom.fabric.value import Fabric
from rackloom.fabric.ways import GroupWays, Ways, WaysOfPairs, group_ways, ways_between

__all__ = [
    "Ecmp",
    "EdgeLoads",
    "Fabric",
    "FabricArrays",
    "FabricCounts",
    "GroupWays",
    "Network",
    "TierNumbers",
    "Ways",
    "WaysOfPairs",
    "group_ways",
    "tier_numbers",
    "ways_between",
]
