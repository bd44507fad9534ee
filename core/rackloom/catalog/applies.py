# SPDX-License-Identifier: Apache-2.0
"""Whether an empty field is a figure that nobody published, or one that the part has not got.

A data sheet says *unknown* of the first, and nothing of the second: a patch panel draws no power,
and copper has no fibre type.
"""

from __future__ import annotations

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    Part,
    PduPart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import AccessoryPart, PanelPart, PowerShelfPart
from rackloom.catalog.words import CableTechnology, FormFactor

_OWN_DRAW = frozenset(
    {
        *("airflow", "airflow_cfm", "inlet_max_c", "liquid_share"),
        *("power_max_w", "power_typical_w", "psu"),
    }
)
"""What only a device that draws power and gives off heat has."""
_GPUS = frozenset({"gpu", "scale_up", "gpu_direct_rdma", "power_transient_ratio"})
_OSFP_ONLY = frozenset({"shell", "port_count"})
_MULTI_FIBRE = frozenset({FormFactor.MPO_12, FormFactor.MPO_16, FormFactor.MMC_12})


def applies(part: Part, field: str) -> bool:
    """Whether a part of this sort has such a figure at all, published or not."""
    match part:
        case CablePart():
            return _cable(part, field)
        case TransceiverPart():
            if field in _OSFP_ONLY:
                return part.form_factor is FormFactor.OSFP
            return field != "pinned" or part.connector in _MULTI_FIBRE
        case RackPart():
            return field not in {"busbar_v", "backplane"}
        case DevicePart():
            return _device(part, field)
    return True


def _cable(part: CablePart, field: str) -> bool:
    fibre = part.technology is CableTechnology.FIBRE
    match field:
        case "fibre":
            return fibre
        case "lane_gbps":
            return not fibre
        case "part_number":
            # Sold by length: each stocked length has a number of its own.
            return not any(stock.part_number for stock in part.stock)
    return True


def _device(part: DevicePart, field: str) -> bool:
    match part:
        case PanelPart():
            return field not in _OWN_DRAW | {"bays"}
        case PduPart():
            return field not in _OWN_DRAW
        case AccessoryPart():
            return part.purpose == "cooling" or field not in _OWN_DRAW | {"cooling_kw"}
        case PowerShelfPart() if field == "psu":
            return False
        case ServerPart() if field in _GPUS:
            return part.purpose == "gpu"
        case SwitchPart() if field == "pipeline_limit":
            return False
    # Cooled by air, as its airflow says; a share that goes into a liquid would be published.
    return field != "liquid_share" or part.airflow is None
