# SPDX-License-Identifier: Apache-2.0
"""What can be bought: part types, loading, look-up."""

from rackloom.catalog.cages import Cage
from rackloom.catalog.errors import CatalogError
from rackloom.catalog.feeds import FeedType
from rackloom.catalog.kinds import AnyPart
from rackloom.catalog.load import Catalog, load_bundled, load_parts
from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    PartId,
    PduPart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import (
    AccessoryPart,
    ConsumablePart,
    GpuBoardPart,
    PanelPart,
    PowerShelfPart,
    RackSystemPart,
)
from rackloom.catalog.user_parts import load_catalog, own_folder

__all__ = [
    "AccessoryPart",
    "AnyPart",
    "CablePart",
    "Cage",
    "Catalog",
    "CatalogError",
    "ConsumablePart",
    "DevicePart",
    "FeedType",
    "GpuBoardPart",
    "NicPart",
    "PanelPart",
    "Part",
    "PartId",
    "PduPart",
    "PowerShelfPart",
    "RackPart",
    "RackSystemPart",
    "ServerPart",
    "SwitchPart",
    "TransceiverPart",
    "load_bundled",
    "load_catalog",
    "load_parts",
    "own_folder",
]
