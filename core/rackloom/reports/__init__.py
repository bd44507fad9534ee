# SPDX-License-Identifier: Apache-2.0
"""BOM, cable schedule, summary, power; and the tables they are handed on in."""

from rackloom.reports.bom import BomRow, bom
from rackloom.reports.power import DevicePower, PowerSum, power_of, power_sum
from rackloom.reports.schedule import CableRow, cable_schedule
from rackloom.reports.summary import summary, summary_text
from rackloom.reports.tables import csv_bytes, csv_text, xlsx_bytes

__all__ = [
    "BomRow",
    "CableRow",
    "DevicePower",
    "PowerSum",
    "bom",
    "cable_schedule",
    "csv_bytes",
    "csv_text",
    "power_of",
    "power_sum",
    "summary",
    "summary_text",
    "xlsx_bytes",
]
