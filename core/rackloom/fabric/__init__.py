# SPDX-License-Identifier: Apache-2.0
"""The network of a design: graph, tiers, counts, routes."""

from rackloom.fabric.arrays import FabricArrays
from rackloom.fabric.counts import FabricCounts
from rackloom.fabric.network import Network
from rackloom.fabric.routing import Ecmp, EdgeLoads
from rackloom.fabric.tier_numbers import TierNumbers, Ways, tier_numbers, ways_between
from rackloom.fabric.value import Fabric

__all__ = [
    "Ecmp",
    "EdgeLoads",
    "Fabric",
    "FabricArrays",
    "FabricCounts",
    "Network",
    "TierNumbers",
    "Ways",
    "tier_numbers",
    "ways_between",
]
