# SPDX-License-Identifier: Apache-2.0
"""What can be bought: part types, loading, look-up."""

from rackloom.catalog.cages import Cage
from rackloom.catalog.errors import CatalogError
from rackloom.catalog.load import Catalog, load_bundled, load_parts
from rackloom.catalog.parts import (
    AnyPart,
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

__all__ = [
    "AnyPart",
    "CablePart",
    "Cage",
    "Catalog",
    "CatalogError",
    "DevicePart",
    "NicPart",
    "Part",
    "PartId",
    "PduPart",
    "RackPart",
    "ServerPart",
    "SwitchPart",
    "TransceiverPart",
    "load_bundled",
    "load_parts",
]
