# SPDX-License-Identifier: Apache-2.0
"""BOM, cable schedule, labels, summary, power; and the tables they are handed on in."""

from rackloom.reports.bom import BomRow, bom
from rackloom.reports.buying import (
    Bill,
    bill,
    bom_columns,
    read_price_file,
    read_prices,
    spares_of,
    totals,
    with_prices,
    with_spares,
)
from rackloom.reports.errors import ReportError
from rackloom.reports.labels import Label, LabelSheet, labels
from rackloom.reports.power import (
    DevicePower,
    PowerSum,
    power_of,
    power_of_device,
    power_sum,
    typical_power_of,
)
from rackloom.reports.power_report import PowerReport, power_report
from rackloom.reports.power_total import PowerTotal
from rackloom.reports.power_words import power_text
from rackloom.reports.schedule import CableRow, cable_schedule
from rackloom.reports.summary import summary, summary_text
from rackloom.reports.tables import csv_bytes, csv_text, xlsx_bytes

__all__ = [
    "Bill",
    "BomRow",
    "CableRow",
    "DevicePower",
    "Label",
    "LabelSheet",
    "PowerReport",
    "PowerSum",
    "PowerTotal",
    "ReportError",
    "bill",
    "bom",
    "bom_columns",
    "cable_schedule",
    "csv_bytes",
    "csv_text",
    "labels",
    "power_of",
    "power_of_device",
    "power_report",
    "power_sum",
    "power_text",
    "read_price_file",
    "read_prices",
    "spares_of",
    "summary",
    "summary_text",
    "totals",
    "typical_power_of",
    "with_prices",
    "with_spares",
    "xlsx_bytes",
]
