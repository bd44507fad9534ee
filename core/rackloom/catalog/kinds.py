# SPDX-License-Identifier: Apache-2.0
"""Every kind of part, told apart by its ``kind``."""

from typing import Annotated

from pydantic import Field

from rackloom.catalog.parts import (
    CablePart,
    NicPart,
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

AnyPart = Annotated[
    ServerPart
    | SwitchPart
    | NicPart
    | PduPart
    | CablePart
    | TransceiverPart
    | RackPart
    | PanelPart
    | PowerShelfPart
    | AccessoryPart
    | ConsumablePart
    | GpuBoardPart
    | RackSystemPart,
    Field(discriminator="kind"),
]
