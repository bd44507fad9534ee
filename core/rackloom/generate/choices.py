# SPDX-License-Identifier: Apache-2.0
"""What there is to choose from for an option of a preset: what a list in a dialog shows."""

from __future__ import annotations

from rackloom.catalog.load import Catalog
from rackloom.catalog.parts import Part, RackPart, ServerPart, SwitchPart
from rackloom.catalog.site_parts import AccessoryPart, RackSystemPart
from rackloom.catalog.words import Protocol
from rackloom.generate.options import Option

_SCALE_OUT = frozenset({Protocol.INFINIBAND, Protocol.ETHERNET})


def choices(option: Option, catalog: Catalog) -> list[Part]:
    """Parts that the option takes and that may make a design, in the catalogue's order.

    Any other part of the kind can still be asked for by its id: the answer then says why not.
    """
    if option.of is None:
        return []
    return [part for part in catalog.of_kind(option.of) if _may(option, part)]


def _may(option: Option, part: Part) -> bool:
    match part:
        case ServerPart():
            whole_rack = part.scale_up is not None and part.scale_up.spans_rack
            return part.gpu is not None and not whole_rack
        case RackSystemPart():
            return part.rack is not None
        case SwitchPart():
            return bool(part.data_cages) and part.protocol in _SCALE_OUT
        case AccessoryPart():
            return part.purpose == "cooling"
        case RackPart():
            return (part.busbar_v is not None) == (option.key == "busbar_rack")
    return True
