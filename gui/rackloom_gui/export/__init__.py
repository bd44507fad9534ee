# SPDX-License-Identifier: Apache-2.0
"""Drawings as files: SVG, PDF and PNG, drawn by the canvas' own code, with or without a display."""

from rackloom_gui.export.chart import render_chart
from rackloom_gui.export.labels import label_sheet_pdf
from rackloom_gui.export.render import KINDS, render, render_bytes

__all__ = ["KINDS", "label_sheet_pdf", "render", "render_bytes", "render_chart"]
