# SPDX-License-Identifier: Apache-2.0
"""The project, shown where nothing is selected: title block, room, and what is in it."""

from typing import Any

from rackloom.catalog.parts import ServerPart, SwitchPart
from rackloom.design import Change, Design, edits
from rackloom_gui.panels.fields import CheckField, NumberField, TextField
from rackloom_gui.panels.figures import sum_text
from rackloom_gui.panels.inspect_page import Page
from rackloom_gui.widgets.quantity import LENGTH_M, POWER_W, UnitFamily, format_quantity

_SHARE = UnitFamily("%", {"%": 0.01, "": 0.01}, ((0.0, "%"),))
"""A share is kept as 0 to 1, and shown in percent."""


LISTED = 12
"""Rows and feeds that get a line of their own; great halls have hundreds."""


class SitePage(Page):
    """Settings of the project."""

    kind = "settings"

    def build(self) -> None:
        self.head(
            "racks",
            lambda: self.design.settings.project or self.tr("Project"),
            lambda: self.tr("Nothing is selected"),
        )
        self.section()
        texts = (
            (self.tr("Project"), "project"),
            (self.tr("Drawing"), "drawing"),
            (self.tr("Revision"), "revision"),
            (self.tr("Author"), "author"),
        )
        for label, name in texts:
            self.field(label, TextField(label), _getter(name), self._setter(label, name))
        self.section(self.tr("Room and cabling"))
        tray = self.tr("Tray height")
        self.field(
            tray,
            NumberField(tray, LENGTH_M, low=0.5, high=20.0),
            _getter("tray_height_m"),
            self._setter(tray, "tray_height_m"),
            self.tr("Floor of the overhead trays above the floor of the room"),
        )
        slack = self.tr("Slack")
        self.field(
            slack,
            NumberField(slack, LENGTH_M, low=0.0, high=20.0),
            _getter("slack_m"),
            self._setter(slack, "slack_m"),
            self.tr("Spare length at each end of a cable"),
        )
        panels = self.tr("Side panels")
        self.field(
            panels,
            CheckField(panels, self.tr("open between neighbours")),
            _getter("side_panels_open"),
            self._setter(panels, "side_panels_open"),
            self.tr("Whether a cable may pass through into the next rack of the row"),
        )
        share = self.tr("Breaker share")
        self.field(
            share,
            NumberField(share, _SHARE, low=0.1, high=1.0),
            _getter("feed_derating"),
            self._setter(share, "feed_derating"),
            self.tr("Share of a breaker's rating that a continuous load may use (NEC: 80 %)"),
        )
        self.section(self.tr("In the design"))
        self.text(self.tr("Racks"), lambda: self._number(len(self.design.racks)))
        self.text(self.tr("Servers"), self._servers)
        self.text(self.tr("GPUs"), lambda: self._number(self._counts()[1]))
        self.text(self.tr("Switches"), lambda: self._number(self._counts()[2]))
        self.text(self.tr("Cables"), lambda: self._number(len(self.design.cables)))
        self.text(self.tr("Greatest power"), self._power)
        if self.design.rows:
            self.section(self.tr("Rows and feeds"))
            for row in list(self.design.rows.values())[:LISTED]:
                count = len(self.design.index.racks_in_row.get(row.id, ()))
                self.link(
                    row.name,
                    self.tr("1 rack") if count == 1 else self.tr("{0} racks").format(count),
                    [row.id],
                )
            for feed in list(self.design.feeds.values())[:LISTED]:
                self.link(feed.name, f"{feed.voltage_v:g} V, {feed.current_a:g} A", [feed.id])
            more = [
                self.tr("{0} more {1}").format(len(rows) - LISTED, word)
                for rows, word in (
                    (self.design.rows, self.tr("rows")),
                    (self.design.feeds, self.tr("feeds")),
                )
                if len(rows) > LISTED
            ]
            if more:
                self.text(self.tr("Not listed"), lambda: ", ".join(more))

    def must_rebuild(self, design: Design, change: Change) -> bool:
        del design
        return bool(change.tables & {"rows", "feeds"})

    def entities(self) -> list[Any]:
        return [self.design.settings]

    def _setter(self, label: str, name: str) -> Any:
        def commit(value: Any) -> None:
            text = self.tr("Change {0}").format(label.lower())
            self.edit(text, edits.change_settings, **{name: value})

        return commit

    def _number(self, count: int) -> str:
        return self.locale().toString(count)

    def _servers(self) -> str:
        """As the summary counts: what manages the rest is told apart."""
        managing = sum(
            count
            for part, count in self._parts()
            if isinstance(part, ServerPart) and part.purpose == "management"
        )
        text = self._number(self._counts()[0])
        return self.tr("{0}, and {1} that manage").format(text, managing) if managing else text

    def _counts(self) -> tuple[int, int, int]:
        servers = gpus = switches = 0
        for part, count in self._parts():
            if isinstance(part, ServerPart):
                servers += count if part.purpose != "management" else 0
                gpus += count * (part.gpu.count if part.gpu else 0)
            elif isinstance(part, SwitchPart):
                switches += count
        return servers, gpus, switches

    _counted: tuple[Any, list[tuple[Any, int]]] | None = None
    """The devices that were counted last, and how many there are of each part."""

    def _parts(self) -> list[tuple[Any, int]]:
        from collections import Counter

        devices = self.design.devices
        if self._counted is None or self._counted[0] is not devices:
            counts = Counter(device.part for device in devices.values())
            parts = [(self.design.parts[part], count) for part, count in counts.items()]
            self._counted = (devices, parts)
        return self._counted[1]

    def _power(self) -> str:
        if not self.design.devices:
            return format_quantity(0.0, POWER_W, 1)
        return sum_text(self.tools.power.sum(self.design))


def _getter(name: str) -> Any:
    return lambda settings: getattr(settings, name)
