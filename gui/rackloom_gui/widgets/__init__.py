# SPDX-License-Identifier: Apache-2.0
"""Small widgets that panels and dialogs share; none knows of designs."""

from rackloom_gui.widgets.badge import SeverityBadge
from rackloom_gui.widgets.quantity import (
    QuantityEdit,
    UnitFamily,
    UnitSpinBox,
    format_quantity,
    parse_quantity,
)
from rackloom_gui.widgets.text import ElidedLabel, EmptyState, SearchField

__all__ = [
    "ElidedLabel",
    "EmptyState",
    "QuantityEdit",
    "SearchField",
    "SeverityBadge",
    "UnitFamily",
    "UnitSpinBox",
    "format_quantity",
    "parse_quantity",
]
