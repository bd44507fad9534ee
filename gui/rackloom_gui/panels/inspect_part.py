# SPDX-License-Identifier: Apache-2.0
"""A part of the catalogue, before it is put in."""

from typing import Any

from rackloom.catalog.parts import Part
from rackloom.design import Change, Design
from rackloom_gui.panels.figures import key_figures
from rackloom_gui.panels.inspect_page import Page, PageTools

_ICONS = {
    "server": "server",
    "switch": "switch",
    "nic": "link",
    "pdu": "pdu",
    "cable": "cable",
    "transceiver": "optic",
    "rack": "rack",
}


class PartPage(Page):
    """Read-only: catalogue entries are edited in files."""

    kind = "part"

    def __init__(self, tools: PageTools, part: Part) -> None:
        self._part = part
        super().__init__(tools, [part.id])

    def build(self) -> None:
        part = self._part
        icon = _ICONS.get(getattr(part, "kind", ""), "info")
        self.head(icon, lambda: part.title, lambda: key_figures(part))
        if part.description:
            self.section()
            self.text(self.tr("What it is"), lambda: part.description)
        self.figures(part)

    def entities(self) -> list[Any]:
        return [self._part]

    def must_rebuild(self, design: Design, change: Change) -> bool:
        del design, change
        return False
